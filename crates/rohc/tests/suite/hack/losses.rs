//! Random flows through random losses: what comes out is what went in, each once and in order, or nothing.

use std::collections::BTreeMap;

use ackless_rohc::hack::{
    Ack, Cid, Code, Codec, Compressor, DecodeError, Decompressor, Frame, FrameWriter, Kind, Refused,
};
use ackless_wire::random::{Purpose, Stream};

use super::CODECS;
use super::acks::Flow;

/// One flow with both its ends, and what the client holds.
struct Pair {
    codec: Codec,
    flow: Flow,
    client: Compressor,
    ap: Decompressor,
    /// Compressed and not known to have arrived, oldest first.
    held: Vec<(Ack, Code)>,
    /// How many of the held ones, from the oldest, the AP has decoded.
    arrived: usize,
}

/// What happened in a world, so that a test can tell that it was worth its time.
#[derive(Debug, Default)]
struct Tally {
    kinds: BTreeMap<Kind, u64>,
    duplicates: u64,
    dropped: u64,
    full: u64,
    wraps: u64,
    partial: u64,
    refused: u64,
}

impl Pair {
    fn new(codec: Codec, flow: Flow) -> Self {
        let (client, ap) = (Compressor::new(codec), Decompressor::new(codec));
        Self { codec, flow, client, ap, held: Vec::new(), arrived: 0 }
    }

    /// An ACK goes natively: what is held is dropped. The ACK arrives or not, and if so the client knows it or not.
    fn native(&mut self, random: &mut Stream, tally: &mut Tally) {
        let ack = self.flow.next();
        self.goes_natively(ack, random, tally);
    }

    fn goes_natively(&mut self, ack: Ack, random: &mut Stream, tally: &mut Tally) {
        tally.dropped += u64::from(self.held.len() > self.arrived);
        self.held.clear();
        self.arrived = 0;
        self.client.invalidate();
        if random.chance(0.8) {
            self.ap.install(&ack);
            if random.chance(0.9) {
                self.client.install(&ack);
                assert_eq!(self.client.msn(), self.ap.expected());
            }
        }
    }

    /// An ACK is compressed and held, unless the context is closed or full.
    fn compress(&mut self, random: &mut Stream, tally: &mut Tally) {
        let full = self.held.len() == usize::from(self.codec.max_outstanding());
        tally.full += u64::from(full);
        if !self.client.is_ready() || full {
            return self.native(random, tally);
        }
        let ack = self.flow.next();
        let msn = self.client.msn();
        let code = match self.client.compress(&ack) {
            Ok(code) => code,
            // What names a flow of RFC 6846 has the flow label of IPv6 in it.
            Err(Refused::OtherFlow | Refused::TooLong(_)) if self.codec == Codec::Rfc6846 => {
                tally.refused += 1;
                return self.goes_natively(ack, random, tally);
            }
            Err(error) => panic!("an open context compresses every ACK of its flow: {error}"),
        };
        assert_eq!((code.msn(), self.client.msn()), (msn, msn.wrapping_add(1) & self.codec.max_msn()));
        assert_eq!(self.client.reference(), Some(&ack));
        if self.codec != Codec::Rfc6846 {
            *tally.kinds.entry(code.kind()).or_default() += 1;
        }
        tally.wraps += u64::from(msn == self.codec.max_msn());
        self.held.push((ack, code));
    }

    /// The client learns that its oldest held ones have arrived, all or some of them.
    fn confirm(&mut self, random: &mut Stream) {
        let known = random.below(self.arrived as u64 + 1) as usize;
        self.held.drain(..known);
        self.arrived -= known;
    }
}

/// An answer with what all pairs hold, as far as it fits, arrives.
fn answer(pairs: &mut [Pair], random: &mut Stream, tally: &mut Tally) {
    let mut bytes = vec![0xee; 10];
    let limit = if random.chance(0.3) { random.below(60) as usize } else { usize::MAX };
    let codec = pairs[0].codec;
    let mut writer = FrameWriter::new(codec, &mut bytes, limit);
    let counts: Vec<u16> =
        (0..).zip(&*pairs).map(|(cid, pair)| writer.run(Cid(cid), pair.held.iter().map(|(_, code)| code))).collect();
    let appended = &bytes[10..];
    if counts.iter().all(|&count| count == 0) {
        assert!(appended.is_empty());
        return;
    }
    assert!(appended.len() <= limit);
    let frame = Frame::read(codec, appended).expect("what was written can be read");
    let mut runs = frame.runs();
    for (cid, (pair, &count)) in (0..).zip(pairs.iter_mut().zip(&counts)) {
        if count == 0 {
            continue;
        }
        let run = runs.next().expect("each run that was written is there");
        assert_eq!((run.cid(), run.msn()), (Cid(cid), pair.held[0].1.msn()));
        let held = || pair.held[..usize::from(count)].iter().map(|(_, code)| code);
        assert_eq!(run.bytes(), held().flat_map(|code| code.bytes()).copied().collect::<Vec<_>>());
        if codec == Codec::Rfc6846 {
            assert_eq!((run.len(), run.codes().count()), (None, 0));
        } else {
            assert_eq!(run.len(), Some(count));
            assert!(run.codes().eq(held().map(|code| (code.kind(), code.bytes()))));
        }
        tally.partial += u64::from(usize::from(count) < pair.held.len());
        let decode = pair.ap.decode(&run).expect("a run of what is held fits behind what was decoded");
        tally.duplicates += u64::from(decode.duplicates());
        assert_eq!(usize::from(decode.duplicates()), pair.arrived.min(count.into()));
        let sent = &pair.held[pair.arrived.min(count.into())..count.into()];
        let mut decoded = 0;
        for ((ack, code), out) in sent.iter().zip(decode) {
            let out = out.expect("each code is right");
            assert_eq!((out.ack, out.msn), (*ack, code.msn()));
            assert_eq!(out.ack.to_packet(), ack.to_packet());
            decoded += 1;
        }
        assert_eq!(decoded, sent.len());
        pair.arrived = pair.arrived.max(count.into());
    }
    assert!(runs.next().is_none());
}

