//! Two traces of one situation, row by row.

use ackless_wire::{Duration, Instant};

use crate::TICK;
use crate::trace::{Ack, Data, Sender, Trace};

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
    /// Whether both say the same, whenever that was.
    fn says(&self, other: &Self) -> bool;
    fn print(&self) -> String;
}

impl Comparison {
    /// Above the lines.
    pub const HEAD: &'static str = "\
situation               data packets  sent again   ACKs         took, ms           first difference in data    in ACKs                     in cwnd or ssthresh
                        Linux  ours   Linux ours   Linux ours   Linux     ours     row, at, what               row, at, what               row, at, what";

    /// The situation in one line.
    pub fn line(&self, name: &str) -> String {
        let both = |of: fn(&Trace) -> String| (of(&self.kernel), of(&self.ours));
        let data = both(|trace| trace.data.len().to_string());
        let again = both(|trace| repeated(&trace.data).to_string());
        let acks = both(|trace| trace.acks.len().to_string());
        let took = both(|trace| trace.sender.last().map_or_else(String::new, |row| millis(row.at)));
        format!(
            "{name:<22}  {:>5} {:>5}   {:>5} {:>4}   {:>5} {:>4}   {:>8} {:>8}   {:<26}  {:<26}  {:<26}",
            data.0,
            data.1,
            again.0,
            again.1,
            acks.0,
            acks.1,
            took.0,
            took.1,
            first(&self.kernel.data, &self.ours.data),
            first(&self.kernel.acks, &self.ours.acks),
            first(&self.kernel.sender, &self.ours.sender),
        )
    }

    /// The rows around the first difference of each kind.
    pub fn print_differences(&self) {
        print_around(&self.kernel.data, &self.ours.data);
        print_around(&self.kernel.acks, &self.ours.acks);
        print_around(&self.kernel.sender, &self.ours.sender);
    }

    /// Every row.
    pub fn print_all(&self) {
        print_rows(&self.kernel.data, &self.ours.data, 0, usize::MAX);
        print_rows(&self.kernel.acks, &self.ours.acks, 0, usize::MAX);
        print_rows(&self.kernel.sender, &self.ours.sender, 0, usize::MAX);
    }
}

/// How many start where something was sent before.
fn repeated(data: &[Data]) -> usize {
    let mut highest = 0;
    let mut count = 0;
    for row in data {
        count += usize::from(row.seq < highest);
        highest = highest.max(row.seq + row.len);
    }
    count
}

/// How two rows differ, if they do.
fn difference<R: Row>(kernel: Option<&R>, ours: Option<&R>) -> Option<&'static str> {
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

fn first_difference<R: Row>(kernel: &[R], ours: &[R]) -> Option<(usize, &'static str)> {
    (0..kernel.len().max(ours.len())).find_map(|row| Some((row, difference(kernel.get(row), ours.get(row))?)))
}

fn first<R: Row>(kernel: &[R], ours: &[R]) -> String {
    first_difference(kernel, ours).map_or_else(
        || "none".to_owned(),
        |(row, what)| {
            let at = kernel.get(row).or_else(|| ours.get(row)).map_or(Instant::ZERO, Row::at);
            format!("{row}, {} ms, {what}", millis(at))
        },
    )
}

fn print_around<R: Row>(kernel: &[R], ours: &[R]) {
    match first_difference(kernel, ours) {
        None => println!("{}: no difference in {} rows\n", R::NAME, kernel.len()),
        Some((row, _)) => print_rows(kernel, ours, row.saturating_sub(4), row.saturating_add(20)),
    }
}

fn print_rows<R: Row>(kernel: &[R], ours: &[R], from: usize, to: usize) {
    println!(
        "{}:\n  row  {:<58}  {:<58}  differs",
        R::NAME,
        format!("Linux: {}", R::HEAD),
        format!("ours: {}", R::HEAD)
    );
    for row in from..to.min(kernel.len().max(ours.len())) {
        let (kernel, ours) = (kernel.get(row), ours.get(row));
        let print =
            |row: Option<&R>| row.map_or_else(String::new, |row| format!("{:>10}  {}", millis(row.at()), row.print()));
        println!(
            "{row:>5}  {:<58}  {:<58}  {}",
            print(kernel),
            print(ours),
            difference(kernel, ours).unwrap_or_default()
        );
    }
    println!();
}

fn millis(at: Instant) -> String {
    format!("{:.3}", at.as_secs_f64() * 1e3)
}

impl Row for Data {
    const NAME: &'static str = "data that the sender sent";
    const HEAD: &'static str = "ms, number, bytes";

    fn at(&self) -> Instant {
        self.at
    }

    fn says(&self, other: &Self) -> bool {
        (self.seq, self.len) == (other.seq, other.len)
    }

    fn print(&self) -> String {
        format!("{:>9} {:>6}", self.seq, self.len)
    }
}

impl Row for Ack {
    const NAME: &'static str = "ACKs that the receiver sent";
    const HEAD: &'static str = "ms, ACK, window, SACK";

    fn at(&self) -> Instant {
        self.at
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

    fn says(&self, other: &Self) -> bool {
        (self.una, self.cwnd, self.ssthresh) == (other.una, other.cwnd, other.ssthresh)
    }

    fn print(&self) -> String {
        let ssthresh = self.ssthresh.map_or_else(|| "-".to_owned(), |segments| segments.to_string());
        format!("{:>9} {:>5} {ssthresh:>5}", self.una, self.cwnd)
    }
}
