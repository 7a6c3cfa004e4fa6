//! Whole cells. One binary, since each compiles the cell anew; `cargo test -p ackless-cell --test suite hack::` runs one of its parts.

mod agent;
mod arq_proxy;
mod fast_ack;
mod filter;
mod forged;
mod hack;
mod hack_cells;
mod hack_wire;
mod hearing;
mod hooks;
mod outside;
mod pcap;
mod rivals;
mod rivals_wire;
mod tack;
mod testing;
mod thinning;
mod topology;
