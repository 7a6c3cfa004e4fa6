//! What an emulation does just now, on a terminal: goodput of each host, queues, where the air time goes, ACKs, lateness.
//!
//! It is drawn by a thread of its own, so that the cell never waits for a terminal; a picture that the thread has no time for is left out.

use std::io::{self, IsTerminal as _, stderr};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use ackless_cell::flows::Place;
use ackless_cell::result::{Airtime, AirtimeClass, HackCounters};
use ackless_dot11::frame::NodeId;
use ackless_emu::drive::Drive;
use ackless_emu::standing::Standing;
use ackless_emu::tally::Lateness;
use ackless_lab::table::class_title;
use ackless_wire::{Bytes, Instant};
use console::{Alignment, Term, pad_str, style, truncate_str};

/// The view, until it is dropped.
#[derive(Debug)]
pub struct Live {
    send: Option<SyncSender<Snapshot>>,
    thread: Option<JoinHandle<io::Result<()>>>,
    last: (Instant, Vec<Bytes>, Airtime),
}

/// What is drawn.
#[derive(Debug)]
struct Snapshot {
    at: Instant,
    hosts: Vec<Host>,
    /// Shares of the time since the last picture, in percent, the greatest first.
    air: Vec<(&'static str, f64)>,
    hack: Option<HackCounters>,
    lateness: Lateness,
    /// Whether the machine does not keep up.
    behind: bool,
}

#[derive(Debug)]
struct Host {
    name: String,
    mbps: f64,
    received: Bytes,
    queued: Option<usize>,
    /// Whether its device is down.
    down: bool,
}

impl Live {
    /// A view on standard error, where that is a terminal.
    pub fn new() -> Option<Self> {
        if !stderr().is_terminal() {
            return None;
        }
        let (send, receive) = sync_channel(1);
        let thread = std::thread::Builder::new().spawn(move || draw(&receive)).ok()?;
        Some(Self { send: Some(send), thread: Some(thread), last: (Instant::ZERO, Vec::new(), Airtime::default()) })
    }

