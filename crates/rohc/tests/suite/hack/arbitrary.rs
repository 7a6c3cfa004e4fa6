//! Arbitrary bytes, and the limits of frames.

use ackless_rohc::hack::{
    Ack, Cid, Code, Codec, Compressor, Decompressor, Frame, FrameError, FrameWriter, Malformed, Refused,
};
use ackless_wire::random::{Purpose, Stream};

use super::CODECS;
use super::acks::Flow;

#[test]
fn arbitrary_bytes_are_read_or_refused() {
    let mut random = Stream::new(1, 0, Purpose::Test);
    let (mut frames, mut acks) = ([0; CODECS.len()], [0; CODECS.len()]);
    for seed in 0..200_000 {
        let len = random.below(40) as usize;
        // Half of the bytes begin short codes, or else hardly anything would be well-formed.
        let bytes: Vec<u8> =
            (0..len).map(|_| random.bits() as u8 & if random.chance(0.5) { 0x7f } else { 0xff }).collect();
        let codec = random.below(CODECS.len() as u64) as usize;
        let (codec, frames, acks) = (CODECS[codec], &mut frames[codec], &mut acks[codec]);
        let Ok(frame) = Frame::read(codec, &bytes) else { continue };
        *frames += 1;
        let mut ap = Decompressor::new(codec);
        ap.install(&Flow::new(Stream::new(seed % 100, 1, Purpose::Test), 0.0).next());
        for run in frame.runs() {
            assert_eq!(run.codes().count(), run.len().map_or(0, usize::from), "seed {seed}");
            // The reader's own MSN, so that decoding begins.
            let msn = ap.expected().to_be_bytes();
            let mut own = vec![run.cid().0];
            own.extend(&msn[3 - codec.run_header()..]);
            own.extend(run.bytes());
            let frame = Frame::read(codec, &own).expect("only the MSN is another");
            let run = frame.runs().next().expect("there is a run");
            *acks += ap.decode(&run).expect("the MSN is the expected one").filter(Result::is_ok).count();
        }
    }
    assert!(frames.iter().all(|&frames| frames > 2_500), "{frames:?} frames, {acks:?} ACKs");
    for (codec, acks) in CODECS.into_iter().zip(acks) {
        // A TCP checksum fits by chance once in 65,536 times.
        let fits = matches!(codec, Codec::Own { checksum: false, .. });
        assert!(if fits { acks > 250 } else { acks < 3 }, "{codec:?}: {acks} ACKs");
    }
}

/// Behind well-formed packets, whose bytes are then changed, cut or added to: nothing panics, and no run brings out more than 127 ACKs.
#[test]
fn damaged_packets_of_the_rfc_are_read_or_refused() {
    let codec = Codec::Rfc6846;
    let mut random = Stream::new(4, 0, Purpose::Test);
    let (mut frames, mut acks) = (0, 0);
    for seed in 0..3_000 {
        let mut flow = Flow::new(Stream::new(seed, 1, Purpose::Test), 0.0);
        let (mut client, mut ap) = (Compressor::new(codec), Decompressor::new(codec));
        let native = flow.next();
        client.install(&native);
        ap.install(&native);
        let codes: Vec<_> = (0..5).map(|_| client.compress(&flow.next()).expect("the context is open")).collect();
        let mut bytes = Vec::new();
        let mut writer = FrameWriter::new(codec, &mut bytes, usize::MAX);
        writer.run(Cid(1), &codes);
        if random.chance(0.5) {
            writer.run(Cid(2), &codes);
        }
        for _ in 0..20 {
            let mut damaged = bytes.clone();
            for _ in 0..random.below(3) {
                let at = random.below(damaged.len() as u64) as usize;
                damaged[at] = random.bits() as u8;
            }
            damaged.truncate(random.below(2 * damaged.len() as u64) as usize);
            damaged.extend((0..random.below(3) * random.below(200)).map(|_| random.bits() as u8));
            let Ok(frame) = Frame::read(codec, &damaged) else { continue };
            frames += 1;
            let mut ap = ap.clone();
            for run in frame.runs() {
                let came = ap.decode(&run).map_or(0, |decode| decode.filter(Result::is_ok).count());
                assert!(came <= usize::from(codec.max_outstanding()), "seed {seed}");
                acks += came;
            }
        }
    }
    assert!(frames > 10_000 && acks > 10_000, "{frames} frames, {acks} ACKs");
}

