//! Groups of flows and of pings, unrolled.

use ackless_cell::config::{
    FlowConfig, Pace, Peer, PingConfig, RequestsConfig, Span, Topology, Traffic, TransportConfig, VideoConfig,
};
use ackless_wire::{Bytes, Duration, Instant};

use super::groups::{Groups, check_name};
use super::transport::transport;
use crate::error::ScenarioError;
use crate::keys::Flows;
use crate::scenario::Scenario;
use crate::schema::Setting;
use crate::value::{Pattern, Spread, Value};

/// Every flow of the cell, group by group.
pub(super) fn flows(scenario: &Scenario, groups: &Groups) -> Result<Vec<FlowConfig>, ScenarioError> {
    let mut flows: Vec<FlowConfig> = Vec::new();
    let mut names = Vec::new();
    for group in &scenario.flows {
        check_name(scenario, &group.name, names.iter().copied())?;
        names.push(&group.name.value);
        let transport = transport(scenario, group)?;
        let traffic = traffic(scenario, group, &transport)?;
        let count = scenario.in_range(&group.count, 1, MAX_FLOWS)? as usize;
        let stations = groups.named(scenario, &group.stations)?;
        if flows.len() + stations.len() * count > MAX_FLOWS as usize {
            let message = format!("brings the flows beyond {MAX_FLOWS}");
            return Err(scenario.refuse(&group.count, message, "use fewer"));
        }
        let each = (0..count).flat_map(|_| stations.clone());
        for (number, station) in each.enumerate() {
            let wait = group.stagger.value.saturating_mul(number as u64);
            flows.push(FlowConfig {
                name: format!("{}-{}", group.name.value, number + 1),
                station,
                direction: group.direction.value,
                peer: peer(scenario, groups, group, number, station)?,
                transport,
                traffic,
                start: start(scenario, &group.start, wait)?,
            });
        }
    }
    Ok(flows)
}

/// Every ping of the cell, group by group.
pub(super) fn pings(scenario: &Scenario, groups: &Groups) -> Result<Vec<PingConfig>, ScenarioError> {
    let mut pings = Vec::new();
    let mut names = Vec::new();
    for group in &scenario.pings {
        if scenario.wifi.topology.value == Topology::AdHoc {
            let message = "is a ping from the server, which an ad hoc cell does not have";
            return Err(scenario.refuse(&group.name, message, "leave [[pings]] out"));
        }
        check_name(scenario, &group.name, names.iter().copied())?;
        names.push(&group.name.value);
        let interval = scenario.in_range(&group.interval, Duration::from_micros(100), Duration::from_secs(1_000))?;
        // An IPv4 and an ICMP echo header alone are 28 bytes.
        let packet = scenario.in_range(&group.packet, Bytes(28), scenario.wired.mtu.value)?;
        for (number, station) in groups.named(scenario, &group.stations)?.enumerate() {
            pings.push(PingConfig {
                name: format!("{}-{}", group.name.value, number + 1),
                station,
                interval,
                packet,
                start: start(scenario, &group.start, Duration::ZERO)?,
            });
        }
    }
    Ok(pings)
}

fn start(scenario: &Scenario, setting: &Setting<Duration>, wait: Duration) -> Result<Instant, ScenarioError> {
    let start = Instant::ZERO.saturating_add(setting.value).saturating_add(wait);
    let end = Instant::ZERO.saturating_add(scenario.run.warm_up.value).saturating_add(scenario.run.measured.value);
    if start >= end {
        let message = format!("and the stagger let something start at {start}, after the end of the run at {end}");
        return Err(scenario.refuse(
            setting,
            message,
            "set an earlier start or a smaller stagger, or lengthen run.warm_up or run.measured",
        ));
    }
    Ok(start)
}

fn peer(
    scenario: &Scenario,
    groups: &Groups,
    group: &Flows,
    number: usize,
    station: usize,
) -> Result<Peer, ScenarioError> {
    if group.peer.value == "server" {
        if scenario.wifi.topology.value == Topology::AdHoc {
            let message = "is the server, which an ad hoc cell does not have";
            return Err(scenario.refuse(&group.peer, message, "name a group of stations"));
        }
        return Ok(Peer::Server);
    }
    let peers = groups.named(scenario, &group.peer)?;
    let peer = peers.clone().cycle().nth(number % peers.len().max(1));
    match peer {
        Some(peer) if peer != station => Ok(Peer::Station(peer)),
        Some(_) => {
            let message = "makes a station its own peer";
            Err(scenario.refuse(&group.peer, message, "name a group with other stations"))
        }
        None => Err(scenario.refuse(&group.peer, "names a group without stations", "set its count above 0")),
    }
}

