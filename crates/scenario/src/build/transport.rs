//! What carries a group of flows.

use ackless_cell::config::{
    AckChoice, AckConfig, CongestionChoice, RecoveryChoice, SenderChoices, TcpConfig, TransportConfig, UdpAnswers,
    UndoChoices,
};
use ackless_tcp::{GentleProbe, TackConfig, Variant};
use ackless_wire::{BitRate, Bytes, Duration};

use crate::error::ScenarioError;
use crate::keys::Flows;
use crate::scenario::Scenario;
use crate::schema::{Origin, Setting, chosen};
use crate::value::{AckRule, Auto, Congestion, ProbeRound, Protocol, Recovery, TackKind, Value};

/// The transport of `group`.
pub(super) fn transport(scenario: &Scenario, group: &Flows) -> Result<TransportConfig, ScenarioError> {
    let shared = &scenario.transport;
    let protocol = group.protocol.value.clone().unwrap_or_else(|| shared.protocol.value);
    of_one_protocol(scenario, group, protocol)?;
    match protocol {
        Protocol::Udp => {
            let largest = scenario.wired.mtu.value.saturating_sub(UDP_HEADERS);
            let smallest = Bytes(1);
            let payload = match &group.udp_payload.value {
                Auto::Auto => scenario.in_range(&shared.udp_payload, smallest, largest)?,
                Auto::Given(payload) if (smallest..=largest).contains(payload) => *payload,
                Auto::Given(payload) => {
                    let message = format!("is {}, which is out of range", payload.word());
                    let help = format!("allowed is from 1B to {}, by wired.mtu", largest.word());
                    return Err(scenario.refuse(&group.udp_payload, message, help));
                }
            };
            let buffer = shared.send_buffer.value;
            Ok(TransportConfig::Udp { payload, answers: answers(scenario, group)?, buffer })
        }
        Protocol::Tcp => tcp(scenario, group).map(TransportConfig::Tcp),
    }
}

/// Refuses the keys of a group that are about the other protocol.
fn of_one_protocol(scenario: &Scenario, group: &Flows, protocol: Protocol) -> Result<(), ScenarioError> {
    match protocol {
        Protocol::Tcp => {
            of_other(scenario, protocol, &group.udp_payload)?;
            of_other(scenario, protocol, &group.udp_ack_every)
        }
        Protocol::Udp => {
            of_other(scenario, protocol, &group.congestion)?;
            of_other(scenario, protocol, &group.recovery)?;
            of_other(scenario, protocol, &group.ack)?;
            of_other(scenario, protocol, &group.tack)?;
            of_other(scenario, protocol, &group.no_delay)?;
            of_other(scenario, protocol, &group.read_rate)
        }
    }
}

/// Refuses a key of a group of `protocol` that is about the other one. An override of every group stands where it bears on
/// one of them.
fn of_other<T: Value>(scenario: &Scenario, protocol: Protocol, key: &Setting<T>) -> Result<(), ScenarioError> {
    let shared = scenario.transport.protocol.value;
    let differs = |other: &Flows| other.protocol.value.clone().unwrap_or_else(|| shared) != protocol;
    if let Origin::Override(number) = key.origin
        && scenario.overrides[number].split('=').next().is_some_and(|name| name.matches('.').count() == 1)
        && scenario.flows.iter().any(differs)
    {
        return Ok(());
    }
    let reason = if protocol == Protocol::Tcp { "the flow is TCP" } else { "the flow is UDP" };
    scenario.without_bearing(key, reason)
}

/// What a receiver of datagrams sends back.
fn answers(scenario: &Scenario, group: &Flows) -> Result<Option<UdpAnswers>, ScenarioError> {
    let shared = &scenario.transport;
    let payload = scenario.in_range(&shared.udp_ack_payload, Bytes(1), scenario.wired.mtu.value - UDP_HEADERS)?;
    let (every, place) = match group.udp_ack_every.value {
        Auto::Auto => (shared.udp_ack_every.value, scenario.place(&shared.udp_ack_every)),
        Auto::Given(every) => (every, scenario.place(&group.udp_ack_every)),
    };
    match every {
        Some(0) => Err(ScenarioError::new(place, "udp_ack_every is 0", "it must be greater, or \"never\"")),
        every => Ok(every.map(|every| UdpAnswers { every, payload })),
    }
}

