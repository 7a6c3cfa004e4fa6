//! What a packet counts for, and how much a device is given in advance, worked out by hand.

use ackless_phy::{Band, DsssRate, GuardInterval, HtMode, OfdmRate, VhtMode, Width};

use super::*;

const fn us(micros: u64) -> Duration {
    Duration::from_micros(micros)
}

#[test]
fn a_packet_counts_for_what_linux_expects_it_to_take() {
    let ht = |mcs, width, guard| TxVector::Ht(HtMode::new(mcs, width, guard, Band::Ghz5).expect("the mode exists"));
    let fast = ht(7, Width::Mhz40, GuardInterval::Short);
    let slow = ht(0, Width::Mhz20, GuardInterval::Long);
    let vht = TxVector::Vht(VhtMode::new(9, 2, Width::Mhz80, GuardInterval::Short).expect("the mode exists"));
    // 1538 bytes are 1534 in the queue, and 38 more: 12,576 bits.
    let full = Bytes(1538);
    // 83.84 us at 150 Mbps. 1024 bytes take 54.6 us, so that there are 32 to an A-MPDU: 1.25 us of 40.
    assert_eq!(expected_airtime(full, fast, true), us(84));
    // 1934.8 us at 6.5 Mbps, and half of 40.
    assert_eq!(expected_airtime(full, slow, true), us(1952));
    // 14.51 us at 866.7 Mbps, and a 32nd of 44.
    assert_eq!(expected_airtime(full, vht, true), us(12));
    // 3.2 us of bits and 1.25 for 60 bytes at 150 Mbps: 4.4 us. Nothing counts for less than a unit.
    assert_eq!(expected_airtime(Bytes(26), fast, true), us(4));
    assert_eq!(expected_airtime(Bytes(26), vht, true), us(4));
    // Alone: 36 us of preamble, and 12,598 bits in 24 symbols of 540 and 3.6 us, on whole 4 us.
    assert_eq!(expected_airtime(full, fast, false), us(36 + 88));
    // 20 us of preamble, and 12,598 bits in 59 symbols of 216.
    assert_eq!(expected_airtime(full, TxVector::ofdm(OfdmRate::Mbps54, Band::Ghz5), true), us(20 + 59 * 4));
    // 12.8 ms at 1 Mbps are more than Linux has room for.
    assert_eq!(expected_airtime(full, TxVector::dsss(DsssRate::Mbps1), false), us(4092));
}

#[test]
fn steps_of_the_rate_halve_what_the_estimate_takes_for_an_a_mpdu() {
    // At 20 MHz and 800 ns 1024 bytes take 1260.3, 630.2, 420.1, 315.1, 210.1, 157.5, 140.0 and 126.0 us: 2, 2, 2, 4, 8, 8, 16 and 16 to an A-MPDU.
    let overheads = [20, 20, 20, 10, 5, 5, 2, 2];
    let bits = 60_000 + 34 * 8;
    for (mcs, overhead) in (0..8).zip(overheads) {
        let rate = TxVector::Ht(HtMode::new(mcs, Width::Mhz20, GuardInterval::Long, Band::Ghz5).expect("it exists"));
        let expected =
            bits as f64 / rate.rate().bps() as f64 * 1e6 + f64::from(overhead) + if overhead == 2 { 0.5 } else { 0.0 };
        let units = ((expected / 4.0) as u64).min(1023);
        assert_eq!(expected_airtime(Bytes(7500), rate, true), us(units * 4), "MCS {mcs}");
    }
}

#[test]
fn a_device_is_given_packets_up_to_the_limits_of_a_receiver_and_of_all() {
    let limits = AirtimeLimits { low: us(5), high: us(12), threshold: us(24) };
    let mut device = Device::new(DeviceLimit::Airtime(limits), 3);
    let mut frames = 0..;
    let mut fill = |device: &mut Device, receiver, airtime| {
        let mut given = Vec::new();
        while device.has_room(receiver) {
            let frame = FrameHandle(frames.next().expect("there are enough"));
            device.take(receiver, frame, us(airtime));
            given.push(frame);
        }
        given
    };
    // Up to 12 while all have less than 24: the twelfth finds 11. Alike for the second.
    let first = fill(&mut device, 0, 1);
    assert_eq!(first.len(), 12);
    assert_eq!(fill(&mut device, 1, 1).len(), 12);
    // Now that there are 24 the third gets no more than 5, in two of 3 the second of which finds 3.
    assert_eq!(fill(&mut device, 2, 3).len(), 2);
    // Down to 4 of its own the first gets one again, though all have 22; then it has 5, and all 23: up to 6 for it makes 24 for all.
    first[..8].iter().for_each(|&frame| device.free(frame));
    assert_eq!(device.packets(), 4 + 12 + 2);
    assert_eq!(fill(&mut device, 0, 1).len(), 2);
    // What is not there is not let go.
    first.iter().for_each(|&frame| device.free(frame));
    assert_eq!(device.packets(), 2 + 12 + 2);
}

#[test]
fn a_device_with_a_limit_in_packets_counts_each_receiver_by_itself() {
    let mut device = Device::new(DeviceLimit::Packets(2), 2);
    device.take(0, FrameHandle(1), us(1));
    assert!(device.has_room(0));
    device.take(0, FrameHandle(2), us(1));
    assert_eq!([device.has_room(0), device.has_room(1)], [false, true]);
    device.free(FrameHandle(1));
    assert!(device.has_room(0));
}
