//! The rivals of HACK, and how each is set up at random.

use ackless_cell::config::{MissingTimestamp, SchemeChoice, TransportConfig};
use ackless_schemes::Guard;
use ackless_schemes::agent::{AgentConfig, Room, Solution};
use ackless_schemes::arq_proxy::{ArqProxyConfig, Identification, Policy};
use ackless_schemes::fast_ack::FastAckConfig;
use ackless_schemes::filter::{FilterConfig, Filtered, Form};
use ackless_schemes::thinning::{Kind, RateStep, ThinningConfig};
use ackless_wire::random::{Purpose, Stream};
use ackless_wire::{BitRate, Duration};

use crate::rivals::corners;
use crate::rivals::ledger::Says;
use crate::rivals::schedule::Schedule;
use crate::testing::hosts::{one_of, span};

/// A rival, or one of its forms.
#[derive(Debug)]
pub struct Contender {
    /// As the command that runs one schedule again names it.
    pub name: &'static str,
    /// How it is set up in a schedule.
    setup: fn(&mut Stream, &Schedule) -> Setup,
    /// Its corner states.
    corners: &'static [&'static [&'static str]],
}

/// A rival's configuration.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    /// On the AP.
    pub ap: SchemeChoice,
    /// On each station.
    pub station: SchemeChoice,
    /// The longest time for which it keeps an ACK back.
    pub hold: Duration,
    /// Whether the AP itself repairs what it has acknowledged, and waits twice as long each time.
    pub repairs: bool,
    /// What the acknowledgements that it makes may say of their sender.
    pub says: Says,
    /// Whether it may put an acknowledgement on the wire behind one that says more.
    pub goes_back: bool,
    /// What the design itself stalls on in this form, if anything: flows may then be late, or for ever.
    pub stalls_on: Option<&'static str>,
}

impl Contender {
    /// The one of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        CONTENDERS.iter().find(|contender| contender.name == name)
    }

    /// Its corner states: counters that must have grown in at least [`corners::LEAST_SEEDS`] runs.
    pub fn corners(&self) -> impl Iterator<Item = &'static str> {
        self.corners.iter().copied().flatten().chain(corners::HOSTS).copied()
    }

    /// The schedule of a seed with this rival, and how it was set up.
    pub fn schedule(&self, seed: u64) -> (Schedule, Setup) {
        let mut random = Stream::new(seed, 2, Purpose::Test);
        let schedule = Schedule::draw(seed);
        let setup = (self.setup)(&mut random, &schedule);
        (schedule.with(setup.ap, setup.station), setup)
    }
}

impl Setup {
    /// No scheme.
    pub const PLAIN: Self = Self::everywhere(SchemeChoice::Stock);

    /// The ARQ proxy in this form, that keeps an ACK back for so long at most. A native ACK that is already on the air is overtaken by the one that is
    /// asked for next.
    pub const fn arq(config: ArqProxyConfig, hold: Duration) -> Self {
        Self { hold, goes_back: true, ..Self::everywhere(SchemeChoice::ArqProxy(config)) }
    }

    /// The same on all nodes.
    const fn everywhere(choice: SchemeChoice) -> Self {
        Self {
            ap: choice,
            station: choice,
            hold: Duration::ZERO,
            repairs: false,
            says: Says::Said,
            goes_back: false,
            stalls_on: None,
        }
    }
}

/// All of them.
pub const CONTENDERS: [Contender; 10] = [
    Contender { name: "agent-buffer", setup: agent_buffer, corners: &[corners::AGENT_BUFFER] },
    Contender { name: "agent-promise", setup: agent_promise, corners: &[corners::AGENT_PROMISE] },
    Contender { name: "agent-flag", setup: agent_flag, corners: &[corners::AGENT_FLAG] },
    Contender { name: "filter", setup: filter, corners: &[corners::FILTER] },
    Contender { name: "arq-seq", setup: arq_by_sequence, corners: &[corners::ARQ_SEQUENCE] },
    Contender { name: "arq-hash", setup: arq_by_hash, corners: &[corners::ARQ_SEQUENCE, corners::ARQ_HASH] },
    Contender { name: "cake", setup: cake, corners: &[corners::CAKE] },
    Contender { name: "broadcom", setup: broadcom, corners: &[corners::BROADCOM] },
    Contender { name: "samsung", setup: samsung, corners: &[corners::SAMSUNG] },
    Contender { name: "fast-ack", setup: fast_ack, corners: &[corners::FAST_ACK] },
];

fn agent_buffer(random: &mut Stream, schedule: &Schedule) -> Setup {
    let flows = &schedule.config.flows;
    let delays = flows.iter().any(|flow| !matches!(flow.transport, TransportConfig::Tcp(tcp) if tcp.ack.every == 1));
    let packets = one_of(random, if delays { &[16, 32, 128, 128, 4] } else { &[2, 4, 8] });
    // What finds the buffer full is given up while the TCP waits for more before it acknowledges what is in it.
    let stalls_on = (delays && packets < 16).then_some("a full buffer while the TCP delays its ACK");
    // Below the delayed ACK's timer, the TCP gets twice what it was about to acknowledge.
    let least = Duration::from_millis(one_of(random, &[10, 100, 100, 100]));
    let again = least + span(random, Duration::from_millis(300));
    let choice = SchemeChoice::Agent(AgentConfig::of(Solution::Buffer { packets, again }));
    Setup { stalls_on, hold: to_be_read(schedule, packets), ..Setup::everywhere(choice) }
}

/// The same, and the AP minds the window's edge.
fn agent_promise(random: &mut Stream, schedule: &Schedule) -> Setup {
    let setup = agent_buffer(random, schedule);
    let SchemeChoice::Agent(agent) = setup.ap else { unreachable!("it is the agent") };
    let choice = SchemeChoice::Agent(AgentConfig { room: Room::Promise, ..agent });
    Setup { ap: choice, station: choice, says: Says::WithinEdge, ..setup }
}

