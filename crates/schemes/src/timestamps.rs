//! The order of TCP timestamps (RFC 7323, 5.2).

/// Whether timestamp `one` is newer than `other`.
pub(crate) const fn is_newer(one: u32, other: u32) -> bool {
    (one.wrapping_sub(other) as i32) > 0
}

/// The newer one of two timestamps.
pub(crate) const fn newer(one: Option<u32>, other: Option<u32>) -> Option<u32> {
    match (one, other) {
        (Some(old), Some(new)) => Some(if is_newer(old, new) { old } else { new }),
        (old, None) => old,
        (None, new) => new,
    }
}
