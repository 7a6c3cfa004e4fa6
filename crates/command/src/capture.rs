//! How large a capture may become, and what is said of its bounds.

use ackless_cell::config::{CellConfig, Direction, FlowConfig, Pace, Peer, Traffic};
use ackless_cell::pcap::{Bounds, LeftOut};
use ackless_scenario::printable::printable;
use ackless_wire::{BitRate, Duration, Instant};

use crate::args::Recorded;

/// What to say before a run of this cell is captured for `time`; nothing where the capture stays
/// below [`LARGE`].
pub fn warning(options: &Recorded, config: &CellConfig, time: Duration) -> Option<String> {
    let path = options.pcap.as_ref()?;
    let bytes = largest(config, options.bounds(), time);
    (bytes >= LARGE).then(|| {
        format!(
            "{} may take about {} ({} s at up to {:.0} Mbps); --pcap-limit 1GB ends it there, and \
             --pcap-snaplen 200B keeps only the beginning of each frame",
            printable(&path.display().to_string()),
            size(bytes),
            time.as_nanos() as f64 / 1e9,
            fastest(config) / 1e6
        )
    })
}

/// What to say after it, where the limit has ended the capture.
pub fn remark(left_out: LeftOut) -> String {
    let seconds = (left_out.since - Instant::ZERO).as_secs_f64();
    let frames = if left_out.frames == 1 { "1 frame is" } else { &format!("{} frames are", left_out.frames) };
    format!("the capture ends after {seconds:.6} s, at the limit of --pcap-limit; {frames} not in it")
}

/// The bytes of a capture of a cell that carries as much as its air, its wire and its flows allow,
/// in frames of full segments. Small frames in large numbers can take more.
fn largest(config: &CellConfig, bounds: Bounds, time: Duration) -> u64 {
    let bytes = fastest(config) / 8.0 * time.as_secs_f64();
    let frames = bytes / MEAN_FRAME;
    let kept = bounds.snap_len.map_or(MEAN_FRAME, |snap_len| MEAN_FRAME.min(snap_len.into()));
    let whole = (frames * (kept + RECORD)) as u64;
    bounds.bytes.map_or(whole, |limit| whole.min(limit.get()))
}

/// The most bits in a second that the cell can carry.
fn fastest(config: &CellConfig) -> f64 {
    let bps = |rate: BitRate| rate.bps() as f64;
    let links = config.stations.iter().flat_map(|station| [station.down.rate(), station.up.rate()]);
    let air = links.map(bps).fold(0.0, f64::max);
    let way = |direction: Direction, wire: BitRate| {
        let flows = || config.flows.iter().filter(|flow| flow.direction == direction);
        let offered: f64 = flows().map(|flow| offered(flow).map_or(f64::INFINITY, bps)).sum();
        let steps = config.wired.steps.iter().filter(|step| step.direction.is_none_or(|of| of == direction));
        let wire = steps.filter_map(|step| step.rate).map(bps).fold(bps(wire), f64::max);
        // What goes from station to station passes the air twice, and no wire.
        let wired = flows().all(|flow| flow.peer == Peer::Server);
        offered.min(if wired { wire } else { f64::INFINITY })
    };
    air.min(way(Direction::Down, config.wired.down.rate) + way(Direction::Up, config.wired.up.rate))
}

/// The rate that a flow offers; `None` where it takes all that it gets.
fn offered(flow: &FlowConfig) -> Option<BitRate> {
    match flow.traffic {
        Traffic::Bulk(Pace::Rate(rate)) | Traffic::OnOff { pace: Pace::Rate(rate), .. } => Some(rate),
        _ => None,
    }
}

/// A number of bytes for people.
fn size(bytes: u64) -> String {
    format!("{:.1} GB", bytes as f64 / 1e9)
}

/// From so many bytes on a capture is announced.
const LARGE: u64 = 1_000_000_000;
/// Bytes of a frame with a full segment.
const MEAN_FRAME: f64 = 1_500.0;
/// Bytes of a record around its frame: the block, and the radiotap header.
const RECORD: f64 = 80.0;

#[cfg(test)]
mod tests {
    use ackless_scenario::builtin::Builtin;
    use ackless_scenario::{Row, ScenarioError};
    use ackless_wire::Bytes;

    use super::*;

    /// What is said of a capture of this scenario, with this limit, for so many seconds.
    fn said(name: &str, overrides: &[&str], limit: Option<u64>, seconds: u64) -> Option<String> {
        let config = || -> Result<CellConfig, ScenarioError> {
            let mut scenario = Builtin::find(name)?.scenario()?;
            overrides.iter().try_for_each(|argument| scenario.set(argument))?;
            scenario.build(Row::STOCK)
        };
        let config = config().unwrap_or_else(|error| panic!("{error}"));
        let options = Recorded {
            pcap: Some("air.pcapng".into()),
            pcap_limit: limit.map(Bytes),
            pcap_snaplen: None,
            timeline: None,
            overwrite: false,
        };
        warning(&options, &config, Duration::from_secs(seconds))
    }

    #[test]
    fn a_large_capture_is_announced_by_what_the_air_the_wire_and_the_flows_allow() {
        let text = said("wifi-80211n", &[], None, 1_000).expect("20 GB are large");
        assert!(text.starts_with("air.pcapng may take about 19.8 GB (1000 s at up to 150 Mbps); "), "{text}");
        assert!(text.contains("--pcap-limit") && text.contains("--pcap-snaplen"), "{text}");
        let wired = said("wifi-80211n", &["wired.rate=30Mbps"], None, 1_000).expect("4 GB are large");
        assert!(wired.contains("about 4.0 GB (1000 s at up to 30 Mbps)"), "{wired}");
        let slow = ["transport.protocol=udp", "flows.rate=1Mbps"];
        assert_eq!(said("wifi-80211n", &slow, None, 1_000), None, "the flow offers 125 MB");
        assert_eq!(said("wifi-80211n", &[], Some(900_000_000), 1_000), None, "the limit says how large it becomes");
        assert_eq!(said("wifi-80211n", &[], None, 10), None);
    }
}
