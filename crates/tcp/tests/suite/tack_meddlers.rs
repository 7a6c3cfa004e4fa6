//! Hosts, clocks and middleboxes that meddle with TACK and leave its options alone.

use ackless_tcp::tack::body::{AckKind, Body, Report};
use ackless_tcp::{AckChoice, Config, Consume, Endpoint, RtoRule, State, TackConfig};
use ackless_wire::tcp::{TackForm, TcpOptions};
use ackless_wire::{BitRate, Bytes, Duration, Instant, Packet, Payload, SeqNumber, TcpFlags, TcpHeader, Transport};

use crate::pair::{A, B, Middlebox, Pair, Path, address, hand_up};
use crate::tack_agreement::tack;
use crate::tack_changes::{better, paper};
use crate::tack_sending::script::*;

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn tcp(packet: &mut Packet) -> &mut TcpHeader {
    let Transport::Tcp(tcp) = &mut packet.transport else { panic!("an endpoint sends TCP") };
    tcp
}

/// 50 Mbps behind 200 packets, this long each way.
fn line(millis: u64) -> Path {
    Path { rate: Some(BitRate::from_mbps(50)), queue: 200, ..Path::of_delay(millis) }
}

/// From now on B's clock is so many microseconds behind where it was: to B the clock of A has jumped. Where `stripped`, A's packets have no numbers any more.
fn sleep(pair: &mut Pair, jump: u32, stripped: bool) {
    pair.alter[A] = Middlebox::new(move |packet| {
        let typed = tcp(packet).options.tack.ack_type.is_some();
        if let Some((value, echo)) = &mut tcp(packet).options.timestamps {
            *value = value.wrapping_add(jump);
            *echo = echo.wrapping_add(if typed { jump } else { 0 });
        }
        let number = &mut tcp(packet).options.tack.packet_number;
        *number = number.filter(|_| !stripped);
        true
    });
    pair.alter[B] = Middlebox::new(move |packet| {
        let kind = tcp(packet).options.tack.ack_type.and_then(AckKind::of);
        if let Some((value, echo)) = &mut tcp(packet).options.timestamps {
            match kind {
                None => *echo = echo.wrapping_sub(jump),
                // Reports name a departure in A's clock.
                Some(AckKind::Tack | AckKind::Window | AckKind::RoundTrip) => *value = value.wrapping_sub(jump),
                Some(AckKind::Loss | AckKind::Frequency) => {}
            }
        }
        true
    });
}

#[test]
fn a_connection_survives_that_one_host_has_slept() {
    for secs in [600, 2_200, 2_400, 4_000, 8 * 3_600] {
        let config = tack(TackForm::Kinds);
        let mut pair = Pair::new([config.clone(), config], Path::of_delay(20), 3);
        pair.ends[A].send(Bytes(100_000));
        pair.run_for(Duration::from_secs(5));
        // The third time as a plain TCP, whose segments have nothing but their timestamps.
        for (round, stripped) in [(2, false), (3, true)] {
            sleep(&mut pair, 1_000_000_u32.wrapping_mul(secs), stripped);
            pair.ends[A].send(Bytes(100_000));
            pair.run_for(Duration::from_secs(100));
            let came = pair.ends[B].stats();
            let fallbacks = pair.ends[A].stats().fallbacks + came.fallbacks;
            let expected = (Bytes(100_000 * round), if stripped { 2 } else { 0 }, 0);
            assert_eq!((came.bytes_delivered, fallbacks, came.dropped_by_timestamp), expected, "{secs} s");
        }
    }
}

/// What the sender stamps now is less than a segment's time behind what it stamped before: it looks old, and is given up as TACK. As a plain TCP it goes on.
#[test]
fn who_has_slept_while_the_clock_went_nearly_round_goes_on_as_a_plain_tcp() {
    for secs in [4_060, 4_150, 4_290] {
        for way in [A, B] {
            let plain = Some(Duration::from_micros(if secs == 4_150 { 100 } else { 1_000 }));
            let config = Config { timestamps: plain, ..tack(TackForm::Kinds) };
            let mut pair = Pair::new([config.clone(), config], Path::of_delay(20), 3);
            pair.ends[way].send(Bytes(100_000));
            pair.run_for(Duration::from_secs(5));
            let jump = 1_000_000_u32.wrapping_mul(secs);
            if way == A {
                sleep(&mut pair, jump, false)
            } else {
                sleep_of_the_sender(&mut pair, jump)
            }
            pair.ends[way].send(Bytes(100_000));
            pair.run_for(Duration::from_secs(60));
            assert_eq!(pair.ends[1 - way].stats().bytes_delivered, Bytes(200_000), "{secs} s");
        }
    }
}

