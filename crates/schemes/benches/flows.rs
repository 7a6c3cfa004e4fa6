//! What a packet costs each scheme where many flows pass: nanoseconds, at the station and at the
//! AP.
//!
//! `cargo bench -p ackless-schemes --bench flows [-- NAME ...]`
//!
//! Three loads, each with so many flows that were there before: *in turn* a segment and its ACK of
//! each flow after the other; *ever new* the same, each time of a flow that was never seen, SYNs
//! included; *stray* bare ACKs and segments of flows of which nothing else is ever seen, as whoever
//! floods sends them. All ACKs that a scheme does not hold go natively. A packet's time is the mean
//! over a round, and the fastest of three and more rounds counts. The MAC around the scheme takes
//! what the row `stock` says.

#![allow(missing_docs)]

#[path = "../tests/suite/testing/crowd.rs"]
mod crowd;
#[path = "../tests/suite/testing/frames.rs"]
mod frames;
#[path = "../tests/suite/testing/queue.rs"]
mod queue;

use crowd::{AP, Crowd, SCHEMES, STATION};

const FLOWS: [usize; 5] = [10, 100, 1_000, 10_000, 100_000];
const ROUNDS: usize = 3;
const LOADS: [&str; 3] = ["in turn", "ever new", "stray"];

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let most = words.iter().find_map(|word| word.parse().ok()).unwrap_or(usize::MAX);
    let names = words.iter().filter(|word| word.parse::<usize>().is_err());
    let named: Vec<&str> = names.map(String::as_str).collect();
    println!("ns per packet{:<27} {}", "", FLOWS.map(|flows| format!("{flows:>8}")).join(" "));
    for load in LOADS {
        for name in SCHEMES.iter().filter(|name| named.is_empty() || named.contains(name)) {
            for (node, place) in [(STATION, "station"), (AP, "AP")] {
                let cells = FLOWS.map(|flows| {
                    if flows > most { String::new() } else { format!("{:.0}", measure(name, node, load, flows)) }
                });
                println!("{load:<9} {name:<20} {place:<8} {}", cells.map(|cell| format!("{cell:>8}")).join(" "));
            }
        }
    }
}

fn measure(name: &str, node: usize, load: &str, flows: usize) -> f64 {
    let step = |crowd: &mut Crowd, n: usize| match load {
        "in turn" => crowd.exchange(n % flows),
        "ever new" => crowd.exchange(n),
        _ => {
            crowd.stray_ack(n);
            crowd.stray_data(n);
        }
    };
    // Of few flows a round is short: the number of flows grows by at most a quarter in it, and by
    // sixteen.
    let steps = flows / 4 + 16;
    let round = |_| {
        let mut crowd = Crowd::new(name, node);
        (0..flows).for_each(|n| step(&mut crowd, n));
        let (packets, start) = (crowd.packets, core_nanos());
        (flows..flows + steps).for_each(|n| step(&mut crowd, n));
        ((core_nanos() - start) as f64, (crowd.packets - packets) as f64)
    };
    let rounds: Vec<_> = (0..(LEAST_STEPS / steps).max(ROUNDS)).map(round).collect();
    rounds.iter().map(|(nanos, packets)| nanos / packets).fold(f64::INFINITY, f64::min)
}

/// So many steps are measured at least, in rounds that each begin anew.
const LEAST_STEPS: usize = 1_000;

/// For how long this thread has had a core, in nanoseconds: what else runs on the machine has no part
/// in it.
fn core_nanos() -> u64 {
    let since = nix::time::clock_gettime(nix::time::ClockId::CLOCK_THREAD_CPUTIME_ID);
    let since = since.expect("Linux says how long a thread has had a core");
    since.tv_sec() as u64 * 1_000_000_000 + since.tv_nsec() as u64
}
