//! The machine on one side of a TUN device, the kernel on the other.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};

use crate::tack::stripped_body;
use ackless_tcp::{Endpoint, Event, Listener, State};
use ackless_wire::random::{Purpose, Stream};
use ackless_wire::{Duration, Instant, Packet, SeqNumber};
use tun_rs::{DeviceBuilder, SyncDevice};

/// Our side of a TUN device: the machine on a clock, with a lossy path to the kernel.
pub struct Host {
    pub kernel: Ipv4Addr,
    pub ours: Ipv4Addr,
    pub random: Stream,
    /// Whether bodies without their options slip in between our packets.
    pub strays_come: bool,
    /// How many did.
    pub strays: u64,
    acknowledged: SeqNumber,
    device: SyncDevice,
    epoch: std::time::Instant,
}

impl Host {
    /// A device in a network of its own; nothing, and a word why, where that is not permitted.
    pub fn new(network: u8, seed: u64) -> Option<Self> {
        // 198.18.0.0/15 is for benchmarks (RFC 2544).
        let [kernel, ours] = [1, 2].map(|host| Ipv4Addr::new(198, 18, network, host));
        let device = DeviceBuilder::new().ipv4(kernel, 24, None).mtu(1500).build_sync();
        let device = match device {
            Ok(device) => device,
            Err(error) => {
                writeln!(
                    std::io::stderr(),
                    "SKIPPED: no conversation with Linux, because no TUN device could be opened: {error}"
                )
                .expect("standard error takes a line");
                return None;
            }
        };
        device.set_nonblocking(true).expect("a TUN device can be non-blocking");
        Some(Self {
            kernel,
            ours,
            random: Stream::new(seed, 0, Purpose::Test),
            strays_come: false,
            strays: 0,
            acknowledged: SeqNumber(0),
            device,
            epoch: clock(),
        })
    }

    pub fn now(&self) -> Instant {
        Instant::from_secs(1) + Duration::from_nanos(self.epoch.elapsed().as_nanos() as u64)
    }

    /// Runs the endpoint, and `application` after whatever happens, until the connection is over but for TIME-WAIT.
    pub fn run(&mut self, end: &mut Endpoint, mut application: impl FnMut(&mut Endpoint)) {
        let mut buffer = vec![0; 65_536];
        let mut out = Vec::new();
        let deadline = self.now() + LIMIT;
        while !matches!(end.state(), State::Closed | State::TimeWait) {
            let now = self.now();
            assert!(now < deadline, "no end within {LIMIT}: {:?} {:?}", end.state(), end.stats());
            let busy = self.receive(end, now, &mut buffer, &mut out);
            if end.poll_timeout().is_some_and(|at| at <= now) {
                end.handle_timeout(now);
            }
            application(end);
            self.transmit(end, now, &mut out);
            while let Some(event) = end.poll_event() {
                assert!(!matches!(event, Event::Reset | Event::Refused | Event::TimedOut), "{event:?}");
            }
            if !busy {
                nap();
            }
        }
        // The last acknowledgement must not be lost: nobody is left to repeat it.
        while let Some(packet) = end.poll_transmit(self.now()) {
            self.send(&packet, &mut out);
        }
    }