/// How long a slow application takes for what the buffers hold beyond its TCP's window: the server has ACKs for it, and what it sends next is refused until then.
fn to_be_read(schedule: &Schedule, packets: u16) -> Duration {
    let reads = schedule.config.flows.iter().filter_map(|flow| match flow.transport {
        TransportConfig::Tcp(tcp) => tcp.read_rate.map(|rate| rate.time_ceil(tcp.packet * u64::from(packets))),
        TransportConfig::Udp { .. } => None,
    });
    reads.max().unwrap_or_default()
}

/// The flag is on where the host answers before the MAC does: the extra time is about what the hosts of the schedule take.
fn agent_flag(random: &mut Stream, schedule: &Schedule) -> Setup {
    let host = schedule.config.stations[0].host_latency * 2;
    let host = if random.chance(0.7) { host } else { Duration::ZERO };
    let extra_sifs = (host + Duration::from_micros(1) + span(random, Duration::from_micros(100))).min(LATEST_ANSWER);
    Setup::everywhere(SchemeChoice::Agent(AgentConfig::of(Solution::Flag { extra_sifs })))
}

fn filter(random: &mut Stream, schedule: &Schedule) -> Setup {
    let forms = [Form::Group, Form::ActionNoAck, Form::NoAck];
    // Without QoS, No Ack filters nothing and only has to do no harm.
    let often = schedule.config.standard.is_qos() || random.chance(0.1);
    let form = one_of(random, if often { &forms } else { &forms[..2] });
    let filtered = one_of(random, &[Filtered::Acks, Filtered::Acks, Filtered::AcksAndData]);
    // Without repetitions by the MAC, TCP sees all that the air loses (section V).
    let stalls_on = (filtered == Filtered::AcksAndData).then_some("data that nobody repeats");
    Setup { stalls_on, ..Setup::everywhere(SchemeChoice::Filter(FilterConfig { form, filtered })) }
}

fn arq_by_sequence(random: &mut Stream, schedule: &Schedule) -> Setup {
    arq(random, schedule, Identification::FrameSequence)
}

fn arq_by_hash(random: &mut Stream, schedule: &Schedule) -> Setup {
    arq(random, schedule, Identification::Hash)
}

fn arq(random: &mut Stream, schedule: &Schedule, identification: Identification) -> Setup {
    let lifetime = Duration::from_millis(one_of(random, &[1, 5, 50, 1000]));
    let stateless = random.chance(0.1);
    // By itself it is never longer than 1 s.
    let set = one_of(random, &[Some(20), Some(100), None]).map(Duration::from_millis);
    let (guard, hold) = (set.map_or(Guard::Auto, Guard::Fixed), set.unwrap_or(Duration::from_secs(1)));
    let policy = one_of(random, &[Policy::Race, Policy::MoreData]);
    let announce_percent = one_of(random, &[0, 0, 10, 50]);
    let config = ArqProxyConfig { identification, lifetime, stateless, policy, announce_percent, guard };
    let says = if stateless { Says::Anything } else { Says::Said };
    let drops = schedule.config.flows.iter().any(|flow| match &flow.transport {
        TransportConfig::Tcp(tcp) => tcp.timestamps && tcp.missing_timestamp == MissingTimestamp::Drop,
        TransportConfig::Udp { .. } => false,
    });
    let stalls_on = (stateless && drops).then_some("ACKs without timestamps");
    Setup { stalls_on, says, ..Setup::arq(config, hold) }
}

fn cake(random: &mut Stream, _: &Schedule) -> Setup {
    let kind = one_of(random, &[Kind::CakeConservative, Kind::CakeAggressive]);
    thinning(random, kind)
}

fn broadcom(random: &mut Stream, _: &Schedule) -> Setup {
    let at_most = Duration::from_millis(one_of(random, &[1, 10, 20]));
    let hold = Kind::Hold { ratio: one_of(random, &[2, 3, 8]), at_most };
    let kind = one_of(random, &[Kind::Replace, hold]);
    thinning(random, kind)
}

fn samsung(random: &mut Stream, _: &Schedule) -> Setup {
    let step = |mbps, count, millis| RateStep {
        from: BitRate::from_mbps(mbps),
        count,
        at_most: Duration::from_millis(millis),
    };
    let slow_start_acks = one_of(random, &[0, 10, 512]);
    thinning(random, Kind::CountAndTime { steps: [step(0, 2, 2), step(2, 8, 5), step(8, 20, 10)], slow_start_acks })
}

/// Of these kinds none holds an ACK for longer than 20 ms.
fn thinning(random: &mut Stream, kind: Kind) -> Setup {
    let choice = SchemeChoice::Thinning(ThinningConfig { kind });
    let ap = if random.chance(0.9) { choice } else { SchemeChoice::Stock };
    // The newer ACK overtakes the duplicates behind the one whose place it takes.
    Setup { ap, hold: Duration::from_millis(20), goes_back: kind == Kind::Replace, ..Setup::everywhere(choice) }
}

fn fast_ack(random: &mut Stream, _: &Schedule) -> Setup {
    let config = FastAckConfig { cache_packets: one_of(random, &[1, 2, 4, 32, 4096]), ..FastAckConfig::default() };
    let hold = config.repair_after;
    Setup {
        station: SchemeChoice::Stock,
        hold,
        repairs: true,
        says: Says::WithinEdge,
        ..Setup::everywhere(SchemeChoice::FastAck(config))
    }
}

/// The most by which an answer may come later than SIFS.
const LATEST_ANSWER: Duration = Duration::from_millis(2);