#[test]
fn a_run_of_the_rfcs_packets_reads_alike_by_itself_and_among_others() {
    for seed in 0..200_000 {
        let mut random = Stream::new(seed, 0, Purpose::Test);
        let mut bytes = vec![1, 2];
        // Two runs whose bytes are often those that say something.
        let first: Vec<_> = (0..1 + random.below(4)).map(|_| telling(&mut random)).collect();
        bytes.extend([0xff, 0, first.len() as u8]);
        bytes.extend(&first);
        bytes.extend([3, 4, telling(&mut random), telling(&mut random)]);
        let Ok(frame) = Frame::read(Codec::Rfc6846, &bytes) else { continue };
        for run in frame.runs() {
            let own = [&[run.cid().0, run.msn() as u8], run.bytes()].concat();
            let alone = Frame::read(Codec::Rfc6846, &own).map(|frame| frame.runs().collect::<Vec<_>>());
            assert_eq!(alone, Ok(vec![run]), "seed {seed}: {bytes:02x?}");
        }
    }
}

/// A byte, often one that begins, separates or counts something.
fn telling(random: &mut Stream) -> u8 {
    if random.chance(0.5) { [0xff, 0, 1, 2][random.below(4) as usize] } else { random.bits() as u8 }
}

#[test]
fn a_reader_of_the_rfcs_packets_says_where_and_why() {
    let read = |bytes: &[u8]| {
        let frame = Frame::read(Codec::Rfc6846, bytes)?;
        Ok(frame.runs().map(|run| (run.cid().0, run.msn(), run.bytes().to_vec())).collect::<Vec<_>>())
    };
    assert_eq!(read(&[]), Err(FrameError::Length(0)));
    assert_eq!(read(&[7]), Err(FrameError::Code(0, Malformed::Truncated)));
    assert_eq!(read(&[7, 0]), Err(FrameError::Count(0)));
    assert_eq!(read(&[7, 9, 1, 2, 0xff]), Ok(vec![(7, 9, vec![1, 2, 0xff])]));
    assert_eq!(read(&[7, 9, 0xff, 0, 2, 1, 2, 8, 3, 4]), Ok(vec![(7, 9, vec![1, 2]), (8, 3, vec![4])]));
    assert_eq!(read(&[7, 9, 0xff, 0, 2, 1, 2, 7, 3, 4]), Err(FrameError::Repeated(7)));
    assert_eq!(read(&[7, 9, 0xff, 0, 2, 1, 2, 8, 3]), Err(FrameError::Count(7)));
    assert_eq!(read(&[7, 9, 0xff, 0, 0, 8, 3, 4]), Err(FrameError::Count(0)));
    for length_without_need in [&[7, 9, 0xff, 0, 2, 1, 2][..], &[7, 9, 0xff, 0, 3, 1, 2]] {
        assert_eq!(read(length_without_need), Err(FrameError::Code(5, Malformed::Truncated)));
    }
    assert_eq!(read(&[7, 9, 0xff, 0]), Err(FrameError::Code(2, Malformed::Truncated)));
    let segment = Err(FrameError::Code(5, Malformed::Reserved(0xff)));
    assert_eq!(read(&[7, 9, 0xff, 0, 1, 0xff, 8, 3, 4]), segment, "no packet begins with what separates two runs");
}

#[test]
fn a_frame_cut_short_anywhere_is_no_frame_or_lacks_codes() {
    let mut flow = Flow::new(Stream::new(3, 1, Purpose::Test), 0.5);
    let (bytes, ends) = frame_of(&mut flow, 30);
    for end in 0..bytes.len() {
        match Frame::read(Codec::default(), &bytes[..end]) {
            Ok(frame) => assert_eq!(frame.runs().next().map(|run| run.bytes().len() + 2), Some(end)),
            Err(FrameError::Length(0)) => assert_eq!(end, 0),
            Err(FrameError::Code(_, Malformed::Truncated) | FrameError::Count(0)) => assert!(!ends.contains(&end)),
            Err(other) => panic!("{end}: {other:?}"),
        }
    }
}

/// A frame with one run of `count` codes, and where its codes end.
fn frame_of(flow: &mut Flow, count: usize) -> (Vec<u8>, Vec<usize>) {
    let codes = codes_of(flow, count);
    let mut bytes = Vec::new();
    let written = FrameWriter::new(Codec::default(), &mut bytes, usize::MAX).run(Cid(1), &codes);
    assert_eq!(usize::from(written), count);
    let ends = codes.iter().scan(2, |end, code| {
        *end += code.bytes().len();
        Some(*end)
    });
    (bytes, ends.collect())
}

fn codes_of(flow: &mut Flow, count: usize) -> Vec<Code> {
    let mut client = Compressor::default();
    client.install(&flow.next());
    (0..count).map(|_| client.compress(&flow.next()).expect("the context is open")).collect()
}

