//! Data frames on their way to clients, until their fate counts.

use std::collections::VecDeque;

use ackless_dot11::frame::{FrameHandle, NodeId};
use ackless_dot11::hooks::{Fate, SendOptions};
use ackless_wire::SeqNumber;

use crate::flow_key::FlowKey;
use crate::made_ack::DataFacts;
use crate::testing::steps;

/// Data frames that have a sequence number and no fate, and those behind them, by the number of the
/// client that they go to.
#[derive(Debug)]
pub(super) struct UnderWay(Vec<Way>);

/// What goes to one client.
#[derive(Debug, Default)]
pub(super) struct Way {
    pub(super) frames: VecDeque<Frame>,
    /// How the last of them was sent.
    pub(super) options: Option<SendOptions>,
}

/// A data frame of the agent's on its way to a client.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) handle: FrameHandle,
    pub(super) key: FlowKey,
    pub(super) data: DataFacts,
    /// What closed a hole before it was sent behind it, see [`UnderWay::close_hole`].
    pub(super) above_hole: bool,
    /// Its connection is over.
    pub(super) over: bool,
    pub(super) fate: Option<Fate>,
}

impl UnderWay {
    pub(super) const fn new() -> Self {
        Self(Vec::new())
    }

    /// What goes to a client: its frames are in the order of their sequence numbers.
    pub(super) fn entry_of(&mut self, client: NodeId) -> &mut Way {
        let place = usize::from(client.0);
        if self.0.len() <= place {
            self.0.resize_with(place + 1, Way::default);
        }
        &mut self.0[place]
    }

    /// The frames to a client, in the order of their sequence numbers.
    pub(super) fn to(&mut self, client: NodeId) -> Option<&mut VecDeque<Frame>> {
        self.0.get_mut(usize::from(client.0)).map(|way| &mut way.frames)
    }

    /// How data goes to a client.
    pub(super) fn options(&self, client: NodeId) -> Option<SendOptions> {
        self.0.get(usize::from(client.0))?.options
    }

    /// The connection of this flow is over, or left alone: its frames count for nothing any more.
    pub(super) fn end(&mut self, client: NodeId, flow: FlowKey) {
        self.of(client, flow).for_each(|frame| frame.over = true);
    }

    /// A native ACK passes beyond all that the MAC ACKs have told of, which had reached `rcv_nxt` so far. Where frames under way close a hole, those before them came
    /// to the client above it: its MAC did not keep them, and its TCP may have had no room for them.
    pub(super) fn close_hole(&mut self, client: NodeId, flow: FlowKey, rcv_nxt: Option<SeqNumber>) {
        let mut lowest: Option<SeqNumber> = None;
        for frame in self.of(client, flow).rev() {
            frame.above_hole |= lowest.is_some_and(|lowest| lowest.before(frame.data.seq));
            if rcv_nxt.is_none_or(|rcv_nxt| frame.data.end.after(rcv_nxt)) {
                lowest = Some(lowest.map_or(frame.data.seq, |lowest| lowest.min(frame.data.seq)));
            }
        }
    }

    /// The frames of a flow to its client that have no fate yet, or wait for one, in the order of
    /// their sequence numbers: no more than a BlockAck window has.
    fn of(&mut self, client: NodeId, flow: FlowKey) -> impl DoubleEndedIterator<Item = &mut Frame> {
        let frames = self.to(client).into_iter().flatten();
        frames.inspect(|_| steps::count(1)).filter(move |frame| frame.key == flow)
    }
}
