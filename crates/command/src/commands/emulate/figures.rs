//! The figures of an emulation: the object of `--json`, and text for people.

use std::fmt::Write as _;

use ackless_cell::config::{CellConfig, Peer};
use ackless_cell::flows::Place;
use ackless_cell::gro::Gro;
use ackless_cell::result::{AirtimeClass, RunResult, jain};
use ackless_emu::device::{Addresses, Offload};
use ackless_emu::session::Emulated;
use ackless_emu::tally::{Crossed, Lateness, Tally};
use ackless_emu::world::{Plan, SERVER, places};
use ackless_lab::VERSION;
use ackless_lab::metric::airtime_percent;
use ackless_lab::run::Record;
use ackless_lab::table::{Table, airtime_table};
use ackless_scenario::Effective;
use ackless_wire::Duration;
use serde::Serialize;

use super::watch::LATE_US;

/// The names of all hosts, the server first.
pub fn names(config: &CellConfig) -> impl Iterator<Item = String> {
    std::iter::once(SERVER.to_owned()).chain(config.stations.iter().map(|station| station.name.clone()))
}

/// The object of `--json`: that of `run`, and what the hosts and their devices have seen.
#[derive(Debug, Serialize)]
pub struct Told {
    #[serde(flatten)]
    record: Record,
    hosts: Vec<Host>,
    lateness: Lateness,
    /// For how long more than 1 packet in 100 came too late, by [`LATE_US`].
    behind_seconds: f64,
    offload: [String; 2],
}

/// A host and what has crossed its device.
#[derive(Debug, Serialize)]
struct Host {
    name: String,
    /// The interface that it is behind, if it was there before.
    #[serde(skip_serializing_if = "Option::is_none")]
    interface: Option<String>,
    #[serde(flatten)]
    made: Option<Made>,
    goodput_mbps: f64,
    packets_sent: u64,
    packets_received: u64,
    pure_acks_received: u64,
    packets_refused: u64,
    frames_past_the_cell: u64,
    packets_without_ethernet_address: u64,
    /// Nothing where the count went with a deleted device.
    dropped_by_kernel: Option<u64>,
    /// How long the device was down.
    down_seconds: f64,
}

/// What was made for a host.
#[derive(Debug, Serialize)]
struct Made {
    namespace: String,
    ipv4: String,
    ipv6: String,
}

impl Told {
    pub fn of(
        name: &str,
        scenario: Effective,
        config: &CellConfig,
        plan: Plan<'_>,
        emulated: Emulated,
        behind: Duration,
    ) -> Self {
        let Emulated { mut result, tally, dropped, down, .. } = emulated;
        let seconds = result.sim_seconds;
        let host = |((place, own), (dropped, down)): ((Place, String), (Option<u64>, Duration))| {
            let Crossed { sent, received, payload, pure_acks, refused, passed, homeless, .. } = tally.of(place);
            let Addresses { v4, v6 } = Addresses::of(place);
            let interface = plan.ends.at(place).map(str::to_owned);
            let made = || Made { namespace: format!("{name}-{own}"), ipv4: v4.to_string(), ipv6: v6.to_string() };
            Host {
                made: interface.is_none().then(made),
                interface,
                name: own,
                goodput_mbps: if seconds > 0.0 { payload.bits() as f64 / seconds / 1e6 } else { 0.0 },
                packets_sent: sent,
                packets_received: received,
                pure_acks_received: pure_acks,
                packets_refused: refused,
                frames_past_the_cell: passed,
                packets_without_ethernet_address: homeless,
                dropped_by_kernel: dropped,
                down_seconds: down.as_secs_f64(),
            }
        };
        let hosts: Vec<_> = places(config).zip(names(config)).zip(dropped.into_iter().zip(down)).map(host).collect();
        result.goodput_mbps += hosts.iter().map(|host| host.goodput_mbps).sum::<f64>();
        result.wall_seconds = seconds;
        result.fairness.jain_goodput = jain(&shares(config, &result, &tally));
        let record = Record { version: VERSION, scenario, result };
        Self {
            record,
            hosts,
            lateness: tally.lateness(),
            behind_seconds: behind.as_secs_f64(),
            offload: [plan.server, plan.stations].map(told),
        }
    }

