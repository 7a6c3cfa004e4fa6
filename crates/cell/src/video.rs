//! A video on its way: the encoder's frames at one end of a flow, the play-out buffer at the other.
//!
//! No packet says which frame it is of. Over TCP that follows from the count of bytes that have come, over UDP from the number of the
//! datagram, whose lower 16 bits stand in the IP header's identification.

use std::collections::VecDeque;

use ackless_wire::{Bytes, Instant};

use crate::config::VideoConfig;
use crate::observe::Playout;

/// Both ends of a video.
#[derive(Debug)]
pub(crate) struct Video {
    config: VideoConfig,
    /// Frames that the encoder has made.
    made: u64,
    /// Frames that have been shown or skipped.
    shown: u64,
    /// Frames, counted from the first, that are there, at least in part.
    there: u64,
    player: Player,
    /// Over UDP: the frames that have been sent and not shown yet, the oldest first.
    under_way: VecDeque<Datagrams>,
    /// Datagrams sent.
    sent: u64,
    /// The number of the datagram that came last.
    latest: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Player {
    /// Until so many frames are there.
    Waits(u64),
    /// The next frame is due then.
    Plays(Instant),
}

/// The datagrams of one frame.
#[derive(Clone, Copy, Debug)]
struct Datagrams {
    /// The number of the first one.
    first: u64,
    count: u64,
    come: u64,
}

impl Video {
    pub(crate) fn new(config: VideoConfig) -> Self {
        let player = Player::Waits(config.frames(config.start));
        Self { config, made: 0, shown: 0, there: 0, player, under_way: VecDeque::new(), sent: 0, latest: 0 }
    }

    /// The encoder makes the next frame: its length.
    pub(crate) fn make(&mut self) -> Bytes {
        let before = self.config.bytes(self.made);
        self.made += 1;
        self.config.bytes(self.made) - before
    }

    /// The lengths of the datagrams of the frame that has been made last, of `len` in all; none is longer than `payload`.
    pub(crate) fn split(&mut self, len: Bytes, payload: Bytes) -> impl Iterator<Item = Bytes> + use<> {
        let count = len.get().div_ceil(payload.get());
        self.under_way.push_back(Datagrams { first: self.sent + 1, count, come: 0 });
        self.sent += count;
        (0..count).map(move |n| (len - payload * n).min(payload))
    }

    /// When the next frame is due, if the player plays.
    pub(crate) const fn due(&self) -> Option<Instant> {
        match self.player {
            Player::Plays(at) => Some(at),
            Player::Waits(_) => None,
        }
    }

    /// So many bytes of the stream have come in all.
    pub(crate) fn bytes_came(&mut self, now: Instant, bytes: Bytes) -> Option<Playout> {
        while self.there < self.made && self.config.bytes(self.there + 1) <= bytes {
            self.there += 1;
        }
        self.start_if_enough(now)
    }

    /// A datagram with this identification has come.
    pub(crate) fn datagram_came(&mut self, now: Instant, identification: u16) -> Option<Playout> {
        let distance = identification.wrapping_sub(self.latest as u16) as i16;
        let number = self.latest.saturating_add_signed(i64::from(distance));
        self.latest = self.latest.max(number);
        let place = self.under_way.partition_point(|frame| frame.first + frame.count <= number);
        // What has been shown without it is over.
        let frame = self.under_way.get_mut(place).filter(|frame| frame.first <= number)?;
        frame.come += 1;
        let before = self.shown + place as u64;
        self.there = self.there.max(if frame.is_whole() { before + 1 } else { before });
        self.start_if_enough(now)
    }

    /// The next frame is due.
    pub(crate) fn play(&mut self, now: Instant) -> Option<Playout> {
        let Player::Plays(due) = self.player else { return None };
        if due > now {
            return None;
        }
        if self.there == self.shown {
            self.player = Player::Waits(self.config.frames(self.config.resume));
            return Some(Playout::Stopped);
        }
        Some(self.show(due))
    }

    fn start_if_enough(&mut self, now: Instant) -> Option<Playout> {
        match self.player {
            Player::Waits(enough) if self.there - self.shown >= enough => Some(self.show(now)),
            _ => None,
        }
    }

    fn show(&mut self, due: Instant) -> Playout {
        self.player = Player::Plays(due + self.config.frame);
        let buffered = self.there - self.shown;
        let lags = self.config.catch_up.is_some_and(|most| buffered > self.config.frames(most));
        let skipped = if lags { buffered.saturating_sub(self.config.frames(self.config.start)) } else { 0 };
        for _ in 0..skipped {
            self.under_way.pop_front();
        }
        self.shown += skipped + 1;
        let damaged = self.under_way.pop_front().is_some_and(|frame| !frame.is_whole());
        Playout::Shown { damaged, skipped }
    }
}

impl Datagrams {
    const fn is_whole(&self) -> bool {
        self.come >= self.count
    }
}

#[cfg(test)]
mod tests;
