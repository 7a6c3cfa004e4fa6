//! What is done with a TCP ACK on the Wi-Fi hop.