fn tcp(scenario: &Scenario, group: &Flows) -> Result<TcpConfig, ScenarioError> {
    let shared = &scenario.transport;
    // RFC 9293, 3.7.1: an MSS of 536 is the least that every end takes; here 88 bytes leave room for all options.
    let packet = scenario.in_range(&shared.packet, Bytes(128), scenario.wired.mtu.value)?;
    let buffer = |setting| scenario.in_range(setting, packet * 2, MAX_BUFFER);
    let tack = group.tack.value.clone().unwrap_or_else(|| shared.tack.value);
    if tack && !shared.timestamps.value {
        let message = "is false, but TACK is about times";
        return Err(scenario.refuse(&shared.timestamps, message, "set it to true, or transport.tack to false"));
    }
    let rule = chosen(&group.ack, Some(&shared.ack)).value.clone();
    let rule = rule.unwrap_or_else(|| if tack { AckRule::Tack } else { AckRule::Every(2) });
    // RFC 9293, 3.8.6.3: less than 0.5 s.
    let timeout = scenario.in_range(&shared.ack_timeout, Duration::from_micros(1), Duration::from_millis(500))?;
    let congestion = congestion(scenario, group, tack);
    Ok(TcpConfig {
        congestion,
        recovery: recovery(scenario, group, congestion)?,
        pacing: shared.pacing.value,
        sender: sender(scenario),
        ack: AckConfig { every: if let AckRule::Every(segments) = rule { segments } else { 2 }, timeout },
        policy: policy(scenario, rule)?,
        tack: tack.then(|| options(scenario)).transpose()?,
        by_letter: scenario.tack.by_letter.value,
        packet,
        sack: shared.sack.value,
        timestamps: shared.timestamps.value,
        missing_timestamp: shared.missing_timestamp.value,
        window_scaling: shared.window_scaling.value,
        initial_window: scenario.in_range(&shared.initial_window, 1, 1_000)?,
        rto_min: scenario.in_range(&shared.rto_min, Duration::from_millis(1), Duration::from_secs(60))?,
        send_buffer: buffer(&shared.send_buffer)?,
        receive_buffer: buffer(&shared.receive_buffer)?,
        read_rate: read_rate(scenario, group)?,
        ecn: shared.ecn.value,
        receive_tuning: shared.receive_tuning.value,
        send_tuning: shared.send_tuning.value,
        no_delay: group.has_no_delay(),
    })
}

/// What the sender does beyond the plainest of the standards.
fn sender(scenario: &Scenario) -> SenderChoices {
    let shared = &scenario.transport;
    SenderChoices {
        slow_start: shared.slow_start.value,
        undo: UndoChoices { eifel: shared.eifel.value, frto: shared.frto.value, dsack: shared.dsack.value },
        nagle: shared.nagle.value,
        rto: shared.rto.value,
        reno: shared.reno.value,
        cubic: shared.cubic.value,
        rack: shared.rack.value,
        prr: shared.prr.value,
        growth: shared.growth.value,
    }
}

/// How fast the application of `group` reads.
fn read_rate(scenario: &Scenario, group: &Flows) -> Result<Option<BitRate>, ScenarioError> {
    match group.read_rate.value {
        Auto::Auto => Ok(None),
        Auto::Given(BitRate::ZERO) => {
            Err(scenario.refuse(&group.read_rate, "is zero", "it must be greater, or \"auto\", which is at once"))
        }
        Auto::Given(rate) => Ok(Some(rate)),
    }
}

