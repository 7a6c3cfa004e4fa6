//! Whatever can be built can be run: random combinations of values, each short, through the real simulator. No key of the schema is left out.

mod bearing;
mod choices;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::LazyLock;

use ackless_scenario::keys::SECTIONS;
use ackless_scenario::schema::KeyInfo;
use ackless_scenario::{Row, Scenario};
use ackless_wire::random::{Purpose, Stream};
use serde_json::Value;

use choices::CHOICES;

/// What a scenario is before values are chosen, and the sides that pairs of powers may have in it: all hear each other, powers decide, there are several cells, stations
/// behind others, no AP, or several groups of each kind.
const BASES: &[(&str, &[&str])] = &[
    ("", &[]),
    ("", &[]),
    ("", &[]),
    (SEVERAL, &[]),
    (AD_HOC, &[]),
    (BY_POWER, &["ap", "all", "sta"]),
    (RELAYED, &["ap", "sta", "far"]),
    (TWO_CELLS, &["ap", "sta", "theirs", "next.ap"]),
    (THREE_CELLS, &["ap", "sta", "theirs", "next.ap", "third.ap", "more"]),
];
const SEVERAL: &str = "[[stations]]\n[[stations]]\nname = \"more\"\ncount = 2\n[[steps]]\nat = \"3ms\"\nrate = \"50Mbps\"\n\
                       [[steps]]\nname = \"later\"\nstations = \"more\"\nat = \"12ms\"\nair_loss = 0.2\n[[flows]]\n\
                       [[flows]]\nname = \"up\"\nstations = \"more\"\ndirection = \"up\"\n[[pings]]\n[[pings]]\nname = \"fast\"\ninterval = \"2ms\"\n";
const AD_HOC: &str = "[wifi]\ntopology = \"ad-hoc\"\n[[stations]]\ncount = 2\n[[stations]]\nname = \"peer\"\ncount = 2\n\
                      [[flows]]\nstations = \"sta\"\npeer = \"peer\"\n";
const BY_POWER: &str = "[wifi]\nhearing = \"by-power\"\n[loss]\nmodel = \"path-loss\"\n[[stations]]\ncount = 2\n";
const RELAYED: &str = "[wifi]\nhearing = \"by-power\"\n[loss]\nmodel = \"path-loss\"\n[[stations]]\n[[stations]]\nname = \"far\"\nvia = \"sta\"\ncount = 2\n";
const TWO_CELLS: &str = "[wifi]\nhearing = \"by-power\"\n[loss]\nmodel = \"path-loss\"\n[[stations]]\n\
                         [[stations]]\nname = \"theirs\"\ncell = \"next\"\n[[cells]]\n";
const THREE_CELLS: &str = "[wifi]\nhearing = \"by-power\"\n[loss]\nmodel = \"path-loss\"\n[[stations]]\n\
                           [[stations]]\nname = \"theirs\"\ncell = \"next\"\n[[stations]]\nname = \"more\"\ncell = \"third\"\ncount = 2\n\
                           [[cells]]\n[[cells]]\nname = \"third\"\ndistance = \"8m\"\nangle = \"90deg\"\n";

