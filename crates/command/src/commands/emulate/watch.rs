//! Remarks while an emulation runs: the machine does not keep up, a device is down.

use ackless_cell::flows::Place;
use ackless_emu::device::Device;
use ackless_emu::standing::Standing;
use ackless_emu::tally::{Lateness, Tally};
use ackless_emu::world::{Ends, index};
use ackless_wire::{Duration, Instant};

/// A host's device, for people.
pub fn device(place: Place, ends: Ends<'_>, hosts: &[String]) -> String {
    let host = &hosts[index(place)];
    match ends.at(place) {
        Some(interface) => format!("the interface {interface} of {host}"),
        None => format!("the device of {host}"),
    }
}

/// Which devices are down, as was last said.
#[derive(Debug, Default)]
pub struct Links(Vec<Standing>);

impl Links {
    /// Remarks about devices that have gone down or come up since the last look.
    pub fn look(&mut self, devices: &[Device], ends: Ends<'_>, hosts: &[String]) -> Vec<String> {
        self.0.resize(devices.len(), Standing::Up);
        let mut changes = Vec::new();
        for (one, before) in devices.iter().zip(&mut self.0) {
            let last = std::mem::replace(before, one.standing());
            let name = device(one.place, ends, hosts);
            match (last, *before) {
                (Standing::Up, Standing::Down) => {
                    changes.push(format!("{name} is down: its packets are lost until it is up again"));
                }
                (Standing::Down, Standing::Up) => changes.push(format!("{name} is up again")),
                _ => {}
            }
        }
        changes
    }
}

/// Whether the machine keeps up, looked at every second.
#[derive(Debug, Default)]
pub struct Behind {
    /// What was counted at the beginning of this second.
    before: Option<(Instant, Tally)>,
    /// Whether it did not in the last one.
    is: bool,
    /// For how long it did not, in all.
    pub time: Duration,
    /// When it was last said.
    told: Option<Instant>,
}

impl Behind {
    /// What is to be said of the last second, if there is anything to be said.
    pub fn look(&mut self, now: Instant, tally: &Tally) -> Option<String> {
        let Some((since, before)) = &self.before else {
            self.before = Some((now, tally.clone()));
            return None;
        };
        let passed = now.saturating_since(*since);
        if passed < Duration::from_secs(1) {
            return None;
        }
        let Lateness { p99_us, max_us, .. } = tally.lateness_since(before);
        self.before = Some((now, tally.clone()));
        self.is = p99_us > LATE_US;
        if !self.is {
            return None;
        }
        self.time += passed;
        if self.told.is_some_and(|told| now.saturating_since(told) < SAID_AGAIN) {
            return None;
        }
        self.told = Some(now);
        Some(format!(
            "this machine does not keep up: within {:.1} s 1 packet in 100 came more than {:.1} ms after its time, the latest {:.0} ms",
            passed.as_secs_f64(),
            p99_us / 1e3,
            max_us / 1e3
        ))
    }

    /// Whether it did not keep up just now.
    pub fn is(&self) -> bool {
        self.is
    }
}

/// From here on, packets come late enough to change what TCP does: about as long as an A-MPDU lasts.
pub const LATE_US: f64 = 3_000.0;
/// How long it does not say again that the machine does not keep up.
const SAID_AGAIN: Duration = Duration::from_secs(10);