/// Runs a world of up to three flows with this seed.
fn world(seed: u64, steps: u64, tally: &mut Tally) {
    let mut random = Stream::new(seed, 0, Purpose::Test);
    let restless = [0.0, 0.02, 0.5][random.below(3) as usize];
    let flows = 1 + random.below(3);
    let codec = CODECS[seed as usize % CODECS.len()];
    let mut pairs: Vec<_> =
        (1..=flows).map(|n| Pair::new(codec, Flow::new(Stream::new(seed, n, Purpose::Test), restless))).collect();
    // Some worlds are patient: contexts fill up and MSNs wrap.
    let native = if random.chance(0.2) { 0.002 } else { 0.05 };
    let answered = if random.chance(0.2) { 0.01 } else { 0.2 };
    for _ in 0..steps {
        let pick = random.below(flows) as usize;
        if random.chance(native) {
            pairs[pick].native(&mut random, tally);
        } else if random.chance(answered) {
            // The answer arrives or not; if so, the client takes the next PPDU for a sign of it or not.
            if random.chance(0.7) {
                answer(&mut pairs, &mut random, tally);
            }
            if random.chance(0.7) {
                pairs.iter_mut().for_each(|pair| pair.confirm(&mut random));
            }
        } else {
            pairs[pick].compress(&mut random, tally);
        }
    }
}

#[test]
fn every_ack_comes_out_as_it_went_in_whatever_is_lost() {
    let mut tally = Tally::default();
    for seed in 0..12_000 {
        let steps = if seed % 10 == 0 { 1500 } else { 120 };
        let mut of_seed = std::mem::take(&mut tally);
        let result = std::panic::catch_unwind(move || {
            world(seed, steps, &mut of_seed);
            of_seed
        });
        tally = result.unwrap_or_else(|_| panic!("seed {seed}"));
    }
    println!("{tally:?}");
    for kind in Kind::ALL {
        assert!(tally.kinds[&kind] > 10_000, "{kind:?} is rare: {tally:?}");
    }
    let Tally { duplicates, dropped, full, wraps, partial, refused, .. } = tally;
    for count in [duplicates, dropped, full, wraps, partial, refused] {
        assert!(count > 100, "{tally:?}");
    }
}

/// A context with `count` codes ahead of the AP's end.
fn ahead(codec: Codec, seed: u64, count: usize) -> (Compressor, Decompressor, Vec<(Ack, Code)>) {
    // The RFC's packets cannot say another flow label.
    let restless = if codec == Codec::Rfc6846 { 0.0 } else { 0.02 };
    let mut flow = Flow::new(Stream::new(seed, 1, Purpose::Test), restless);
    let (mut client, mut ap) = (Compressor::new(codec), Decompressor::new(codec));
    let reference = flow.next();
    client.install(&reference);
    ap.install(&reference);
    let codes = (0..count)
        .map(|_| {
            let ack = flow.next();
            (ack, client.compress(&ack).expect("the context is open"))
        })
        .collect();
    (client, ap, codes)
}

