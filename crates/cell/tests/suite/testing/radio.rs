//! Drawing an air that changes, and rates that adapt to it, at random.

use ackless_cell::config::{AirChanges, CellConfig, LinkLoss, RateControl};
use ackless_phy::Db;
use ackless_wire::random::Stream;
use ackless_wire::{Duration, Instant};

use crate::testing::hosts::{one_of, span};

/// In one cell of eight, each station adapts its rates to an SNR, which may step, fade, and be cut off at times. After a second and a half the sky is
/// clear, but for fading: a sender that repeats a packet once a minute learns too slowly which rates have ceased to work.
pub fn radio(random: &mut Stream, config: &mut CellConfig) {
    if !random.chance(0.12) {
        return;
    }
    let doppler = random.chance(0.3).then(|| 3.0 + 40.0 * random.unit());
    let macs = config.stations.iter_mut().map(|station| &mut station.mac);
    for mac in std::iter::once(&mut config.ap.mac).chain(macs) {
        mac.retry_limit = mac.retry_limit.map(|tries| tries.max(4));
    }
    for station in &mut config.stations {
        station.loss = LinkLoss::Snr(level(random));
        station.rate_control = one_of(random, &[RateControl::Ideal, RateControl::MinstrelHt, RateControl::MinstrelHt]);
        let mut ratios = Vec::new();
        for _ in 0..random.below(4) {
            ratios.push((moment(random), level(random)));
        }
        ratios.sort_by_key(|(at, _)| *at);
        ratios.push((Instant::ZERO + LAST, CLEAR));
        let outages = random.chance(0.2).then(|| (moment(random), span(random, Duration::from_millis(500))));
        station.changes =
            AirChanges { ratios, outages: outages.into_iter().collect(), doppler, ..AirChanges::default() };
    }
}

/// When the last step comes, at the latest.
const LAST: Duration = Duration::from_millis(1_500);
/// The SNR from then on.
const CLEAR: Db = Db(38.0);

fn level(random: &mut Stream) -> Db {
    Db(16.0 + 20.0 * random.unit())
}

fn moment(random: &mut Stream) -> Instant {
    Instant::ZERO + span(random, LAST)
}
