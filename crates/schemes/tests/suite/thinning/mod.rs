//! ACK thinning by hand: one node with a queue, and a script of what its host hands down and the air takes.

mod broadcom;
mod cake;
mod node;
mod samsung;
