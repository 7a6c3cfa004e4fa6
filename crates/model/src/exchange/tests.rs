use super::*;
use ackless_phy::{DsssRate, GuardInterval, HtMode, OfdmRate, VhtMode, Width};

pub(crate) fn link_a() -> Link {
    Link::of(Standard::A, Band::Ghz5, TxVector::ofdm(OfdmRate::Mbps54, Band::Ghz5))
}

pub(crate) fn link_n150() -> Link {
    let mode = HtMode::new(7, Width::Mhz40, GuardInterval::Short, Band::Ghz5).expect("an HT mode");
    Link::of(Standard::N, Band::Ghz5, TxVector::Ht(mode))
}

fn micros(link: Link) -> (u64, [f64; 6]) {
    let it = link.longest_exchange(Bytes(1500));
    let parts = [it.wait, it.backoff, it.data_overhead, it.data_payload, it.sifs, it.answer];
    assert_eq!(parts.into_iter().sum::<Duration>(), it.duration(), "the parts are the whole");
    (it.packets, parts.map(|part| part.as_micros_f64()))
}

#[test]
fn every_standard_has_the_exchange_worked_by_hand() {
    let g = TxVector::ofdm(OfdmRate::Mbps54, Band::Ghz2_4);
    let ac = VhtMode::new(9, 2, Width::Mhz80, GuardInterval::Short).expect("a VHT mode");
    let b = Link::of(Standard::B, Band::Ghz2_4, TxVector::dsss(DsssRate::Mbps11));
    // Wait, mean back-off, preamble, payload, SIFS, answer. The payloads and answers are rows of the worked durations
    // of the PHY.
    assert_eq!(micros(b), (1, [50.0, 310.0, 192.0, 1118.0, 10.0, 248.0]));
    assert_eq!(micros(link_a()), (1, [34.0, 67.5, 20.0, 228.0, 16.0, 28.0]));
    assert_eq!(micros(Link::of(Standard::G, Band::Ghz2_4, g)), (1, [28.0, 67.5, 26.0, 228.0, 10.0, 34.0]));
    assert_eq!(micros(link_n150()), (42, [43.0, 67.5, 36.0, 3460.0, 16.0, 32.0]));
    let ac = Link::of(Standard::Ac, Band::Ghz5, TxVector::Vht(ac));
    assert_eq!(micros(ac), (64, [43.0, 67.5, 44.0, 916.0, 16.0, 32.0]));
}

#[test]
fn goodput_of_udp_is_payload_over_the_exchange() {
    // 1472 bytes each 393.5 us; 42 times 1472 bytes each 3654.5 us.
    let payload = Bytes(1472);
    assert_eq!(link_a().udp_goodput(payload).bps(), 1472 * 8 * 10_000_000_000 / 3_935_000);
    assert_eq!(link_n150().udp_goodput(payload).bps(), 42 * 1472 * 8 * 10_000_000_000 / 36_545_000);
}

#[test]
fn best_effort_waits_110_and_a_half_microseconds() {
    // TCP/HACK, section 1.
    let exchange = link_n150().longest_exchange(Bytes(1500));
    assert_eq!(exchange.wait + exchange.backoff, Duration::from_nanos(110_500));
}

#[test]
fn a_ppdu_stops_at_each_limit_of_aggregation() {
    let with = |change: fn(&mut Aggregation)| {
        let mut link = link_n150();
        change(link.aggregation.as_mut().expect("802.11n aggregates"));
        link.most_packets(Bytes(1500))
    };
    assert_eq!(with(|_| ()), 42, "65,535 bytes");
    assert_eq!(with(|limits| limits.max_mpdus = 16), 16);
    assert_eq!(with(|limits| limits.max_length = Bytes(8_191)), 5);
    // 36 us and 484 us of payload: 134 symbols, 9,042 bytes.
    assert_eq!(with(|limits| limits.max_duration = Duration::from_micros(520)), 5);
    assert_eq!(with(|limits| limits.max_length = Bytes(0)), 1, "one packet always goes");
}

#[test]
fn a_frame_that_nobody_answers_ends_with_its_last_symbol() {
    // 52 + 36 bytes: 726 bits in 31 symbols of 24, and in 4 of 216.
    let link = link_a();
    for (rate, payload) in [(OfdmRate::Mbps6, 124), (OfdmRate::Mbps54, 16)] {
        let alone = link.unanswered(TxVector::ofdm(rate, Band::Ghz5), Bytes(52));
        assert_eq!(alone.duration(), Duration::from_nanos(34_000 + 67_500 + 20_000 + payload * 1_000));
        assert_eq!(alone.busy(), alone.data());
    }
    let answered = link.exchange(1, Bytes(52));
    assert_eq!(answered.duration() - link.unanswered(link.data, Bytes(52)).duration(), Duration::from_micros(16 + 28));
}
