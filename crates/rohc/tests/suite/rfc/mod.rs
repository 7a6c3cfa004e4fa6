//! RFC mode from outside: what goes in comes out, in few bytes, whatever is lost and whoever wrote it.

mod acks;
mod feedback;
mod hostile;
mod round_trip;
mod sizes;
