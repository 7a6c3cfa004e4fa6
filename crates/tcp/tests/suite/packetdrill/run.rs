//! A script against the host, in virtual time.

use std::collections::VecDeque;

use ackless_tcp::{Endpoint, State};
use ackless_wire::{Duration, Ecn, Instant, Packet, Payload, SeqNumber, TcpFlags, TcpHeader};

use super::Fault;
use super::host::{Host, pattern};
use super::info;
use super::notation::{Action, At, Call, Choice, EcnField, Event, Script, Segment};
use super::setup::Setup;
use super::wire::{self, emit, inspect};

/// Runs a script; the first line that does not hold is its fault.
pub fn run(text: &str) -> Result<(), Fault> {
    let script = Script::parse(text)?;
    let setup = Setup::of(&script)?;
    run_as(&script, setup, Strictness::Segments)
}

/// How what the endpoint sends is compared with what a line expects.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Strictness {
    /// One segment is one line.
    Segments,
    /// A line may stand for several segments that follow each other, as a kernel hands them down
    /// where the device cuts them. PSH is not compared: it marks where the kernel's buffers end. As
    /// in packetdrill, what no line expects does not matter before the next line that expects
    /// something.
    Bursts,
}

/// Runs a script in this setting.
pub fn run_as(script: &Script, setup: Setup, strictness: Strictness) -> Result<(), Fault> {
    let mut run = Run {
        host: Host::new(setup.config, setup.ipv6),
        now: START,
        last: START,
        tolerance: setup.tolerance,
        sent: VecDeque::new(),
        stamps: None,
        peer_first: 0,
        strictness,
    };
    for event in &script.events {
        run.event(event).map_err(|text| Fault::new(event.line, text))?;
    }
    let last = script.events.last().map_or(1, |event| event.line);
    run.drain();
    run.nothing_left(Instant::FAR_FUTURE).map_err(|text| Fault::new(last, text))
}

struct Run {
    host: Host,
    now: Instant,
    /// When the event before was, or should have been.
    last: Instant,
    tolerance: Duration,
    /// What the host has sent and no line has expected yet.
    sent: VecDeque<(Instant, Packet)>,
    /// What the host's timestamps are ahead of those in the script, from the first that the script expects on.
    stamps: Option<u32>,
    /// The number of the peer's SYN in the script: bytes of the peer's stream are counted from it.
    peer_first: u32,
    strictness: Strictness,
}

impl Run {
    fn event(&mut self, event: &Event) -> Result<(), String> {
        let (low, high) = match event.at {
            At::Absolute(at) => (START + at, START + at),
            At::Relative(after) => (self.last + after, self.last + after),
            At::Between(low, high) => (START + low, START + high),
            At::RelativeBetween(low, high) => (self.last + low, self.last + high),
            At::Any => (self.last, Instant::FAR_FUTURE),
        };
        if let Action::Expect(expected) = &event.action {
            let at = self.expect(low, high, expected)?;
            self.last = if low == high { low } else { at };
            return Ok(());
        }
        if low != high {
            return Err("only what is expected of the endpoint has a range of times".into());
        }
        self.advance(low)?;
        self.last = low;
        match &event.action {
            Action::Receive(segment) => self.receive(segment)?,
            Action::Call(call) => self.call(event.line, call)?,
            Action::Assert(assertions) => {
                let end = self.host.latest().ok_or("there is no connection whose tcp_info could be looked at")?;
                assertions.iter().try_for_each(|assertion| info::check(end, assertion))?;
            }
            Action::Expect(_) => unreachable!("handled above"),
        }
        self.drain();
        Ok(())
    }

    /// Lets time pass. What is sent meanwhile no line has expected.
    fn advance(&mut self, to: Instant) -> Result<(), String> {
        if to < self.now {
            return Err(format!("it is {} already", self.shown(self.now)));
        }
        // What is due at the very instant of an event comes after it.
        while let Some(at) = self.host.poll_timeout().filter(|&at| at < to) {
            self.fire(at);
            self.nothing_left(to)?;
        }
        self.nothing_left(to)?;
        self.now = to;
        Ok(())
    }

    fn fire(&mut self, at: Instant) {
        self.now = self.now.max(at);
        self.host.handle_timeout(self.now);
        self.drain();
    }

    fn drain(&mut self) {
        while let Some(packet) = self.host.poll_transmit(self.now) {
            self.sent.push_back((self.now, packet));
        }
    }

    /// Nothing has been sent before `until` that no line has expected.
    fn nothing_left(&self, until: Instant) -> Result<(), String> {
        match self.sent.front().filter(|_| self.strictness == Strictness::Segments) {
            Some((at, packet)) if at.saturating_add(self.tolerance) < until => {
                Err(format!("nothing expects what was sent at {}: {}", self.shown(*at), self.text(packet)))
            }
            _ => Ok(()),
        }
    }

