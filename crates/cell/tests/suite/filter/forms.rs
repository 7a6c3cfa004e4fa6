//! Each form on each kind of link: how the frames look, who answers them, and what arrives.

use ackless_cell::config::{CellConfig, Direction, Peer, SchemeChoice, Topology};
use ackless_dot11::codec::{Frame, FrameControl, FrameKind, IBSS_BSSID};
use ackless_dot11::frame::{Body, MpduKind, NodeId};
use ackless_phy::{OfdmRate, Standard, TxVector};
use ackless_schemes::filter::{Filtered, Form};
use ackless_wire::{Duration, MacAddr};

use crate::filter::with_filter;
use crate::testing::cells::{Run, Sent, cell, rate, run, with_stations, with_tcp};

const FORMS: [Form; 3] = [Form::Group, Form::ActionNoAck, Form::NoAck];
const STANDARDS: [Standard; 4] = [Standard::B, Standard::A, Standard::N, Standard::Ac];
const GROUP_RATE: OfdmRate = OfdmRate::Mbps24;
/// What a queue of these cells holds.
const QUEUED: u64 = 200;

/// A TCP flow between the only station and the server, with ACKs filtered.
fn filtered(standard: Standard, direction: Direction, form: Form) -> CellConfig {
    with_group_rate(with_filter(with_tcp(cell(standard), 0, Peer::Server, direction), form, Filtered::Acks))
}

fn with_group_rate(mut config: CellConfig) -> CellConfig {
    if config.standard != Standard::B {
        config.group_rate = Some(TxVector::ofdm(GROUP_RATE, config.band));
    }
    config
}

/// The frames from one node to another with nothing but a pure ACK.
fn acks(run: &Run, from: u16, to: u16) -> Vec<&Sent> {
    let acks: Vec<_> = run.data(from, to).filter(|sent| sent.ppdu.mpdus().iter().all(|mpdu| mpdu.tcp_ack)).collect();
    assert!(acks.len() > 50, "{} frames", acks.len());
    acks
}

/// These frames were sent once and alone, nothing was reserved behind them, and `to`, their receiver, hardly answered anything.
fn assert_unanswered(run: &Run, to: u16, acks: &[&Sent]) {
    for sent in acks {
        let [mpdu] = sent.ppdu.mpdus() else { panic!("{} MPDUs in one PPDU", sent.ppdu.mpdus().len()) };
        assert!(!mpdu.retry && sent.ppdu.duration_field.is_zero());
    }
    let answers = |sent: &&Sent| matches!(sent.ppdu.body, Body::Ack(_)) && sent.ppdu.transmitter == NodeId(to);
    // What is answered is the connection's first segments.
    assert!(run.seen.iter().filter(answers).count() <= 3);
}

/// All filtered ACKs were turned back but for those that collided, overflowed a queue, or were under way.
fn assert_turned_back(run: &Run, from: usize, to: usize) {
    let (sent, came) = (run.count(from, "filtered_acks"), run.count(to, "turned_back"));
    let [collided, dropped] = [run.result.counters.total.collisions, run.result.counters.total.queue_drops];
    let lost = collided + dropped + QUEUED;
    assert!(came > 50 && came <= sent && came + lost >= sent, "{came} of {sent} came, {lost} may be lost or queued");
}

#[test]
fn acks_to_an_uploading_client_leave_for_its_group_at_the_group_rate() {
    for standard in STANDARDS {
        let config = filtered(standard, Direction::Up, Form::Group);
        let run = run(&config);
        let acks = acks(&run, 0, 1);
        assert_unanswered(&run, 1, &acks);
        assert_turned_back(&run, 0, 1);
        let expected = config.group_rate.unwrap_or(TxVector::dsss(ackless_phy::DsssRate::Mbps1));
        for sent in acks {
            assert_eq!(sent.ppdu.txvector, expected);
            let frame = Frame::parse(&sent.bytes).expect("our own frame");
            assert_eq!((frame.kind, frame.receiver), (FrameKind::Data, MacAddr([3, 0, 0, 0, 0x80, 1])));
            assert!(frame.control.has(FrameControl::FROM_DS) && frame.third == Some(NodeId(0).mac()));
        }
    }
}

#[test]
fn other_stations_drop_what_is_for_a_group_that_they_are_not_in() {
    let mut config = with_stations(cell(Standard::A), 3);
    for station in 0..2 {
        config = with_tcp(config, station, Peer::Server, Direction::Up);
    }
    let run = run(&with_filter(config, Form::Group, Filtered::Acks));
    let turned_back: Vec<_> = (1..=3).map(|node| run.count(node, "turned_back")).collect();
    assert!(turned_back[0] > 50 && turned_back[1] > 50 && turned_back[2] == 0, "{turned_back:?}");
    assert!(turned_back[0] + turned_back[1] <= run.count(0, "filtered_acks"));
    assert!(
        run.result.flows.iter().all(|flow| flow.timeouts == 0 && flow.goodput_mbps > 3.0),
        "{:?}",
        run.result.flows
    );
}

#[test]
fn a_clients_acks_to_its_ap_stay_answered_in_the_group_form_and_nothing_changes() {
    for standard in STANDARDS {
        let run_of = |config| run(&config);
        let with = run_of(filtered(standard, Direction::Down, Form::Group));
        let stock = run_of(with_group_rate(with_tcp(cell(standard), 0, Peer::Server, Direction::Down)));
        assert!(with.count(1, "answered_to_ap") > 100 && with.count(1, "filtered_acks") == 0);
        assert_eq!(with.result.counters, stock.result.counters);
        assert_eq!(with.result.flows, stock.result.flows);
    }
}

