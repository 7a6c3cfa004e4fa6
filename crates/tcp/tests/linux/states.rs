//! Beginnings, ends and pauses: what the states of both ends make of each other.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{JoinHandle, spawn};

use ackless_tcp::{CloseReason, Config, Consume, Endpoint, Event, GrowthRule, Limits, Listener, SenderChoices, State};
use ackless_wire::{Bytes, Duration, Instant, Packet, Payload, SeqNumber};
use rustix::net::sockopt;

use crate::LOSSY;
use crate::host::{Host, Machine, PATIENCE, Path, kernel_sends, pattern};

/// What the kernel's side of a connection is told to do, one after the other.
enum Order {
    /// Read so many bytes, which are the pattern from its start.
    Read(usize),
    /// Read to the end: nothing more comes.
    ReadEnd,
    /// Read until there is an error of this kind.
    Fail(ErrorKind),
    Write(usize),
    ShutDown,
    /// Close, unread bytes or not.
    Drop,
    KeepAlive,
}

/// A connection between us and a thread with the kernel's socket.
struct Pair {
    host: Host,
    end: Endpoint,
    orders: Option<Sender<Order>>,
    done: Receiver<()>,
    kernel: JoinHandle<()>,
    read: usize,
    events: Vec<Event>,
}

impl Pair {
    /// We have called the kernel.
    fn connected(network: u8, path: Path, config: Config, receive_buffer: Option<usize>) -> Option<Self> {
        let mut host = Host::new(network, network.into(), path)?;
        let listener = TcpListener::bind((host.kernel, 0)).expect("the kernel listens on the device's address");
        if let Some(size) = receive_buffer {
            sockopt::set_socket_recv_buffer_size(&listener, size).expect("a listener has a receive buffer");
        }
        let to = listener.local_addr().expect("a bound listener has an address");
        let (orders, queue) = channel();
        let (report, done) = channel();
        let kernel = spawn(move || {
            let (stream, _) = listener.accept().expect("we call");
            obey(stream, &queue, &report);
        });
        let config = Config { consume: Consume::ByApplication, ..config };
        let local = SocketAddr::new(host.ours, 40_000);
        let end = Endpoint::connect(host.now(), config, local, to, host.iss());
        let mut pair = Self { host, end, orders: Some(orders), done, kernel, read: 0, events: Vec::new() };
        pair.until(|end| end.state() == State::Established);
        Some(pair)
    }

    fn order(&self, order: Order) {
        self.orders.as_ref().expect("the kernel's side listens").send(order).expect("it takes orders");
    }

    /// Runs until our side is so.
    fn until(&mut self, mut so: impl FnMut(&Endpoint) -> bool) {
        let events = &mut self.events;
        self.host.run_until(&mut self.end, |end, _| {
            events.extend(std::iter::from_fn(|| end.poll_event()));
            so(end)
        });
    }

    /// Runs until both have closed. A copy of our last acknowledgement may find the kernel's socket gone; the reset that answers it ends our TIME-WAIT
    /// before anybody has seen it, and nobody hears of it. A reset that comes earlier is told.
    fn until_both_have_closed(&mut self) {
        self.until(|end| matches!(end.state(), State::TimeWait | State::Closed));
        assert!(!self.events.contains(&Event::Reset), "{:?}", self.end.stats());
    }

    /// Runs until the kernel's side has done what it was told.
    fn obeyed(&mut self, order: Order) {
        self.order(order);
        let done = &self.done;
        let events = &mut self.events;
        self.host.run_until(&mut self.end, |end, _| {
            events.extend(std::iter::from_fn(|| end.poll_event()));
            done.try_recv().is_ok()
        });
    }

    /// Runs for a time.
    fn pause(&mut self, millis: u64) {
        let until = self.host.now() + Duration::from_millis(millis);
        self.host.run_until(&mut self.end, |_, now| now >= until);
    }