    /// Runs the listener until somebody has called.
    pub fn accept(&mut self, listener: &mut Listener) -> Endpoint {
        let (mut buffer, mut out) = (vec![0; 65_536], Vec::new());
        let deadline = self.now() + LIMIT;
        loop {
            let now = self.now();
            assert!(now < deadline, "nobody calls within {LIMIT}: {:?}", listener.stats());
            match self.device.recv(&mut buffer) {
                Ok(len) => {
                    if let Ok(packet) = Packet::parse(&buffer[..len])
                        && !self.random.chance(LOSS)
                    {
                        let iss = SeqNumber(self.random.bits() as u32);
                        listener.handle_segment(now, &packet, iss);
                    }
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => nap(),
                Err(error) => panic!("the device cannot be read: {error}"),
            }
            listener.handle_timeout(now);
            while let Some(packet) = listener.poll_transmit(now) {
                if !self.random.chance(LOSS) {
                    self.send(&packet, &mut out);
                }
            }
            if let Some(end) = listener.accept() {
                return end;
            }
        }
    }

    /// Hands up to a batch of the kernel's packets to the endpoint; whether there were any.
    fn receive(&mut self, end: &mut Endpoint, now: Instant, buffer: &mut [u8], out: &mut Vec<u8>) -> bool {
        for count in 0..64 {
            let len = match self.device.recv(buffer) {
                Ok(len) => len,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return count > 0,
                Err(error) => panic!("the device cannot be read: {error}"),
            };
            // The kernel also sends what is not TCP, such as IPv6 router solicitations.
            let Ok(packet) = Packet::parse(&buffer[..len]) else { continue };
            let Some(tcp) = packet.tcp() else { continue };
            if !self.random.chance(LOSS) {
                self.acknowledged = tcp.ack;
                end.handle_segment(now, &packet);
                self.transmit(end, now, out);
            }
        }
        true
    }

    fn transmit(&mut self, end: &mut Endpoint, now: Instant, out: &mut Vec<u8>) {
        while let Some(packet) = end.poll_transmit(now) {
            if !self.random.chance(LOSS) {
                self.send(&packet, out);
            }
            if self.strays_come
                && let Some(stray) = stripped_body(&packet, self.acknowledged, &mut self.random)
            {
                self.strays += 1;
                self.send(&stray, out);
            }
        }
    }

    fn send(&self, packet: &Packet, out: &mut Vec<u8>) {
        out.clear();
        packet.emit(out);
        match self.device.send(out) {
            Ok(_) => {}
            // A full queue is a lossy path like any other.
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock) => {}
            Err(error) => panic!("the device cannot be written: {error}"),
        }
    }

    pub fn report(&self, what: &str, total: usize, end: &Endpoint) {
        let (took, stats) = (self.epoch.elapsed(), end.stats());
        eprintln!(
            "{what}: {total} bytes in {took:.2?}, {} segments sent, {} again, {} timeouts, {} above a hole",
            stats.segments_sent, stats.retransmitted_segments, stats.timeouts, stats.out_of_order_segments
        );
    }
}

pub fn kernel_receives(listener: &TcpListener) -> io::Result<Vec<u8>> {
    let (mut stream, _) = listener.accept()?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut received = Vec::new();
    stream.read_to_end(&mut received)?;
    Ok(received)
}

pub fn kernel_sends(to: SocketAddr, total: usize) -> io::Result<()> {
    let mut stream = TcpStream::connect_timeout(&to, PATIENCE)?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.write_all(&pattern(total))?;
    stream.shutdown(std::net::Shutdown::Write)?;
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest)?;
    if rest.is_empty() { Ok(()) } else { Err(io::Error::other("we sent bytes of our own")) }
}

/// Bytes in which any shift shows.
pub fn pattern(total: usize) -> Vec<u8> {
    (0..total as u64).map(|at| (at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8).collect()
}

#[expect(clippy::disallowed_methods, reason = "the kernel's TCP runs on the real clock")]
fn clock() -> std::time::Instant {
    std::time::Instant::now()
}

#[expect(clippy::disallowed_methods, reason = "nothing is there to read, and the kernel needs the processor")]
fn nap() {
    std::thread::sleep(std::time::Duration::from_micros(50));
}

/// How long the kernel's side waits for anything.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(60);
/// Probability that a packet is lost, in each direction.
const LOSS: f64 = 0.01;
/// No conversation may last longer than this.
const LIMIT: Duration = Duration::from_secs(120);
/// As the least timeout of the conversation, so that lost retransmissions do not make the test slow.
pub const RTO_MIN: Duration = Duration::from_millis(50);
