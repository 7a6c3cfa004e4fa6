//! Durations, rates and answers beside numbers worked by hand, beside the standard's tables and beside what Wireshark says.

mod answers;
mod durations;
mod tshark_duration;