    /// Shows how it stands now, and whether the machine is behind.
    pub fn show(&mut self, drive: &Drive<'_, '_>, names: &[String], behind: bool) {
        let cell = drive.cell();
        let at = cell.now();
        let (since, before, air) = &self.last;
        let seconds = at.saturating_since(*since).as_secs_f64();
        let place = |n: usize| if n == 0 { Place::Server } else { Place::Station(n) };
        let received: Vec<Bytes> = (0..names.len()).map(|n| drive.tally().of(place(n)).payload).collect();
        let rate = |n: usize| {
            let new = received[n].saturating_sub(before.get(n).copied().unwrap_or_default());
            if seconds > 0.0 { new.bits() as f64 / seconds / 1e6 } else { 0.0 }
        };
        let hosts = names.iter().enumerate().map(|(n, name)| Host {
            name: name.clone(),
            mbps: rate(n),
            received: received[n],
            queued: (n > 0).then(|| cell.queued(NodeId(n as u16))),
            down: drive.devices()[n].standing() == Standing::Down,
        });
        let snapshot = Snapshot {
            at,
            hosts: hosts.collect(),
            air: shares(air, cell.airtime()),
            hack: cell.hack(),
            lateness: drive.tally().lateness(),
            behind,
        };
        self.last = (at, received, *cell.airtime());
        if let Some(send) = &self.send {
            // Whoever draws is still busy with the last one, or has given up.
            let _ = send.try_send(snapshot);
        }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.send = None;
        if let Some(thread) = self.thread.take() {
            // What it drew is no result.
            let _ = thread.join();
        }
    }
}

/// The shares of the classes of air time between two ledgers, in percent, the greatest first.
fn shares(before: &Airtime, now: &Airtime) -> Vec<(&'static str, f64)> {
    let spent = |class: AirtimeClass| now[class].saturating_sub(before[class]).as_nanos() as f64;
    let all: f64 = AirtimeClass::ALL.into_iter().map(spent).sum();
    let share = |class: AirtimeClass| (class_title(class), spent(class) / all.max(1.0) * 100.0);
    let mut shares: Vec<_> = AirtimeClass::ALL.into_iter().map(share).filter(|(_, share)| *share >= 0.05).collect();
    shares.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    shares
}

/// Draws what comes, until nothing more does. A terminal that cannot be drawn on shows nothing; the figures come at the end all the same.
fn draw(receive: &Receiver<Snapshot>) -> io::Result<()> {
    let term = Term::buffered_stderr();
    term.hide_cursor()?;
    let mut drawn = 0;
    while let Ok(snapshot) = receive.recv() {
        drawn = redraw(&term, drawn, &picture(&snapshot))?;
    }
    redraw(&term, drawn, &[])?;
    term.show_cursor()?;
    term.flush()
}

/// Puts lines, as far as there is room, in the place of as many as were `drawn`. Returns how many they are.
fn redraw(term: &Term, drawn: usize, lines: &[String]) -> io::Result<usize> {
    let (height, width) = term.size();
    let fits = lines.len().min(usize::from(height).saturating_sub(1));
    term.move_cursor_up(drawn)?;
    term.clear_to_end_of_screen()?;
    for line in &lines[..fits] {
        term.write_line(&truncate_str(line, width.into(), ""))?;
    }
    term.flush()?;
    Ok(fits)
}

/// The lines of a picture: hosts, and what there is to say of them all, on the left, the air time on the right.
fn picture(snapshot: &Snapshot) -> Vec<String> {
    let row = |host: &str, mbps: &str, received: &str, queued: &str| {
        format!("{} {mbps:>9} {received:>7}  {queued:>12}", pad_str(host, NAME, Alignment::Left, Some("")))
    };
    let mut left = vec![style(row("host", "Mbps", "MB", "queued at AP")).for_stderr().bold().to_string()];
    left.extend(snapshot.hosts.iter().take(MOST_HOSTS).map(|host| {
        let received = host.received.get() as f64 / 1e6;
        let queued = host.queued.map_or_else(String::new, |queued| queued.to_string());
        let mbps = if host.down { "down".to_owned() } else { format!("{:.2}", host.mbps) };
        row(&host.name, &mbps, &format!("{received:.1}"), &queued)
    }));
    left.push(String::new());
    if let Some(more) = snapshot.hosts.len().checked_sub(MOST_HOSTS).filter(|more| *more > 0) {
        left.push(format!("and {more} more"));
    }
    if let Some(hack) = snapshot.hack {
        left.push(format!("ACKs: {} compressed, {} native", hack.compressed_acks, hack.native_acks));
    }
    let Lateness { median_us, p99_us, .. } = snapshot.lateness;
    left.push(format!("late: median {median_us:.0} us, p99 {p99_us:.0} us"));
    if snapshot.behind {
        left.push(style("THIS MACHINE DOES NOT KEEP UP").for_stderr().reverse().to_string());
    }
    left.push(format!("{:.1} s; Ctrl-C ends it", (snapshot.at - Instant::ZERO).as_secs_f64()));
    let right = snapshot.air.iter().take(AIR).map(|(class, share)| {
        let bar = "\u{2588}".repeat((share / 4.0).round() as usize);
        format!("{share:>5.1} % {class:<30} {bar}")
    });
    let right: Vec<_> = right.collect();
    let line = |lines: &[String], n: usize| lines.get(n).cloned().unwrap_or_default();
    (0..left.len().max(right.len()))
        .map(|n| format!("{}{}", pad_str(&line(&left, n), LEFT, Alignment::Left, None), line(&right, n)))
        .collect()
}

/// So many hosts have a line.
const MOST_HOSTS: usize = 12;
/// Of a host's name so many columns are shown.
const NAME: usize = 14;
/// How wide what stands on the left is, with the space beside it.
const LEFT: usize = 48;
/// So many classes of air time are shown.
const AIR: usize = 10;