/// What gives keys a bearing, and how those begin that it gives one; what stands beside a whole key is for it alone.
const FOCUSES: &[(&[&str], &str)] = &[
    (&["scheme.name=hack"], "hack."),
    (&["scheme.name=agent"], "agent."),
    (&["scheme.name=filter"], "filter."),
    (&["scheme.name=arq-proxy"], "arq_proxy."),
    (&["scheme.name=thinning"], "thinning."),
    (&["scheme.name=fast-ack"], "fast_ack."),
    (&["transport.tack=true"], "tack."),
    (&["flows.tack=true"], "tack."),
    (&["ap.queue=fq-codel"], "ap."),
    (&["ap.device_queue=aql"], "ap."),
    (&["loss.model=per-frame"], "loss."),
    (&["loss.model=per-frame"], "stations."),
    (&["loss.model=snr"], "loss."),
    (&["loss.model=snr"], "loss.snr_trace"),
    (&["loss.model=snr"], "stations.snr_trace"),
    (&["loss.model=snr", "loss.fading=rayleigh"], "stations."),
    (&["loss.model=snr"], "steps."),
    (&["loss.model=path-loss", "loss.fading=rayleigh"], "loss."),
    (&["wifi.hearing=by-power"], "pairs."),
    (&["wifi.beacons=true"], "wifi."),
    (&["wifi.standard=11b"], "wifi."),
    (&["wifi.standard=11n", "wifi.band=2.4GHz"], "stations.standard"),
    (&["wifi.standard=11b"], "stations.standard"),
    (&["wifi.standard=11ac"], "stations.standard"),
    (&["wifi.standard=11g"], "stations.rate"),
    (&["wifi.standard=11ac"], "wifi.width"),
    (&["scheme.name=thinning"], "thinning.kind"),
    (&["wifi.standard=11ac", "wifi.width=160MHz"], "stations.width"),
    (&["wired.jitter=5ms", "wired.reorder=0.5"], "wired."),
    (VIDEO, "flows."),
    (VIDEO, "flows.frame_interval"),
    (&["flows.rate=20Mbps", "flows.traffic=video", "flows.key_weight=9"], "flows.key_every"),
    (VIDEO, "flows.key_weight"),
    (VIDEO, "flows.play_from"),
    (VIDEO, "flows.resume_from"),
    (VIDEO, "flows.catch_up"),
    (&["flows.traffic=repeated"], "flows."),
    (&["flows.traffic=on-off"], "flows."),
    (&["transport.protocol=udp"], "flows."),
    (&["transport.protocol=udp"], "flows.udp_payload"),
    (&["transport.protocol=udp"], "flows.udp_ack_every"),
    (REQUESTS, "flows.request_size"),
    (REQUESTS, "flows.request_writes"),
    (REQUESTS, "flows.response_size"),
    (REQUESTS, "flows.response_writes"),
    (REQUESTS, "flows.request_count"),
    (&["wired.rate_trace=[\"0s 9Mbps\", \"3ms 0bps\", \"5ms 90Mbps\"]"], "wired.rate_trace_end"),
];
const REQUESTS: &[&str] = &["flows.traffic=requests", "flows.think=1ms"];
const VIDEO: &[&str] = &["flows.rate=20Mbps", "flows.traffic=video"];

/// Keys that no cell is drawn with, and why.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("run.title", "what is written about a scenario"),
    ("run.seeds", "how many runs a comparison has"),
    ("run.schemes", "which rows a comparison has"),
    ("loss.snr_file", "a path: the command puts what is there into loss.snr_trace"),
    ("stations.snr_file", "a path: the command puts what is there into stations.snr_trace"),
    ("wired.rate_file", "a path: the command puts what is there into wired.rate_trace"),
    ("wired.down_rate_file", "a path: the command puts what is there into wired.down_rate_trace"),
    ("wired.up_rate_file", "a path: the command puts what is there into wired.up_rate_trace"),
    ("loss.snr_file_columns", "says what of a file is read"),
    ("stations.snr_file_columns", "says what of a file is read"),
    ("wired.rate_file_columns", "says what of a file is read"),
    ("transport.preset", "what it lays stands in the other keys of the scenario that runs"),
];

/// How many cells are tried.
const RUNS: u64 = 2_200;

fn one_of<T: Copy>(stream: &mut Stream, choices: &[T]) -> T {
    choices[stream.below(choices.len() as u64) as usize]
}

/// The cells that are tried, with what was given to each: to draw them takes longer than to run them, and two tests look at them.
static CELLS: LazyLock<Vec<(Scenario, Vec<String>)>> = LazyLock::new(|| (0..RUNS).map(random_scenario).collect());

