//! The NIC: opaque bytes for each destination, and the SIFS deadline (paper, 3.3.1).
//!
//! One [`Nic`] is the table of descriptors for one destination. The driver posts compressed ACKs in chains; a chain has
//! a label, which goes in front of it on the air, and its descriptors are appended in order or not at all. The NIC does
//! not look into the bytes and knows no TCP: beside each it keeps a word of the driver's, as the buffer descriptors of
//! NICs do, and gives it back with it. At the SIFS deadline it appends what has been transferred to it by then;
//! what it appended it keeps, until the driver says that the answer arrived.
//!
//! The paper has one "ready" flag for each destination. Here each descriptor is ready at a time of its own, so that one
//! that has just been posted does not keep back those before it.

use std::collections::VecDeque;

use ackless_rohc::hack::{Cid, Code, Codec, FrameWriter};
use ackless_wire::Instant;

use crate::testing::steps;

/// What the NIC holds for one destination. `T` is the driver's word.
#[derive(Clone, Debug)]
pub(super) struct Nic<T> {
    chains: Vec<Chain<T>>,
    /// The chains that hold something, the one to be appended first in front. A chain's label has
    /// one owner, so that there are hardly more than labels.
    active: Vec<FlowPlace>,
    /// How many of these have each label.
    labels: Box<[u16; LABELS]>,
}

/// The driver's number of a flow, which is also that of its chain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct FlowPlace(pub(super) u16);

#[derive(Clone, Debug)]
struct Chain<T> {
    label: Cid,
    descriptors: VecDeque<Descriptor<T>>,
    /// How many of the first were on an answer at least once.
    ever_sent: usize,
    /// How many of the first were on the last answer.
    on_last_answer: usize,
}

#[derive(Clone, Copy, Debug)]
struct Descriptor<T> {
    code: Code,
    ready: Instant,
    word: T,
}

/// What went on an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Appended {
    /// Descriptors that were on no answer before.
    pub(super) new: u64,
    /// Bytes that were on no answer before: those descriptors, and the headers of runs that have nothing else.
    pub(super) new_bytes: u64,
    /// A chain whose first descriptor, though there in time, does not fit on an answer of its own.
    pub(super) stuck: Option<FlowPlace>,
    /// Whether the NIC holds something that it did not have in time.
    pub(super) not_ready: bool,
}

impl<T> Default for Nic<T> {
    fn default() -> Self {
        Self { chains: Vec::new(), active: Vec::new(), labels: Box::new([0; LABELS]) }
    }
}

impl<T: Copy> Nic<T> {
    /// Whether nothing is held.
    pub(super) fn is_empty(&self) -> bool {
        self.active.is_empty()
    }

    /// The chains that hold something.
    pub(super) fn active(&self) -> &[FlowPlace] {
        &self.active
    }

    /// How many chains with this label hold something.
    pub(super) fn chains_of(&self, label: Cid) -> usize {
        self.labels[usize::from(label.0)].into()
    }

    /// How many descriptors a chain holds.
    pub(super) fn held(&self, chain: FlowPlace) -> usize {
        self.chains.get(chain.index()).map_or(0, |chain| chain.descriptors.len())
    }

    /// The word of the first descriptor of a chain.
    pub(super) fn first(&self, chain: FlowPlace) -> Option<&T> {
        self.chains.get(chain.index())?.descriptors.front().map(|descriptor| &descriptor.word)
    }

    /// The word of the first descriptor of a chain that was on no answer yet.
    pub(super) fn first_unsent(&self, chain: FlowPlace) -> Option<&T> {
        let chain = self.chains.get(chain.index())?;
        chain.descriptors.get(chain.ever_sent).map(|descriptor| &descriptor.word)
    }

    /// The word of the last descriptor of a chain.
    pub(super) fn last(&self, chain: FlowPlace) -> Option<&T> {
        self.chains.get(chain.index())?.descriptors.back().map(|descriptor| &descriptor.word)
    }

    /// Whether anything was on the last answer.
    pub(super) fn awaits_confirmation(&self) -> bool {
        self.active.iter().any(|&chain| self.chains[chain.index()].on_last_answer > 0)
    }

    /// A bound of what all that is held takes on an answer.
    pub(super) fn size(&self, codec: Codec) -> usize {
        let chains = self.active.iter().map(|&chain| &self.chains[chain.index()]);
        chains.map(|chain| run_overhead(codec) + chain.descriptors.iter().map(Descriptor::len).sum::<usize>()).sum()
    }

    /// Posts a descriptor at the end of a chain, whose code is written where it will stay. False, and nothing is posted, where `write` refuses to.
    #[inline]
    pub(super) fn post(
        &mut self,
        chain: FlowPlace,
        label: Cid,
        ready: Instant,
        word: T,
        write: impl FnOnce(&mut Code) -> bool,
    ) -> bool {
        let index = chain.index();
        if self.chains.len() <= index {
            let empty = || Chain { label, descriptors: VecDeque::new(), ever_sent: 0, on_last_answer: 0 };
            self.chains.resize_with(index + 1, empty);
        }
        let held = &mut self.chains[index];
        held.label = label;
        held.descriptors.push_back(Descriptor { code: Code::default(), ready, word });
        if !held.descriptors.back_mut().is_some_and(|descriptor| write(&mut descriptor.code)) {
            held.descriptors.pop_back();
            return false;
        }
        if held.descriptors.len() == 1 {
            self.active.push(chain);
            self.labels[usize::from(label.0)] += 1;
        }
        true
    }

