//! What the random schedules and reviews have found once, made small.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ackless_cell::config::{ApQueue, Direction, Pace, Probability, Traffic, TransportConfig};
use ackless_cell::loss::Interference;
use ackless_dot11::frame::{Body, NodeId};
use ackless_phy::Standard;
use ackless_schemes::hack::HackCounters;
use ackless_wire::{BitRate, Bytes, Duration, Instant};

use crate::hack::trial::Trial;
use crate::testing::crew;
use crate::testing::ears;
use crate::testing::hack_cells::{cell, transfer, with_transfer};
use crate::testing::tested::configured;

/// The wire overtakes ACKs of an upload, so that the AP is handed one that goes back: it was compressed, and the station took it for a
/// forgery. Schedule 17 of the first 10,000.
#[test]
fn an_ack_that_the_wire_has_let_others_overtake_goes_natively() {
    for standard in [Standard::A, Standard::N] {
        let mut config = with_transfer(cell(standard, 8), 0, Direction::Up, Bytes(300_000));
        config.wired.down.reorder = Probability::new(0.1).expect("a tenth is a probability");
        config.wired.down.reorder_delay = Duration::from_millis(1);
        let outcomes =
            crew::all(&format!("{standard:?}, seed"), 20, |seed| Trial::undisturbed(config.clone(), seed).run());
        let mut sum = HackCounters::default();
        outcomes.iter().for_each(|outcome| sum += outcome.counters);
        assert!(sum.refused > 0 && sum.compressed_acks > 100, "{standard:?}: nothing was overtaken: {sum:#?}");
    }
}

/// A native ACK is given up, and so are the BlockAck Requests that would tell the AP. The AP keeps all later ACKs behind the hole until a
/// request comes; with UDP that fills every PPDU with MORE DATA, the station compresses its ACKs and has no frame to send before which it
/// would ask again.
#[test]
fn a_download_beside_saturating_udp_goes_on_behind_a_hole_that_the_station_gave_up() {
    let mut config = with_transfer(cell(Standard::N, 16), 0, Direction::Down, Bytes(500_000_000));
    config.ap.queue = ApQueue::FqCodel {
        target: Duration::from_millis(20),
        interval: Duration::from_millis(100),
        quantum: Bytes(1514),
        limit: 1000,
        ecn: true,
    };
    let mut rival = transfer(1, 0, Direction::Down, Bytes(2_000_000_000));
    rival.start = Instant::from_millis(60);
    rival.transport = TransportConfig::Udp { payload: Bytes(1472), answers: None, buffer: Bytes::ZERO };
    rival.traffic = Traffic::Bulk(Pace::Rate(BitRate::from_mbps(200)));
    config.flows.push(rival);
    let mut cell = configured(&config, 1, ears::recorder(&config));
    cell.witness_acks();
    let lost_requests = Arc::new(AtomicU64::new(0));
    cell.interfere(hole(Arc::clone(&lost_requests)));
    cell.advance(Instant::from_millis(1_000));
    let acked = cell.flows().endpoint(0, 0).expect("flow 0 is TCP").bytes_acked();
    assert_eq!(lost_requests.load(Ordering::Relaxed), REQUESTS, "the station gave the request up");
    // Half of what the cell carries is some 7 MB a second; behind the hole nothing is acknowledged at all.
    assert!(acked > Bytes(3_000_000), "{acked} in a second");
}

/// Destroys the first MPDU of the first A-MPDU of native ACKs that station 1 sends, each time it comes, and then [`REQUESTS`] BlockAck Requests.
fn hole(lost_requests: Arc<AtomicU64>) -> Interference {
    let mut victim = None;
    Interference(Box::new(move |_, ppdu| {
        if ppdu.transmitter != NodeId(1) {
            return u64::MAX;
        }
        match &ppdu.body {
            Body::Single(_) | Body::Amsdu(_) | Body::Aggregate(_)
                if lost_requests.load(Ordering::Relaxed) < REQUESTS =>
            {
                let mpdus = ppdu.mpdus();
                if victim.is_none() && mpdus.len() > 1 && mpdus.iter().all(|mpdu| mpdu.tcp_ack) {
                    victim = Some(mpdus[0].seq);
                }
                let place = mpdus.iter().position(|mpdu| Some(mpdu.seq) == victim);
                place.map_or(u64::MAX, |place| !(1 << place))
            }
            Body::BlockAckReq(..) if victim.is_some() && lost_requests.load(Ordering::Relaxed) < REQUESTS => {
                lost_requests.fetch_add(1, Ordering::Relaxed);
                0
            }
            _ => u64::MAX,
        }
    }))
}

/// As many attempts as the retry limit allows.
const REQUESTS: u64 = 7;