/// A scenario with some of the choices, each set only if the cell can still be built. Each key has its turn, with one of its values after another, beside what
/// gives it a bearing; the others are drawn.
fn random_scenario(seed: u64) -> (Scenario, Vec<String>) {
    let stream = &mut Stream::new(seed, 0, Purpose::Test);
    let base = random_base(stream);
    let mut scenario = Scenario::parse("random", &base).unwrap_or_else(|error| panic!("{error}"));
    scenario.build(Row::STOCK).unwrap_or_else(|error| panic!("{error}"));
    let groups = document(&scenario);
    let mut wanted: Vec<_> =
        ["run.warm_up=10ms", "run.measured=20ms", "flows.stagger=100us"].map(str::to_owned).to_vec();
    let (turn, round) = (seed as usize % CHOICES.len(), seed as usize / CHOICES.len());
    let (key, values) = CHOICES[turn];
    let (section, _) = key.split_once('.').expect("a key stands in a section");
    let mut foci: Vec<_> = FOCUSES.iter().filter(|(_, prefix)| key.starts_with(prefix)).collect();
    let for_it_alone = foci.iter().any(|(_, prefix)| *prefix == key);
    foci.retain(|(_, prefix)| !for_it_alone || *prefix == key);
    let (mut own, mut fixed) = (Vec::new(), vec![key]);
    if for_it_alone || (!foci.is_empty() && stream.chance(0.8)) {
        for argument in foci[round % foci.len()].0 {
            fixed.extend(argument.split_once('=').map(|(key, _)| key));
            wanted.push((*argument).to_owned());
        }
        own.extend(CHOICES.iter().filter(|(key, _)| key.starts_with(section)));
    }
    wanted.push(format!("{key}={}", values[round % values.len()]));
    for _ in 0..stream.below(16) {
        let among = if own.is_empty() || stream.chance(0.5) { CHOICES } else { &own };
        let (key, values) = one_of(stream, among);
        if fixed.contains(&key) {
            continue;
        }
        wanted.push(format!("{key}={}", one_of(stream, values)));
        // The same key in one of several groups alone.
        let (section, key) = key.split_once('.').expect("a key stands in a section");
        let named = tables(&groups, section);
        if named.len() > 1 {
            let name = named[stream.below(named.len() as u64) as usize]["name"].as_str().expect("groups have names");
            wanted.push(format!("{section}.{name}.{key}={}", one_of(stream, values)));
        }
    }
    let mut given = vec![base];
    // What one key refuses another may make possible, so that all are asked again until nothing more goes in.
    loop {
        let before = wanted.len();
        wanted.retain(|argument| {
            let mut next = scenario.clone();
            next.set(argument).unwrap_or_else(|error| panic!("{error}"));
            let fits = next.build(Row::STOCK).is_ok();
            if fits {
                scenario = next;
                given.push(argument.clone());
            }
            !fits
        });
        if wanted.len() == before {
            return (scenario, given);
        }
    }
}

/// One of the bases, with up to three pairs whose powers are given.
fn random_base(stream: &mut Stream) -> String {
    let (base, sides) = one_of(stream, BASES);
    let mut text = base.to_owned();
    let pairs = if sides.is_empty() { 0 } else { stream.below(4) };
    for pair in 0..pairs {
        let (from, to) = (one_of(stream, sides), one_of(stream, sides));
        if from != to {
            let power = one_of(stream, &["20dBm", "-50dBm", "-60dBm", "-81.9dBm", "-200dBm"]);
            let keys = format!("name = \"between-{pair}\"\nfrom = {from:?}\nto = {to:?}\npower = {power:?}\n");
            write!(text, "[[pairs]]\n{keys}").expect("a string takes all that is written");
        }
    }
    text
}

/// Every key of a scenario with its value.
fn document(scenario: &Scenario) -> Value {
    serde_json::to_value(scenario.effective(Row::STOCK)).expect("a scenario can be written")
}

/// The tables of a section in a document: one, or as many as there are groups.
fn tables<'a>(document: &'a Value, section: &str) -> Vec<&'a Value> {
    match &document[section] {
        Value::Array(groups) => groups.iter().collect(),
        table => vec![table],
    }
}

/// Whether a section's keys decide anything in a scenario.
fn bears(document: &Value, section: &str) -> bool {
    let scheme = |name: &str| document["scheme"]["name"] == name;
    match section {
        "hack" | "agent" | "filter" | "thinning" => scheme(section),
        "arq_proxy" => scheme("arq-proxy"),
        "fast_ack" => scheme("fast-ack"),
        "tack" => {
            let offered = |flow: &Value| match &flow["tack"] {
                Value::Bool(own) => *own,
                _ => document["transport"]["tack"] == true,
            };
            tables(document, "flows").into_iter().any(offered)
        }
        _ => true,
    }
}

