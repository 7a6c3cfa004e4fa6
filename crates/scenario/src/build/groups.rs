//! The groups of stations by name, and what may be a name.

use crate::error::ScenarioError;
use crate::names::help_on_name;
use crate::scenario::Scenario;
use crate::schema::Setting;

/// Which stations each group holds.
pub(super) struct Groups {
    groups: Vec<(String, std::ops::Range<usize>)>,
}

impl Groups {
    /// The groups of `scenario`.
    ///
    /// # Errors
    /// Where two share a name, one is called as something else, or there are too many stations.
    pub(super) fn of(scenario: &Scenario) -> Result<Self, ScenarioError> {
        let mut groups: Vec<(String, std::ops::Range<usize>)> = Vec::new();
        let mut next = 0;
        for group in &scenario.stations {
            let name = &group.name.value;
            check_name(scenario, &group.name, groups.iter().map(|(name, _)| name.as_str()))?;
            if RESERVED.contains(&name.as_str()) {
                let message = format!("is {name:?}, which means something else in a flow");
                return Err(scenario.refuse(&group.name, message, "choose another name"));
            }
            let count = scenario.in_range(&group.count, 0, MAX_STATIONS)? as usize;
            groups.push((name.clone(), next..next + count));
            next += count;
            if next > MAX_STATIONS as usize {
                let message = format!("brings the stations to {next}");
                return Err(scenario.refuse(&group.count, message, format!("a cell has at most {MAX_STATIONS}")));
            }
        }
        if next == 0 {
            let group = scenario.stations.last().expect("a scenario has a group of stations");
            return Err(scenario.refuse(&group.count, "leaves the cell without a station", "it needs at least one"));
        }
        Ok(Self { groups })
    }

    /// The groups above the one at `place`, with their stations.
    pub(super) fn above(&self, place: usize) -> &[(String, std::ops::Range<usize>)] {
        &self.groups[..place]
    }

    /// The stations that `setting` names: all, or those of a group.
    pub(super) fn named(
        &self,
        scenario: &Scenario,
        setting: &Setting<String>,
    ) -> Result<std::ops::Range<usize>, ScenarioError> {
        let wanted = setting.value.as_str();
        if wanted == "all" {
            return Ok(0..self.groups.last().map_or(0, |(_, range)| range.end));
        }
        self.groups.iter().find(|(name, _)| name == wanted).map(|(_, range)| range.clone()).ok_or_else(|| {
            let names: Vec<_> = self.groups.iter().map(|(name, _)| name.as_str()).collect();
            let help = help_on_name(wanted, &names, "the groups", &format!("there are {}", names.len()));
            scenario.refuse(setting, format!("names the group {wanted:?}, which there is not"), help)
        })
    }
}

/// Refuses an empty name, one with a dot (which an override could not reach), and one that is already `taken`.
pub(super) fn check_name<'a>(
    scenario: &Scenario,
    setting: &Setting<String>,
    mut taken: impl Iterator<Item = &'a str>,
) -> Result<(), ScenarioError> {
    let name = setting.value.as_str();
    if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')) {
        let message = format!("is {name:?}");
        return Err(scenario.refuse(setting, message, "a name has letters, digits, `-` and `_`"));
    }
    if taken.any(|other| other == name) {
        let message = format!("is {name:?}, as another group's");
        return Err(scenario.refuse(setting, message, format!("give each [[{}]] its own name", setting.section)));
    }
    Ok(())
}

/// AIDs run from 1 to 2,007 (IEEE 802.11-2020, 9.4.1.8).
const MAX_STATIONS: u32 = 2_007;

/// Names that a flow uses for something else than a group.
const RESERVED: [&str; 3] = ["all", "server", "ap"];
