//! PPDUs from a device that is given packets in advance.

use super::air::Air;
use super::*;
use ackless_wire::PacketPool;

use crate::frame::FrameHandle;
use crate::hooks::Withdraw;
use crate::queue::tests::item;
use crate::queue::{DeviceLimit, SchedulerKind};
use crate::station::links::Links;

/// A sender whose device holds two packets for each of its receivers.
fn three() -> Air {
    let sender = MacConfig { device: Some(DeviceLimit::Packets(2)), ..edca(0) };
    Air::new(vec![
        (sender, vec![block_link(1, ht(7)), block_link(2, ht(7))]),
        (edca(1), vec![block_link(0, ht(7))]),
        (edca(2), vec![block_link(0, ht(7))]),
    ])
}

#[test]
fn an_a_mpdu_has_what_the_device_holds_and_no_more() {
    let mut air = three();
    air.run(at(100));
    air.send(0, NodeId(1), FULL, 0..5);
    air.run(at(2000));
    air.assert_script(&[
        "106..310 0>1 A-MPDU 0 1, duration 48",
        "326..358 1>0 BlockAck 0+11, duration 0",
        "401..605 0>1 A-MPDU 2 3, duration 48",
        "621..653 1>0 BlockAck 0+1111, duration 0",
        "696..816 0>1 data 4, duration 44",
        "832..860 1>0 Ack, duration 0",
    ]);
    assert_eq!(air.live(), 0);
}

#[test]
fn what_has_no_fate_yet_counts_and_what_is_given_up_does_not() {
    // The second MPDU arrives at no time: the device has room for one beside it, until it is given up.
    let mut air = three();
    (0..14).step_by(2).for_each(|number| air.damage(number, if number == 0 { 0b10 } else { 0b01 }));
    air.run(at(100));
    air.send(0, NodeId(1), FULL, 0..12);
    air.run(at(20_000));
    let sent: Vec<_> =
        air.script().iter().filter_map(|line| line.split_once("A-MPDU ")).map(|(_, what)| what).collect();
    let with_the_second = (2..8).map(|other| format!("1r {other}, duration 48"));
    let expected: Vec<String> = ["0 1, duration 48".into()]
        .into_iter()
        .chain(with_the_second)
        .chain(["8 9, duration 48", "10 11, duration 48"].map(String::from))
        .collect();
    assert_eq!(sent, expected);
    assert_eq!((air.live(), air.stations[0].counts().given_up), (0, 1));
}

#[test]
fn what_the_device_holds_is_out_of_reach() {
    let mut links = Links::new(vec![block_link(1, ht(7))], SchedulerKind::RoundRobin, Some(DeviceLimit::Packets(2)));
    let mut pool = PacketPool::default();
    let link = links.index(NodeId(1)).unwrap();
    for handle in 0..4 {
        links.push(link, item(handle, 1500, at(0)), 0, |victim| panic!("a queue with room dropped {victim:?}"));
        links.feed(at(0), &mut pool, &mut Vec::new());
    }
    let reach = |links: &mut Links, handle| links.withdraw(FrameHandle(handle)).is_some();
    assert_eq!([0, 1, 2, 3].map(|handle| reach(&mut links, handle)), [false, false, true, true]);
    assert_eq!(links.backlog(link), 2);
}
