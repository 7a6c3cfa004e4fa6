//! TCP options as a compressed list: which items in which order, and a table of what each item held last
//! (RFC 6846, 6.3).

mod wire;

pub(super) use wire::{read_irregular, read_list, write_irregular, write_list};

use super::header::Refused;
use super::lsb::TIMESTAMP;

/// The order of the options in a header, as indexes into the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) struct List {
    indexes: [u8; MAX_ITEMS],
    len: u8,
}

/// What a context knows of each item (RFC 6846, 6.3.4): 0 to 6 have their meaning by number, 7 to 15 are generic.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(super) struct Table {
    nop: bool,
    /// The number of zero bytes behind the End of Option List.
    end: Option<u8>,
    mss: Option<u16>,
    scale: Option<u8>,
    timestamps: Option<[u32; 2]>,
    sack_permitted: bool,
    sack: Option<Sack>,
    generic: Vec<Generic>,
}

/// The blocks of a SACK option (RFC 2018).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
struct Sack {
    blocks: [[u32; 2]; 4],
    len: u8,
}

/// An option that the RFC has no item for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Generic {
    index: u8,
    kind: u8,
    /// The other end said that it never changes: it takes no bytes in the irregular chain. We never say so.
    constant: bool,
    len: u8,
    contents: [u8; MAX_CONTENTS],
}

