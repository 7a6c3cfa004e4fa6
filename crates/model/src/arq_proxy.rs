//! ARQ proxy: a closed form of what "Cross-Layer Error Recovery Optimization in WiFi Networks" (Kliazovich, Ben Halima and
//! Granelli) simulates.
//!
//! The paper has no equations. Its exchange is that of 802.11b at 11 Mbps: data from the access point, each frame with its
//! link-layer ACK, and TCP ACKs as frames of their own. The proxy asks for the TCP ACK in the Duration field of a link-layer ACK,
//! which is no longer for it, so what remains is the data alone: [`Download::without_acks`]. What the paper leaves open is decided
//! so: long preamble, link-layer ACKs at 2 Mbps, frames with 36 bytes around a datagram (24 of MAC header, 8 of LLC and SNAP, 4 of
//! FCS), TCP and IP headers of 40 bytes, without timestamps.
//!
//! Frames that are lost ([`Losses`]) follow DCF: after each loss the sender waits out its ACK timeout and draws from a window twice
//! as wide, until the retry limit. [`goodput`] is the download with and without TCP ACKs then.
//!
//! Collisions without losses are in [`contending_datagrams_per_second`]. Not modelled: both together, lost link-layer ACKs, and what
//! TCP makes of a frame that is given up, beyond sending it again. So the form cannot say at which loss rate a flow breaks down, but
//! how much remains for TCP to repair ([`Losses::given_up`]).

use ackless_phy::{Band, DsssRate, Standard, TxVector};
use ackless_wire::{BitRate, Bytes, Duration};

use crate::exchange::{Exchange, Link};
use crate::hack::{Download, contention};

/// Frames that get lost, independently of each other.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Losses {
    /// The chance that a data frame or a TCP ACK's frame is lost, each time it is sent. Range: 0 to 1.
    pub per_attempt: f64,
    /// How often a frame is sent before it is given up: dot11ShortRetryLimit, 1 to 255.
    pub retry_limit: u8,
}

/// What happens to TCP ACKs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TcpAcks {
    /// They go out as frames of their own.
    Native,
    /// The proxy sends them, asked by link-layer ACKs.
    Proxied,
}

impl Losses {
    /// None.
    pub const NONE: Self = Self { per_attempt: 0.0, retry_limit: RETRY_LIMIT };

    /// The share of frames that are given up.
    pub fn given_up(&self) -> f64 {
        libm::pow(self.per_attempt, f64::from(self.retry_limit))
    }

    /// The mean time, in seconds, that `exchange` takes over `link`, with its retries, whether it succeeds in the end or is given up.
    ///
    /// Attempt k, from 0, is made with the chance `p^k`. It costs DIFS, the mean back-off of a window doubled k times, and then
    /// either the whole exchange, or data and ACK timeout.
    pub fn mean_time(&self, link: &Link, exchange: &Exchange) -> f64 {
        let (p, slot) = (self.per_attempt, link.timing.slot.as_secs_f64());
        let failure = exchange.data() + link.timing.answer_timeout(link.answer);
        let busy = (1.0 - p) * exchange.busy().as_secs_f64() + p * failure.as_secs_f64();
        let (mut reached, mut seconds) = (1.0, 0.0);
        for attempt in 0..self.retry_limit {
            let backoff = window(link, attempt) / 2.0 * slot;
            seconds += reached * (exchange.wait.as_secs_f64() + backoff + busy);
            reached *= p;
        }
        seconds
    }
}

/// The paper's link with datagrams of `datagram` bytes, TCP and IP headers included and at least those, and an ACK for every
/// `segments_per_ack`, at least 1.
pub fn paper(datagram: Bytes, segments_per_ack: u64) -> Download {
    Download {
        packet: datagram,
        segment: datagram - TCP_IP,
        ack: TCP_IP,
        segments_per_ack,
        ..Download::over(Link::of(Standard::B, Band::Ghz2_4, TxVector::dsss(DsssRate::Mbps11)))
    }
}

