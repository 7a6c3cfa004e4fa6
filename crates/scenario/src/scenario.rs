//! A scenario: all keys with their values, from a file, its defaults and its overrides.

use std::sync::Arc;

use crate::document::{self, Source, section_help, unknown_key, wrong_value};
use crate::error::{Place, ScenarioError};
use crate::keys::{
    Agent, Ap, ArqProxy, Cells, FastAck, Filter, Flows, Hack, Loss, Pairs, Pings, Run, Scheme, Server, Stations, Steps,
    Tack, Thinning, Transport, Wifi, Wired,
};
use crate::literal::Literal;
use crate::names::help_on_name;
use crate::printable::{brief, printable};
use crate::schema::{Origin, Refusal, Section, Setting};

/// A scenario as it was read. It becomes a cell with [`Self::build`] in `build`; its rows are in `row`, its keys written out in `effective`.
#[derive(Clone, Debug)]
pub struct Scenario {
    source: Arc<Source>,
    pub(crate) overrides: Vec<String>,
    pub(crate) run: Run,
    pub(crate) wifi: Wifi,
    pub(crate) scheme: Scheme,
    pub(crate) hack: Hack,
    pub(crate) agent: Agent,
    pub(crate) filter: Filter,
    pub(crate) arq_proxy: ArqProxy,
    pub(crate) thinning: Thinning,
    pub(crate) fast_ack: FastAck,
    pub(crate) ap: Ap,
    pub(crate) stations: Vec<Stations>,
    pub(crate) loss: Loss,
    pub(crate) pairs: Vec<Pairs>,
    pub(crate) cells: Vec<Cells>,
    pub(crate) server: Server,
    pub(crate) wired: Wired,
    pub(crate) steps: Vec<Steps>,
    pub(crate) transport: Transport,
    pub(crate) tack: Tack,
    pub(crate) flows: Vec<Flows>,
    pub(crate) pings: Vec<Pings>,
}

impl Scenario {
    /// Reads the scenario in `text`; `name` is what messages and results call the file, its hidden
    /// characters written out.
    ///
    /// A file without `[[stations]]` has one station, and one without `[[flows]]` one flow to each.
    ///
    /// # Errors
    /// At the first section, key or value that is not allowed. Whether the values go together is [`Self::build`]'s to
    /// say, since overrides may still come.
    pub fn parse(name: &str, text: &str) -> Result<Self, ScenarioError> {
        let source = Source { name: printable(name).into_owned(), text: text.to_owned() };
        let mut scenario = Self {
            source: Arc::new(source.clone()),
            overrides: Vec::new(),
            run: Run::default(),
            wifi: Wifi::default(),
            scheme: Scheme::default(),
            hack: Hack::default(),
            agent: Agent::default(),
            filter: Filter::default(),
            arq_proxy: ArqProxy::default(),
            thinning: Thinning::default(),
            fast_ack: FastAck::default(),
            ap: Ap::default(),
            stations: Vec::new(),
            loss: Loss::default(),
            pairs: Vec::new(),
            cells: Vec::new(),
            server: Server::default(),
            wired: Wired::default(),
            steps: Vec::new(),
            transport: Transport::default(),
            tack: Tack::default(),
            flows: Vec::new(),
            pings: Vec::new(),
        };
        for table in source.tables()? {
            source.fill(&table, scenario.table_for(table.section.name))?;
        }
        if scenario.stations.is_empty() {
            scenario.stations.push(Stations::default());
        }
        if scenario.flows.is_empty() {
            scenario.flows.push(Flows::default());
        }
        Ok(scenario)
    }

