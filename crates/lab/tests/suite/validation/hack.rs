//! Claims of TCP/HACK (USENIX ATC 2014) about 802.11n and about slow start, short queues and timers, in the built-in
//! scenarios `hack-*`: sections 3.2, 4.3 and 5.
//!
//! `docs/validation.md` has every claim with the paper's figure, ours, and the experiment that explains the difference; the tests
//! hold what it says. A tolerance is about three times the scatter of the mean over the seeds unless its test says otherwise.

use ackless_cell::result::RunResult;

use super::support::{cell, excess, mean};

#[test]
fn hack_gets_more_than_stock_tcp_and_less_than_udp() {
    // TCP headers are 24 bytes longer than UDP's, 1.6 % of a packet. The rest up to 4 % is native ACKs where queues run dry.
    for (name, clients) in [("hack-80211n", 1), ("hack-80211n", 10), ("hack-80211a", 1), ("hack-sora", 1)] {
        let count = format!("stations.count={clients}");
        let goodput = |row| mean(&cell(name, row, &[&count]), SEEDS, goodput);
        let (udp, hack, tcp) = (goodput("udp"), goodput("hack"), goodput("tcp"));
        println!("{name:12} {clients:2} clients: UDP {udp:7.3}, HACK {hack:7.3}, TCP {tcp:7.3} Mbps");
        assert!(hack < udp && hack > 0.96 * udp, "{name}, {clients} clients: HACK {hack}, UDP {udp}");
        assert!(hack > 1.1 * tcp, "{name}, {clients} clients: HACK {hack}, TCP {tcp}");
    }
}

#[test]
fn more_data_gains_what_the_paper_s_simulation_does_within_three_points() {
    // Claim hack-18 (figure 10): 15 % with one client, 22 % with ten. As in ns-3, hosts take no time.
    for (clients, paper) in [(1, 0.15), (10, 0.22)] {
        let gain = gain("hack", clients, &NO_LATENCY);
        println!("{clients:2} clients, hosts at once: gain {:5.2} %, paper {:.0} %", gain * 1e2, paper * 1e2);
        assert!((gain - paper).abs() < 0.03, "{clients} clients: gain {gain}");
    }
    let gain = gain("hack", 1, &[]);
    println!(" 1 client, hosts take 50 us: gain {:5.2} %", gain * 1e2);
    assert!((gain - 0.15).abs() < 0.03, "{gain}");
}

#[test]
fn stock_tcp_loses_with_more_clients_where_its_acks_find_the_medium_busy() {
    // Hosts that take 50 us each way have their ACKs ready 52 us after the BlockAck, when the medium has been idle for AIFS: they
    // go at once, and few collide. That is what sets the gain with ten clients.
    let run = |clients: u32, latency: &[&str]| {
        let count = format!("stations.count={clients}");
        let config = cell("hack-80211n", "tcp", &[&[count.as_str()], latency].concat());
        (mean(&config, SEEDS, goodput), mean(&config, SEEDS, collisions))
    };
    let (one, _) = run(1, &NO_LATENCY);
    let (ten, busy) = run(10, &NO_LATENCY);
    let (ten_later, idle) = run(10, &[]);
    println!("stock TCP: {one:.2} Mbps to one, {ten:.2} to ten; with 50 us {ten_later:.2} to ten");
    println!("collisions of accesses, ten clients: {:.1} %, with 50 us {:.1} %", busy * 1e2, idle * 1e2);
    assert!(excess(ten, one) < -0.01, "{ten} Mbps to ten clients, {one} to one");
    assert!(excess(ten_later, ten) > 0.03, "{ten_later} Mbps with 50 us, {ten} without");
    assert!(busy > 1.4 * idle, "collisions {busy}, with 50 us {idle}");
    // Ten hosts of one latency all hit that slot, or all miss it: hosts that differ do neither.
    let spread = gain("hack", 10, &["stations.host_latency=0us", "stations.host_latency_spread=300us"]);
    let alike = gain("hack", 10, &[]);
    println!("gain with ten clients: {:.1} %, with latencies from 0 to 300 us {:.1} %", alike * 1e2, spread * 1e2);
    assert!(spread > alike + 0.03, "gain {spread} with hosts that differ, {alike} with 50 us each");
}

#[test]
fn opportunistic_hack_does_not_gain_significantly() {
    // Claim hack-19. The ACKs are in the client's queue before the next data comes, and contend.
    for clients in [1, 10] {
        let gain = gain("hack-opportunistic", clients, &[]);
        println!("{clients:2} clients, opportunistic: gain {:5.2} %", gain * 1e2);
        assert!(gain.abs() < 0.03, "{clients} clients: gain {gain}");
    }
}

