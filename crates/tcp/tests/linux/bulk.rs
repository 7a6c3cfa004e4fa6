//! One long transfer, byte for byte.

use std::net::{SocketAddr, TcpListener};
use std::sync::mpsc;
use std::thread;

use ackless_tcp::{Config, Consume, Endpoint, Limits, Listener, State};
use ackless_wire::{Bytes, Payload};

use crate::host::{Host, kernel_receives, kernel_sends, pattern};

/// We call the kernel and send it the pattern, which must come as it is.
pub fn to_kernel(host: &mut Host, config: Config, total: usize) -> Endpoint {
    let listener = TcpListener::bind((host.kernel, 0)).expect("the kernel listens on the device's address");
    let to = listener.local_addr().expect("a bound listener has an address");
    let (done, result) = mpsc::channel();
    thread::spawn(move || done.send(kernel_receives(&listener)));

    let local = SocketAddr::new(host.ours, 40_000);
    let mut end = Endpoint::connect(host.now(), config, local, to, host.iss());
    let data = bytes::Bytes::from(pattern(total));
    let mut written = 0;
    host.run(&mut end, |end| {
        while written < total {
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

/// The kernel calls us and sends the pattern, which must come as it is.
pub fn from_kernel(host: &mut Host, config: Config, total: usize) -> Endpoint {
    let config = Config { consume: Consume::ByApplication, ..config };
    let local = SocketAddr::new(host.ours, 80);
    let mut listener = Listener::new(config, local, Limits::default());
    let (done, result) = mpsc::channel();
    thread::spawn(move || done.send(kernel_sends(local, total)));
    let mut end = host.accept(&mut listener);

    let expected = pattern(total);
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
    assert_eq!((read, differs), (total, false));
    end
}