/// The bytes of one run.
fn run_of(codec: Codec, codes: &[(Ack, Code)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let written = FrameWriter::new(codec, &mut bytes, usize::MAX).run(Cid(9), codes.iter().map(|(_, code)| code));
    assert_eq!(usize::from(written), codes.len());
    bytes
}

/// What the AP makes of the bytes of one run.
fn decoded(codec: Codec, ap: &mut Decompressor, bytes: &[u8]) -> Result<Vec<Ack>, DecodeError> {
    let frame = Frame::read(codec, bytes).expect("the run is well-formed");
    let run = frame.runs().next().expect("there is a run");
    ap.decode(&run)?.map(|out| out.map(|decoded| decoded.ack)).collect()
}

#[test]
fn behind_a_gap_nothing_comes_out_until_a_native_ack_mends_it() {
    for seed in 0..300 {
        let codec = CODECS[seed as usize % CODECS.len()];
        let (mut client, mut ap, codes) = ahead(codec, seed, 200);
        let msn = |from: u16, n: u16| from.wrapping_add(n) & codec.max_msn();
        let first = client.msn().wrapping_sub(200) & codec.max_msn();
        assert_eq!(decoded(codec, &mut ap, &run_of(codec, &codes[..3])).map(|acks| acks.len()), Ok(3), "seed {seed}");
        // One to 128 codes are missing.
        for missing in 1..=128 {
            let from = 3 + usize::from(missing);
            let end = (from + 2).min(codes.len());
            let expected = msn(first, 3);
            let gap = DecodeError::Gap { first: msn(expected, missing), expected, behind: 3 };
            assert_eq!(decoded(codec, &mut ap, &run_of(codec, &codes[from..end])), Err(gap), "seed {seed}");
        }
        let native = codes[199].0;
        client.install(&native);
        ap.install(&native);
        let ack = codes[198].0;
        let code = client.compress(&ack).expect("the context is open");
        assert_eq!(decoded(codec, &mut ap, &run_of(codec, &[(ack, code)])), Ok(vec![ack]), "seed {seed}");
    }
}

#[test]
fn a_run_from_before_an_installation_is_refused() {
    for codec in CODECS {
        let mut accepted = 0;
        for seed in 0..2000 {
            let (_, mut ap, codes) = ahead(codec, seed, 6);
            decoded(codec, &mut ap, &run_of(codec, &codes[..3])).expect("the run fits");
            ap.install(&codes[5].0);
            // The MSN after the installation is a hash; one in 256 (with 16 bits too: the high ones are 0) is the old run's by chance, and then the checks must
            // stop it.
            match decoded(codec, &mut ap, &run_of(codec, &codes[..3])) {
                Err(DecodeError::Gap { .. }) => {}
                Err(DecodeError::Checksum(_) | DecodeError::TcpChecksum(_) | DecodeError::Impossible) => accepted += 1,
                // Low bits of a number say it whatever the reference: then what comes out is right, and goes back behind it.
                Ok(acks) if codec == Codec::Rfc6846 && acks.iter().eq(codes[..3].iter().map(|(ack, _)| ack)) => {
                    accepted += 1;
                }
                other => panic!("{codec:?}, seed {seed}: {other:?}"),
            }
        }
        assert!((1..30).contains(&accepted), "{codec:?}: {accepted} of 2000 old runs had the new MSN");
    }
}

#[test]
fn up_to_127_duplicates_are_passed_over_around_the_wrap() {
    for seed in 0..50 {
        let codec = CODECS[seed as usize % CODECS.len()];
        let (_, mut ap, codes) = ahead(codec, seed, 600);
        for at in (0..codes.len() - 127).step_by(7) {
            // The AP has decoded all up to `at`; the run begins with up to 127 of those.
            for back in [0, 1, 63, 127] {
                let from = at.saturating_sub(back);
                let mut ap = ap.clone();
                let acks = decoded(codec, &mut ap, &run_of(codec, &codes[from..(from + 127).min(at + 7)]));
                let new: Vec<_> = codes[at..(from + 127).min(at + 7).max(at)].iter().map(|(ack, _)| *ack).collect();
                assert_eq!(acks, Ok(new), "seed {seed}, {back} back from {at}");
            }
            let next: Vec<_> = codes[at..at + 7].iter().map(|(ack, _)| *ack).collect();
            assert_eq!(decoded(codec, &mut ap, &run_of(codec, &codes[at..at + 7])), Ok(next));
        }
    }
}

#[test]
fn a_wrong_code_stops_the_run_and_the_right_one_mends_it() {
    // The lowest bit of its first byte: of a code of ours, its check; of a packet of the RFC, a number that moves no end of a packet, or its check.
    for codec in CODECS {
        let (_, mut ap, codes) = ahead(codec, 5, 20);
        let mut bytes = run_of(codec, &codes);
        let at = codec.run_header() + codes[..10].iter().map(|(_, code)| code.bytes().len()).sum::<usize>();
        bytes[at] ^= 1;
        let frame = Frame::read(codec, &bytes).expect("the checksum's bits do not move the ends of codes");
        let run = frame.runs().next().expect("there is a run");
        let out: Vec<_> = ap.decode(&run).expect("the run fits").collect();
        assert_eq!(out.len(), 11);
        assert!(out[..10].iter().zip(&codes).all(|(out, (ack, _))| out.is_ok_and(|out| out.ack == *ack)));
        assert_eq!(out[10], Err(DecodeError::Checksum(codes[10].1.msn())), "{codec:?}");
        let rest: Vec<_> = codes[10..].iter().map(|(ack, _)| *ack).collect();
        assert_eq!(decoded(codec, &mut ap, &run_of(codec, &codes)), Ok(rest));
    }
}
