//! What `%{ assert ... }%` can look at: fields of Linux's tcp_info that an endpoint knows, in Linux's units.

use ackless_tcp::Endpoint;
use ackless_tcp::loss::Phase;
use ackless_wire::Duration;

use super::notation::Assertion;

/// Whether an assertion holds; if not, what is so instead.
pub fn check(end: &Endpoint, assertion: &Assertion) -> Result<(), String> {
    let Assertion { field, relation, value } = assertion;
    let found = read(end, field)?;
    let wanted = match value.as_str() {
        "TCP_CA_Open" => OPEN,
        "TCP_CA_Recovery" => RECOVERY,
        "TCP_CA_Loss" => LOSS,
        number => number.parse().map_err(|_| format!("{number} is not supported as a value"))?,
    };
    let holds = match relation.as_str() {
        "==" => found == wanted,
        "!=" => found != wanted,
        "<" => found < wanted,
        "<=" => found <= wanted,
        ">" => found > wanted,
        _ => found >= wanted,
    };
    if holds { Ok(()) } else { Err(format!("{field} is {found}, not {relation} {value}")) }
}

fn read(end: &Endpoint, field: &str) -> Result<u64, String> {
    let stats = end.stats();
    let segment = end.segment_size().get();
    let micros = |time: Option<Duration>| time.map_or(0, |time| time.as_nanos() / 1000);
    Ok(match field {
        "tcpi_bytes_acked" => stats.bytes_acked.get(),
        "tcpi_bytes_received" => stats.bytes_delivered.get(),
        "tcpi_ca_state" => match end.recovery_phase() {
            Phase::Open => OPEN,
            Phase::Recovery { .. } => RECOVERY,
            Phase::GoBack { .. } => LOSS,
        },
        "tcpi_rto" => micros(Some(end.retransmission_timeout())),
        "tcpi_rtt" => micros(stats.srtt),
        "tcpi_min_rtt" => micros(stats.min_rtt),
        "tcpi_snd_cwnd" => stats.cwnd.get() / segment,
        "tcpi_snd_mss" => segment,
        // Linux has so much where there is no threshold yet.
        "tcpi_snd_ssthresh" => stats.ssthresh.map_or(0x7fff_ffff, |threshold| threshold.get() / segment),
        "tcpi_snd_wnd" => end.peer_window().get(),
        "tcpi_total_retrans" => stats.retransmitted_segments,
        "tcpi_unacked" => end.flight_size().get().div_ceil(segment),
        // Not of tcp_info: bytes, where whole segments would hide what matters.
        "cwnd_bytes" => stats.cwnd.get(),
        "ssthresh_bytes" => stats.ssthresh.map_or(u64::MAX, ackless_wire::Bytes::get),
        "challenge_acks" => stats.challenge_acks,
        _ => {
            return Err(format!(
                "field {field} is not supported; supported are tcpi_bytes_acked, tcpi_bytes_received, tcpi_ca_state, tcpi_rto, tcpi_rtt, tcpi_min_rtt, tcpi_snd_cwnd, tcpi_snd_mss, tcpi_snd_ssthresh, tcpi_snd_wnd, tcpi_total_retrans, tcpi_unacked, cwnd_bytes, ssthresh_bytes and challenge_acks"
            ));
        }
    })
}

const OPEN: u64 = 0;
const RECOVERY: u64 = 3;
const LOSS: u64 = 4;
