//! Flows of pure ACKs as bytes, with every field that can move moving.

use ackless_wire::random::{Purpose, Stream};

/// How an IPv4 identification moves.
#[derive(Clone, Copy, Debug)]
pub enum IpId {
    Sequential,
    Swapped,
    Random,
    Zero,
}

/// The fields of an ACK, and its options as they stand.
#[derive(Clone, Debug)]
pub struct Ack {
    /// Nothing for IPv6.
    pub ip_id: Option<u16>,
    pub dont_fragment: bool,
    pub traffic_class: u8,
    pub hops: u8,
    pub label: u32,
    pub host: u8,
    pub ports: u32,
    pub seq: u32,
    pub ack: u32,
    /// The four bits behind the data offset.
    pub reserved: u8,
    pub flags: u8,
    pub window: u16,
    pub checksum: u16,
    pub urgent: u16,
    pub timestamps: Option<(u32, u32)>,
    pub sack: Vec<(u32, u32)>,
    /// Options behind those, padded to 4 bytes.
    pub more: Vec<u8>,
}

/// A flow that moves as it likes.
#[derive(Debug)]
pub struct Flow {
    pub ack: Ack,
    ip_id: IpId,
    /// The share of ACKs, in percent, that change something which seldom changes.
    restless: u64,
    stride: u32,
    random: Stream,
}

impl Ack {
    /// An ACK over IPv4 without options.
    pub fn plain() -> Self {
        Self {
            ip_id: Some(7000),
            dont_fragment: true,
            traffic_class: 0,
            hops: 64,
            label: 0,
            host: 1,
            ports: 0x9c40_0050,
            seq: 1000,
            ack: 500_000,
            reserved: 0,
            flags: 0x10,
            window: 501,
            checksum: 0,
            urgent: 0,
            timestamps: None,
            sack: Vec::new(),
            more: Vec::new(),
        }
    }

    /// The packet. The TCP checksum is whatever the field says.
    pub fn bytes(&self) -> Vec<u8> {
        let tcp = self.tcp();
        let mut out = match self.ip_id {
            Some(id) => self.v4(id, tcp.len()),
            None => self.v6(tcp.len()),
        };
        out.extend_from_slice(&tcp);
        out
    }

    fn v4(&self, id: u16, tcp_len: usize) -> Vec<u8> {
        let mut out = vec![0x45, self.traffic_class];
        out.extend_from_slice(&(20 + tcp_len as u16).to_be_bytes());
        out.extend_from_slice(&id.to_be_bytes());
        out.extend_from_slice(&[u8::from(self.dont_fragment) << 6, 0, self.hops, 6, 0, 0]);
        out.extend_from_slice(&[192, 168, 0, self.host, 10, 0, 0, 1]);
        let mut sum: u32 = out.chunks(2).map(|pair| u32::from(pair[0]) << 8 | u32::from(pair[1])).sum();
        sum = (sum & 0xffff) + (sum >> 16);
        sum = (sum & 0xffff) + (sum >> 16);
        out[10..12].copy_from_slice(&(!sum as u16).to_be_bytes());
        out
    }

    fn v6(&self, tcp_len: usize) -> Vec<u8> {
        let first = 6 << 28 | u32::from(self.traffic_class) << 20 | self.label;
        let mut out = first.to_be_bytes().to_vec();
        out.extend_from_slice(&(tcp_len as u16).to_be_bytes());
        out.extend_from_slice(&[6, self.hops]);
        let mut addresses = [0xfd; 32];
        addresses[15] = self.host;
        out.extend_from_slice(&addresses);
        out
    }

    fn tcp(&self) -> Vec<u8> {
        let mut out = self.ports.to_be_bytes().to_vec();
        for number in [self.seq, self.ack] {
            out.extend_from_slice(&number.to_be_bytes());
        }
        out.extend_from_slice(&[0, self.flags]);
        for word in [self.window, self.checksum, self.urgent] {
            out.extend_from_slice(&word.to_be_bytes());
        }
        if let Some((value, echo)) = self.timestamps {
            out.extend_from_slice(&[1, 1, 8, 10]);
            out.extend_from_slice(&value.to_be_bytes());
            out.extend_from_slice(&echo.to_be_bytes());
        }
        let blocks = &self.sack[..self.sack.len().min(if self.timestamps.is_some() { 3 } else { 4 })];
        if !blocks.is_empty() {
            out.extend_from_slice(&[1, 1, 5, 2 + 8 * blocks.len() as u8]);
            for (start, end) in blocks {
                out.extend_from_slice(&start.to_be_bytes());
                out.extend_from_slice(&end.to_be_bytes());
            }
        }
        if out.len() + self.more.len() <= 60 {
            out.extend_from_slice(&self.more);
        }
        out[12] = ((out.len() / 4) as u8) << 4 | self.reserved;
        out
    }
}

