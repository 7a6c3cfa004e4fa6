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
    let next = AtomicU64::new(0);
    let failures = Mutex::new(Vec::new());
    let work = || {
        let mut done = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count || failures.lock().expect("nobody panics with it").len() >= ENOUGH {
                return done;
            }
            match catch_unwind(AssertUnwindSafe(|| trial(number))) {
                Ok(result) => done.push((number, result)),
                Err(panic) => failures.lock().expect("nobody panics with it").push((number, said(&*panic))),
            }
        }
    };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let mut results: Vec<(u64, T)> = thread::scope(|scope| {
        let crew: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        crew.into_iter().flat_map(|member| member.join().expect("a trial's panic is caught")).collect()
    });
    let failures = failures.into_inner().expect("nobody panics with it");
    let list: Vec<_> = failures.iter().map(|(number, why)| format!("{what} {number}: {why}")).collect();
    assert!(list.is_empty(), "{}", list.join("\n"));
    results.sort_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, result)| result).collect()
}

fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic without words").to_owned()
}

/// So many failures tell enough.
const ENOUGH: usize = 5;
