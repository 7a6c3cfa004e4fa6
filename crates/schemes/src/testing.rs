//! Small schemes that each use one hook of [`ackless_dot11::hooks::Scheme`].