    /// Reads so many bytes of the pattern.
    fn take(&mut self, total: usize) {
        let (expected, read) = (pattern(self.read + total), &mut self.read);
        self.host.run_until(&mut self.end, |end, _| {
            while let Some(Payload::Data(data)) = end.read(Bytes((expected.len() - *read) as u64)) {
                assert!(expected[*read..*read + data.len()] == data[..], "bytes from {read} on differ");
                *read += data.len();
            }
            *read == expected.len()
        });
    }

    /// The kernel's side has done all, and well.
    fn finish(mut self) -> Endpoint {
        self.orders = None;
        self.kernel.join().expect("the kernel's side is content");
        self.end
    }
}

/// The thread with the kernel's socket.
fn obey(stream: TcpStream, orders: &Receiver<Order>, report: &Sender<()>) {
    stream.set_read_timeout(Some(PATIENCE)).expect("it can be set");
    let (mut read, mut written) = (0, 0);
    let mut stream = Some(stream);
    for order in orders {
        let socket = stream.as_mut().expect("it is not closed");
        match order {
            Order::Read(total) => {
                let mut bytes = vec![0; total];
                socket.read_exact(&mut bytes).expect("so much comes");
                assert!(bytes == pattern(read + total)[read..], "bytes from {read} on differ");
                read += total;
            }
            Order::ReadEnd => {
                let mut rest = Vec::new();
                socket.read_to_end(&mut rest).expect("the end comes");
                assert_eq!(rest.len(), 0);
            }
            Order::Fail(kind) => {
                let error = socket.read_to_end(&mut Vec::new()).expect_err("it fails");
                assert_eq!(error.kind(), kind);
            }
            Order::Write(total) => {
                socket.write_all(&pattern(written + total)[written..]).expect("it can be written");
                written += total;
            }
            Order::ShutDown => socket.shutdown(Shutdown::Write).expect("it can be shut down"),
            Order::Drop => stream = None,
            Order::KeepAlive => {
                let second = std::time::Duration::from_secs(1);
                sockopt::set_socket_keepalive(&*socket, true).expect("it can be set");
                sockopt::set_tcp_keepidle(&*socket, second).expect("it can be set");
                sockopt::set_tcp_keepintvl(&*socket, second).expect("it can be set");
                sockopt::set_tcp_keepcnt(&*socket, 1).expect("it can be set");
            }
        }
        // Nobody may be left to hear it.
        _ = report.send(());
    }
}

/// So long that what both send at once crosses.
fn slow() -> Path {
    Path { delay: Duration::from_millis(30), ..Path::CLEAN }
}

/// So long that what the kernel's table of sockets shows is not over when it has been read.
fn far() -> Path {
    Path { delay: Duration::from_millis(150), ..Path::CLEAN }
}

#[test]
fn the_kernels_closed_window_is_probed_until_it_opens() {
    let Some(mut pair) = Pair::connected(211, Path::CLEAN, Config::default(), Some(8_000)) else { return };
    let total = 200_000;
    assert_eq!(pair.end.write(&pattern(total)), Bytes(total as u64));
    pair.until(|end| end.stats().window_probes >= 2);
    let held = pair.end.stats().bytes_acked;
    assert!(held < Bytes(50_000), "{held:?}");
    pair.obeyed(Order::Read(total));
    pair.end.close();
    pair.obeyed(Order::ReadEnd);
    pair.order(Order::Drop);
    pair.until(|end| end.state() == State::TimeWait);
    pair.finish();
}

#[test]
fn the_kernel_probes_our_closed_window_until_it_opens() {
    let config = Config { receive_buffer: Bytes(10_000), ..Config::default() };
    let Some(mut pair) = Pair::connected(212, Path::CLEAN, config, None) else { return };
    let total = 100_000;
    pair.order(Order::Write(total));
    pair.until(|end| end.receive_window() < Bytes(1448));
    let before = pair.end.stats().segments_received;
    pair.pause(1_000);
    let stats = pair.end.stats();
    assert!(stats.segments_received >= before + 2, "it asks at growing intervals: {stats:?}");
    assert!(pair.end.readable() <= Bytes(10_000));
    pair.take(total);
    pair.end.close();
    pair.obeyed(Order::ReadEnd);
    pair.order(Order::Drop);
    pair.until(|end| end.state() == State::TimeWait);
    pair.finish();
}

