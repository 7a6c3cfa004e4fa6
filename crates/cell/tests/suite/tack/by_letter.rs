//! One end does TACK by the letter: it does nothing of what stands beside the paper, and the other end all of its own.

use ackless_cell::config::{ByLetter, CellConfig, Direction, Probability, TransportConfig};
use ackless_phy::Standard;
use ackless_tcp::tack::config::{Blocks, RateBy, Settling, Share};
use ackless_tcp::{CongestionChoice, Losses, Stats, TackConfig, Variant};
use ackless_wire::Duration;

use crate::tack::{contenders, run, with_transfer};
use crate::testing::cells::cell;

/// A lossy download under these choices.
fn flows(tack: TackConfig, variant: Variant, by_letter: ByLetter) -> Vec<[Stats; 2]> {
    let mut config: CellConfig = with_transfer(cell(Standard::N), Direction::Down, 4_000_000, true);
    config.measured = Duration::from_secs(5);
    config.wired.down.loss = Probability::new(0.01).expect("it is a probability");
    let TransportConfig::Tcp(tcp) = &mut config.flows[0].transport else { unreachable!("built as TCP") };
    (tcp.tack, tcp.congestion, tcp.by_letter) = (Some(tack), CongestionChoice::ReceiverBbr(variant), by_letter);
    run(&config, &contenders()[0], 3).flows
}

#[test]
fn an_end_by_the_letter_does_what_the_paper_s_end_does() {
    let paper = TackConfig::default();
    let rounds = Variant::Rounds { losses: Losses::Bound };
    let letter = flows(paper, Variant::Standard, ByLetter::Neither);
    // What is the receiver's of it, and what is the sender's.
    let receiving = TackConfig { blocks: Blocks::Distinct, batch: true, settling: Settling::Adaptive, ..paper };
    let sending = TackConfig { share: Share::Usual, rate: RateBy::Sender, window_asks: true, ..paper };
    for (tack, variant, end, other) in [
        (receiving, Variant::Standard, ByLetter::Station, ByLetter::Peer),
        (sending, rounds, ByLetter::Peer, ByLetter::Station),
    ] {
        assert_eq!(flows(tack, variant, end), letter, "{end:?}");
        let chosen = flows(tack, variant, ByLetter::Neither);
        assert_ne!(chosen, letter, "{end:?}: it makes a difference");
        assert_eq!(flows(tack, variant, other), chosen, "{end:?}: none of it is the other end's");
    }
}
