//! An attacker who destroys data on the air and answers for the station, up to a time: what becomes
//! of the connection after that.
//!
//! He hears all, destroys some MPDUs of each PPDU of the AP's, and changes the station's answers so
//! that they acknowledge these, too, with what each scheme reads in them: a code, a flag, a key. So
//! the server is told of data that the station's MAC never had, and nobody sends it again by
//! himself. Whatever a scheme does in the station's name, a connection must not hang for good: it
//! goes on, or both ends hear that it is over.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ackless_cell::config::{CellConfig, Direction, Pace, Peer, SchemeChoice, Traffic};
use ackless_cell::loss::Interference;
use ackless_cell::observe::{Event, Observer};
use ackless_dot11::frame::{Body, MacSeq, NodeId, Ppdu, Tag};
use ackless_phy::Standard;
use ackless_rohc::hack::{Ack, Cid, Codec, Compressor, FrameWriter};
use ackless_schemes::agent::{AgentConfig, Room, Solution};
use ackless_schemes::arq_proxy::{self, ArqProxyConfig};
use ackless_schemes::fast_ack::FastAckConfig;
use ackless_schemes::hack::{self, HackConfig};
use ackless_tcp::State;
use ackless_wire::random::{Purpose, Stream};
use ackless_wire::{BitRate, Bytes, Duration, Instant, SeqNumber, Transport};

use crate::testing::cells::{cell, with_tcp, with_udp};
use crate::testing::{ears, tested};

/// What the attacker has heard, and what he does.
struct Attacker {
    random: Stream,
    /// What he appends is a code of HACK.
    codec: Option<Codec>,
    /// The numbers of the frames in the AP's last PPDU.
    sent: Vec<MacSeq>,
    /// The station's ACK that the AP knows by his codes or by itself, and what compresses the next.
    reference: Option<(Ack, Compressor)>,
    /// Just past the last byte that the AP has sent, and its TSval.
    data: Option<(SeqNumber, u32)>,
    /// Data frames that he has destroyed and answered for.
    forged: u64,
}

/// The attacker's ears.
struct Ear(Arc<Mutex<Attacker>>);

impl Observer for Ear {
    fn observe(&mut self, _now: Instant, event: &Event<'_>) {
        let Event::Start { ppdu, pool, .. } = event else { return };
        let mut attacker = locked(&self.0);
        for packet in ppdu.mpdus().iter().map(|mpdu| pool.get(mpdu.packet)) {
            let Some(tcp) = packet.tcp() else { continue };
            if ppdu.transmitter == STATION {
                let ack = Ack::of(packet).ok();
                attacker.reference = ack.map(|ack| (ack, attacker.context(&ack))).or(attacker.reference.take());
            } else if !packet.payload.is_empty() {
                let stamp = tcp.options.timestamps.map_or(0, |(value, _)| value);
                let end = tcp.seq + packet.payload.len();
                let (before, newest) = attacker.data.unwrap_or((end, stamp));
                attacker.data = Some((before.max(end), newest.max(stamp)));
            }
        }
    }
}

impl Attacker {
    fn context(&self, ack: &Ack) -> Compressor {
        let mut compressor = Compressor::new(self.codec.unwrap_or_default());
        compressor.install(ack);
        compressor
    }

    /// What a PPDU becomes at its end. Returns which of its frames are spared.
    fn change(&mut self, ppdu: &mut Ppdu) -> u64 {
        if ppdu.transmitter != STATION {
            let begin = |mpdu: &&ackless_dot11::frame::Mpdu| mpdu.part.begins();
            self.sent = ppdu.mpdus().iter().filter(begin).map(|mpdu| mpdu.seq).collect();
            return !(0..self.sent.len()).filter(|_| self.random.chance(0.3)).fold(0, |lost, n| lost | 1 << n);
        }
        let code = self.code();
        let Body::BlockAck(_, bitmap, answer) = &mut ppdu.body else { return u64::MAX };
        self.forged += self.sent.iter().filter(|seq| !bitmap.contains(**seq)).count() as u64;
        self.sent.iter().for_each(|seq| bitmap.insert(*seq));
        answer.agent = true;
        if let Some(last) = self.sent.last() {
            answer.tag = Tag::new(1 + last.get());
        }
        if let Some(code) = code {
            answer.appended = code;
        }
        u64::MAX
    }

    /// A code that acknowledges all that the AP has sent.
    fn code(&mut self) -> Option<Vec<u8>> {
        let (codec, (number, stamp)) = (self.codec?, self.data?);
        let (last, compressor) = self.reference.as_mut()?;
        let mut packet = last.to_packet();
        let Transport::Tcp(tcp) = &mut packet.transport else { return None };
        tcp.ack = number;
        tcp.options.timestamps = tcp.options.timestamps.map(|(value, _)| (value, stamp));
        let next = Ack::of(&packet).ok()?;
        let code = compressor.compress(&next).ok()?;
        *last = next;
        let mut bytes = Vec::new();
        FrameWriter::new(codec, &mut bytes, usize::MAX).run(Cid::of(&next.flow()), [&code]);
        Some(bytes)
    }
}

