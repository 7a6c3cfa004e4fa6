//! Conversations between two endpoints, and of one endpoint with a script.

mod bbr;
mod bbr3;
mod bulk;
mod bursts;
mod chaos;
mod cubic;
mod ecn;
mod listener;
mod live;
mod packetdrill;
mod pair;
mod properties;
mod rack;
mod receiver_bbr;
mod receiving;
mod script;
mod sending;
mod states;
mod tack_agreement;
mod tack_changes;
mod tack_long;
mod tack_receiving;
mod tack_sending;
mod tack_transfer;
mod timestamps;
mod undo;
