//! Every scheme and nothing but TACK.

use ackless_cell::config::{CellConfig, Direction, SchemeChoice};
use ackless_phy::Standard;
use ackless_tcp::Stats;
use ackless_wire::{Bytes, Duration};

use crate::tack::{Contender, Run, contenders, lossy, run, with_transfer};
use crate::testing::cells::cell;

const SIZE: u64 = 1_500_000;

/// A download and an upload with TACK, one after the other and at once.
fn transfers(config: CellConfig) -> CellConfig {
    let config = with_transfer(config, Direction::Down, SIZE, true);
    let mut config = with_transfer(config, Direction::Up, SIZE, true);
    config.measured = Duration::from_secs(20);
    config
}

/// All bytes came, by TACK to the end.
fn assert_whole(run: &Run, what: &str) {
    for (flow, [sender, receiver]) in run.flows.iter().enumerate() {
        let what = format!("{what}, flow {flow}");
        assert_eq!((sender.bytes_acked, receiver.bytes_delivered), (Bytes(SIZE), Bytes(SIZE)), "{what}");
        for Stats { fallbacks, malformed_tacks, .. } in [sender, receiver] {
            assert_eq!((*fallbacks, *malformed_tacks), (0, 0), "{what}: {sender:#?}\n{receiver:#?}");
        }
        assert!(receiver.tack.tacks_sent > 0 && sender.tacks_received > 0, "{what}: {receiver:#?}");
        assert!(sender.tacks_received <= receiver.tack.tacks_sent, "{what}");
    }
}

/// What a scheme counts on connections that do TACK: nothing, but for the plain ACKs of the handshake and of the end.
fn assert_idle(run: &Run, contender: &Contender, what: &str) {
    let count = run.count(contender.at_work);
    assert!(count <= 12, "{what}: {} was counted {count} times", contender.at_work);
}

#[test]
fn without_a_scheme_tack_transfers_end() {
    let stock = Contender {
        name: "stock",
        ap: SchemeChoice::Stock,
        station: SchemeChoice::Stock,
        at_work: "",
        makes: false,
        holds_back: false,
    };
    for standard in [Standard::N, Standard::A] {
        for config in [cell(standard), lossy(standard)] {
            let run = run(&transfers(config), &stock, 1);
            assert_whole(&run, &format!("{standard:?}"));
        }
    }
}

#[test]
fn in_clean_air_every_scheme_leaves_tack_alone() {
    for contender in contenders() {
        for standard in [Standard::N, Standard::A] {
            let what = format!("{} on {standard:?}", contender.name);
            let run = run(&transfers(cell(standard)), &contender, 1);
            assert_whole(&run, &what);
            assert_idle(&run, &contender, &what);
        }
    }
}

#[test]
fn with_losses_everywhere_every_scheme_leaves_tack_alone() {
    for contender in contenders() {
        for standard in [Standard::N, Standard::A] {
            for seed in 1..4 {
                let what = format!("{} on {standard:?}, seed {seed}", contender.name);
                let run = run(&transfers(lossy(standard)), &contender, seed);
                assert_whole(&run, &what);
                assert_idle(&run, &contender, &what);
            }
        }
    }
}
