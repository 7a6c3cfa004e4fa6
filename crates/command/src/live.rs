//! What an emulation does just now, on a terminal: goodput of each host, queues, where the air time goes, ACKs, lateness.
//!
//! It is drawn by a thread of its own, so that the cell never waits for a terminal; a picture that the thread has no time for is left out.

use std::io::{IsTerminal as _, stderr};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use ackless_cell::flows::Place;
use ackless_cell::result::{Airtime, AirtimeClass, HackCounters};
use ackless_dot11::frame::NodeId;
use ackless_emu::drive::Drive;
use ackless_emu::tally::Lateness;
use ackless_lab::table::class_title;
use ackless_wire::{Bytes, Instant};
use ratatui::layout::{Constraint, Layout};
use ratatui::prelude::{CrosstermBackend, Frame, Terminal};
use ratatui::style::{Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::{Paragraph, Row, Table};
use ratatui::{TerminalOptions, Viewport};

/// The view, until it is dropped.
#[derive(Debug)]
pub struct Live {
    send: Option<SyncSender<Snapshot>>,
    thread: Option<JoinHandle<()>>,
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
}

impl Live {
    /// A view on standard error, where that is a terminal.
    pub fn new(hosts: usize) -> Option<Self> {
        if !stderr().is_terminal() {
            return None;
        }
        let (send, receive) = sync_channel(1);
        let thread = std::thread::Builder::new().spawn(move || draw(&receive, hosts)).ok()?;
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

/// Draws what comes, until nothing more does.
fn draw(receive: &Receiver<Snapshot>, hosts: usize) {
    let shown = hosts.min(MOST_HOSTS);
    let height = (shown + AROUND).max(AIR + 1) as u16;
    let options = TerminalOptions { viewport: Viewport::Inline(height) };
    // A terminal that cannot be drawn on shows nothing; the figures come at the end all the same.
    let Ok(mut terminal) = Terminal::with_options(CrosstermBackend::new(stderr()), options) else { return };
    while let Ok(snapshot) = receive.recv() {
        if terminal.draw(|frame| picture(frame, &snapshot, shown)).is_err() {
            return;
        }
    }
    let _ = terminal.clear();
    let _ = terminal.show_cursor();
}

fn picture(frame: &mut Frame<'_>, snapshot: &Snapshot, shown: usize) {
    let [left, right] = Layout::horizontal([Constraint::Length(48), Constraint::Fill(1)]).areas(frame.area());
    let [table, below] = Layout::vertical([Constraint::Length(shown as u16 + 2), Constraint::Fill(1)]).areas(left);
    let header =
        Row::new(["host", "     Mbps", "   MB", "queued at AP"]).style(Style::new().add_modifier(Modifier::BOLD));
    let rows = snapshot.hosts.iter().take(shown).map(|host| {
        Row::new([
            host.name.clone(),
            format!("{:>9.2}", host.mbps),
            format!("{:>7.1}", host.received.get() as f64 / 1e6),
            host.queued.map_or_else(String::new, |queued| format!("{queued:>12}")),
        ])
    });
    let widths = [Constraint::Length(14), Constraint::Length(9), Constraint::Length(8), Constraint::Length(12)];
    frame.render_widget(Table::new(rows, widths).header(header), table);
    let mut lines = Vec::new();
    if snapshot.hosts.len() > shown {
        lines.push(Line::from(format!("and {} more", snapshot.hosts.len() - shown)));
    }
    if let Some(hack) = snapshot.hack {
        lines.push(Line::from(format!("ACKs: {} compressed, {} native", hack.compressed_acks, hack.native_acks)));
    }
    let Lateness { median_us, p99_us, .. } = snapshot.lateness;
    lines.push(Line::from(format!("late: median {median_us:.0} us, p99 {p99_us:.0} us")));
    if snapshot.behind {
        lines.push(Line::styled("THIS MACHINE DOES NOT KEEP UP", Style::new().add_modifier(Modifier::REVERSED)));
    }
    lines.push(Line::from(format!("{:.1} s; Ctrl-C ends it", (snapshot.at - Instant::ZERO).as_secs_f64())));
    frame.render_widget(Paragraph::new(lines), below);
    let air = snapshot.air.iter().take(AIR).map(|(class, share)| {
        let bar = "\u{2588}".repeat((share / 4.0).round() as usize);
        Line::from(format!("{share:>5.1} % {class:<30} {bar}"))
    });
    frame.render_widget(Paragraph::new(air.collect::<Vec<_>>()), right);
}

/// So many hosts have a line.
const MOST_HOSTS: usize = 12;
/// Lines beside those of hosts: the header, a blank line, and what stands below.
const AROUND: usize = 7;
/// So many classes of air time are shown.
const AIR: usize = 10;
