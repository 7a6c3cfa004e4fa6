//! Random powers for a cell: links are good, and who else hears whom is as it comes.

use ackless_cell::config::{CellConfig, Hearing, PowerConfig};
use ackless_phy::Dbm;
use ackless_wire::random::Stream;

/// Lets powers decide who hears whom in a cell that has an AP.
pub fn by_power(random: &mut Stream, config: &mut CellConfig) {
    let nodes = config.stations.len() + 1;
    let above = |node: usize| config.stations[node - 1].via.map_or(0, |relay| relay + 1);
    let mut powers = vec![Dbm(f64::NEG_INFINITY); nodes * nodes];
    for one in 1..nodes {
        for other in 0..one {
            let linked = above(one) == other;
            let power = if linked {
                // The rates of these cells need some 30 dB over the noise of -94 dBm over 20 MHz, and 6 dB more over 80 MHz.
                -58.0 + 20.0 * random.unit()
            } else {
                -100.0 + 60.0 * random.unit()
            };
            // The two ways need not be alike.
            powers[one * nodes + other] = Dbm(power);
            powers[other * nodes + one] = Dbm(if random.chance(0.2) && !linked { -90.0 } else { power });
        }
    }
    let relocks = random.chance(0.5);
    let (noise, preamble, energy) = (Dbm(-94.0), Dbm(-82.0), Dbm(-62.0 - 10.0 * random.below(2) as f64));
    config.hearing = Hearing::ByPower(PowerConfig { powers, first: 0, noise, preamble, energy, relocks });
}
