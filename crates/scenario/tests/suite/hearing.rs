//! Who hears whom: where stations stand, the powers that follow, and what is refused.

use ackless_cell::config::{CellConfig, Hearing, PowerConfig, SchemeChoice};
use ackless_phy::Dbm;
use ackless_scenario::builtin::Builtin;
use ackless_scenario::{Row, Scenario};

const BY_POWER: &str = "[wifi]\nhearing = \"by-power\"\n[loss]\nmodel = \"path-loss\"\n";

fn build(text: &str) -> Result<CellConfig, String> {
    let scenario = Scenario::parse("cell.toml", text).map_err(|error| error.to_string())?;
    scenario.build(Row::STOCK).map_err(|error| error.to_string())
}

/// The powers of a cell, those of each node at the others.
#[track_caller]
fn powers(text: &str) -> PowerConfig {
    let cell = build(&format!("{BY_POWER}{text}")).unwrap_or_else(|error| panic!("{error}"));
    match cell.hearing {
        Hearing::ByPower(powers) => powers,
        Hearing::All => panic!("powers decide in this cell"),
    }
}

#[track_caller]
fn assert_powers(config: &PowerConfig, expected: &[(usize, usize, f64)]) {
    let nodes = config.powers.len().isqrt();
    for &(one, other, power) in expected {
        for (from, to) in [(one, other), (other, one)] {
            let Dbm(got) = config.powers[from * nodes + to];
            assert!((got - power).abs() < 0.01, "{got} dBm from {from} at {to}, not {power}");
        }
    }
}

#[test]
fn powers_follow_from_distances_around_the_ap() {
    // 16.021 - 46.678 dBm at one metre, 30 dB less for each tenfold distance. Four stations stand a quarter of a turn apart.
    let at = |metres: f64| 16.021 - 46.678 - 30.0 * metres.log10();
    let config = powers("[[stations]]\ncount = 4\ndistance = \"10m\"\n");
    assert_powers(&config, &[(0, 1, -60.657), (0, 4, -60.657)]);
    assert_powers(&config, &[(1, 3, at(20.0)), (2, 4, at(20.0)), (1, 2, at(200f64.sqrt())), (4, 1, at(200f64.sqrt()))]);
    // Angles that are given leave the others where they are: 3, 4 and 5 m make a right angle.
    let text = "[[stations]]\nname = \"a\"\ndistance = \"30m\"\n[[stations]]\nname = \"b\"\ndistance = \"40m\"\nangle = \"90deg\"\n";
    assert_powers(&powers(text), &[(0, 1, at(30.0)), (0, 2, at(40.0)), (1, 2, at(50.0))]);
    // A station behind a relay stands around that: 10 m beyond it, as seen from the AP, and opposite.
    let text = "[[stations]]\nname = \"relay\"\ndistance = \"10m\"\n[[stations]]\nname = \"far\"\nvia = \"relay\"\ndistance = \"10m\"\nangle = \"0deg\"\n";
    assert_powers(&powers(text), &[(0, 1, at(10.0)), (1, 2, at(10.0)), (0, 2, at(20.0))]);
    // The first metre is the least.
    assert_powers(&powers("[[stations]]\ndistance = \"1mm\"\n"), &[(0, 1, at(1.0))]);
}

#[test]
fn a_pair_overrides_the_power_both_ways_and_the_last_one_wins() {
    let text = "[[stations]]\nname = \"a\"\ncount = 2\n[[stations]]\nname = \"b\"\n\
                [[pairs]]\nname = \"wall\"\nfrom = \"a\"\nto = \"b\"\npower = \"-95dBm\"\n\
                [[pairs]]\nname = \"inside\"\nfrom = \"a\"\nto = \"a\"\npower = \"-40dBm\"\n\
                [[pairs]]\nname = \"ap\"\nto = \"b\"\npower = \"-70.5dBm\"\n\
                [[pairs]]\nname = \"again\"\nfrom = \"b\"\nto = \"ap\"\npower = \"-71dBm\"\n";
    let config = powers(text);
    assert_powers(&config, &[(1, 3, -95.0), (2, 3, -95.0), (1, 2, -40.0), (0, 3, -71.0)]);
    // 5 m, as a station stands by default.
    assert_powers(&config, &[(0, 1, 16.021 - 46.678 - 30.0 * 5f64.log10())]);
}