#[test]
fn a_firewall_that_draws_sequence_numbers_anew_changes_nothing() {
    let run = |shift: u32| {
        let config = tack(TackForm::Kinds);
        let mut pair = Pair::new([config.clone(), config], line(20), 3);
        pair.paths[A].loss = 0.01;
        pair.alter[A] = Middlebox::new(move |packet| {
            tcp(packet).seq += shift;
            true
        });
        pair.alter[B] = Middlebox::new(move |packet| {
            tcp(packet).ack = SeqNumber(tcp(packet).ack.0.wrapping_sub(shift));
            true
        });
        pair.ends[A].send_forever();
        pair.run_for(Duration::from_secs(10));
        (pair.ends[B].bytes_delivered(), pair.ends[A].stats().retransmitted_segments)
    };
    let kept = run(0);
    assert!(kept.1 > 300, "{kept:?}");
    for shift in [0x1234_5678, 0x9234_5678, 300_000, 300_000_u32.wrapping_neg()] {
        assert_eq!(run(shift), kept, "{shift:#x}");
    }
}

/// A sender that has been told that its three segments came.
fn told() -> Script {
    let mut script = Script::connected(config());
    script.end.send(Bytes(3_000));
    script.burst();
    script.wait(RTT);
    let largest = script.log.last().expect("it has sent").1.number;
    script.report(3, report(largest, 0));
    script.drain();
    script
}

/// The reader pauses, and its host tells of the window when it goes on; the two clocks differ by so many parts in a million.
#[test]
fn clocks_that_drift_shorten_no_round_trip() {
    for (ppm, pause) in [(0, 600), (20, 600), (50, 600), (1_000, 60), (10_000, 5)] {
        let mut script = told();
        let &(at, sent, departure) = script.log.last().expect("it has sent");
        script.wait(Duration::from_secs(pause));
        let held = script.now.saturating_since(at) - RTT;
        let delay = held + held / 1_000_000 * ppm;
        let body = Body::Report(Report { serial: script.serial, delay, ..report(sent.number, 0) });
        script.typed(AckKind::Window, 3, &body, Some(departure));
        let least = script.end.stats().min_rtt_advanced.expect("the handshake took one");
        assert!(least >= RTT * 95 / 100, "{ppm} ppm over {pause} s: {least:?}");
    }
}

/// Whether a sender falls back that hears a report of this kind after each of twelve timeouts, and nothing of what it sends gets through.
fn falls_back_on(kind: AckKind, window: u16) -> bool {
    let mut script = told();
    let &(_, sent, departure) = script.log.last().expect("it has sent");
    script.end.send(Bytes(20_000));
    script.burst();
    script.window = window;
    for _ in 0..12 {
        let before = script.end.stats();
        while script.end.stats().timeouts + script.end.stats().window_probes == before.timeouts + before.window_probes
            && script.end.stats().fallbacks == 0
        {
            let at = script.end.poll_timeout().expect("data is out");
            script.wait(at.saturating_since(script.now));
        }
        script.wait(ms(10));
        let serial = script.serial;
        script.serial += 1;
        let body = Body::Report(Report { serial, delay: ms(1), ..report(sent.number, 0) });
        script.typed(kind, 3, &body, Some(departure));
        script.drain();
    }
    script.end.stats().fallbacks == 1
}

/// A reader tells of its window by itself. Whoever does TACK as the paper has it answers what is old with a TACK, and nothing else provokes one.
#[test]
fn tacks_without_news_answer_inquiries_and_windows_do_not() {
    assert!(falls_back_on(AckKind::Tack, 60_000));
    assert!(!falls_back_on(AckKind::Window, 60_000));
    // Nor where the window has shrunk to nothing over what is out, of which a peer may not take notice.
    assert!(!falls_back_on(AckKind::Tack, 0));
}

