//! What becomes of each frame: its sequence number, and its one end.

use std::collections::BTreeMap;

use ackless_cell::config::{ApQueue, CellConfig, Direction, Pace};
use ackless_dot11::frame::{FrameHandle, MacSeq};
use ackless_schemes::testing::fates::{Fates, Step};
use ackless_wire::Instant;

use crate::hooks::cells::{AP, Run, STATION, aggregating, only_on, run, single_frames, with_loss, with_udp};

/// What [`Fates`] was told of each frame.
#[derive(Default)]
struct Steps(BTreeMap<FrameHandle, Vec<(Instant, Step)>>);

impl Steps {
    fn all(&self) -> impl Iterator<Item = (Instant, Step)> {
        self.0.values().flatten().copied()
    }

    fn count(&self, is: impl Fn(&Step) -> bool) -> u64 {
        self.all().filter(|(_, step)| is(step)).count() as u64
    }
}

/// Runs a flooded cell with [`Fates`] on its AP: what it was told, by frame.
fn follow(config: &CellConfig) -> (Run, Steps) {
    let fates = Fates::default();
    let log = fates.0.clone();
    let run = run(config, only_on(AP, fates));
    let mut steps = Steps::default();
    for &(at, handle, step) in log.entries().iter() {
        steps.0.entry(handle).or_default().push((at, step));
    }
    (run, steps)
}

#[test]
fn a_frame_is_known_by_its_sequence_number_from_the_instant_it_is_sent() {
    for config in [single_frames(), aggregating()] {
        let (run, steps) = follow(&with_udp(config, Direction::Down, Pace::Saturating));
        let mut told = 0;
        for sent in run.data_from(AP) {
            for mpdu in sent.ppdu.mpdus().iter().filter(|mpdu| !mpdu.retry) {
                assert!(steps.0[&mpdu.handle].contains(&(sent.start, Step::Sequenced(STATION, mpdu.seq))), "{mpdu:?}");
                told += 1;
            }
        }
        assert!(told > 200);
        assert_eq!(steps.count(|step| matches!(step, Step::Sequenced(..))), told);
    }
}

#[test]
fn a_delivered_frame_is_told_at_the_end_of_its_answer() {
    let (run, steps) = follow(&with_udp(single_frames(), Direction::Down, Pace::Saturating));
    let delivered = steps.all().filter(|(_, step)| matches!(step, Step::Delivered(_)));
    let delivered: Vec<Instant> = delivered.map(|(at, _)| at).collect();
    assert!(delivered.len() > 200);
    let ends: Vec<Instant> =
        run.answers_from(STATION).map(crate::hooks::cells::Sent::end).take(delivered.len()).collect();
    assert_eq!(delivered, ends);
}

#[test]
fn each_frame_comes_to_one_end_whatever_is_lost() {
    // A third of everything is lost, three attempts, and room for ten packets.
    for config in [single_frames(), aggregating()] {
        let mut config = with_loss(with_udp(config, Direction::Down, Pace::Saturating), [0.33, 0.33, 0.33, 0.33]);
        config.ap.mac.retry_limit = Some(3);
        config.ap.queue = ApQueue::Fifo { packets: 10 };
        let (run, steps) = follow(&config);
        for (handle, steps) in &steps.0 {
            let kinds: Vec<Step> = steps.iter().map(|(_, step)| *step).collect();
            let seqs: Vec<MacSeq> = kinds.iter().filter_map(seq_of).collect();
            assert!(seqs.iter().all(|seq| *seq == seqs[0]), "{handle:?}: {kinds:?}");
            assert!(
                matches!(
                    kinds[..],
                    [Step::Handed]
                        | [Step::Handed, Step::Dropped]
                        | [Step::Handed, Step::Sequenced(..)]
                        | [Step::Handed, Step::Sequenced(..), Step::Delivered(_) | Step::GivenUp(_)]
                ),
                "{handle:?}: {kinds:?}"
            );
            assert!(steps.is_sorted_by_key(|(at, _)| at), "{handle:?}");
        }
        let counters = &run.result.counters.nodes[0].counters;
        let (given_up, dropped) =
            (steps.count(|step| matches!(step, Step::GivenUp(_))), steps.count(|step| *step == Step::Dropped));
        assert!(given_up > 3 && dropped > 100, "{given_up} given up, {dropped} dropped");
        assert_eq!((given_up, dropped), (counters.given_up, counters.queue_drops));
        let waiting = steps.0.values().filter(|steps| matches!(steps.last(), Some((_, Step::Handed)))).count();
        assert!(waiting <= 11, "{waiting} wait without an end");
    }
}

fn seq_of(step: &Step) -> Option<MacSeq> {
    match *step {
        Step::Sequenced(_, seq) | Step::Delivered(seq) | Step::GivenUp(seq) => Some(seq),
        Step::Handed | Step::Dropped => None,
    }
}
