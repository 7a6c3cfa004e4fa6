//! What is done with TCP ACKs, by the row and the keys of the scheme.

use ackless_cell::config::SchemeChoice;
use ackless_schemes::Guard;
use ackless_schemes::agent::{AgentConfig, Solution};
use ackless_schemes::arq_proxy::ArqProxyConfig;
use ackless_schemes::fast_ack::FastAckConfig;
use ackless_schemes::filter::FilterConfig;
use ackless_schemes::hack::{Codec, Fit, HackConfig, Mic, MicLen, Policy, Tails};
use ackless_schemes::thinning::{Kind, RateStep, ThinningConfig};
use ackless_wire::{BitRate, Duration};

use super::checks::MAX_PACKETS;
use super::radio::Radio;
use crate::error::ScenarioError;
use crate::scenario::Scenario;
use crate::schema::Setting;
use crate::value::{Auto, Cure, Fitting, HackCodec, HackPolicy, Remedy, ThinningKind, Value};

/// The scheme of every node that is not legacy. The keys of the other schemes are checked too: a row may choose them.
pub(super) fn choice(scenario: &Scenario, radio: &Radio) -> Result<SchemeChoice, ScenarioError> {
    let hack = hack(scenario, radio)?;
    let agent = agent(scenario)?;
    let filter = FilterConfig { form: scenario.filter.form.value, filtered: scenario.filter.filtered.value };
    let arq_proxy = arq_proxy(scenario)?;
    let thinning = thinning(scenario)?;
    let fast_ack = fast_ack(scenario)?;
    Ok(match scenario.scheme.name.value {
        Cure::Stock => SchemeChoice::Stock,
        Cure::Hack => SchemeChoice::Hack(hack),
        Cure::Agent => SchemeChoice::Agent(agent),
        Cure::Filter => SchemeChoice::Filter(filter),
        Cure::ArqProxy => SchemeChoice::ArqProxy(arq_proxy),
        Cure::Thinning => SchemeChoice::Thinning(thinning),
        Cure::FastAck => SchemeChoice::FastAck(fast_ack),
    })
}

fn hack(scenario: &Scenario, radio: &Radio) -> Result<HackConfig, ScenarioError> {
    let hack = &scenario.hack;
    let timer = scenario.in_range(&hack.timer, SHORTEST, LONGEST)?;
    Ok(HackConfig {
        policy: match hack.policy.value {
            HackPolicy::MoreData => Policy::MoreData,
            HackPolicy::Opportunistic => Policy::Opportunistic,
            HackPolicy::Timer => Policy::ExplicitTimer(timer),
        },
        announce_percent: scenario.in_range(&hack.announce_percent, 0, 100)?,
        announce: hack.announce.value,
        hold_beside_data: hack.hold_beside_data.value,
        hold_senders: at_most(scenario, &hack.hold_senders)?,
        take_back_senders: at_most(scenario, &hack.take_back_senders)?,
        tails: Tails {
            percent: scenario.in_range(&hack.tail_percent, 0, 100)?,
            bursts: narrow(scenario.in_range(&hack.tail_bursts, 1, 10_000)?),
        },
        take_back: hack.take_back.value,
        guard: guard(scenario, &hack.guard)?,
        driver_to_nic: scenario.in_range(&hack.driver_to_nic, Duration::ZERO, LONGEST)?,
        fit: match hack.fit.value {
            Fitting::Whole => Fit::Whole,
            Fitting::Split => Fit::WithinAifs,
        },
        aifs: radio.interframe_space(),
        codec: match hack.codec.value {
            HackCodec::Own => Codec::Own { checksum: hack.checksum.value, wide: wide(scenario)? },
            HackCodec::Rfc6846 if wide(scenario)? => {
                let message = "is 16, but hack.codec=rfc6846 has 8, as the paper has it";
                return Err(scenario.refuse(&hack.msn_bits, message, "set hack.msn_bits=8 or hack.codec=own"));
            }
            HackCodec::Rfc6846 => Codec::Rfc6846,
        },
        mic: mic(scenario)?,
    })
}

