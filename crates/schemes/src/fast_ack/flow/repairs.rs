//! What the AP sends again, and when.

use ackless_dot11::hooks::{Context, Emission, SendOptions};
use ackless_wire::{PacketId, SeqNumber, TcpHeader};

use super::super::FastAckCounters;
use super::super::cache::Segment;
use super::{Flow, TimeoutRecovery};
use crate::repairs::{DUPLICATES, SenderFacts};

/// A segment that the client has not told of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Missing {
    /// Its place in the cache.
    place: usize,
    /// Three deliveries later one of those behind it was made that the client has told of. Without reordering in the MAC, which keeps the order of a
    /// flow, this one was lost on its way up.
    overtaken: bool,
}

impl Flow {
    /// A duplicate ACK, or SACK blocks: sends again what the client misses and the AP has.
    pub(super) fn repair(&mut self, cx: &mut Context<'_>, packet: PacketId, counters: &mut FastAckCounters) {
        self.duplicates += 1;
        self.all_duplicates += 1;
        let (Some((_, options)), Some(&tcp)) = (self.last_data, cx.pool.get(packet).tcp()) else { return };
        let sender = self.sender;
        let blocks = tcp.options.sack.as_slice();
        let (report_end, edge) = (report_end(&tcp), self.edge);
        // The greatest number of a delivery that the client reports, of those behind the segment at hand.
        let mut sacked_max = 0;
        self.missing.clear();
        for (place, segment) in self.cache.starting_before(report_end).enumerate().rev() {
            // SACK blocks tell of the last changes only: what an earlier ACK told of is kept in mind.
            segment.sacked = segment.sacked
                || blocks.iter().any(|(left, right)| !left.after(segment.seq) && !right.before(segment.end));
            let number = segment.delivered.map_or(0, |delivery| delivery.number);
            if segment.sacked {
                sacked_max = sacked_max.max(number);
            } else {
                let overtaken = sacked_max >= number + DUPLICATES;
                self.missing.push(Missing { place, overtaken });
            }
        }
        let mut ignored = true;
        for &Missing { place, overtaken } in self.missing.iter().rev() {
            let segment = self.cache.nth(place);
            // What the client has no room for, a probe of its window say, it may refuse as often as it likes.
            if segment.end.after(edge) {
                continue;
            }
            if segment.frames_out > 0 {
                counters.duplicates_awaited += u64::from(segment.seq == self.acked);
                ignored = false;
                continue;
            }
            let lost = match segment.delivered {
                None => true,
                Some(_) if !blocks.is_empty() => overtaken,
                Some(delivery) => self.duplicates >= DUPLICATES && self.all_duplicates >= delivery.duplicates_needed,
            };
            if segment.repaired || !lost {
                continue;
            }
            counters.repaired_given_up += u64::from(segment.delivered.is_none());
            counters.repaired_delivered += u64::from(segment.delivered.is_some());
            segment.repaired = true;
            ignored = false;
            send_again(cx, segment, sender, options, counters);
        }
        counters.duplicates_ignored += u64::from(ignored);
    }

    /// Whether all that the client misses was given up by the MAC and is sent again from here, or is on its way up: the server need not hear of it.
    ///
    /// It must hear of all else even where the AP has it too. It is in recovery then, and what it sends next, it sends for a duplicate ACK.
    pub(super) fn repairs_all(&mut self, tcp: &TcpHeader) -> bool {
        let (blocks, report_end, edge) = (tcp.options.sack.as_slice(), report_end(tcp), self.edge);
        let mut byte = tcp.ack;
        while byte.before(report_end) {
            let block = blocks.iter().find(|(left, right)| !left.after(byte) && right.after(byte));
            byte = match (block, self.cache.containing(byte)) {
                (Some(&(_, right)), _) => right,
                (None, Some(segment)) if segment.end.after(edge) => return false,
                (None, Some(segment)) if segment.repaired || segment.delivered.is_some() => segment.end,
                _ => return false,
            };
        }
        true
    }

    /// The time without progress is over. Returns whether the client is worth another attempt.
    pub(in crate::fast_ack) fn on_timer(&mut self, cx: &mut Context<'_>, counters: &mut FastAckCounters) -> bool {
        let Some((_, options)) = self.last_data else { return true };
        self.duplicates = 0;
        let owed = self.acked.before(self.told_ack);
        let Some(segment) = self.cache.containing(self.acked).filter(|_| owed) else {
            self.repair_timer.stop();
            return true;
        };
        if segment.frames_out > 0 {
            self.repair_timer.put_off(cx.now);
            return true;
        }
        let tries = self.repair_timer.attempt(cx.now, false);
        if tries {
            self.timeout_recovery = TimeoutRecovery { recover: self.told_ack, deliveries: self.deliveries };
            counters.repaired_by_timer += 1;
            segment.repaired = true;
            send_again(cx, segment, self.sender, options, counters);
        }
        tries
    }

    /// The client has taken something since the timer ran out: what it lacks next is sent again.
    pub(super) fn repair_next(&mut self, cx: &mut Context<'_>, counters: &mut FastAckCounters) {
        let TimeoutRecovery { recover, deliveries } = self.timeout_recovery;
        if !self.acked.before(recover) {
            return;
        }
        let Some((_, options)) = self.last_data else { return };
        let sender = self.sender;
        let old = |segment: &Segment| segment.delivered.is_some_and(|delivery| delivery.number <= deliveries);
        if let Some(segment) = self.cache.containing(self.acked)
            && segment.frames_out == 0
            && old(segment)
        {
            counters.repaired_by_timer += 1;
            segment.repaired = true;
            send_again(cx, segment, sender, options, counters);
        }
    }
}

/// Sends a segment again, as the server would.
fn send_again(
    cx: &mut Context<'_>,
    segment: &mut Segment,
    sender: SenderFacts,
    options: SendOptions,
    counters: &mut FastAckCounters,
) {
    counters.repaired += 1;
    segment.frames_out += 1;
    sender.renew(cx.pool, &mut segment.packet);
    cx.pool.retain(segment.packet);
    cx.emit(Emission::Queue(segment.packet, options));
}

/// Just past what a duplicate ACK has something to say of: the first byte that is missing, and whatever SACK blocks tell.
fn report_end(tcp: &TcpHeader) -> SeqNumber {
    tcp.options.sack.as_slice().iter().map(|&(_, right)| right).fold(tcp.ack + 1, SeqNumber::max)
}
