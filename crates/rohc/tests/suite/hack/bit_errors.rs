//! What single bit errors do when the FCS is not looked at, by the form of the code that is hit.

use std::collections::BTreeMap;

use ackless_rohc::hack::{Ack, Cid, Code, Codec, Compressor, Decompressor, Frame, FrameWriter, Kind};
use ackless_wire::random::{Purpose, Stream};

use super::CODECS;
use super::acks::Flow;

/// The place of a flipped bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Hit {
    Cid,
    Msn,
    Code(Kind),
    /// A packet of RFC 6846.
    Packet,
}

/// What flipped bits did, for one place.
#[derive(Clone, Copy, Debug, Default)]
struct Effect {
    flips: u64,
    /// The frame was refused before anything was decoded.
    malformed: u64,
    /// The run was refused whole: no such context, or a gap.
    refused: u64,
    /// Decoding stopped with an error, and what had come out was right.
    stopped: u64,
    /// All that came out was right, but not all came out.
    short: u64,
    /// All came out: the bit says nothing, as some of the RFC's do.
    idle: u64,
    /// Something wrong came out.
    wrong: u64,
    /// Wrong ACKs that came out.
    wrong_acks: u64,
    /// Something wrong came out that a TCP would see: not in the IP header alone.
    wrong_tcp: u64,
}

/// A context with codes ahead, some of which the AP has decoded.
struct Setting {
    codec: Codec,
    ap: Decompressor,
    sent: Vec<(Ack, Code)>,
}

fn setting(codec: Codec, seed: u64) -> Setting {
    let mut random = Stream::new(seed, 0, Purpose::Test);
    // The RFC's packets cannot say another flow label.
    let restless = if codec == Codec::Rfc6846 { 0.0 } else { [0.0, 0.02, 0.3][random.below(3) as usize] };
    let mut flow = Flow::new(Stream::new(seed, 1, Purpose::Test), restless);
    let (mut client, mut ap) = (Compressor::new(codec), Decompressor::new(codec));
    let reference = flow.next();
    client.install(&reference);
    ap.install(&reference);
    // The AP has decoded some before, so that a flipped MSN may reach back among them.
    for _ in 0..random.below(200) {
        let ack = flow.next();
        let code = client.compress(&ack).expect("the context is open");
        assert_eq!(decode(codec, &mut ap, &frame_of(codec, &[(ack, code)])).0, vec![(code.msn(), ack)]);
    }
    let sent = (0..21)
        .map(|_| {
            let ack = flow.next();
            (ack, client.compress(&ack).expect("the context is open"))
        })
        .collect();
    Setting { codec, ap, sent }
}

fn frame_of(codec: Codec, codes: &[(Ack, Code)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    FrameWriter::new(codec, &mut bytes, usize::MAX).run(CID, codes.iter().map(|(_, code)| code));
    bytes
}

/// How the decoding of a frame ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Malformed,
    Refused,
    Stopped,
    Whole,
}

/// What comes out of a frame in which only the context [`CID`] is known.
fn decode(codec: Codec, ap: &mut Decompressor, bytes: &[u8]) -> (Vec<(u16, Ack)>, End) {
    let Ok(frame) = Frame::read(codec, bytes) else { return (Vec::new(), End::Malformed) };
    let mut out = Vec::new();
    let mut end = End::Refused;
    for run in frame.runs().filter(|run| run.cid() == CID) {
        let Ok(decode) = ap.decode(&run) else { return (out, End::Refused) };
        end = End::Whole;
        for decoded in decode {
            match decoded {
                Ok(decoded) => out.push((decoded.msn, decoded.ack)),
                Err(_) => return (out, End::Stopped),
            }
        }
    }
    (out, end)
}