/// Datagrams that arrive in a second. Frames go alone, aggregated or not.
///
/// A datagram that is given up costs its time, and causes no TCP ACK. A TCP ACK that is given up is made good by the next.
pub fn datagrams_per_second(download: &Download, acks: TcpAcks, losses: &Losses) -> f64 {
    let link = &download.link;
    let time = |packet| losses.mean_time(link, &link.exchange(1, packet));
    let delivered = 1.0 - losses.given_up();
    let acks = match acks {
        TcpAcks::Native => delivered / download.segments_per_ack as f64 * time(download.ack),
        TcpAcks::Proxied => 0.0,
    };
    delivered / (time(download.packet) + acks)
}

/// The same as application data, rounded down. A datagram of headers alone carries none.
pub fn goodput(download: &Download, acks: TcpAcks, losses: &Losses) -> BitRate {
    BitRate::from_bps((datagrams_per_second(download, acks, losses) * download.segment.bits() as f64) as u64)
}

/// By how much the proxy delivers more datagrams, in percent. It has a value for datagrams without data too.
pub fn gain(download: &Download, losses: &Losses) -> f64 {
    let rate = |acks| datagrams_per_second(download, acks, losses);
    100.0 * (rate(TcpAcks::Proxied) / rate(TcpAcks::Native) - 1.0)
}

/// Datagrams that arrive in a second where access point and client contend and collide, without losses; TCP ACKs go natively.
pub fn contending_datagrams_per_second(download: &Download) -> f64 {
    let counted = Download { segment: download.packet, ..*download };
    contention::tcp(&counted).goodput.bps() as f64 / download.packet.bits() as f64
}

/// By how much the proxy, which has nobody to contend with, delivers more datagrams than that, in percent.
pub fn gain_over_contending(download: &Download) -> f64 {
    let proxied = datagrams_per_second(download, TcpAcks::Proxied, &Losses::NONE);
    100.0 * (proxied / contending_datagrams_per_second(download) - 1.0)
}

/// The RTT of a flow that keeps `window` packets in flight, without losses: `base` (what the wire takes both ways) and the exchanges of one
/// packet, or, once the window is more than that takes, the window over the rate (Little's law).
pub fn rtt(download: &Download, acks: TcpAcks, window: u64, base: Duration) -> Duration {
    let each = Duration::from_secs_f64(1.0 / datagrams_per_second(download, acks, &Losses::NONE));
    (base + alone(download, acks)).max(each * window)
}

/// What the Wi-Fi hop adds to the RTT of a packet that meets nobody: data until it has arrived, and then either a TCP ACK with wait and mean
/// back-off, or the link-layer ACK that asks for it.
///
/// The proxy's form takes it that the host answers within SIFS. Where it does not, the request rides on the next data frame's ACK, and a
/// packet alone has none: its ACK goes natively.
pub fn alone(download: &Download, acks: TcpAcks) -> Duration {
    let data = download.link.exchange(1, download.packet);
    let arrived = |exchange: &Exchange| exchange.wait + exchange.backoff + exchange.data();
    arrived(&data)
        + match acks {
            TcpAcks::Native => arrived(&download.link.exchange(1, download.ack)),
            TcpAcks::Proxied => data.sifs + data.answer,
        }
}

/// CW after so many doublings.
fn window(link: &Link, doublings: u8) -> f64 {
    let doubled = ((u64::from(link.cw_min) + 1) << doublings.min(16)) - 1;
    doubled.min(u64::from(link.timing.cw_max)) as f64
}

/// dot11ShortRetryLimit's default (802.11-2020, Annex C).
pub const RETRY_LIMIT: u8 = 7;

/// The round trip over the paper's wire: 15 ms each way.
pub const WIRE: Duration = Duration::from_millis(30);

/// TCP and IP headers without options: the smallest datagram, and a TCP ACK.
pub const TCP_IP: Bytes = Bytes(40);

#[cfg(test)]
mod tests;