    /// Overrides one key, or that key in each group of a repeated section: `wifi.mcs=5`, `stations.count=10`,
    /// `stations.laptops.count=3`. A later override wins over an earlier one, and any of them over the file. A key of
    /// `pings` makes a group of pings where the file has none, one of `steps` a step, and so on.
    ///
    /// # Errors
    /// As [`Self::parse`], with the argument as the place.
    pub fn set(&mut self, argument: &str) -> Result<(), ScenarioError> {
        let origin = Origin::Override(self.overrides.len());
        let place = || Place::Override(argument.to_owned());
        let (path, value) = argument
            .split_once('=')
            .ok_or_else(|| ScenarioError::new(place(), "there is no `=`", "write section.key=value"))?;
        let value = Literal::of_argument(value.trim());
        let mut parts = path.trim().splitn(3, '.');
        let section_name = parts.next().unwrap_or_default();
        let (group, key) = match (parts.next(), parts.next()) {
            (Some(key), None) => (None, key),
            (Some(group), Some(key)) => (Some(group), key),
            (None, _) => {
                let help = if document::section(path).is_some() {
                    format!("write {path}.KEY=value")
                } else {
                    section_help(path)
                };
                return Err(ScenarioError::new(place(), "an override names a section and a key", help));
            }
        };
        let section = document::section(section_name).ok_or_else(|| {
            ScenarioError::new(
                place(),
                format!("unknown section `{}`", brief(section_name)),
                section_help(section_name),
            )
        })?;
        for target in self
            .targets(section.name, group)
            .map_err(|help| ScenarioError::new(place(), format!("no such group in [[{section_name}]]"), help))?
        {
            target.assign(key, &value, origin).map_err(|refusal| match refusal {
                Refusal::UnknownKey => unknown_key(section, key, place()),
                Refusal::Value { key, detail } => wrong_value(section, key, &value, detail, place()),
            })?;
        }
        self.overrides.push(argument.to_owned());
        Ok(())
    }

    /// One line that says what the scenario is about.
    pub fn title(&self) -> &str {
        &self.run.title.value
    }

    /// The name that messages give the scenario: its file's or its own.
    pub fn name(&self) -> &str {
        &self.source.name
    }

    /// Whether its file sets no key.
    pub fn is_silent(&self) -> bool {
        let from_file = |table: &&dyn Section| {
            let mut keys = table.info().keys.iter();
            keys.any(|key| matches!(table.origin(key.name), Some(Origin::File { .. })))
        };
        !self.sections().iter().any(from_file)
    }

    /// How many seeds a comparison runs.
    pub fn seeds(&self) -> u32 {
        self.run.seeds.value
    }

    /// Where the value of `setting` comes from.
    pub(crate) fn place<T>(&self, setting: &Setting<T>) -> Place {
        match setting.origin {
            Origin::File { offset } => self.source.place(offset),
            Origin::Override(number) => Place::Override(self.overrides[number].clone()),
            Origin::Default => Place::Key(format!("{}: {}.{} (default)", self.name(), setting.section, setting.key)),
            Origin::Preset(preset) => {
                Place::Key(format!("{}: {}.{} (transport.preset {preset})", self.name(), setting.section, setting.key))
            }
            Origin::Row(row) => Place::Key(format!("{}: {}.{} (row {row})", self.name(), setting.section, setting.key)),
        }
    }

    /// Every section as it is shown, groups one after another.
    pub(crate) fn sections(&self) -> Vec<&dyn Section> {
        let mut sections: Vec<&dyn Section> = vec![&self.run, &self.wifi, &self.scheme, &self.hack, &self.agent];
        sections.extend([&self.filter as &dyn Section, &self.arq_proxy, &self.thinning, &self.fast_ack, &self.ap]);
        sections.extend(self.stations.iter().map(|group| group as &dyn Section));
        sections.push(&self.loss);
        sections.extend(self.pairs.iter().map(|pair| pair as &dyn Section));
        sections.extend(self.cells.iter().map(|cell| cell as &dyn Section));
        sections.extend([&self.server as &dyn Section, &self.wired]);
        sections.extend(self.steps.iter().map(|step| step as &dyn Section));
        sections.extend([&self.transport as &dyn Section, &self.tack]);
        sections.extend(self.flows.iter().map(|group| group as &dyn Section));
        sections.extend(self.pings.iter().map(|group| group as &dyn Section));
        sections
    }

