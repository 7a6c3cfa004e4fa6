//! A list of SACK blocks, in terms of the list before it and of the acknowledgment number.

use ackless_wire::SeqNumber;
use ackless_wire::tcp::SackBlocks;

use crate::hack::code::{Code, Cursor};
use crate::hack::error::{DecodeError, Malformed};

/// A list of SACK blocks as a code says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SackList {
    blocks: [Block; 4],
    len: usize,
}

/// One block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Block {
    /// The block at this place of the list before.
    Same(u8),
    /// The block at the place `from` of the list before, its right edge further by `by`: 1 to 2^28 - 1.
    Grown { from: u8, by: u32 },
    /// A new block: its left edge from the acknowledgment number, and its length.
    New { left: i32, len: u32 },
}

impl SackList {
    /// The list `new`, next to the acknowledgment number `ack`, in terms of the list `old`.
    pub(super) fn between(old: &SackBlocks, new: &SackBlocks, ack: SeqNumber) -> Self {
        let mut blocks = [Block::Same(0); 4];
        for (block, said) in new.as_slice().iter().zip(&mut blocks) {
            *said = Block::between(old, block, ack);
        }
        Self { blocks, len: new.as_slice().len() }
    }

    /// Appends the list: three bits with the number of blocks and three for each block's form, in as many bytes as they
    /// need (one up to one block, else two), then the blocks' numbers.
    pub(super) fn write(&self, code: &mut Code) {
        let mut forms = (self.len as u16) << 13;
        for (at, block) in self.blocks().iter().enumerate() {
            forms |= block.form() << (10 - 3 * at);
        }
        let [high, low] = forms.to_be_bytes();
        code.push(high);
        if self.len > 1 {
            code.push(low);
        }
        for block in self.blocks() {
            match *block {
                Block::Same(_) => {}
                Block::Grown { from, by } => code.number(by << 2 | u32::from(from)),
                Block::New { left, len } => {
                    code.signed(left);
                    code.number(len);
                }
            }
        }
    }

    /// Reads a list.
    pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<Self, Malformed> {
        let high = cursor.byte()?;
        let len = usize::from(high >> 5);
        let low = if len > 1 { cursor.byte()? } else { 0 };
        let forms = u16::from_be_bytes([high, low]);
        let used = 3 + 3 * len as u32;
        if len > 4 || forms.checked_shl(used).unwrap_or(0) != 0 {
            return Err(Malformed::Field);
        }
        let mut blocks = [Block::Same(0); 4];
        for (at, block) in blocks[..len].iter_mut().enumerate() {
            *block = match forms >> (10 - 3 * at) & 7 {
                place @ 0..4 => Block::Same(place as u8),
                FORM_GROWN => {
                    let n = cursor.number()?;
                    if n < 4 || n >> 2 > MAX_GROWTH {
                        return Err(Malformed::Field);
                    }
                    Block::Grown { from: n as u8 & 3, by: n >> 2 }
                }
                FORM_NEW => Block::New { left: cursor.signed()?, len: cursor.number()? },
                _ => return Err(Malformed::Field),
            };
        }
        Ok(Self { blocks, len })
    }

    /// The list that this one stands for.
    pub(super) fn apply(&self, old: &SackBlocks, ack: SeqNumber) -> Result<SackBlocks, DecodeError> {
        let mut list = SackBlocks::EMPTY;
        let before = |place: u8| old.as_slice().get(usize::from(place)).copied().ok_or(DecodeError::Impossible);
        for block in self.blocks() {
            list.push(match *block {
                Block::Same(from) => before(from)?,
                Block::Grown { from, by } => {
                    let (left, right) = before(from)?;
                    (left, right + by)
                }
                Block::New { left, len } => {
                    let left = ack + left as u32;
                    (left, left + len)
                }
            });
        }
        Ok(list)
    }

    /// The blocks.
    fn blocks(&self) -> &[Block] {
        &self.blocks[..self.len]
    }
}

impl Block {
    /// The shortest way to say `block`.
    fn between(old: &SackBlocks, block: &(SeqNumber, SeqNumber), ack: SeqNumber) -> Self {
        let (left, right) = *block;
        let places = || (0..).zip(old.as_slice());
        if let Some((place, _)) = places().find(|(_, old)| *old == block) {
            return Self::Same(place);
        }
        let grown =
            |(_, old): &(u8, &(SeqNumber, SeqNumber))| old.0 == left && (1..=MAX_GROWTH).contains(&(right - old.1));
        if let Some((from, old)) = places().find(grown) {
            return Self::Grown { from, by: right - old.1 };
        }
        Self::New { left: left.distance_from(ack), len: right - left }
    }