/// After a sleep the path drops whatever has a number.
#[test]
fn who_has_slept_falls_back_where_numbers_do_not_pass() {
    for secs in [0, 600, 2_400] {
        let config = tack(TackForm::Kinds);
        let mut pair = Pair::new([config.clone(), config], Path::of_delay(20), 3);
        pair.ends[A].send(Bytes(100_000));
        pair.run_for(Duration::from_secs(5));
        sleep(&mut pair, 1_000_000_u32.wrapping_mul(secs), false);
        let mut slept = std::mem::replace(&mut pair.alter[A], Middlebox::new(|_| true));
        pair.alter[A] =
            Middlebox::new(move |packet| tcp(packet).options.tack.packet_number.is_none() && slept.apply(packet));
        pair.ends[A].send(Bytes(100_000));
        pair.run_for(Duration::from_secs(20));
        let (fallbacks, came) = (pair.ends[A].stats().fallbacks, pair.ends[B].stats().bytes_delivered);
        assert_eq!((fallbacks, came), (1, Bytes(200_000)), "{secs} s");
    }
}

/// The other host has slept: to A the clock of B has jumped.
fn sleep_of_the_sender(pair: &mut Pair, jump: u32) {
    pair.alter[B] = Middlebox::new(move |packet| {
        let kind = tcp(packet).options.tack.ack_type.and_then(AckKind::of);
        if let Some((value, echo)) = &mut tcp(packet).options.timestamps {
            let reports = matches!(kind, Some(AckKind::Tack | AckKind::Window | AckKind::RoundTrip));
            *value = value.wrapping_add(if reports { 0 } else { jump });
            *echo = echo.wrapping_add(if kind.is_some() { jump } else { 0 });
        }
        true
    });
    pair.alter[A] = Middlebox::new(move |packet| {
        let typed = tcp(packet).options.tack.ack_type.is_some();
        if let Some((_, echo)) = &mut tcp(packet).options.timestamps {
            *echo = echo.wrapping_sub(if typed { 0 } else { jump });
        }
        true
    });
}

/// The window is closed while a host sleeps.
#[test]
fn a_window_that_opens_after_a_sleep_is_heard_of() {
    for secs in [600, 2_400] {
        let config =
            Config { consume: Consume::ByApplication, receive_buffer: Bytes(100_000), ..tack(TackForm::Kinds) };
        let mut pair = Pair::new([config.clone(), config], Path::of_delay(20), 3);
        pair.ends[A].send_forever();
        pair.run_for(Duration::from_secs(300));
        sleep_of_the_sender(&mut pair, 1_000_000_u32.wrapping_mul(secs));
        let before = pair.ends[B].stats().bytes_delivered;
        while pair.ends[B].read(Bytes(1 << 20)).is_some() {}
        pair.drain();
        pair.run_for(Duration::from_secs(1));
        assert!(pair.ends[B].stats().bytes_delivered > before, "{secs} s");
    }
}

#[test]
fn a_report_that_comes_again_is_no_round_trip() {
    let mut config = config();
    config.sender.rto = RtoRule::Linux;
    let mut script = Script::connected(config);
    script.end.send(Bytes(3_000));
    script.burst();
    script.wait(RTT);
    let &(_, sent, departure) = script.log.last().expect("it has sent");
    let before = script.end.stats().srtt.expect("the handshake took one");
    for _ in 0..20 {
        script.typed(AckKind::Tack, 3, &Body::Report(report(sent.number, 0)), Some(departure));
        script.wait(ms(100));
    }
    let after = script.end.stats().srtt.expect("the handshake took one");
    assert!(after < before * 2, "{before:?}, {after:?}");
}

