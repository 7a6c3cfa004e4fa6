//! Compares the codec of RFC mode with another implementation's packets.
//!
//! `cargo run -p ackless-rohc --example vectors FILE` reads a text file of streams. A line `== name` starts one; a line
//! `U hex` is an IP packet, and the line `C type hex` behind it is the ROHC packet (small context identifiers) that the other
//! implementation made of it. Lines that start with `#` are passed over.
//!
//! Each ROHC packet is decompressed and compared. Then our own compressor makes packets of the same stream, which are
//! decompressed and compared too; the mean lengths behind the last IR stand side by side. Exit code 0 if all packets
//! came out equal, 1 if one did not, 2 if the file cannot be read.

use std::fmt::Write as _;
use std::process::ExitCode;

use ackless_rohc::rfc::{CidSpace, Compressor, Config, Decompressor, PacketType};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file] = &arguments[..] else {
        eprintln!("usage: vectors FILE");
        return ExitCode::from(2);
    };
    let streams = std::fs::read_to_string(file).map_err(|error| error.to_string()).and_then(|text| read(&text));
    match streams {
        Ok(streams) => report(&streams),
        Err(message) => {
            eprintln!("{file}: {message}");
            ExitCode::from(2)
        }
    }
}

/// One stream of the file.
struct Stream {
    name: String,
    pairs: Vec<Pair>,
}

/// A packet, and what the other implementation made of it.
struct Pair {
    line: usize,
    packet: Vec<u8>,
    theirs: Vec<u8>,
}

/// What comparing one stream gave.
#[derive(Default)]
struct Outcome {
    /// Their packets that came out equal.
    equal: usize,
    /// Ours that did.
    equal_again: usize,
    their_bytes: Mean,
    our_bytes: Mean,
    complaints: String,
}

/// Lengths behind the last packet that initialised.
#[derive(Default)]
struct Mean {
    sum: usize,
    count: usize,
}

fn read(text: &str) -> Result<Vec<Stream>, String> {
    let mut streams: Vec<Stream> = Vec::new();
    let mut packet = None;
    for (line, words) in (1..).zip(text.lines().map(str::trim)) {
        let at = |message: &str| format!("line {line}: {message}");
        match words.split_once(' ') {
            _ if words.is_empty() || words.starts_with('#') => {}
            Some(("==", name)) => streams.push(Stream { name: name.trim().to_owned(), pairs: Vec::new() }),
            Some(("U", hex)) if packet.is_none() => packet = Some(bytes(hex).ok_or_else(|| at("not hexadecimal"))?),
            Some(("C", rest)) => {
                let theirs = rest.rsplit(' ').next().and_then(bytes).ok_or_else(|| at("not hexadecimal"))?;
                let packet = packet.take().ok_or_else(|| at("a C line needs a U line before it"))?;
                let stream =
                    streams.last_mut().ok_or_else(|| at("a packet needs a stream: start one with '== name'"))?;
                stream.pairs.push(Pair { line, packet, theirs });
            }
            _ => return Err(at("expected '== name', 'U hex' or 'C type hex', in pairs of U and C")),
        }
    }
    if packet.is_some() {
        return Err("the last U line has no C line behind it".to_owned());
    }
    if streams.iter().all(|stream| stream.pairs.is_empty()) {
        return Err("there are no packets in it".to_owned());
    }
    Ok(streams)
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    let digits = hex.trim().as_bytes();
    let pairs = digits.chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok());
    (digits.len().is_multiple_of(2) && !digits.is_empty()).then(|| pairs.collect())?
}

fn report(streams: &[Stream]) -> ExitCode {
    println!("{:<42} {:>7} {:>7} {:>9} {:>7} {:>7}", "stream", "packets", "equal", "ours back", "theirs", "ours");
    let (mut packets, mut equal, mut again) = (0, 0, 0);
    for stream in streams {
        let outcome = compare(stream);
        eprint!("{}", outcome.complaints);
        let (name, count) = (&stream.name, stream.pairs.len());
        let (theirs, ours) = (outcome.their_bytes.get(), outcome.our_bytes.get());
        println!("{name:<42} {count:>7} {:>7} {:>9} {theirs:>7.2} {ours:>7.2}", outcome.equal, outcome.equal_again);
        packets += count;
        equal += outcome.equal;
        again += outcome.equal_again;
    }
    println!("{:<42} {packets:>7} {equal:>7} {again:>9}", "total");
    if (equal, again) == (packets, packets) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn compare(stream: &Stream) -> Outcome {
    let mut outcome = Outcome::default();
    let (mut theirs, mut ours) = (Decompressor::new(CidSpace::SMALL), Decompressor::new(CidSpace::SMALL));
    // As the other implementation was used: with feedback, which here never comes, so one IR packet has to do.
    let mut compressor = Compressor::new(CidSpace::SMALL, Config { initial: 1, refresh: None, ..Config::default() });
    for pair in &stream.pairs {
        let at = pair.line;
        let mut out = Vec::new();
        match theirs.decompress(&pair.theirs, &mut out) {
            Ok(done) => outcome.their_bytes.add(done.kind, pair.theirs.len()),
            Err(error) => complain(&mut outcome.complaints, at, &error.to_string()),
        }
        outcome.equal += usize::from(same(&mut outcome.complaints, at, &out, &pair.packet));
        let (mut packet, mut out) = (Vec::new(), Vec::new());
        match compressor.compress(&pair.packet, &mut packet) {
            Ok(kind) => outcome.our_bytes.add(kind, packet.len()),
            Err(refused) => complain(&mut outcome.complaints, at, &refused.to_string()),
        }
        if let Err(error) = ours.decompress(&packet, &mut out) {
            complain(&mut outcome.complaints, at, &format!("our own packet: {error}"));
        }
        outcome.equal_again += usize::from(same(&mut outcome.complaints, at, &out, &pair.packet));
    }
    outcome
}

fn same(complaints: &mut String, line: usize, out: &[u8], packet: &[u8]) -> bool {
    if out != packet {
        complain(complaints, line, "not the packet that went in");
    }
    out == packet
}

fn complain(complaints: &mut String, line: usize, message: &str) {
    writeln!(complaints, "line {line}: {message}").expect("a string takes whatever is written");
}

impl Mean {
    fn add(&mut self, kind: PacketType, bytes: usize) {
        if matches!(kind, PacketType::Ir | PacketType::IrDyn) {
            *self = Self::default();
        } else {
            self.sum += bytes;
            self.count += 1;
        }
    }

    fn get(&self) -> f64 {
        self.sum as f64 / self.count.max(1) as f64
    }
}
