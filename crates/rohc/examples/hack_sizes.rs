//! How many bytes HACK mode needs for each ACK of a download, by the clock of the timestamps.
//!
//! Two links, each with delayed ACKs for segments of 1,448 bytes and a receiver that reads at once:
//!
//! - 802.11n at 150 Mbps: A-MPDUs of 42 segments every 3.9 ms (the paper's 4.3), whose ACKs leave in one burst;
//! - 802.11a at 54 Mbps: a segment every 418 us, whose ACK leaves at once, alone in its frame.
//!
//! The sender stamps a segment when it sends it: 42 at a time at 500 Mbps, three A-MPDUs before they arrive, or one at
//! a time. One segment in 2,000 is lost on the wired part and comes again a round trip later; until then each segment
//! is answered by a duplicate ACK with SACK blocks.
//!
//! That is the best case: one flow, a window that never moves, identifications that count. So each link comes again, with a clock of 1 ms, for hosts
//! of which one thing is otherwise: the window moves with each ACK by up to 64 or 2,000 of its units, either way; the host sends up to seven other packets between
//! two ACKs and counts its identifications through all of them; or it draws them at random.
//!
//! `RFC 6846` is what the same ACKs take as packets of the RFC, TCP checksum and all, under the paper's rules: the first is known to have arrived natively, each
//! builds on the one before, which is certain (a window of one reference), and CID and MSN are left out as in `codes`.
//!
//! `codes` are the bytes of the codes alone; `with runs` adds CID and MSN, shared by the ACKs of one frame. The last
//! columns are the share of the forms.

use ackless_rohc::hack::{Ack, Cid, Code, Codec, Compressor, Frame, FrameWriter, Kind};
use ackless_rohc::rfc;
use ackless_wire::ip::Ipv4Header;
use ackless_wire::random::{Purpose, Stream};
use ackless_wire::tcp::SackBlocks;
use ackless_wire::{IpHeader, Packet, Payload, SeqNumber, TcpFlags, TcpHeader, Transport};

fn main() {
    println!(
        "link     clock  host            ACKs    codes: mean  p99  max   with runs: mean   RFC 6846   compact  stamps  window   delta  extended"
    );
    let steady = [None, Some(1), Some(4), Some(10)].map(|clock| (clock, Host::Steady));
    let restless = [Host::Window(64), Host::Window(2000), Host::SharedIds, Host::RandomIds].map(|host| (Some(1), host));
    for link in [Link::N, Link::A] {
        for (clock, host) in steady.into_iter().chain(restless) {
            let sizes = Sizes::of(link, clock, host);
            let clock = clock.map_or("none".to_owned(), |ms| format!("{ms} ms"));
            print!(
                "{:8} {clock:>5}  {:12} {:>6}         {:5.3}  {:>3}  {:>3}              {:5.3}      {:5.3}",
                link.name(),
                host.name(),
                sizes.codes.len(),
                sizes.mean(),
                sizes.percentile(99),
                sizes.percentile(100),
                sizes.framed as f64 / sizes.codes.len() as f64,
                sizes.rfc as f64 / sizes.codes.len() as f64
            );
            for kind in Kind::ALL {
                print!("  {:5.2} %", 100.0 * sizes.share(kind));
            }
            println!();
        }
    }
}

/// How ACKs come to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Link {
    N,
    A,
}

/// What the receiver's host does beside acknowledging.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Host {
    /// Nothing.
    Steady,
    /// Its window moves by up to so many units.
    Window(u64),
    /// It sends other packets.
    SharedIds,
    /// It draws its identifications.
    RandomIds,
}

impl Host {
    fn name(self) -> String {
        match self {
            Self::Steady => "steady".to_owned(),
            Self::Window(by) => format!("window {by}"),
            Self::SharedIds => "shared ids".to_owned(),
            Self::RandomIds => "random ids".to_owned(),
        }
    }
}

/// What the ACKs of a download took.
#[derive(Debug, Default)]
struct Sizes {
    codes: Vec<(usize, Kind)>,
    framed: usize,
    /// As packets of RFC 6846.
    rfc: usize,
}

impl Link {
    const fn name(self) -> &'static str {
        match self {
            Self::N => "802.11n",
            Self::A => "802.11a",
        }
    }

    /// Segments that arrive together.
    const fn batch(self) -> u64 {
        match self {
            Self::N => 42,
            Self::A => 1,
        }
    }

    /// Nanoseconds from batch to batch.
    const fn period(self) -> u64 {
        match self {
            Self::N => 3_900_000,
            Self::A => 418_000,
        }
    }

    /// When segment `n` arrives.
    const fn arrival(self, n: u64) -> u64 {
        n / self.batch() * self.period()
    }

    /// When segment `n` is sent: a round trip, 126 segments, before it arrives; those of a batch 24 us apart.
    const fn sent(self, n: u64) -> u64 {
        self.arrival(n) + n % self.batch() * 24_000
    }
}

