//! What ships today at the sender of ACKs: TCP ACKs thinned out before they go on the air.
//!
//! It sits on whoever sends ACKs: the stations of downloads, and the AP too for uploads. Nobody else takes part.
//!
//! | kind | product | where |
//! |---|---|---|
//! | `cake` | Linux's `sch_cake` with `ack-filter` or `ack-filter-aggressive` | in the queue |
//! | `replace` | Broadcom's `dhd`, mode `TCPACK_SUP_REPLACE` | in the queue |
//! | `hold` | Broadcom's `dhd`, mode `TCPACK_SUP_HOLD` | before the queue |
//! | `count_and_time` | Samsung's `scsc`, `tcp_ack_suppression` | before the queue |
//!
//! The rules are those of the published drivers, told in our words; each module says where its rule does harm and where we deviate.
//!
//! On a connection that does TACK there is little to thin: a TACK or IACK has a body, and to each of the four that is data, which they let go at once, and behind
//! which nothing is held back. The few plain ACKs of such a connection are treated as any. A product that went by an ACK's length instead would mistake
//! none for a bare ACK either: the shortest TACK has 28 bytes of body.
//!
//! An ACK with options that are not known here (MPTCP's say how far the connection above is) or with reserved bits set is kept by `cake`, as Linux does; the other
//! three do not look, and thin it out as any: what it alone said is then lost.
//!
//! What all have in common: the queue is the one from which the MAC takes its frames, so that as many ACKs as wait for the medium can still be thinned out. In a
//! real station the frames nearest to the air are often out of the driver's reach, which only an AP has here (`ap.device_queue`): what its device has been given
//! counts as sent.
//! `sch_cake` would shape and order packets of all flows too; here only its ACK filter is at work.

mod cake;
mod config;
mod count_and_time;
mod counters;
mod held;
mod hold;
mod replace;

use ackless_dot11::frame::{FrameHandle, Mpdu};
use ackless_dot11::hooks::{Context, Scheme, SendOptions, Verdict};
use ackless_wire::{Instant, PacketId};

use cake::Cake;
pub use config::{Kind, RateStep, ThinningConfig};
use count_and_time::CountAndTime;
pub use counters::ThinningCounters;
use hold::Hold;
use replace::Replace;

/// ACK thinning on one node.
#[derive(Debug)]
pub struct Thinning {
    config: ThinningConfig,
    counters: ThinningCounters,
    rules: Rules,
}

#[derive(Debug)]
enum Rules {
    Cake(Cake),
    Replace(Replace),
    Hold(Hold),
    CountAndTime(CountAndTime),
}

impl Thinning {
    /// One that has seen nothing.
    pub fn new(config: ThinningConfig) -> Self {
        let rules = match config.kind {
            Kind::CakeConservative => Rules::Cake(Cake::new(false)),
            Kind::CakeAggressive => Rules::Cake(Cake::new(true)),
            Kind::Replace => Rules::Replace(Replace::default()),
            Kind::Hold { ratio, at_most } => Rules::Hold(Hold::new(ratio, at_most)),
            Kind::CountAndTime { steps, slow_start_acks } => {
                Rules::CountAndTime(CountAndTime::new(steps, slow_start_acks))
            }
        };
        Self { config, counters: ThinningCounters::default(), rules }
    }

    /// What it has counted.
    pub fn counters(&self) -> &ThinningCounters {
        &self.counters
    }

    /// How it is set up.
    pub fn config(&self) -> &ThinningConfig {
        &self.config
    }

    /// A frame has left its queue.
    fn left(&mut self, handle: FrameHandle) -> bool {
        match &mut self.rules {
            Rules::Cake(cake) => cake.left(handle),
            Rules::Replace(replace) => replace.left(handle),
            Rules::Hold(_) | Rules::CountAndTime(_) => false,
        }
    }
}

impl Scheme for Thinning {
    // The way of each is its own, past what the others keep in registers.
    #[inline(never)]
    fn on_outgoing(
        &mut self,
        cx: &mut Context<'_>,
        packet: PacketId,
        handle: FrameHandle,
        options: &mut SendOptions,
    ) -> Verdict {
        let counters = &mut self.counters;
        match &mut self.rules {
            Rules::Cake(cake) => cake.outgoing(cx, packet, handle, counters),
            Rules::Replace(replace) => replace.outgoing(cx, packet, handle, counters),
            Rules::Hold(hold) => hold.outgoing(cx, packet, options, counters),
            Rules::CountAndTime(suppression) => suppression.outgoing(cx, packet, options, counters),
        }
    }

    fn on_dropped(&mut self, _cx: &mut Context<'_>, handle: FrameHandle) {
        let known = self.left(handle);
        self.counters.lost_in_queue += u64::from(known && matches!(self.rules, Rules::Replace(_)));
    }

    fn on_sequenced(&mut self, _cx: &mut Context<'_>, mpdu: &Mpdu) {
        self.left(mpdu.handle);
    }

    fn on_timer(&mut self, cx: &mut Context<'_>) {
        let counters = &mut self.counters;
        match &mut self.rules {
            Rules::Cake(_) | Rules::Replace(_) => {}
            Rules::Hold(hold) => hold.timer(cx, counters),
            Rules::CountAndTime(suppression) => suppression.timer(cx, counters),
        }
    }

    fn poll_timeout(&self) -> Option<Instant> {
        match &self.rules {
            Rules::Cake(_) | Rules::Replace(_) => None,
            Rules::Hold(hold) => hold.poll_timeout(),
            Rules::CountAndTime(suppression) => suppression.poll_timeout(),
        }
    }
}
