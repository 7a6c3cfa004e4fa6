use super::*;
use crate::coding::{Band, GuardInterval, Width};
use crate::ht::HtMode;

fn ht(mcs: u8, width: Width) -> TxVector {
    TxVector::Ht(HtMode::new(mcs, width, GuardInterval::Short, Band::Ghz5).expect("an HT mode"))
}

fn of(mpdus: &[u64], spacing: MpduSpacing) -> u64 {
    let empty = AmpduLength::new(ht(7, Width::Mhz40), spacing);
    mpdus.iter().fold(empty, |ampdu, &mpdu| ampdu.with(Bytes(mpdu))).len().get()
}

#[test]
fn every_subframe_but_the_last_is_padded() {
    assert_eq!(of(&[], MpduSpacing::None), 0);
    assert_eq!(of(&[1538], MpduSpacing::None), 4 + 1538);
    assert_eq!(of(&[1538, 1538], MpduSpacing::None), 1544 + 1542);
    assert_eq!(of(&[1, 4, 3], MpduSpacing::None), 8 + 8 + 7);
}

#[test]
fn forty_two_mpdus_of_1538_bytes_fill_an_ht_ampdu() {
    let mut ampdu = AmpduLength::new(ht(7, Width::Mhz40), MpduSpacing::None);
    while ampdu.with(Bytes(1538)).len() <= HtMode::MAX_PSDU {
        ampdu = ampdu.with(Bytes(1538));
    }
    assert_eq!((ampdu.mpdus(), ampdu.len()), (42, Bytes(41 * 1544 + 1542)));
}

#[test]
fn short_mpdus_are_spaced_by_empty_delimiters() {
    // 8 us at 150 Mbps are 150 bytes, 152 with padding: a 52-byte MPDU is followed by 24 empty delimiters.
    assert_eq!(of(&[52, 52], MpduSpacing::Micros8), 152 + 56);
    assert_eq!(of(&[52, 52, 52], MpduSpacing::Micros8), 2 * 152 + 56);
    assert_eq!(of(&[1538, 52], MpduSpacing::Micros8), 1544 + 56, "a long MPDU needs none");
    assert_eq!(of(&[52], MpduSpacing::Micros16), 56, "nothing follows the last");
}

#[test]
fn the_longest_mpdu_that_a_budget_has_room_for_fits_and_no_longer_one() {
    for spacing in MpduSpacing::ALL {
        for before in [&[][..], &[52], &[1538, 52], &[1, 4, 3]] {
            let empty = AmpduLength::new(ht(7, Width::Mhz40), spacing);
            let ampdu = before.iter().fold(empty, |ampdu, &mpdu| ampdu.with(Bytes(mpdu)));
            for budget in 0..2_000 {
                let room = ampdu.room(Bytes(budget));
                assert!(room == Bytes(0) || ampdu.with(room).len() <= Bytes(budget), "{before:?}, {budget}");
                assert!(ampdu.with(room + Bytes(1)).len() > Bytes(budget), "{before:?}, {budget}");
            }
        }
    }
}

#[test]
fn spacing_in_bytes_is_never_short_of_the_time() {
    let rate = ht(7, Width::Mhz20).rate();
    assert_eq!(rate.bps(), 72_222_222);
    let bytes = MpduSpacing::ALL.map(|spacing| spacing.bytes(rate).get());
    assert_eq!(bytes, [0, 3, 5, 10, 19, 37, 73, 145]);
}
