//! Fair shares of flows: how much each would get if all were served alike, and which get far less.

use ackless_wire::Instant;

use super::FlowResult;
use crate::config::{CellConfig, FlowConfig, TransportConfig};

/// A flow is starved if it gets less than this part of its fair share.
pub const STARVED: f64 = 0.25;

/// Sets [`FlowResult::fair_mbps`] and [`FlowResult::starved`] of the flows of one run.
///
/// The shares are max-min fair: what all flows carry together is divided evenly among them, but no flow is given more
/// than it offers or than its receiver reads, and the rest is divided among the others. Left out are flows that end,
/// flows that begin after the window does, and flows that fill their transport on and off, whose times are unknown.
pub fn judge(config: &CellConfig, flows: &mut [FlowResult]) {
    let window = Instant::ZERO + config.warm_up;
    let takes_part = |flow: &FlowConfig, result: &FlowResult| {
        let known = result.traffic != "on-off" || result.offered_mbps.is_some();
        result.is_endless() && known && flow.start <= window
    };
    let limits = config.flows.iter().zip(&*flows).map(|(flow, result)| {
        let offered = result.offered_mbps.unwrap_or(f64::INFINITY);
        takes_part(flow, result).then(|| offered.min(read_mbps(flow)))
    });
    let limits: Vec<Option<f64>> = limits.collect();
    let carried = flows.iter().zip(&limits).filter(|(_, limit)| limit.is_some());
    let carried = carried.map(|(flow, _)| flow.goodput_mbps).sum();
    let level = level(carried, limits.iter().flatten().copied());
    for (flow, limit) in flows.iter_mut().zip(limits) {
        flow.fair_mbps = limit.map(|limit| limit.min(level));
        flow.starved = !flow.dead && flow.fair_mbps.is_some_and(|fair| flow.goodput_mbps < STARVED * fair);
    }
}

/// How fast the receiving application reads, in Mbit/s.
fn read_mbps(flow: &FlowConfig) -> f64 {
    match flow.transport {
        TransportConfig::Tcp(tcp) => tcp.read_rate.map_or(f64::INFINITY, |rate| rate.mbps_f64()),
        TransportConfig::Udp { .. } => f64::INFINITY,
    }
}

/// The level to which `total` fills shares that have these limits; infinite if it fills all of them.
fn level(total: f64, limits: impl Iterator<Item = f64>) -> f64 {
    let mut limits: Vec<f64> = limits.collect();
    limits.sort_by(f64::total_cmp);
    let mut rest = total;
    for (n, limit) in limits.iter().enumerate() {
        let even = rest / (limits.len() - n) as f64;
        if *limit >= even {
            return even;
        }
        rest -= limit;
    }
    f64::INFINITY
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_flow_does_not_want_is_divided_among_the_others() {
        let level = |total, limits: &[f64]| level(total, limits.iter().copied());
        assert_eq!(level(90.0, &[f64::INFINITY; 3]), 30.0);
        assert_eq!(level(90.0, &[10.0, f64::INFINITY, f64::INFINITY]), 40.0);
        assert_eq!(level(90.0, &[35.0, 10.0, 100.0]), 45.0);
        assert_eq!(level(30.0, &[10.0, 10.0]), f64::INFINITY);
        assert_eq!(level(0.0, &[10.0, f64::INFINITY]), 0.0);
    }
}
