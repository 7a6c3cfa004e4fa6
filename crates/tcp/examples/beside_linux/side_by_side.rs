//! Two traces of one situation, row by row.

use ackless_wire::{Duration, Instant};

use crate::TICK;
use crate::trace::{Ack, Sender, Sent, Trace};

/// How many rows may stay without a match before the search for one is given up.
const LOOK_AHEAD: usize = 400;

/// What the kernel did, and what we did.
pub struct Comparison {
    pub kernel: Trace,
    pub ours: Trace,
}

/// A row of a trace that may be compared with one of another.
trait Row {
    /// How the rows are called.
    const NAME: &'static str;
    /// The names of what is printed.
    const HEAD: &'static str;
    fn at(&self) -> Instant;
    /// Whether both are about the same, so that they belong side by side.
    fn matches(&self, other: &Self) -> bool;
    /// Whether both say the same, whenever that was.
    fn says(&self, other: &Self) -> bool;
    fn print(&self) -> String;
}

impl Comparison {
    /// Above the lines.
    pub const HEAD: &'static str = "\
situation               data packets  sent again   ACKs         took, ms           rows that differ, and the first one:
                        Linux  ours   Linux ours   Linux ours   Linux     ours     data                            ACKs                            cwnd or ssthresh";

    /// The situation in one line.
    pub fn line(&self, name: &str) -> String {
        let both = |of: fn(&Trace) -> String| (of(&self.kernel), of(&self.ours));
        let data = both(|trace| trace.data().len().to_string());
        let again = both(|trace| trace.again().to_string());
        let acks = both(|trace| trace.acks.len().to_string());
        let took = both(|trace| trace.sender.last().map_or_else(String::new, |row| millis(row.at)));
        let counts = format!(
            "{:>5} {:>5}   {:>5} {:>4}   {:>5} {:>4}   {:>8} {:>8}",
            data.0, data.1, again.0, again.1, acks.0, acks.1, took.0, took.1
        );
        let data = summary(&self.kernel.data(), &self.ours.data());
        let acks = summary(&self.kernel.acks, &self.ours.acks);
        let sender = summary(&self.kernel.sender, &self.ours.sender);
        format!("{name:<22}  {counts}   {data:<30}  {acks:<30}  {sender}")
    }

    /// The rows around the first difference of each kind.
    pub fn differences(&self) -> String {
        around(&self.kernel.data(), &self.ours.data())
            + &around(&self.kernel.acks, &self.ours.acks)
            + &around(&self.kernel.sender, &self.ours.sender)
    }

    /// Every row.
    pub fn all(&self) -> String {
        rows(&self.kernel.data(), &self.ours.data(), 0, usize::MAX)
            + &rows(&self.kernel.acks, &self.ours.acks, 0, usize::MAX)
            + &rows(&self.kernel.sender, &self.ours.sender, 0, usize::MAX)
    }
}

/// A row of each, side by side; one of them is missing where the other has no match.
type Pair<'a, R> = (Option<&'a R>, Option<&'a R>);

/// Both traces, what belongs together side by side: after rows without a match it goes on where the nearest rows on both sides match again.
fn align<'a, R: Row>(mut kernel: &'a [R], mut ours: &'a [R]) -> Vec<Pair<'a, R>> {
    let mut pairs = Vec::new();
    while !kernel.is_empty() || !ours.is_empty() {
        let limit = (kernel.len() + ours.len()).min(LOOK_AHEAD);
        let (skip_kernel, skip_ours) = (0..limit)
            .flat_map(|skipped| (0..=skipped).map(move |of_kernel| (of_kernel, skipped - of_kernel)))
            .find(|&(k, o)| kernel.get(k).zip(ours.get(o)).is_some_and(|(kernel, ours)| kernel.matches(ours)))
            .unwrap_or((kernel.len().min(1), ours.len().min(1)));
        pairs.extend(kernel[..skip_kernel].iter().map(|row| (Some(row), None)));
        pairs.extend(ours[..skip_ours].iter().map(|row| (None, Some(row))));
        (kernel, ours) = (&kernel[skip_kernel..], &ours[skip_ours..]);
        if let ([k, kernel_rest @ ..], [o, ours_rest @ ..]) = (kernel, ours)
            && k.matches(o)
        {
            pairs.push((Some(k), Some(o)));
            (kernel, ours) = (kernel_rest, ours_rest);
        }
    }
    pairs
}

