use super::*;
use crate::hack::contention;
use crate::hack::figure::percent_above;

const COLUMNS: [Column; 2] = [Column::B, Column::AG];

/// The gain of S_TCP over the standard exchange, both by the paper's terms.
fn gain(column: Column, segment: u64, segments_per_ack: u64) -> f64 {
    let (parameters, segment) = (column.parameters(), Bytes(segment));
    let standard = parameters.standard(segment, segments_per_ack);
    percent_above(parameters.agent(segment, MIN_CW_MIN).throughput(), standard.throughput())
}

/// The same by the standard's frames, and with contention.
fn gain_over_contending(column: Column, segment: u64, segments_per_ack: u64) -> f64 {
    let by_frames = column.by_the_standard(Bytes(segment), segments_per_ack);
    percent_above(download(&by_frames, MIN_CW_MIN).goodput(), contention::tcp(&by_frames).goodput)
}

#[track_caller]
fn assert_rounds_to(value: f64, expected: f64) {
    assert!((value - expected).abs() < 0.05, "{value}, not {expected}");
}

#[test]
fn the_terms_of_section_ii_sum_to_less_than_it_prints() {
    // 28 * 8 / 11 = 20.364, 1500 * 8 / 11 = 1090.910, 40 * 8 / 11 = 29.091, 14 * 8 / 2 = 56.
    let data = Parameters::B.frame(Bytes(1_500));
    let terms = data.terms().map(|(_, term)| term.as_nanos());
    assert_eq!(terms, [50_000, 192_000, 20_364, 1_090_910, 10_000, 192_000, 56_000]);
    assert_eq!(data.duration(), Duration::from_nanos(1_611_274));
    let ack = Parameters::B.frame(TCP_ACK);
    assert_eq!(ack.duration(), Duration::from_nanos(50_000 + 192_000 + 20_364 + 29_091 + 10_000 + 192_000 + 56_000));
    assert_eq!(ack.duration(), Duration::from_nanos(549_455));
    // With the mean back-off of minCWmin = 2, 10 us, both round to what is printed.
    let to_tens =
        |sum: Duration| (sum + Parameters::B.backoff(MIN_CW_MIN) + Duration::from_micros(5)).as_micros_floor() / 10;
    assert_eq!([data, ack].map(|frame| to_tens(frame.duration()) * 10), [1_620, 560]);
    assert_eq!([PRINTED_DATA, PRINTED_ACK].map(Duration::as_micros_floor), [1_620, 560]);
}

#[test]
fn an_ack_takes_a_quarter_of_the_air_by_either_sum() {
    // "More than 25 %": 560 of 2180, and 549.455 of 2160.729.
    assert_rounds_to(ack_share(PRINTED_DATA, PRINTED_ACK), 25.7);
    let [data, ack] = [Bytes(1_500), TCP_ACK].map(|payload| Parameters::B.frame(payload).duration());
    assert!((ack_share(data, ack) - 100.0 * 549_455.0 / 2_160_729.0).abs() < 1e-9);
    assert!(ack_share(data, ack) > 25.0);
    // One ACK for two packets: 549.455 of 3772.003.
    assert_rounds_to(ack_share(data * 2, ack), 14.6);
}

#[test]
fn s_tcp_is_7_3_mbps_in_802_11b_and_34_9_in_802_11a() {
    // 11b: 1111.274 + 56 + 2 * 192 + 10 + 50 + 20 / 2. 11a/g: 28 bytes 4.149, 1500 bytes 222.223, 112 bits 18.667 us, and
    // 2 * 20 + 16 + 34 + 9 / 2.
    let agent = COLUMNS.map(|column| column.parameters().agent(SEGMENT, MIN_CW_MIN));
    assert_eq!(agent.map(|round| round.duration().as_nanos()), [1_621_274, 339_539]);
    assert_eq!(agent.map(|round| round.throughput().bps()), [7_302_898, 34_870_810]);
    // Without the TCP header 1460 bytes.
    assert_eq!(agent[0].goodput().bps(), 1_460 * 8 * 1_000_000_000 / 1_621_274);
    assert_eq!(agent[1].goodput().bps(), 1_460 * 8 * 1_000_000_000 / 339_539);
}

