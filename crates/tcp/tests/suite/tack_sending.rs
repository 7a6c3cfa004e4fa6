//! The sender of data under TACK, and the agreement on it.

use ackless_tcp::{AckChoice, Config, CongestionChoice, Endpoint, TackConfig, Variant};
use ackless_wire::{BitRate, Bytes, Duration};

use crate::pair::{A, B, Pair, Path};

fn tack() -> Config {
    Config {
        tack: Some(TackConfig::default()),
        ack: AckChoice::Tack { beta: 4, every: 2 },
        congestion: CongestionChoice::ReceiverBbr(Variant::Standard),
        ..Config::default()
    }
}

#[test]
fn smoke() {
    for loss in [0.0, 0.01] {
        for congestion in [CongestionChoice::Cubic, CongestionChoice::Bbr, CongestionChoice::ReceiverBbr(Variant::Standard)] {
            let config = Config { congestion, ..tack() };
            let mut path = Path::of_delay(20);
            path.rate = Some(BitRate::from_mbps(20));
            path.queue = 100;
            path.loss = loss;
            let mut pair = Pair::new([config.clone(), config], path, 1);
            pair.record = true;
            pair.ends[A].send(Bytes(20_000_000));
            pair.ends[A].close();
            pair.run_for(Duration::from_secs(60));
            println!("{congestion:?} {loss} {:?}: {} delivered\n{:#?}\n{:#?}", pair.now, pair.ends[B].bytes_delivered(), pair.ends[A].stats(), pair.ends[B].stats());
        }
    }
}