#[test]
fn either_end_may_go_on_after_the_other_has_closed() {
    for path in [Path::CLEAN, Path::rough(0.05)] {
        // The kernel closes first.
        let Some(mut pair) = Pair::connected(213, path, Config::default(), None) else { return };
        pair.order(Order::ShutDown);
        pair.until(|end| end.state() == State::CloseWait);
        pair.end.write(&pattern(300_000));
        pair.obeyed(Order::Read(300_000));
        pair.end.close();
        pair.order(Order::Drop);
        pair.until(|end| end.state() == State::Closed);
        assert_eq!(pair.end.close_reason(), Some(CloseReason::Finished));
        pair.finish();

        // We close first.
        let Some(mut pair) = Pair::connected(213, path, Config::default(), None) else { return };
        pair.end.close();
        pair.obeyed(Order::ReadEnd);
        pair.until(|end| end.state() == State::FinWait2);
        pair.order(Order::Write(300_000));
        pair.take(300_000);
        pair.order(Order::Drop);
        pair.until_both_have_closed();
        pair.finish();
    }
}

#[test]
fn closes_that_cross_lead_through_closing() {
    let Some(mut pair) = Pair::connected(214, slow(), Config::default(), None) else { return };
    pair.order(Order::ShutDown);
    pair.end.close();
    let mut states = Vec::new();
    pair.until(|end| {
        states.push(end.state());
        end.state() == State::TimeWait
    });
    states.dedup();
    assert_eq!(states, [State::FinWait1, State::Closing, State::TimeWait]);
    pair.obeyed(Order::ReadEnd);
    pair.finish();
}

#[test]
fn the_kernels_reset_ends_every_state_that_it_can_reach() {
    let states = [State::Established, State::FinWait1, State::FinWait2, State::CloseWait, State::LastAck];
    for state in states {
        let Some(mut pair) = Pair::connected(215, slow(), Config::default(), None) else { return };
        // A byte that the kernel's side never reads makes its close a reset.
        pair.end.write(&pattern(1));
        pair.until(|end| end.stats().bytes_acked == Bytes(1));
        match state {
            State::FinWait2 => {
                pair.end.close();
                pair.until(|end| end.state() == State::FinWait2);
            }
            State::CloseWait | State::LastAck => {
                pair.order(Order::ShutDown);
                pair.until(|end| end.state() == State::CloseWait);
            }
            _ => {}
        }
        pair.order(Order::Drop);
        if matches!(state, State::FinWait1 | State::LastAck) {
            // Crosses the reset.
            pair.end.close();
        }
        assert_eq!(pair.end.state(), if state == State::FinWait1 { State::FinWait1 } else { state });
        pair.until(|end| end.state() == State::Closed);
        assert_eq!(pair.end.close_reason(), Some(CloseReason::Reset), "{state:?}");
        assert_eq!(pair.events.contains(&Event::Reset), state != State::LastAck, "{state:?}");
        pair.finish();
    }
}

#[test]
fn the_kernels_reset_ends_what_a_caller_had_begun_who_has_given_up() {
    let Some(mut host) = Host::new(221, 1, far()) else { return };
    let local = SocketAddr::new(host.ours, 82);
    let mut listener = Listener::new(Config::default(), local, Limits::default());
    // It hears of nothing for 300 ms.
    let patience = std::time::Duration::from_millis(100);
    let caller = spawn(move || TcpStream::connect_timeout(&local, patience).map(|_| ()));
    host.run_until(&mut listener, |listener, _| listener.half_open() == 1);
    host.run_until(&mut listener, |listener, _| listener.half_open() == 0);
    let stats = listener.stats();
    assert_eq!((stats.begun, stats.failed, stats.established), (1, 1, 0));
    let error = caller.join().expect("it does not panic").expect_err("nobody has answered in time");
    assert_eq!(error.kind(), ErrorKind::TimedOut);
}

