//! A request that no client has made: what becomes of the connection whose ACK it has released.

use ackless_dot11::frame::Tag;
use ackless_schemes::arq_proxy::ArqProxyConfig;
use ackless_wire::{Duration, TcpFlags};

use super::pair::{AP, Air, Pair, tcp};

#[test]
fn a_client_that_contradicts_a_forged_request_for_three_seconds_is_reset_and_so_is_its_server() {
    let mut pair = Pair::new(ArqProxyConfig::default()).open();
    let lost = pair.data(&[1]);
    pair.ask_for(Tag::new(lost.mpdus[0].seq.get() + 1));
    pair.give_up(&lost);
    assert_eq!(pair.acknowledged(), [2], "the server has forgotten the segment");
    for second in 0..4 {
        pair.ack(1);
        pair.natives(1, Air::Clear);
        let wire = pair.wire();
        let resets = wire.iter().filter(|packet| tcp(packet).flags.contains(TcpFlags::RST)).count();
        assert_eq!(resets, usize::from(second == 3), "after {second} s");
        pair.pass_time(Duration::from_secs(1));
    }
    assert_eq!(pair.counters(AP).contradicted, 1);
}
