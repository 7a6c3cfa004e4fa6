//! HACK by hand: two nodes and a script of what the air does, one for each figure and each race of the paper.

mod announced;
mod codecs;
mod figures;
mod forged;
mod forgotten;
mod guard;
mod identifiers;
mod long;
mod pair;
mod paying;
mod policies;
mod races;
mod tails;
mod taken_back;