#[test]
fn our_reset_ends_what_the_kernel_had_begun_with_a_caller_who_is_gone() {
    let Some(mut host) = Host::new(222, 1, far()) else { return };
    let listener = TcpListener::bind((host.kernel, 0)).expect("the kernel listens on the device's address");
    let to = listener.local_addr().expect("a bound listener has an address");
    let (local, ours) = (SocketAddr::new(host.ours, 40_000), host.ours.to_string());
    let mut end = Endpoint::connect(host.now(), Config::default(), local, to, host.iss());
    host.run_until(&mut end, |_, _| kernel_states(&ours) == [SYN_RECEIVED]);
    let mut nobody = Endpoint::listen(Config::default(), local, host.iss());
    nobody.close();
    let begin = host.now();
    host.run_until(&mut nobody, |_, _| kernel_states(&ours).is_empty());
    assert!(host.now() < begin + Duration::from_millis(900), "before it has said so again");
}

#[test]
fn our_reset_ends_what_the_kernel_is_closing() {
    for state in [FIN_WAIT_1, LAST_ACK] {
        let Some(mut pair) = Pair::connected(223, far(), Config::default(), None) else { return };
        let ours = pair.host.ours.to_string();
        if state == LAST_ACK {
            pair.end.close();
            pair.obeyed(Order::ReadEnd);
        }
        pair.order(Order::ShutDown);
        pair.until(|_| kernel_states(&ours) == [state]);
        let now = pair.host.now();
        pair.end.abort(now);
        if state == FIN_WAIT_1 {
            pair.obeyed(Order::Fail(ErrorKind::ConnectionReset));
        }
        pair.until(|_| kernel_states(&ours).is_empty());
        pair.finish();
    }
}

#[test]
fn our_reset_ends_every_state_of_the_kernels_that_it_can_reach() {
    // Where the kernel stands: established, having closed, and having heard our close.
    for state in [State::Established, State::CloseWait, State::FinWait2] {
        let Some(mut pair) = Pair::connected(216, Path::CLEAN, Config::default(), None) else { return };
        match state {
            State::CloseWait => {
                pair.order(Order::ShutDown);
                pair.until(|end| end.state() == State::CloseWait);
            }
            State::FinWait2 => {
                pair.end.close();
                pair.until(|end| end.state() == State::FinWait2);
            }
            _ => {}
        }
        let now = pair.host.now();
        pair.end.abort(now);
        pair.pause(1);
        match state {
            // The end had been reached before the reset came: what is written then has nobody to go to.
            State::FinWait2 => pair.obeyed(Order::Drop),
            _ => pair.obeyed(Order::Fail(ErrorKind::ConnectionReset)),
        }
        pair.finish();
    }
}

#[test]
fn a_port_on_which_nobody_listens_refuses_both_ways() {
    let Some(mut host) = Host::new(217, 1, Path::CLEAN) else { return };
    let free = TcpListener::bind((host.kernel, 0)).expect("there is a port").local_addr().expect("it has an address");
    let mut end =
        Endpoint::connect(host.now(), Config::default(), SocketAddr::new(host.ours, 40_000), free, host.iss());
    host.run_until(&mut end, |end, _| end.state() == State::Closed);
    assert_eq!(end.close_reason(), Some(CloseReason::Refused));

    let local = SocketAddr::new(host.ours, 81);
    let mut nobody = Endpoint::listen(Config::default(), local, host.iss());
    nobody.close();
    let kernel = spawn(move || TcpStream::connect_timeout(&local, PATIENCE).map(|_| ()));
    host.run_until(&mut nobody, |_, _| kernel.is_finished());
    let error = kernel.join().expect("it does not panic").expect_err("nobody listens");
    assert_eq!(error.kind(), ErrorKind::ConnectionRefused);
}

#[test]
fn the_kernels_keep_alives_are_answered() {
    let Some(mut pair) = Pair::connected(218, Path::CLEAN, Config::default(), None) else { return };
    pair.obeyed(Order::KeepAlive);
    let before = pair.end.stats();
    // One without an answer, a second later, would end the connection.
    pair.pause(3_300);
    let after = pair.end.stats();
    assert!(after.segments_received >= before.segments_received + 2, "{after:?}");
    pair.end.write(&pattern(10));
    pair.obeyed(Order::Read(10));
    pair.end.close();
    pair.obeyed(Order::ReadEnd);
    pair.order(Order::Drop);
    pair.until(|end| end.state() == State::TimeWait);
    pair.finish();
}

