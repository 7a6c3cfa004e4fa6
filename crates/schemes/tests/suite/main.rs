//! Schemes by hand: two nodes and a script of what the air does. One binary, since each compiles the schemes anew; `cargo test -p ackless-schemes --test suite hack::` runs
//! one of its parts.

mod agent;
mod arq_proxy;
mod cost;
mod fast_ack;
mod filter;
mod hack;
mod tack;
mod testing;
mod thinning;
