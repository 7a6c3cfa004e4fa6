//! What every rival of HACK must keep, whatever the air, the wire and the hosts do: whole cells with real TCP and real channel access.
//!
//! - `suites`: each rival over random schedules, and how often each of its corner states was reached in them;
//! - `contenders`: the rivals, and how each is set up at random; `corners`: the tables of their corner states;
//! - `schedule`: a random cell with random flows, and the kinds of PPDUs that its air tells apart;
//! - `trial`: one run, and the rules that it must keep; `ledger`: who has sent, accepted and acknowledged what, and `ledger_checks` that it sees it;
//! - `runs`: each rival where it is asked about many packets at once, beside the same where it is asked about each;
//! - `arq_worlds`: the ARQ proxy in one hostile world at a time;
//! - `verdict`: a run beside the same schedule without any scheme.
//!
//! Cells, hosts and threads are those of the suite of HACK; `tap` listens at each node's scheme.

mod arq_worlds;
mod contenders;
mod corners;
mod ledger;
mod ledger_checks;
mod runs;
mod schedule;
mod suites;
mod trial;
mod verdict;
