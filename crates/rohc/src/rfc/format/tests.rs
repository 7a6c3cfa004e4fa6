use super::super::state::{IpIdBehavior, sample};
use super::*;

fn all() -> impl Iterator<Item = (&'static Format, bool)> {
    RND.iter().map(|format| (format, false)).chain(SEQ.iter().map(|format| (format, true)))
}

fn old(sequential: bool) -> State {
    let behavior = if sequential { IpIdBehavior::Sequential } else { IpIdBehavior::Random };
    State { behavior, ..sample() }
}

#[test]
fn every_header_is_whole_bytes_of_the_length_that_the_rfc_gives() {
    let lengths = [2, 2, 3, 4, 4, 5, 6, 7, 2, 3, 4, 4, 5, 6, 6, 7];
    for ((format, sequential), bytes) in all().zip(lengths) {
        let mut out = Vec::new();
        format.write(&old(sequential), false, b"header", &mut out);
        assert_eq!(out.len(), bytes, "{}", format.kind);
        assert!(format.fields.len() <= MAX_FIELDS);
    }
}

#[test]
fn no_first_octet_has_two_meanings() {
    for sequential in [false, true] {
        let formats = if sequential { &SEQ } else { &RND };
        for first in 0..=255_u8 {
            let known = formats.iter().filter(|format| first >> (8 - format.mark_len) == format.mark).count();
            let other = first >= 0b1110_0000;
            assert_eq!(known, usize::from(!other), "{first:#010b}, sequential: {sequential}");
        }
    }
}

#[test]
fn every_header_brings_all_that_it_carries() {
    for (format, sequential) in all() {
        let old = old(sequential);
        let mut new = old.clone();
        new.msn = old.msn.wrapping_add(3);
        new.header.ip_id = old.header.ip_id.wrapping_add(4);
        for (change, apply) in [
            // Downwards: rnd_8 reaches 65,535 back and nothing on.
            (Changes::SEQ, (|state| state.header.seq -= 200) as fn(&mut State)),
            (Changes::ACK, |state| state.header.ack += 2920),
            (Changes::WINDOW, |state| state.header.window += 100),
            (Changes::HOPS, |state| state.header.hops -= 2),
            (Changes::ECN_USED, |state| state.ecn_used = true),
            (Changes::RSF, |state| state.header.flags |= 1),
        ] {
            if format.carries.contains(change) {
                apply(&mut new);
            }
        }
        assert!(format.fields.iter().all(|field| field.fits(&old, &new)), "{}", format.kind);
        assert_eq!(new.changes_since(&old), format.carries - Changes::LIST, "{}", format.kind);
        let mut out = Vec::new();
        format.write(&new, true, b"header", &mut out);
        let recognised = Format::recognise(out[0], sequential).map(|format| format.kind);
        assert_eq!(recognised, Some(format.kind));
        let mut came = old.clone();
        let mut reader = Reader::new(&out);
        let rest = format.read(&mut reader, &mut came).expect("what was written can be read");
        assert_eq!(reader.left(), 0, "{}", format.kind);
        assert_eq!(rest.list_present, format.has_list(), "{}", format.kind);
        if !sequential {
            new.header.ip_id = old.header.ip_id;
        }
        assert_eq!(came, new, "{}", format.kind);
    }
}

#[test]
fn seq_4_worked_by_hand() {
    // Stride 1460: 2,000,000,123 is 1,369,863 strides (low bits 0111) and 143 over. Two strides on: 1001.
    // MSN 7 to 8; identification 0x1234 to 0x1235, so the distance stays 0x122d: low bits 101.
    let old = sample();
    let mut new = old.clone();
    new.msn += 1;
    new.header.ip_id += 1;
    new.header.ack += 2 * 1460;
    let format = Format::shortest(&new, new.changes_since(&old), [&old].into_iter()).expect("a short one fits");
    assert_eq!(format.kind, PacketType::Seq4);
    let mut out = Vec::new();
    format.write(&new, false, b"123456789", &mut out);
    let (scaled, ip_id, msn, crc) = (0b1001, 0b101, 8, 0x6);
    assert_eq!(out, [scaled << 3 | ip_id, msn << 4 | crc]);
}
