use ackless_phy::{Band, GuardInterval, HtMode, OfdmRate, Standard, TxVector, Width};

use super::*;

const FOOTNOTE_4: BatchLimit = BatchLimit::Txop(Duration::from_millis(4));

fn a(rate: OfdmRate) -> Download {
    Download::over(Link::of(Standard::A, Band::Ghz5, TxVector::ofdm(rate, Band::Ghz5)))
}

fn n(mcs: u8, limit: BatchLimit) -> Download {
    let mode = HtMode::new(mcs, Width::Mhz40, GuardInterval::Short, Band::Ghz5).expect("an HT mode");
    Download::over(Link::of(Standard::N, Band::Ghz5, TxVector::Ht(mode))).bounded(limit)
}

/// Asserts the packets of a cycle and its durations in tenths of a microsecond: data, ACKs, appended bytes.
#[track_caller]
fn assert_cycle(download: &Download, packets: u64, data: u64, acks: u64, appended: u64) {
    let tenths = |tenths| Duration::from_nanos(tenths * 100);
    let (tcp, hack, udp) = (download.tcp(), download.hack(), download.udp());
    assert_eq!((tcp.packets, hack.packets, udp.packets), (packets, packets, packets));
    assert_eq!((tcp.data, tcp.acks, tcp.appended), (tenths(data), tenths(acks), Duration::ZERO));
    assert_eq!((hack.data, hack.acks, hack.appended), (tenths(data), Duration::ZERO, tenths(appended)));
    assert_eq!((udp.data, udp.duration()), (tenths(data), tenths(data)));
    let goodput = |payload: u64, tenths: u64| payload * packets * 8 * 10_000_000 / tenths;
    assert_eq!(tcp.goodput().bps(), goodput(1_448, data + acks));
    assert_eq!(hack.goodput().bps(), goodput(1_448, data + appended));
    assert_eq!(udp.goodput().bps(), goodput(1_472, data));
}

// In what follows: bits of a payload are 16 of SERVICE, 8 for each byte, and 6 of tail (12 with two encoders). MPDUs are 36
// bytes longer than IP packets in 802.11a and 38 in 802.11n, where A-MPDU subframes have 4 of delimiter and are padded to
// multiples of 4: 1544 bytes for a segment (the last one 1542), 96 for an ACK (the last one 94).

#[test]
fn a_at_54_mbps_two_frames_and_an_ack() {
    // Data: 12,310 bits in 57 symbols of 216: 20 + 228. Ack at 24 Mbps: 134 bits in 2 symbols of 96: 20 + 8.
    // DIFS 34, back-off 7.5 * 9. ACK: 726 bits in 4 symbols: 20 + 16.
    let data = 340 + 675 + 2480 + 160 + 280;
    let ack = 340 + 675 + 360 + 160 + 280;
    // 5 bytes more: 174 bits are 2 symbols still.
    assert_cycle(&a(OfdmRate::Mbps54), 2, 2 * data, ack, 0);
}

#[test]
fn a_at_6_mbps_two_frames_and_an_ack() {
    // Data: 12,310 bits in 513 symbols of 24: 20 + 2052. Ack at 6 Mbps: 134 bits in 6 symbols: 20 + 24.
    // ACK: 726 bits in 31 symbols: 20 + 124.
    let data = 340 + 675 + 20_720 + 160 + 440;
    let ack = 340 + 675 + 1_440 + 160 + 440;
    // 5 bytes more: 174 bits in 8 symbols, 2 more.
    assert_cycle(&a(OfdmRate::Mbps6), 2, 2 * data, ack, 80);
}

#[test]
fn n_at_15_mbps_within_a_txop_of_4_ms() {
    // BlockAck at 6 Mbps: 278 bits in 12 symbols of 24: 20 + 48. Room for the PPDU: 4000 - 16 - 68 = 3916.
    // 4 segments: 3 * 1544 + 1542 = 6174 bytes, 49,414 bits in 916 symbols of 54, 3297.6 us, in whole 4 us 3300: 36 + 3300.
    // A fifth: 7718 bytes, 1144 symbols, 36 + 4120. 2 ACKs: 96 + 94 = 190 bytes, 1542 bits, 29 symbols, 104.4: 36 + 108.
    let data = 430 + 675 + 33_360 + 160 + 680;
    let acks = 430 + 675 + 1_440 + 160 + 680;
    // 2 * 4.36 in 9 bytes: 41 of answer, 350 bits in 15 symbols, 3 more.
    assert_cycle(&n(0, FOOTNOTE_4), 4, data, acks, 120);
}

#[test]
fn n_at_15_mbps_within_the_longest_ppdu() {
    // 6 segments: 5 * 1544 + 1542 = 9262 bytes, 74,118 bits in 1373 symbols, 4942.8: 36 + 4944. A seventh: 36 + 5768 > 5484.
    // 3 ACKs: 2 * 96 + 94 = 286 bytes, 2310 bits, 43 symbols, 154.8: 36 + 156.
    let data = 430 + 675 + 49_800 + 160 + 680;
    let acks = 430 + 675 + 1_920 + 160 + 680;
    // 3 * 4.36 in 14 bytes: 46 of answer, 390 bits in 17 symbols, 5 more.
    assert_cycle(&n(0, BatchLimit::Ppdu), 6, data, acks, 200);
}