#[test]
fn thresholds_and_noise_are_those_of_20_mhz() {
    let config = powers("");
    assert_eq!((config.preamble, config.energy, config.relocks), (Dbm(-82.0), Dbm(-62.0), false));
    // -173.975 dBm over a hertz, 73.010 dB for 20 MHz, and a noise figure of 7 dB.
    assert!((config.noise.0 + 93.965).abs() < 0.001, "{:?}", config.noise);
    let text = format!("{BY_POWER}[[stations]]\n")
        .replace("[loss]", "relocking = true\npreamble_detection = \"-85dBm\"\n[loss]");
    let Ok(CellConfig { hearing: Hearing::ByPower(config), .. }) = build(&text) else { panic!("it builds") };
    assert_eq!((config.preamble, config.relocks), (Dbm(-85.0), true));
}

#[test]
fn the_clients_of_wifi_hidden_do_not_hear_each_other_and_the_ap_hears_both() {
    let scenario = Builtin::find("wifi-hidden").and_then(Builtin::scenario).unwrap_or_else(|error| panic!("{error}"));
    let cell = scenario.build(Row::STOCK).unwrap_or_else(|error| panic!("{error}"));
    let Hearing::ByPower(config) = cell.hearing else { panic!("powers decide") };
    assert_powers(&config, &[(0, 1, -73.107), (0, 2, -73.107), (1, 2, -82.137)]);
    assert!(config.powers[5].0 < config.preamble.0);
}

#[test]
fn what_powers_cannot_do_and_what_asks_for_them_is_refused() {
    let with = |old: &str, new: &str| build(&BY_POWER.replace(old, new)).expect_err("it is refused");
    for (message, expected) in [
        (with("path-loss", "none"), "no powers follow from this loss.model"),
        (with("[loss]", "topology = \"ad-hoc\"\n[loss]"), "no AP by whose ears"),
        (with("[loss]", "standard = \"11b\"\n[loss]"), "11b senses the medium in ways of its own"),
    ] {
        assert!(
            message.starts_with("cell.toml:2:11: wifi.hearing is by-power, but ") && message.contains(expected),
            "{message}"
        );
    }
    for text in [
        "[wifi]\nrelocking = true\n",
        "[wifi]\npreamble_detection = \"-80dBm\"\n",
        "[wifi]\nenergy_detection = \"-60dBm\"\n",
        "[[stations]]\nangle = \"10deg\"\n",
        "[[pairs]]\npower = \"-60dBm\"\n",
    ] {
        let message = build(text).expect_err("it is refused");
        assert!(message.contains("has no bearing, since wifi.hearing is all"), "{message}");
    }
    let message = build(&format!("{BY_POWER}[[pairs]]\nfrom = \"ap\"\nto = \"ap\"\n")).expect_err("it is refused");
    assert!(message.contains("a pair has two nodes"), "{message}");
    let message = build(&format!("{BY_POWER}[[pairs]]\nto = \"stx\"\n")).expect_err("it is refused");
    assert!(message.contains("did you mean `sta`?") || message.contains("the groups are sta"), "{message}");
}

