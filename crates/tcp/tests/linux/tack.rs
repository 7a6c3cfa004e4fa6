//! A kernel that has never heard of TACK: its options change nothing, and bodies without their option stay out of the
//! stream.

use std::net::{SocketAddr, TcpListener};
use std::sync::mpsc;
use std::thread;

use ackless_tcp::congestion::Variant;
use ackless_tcp::tack::body::{Body, LossRange, Report};
use ackless_tcp::{AckChoice, Config, CongestionChoice, Consume, Endpoint, State, TackConfig};
use ackless_wire::random::Stream;
use ackless_wire::tcp::TackForm;
use ackless_wire::{Bytes, Packet, Payload, SeqNumber, TcpFlags, Transport};

use crate::LOSSY;
use crate::host::{Host, RTO_MIN, kernel_receives, kernel_sends, pattern};

/// Bytes of each conversation.
const TOTAL: usize = 8_000_000;

fn config(form: TackForm, congestion: CongestionChoice) -> Config {
    Config {
        congestion,
        ack: AckChoice::Tack { beta: 4, every: 2 },
        tack: Some(TackConfig { form, ..TackConfig::default() }),
        rto_min: RTO_MIN,
        ..Config::default()
    }
}

#[test]
fn the_kernel_does_not_mind_the_offer_and_receives_every_byte() {
    for form in [TackForm::Kinds, TackForm::Experimental] {
        for congestion in [CongestionChoice::Cubic, CongestionChoice::ReceiverBbr(Variant::Standard)] {
            let Some(mut host) = Host::new(203, 1, LOSSY) else { return };
            let end = send(&mut host, config(form, congestion));
            host.report("we offer TACK and send", TOTAL, &end);
        }
    }
}

#[test]
fn we_receive_every_byte_of_a_kernel_that_did_not_permit_tack() {
    for form in [TackForm::Kinds, TackForm::Experimental] {
        let Some(mut host) = Host::new(204, 2, LOSSY) else { return };
        let config = Config {
            consume: Consume::ByApplication,
            receive_buffer: Bytes(300_000),
            ..config(form, CongestionChoice::Cubic)
        };
        let local = SocketAddr::new(host.ours, 80);
        let mut end = Endpoint::listen(config, local, host.iss());
        let (done, result) = mpsc::channel();
        thread::spawn(move || done.send(kernel_sends(local, TOTAL)));

        let expected = pattern(TOTAL);
        let mut read = 0;
        host.run(&mut end, |end| {
            while let Some(Payload::Data(data)) = end.read(Bytes(64_000)) {
                assert!(expected.get(read..read + data.len()) == Some(&data[..]), "bytes from {read} on differ");
                read += data.len();
            }
            if end.state() == State::CloseWait {
                end.close();
            }
        });
        result.recv().expect("the kernel's side reports").expect("the kernel's side succeeds");
        assert_eq!(read, TOTAL);
        host.report("we permit TACK and receive", TOTAL, &end);
    }
}

#[test]
fn a_body_that_has_lost_its_option_never_enters_the_kernels_stream() {
    let Some(mut host) = Host::new(205, 3, LOSSY) else { return };
    host.stray = Some(stripped_body);
    let end = send(&mut host, config(TackForm::Kinds, CongestionChoice::Cubic));
    assert!(host.strays > 500, "{} bodies went to the kernel", host.strays);
    host.report("we send with bodies in between", TOTAL, &end);
}

/// Sends the pattern to the kernel, which must get it as it is.
fn send(host: &mut Host, config: Config) -> Endpoint {
    let listener = TcpListener::bind((host.kernel, 0)).expect("the kernel listens on the device's address");
    let to = listener.local_addr().expect("a bound listener has an address");
    let (done, result) = mpsc::channel();
    thread::spawn(move || done.send(kernel_receives(&listener)));

    let local = SocketAddr::new(host.ours, 40_000);
    let mut end = Endpoint::connect(host.now(), config, local, to, host.iss());
    let data = bytes::Bytes::from(pattern(TOTAL));
    let mut written = 0;
    host.run(&mut end, |end| {
        while written < TOTAL {
            let accepted = end.write_shared(&data.slice(written..)).get() as usize;
            written += accepted;
            if accepted == 0 {
                return;
            }
        }
        end.close();
    });
    let received = result.recv().expect("the kernel's side reports").expect("the kernel's side succeeds");
    assert!(received == data, "the kernel received {} bytes that differ", received.len());
    end
}

/// A TACK or an IACK as a middlebox leaves it, with a TSval that stands for anything.
pub fn stripped_body(packet: &Packet, acknowledged: SeqNumber, random: &mut Stream) -> Option<Packet> {
    if packet.payload.is_empty() || !random.chance(0.25) {
        return None;
    }
    let body = match random.below(2) {
        0 => Body::Loss(LossRange { largest: 900, second: 100 }),
        _ => {
            Body::Report(Report { hol: Some(Bytes(1)), bubbles: vec![(Bytes(0), Bytes(9)); 150], ..Report::default() })
        }
    };
    let body = body.encode(Bytes(1400));
    let mut stray = packet.clone();
    let Transport::Tcp(tcp) = &mut stray.transport else { return None };
    tcp.flags = TcpFlags::ACK;
    tcp.seq = acknowledged - 1 - body.len() as u32;
    tcp.options.tack = Default::default();
    if let Some((value, _)) = &mut tcp.options.timestamps {
        *value = value.wrapping_add(random.below(1 << 31) as u32).wrapping_sub(1 << 30);
    }
    stray.payload = Payload::Data(body);
    Some(stray)
}
