use super::*;
use crate::transmissions::Transmissions;

const SEGMENT: u64 = 1000;

fn ms(millis: u64) -> Instant {
    Instant::from_millis(millis)
}

/// A sender of segments of 1000 bytes, with its records.
#[derive(Default)]
struct Flow {
    rate: DeliveryRate,
    records: Transmissions,
    next: u64,
    una: u64,
}

impl Flow {
    fn send(&mut self, at: u64) {
        let (in_flight, lost) = (self.records.in_flight(), self.records.ever_lost());
        let snapshot = self.rate.snapshot(ms(at), in_flight, Bytes(SEGMENT), lost);
        let span = Span::new(Position(self.next), Bytes(SEGMENT));
        self.records.send(span, ms(at), snapshot);
        self.next += SEGMENT;
    }

    /// Acknowledges `n` segments.
    fn acknowledge(&mut self, at: u64, n: u64, min_rtt: Option<u64>) -> Option<RateSample> {
        // What was in flight and lost has a test of its own.
        let sample = self.acknowledge_all(at, n, min_rtt);
        sample.map(|sample| RateSample { in_flight: Bytes::ZERO, lost: Bytes::ZERO, ..sample })
    }

    fn acknowledge_all(&mut self, at: u64, n: u64, min_rtt: Option<u64>) -> Option<RateSample> {
        self.una += n * SEGMENT;
        let mut deliveries = Deliveries::new(ms(at), Position(self.una));
        deliveries.min_rtt = min_rtt.map(Duration::from_millis);
        self.records.acknowledge(Position(self.una), |run| deliveries.add(run));
        self.rate.sample(&deliveries, self.records.ever_lost())
    }
}

fn sample(delivered: u64, interval: u64, prior: u64, application_limited: bool) -> Option<RateSample> {
    let interval = Duration::from_millis(interval);
    Some(RateSample {
        delivered: Bytes(delivered),
        interval,
        prior_delivered: Bytes(prior),
        application_limited,
        in_flight: Bytes::ZERO,
        lost: Bytes::ZERO,
    })
}

#[test]
fn a_sample_says_what_was_in_flight_when_its_newest_segment_left_and_what_was_lost_since() {
    let mut flow = Flow::default();
    for at in 0..5 {
        flow.send(at);
    }
    // The second of the five is lost before the fourth and the fifth are acknowledged; three were out with the third.
    let third = flow.acknowledge_all(100, 3, None).expect("it was delivered");
    assert_eq!((third.in_flight, third.lost), (Bytes(3_000), Bytes::ZERO));
    flow.records.lose(Span::new(Position(3_000), Bytes(SEGMENT)), |_| true);
    flow.send(101);
    let fifth = flow.acknowledge_all(102, 2, None).expect("it was delivered");
    assert_eq!((fifth.in_flight, fifth.lost), (Bytes(5_000), Bytes(1_000)));
    // One was out when the sixth left, and the loss was before.
    let sixth = flow.acknowledge_all(201, 1, None).expect("it was delivered");
    assert_eq!((sixth.in_flight, sixth.lost), (Bytes(2_000), Bytes::ZERO));
}

#[test]
fn a_steady_path_is_measured_over_the_longer_of_sending_and_acknowledging() {
    // One segment each 10 ms, a round trip of 100 ms: by hand, segment i leaves at 10 i and is acknowledged at 100 + 10 i.
    let mut flow = Flow::default();
    let mut samples = Vec::new();
    for at in (0..200).step_by(10) {
        if at >= 100 {
            samples.push(flow.acknowledge(at, 1, None));
        }
        flow.send(at);
    }
    // The first: 1000 bytes, sent at once, acknowledged after 100 ms.
    assert_eq!(samples[0], sample(1000, 100, 0, false));
    // The second, sent 10 ms after the first: 2000 bytes in max(10, 110) ms, since nothing was delivered when it was sent.
    assert_eq!(samples[1], sample(2000, 110, 0, false));
    assert_eq!(samples[9], sample(10_000, 190, 0, false));
    // The segment of 100 ms left when the first had been delivered: 10 segments in max(100, 100) ms.
    assert_eq!(flow.acknowledge(200, 1, None), sample(10_000, 100, 1000, false));
}

#[test]
fn a_bunch_of_acknowledgements_does_not_show_more_than_was_sent() {
    let mut flow = Flow::default();
    (0..10).for_each(|i| flow.send(i * 10));
    // Ten segments acknowledged by three acknowledgements within 2 ms.
    assert_eq!(flow.acknowledge(200, 4, None), sample(4000, 200, 0, false));
    assert_eq!(flow.acknowledge(201, 3, None), sample(7000, 201, 0, false));
    flow.send(201);
    assert_eq!(flow.acknowledge(202, 3, None), sample(10_000, 202, 0, false));
    // That one left when 7000 were delivered, and the last of these had been sent at 60; it is acknowledged 101 ms later, but
    // sending took 201 - 60.
    assert_eq!(flow.acknowledge(302, 1, None), sample(4000, 141, 7000, false));
}

#[test]
fn what_took_less_than_the_least_round_trip_is_no_sample() {
    let mut flow = Flow::default();
    flow.send(0);
    assert_eq!(flow.acknowledge(30, 1, Some(40)), None);
    flow.send(50);
    assert_eq!(flow.acknowledge(90, 1, Some(40)), sample(1000, 40, 1000, false));
    assert_eq!(flow.rate.delivered(), Bytes(2000));
}

#[test]
fn a_sender_that_runs_dry_marks_samples_until_what_was_out_then_is_delivered() {
    let mut flow = Flow::default();
    flow.send(0);
    flow.send(0);
    flow.rate.limit_by_application(flow.records.in_flight());
    flow.send(5);
    assert_eq!(flow.acknowledge(100, 1, None), sample(1000, 100, 0, false));
    assert!(flow.rate.is_limited());
    assert_eq!(flow.acknowledge(100, 1, None), sample(2000, 100, 0, false));
    assert!(flow.rate.is_limited(), "what was out is delivered, but nothing that came later");
    assert_eq!(flow.acknowledge(105, 1, None), sample(3000, 105, 0, true));
    assert!(!flow.rate.is_limited());
    flow.send(300);
    assert_eq!(flow.acknowledge(400, 1, None), sample(1000, 100, 3000, false), "idle time does not count");
}

#[test]
fn what_had_been_taken_for_lost_and_comes_is_told_unless_its_repetition_may_have_come() {
    // Sent at 0, found lost at 30, repeated at 40 or not; acknowledged at 45 or 60 where the least round trip is 10.
    for (repeated, at, spurious) in [(false, 45, SEGMENT), (true, 45, SEGMENT), (true, 60, 0)] {
        let mut flow = Flow::default();
        flow.send(0);
        flow.send(1);
        let first = Span::new(Position(0), Bytes(SEGMENT));
        flow.records.lose(first, |_| true);
        if repeated {
            flow.records.send(first, ms(40), Snapshot::default());
        }
        let mut deliveries = Deliveries::new(ms(at), Position(2 * SEGMENT));
        deliveries.min_rtt = Some(Duration::from_millis(10));
        flow.records.acknowledge(Position(2 * SEGMENT), |run| deliveries.add(run));
        assert_eq!((deliveries.bytes, deliveries.spurious), (Bytes(2 * SEGMENT), Bytes(spurious)), "{repeated} {at}");
    }
}