/// A number of peers, of which 0 means any.
fn at_most(scenario: &Scenario, key: &Setting<u32>) -> Result<Option<u16>, ScenarioError> {
    let peers = scenario.in_range(key, 0, u32::from(u16::MAX))?;
    Ok((peers > 0).then(|| narrow(peers)))
}

fn wide(scenario: &Scenario) -> Result<bool, ScenarioError> {
    let key = &scenario.hack.msn_bits;
    match key.value {
        8 => Ok(false),
        16 => Ok(true),
        other => Err(scenario.refuse(key, format!("is {other}"), "allowed is 8 or 16")),
    }
}

fn mic(scenario: &Scenario) -> Result<Option<Mic>, ScenarioError> {
    let key = &scenario.hack.mic;
    let len = match key.value {
        0 => return Ok(None),
        4 => MicLen::Four,
        8 => MicLen::Eight,
        other => return Err(scenario.refuse(key, format!("is {other}"), "allowed is 0, 4 or 8 bytes")),
    };
    // Any will do: nobody in a cell knows another.
    Ok(Some(Mic { len, key: *b"ackless cell key" }))
}

fn guard(scenario: &Scenario, setting: &Setting<Auto<Duration>>) -> Result<Guard, ScenarioError> {
    match setting.value {
        Auto::Auto => Ok(Guard::Auto),
        Auto::Given(time) if (SHORTEST..=LONGEST).contains(&time) => Ok(Guard::Fixed(time)),
        Auto::Given(time) => {
            let remedy = format!("allowed is auto, or from {} to {}", SHORTEST.word(), LONGEST.word());
            Err(scenario.refuse(setting, format!("is {}, which is out of range", time.word()), remedy))
        }
    }
}

fn agent(scenario: &Scenario) -> Result<AgentConfig, ScenarioError> {
    let agent = &scenario.agent;
    let packets = scenario.in_range(&agent.buffer_packets, 1, u32::from(u16::MAX))?;
    let again = scenario.in_range(&agent.again, SHORTEST, LONGEST)?;
    // As far as wifi.answer_delay, which it adds to.
    let extra_sifs = scenario.in_range(&agent.extra_sifs, Duration::ZERO, Duration::from_millis(10))?;
    Ok(AgentConfig {
        solution: match agent.solution.value {
            Remedy::Buffer => Solution::Buffer { packets: narrow(packets), again },
            Remedy::Flag => Solution::Flag { extra_sifs },
        },
        refresh: scenario.in_range(&agent.refresh, SHORTEST_REFRESH, LONGEST_REFRESH)?,
        room: agent.room.value,
    })
}

fn arq_proxy(scenario: &Scenario) -> Result<ArqProxyConfig, ScenarioError> {
    let keys = &scenario.arq_proxy;
    let lifetime = scenario.in_range(&keys.lifetime, SHORTEST, Duration::from_secs(100))?;
    let timeout = scenario.transport.rto_min.value;
    if scenario.scheme.name.value == Cure::ArqProxy && lifetime < timeout {
        let message =
            format!("is {}, less than the TCP sender's smallest timeout, {}", lifetime.word(), timeout.word());
        return Err(scenario.refuse(&keys.lifetime, message, "make it at least transport.rto_min"));
    }
    Ok(ArqProxyConfig {
        identification: keys.identification.value,
        lifetime,
        stateless: keys.stateless.value,
        policy: keys.policy.value,
        announce_percent: scenario.in_range(&keys.announce_percent, 0, 100)?,
        guard: guard(scenario, &keys.guard)?,
    })
}

