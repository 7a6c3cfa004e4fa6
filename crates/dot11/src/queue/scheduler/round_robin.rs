//! One access each, in turn.

use std::collections::VecDeque;

/// Round robin over the receivers that have something waiting.
///
/// A receiver that runs empty keeps its place until its turn comes, so that running empty costs no search.
#[derive(Clone, Debug)]
pub struct RoundRobin {
    /// The next one first.
    turn: VecDeque<usize>,
    places: Vec<Place>,
    ready: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    /// Not in the turn.
    Out,
    /// In it, with something waiting.
    Ready,
    /// In it, with nothing: leaves when its turn comes.
    Empty,
}

impl RoundRobin {
    /// A turn of `receivers` that have nothing waiting.
    pub fn new(receivers: usize) -> Self {
        Self { turn: VecDeque::with_capacity(receivers), places: vec![Place::Out; receivers], ready: 0 }
    }

    /// Whether anything waits.
    pub fn any_ready(&self) -> bool {
        self.ready > 0
    }

    /// Tells whether a receiver has something waiting.
    pub fn update(&mut self, receiver: usize, has_frames: bool) {
        let place = &mut self.places[receiver];
        match (*place, has_frames) {
            (Place::Out, true) => {
                self.turn.push_back(receiver);
                self.ready += 1;
                *place = Place::Ready;
            }
            (Place::Empty, true) => {
                self.ready += 1;
                *place = Place::Ready;
            }
            (Place::Ready, false) => {
                self.ready -= 1;
                *place = Place::Empty;
            }
            (Place::Ready, true) | (Place::Out | Place::Empty, false) => {}
        }
    }

    /// The receiver whose turn it is; it goes to the end.
    pub fn pick(&mut self) -> Option<usize> {
        while let Some(receiver) = self.turn.pop_front() {
            if self.places[receiver] == Place::Ready {
                self.turn.push_back(receiver);
                return Some(receiver);
            }
            self.places[receiver] = Place::Out;
        }
        None
    }
}
