//! What is made, what is refused, and what is left behind: nothing.

use std::path::Path;

use ackless_emu::EmuError;
use ackless_emu::claim::Claim;
use ackless_emu::namespace::{Namespace, path_of};
use ackless_emu::world::{Ends, Plan, World, directory};

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

#[test]
fn a_name_that_is_none_is_refused_before_anything_is_made() {
    let config = cell("wifi-80211n", "tcp", &[]);
    for name in ["a/b", "..", "-x", "a b"] {
        assert!(matches!(World::new(plan(name), &config), Err(EmuError::Wrong { .. })), "{name}");
    }
}