/// Flips every bit of the setting's frame in turn.
fn flip_all(setting: &Setting, effects: &mut BTreeMap<Hit, Effect>) {
    let codec = setting.codec;
    let bytes = frame_of(codec, &setting.sent);
    let expected: Vec<_> = setting.sent.iter().map(|(ack, code)| (code.msn(), *ack)).collect();
    assert_eq!(decode(codec, &mut setting.ap.clone(), &bytes), (expected.clone(), End::Whole));
    let msn = std::iter::repeat_n(Hit::Msn, codec.run_header() - 1);
    let places = std::iter::once(Hit::Cid).chain(msn).chain(setting.sent.iter().flat_map(|(_, code)| {
        let hit = if codec == Codec::Rfc6846 { Hit::Packet } else { Hit::Code(code.kind()) };
        std::iter::repeat_n(hit, code.bytes().len())
    }));
    for (at, place) in places.enumerate() {
        for bit in 0..8 {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << bit;
            let (out, end) = decode(codec, &mut setting.ap.clone(), &flipped);
            let effect = effects.entry(place).or_default();
            effect.flips += 1;
            let right = out.iter().zip(&expected).take_while(|(out, expected)| out == expected).count();
            effect.wrong_acks += (out.len() - right) as u64;
            let same_tcp = |(out, expected): (&(u16, Ack), &(u16, Ack))| out.1.tcp() == expected.1.tcp();
            effect.wrong_tcp += u64::from(!out.iter().zip(&expected).all(same_tcp));
            *match end {
                _ if right < out.len() => &mut effect.wrong,
                End::Malformed => &mut effect.malformed,
                End::Refused => &mut effect.refused,
                End::Stopped => &mut effect.stopped,
                End::Whole if right < expected.len() => &mut effect.short,
                End::Whole if codec == Codec::Rfc6846 => &mut effect.idle,
                End::Whole => panic!("bit {bit} of byte {at} of {bytes:02x?} says nothing"),
            } += 1;
        }
    }
}

/// The effects over so many settings, as a table.
fn effects(codec: Codec, settings: u64) -> BTreeMap<Hit, Effect> {
    let mut effects = BTreeMap::new();
    for seed in 0..settings {
        flip_all(&setting(codec, seed), &mut effects);
    }
    println!("{codec:?}");
    println!("hit                 flips  malformed  refused  stopped    short     idle    wrong  wrong ACKs per flip");
    for (hit, effect) in &effects {
        let share = |n: u64| 100.0 * n as f64 / effect.flips as f64;
        println!(
            "{:16} {:8}    {:5.2} %  {:5.2} %  {:5.2} %  {:5.2} %  {:5.2} %  {:6.3} %  {:.4}",
            format!("{hit:?}"),
            effect.flips,
            share(effect.malformed),
            share(effect.refused),
            share(effect.stopped),
            share(effect.short),
            share(effect.idle),
            share(effect.wrong),
            effect.wrong_acks as f64 / effect.flips as f64
        );
    }
    effects
}

#[test]
fn few_single_bit_errors_let_a_wrong_ack_through() {
    for (wide, settings) in [(false, 3000), (true, 1500)] {
        let effects = effects(Codec::Own { checksum: false, wide }, settings);
        let wrong = |hit: Hit| effects[&hit].wrong as f64 / effects[&hit].flips as f64;
        assert_eq!(effects[&Hit::Cid].wrong + effects[&Hit::Cid].stopped, 0, "wide: {wide}");
        for kind in Kind::ALL {
            let most = if matches!(kind, Kind::Delta | Kind::Extended) { 0.01 } else { 0.08 };
            assert!(wrong(Hit::Code(kind)) < most, "{kind:?}, wide: {wide}: {}", wrong(Hit::Code(kind)));
        }
        assert!(wrong(Hit::Msn) < 0.05, "wide: {wide}");
    }
}

/// The TCP checksum is a sum: it does not see a segment that went to the acknowledgment number instead of to a SACK block's edge, which is what a flipped step does; and it
/// does not cover the IP header, identification and TTL. All else stops there.
#[test]
fn with_the_tcp_checksum_hardly_any_lets_one_through_that_a_tcp_would_take_for_another() {
    for codec in CODECS.into_iter().filter(|codec| !matches!(codec, Codec::Own { checksum: false, .. })) {
        let effects = effects(codec, 150);
        let (flips, wrong) = effects.values().fold((0, 0), |sum, hit| (sum.0 + hit.flips, sum.1 + hit.wrong_tcp));
        println!("{codec:?}: {wrong} of {flips}");
        assert!(wrong * 10_000 < flips, "{codec:?}: a wrong ACK came out of {wrong} of {flips} flips");
    }
}

const CID: Cid = Cid(0x5a);