    /// Where the keys of the next table called `section` go: a new group if it is a repeated one.
    fn table_for(&mut self, section: &str) -> &mut dyn Section {
        match section {
            "stations" => pushed(&mut self.stations),
            "flows" => pushed(&mut self.flows),
            "pings" => pushed(&mut self.pings),
            "steps" => pushed(&mut self.steps),
            "pairs" => pushed(&mut self.pairs),
            "cells" => pushed(&mut self.cells),
            single => self.single(single),
        }
    }

    fn single(&mut self, section: &str) -> &mut dyn Section {
        match section {
            "run" => &mut self.run,
            "wifi" => &mut self.wifi,
            "scheme" => &mut self.scheme,
            "hack" => &mut self.hack,
            "agent" => &mut self.agent,
            "filter" => &mut self.filter,
            "arq_proxy" => &mut self.arq_proxy,
            "thinning" => &mut self.thinning,
            "fast_ack" => &mut self.fast_ack,
            "ap" => &mut self.ap,
            "loss" => &mut self.loss,
            "server" => &mut self.server,
            "wired" => &mut self.wired,
            "transport" => &mut self.transport,
            "tack" => &mut self.tack,
            other => panic!("section {other} of the schema has a field in Scenario"),
        }
    }

    /// What an override of `section`, or of one `group` of it, sets; an error is the help.
    fn targets(&mut self, section: &str, group: Option<&str>) -> Result<Vec<&mut dyn Section>, String> {
        let groups: Vec<&mut dyn Section> = match section {
            "stations" => erased(&mut self.stations),
            "flows" => erased(&mut self.flows),
            "pings" => present(&mut self.pings),
            "steps" => present(&mut self.steps),
            "pairs" => present(&mut self.pairs),
            "cells" => present(&mut self.cells),
            single => match group {
                None => return Ok(vec![self.single(single)]),
                Some(_) => return Err(format!("[{single}] has no groups; write {single}.KEY=value")),
            },
        };
        let Some(wanted) = group else { return Ok(groups) };
        let names: Vec<String> = groups.iter().filter_map(|group| group.group_name()).collect();
        let found: Vec<_> = groups.into_iter().filter(|group| group.group_name().as_deref() == Some(wanted)).collect();
        if found.is_empty() {
            let known: Vec<_> = names.iter().map(String::as_str).collect();
            return Err(help_on_name(wanted, &known, "the groups", &format!("there are {}", known.len())));
        }
        Ok(found)
    }
}

fn pushed<S: Section + Default + 'static>(groups: &mut Vec<S>) -> &mut dyn Section {
    groups.push(S::default());
    groups.last_mut().expect("a list is not empty after a push")
}

/// Every group, and one where there is none.
fn present<S: Section + Default + 'static>(groups: &mut Vec<S>) -> Vec<&mut dyn Section> {
    if groups.is_empty() {
        groups.push(S::default());
    }
    erased(groups)
}

fn erased<S: Section + 'static>(groups: &mut [S]) -> Vec<&mut dyn Section> {
    groups.iter_mut().map(|group| group as &mut dyn Section).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::SECTIONS;

    #[test]
    fn every_section_of_the_schema_has_its_place_and_is_shown_once() {
        let mut scenario =
            Scenario::parse("empty", "[[pings]]\n[[steps]]\n[[pairs]]\n[[cells]]").expect("one of each is a scenario");
        for section in SECTIONS {
            if !section.repeated {
                assert_eq!(scenario.single(section.name).info().name, section.name);
            }
        }
        let shown: Vec<_> = scenario.sections().iter().map(|section| section.info().name).collect();
        let known: Vec<_> = SECTIONS.iter().map(|section| section.name).collect();
        assert_eq!(shown, known);
    }
}
