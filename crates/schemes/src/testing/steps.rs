//! What a packet costs a scheme where many flows pass, as a number that no load on the machine
//! changes.
//!
//! A step is a flow, frame or deadline that is compared, looked at or moved. Every table and loop
//! of this crate whose length somebody else decides counts its steps. Only builds with debug
//! assertions count, and each thread for itself.

#[cfg(debug_assertions)]
use std::cell::Cell;

#[cfg(debug_assertions)]
thread_local! {
    static STEPS: Cell<u64> = const { Cell::new(0) };
}

/// Adds steps.
#[inline(always)]
pub(crate) fn count(steps: usize) {
    #[cfg(debug_assertions)]
    STEPS.with(|counted| counted.set(counted.get() + steps as u64));
    #[cfg(not(debug_assertions))]
    let _ = steps;
}

/// The steps that this thread has counted since the last call. Always 0 without debug assertions.
pub fn take() -> u64 {
    #[cfg(debug_assertions)]
    return STEPS.take();
    #[cfg(not(debug_assertions))]
    0
}
