//! What [`ackless_cell::pcap`] writes, read by others: by tshark, and by a reader of our own that works air time out anew.

mod airtime;
mod capture;
mod cell;
mod samples;
mod tshark;
