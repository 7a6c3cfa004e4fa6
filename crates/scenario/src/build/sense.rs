//! Whether a scheme makes sense in a cell: what could not do anything there is refused, since a row without effect
//! would be believed to have been measured.

use ackless_cell::config::{Access, CellConfig, Direction, FlowConfig, Peer, SchemeChoice, Topology, TransportConfig};
use ackless_schemes::filter::{Filtered, Form};

use crate::error::ScenarioError;
use crate::scenario::Scenario;
use crate::value::Value;

/// Refuses the scheme of `cell` where it can have no effect, or not in this form.
pub(super) fn check(scenario: &Scenario, cell: &CellConfig) -> Result<(), ScenarioError> {
    match cell.ap.scheme {
        SchemeChoice::Agent(_) | SchemeChoice::FastAck(_) => at_an_ap(scenario, cell),
        SchemeChoice::ArqProxy(_) => at_a_sender(scenario, cell),
        SchemeChoice::Filter(filter) => match filter.form {
            Form::Group => group_addressed(scenario, cell, filter.filtered),
            Form::NoAck => with_qos(scenario, cell),
            Form::ActionNoAck => Ok(()),
        },
        _ => Ok(()),
    }
}

/// What an AP does for its clients' downloads.
fn at_an_ap(scenario: &Scenario, cell: &CellConfig) -> Result<(), ScenarioError> {
    let name = &scenario.scheme.name;
    if cell.topology == Topology::AdHoc {
        let message = format!("is {}, which acts at an AP, and an ad hoc cell has none", name.value.word());
        return Err(scenario.refuse(name, message, "set wifi.topology=infrastructure, or choose another scheme"));
    }
    downloads(scenario, cell, |flow| cell.stations[flow.station].via.is_none())
}

/// What the node does that sends TCP data over the air to the end of the connection.
fn at_a_sender(scenario: &Scenario, cell: &CellConfig) -> Result<(), ScenarioError> {
    if cell.topology == Topology::AdHoc { Ok(()) } else { downloads(scenario, cell, |_| true) }
}

/// Whether any data comes to a station over a hop that counts.
fn downloads(
    scenario: &Scenario,
    cell: &CellConfig,
    counts: impl Fn(&FlowConfig) -> bool,
) -> Result<(), ScenarioError> {
    let (name, word) = (&scenario.scheme.name, scenario.scheme.name.value.word());
    let mut flows = cell.flows.iter().filter(|flow| is_tcp(flow)).peekable();
    if flows.peek().is_none() {
        return Ok(());
    }
    let mut down = flows.filter(|flow| flow.direction == Direction::Down || flow.peer != Peer::Server).peekable();
    if down.peek().is_none() {
        let message = format!(
            "is {word}, which replaces TCP ACKs of data that comes from the AP, but all TCP data here goes to the server"
        );
        return Err(scenario.refuse(
            name,
            message,
            "let a flow go down (flows.direction=down), or choose another scheme",
        ));
    }
    if !down.any(counts) {
        let message = format!(
            "is {word}, which speaks for stations that the AP itself serves, but all that download are behind relays"
        );
        return Err(scenario.refuse(
            name,
            message,
            "let a station without a relay download (stations.via=ap), or choose another scheme",
        ));
    }
    Ok(())
}

/// Whether any filtered packet takes a way on which group addresses keep the receiver from answering.
fn group_addressed(scenario: &Scenario, cell: &CellConfig, filtered: Filtered) -> Result<(), ScenarioError> {
    let mut flows = cell.flows.iter().filter(|flow| is_tcp(flow)).peekable();
    let with_data = filtered == Filtered::AcksAndData;
    let works = |flow: &FlowConfig| {
        let from_ap = flow.peer != Peer::Server || with_data || flow.direction == Direction::Up;
        let station = &cell.stations[flow.station];
        cell.topology == Topology::AdHoc || from_ap || station.four_address || station.via.is_some()
    };
    if flows.peek().is_none() || flows.any(works) {
        return Ok(());
    }
    let form = &scenario.filter.form;
    let message = "is group, but every TCP ACK here goes from a client to its AP, which answers each such frame, whatever its destination";
    let help = "let a flow go up (flows.direction=up), make the clients bridges (stations.four_address=true), set \
                wifi.topology=ad-hoc, or set filter.form to no-ack or action-no-ack";
    Err(scenario.refuse(form, message, help))
}

/// The ack policy No Ack stands in the QoS Control field.
fn with_qos(scenario: &Scenario, cell: &CellConfig) -> Result<(), ScenarioError> {
    let qos = |access| matches!(access, Access::Edca { .. });
    let stations = cell.stations.iter().filter(|station| qos(station.mac.access)).count();
    let enough = match cell.topology {
        Topology::AdHoc => stations >= 2,
        _ => stations >= 1 && qos(cell.ap.mac.access),
    };
    if enough {
        return Ok(());
    }
    let message = "is no-ack, an ack policy of QoS data, but no two nodes here talk with QoS";
    Err(scenario.refuse(&scenario.filter.form, message, "set wifi.qos=true, or choose another form"))
}

fn is_tcp(flow: &FlowConfig) -> bool {
    matches!(flow.transport, TransportConfig::Tcp(_))
}
