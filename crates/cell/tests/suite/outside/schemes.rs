//! Every scheme, as a cell's configuration names it.

use ackless_cell::config::{CellConfig, SchemeChoice};
use ackless_schemes::agent::{AgentConfig, Room, Solution};
use ackless_schemes::arq_proxy::{ArqProxyConfig, Identification, Policy};
use ackless_schemes::fast_ack::FastAckConfig;
use ackless_schemes::filter::{FilterConfig, Filtered, Form};
use ackless_schemes::thinning::ThinningConfig;
use ackless_wire::Duration;

/// The name and what the AP and the stations of the cell have.
pub fn all(config: &CellConfig) -> Vec<(&'static str, SchemeChoice, SchemeChoice)> {
    let hack = config.ap.scheme;
    let buffer = Solution::Buffer { packets: 128, again: Duration::from_millis(300) };
    let agent = |solution| SchemeChoice::Agent(AgentConfig::of(solution));
    let promise = SchemeChoice::Agent(AgentConfig { room: Room::Promise, ..AgentConfig::of(buffer) });
    let arq = |identification, policy| {
        SchemeChoice::ArqProxy(ArqProxyConfig { identification, policy, ..ArqProxyConfig::default() })
    };
    let filter = |form| SchemeChoice::Filter(FilterConfig { form, filtered: Filtered::Acks });
    let thinning = SchemeChoice::Thinning;
    let fast_ack = SchemeChoice::FastAck(FastAckConfig::default());
    let everywhere = [
        ("tcp", SchemeChoice::Stock),
        ("hack", hack),
        ("agent", agent(buffer)),
        ("agent-promise", promise),
        ("agent-flag", agent(Solution::Flag { extra_sifs: Duration::from_micros(50) })),
        ("arq", arq(Identification::FrameSequence, Policy::Race)),
        ("arq-hash", arq(Identification::Hash, Policy::MoreData)),
        ("filter", filter(Form::Group)),
        ("filter-no-ack", filter(Form::NoAck)),
        ("cake", thinning(ThinningConfig::cake())),
        ("cake-aggressive", thinning(ThinningConfig::cake_aggressive())),
        ("broadcom", thinning(ThinningConfig::broadcom())),
        ("broadcom-hold", thinning(ThinningConfig::broadcom_hold())),
        ("samsung", thinning(ThinningConfig::samsung())),
    ];
    let mut all: Vec<_> = everywhere.into_iter().map(|(name, choice)| (name, choice, choice)).collect();
    all.push(("fastack", fast_ack, SchemeChoice::Stock));
    all
}

/// The cell with these schemes.
pub fn with(mut config: CellConfig, ap: SchemeChoice, station: SchemeChoice) -> CellConfig {
    config.ap.scheme = ap;
    config.stations.iter_mut().for_each(|other| other.scheme = station);
    config
}