/// The options of one header, found but not yet given their places in a table.
#[derive(Debug)]
pub(super) struct Scanned<'a> {
    items: [(u8, &'a [u8]); MAX_ITEMS],
    len: usize,
}

impl List {
    pub(super) fn indexes(&self) -> &[u8] {
        &self.indexes[..usize::from(self.len)]
    }

    fn push(&mut self, index: u8) {
        self.indexes[usize::from(self.len)] = index;
        self.len += 1;
    }

    /// A bit for each position whose index satisfies `condition`.
    pub(super) fn positions(&self, mut condition: impl FnMut(u8) -> bool) -> u16 {
        self.indexes().iter().enumerate().fold(0, |set, (at, &index)| set | u16::from(condition(index)) << at)
    }
}

impl<'a> Scanned<'a> {
    /// Finds the options in `raw`; refuses what a list cannot carry, before any context is touched.
    pub(super) fn new(raw: &'a [u8]) -> Result<Self, Refused> {
        let mut scanned = Self { items: [(NOP_KIND, &[]); MAX_ITEMS], len: 0 };
        let (mut rest, mut seen, mut generic) = (raw, 0_u16, 0);
        while let [kind, behind @ ..] = rest {
            let contents;
            (contents, rest) = match *kind {
                END_KIND if behind.iter().all(|&byte| byte == 0) && behind.len() < 32 => (behind, &[][..]),
                END_KIND => return Err(Refused::Options),
                NOP_KIND => (&[][..], behind),
                _ => {
                    let len = usize::from(*behind.first().ok_or(Refused::Options)?);
                    let whole = rest.get(2..len).ok_or(Refused::Options)?;
                    (whole, &rest[len..])
                }
            };
            match index_of(*kind) {
                Some(NOP) => {}
                Some(index) => {
                    if seen & 1 << index != 0 || !is_well_formed(index, contents.len()) {
                        return Err(Refused::Options);
                    }
                    seen |= 1 << index;
                }
                None => generic += 1,
            }
            if scanned.len == MAX_ITEMS || generic > GENERIC_ITEMS {
                return Err(Refused::Options);
            }
            scanned.items[scanned.len] = (*kind, contents);
            scanned.len += 1;
        }
        Ok(scanned)
    }

    /// Enters the options into `table` and gives their order.
    pub(super) fn place(&self, table: &mut Table) -> List {
        let (mut list, mut used) = (List::default(), 0_u16);
        for &(kind, contents) in &self.items[..self.len] {
            let index = match index_of(kind) {
                Some(index) => {
                    table.enter(index, contents);
                    index
                }
                None => table.enter_generic(kind, contents, used),
            };
            used |= 1 << index;
            list.push(index);
        }
        list
    }
}

impl Table {
    /// Whether the decompressor that holds `self` needs the item's whole contents to have it as in `new`.
    pub(super) fn lacks(&self, index: u8, new: &Self) -> bool {
        match index {
            NOP => !self.nop,
            END => self.end != new.end,
            MSS => self.mss != new.mss,
            SCALE => self.scale != new.scale,
            TIMESTAMPS => match (self.timestamps, new.timestamps) {
                (Some(old), Some(new)) => !old.iter().zip(new).all(|(&old, new)| LONGEST.fits(old, new, 32)),
                _ => true,
            },
            SACK_PERMITTED => !self.sack_permitted,
            SACK => self.sack.is_none(),
            _ => match (self.generic(index), new.generic(index)) {
                (Some(old), Some(new)) => {
                    (old.kind, old.len, old.constant) != (new.kind, new.len, new.constant)
                        || old.constant && old.contents != new.contents
                }
                _ => true,
            },
        }
    }

    /// Forgets every item that is not in `list` and that some table of `others` holds differently: which of them
    /// the decompressor has cannot be known any more.
    pub(super) fn forget_doubtful<'a>(&mut self, list: &List, others: impl Iterator<Item = &'a Self> + Clone) {
        let listed = list.indexes().iter().fold(0_u16, |set, &index| set | 1 << index);
        for index in 0..16 {
            let doubtful = |table: &Self| others.clone().any(|other| !table.same(index, other));
            if listed & 1 << index == 0 && !self.same(index, &EMPTY) && doubtful(self) {
                self.forget(index);
            }
        }
    }

    fn same(&self, index: u8, other: &Self) -> bool {
        match index {
            NOP => self.nop == other.nop,
            END => self.end == other.end,
            MSS => self.mss == other.mss,
            SCALE => self.scale == other.scale,
            TIMESTAMPS => self.timestamps == other.timestamps,
            SACK_PERMITTED => self.sack_permitted == other.sack_permitted,
            SACK => self.sack == other.sack,
            _ => self.generic(index) == other.generic(index),
        }
    }

    fn forget(&mut self, index: u8) {
        match index {
            NOP => self.nop = false,
            END => self.end = None,
            MSS => self.mss = None,
            SCALE => self.scale = None,
            TIMESTAMPS => self.timestamps = None,
            SACK_PERMITTED => self.sack_permitted = false,
            SACK => self.sack = None,
            _ => self.generic.retain(|item| item.index != index),
        }
    }

    /// Enters an option with an item of its own; `Scanned` has seen to its length.
    fn enter(&mut self, index: u8, contents: &[u8]) {
        let double = |at: usize| contents[at..at + 4].iter().fold(0, |value, &byte| value << 8 | u32::from(byte));
        match index {
            NOP => self.nop = true,
            END => self.end = Some(contents.len() as u8),
            MSS => self.mss = Some(u16::from_be_bytes([contents[0], contents[1]])),
            SCALE => self.scale = Some(contents[0]),
            TIMESTAMPS => self.timestamps = Some([double(0), double(4)]),
            SACK_PERMITTED => self.sack_permitted = true,
            _ => {
                let mut sack = Sack { len: (contents.len() / 8) as u8, ..Sack::default() };
                for (at, block) in sack.blocks[..contents.len() / 8].iter_mut().enumerate() {
                    *block = [double(at * 8), double(at * 8 + 4)];
                }
                self.sack = Some(sack);
            }
        }
    }

    /// Enters any other option, in the place of its like if there is one, and never in a place that is `used`.
    fn enter_generic(&mut self, kind: u8, contents: &[u8], used: u16) -> u8 {
        let mut new =
            Generic { index: 0, kind, constant: false, len: contents.len() as u8, contents: [0; MAX_CONTENTS] };
        new.contents[..contents.len()].copy_from_slice(contents);
        let free = |index: &u8| used & 1 << index == 0;
        let like = |item: &&mut Generic| free(&item.index) && (item.kind, item.len) == (new.kind, new.len);
        if let Some(same) = self.generic.iter_mut().filter(like).find(|item| item.contents == new.contents) {
            return same.index;
        }
        if let Some(changed) = self.generic.iter_mut().find(like) {
            changed.contents = new.contents;
            return changed.index;
        }
        new.index = (FIRST_GENERIC..16)
            .find(|index| self.generic(*index).is_none())
            .or_else(|| (FIRST_GENERIC..16).find(free))
            .expect("a scanned header has at most as many generic options as there are items");
        self.set_generic(new);
        new.index
    }

    fn generic(&self, index: u8) -> Option<&Generic> {
        self.generic.iter().find(|item| item.index == index)
    }

    fn set_generic(&mut self, new: Generic) {
        match self.generic.iter_mut().find(|item| item.index == new.index) {
            Some(item) => *item = new,
            None => self.generic.push(new),
        }
    }

    /// The options in the order of `list` as they stand in a header; nothing if they are none, longer than 40 bytes
    /// or not padded to 4.
    pub(super) fn options(&self, list: &List) -> Option<([u8; 40], usize)> {
        let (mut raw, mut len) = ([0; 40], 0);
        let mut put = |bytes: &[u8]| {
            raw.get_mut(len..len + bytes.len())?.copy_from_slice(bytes);
            len += bytes.len();
            Some(())
        };
        for &index in list.indexes() {
            match index {
                NOP => put(&[NOP_KIND])?,
                END => put(&[0; 33][..usize::from(self.end?) + 1])?,
                MSS => put(&[&[2, 4], &self.mss?.to_be_bytes()[..]].concat())?,
                SCALE => put(&[3, 3, self.scale?])?,
                TIMESTAMPS => {
                    put(&[8, 10])?;
                    self.timestamps?.iter().try_for_each(|stamp| put(&stamp.to_be_bytes()))?;
                }
                SACK_PERMITTED => put(&[4, 2])?,
                SACK => {
                    let sack = self.sack?;
                    put(&[5, sack.len * 8 + 2])?;
                    let edges = sack.blocks[..usize::from(sack.len)].iter().flatten();
                    edges.copied().try_for_each(|edge| put(&edge.to_be_bytes()))?;
                }
                _ => {
                    let item = self.generic(index)?;
                    put(&[item.kind, item.len + 2])?;
                    put(&item.contents[..usize::from(item.len)])?;
                }
            }
        }
        len.is_multiple_of(4).then_some((raw, len))
    }
}

