//! Closed forms: what theory says about a Wi-Fi cell.
