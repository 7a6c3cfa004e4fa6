//! Compressors and decompressors beside each other, and beside numbers worked by hand.

mod hack;
mod rfc;