fn thinning(scenario: &Scenario) -> Result<ThinningConfig, ScenarioError> {
    let keys = &scenario.thinning;
    let small = |setting| scenario.in_range(setting, 1, MAX_COUNT).map(narrow);
    let hold = Kind::Hold {
        ratio: small(&keys.hold_ratio)?,
        at_most: scenario.in_range(&keys.hold_at_most, SHORTEST, LONGEST_HELD)?,
    };
    let slow_start_acks = narrow(scenario.in_range(&keys.slow_start_acks, 0, u32::from(u16::MAX))?);
    let steps = steps(scenario)?;
    Ok(ThinningConfig {
        kind: match keys.kind.value {
            ThinningKind::Cake => Kind::CakeConservative,
            ThinningKind::CakeAggressive => Kind::CakeAggressive,
            ThinningKind::Replace => Kind::Replace,
            ThinningKind::Hold => hold,
            ThinningKind::CountAndTime => Kind::CountAndTime { steps, slow_start_acks },
        },
    })
}

fn fast_ack(scenario: &Scenario) -> Result<FastAckConfig, ScenarioError> {
    let keys = &scenario.fast_ack;
    Ok(FastAckConfig {
        cache_packets: scenario.in_range(&keys.cache_packets, 1, MAX_PACKETS)?,
        repair_after: scenario.in_range(&keys.repair_after, SHORTEST, LONGEST)?,
    })
}

fn steps(scenario: &Scenario) -> Result<[RateStep; 3], ScenarioError> {
    let keys = &scenario.thinning;
    let from: [BitRate; 3] = three(scenario, &keys.steps_from)?;
    let count: [u32; 3] = three(scenario, &keys.steps_count)?;
    let at_most: [Duration; 3] = three(scenario, &keys.steps_at_most)?;
    if !from.is_sorted_by(|low, high| low < high) {
        return Err(scenario.refuse(&keys.steps_from, "does not rise", "write the smallest rate first"));
    }
    if let Some(wrong) = count.into_iter().find(|count| !(1..=MAX_COUNT).contains(count)) {
        let message = format!("sends one of {wrong} ACKs, which is out of range");
        return Err(scenario.refuse(&keys.steps_count, message, format!("allowed is from 1 to {MAX_COUNT}")));
    }
    if let Some(long) = at_most.into_iter().find(|span| !(SHORTEST..=LONGEST_HELD).contains(span)) {
        let message = format!("holds ACKs for {}, which is out of range", long.word());
        let help = format!("allowed is from {} to {}", SHORTEST.word(), LONGEST_HELD.word());
        return Err(scenario.refuse(&keys.steps_at_most, message, help));
    }
    Ok(std::array::from_fn(|step| RateStep { from: from[step], count: narrow(count[step]), at_most: at_most[step] }))
}

/// The three values of a list.
fn three<T: Copy>(scenario: &Scenario, setting: &Setting<Vec<T>>) -> Result<[T; 3], ScenarioError> {
    let list = setting.value.as_slice();
    list.try_into().map_err(|_| {
        let plural = if list.len() == 1 { "" } else { "s" };
        let message = format!("has {} value{plural}", list.len());
        scenario.refuse(setting, message, "write three, one for each step of the rate")
    })
}

/// `n` in the 16 bits that its range ends at.
fn narrow(n: u32) -> u16 {
    u16::try_from(n).expect("the range of a key of 16 bits ends there")
}

const SHORTEST: Duration = Duration::from_micros(1);
const LONGEST: Duration = Duration::from_secs(10);

/// A driver that held ACKs longer than TCP may delay them would not be used (RFC 9293, 3.8.6.3: 500 ms).
const LONGEST_HELD: Duration = Duration::from_millis(500);

/// As many as transport.ack may be.
const MAX_COUNT: u32 = 1_000;
/// Below, a flow has more native ACKs than others; above, an AP that has forgotten a flow has no other way to hear of it.
const SHORTEST_REFRESH: Duration = Duration::from_millis(1);
const LONGEST_REFRESH: Duration = Duration::from_secs(3_600);
