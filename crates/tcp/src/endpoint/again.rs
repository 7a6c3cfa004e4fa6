//! What goes again in front of a train, of a sender that counts what is selectively acknowledged (RFC 6675): holes in a recovery, and all from SND.UNA on after a timeout.
//!
//! `output` finds it anew for each segment, among all that may bear on one. Here the scoreboard and the windows are asked alone, with the same outcome.

use ackless_wire::{Instant, PacketId, PacketPool};

use super::Endpoint;
use crate::congestion::Controller;
use crate::loss::{LossDetector, Repetition};

impl Endpoint {
    /// Puts the segments that go again now into `pool`, with one reference to each, and onto `train`, and behind them new data where it is its turn. Returns whether nothing more is to
    /// be sent for now. Only of a sender on which no more bears than on that of a train.
    #[inline(never)]
    pub(super) fn send_again(&mut self, now: Instant, pool: &mut PacketPool, train: &mut Vec<PacketId>) -> bool {
        let (window, limits) = (self.congestion.window(), (self.tx.window_end, self.tx.buffer.end()));
        let mut said = None;
        loop {
            let out = self.tx.outstanding();
            let Some(recovery) = self.loss.counting() else { return false };
            match recovery.repetition(&out, window, limits) {
                Repetition::Next(span, kind) => {
                    let first = recovery.begins_repair();
                    let all_say = match said {
                        Some(said) => said,
                        None => *said.insert(self.say(now, span.start)),
                    };
                    self.count_sent(now, span, span, kind, first);
                    self.stats.segments_sent += 1;
                    if let Some(recovery) = self.loss.counting_mut() {
                        recovery.on_sent(span, kind);
                    }
                    train.push(self.build_from(all_say.from(span.start.seq(self.tx.iss)), span.len(), pool));
                }
                Repetition::Congested => return self.ack_owed.is_none(),
                Repetition::Nothing => return self.send_train(now, pool, train),
                Repetition::Unclear => return false,
            }
        }
    }
}
