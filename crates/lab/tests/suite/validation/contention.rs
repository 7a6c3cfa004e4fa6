//! A download to many clients against its channel access played out apart from the simulator: counters alone, without frames,
//! times, TCP or queues.

use ackless_wire::random::{Purpose, Stream};

use super::support::{cell, excess};

#[test]
fn a_download_to_many_clients_collides_as_often_as_played_by_hand() {
    for clients in [1, 2, 10] {
        let count = format!("stations.count={clients}");
        // A queue so long that the AP always has a frame.
        let overrides = [&count, "ap.queue_packets=958", "run.warm_up=3s", "run.measured=10s"];
        let config = cell("wifi-80211n", "tcp", &overrides);
        let runs: Vec<_> = (1..=RUNS).map(|seed| ackless_cell::run(&config, seed)).collect();
        let share = |chosen: fn(usize) -> bool| {
            let all = runs.iter().flat_map(|run| run.counters.nodes.iter().enumerate());
            let (mut failures, mut attempts) = (0, 0);
            for (_, node) in all.filter(|(n, _)| chosen(*n)) {
                failures += node.counters.ack_timeouts;
                attempts += node.counters.data_ppdus + node.counters.block_ack_requests;
            }
            failures as f64 / attempts as f64
        };
        let (ap, stations) = (share(|node| node == 0), share(|node| node > 0));
        let played = Played::run(clients);
        println!(
            "{clients:2} clients: AP's attempts that fail {:.2} %, played {:.2} %; stations' {:.2} %, played {:.2} %",
            ap * 1e2,
            played.ap * 1e2,
            stations * 1e2,
            played.stations * 1e2
        );
        for (simulated, played) in [(ap, played.ap), (stations, played.stations)] {
            // Chance alone moves a share by 3 %.
            assert!(excess(simulated, played).abs() < 0.1, "{clients} clients: {simulated} and {played}");
        }
    }
}

/// Shares of attempts that collide.
struct Played {
    ap: f64,
    stations: f64,
}

impl Played {
    /// An AP that always has a frame for the next of its clients, and clients that have one, with TCP ACKs, after each
    /// of theirs. Counters follow EDCA (802.11-2020, 10.23.2.4): all step where somebody begins to send.
    fn run(clients: usize) -> Self {
        let mut stream = Stream::new(1, 0, Purpose::Test);
        let mut draw = |window: u64| stream.below(window + 1);
        let (mut window, mut counter, mut wants) =
            (vec![15; clients + 1], vec![0; clients + 1], vec![false; clients + 1]);
        wants[0] = true;
        let mut served = 0;
        let (mut attempts, mut failures) = ([0u64; 2], [0u64; 2]);
        for _ in 0..ACCESSES {
            let waiting = (0..=clients).filter(|&node| wants[node]);
            let first = waiting.clone().map(|node| counter[node]).min().expect("the AP always waits");
            let senders: Vec<usize> = waiting.filter(|&node| counter[node] == first).collect();
            for counter in &mut counter {
                *counter = u64::saturating_sub(*counter, first + 1);
            }
            for &node in &senders {
                attempts[node.min(1)] += 1;
                failures[node.min(1)] += u64::from(senders.len() > 1);
                window[node] = if senders.len() == 1 { 15 } else { (window[node] * 2 + 1).min(1023) };
                counter[node] = draw(window[node]);
            }
            if let [node] = senders[..] {
                wants[node] = node == 0;
                if node == 0 {
                    served = served % clients + 1;
                    if !wants[served] && counter[served] == 0 {
                        counter[served] = draw(window[served]);
                    }
                    wants[served] = true;
                }
            }
        }
        let share = |n: usize| failures[n] as f64 / attempts[n] as f64;
        Self { ap: share(0), stations: share(1) }
    }
}

/// Runs that shares are taken over.
const RUNS: u64 = 6;
/// Accesses that are played.
const ACCESSES: u64 = 300_000;
