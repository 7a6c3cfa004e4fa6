//! Real packets through a cell: bytes in, the same bytes out, under every scheme.

mod dress;
mod hosts;
mod packets;
mod passing;
mod schemes;
mod talking;
mod world;
