//! Who hears whom, and what the air loses.

use ackless_phy::{Db, Dbm, TxVector};
use ackless_wire::{Duration, Instant};

use super::values::Probability;

/// Who hears whom in a cell.
#[derive(Clone, PartialEq, Debug)]
pub enum Hearing {
    /// All hear each other, and PPDUs that overlap destroy each other everywhere; see [`crate::medium`].
    All,
    /// By the powers with which PPDUs come in; see [`crate::medium::by_power`]. Links lose nothing beside, there is an AP,
    /// and no node sends DSSS. Of a station's [`loss`](super::StationConfig::loss) nothing is looked at then but whether it names an SNR, which a rate control that knows it goes by: under
    /// [`LinkLoss::PathLoss`] that of its own power.
    ByPower(PowerConfig),
}

/// The powers with which nodes hear each other, and what they make of them.
#[derive(Clone, PartialEq, Debug)]
pub struct PowerConfig {
    /// The power with which what one node sends comes in at another, over the width of a PPDU: row by row for each sender, in each row for each
    /// receiver, in the order of node numbers. A node's entry for itself means nothing.
    pub powers: Vec<Dbm>,
    /// The place of the cell's AP among these nodes; its stations follow.
    pub first: usize,
    /// The noise of every receiver over 20 MHz.
    pub noise: Dbm,
    /// The least power over the primary 20 MHz with which a preamble is detected.
    pub preamble: Dbm,
    /// The least power of all signals over the primary 20 MHz with which the medium counts as busy, whatever they are.
    pub energy: Dbm,
    /// Whether a receiver leaves what it has locked on for a stronger PPDU that comes later.
    pub relocks: bool,
}

/// What the air between the AP and one station loses, beside collisions.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum LinkLoss {
    /// Nothing.
    None,
    /// Each frame with a fixed probability, whatever its length and rate.
    PerFrame {
        /// From the AP.
        down: FrameLoss,
        /// To the AP.
        up: FrameLoss,
    },
    /// By the error model of the modulation, at this signal-to-noise ratio over the channel's width, both ways.
    Snr(Db),
    /// By the error model, at the ratio that [`CellConfig::propagation`](super::CellConfig::propagation) and the station's distance give.
    PathLoss,
}

/// Loss probabilities of one direction.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FrameLoss {
    /// Of an MPDU that carries data.
    pub data: Probability,
    /// Of a control frame (Ack, BlockAck, BlockAck Request, RTS, CTS), with whatever is appended to it.
    pub control: Probability,
}

/// How the air of a link changes during the run. Lists stand in order of time.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct AirChanges {
    /// From each of these times on this is the signal-to-noise ratio; only with [`LinkLoss::Snr`].
    pub ratios: Vec<(Instant, Db)>,
    /// From each of these times on each MPDU and each control frame is also lost with this probability, whatever the model.
    pub losses: Vec<(Instant, Probability)>,
    /// From each of these times on nothing is received, for so long.
    pub outages: Vec<(Instant, Duration)>,
    /// The greatest Doppler shift of Rayleigh fading in Hz, more than zero; `None` does not fade. Only with a signal-to-noise ratio.
    pub doppler: Option<f64>,
}

impl PowerConfig {
    /// What remains over noise, where nobody else sends, of what one node of the cell sends to another by `vector`.
    pub fn snr(&self, from: usize, to: usize, vector: TxVector) -> Db {
        let nodes = self.powers.len().isqrt();
        let power = self.powers[(self.first + from) * nodes + self.first + to];
        Db((power - self.noise).0 - 10.0 * libm::log10(vector.width().mhz() as f64 / 20.0))
    }
}

impl AirChanges {
    /// Whether nothing ever changes.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}