impl Sizes {
    fn of(link: Link, clock_ms: Option<u64>, host: Host) -> Self {
        let mut sizes = Self::default();
        let mut client: Option<Compressor> = None;
        let (mut held, mut bytes) = (Vec::new(), Vec::new());
        // Context 0 of the small identifiers takes no bytes.
        let config = rfc::Config { window: 1, initial: 1, refresh: None };
        let mut standard = rfc::Compressor::new(rfc::CidSpace::SMALL, config);
        for (batch, acks) in Download::new(link, clock_ms, host).enumerate() {
            for ack in acks {
                let (mut packet, mut rohc) = (Vec::new(), Vec::new());
                ack.to_packet().emit(&mut packet);
                let kind = standard.compress(&packet, &mut rohc).expect("a pure ACK");
                sizes.rfc += if kind == rfc::PacketType::Ir { 0 } else { rohc.len() };
                match &mut client {
                    None => client.insert(Compressor::default()).install(&ack),
                    Some(client) => held.push(client.compress(&ack).expect("the context is open")),
                }
            }
            assert!(batch < 1 || held.len() <= 127, "no frame carries more");
            bytes.clear();
            let count = FrameWriter::new(Codec::default(), &mut bytes, Frame::MAX_LEN).run(Cid(1), &held);
            assert_eq!(usize::from(count), held.len(), "all fit");
            sizes.framed += bytes.len();
            sizes.codes.extend(held.drain(..).map(|code: Code| (code.bytes().len(), code.kind())));
        }
        sizes.codes.sort_unstable();
        sizes
    }

    fn mean(&self) -> f64 {
        self.codes.iter().map(|(len, _)| len).sum::<usize>() as f64 / self.codes.len() as f64
    }

    fn percentile(&self, p: usize) -> usize {
        self.codes[(self.codes.len() * p).div_ceil(100) - 1].0
    }

    fn share(&self, kind: Kind) -> f64 {
        self.codes.iter().filter(|code| code.1 == kind).count() as f64 / self.codes.len() as f64
    }
}

/// The receiver of a download, batch by batch.
#[derive(Debug)]
struct Download {
    link: Link,
    clock_ms: Option<u64>,
    /// The next segment to arrive.
    next: u64,
    /// The segment that is missing, if one is, and when it comes again, in segments.
    missing: Option<(u64, u64)>,
    /// The stamp to echo (RFC 7323, 4.3).
    echo: u64,
    /// A segment waits for the second one.
    waiting: bool,
    id: u16,
    window: u16,
    host: Host,
    random: Stream,
}

impl Download {
    fn new(link: Link, clock_ms: Option<u64>, host: Host) -> Self {
        let random = Stream::new(1, 0, Purpose::Test);
        Self { link, clock_ms, next: 0, missing: None, echo: 0, waiting: false, id: 1, window: 0x2000, host, random }
    }

    /// Takes the next segment; says the ACK that it calls forth at once.
    fn segment(&mut self) -> Option<Ack> {
        let n = self.next;
        self.next += 1;
        if n % 2000 == 1000 {
            self.missing = Some((n, n + 126));
            return None;
        }
        match self.missing {
            Some((_, again)) if n == again => {
                self.missing = None;
                self.echo = self.link.sent(n);
            }
            Some(_) => {}
            None => {
                if !self.waiting {
                    self.echo = self.link.sent(n);
                    self.waiting = true;
                    return None;
                }
            }
        }
        self.waiting = false;
        Some(self.ack(n))
    }

    /// The ACK on arrival of segment `n`.
    fn ack(&mut self, n: u64) -> Ack {
        self.id = match self.host {
            Host::SharedIds => self.id.wrapping_add(1 + self.random.below(8) as u16),
            Host::RandomIds => self.random.bits() as u16,
            Host::Steady | Host::Window(_) => self.id.wrapping_add(1),
        };
        if let Host::Window(by) = self.host {
            self.window = self.window.wrapping_add(self.random.below(2 * by + 1) as u16).wrapping_sub(by as u16);
        }
        let mut ip = Ipv4Header::new([192, 168, 0, 2].into(), [10, 0, 0, 1].into());
        ip.id = self.id;
        let edge = |segment: u64| SeqNumber((segment * 1448) as u32);
        let mut tcp = TcpHeader { flags: TcpFlags::ACK, window: self.window, ..TcpHeader::new(40_000, 80) };
        tcp.ack = edge(self.missing.map_or(n + 1, |(missing, _)| missing));
        if let Some((missing, _)) = self.missing {
            tcp.options.sack = SackBlocks::from_slice(&[(edge(missing + 1), edge(n + 1))]);
        }
        // A clock of 1 ms counts milliseconds, one of 10 ms counts tens of them.
        let tick = |ns: u64, ms: u64| (ns / (ms * 1_000_000)) as u32;
        tcp.options.timestamps = self.clock_ms.map(|ms| (tick(self.link.arrival(n), ms), tick(self.echo, ms)));
        let packet = Packet { ip: IpHeader::V4(ip), transport: Transport::Tcp(tcp), payload: Payload::EMPTY };
        Ack::of(&packet).expect("a pure ACK")
    }
}

impl Iterator for Download {
    type Item = Vec<Ack>;

    fn next(&mut self) -> Option<Vec<Ack>> {
        let batch = self.link.batch();
        (self.next < 200_000).then(|| (0..batch).filter_map(|_| self.segment()).collect())
    }
}