/// A SYN proxy answers after 2 ms; the path to the server takes longer.
#[test]
fn a_handshake_that_a_proxy_has_answered_is_not_the_path_s_round_trip() {
    let paths = [50, 4, 3].map(|millis| [("paper", paper(), millis), ("better", better(), millis)]);
    for (name, config, server) in paths.into_iter().flatten() {
        let [proxied, whole] = [1, server].map(|millis| {
            let mut pair = Pair::new([config.clone(), config.clone()], line(millis), 3);
            pair.run_for(ms(200));
            (pair.paths[A].delay, pair.paths[B].delay) = (ms(server), ms(server));
            pair.ends[A].send_forever();
            pair.run_for(Duration::from_secs(5));
            pair.ends[B].bytes_delivered().get() as f64 * 8.0 / 5e6
        });
        println!("{name}, {server} ms: {proxied:.1} Mbps of 50, {whole:.1} where nobody answers for the server");
        // One where RTTmin was the proxy's.
        assert!(
            proxied > 0.6 * whole,
            "{name}: {proxied:.1} Mbps of 50, {whole:.1} where nobody answers for the server"
        );
    }
}

#[test]
fn a_reader_that_has_paused_for_a_moment_has_said_nothing_of_the_path() {
    let config = Config { consume: Consume::ByApplication, receive_buffer: Bytes(400_000), ..better() };
    let mut pair = Pair::new([config.clone(), config], line(10), 3);
    pair.ends[A].send_forever();
    let read = |pair: &mut Pair, millis: u64| {
        let before = pair.ends[B].bytes_delivered();
        for _ in 0..millis / 2 {
            pair.run_for(ms(2));
            while pair.ends[B].read(Bytes(1 << 20)).is_some() {}
            pair.drain();
        }
        pair.ends[B].bytes_delivered() - before
    };
    read(&mut pair, 3_000);
    let usual = read(&mut pair, 1_000);
    pair.run_for(ms(400));
    // A twelfth of it by the paper's filter, which is 200 ms long here.
    let after = read(&mut pair, 1_000);
    assert!(after * 5 > usual * 4, "{after:?} in the second after the pause, {usual:?} before");
}

/// A receiver whose peer a test plays.
struct Receiver {
    now: Instant,
    end: Endpoint,
    loss_iacks: u32,
    /// The largest number that its last report tells of.
    largest: u32,
    acks: u32,
}

const ISN: SeqNumber = SeqNumber(1_000);

impl Receiver {
    fn new(config: Config) -> Self {
        let end = Endpoint::listen(config, address(B), SeqNumber(77));
        let mut this = Self { now: Instant::from_secs(1), end, loss_iacks: 0, largest: 0, acks: 0 };
        let mut offer = TcpOptions { mss: Some(1460), timestamps: Some((5, 0)), ..TcpOptions::default() };
        offer.tack.permitted = true;
        this.hear(TcpFlags::SYN, 0, offer, 0);
        this.wait(ms(20));
        this.hear(TcpFlags::ACK, 1, TcpOptions { timestamps: Some((6, 0)), ..TcpOptions::default() }, 0);
        assert_eq!(this.end.state(), State::Established);
        this
    }

    fn hear(&mut self, flags: TcpFlags, above: u32, options: TcpOptions, len: u32) {
        let ack = if flags.contains(TcpFlags::ACK) { SeqNumber(78) } else { SeqNumber(0) };
        let ports = TcpHeader::new(40_000, address(B).port());
        let tcp = TcpHeader { seq: ISN + above, ack, flags, window: 60_000, options, ..ports };
        hand_up(&mut self.end, self.now, tcp, len);
    }

    /// A thousand bytes so many above the first, under this number, or none where it is stripped.
    fn data(&mut self, number: Option<u32>, above: u32) {
        self.stamped(number, 10, above, 1_000);
    }

    /// The same, so many bytes with this timestamp.
    fn stamped(&mut self, number: Option<u32>, stamp: u32, above: u32, len: u32) {
        let mut options = TcpOptions { timestamps: Some((stamp, 0)), ..TcpOptions::default() };
        options.tack.packet_number = number;
        self.hear(TcpFlags::ACK, 1 + above, options, len);
    }

    /// What it echoes with data of its own.
    fn echoes(&mut self) -> Vec<u32> {
        self.end.write_length(Bytes(100));
        let sent = std::iter::from_fn(|| self.end.poll_transmit(self.now));
        let plain = sent.filter(|packet| packet.tcp().is_some_and(|tcp| tcp.options.tack.ack_type.is_none()));
        plain.map(|packet| packet.tcp().and_then(|tcp| tcp.options.timestamps).expect("it stamps").1).collect()
    }