#[test]
fn a_reader_says_where_and_why() {
    let read = |bytes: &[u8]| Frame::read(Codec::default(), bytes).map(|_| ());
    assert_eq!(read(&[]), Err(FrameError::Length(0)));
    assert_eq!(read(&[0; Frame::MAX_LEN + 1]), Err(FrameError::Length(Frame::MAX_LEN + 1)));
    assert_eq!(read(&[7]), Err(FrameError::Code(0, Malformed::Truncated)));
    assert_eq!(read(&[7, 0]), Err(FrameError::Count(0)));
    assert_eq!(read(&[7, 0, 0, 0xf0]), Err(FrameError::Code(3, Malformed::Reserved(0xf0))));
    assert_eq!(read(&[7, 0, 0, 0xff]), Err(FrameError::Code(3, Malformed::Truncated)));
    assert_eq!(read(&[7, 0, 0xff, 8, 0, 0]), Err(FrameError::Count(0)));
    assert_eq!(read(&[7, 0, 0, 0xff, 7, 0, 0]), Err(FrameError::Repeated(4)));
    assert_eq!(read(&[7, 0, 0, 0xff, 8, 0, 0]), Ok(()));
    // Stamps that Compact can say, a Delta with a field of nothing, an Extended without fields.
    assert_eq!(read(&[7, 0, 0xc0, 0x88]), Err(FrameError::Code(2, Malformed::Field)));
    assert_eq!(read(&[7, 0, 0x84, 0x00, 0x00]), Err(FrameError::Code(2, Malformed::Field)));
    assert_eq!(read(&[7, 0, 0x80, 0x80, 0x00]), Err(FrameError::Code(2, Malformed::Field)));
    let mut long = vec![7, 0];
    long.resize(2 + 127, 0);
    assert_eq!(read(&long), Ok(()));
    long.push(0);
    assert_eq!(read(&long), Err(FrameError::Count(0)));
    // With 16 bits of MSN a run may fill an answer.
    let wide = |bytes: &[u8]| Frame::read(Codec::Own { checksum: false, wide: true }, bytes).map(|_| ());
    assert_eq!(wide(&[7, 0]), Err(FrameError::Code(0, Malformed::Truncated)));
    assert_eq!(wide(&[7, 0, 0]), Err(FrameError::Count(0)));
    assert_eq!(wide(&[7, 0, 0, 0, 0xff, 7, 0, 0, 0]), Err(FrameError::Repeated(5)));
    assert_eq!(wide(&[[7, 0, 0].as_slice(), &[0; 4_060]].concat()), Ok(()));
    assert_eq!(wide(&[[7, 0, 0].as_slice(), &[0; 4_061]].concat()), Err(FrameError::Length(4_064)));
}

#[test]
fn a_writer_keeps_to_its_limit_and_starts_no_run_that_it_cannot_fill() {
    let codes = codes_of(&mut Flow::new(Stream::new(8, 1, Purpose::Test), 0.3), 127);
    let lens: Vec<_> = codes.iter().map(|code| code.bytes().len()).collect();
    for limit in 0..300 {
        let mut bytes = vec![1, 2, 3];
        let mut writer = FrameWriter::new(Codec::default(), &mut bytes, limit);
        let counts = [writer.run(Cid(1), &codes), writer.run(Cid(2), &codes)];
        let body = |count: u16| lens[..usize::from(count)].iter().sum::<usize>();
        let expected = match counts {
            [0, 0] => 0,
            // A first code that is too long for the first run is too long for the second.
            [0, _] => panic!("limit {limit}: {counts:?}"),
            [first, 0] => 2 + body(first),
            [first, second] => 5 + body(first) + body(second),
        };
        assert_eq!(bytes.len() - 3, expected, "limit {limit}");
        assert!(expected <= limit);
    }
}

#[test]
fn a_context_refuses_what_it_cannot_say() {
    let (mut mine, mut other): (Flow, Flow) =
        (Flow::new(Stream::new(1, 1, Purpose::Test), 0.0), Flow::new(Stream::new(2, 1, Purpose::Test), 0.0));
    let mut client = Compressor::default();
    let ack: Ack = mine.next();
    assert_eq!(client.compress(&ack), Err(Refused::NoReference));
    client.install(&ack);
    let msn = client.msn();
    assert_eq!(client.compress(&other.next()), Err(Refused::OtherFlow));
    assert_eq!((client.msn(), client.reference()), (msn, Some(&ack)));
    client.invalidate();
    assert_eq!(client.compress(&ack), Err(Refused::NoReference));
}
