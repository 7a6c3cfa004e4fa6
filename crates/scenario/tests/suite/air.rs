//! Rates that adapt, and an air that changes, in whole cells.

use ackless_cell::config::CellConfig;
use ackless_cell::result::{AirtimeClass, LinkRates, NodeCounters, RunResult};
use ackless_scenario::{Row, Scenario};
use ackless_wire::Duration;
use ackless_wire::random::{Purpose, Stream};

/// The cell of `text` with these overrides, in this row.
fn built(text: &str, row: &str, overrides: &[&str]) -> Result<(Scenario, CellConfig), String> {
    let mut scenario = Scenario::parse("cell.toml", text).map_err(|error| error.to_string())?;
    for argument in overrides {
        scenario.set(argument).map_err(|error| error.to_string())?;
    }
    let row = Row::find(row).map_err(|error| error.to_string())?;
    let cell = scenario.build(row).map_err(|error| error.to_string())?;
    Ok((scenario, cell))
}

/// A run of an otherwise empty scenario.
#[track_caller]
fn run(row: &str, overrides: &[&str], seed: u64) -> RunResult {
    let short = ["run.warm_up=1s", "run.measured=1s"];
    let (_, cell) = built("", row, &[&short, overrides].concat()).unwrap_or_else(|error| panic!("{error}"));
    ackless_cell::run(&cell, seed)
}

/// The rates of the AP's data, those that carried most MPDUs first.
fn of_ap(result: &RunResult) -> Vec<(String, u64)> {
    let link: &LinkRates = result.rates.iter().find(|link| link.from == "ap").expect("the AP's rates are counted");
    let mut rates: Vec<_> = link.rates.iter().map(|used| (used.rate.clone(), used.mpdus)).collect();
    rates.sort_by_key(|(_, mpdus)| std::cmp::Reverse(*mpdus));
    rates
}

const N: [&str; 2] = ["loss.model=snr", "wifi.standard=11n"];

#[test]
fn ideal_chooses_the_rate_of_the_snr_and_follows_its_steps() {
    let ideal = ["wifi.rate_control=ideal", "transport.protocol=udp"];
    let at = |snr| of_ap(&run("stock", &[&N[..], &ideal, &[snr]].concat(), 1));
    // 1,500 bytes at 64-QAM 5/6 need 24.3 dB for 90 % by the error model, and 16-QAM 1/2 13.9.
    assert_eq!(at("loss.snr=26dB").len(), 1);
    assert_eq!(at("loss.snr=26dB")[0].0, "HT MCS 7, 40 MHz, 400 ns GI");
    let low = at("loss.snr=14.5dB");
    assert_eq!((low.len(), low[0].0.as_str()), (1, "HT MCS 3, 40 MHz, 400 ns GI"));
    let step = ["loss.snr=26dB", "steps.at=1500ms", "steps.snr=14.5dB"];
    let both = of_ap(&run("stock", &[&N[..], &ideal, &step].concat(), 1));
    assert_eq!(both.len(), 2, "{both:?}");
    assert!(both.iter().all(|(_, mpdus)| *mpdus > 500), "{both:?}");
}

#[test]
fn minstrel_comes_near_to_ideal_at_any_snr_and_with_any_standard() {
    let mut worst = (f64::MAX, String::new());
    for standard in ["11n", "11ac", "11a"] {
        for snr in ["8dB", "14dB", "20dB", "27dB", "40dB"] {
            let (standard, snr) = (format!("wifi.standard={standard}"), format!("loss.snr={snr}"));
            let goodput = |control, seed| {
                let keys = ["loss.model=snr", "transport.protocol=udp", "wifi.streams=auto", &standard, &snr, control];
                run("stock", &keys, seed).goodput_mbps
            };
            for seed in 1..=2 {
                let share = goodput("wifi.rate_control=minstrel-ht", seed) / goodput("wifi.rate_control=ideal", seed);
                if share < worst.0 {
                    worst = (share, format!("{standard}, {snr}, seed {seed}: {share:.3} of ideal"));
                }
            }
        }
    }
    println!("{}", worst.1);
    assert!(worst.0 > SHARE, "{}", worst.1);
}

