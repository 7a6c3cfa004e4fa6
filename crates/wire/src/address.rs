//! Link-layer addresses.

use std::fmt;

/// A 48-bit MAC address (802.11-2020, 9.2.2).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct MacAddr(pub [u8; 6]);

impl MacAddr {
    /// Every station.
    pub const BROADCAST: Self = Self([0xff; 6]);

    /// The locally administered address of node `n` of a simulated cell: 02:00:00:00:hh:ll.
    pub const fn of_node(n: u16) -> Self {
        let [high, low] = n.to_be_bytes();
        Self([0x02, 0, 0, 0, high, low])
    }

    /// Whether this names a group of stations (broadcast included): such frames are never acknowledged.
    pub const fn is_group(self) -> bool {
        self.0[0] & 1 == 1
    }
}

impl fmt::Display for MacAddr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d, e, g] = self.0;
        write!(f, "{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{g:02x}")
    }
}

impl fmt::Debug for MacAddr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
