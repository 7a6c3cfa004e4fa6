//! What goes over the air, as a pcapng file that Wireshark opens: radiotap and real 802.11.
//!
//! - One interface for each node, named after it. Each PPDU stands there once, on its transmitter's interface, as it was sent, collided or not.
//! - One record for each MPDU. Those of an A-MPDU share a reference number, and the last one says so.
//! - The timestamp of a record (in nanoseconds) and its TSFT (in microseconds, rounded down) are the start of the PPDU. All MPDUs of an
//!   A-MPDU bear the same. Radiotap has TSFT at the first bit of the MPDU; with the start of the PPDU a reader needs to know nothing about
//!   preambles to lay transmissions side by side.
//! - Records are whole unless [`Bounds`] say otherwise, and bytes are what [`Ppdu::emit_frame`]
//!   makes of the packets: payloads of which only the length is known are zeros.
//!
//! Container (`pcapng`) and radiotap header (`radiotap`) are written here rather than by a library: three kinds of block and seven fields
//! are needed, into one buffer that is used again, and the same run must give the same bytes whatever the version of anything else.
//! Not written: what receivers made of a frame, signal strengths, and what A-MPDU delimiters of length zero and padding take.

mod pcapng;
mod radiotap;

use std::io::{self, Write};

use ackless_dot11::frame::Ppdu;
use ackless_wire::{Bytes, Instant, PacketPool};

use crate::config::CellConfig;
use crate::observe::{Event, Observer};

/// Writes PPDUs to a pcapng file. As an [`Observer`] it writes each one of a cell as it starts.
///
/// Every record is a call of [`Write::write_all`]: hand it a [`std::io::BufWriter`] where those are dear.
#[derive(Debug)]
pub struct PcapWriter<W> {
    output: W,
    /// How many interfaces there are.
    nodes: usize,
    /// The reference number of the next A-MPDU.
    ampdu: u32,
    /// One block, kept for its memory.
    block: Vec<u8>,
    /// The first failure as an observer, which has nobody to tell until the end.
    failure: Option<io::Error>,
    bounds: Bounds,
    /// How many bytes the file has.
    written: u64,
    left_out: Option<LeftOut>,
}

/// How much of a cell a capture keeps. The default is all.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Bounds {
    /// The most bytes of the file: the first record that does not fit, and all after it, are left
    /// out. The headers are written in any case.
    pub bytes: Option<Bytes>,
    /// The most bytes of each frame, radiotap header included, as the option `-s` of tcpdump. The
    /// record says how long the frame was.
    pub snap_len: Option<u32>,
}

/// What a capture lacks because of [`Bounds::bytes`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LeftOut {
    /// The start of the first PPDU of which a frame is missing.
    pub since: Instant,
    /// How many frames are missing.
    pub frames: u64,
}

impl<W: Write> PcapWriter<W> {
    /// Begins a file with an interface for each of these nodes, in the order of their numbers.
    ///
    /// # Errors
    /// Those of the writer, and [`io::ErrorKind::InvalidInput`] for a name longer than 65,535 bytes.
    pub fn new<'a>(output: W, nodes: impl IntoIterator<Item = &'a str>) -> io::Result<Self> {
        Self::within(output, nodes, Bounds::default())
    }

    /// As [`PcapWriter::new`], within these bounds.
    ///
    /// # Errors
    /// As there.
    pub fn within<'a>(mut output: W, nodes: impl IntoIterator<Item = &'a str>, bounds: Bounds) -> io::Result<Self> {
        let mut block = Vec::new();
        pcapng::section_header(&mut block, USER_APPLICATION, COMMENT)?;
        let mut count = 0;
        for name in nodes {
            pcapng::interface_description(&mut block, name, bounds.snap_len)?;
            count += 1;
        }
        output.write_all(&block)?;
        let written = block.len() as u64;
        Ok(Self { output, nodes: count, ampdu: 0, block, failure: None, bounds, written, left_out: None })
    }

    /// Begins a file for this cell: the AP as `ap`, and its stations by their names.
    ///
    /// # Errors
    /// As [`PcapWriter::new`].
    pub fn of_cell(output: W, config: &CellConfig) -> io::Result<Self> {
        Self::of_cell_within(output, config, Bounds::default())
    }

    /// As [`PcapWriter::of_cell`], within these bounds.
    ///
    /// # Errors
    /// As [`PcapWriter::new`].
    pub fn of_cell_within(output: W, config: &CellConfig, bounds: Bounds) -> io::Result<Self> {
        let stations = config.stations.iter().map(|station| station.name.as_str());
        Self::within(output, std::iter::once("ap").chain(stations), bounds)
    }

    /// What is missing so far because of [`Bounds::bytes`].
    pub fn left_out(&self) -> Option<LeftOut> {
        self.left_out
    }

    /// Writes a PPDU that starts at `start`.
    ///
    /// # Errors
    /// Those of the writer; the file is then of no use.
    ///
    /// # Panics
    /// If its transmitter has no interface, and as [`Ppdu::emit_frame`].
    pub fn ppdu(&mut self, start: Instant, ppdu: &Ppdu, pool: &PacketPool) -> io::Result<()> {
        let interface = u32::from(ppdu.transmitter.0);
        assert!((interface as usize) < self.nodes, "every node has an interface");
        let frames = ppdu.frame_count();
        if let Some(left_out) = &mut self.left_out {
            left_out.frames += frames as u64;
            return Ok(());
        }
        for index in 0..frames {
            let subframe = ppdu.is_ampdu().then(|| radiotap::Subframe {
                reference: self.ampdu,
                last: index + 1 == frames,
                alone: frames == 1 && ppdu.txvector.must_aggregate(),
                len: ppdu.frame_len(index),
            });
            self.block.clear();
            pcapng::enhanced_packet(&mut self.block, interface, start.as_nanos(), self.bounds.snap_len, |out| {
                radiotap::emit(start, ppdu.txvector, subframe, out);
                ppdu.emit_frame(index, start, pool, out);
            });
            let with_this = self.written + self.block.len() as u64;
            if self.bounds.bytes.is_some_and(|most| with_this > most.get()) {
                self.left_out = Some(LeftOut { since: start, frames: (frames - index) as u64 });
                break;
            }
            self.written = with_this;
            self.output.write_all(&self.block)?;
        }
        self.ampdu = self.ampdu.wrapping_add(u32::from(ppdu.is_ampdu()));
        Ok(())
    }

    /// Flushes the file and gives the writer back.
    ///
    /// # Errors
    /// The first failure while observing, if there was one, else that of flushing.
    pub fn finish(mut self) -> io::Result<W> {
        match self.failure.take() {
            Some(failure) => Err(failure),
            None => self.output.flush().map(|()| self.output),
        }
    }
}

impl<W: Write> Observer for PcapWriter<W> {
    /// Writes each PPDU that starts, until the first failure, which [`PcapWriter::finish`] tells.
    fn observe(&mut self, now: Instant, event: &Event<'_>) {
        if let (Event::Start { ppdu, pool, .. }, None) = (event, &self.failure) {
            self.failure = self.ppdu(now, ppdu, pool).err();
        }
    }
}

/// Who wrote the file.
const USER_APPLICATION: &str = concat!("ackless ", env!("CARGO_PKG_VERSION"));
/// What a reader has to know.
const COMMENT: &str = "One interface per node; each PPDU once, on its transmitter's interface, as sent, collided ones too; \
    one record per MPDU. Timestamp and TSFT are the start of the PPDU.";

#[cfg(test)]
mod tests;