#[test]
fn a_syn_that_was_lost_once_leaves_the_first_window_as_it_is_here_by_linuxs_rule_and_there() {
    let sender = SenderChoices { growth: GrowthRule::Linux, ..SenderChoices::default() };
    let config = Config { sender, ..Config::default() };
    // The kernel calls and sends.
    let Some(mut host) = Host::new(224, 1, far()) else { return };
    host.doomed = 1;
    let local = SocketAddr::new(host.ours, 83);
    let mut listener = Listener::new(config.clone(), local, Limits::default());
    let caller = spawn(move || kernel_sends(local, 14_480));
    let mut end = host.accept(&mut listener);
    host.run_until(&mut end, |end, _| end.stats().data_segments_received > 0);
    // Well before an acknowledgement could bring more.
    let until = host.now() + Duration::from_millis(200);
    host.run_until(&mut end, |_, now| now >= until);
    assert_eq!(end.stats().data_segments_received, 10);
    host.run(&mut end, |end| {
        if end.state() == State::CloseWait {
            end.close();
        }
    });
    caller.join().expect("it does not panic").expect("all comes");

    // We call and send.
    host.doomed = 1;
    let listener = TcpListener::bind((host.kernel, 0)).expect("the kernel listens on the device's address");
    let to = listener.local_addr().expect("a bound listener has an address");
    let mut end = Endpoint::connect(host.now(), config, SocketAddr::new(host.ours, 40_000), to, host.iss());
    end.write(&pattern(100_000));
    host.run_until(&mut end, |end, _| end.flight_size() > Bytes::ZERO && end.state() == State::Established);
    let until = host.now() + Duration::from_millis(100);
    host.run_until(&mut end, |_, now| now >= until);
    assert_eq!(end.flight_size(), Bytes(10 * 1448));
}

/// A listener and all whom it has accepted, each of whom gets a byte, and then the end; or callers, who say a byte and close. What comes for nobody is
/// refused.
struct Crowd {
    listener: Listener,
    open: Vec<Endpoint>,
    /// How many have ended well.
    over: usize,
}

impl Machine for Crowd {
    fn take(&mut self, now: Instant, packet: &Packet, iss: SeqNumber) {
        let addresses = packet.tcp().map(|tcp| (SocketAddr::new(packet.ip.src(), tcp.src_port), tcp.dst_port));
        let is_of = |end: &&mut Endpoint| {
            addresses.is_some_and(|(from, to)| end.remote() == Some(from) && end.local().port() == to)
        };
        match self.open.iter_mut().find(is_of) {
            Some(end) => end.handle_segment(now, packet),
            None if addresses.is_some_and(|(_, to)| to == self.listener.local().port()) => {
                self.listener.handle_segment(now, packet, iss);
            }
            None => {
                let to = SocketAddr::new(packet.ip.dst(), addresses.map_or(0, |(_, to)| to));
                let mut nobody = Endpoint::listen(Config::default(), to, iss);
                nobody.close();
                nobody.handle_segment(now, packet);
                self.open.push(nobody);
            }
        }
    }

    fn give(&mut self, now: Instant) -> Option<Packet> {
        while let Some(mut end) = self.listener.accept() {
            end.write(&pattern(1));
            end.close();
            self.open.push(end);
        }
        self.listener.poll_transmit(now).or_else(|| self.open.iter_mut().find_map(|end| end.poll_transmit(now)))
    }

    fn wake(&mut self, now: Instant) {
        self.listener.wake(now);
        self.open.iter_mut().for_each(|end| end.wake(now));
        let is_over = |end: &Endpoint| end.state() == State::Closed;
        for end in self.open.extract_if(.., |end| is_over(end) && end.remote().is_some()) {
            assert_eq!(end.close_reason(), Some(CloseReason::Finished), "{:?}", end.stats());
            self.over += 1;
        }
        // Those who were nobody have said so.
        self.open.retain_mut(|end| !is_over(end) || end.poll_transmit(now).is_some());
    }
}

