//! A silence in which nobody has anything to send any more is booked as such, from that instant on.
//!
//! At 54 Mbps a datagram of 1500 bytes takes 248 us, and the wait for its Ack 45 us: SIFS 16, slot 9, preamble 20.

use ackless_cell::config::{Access, CellConfig, Direction, Pace};
use ackless_cell::result::{AirtimeClass, RunResult};
use ackless_dot11::frame::FrameHandle;
use ackless_dot11::hooks::{Context, Scheme, SendOptions, Verdict};
use ackless_schemes::Stock;
use ackless_wire::{BitRate, Duration, Instant, PacketId};

use crate::hooks::cells::{AP, only_on, run, single_frames, with_loss, with_udp};

/// A datagram every 50 ms to the station, and so two in 100 ms.
fn two_datagrams() -> CellConfig {
    with_udp(single_frames(), Direction::Down, Pace::Rate(BitRate::from_bps(1472 * 8 * 20)))
}

#[track_caller]
fn expect(result: &RunResult, class: AirtimeClass, micros: u64) {
    assert_eq!(result.airtime_ns[class], Duration::from_micros(micros), "{class:?} of {:?}", result.airtime_ns);
}

#[test]
fn after_the_last_waiting_frame_is_given_up_there_is_nothing_to_send() {
    let mut config = with_loss(two_datagrams(), [1.0, 0.0, 0.0, 0.0]);
    config.ap.mac.retry_limit = Some(1);
    let result = run(&config, |_| Box::new(Stock)).result;
    let total = &result.counters.total;
    assert_eq!((total.data_ppdus, total.ack_timeouts, total.given_up), (2, 2, 2));
    // Each datagram finds a medium that has long been idle, and goes at once.
    expect(&result, AirtimeClass::Timeouts, 2 * 45);
    expect(&result, AirtimeClass::Idle, 100_000 - 2 * (248 + 45));
    for class in [AirtimeClass::Sifs, AirtimeClass::InterframeSpace, AirtimeClass::Backoff] {
        expect(&result, class, 0);
    }
}

#[test]
fn between_attempts_somebody_has_something_to_send_and_after_the_last_nobody() {
    let config = with_loss(two_datagrams(), [1.0, 0.0, 0.0, 0.0]);
    let result = run(&config, |_| Box::new(Stock)).result;
    assert_eq!(result.counters.total.data_ppdus, 2 * 7);
    expect(&result, AirtimeClass::Timeouts, 14 * 45);
    // Six times DIFS comes before another attempt; the slots of back-off are drawn.
    expect(&result, AirtimeClass::InterframeSpace, 2 * 6 * 34);
    expect(&result, AirtimeClass::Sifs, 0);
    let backoff = result.airtime_ns[AirtimeClass::Backoff];
    assert!(!backoff.is_zero() && backoff.as_nanos() % 9_000 == 0, "whole slots: {backoff}");
    let busy_or_waiting = Duration::from_micros(14 * (248 + 45) + 2 * 6 * 34) + backoff;
    assert_eq!(result.airtime_ns[AirtimeClass::Idle], config.measured - busy_or_waiting);
}

/// Takes every second packet back 9 us after it was queued.
#[derive(Debug, Default)]
struct TakesBack {
    seen: u64,
    queued: Option<(FrameHandle, Instant)>,
}

impl Scheme for TakesBack {
    fn on_outgoing(
        &mut self,
        cx: &mut Context<'_>,
        _packet: PacketId,
        handle: FrameHandle,
        _options: &mut SendOptions,
    ) -> Verdict {
        self.seen += 1;
        if self.seen.is_multiple_of(2) {
            self.queued = Some((handle, cx.now + Duration::from_micros(9)));
        }
        Verdict::Pass
    }

    fn on_timer(&mut self, cx: &mut Context<'_>) {
        let (handle, _) = self.queued.take().expect("the timer belongs to a packet");
        let packet = cx.withdraw(handle).expect("it still waits for DIFS");
        cx.pool.release(packet);
    }

    fn poll_timeout(&self) -> Option<Instant> {
        self.queued.map(|(_, at)| at)
    }
}

#[test]
fn an_access_that_finds_its_frame_withdrawn_leaves_nothing_to_send() {
    // The first datagram of a pair reaches the AP at 1024: 24 us on the wire and a delay of 1 ms. It ends at 1272, its Ack at 1316, and DIFS
    // at 1350. The second comes at 1330, when the medium is idle, and is taken back at 1339; its access is won at 1350.
    let mut config = with_udp(two_datagrams(), Direction::Down, Pace::Rate(BitRate::from_bps(1472 * 8 * 20)));
    config.flows[1].start = Instant::from_micros(306);
    config.ap.mac.access = Access::Dcf { cw_min: 0, cw_max: 0 };
    let run = run(&config, only_on(AP, TakesBack::default()));
    assert_eq!((run.result.counters.total.data_ppdus, run.under_way), (2, 0));
    expect(&run.result, AirtimeClass::InterframeSpace, 2 * (1350 - 1330));
    expect(&run.result, AirtimeClass::Sifs, 2 * 16);
    expect(&run.result, AirtimeClass::Idle, 100_000 - 2 * (248 + 16 + 28 + 20));
    expect(&run.result, AirtimeClass::Backoff, 0);
}
