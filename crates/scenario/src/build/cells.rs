//! Which cell each station belongs to, and from all of them together to a cell with its neighbours.

use ackless_cell::config::{CellConfig, FlowConfig, Hearing, Neighbour, Peer, SchemeChoice, TransportConfig};

use super::groups::{Groups, check_name};
use super::sense;
use crate::error::ScenarioError;
use crate::names::help_on_name;
use crate::scenario::Scenario;
use crate::schema::Setting;

/// The cells of a scenario, the first one without a section of its own.
pub(super) struct Cells {
    names: Vec<String>,
    /// The cell of each station.
    of_station: Vec<usize>,
    /// The place of each station among the nodes of all cells.
    nodes: Vec<usize>,
    /// That of each cell's AP.
    aps: Vec<usize>,
}

impl Cells {
    /// The cells of `scenario`.
    ///
    /// # Errors
    /// Where names are not as they must be, a group names a cell that there is not, or one has no station.
    pub(super) fn of(scenario: &Scenario, groups: &Groups) -> Result<Self, ScenarioError> {
        let mut names = vec![OWN.to_owned()];
        for cell in &scenario.cells {
            check_name(scenario, &cell.name, names.iter().map(String::as_str))?;
            names.push(cell.name.value.clone());
        }
        let mut cells = Self { names, of_station: Vec::new(), nodes: Vec::new(), aps: Vec::new() };
        for group in &scenario.stations {
            let cell = cells.named(scenario, &group.cell, &group.cell.value)?;
            let members = groups.named(scenario, &group.name)?.len();
            cells.of_station.extend(std::iter::repeat_n(cell, members));
        }
        let mut next = 0;
        for cell in 0..cells.names.len() {
            cells.aps.push(next);
            next += cells.stations(cell) + 1;
        }
        let mut free: Vec<usize> = cells.aps.iter().map(|ap| ap + 1).collect();
        for &cell in &cells.of_station {
            cells.nodes.push(free[cell]);
            free[cell] += 1;
        }
        for (number, cell) in scenario.cells.iter().enumerate() {
            if cells.stations(number + 1) == 0 {
                let help = format!("let a group of stations name it: stations.cell=\"{}\"", cell.name.value);
                return Err(scenario.refuse(
                    &cell.name,
                    format!("is {:?}, a cell without a station", cell.name.value),
                    help,
                ));
            }
        }
        if cells.stations(0) == 0 {
            let group = scenario.stations.last().expect("a scenario has a group of stations");
            return Err(scenario.refuse(
                &group.cell,
                "leaves the first cell without a station",
                "let one group be of own",
            ));
        }
        Ok(cells)
    }

    /// The cell that is called so; `setting` is what names it.
    pub(super) fn named(
        &self,
        scenario: &Scenario,
        setting: &Setting<String>,
        wanted: &str,
    ) -> Result<usize, ScenarioError> {
        self.names.iter().position(|name| name == wanted).ok_or_else(|| {
            let names: Vec<_> = self.names.iter().map(String::as_str).collect();
            let help = help_on_name(wanted, &names, "the cells", &format!("there are {}", names.len()));
            scenario.refuse(setting, format!("names the cell {wanted:?}, which there is not"), help)
        })
    }

    /// How many nodes there are in all cells.
    pub(super) fn nodes(&self) -> usize {
        self.aps.len() + self.nodes.len()
    }

    /// The place of a station among the nodes of all cells.
    pub(super) fn node(&self, station: usize) -> usize {
        self.nodes[station]
    }

    /// The place of a cell's AP.
    pub(super) fn ap(&self, cell: usize) -> usize {
        self.aps[cell]
    }

    /// The cell of a station.
    pub(super) fn cell(&self, station: usize) -> usize {
        self.of_station[station]
    }

    /// How many stations a cell has.
    pub(super) fn stations(&self, cell: usize) -> usize {
        self.of_station.iter().filter(|&&of| of == cell).count()
    }

    /// The first cell with its neighbours, of a cell that has the stations and flows of all.
    pub(super) fn split(&self, scenario: &Scenario, all: CellConfig) -> Result<CellConfig, ScenarioError> {
        if self.names.len() == 1 {
            return Ok(all);
        }
        self.check_peers(scenario, &all)?;
        let mut neighbours = Vec::new();
        for (cell, name) in self.names.iter().enumerate().skip(1) {
            let mut config = self.one(&all, cell);
            if scenario.cells[cell - 1].legacy.value {
                config.ap.scheme = SchemeChoice::Stock;
                config.ap.mac.backoff = ackless_cell::config::BackoffPolicy::Standard;
            }
            // A cell without TCP has no use for a scheme, but may stand beside one that has.
            if config.flows.iter().any(|flow| matches!(flow.transport, TransportConfig::Tcp(_))) {
                sense::check(scenario, &config)?;
            }
            neighbours.push(Neighbour { name: name.clone(), cell: config });
        }
        Ok(CellConfig { neighbours, ..self.one(&all, 0) })
    }

    /// Refuses a flow between stations of two cells: what is between them is nobody's wire.
    fn check_peers(&self, scenario: &Scenario, all: &CellConfig) -> Result<(), ScenarioError> {
        for flow in &all.flows {
            let Peer::Station(peer) = flow.peer else { continue };
            if self.cell(peer) != self.cell(flow.station) {
                let group = scenario.flows.iter().find(|group| group.peer.value != "server");
                let setting = &group.expect("a flow between stations names its peers").peer;
                let message = format!("lets {} go from one cell to another", flow.name);
                return Err(scenario.refuse(setting, message, "let stations and peer be of the same cell"));
            }
        }
        Ok(())
    }

    /// One of the cells.
    fn one(&self, all: &CellConfig, cell: usize) -> CellConfig {
        let local = |station: usize| self.node(station) - self.ap(cell) - 1;
        let members = || (0..all.stations.len()).filter(|&station| self.cell(station) == cell);
        let stations = members().map(|station| {
            let mut config = all.stations[station].clone();
            config.via = config.via.map(local);
            config
        });
        let flows = all.flows.iter().filter(|flow| self.cell(flow.station) == cell).map(|flow| FlowConfig {
            station: local(flow.station),
            peer: match flow.peer {
                Peer::Server => Peer::Server,
                Peer::Station(peer) => Peer::Station(local(peer)),
            },
            ..flow.clone()
        });
        let pings = all.pings.iter().filter(|ping| self.cell(ping.station) == cell).map(|ping| {
            let mut ping = ping.clone();
            ping.station = local(ping.station);
            ping
        });
        let mut hearing = all.hearing.clone();
        if let Hearing::ByPower(powers) = &mut hearing {
            powers.first = self.ap(cell);
        }
        CellConfig {
            stations: stations.collect(),
            flows: flows.collect(),
            pings: pings.collect(),
            hearing,
            ..all.clone()
        }
    }
}

/// What the first cell is called.
const OWN: &str = "own";
