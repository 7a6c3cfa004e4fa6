//! Whole transfers under TACK, as the receiver of data sees them.

use ackless_tcp::tack::{Blocks, LossSignal};
use ackless_tcp::{AckChoice, Config, CongestionChoice, Stats, TackConfig, Variant};
use ackless_wire::{BitRate, Duration};

use crate::pair::{A, B, Pair, Path};

const RATE: BitRate = BitRate::from_mbps(20);

/// Endless data from A to B over 20 Mbps, and what it brought in the 20 s after the first 5.
struct Run {
    rate: BitRate,
    before: Stats,
    after: Stats,
}

fn run(tack: TackConfig, millis: u64, loss: [f64; 2]) -> Run {
    let config = Config {
        tack: Some(tack),
        ack: AckChoice::Tack { beta: 4, every: 2 },
        congestion: CongestionChoice::ReceiverBbr(Variant::Standard),
        ..Config::default()
    };
    let mut path = Path::of_delay(millis / 2);
    path.rate = Some(RATE);
    path.queue = 2000;
    let mut pair = Pair::new([config.clone(), config], path, 5);
    (pair.paths[A].loss, pair.paths[B].loss) = (loss[0], loss[1]);
    pair.ends[A].send_forever();
    pair.run_for(Duration::from_secs(5));
    let before = pair.ends[B].stats();
    let span = Duration::from_secs(20);
    pair.run_for(span);
    let after = pair.ends[B].stats();
    Run { rate: (after.bytes_delivered - before.bytes_delivered).per(span), before, after }
}

impl Run {
    /// Mean of the bytes held above a hole when a TACK was sent.
    fn blocked(&self) -> u64 {
        let (before, after) = (self.before.tack, self.after.tack);
        let tacks = u128::from(after.tacks_sent - before.tacks_sent);
        ((after.blocked_bytes - before.blocked_bytes) / tacks) as u64
    }
}

#[test]
fn iacks_lower_what_is_blocked_at_the_receiver() {
    for (millis, loss) in [(20, 0.01), (100, 0.01), (200, 0.03)] {
        let blocked =
            |loss_signal| run(TackConfig { loss_signal, ..TackConfig::default() }, millis, [loss, 0.0]).blocked();
        let (with, without) = (blocked(LossSignal::Iack), blocked(LossSignal::TackOnly));
        assert!(with < without, "RTT {millis} ms, {loss}: {with} with IACKs, {without} without");
    }
}

#[test]
fn a_tenth_of_the_acks_lost_costs_a_rich_tack_less_than_a_twentieth() {
    for blocks in [Blocks::Rich, Blocks::Distinct] {
        let rate = |ack_loss| run(TackConfig { blocks, ..TackConfig::default() }, 200, [0.01, ack_loss]).rate.bps();
        let (none, tenth) = (rate(0.0), rate(0.1));
        assert!(none > RATE.bps() * 8 / 10, "{blocks:?}: {none} bps without loss of ACKs");
        assert!(tenth * 100 >= none * 95, "{blocks:?}: {tenth} of {none} bps");
    }
}

#[test]
fn a_loss_draws_one_iack_and_nothing_is_given_up_in_vain_where_the_order_is_kept() {
    let Run { before, after, .. } = run(TackConfig::default(), 40, [0.01, 0.0]);
    let (lost, iacks) =
        (after.tack.packets_lost - before.tack.packets_lost, after.tack.loss_iacks - before.tack.loss_iacks);
    assert!(lost > 100 && iacks <= lost, "{lost} lost, {iacks} IACKs");
    assert_eq!(after.tack.spurious_losses, 0);
}

#[test]
fn tacks_come_at_the_frequency_of_equation_4() {
    // RTTmin is 20 to 200 ms and the time that a packet takes: f = 4 / RTTmin; bw / (L MSS) is far above.
    for millis in [20, 80, 200] {
        let Run { before, after, .. } = run(TackConfig::default(), millis, [0.0, 0.0]);
        let (tacks, seconds) = (after.tack.tacks_sent - before.tack.tacks_sent, 20);
        let most = seconds * 4000 / millis;
        assert!(tacks <= most + 1 && tacks >= most * 9 / 10, "RTT {millis} ms: {tacks} TACKs, at most {most}");
        assert_eq!(after.tack.start_up_tacks, before.tack.start_up_tacks);
    }
}
