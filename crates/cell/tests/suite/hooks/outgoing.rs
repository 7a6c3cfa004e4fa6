//! A packet is handed to the MAC: other options, hold, swallow, replace; and a queued frame is withdrawn.

use std::collections::BTreeSet;

use ackless_dot11::frame::{AckPolicy, Body, MpduKind, NodeId, Tid};
use ackless_phy::{Band, OfdmRate, TxVector};
use ackless_schemes::testing::outgoing::{Holds, Replaces, Requeues, Sends, Swallows, Withdraws};
use ackless_wire::{Bytes, Duration, Instant};

use crate::hooks::cells::{AP, Run, STATION, aggregating, only_on, run, single_frames, with_tcp};

/// TCP ran, lost nothing, and some ACKs went over the air.
fn assert_undisturbed(run: &Run) {
    let flow = &run.result.flows[0];
    assert!(flow.goodput_mbps > 5.0, "{flow:?}");
    assert_eq!((flow.retransmissions, flow.timeouts), (0, 0));
    assert!(run.tcp_acks_from(STATION).count() > 100);
}

#[test]
fn group_addressed_acks_are_sent_at_the_lowest_rate_and_not_answered() {
    for config in [single_frames(), aggregating()] {
        let run = run(&with_tcp(config), only_on(STATION, Sends(|options| options.receiver = NodeId::BROADCAST)));
        assert!(run.tcp_acks_from(STATION).count() > 100);
        for (sent, mpdu, _) in run.tcp_acks_from(STATION) {
            assert!(mpdu.receiver.is_group() && matches!(sent.ppdu.body, Body::Single(_)));
            assert_eq!(sent.ppdu.txvector, TxVector::ofdm(OfdmRate::Mbps6, Band::Ghz5));
            assert_eq!(sent.ppdu.duration_field, Duration::ZERO);
        }
        // What the AP answers is the connection's first segments, which are no pure ACKs.
        assert!(run.answers_from(AP).count() <= 2);
        assert!(run.result.flows[0].goodput_mbps > 5.0);
        assert!(!run.tcp_acks_from(STATION).any(|(_, mpdu, _)| mpdu.retry), "they are sent once");
    }
}

#[test]
fn acks_in_action_frames_are_answered_when_addressed_to_the_ap() {
    for config in [single_frames(), aggregating()] {
        let run = run(&with_tcp(config), only_on(STATION, Sends(|options| options.kind = MpduKind::Action)));
        assert_undisturbed(&run);
        for (sent, mpdu, _) in run.tcp_acks_from(STATION) {
            // 24 of header, 8 of LLC and 4 of FCS around each packet, and nothing aggregated.
            assert!(mpdu.kind == MpduKind::Action && matches!(sent.ppdu.body, Body::Single(_)));
            assert_eq!(sent.ppdu.psdu_len, mpdu.packet_len + Bytes(36));
        }
        let answered = run.answers_from(AP).filter(|sent| matches!(sent.ppdu.body, Body::Ack(_))).count();
        assert!(answered >= run.tcp_acks_from(STATION).filter(|(_, mpdu, _)| !mpdu.retry).count() - 1);
    }
}

#[test]
fn acks_under_the_no_ack_policy_are_not_answered() {
    for config in [single_frames(), aggregating()] {
        let run = run(&with_tcp(config), only_on(STATION, Sends(|options| options.ack_policy = AckPolicy::NoAck)));
        assert!(run.tcp_acks_from(STATION).count() > 100);
        assert!(run.tcp_acks_from(STATION).all(|(sent, mpdu, _)| {
            mpdu.ack_policy == AckPolicy::NoAck && !mpdu.retry && sent.ppdu.duration_field.is_zero()
        }));
        assert!(run.answers_from(AP).count() <= 2);
        assert!(run.result.flows[0].goodput_mbps > 5.0);
    }
}

