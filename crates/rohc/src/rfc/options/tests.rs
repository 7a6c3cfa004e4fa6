use super::super::bits::Reader;
use super::super::error::Error;
use super::*;

fn placed(raw: &[u8], table: &mut Table) -> List {
    Scanned::new(raw).expect("the options are well formed").place(table)
}

fn listed(raw: &[u8], ack: u32) -> Vec<u8> {
    let mut table = Table::default();
    let list = placed(raw, &mut table);
    let mut out = Vec::new();
    write_list(&list, &table, u16::MAX, ack, &mut out);
    let mut read = Table::default();
    let (again, present) = read_list(&mut Reader::new(&out), &mut read, ack).expect("what was written can be read");
    assert_eq!((again, present.count_ones() as usize), (list, list.indexes().len()));
    let (bytes, len) = read.options(&again).expect("a whole header");
    assert_eq!(&bytes[..len], raw);
    out
}

#[test]
fn timestamps_behind_two_nops_make_a_list_of_three() {
    let wire = listed(&[1, 1, 8, 10, 0, 1, 2, 3, 4, 5, 6, 7], 0);
    assert_eq!(wire, [0x03, 0x88, 0xc0, 0, 1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn indexes_above_7_need_wide_fields() {
    let wire = listed(&[254, 4, 0xca, 0xfe], 0);
    assert_eq!(wire, [0x01, 0xf0, 254, 0x04, 0xca, 0xfe]);
    let wire = listed(&[254, 2, 253, 2], 0);
    assert_eq!(wire, [0x12, 0x87, 0x88, 254, 0x02, 253, 0x02]);
}

#[test]
fn the_padding_behind_the_end_is_counted_in_bits() {
    assert_eq!(listed(&[0, 0, 0, 0], 0), [0x01, 0x90, 24]);
    let mut table = Table::default();
    let (list, _) = read_list(&mut Reader::new(&[0x01, 0x90, 3]), &mut table, 0).expect("padding counted in bytes");
    assert_eq!(table.options(&list).map(|(_, len)| len), Some(4));
}

#[test]
fn sack_edges_stand_against_the_edge_before() {
    let mut raw = vec![1, 1, 5, 18];
    for edge in [1000_u32 + 0x7fff, 1000 + 0x7fff + 0x8000, 999, 999 + 0x40_0000] {
        raw.extend_from_slice(&edge.to_be_bytes());
    }
    let wire = listed(&raw, 1000);
    let mut expected = vec![0x03, 0x88, 0xe0, 2, 0x7f, 0xff, 0x80, 0x80, 0x00, 0xff];
    expected.extend_from_slice(&999_u32.wrapping_sub(1000 + 0x7fff + 0x8000).to_be_bytes());
    expected.extend_from_slice(&[0xc0, 0x40, 0, 0]);
    assert_eq!(wire, expected);
}

#[test]
fn a_timestamp_takes_the_fewest_bytes_that_every_reference_allows() {
    let raw = |stamp: u32| [&[1, 1, 8, 10][..], &stamp.to_be_bytes(), &stamp.to_be_bytes()].concat();
    for (old, new, bytes) in [
        (100, 101, 2),
        (100, 228, 2),
        (100, 229, 4),
        (100, 100, 6),
        (100, 100 + 16_384, 4),
        (100, 100 + 16_385, 6),
        (u32::MAX, 0, 2),
        (0, 0x1bff_ffff, 8),
    ] {
        let (mut before, mut after) = (Table::default(), Table::default());
        let list = placed(&raw(old), &mut before);
        placed(&raw(new), &mut after);
        let mut out = Vec::new();
        write_irregular(&list, &after, 0, 0, [&before].into_iter(), &mut out);
        assert_eq!(out.len(), bytes, "{old} to {new}");
        read_irregular(&mut Reader::new(&out), &list, 0, &mut before, 0).expect("what was written can be read");
        assert_eq!(before, after, "{old} to {new}");
    }
}

#[test]
fn a_timestamp_beyond_the_longest_encoding_is_lacking() {
    let table = |stamp: u32| Table { timestamps: Some([stamp, 0]), ..Table::default() };
    assert!(!table(0).lacks(TIMESTAMPS, &table(0x1bff_ffff)));
    assert!(table(0).lacks(TIMESTAMPS, &table(0x1c00_0000)));
}

#[test]
fn a_generic_option_is_in_the_irregular_chain_whether_it_changes_or_not() {
    let mut table = Table::default();
    let list = placed(&[254, 4, 1, 1], &mut table);
    let first = table.clone();
    assert_eq!(placed(&[254, 4, 1, 2], &mut table), list);
    assert!(!first.lacks(7, &table));
    let second = table.clone();
    placed(&[254, 4, 1, 3], &mut table);
    assert!(!second.lacks(7, &table));
    let mut out = Vec::new();
    write_irregular(&list, &table, 0, 0, [&second].into_iter(), &mut out);
    assert_eq!(out, [0, 1, 3]);
    let mut again = Vec::new();
    write_irregular(&list, &table, 0, 0, [&table].into_iter(), &mut again);
    assert_eq!(again, [0xff]);
}

#[test]
fn a_generic_option_that_others_announce_as_static_is_read_and_takes_nothing_in_the_irregular_chain() {
    let mut table = Table::default();
    let (list, present) = read_list(&mut Reader::new(&[0x01, 0xf0, 254, 0x84, 1, 1]), &mut table, 0).expect("a list");
    assert_eq!(present, 1);
    assert_eq!(table.options(&list).map(|(bytes, len)| bytes[..len].to_vec()), Some(vec![254, 4, 1, 1]));
    read_irregular(&mut Reader::new(&[]), &list, 0, &mut table, 0).expect("nothing is needed");
}

#[test]
fn two_options_of_one_kind_get_two_items() {
    let mut table = Table::default();
    let list = placed(&[30, 4, 1, 1, 30, 4, 1, 1], &mut table);
    assert_eq!(list.indexes(), [7, 8]);
}

#[test]
fn an_unlisted_item_that_differs_between_references_is_forgotten() {
    let mut new = Table { sack_permitted: true, timestamps: Some([1, 2]), ..Table::default() };
    let other = Table { timestamps: Some([1, 3]), ..new.clone() };
    new.forget_doubtful(&List::default(), [&other].into_iter());
    assert_eq!(new, Table { sack_permitted: true, ..Table::default() });
}

#[test]
fn what_a_list_cannot_carry_is_refused() {
    for raw in [
        &[8, 10, 0, 0][..],
        &[5, 2, 1, 1],
        &[0, 1, 1, 1],
        &[2],
        &[2, 0, 1, 1],
        &[4, 2, 4, 2],
        &[1; 16],
        &[77, 2, 77, 2, 77, 2, 77, 2, 77, 2, 77, 2, 77, 2, 77, 2, 77, 2, 77, 2],
    ] {
        assert_eq!(Scanned::new(raw).map(|_| ()), Err(Refused::Options), "{raw:?}");
    }
}

#[test]
fn malformed_lists_are_errors() {
    for (wire, error) in [
        (&[0x21, 0x80][..], Error::Malformed),
        (&[0x01, 0x81], Error::Malformed),
        (&[0x11, 0xf0], Error::Malformed),
        (&[0x03, 0x88], Error::Truncated),
        (&[0x01, 0xe0, 5], Error::Malformed),
        (&[0x11, 0x87, 254, 0x81], Error::Malformed),
        (&[0x11, 0x87, 254, 0xff], Error::Malformed),
        (&[0x11, 0x87, 254, 0x83], Error::Truncated),
        (&[0x01, 0xe0, 1, 0xe0, 0], Error::Malformed),
    ] {
        assert_eq!(read_list(&mut Reader::new(wire), &mut Table::default(), 0), Err(error), "{wire:?}");
    }
}
