//! Drawing when MACs hand up what they have received, what their queues count, what devices hold, and what ns-3's MACs do otherwise.

use ackless_cell::config::{AirtimeLimits, ApQueue, CellConfig, Delivery, DeviceLimit, Hearing};
use ackless_wire::Duration;
use ackless_wire::random::Stream;

use crate::testing::hosts::{one_of, span};

/// MACs of one kind, for all nodes.
pub fn macs(random: &mut Stream, config: &mut CellConfig) {
    let gathers = Delivery::Coalesced(Duration::from_micros(1) + span(random, Duration::from_millis(3)));
    let (whole, each) = (Delivery::PerPpdu, Delivery::PerMpdu);
    config.delivery = one_of(random, &[whole, whole, whole, each, each, gathers]);
    config.counts_in_flight = random.chance(0.2);
    config.idle_at_end = random.chance(0.2);
    config.ap.shares_queue = matches!(config.ap.queue, ApQueue::Fifo { .. }) && random.chance(0.2);
    let packets = DeviceLimit::Packets(1 + random.below(60) as usize);
    let airtime = DeviceLimit::Airtime(AirtimeLimits::MAC80211);
    config.ap.device = one_of(random, &[None, None, None, None, Some(packets), Some(airtime)]);
    config.eifs = !random.chance(0.2);
    if matches!(config.hearing, Hearing::ByPower(_)) {
        // Where powers decide, a PPDU's fate is known at its end, which is not the same instant everywhere.
        config.idle_at_end = false;
        if config.delivery == each {
            config.delivery = whole;
        }
    }
}