#[test]
fn acks_at_a_rate_of_their_own_go_outside_the_agreement_and_arrive_in_order() {
    const RATE: TxVector = TxVector::ofdm(OfdmRate::Mbps24, Band::Ghz5);
    for config in [single_frames(), aggregating()] {
        let run = run(&with_tcp(config.clone()), only_on(STATION, Sends(|options| options.rate = Some(RATE))));
        assert_undisturbed(&run);
        for (sent, mpdu, _) in run.tcp_acks_from(STATION) {
            assert_eq!(sent.ppdu.txvector, RATE);
            assert_eq!(sent.ppdu.duration, RATE.duration(mpdu.len()));
            // The agreement is for TID 0; TID 3 is best effort too.
            assert!(matches!(mpdu.kind, MpduKind::Data | MpduKind::QosData(Tid(3))), "{:?}", mpdu.kind);
        }
    }
}

#[test]
fn held_acks_wait_for_the_timer_and_are_known_by_the_names_they_get() {
    let holds = Holds::new(Duration::from_millis(3));
    let queued = holds.queued.clone();
    let run = run(&with_tcp(aggregating()), only_on(STATION, holds));
    let queued = queued.entries();
    assert!(queued.len() > 100, "{} ACKs were queued", queued.len());
    let named: BTreeSet<_> = queued.iter().copied().collect();
    assert_eq!(named.len(), queued.len(), "no two frames have the same name");
    // Each ACK on the air is one that was queued under that name.
    for (_, mpdu, id) in run.tcp_acks_from(STATION) {
        assert!(named.contains(&(mpdu.handle, id)), "{id}");
    }
    // They come in batches: new ones 3 ms apart at least, less what the access before took longer.
    let mut starts: Vec<Instant> =
        run.tcp_acks_from(STATION).filter(|(_, mpdu, _)| !mpdu.retry).map(|(sent, ..)| sent.start).collect();
    starts.dedup();
    assert!(starts.len() > 5 && starts.len() < 100 / 3 + 2, "{starts:?}");
    assert!(run.result.flows[0].goodput_mbps > 5.0);
}

#[test]
fn an_ack_that_the_scheme_queues_itself_is_sent_like_any_other() {
    for latency in [0, 50] {
        let mut config = with_tcp(aggregating());
        config.stations[0].host_latency = Duration::from_micros(latency);
        assert_undisturbed(&run(&config, only_on(STATION, Requeues)));
    }
}

#[test]
fn swallowed_acks_never_reach_the_air() {
    let swallows = Swallows::default();
    let swallowed = swallows.swallowed.clone();
    let run = run(&with_tcp(aggregating()), only_on(STATION, swallows));
    let swallowed = swallowed.entries();
    let sent: BTreeSet<u16> = run.tcp_acks_from(STATION).map(|(.., id)| id).collect();
    assert!(swallowed.len() > 100 && sent.len() > 100);
    assert!(swallowed.len().abs_diff(sent.len()) < 50, "every second one: {} and {}", swallowed.len(), sent.len());
    assert!(swallowed.iter().all(|id| !sent.contains(id)));
    assert_undisturbed(&run);
}

#[test]
fn a_replaced_ack_goes_in_the_place_of_the_original() {
    let run = run(&with_tcp(aggregating()), only_on(STATION, Replaces(0xaced)));
    assert!(run.tcp_acks_from(STATION).all(|(.., id)| id == 0xaced));
    assert_undisturbed(&run);
}

#[test]
fn a_queued_ack_can_be_withdrawn_until_it_has_been_sent() {
    let withdraws = Withdraws::default();
    let attempts = withdraws.attempts.clone();
    let run = run(&with_tcp(aggregating()), only_on(STATION, withdraws));
    let attempts = attempts.entries();
    let first_sent =
        |wanted: u16| run.tcp_acks_from(STATION).find(|(.., id)| *id == wanted).map(|(sent, ..)| sent.start);
    let (mut taken, mut late) = (0, 0);
    for &(at, id, was_taken) in attempts.iter() {
        match first_sent(id) {
            None => {
                assert!(was_taken, "{id} was neither withdrawn at {at} nor sent");
                taken += 1;
            }
            Some(start) => {
                assert!(!was_taken && start <= at, "{id} was sent at {start} and withdrawn at {at}");
                late += 1;
            }
        }
    }
    assert!(taken > 100 && late > 10, "{taken} withdrawn, {late} too late");
    // A cumulative ACK repairs what its predecessors would have said.
    assert_eq!(run.result.flows[0].retransmissions, 0);
    assert!(run.result.flows[0].goodput_mbps > 5.0);
    assert!(run.under_way < 2000, "withdrawn packets are let go");
}
