//! At which rates data went, where rates adapt.

use ackless_dot11::frame::{NodeId, Ppdu};
use ackless_phy::TxVector;

use crate::config::{CellConfig, RateControl};
use crate::result::{LinkRates, RateUse};

/// Data PPDUs counted by link and rate.
#[derive(Clone, Debug, Default)]
pub(super) struct Rates(Vec<Count>);

#[derive(Clone, Debug)]
struct Count {
    from: NodeId,
    to: NodeId,
    rate: TxVector,
    ppdus: u64,
    mpdus: u64,
    lost: u64,
}

impl Rates {
    /// For a cell in which any rate adapts.
    pub(super) fn of(config: &CellConfig) -> Option<Box<Self>> {
        let adapts = config.stations.iter().any(|station| station.rate_control != RateControl::Fixed);
        adapts.then(Box::default)
    }

    /// A data PPDU is over, so many of whose MPDUs did not arrive.
    pub(super) fn count(&mut self, ppdu: &Ppdu, lost: u64) {
        let key = (ppdu.transmitter, ppdu.receiver, ppdu.txvector);
        let place = self.0.iter().position(|count| (count.from, count.to, count.rate) == key);
        let place = place.unwrap_or_else(|| {
            let (from, to, rate) = key;
            self.0.push(Count { from, to, rate, ppdus: 0, mpdus: 0, lost: 0 });
            self.0.len() - 1
        });
        let count = &mut self.0[place];
        count.ppdus += 1;
        count.mpdus += ppdu.frame_count() as u64;
        count.lost += lost;
    }

    /// Link by link, in the order of nodes, and on each the fastest rate first. `name` names a node, or a group.
    pub(super) fn result(&self, name: impl Fn(NodeId) -> String) -> Vec<LinkRates> {
        let mut counts = self.0.clone();
        counts.sort_by(|a, b| {
            let link = (a.from.0, a.to.0).cmp(&(b.from.0, b.to.0));
            let rate = b.rate.rate().cmp(&a.rate.rate());
            link.then(rate).then_with(|| a.rate.to_string().cmp(&b.rate.to_string()))
        });
        let mut links: Vec<LinkRates> = Vec::new();
        let same = |a: &&Count, b: &&Count| (a.from, a.to) == (b.from, b.to);
        let counts: Vec<&Count> = counts.iter().collect();
        for of_link in counts.chunk_by(same) {
            let rates = of_link.iter().map(|count| RateUse {
                rate: count.rate.to_string(),
                mbps: count.rate.rate().mbps_f64(),
                ppdus: count.ppdus,
                mpdus: count.mpdus,
                lost: count.lost,
            });
            links.push(LinkRates { from: name(of_link[0].from), to: name(of_link[0].to), rates: rates.collect() });
        }
        links
    }
}
