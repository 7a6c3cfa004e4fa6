//! 802.11 rates, frame durations, timing constants and the error model, as pure functions.