    /// The three bits of its form.
    const fn form(&self) -> u16 {
        match *self {
            Self::Same(place) => place as u16,
            Self::Grown { .. } => FORM_GROWN,
            Self::New { .. } => FORM_NEW,
        }
    }
}

/// The form of a grown block; its number holds the growth, and its place in the two low bits.
const FORM_GROWN: u16 = 4;
/// The form of a new block; its numbers are the distance of its left edge from the acknowledgment number, and its
/// length.
const FORM_NEW: u16 = 5;
/// The greatest growth of a grown block.
const MAX_GROWTH: u32 = (1 << 28) - 1;

#[cfg(test)]
#[expect(clippy::unusual_byte_groupings, reason = "the groups are the fields")]
mod tests {
    use super::*;

    fn list(blocks: &[(u32, u32)]) -> SackBlocks {
        let blocks: Vec<_> = blocks.iter().map(|&(left, right)| (SeqNumber(left), SeqNumber(right))).collect();
        SackBlocks::from_slice(&blocks)
    }

    /// Writes `new` after `old`, checks the bytes, and reads them back.
    fn written(old: &[(u32, u32)], new: &[(u32, u32)], ack: u32, bytes: &[u8]) {
        let (old, new, ack) = (list(old), list(new), SeqNumber(ack));
        let mut code = Code::empty(0);
        SackList::between(&old, &new, ack).write(&mut code);
        assert_eq!(code.bytes(), bytes);
        let mut cursor = Cursor::new(bytes);
        let read = SackList::read(&mut cursor).expect("a list that was written can be read");
        assert_eq!(cursor.at(), bytes.len());
        assert_eq!(read.apply(&old, ack), Ok(new));
    }

    #[test]
    fn a_vanished_list_is_one_byte() {
        written(&[(5, 9)], &[], 9, &[0b000_00000]);
    }

    #[test]
    fn a_first_block_is_its_distance_and_length() {
        // 1000 above the acknowledgment, doubled for the sign: 2000 = 0x7d0; length 1448 = 0x5a8.
        written(&[], &[(2000, 3448)], 1000, &[0b001_101_00, 0x87, 0xd0, 0x85, 0xa8]);
    }

    #[test]
    fn growth_and_old_blocks_are_said_by_their_places() {
        // Two blocks; the first is the second of before, grown by 100: 100 << 2 | 1 = 401 = 0x191. Then the first of
        // before.
        let old = [(50, 60), (20, 30)];
        written(&old, &[(20, 130), (50, 60)], 10, &[0b010_100_00, 0b0_000_000_0, 0x81, 0x91]);
    }

    #[test]
    fn edges_may_lie_anywhere() {
        let wild = [(0, u32::MAX), (u32::MAX, 0), (7, 7), (0x8000_0000, 3)];
        let mut code = Code::empty(0);
        let (old, new) = (list(&[(7, 8)]), list(&wild));
        SackList::between(&old, &new, SeqNumber(0)).write(&mut code);
        let read = SackList::read(&mut Cursor::new(code.bytes())).expect("a list that was written can be read");
        assert_eq!(read.apply(&old, SeqNumber(0)), Ok(new));
    }

    #[test]
    fn what_is_never_written_is_refused() {
        for bytes in [
            &[0b101_00000, 0][..],      // five blocks
            &[0b000_00001],             // bits behind no blocks
            &[0b001_000_01],            // bits behind one block
            &[0b010_000_00, 0b0000001], // bits behind two blocks
            &[0b001_110_00],            // no such form
            &[0b001_100_00, 3],         // growth by nothing
        ] {
            assert_eq!(SackList::read(&mut Cursor::new(bytes)), Err(Malformed::Field), "{bytes:?}");
        }
        let read = SackList::read(&mut Cursor::new(&[0b001_001_00])).expect("the form is right");
        assert_eq!(read.apply(&list(&[(1, 2)]), SeqNumber(0)), Err(DecodeError::Impossible));
    }
}
