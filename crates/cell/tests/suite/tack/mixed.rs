//! A connection that does TACK beside a plain one, on one station: the scheme is at work on the plain one.

use ackless_cell::config::{Direction, TransportConfig};
use ackless_phy::Standard;
use ackless_wire::{Bytes, Duration};

use crate::tack::{contenders, lossy, run, with_transfer};
use crate::testing::cells::cell;

#[test]
fn a_plain_connection_is_helped_beside_one_that_does_tack() {
    for contender in contenders() {
        // An ACK that is made without timestamps is dropped by a sender that has them: the stateless proxy's flows have none.
        let stateless = contender.name.ends_with("stateless");
        // It thins out nothing in the first half second.
        let size = if contender.name == "samsung" { 8_000_000 } else { 2_000_000 };
        for standard in [Standard::N, Standard::A] {
            for losses in [false, true] {
                let config = if losses { lossy(standard) } else { cell(standard) };
                // A large queue of ACKs builds up where the station sends data as well.
                let config = with_transfer(config, Direction::Down, size, false);
                let config = with_transfer(config, Direction::Down, size, true);
                let mut config = with_transfer(config, Direction::Up, size, false);
                config.measured = Duration::from_secs(30);
                for flow in &mut config.flows {
                    let TransportConfig::Tcp(tcp) = &mut flow.transport else { unreachable!("built as TCP") };
                    tcp.timestamps = tcp.tack.is_some() || !stateless;
                }
                let what = format!("{} on {standard:?}, losses: {losses}", contender.name);
                let run = run(&config, &contender, 5);
                for (flow, [sender, receiver]) in run.flows.iter().enumerate() {
                    assert_eq!(
                        (sender.bytes_acked, receiver.bytes_delivered),
                        (Bytes(size), Bytes(size)),
                        "{what}, {flow}"
                    );
                    assert_eq!((sender.fallbacks, receiver.fallbacks), (0, 0), "{what}, {flow}");
                    assert_eq!(receiver.tack.tacks_sent > 0, flow == 1, "{what}, {flow}");
                }
                if contender.name == "filter" && !standard.is_qos() {
                    // Without QoS there is no such form.
                    continue;
                }
                let count = run.count(contender.at_work);
                assert!(count > 4, "{what}: {} was counted {count} times only: {:?}", contender.at_work, run.counts);
            }
        }
    }
}
