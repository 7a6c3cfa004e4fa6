//! The 802.11 MAC as machines without I/O and without a clock.
