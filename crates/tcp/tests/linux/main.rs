//! Conversations with the kernel's TCP through a TUN device, with packets lost both ways: byte for byte.
//!
//! Where a TUN device may not be opened (it takes root or CAP_NET_ADMIN, and `/dev/net/tun`), each test says so
//! on standard error and passes.

#![cfg(target_os = "linux")]

mod host;
mod plain;
mod tack;