    fn wait(&mut self, span: Duration) {
        let until = self.now + span;
        loop {
            while let Some(packet) = self.end.poll_transmit(self.now) {
                self.note(&packet);
            }
            let Some(at) = self.end.poll_timeout().filter(|&at| at <= until) else { break };
            self.now = self.now.max(at);
            self.end.handle_timeout(self.now);
        }
        self.now = until;
    }

    fn note(&mut self, packet: &Packet) {
        self.acks += 1;
        let kind = packet.tcp().and_then(|tcp| tcp.options.tack.ack_type).and_then(AckKind::of);
        let (Some(kind), Payload::Data(bytes)) = (kind, &packet.payload) else { return };
        match Body::decode(kind, bytes).expect("an endpoint makes sense") {
            Body::Report(report) => self.largest = report.largest,
            Body::Loss(_) => self.loss_iacks += 1,
            Body::Frequency(_) | Body::RoundTripRequest => {}
        }
    }
}

#[test]
fn a_peer_may_begin_with_any_number_beyond_what_its_first_window_may_have_lost() {
    for first in [1_u32, 0, 1_025, 32_769, 1_000_000, 0x7fff_ffff, 0x8000_0010, 0xffff_fff0] {
        let mut receiver = Receiver::new(tack(TackForm::Kinds));
        for i in [0_u32, 1, 3, 4] {
            receiver.data(Some(first.wrapping_add(i)), 1_000 * i);
            receiver.wait(ms(1));
        }
        receiver.wait(ms(200));
        let seen = (receiver.loss_iacks, receiver.end.stats().tack.packets_lost, receiver.largest);
        assert_eq!(seen, (1, 1, first.wrapping_add(4)), "{first:#x}");
    }
}

#[test]
fn who_falls_back_amid_a_batch_still_delays_acknowledgements_for_no_more_than_the_timer() {
    for ack in [AckChoice::Tack { beta: 4, every: 2 }, AckChoice::Delayed { every: 2, timeout: ms(40) }] {
        let mut config = Config { ack, ..tack(TackForm::Kinds) };
        config.tack = config.tack.map(|tack| TackConfig { batch: true, ..tack });
        let mut receiver = Receiver::new(config);
        receiver.data(Some(1), 0);
        // From here on the options are stripped: nothing gathers any more.
        receiver.data(None, 1_000);
        assert!(!receiver.end.gathers());
        receiver.wait(ms(500));
        receiver.acks = 0;
        receiver.data(None, 2_000);
        receiver.wait(ms(500));
        assert_eq!(receiver.acks, 1, "a lone segment is acknowledged");
    }
}

/// Its stamp is of a moment ago: what is older than any segment may be under way is of a clock that has jumped.
#[test]
fn what_is_left_of_an_earlier_connection_is_old() {
    for number in [2, 500, 20_000, 32_769, 32_770] {
        for (seconds, drops) in [(1, true), (50, true), (240, true), (241, false)] {
            let mut receiver = Receiver::new(tack(TackForm::Kinds));
            receiver.data(Some(1), 0);
            receiver.stamped(Some(number), 10_u32.wrapping_sub(seconds * 1_000_000), 1_000, 1_000);
            let stats = receiver.end.stats();
            let expected = (u64::from(drops), Bytes(if drops { 1_000 } else { 2_000 }));
            assert_eq!((stats.dropped_by_timestamp, stats.bytes_delivered), expected, "{number}, {seconds} s");
        }
    }
}

/// The clock has jumped where a hole is, or where a TACK is owed for what came before.
#[test]
fn a_clock_that_has_jumped_leaves_something_to_echo() {
    let jumped = 10_u32.wrapping_sub(1 << 30);
    for (number, above) in [(3, 2_000), (2, 1_000)] {
        let mut receiver = Receiver::new(tack(TackForm::Kinds));
        receiver.data(Some(1), 0);
        receiver.stamped(Some(number), jumped, above, 1_000);
        let echoes = receiver.echoes();
        assert!(!echoes.is_empty() && echoes.iter().all(|&echo| echo != 0), "RFC 7323, 3.2: {echoes:?}");
    }
}

