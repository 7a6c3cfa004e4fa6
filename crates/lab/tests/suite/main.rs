//! Experiments, random scenarios, and what simulated cells must agree with. One binary, since each compiles the cell anew; `cargo test -p ackless-lab --test suite validation::`
//! runs one of its parts.

mod any_scenario;
mod claims;
mod experiments;
mod validation;