/// The policy that takes the place of delayed ACKs. The keys of the others are checked too: a row may choose them.
fn policy(scenario: &Scenario, rule: AckRule) -> Result<Option<AckChoice>, ScenarioError> {
    let shared = &scenario.transport;
    let every = scenario.in_range(&shared.ack_l, 1, 1_000)?;
    let beta = scenario.in_range(&shared.ack_beta, 1, 1_000)?;
    let share = scenario.in_range(&shared.ack_share, 1, 1_000)?;
    let timeout = shared.ack_timeout.value;
    let interval = scenario.in_range(&shared.ack_interval, Duration::from_micros(1), Duration::from_millis(500))?;
    Ok(match rule {
        AckRule::Every(_) => None,
        AckRule::ByteCounting => Some(AckChoice::ByteCounting { every }),
        AckRule::Periodic => Some(AckChoice::Periodic { interval }),
        AckRule::Share => Some(AckChoice::Share { share, timeout }),
        AckRule::Request => Some(AckChoice::Request { share, timeout }),
        AckRule::Tack => Some(AckChoice::Tack { beta, every }),
        AckRule::Linux => Some(AckChoice::Linux { sack_compression: shared.sack_compression.value }),
    })
}

fn congestion(scenario: &Scenario, group: &Flows, tack: bool) -> CongestionChoice {
    let choice = chosen(&group.congestion, Some(&scenario.transport.congestion)).value.clone();
    match choice.unwrap_or_else(|| if tack { Congestion::ReceiverBbr } else { Congestion::Cubic }) {
        Congestion::Reno => CongestionChoice::Reno,
        Congestion::NewReno => CongestionChoice::NewReno,
        Congestion::Cubic => CongestionChoice::Cubic,
        Congestion::Bbr => CongestionChoice::Bbr,
        Congestion::Bbr3 => CongestionChoice::Bbr3,
        Congestion::ReceiverBbr => CongestionChoice::ReceiverBbr(variant(scenario)),
    }
}

fn recovery(scenario: &Scenario, group: &Flows, congestion: CongestionChoice) -> Result<RecoveryChoice, ScenarioError> {
    let setting = chosen(&group.recovery, Some(&scenario.transport.recovery));
    Ok(match setting.value {
        Auto::Given(Recovery::Rack) if !scenario.transport.sack.value => {
            let message = "is rack, which needs SACK";
            return Err(scenario.refuse(setting, message, "set transport.sack=true, or choose standard"));
        }
        Auto::Given(Recovery::Rack) => RecoveryChoice::Rack,
        Auto::Auto if congestion.models_path() => RecoveryChoice::Rack,
        Auto::Auto | Auto::Given(Recovery::Standard) => RecoveryChoice::Standard,
    })
}

fn variant(scenario: &Scenario) -> Variant {
    match scenario.tack.variant.value {
        TackKind::Standard => Variant::Standard,
        TackKind::Rounds => Variant::Rounds { losses: scenario.tack.losses.value },
        TackKind::Miracast => Variant::Miracast {
            probe_rtt: match scenario.tack.probe_rtt.value {
                ProbeRound::Gentle => GentleProbe::Gentle,
                ProbeRound::Never => GentleProbe::Never,
            },
        },
    }
}

fn options(scenario: &Scenario) -> Result<TackConfig, ScenarioError> {
    let keys = &scenario.tack;
    Ok(TackConfig {
        form: keys.form.value,
        blocks: keys.blocks.value,
        loss_signal: keys.loss_signal.value,
        timing: keys.timing.value,
        tau: scenario.in_range(&keys.tau, Duration::from_millis(1), Duration::from_secs(600))?,
        batch: keys.batch.value,
        share: keys.share.value,
        rate: keys.rate.value,
        window_asks: keys.window_asks.value,
        settling: keys.settling.value,
    })
}

/// IPv4 and UDP.
const UDP_HEADERS: Bytes = Bytes(28);

/// The largest window that scaling allows (RFC 7323, 2.2).
const MAX_BUFFER: Bytes = Bytes(1 << 30);
