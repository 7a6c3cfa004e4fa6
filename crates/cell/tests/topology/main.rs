//! Who talks to whom: relays, and stations that talk to each other.

mod ad_hoc;
#[expect(dead_code, reason = "the cells are shared with the tests of ACK filtering, which use the rest")]
mod cells;
mod delivery;
mod hosts;
mod relays;
mod small_queues;
