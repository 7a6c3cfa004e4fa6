//! The ARQ proxy by hand: two nodes and a script of what the air and the host do, for each rule of the paper and each corner.

mod answers;
mod exceptions;
mod forged;
mod guard;
mod hashes;
mod pair;
mod policies;
mod requests;
mod templates;