#[test]
fn a_window_of_so_many_values_backs_off_by_half_of_one_less() {
    let backoffs = |column: Column| [1, 2, 16, 32].map(|values| column.parameters().backoff(values).as_nanos());
    assert_eq!(backoffs(Column::B), [0, 10_000, 150_000, 310_000]);
    assert_eq!(backoffs(Column::AG), [0, 4_500, 67_500, 139_500]);
    assert_eq!(Parameters::B.backoff(0), Duration::ZERO);
}

#[test]
fn the_standard_exchange_is_two_accesses_for_every_packet_or_three_for_two() {
    // 11b: 1611.274 + 310 and 549.455 + 310. 11a/g: 335.039 + 67.5 and, with 40 bytes in 5.926, 118.742 + 67.5.
    let each = COLUMNS.map(|column| column.parameters().standard(SEGMENT, 1));
    assert_eq!(
        each.map(|round| (round.data.as_nanos(), round.acks.as_nanos())),
        [(1_921_274, 859_455), (402_539, 186_242)]
    );
    for (column, each) in COLUMNS.into_iter().zip(each) {
        let delayed = column.parameters().standard(SEGMENT, 2);
        assert_eq!((delayed.data, delayed.acks, delayed.segments), (each.data * 2, each.acks, 2));
    }
    assert_eq!(each[0].throughput().bps(), 1_480 * 8 * 1_000_000_000 / 2_780_729);
}

#[test]
fn the_gains_of_figures_5_to_7_lie_between_these_forms() {
    // Figure 5, 60 %; figure 6, 65 %; figure 7, more than 100 % at 500 bytes: with an ACK for every packet, and delayed.
    let gains = |column, segment| {
        let sums = [1, 2].map(|l| gain(column, segment, l));
        let contending = [1, 2].map(|l| gain_over_contending(column, segment, l));
        [sums[0], sums[1], contending[0], contending[1]]
    };
    for (column, segment, expected) in [
        (Column::B, 1_480, [71.5, 45.0, 61.0, 39.3]),
        (Column::AG, 1_480, [73.4, 46.0, 71.0, 44.1]),
        (Column::B, 500, [127.6, 80.3, 103.8, 67.8]),
        (Column::AG, 500, [128.2, 80.3, 113.3, 71.3]),
    ] {
        for (ours, expected) in gains(column, segment).into_iter().zip(expected) {
            assert_rounds_to(ours, expected);
        }
    }
}

#[test]
fn shorter_segments_and_narrower_windows_gain_more() {
    for column in COLUMNS {
        for l in [1, 2] {
            assert!([100, 200, 500, 1_000, 1_480].map(|size| gain(column, size, l)).is_sorted_by(|a, b| a > b));
        }
        let rate = |values| column.parameters().agent(SEGMENT, values).throughput();
        assert!([1, 2, 4, 8, 16].map(rate).is_sorted_by(|a, b| a > b));
        let by_frames = column.by_the_standard(SEGMENT, 1);
        assert!([1, 2, 4, 8, 16].map(|values| download(&by_frames, values).goodput()).is_sorted_by(|a, b| a > b));
    }
}

#[test]
fn the_standard_s_frames_are_longer_than_the_paper_s_by_what_it_leaves_out() {
    // 11b: 1536 bytes in 1118 us for 1111.274; an Ack in 56. 11a/g: 12,310 bits in 57 symbols, 228 us for 226.372; an Ack in 6
    // symbols, 24 us for 18.667.
    let seen = COLUMNS.map(|column| {
        let exchange = column.by_the_standard(SEGMENT, 1).data_exchange();
        (exchange.data_payload.as_micros_ceil(), exchange.answer.as_micros_ceil(), exchange.wait.as_micros_ceil())
    });
    assert_eq!(seen, [(1_118, 192 + 56, 50), (228, 20 + 24, 34)]);
    // minCWmin = 2: 50 + 10 + 192 + 1118 + 10 + 248; 34 + 4.5 + 20 + 228 + 16 + 44.
    let zoomed = COLUMNS.map(|column| download(&column.by_the_standard(SEGMENT, 1), MIN_CW_MIN));
    assert_eq!(zoomed.map(|cycle| cycle.duration().as_nanos()), [1_628_000, 346_500]);
    assert_eq!(zoomed[0].goodput().bps(), 1_460 * 8 * 1_000_000_000 / 1_628_000);
}
