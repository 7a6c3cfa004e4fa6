//! HACK sends no wrong ACK, ever: whole cells with real TCP and real channel access, and everything that an air can do to them.
//!
//! - `exhaustive`: all loss patterns of twelve PPDUs in a row;
//! - `schedules`: random cells under random losses, and how often each named state was reached in them;
//! - `collisions`: two flows with one context identifier;
//! - `late`: a NIC that is not ready;
//! - `rates`: a link that changes its rate;
//! - `runs`: schemes that are asked about many packets at once, beside those that are asked about each;
//! - `regressions`: what the schedules have found once.
//!
//! `trial` has the rules that every one of these runs must keep, `progress` the one of them about time, `waits` what it measures for that,
//! `cells` the cells, `air` the losses, `crew` the threads; `hosts` draws what lies above the MACs, there and here.

mod air;
mod collisions;
mod exhaustive;
mod late;
mod progress;
mod rates;
mod regressions;
mod runs;
mod schedules;
mod trial;
mod waits;