    /// That the machine did not keep up, and by how much, if that was so.
    pub fn complaint(&self) -> Option<String> {
        let Lateness { p99_us, max_us, .. } = self.lateness;
        (p99_us > LATE_US || self.behind_seconds > 0.0).then(|| {
            format!(
                "This machine did not keep up for {:.0} of {:.0} s: of all packets 1 in 100 came more than {:.1} ms after its time, the latest {:.0} ms. \
                 The figures are of a slower host than the scenario's.",
                self.behind_seconds,
                self.record.result.sim_seconds,
                p99_us / 1e3,
                max_us / 1e3
            )
        })
    }
}

/// What each station that took part got and gave, in Mbit/s: through its device, and by the scenario's own flows where they ran.
fn shares(config: &CellConfig, result: &RunResult, tally: &Tally) -> Vec<f64> {
    let mut shares: Vec<_> = (1..=config.stations.len())
        .map(|station| {
            let Crossed { sent, received, payload, given, .. } = tally.of(Place::Station(station));
            (sent + received > 0).then(|| (payload + given).bits() as f64 / result.sim_seconds / 1e6)
        })
        .collect();
    for (flow, told) in config.flows.iter().zip(&result.flows) {
        let other = if let Peer::Station(other) = flow.peer { Some(other) } else { None };
        for station in [Some(flow.station), other].into_iter().flatten() {
            *shares[station].get_or_insert(0.0) += told.goodput_mbps;
        }
    }
    shares.into_iter().flatten().collect()
}

fn told(Offload { segments, gro }: Offload) -> String {
    match (gro, segments) {
        (Gro::Off, false) => "off",
        (_, false) => "gro",
        (Gro::Off, true) => "tso",
        (_, true) => "full",
    }
    .to_owned()
}

/// What it has shown, for people.
pub fn text(told: &Told) -> String {
    let result = &told.record.result;
    let Lateness { median_us, p99_us, max_us, packets } = told.lateness;
    let counters = &result.counters.total;
    let mut text = format!("scheme {}, {:.2} s emulated\n\n", result.scheme, result.sim_seconds);
    let hack = result.hack.map(|hack| {
        format!(
            "{} ACKs compressed in {} answers, {} ACKs native",
            hack.compressed_acks, hack.appended_answers, hack.native_acks
        )
    });
    let lines = [
        ("TCP ACK frames", counters.tcp_ack_ppdus.to_string()),
        ("channel accesses", counters.channel_accesses.to_string()),
        ("collided PPDUs", counters.collisions.to_string()),
        ("queue drops", counters.queue_drops.to_string()),
        ("HACK", hack.unwrap_or_default()),
        ("lateness", format!("median {median_us:.0}, p99 {p99_us:.0}, greatest {max_us:.0} us, of {packets} packets")),
    ];
    for (title, value) in lines.iter().filter(|(_, value)| !value.is_empty()) {
        writeln!(text, "{title:<18} {value}").expect("a string takes all that is written");
    }
    for host in told.hosts.iter().filter(|host| host.down_seconds > 0.0) {
        writeln!(text, "{:<18} {} for {:.1} s", "device down", host.name, host.down_seconds)
            .expect("a string takes all that is written");
    }
    if let Some(complaint) = told.complaint() {
        writeln!(text, "\n{complaint}").expect("a string takes all that is written");
    }
    let header = [
        "host",
        "goodput\nMbps",
        "packets\nsent",
        "received",
        "of these\npure ACKs",
        "not\ncarried",
        "past\nthe cell",
        "dropped by\nthe kernel",
    ];
    let mut table = Table::new(header.map(str::to_owned).to_vec());
    for host in &told.hosts {
        table.push(vec![
            host.name.clone(),
            format!("{:.2}", host.goodput_mbps),
            host.packets_sent.to_string(),
            host.packets_received.to_string(),
            host.pure_acks_received.to_string(),
            host.packets_refused.to_string(),
            host.frames_past_the_cell.to_string(),
            host.dropped_by_kernel.map_or_else(|| "unknown".to_owned(), |dropped| dropped.to_string()),
        ]);
    }
    write!(text, "\n{table}").expect("a string takes all that is written");
    let shares = AirtimeClass::ALL.map(|class| airtime_percent(result, class));
    let airtime = airtime_table(vec![("%".to_owned(), shares)]);
    write!(text, "\nShare of the air time\n\n{airtime}").expect("a string takes all that is written");
    text
}