    /// The SIFS deadline: appends to `out` what is there by `now`, up to `limit` bytes. `each` is told the chains that
    /// are on this answer, and whether with a descriptor that was on none before.
    pub(super) fn append(
        &mut self,
        codec: Codec,
        now: Instant,
        limit: usize,
        out: &mut Vec<u8>,
        mut each: impl FnMut(FlowPlace, bool),
    ) -> Appended {
        let mut appended = Appended::default();
        let (mut cut, mut first) = (false, true);
        let mut writer = FrameWriter::new(codec, out, limit);
        for &number in &self.active {
            steps::count(1);
            let chain = &mut self.chains[number.index()];
            let ready = chain.descriptors.iter().take_while(|descriptor| descriptor.ready <= now);
            appended.not_ready |= chain.descriptors.back().is_some_and(|descriptor| descriptor.ready > now);
            let written = usize::from(writer.run(chain.label, ready.map(|descriptor| &descriptor.code)));
            cut |= written < chain.descriptors.len();
            if first && written == 0 && chain.descriptors.front().is_some_and(|descriptor| descriptor.ready <= now) {
                appended.stuck.get_or_insert(number);
            }
            chain.on_last_answer = written;
            let any_new = written > chain.ever_sent;
            if any_new {
                let new = chain.descriptors.range(chain.ever_sent..written);
                let header = match (chain.ever_sent, first) {
                    (0, true) => codec.run_header(),
                    (0, false) => run_overhead(codec),
                    _ => 0,
                };
                appended.new += new.len() as u64;
                appended.new_bytes += (new.map(Descriptor::len).sum::<usize>() + header) as u64;
                chain.ever_sent = written;
            }
            if written > 0 {
                first = false;
                each(number, any_new);
            }
        }
        if cut {
            // Where not all fits, the chains take turns to be first.
            self.active.rotate_left(1);
        }
        appended
    }

    /// The last answer is known to have arrived: lets go what was on it. `each` is told the chain and the word of each
    /// descriptor that is gone.
    pub(super) fn confirm(&mut self, mut each: impl FnMut(FlowPlace, T)) {
        let (chains, labels) = (&mut self.chains, &mut self.labels);
        self.active.retain(|&number| {
            steps::count(1);
            let chain = &mut chains[number.index()];
            let gone = std::mem::take(&mut chain.on_last_answer);
            chain.ever_sent -= gone;
            // Looked at where they lie: they are longer than their words.
            chain.descriptors.range(..gone).for_each(|descriptor| each(number, descriptor.word));
            chain.descriptors.drain(..gone);
            let stays = !chain.descriptors.is_empty();
            labels[usize::from(chain.label.0)] -= u16::from(!stays);
            stays
        });
    }

    /// Takes back those descriptors of a chain that were on no answer, in their order, and hands `each` their words. Says
    /// how many.
    pub(super) fn recall_unsent(&mut self, chain: FlowPlace, each: impl FnMut(T)) -> usize {
        let ever_sent = self.chains.get(chain.index()).map_or(0, |chain| chain.ever_sent);
        self.recall_from(chain, ever_sent, each)
    }

    /// Takes back all of a chain, in its order, and hands `each` the words. Says how many.
    pub(super) fn recall(&mut self, chain: FlowPlace, each: impl FnMut(T)) -> usize {
        let recalled = self.recall_from(chain, 0, each);
        if let Some(chain) = self.chains.get_mut(chain.index()) {
            (chain.ever_sent, chain.on_last_answer) = (0, 0);
        }
        recalled
    }

    fn recall_from(&mut self, chain: FlowPlace, kept: usize, mut each: impl FnMut(T)) -> usize {
        let recalled = self.held(chain) - kept;
        if recalled > 0 {
            let Chain { descriptors, label, .. } = &mut self.chains[chain.index()];
            descriptors.drain(kept..).for_each(|descriptor| each(descriptor.word));
            if kept == 0 {
                steps::count(self.active.len());
                self.active.retain(|&other| other != chain);
                self.labels[usize::from(label.0)] -= 1;
            }
        }
        recalled
    }
}

impl FlowPlace {
    pub(super) fn index(self) -> usize {
        usize::from(self.0)
    }
}

impl<T> Descriptor<T> {
    fn len(&self) -> usize {
        self.code.bytes().len()
    }
}

/// What a byte can say.
const LABELS: usize = 256;

/// The label and the MSN in front of a run, and, behind another run, what separates them.
pub(super) const fn run_overhead(codec: Codec) -> usize {
    codec.run_header() + codec.separator()
}
