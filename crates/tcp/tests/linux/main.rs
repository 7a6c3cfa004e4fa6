//! Conversations with the kernel's TCP through a TUN device, with packets lost, overtaken and doubled both ways: byte for byte.
//!
//! Where a TUN device may not be opened (it takes root or CAP_NET_ADMIN, and `/dev/net/tun`), each test says so
//! on standard error and passes. `examples/with_kernel.rs` has the long transfers for any number of bytes.

#![cfg(target_os = "linux")]

mod bulk;
mod host;
mod plain;
mod states;
mod tack;

/// One packet in a hundred is lost, each way.
const LOSSY: host::Path = host::Path { loss: 0.01, ..host::Path::CLEAN };
