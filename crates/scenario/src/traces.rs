//! What files of numbers hold: SNRs and rates over time.

use ackless_wire::{BitRate, Bytes, Duration};

use crate::numbers::{self, Fault, Number};
use crate::value::{Decibels, RatePoint, SnrPoint, Value};

/// The SNRs in a text: a time in seconds and an SNR in dB on each line, in the first two columns
/// unless others are given. Times become whole nanoseconds and SNRs whole thousandths of a dB, the
/// nearest ones.
///
/// # Errors
/// Where the text holds something else, or its times do not rise.
pub(crate) fn snr(text: &str, columns: Option<&[usize]>) -> Result<Vec<SnrPoint>, Fault> {
    let rows = numbers::read(text, |_| columns.map_or_else(|| vec![1, 2], <[usize]>::to_vec))?;
    let mut points: Vec<SnrPoint> = Vec::with_capacity(rows.len());
    for row in rows {
        let at = seconds(row[0])?;
        if let Some(last) = points.last() {
            rises(last.at, at, row[0])?;
        }
        let snr = scaled(row[1], 1e3, -1_000.0, 1_000.0, "an SNR in dB")?;
        points.push(SnrPoint { at, snr: Decibels::of_thousandths(snr as i32) });
    }
    Ok(points)
}

/// The rates in a text: a time in seconds and a rate in Mbps on each line, as [`snr`] has its two;
/// times become whole nanoseconds and rates whole bits per second. Or, where only one column is
/// there or given, a trace of mahimahi: on each line the time in milliseconds at which 1,500 bytes
/// may leave; lines of the same time add up.
///
/// # Errors
/// As [`snr`]; the times of mahimahi may stand still.
pub(crate) fn rates(text: &str, columns: Option<&[usize]>) -> Result<Vec<RatePoint>, Fault> {
    let auto = |count: usize| if count == 1 { vec![1] } else { vec![1, 2] };
    let rows = numbers::read(text, |count| columns.map_or_else(|| auto(count), <[usize]>::to_vec))?;
    let mut points: Vec<RatePoint> = Vec::new();
    for row in rows {
        let [time, rate] = row[..] else {
            opportunity(&mut points, row[0])?;
            continue;
        };
        let at = seconds(time)?;
        if let Some(last) = points.last() {
            rises(last.at(), at, time)?;
        }
        let bps = scaled(rate, 1e6, 0.0, 1e6, "a rate in Mbps")?;
        points.push(RatePoint::Rate(at, BitRate::from_bps(bps as u64)));
    }
    Ok(points)
}

/// One more line of a trace of mahimahi.
fn opportunity(points: &mut Vec<RatePoint>, time: Number) -> Result<(), Fault> {
    let nanos = scaled(time, 1e6, 0.0, 1e9, "a time in milliseconds")?;
    let at = Duration::from_nanos(nanos as u64);
    match points.last_mut() {
        Some(RatePoint::Opportunity(last, bytes)) if *last == at => *bytes += FULL_SIZED,
        Some(last) if last.at() > at => return Err(runs_back(last.at(), at, time)),
        _ => points.push(RatePoint::Opportunity(at, FULL_SIZED)),
    }
    Ok(())
}

fn seconds(time: Number) -> Result<Duration, Fault> {
    let nanos = scaled(time, 1e9, 0.0, 1e6, "a time in seconds from the start of the run")?;
    Ok(Duration::from_nanos(nanos as u64))
}

/// A number in units of which so many make one of the file's, the nearest whole one.
fn scaled(number: Number, factor: f64, low: f64, high: f64, what: &str) -> Result<f64, Fault> {
    if !(low..=high).contains(&number.value) {
        let message = format!("{} is out of range for {what}", number.value);
        return Err(Fault::new(number.at, message, format!("allowed is from {low} to {high}")));
    }
    Ok((number.value * factor).round())
}

fn rises(last: Duration, at: Duration, time: Number) -> Result<(), Fault> {
    if at == last {
        let message = format!("the time {} stands there twice", at.word());
        return Err(Fault::new(time.at, message, "give each time once: times are told apart to the nanosecond"));
    }
    if at < last { Err(runs_back(last, at, time)) } else { Ok(()) }
}

fn runs_back(last: Duration, at: Duration, time: Number) -> Fault {
    let message = format!("the time runs back from {} to {}", last.word(), at.word());
    Fault::new(time.at, message, "sort the lines by time")
}

/// What a line of a trace of mahimahi stands for.
const FULL_SIZED: Bytes = Bytes(1_500);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_snrs_are_rounded_to_what_a_scenario_tells_apart() {
        let points = snr("0.0,30.123456789\n0.5000000004,-10.0005\n0.5000000006,1e1\n", None).expect("three points");
        let words: Vec<_> = points.iter().map(Value::word).collect();
        assert_eq!(words, ["0ns 30.123dB", "500ms -10.001dB", "500000.001us 10dB"]);
        let again = snr("0.5000000001 1\n0.5000000002 2", None).expect_err("both are the same nanosecond");
        assert!(again.message.contains("stands there twice"), "{again:?}");
    }

    #[test]
    fn rates_are_megabits_and_one_column_is_a_trace_of_mahimahi() {
        let words = |text: &str, columns: Option<&[usize]>| {
            let points = rates(text, columns).unwrap_or_else(|fault| panic!("{fault:?}"));
            points.iter().map(Value::word).collect::<Vec<_>>()
        };
        assert_eq!(words("0 12.5\n1.5\t0\n2 3.0000004", None), ["0ns 12.5Mbps", "1.5s 0bps", "2s 3Mbps"]);
        assert_eq!(words("a,t,b,r\n7,0,8,1\n7,1,8,2\n", Some(&[2, 4])), ["0ns 1Mbps", "1s 2Mbps"]);
        assert_eq!(words("0\n1\n1\n1\n5\n", None), ["0ns 1.5kB", "1ms 4.5kB", "5ms 1.5kB"]);
        assert_eq!(words("1,9\n2,9\n", Some(&[1])), ["1ms 1.5kB", "2ms 1.5kB"]);
    }

    #[test]
    fn what_is_no_trace_is_refused_with_its_place() {
        let of = |fault: Fault| (fault.at, fault.message);
        let snr = |text: &str| of(snr(text, None).expect_err(text));
        assert_eq!(snr("0 1\n2 3\n1 4\n"), (8, "the time runs back from 2s to 1s".into()));
        assert_eq!(snr("-1 5\n").1, "-1 is out of range for a time in seconds from the start of the run");
        assert_eq!(snr("1700000000 5\n").0, 0);
        assert_eq!(snr("0 1001\n"), (2, "1001 is out of range for an SNR in dB".into()));
        let rates = |text: &str| of(rates(text, None).expect_err(text));
        assert_eq!(rates("0 -1\n"), (2, "-1 is out of range for a rate in Mbps".into()));
        assert_eq!(rates("5\n4\n"), (2, "the time runs back from 5ms to 4ms".into()));
        assert_eq!(rates("5\n6 1\n7 8\nx"), (10, "`x` in column 1 is not a number".into()));
        assert_eq!(rates("0 1\n5\n"), (4, "the line has 1 column, and column 2 is wanted".into()));
    }
}
