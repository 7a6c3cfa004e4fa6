//! What happened in a situation, and what the situation was.

use std::collections::BTreeMap;

use ackless_wire::{BitRate, Bytes, Duration, Instant};

/// The path and the application, as `tools/linux-traces/situations.py` explains them.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    /// Of data.
    pub rate: BitRate,
    /// Each way.
    pub delay: Duration,
    /// Packets before the rate.
    pub queue: usize,
    /// Numbers of data packets that are lost.
    pub drop: Vec<u64>,
    /// Of how many in a million data packets one is lost at random.
    pub loss: u64,
    /// The seed of that.
    pub seed: u64,
    /// Numbers of data packets that take longer, and by how much.
    pub late: BTreeMap<u64, Duration>,
    /// From when to when nothing is put on the wire.
    pub stall: Vec<(Instant, Instant)>,
    /// Data arrives at multiples of this; zero means at once.
    pub batch: Duration,
    /// How long after the connection is established how much is written.
    pub write: Vec<(Duration, Bytes)>,
    /// Whether the receive buffer is of a given size.
    pub receive_buffer: u64,
    /// Whether the receiver's interface merges what arrives together.
    pub gro: bool,
}

/// A segment of the sender, as it was sent. Numbers count from the SYN, which is 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sent {
    pub at: Instant,
    pub seq: u64,
    /// Payload.
    pub len: u64,
    /// Whether it did not arrive.
    pub lost: bool,
}

/// A segment of the receiver.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ack {
    pub at: Instant,
    pub ack: u64,
    /// SACK blocks.
    pub sack: Vec<(u64, u64)>,
    pub window: u64,
}

/// What the sender has made of an ACK.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sender {
    pub at: Instant,
    /// SND.UNA.
    pub una: u64,
    /// In segments.
    pub cwnd: u64,
    /// In segments.
    pub ssthresh: Option<u64>,
}

/// What happened, each in order of time.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// Those without payload too.
    pub sent: Vec<Sent>,
    pub acks: Vec<Ack>,
    pub sender: Vec<Sender>,
}

impl Trace {
    /// Reads what `tools/linux-traces/record.py` wrote.
    pub fn parse(text: &str) -> Result<(Scene, Self), String> {
        let (mut scene, mut trace) = (Scene::default(), Self::default());
        for (index, line) in text.lines().enumerate() {
            let parsed = match line.strip_prefix("# ") {
                Some(fact) => scene.take(fact),
                None if line.starts_with("time_ns,") => Some(()),
                None => trace.take(line),
            };
            parsed.ok_or_else(|| format!("line {}: not of a trace: {line}", index + 1))?;
        }
        if scene.rate == BitRate::default() || scene.write.is_empty() {
            return Err("the head does not say what the situation was".to_owned());
        }
        Ok((scene, trace))
    }

    /// What the sender sent with payload.
    pub fn data(&self) -> Vec<Sent> {
        self.sent.iter().filter(|row| row.len > 0).copied().collect()
    }

    /// How many data packets start where something was sent before.
    pub fn again(&self) -> usize {
        let (mut highest, mut count) = (0, 0);
        for row in self.data() {
            count += usize::from(row.seq < highest);
            highest = highest.max(row.seq + row.len);
        }
        count
    }

    fn take(&mut self, line: &str) -> Option<()> {
        let fields: Vec<&str> = line.split(',').collect();
        let [at, what, _, seq, len, ack, sack, window, _, _, fate, cwnd, ssthresh, ..] = fields[..] else {
            return None;
        };
        let at = Instant::from_nanos(at.parse().ok()?);
        match what {
            "data" => {
                let lost = !fate.is_empty();
                self.sent.push(Sent { at, seq: seq.parse().ok()?, len: len.parse().ok()?, lost });
            }
            "ack" => {
                let edges = |block: &str| {
                    let (left, right) = block.split_once('-')?;
                    Some((left.parse().ok()?, right.parse().ok()?))
                };
                let sack = sack.split_whitespace().map(edges).collect::<Option<_>>()?;
                self.acks.push(Ack { at, ack: ack.parse().ok()?, sack, window: window.parse().ok()? });
            }
            "state" => {
                let ssthresh = if ssthresh.is_empty() { None } else { Some(ssthresh.parse().ok()?) };
                self.sender.push(Sender { at, una: ack.parse().ok()?, cwnd: cwnd.parse().ok()?, ssthresh });
            }
            _ => return None,
        }
        Some(())
    }
}

impl Scene {
    fn take(&mut self, fact: &str) -> Option<()> {
        let (key, values) = fact.split_once(' ')?;
        if matches!(key, "situation" | "kernel" | "sysctl" | "sender" | "receiver") {
            return Some(());
        }
        let values = values.split(' ').map(|value| value.parse().ok()).collect::<Option<Vec<u64>>>()?;
        match (key, &values[..]) {
            ("rate", &[bps]) => self.rate = BitRate::from_bps(bps),
            ("delay", &[nanos]) => self.delay = Duration::from_nanos(nanos),
            ("queue", &[packets]) => self.queue = packets as usize,
            ("drop", &[number]) => self.drop.push(number),
            ("loss", &[ppm]) => self.loss = ppm,
            ("seed", &[seed]) => self.seed = seed,
            ("late", &[number, nanos]) => _ = self.late.insert(number, Duration::from_nanos(nanos)),
            ("stall", &[from, to]) => self.stall.push((Instant::from_nanos(from), Instant::from_nanos(to))),
            ("batch", &[nanos]) => self.batch = Duration::from_nanos(nanos),
            ("write", &[after, bytes]) => self.write.push((Duration::from_nanos(after), Bytes(bytes))),
            ("receive_buffer", &[bytes]) => self.receive_buffer = bytes,
            ("gro", &[gro]) => self.gro = gro != 0,
            _ => return None,
        }
        Some(())
    }
}
