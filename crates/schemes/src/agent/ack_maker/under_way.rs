//! Data frames on their way to clients, until their fate counts.

use std::collections::VecDeque;

use ackless_dot11::frame::{FrameHandle, NodeId};
use ackless_dot11::hooks::Fate;
use ackless_wire::SeqNumber;

use crate::flow_key::FlowKey;
use crate::made_ack::DataFacts;

/// Data frames that have a sequence number and no fate, and those behind them, by client.
#[derive(Debug)]
pub(super) struct UnderWay(Vec<(NodeId, VecDeque<Frame>)>);

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

    /// The frames to a client, in the order of their sequence numbers, to add some.
    pub(super) fn entry_of(&mut self, client: NodeId) -> &mut VecDeque<Frame> {
        let place = self.0.iter().position(|(to, _)| *to == client).unwrap_or_else(|| {
            self.0.push((client, VecDeque::new()));
            self.0.len() - 1
        });
        &mut self.0[place].1
    }

    /// The frames to a client, in the order of their sequence numbers.
    pub(super) fn to(&mut self, client: NodeId) -> Option<&mut VecDeque<Frame>> {
        self.0.iter_mut().find(|(to, _)| *to == client).map(|(_, frames)| frames)
    }

    /// The connection of this flow is over, or left alone: its frames count for nothing any more.
    pub(super) fn end(&mut self, flow: FlowKey) {
        self.of(flow).for_each(|frame| frame.over = true);
    }

    /// A native ACK passes beyond all that the MAC ACKs have told of, which had reached `rcv_nxt` so far. Where frames under way close a hole, those before them came
    /// to the client above it: its MAC did not keep them, and its TCP may have had no room for them.
    pub(super) fn close_hole(&mut self, flow: FlowKey, rcv_nxt: Option<SeqNumber>) {
        let mut lowest: Option<SeqNumber> = None;
        for frame in self.of(flow).rev() {
            frame.above_hole |= lowest.is_some_and(|lowest| lowest.before(frame.data.seq));
            if rcv_nxt.is_none_or(|rcv_nxt| frame.data.end.after(rcv_nxt)) {
                lowest = Some(lowest.map_or(frame.data.seq, |lowest| lowest.min(frame.data.seq)));
            }
        }
    }

    /// The frames of a flow that have no fate yet, or wait for one, in the order of their sequence numbers.
    fn of(&mut self, flow: FlowKey) -> impl DoubleEndedIterator<Item = &mut Frame> {
        self.0.iter_mut().flat_map(|(_, frames)| frames).filter(move |frame| frame.key == flow)
    }
}