/// What Minstrel-HT gets of ideal's throughput in a second, from a second after its start on.
const SHARE: f64 = 0.88;

#[test]
fn fallbacks_have_an_rts_and_requests_the_lowest_rate() {
    // A tenth of the BlockAcks is lost.
    let keys = ["loss.model=snr", "loss.snr=20dB", "transport.protocol=udp", "steps.at=0s", "steps.air_loss=10%"];
    let of = |control| run("stock", &[&keys[..], &[control]].concat(), 1);
    let (ideal, minstrel) = (of("wifi.rate_control=ideal"), of("wifi.rate_control=minstrel-ht"));
    assert_eq!(ideal.counters.total.rts, 0);
    let counters = &minstrel.counters.total;
    assert!(counters.rts > 5 && counters.rts < counters.data_ppdus / 2, "{counters:?}");
    // 24 bytes at 6 Mbps: 20 us of preamble and nine symbols of 24 bits for 214.
    let requests = minstrel.airtime_ns[AirtimeClass::BlockAckRequests];
    assert!(counters.block_ack_requests > 5, "{counters:?}");
    assert_eq!(requests, Duration::from_micros(56) * counters.block_ack_requests);
}

#[test]
fn a_group_has_a_rate_control_of_its_own() {
    let text = "[loss]\nmodel = \"snr\"\nsnr = \"20dB\"\n[[stations]]\nname = \"near\"\nrate_control = \"ideal\"\n[[stations]]\nname = \"far\"\nmcs = 1\n";
    let (_, cell) =
        built(text, "tcp", &["run.warm_up=500ms", "run.measured=500ms"]).unwrap_or_else(|error| panic!("{error}"));
    let result = ackless_cell::run(&cell, 1);
    let rates = |name: &str| result.rates.iter().find(|link| link.to == name).map(|link| link.rates[0].rate.clone());
    assert_eq!(rates("near-1").as_deref(), Some("HT MCS 4, 40 MHz, 400 ns GI"));
    assert_eq!(rates("far-1").as_deref(), Some("HT MCS 1, 40 MHz, 400 ns GI"));
}

#[test]
fn nothing_is_received_in_an_outage_and_all_of_it_before_and_after() {
    let udp = ["transport.protocol=udp", "flows.rate=10Mbps", "ap.queue_packets=10", "wifi.standard=11a"];
    let whole = run("stock", &udp, 1).goodput_mbps;
    let outage = ["steps.at=1200ms", "steps.outage=400ms"];
    let cut = run("stock", &[&udp[..], &outage].concat(), 1);
    // Eleven packets of 1.2 ms each may wait for its end.
    assert!((0.59..0.62).contains(&(cut.goodput_mbps / whole)), "{} of {whole} Mbps", cut.goodput_mbps);
    let of_others = ["steps.at=1200ms", "steps.outage=400ms", "steps.stations=other"];
    let error = built("", "stock", &of_others).expect_err("there is no such group");
    assert!(error.contains("names the group \"other\""), "{error}");
}

#[test]
fn an_outage_within_an_a_mpdu_loses_the_same_mpdus_whenever_they_are_handed_up() {
    let mut within = 0;
    for half in 0..8 {
        let at = format!("steps.at={}us", 1_200_000 + 500 * half);
        let lost = |delivery| {
            let keys = ["transport.protocol=udp", "run.measured=300ms", &at, "steps.outage=1ms", delivery];
            // What is delivered in the window goes by when it is handed up.
            NodeCounters { delivered_bytes: 0, ..run("stock", &keys, 1).counters.total }
        };
        let (whole, each) = (lost("wifi.delivery=per-ppdu"), lost("wifi.delivery=per-mpdu"));
        assert_eq!(format!("{each:?}"), format!("{whole:?}"), "{at}");
        // In a millisecond 150 Mbps carry twelve MPDUs of 1,544 bytes, and an A-MPDU has three times as many; the rest of the outages meet its answer too.
        within += u32::from(whole.ack_timeouts == 0 && (11..=13).contains(&whole.air_losses));
    }
    assert!(within >= 4, "{within}");
}

