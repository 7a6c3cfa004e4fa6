//! Presets of hosts: what is laid over a scenario's file, and under its overrides, its flows' own keys and the row.

use ackless_cell::config::{CubicRule, Gro, GrowthRule, NagleRule, PrrRule, RackRule, RtoRule, SlowStartChoice};
use ackless_wire::{Bytes, Duration};

use crate::keys::Flows;
use crate::scenario::Scenario;
use crate::schema::{Origin, Setting};
use crate::value::{AckRule, Auto, Congestion, Recovery, Switch, TransportPreset};

/// Lays what `transport.preset` names over `scenario`, in which the key is `plain` then: what was laid stands in the other keys.
pub(crate) fn lay(scenario: &mut Scenario) {
    match scenario.transport.preset.value {
        TransportPreset::Plain => {}
        TransportPreset::Linux => linux(scenario),
    }
    scenario.transport.preset.value = TransportPreset::Plain;
}

/// Linux 6.12 with the settings that it has by default.
///
/// - CUBIC (`net.ipv4.tcp_congestion_control`), not paced: only the fq qdisc would, and mac80211 has its own queue.
///   Its slow start ends by HyStart (`/sys/module/tcp_cubic/parameters/hystart`).
/// - RACK-TLP (`tcp_recovery` 1) with SACK; the timeout is the smoothed round trip and never less than 200 ms (`TCP_RTO_MIN`).
/// - Spurious reductions are undone by timestamps, F-RTO and DSACK (`tcp_timestamps`, `tcp_frto` 2, `tcp_dsack`).
/// - A small segment waits for another small one alone (`tcp_nagle_check`); the window grows where it was full, and in slow start while it is less than twice what was out
///   (`tcp_is_cwnd_limited`); it halves with each timeout of idling (`tcp_cwnd_restart`) and begins at one segment only where more than one SYN was lost (`tcp_init_transfer`); the timeout is summed and rounded as the kernel does (`tcp_rtt_estimator`; HZ is 250).
/// - CUBIC's curve and its estimate of Reno as [`CubicRule::Linux`] has them (`net/ipv4/tcp_cubic.c`); which reports of repeated segments RACK goes by, as
///   [`RackRule::Linux`] (`tcp_sacktag_one`).
/// - ACKs as [`ackless_tcp::ack::Linux`] has them.
/// - Recovery by PRR (`tcp_cwnd_reduction`).
/// - Buffers tune themselves (`tcp_rcv_space_adjust`, `tcp_sndbuf_expand`) up to `tcp_rmem` 6 MiB and `tcp_wmem` 4 MiB.
/// - GRO at every host.
/// - TCP Small Queues: 8 ms on stations, as mac80211 asks (`tx_sk_pacing_shift` 7, which is 7.8 ms), and 1 ms
///   at the server (`sk_pacing_shift` 10).
/// - TCP segmentation offload with bursts of the same two times (`tcp_tso_autosize`).
///
/// A flow that offers TACK keeps its congestion control and ACKs, unless a key names others; where the flow itself chooses TACK (`flows.tack`), these are its own
/// keys then, which a row does not change.
fn linux(scenario: &mut Scenario) {
    let tack = scenario.transport.tack.value;
    let transport = &mut scenario.transport;
    if !tack {
        put(&mut transport.congestion, Auto::Given(Congestion::Cubic));
        put(&mut transport.ack, Auto::Given(AckRule::Linux));
    }
    put(&mut transport.slow_start, SlowStartChoice::HyStart);
    put(&mut transport.sack_compression, true);
    put(&mut transport.recovery, Auto::Given(Recovery::Rack));
    for by in [&mut transport.eifel, &mut transport.frto, &mut transport.dsack] {
        put(by, true);
    }
    // Where no flow lets a small segment wait, there is nothing for it to wait for.
    if !scenario.flows.iter().all(Flows::has_no_delay) {
        put(&mut transport.nagle, NagleRule::Minshall);
    }
    put(&mut transport.rto, RtoRule::Linux);
    put(&mut transport.cubic, CubicRule::Linux);
    put(&mut transport.rack, RackRule::Linux);
    put(&mut transport.prr, PrrRule::Linux);
    put(&mut transport.growth, GrowthRule::Linux);
    put(&mut transport.sack, true);
    put(&mut transport.pacing, false);
    put(&mut transport.rto_min, Duration::from_millis(200));
    put(&mut transport.send_buffer, Bytes::from_kib(4 * 1024));
    put(&mut transport.receive_buffer, Bytes::from_kib(6 * 1024));
    for tuning in [&mut transport.receive_tuning, &mut transport.send_tuning] {
        put(tuning, true);
    }
    put(&mut scenario.server.gro, Gro::PerBatch);
    for bound in [&mut scenario.server.tsq, &mut scenario.server.tso] {
        put(bound, Switch::On(Duration::from_millis(1)));
    }
    for group in &mut scenario.stations {
        put(&mut group.gro, Gro::PerBatch);
        for bound in [&mut group.tsq, &mut group.tso] {
            put(bound, Switch::On(Duration::from_millis(8)));
        }
    }
    let laid = |origin: Origin| matches!(origin, Origin::Preset(_));
    let (ack, congestion) = (laid(scenario.transport.ack.origin), laid(scenario.transport.congestion.origin));
    for group in scenario.flows.iter_mut().filter(|group| group.tack.value == Auto::Given(true)) {
        if ack && group.ack.value == Auto::Auto {
            put(&mut group.ack, Auto::Given(AckRule::Tack));
        }
        if congestion && group.congestion.value == Auto::Auto {
            put(&mut group.congestion, Auto::Given(Congestion::ReceiverBbr));
        }
    }
}

fn put<T>(setting: &mut Setting<T>, value: T) {
    if !matches!(setting.origin, Origin::Override(_)) {
        setting.value = value;
        setting.origin = Origin::Preset("linux");
    }
}
