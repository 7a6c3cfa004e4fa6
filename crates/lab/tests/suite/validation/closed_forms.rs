//! One UDP sender against the arithmetic of its exchange, and saturated stations against the models of contention.
//!
//! Run with `--nocapture` to see the tables of `docs/validation.md`.

use ackless_cell::config::{AnswerRate, CellConfig};
use ackless_model::{Access, Contention, Counter, Link};
use ackless_wire::Bytes;

use super::support::{cell, excess, mean};

#[test]
fn udp_from_one_sender_is_within_half_a_percent_of_its_closed_form() {
    let names = ["wifi-80211b", "wifi-80211a", "wifi-80211g", "wifi-80211n", "wifi-80211n-300", "wifi-80211ac"];
    for name in names {
        let config = cell(name, "udp", &["run.warm_up=1s", "run.measured=5s"]);
        let closed = link(&config).udp_goodput(PAYLOAD).mbps_f64();
        let measured = mean(&config, 2, |run| run.goodput_mbps);
        let off = excess(measured, closed);
        println!("{name:16} closed form {closed:8.3}  simulated {measured:8.3}  {:+.2} %", off * 1e2);
        assert!(off.abs() < 0.005, "{name}: {measured} Mbps is not the closed form's {closed}");
    }
}

#[test]
fn saturated_dcf_is_within_one_and_a_half_percent_of_the_freezing_model() {
    for stations in [5, 10, 20, 50] {
        let cell = Saturated::new(stations, &["wifi.qos=false"]);
        let off = excess(cell.simulated, cell.model(Counter::Freezes, &cell.by_timeout));
        cell.print("DCF");
        assert!(off.abs() < 0.015, "{stations} stations, seeds 1 to {SEEDS}: off by {off}");
    }
}

#[test]
fn saturated_edca_is_within_one_and_a_half_percent_of_bianchi_with_equal_times() {
    for stations in [5, 10, 20] {
        let cell = Saturated::new(stations, &["wifi.qos=true", EQUAL_TIMES]);
        let off = excess(cell.simulated, cell.model(Counter::StepsAtBusy, &cell.by_timeout));
        cell.print("EDCA");
        assert!(off.abs() < 0.015, "{stations} stations, seeds 1 to {SEEDS}: off by {off}");
    }
}

#[test]
fn whether_colliders_return_before_bystanders_matters_less_than_half_a_percent() {
    // Bystanders wait EIFS after a collision, 15 us more than the timeout and DIFS of those who collided. The model knows
    // one duration for both; the difference is far below what its independence assumption costs.
    for (qos, counter) in [("wifi.qos=false", Counter::Freezes), ("wifi.qos=true", Counter::StepsAtBusy)] {
        let apart = Saturated::new(20, &[qos]);
        let together = Saturated::new(20, &[qos, EQUAL_TIMES]);
        let off = |cell: &Saturated| excess(cell.simulated, cell.model(counter, &cell.by_timeout));
        let shift = off(&apart) - off(&together);
        println!("{qos}, 20 stations: apart less together {:+.2} %", shift * 1e2);
        assert!(shift.abs() < 0.005, "{qos}, 20 stations, seeds 1 to {SEEDS}: {shift}");
    }
}

/// Stations of 802.11a that all always have a datagram for the AP, and never give one up.
struct Saturated {
    stations: u32,
    simulated: f64,
    own_collision: Access,
    by_timeout: Access,
}

impl Saturated {
    fn new(stations: u32, overrides: &[&str]) -> Self {
        let count = format!("stations.count={stations}");
        let common = [
            "flows.direction=up",
            "flows.stagger=0s",
            "wifi.retry_limit=never",
            "run.warm_up=1s",
            // Where all wait in the largest window, chance takes longer to even out.
            if stations < 50 { "run.measured=10s" } else { "run.measured=40s" },
            count.as_str(),
        ];
        let overrides: Vec<&str> = common.iter().chain(overrides).copied().collect();
        let config = cell("wifi-80211a", "udp", &overrides);
        let link = link(&config);
        let exchange = link.longest_exchange(PAYLOAD + UDP_IP);
        let mut by_timeout = Access::with_answer_timeout(&link, &exchange, PAYLOAD);
        by_timeout.collision += config.stations[0].mac.ack_timeout_extra;
        Self {
            stations,
            simulated: mean(&config, SEEDS, |run| run.goodput_mbps),
            own_collision: Access::with_bianchi_collision(&link, &exchange, PAYLOAD),
            by_timeout,
        }
    }

    fn model(&self, counter: Counter, access: &Access) -> f64 {
        let contention = Contention { stations: self.stations, cw_min: 15, cw_max: 1023, counter };
        contention.solve(access).throughput.mbps_f64()
    }

    fn print(&self, name: &str) {
        let column = |counter, access| {
            let model = self.model(counter, access);
            format!("{model:7.3} {:+6.2} %", excess(self.simulated, model) * 1e2)
        };
        println!(
            "{name:4} n={:<2} simulated {:7.3}  freezing {}  Bianchi {}  with his collision {}",
            self.stations,
            self.simulated,
            column(Counter::Freezes, &self.by_timeout),
            column(Counter::StepsAtBusy, &self.by_timeout),
            column(Counter::StepsAtBusy, &self.own_collision),
        );
    }
}

/// The model's link, as the AP and the stations of a configuration see each other.
fn link(config: &CellConfig) -> Link {
    let station = &config.stations[0];
    let mut link = Link::of(config.standard, config.band, station.down);
    if let AnswerRate::Fixed(rate) = config.answer_rate {
        link.answer = rate;
    }
    if let ackless_cell::config::Access::Edca { aifsn, .. } = station.mac.access
        && !config.standard.is_qos()
    {
        // The model's 802.11a has no QoS; with it, frames wait AIFS and bear a QoS Control field.
        link.wait = link.timing.aifs(aifsn);
        link.framing += Bytes(2);
    }
    link
}

/// The UDP payload of the built-in scenarios, which makes an IP packet of 1500 bytes.
const PAYLOAD: Bytes = Bytes(1472);
/// IPv4 and UDP headers.
const UDP_IP: Bytes = Bytes(28);
/// Runs that a saturated cell's throughput is the mean of.
const SEEDS: u64 = 4;
/// In 802.11a an answer is given up SIFS, a slot and a preamble after the frame, 45 us, and bystanders of a collision wait
/// SIFS and an Ack at 6 Mbps, 60 us, before DIFS or AIFS. With 15 us more, all wait alike, as the models have it.
const EQUAL_TIMES: &str = "wifi.ack_timeout_extra=15us";