    fn receive(&mut self, segment: &Segment) -> Result<(), String> {
        let mut options = Vec::new();
        for choice in segment.options.as_deref().ok_or("what the peer sends has its options spelt out")? {
            let choice = match choice {
                Choice::Timestamps(value, 0) => Choice::Timestamps(*value, 0),
                Choice::Timestamps(value, echo) => {
                    let ahead = self
                        .stamps
                        .ok_or("no timestamp of the host's has been given a number by a line that expects it")?;
                    Choice::Timestamps(*value, echo.wrapping_add(ahead))
                }
                Choice::Sack(blocks) => {
                    Choice::Sack(blocks.iter().map(|&(l, r)| ((self.host.iss + l).0, (self.host.iss + r).0)).collect())
                }
                other => other.clone(),
            };
            emit(&choice, &mut options);
        }
        let opens = |end: &Endpoint| matches!(end.state(), State::Closed | State::SynSent | State::TimeWait);
        if segment.flags.contains(TcpFlags::SYN) && self.host.latest().is_none_or(opens) {
            self.peer_first = segment.seq;
        }
        // A SYN takes the place before its text.
        let first = segment
            .seq
            .wrapping_sub(self.peer_first)
            .wrapping_add(u32::from(segment.flags.contains(TcpFlags::SYN)))
            .wrapping_sub(1);
        let payload: Vec<u8> = (0..segment.len).map(|at| pattern(u64::from(first.wrapping_add(at)))).collect();
        let bytes = wire::Segment {
            from: (self.host.remote.ip(), self.host.remote.port()),
            to: (self.host.local.ip(), self.host.local.port()),
            ecn: match segment.ecn {
                Some(EcnField::Is(ecn)) => ecn,
                Some(EcnField::Capable) => return Err("what the peer sends is ect0 or ect1".into()),
                None => Ecn::NotCapable,
            },
            seq: (PEER_ISS + segment.seq).0,
            ack: segment.ack.map_or(0, |ack| (self.host.iss + ack).0),
            flags: segment.flags,
            window: segment.window.unwrap_or(0),
            options,
            payload: &payload,
            bad_checksum: segment.bad_checksum,
        }
        .bytes();
        // What cannot be parsed never reaches TCP.
        if let Ok(packet) = Packet::parse(&bytes) {
            self.host.receive(self.now, &packet);
        }
        Ok(())
    }

    fn call(&mut self, line: usize, call: &Call) -> Result<(), String> {
        let outcome = self.host.call(self.now, line, call)?;
        let expected = match &call.error {
            None if call.result >= 0 => Ok(call.result),
            Some(error) if call.result == -1 => Err(error.as_str()),
            _ => return Err("a result is a number from 0 on, or -1 and an error".into()),
        };
        if outcome == expected { Ok(()) } else { Err(format!("{} gave {outcome:?}, not {expected:?}", call.name)) }
    }

    fn expect(&mut self, low: Instant, high: Instant, expected: &Segment) -> Result<Instant, String> {
        let latest = high.saturating_add(self.tolerance);
        while self.sent.is_empty() {
            match self.host.poll_timeout().filter(|&at| at <= latest) {
                Some(at) => self.fire(at),
                None => return Err(format!("nothing was sent by {}", self.shown(latest))),
            }
        }
        let (at, mut packet) = self.sent.pop_front().expect("something was sent");
        let begin = packet.tcp().map_or(SeqNumber(0), |tcp| tcp.seq);
        let mut len = packet.payload.len();
        while self.strictness == Strictness::Bursts
            && len < expected.len
            && let Some((_, next)) = self.sent.front()
            && !next.payload.is_empty()
            && next.tcp().is_some_and(|tcp| tcp.seq == begin + len)
        {
            len += next.payload.len();
            packet = self.sent.pop_front().expect("it is there").1;
        }
        let shown = self.text(&packet);
        let late = at > latest || at.saturating_add(self.tolerance) < low;
        let differs = self.compare(&packet, (begin, len), expected)?;
        match (late, differs) {
            (false, None) => Ok(at),
            (true, _) => Err(format!("sent at {}, not at {}: {shown}", self.shown(at), self.shown(low))),
            (false, Some(what)) => Err(format!("{what}: sent was {shown}")),
        }
    }

