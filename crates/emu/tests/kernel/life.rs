//! What is made, what is refused, and what is left behind: nothing.

use std::ffi::OsString;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use ackless_cell::config::CellConfig;
use ackless_cell::flows::Place;
use ackless_emu::EmuError;
use ackless_emu::claim::Claim;
use ackless_emu::namespace::{Namespace, path_of};
use ackless_emu::session::{Emulated, Ended, Program, Request, emulate};
use ackless_emu::signals::Signals;
use ackless_emu::world::{Ends, Plan, World, directory};
use ackless_wire::Duration;
use nix::sys::prctl;
use nix::sys::signal::{SigSet, Signal};

use crate::rig::{SINGLE, cell, ours, skip};

fn plan(name: &str) -> Plan<'_> {
    Plan { name, server: SINGLE, stations: SINGLE, ends: Ends::default() }
}

#[test]
fn a_world_is_there_while_it_lives_and_gone_with_it() {
    let config = cell("wifi-80211n", "tcp", &["stations.count=2"]);
    let own = ours("t-life");
    let world = match World::new(plan(&own), &config) {
        Ok(world) => world,
        Err(error @ EmuError::Refused { .. }) => return skip(&error),
        Err(error) => panic!("{error}"),
    };
    let names: Vec<_> =
        directory(&own, &config).expect("the names are names").into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["server", "sta-1", "sta-2"].map(|host| format!("{own}-{host}")));
    assert!(names.iter().all(|name| path_of(name).exists()));
    let file = format!("/run/ackless/{own}.json");
    assert!(Path::new(&file).exists());
    let Err(EmuError::Taken { what, .. }) = World::new(plan(&own), &config) else {
        panic!("the names of one that lives are taken");
    };
    assert!(what.contains(&std::process::id().to_string()), "{what}");
    assert!(names.iter().all(|name| path_of(name).exists()), "a refusal takes nothing away");
    drop(world);
    assert!(names.iter().all(|name| !path_of(name).exists()));
    assert!(!Path::new(&file).exists());
}