impl Flow {
    /// The flow number `flow` of this seed, whose fields start where some of them wrap soon.
    pub fn new(seed: u64, flow: u64) -> Self {
        let mut random = Stream::new(seed, flow, Purpose::Test);
        let ip_id = [IpId::Sequential, IpId::Swapped, IpId::Random, IpId::Zero][random.below(4) as usize];
        let v4 = random.chance(0.7);
        let mut ack = Ack::plain();
        ack.ip_id = v4.then(|| if matches!(ip_id, IpId::Zero) { 0 } else { near_wrap(&mut random) as u16 });
        ack.dont_fragment = random.chance(0.8);
        ack.label = if random.chance(0.5) { random.below(1 << 20) as u32 } else { 0 };
        ack.host = flow as u8;
        ack.ports = random.bits() as u32;
        (ack.seq, ack.ack) = (near_wrap(&mut random), near_wrap(&mut random));
        ack.window = near_wrap(&mut random) as u16;
        ack.timestamps = random.chance(0.6).then(|| (near_wrap(&mut random), near_wrap(&mut random)));
        let restless = [0, 2, 10, 50][random.below(4) as usize];
        let stride = [0, 536, 1448, 2896, 2920, 14_600, 40_000][random.below(7) as usize];
        Self { ack, ip_id, restless, stride, random }
    }

    /// The next ACK.
    pub fn next(&mut self) -> &Ack {
        let Self { ack, ip_id, restless, stride, random } = self;
        if let Some(id) = &mut ack.ip_id {
            let by = if random.chance(0.9) { 1 } else { random.below(40) as u16 };
            *id = match ip_id {
                IpId::Sequential => id.wrapping_add(by),
                IpId::Swapped => id.swap_bytes().wrapping_add(by).swap_bytes(),
                IpId::Random => random.bits() as u16,
                IpId::Zero => 0,
            };
        }
        let by = if random.chance(0.9) { *stride } else { random.below(100_000) as u32 };
        ack.ack = ack.ack.wrapping_add(by);
        ack.checksum = random.bits() as u16;
        if let Some((value, echo)) = &mut ack.timestamps {
            for stamp in [value, echo] {
                let range = [1, 3, 200, 30_000][random.below(4) as usize];
                *stamp = stamp.wrapping_add(random.below(range) as u32);
            }
        }
        for _ in 0..ack.sack.len().min(1) {
            let grown = random.below(3000) as u32;
            ack.sack[0].1 = ack.sack[0].1.wrapping_add(grown);
        }
        if random.below(100) < *restless {
            disturb(random, ack, ip_id, stride);
        }
        &self.ack
    }
}

/// Changes one of the things that seldom change.
fn disturb(random: &mut Stream, ack: &mut Ack, ip_id: &mut IpId, stride: &mut u32) {
    match random.below(18) {
        0 => ack.hops = random.bits() as u8,
        1 => ack.hops = ack.hops.wrapping_sub(1),
        2 => ack.traffic_class = random.bits() as u8,
        3 => ack.traffic_class ^= random.below(4) as u8,
        4 => ack.flags ^= [0x40, 0x80, 0xc0][random.below(3) as usize],
        5 => ack.reserved = random.below(16) as u8,
        6 => ack.window = ack.window.wrapping_add(random.below(1000) as u16).wrapping_sub(300),
        7 => ack.window = random.bits() as u16,
        8 => ack.seq = ack.seq.wrapping_add(random.below(200_000) as u32).wrapping_sub(50_000),
        9 => ack.ack = random.bits() as u32,
        10 => ack.urgent = random.below(2) as u16 * random.bits() as u16,
        11 => ack.dont_fragment ^= true,
        12 => *stride = random.below(5000) as u32,
        13 => *ip_id = [IpId::Sequential, IpId::Swapped, IpId::Random, IpId::Zero][random.below(4) as usize],
        14 => ack.timestamps = random.chance(0.7).then(|| (random.bits() as u32, random.bits() as u32)),
        15 | 16 => {
            let near = [2000, 60_000, 10_000_000, 1 << 31][random.below(4) as usize];
            let mut edge = || ack.ack.wrapping_add(random.below(near) as u32);
            let blocks: Vec<_> = (0..4).map(|_| (edge(), edge())).collect();
            ack.sack = blocks[..random.below(5) as usize].to_vec();
        }
        _ => ack.more = more_options(random),
    }
}

/// Options that are rare on an ACK: among them such as the RFC has no item for.
fn more_options(random: &mut Stream) -> Vec<u8> {
    let byte = random.bits() as u8;
    match random.below(10) {
        0 => vec![1, 1, 1, 1],
        1 => vec![0, 0, 0, 0],
        2 => vec![2, 4, 5, byte],
        3 => vec![1, 3, 3, byte],
        4 => vec![4, 2, 1, 0],
        5 => vec![30, 8, 0x20, 1, byte, 2, 3, 4],
        6 => vec![30, 4, 0, byte, 30, 4, 1, byte],
        7 => vec![254, 4, byte, 1, 253, 2, 252, 2],
        _ => Vec::new(),
    }
}

/// A number that is often just below a power of two.
fn near_wrap(random: &mut Stream) -> u32 {
    let below = random.below(20_000) as u32;
    match random.below(4) {
        0 => random.bits() as u32,
        1 => 0_u32.wrapping_sub(below),
        2 => 0x1_0000_u32.wrapping_sub(below),
        _ => below,
    }
}
