//! What a script may set before its first event: `sysctl -q KEY=VALUE ...` in back quotes, and `--NAME=VALUE`.

use ackless_tcp::{
    AckChoice, Config, CongestionChoice, Consume, GrowthRule, InitialWindow, MissingTimestamp, PrrRule, RackRule,
    RecoveryChoice, SlowStartChoice,
};
use ackless_wire::{Bytes, Duration};

use super::Fault;
use super::notation::Script;

/// How a script is run.
#[derive(Debug)]
pub struct Setup {
    pub config: Config,
    pub ipv6: bool,
    /// How far from its time an expected segment may lie.
    pub tolerance: Duration,
}

impl Setup {
    pub fn of(script: &Script) -> Result<Self, Fault> {
        let config = Config { consume: Consume::ByApplication, ..Config::default() };
        let mut setup = Self { config, ipv6: false, tolerance: Duration::ZERO };
        for (line, name, value) in &script.settings {
            match (name.as_str(), value.as_str()) {
                ("ip_version", "ipv4") => setup.ipv6 = false,
                ("ip_version", "ipv6") => setup.ipv6 = true,
                ("tolerance_usecs", _) => setup.tolerance = Duration::from_micros(number(*line, value)?),
                _ => {
                    let text = format!(
                        "--{name}={value} is not supported; supported are --ip_version=ipv4 or ipv6 and --tolerance_usecs=N"
                    );
                    return Err(Fault::new(*line, text));
                }
            }
        }
        for (line, command) in &script.commands {
            let Some(settings) = command.trim().strip_prefix("sysctl -q ") else {
                return Err(Fault::new(
                    *line,
                    format!("`{command}` is not supported; supported is `sysctl -q KEY=VALUE ...`"),
                ));
            };
            for setting in settings.split_whitespace() {
                let pair =
                    setting.split_once('=').ok_or_else(|| Fault::new(*line, format!("{setting} has no value")))?;
                setup.set(*line, pair)?;
            }
        }
        Ok(setup)
    }

    /// Linux's keys where it has one that means the same; `ackless.` before those of [`Config`] that it does not have.
    pub fn set(&mut self, line: usize, (key, value): (&str, &str)) -> Result<(), Fault> {
        let config = &mut self.config;
        let whole = || number(line, value);
        let switch = || number(line, value).map(|on| on != 0);
        match key {
            "net.ipv4.tcp_congestion_control" => config.congestion = controller(line, value)?,
            "net.ipv4.tcp_dsack" => config.sender.undo.dsack = switch()?,
            "net.ipv4.tcp_ecn" => config.ecn = switch()?,
            "net.ipv4.tcp_frto" => config.sender.undo.frto = switch()?,
            "net.ipv4.tcp_recovery" => {
                config.recovery = if switch()? { RecoveryChoice::Rack } else { RecoveryChoice::Standard }
            }
            "net.ipv4.tcp_retries2" => config.retries = whole()? as u32,
            "net.ipv4.tcp_sack" => config.sack = switch()?,
            "net.ipv4.tcp_slow_start_after_idle" => config.idle_restart = switch()?,
            "net.ipv4.tcp_syn_retries" => config.syn_retries = whole()? as u32,
            "net.ipv4.tcp_timestamps" => config.timestamps = switch()?.then_some(Duration::from_millis(1)),
            "net.ipv4.tcp_window_scaling" => config.window_scaling = switch()?,
            "ackless.challenge_acks" => config.challenge_acks.most = whole()? as u32,
            "ackless.challenge_window_ms" => config.challenge_acks.window = Duration::from_millis(whole()?),
            "ackless.delayed_ack_ms" => {
                config.ack = AckChoice::Delayed { every: 2, timeout: Duration::from_millis(whole()?) };
            }
            "ackless.eifel" => config.sender.undo.eifel = switch()?,
            "ackless.growth" => {
                config.sender.growth = match value {
                    "rfc" => GrowthRule::Rfc,
                    "linux" => GrowthRule::Linux,
                    _ => return Err(Fault::new(line, format!("{value} is neither rfc nor linux"))),
                };
            }
            "ackless.hystart" => config.sender.slow_start = SlowStartChoice::HyStartPlusPlus,
            "ackless.initial_window" => {
                config.initial_window = match value {
                    "rfc3390" => InitialWindow::Rfc3390,
                    "rfc6928" => InitialWindow::Rfc6928,
                    _ => InitialWindow::Segments(whole()? as u32),
                };
            }
            "ackless.missing_timestamp" => {
                config.missing_timestamp = match value {
                    "accept" => MissingTimestamp::Accept,
                    "drop" => MissingTimestamp::Drop,
                    _ => return Err(Fault::new(line, format!("{value} is neither accept nor drop"))),
                };
            }
            "ackless.mss" => config.mss = Bytes(whole()?),
            "ackless.prr" => {
                config.sender.prr = match value {
                    "rfc6937" => PrrRule::Rfc6937,
                    "rfc9937" => PrrRule::Rfc9937,
                    "linux" => PrrRule::Linux,
                    _ => return Err(Fault::new(line, format!("{value} is none of rfc6937, rfc9937 and linux"))),
                };
            }
            "ackless.rack" => {
                config.sender.rack = match value {
                    "rfc" => RackRule::Rfc,
                    "linux" => RackRule::Linux,
                    _ => return Err(Fault::new(line, format!("{value} is neither rfc nor linux"))),
                };
            }
            "ackless.receive_buffer" => config.receive_buffer = Bytes(whole()?),
            "ackless.rto_initial_ms" => config.rto_initial = Duration::from_millis(whole()?),
            "ackless.rto_min_ms" => config.rto_min = Duration::from_millis(whole()?),
            "ackless.rto_max_ms" => config.rto_max = Duration::from_millis(whole()?),
            "ackless.slow_start_limit" => config.slow_start_limit = Some(whole()? as u32),
            "ackless.time_wait_s" => config.time_wait = Duration::from_secs(whole()?),
            _ => {
                return Err(Fault::new(
                    line,
                    format!("sysctl {key} is not supported: see tests/suite/packetdrill/setup.rs for those that are"),
                ));
            }
        }
        Ok(())
    }
}

/// The controller of a name as TCP_CONGESTION and the sysctl have it.
pub fn controller(line: usize, name: &str) -> Result<CongestionChoice, Fault> {
    match name {
        "cubic" => Ok(CongestionChoice::Cubic),
        "reno" => Ok(CongestionChoice::NewReno),
        "bbr" => Ok(CongestionChoice::Bbr),
        "bbr3" => Ok(CongestionChoice::Bbr3),
        "reno-rfc5681" => Ok(CongestionChoice::Reno),
        _ => Err(Fault::new(line, format!("{name} is none of cubic, reno, reno-rfc5681 and bbr"))),
    }
}

fn number(line: usize, text: &str) -> Result<u64, Fault> {
    text.parse().map_err(|_| Fault::new(line, format!("{text} is no number")))
}
