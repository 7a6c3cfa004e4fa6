//! Many trials on all cores.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

/// Runs `trial` for each number below `count` on all cores, and gives back what they said in the order of the numbers.
///
/// # Panics
/// If one of them does, with the number of each that did and what it said; after [`ENOUGH`] of them no further one begins.
pub fn all<T: Send>(what: &str, count: u64, trial: impl Fn(u64) -> T + Sync) -> Vec<T> {
    let results = Mutex::new((0..count).map(|_| None).collect::<Vec<_>>());
    work(what, count, &|number| {
        let result = trial(number);
        results.lock().expect("nobody panics with it")[number as usize] = Some(result);
    });
    results.into_inner().expect("nobody panics with it").into_iter().flatten().collect()
}

/// How many schedules are run: so many, or what the environment asks for.
#[expect(clippy::disallowed_methods, reason = "how long a test runs is its caller's choice")]
pub fn schedules(usual: u64) -> u64 {
    std::env::var("ACKLESS_SCHEDULES").map_or(usual, |count| count.parse().expect("ACKLESS_SCHEDULES is a number"))
}

/// The crew at work: what it does is behind a pointer, so that the crew is compiled once.
fn work(what: &str, count: u64, trial: &(dyn Fn(u64) + Sync)) {
    let next = AtomicU64::new(0);
    let failures = Mutex::new(Vec::new());
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count || failures.lock().expect("nobody panics with it").len() >= ENOUGH {
                return;
            }
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| trial(number))) {
                failures.lock().expect("nobody panics with it").push((number, said(&*panic)));
            }
        }
    };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| (0..cores).for_each(|_| drop(scope.spawn(work))));
    let failures = failures.into_inner().expect("nobody panics with it");
    let list: Vec<_> = failures.iter().map(|(number, why)| format!("{what} {number}: {why}")).collect();
    assert!(list.is_empty(), "{}", list.join("\n"));
}

fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic without words").to_owned()
}

/// So many failures tell enough.
const ENOUGH: usize = 5;
