//! TACK in whole cells under every scheme: transfers end, the bytes come once, no end falls back, and no scheme makes, changes or keeps back what a
//! connection that does TACK says.

mod by_letter;
mod capture;
mod memory;
mod middlebox;
mod mixed;
mod random;
mod schemes;
mod segments;
mod stripped;

use std::collections::BTreeMap;

use ackless_cell::config::{
    CellConfig, CongestionChoice, Direction, FlowConfig, NewOptions, Peer, Probability, SchemeChoice, Segments,
    TcpConfig, Traffic, TransportConfig,
};
use ackless_cell::{Cell, scheme};
use ackless_phy::Standard;
use ackless_schemes::agent::{AgentConfig, Solution};
use ackless_schemes::arq_proxy::{ArqProxyConfig, Identification};
use ackless_schemes::fast_ack::FastAckConfig;
use ackless_schemes::filter::{FilterConfig, Filtered, Form};
use ackless_schemes::hack::{HackConfig, Policy};
use ackless_schemes::thinning::{Kind, ThinningConfig};
use ackless_tcp::{AckChoice, Stats, TackConfig, Variant};
use ackless_wire::{Bytes, Duration, Instant};

use crate::testing::cells::{cell, loss, with_tcp};
use crate::testing::ears;
use crate::testing::tap::Tap;
use crate::testing::tested::counts;
use middlebox::{Middlebox, Strips};

/// What is put on the nodes.
struct Contender {
    name: &'static str,
    ap: SchemeChoice,
    station: SchemeChoice,
    /// What it counts where it is at work on plain connections.
    at_work: &'static str,
    /// Whether it makes ACKs of its own, for plain connections.
    makes: bool,
    /// Whether a plain ACK may come out of the hop behind a TACK that was sent after it.
    holds_back: bool,
}

/// Every scheme in every form.
fn contenders() -> Vec<Contender> {
    let both = |name, choice, at_work| {
        let makes = matches!(choice, SchemeChoice::Agent(_) | SchemeChoice::ArqProxy(_) | SchemeChoice::FastAck(_));
        Contender { name, ap: choice, station: choice, at_work, makes, holds_back: false }
    };
    let hack = |policy| SchemeChoice::Hack(HackConfig { policy, ..HackConfig::default() });
    let agent = |solution| SchemeChoice::Agent(AgentConfig::of(solution));
    let buffer = Solution::Buffer { packets: 128, again: Duration::from_millis(200) };
    let flag = |extra_sifs| agent(Solution::Flag { extra_sifs });
    let arq = |identification, stateless| {
        SchemeChoice::ArqProxy(ArqProxyConfig { identification, stateless, ..ArqProxyConfig::default() })
    };
    let filter = |form, filtered| SchemeChoice::Filter(FilterConfig { form, filtered });
    let thinning = |name, config: ThinningConfig, at_work| {
        let holds_back = matches!(config.kind, Kind::Replace | Kind::Hold { .. } | Kind::CountAndTime { .. });
        Contender { holds_back, ..both(name, SchemeChoice::Thinning(config), at_work) }
    };
    let mut samsung = ThinningConfig::samsung();
    if let Kind::CountAndTime { slow_start_acks, .. } = &mut samsung.kind {
        *slow_start_acks = 0;
    }
    vec![
        both("hack", hack(Policy::MoreData), "compressed_acks"),
        both("hack, opportunistic", hack(Policy::Opportunistic), "compressed_acks"),
        both("agent, buffer", agent(buffer), "made"),
        Contender { ap: flag(Duration::ZERO), ..both("agent, flag", flag(Duration::from_micros(50)), "made") },
        both("filter", filter(Form::NoAck, Filtered::Acks), "filtered_acks"),
        both("filter, group", filter(Form::Group, Filtered::Acks), "answered_to_ap"),
        both("arq proxy, sequence", arq(Identification::FrameSequence, false), "released"),
        both("arq proxy, hash", arq(Identification::Hash, false), "released"),
        both("arq proxy, stateless", arq(Identification::FrameSequence, true), "released"),
        thinning("cake", ThinningConfig::cake(), "dropped"),
        thinning("cake, aggressive", ThinningConfig::cake_aggressive(), "dropped"),
        thinning("broadcom", ThinningConfig::broadcom(), "replaced"),
        thinning("broadcom, hold", ThinningConfig::broadcom_hold(), "suppressed"),
        thinning("samsung", samsung, "suppressed"),
        Contender {
            station: SchemeChoice::Stock,
            ..both("fast ack", SchemeChoice::FastAck(FastAckConfig::default()), "made")
        },
    ]
}