#[test]
fn n_at_15_mbps_bounded_by_length_alone() {
    // 42 segments: 41 * 1544 + 1542 = 64,846 bytes, 518,790 bits in 9608 symbols, 34,588.8: 36 + 34,592.
    // 21 ACKs: 20 * 96 + 94 = 2014 bytes, 16,134 bits, 299 symbols, 1076.4: 36 + 1080.
    let data = 430 + 675 + 346_280 + 160 + 680;
    let acks = 430 + 675 + 11_160 + 160 + 680;
    // 21 * 4.36 in 92 bytes: 124 of answer, 1014 bits in 43 symbols, 31 more.
    assert_cycle(&n(0, BatchLimit::Length), 42, data, acks, 1_240);
}

#[test]
fn n_at_30_mbps_with_a_txop_alternates_between_four_and_five_acks() {
    // BlockAck at 12 Mbps: 278 bits in 6 symbols of 48: 20 + 24. Room for the PPDU: 4000 - 16 - 44 = 3940.
    // 9 segments: 8 * 1544 + 1542 = 13,894 bytes, 111,174 bits in 1030 symbols of 108, 3708: 36 + 3708.
    // A tenth: 15,438 bytes, 1144 symbols, 36 + 4120.
    // 4 ACKs: 382 bytes, 3078 bits, 29 symbols, 104.4: 36 + 108. 5: 478 bytes, 3846 bits, 36 symbols, 129.6: 36 + 132.
    let data = 430 + 675 + 37_440 + 160 + 440;
    let four = 430 + 675 + 1_440 + 160 + 440;
    let five = 430 + 675 + 1_680 + 160 + 440;
    // 18 and 22 bytes appended: 422 bits in 9 symbols, 454 bits in 10: 3 and 4 more.
    assert_cycle(&n(1, FOOTNOTE_4), 18, 2 * data, four + five, 120 + 160);
}

#[test]
fn n_at_150_mbps_holds_42_segments_whatever_the_limit() {
    // 64,846 bytes, 518,790 bits in 961 symbols of 540, 3459.6: 36 + 3460. BlockAck at 24 Mbps: 3 symbols: 20 + 12.
    // 2014 bytes, 16,134 bits in 30 symbols, 108: 36 + 108.
    let data = 430 + 675 + 34_960 + 160 + 320;
    let acks = 430 + 675 + 1_440 + 160 + 320;
    // 124 bytes of answer: 1014 bits in 11 symbols of 96, 8 more.
    for limit in [BatchLimit::Length, BatchLimit::Ppdu, FOOTNOTE_4] {
        assert_cycle(&n(7, limit), 42, data, acks, 320);
    }
}

#[test]
fn n_at_600_mbps_with_four_streams_and_two_encoders() {
    // 518,796 bits in 241 symbols of 2160, 867.6: 32 + 4 * 4 and 868. 16,140 bits in 8 symbols, 28.8: 48 + 32.
    let data = 430 + 675 + 9_160 + 160 + 320;
    let acks = 430 + 675 + 800 + 160 + 320;
    for limit in [BatchLimit::Length, FOOTNOTE_4] {
        assert_cycle(&n(31, limit), 42, data, acks, 320);
    }
}

#[test]
fn compressed_acks_of_no_length_make_hack_as_fast_as_udp() {
    for download in [a(OfdmRate::Mbps6), n(0, FOOTNOTE_4), n(31, BatchLimit::Ppdu)] {
        let free = download.with_compressed(CompressedSize::ZERO);
        assert_eq!(free.hack().duration(), free.udp().duration());
        // The same packets: only the headers inside differ.
        assert_eq!(free.hack().payload * 1_472, free.udp().payload * 1_448);
    }
}

#[test]
fn ever_sparser_acks_make_tcp_as_fast_as_hack() {
    let sparse = |l| Download { segments_per_ack: l, ..n(7, FOOTNOTE_4) };
    let gaps = [1, 2, 6, 42, 420, 42_000].map(|l| {
        let download = sparse(l);
        download.tcp().duration().as_secs_f64() / download.hack().duration().as_secs_f64()
    });
    assert!(gaps.is_sorted_by(|a, b| a > b), "{gaps:?}");
    assert!(gaps[5] < 1.0001, "{gaps:?}");
    assert_eq!(sparse(420).tcp().data_ppdus, 10);
    assert_eq!(sparse(420).tcp().ack_ppdus, 1);
}

#[test]
fn a_longer_txop_never_costs_goodput_and_a_short_one_still_sends_a_packet() {
    let goodputs = [0, 500, 1_000, 2_000, 4_000, 8_000]
        .map(|micros| n(4, BatchLimit::Txop(Duration::from_micros(micros))).hack().goodput());
    assert!(goodputs.is_sorted(), "{goodputs:?}");
    assert_eq!(n(4, BatchLimit::Txop(Duration::ZERO)).data_exchange().packets, 1);
    // A TXOP does not lengthen PPDUs.
    let long = n(0, BatchLimit::Txop(Duration::from_secs(1)));
    assert_eq!(long.tcp(), n(0, BatchLimit::Ppdu).tcp());
}

#[test]
fn sizes_read_and_print_to_the_thousandth() {
    for (text, milli) in [("4.36", 4_360), ("0", 0), ("3", 3_000), ("0.005", 5), ("1000", 1_000_000), ("6.1", 6_100)] {
        let size: CompressedSize = text.parse().expect("a size");
        assert_eq!(size, CompressedSize(milli));
        assert_eq!(size.to_string(), text);
    }
    for text in ["", ".", "4.", ".5", "-1", "+1", "4,36", "1e3", "4.3600", "1000.001", "99999999999999999999"] {
        assert_eq!(text.parse::<CompressedSize>(), Err(CompressedSizeError), "{text}");
    }
    assert_eq!(CompressedSize::PAPER.total(21), Bytes(92));
}
