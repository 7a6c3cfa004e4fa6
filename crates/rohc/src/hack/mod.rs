//! HACK mode: what the scheme appends to a link-layer answer in place of native TCP ACKs.