/// What a run came to: of each flow, and of the schemes.
struct Run {
    /// Of each flow: what its sender and its receiver have counted.
    flows: Vec<[Stats; 2]>,
    /// What the schemes of all nodes have counted together.
    counts: BTreeMap<&'static str, u64>,
}

impl Run {
    fn count(&self, name: &str) -> u64 {
        self.counts.get(name).copied().unwrap_or(0)
    }
}

/// Runs a cell to its end with this on its nodes, and looks at what holds for any.
fn run(config: &CellConfig, contender: &Contender, seed: u64) -> Run {
    run_behind(config, contender, Strips::NOTHING, seed)
}

/// The same behind a middlebox.
fn run_behind(config: &CellConfig, contender: &Contender, strips: Strips, seed: u64) -> Run {
    let config = with(config, contender);
    let plain = |flow: &FlowConfig| !matches!(flow.transport, TransportConfig::Tcp(tcp) if tcp.tack.is_some());
    let nodes = |node| Tap::boxed(scheme(&config, node), Middlebox::new(strips));
    let mut cell = Cell::new(&config, seed, nodes, ears::recorder(&config));
    let alters = contender.makes && (strips != Strips::NOTHING || meddles(&config) || config.flows.iter().any(plain));
    if !contender.holds_back && !alters {
        cell.witness_acks();
    }
    cell.advance(Instant::ZERO + config.warm_up);
    cell.report_totals();
    cell.advance(config.end());
    cell.finish();
    let counts = counts(&cell, &config);
    let flows = (0..config.flows.len()).map(|flow| {
        let sender = usize::from(config.flows[flow].direction == Direction::Up);
        [sender, 1 - sender].map(|end| cell.flows().endpoint(flow, end).expect("both ends are there").stats())
    });
    let (flows, events) = (flows.collect(), cell.events());
    let result = cell.into_observer().0.result(&config, seed, events);
    assert_eq!(
        result.airtime_ns.total(),
        config.measured,
        "{}: the ledger accounts for the whole window",
        contender.name
    );
    Run { flows, counts }
}

/// Whether a middlebox on the wire ever does anything.
fn meddles(config: &CellConfig) -> bool {
    let wired = &config.wired;
    [&wired.down, &wired.up].iter().any(|way| way.new_options != NewOptions::Pass || way.segments != Segments::Pass)
        || wired.steps.iter().any(|step| step.new_options.is_some())
}

/// The cell with this on its nodes.
fn with(config: &CellConfig, contender: &Contender) -> CellConfig {
    let mut config = config.clone();
    config.ap.scheme = contender.ap;
    config.ap.mac.answer_delay = Duration::ZERO;
    for station in &mut config.stations {
        station.scheme = contender.station;
    }
    config
}

/// The cell with one more transfer, which does TACK or does not.
fn with_transfer(config: CellConfig, direction: Direction, size: u64, tack: bool) -> CellConfig {
    let mut config = with_tcp(config, 0, Peer::Server, direction);
    let flow = config.flows.last_mut().expect("a flow has just been added");
    flow.traffic = Traffic::Finite { size: Bytes(size) };
    let TransportConfig::Tcp(tcp) = &mut flow.transport else { unreachable!("built as TCP") };
    if tack {
        *tcp = with_tack(*tcp);
    }
    config
}

/// The same connection with TACK as the paper has it.
fn with_tack(tcp: TcpConfig) -> TcpConfig {
    TcpConfig {
        tack: Some(TackConfig::default()),
        policy: Some(AckChoice::Tack { beta: 4, every: 2 }),
        congestion: CongestionChoice::ReceiverBbr(Variant::Standard),
        ..tcp
    }
}

/// A cell whose frames and packets are lost now and then, in every direction.
fn lossy(standard: Standard) -> CellConfig {
    let mut config = cell(standard);
    config.stations[0].loss = loss([0.1, 0.05, 0.1, 0.05]);
    config.stations[0].mac.retry_limit = Some(3);
    config.ap.mac.retry_limit = Some(3);
    let one_percent = Probability::new(0.01).expect("it is a probability");
    (config.wired.down.loss, config.wired.up.loss) = (one_percent, one_percent);
    config
}
