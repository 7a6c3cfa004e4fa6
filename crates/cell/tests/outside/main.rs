//! Real packets through a cell: bytes in, the same bytes out, under every scheme.

#[expect(dead_code, reason = "the cells are shared with the tests of HACK, which use the rest")]
#[path = "../hack/cells.rs"]
mod cells;
#[path = "../hack/crew.rs"]
mod crew;
mod dress;
mod hosts;
mod packets;
mod passing;
mod schemes;
mod talking;
mod world;
