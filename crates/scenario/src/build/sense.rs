//! Whether a scheme makes sense in a cell: what could not do anything there is refused, since a row without effect
//! would be believed to have been measured.

use ackless_cell::config::{
    Access, AggregationConfig, CellConfig, Delivery, Direction, FlowConfig, Peer, SchemeChoice, StationConfig,
    Topology, TransportConfig,
};
use ackless_phy::Timing;
use ackless_schemes::agent::Solution;
use ackless_schemes::filter::{Filtered, Form};
use ackless_wire::Duration;

use crate::error::ScenarioError;
use crate::keys::Flows;
use crate::scenario::Scenario;
use crate::schema::Origin;
use crate::value::Value;

/// Refuses the scheme of `cell` where it can have no effect, or not in this form.
pub(super) fn check(scenario: &Scenario, cell: &CellConfig) -> Result<(), ScenarioError> {
    with_tcp(scenario, cell)?;
    with_nagle(scenario)?;
    one_packet_an_mpdu(scenario, cell)?;
    in_this_place(scenario, cell)?;
    with_a_partner(scenario, cell)
}

fn in_this_place(scenario: &Scenario, cell: &CellConfig) -> Result<(), ScenarioError> {
    match cell.ap.scheme {
        SchemeChoice::Agent(agent) => {
            at_an_ap(scenario, cell)?;
            match agent.solution {
                Solution::Buffer { again, .. } => in_time(scenario, cell, again),
                Solution::Flag { extra_sifs } => within_sifs(scenario, cell, extra_sifs),
            }
        }
        SchemeChoice::FastAck(_) => {
            at_an_ap(scenario, cell)?;
            beside_relays(scenario, cell)
        }
        SchemeChoice::ArqProxy(_) => at_a_sender(scenario, cell),
        SchemeChoice::Filter(filter) => match filter.form {
            Form::Group => group_addressed(scenario, cell, filter.filtered),
            Form::NoAck => with_qos(scenario, cell),
            Form::ActionNoAck => Ok(()),
        },
        _ => Ok(()),
    }
}

/// A row that puts a scheme on a cell without TCP would be the stock cell again. The UDP bound, whose scheme is the scenario's, is that on purpose.
fn with_tcp(scenario: &Scenario, cell: &CellConfig) -> Result<(), ScenarioError> {
    let name = &scenario.scheme.name;
    if tcp(cell).next().is_some() || !matches!(name.origin, Origin::Row(_)) {
        return Ok(());
    }
    let message = format!("is {}, which is about TCP ACKs, but no flow here is TCP", name.value.word());
    Err(scenario.refuse(name, message, "let a flow be TCP (flows.protocol=tcp), or leave this row out"))
}

/// What small segments wait for says nothing of applications that let none wait.
fn with_nagle(scenario: &Scenario) -> Result<(), ScenarioError> {
    if scenario.flows.iter().all(Flows::has_no_delay) {
        let reason = "every flow has flows.no_delay, as videos have unless it is set to false";
        scenario.without_bearing(&scenario.transport.nagle, reason)?;
    }
    Ok(())
}

/// The agent's client refuses, buffers and knows again what came by its MPDU, and the ARQ proxy names a packet by the MPDU that it came in: in their papers each MPDU
/// has one packet.
fn one_packet_an_mpdu(scenario: &Scenario, cell: &CellConfig) -> Result<(), ScenarioError> {
    let reason = match cell.ap.scheme {
        SchemeChoice::Agent(_) => "takes or refuses an MPDU for the one TCP segment in it",
        SchemeChoice::ArqProxy(_) => "names a TCP segment by the one MPDU that it came in",
        _ => return Ok(()),
    };
    let amsdu = |aggregation: Option<AggregationConfig>| aggregation.is_some_and(|terms| terms.amsdu.is_some());
    let anybody = amsdu(cell.ap.mac.aggregation) || cell.stations.iter().any(|station| amsdu(station.mac.aggregation));
    if !anybody {
        return Ok(());
    }
    let name = &scenario.scheme.name;
    let message = format!("is {}, which {reason}, but with wifi.amsdu_max an MPDU has several", name.value.word());
    Err(scenario.refuse(name, message, "set wifi.amsdu_max=off, or choose another scheme"))
}

/// What needs both ends of a link does nothing among legacy stations; what its sender does alone is left to the AP.
fn with_a_partner(scenario: &Scenario, cell: &CellConfig) -> Result<(), ScenarioError> {
    let takes_part = |station: &StationConfig| station.scheme != SchemeChoice::Stock;
    let anybody = || cell.stations.iter().any(takes_part);
    let acks_from_ap = || tcp(cell).any(|flow| flow.direction == Direction::Up || flow.peer != Peer::Server);
    // The last hop is the one whose sender speaks for the station at its end.
    let at_a_last_hop = || {
        tcp(cell).filter_map(receiver).any(|place| {
            let station = &cell.stations[place];
            takes_part(station) && station.via.is_none_or(|relay| takes_part(&cell.stations[relay]))
        })
    };
    let works = match cell.ap.scheme {
        SchemeChoice::Stock | SchemeChoice::FastAck(_) => true,
        SchemeChoice::Agent(_) | SchemeChoice::ArqProxy(_) => at_a_last_hop(),
        SchemeChoice::Thinning(_) => acks_from_ap() || anybody(),
        SchemeChoice::Filter(filter) if filter.form == Form::NoAck => {
            filter.filtered == Filtered::AcksAndData || acks_from_ap() || anybody()
        }
        _ => anybody(),
    };
    if works || tcp(cell).next().is_none() {
        return Ok(());
    }
    let name = &scenario.scheme.name;
    let message = format!("is {}, but the stations that would have to take part are legacy ones", name.value.word());
    let help = "set stations.legacy=false for a group of them and for their relay, or choose another scheme";
    Err(scenario.refuse(name, message, help))
}