/// What has become of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fate {
    /// Data comes to the station's application again.
    GoesOn,
    /// Both ends have heard that it is over.
    Reset,
    /// Neither.
    Hangs,
}

/// What has become of a download so long after the attack, and how many frames the attacker has
/// answered for.
fn fate(choice: SchemeChoice, seed: u64, bound: Duration) -> (Fate, u64) {
    let mut config: CellConfig = cell(Standard::N);
    config.ap.scheme = choice;
    config.stations[0].scheme = choice;
    config = with_tcp(config, 0, Peer::Server, Direction::Down);
    // Datagrams beside it move the BlockAck window on: what was never sent again leaves a hole in
    // the reorder buffer, which only 64 later frames close.
    config = with_udp(config, 0, Peer::Server, Direction::Down);
    config.flows[1].traffic = Traffic::Bulk(Pace::Rate(BitRate::from_mbps(3)));
    let end = ATTACK_ENDS + bound;
    config.measured = end.saturating_since(Instant::ZERO);
    let codec = if let SchemeChoice::Hack(hack) = choice { Some(hack.codec) } else { None };
    let attacker = Attacker {
        random: Stream::new(seed, 0, Purpose::Test),
        codec,
        sent: Vec::new(),
        reference: None,
        data: None,
        forged: 0,
    };
    let attacker = Arc::new(Mutex::new(attacker));
    let mut ear = Ear(Arc::clone(&attacker));
    let mut cell = tested::configured(&config, seed, ears::with(&config, &mut ear));
    let hand = Arc::clone(&attacker);
    cell.interfere(Interference(Box::new(move |now, ppdu| {
        if (ATTACK_BEGINS..ATTACK_ENDS).contains(&now) { locked(&hand).change(ppdu) } else { u64::MAX }
    })));
    cell.advance(end - Duration::from_secs(5));
    let delivered = |cell: &tested::TestedCell<'_>| {
        cell.flows().endpoint(0, 1).map_or(Bytes::ZERO, ackless_tcp::Endpoint::bytes_delivered)
    };
    let before = delivered(&cell);
    cell.advance(end);
    let closed = |which| cell.flows().endpoint(0, which).is_none_or(|end| end.state() == State::Closed);
    let fate = match (closed(0), closed(1)) {
        (true, true) => Fate::Reset,
        (false, false) if delivered(&cell) > before => Fate::GoesOn,
        _ => Fate::Hangs,
    };
    let forged = locked(&attacker).forged;
    (fate, forged)
}

/// The schemes whose AP says ACKs by itself, each with how long a connection may hang.
fn schemes() -> Vec<(&'static str, SchemeChoice, Duration)> {
    let hack = |config| SchemeChoice::Hack(config);
    let policy = |policy| hack(HackConfig { policy, ..HackConfig::default() });
    let (short, long) = (Duration::from_secs(20), Duration::from_secs(150));
    let flag = Solution::Flag { extra_sifs: Duration::ZERO };
    let promise = AgentConfig { room: Room::Promise, ..AgentConfig::default() };
    let more_data = ArqProxyConfig { policy: arq_proxy::Policy::MoreData, ..ArqProxyConfig::default() };
    vec![
        ("hack", policy(hack::Policy::MoreData), short),
        ("hack-opportunistic", policy(hack::Policy::Opportunistic), short),
        ("hack-timer", policy(hack::Policy::ExplicitTimer(Duration::from_millis(10))), short),
        ("hack-take-back", hack(HackConfig { take_back: true, ..HackConfig::default() }), short),
        ("hack-rohc", hack(HackConfig { codec: Codec::Rfc6846, ..HackConfig::default() }), short),
        ("agent", SchemeChoice::Agent(AgentConfig::default()), long),
        ("agent-promise", SchemeChoice::Agent(promise), long),
        ("agent-flag", SchemeChoice::Agent(AgentConfig::of(flag)), short),
        ("arq", SchemeChoice::ArqProxy(ArqProxyConfig::default()), short),
        ("arq-more-data", SchemeChoice::ArqProxy(more_data), short),
        ("fast-ack", SchemeChoice::FastAck(FastAckConfig::default()), short),
        ("stock", SchemeChoice::Stock, short),
    ]
}

#[test]
fn once_the_attacker_has_gone_a_connection_goes_on_or_both_ends_hear_that_it_is_over() {
    let mut hang = Vec::new();
    for (name, choice, bound) in schemes() {
        for seed in 0..SEEDS {
            let (fate, forged) = fate(choice, seed, bound);
            println!("{name}, seed {seed}: {fate:?} after {forged} forged answers");
            assert!(forged > 0, "{name}, seed {seed}: nothing was forged");
            hang.extend((fate == Fate::Hangs).then_some((name, seed, bound)));
        }
    }
    assert_eq!(hang, [], "these still hang so long after the attack");
}

fn locked(attacker: &Arc<Mutex<Attacker>>) -> MutexGuard<'_, Attacker> {
    attacker.lock().unwrap_or_else(PoisonError::into_inner)
}

const STATION: NodeId = NodeId(1);
const ATTACK_BEGINS: Instant = Instant::from_millis(500);
const ATTACK_ENDS: Instant = Instant::from_millis(1_500);
const SEEDS: u64 = 3;
