//! What is done to the air.

use ackless_cell::loss::Interference;
use ackless_dot11::frame::{Body, Ppdu};

use crate::testing::weather::Kinds;

/// From which PPDU on a pattern counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum From {
    /// The first one with MORE DATA.
    MoreData,
    /// The first answer with compressed ACKs.
    Appended,
}

/// What becomes of one PPDU of a pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// It arrives.
    Whole,
    /// Nothing of it arrives.
    Lost,
    /// Of an A-MPDU all but the first MPDU arrives; anything else is lost.
    Headless,
}

/// `fate` decides what becomes of the PPDUs of all nodes, answers included, by their numbers from `from` on.
pub fn pattern(from: From, fate: impl Fn(u32) -> Fate + Send + 'static) -> Interference {
    let mut number = None;
    Interference(Box::new(move |_, ppdu| {
        let begins = match from {
            From::MoreData => ppdu.bits.more_data,
            From::Appended => ppdu.answer().is_some_and(|answer| !answer.appended.is_empty()),
        };
        if begins && number.is_none() {
            number = Some(0);
        }
        let Some(number) = &mut number else { return u64::MAX };
        *number += 1;
        match fate(*number - 1) {
            Fate::Whole => u64::MAX,
            Fate::Lost => 0,
            Fate::Headless => u64::MAX - 1,
        }
    }))
}

/// What HACK's PPDUs are to random losses: data, data with SYNC, answers with nothing appended and with compressed ACKs, BlockAck Requests, anything else.
pub const KINDS: Kinds = Kinds { count: 6, of: kind };

fn kind(ppdu: &Ppdu) -> usize {
    match &ppdu.body {
        Body::Single(_) | Body::Amsdu(_) | Body::Aggregate(_) if ppdu.bits.sync => 1,
        Body::Single(_) | Body::Amsdu(_) | Body::Aggregate(_) => 0,
        Body::Ack(answer) | Body::BlockAck(_, _, answer) if answer.appended.is_empty() => 2,
        Body::Ack(_) | Body::BlockAck(..) => 3,
        Body::BlockAckReq(..) => 4,
        Body::Rts | Body::Cts | Body::Beacon(_) => 5,
    }
}
