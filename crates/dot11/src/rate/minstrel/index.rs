//! How a rate of a link is named.

/// A rate: the place of its group among those of the link, and its place in the group.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Index {
    pub(super) group: u8,
    pub(super) rate: u8,
}

impl Index {
    /// The first rate of the first group, which every link has.
    pub(super) const LOWEST: Self = Self { group: 0, rate: 0 };
}
