//! Tables 2 and 3 of the TCP/HACK paper beside their arithmetic.

use ackless_lab::VERSION;
use ackless_lab::table::Table;
use ackless_model::CompressedSize;
use ackless_model::hack::figure::Figure;
use ackless_model::hack::tables::{AckCosts, AckCounts, AckTimes, Transfer};
use ackless_wire::Duration;
use serde_json::{Value, json};

/// Both tables.
pub struct Tables {
    size: CompressedSize,
    /// Table 2: TCP and TCP/HACK, the paper's and ours.
    counts: [Row<AckCounts>; 4],
    /// Table 3: the paper's, and ours over its counts with its own waits and with the standard's.
    times: [Row<AckTimes>; 6],
    /// What an ACK waits for the channel and for its answer.
    costs: [Row<AckCosts>; 2],
}

struct Row<T> {
    name: &'static str,
    source: &'static str,
    value: T,
}

impl Tables {
    /// The tables with compressed ACKs of `size`.
    pub fn of(size: CompressedSize) -> Self {
        let transfer = Transfer::PAPER;
        let vectors = Figure::A.vectors();
        let link = Figure::A.link(*vectors.last().expect("802.11a has rates"));
        let standard = AckCosts::of(&link, transfer.ack);
        let paper = AckTimes::PAPER_TCP;
        let theirs = standard.measured(AckCounts::PAPER_TCP.native, paper.acquisition, paper.answers);
        let (tcp, hack) = (AckCounts::PAPER_TCP, AckCounts::PAPER_HACK);
        Self {
            size,
            counts: [
                row(TCP, PAPER, tcp),
                row(TCP, "25 MiB / 1448 bytes / 2", transfer.counts(u64::MAX, size)),
                row(HACK, PAPER, hack),
                row(HACK, "10 of them native", transfer.counts(hack.native, size)),
            ],
            times: [
                row(TCP, PAPER, AckTimes::PAPER_TCP),
                row(TCP, THEIRS, tcp.times(&theirs)),
                row(TCP, STANDARD, tcp.times(&standard)),
                row(HACK, PAPER, AckTimes::PAPER_HACK),
                row(HACK, THEIRS, hack.times(&theirs)),
                row(HACK, STANDARD, hack.times(&standard)),
            ],
            costs: [row("each ACK", THEIRS, theirs), row("each ACK", STANDARD, standard)],
        }
    }

    pub fn to_text(&self) -> String {
        let titles = ["table 2", "from", "native\nACKs", "bytes", "compressed\nACKs", "bytes", "ratio"];
        let mut counts = Table::new(titles.map(str::to_owned).into());
        for row in &self.counts {
            let ratio = Transfer::PAPER.compression_ratio(&row.value);
            counts.push(vec![
                row.name.to_owned(),
                row.source.to_owned(),
                row.value.native.to_string(),
                row.value.native_bytes.get().to_string(),
                row.value.compressed.to_string(),
                row.value.compressed_bytes.get().to_string(),
                ratio.map(|ratio| format!("{ratio:.2}")).unwrap_or_default(),
            ]);
        }
        let titles = ["table 3, ms", "waits", "TCP ACK", "ROHC", "acquire\nchannel", "LL ACK\noverhead"];
        let mut times = Table::new(titles.map(str::to_owned).into());
        for row in &self.times {
            let value = &row.value;
            let parts = [value.native, value.compressed, value.acquisition, value.answers].map(millis);
            times.push([row.name.to_owned(), row.source.to_owned()].into_iter().chain(parts).collect());
        }
        let mut costs = Table::new(["", "waits", "channel\nus", "answer\nus"].map(str::to_owned).into());
        for row in &self.costs {
            let parts = [row.value.acquisition, row.value.answer].map(|span| format!("{:.1}", span.as_micros_f64()));
            costs.push([row.name.to_owned(), row.source.to_owned()].into_iter().chain(parts).collect());
        }
        format!(
            "TCP/HACK, tables 2 and 3: the ACKs of 25 MiB over 802.11a, native at 54 Mbps, compressed to {} bytes at 24\n\n\
             {counts}\nTimes over the paper's counts\n\n{times}\n{costs}",
            self.size
        )
    }

    pub fn to_json(&self) -> Value {
        let counts = self.counts.iter().map(|row| {
            json!({
                "scheme": row.name, "from": row.source,
                "native": row.value.native, "native_bytes": row.value.native_bytes.get(),
                "compressed": row.value.compressed, "compressed_bytes": row.value.compressed_bytes.get(),
                "ratio": Transfer::PAPER.compression_ratio(&row.value),
            })
        });
        let times = self.times.iter().map(|row| {
            let value = &row.value;
            let [native, compressed, acquisition, answers] =
                [value.native, value.compressed, value.acquisition, value.answers].map(|span| span.as_secs_f64() * 1e3);
            json!({
                "scheme": row.name, "waits": row.source, "tcp_ack_ms": native, "rohc_ms": compressed,
                "acquire_channel_ms": acquisition, "ll_ack_overhead_ms": answers,
            })
        });
        let costs = self.costs.iter().map(|row| {
            let [acquisition, answer] = [row.value.acquisition, row.value.answer].map(Duration::as_micros_f64);
            json!({ "waits": row.source, "acquire_channel_us": acquisition, "ll_ack_overhead_us": answer })
        });
        json!({
            "version": VERSION,
            "ack_bytes": self.size.as_f64(),
            "table_2": counts.collect::<Vec<_>>(),
            "table_3": times.collect::<Vec<_>>(),
            "each_ack": costs.collect::<Vec<_>>(),
        })
    }
}

fn row<T>(name: &'static str, source: &'static str, value: T) -> Row<T> {
    Row { name, source, value }
}

fn millis(span: Duration) -> String {
    format!("{:.2}", span.as_secs_f64() * 1e3)
}

const TCP: &str = "TCP/802.11a";
const HACK: &str = "TCP/HACK";
const PAPER: &str = "the paper";
const THEIRS: &str = "as in its TCP row";
const STANDARD: &str = "the standard's";