/// Reads the one byte that comes, and the end.
fn hears_a_byte(mut stream: TcpStream) {
    stream.set_read_timeout(Some(PATIENCE)).expect("it can be set");
    let mut all = Vec::new();
    stream.read_to_end(&mut all).expect("a byte comes, and the end");
    assert_eq!(all, pattern(1));
}

#[test]
fn five_hundred_short_connections_leave_nothing_behind() {
    const THREADS: usize = 25;
    const EACH: usize = 20;
    const COUNT: usize = THREADS * EACH;
    let Some(mut host) = Host::new(219, 1, LOSSY) else { return };
    let local = SocketAddr::new(host.ours, 80);
    let config = Config {
        time_wait: Duration::from_millis(500),
        rto_min: Duration::from_millis(20),
        rto_initial: Duration::from_millis(100),
        ..Config::default()
    };
    let listener = Listener::new(config.clone(), local, Limits::default());
    let mut crowd = Crowd { listener, open: Vec::new(), over: 0 };
    let to_us = host.ours.to_string();
    // The kernel calls us.
    let callers: Vec<_> = (0..THREADS)
        .map(|_| {
            spawn(move || {
                for _ in 0..EACH {
                    hears_a_byte(TcpStream::connect_timeout(&local, PATIENCE).expect("we listen"));
                }
            })
        })
        .collect();
    host.run_until(&mut crowd, |crowd, _| crowd.over == COUNT && callers.iter().all(JoinHandle::is_finished));
    callers.into_iter().for_each(|caller| caller.join().expect("all calls went well"));
    let stats = crowd.listener.stats();
    assert_eq!((stats.established, stats.accepted), (COUNT as u64, COUNT as u64));
    let left = (crowd.listener.half_open(), crowd.listener.waiting(), crowd.listener.poll_timeout());
    assert_eq!(left, (0, 0, None));

    // We call the kernel, some at a time.
    let listener = TcpListener::bind((host.kernel, 0)).expect("the kernel listens on the device's address");
    let to = listener.local_addr().expect("a bound listener has an address");
    let kernel = spawn(move || (0..COUNT).for_each(|_| hears_a_byte(listener.accept().expect("we call").0)));
    crowd.over = 0;
    let mut called = 0;
    let (ours, mut isses) = (host.ours, host.random.clone());
    host.run_until(&mut crowd, |crowd, now| {
        while called < COUNT && crowd.open.iter().filter(|end| end.state() != State::TimeWait).count() < 20 {
            let from = SocketAddr::new(ours, 20_000 + called as u16);
            let mut end = Endpoint::connect(now, config.clone(), from, to, SeqNumber(isses.bits() as u32));
            end.write(&pattern(1));
            end.close();
            crowd.open.push(end);
            called += 1;
        }
        crowd.over == COUNT && kernel.is_finished() && kernel_states(&to_us).iter().all(|state| state == TIME_WAIT)
    });
    kernel.join().expect("all answers went well");
    assert!(crowd.open.is_empty());
}

/// In what states those of the kernel's sockets are that have a peer with this address.
fn kernel_states(peer: &str) -> Vec<String> {
    let table = std::fs::read_to_string("/proc/net/tcp").expect("the kernel lists its sockets");
    let lines = table.lines().skip(1);
    let with_peer = |line: &str| {
        let field = |at: usize| line.split_whitespace().nth(at).unwrap_or_default().to_string();
        let (address, state) = (field(2), field(3));
        let bytes = u32::from_str_radix(&address[..8], 16).expect("an address is hexadecimal").to_le_bytes();
        let shown = format!("{}.{}.{}.{}", bytes[0], bytes[1], bytes[2], bytes[3]);
        (shown == peer).then_some(state)
    };
    lines.filter_map(with_peer).collect()
}

// As `/proc/net/tcp` has them.
const SYN_RECEIVED: &str = "03";
const FIN_WAIT_1: &str = "04";
const TIME_WAIT: &str = "06";
const LAST_ACK: &str = "09";
