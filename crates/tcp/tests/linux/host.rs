//! The machine on one side of a TUN device, the kernel on the other.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};

use ackless_tcp::{Endpoint, Event, Listener, State};
use ackless_wire::random::{Purpose, Stream};
use ackless_wire::{Duration, Instant, Packet, SeqNumber};
use tun_rs::{DeviceBuilder, SyncDevice};

/// What happens to packets between the two, in each direction.
#[derive(Clone, Copy, Debug)]
pub struct Path {
    /// Probability that a packet is lost.
    pub loss: f64,
    /// Probability that it is held for up to 3 ms longer, so that others overtake it.
    pub reordering: f64,
    /// Probability that it comes twice.
    pub duplication: f64,
    /// How long it takes.
    pub delay: Duration,
    /// The greatest packet.
    pub mtu: u16,
    pub ipv6: bool,
}

impl Path {
    /// Nothing happens to packets of 1500 bytes and less over IPv4.
    pub const CLEAN: Self =
        Self { loss: 0.0, reordering: 0.0, duplication: 0.0, delay: Duration::ZERO, mtu: 1500, ipv6: false };
    /// So many are lost, and a few others overtaken or doubled.
    pub const fn rough(loss: f64) -> Self {
        Self { loss, reordering: 0.01, duplication: 0.01, ..Self::CLEAN }
    }
}

/// What packets come for and from: an endpoint, or several.
pub trait Machine {
    /// A packet came; `iss` is for a connection that begins with it.
    fn take(&mut self, now: Instant, packet: &Packet, iss: SeqNumber);
    /// The next packet.
    fn give(&mut self, now: Instant) -> Option<Packet>;
    /// Time has passed.
    fn wake(&mut self, now: Instant);
}

impl Machine for Endpoint {
    fn take(&mut self, now: Instant, packet: &Packet, _iss: SeqNumber) {
        self.handle_segment(now, packet);
    }

    fn give(&mut self, now: Instant) -> Option<Packet> {
        self.poll_transmit(now)
    }

    fn wake(&mut self, now: Instant) {
        if self.poll_timeout().is_some_and(|at| at <= now) {
            self.handle_timeout(now);
        }
    }
}

impl Machine for Listener {
    fn take(&mut self, now: Instant, packet: &Packet, iss: SeqNumber) {
        self.handle_segment(now, packet, iss);
    }

    fn give(&mut self, now: Instant) -> Option<Packet> {
        self.poll_transmit(now)
    }

    fn wake(&mut self, now: Instant) {
        self.handle_timeout(now);
    }
}

/// What slips in behind a packet of ours, given what the kernel has acknowledged.
pub type Stray = fn(&Packet, SeqNumber, &mut Stream) -> Option<Packet>;

/// Our side of a TUN device: the machine on a clock, with a path to the kernel.
pub struct Host {
    pub kernel: IpAddr,
    pub ours: IpAddr,
    pub random: Stream,
    pub path: Path,
    /// Where something slips in between our packets.
    pub stray: Option<Stray>,
    /// How often it did.
    pub strays: u64,
    /// So many packets are lost first, whoever sends them.
    pub doomed: u32,
    acknowledged: SeqNumber,
    /// Under way to us and to the kernel, by when they arrive.
    inbound: BTreeMap<(Instant, u64), Packet>,
    outbound: BTreeMap<(Instant, u64), Packet>,
    serial: u64,
    device: SyncDevice,
    epoch: std::time::Instant,
}

impl Host {
    /// A device in a network of its own; nothing, and a word why, where that is not permitted.
    pub fn new(network: u8, seed: u64, path: Path) -> Option<Self> {
        let device = DeviceBuilder::new().mtu(path.mtu);
        let [kernel, ours]: [IpAddr; 2] = match path.ipv6 {
            // 198.18.0.0/15 is for benchmarks (RFC 2544), 2001:2::/48 too (RFC 5180).
            false => [1, 2].map(|host| Ipv4Addr::new(198, 18, network, host).into()),
            true => [1, 2].map(|host| Ipv6Addr::new(0x2001, 2, 0, network.into(), 0, 0, 0, host).into()),
        };
        let device = match kernel {
            IpAddr::V4(address) => device.ipv4(address, 24, None),
            IpAddr::V6(address) => device.ipv6(address, 64),
        };
        let device = match device.build_sync() {
            Ok(device) => device,
            Err(error) => {
                skipped(&format!("no TUN device could be opened: {error}"));
                return None;
            }
        };
        if let Err(error) = bound(kernel) {
            skipped(&format!("the kernel does not take the device's address {kernel}: {error}"));
            return None;
        }
        device.set_nonblocking(true).expect("a TUN device can be non-blocking");
        Some(Self {
            kernel,
            ours,
            random: Stream::new(seed, 0, Purpose::Test),
            path,
            stray: None,
            strays: 0,
            doomed: 0,
            acknowledged: SeqNumber(0),
            inbound: BTreeMap::new(),
            outbound: BTreeMap::new(),
            serial: 0,
            device,
            epoch: clock(),
        })
    }

    pub fn now(&self) -> Instant {
        Instant::from_secs(1) + Duration::from_nanos(self.epoch.elapsed().as_nanos() as u64)
    }

    /// An initial sequence number.
    pub fn iss(&mut self) -> SeqNumber {
        SeqNumber(self.random.bits() as u32)
    }