#[test]
fn what_a_dead_owner_left_is_removed_and_what_somebody_else_made_is_not() {
    let (dead, others) = (ours("t-dead"), ours("t-other"));
    let host = format!("{dead}-server");
    let left = match Namespace::new(&host) {
        Ok(left) => left,
        Err(error) => return skip(&error),
    };
    // It dies without a word.
    std::mem::forget(left);
    let owner = format!(r#"{{"process": 5000000, "began": 1, "namespaces": ["{host}"]}}"#);
    std::fs::create_dir_all("/run/ackless").expect("whoever may make namespaces may make this");
    std::fs::write(format!("/run/ackless/{dead}.json"), owner).expect("the folder is there");
    let claim = Claim::new(&dead, vec![host.clone()], std::iter::empty()).expect("its owner is dead");
    assert!(!path_of(&host).exists());
    drop(claim);

    let station = format!("{others}-sta-1");
    let other = Namespace::new(&station).expect("the first could be made");
    let config = cell("wifi-80211n", "tcp", &[]);
    let (what, help) = match World::new(plan(&others), &config) {
        Err(EmuError::Taken { what, help }) => (what, help),
        Err(error @ EmuError::Refused { .. }) => return skip(&error),
        other => panic!("a namespace of somebody else's is taken: {other:?}"),
    };
    assert!(what.contains(&station) && help.contains("--name"), "{what} {help}");
    assert!(path_of(&station).exists() && !path_of(&format!("{others}-server")).exists());
    drop(other);
}

/// What emulations change of their process and of the thread that they run in while they last: whether it adopts orphans, which signals it blocks, how exact its timers are.
fn nature() -> (bool, Vec<Signal>, i32) {
    let adopts = prctl::get_child_subreaper().expect("the kernel says so");
    let signals = SigSet::thread_get_mask().expect("likewise");
    (adopts, signals.iter().collect(), prctl::get_timerslack().expect("likewise"))
}

/// Whether a process adopts orphans is for all of its threads, and so for all tests: those with programs take turns.
static PROGRAMS: Mutex<()> = Mutex::new(());

/// An emulation with one program in it, at the first station or where this process is, at which `each` looks on.
fn with_program(
    name: &str,
    config: &CellConfig,
    inside: Option<Place>,
    script: &str,
    each: impl FnMut() -> ControlFlow<()>,
) -> Result<Emulated, EmuError> {
    let own = ours(name);
    let command: Vec<OsString> = script.split(' ').map(OsString::from).collect();
    let program = Program { inside, command: &command, keep_output: true, awaited: true, after: Duration::ZERO };
    let signals = Signals::take()?;
    let request = Request {
        config,
        seed: 1,
        plan: plan(&own),
        spin: Duration::ZERO,
        duration: Some(Duration::from_secs(30)),
        programs: vec![program],
        signals: &signals,
        eavesdropper: None,
    };
    let mut each = each;
    emulate(request, &mut (), |_| {}, |_| each())
}

/// At the first station.
const STATION: Option<Place> = Some(Place::Station(1));

#[test]
fn a_process_is_what_it_was_once_an_emulation_is_over_however_that_ends() {
    let _turn = PROGRAMS.lock().unwrap_or_else(PoisonError::into_inner);
    let config = cell("wifi-80211n", "tcp", &[]);
    let before = nature();
    assert!(!before.0, "these tests run in a process that adopts nobody");
    let go_on = || ControlFlow::Continue(());
    match with_program("t-is", &config, STATION, "grep SigBlk /proc/self/status", go_on) {
        Ok(emulated) => {
            assert_eq!(emulated.ended, Ended::Programs);
            let Some(Some(exit)) = emulated.programs.first() else { panic!("it has ended: {emulated:?}") };
            let said = String::from_utf8_lossy(&exit.output);
            let blocked = said.split_whitespace().nth(1).map(|set| u64::from_str_radix(set, 16));
            // A set has a bit for each signal, of which there is no zeroth (proc(5)).
            let expected = before.1.iter().fold(0, |set, signal| set | 1_u64 << (*signal as i32 - 1));
            assert_eq!(blocked, Some(Ok(expected)), "a program blocks what was blocked before: {said}");
        }
        Err(error @ EmuError::Refused { .. }) => return skip(&error),
        Err(error) => panic!("{error}"),
    }
    assert_eq!(nature(), before, "its program has ended");

    let mut during = None;
    // One in another thread begins and ends meanwhile, and takes nothing from this one.
    let asked = with_program("t-is", &config, STATION, "sleep 20", || {
        std::thread::scope(|scope| {
            let other =
                scope.spawn(|| with_program("t-is-other", &config, STATION, "true", go_on).map(|other| other.ended));
            let ended = other.join().expect("it does not panic").expect("the first could be emulated");
            assert_eq!(ended, Ended::Programs);
        });
        during = Some(nature());
        ControlFlow::Break(())
    });
    assert_eq!(asked.expect("the first could be emulated").ended, Ended::Asked);
    let (adopts, signals, slack) = during.expect("it was looked at");
    assert!(adopts && signals != before.1 && slack == 1, "{adopts} {signals:?} {slack}");
    assert_eq!(nature(), before, "whoever looks on has ended it");

    for (wrong, remedy) in [("/nowhere/to-be-found", "install it"), ("/proc/self/status", "chmod +x")] {
        let refused = with_program("t-is", &config, STATION, wrong, go_on);
        let Err(error @ EmuError::Wrong { .. }) = refused else { panic!("{wrong} is no program: {refused:?}") };
        assert!(error.to_string().contains(remedy), "{error}");
        assert_eq!(nature(), before, "{wrong} is no program");
    }

    let panic =
        catch_unwind(AssertUnwindSafe(|| with_program("t-is", &config, STATION, "sleep 20", || panic!("on purpose"))));
    assert!(panic.is_err());
    assert_eq!(nature(), before, "it panicked");
    for (host, _) in directory(&ours("t-is"), &config).expect("the names are names") {
        assert!(!path_of(&host).exists(), "{host} is there");
    }

    prctl::set_child_subreaper(true).expect("the kernel lets it");
    with_program("t-is", &config, STATION, "true", go_on).expect("the first could be emulated");
    let still = prctl::get_child_subreaper().expect("the kernel says so");
    prctl::set_child_subreaper(false).expect("the kernel lets it");
    assert!(still, "who adopted orphans before goes on");
}

#[test]
fn what_programs_have_left_ends_with_an_emulation_that_panics_and_none_of_it_stays_as_a_zombie() {
    let _turn = PROGRAMS.lock().unwrap_or_else(PoisonError::into_inner);
    let config = cell("wifi-80211n", "tcp", &[]);
    let said = std::env::temp_dir().join(ours("t-left"));
    let script = said.with_extension("sh");
    // The second holds the pipe that is read for the program's output.
    let lines = format!("sleep 1000 & echo $! > {0}\n(sleep 1000 & echo $! >> {0})\n", said.display());
    std::fs::write(&script, lines).expect("there is room");
    let command = format!("sh {}", script.display());
    let left = || -> Vec<i32> {
        let said = std::fs::read_to_string(&said).unwrap_or_default();
        said.split_whitespace().map(|process| process.parse().expect("it is a number")).collect()
    };
    let asked = |inside, panics: bool| {
        with_program("t-left", &config, inside, &command, || {
            if left().len() < 2 {
                return ControlFlow::Continue(());
            }
            assert!(!panics, "on purpose");
            ControlFlow::Break(())
        })
    };
    let mut all = Vec::new();
    for (inside, panics) in [(STATION, false), (STATION, true), (None, false), (None, true)] {
        match catch_unwind(AssertUnwindSafe(|| asked(inside, panics))) {
            Ok(Err(error @ EmuError::Refused { .. })) => return skip(&error),
            Ok(Err(error)) => panic!("{error}"),
            Ok(Ok(_)) => assert!(!panics),
            Err(_) => assert!(panics),
        }
        all.extend(left());
        std::fs::remove_file(&said).expect("it is there");
    }
    assert_eq!(all.len(), 8);
    for process in all {
        assert!(!Path::new(&format!("/proc/{process}")).exists(), "{process} is there");
    }
    std::fs::remove_file(script).expect("it is there");
}

#[test]
fn a_name_that_is_none_is_refused_before_anything_is_made() {
    let config = cell("wifi-80211n", "tcp", &[]);
    for name in ["a/b", "..", "-x", "a b"] {
        assert!(matches!(World::new(plan(name), &config), Err(EmuError::Wrong { .. })), "{name}");
    }
}
