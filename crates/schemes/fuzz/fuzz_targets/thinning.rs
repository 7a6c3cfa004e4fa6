//! ACK thinning against arbitrary hosts, all kinds: never a panic; what it holds is bounded and goes on in time, and no packet is lost to it but
//! those that it counts.
//!
//! `cargo +nightly fuzz run thinning` in `crates/schemes`.

#![no_main]

use ackless_schemes::thinning::{Kind, Thinning, ThinningConfig};
use ackless_schemes_fuzz::bare::Bare;
use ackless_schemes_fuzz::node::node;
use ackless_schemes_fuzz::segment::{Segment, Way};
use ackless_wire::Duration;
use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
enum Step {
    Host(Segment),
    Send(u8),
    Settle { which: u8, delivered: bool },
    Drop(u8),
    Wait { micros: u16 },
}

fuzz_target!(|input: (u8, Vec<Step>)| {
    let (kind, steps) = input;
    let mut config = match kind % 5 {
        0 => ThinningConfig::cake(),
        1 => ThinningConfig::cake_aggressive(),
        2 => ThinningConfig::broadcom(),
        3 => ThinningConfig::broadcom_hold(),
        _ => ThinningConfig::samsung(),
    };
    if let Kind::CountAndTime { slow_start_acks, .. } = &mut config.kind {
        *slow_start_acks = u16::from(kind) / 5;
    }
    let mut station = Bare::new(Thinning::new(config));
    for step in steps {
        match step {
            Step::Host(segment) => station.host(node(0), segment.packet(0, Way::FromPeer)),
            Step::Send(frames) => drop(station.send(frames)),
            Step::Settle { which, delivered } => {
                station.settle(which, delivered);
            }
            Step::Drop(which) => station.drop_queued(which),
            Step::Wait { micros } => station.wait(Duration::from_micros(micros.into())),
        }
        assert!(station.held() <= 16, "{} packets are held", station.held());
    }
    station.wait(Duration::from_secs(1));
    assert_eq!(station.held(), 0, "nothing is held for long");
    station.clear();
    assert_eq!(station.held(), 0);
});
