//! A receiver that names what is out as lost, and acknowledges nothing.

use ackless_wire::tcp::TackForm;
use ackless_wire::{Payload, Transport};

use super::*;
use crate::tack::body::{AckKind, Body, LossRange};

#[test]
fn what_is_named_lost_is_kept_for_nobody_though_nothing_arrives_any_more() {
    let at = |host: u8| format!("10.0.0.{host}:80").parse().expect("an address");
    let losses = Losses::Bound;
    let config = Config {
        congestion: CongestionChoice::ReceiverBbr(Variant::Rounds { losses }),
        tack: Some(TackConfig { form: TackForm::Kinds, ..TackConfig::default() }),
        ..Config::default()
    };
    let mut now = Instant::from_millis(1);
    let mut caller = Endpoint::connect(now, config.clone(), at(1), at(2), SeqNumber(1));
    let mut listener = Endpoint::listen(config, at(2), SeqNumber(2));
    for _ in 0..4 {
        now += Duration::from_millis(10);
        let (out, back): (Vec<_>, Vec<_>) = (packets(&mut caller, now), packets(&mut listener, now));
        out.iter().for_each(|packet| listener.handle_segment(now, packet));
        back.iter().for_each(|packet| caller.handle_segment(now, packet));
    }
    assert!(caller.state() == State::Established && !caller.dialect.is_plain());
    caller.send_forever();
    let sent = packets(&mut caller, now);
    assert!(sent.len() > 1);
    let largest = sent.iter().filter_map(|packet| packet.tcp()?.options.tack.packet_number).max().expect("numbers");
    let mut iack = {
        listener.handle_segment(now, &sent[0]);
        listener.handle_timeout(now + Duration::from_secs(1));
        packets(&mut listener, now + Duration::from_secs(1)).pop().expect("it answers")
    };
    let body = Body::Loss(LossRange { largest, second: 0 }).encode(Bytes(1_000));
    if let Transport::Tcp(tcp) = &mut iack.transport {
        tcp.seq = SeqNumber(2) - body.len() as u32;
        tcp.options.tack.ack_type = Some(AckKind::Loss.value());
        tcp.ack = SeqNumber(2);
    }
    iack.payload = Payload::Data(body);
    caller.handle_segment(now, &iack);
    let records = caller.loss.records().expect("there are records");
    assert!(records.lost() > Bytes::ZERO && !records.has_losses(), "{records:?}");
}

/// All that it says now.
fn packets(end: &mut Endpoint, now: Instant) -> Vec<Packet> {
    std::iter::from_fn(|| end.poll_transmit(now)).collect()
}
