//! Who talks to whom: relays, and stations that talk to each other.

mod ad_hoc;
mod cells;
mod relays;