    /// What of a packet is not as expected.
    fn compare(
        &mut self,
        packet: &Packet,
        (begin, len): (SeqNumber, u32),
        expected: &Segment,
    ) -> Result<Option<String>, String> {
        let tcp = *packet.tcp().ok_or("the endpoint sent something else than TCP")?;
        let mut bytes = Vec::new();
        packet.emit(&mut bytes);
        let options = inspect(&bytes, self.host.local.ip(), self.host.remote.ip())?;
        if (packet.ip.src(), tcp.src_port, packet.ip.dst(), tcp.dst_port)
            != (self.host.local.ip(), self.host.local.port(), self.host.remote.ip(), self.host.remote.port())
        {
            return Ok(Some("it is between other addresses".into()));
        }
        let differing = tcp.flags.symmetric_difference(expected.flags);
        let unheeded = if self.strictness == Strictness::Bursts { TcpFlags::PSH } else { TcpFlags::empty() };
        if !unheeded.contains(differing) {
            return Ok(Some(format!("flags are not {:?}", expected.flags)));
        }
        let seq = tcp.seq - self.origin(&tcp);
        if (begin - self.origin(&tcp), len) != (expected.seq, expected.len) {
            return Ok(Some(format!("it is not {}({})", expected.seq, expected.len)));
        }
        if let Payload::Data(data) = &packet.payload
            && let Some(at) =
                (0..data.len()).find(|&at| data[at] != pattern(u64::from(seq.wrapping_sub(1)) + at as u64))
        {
            return Ok(Some(format!("byte {at} of its payload is not what was written")));
        }
        if let Some(ack) = expected.ack
            && tcp.ack - PEER_ISS != ack
        {
            return Ok(Some(format!("ack is not {ack}")));
        }
        if let Some(window) = expected.window
            && tcp.window != window
        {
            return Ok(Some(format!("win is not {window}")));
        }
        let ecn = packet.ip.ecn();
        let marked = match expected.ecn {
            None => true,
            Some(EcnField::Is(field)) => ecn == field,
            Some(EcnField::Capable) => matches!(ecn, Ecn::Capable0 | Ecn::Capable1),
        };
        if !marked {
            return Ok(Some(format!("its ECN field is {ecn:?}")));
        }
        Ok(expected.options.as_ref().and_then(|wanted| self.compare_options(&options, wanted)))
    }

    /// The order of options and what pads them is the sender's choice.
    fn compare_options(&mut self, options: &[Choice], wanted: &[Choice]) -> Option<String> {
        for choice in wanted {
            if let (None, Choice::Timestamps(value, _)) = (self.stamps, choice) {
                self.stamps = options.iter().find_map(|choice| match choice {
                    Choice::Timestamps(live, _) => Some(live.wrapping_sub(*value)),
                    _ => None,
                });
            }
        }
        let known: Vec<Choice> =
            options.iter().filter(|choice| !is_padding(choice)).map(|choice| self.relative(choice)).collect();
        let wanted: Vec<&Choice> = wanted.iter().filter(|choice| !is_padding(choice)).collect();
        let same = known.len() == wanted.len() && wanted.iter().all(|choice| known.contains(choice));
        (!same).then(|| format!("options are not {wanted:?} but {known:?}"))
    }

    /// An option as the script would have it.
    fn relative(&self, choice: &Choice) -> Choice {
        match choice {
            Choice::Timestamps(value, echo) => Choice::Timestamps(value.wrapping_sub(self.stamps.unwrap_or(0)), *echo),
            Choice::Sack(blocks) => {
                Choice::Sack(blocks.iter().map(|&(l, r)| (SeqNumber(l) - PEER_ISS, SeqNumber(r) - PEER_ISS)).collect())
            }
            other => other.clone(),
        }
    }

    /// Where numbers of the host's are counted from: its initial one, but for a RST that answers a segment without ACK and belongs to no
    /// connection, which has zero (RFC 9293, 3.10.7.1).
    fn origin(&self, tcp: &TcpHeader) -> SeqNumber {
        let of_nobody = tcp.flags == TcpFlags::RST | TcpFlags::ACK && tcp.seq == SeqNumber(0);
        if of_nobody { SeqNumber(0) } else { self.host.iss }
    }

    fn shown(&self, at: Instant) -> String {
        if at == Instant::FAR_FUTURE {
            "ever".into()
        } else {
            format!("{:.6} s", at.saturating_since(START).as_secs_f64())
        }
    }

    /// A packet in the notation, as far as it matters to who looks for what is wrong.
    fn text(&self, packet: &Packet) -> String {
        let Some(tcp) = packet.tcp() else { return format!("{packet:?}") };
        let letters = [
            (TcpFlags::SYN, 'S'),
            (TcpFlags::FIN, 'F'),
            (TcpFlags::RST, 'R'),
            (TcpFlags::PSH, 'P'),
            (TcpFlags::ECE, 'E'),
            (TcpFlags::CWR, 'W'),
            (TcpFlags::ACK, '.'),
        ];
        let flags: String =
            letters.iter().filter(|(flag, _)| tcp.flags.contains(*flag)).map(|(_, letter)| letter).collect();
        let (seq, len) = (tcp.seq - self.origin(tcp), packet.payload.len());
        let ack =
            if tcp.flags.contains(TcpFlags::ACK) { format!(" ack {}", tcp.ack - PEER_ISS) } else { String::new() };
        let mut bytes = Vec::new();
        packet.emit(&mut bytes);
        let options = inspect(&bytes, self.host.local.ip(), self.host.remote.ip())
            .map(|options| options.iter().map(|choice| self.relative(choice)).collect::<Vec<_>>());
        format!("{flags} {seq}:{}({len}){ack} win {} {options:?}", seq.wrapping_add(len), tcp.window)
    }
}

fn is_padding(choice: &Choice) -> bool {
    matches!(choice, Choice::Nop | Choice::End)
}

/// When a script begins.
const START: Instant = Instant::from_secs(1);
/// The peer's initial sequence number.
const PEER_ISS: SeqNumber = SeqNumber(4_999);