#[test]
fn a_loss_of_the_air_is_as_great_as_it_is_said_to_be() {
    let udp = ["transport.protocol=udp", "wifi.standard=11a", "steps.at=0s", "steps.air_loss=20%"];
    let result = run("stock", &udp, 1);
    let counters = &result.counters.total;
    let lost = counters.air_losses as f64 / (counters.data_mpdus + counters.acks) as f64;
    assert!((lost - 0.2).abs() < 0.02, "{lost}");
}

#[test]
fn a_trace_from_a_file_is_part_of_what_is_stored() {
    let text = "[loss]\nmodel = \"snr\"\nsnr_file = \"walk.csv\"\n";
    let mut scenario = Scenario::parse("cell.toml", text).unwrap_or_else(|error| panic!("{error}"));
    let error = scenario.build(Row::STOCK).expect_err("the file was not read").to_string();
    assert!(error.contains("which was not read"), "{error}");
    let read = |name: &str, beside: bool| {
        assert_eq!((name, beside), ("walk.csv", true));
        Ok(b"# seconds, dB\n0,30\n1.25 12.5\n\n2\t7 # far\n".to_vec())
    };
    scenario.read_files(read).unwrap_or_else(|error| panic!("{error}"));
    let cell = scenario.build(Row::STOCK).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(cell.stations[0].changes.ratios.len(), 3);
    let stored = scenario.effective(Row::STOCK).to_toml();
    assert!(stored.contains(r#"snr_trace = ["0ns 30dB", "1.25s 12.5dB", "2s 7dB"]"#), "{stored}");
    let again = Scenario::parse("stored.toml", &stored).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(again.build(Row::STOCK).unwrap_or_else(|error| panic!("{error}")), cell);
}

#[test]
fn what_is_wrong_with_a_trace_is_said() {
    let refused = |content: Option<&'static str>, more: &[&str]| {
        let mut scenario = Scenario::parse("cell.toml", "").unwrap_or_else(|error| panic!("{error}"));
        for argument in ["loss.model=snr", "stations.snr_file=t.csv"].iter().chain(more) {
            scenario.set(argument).unwrap_or_else(|error| panic!("{error}"));
        }
        let read = |_: &str, _: bool| {
            content.map(|text| text.as_bytes().to_vec()).ok_or_else(|| std::io::ErrorKind::NotFound.into())
        };
        let error = scenario.read_files(read).and_then(|()| scenario.build(Row::STOCK).map(drop));
        error.expect_err("the trace is wrong").to_string()
    };
    assert!(refused(None, &[]).contains("cannot be read"));
    assert!(refused(Some(""), &[]).contains("is empty"));
    assert!(refused(Some("1 2\n3"), &[]).contains("t.csv:2:1: the line has 1 column, and column 2 is wanted"));
    assert!(refused(Some("1 2\nx 3"), &[]).contains("t.csv:2:1: `x` in column 1 is not a number (stations.snr_file)"));
    assert!(refused(Some("1 2\n1 3"), &[]).contains("t.csv:2:1: the time 1s stands there twice"));
    assert!(refused(Some("1 2"), &["stations.snr_trace=1s 2dB"]).contains("given too"));
    assert!(refused(Some("1 2"), &["loss.model=path-loss"]).contains("loss.model is not snr"));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let refused = |overrides: &[&str], part: &str| {
        let error = built("", "stock", overrides).map(drop).expect_err(part);
        assert!(error.contains(part) && error.contains("help: "), "{overrides:?}: {error}");
    };
    for control in ["wifi.rate_control=minstrel-ht", "wifi.rate_control=ideal", "stations.rate_control=ideal"] {
        refused(&[control], "under loss.model = none all rates are lost alike");
        refused(&[control, "loss.model=per-frame"], "under loss.model = per-frame all rates are lost alike");
    }
    refused(&["loss.fading=rayleigh"], "loss.model is neither snr nor path-loss");
    refused(&["loss.doppler=5Hz"], "loss.fading is none");
    refused(&["loss.model=snr", "loss.fading=rayleigh", "loss.doppler=1mHz"], "out of range");
    refused(&["steps.snr=5dB"], "loss.model is not snr");
    refused(&["steps.outage=1s", "steps.direction=up"], "the step does not change the wire");
    refused(&["steps.rate=1Mbps", "stations.name=a", "steps.stations=a"], "the step does not change the air");
    let by_power = ["loss.model=path-loss", "wifi.hearing=by-power"];
    refused(&[&by_power[..], &["loss.fading=rayleigh"]].concat(), "powers stay as they are");
    refused(&[&by_power[..], &["steps.air_loss=5%"]].concat(), "powers stay as they are");
}

#[test]
fn fading_costs_throughput_and_leaves_it_the_same_with_the_same_seed() {
    let keys = ["loss.model=snr", "loss.snr=22dB", "wifi.rate_control=minstrel-ht", "transport.protocol=udp"];
    let fading = [&keys[..], &["loss.fading=rayleigh", "loss.doppler=5Hz"]].concat();
    let still: f64 = (1..=3).map(|seed| run("stock", &keys, seed).goodput_mbps).sum();
    let faded: f64 = (1..=3).map(|seed| run("stock", &fading, seed).goodput_mbps).sum();
    assert!(faded < 0.95 * still && faded > 0.3 * still, "{faded} of {still}");
    assert_eq!(run("stock", &fading, 1), run("stock", &fading, 1));
    assert_ne!(run("stock", &fading, 1).goodput_mbps, run("stock", &fading, 2).goodput_mbps);
}

/// Random worlds: every scheme, under a rate control over an air that changes. Every run ends, and its ledger adds up.
#[test]
fn every_run_ends_and_adds_up_whatever_the_air_does() {
    let rows = [
        "tcp",
        "hack",
        "agent",
        "arq",
        "tack",
        "tcp-l8",
        "hack-timer",
        "filter-noack",
        "cake",
        "fastack",
        "udp",
        "agent-flag",
    ];
    for seed in 0..24 {
        let mut random = Stream::new(seed, 0, Purpose::Test);
        let mut one_of = |choices: &[&'static str]| choices[random.below(choices.len() as u64) as usize];
        let row = Row::find(rows[seed as usize % rows.len()]).unwrap_or_else(|error| panic!("{error}"));
        let keys = [
            "run.warm_up=100ms",
            "run.measured=900ms",
            one_of(&["wifi.standard=11n", "wifi.standard=11ac", "wifi.standard=11a", "wifi.standard=11g"]),
            one_of(&["loss.model=snr", "loss.model=path-loss"]),
            one_of(&["wifi.rate_control=minstrel-ht", "wifi.rate_control=ideal", "wifi.rate_control=minstrel-ht"]),
            one_of(&["stations.count=1", "stations.count=3"]),
            one_of(&["stations.distance=5m", "stations.distance=20m", "stations.distance=45m"]),
            one_of(&["loss.fading=none", "loss.fading=rayleigh"]),
            one_of(&["steps.outage=0s", "steps.outage=250ms"]),
            one_of(&["steps.air_loss=0.01", "steps.air_loss=0.3"]),
            one_of(&["steps.at=300ms", "steps.at=0s"]),
            one_of(&["wifi.txop_limit=0us", "wifi.txop_limit=3008us"]),
            one_of(&["flows.direction=down", "flows.direction=down", "flows.direction=up"]),
            one_of(&["wifi.rts_threshold=never", "wifi.rts_threshold=1000B"]),
        ];
        // What does not go together in a row or a standard is left out.
        let mut scenario = Scenario::parse("random.toml", "").unwrap_or_else(|error| panic!("{error}"));
        let mut fits = Vec::new();
        for key in keys {
            let mut with = scenario.clone();
            with.set(key).unwrap_or_else(|error| panic!("{error}"));
            if with.build(row).is_ok() {
                scenario = with;
                fits.push(key);
            }
        }
        assert!(fits.iter().any(|key| key.starts_with("wifi.rate_control")), "seed {seed}, {}: {fits:?}", row.name);
        let cell = scenario.build(row).unwrap_or_else(|error| panic!("seed {seed}, {}: {error}", row.name));
        let result = ackless_cell::run(&cell, seed);
        assert_eq!(result.airtime_ns.total(), cell.measured, "seed {seed}, {}: {fits:?}", row.name);
    }
}
