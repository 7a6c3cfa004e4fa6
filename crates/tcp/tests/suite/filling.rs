//! A sender that fills its congestion window in part: when it grows.
//!
//! In each of four round trips the application writes 1 to 10 segments into a window of 10, in slow
//! start or after a timeout has ended it. `tests/linux-traces/fillings.csv` has what a Linux kernel
//! makes of that (`tools/linux-traces/record fillings`).

use ackless_tcp::loss::Phase;
use ackless_tcp::{Config, CongestionChoice, CubicRule, GrowthRule, InitialWindow, SenderChoices, SlowStartChoice};
use ackless_wire::Bytes;

use crate::script::{ACK, Script, plain};

/// One line of the table.
#[derive(Clone, Copy, Debug)]
struct Case {
    congestion: CongestionChoice,
    /// Whether a timeout has ended slow start, at a window of ten.
    avoidance: bool,
    /// Whether each segment is acknowledged by itself, or all by one acknowledgement.
    each: bool,
    /// Segments that are written in each round trip.
    filled: u32,
}

impl Case {
    fn all(congestion: CongestionChoice) -> impl Iterator<Item = Self> {
        [(false, false), (false, true), (true, false), (true, true)]
            .into_iter()
            .flat_map(move |(avoidance, each)| (1..=10).map(move |filled| Self { congestion, avoidance, each, filled }))
    }

    /// The window in segments at the start and after each of four round trips.
    fn windows(&self, sender: SenderChoices) -> Vec<u64> {
        // A timeout leaves half of the window to Reno and seven tenths to CUBIC.
        let before = if self.congestion == CongestionChoice::Cubic { 15 } else { 20 };
        let first = if self.avoidance { before } else { 10 };
        let config =
            Config { congestion: self.congestion, initial_window: InitialWindow::Segments(first), sender, ..plain() };
        let mut script = Script::established(Config { sack: false, ..config });
        script.wait(50);
        let mut acked = 1;
        if self.avoidance {
            acked += before * 1000;
            time_out(&mut script, before);
        }
        let window = |script: &Script| script.end.congestion_window().get() / 1000;
        let mut windows = vec![window(&script)];
        for _ in 0..4 {
            script.end.send(Bytes(u64::from(self.filled) * 1000));
            assert_eq!(script.all().len() as u32, self.filled, "{self:?}");
            script.wait(50);
            let every = if self.each { 1 } else { self.filled };
            for n in (every..=self.filled).step_by(every as usize) {
                script.receive(ACK, 1, acked + n * 1000, 0);
            }
            acked += self.filled * 1000;
            script.wait(50);
            windows.push(window(&script));
        }
        windows
    }
}

/// Fills the window with so many segments and answers nothing before a timeout, then what goes
/// again each time.
fn time_out(script: &mut Script, segments: u32) {
    script.end.send(Bytes(u64::from(segments) * 1000));
    assert_eq!(script.all().len() as u32, segments);
    script.wake();
    assert!(matches!(script.end.recovery_phase(), Phase::GoBack { .. }));
    while script.end.flight_size() > Bytes::ZERO {
        let again = script.all();
        let end = again.last().map(|sent| sent.seq + sent.len).expect("something goes again");
        script.wait(50);
        script.receive(ACK, 1, end, 0);
    }
}

fn linux() -> SenderChoices {
    SenderChoices {
        growth: GrowthRule::Linux,
        cubic: CubicRule::Linux,
        slow_start: SlowStartChoice::HyStart,
        ..SenderChoices::default()
    }
}

#[test]
fn by_linux_rules_the_window_grows_as_the_kernels_does() {
    let table = include_str!("../linux-traces/fillings.csv");
    let rows: Vec<&str> = table.lines().filter(|line| !line.starts_with('#')).skip(1).collect();
    let cases = [CongestionChoice::NewReno, CongestionChoice::Cubic].into_iter().flat_map(Case::all);
    let mut differ = Vec::new();
    for (case, row) in cases.zip(&rows) {
        let controller = if case.congestion == CongestionChoice::Cubic { "cubic" } else { "reno" };
        let phase = if case.avoidance { "avoidance" } else { "slow-start" };
        let acks = if case.each { "each" } else { "one" };
        let windows: Vec<String> = case.windows(linux()).iter().map(u64::to_string).collect();
        let ours = format!("{controller},{phase},{acks},{},{}", case.filled, windows.join(","));
        if ours != *row {
            differ.push(format!("kernel {row}, ours {ours}"));
        }
    }
    assert_eq!(rows.len(), 80, "lines of the table");
    assert!(differ.is_empty(), "{} lines differ:\n{}", differ.len(), differ.join("\n"));
}

#[test]
fn by_the_rfc_the_window_grows_where_at_least_half_of_it_was_used() {
    let cases = [CongestionChoice::NewReno, CongestionChoice::Cubic].into_iter().flat_map(Case::all);
    // In avoidance a script (RFC7661/all-of-the-window.pkt) has the same.
    for case in cases.filter(|case| !case.avoidance) {
        let windows = case.windows(SenderChoices::default());
        assert_eq!(windows[4] > windows[0], case.filled >= 5, "{case:?}: {windows:?}");
        // It stops where twice what was out is less, unless it is full.
        let most = u64::from(case.filled) * if case.each { 2 } else { 3 };
        assert!(windows[4] <= windows[0].max(most + 1), "{case:?}: {windows:?}");
    }
}

#[test]
fn a_filled_window_doubles_in_slow_start_by_either_rule() {
    for sender in [SenderChoices::default(), linux()] {
        for congestion in [CongestionChoice::NewReno, CongestionChoice::Cubic] {
            for each in [false, true] {
                let case = Case { congestion, avoidance: false, each, filled: 10 };
                assert_eq!(case.windows(sender)[1], 20, "{case:?}, {:?}", sender.growth);
            }
        }
    }
}
