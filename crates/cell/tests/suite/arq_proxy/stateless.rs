//! What the paper's AP, which knows nothing of flows, breaks on connections of today.

use ackless_cell::config::{MissingTimestamp, Probability};
use ackless_schemes::Guard;
use ackless_schemes::arq_proxy::{ArqProxyConfig, Identification, Policy};
use ackless_wire::{Bytes, Duration};

use crate::arq_proxy::{both, gain, paper, tcp};
use crate::testing::cells::Run;

const STATELESS: ArqProxyConfig = ArqProxyConfig {
    identification: Identification::FrameSequence,
    lifetime: Duration::from_secs(1),
    stateless: true,
    policy: Policy::Race,
    announce_percent: 0,
    guard: Guard::Fixed(Duration::from_millis(100)),
};

#[test]
fn without_timestamps_and_with_a_window_that_never_changes_nothing_is_missing() {
    let stateful = both(&paper(1500), ArqProxyConfig::default());
    let stateless = both(&paper(1500), STATELESS);
    assert!((gain(&stateless) / gain(&stateful) - 1.0).abs() < 0.02);
}

#[test]
fn a_server_as_linux_takes_what_is_released_on_a_connection_with_timestamps() {
    let mut config = paper(1500);
    tcp(&mut config).timestamps = true;
    assert_eq!(tcp(&mut config).missing_timestamp, MissingTimestamp::Accept);
    let stateful = both(&config, ArqProxyConfig::default());
    let stateless = both(&config, STATELESS);
    assert!((gain(&stateless) / gain(&stateful) - 1.0).abs() < 0.02);
    // Round trips are sampled by what was sent once, not by echoes.
    let rtt = |run: &Run| run.result.flows[0].rtt_ms.expect("round trips are sampled");
    assert!(rtt(&stateless.1).samples > rtt(&stateless.0).samples);
}

#[test]
fn where_a_segment_without_timestamps_is_dropped_so_is_each_released_ack() {
    // RFC 7323, 3.2. What the sender hears are the native ACKs that the guard timer brings, one for each window: round trips are sampled rarely,
    // and with the guard in them.
    let mut config = paper(1500);
    tcp(&mut config).timestamps = true;
    tcp(&mut config).missing_timestamp = MissingTimestamp::Drop;
    let (without, with) = both(&config, STATELESS);
    assert!(with.goodput() < 0.65 * without.goodput(), "{} beside {}", with.goodput(), without.goodput());
    let rtt = |run: &Run| run.result.flows[0].rtt_ms.expect("round trips are sampled");
    assert!(rtt(&with).samples < 50 && rtt(&without).samples > 1000);
    assert!(rtt(&with).min > 150.0 && rtt(&without).median < 150.0);
    // The paper has no such timer: one native ACK for each retransmission timeout, of a segment that is a duplicate then.
    config.measured = Duration::from_secs(10);
    let (without, with) = both(&config, ArqProxyConfig { guard: Guard::Fixed(Duration::from_secs(1000)), ..STATELESS });
    assert!(with.goodput() < 0.2 * without.goodput(), "{} beside {}", with.goodput(), without.goodput());
    let timeouts = [&without, &with].map(|run| run.result.flows[0].timeouts);
    assert!(timeouts[0] == 0 && timeouts[1] > 0, "{timeouts:?}");
    // With the client's own timestamps all is well, and round trips are sampled as ever.
    let (without, with) = both(&config, ArqProxyConfig::default());
    assert!(with.goodput() > 1.25 * without.goodput());
    assert!((60.0..rtt(&without).median).contains(&rtt(&with).median), "{}", rtt(&with).median);
    assert!(rtt(&with).samples > rtt(&without).samples);
}

#[test]
fn a_window_that_the_client_never_announced_overruns_its_buffer() {
    let mut config = paper(1500);
    tcp(&mut config).receive_buffer = Bytes(8 * 1460);
    config.wired.down.loss = Probability::new(0.01).expect("it is a probability");
    let stateful = both(&config, ArqProxyConfig::default());
    let stateless = both(&config, STATELESS);
    let sent_again = |run: &Run| run.result.flows[0].retransmissions;
    assert!(sent_again(&stateless.1) > 2 * sent_again(&stateful.1));
}
