//! Who talks to whom: relays, and stations that talk to each other.

mod ad_hoc;
mod delivery;
mod hosts;
mod relays;
mod small_queues;
