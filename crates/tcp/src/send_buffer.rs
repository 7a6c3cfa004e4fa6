//! What has been written and is not acknowledged: real bytes, or just their number.

use std::collections::VecDeque;

use ackless_wire::{Bytes, Payload};

use crate::sequence::{Position, Span};

/// A stretch of the stream that the peer has not acknowledged, with what was written there.
///
/// Lengths written one after the other are one chunk, so that bulk transfer without bytes costs neither memory nor
/// searching.
#[derive(Clone, Debug)]
pub(crate) struct SendBuffer {
    chunks: VecDeque<Chunk>,
    /// One past the last byte written.
    end: Position,
}

#[derive(Clone, Debug)]
struct Chunk {
    span: Span,
    content: Content,
}

#[derive(Clone, Debug)]
enum Content {
    Length,
    Data(bytes::Bytes),
}

impl SendBuffer {
    pub(crate) const fn new() -> Self {
        Self { chunks: VecDeque::new(), end: Position::FIRST_BYTE }
    }

    /// One past the last byte written.
    pub(crate) const fn end(&self) -> Position {
        self.end
    }

    /// Whether all that is here are bytes whose values do not matter.
    pub(crate) fn is_one_length(&self) -> bool {
        self.chunks.len() == 1 && matches!(self.chunks[0].content, Content::Length)
    }

    /// Writes `len` bytes whose values do not matter.
    pub(crate) fn push_length(&mut self, len: Bytes) {
        if len == Bytes::ZERO {
            return;
        }
        // An endless source may be written to again: it stays endless.
        let end = Position(self.end.0.saturating_add(len.0).min(ENDLESS.0));
        match self.chunks.back_mut() {
            Some(Chunk { span, content: Content::Length }) => span.end = end,
            _ => self.chunks.push_back(Chunk { span: Span { start: self.end, end }, content: Content::Length }),
        }
        self.end = end;
    }

    /// Writes more than can ever be sent.
    pub(crate) fn push_forever(&mut self) {
        self.push_length(ENDLESS - self.end);
    }

    /// Writes these bytes.
    pub(crate) fn push_data(&mut self, data: bytes::Bytes) {
        let span = Span::new(self.end, Bytes(data.len() as u64));
        if !span.is_empty() && span.end <= ENDLESS {
            self.end = span.end;
            self.chunks.push_back(Chunk { span, content: Content::Data(data) });
        }
    }

    /// Takes back what an endless source would still write from `from` on.
    pub(crate) fn end_endless(&mut self, from: Position) {
        if self.end < ENDLESS {
            return;
        }
        self.end = from.max(Position::FIRST_BYTE);
        while self.chunks.back().is_some_and(|chunk| chunk.span.start >= self.end) {
            self.chunks.pop_back();
        }
        if let Some(last) = self.chunks.back_mut() {
            last.span.end = self.end;
        }
    }

    /// Forgets all below `una`.
    pub(crate) fn release(&mut self, una: Position) {
        while let Some(first) = self.chunks.front_mut() {
            if first.span.end > una || (first.span.end == self.end && matches!(first.content, Content::Length)) {
                break;
            }
            self.chunks.pop_front();
        }
    }

    /// What was written in `span`, which must be here.
    pub(crate) fn read(&self, span: Span) -> Payload {
        if span.is_empty() {
            return Payload::EMPTY;
        }
        let at = match self.chunks.len() {
            1 => 0,
            _ => self.chunks.partition_point(|chunk| chunk.span.end <= span.start),
        };
        let chunk = self.chunks.get(at).expect("what is sent is in the send buffer");
        debug_assert!(chunk.span.start <= span.start, "what is sent is in the send buffer");
        match &chunk.content {
            Content::Length if span.end <= chunk.span.end => Payload::Length(span.len().get() as u32),
            Content::Data(data) if span.end <= chunk.span.end => {
                let from = (span.start - chunk.span.start).get() as usize;
                Payload::Data(data.slice(from..from + span.len().get() as usize))
            }
            _ => self.join(at, span),
        }
    }

    /// A span that crosses chunks: copied together, where any of them has real bytes.
    fn join(&self, first: usize, span: Span) -> Payload {
        let mut joined = Vec::with_capacity(span.len().get() as usize);
        for chunk in self.chunks.range(first..).take_while(|chunk| chunk.span.start < span.end) {
            let (start, end) = (chunk.span.start.max(span.start), chunk.span.end.min(span.end));
            match &chunk.content {
                Content::Length => joined.resize(joined.len() + (end - start).get() as usize, 0),
                Content::Data(data) => {
                    let from = (start - chunk.span.start).get() as usize;
                    joined.extend_from_slice(&data[from..from + (end - start).get() as usize]);
                }
            }
        }
        Payload::Data(joined.into())
    }
}

/// The end of an endless source: at 100 Gbps it would be reached after eleven years.
const ENDLESS: Position = Position(1 << 62);

#[cfg(test)]
mod tests {
    use super::*;

    fn span(start: u64, end: u64) -> Span {
        Span { start: Position(start), end: Position(end) }
    }

    #[test]
    fn bytes_come_back_from_any_span_across_writes() {
        let mut buffer = SendBuffer::new();
        let all: Vec<u8> = (0..=99).collect();
        for part in all.chunks(7) {
            buffer.push_data(bytes::Bytes::copy_from_slice(part));
        }
        for start in 0..100 {
            for end in start + 1..=100 {
                let expected = Payload::Data(bytes::Bytes::copy_from_slice(&all[start..end]));
                assert_eq!(buffer.read(span(start as u64 + 1, end as u64 + 1)), expected);
            }
        }
        buffer.release(Position(51));
        assert_eq!(buffer.read(span(51, 101)), Payload::Data(bytes::Bytes::copy_from_slice(&all[50..])));
        assert_eq!(buffer.chunks.len(), 8);
    }

    #[test]
    fn lengths_are_one_chunk_and_mix_with_bytes_as_zeros() {
        let mut buffer = SendBuffer::new();
        buffer.push_length(Bytes(10));
        buffer.push_length(Bytes(10));
        assert_eq!(buffer.chunks.len(), 1);
        assert_eq!(buffer.read(span(3, 18)), Payload::Length(15));
        buffer.push_data(bytes::Bytes::from_static(b"ab"));
        assert_eq!(buffer.read(span(19, 23)), Payload::Data(bytes::Bytes::from_static(b"\0\0ab")));
    }

    #[test]
    fn an_endless_source_ends_where_it_is_told_to() {
        let mut buffer = SendBuffer::new();
        buffer.push_data(bytes::Bytes::from_static(b"abc"));
        buffer.push_forever();
        buffer.release(Position(1000));
        assert_eq!(buffer.read(span(1000, 2448)), Payload::Length(1448));
        buffer.end_endless(Position(5000));
        assert_eq!(buffer.end(), Position(5000));
        assert_eq!(buffer.read(span(4000, 5000)), Payload::Length(1000));
    }
}