#[test]
fn native_acks_vanish_in_steady_state_where_the_queue_outlasts_a_halved_window() {
    // NewReno halves its window at each loss. 126 packets then run dry now and then, and More Data is not set.
    let native = |packets: u32| {
        let packets = format!("ap.queue_packets={packets}");
        let config = cell("hack-80211n", "hack", &[&packets]);
        mean(&config, SEEDS, |run| {
            let hack = run.hack.as_ref().expect("the nodes have HACK");
            hack.native_acks as f64 / (hack.native_acks + hack.compressed_acks) as f64
        })
    };
    let (paper, deep) = (native(126), native(252));
    println!("native ACKs: {:.2} % with 126 packets of queue, {:.2} % with 252", paper * 1e2, deep * 1e2);
    assert!(paper < 0.12, "{paper} of the ACKs are native");
    assert!(deep < 0.001, "{deep} of the ACKs are native with a queue of 252");
}

#[test]
fn more_answers_fit_within_aifs_than_the_paper_s_98_5_percent() {
    // Claim hack-22. 42 ACKs of 1.2 bytes take 51 bytes, and 43 us at 24 Mbps are 129.
    for clients in [1, 10] {
        let count = format!("stations.count={clients}");
        let config = cell("hack-80211n", "hack", &[&count]);
        let (mut within, mut all) = (0, 0);
        for seed in 1..=SEEDS {
            let hack = ackless_cell::run(&config, seed).hack.expect("the nodes have HACK");
            within += hack.answers_within_aifs;
            all += hack.appended_answers;
        }
        println!("{clients:2} clients: {within} of {all} answers fit within AIFS");
        assert!(all > 5_000 && within * 1_000 >= all * 985, "{clients} clients: {within} of {all}");
    }
}

#[test]
fn no_one_timer_suits_one_client_ten_clients_and_slow_start() {
    // Section 3.2: "there is no good delay value".
    let gain = |timer, clients| {
        let timer = format!("hack.timer={timer}");
        let gain = gain("hack-timer", clients, &[&timer]);
        println!("{timer}, {clients:2} clients: gain {:5.2} %", gain * 1e2);
        gain
    };
    assert!(gain("3ms", 1) < 0.01, "shorter than the time from one A-MPDU to the next");
    assert!(gain("10ms", 1) > 0.12, "longer than that");
    assert!(gain("10ms", 10) < 0.01, "shorter than a round of ten clients");
    assert!(gain("50ms", 10) > 0.12, "longer than that");
    let ended = |timer| median_transfer("hack-timer", &[&format!("hack.timer={timer}")]) / median_transfer("tcp", &[]);
    let (short, long) = (ended("10ms"), ended("50ms"));
    println!("transfers in slow start last {short:.3} times as long with 10 ms, {long:.3} with 50 ms");
    assert!(short > 1.03 && long > 1.3, "{short} and {long}");
}

#[test]
fn a_timer_longer_than_the_rto_stalls_slow_start_and_more_data_does_not() {
    // Section 3.2: the window lies in one A-MPDU, its ACKs wait for data, and only the sender's RTO brings any.
    let timeouts = |row| mean(&cell("hack-slow-start", row, &[]), SEEDS, |run| run.flows[0].timeouts as f64);
    let (tcp, timer, more_data) =
        (median_transfer("tcp", &[]), median_transfer("hack-timer", &[]), median_transfer("hack", &[]));
    println!("transfers of 500 kB: TCP {tcp:.1} ms, with the timer {timer:.1}, with More Data {more_data:.1}");
    println!(
        "timeouts in 60 s: TCP {}, timer {}, More Data {}",
        timeouts("tcp"),
        timeouts("hack-timer"),
        timeouts("hack")
    );
    assert!(excess(more_data, tcp).abs() < 0.01, "{more_data} ms with More Data, {tcp} without HACK");
    assert!(timer > 3.0 * tcp, "{timer} ms with the timer, {tcp} without HACK");
    assert!(timeouts("hack-timer") > 5.0, "the RTO ends each stall");
    assert!(timeouts("hack") <= timeouts("tcp"), "More Data causes timeouts");
}

#[test]
fn the_acks_of_an_a_mpdu_of_amsdus_want_a_longer_sequence_number_than_the_paper_s() {
    // Two packets to an MPDU are 64 ACKs an A-MPDU; those of the next come before an answer with the last ones is known to have arrived.
    let natives = |bits: u32| {
        let bits = format!("hack.msn_bits={bits}");
        let brief = ["wifi.amsdu_max=3839B", "run.measured=300ms", &bits];
        let run = ackless_cell::run(&cell("wifi-80211ac", "hack", &brief), 1);
        let hack = run.hack.expect("the nodes have HACK");
        println!(
            "{bits}: {} native, {} compressed, {} for want of numbers",
            hack.native_acks, hack.compressed_acks, hack.full
        );
        (hack.native_acks, hack.compressed_acks, hack.full)
    };
    let ((native, none, full), (no_native, compressed, enough)) = (natives(8), natives(16));
    assert!(native > 5_000 && none < native / 100 && full > 10);
    assert!(compressed > 5_000 && no_native < compressed / 100 && enough == 0);
}

