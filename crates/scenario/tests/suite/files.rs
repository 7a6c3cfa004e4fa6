//! Files of numbers, as other programs write them, on their way into a cell.

use std::io;

use ackless_scenario::{Row, Scenario};

/// The scenario of these overrides, in which each file that it names holds `content`.
fn scenario(content: &[u8], overrides: &[&str]) -> Result<Scenario, String> {
    let mut scenario = Scenario::parse("cell.toml", "").map_err(|error| error.to_string())?;
    for argument in overrides {
        scenario.set(argument).map_err(|error| error.to_string())?;
    }
    scenario.read_files(|_, _| Ok(content.to_vec())).map_err(|error| error.to_string())?;
    scenario.build(Row::STOCK).map_err(|error| error.to_string())?;
    Ok(scenario)
}

/// The list that a key has in the end.
#[track_caller]
fn stored(key: &str, content: &str, overrides: &[&str]) -> String {
    let scenario = scenario(content.as_bytes(), overrides).unwrap_or_else(|error| panic!("{content:?}: {error}"));
    let toml = scenario.effective(Row::STOCK).to_toml();
    let again = Scenario::parse("stored.toml", &toml).unwrap_or_else(|error| panic!("{error}"));
    let built = |scenario: &Scenario| scenario.build(Row::STOCK).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(built(&again), built(&scenario), "what is stored needs no other file");
    let prefix = format!("{key} = [");
    let line = toml.lines().find_map(|line| line.strip_prefix(&prefix)).expect("the key has a list");
    line.split(']').next().unwrap_or_default().to_owned()
}

const SNR: [&str; 2] = ["loss.model=snr", "loss.snr_file=t"];

#[test]
fn what_numpy_pandas_and_spreadsheets_write_is_the_same_trace() {
    let numpy =
        "0.000000000000000000e+00 3.000000000000000000e+01\n5.000000000000000000e-01 1.000000000000000000e+01\n";
    for content in [
        numpy,
        "\u{feff}0,30\r\n0.5,10\r\n",
        "time,snr\n0.0,30.0\n0.5,10.0\n",
        "0,30,-65\n0.5,10,-85\n",
        "\"time\";\"snr\"\n\"0\";\"30\"\n\"0.5\";\"10\"\n;;\n".trim_end_matches(";;\n"),
    ] {
        assert_eq!(stored("snr_trace", content, &SNR), "\"0ns 30dB\", \"500ms 10dB\"", "{content:?}");
    }
    let digits = stored("snr_trace", "0.0,30.123456789\n0.5,10.5\n", &SNR);
    assert_eq!(digits, "\"0ns 30.123dB\", \"500ms 10.5dB\"");
}

#[test]
fn columns_are_named_by_number_for_all_stations_or_for_a_group() {
    let content = ",time,rssi,snr\n0,0.0,-65,30\n1,0.5,-85,10\n";
    let columns = |key: &str| format!("{key}_columns=[2, 4]");
    let expected = "\"0ns 30dB\", \"500ms 10dB\"";
    assert_eq!(stored("snr_trace", content, &[&SNR[..], &[&columns("loss.snr_file")]].concat()), expected);
    let group = ["loss.model=snr", "stations.snr_file=t"];
    for key in ["stations.snr_file", "loss.snr_file"] {
        // The shared key says it for a group's file, too, and has no bearing once there is no file
        // for it.
        let built = scenario(content.as_bytes(), &[&group[..], &[&columns(key)]].concat());
        assert_eq!(built.is_ok(), key == "stations.snr_file", "{key}");
    }
    let rates = ["wired.rate_file=t", "wired.rate_file_columns=[2,4]"];
    assert_eq!(stored("rate_trace", content, &rates), "\"0ns 30Mbps\", \"500ms 10Mbps\"");
    for wrong in ["[1]", "[0, 1]", "[1, 1]", "[1, 2, 3]", "[1, 1001]"] {
        let key = format!("loss.snr_file_columns={wrong}");
        let error = scenario(b"0 1", &[&SNR[..], &[&key]].concat()).expect_err(wrong);
        assert!(error.contains("name each column once, counted from 1"), "{error}");
    }
}

#[test]
fn a_trace_of_mahimahi_is_opportunities_of_1500_bytes() {
    assert_eq!(stored("rate_trace", "1\n1\n4\n", &["wired.rate_file=t"]), "\"1ms 3kB\", \"4ms 1.5kB\"");
    let one_way = stored("down_rate_trace", "2\n", &["wired.down_rate_file=t"]);
    assert_eq!(one_way, "\"2ms 1.5kB\"");
    let error = scenario(b"0\n0\n", &["wired.rate_file=t"]).expect_err("it lasts no time");
    assert!(error.contains("wired.rate_trace is no trace that can be followed"), "{error}");
}

#[test]
fn what_is_wrong_is_shown_in_its_line() {
    let error = |content: &[u8]| scenario(content, &SNR).expect_err("it is wrong");
    let expected = "t:2:5: `nan` in column 2 is no number to work with (loss.snr_file)\n    \
                    0.5,nan\n        ^\n  help: leave the line out, so that the value before it holds";
    assert_eq!(error(b"0,30\n0.5,nan\n"), expected);
    assert!(error(b"0 1\n2 3\n1 4\n").starts_with("t:3:1: the time runs back from 2s to 1s (loss.snr_file)"));
    assert!(error(b"0,5;30\n1,0;20\n").starts_with("t:1:1: `0,5` in column 1 has a decimal comma (loss.snr_file)"));
    assert!(error(b"\xff\xfe0\x00").starts_with("t:1:1: the file is UTF-16"));
    assert!(error(b"0 1\n2 \xb0\n").starts_with("t:2:3: the byte 0xb0 is not UTF-8 (loss.snr_file)"));
    for empty in [&b""[..], b"# nothing\n\n", b"time,snr\n", b"\xef\xbb\xbf"] {
        assert!(error(empty).contains("which is empty"));
    }
    let mut scenario = Scenario::parse("cell.toml", "[wired]\nup_rate_file = \"t\"\n").expect("a scenario");
    let gone =
        scenario.read_files(|_, _| Err(io::ErrorKind::NotFound.into())).expect_err("there is no file").to_string();
    assert!(gone.starts_with("cell.toml:2:16: wired.up_rate_file is \"t\", which cannot be read"), "{gone}");
}