/// How two rows differ, if they do.
fn difference<R: Row>((kernel, ours): Pair<'_, R>) -> Option<&'static str> {
    match (kernel, ours) {
        (Some(kernel), Some(ours)) if !kernel.says(ours) => Some("what"),
        (Some(kernel), Some(ours)) if apart(kernel.at(), ours.at()) > TICK => Some("when"),
        (Some(_), None) => Some("Linux only"),
        (None, Some(_)) => Some("ours only"),
        _ => None,
    }
}

fn apart(one: Instant, other: Instant) -> Duration {
    one.max(other).saturating_since(one.min(other))
}

/// How many rows differ of how many, and where the first one is.
fn summary<R: Row>(kernel: &[R], ours: &[R]) -> String {
    let pairs = align(kernel, ours);
    let mut different = pairs.iter().filter_map(|&pair| Some((pair, difference(pair)?)));
    let Some((first, how)) = different.next() else { return format!("none of {}", pairs.len()) };
    let at = first.0.or(first.1).map_or(Instant::ZERO, Row::at);
    format!("{} of {}, {} ms, {how}", different.count() + 1, pairs.len(), millis(at))
}

/// The rows around the first difference.
fn around<R: Row>(kernel: &[R], ours: &[R]) -> String {
    match align(kernel, ours).iter().position(|&pair| difference(pair).is_some()) {
        None => format!("{}: no difference in {} rows\n\n", R::NAME, kernel.len()),
        Some(row) => rows(kernel, ours, row.saturating_sub(4), 24),
    }
}

/// So many rows, or as many as there are, from one on.
fn rows<R: Row>(kernel: &[R], ours: &[R], from: usize, count: usize) -> String {
    let [left, right] = ["Linux", "ours"].map(|who| format!("{who}: {}", R::HEAD));
    let mut text = format!("{}:\n  row  {left:<58}  {right:<58}  differs\n", R::NAME);
    for (row, &pair) in align(kernel, ours).iter().enumerate().skip(from).take(count) {
        let print =
            |row: Option<&R>| row.map_or_else(String::new, |row| format!("{:>10}  {}", millis(row.at()), row.print()));
        let how = difference(pair).unwrap_or_default();
        text += &format!("{row:>5}  {:<58}  {:<58}  {how}\n", print(pair.0), print(pair.1));
    }
    text + "\n"
}

fn millis(at: Instant) -> String {
    format!("{:.3}", at.as_secs_f64() * 1e3)
}

impl Row for Sent {
    const NAME: &'static str = "data that the sender sent";
    const HEAD: &'static str = "ms, number, bytes";

    fn at(&self) -> Instant {
        self.at
    }

    fn matches(&self, other: &Self) -> bool {
        self.seq == other.seq
    }

    fn says(&self, other: &Self) -> bool {
        (self.seq, self.len) == (other.seq, other.len)
    }

    fn print(&self) -> String {
        format!("{:>9} {:>6}{}", self.seq, self.len, if self.lost { " lost" } else { "" })
    }
}

impl Row for Ack {
    const NAME: &'static str = "ACKs that the receiver sent";
    const HEAD: &'static str = "ms, ACK, window, SACK";

    fn at(&self) -> Instant {
        self.at
    }

    fn matches(&self, other: &Self) -> bool {
        self.ack == other.ack && self.sack.len() == other.sack.len()
    }

    fn says(&self, other: &Self) -> bool {
        (self.ack, &self.sack) == (other.ack, &other.sack)
    }

    fn print(&self) -> String {
        let sack: String = self.sack.iter().map(|(left, right)| format!(" {left}-{right}")).collect();
        format!("{:>9} {:>8}{sack}", self.ack, self.window)
    }
}

impl Row for Sender {
    const NAME: &'static str = "the sender after each ACK";
    const HEAD: &'static str = "ms, SND.UNA, cwnd, ssthresh";

    fn at(&self) -> Instant {
        self.at
    }

    fn matches(&self, other: &Self) -> bool {
        self.una == other.una
    }

    fn says(&self, other: &Self) -> bool {
        (self.una, self.cwnd, self.ssthresh) == (other.una, other.cwnd, other.ssthresh)
    }

    fn print(&self) -> String {
        let ssthresh = self.ssthresh.map_or_else(|| "-".to_owned(), |segments| segments.to_string());
        format!("{:>9} {:>5} {ssthresh:>5}", self.una, self.cwnd)
    }
}