/// What an AP does for its clients' downloads.
fn at_an_ap(scenario: &Scenario, cell: &CellConfig) -> Result<(), ScenarioError> {
    let name = &scenario.scheme.name;
    if cell.topology == Topology::AdHoc {
        let message = format!("is {}, which acts at an AP, and an ad hoc cell has none", name.value.word());
        return Err(scenario.refuse(name, message, "set wifi.topology=infrastructure, or choose another scheme"));
    }
    downloads(scenario, cell)
}

/// What the node does that sends TCP data over the air to the end of the connection.
fn at_a_sender(scenario: &Scenario, cell: &CellConfig) -> Result<(), ScenarioError> {
    if cell.topology == Topology::AdHoc { Ok(()) } else { downloads(scenario, cell) }
}

/// Whether any data comes to a station.
fn downloads(scenario: &Scenario, cell: &CellConfig) -> Result<(), ScenarioError> {
    if tcp(cell).next().is_none() || tcp(cell).any(is_download) {
        return Ok(());
    }
    let name = &scenario.scheme.name;
    let message = format!(
        "is {}, which replaces TCP ACKs of data that goes to stations, but all TCP data here goes to the server",
        name.value.word()
    );
    Err(scenario.refuse(name, message, "let a flow go down (flows.direction=down), or choose another scheme"))
}

/// A relay's link-layer ACK does not say that the client has anything.
fn beside_relays(scenario: &Scenario, cell: &CellConfig) -> Result<(), ScenarioError> {
    let mut down = tcp(cell).filter(|flow| is_download(flow)).peekable();
    if down.peek().is_none() || down.any(|flow| cell.stations[flow.station].via.is_none()) {
        return Ok(());
    }
    let name = &scenario.scheme.name;
    let message = format!(
        "is {}, which speaks for stations that the AP itself serves, but all that download are behind relays",
        name.value.word()
    );
    let help = "let a station without a relay download (stations.via=ap), or choose another scheme";
    Err(scenario.refuse(name, message, help))
}

/// The buffer must not hand up again what the host is about to acknowledge: its delayed ACK's timer, and the way there and back.
fn in_time(scenario: &Scenario, cell: &CellConfig, again: Duration) -> Result<(), ScenarioError> {
    let slowest = cell.stations.iter().map(|station| station.host_latency + station.host_latency_spread).max();
    let slowest = slowest.unwrap_or_default();
    let held = scenario.transport.ack_timeout.value;
    let longest = held + slowest * 2 + gathered(cell);
    if again > longest {
        return Ok(());
    }
    let setting = &scenario.agent.again;
    let message = format!(
        "is {}, but TCP may hold an ACK for {}, and a host takes {} each way: the MAC would hand up again what TCP has",
        again.word(),
        held.word(),
        slowest.word()
    );
    let help = format!(
        "make it longer than {}, or transport.ack_timeout, stations.host_latency or its spread shorter",
        longest.word()
    );
    Err(scenario.refuse(setting, message, help))
}

/// How long what has been received may wait before it sets out for the host.
const fn gathered(cell: &CellConfig) -> Duration {
    match cell.delivery {
        Delivery::Coalesced(time) => time,
        Delivery::PerPpdu | Delivery::PerMpdu => Duration::ZERO,
    }
}

/// The flag is never ON where no host has its TCP ACK down before the MAC ACK leaves.
fn within_sifs(scenario: &Scenario, cell: &CellConfig, extra_sifs: Duration) -> Result<(), ScenarioError> {
    let sifs = Timing::of(cell.standard, cell.band).sifs;
    let time = |station: &StationConfig| sifs + station.mac.answer_delay + extra_sifs;
    let both_ways = |station: &StationConfig| station.host_latency * 2 + gathered(cell);
    let stations = || cell.stations.iter().filter(|station| station.scheme != SchemeChoice::Stock);
    let quickest = stations().map(both_ways).min();
    let Some(quickest) = quickest.filter(|_| !stations().any(|station| both_ways(station) < time(station))) else {
        return Ok(());
    };
    let message = format!(
        "is flag, but no host has a TCP ACK down before its MAC answers: SIFS is {}, and the way up and down takes {}",
        sifs.word(),
        quickest.word()
    );
    let help = format!(
        "set agent.extra_sifs, by which stations answer later, to more than {}, or shorten stations.host_latency",
        quickest.saturating_sub(sifs).word()
    );
    Err(scenario.refuse(&scenario.agent.solution, message, help))
}

/// Whether any filtered packet takes a way on which group addresses keep the receiver from answering.
fn group_addressed(scenario: &Scenario, cell: &CellConfig, filtered: Filtered) -> Result<(), ScenarioError> {
    let mut flows = tcp(cell).peekable();
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

/// The TCP flows.
fn tcp(cell: &CellConfig) -> impl Iterator<Item = &FlowConfig> {
    cell.flows.iter().filter(|flow| matches!(flow.transport, TransportConfig::Tcp(_)))
}

/// Whether its data ends at a station.
fn is_download(flow: &FlowConfig) -> bool {
    receiver(flow).is_some()
}

/// The station at which its data ends.
fn receiver(flow: &FlowConfig) -> Option<usize> {
    match (flow.direction, flow.peer) {
        (Direction::Down, _) => Some(flow.station),
        (Direction::Up, Peer::Station(place)) => Some(place),
        (Direction::Up, Peer::Server) => None,
    }
}
