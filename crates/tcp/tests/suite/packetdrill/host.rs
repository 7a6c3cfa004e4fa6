//! The host that a script talks to: sockets over endpoints and listeners.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};

use ackless_tcp::{Config, Endpoint, Event, Limits, Listener, State};
use ackless_wire::{Bytes, Instant, Packet, Payload, SeqNumber};

use super::notation::{Argument, Call};
use super::setup::controller;

/// The host's address and port, and the peer's.
pub fn addresses(ipv6: bool) -> (SocketAddr, SocketAddr) {
    let (ours, theirs): (IpAddr, IpAddr) = match ipv6 {
        false => ([192, 168, 0, 1].into(), [192, 0, 2, 1].into()),
        true => ([0xfd3d, 0, 0, 0, 0, 0, 0, 1].into(), [0x2001, 0xdb8, 0, 0, 0, 0, 0, 1].into()),
    };
    (SocketAddr::new(ours, 8080), SocketAddr::new(theirs, 40_000))
}

/// The byte at a place of a stream, counted from its first: in both directions the same.
pub fn pattern(at: u64) -> u8 {
    (at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8
}

/// Sockets, by their descriptors, and what is behind them.
pub struct Host {
    pub local: SocketAddr,
    pub remote: SocketAddr,
    config: Config,
    sockets: BTreeMap<i64, Socket>,
    /// In the order of their beginning; what is closed lives on here.
    connections: Vec<Connection>,
    /// What answers where there is no socket.
    nobody: Endpoint,
    /// The initial sequence number of the latest connection.
    pub iss: SeqNumber,
    next_iss: SeqNumber,
}

enum Socket {
    Idle { options: Options, bound: bool },
    Listening { listener: Box<Listener>, options: Options },
    Live { connection: usize, nonblocking: bool },
}

#[derive(Clone)]
struct Options {
    config: Config,
    nonblocking: bool,
    reset_on_close: bool,
}

struct Connection {
    end: Endpoint,
    error: Option<&'static str>,
    reset_on_close: bool,
    /// Bytes written and read so far.
    written: u64,
    read: u64,
    finished: bool,
}

/// What a call gave: a result, or an error of errno.
type Outcome = Result<i64, &'static str>;

impl Host {
    pub fn new(config: Config, ipv6: bool) -> Self {
        let (local, remote) = addresses(ipv6);
        let mut nobody = Endpoint::listen(config.clone(), local, FIRST_ISS);
        nobody.close();
        let (sockets, connections) = (BTreeMap::new(), Vec::new());
        Self { local, remote, config, sockets, connections, nobody, iss: FIRST_ISS, next_iss: FIRST_ISS }
    }

    /// The latest connection, with how much the window and flight are counted in.
    pub fn latest(&self) -> Option<&Endpoint> {
        self.connections.last().map(|connection| &connection.end)
    }

    pub fn receive(&mut self, now: Instant, packet: &Packet) {
        if let Some(open) = self.connections.iter_mut().rev().find(|open| open.end.state() != State::Closed) {
            open.end.handle_segment(now, packet);
            return;
        }
        let Some(listener) = self.listener() else {
            self.nobody.handle_segment(now, packet);
            return;
        };
        let begun = listener.stats().begun;
        let iss = self.next_iss;
        let listener = self.listener().expect("there is one");
        listener.handle_segment(now, packet, iss);
        if listener.stats().begun > begun {
            self.take_iss();
        }
    }

    fn take_iss(&mut self) -> SeqNumber {
        self.iss = self.next_iss;
        self.next_iss += ISS_STEP;
        self.iss
    }

    fn listener(&mut self) -> Option<&mut Listener> {
        self.sockets.values_mut().find_map(|socket| match socket {
            Socket::Listening { listener, .. } => Some(&mut **listener),
            _ => None,
        })
    }

    pub fn poll_transmit(&mut self, now: Instant) -> Option<Packet> {
        if let Some(packet) = self.nobody.poll_transmit(now) {
            return Some(packet);
        }
        if let Some(packet) = self.listener().and_then(|listener| listener.poll_transmit(now)) {
            return Some(packet);
        }
        let packet = self.connections.iter_mut().find_map(|connection| connection.end.poll_transmit(now));
        if packet.is_none() {
            self.connections.iter_mut().for_each(Connection::hear);
        }
        packet
    }

    pub fn poll_timeout(&mut self) -> Option<Instant> {
        let listening = self.listener().and_then(|listener| listener.poll_timeout());
        self.connections.iter().filter_map(|connection| connection.end.poll_timeout()).chain(listening).min()
    }

    pub fn handle_timeout(&mut self, now: Instant) {
        if let Some(listener) = self.listener() {
            listener.handle_timeout(now);
        }
        self.connections.iter_mut().for_each(|connection| connection.end.handle_timeout(now));
    }

    /// Makes the call. The outer error says what of it is not supported.
    pub fn call(&mut self, now: Instant, line: usize, call: &Call) -> Result<Outcome, String> {
        let descriptor = || match call.arguments.first() {
            Some(Argument::Number(descriptor)) => Ok(*descriptor),
            other => Err(format!("{} is of a descriptor, not of {other:?}", call.name)),
        };
        match call.name.as_str() {
            "socket" => self.socket(call),
            "setsockopt" => self.setsockopt(descriptor()?, line, call),
            "getsockopt" => self.getsockopt(descriptor()?, call),
            "fcntl" => self.fcntl(descriptor()?, call),
            "bind" => self.bind(descriptor()?),
            "listen" => self.listen(descriptor()?, call),
            "accept" => self.accept(descriptor()?, call),
            "connect" => self.connect(now, descriptor()?),
            "write" | "send" => self.write(descriptor()?, call),
            "read" | "recv" => self.read(descriptor()?, call),
            "shutdown" => self.shutdown(descriptor()?, call),
            "close" => self.close(now, descriptor()?),
            other => Err(format!(
                "call {other} is not supported; supported are socket, setsockopt, getsockopt, fcntl, bind, listen, accept, connect, write, send, read, recv, shutdown and close"
            )),
        }
    }

    fn socket(&mut self, call: &Call) -> Result<Outcome, String> {
        let wanted = [Argument::Any, constant("SOCK_STREAM"), constant("IPPROTO_TCP")];
        if call.arguments != wanted {
            return Err("only socket(..., SOCK_STREAM, IPPROTO_TCP) is supported".into());
        }
        let descriptor = self.new_descriptor(call)?;
        let options = Options { config: self.config.clone(), nonblocking: false, reset_on_close: false };
        self.sockets.insert(descriptor, Socket::Idle { options, bound: false });
        Ok(Ok(descriptor))
    }

    /// Descriptors are numbered by the script.
    fn new_descriptor(&self, call: &Call) -> Result<i64, String> {
        let descriptor = call.result;
        if descriptor < 3 || self.sockets.contains_key(&descriptor) {
            return Err(format!("{descriptor} is no free descriptor"));
        }
        Ok(descriptor)
    }

    fn of(&mut self, descriptor: i64) -> Result<&mut Socket, String> {
        self.sockets.get_mut(&descriptor).ok_or_else(|| format!("there is no descriptor {descriptor}"))
    }

    fn live(&mut self, descriptor: i64) -> Result<&mut Connection, String> {
        match self.of(descriptor)? {
            Socket::Live { connection, .. } => {
                let connection = *connection;
                Ok(&mut self.connections[connection])
            }
            _ => Err(format!("descriptor {descriptor} is not connected")),
        }
    }

    fn setsockopt(&mut self, descriptor: i64, line: usize, call: &Call) -> Result<Outcome, String> {
        let [_, Argument::Constant(level), Argument::Constant(name), value, ..] = &call.arguments[..] else {
            return Err("setsockopt(fd, LEVEL, NAME, [value], length)".into());
        };
        let number = || match value {
            Argument::List(list) => match list[..] {
                [Argument::Number(number)] if number >= 0 => Ok(number as u64),
                _ => Err(format!("{name} has one number")),
            },
            _ => Err(format!("{name} has one number")),
        };
        let text = || match value {
            Argument::Text(text) => Ok(text.clone()),
            Argument::List(list) if matches!(&list[..], [Argument::Text(_)]) => match &list[0] {
                Argument::Text(text) => Ok(text.clone()),
                _ => unreachable!("it is a text"),
            },
            _ => Err(format!("{name} has a text")),
        };
        let unsupported = || {
            Err(format!(
                "socket option {level} {name} is not supported; supported are SO_REUSEADDR (which means nothing here), SO_LINGER with {{onoff=1, linger=0}}, SO_RCVBUF, SO_SNDBUF, TCP_NODELAY, TCP_MAXSEG and TCP_CONGESTION; on a connection the first two, the buffers and TCP_NODELAY"
            ))
        };
        if let Socket::Live { .. } = self.of(descriptor)? {
            let connection = self.live(descriptor)?;
            match (name.as_str(), value) {
                ("SO_REUSEADDR", _) => {}
                ("SO_LINGER", Argument::Linger(true, 0)) => connection.reset_on_close = true,
                ("SO_RCVBUF", _) => connection.end.set_receive_buffer(Bytes(number()?)),
                ("SO_SNDBUF", _) => connection.end.set_send_buffer(Bytes(number()?)),
                ("TCP_NODELAY", _) => connection.end.set_nagle(number()? == 0),
                _ => return unsupported(),
            }
            return Ok(Ok(0));
        }
        let Socket::Idle { options, .. } = self.of(descriptor)? else {
            return Err("options of a listening socket are set before it listens".into());
        };
        match (name.as_str(), value) {
            ("SO_REUSEADDR", _) => {}
            ("SO_LINGER", Argument::Linger(true, 0)) => options.reset_on_close = true,
            ("SO_RCVBUF", _) => options.config.receive_buffer = Bytes(number()?),
            ("SO_SNDBUF", _) => options.config.send_buffer = Bytes(number()?),
            ("TCP_NODELAY", _) => options.config.nagle = number()? == 0,
            ("TCP_MAXSEG", _) => options.config.mss = Bytes(number()?),
            ("TCP_CONGESTION", _) => {
                options.config.congestion = controller(line, &text()?).map_err(|fault| fault.text)?
            }
            _ => return unsupported(),
        }
        Ok(Ok(0))
    }

    /// SO_ERROR: the result is what the script says that it is, if that is so.
    fn getsockopt(&mut self, descriptor: i64, call: &Call) -> Result<Outcome, String> {
        let [_, Argument::Constant(level), Argument::Constant(name), Argument::List(value), ..] = &call.arguments[..]
        else {
            return Err("getsockopt(fd, SOL_SOCKET, SO_ERROR, [value], [4])".into());
        };
        if (level.as_str(), name.as_str()) != ("SOL_SOCKET", "SO_ERROR") {
            return Err(format!("of getsockopt only SOL_SOCKET SO_ERROR is supported, not {level} {name}"));
        }
        let expected = match &value[..] {
            [Argument::Number(0)] => None,
            [Argument::Constant(error)] => Some(error.as_str()),
            _ => return Err("SO_ERROR is [0], or an error by name, such as [ECONNREFUSED]".into()),
        };
        let connection = self.live(descriptor)?;
        connection.hear();
        let error = connection.error.take();
        if error != expected {
            return Err(format!("SO_ERROR is {error:?}"));
        }
        Ok(Ok(0))
    }

    fn fcntl(&mut self, descriptor: i64, call: &Call) -> Result<Outcome, String> {
        match &call.arguments[1..] {
            [Argument::Constant(get)] if get == "F_GETFL" => Ok(Ok(2)),
            [Argument::Constant(set), Argument::Constant(flags)]
                if set == "F_SETFL" && flags == "O_RDWR|O_NONBLOCK" =>
            {
                match self.of(descriptor)? {
                    Socket::Idle { options, .. } | Socket::Listening { options, .. } => options.nonblocking = true,
                    Socket::Live { nonblocking, .. } => *nonblocking = true,
                }
                Ok(Ok(0))
            }
            _ => Err("of fcntl only F_GETFL and F_SETFL with O_RDWR|O_NONBLOCK are supported".into()),
        }
    }

    fn bind(&mut self, descriptor: i64) -> Result<Outcome, String> {
        match self.of(descriptor)? {
            Socket::Idle { bound, .. } if !*bound => {
                *bound = true;
                Ok(Ok(0))
            }
            _ => Ok(Err("EINVAL")),
        }
    }

    fn listen(&mut self, descriptor: i64, call: &Call) -> Result<Outcome, String> {
        let [_, Argument::Number(backlog)] = call.arguments[..] else { return Err("listen(fd, backlog)".into()) };
        let local = self.local;
        let socket = self.of(descriptor)?;
        let Socket::Idle { options, bound: true } = socket else { return Err("listen follows bind".into()) };
        let limits = Limits { backlog: backlog.max(1) as usize, ..Limits::default() };
        let listener = Box::new(Listener::new(options.config.clone(), local, limits));
        *socket = Socket::Listening { listener, options: options.clone() };
        Ok(Ok(0))
    }

    fn accept(&mut self, descriptor: i64, call: &Call) -> Result<Outcome, String> {
        let Socket::Listening { listener, options } = self.of(descriptor)? else {
            return Err("accept follows listen".into());
        };
        let options = options.clone();
        let Some(end) = listener.accept() else {
            return if options.nonblocking { Ok(Err("EAGAIN")) } else { Err("accept would block".into()) };
        };
        let descriptor = self.new_descriptor(call)?;
        self.enter(descriptor, end, options);
        Ok(Ok(descriptor))
    }

    fn connect(&mut self, now: Instant, descriptor: i64) -> Result<Outcome, String> {
        let (local, remote) = (self.local, self.remote);
        let Socket::Idle { options, .. } = self.of(descriptor)? else {
            return Err("connect is of a new socket".into());
        };
        if !options.nonblocking {
            return Err("connect would block: make the socket O_NONBLOCK".into());
        }
        let options = options.clone();
        let iss = self.take_iss();
        let end = Endpoint::connect(now, options.config.clone(), local, remote, iss);
        self.enter(descriptor, end, options);
        Ok(Err("EINPROGRESS"))
    }

    fn enter(&mut self, descriptor: i64, end: Endpoint, options: Options) {
        let reset_on_close = options.reset_on_close;
        let connection = self.connections.len();
        self.connections.push(Connection { end, error: None, reset_on_close, written: 0, read: 0, finished: false });
        self.sockets.insert(descriptor, Socket::Live { connection, nonblocking: options.nonblocking });
    }

    fn length(call: &Call) -> Result<u64, String> {
        match call.arguments.get(2) {
            Some(&Argument::Number(length)) if length >= 0 => Ok(length as u64),
            _ => Err(format!("{}(fd, ..., length)", call.name)),
        }
    }

    fn write(&mut self, descriptor: i64, call: &Call) -> Result<Outcome, String> {
        let length = Self::length(call)?;
        let connection = self.live(descriptor)?;
        connection.hear();
        if let Some(error) = connection.error.take() {
            return Ok(Err(error));
        }
        if connection.finished || connection.end.state() == State::Closed {
            return Ok(Err("EPIPE"));
        }
        let data: Vec<u8> = (connection.written..connection.written + length).map(pattern).collect();
        let accepted = connection.end.write(&data).get();
        connection.written += accepted;
        Ok(if accepted == 0 && length > 0 { Err("EAGAIN") } else { Ok(accepted as i64) })
    }

    fn read(&mut self, descriptor: i64, call: &Call) -> Result<Outcome, String> {
        let length = Self::length(call)?;
        let connection = self.live(descriptor)?;
        connection.hear();
        let before = connection.read;
        while connection.read - before < length
            && let Some(payload) = connection.end.read(Bytes(length - (connection.read - before)))
        {
            let Payload::Data(data) = payload else { return Err("the endpoint hands out a length, not bytes".into()) };
            for byte in data {
                if byte != pattern(connection.read) {
                    return Err(format!("byte {} of what is read is not what the peer sent", connection.read));
                }
                connection.read += 1;
            }
        }
        let read = (connection.read - before) as i64;
        if read > 0 {
            return Ok(Ok(read));
        }
        if let Some(error) = connection.error.take() {
            return Ok(Err(error));
        }
        let is_over = !connection.end.state().may_receive()
            && !matches!(connection.end.state(), State::SynSent | State::SynReceived);
        Ok(if is_over { Ok(0) } else { Err("EAGAIN") })
    }

    fn shutdown(&mut self, descriptor: i64, call: &Call) -> Result<Outcome, String> {
        if call.arguments.get(1) != Some(&constant("SHUT_WR")) {
            return Err("of shutdown only SHUT_WR is supported".into());
        }
        let connection = self.live(descriptor)?;
        connection.finished = true;
        connection.end.close();
        Ok(Ok(0))
    }

    fn close(&mut self, now: Instant, descriptor: i64) -> Result<Outcome, String> {
        match self.sockets.remove(&descriptor) {
            None => Ok(Err("EBADF")),
            Some(Socket::Live { connection, .. }) => {
                let connection = &mut self.connections[connection];
                if connection.reset_on_close {
                    connection.end.abort(now)
                } else {
                    connection.end.close()
                }
                Ok(Ok(0))
            }
            Some(Socket::Idle { .. } | Socket::Listening { .. }) => Ok(Ok(0)),
        }
    }
}

impl Connection {
    /// What the endpoint tells becomes the socket's error.
    fn hear(&mut self) {
        while let Some(event) = self.end.poll_event() {
            self.error = match event {
                Event::Refused => Some("ECONNREFUSED"),
                Event::Reset => Some("ECONNRESET"),
                Event::TimedOut => Some("ETIMEDOUT"),
                _ => self.error,
            };
        }
    }
}

fn constant(name: &str) -> Argument {
    Argument::Constant(name.into())
}

/// So that numbers wrap within the first segment, and no segment of a script begins at zero.
const FIRST_ISS: SeqNumber = SeqNumber(u32::MAX - 737);
const ISS_STEP: u32 = 64_000_000;
