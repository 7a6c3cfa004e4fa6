//! What the air loses beside collisions: for each MPDU, whether its receiver could read it.

use std::fmt;

use ackless_dot11::frame::{NodeId, Ppdu};
use ackless_phy::{BitErrors, Channel, TxVector, Width};
use ackless_wire::random::{Purpose, Stream};
use ackless_wire::{Bytes, Duration, Instant};

use crate::cell::AirChange;
use crate::config::{AirChanges, FrameLoss, Probability};
use crate::medium::progress::{Progress, len_of};

/// The losses between the AP and each station, or between stations of an ad hoc cell.
#[derive(Debug)]
pub struct AirLoss {
    /// By the number of the station at the link's end; the AP's own entry stands for links without a station of their own.
    links: Vec<Link>,
}

#[derive(Debug)]
struct Link {
    model: LossModel,
    weather: Weather,
    /// Whether either changes with time.
    changes: bool,
    random: Stream,
    /// Error models that were needed before, where nothing changes, each at a width, those that were needed last before others.
    known: Vec<(TxVector, Width, BitErrors)>,
    /// The width of its last data PPDU, which is also that of the control frames about it: those answer in the width that they were asked in, as
    /// non-HT duplicates where it is more than 20 MHz (802.11-2020, 10.6.6.6).
    width: Width,
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
#[derive(Clone, Debug)]
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
    Snr(Channel),
}

/// What is lost on one link at times, whatever its model. Lists stand in order of time.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Weather {
    /// From each of these times on every MPDU and every control frame is lost with this probability.
    losses: Vec<(Instant, Probability)>,
    /// From each of these times on nothing is received, for so long.
    outages: Vec<(Instant, Duration)>,
}

impl Weather {
    /// What of `changes` has nothing to do with the signal-to-noise ratio.
    pub fn of(changes: &AirChanges) -> Self {
        Self { losses: changes.losses.clone(), outages: changes.outages.clone() }
    }

    fn loss_at(&self, at: Instant) -> f64 {
        if self.outages.iter().any(|(from, span)| *from <= at && at < from.saturating_add(*span)) {
            return 1.0;
        }
        let place = self.losses.partition_point(|(from, _)| *from <= at).checked_sub(1);
        place.map_or(0.0, |place| self.losses[place].1.get())
    }
}

impl AirLoss {
    /// The losses of a cell: one model for each node, in the order of node numbers.
    pub fn new(seed: u64, models: Vec<(LossModel, Weather)>) -> Self {
        let link = |(node, (model, weather)): (usize, (LossModel, Weather))| Link {
            changes: weather != Weather::default()
                || matches!(&model, LossModel::Snr(channel) if !channel.is_constant()),
            width: if let LossModel::Snr(channel) = &model { channel.width() } else { Width::Mhz20 },
            model,
            weather,
            random: Stream::new(seed, node as u64, Purpose::AirLoss),
            known: Vec::new(),
        };
        Self { links: models.into_iter().enumerate().map(link).collect() }
    }

    /// The air of the link of this node's changes at this time, which is not before any change by this so far.
    pub fn change(&mut self, node: usize, at: Instant, change: AirChange) {
        let link = &mut self.links[node];
        link.changes = true;
        match (change, &mut link.model) {
            (AirChange::Snr(level), LossModel::Snr(channel)) => channel.step(at, level),
            (AirChange::Snr(_), LossModel::None | LossModel::PerFrame { .. }) => {}
            (AirChange::Loss(loss), _) => {
                let losses = &mut link.weather.losses;
                losses.insert(losses.partition_point(|(from, _)| *from <= at), (at, loss));
            }
            (AirChange::Outage(span), _) => link.weather.outages.push((at, span)),
        }
    }

    /// Which of the frames of a PPDU that did not collide, and ends `now`, are intact at `receiver`: one bit for each of `frames` ([`Ppdu::frame_count`]), bit 0 for a frame without
    /// MPDUs.
    pub fn intact(&mut self, now: Instant, ppdu: &Ppdu, frames: usize, receiver: NodeId) -> u64 {
        let down = ppdu.transmitter.0 < receiver.0;
        let station = usize::from(ppdu.transmitter.0.max(receiver.0));
        let link = &mut self.links[station];
        let mpdus = ppdu.mpdus();
        if ppdu.txvector.can_aggregate() {
            link.width = ppdu.txvector.width();
        }
        if link.changes {
            return link.intact_of_changing(now, ppdu, down);
        }
        if matches!(link.model, LossModel::None) {
            return if frames >= 64 { u64::MAX } else { (1 << frames) - 1 };
        }
        if mpdus.is_empty() {
            let success = link.errors(ppdu.txvector).success(ppdu.psdu_len);
            return u64::from(link.of_model(success, down, |loss| loss.control));
        }
        let (errors, fixed) = (link.errors(ppdu.txvector), link.fixed_loss(down, |loss| loss.data));
        // Nearly all MPDUs of an A-MPDU are as long as the one before, and are drawn for together.
        let (mut last, mut success, mut alike) = (Bytes::ZERO, 1.0, 0);
        let (mut intact, mut drawn, mut len) = (0, 0, Bytes::ZERO);
        for packet in mpdus {
            len += packet.len();
            if !packet.part.ends() {
                continue;
            }
            if len != last {
                intact |= link.let_through(fixed, success, alike) << drawn;
                drawn += alike;
                (last, success, alike) = (len, errors.success(len), 0);
            }
            (alike, len) = (alike + 1, Bytes::ZERO);
        }
        intact | link.let_through(fixed, success, alike) << drawn
    }
}

