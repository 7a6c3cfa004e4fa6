//! Whatever can be built can be run: random combinations of values, each short, through the real simulator.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ackless_scenario::{Row, Scenario};
use ackless_wire::random::{Purpose, Stream};

/// Keys with values that are likely to go together, extremes among them.
const CHOICES: &[(&str, &[&str])] = &[
    ("wifi.standard", &["11b", "11a", "11g", "11n", "11n", "11ac", "11ac"]),
    ("wifi.band", &["auto", "2.4GHz", "5GHz"]),
    ("wifi.mcs", &["auto", "0", "4", "8", "31"]),
    ("wifi.streams", &["auto", "1", "4"]),
    ("wifi.width", &["auto", "20MHz", "40MHz", "160MHz"]),
    ("wifi.guard_interval", &["auto", "800ns"]),
    ("wifi.rate", &["auto", "1Mbps", "6Mbps", "54Mbps"]),
    ("wifi.preamble", &["long", "short"]),
    ("wifi.answer_rate", &["auto", "1Mbps", "6Mbps", "54Mbps"]),
    ("wifi.qos", &["auto", "true", "false"]),
    ("wifi.aifsn", &["auto", "2", "15"]),
    ("wifi.cw_min", &["auto", "0", "1", "1023"]),
    ("wifi.txop_limit", &["0us", "32us", "3ms"]),
    ("wifi.ampdu", &["auto", "false"]),
    ("wifi.ampdu_max", &["auto", "4095B", "8KiB"]),
    ("wifi.ampdu_mpdus", &["64", "1", "2"]),
    ("wifi.block_ack_window", &["64", "1", "8"]),
    ("wifi.min_mpdu_spacing", &["0us", "16us"]),
    ("wifi.amsdu_max", &["off", "256B", "3839B", "7935B", "11424B"]),
    ("wifi.delivery", &["per-ppdu", "per-mpdu", "coalesced(300us)"]),
    ("wifi.queue_counts", &["waiting", "in-flight"]),
    ("wifi.reception_end", &["busy", "idle"]),
    ("wifi.eifs", &["true", "false"]),
    ("wifi.rate_control", &["fixed", "ideal", "minstrel-ht"]),
    ("stations.rate_control", &["auto", "fixed", "ideal", "minstrel-ht"]),
    ("stations.snr", &["auto", "3dB", "40dB"]),
    ("stations.mcs", &["auto", "0", "7"]),
    ("stations.up_data_loss", &["auto", "0.3"]),
    ("stations.down_control_loss", &["auto", "0.3"]),
    ("loss.fading", &["none", "rayleigh"]),
    ("loss.doppler", &["10Hz", "0.1Hz", "100Hz"]),
    ("steps.snr", &["auto", "-5dB", "35dB"]),
    ("steps.air_loss", &["auto", "0.5", "1.0"]),
    ("steps.outage", &["0s", "1ms", "10ms"]),
    ("ap.aql_low", &["5ms", "100us"]),
    ("ap.aql_high", &["12ms", "200us"]),
    ("ap.aql_threshold", &["24ms", "1ms"]),
    ("wifi.beacon_interval", &["102.4ms", "2ms"]),
    ("ap.queue_shared", &["false", "true"]),
    ("ap.device_queue", &["none", "aql", "1", "50"]),
    ("transport.reno", &["bytes", "acks"]),
    ("wifi.rts_threshold", &["never", "0B", "500B"]),
    ("wifi.retry_limit", &["7", "1", "never"]),
    ("wifi.ack_timeout_extra", &["0us", "1ms"]),
    ("wifi.answer_delay", &["0us", "37us"]),
    ("wifi.beacons", &["false", "true"]),
    ("wifi.beacon_size", &["200B", "58B", "2304B"]),
    ("wifi.group_rate", &["auto", "1Mbps", "6Mbps", "54Mbps"]),
    ("wifi.backoff", &["standard", "auto-zoom"]),
    ("wifi.cw_floor", &["1", "0", "7"]),
    ("ap.cw_min", &["auto", "0", "1", "63"]),
    ("ap.backoff", &["auto", "standard", "auto-zoom"]),
    ("scheme.name", &["stock", "hack", "agent", "filter", "arq-proxy", "thinning", "fast-ack"]),
    ("scheme.name", &["stock", "hack", "agent", "filter", "arq-proxy", "thinning", "fast-ack"]),
    ("agent.solution", &["buffer", "flag"]),
    ("agent.room", &["refuse", "promise"]),
    ("agent.buffer_packets", &["128", "1", "2"]),
    ("agent.again", &["200ms", "41ms"]),
    ("agent.extra_sifs", &["0us", "250us"]),
    ("agent.refresh", &["1s", "1ms"]),
    ("filter.form", &["group", "action-no-ack", "no-ack"]),
    ("filter.filtered", &["acks", "acks-and-data"]),
    ("arq_proxy.identification", &["frame-sequence", "hash"]),
    ("arq_proxy.stateless", &["false", "true"]),
    ("arq_proxy.policy", &["race", "more-data"]),
    ("arq_proxy.guard", &["auto", "100ms", "1us"]),
    ("thinning.kind", &["cake", "cake-aggressive", "replace", "hold", "count-and-time"]),
    ("thinning.hold_ratio", &["3", "1", "1000"]),
    ("thinning.hold_at_most", &["10ms", "1us", "500ms"]),
    ("thinning.slow_start_acks", &["512", "0"]),
    ("fast_ack.cache_packets", &["4096", "1", "2"]),
    ("fast_ack.repair_after", &["200ms", "1us"]),
    ("hack.policy", &["more-data", "opportunistic", "timer"]),
    ("hack.timer", &["10ms", "1us", "1ms"]),
    ("hack.guard", &["auto", "100ms", "1ms"]),
    ("hack.driver_to_nic", &["20us", "0us", "1ms"]),
    ("hack.fit", &["whole", "split"]),
    ("hack.mic", &["0", "4", "8"]),
    ("hack.codec", &["own", "rfc6846", "rfc6846"]),
    ("hack.checksum", &["false", "true"]),
    ("hack.msn_bits", &["8", "16"]),
    ("ap.queue", &["fifo", "fifo", "fq-codel"]),
    ("ap.queue_packets", &["126", "1", "2"]),
    ("ap.scheduler", &["round-robin", "fcfs", "airtime-fair"]),
    ("ap.host_latency", &["0us", "1ms"]),
    ("stations.count", &["1", "2", "7"]),
    ("stations.standard", &["auto", "auto", "11a", "11n"]),
    ("stations.queue_packets", &["126", "1"]),
    ("stations.host_latency", &["0us", "100us"]),
    ("stations.host_latency_spread", &["0us", "300us"]),
    ("stations.gro", &["off", "per-batch", "2"]),
    ("stations.tsq", &["off", "0us", "1ms", "8ms"]),
    ("server.tsq", &["off", "0us", "1ms"]),
    ("hack.take_back", &["false", "true"]),
    ("hack.tail_percent", &["0", "25", "100"]),
    ("hack.tail_bursts", &["8", "1"]),
    ("hack.announce_percent", &["0", "10", "100"]),
    ("arq_proxy.announce_percent", &["0", "10", "100"]),
    ("server.gro", &["off", "per-batch", "3"]),
    ("stations.tso", &["off", "0us", "1ms", "8ms"]),
    ("server.tso", &["off", "0us", "1ms", "8ms"]),
    ("server.host_latency", &["0us", "100us", "3ms"]),
    ("stations.host_loss", &["0.0", "0.1", "1.0"]),
    ("stations.four_address", &["false", "true"]),
    ("stations.legacy", &["false", "true"]),
    ("loss.model", &["none", "per-frame", "snr", "path-loss"]),
    ("loss.down_data", &["0.0", "0.1", "1.0"]),
    ("loss.up_control", &["0.0", "0.5", "1.0"]),
    ("loss.snr", &["30dB", "-20dB", "5dB"]),
    ("wired.rate", &["500Mbps", "1bps", "64kbps", "1000Gbps"]),
    ("wired.delay", &["1ms", "0s", "100ms"]),
    ("wired.loss", &["0.0", "0.1", "1.0"]),
    ("wired.reorder", &["0.0", "0.5"]),
    ("wired.buffer_packets", &["1000", "1"]),
    ("wired.down_rate", &["auto", "64kbps", "10Mbps"]),
    ("wired.up_delay", &["auto", "0s", "30ms"]),
    ("wired.down_loss", &["auto", "0.3", "1.0"]),
    ("wired.up_loss", &["auto", "0.3", "1.0"]),
    ("wired.jitter", &["0s", "5ms", "100ms"]),
    ("wired.jitter_reorders", &["false", "true"]),
    ("wired.down_buffer", &["auto", "1", "1B", "3kB"]),
    ("steps.rate", &["auto", "1bps", "1Mbps"]),
    ("steps.delay", &["auto", "0s", "10ms"]),
    ("steps.loss", &["auto", "0.5"]),
    ("steps.at", &["0s", "5ms", "29999us"]),
    ("steps.direction", &["both", "down", "up"]),
    ("transport.protocol", &["tcp", "tcp", "udp"]),
    ("transport.congestion", &["reno", "newreno", "cubic", "bbr", "bbr3", "receiver-bbr"]),
    ("transport.ack", &["1", "2", "100", "byte-counting", "periodic", "share", "request", "tack", "linux"]),
    ("transport.sack_compression", &["true", "false"]),
    ("transport.slow_start", &["standard", "hystart", "hystart++"]),
    ("transport.eifel", &["false", "true"]),
    ("transport.frto", &["false", "true"]),
    ("transport.dsack", &["false", "true"]),
    ("transport.nagle", &["rfc", "minshall"]),
    ("transport.rto", &["rfc", "linux"]),
    ("transport.rack", &["rfc", "linux"]),
    ("transport.cubic", &["rfc", "linux"]),
    ("transport.ecn", &["false", "true"]),
    ("ap.fq_ecn", &["true", "true", "false"]),
    ("transport.prr", &["rfc6937", "rfc9937", "linux"]),
    ("transport.receive_tuning", &["false", "true"]),
    ("transport.send_tuning", &["false", "true"]),
    ("transport.growth", &["rfc", "linux"]),
    ("transport.preset", &["plain", "linux"]),
    ("transport.ack_l", &["2", "1", "1000"]),
    ("transport.ack_beta", &["4", "1", "1000"]),
    ("transport.ack_share", &["4", "1", "1000"]),
    ("transport.ack_interval", &["10ms", "1us", "500ms"]),
    ("transport.tack", &["false", "true", "true"]),
    ("transport.recovery", &["auto", "standard", "rack"]),
    ("transport.pacing", &["false", "true"]),
    ("transport.udp_ack_every", &["never", "1", "3"]),
    ("transport.udp_ack_payload", &["18B", "1B", "1472B"]),
    ("tack.form", &["kinds", "experimental"]),
    ("tack.blocks", &["rich", "distinct", "poor", "on-demand"]),
    ("tack.loss_signal", &["iack", "tack-only"]),
    ("tack.timing", &["one-way-delay", "sampled"]),
    ("tack.variant", &["standard", "miracast"]),
    ("tack.probe_rtt", &["gentle", "never"]),
    ("transport.packet", &["1500B", "128B"]),
    ("transport.sack", &["true", "false"]),
    ("transport.timestamps", &["true", "false"]),
    ("transport.missing_timestamp", &["accept", "drop"]),
    ("transport.window_scaling", &["true", "false"]),
    ("transport.initial_window", &["10", "1", "1000"]),
    ("transport.receive_buffer", &["4MiB", "3000B"]),
    ("transport.udp_payload", &["1472B", "1B"]),
    ("flows.direction", &["down", "up"]),
    ("flows.peer", &["server", "server", "sta"]),
    ("flows.count", &["1", "3"]),
    ("flows.rate", &["saturating", "64kbps", "1bps", "20Mbps"]),
    ("flows.traffic", &["bulk", "finite", "repeated", "on-off", "video"]),
    ("flows.read_rate", &["auto", "1bps", "1Mbps"]),
    ("flows.frame_interval", &["33.333ms", "1ms"]),
    ("flows.key_every", &["30", "1", "4"]),
    ("flows.key_weight", &["1", "9"]),
    ("flows.play_from", &["100ms", "0s", "3ms"]),
    ("flows.resume_from", &["100ms", "0s", "3ms"]),
    ("flows.catch_up", &["never", "100ms", "1s"]),
    ("flows.size", &["1MB", "1B", "20kB"]),
    ("flows.times", &["fixed", "exponential"]),
    ("flows.think", &["100ms", "0s", "1ms"]),
    ("flows.on", &["1s", "1us", "5ms"]),
    ("flows.off", &["1s", "0s", "5ms"]),
    ("flows.stagger", &["100us", "0s"]),
    ("pings.interval", &["20ms", "1ms"]),
    ("wifi.hearing", &["by-power", "all"]),
    ("wifi.relocking", &["true", "false"]),
    ("wifi.preamble_detection", &["-82dBm", "-60dBm", "-100dBm"]),
    ("wifi.energy_detection", &["-62dBm", "-80dBm", "0dBm"]),
    ("stations.distance", &["5m", "1mm", "25m", "40m", "1km"]),
    ("stations.angle", &["auto", "0deg", "359.999deg"]),
    ("pairs.power", &["auto", "-60dBm", "-81.9dBm", "-200dBm", "20dBm"]),
    ("pairs.from", &["sta", "ap"]),
    ("cells.distance", &["20m", "0m", "60m", "1km"]),
    ("cells.legacy", &["true", "false"]),
];

