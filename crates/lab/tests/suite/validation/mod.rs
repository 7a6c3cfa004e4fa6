//! The simulator against what is known otherwise: closed forms, another simulator's results, and properties that every run
//! has. `docs/validation.md` holds the figures and says what was configured, and why where it was not obvious.

mod agent;
mod arq;
mod bound;
mod closed_forms;
mod contention;
mod determinism;
mod exchanges;
mod filter;
mod hack;
mod hack_80211a;
mod hack_snr;
mod hack_wifi;
mod ns3;
mod one_by_one;
mod properties;
mod support;
mod tack;
mod today;