fn traffic(scenario: &Scenario, group: &Flows, transport: &TransportConfig) -> Result<Traffic, ScenarioError> {
    let pattern = group.traffic.value;
    let reason = format!("the traffic is {}", pattern.word());
    if pattern != Pattern::Requests {
        scenario.without_bearing(&group.request_size, &reason)?;
        scenario.without_bearing(&group.response_size, &reason)?;
        scenario.without_bearing(&group.request_writes, &reason)?;
        scenario.without_bearing(&group.response_writes, &reason)?;
        scenario.without_bearing(&group.request_count, &reason)?;
    } else if matches!(transport, TransportConfig::Udp { .. }) {
        let message = "is requests, which need TCP: a datagram that is lost would end them for good";
        return Err(scenario.refuse(
            &group.traffic,
            message,
            "leave the row udp out, set flows.protocol=tcp, or choose other traffic",
        ));
    }
    if !matches!(pattern, Pattern::Bulk | Pattern::OnOff | Pattern::Video) {
        scenario.without_bearing(&group.rate, &reason)?;
    }
    let fills = pattern == Pattern::Bulk && group.rate.value == Pace::Saturating;
    if fills || matches!(pattern, Pattern::Finite | Pattern::Repeated) {
        scenario.without_bearing(&group.no_delay, &format!("{reason}, which writes no small pieces"))?;
    }
    if !matches!(pattern, Pattern::Finite | Pattern::Repeated) {
        scenario.without_bearing(&group.size, &reason)?;
    }
    if !matches!(pattern, Pattern::Repeated | Pattern::Requests) {
        scenario.without_bearing(&group.think, &reason)?;
    }
    if pattern != Pattern::OnOff {
        scenario.without_bearing(&group.on, &reason)?;
        scenario.without_bearing(&group.off, &reason)?;
    }
    if pattern != Pattern::Video {
        for setting in [&group.frame_interval, &group.play_from, &group.resume_from] {
            scenario.without_bearing(setting, &reason)?;
        }
        for setting in [&group.key_every, &group.key_weight] {
            scenario.without_bearing(setting, &reason)?;
        }
        scenario.without_bearing(&group.catch_up, &reason)?;
    } else if group.key_weight.value == 1 {
        scenario.without_bearing(&group.key_every, "flows.key_weight is 1, so that all frames are alike")?;
    }
    if !matches!(pattern, Pattern::Repeated | Pattern::OnOff | Pattern::Requests) {
        scenario.without_bearing(&group.times, &reason)?;
    }
    if group.rate.value == Pace::Rate(ackless_wire::BitRate::ZERO) {
        return Err(scenario.refuse(&group.rate, "is zero", "it must be greater, or \"saturating\""));
    }
    let span = |mean| match group.times.value {
        Spread::Fixed => Span::Fixed(mean),
        Spread::Exponential => Span::Exponential(mean),
    };
    Ok(match pattern {
        Pattern::Bulk => Traffic::Bulk(group.rate.value),
        Pattern::Finite => Traffic::Finite { size: scenario.positive(&group.size)? },
        Pattern::Repeated => {
            Traffic::Repeated { size: scenario.positive(&group.size)?, think: span(group.think.value) }
        }
        Pattern::OnOff => Traffic::OnOff {
            on: span(scenario.positive(&group.on)?),
            off: span(group.off.value),
            pace: group.rate.value,
        },
        Pattern::Video => Traffic::Video(video(scenario, group)?),
        Pattern::Requests => Traffic::Requests(requests(scenario, group, span(group.think.value))?),
    })
}

fn requests(scenario: &Scenario, group: &Flows, think: Span) -> Result<RequestsConfig, ScenarioError> {
    let writes = |size: &Setting<Bytes>, writes: &Setting<u32>| {
        let len = scenario.in_range(size, Bytes(1), MAX_MESSAGE)?;
        let most = u32::try_from(len.get()).unwrap_or(u32::MAX).min(MAX_WRITES);
        Ok((len, scenario.in_range(writes, 1, most)?))
    };
    let (request, request_writes) = writes(&group.request_size, &group.request_writes)?;
    let (response, response_writes) = writes(&group.response_size, &group.response_writes)?;
    if group.request_count.value == Some(0) {
        return Err(scenario.refuse(&group.request_count, "is 0", "allowed is from 1 up, or \"never\" for no end"));
    }
    Ok(RequestsConfig { request, request_writes, response, response_writes, think, count: group.request_count.value })
}

fn video(scenario: &Scenario, group: &Flows) -> Result<VideoConfig, ScenarioError> {
    let Pace::Rate(rate) = group.rate.value else {
        return Err(scenario.refuse(
            &group.rate,
            "is saturating, but a video has a rate",
            "set it, such as \"20Mbps\"",
        ));
    };
    let longest = Duration::from_secs(100);
    let video = VideoConfig {
        rate,
        frame: scenario.in_range(&group.frame_interval, Duration::from_millis(1), Duration::from_secs(1))?,
        group: scenario.in_range(&group.key_every, 1, 1_000)?,
        key_weight: scenario.in_range(&group.key_weight, 1, 100)?,
        start: scenario.in_range(&group.play_from, Duration::ZERO, longest)?,
        resume: scenario.in_range(&group.resume_from, Duration::ZERO, longest)?,
        catch_up: group.catch_up.value,
    };
    if let Some(most) = video.catch_up
        && most < video.start.max(video.resume)
    {
        let message = format!("is {}, less than what the player waits for", most.word());
        let help = "make it at least flows.play_from and flows.resume_from, or \"never\"";
        return Err(scenario.refuse(&group.catch_up, message, help));
    }
    // A key frame weighs as many others, and each of these has at least a byte.
    if video.bytes(video.group.into()).get() < u64::from(video.group + video.key_weight - 1) {
        let message = format!("is {}, which leaves frames without a byte", rate.word());
        return Err(scenario.refuse(&group.rate, message, "set a higher rate, or a longer flows.frame_interval"));
    }
    Ok(video)
}

/// More than a request or response of use has.
const MAX_MESSAGE: Bytes = Bytes(1 << 30);
/// More writes than a message of use has.
const MAX_WRITES: u32 = 1_000;
/// More flows than any cell of use has.
const MAX_FLOWS: u32 = 10_000;