#[test]
fn a_second_cell_has_its_own_ap_stations_and_flows() {
    let text = "[[stations]]\nname = \"a\"\n[[stations]]\nname = \"b\"\ncell = \"next\"\ncount = 2\n\
                [[stations]]\nname = \"c\"\ncount = 1\n\
                [[cells]]\nname = \"next\"\ndistance = \"30m\"\nangle = \"180deg\"\n\
                [[flows]]\nname = \"all\"\n[[flows]]\nname = \"within\"\nstations = \"b\"\npeer = \"b\"\n[[pings]]\nstations = \"b\"\n";
    // A station would be its own peer: b-1's is b-1.
    let refused = build(&format!("{BY_POWER}{text}")).expect_err("a station is no peer of its own");
    assert!(refused.contains("makes a station its own peer"), "{refused}");
    let text = text.replace("peer = \"b\"", "direction = \"up\"");
    let own = build(&format!("{BY_POWER}{text}")).unwrap_or_else(|error| panic!("{error}"));
    let [next] = own.neighbours.as_slice() else { panic!("there is one neighbour") };
    let names = |cell: &CellConfig| cell.stations.iter().map(|station| station.name.clone()).collect::<Vec<_>>();
    assert_eq!(
        (next.name.as_str(), names(&own), names(&next.cell)),
        ("next", vec!["a-1".into(), "c-1".into()], vec!["b-1".into(), "b-2".into()])
    );
    let flows = |cell: &CellConfig| cell.flows.iter().map(|flow| (flow.name.clone(), flow.station)).collect::<Vec<_>>();
    assert_eq!(flows(&own), [("all-1".to_owned(), 0), ("all-4".to_owned(), 1)]);
    assert_eq!(
        flows(&next.cell),
        [("all-2".to_owned(), 0), ("all-3".to_owned(), 1), ("within-1".to_owned(), 0), ("within-2".to_owned(), 1)]
    );
    assert_eq!((own.pings.len(), next.cell.pings.len(), next.cell.pings[1].station), (0, 2, 1));
    let powers = |cell: &CellConfig| match &cell.hearing {
        Hearing::ByPower(powers) => powers.clone(),
        Hearing::All => panic!("powers decide"),
    };
    let (here, there) = (powers(&own), powers(&next.cell));
    assert_eq!((here.first, there.first, &here.powers), (0, 3, &there.powers));
    // Nodes: the AP, a-1 at 0 and c-1 at 180 degrees; the other AP 30 m to the left, b-1 right of it and b-2 left.
    let at = |metres: f64| 16.021 - 46.678 - 30.0 * metres.log10();
    assert_powers(&here, &[(0, 3, at(30.0)), (0, 1, at(5.0)), (3, 4, at(5.0)), (2, 4, at(20.0)), (1, 5, at(40.0))]);
}

#[test]
fn a_legacy_cell_has_no_scheme_and_the_others_have_the_rows() {
    let scenario =
        Builtin::find("wifi-neighbours").and_then(Builtin::scenario).unwrap_or_else(|error| panic!("{error}"));
    let row = Row::find("hack").unwrap_or_else(|error| panic!("{error}"));
    let own = scenario.build(row).unwrap_or_else(|error| panic!("{error}"));
    let next = &own.neighbours[0].cell;
    let stock =
        |cell: &CellConfig| [cell.ap.scheme, cell.stations[0].scheme].map(|scheme| scheme == SchemeChoice::Stock);
    assert_eq!((stock(&own), stock(next)), ([false; 2], [true; 2]));
    assert_eq!(scenario.legacy_stations(), ["theirs-1"]);
    let mut both = scenario.clone();
    both.set("cells.legacy=false").unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(stock(&both.build(row).unwrap_or_else(|error| panic!("{error}")).neighbours[0].cell), [false; 2]);
}

#[test]
fn what_makes_no_cells_is_refused() {
    let two = "[[stations]]\nname = \"a\"\n[[stations]]\nname = \"b\"\ncell = \"next\"\n[[cells]]\nname = \"next\"\n";
    for (text, expected) in [
        (two.replace("cell = \"next\"", "cell = \"nxt\""), "names the cell \"nxt\", which there is not"),
        (two.replace("cell = \"next\"\n", ""), "is \"next\", a cell without a station"),
        (two.replace("name = \"a\"", "name = \"a\"\ncell = \"next\""), "leaves the first cell without a station"),
        (two.replace("[[cells]]\nname = \"next\"", "[[cells]]\nname = \"own\""), "is \"own\", as another"),
        (two.replace("cell = \"next\"", "cell = \"next\"\nvia = \"a\""), "names \"a\", a group of another cell"),
        (format!("{two}[[flows]]\nstations = \"a\"\npeer = \"b\"\n"), "lets flow-1 go from one cell to another"),
    ] {
        let message = build(&format!("{BY_POWER}{text}")).expect_err("it is refused");
        assert!(message.contains(expected), "{message}");
    }
    let message = build(two).expect_err("it is refused");
    assert!(message.contains("has no bearing, since wifi.hearing is all"), "{message}");
}