/// What a scenario is before values are chosen: all hear each other, powers decide, or there are two cells.
const BASES: &[&str] = &["", "", "", BY_POWER, TWO_CELLS];
const BY_POWER: &str = "[wifi]\nhearing = \"by-power\"\n[loss]\nmodel = \"path-loss\"\n[[stations]]\ncount = 2\n";
const TWO_CELLS: &str = "[wifi]\nhearing = \"by-power\"\n[loss]\nmodel = \"path-loss\"\n[[stations]]\n\
                         [[stations]]\nname = \"theirs\"\ncell = \"next\"\n[[cells]]\n";

/// How many cells are tried.
const RUNS: u64 = 1_000;

/// A scenario with some of the choices, each set only if the cell can still be built.
fn random_scenario(stream: &mut Stream) -> (Scenario, Vec<String>) {
    let base = BASES[stream.below(BASES.len() as u64) as usize];
    let mut scenario = Scenario::parse("random", base).unwrap_or_else(|error| panic!("{error}"));
    let mut given = vec![base.to_owned()];
    let short = ["run.warm_up=10ms", "run.measured=20ms", "flows.stagger=100us"].map(str::to_owned);
    let draws = stream.below(14) + 2;
    let random = (0..draws).map(|_| {
        let (key, values) = CHOICES[stream.below(CHOICES.len() as u64) as usize];
        format!("{key}={}", values[stream.below(values.len() as u64) as usize])
    });
    for argument in short.into_iter().chain(random.collect::<Vec<_>>()) {
        let mut next = scenario.clone();
        next.set(&argument).unwrap_or_else(|error| panic!("{error}"));
        if next.build(Row::STOCK).is_ok() {
            scenario = next;
            given.push(argument);
        }
    }
    (scenario, given)
}