/// The item of an option kind, if it has one of its own.
fn index_of(kind: u8) -> Option<u8> {
    Some(match kind {
        NOP_KIND => NOP,
        END_KIND => END,
        2 => MSS,
        3 => SCALE,
        4 => SACK_PERMITTED,
        5 => SACK,
        8 => TIMESTAMPS,
        _ => return None,
    })
}

fn is_well_formed(index: u8, contents: usize) -> bool {
    match index {
        MSS => contents == 2,
        SCALE => contents == 1,
        TIMESTAMPS => contents == 8,
        SACK_PERMITTED => contents == 0,
        SACK => contents != 0 && contents.is_multiple_of(8) && contents <= 32,
        _ => true,
    }
}

/// As many as the four bits of a compressed list can count.
const MAX_ITEMS: usize = 15;
/// 40 bytes of options, less kind and length.
const MAX_CONTENTS: usize = 38;
const GENERIC_ITEMS: usize = 9;
const NOP: u8 = 0;
const END: u8 = 1;
const MSS: u8 = 2;
const SCALE: u8 = 3;
const TIMESTAMPS: u8 = 4;
const SACK_PERMITTED: u8 = 5;
const SACK: u8 = 6;
const FIRST_GENERIC: u8 = 7;
const END_KIND: u8 = 0;
const NOP_KIND: u8 = 1;
const LONGEST: super::lsb::Lsb = TIMESTAMP[3].2;
static EMPTY: Table = Table {
    nop: false,
    end: None,
    mss: None,
    scale: None,
    timestamps: None,
    sack_permitted: false,
    sack: None,
    generic: Vec::new(),
};

#[cfg(test)]
mod tests;