/// Numbers count no more, and sequence numbers may have wrapped.
#[test]
fn what_left_before_a_leap_is_old_after_it() {
    let mut receiver = Receiver::new(tack(TackForm::Kinds));
    receiver.stamped(Some(1), 5_000_000, 0, 1_000);
    receiver.stamped(Some(2), 5_000_100, 1_000, 1_000);
    receiver.wait(ms(100));
    receiver.stamped(None, 5_100_000 + 240_000_000, 2_000, 1_000);
    receiver.wait(ms(100));
    assert_eq!(receiver.end.stats().fallbacks, 1);
    receiver.stamped(Some(1), 5_000_000, 3_000, 1_000);
    let stats = receiver.end.stats();
    assert_eq!((stats.dropped_by_timestamp, stats.bytes_delivered), (1, Bytes(3_000)));
}

#[test]
fn a_plain_tick_below_a_millisecond_does_not_narrow_what_is_old_of_microseconds() {
    for micros in [1, 10, 100, 999, 1_000] {
        let plain = Some(Duration::from_micros(micros));
        let mut receiver = Receiver::new(Config { timestamps: plain, ..tack(TackForm::Kinds) });
        receiver.data(Some(1), 0);
        receiver.stamped(Some(2), 10_u32.wrapping_sub(25_000_000), 1_000, 1_000);
        assert_eq!(receiver.end.stats().dropped_by_timestamp, 1, "{micros} us");
    }
}

/// One that is late by its number and passes for that says nothing of the clock.
#[test]
fn what_comes_late_leaves_the_clock_where_it_was() {
    let mut receiver = Receiver::new(tack(TackForm::Kinds));
    receiver.stamped(Some(1), 1_000, 0, 1_000);
    receiver.stamped(Some(3), 3_000, 2_000, 1_000);
    receiver.wait(ms(100));
    receiver.stamped(Some(4), 4_000, 1_000, 500);
    receiver.wait(ms(100));
    receiver.stamped(Some(2), 2_000, 1_000, 1_000);
    assert_eq!(receiver.end.stats().bytes_delivered, Bytes(3_000));
    let echoes = receiver.echoes();
    assert!(!echoes.is_empty() && echoes.iter().all(|&echo| echo == 4_000), "{echoes:?}");
}

#[test]
fn a_peer_that_sleeps_before_it_first_writes_may_begin_with_any_number() {
    for first in [1, 1_000_000] {
        let mut receiver = Receiver::new(tack(TackForm::Kinds));
        receiver.stamped(Some(first), 6_u32.wrapping_sub(1 << 30), 0, 1_000);
        assert_eq!(receiver.end.stats().bytes_delivered, Bytes(1_000), "{first}");
    }
}

/// The third comes in two parts, overtaken by what fills the hole of the second.
#[test]
fn both_parts_of_what_is_late_and_cut_are_taken() {
    let mut receiver = Receiver::new(tack(TackForm::Kinds));
    for (number, stamp, above, len) in
        [(1, 10, 0, 1_000), (4, 13, 3_000, 1_000), (5, 20, 1_000, 1_000), (3, 12, 2_000, 500), (3, 12, 2_500, 500)]
    {
        receiver.stamped(Some(number), stamp, above, len);
        receiver.wait(Duration::from_micros(100));
    }
    let stats = receiver.end.stats();
    assert_eq!((stats.dropped_by_timestamp, stats.bytes_delivered), (0, Bytes(4_000)));
}

#[test]
fn who_falls_back_acknowledges_every_second_segment_where_tack_was_all_that_its_host_has_chosen() {
    let mut receiver = Receiver::new(tack(TackForm::Kinds));
    receiver.data(Some(1), 0);
    receiver.data(None, 1_000);
    receiver.wait(ms(500));
    receiver.acks = 0;
    for segment in 2..42 {
        receiver.data(None, 1_000 * segment);
        receiver.wait(ms(1));
    }
    assert_eq!(receiver.acks, 20);
}

#[test]
fn who_falls_back_acknowledges_as_its_host_has_chosen() {
    let mut receiver = Receiver::new(Config { ack: AckChoice::PerPacket, ..tack(TackForm::Kinds) });
    receiver.data(Some(1), 0);
    receiver.data(None, 1_000);
    receiver.wait(ms(500));
    receiver.acks = 0;
    receiver.data(None, 2_000);
    receiver.wait(Duration::ZERO);
    assert_eq!(receiver.acks, 1, "each packet");
}
