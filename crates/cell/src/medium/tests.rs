use ackless_dot11::frame::{Body, HeaderBits};
use ackless_phy::{Band, OfdmRate, TxVector};
use ackless_wire::{Bytes, Duration};

use super::*;

const A: NodeId = NodeId(1);
const B: NodeId = NodeId(2);
const C: NodeId = NodeId(3);

#[test]
fn frames_that_overlap_collide_and_only_those_who_did_not_send_find_noise() {
    let mut medium = Medium::default();
    medium.begin(at(0), rts(A, B, 100, 0));
    medium.begin(at(0), rts(B, A, 40, 0));
    let first = medium.end(at(40)).expect("the shorter one ends first");
    assert!(first.collided && first.ppdu.transmitter == B);
    assert!(!medium.settle(at(40), &first), "the longer one is still on the air");
    let second = medium.end(at(100)).expect("then the longer one");
    assert!(second.collided && medium.settle(at(100), &second));
    assert_eq!(medium.view(NodeId(0), false).idle_since, at(100));
    let noise = [A, B, C].map(|node| medium.view(node, false).unintelligible);
    assert_eq!(noise, [false, false, true]);
}

#[test]
fn one_that_begins_as_another_has_ended_does_not_collide() {
    let mut medium = Medium::default();
    medium.begin(at(0), rts(A, B, 100, 0));
    assert!(medium.end(at(99)).is_none());
    let ended = medium.end(at(100)).expect("it is over");
    assert!(medium.settle(at(100), &ended));
    medium.begin(at(100), rts(B, A, 100, 0));
    let next = medium.end(at(200)).expect("it is over");
    assert!(!ended.collided && !next.collided);
    assert!(!medium.view(C, false).unintelligible);
}

#[test]
fn a_collision_is_forgotten_when_the_next_frame_begins() {
    let mut medium = Medium::default();
    medium.begin(at(0), rts(A, B, 50, 0));
    medium.begin(at(10), rts(B, A, 50, 0));
    for end in [50, 60] {
        let ended = medium.end(at(end)).expect("it is over");
        medium.settle(at(end), &ended);
    }
    assert!(medium.has_collided(A) && medium.has_collided(B) && medium.view(C, false).unintelligible);
    medium.begin(at(100), rts(A, B, 50, 0));
    assert!(!medium.has_collided(A) && !medium.view(C, false).unintelligible);
}

#[test]
fn a_duration_field_sets_the_nav_of_bystanders_until_it_is_over() {
    let mut medium = Medium::default();
    medium.begin(at(0), rts(A, B, 50, 300));
    let ended = medium.end(at(50)).expect("it is over");
    medium.settle(at(50), &ended);
    let nav = [A, B, C].map(|node| medium.view(node, false).nav_until);
    assert_eq!(nav, [Instant::ZERO, Instant::ZERO, at(350)]);
    // The reservation has run out by the end of a later frame.
    medium.begin(at(400), rts(A, B, 50, 0));
    let ended = medium.end(at(450)).expect("it is over");
    medium.settle(at(450), &ended);
    assert_eq!(medium.view(C, false).nav_until, Instant::ZERO);
}

#[test]
fn a_frame_that_collided_reserves_nothing() {
    let mut medium = Medium::default();
    medium.begin(at(0), rts(A, B, 50, 300));
    medium.begin(at(0), rts(C, B, 50, 300));
    while let Some(ended) = medium.end(at(50)) {
        medium.settle(at(50), &ended);
    }
    assert_eq!(medium.view(NodeId(4), false).nav_until, Instant::ZERO);
}

#[test]
fn the_medium_still_counts_as_busy_in_the_instant_in_which_a_frame_ends() {
    let mut medium = Medium::default();
    medium.begin(at(0), rts(A, B, 50, 0));
    assert!(medium.view(C, false).busy);
    let ended = medium.end(at(50)).expect("it is over");
    assert!(medium.view(C, true).busy);
    medium.settle(at(50), &ended);
    assert!(!medium.view(C, false).busy);
    assert_eq!(medium.poll_timeout(), None);
}

/// A frame of this many microseconds, with a Duration field of `reserves` more.
fn rts(from: NodeId, to: NodeId, lasts: u64, reserves: u64) -> Ppdu {
    Ppdu {
        transmitter: from,
        receiver: to,
        txvector: TxVector::ofdm(OfdmRate::Mbps24, Band::Ghz5),
        psdu_len: Bytes(20),
        duration: Duration::from_micros(lasts),
        duration_field: Duration::from_micros(reserves),
        bits: HeaderBits::default(),
        body: Body::Rts,
    }
}

fn at(micros: u64) -> Instant {
    Instant::from_micros(micros)
}
