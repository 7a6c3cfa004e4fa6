//! RFC mode: the packets of RFC 6846 themselves, for any pure ACK.
