//! The kernel's own TCP over the emulated cell. Wants root, network namespaces and TUN devices, and says so loudly where it has not got them.
#![cfg(target_os = "linux")]

mod flood;
mod interfaces;
mod life;
mod quiet;
mod rig;
mod transfer;