impl Link {
    /// Whether the model lets a frame through, of which all bits arrive with the chance `success` where that is the model's affair.
    fn of_model(&mut self, success: f64, down: bool, which: fn(FrameLoss) -> Probability) -> bool {
        let fixed = self.fixed_loss(down, which);
        self.let_through(fixed, success, 1) != 0
    }

    /// How likely the model loses a frame; nothing where that depends on the bits in it.
    #[inline]
    fn fixed_loss(&self, down: bool, which: fn(FrameLoss) -> Probability) -> Option<f64> {
        match self.model {
            LossModel::None => Some(0.0),
            LossModel::PerFrame { down: loss, .. } if down => Some(which(loss).get()),
            LossModel::PerFrame { up: loss, .. } => Some(which(loss).get()),
            LossModel::Snr(_) => None,
        }
    }

    /// Draws which of so many `frames` come through, one bit for each, that are lost with a `fixed` chance each, or arrive with the chance `success`.
    fn let_through(&mut self, fixed: Option<f64>, success: f64, frames: u32) -> u64 {
        match fixed {
            Some(loss) => self.random.chances(1.0, frames) & !self.random.chances(loss, frames),
            None => self.random.chances(success, frames),
        }
    }

    /// The errors of a link that does not change; none where the model does not look at them.
    fn errors(&mut self, vector: TxVector) -> BitErrors {
        if !matches!(self.model, LossModel::Snr(_)) {
            return BitErrors::NONE;
        }
        match self.known.iter().position(|(known, width, _)| (*known, *width) == (vector, self.width)) {
            Some(place) => {
                self.known[..=place].rotate_right(1);
                self.known[0].2
            }
            None => self.errors_anew(vector),
        }
    }

    #[cold]
    fn errors_anew(&mut self, vector: TxVector) -> BitErrors {
        let LossModel::Snr(channel) = &self.model else { return BitErrors::NONE };
        let errors = BitErrors::new(vector, channel.snr(Instant::ZERO, self.width));
        self.known.push((vector, self.width, errors));
        errors
    }

    /// Each MPDU meets the air as it is in its middle. Only the SNR is taken to stand still for a while ([`Channel::still_from`]).
    #[cold]
    fn intact_of_changing(&mut self, end: Instant, ppdu: &Ppdu, down: bool) -> u64 {
        let vector = ppdu.txvector;
        let begin = end - ppdu.duration;
        if ppdu.mpdus().is_empty() {
            let middle = begin + ppdu.duration / 2;
            let errors = self.errors_at(middle, vector);
            return u64::from(self.survives_at(middle, errors, ppdu.psdu_len, down, |loss| loss.control));
        }
        let progress = Progress::of(ppdu, begin);
        let (mut intact, mut sent) = (0, 0);
        // What was found last, and until when it holds.
        let mut known: Option<(BitErrors, Instant)> = None;
        for (n, packets) in ppdu.packets().enumerate() {
            let room = progress.room(packets);
            let middle = progress.at(sent + room / 2);
            sent += room;
            let errors = match known {
                Some((errors, until)) if middle < until => errors,
                _ => {
                    let errors = self.errors_at(middle, vector);
                    known = Some((errors, self.still_until(middle)));
                    errors
                }
            };
            intact |= u64::from(self.survives_at(middle, errors, len_of(packets), down, |loss| loss.data)) << n;
        }
        intact
    }

    /// The errors of the modulation at this time; none where the model does not look at it.
    fn errors_at(&self, at: Instant, vector: TxVector) -> BitErrors {
        match &self.model {
            LossModel::Snr(channel) => BitErrors::new(vector, channel.snr(at, self.width)),
            LossModel::None | LossModel::PerFrame { .. } => BitErrors::NONE,
        }
    }

    fn still_until(&self, at: Instant) -> Instant {
        match &self.model {
            LossModel::Snr(channel) => at.saturating_add(channel.still_from(at)),
            LossModel::None | LossModel::PerFrame { .. } => Instant::FAR_FUTURE,
        }
    }

    fn survives_at(
        &mut self,
        at: Instant,
        errors: BitErrors,
        len: Bytes,
        down: bool,
        which: fn(FrameLoss) -> Probability,
    ) -> bool {
        let of_model = self.of_model(errors.success(len), down, which);
        let of_weather = !self.random.chance(self.weather.loss_at(at));
        of_model && of_weather
    }
}