#[test]
fn short_queues_leave_hack_nothing_to_do_and_longer_ones_all() {
    // Section 5. A TXOP of 1024 us takes 11 packets.
    let measure = |row, packets: u32| {
        let config = cell("hack-shallow", row, &[&format!("ap.queue_packets={packets}")]);
        mean(&config, 3, goodput)
    };
    let gain = |row, packets| {
        let gain = excess(measure(row, packets), measure("tcp", packets));
        println!("{row}, {packets} packets: gain {:5.2} %", gain * 1e2);
        gain
    };
    assert!(gain("hack", 8).abs() < 0.01, "with 8 packets More Data is never set");
    assert!(gain("hack-timer", 8) < -0.01, "ACKs that wait for nothing delay the sender");
    assert!(gain("hack", 42) > 0.2, "with 42 packets it is always set");
}

#[test]
fn hack_takes_back_part_of_what_a_short_txop_costs() {
    // Section 5.
    let cost = |row| {
        let of = |txop| {
            let txop = format!("wifi.txop_limit={txop}");
            mean(&cell("hack-shallow", row, &["ap.queue_packets=126", &txop]), 3, goodput)
        };
        1.0 - of("1024us") / of("0us")
    };
    let (tcp, hack) = (cost("tcp"), cost("hack"));
    println!("a TXOP of 1024 us costs TCP {:.1} %, HACK {:.1} %", tcp * 1e2, hack * 1e2);
    assert!(tcp > hack + 0.03, "TCP loses {tcp}, HACK {hack}");
}

#[test]
fn a_guard_that_sets_itself_holds_through_the_rounds_of_many_clients_and_a_fixed_one_of_100_ms_does_not() {
    let many = |clients, guard: &str| {
        let guard = format!("hack.guard={guard}");
        gain("hack", clients, &["flows.stagger=10ms", "run.warm_up=4s", "run.measured=3s", &guard])
    };
    for clients in [28, 40, 60] {
        let gain = many(clients, "auto");
        println!("{clients} clients: gain {:5.2} %", gain * 1e2);
        // With 60 some clients are still in the repair of slow start, whatever the guard.
        assert!(gain > if clients < 60 { 0.15 } else { 0.07 }, "{clients} clients: gain {gain}");
    }
    let fixed = many(40, "100ms");
    println!("40 clients and a guard of 100 ms: gain {:5.2} %", fixed * 1e2);
    assert!(fixed < 0.05, "{fixed}");
}

#[test]
fn where_a_tenth_of_a_ppdu_must_follow_a_window_of_one_ampdu_costs_nothing_and_one_of_three_gains_all() {
    let window = |window: &str, percent: &str| {
        let keys = [format!("transport.receive_buffer={window}"), format!("hack.announce_percent={percent}")];
        let gain = gain("hack", 2, &keys.each_ref().map(String::as_str));
        println!("2 clients, {window}, {percent} %: gain {:5.2} %", gain * 1e2);
        gain
    };
    assert!(window("64KiB", "0") < -0.05, "a burst's ACKs wait for a tail of two packets");
    assert!(window("64KiB", "10").abs() < 0.01);
    assert!(window("128KiB", "10") > 0.1 && window("128KiB", "50") < 0.1, "more than a tenth is too much to ask for");
}

/// By how much `row` is above stock TCP in `hack-80211n`.
fn gain(row: &str, clients: u32, overrides: &[&str]) -> f64 {
    let count = format!("stations.count={clients}");
    let of = |row, overrides: &[&str]| {
        let overrides = [&[count.as_str()], overrides].concat();
        mean(&cell("hack-80211n", row, &overrides), SEEDS, goodput)
    };
    // The keys of HACK have no bearing on stock TCP.
    let common: Vec<&str> = overrides.iter().copied().filter(|key| !key.starts_with("hack.")).collect();
    excess(of(row, overrides), of("tcp", &common))
}

/// The mean over the seeds of the median time of a transfer in `hack-slow-start`, in milliseconds.
fn median_transfer(row: &str, overrides: &[&str]) -> f64 {
    mean(&cell("hack-slow-start", row, overrides), SEEDS, |run| {
        run.flows[0].transfers_ms.as_ref().expect("transfers end within the run").median
    })
}

fn goodput(run: &RunResult) -> f64 {
    run.goodput_mbps
}

/// The share of accesses that collided.
fn collisions(run: &RunResult) -> f64 {
    run.counters.total.collisions as f64 / run.counters.total.channel_accesses as f64
}

/// Hosts that take no time, as ns-3's.
const NO_LATENCY: [&str; 2] = ["ap.host_latency=0us", "stations.host_latency=0us"];

/// The seeds of the built-in scenarios, 1 to this.
const SEEDS: u64 = 5;