#[test]
fn whatever_can_be_built_runs_and_its_ledger_sums_to_the_window() {
    let mut delivering = 0;
    for seed in 0..RUNS {
        let (scenario, given) = random_scenario(&mut Stream::new(seed, 0, Purpose::Test));
        let config = scenario.build(Row::STOCK).unwrap_or_else(|error| panic!("{error}"));
        let outcome = catch_unwind(AssertUnwindSafe(|| ackless_cell::run(&config, seed)));
        let result = outcome.unwrap_or_else(|_| panic!("seed {seed}: this cell panics: {given:?}"));
        assert_eq!(result.airtime_ns.total(), config.measured, "seed {seed}: {given:?}");
        assert_eq!(result.flows.len(), config.flows.len(), "seed {seed}: {given:?}");
        for (neighbour, cell) in result.neighbours.iter().zip(&config.neighbours) {
            let (other, cell) = (&neighbour.result, &cell.cell);
            assert_eq!(other.airtime_ns.total(), cell.measured, "seed {seed}, the neighbour: {given:?}");
            assert_eq!(other.flows.len(), cell.flows.len(), "seed {seed}, the neighbour: {given:?}");
        }
        assert!(result.goodput_mbps.is_finite(), "seed {seed}: {given:?}");
        delivering += u64::from(result.goodput_mbps > 0.0);
    }
    assert!(delivering > RUNS / 2, "only {delivering} of {RUNS} cells delivered anything");
}
