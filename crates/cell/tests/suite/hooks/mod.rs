//! Each hook of [`ackless_dot11::hooks::Scheme`] in a real cell: a small scheme uses it, and the effect is looked for from outside, in what
//! goes on the air and in the run's result.
//!
//! `cells` has the cells and what is seen of them; `silences` is about what the ledger makes of a medium that a scheme or a loss leaves
//! idle; the other modules follow those of [`ackless_schemes::testing`].

mod answers;
mod cells;
mod fates;
mod outgoing;
mod passing;
mod silences;