    /// Runs the endpoint, and `application` after whatever happens, until the connection is over but for TIME-WAIT.
    pub fn run(&mut self, end: &mut Endpoint, mut application: impl FnMut(&mut Endpoint)) {
        let mut events = Vec::new();
        self.run_until(end, |end, _| {
            application(end);
            events.extend(std::iter::from_fn(|| end.poll_event()));
            matches!(end.state(), State::Closed | State::TimeWait)
        });
        let bad = events.iter().find(|event| matches!(event, Event::Reset | Event::Refused | Event::TimedOut));
        assert_eq!(bad, None, "{:?}", end.stats());
    }

    /// Runs the machine, and `application` after whatever happens, until that says that all is over.
    pub fn run_until<M: Machine>(&mut self, machine: &mut M, mut application: impl FnMut(&mut M, Instant) -> bool) {
        let mut buffer = vec![0; 65_536];
        let deadline = self.now() + LIMIT;
        loop {
            let now = self.now();
            assert!(now < deadline, "no end within {LIMIT}");
            let busy = self.step(machine, now, &mut buffer);
            let over = application(machine, now);
            self.transmit(machine, now);
            if over {
                break;
            }
            if !busy {
                nap();
            }
        }
        // The last acknowledgement must not be lost: nobody is left to repeat it.
        let mut out = Vec::new();
        for packet in std::mem::take(&mut self.outbound).into_values() {
            self.send(&packet, &mut out);
        }
    }

    /// Runs the listener until somebody has called.
    pub fn accept(&mut self, listener: &mut Listener) -> Endpoint {
        let mut accepted = None;
        self.run_until(listener, |listener, _| {
            accepted = listener.accept();
            accepted.is_some()
        });
        accepted.expect("somebody has called")
    }

    /// Takes a batch of the kernel's packets and hands on what has arrived; whether there was anything.
    fn step<M: Machine>(&mut self, machine: &mut M, now: Instant, buffer: &mut [u8]) -> bool {
        let mut busy = false;
        for _ in 0..64 {
            let len = match self.device.recv(buffer) {
                Ok(len) => len,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => panic!("the device cannot be read: {error}"),
            };
            busy = true;
            // The kernel also sends what is not TCP, such as IPv6 router solicitations.
            let Ok(packet) = Packet::parse(&buffer[..len]) else { continue };
            if packet.tcp().is_some() {
                let copies = self.fate(now);
                self.inbound.extend(copies.into_iter().flatten().map(|key| (key, packet.clone())));
            }
            self.deliver(machine, now);
        }
        self.deliver(machine, now);
        machine.wake(now);
        self.transmit(machine, now);
        busy
    }

    fn deliver<M: Machine>(&mut self, machine: &mut M, now: Instant) {
        while let Some(first) = self.inbound.first_entry().filter(|first| first.key().0 <= now) {
            let packet = first.remove();
            let iss = self.iss();
            self.acknowledged = packet.tcp().map_or(self.acknowledged, |tcp| tcp.ack);
            machine.take(now, &packet, iss);
            self.transmit(machine, now);
        }
    }

    /// When the copies of a packet arrive: none if it is lost.
    fn fate(&mut self, now: Instant) -> [Option<(Instant, u64)>; 2] {
        let Path { loss, reordering, duplication, delay, .. } = self.path;
        if self.doomed > 0 || self.random.chance(loss) {
            self.doomed = self.doomed.saturating_sub(1);
            return [None; 2];
        }
        let held = if self.random.chance(reordering) { self.random.below(3_000_000) } else { 0 };
        let copies = 1 + u64::from(self.random.chance(duplication));
        self.serial += 2;
        [0, 1].map(|copy| (copy < copies).then(|| (now + delay + Duration::from_nanos(held), self.serial + copy)))
    }

    fn transmit<M: Machine>(&mut self, machine: &mut M, now: Instant) {
        let mut out = Vec::new();
        while let Some(packet) = machine.give(now) {
            let stray = self.stray.and_then(|stray| stray(&packet, self.acknowledged, &mut self.random));
            for packet in [Some(packet), stray.clone()].into_iter().flatten() {
                let copies = self.fate(now);
                self.outbound.extend(copies.into_iter().flatten().map(|key| (key, packet.clone())));
            }
            self.strays += u64::from(stray.is_some());
        }
        while let Some(first) = self.outbound.first_entry().filter(|first| first.key().0 <= now) {
            let packet = first.remove();
            self.send(&packet, &mut out);
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
            "{what}: {total} bytes in {took:.2?}, {} segments sent, {} again, {} timeouts, {} above a hole, {} twice",
            stats.segments_sent,
            stats.retransmitted_segments,
            stats.timeouts,
            stats.out_of_order_segments,
            stats.duplicate_segments
        );
    }
}

/// Waits until the kernel takes its address for its own: a new one of IPv6 may be tentative for a moment.
fn bound(address: IpAddr) -> io::Result<()> {
    let mut tries = 0;
    loop {
        match TcpListener::bind((address, 0)) {
            Ok(_) => return Ok(()),
            Err(error) if tries == 20_000 => return Err(error),
            Err(_) => nap(),
        }
        tries += 1;
    }
}

/// Says on standard error that there was no conversation.
fn skipped(why: &str) {
    writeln!(io::stderr(), "SKIPPED: no conversation with Linux, because {why}").expect("standard error takes a line");
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
pub const PATIENCE: std::time::Duration = std::time::Duration::from_secs(300);
/// No conversation may last longer than this.
const LIMIT: Duration = Duration::from_secs(600);
/// As the least timeout of the conversation, so that lost retransmissions do not make the test slow.
pub const RTO_MIN: Duration = Duration::from_millis(50);
