//! What is kept under a tag.

use ackless_dot11::frame::Tag;

/// Values by tag, found without a search: two bytes for each tag up to the greatest that was used, and what is kept in a row.
#[derive(Clone, Debug)]
pub(super) struct Tags<V> {
    /// By tag: 0 for none, else one more than its place among the rows.
    places: Vec<u16>,
    rows: Vec<(Tag, V)>,
}

impl<V> Default for Tags<V> {
    fn default() -> Self {
        Self { places: Vec::new(), rows: Vec::new() }
    }
}

impl<V> Tags<V> {
    /// How many tags have a value.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether none has.
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub(super) fn get(&self, tag: Tag) -> Option<&V> {
        self.place(tag).map(|place| &self.rows[place].1)
    }

    pub(super) fn get_mut(&mut self, tag: Tag) -> Option<&mut V> {
        self.place(tag).map(|place| &mut self.rows[place].1)
    }

    /// Sets the value of a tag, in place of any before.
    pub(super) fn insert(&mut self, tag: Tag, value: V) {
        if let Some(before) = self.get_mut(tag) {
            *before = value;
            return;
        }
        let index = usize::from(tag.get());
        if self.places.len() <= index {
            self.places.resize(index + 1, 0);
        }
        self.rows.push((tag, value));
        // There are no more rows than tags, which are 16,383.
        self.places[index] = self.rows.len() as u16;
    }

    /// Takes the value of a tag away, if it has one.
    pub(super) fn remove(&mut self, tag: Tag) {
        let Some(place) = self.place(tag) else { return };
        self.places[usize::from(tag.get())] = 0;
        self.rows.swap_remove(place);
        if let Some((moved, _)) = self.rows.get(place) {
            self.places[usize::from(moved.get())] = place as u16 + 1;
        }
    }

    /// Takes all values away.
    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.places.fill(0);
    }

    #[inline]
    fn place(&self, tag: Tag) -> Option<usize> {
        let place = *self.places.get(usize::from(tag.get()))?;
        place.checked_sub(1).map(usize::from)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use ackless_wire::random::{Purpose, Stream};

    use super::*;

    #[test]
    fn it_keeps_what_a_map_keeps() {
        for seed in 1..=5 {
            let mut random = Stream::new(seed, 0, Purpose::Test);
            let (mut tags, mut map) = (Tags::default(), BTreeMap::new());
            let all: Vec<Tag> = (0..40).filter_map(|n| Tag::new(1 + n * 420)).collect();
            for step in 0..2_000u64 {
                let tag = all[random.below(40) as usize];
                match random.below(20) {
                    0 => {
                        tags.clear();
                        map.clear();
                    }
                    1..8 => {
                        tags.remove(tag);
                        map.remove(&tag);
                    }
                    _ => {
                        tags.insert(tag, step);
                        map.insert(tag, step);
                    }
                }
                assert_eq!((tags.len(), tags.is_empty()), (map.len(), map.is_empty()), "seed {seed}, step {step}");
                for tag in &all {
                    assert_eq!(tags.get(*tag), map.get(tag), "seed {seed}, step {step}, {tag:?}");
                }
            }
        }
    }
}
