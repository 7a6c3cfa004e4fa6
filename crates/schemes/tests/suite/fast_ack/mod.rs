//! FastACK by hand: an AP with its queue, and a script of what the server sends, the air does and the client says.

mod acknowledging;
mod ap;
mod connections;
mod repairs;
mod window;