/// The words that a key may be set to, where its values are words.
fn words(key: &KeyInfo) -> Vec<String> {
    let allowed = (key.allowed)();
    let Some((_, words)) = allowed.split_once("one of ") else { return Vec::new() };
    words.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn whatever_can_be_built_runs_and_each_cells_ledger_sums_to_the_window() {
    let (mut delivering, mut neighbours) = (0, 0);
    for (seed, (scenario, given)) in (0..).zip(&*CELLS) {
        let config = scenario.build(Row::STOCK).unwrap_or_else(|error| panic!("{error}"));
        let outcome = catch_unwind(AssertUnwindSafe(|| ackless_cell::run(&config, seed)));
        let result = outcome.unwrap_or_else(|_| panic!("seed {seed}: this cell panics: {given:?}"));
        assert_eq!(result.airtime_ns.total(), config.measured, "seed {seed}: {given:?}");
        assert_eq!(result.flows.len(), config.flows.len(), "seed {seed}: {given:?}");
        assert_eq!(result.neighbours.len(), config.neighbours.len(), "seed {seed}: {given:?}");
        for (neighbour, cell) in result.neighbours.iter().zip(&config.neighbours) {
            let (other, cell) = (&neighbour.result, &cell.cell);
            assert_eq!(other.airtime_ns.total(), config.measured, "seed {seed}, the neighbour: {given:?}");
            assert_eq!(other.flows.len(), cell.flows.len(), "seed {seed}, the neighbour: {given:?}");
            neighbours += u64::from(other.goodput_mbps > 0.0);
        }
        assert!(result.goodput_mbps.is_finite(), "seed {seed}: {given:?}");
        delivering += u64::from(result.goodput_mbps > 0.0);
    }
    assert!(delivering > RUNS / 2, "only {delivering} of {RUNS} cells delivered anything");
    assert!(neighbours > RUNS / 10, "only {neighbours} cells beside another delivered anything");
}

/// A key that is not drawn, or only where nothing comes of it, is one whose faults no run of the test above can show.
#[test]
fn every_key_of_the_schema_is_drawn_and_every_word_of_it() {
    let default = Scenario::parse("default", "[[pairs]]\n[[cells]]\n[[steps]]\n[[pings]]\n");
    let default = document(&default.unwrap_or_else(|error| panic!("{error}")));
    let mut drawn: BTreeMap<(&str, &str), BTreeSet<String>> = BTreeMap::new();
    let mut presets = 0;
    for (scenario, given) in &*CELLS {
        presets += u64::from(given.iter().any(|argument| argument == "transport.preset=linux"));
        let document = document(scenario);
        for section in SECTIONS.iter().filter(|section| bears(&document, section.name)) {
            for (table, key) in tables(&document, section.name)
                .iter()
                .flat_map(|table| section.keys.iter().map(move |key| (table, key)))
            {
                let value = &table[key.name];
                let word = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                drawn.entry((section.name, key.name)).or_default().insert(word);
            }
        }
    }
    let mut missing = Vec::new();
    for section in SECTIONS {
        for key in section.keys {
            let name = format!("{}.{}", section.name, key.name);
            let excepted = EXCEPTIONS.iter().any(|(exception, _)| *exception == name);
            let nothing = BTreeSet::new();
            let drawn = drawn.get(&(section.name, key.name)).unwrap_or(&nothing);
            let usual = tables(&default, section.name)[0][key.name].clone();
            let usual = usual.as_str().map_or_else(|| usual.to_string(), str::to_owned);
            let other = drawn.iter().any(|value| *value != usual);
            let unsaid: Vec<_> = words(key).into_iter().filter(|word| !drawn.contains(word)).collect();
            match (excepted, other && unsaid.is_empty()) {
                (false, false) => missing.push(format!("{name} (never {unsaid:?})")),
                (true, true) => missing.push(format!("{name} is drawn and yet an exception")),
                _ => {}
            }
        }
    }
    assert!(missing.is_empty(), "not drawn, or not where it bears: {missing:#?}");
    assert!(presets > 0, "transport.preset = linux is never drawn");
}
