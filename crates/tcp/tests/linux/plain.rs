//! What both ends call TCP.

use std::net::{SocketAddr, TcpListener};
use std::sync::mpsc;
use std::thread;

use ackless_tcp::{Config, CongestionChoice, Consume, Endpoint, Limits, Listener, RecoveryChoice, State};
use ackless_wire::{Bytes, Payload, SeqNumber};

use crate::host::{Host, RTO_MIN, kernel_receives, kernel_sends, pattern};

/// Bytes of each conversation.
const TOTAL: usize = 20_000_000;

#[test]
fn the_kernel_receives_every_byte_that_we_send() {
    for (seed, congestion, recovery) in [
        (2, CongestionChoice::Cubic, RecoveryChoice::Standard),
        (1, CongestionChoice::NewReno, RecoveryChoice::Standard),
        (3, CongestionChoice::Cubic, RecoveryChoice::Rack),
        (4, CongestionChoice::Bbr, RecoveryChoice::Rack),
    ] {
        let Some(mut host) = Host::new(201, seed) else { return };
        let listener = TcpListener::bind((host.kernel, 0)).expect("the kernel listens on the device's address");
        let to = listener.local_addr().expect("a bound listener has an address");
        let (done, result) = mpsc::channel();
        thread::spawn(move || done.send(kernel_receives(&listener)));

        let config = Config { congestion, recovery, rto_min: RTO_MIN, ..Config::default() };
        let local = SocketAddr::new(host.ours.into(), 40_000);
        let mut end = Endpoint::connect(host.now(), config, local, to, SeqNumber(host.random.bits() as u32));
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
        host.report("we send", TOTAL, &end);
        assert!(end.stats().retransmitted_segments > 0, "packets were lost");
    }
}

#[test]
fn we_receive_every_byte_that_the_kernel_sends() {
    for sack in [true, false] {
        let Some(mut host) = Host::new(202, sack.into()) else { return };
        let config = Config {
            sack,
            rto_min: RTO_MIN,
            consume: Consume::ByApplication,
            receive_buffer: Bytes(300_000),
            ..Config::default()
        };
        let local = SocketAddr::new(host.ours.into(), 80);
        let mut listener = Listener::new(config, local, Limits::default());
        let (done, result) = mpsc::channel();
        thread::spawn(move || done.send(kernel_sends(local, TOTAL)));
        let mut end = host.accept(&mut listener);

        let expected = pattern(TOTAL);
        let (mut read, mut differs) = (0, false);
        host.run(&mut end, |end| {
            while let Some(Payload::Data(data)) = end.read(Bytes(64_000)) {
                differs |= expected.get(read..read + data.len()) != Some(&data[..]);
                read += data.len();
            }
            if end.state() == State::CloseWait {
                end.close();
            }
        });
        result.recv().expect("the kernel's side reports").expect("the kernel's side succeeds");
        assert_eq!((read, differs), (TOTAL, false));
        host.report("we receive", TOTAL, &end);
        assert!(end.stats().out_of_order_segments > 0, "packets were lost");
    }
}