#[test]
fn a_bridges_acks_to_its_ap_bear_groups_in_both_places() {
    for standard in [Standard::A, Standard::Ac] {
        let mut config = filtered(standard, Direction::Down, Form::Group);
        config.stations[0].four_address = true;
        let run = run(&config);
        let acks = acks(&run, 1, 0);
        assert_unanswered(&run, 0, &acks);
        assert_turned_back(&run, 1, 0);
        for sent in acks {
            let frame = Frame::parse(&sent.bytes).expect("our own frame");
            let group = NodeId(0).as_group().mac();
            assert!(frame.control.has(FrameControl::TO_DS | FrameControl::FROM_DS));
            assert_eq!((frame.receiver, frame.third, frame.fourth), (group, Some(group), Some(NodeId(1).mac())));
        }
    }
}

#[test]
fn in_an_ad_hoc_cell_both_directions_can_be_filtered() {
    let mut config = with_stations(cell(Standard::A), 3);
    config.topology = Topology::AdHoc;
    let config = with_tcp(config, 0, Peer::Station(1), Direction::Down);
    let run = run(&with_group_rate(with_filter(config, Form::Group, Filtered::Acks)));
    let acks = acks(&run, 1, 2);
    assert_unanswered(&run, 2, &acks);
    assert_turned_back(&run, 1, 2);
    for sent in acks {
        let frame = Frame::parse(&sent.bytes).expect("our own frame");
        assert_eq!((frame.receiver, frame.third), (NodeId(2).as_group().mac(), Some(IBSS_BSSID)));
    }
    assert_eq!(run.count(3, "turned_back"), 0);
}

#[test]
fn action_no_ack_frames_serve_both_directions_on_every_standard() {
    for standard in STANDARDS {
        for (direction, from, to) in [(Direction::Up, 0, 1), (Direction::Down, 1, 0)] {
            let run = run(&filtered(standard, direction, Form::ActionNoAck));
            let acks = acks(&run, from, to);
            assert_unanswered(&run, to, &acks);
            assert_turned_back(&run, from.into(), to.into());
            for sent in acks {
                let frame = Frame::parse(&sent.bytes).expect("our own frame");
                assert_eq!((frame.kind, frame.receiver), (FrameKind::ActionNoAck, NodeId(to).mac()));
                assert_eq!((frame.third, sent.ppdu.txvector), (Some(NodeId(0).mac()), rate(standard)));
            }
        }
    }
}

#[test]
fn the_no_ack_policy_serves_both_directions_where_there_is_qos() {
    for standard in [Standard::N, Standard::Ac] {
        for (direction, from, to) in [(Direction::Up, 0, 1), (Direction::Down, 1, 0)] {
            let run = run(&filtered(standard, direction, Form::NoAck));
            let acks = acks(&run, from, to);
            assert_unanswered(&run, to, &acks);
            assert!(run.count(to.into(), "came_unanswered") > 100);
            for sent in acks {
                let frame = Frame::parse(&sent.bytes).expect("our own frame");
                assert!(matches!(frame.kind, FrameKind::QosData { ack_policy: 1, .. }), "{:?}", frame.kind);
            }
        }
    }
    let with = run(&filtered(Standard::A, Direction::Down, Form::NoAck));
    assert!(with.count(1, "answered_without_qos") > 100 && with.count(1, "filtered_acks") == 0);
    let stock = run(&with_group_rate(with_tcp(cell(Standard::A), 0, Peer::Server, Direction::Down)));
    assert_eq!(with.result.counters, stock.result.counters);
}

#[test]
fn a_legacy_neighbour_gets_its_acks_answered() {
    for form in FORMS {
        let mut config = with_stations(cell(Standard::N), 2);
        for station in 0..2 {
            config = with_tcp(config, station, Peer::Server, Direction::Up);
        }
        let mut config = with_filter(config, form, Filtered::Acks);
        config.stations[1].scheme = SchemeChoice::Stock;
        let run = run(&config);
        let to_legacy = run.data(0, 2).flat_map(|sent| sent.ppdu.mpdus());
        let untouched = to_legacy.filter(|mpdu| mpdu.is_answered() && mpdu.kind != MpduKind::ActionNoAck).count();
        // A No Ack frame needs nothing of its receiver but QoS.
        assert_eq!(untouched > 100, form != Form::NoAck, "{form:?}: {untouched}");
        assert_eq!(run.count(0, "answered_legacy") > 100, form != Form::NoAck);
        assert!(run.result.flows.iter().all(|flow| flow.goodput_mbps > 3.0), "{:?}", run.result.flows);
    }
}

#[test]
fn a_relay_turns_acks_back_and_filters_them_again() {
    let mut config = with_stations(cell(Standard::A), 2);
    config.stations[1].via = Some(0);
    config.measured = Duration::from_secs(1);
    let config = with_tcp(config, 1, Peer::Server, Direction::Up);
    for form in [Form::Group, Form::ActionNoAck] {
        let run = run(&with_group_rate(with_filter(config.clone(), form, Filtered::Acks)));
        assert_unanswered(&run, 2, &acks(&run, 1, 2));
        for (from, to) in [(0, 1), (1, 2)] {
            assert_turned_back(&run, from, to);
        }
        // Between AP and relay the frame says for which station it is, or leaves it to the packet.
        let sent = acks(&run, 0, 1)[0];
        let frame = Frame::parse(&sent.bytes).expect("our own frame");
        let expected = match form {
            Form::Group => (NodeId(1).as_group().mac(), Some(NodeId(2).as_group().mac())),
            _ => (NodeId(1).mac(), Some(MacAddr::BROADCAST)),
        };
        assert_eq!((frame.receiver, frame.third), expected);
    }
}
