//! What the air loses beside collisions: for each MPDU, whether its receiver could read it.

use std::fmt;

use ackless_dot11::frame::{Mpdu, NodeId, Ppdu};
use ackless_phy::{BitErrors, Db, TxVector};
use ackless_wire::random::{Purpose, Stream};
use ackless_wire::{Bytes, Instant};

use crate::config::{FrameLoss, Probability};

/// The losses between the AP and each station, or between stations of an ad hoc cell.
#[derive(Debug)]
pub struct AirLoss {
    /// By the number of the station at the link's end; the AP's own entry stands for links without a station of their own.
    links: Vec<Link>,
}

#[derive(Debug)]
struct Link {
    model: LossModel,
    random: Stream,
    /// Error models that were needed before; few, since a link uses few rates.
    known: Vec<(TxVector, BitErrors)>,
}

/// What an experiment does to PPDUs beside the loss model: called when one ends that did not collide, with the time and the PPDU.
///
/// It gives back a mask of the MPDUs that it leaves intact (bit 0 for a frame without MPDUs; `u64::MAX` for all), and may change the
/// bytes appended to an answer, as a receiver would take them that does not look at the FCS.
#[expect(clippy::type_complexity, reason = "the type's own doc says what each part is, and an alias would hide it")]
pub struct Interference(pub Box<dyn FnMut(Instant, &mut Ppdu) -> u64 + Send>);

impl fmt::Debug for Interference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Interference")
    }
}

/// The loss model of one link.
#[derive(Clone, Copy, Debug)]
pub enum LossModel {
    /// Nothing is lost.
    None,
    /// A fixed probability for each frame, towards the station and from it.
    PerFrame {
        /// Towards the station.
        down: FrameLoss,
        /// From the station.
        up: FrameLoss,
    },
    /// By the modulation's error model at this signal-to-noise ratio, both ways.
    Snr(Db),
}

impl AirLoss {
    /// The losses of a cell: one model for each node, in the order of node numbers.
    pub fn new(seed: u64, models: Vec<LossModel>) -> Self {
        let link = |(node, model): (usize, LossModel)| Link {
            model,
            random: Stream::new(seed, node as u64, Purpose::AirLoss),
            known: Vec::new(),
        };
        Self { links: models.into_iter().enumerate().map(link).collect() }
    }

    /// Which MPDUs of a PPDU that did not collide are intact at `receiver`: one bit each, bit 0 for a frame without MPDUs.
    pub fn intact(&mut self, ppdu: &Ppdu, receiver: NodeId) -> u64 {
        let down = ppdu.transmitter.0 < receiver.0;
        let station = usize::from(ppdu.transmitter.0.max(receiver.0));
        let link = &mut self.links[station];
        let mpdus = ppdu.mpdus();
        if matches!(link.model, LossModel::None) {
            let frames = ppdu.frame_count();
            return if frames >= 64 { u64::MAX } else { (1 << frames) - 1 };
        }
        if mpdus.is_empty() {
            return u64::from(link.survives(ppdu.txvector, ppdu.psdu_len, down, |loss| loss.control));
        }
        let mut intact = 0;
        for (n, packets) in ppdu.packets().enumerate() {
            let len = packets.iter().map(Mpdu::len).sum();
            let survives = link.survives(ppdu.txvector, len, down, |loss| loss.data);
            intact |= u64::from(survives) << n;
        }
        intact
    }
}

impl Link {
    fn survives(&mut self, vector: TxVector, len: Bytes, down: bool, which: fn(FrameLoss) -> Probability) -> bool {
        match self.model {
            LossModel::None => true,
            LossModel::PerFrame { down: loss, .. } if down => !self.random.chance(which(loss).get()),
            LossModel::PerFrame { up: loss, .. } => !self.random.chance(which(loss).get()),
            LossModel::Snr(snr) => {
                let success = self.errors(vector, snr).success(len);
                self.random.chance(success)
            }
        }
    }

    fn errors(&mut self, vector: TxVector, snr: Db) -> &BitErrors {
        let place = self.known.iter().position(|(known, _)| *known == vector).unwrap_or_else(|| {
            self.known.push((vector, BitErrors::new(vector, snr)));
            self.known.len() - 1
        });
        &self.known[place].1
    }
}
