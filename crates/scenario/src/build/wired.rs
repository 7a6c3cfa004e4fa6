//! The wire: both its directions, and how they change.

use ackless_cell::config::{
    Direction, NewOptions, Probability, Segments, WireBuffer, WireStep, WiredConfig, WiredLink,
};
use ackless_wire::{BitRate, Bytes, Duration, Instant};

use super::air::is_changed_by;
use super::checks::MAX_PACKETS;
use super::groups::check_name;
use super::traces::{RateKeys, Traces};
use crate::error::ScenarioError;
use crate::keys::Steps;
use crate::scenario::Scenario;
use crate::schema::Setting;
use crate::value::{Auto, Room, Value, Ways};

/// The keys of one direction.
struct Way<'a> {
    rate: &'a Setting<Auto<BitRate>>,
    delay: &'a Setting<Auto<Duration>>,
    jitter: &'a Setting<Auto<Duration>>,
    loss: &'a Setting<Auto<Probability>>,
    buffer: &'a Setting<Auto<Room>>,
    new_options: &'a Setting<Auto<NewOptions>>,
    segments: &'a Setting<Auto<Segments>>,
}

/// The wire of the cell.
pub(super) fn wired(scenario: &Scenario) -> Result<WiredConfig, ScenarioError> {
    let wired = &scenario.wired;
    if wired.reorder.value == Probability::NEVER {
        scenario.without_bearing(&wired.reorder_delay, "wired.reorder is 0")?;
    }
    let down = Way {
        rate: &wired.down_rate,
        delay: &wired.down_delay,
        jitter: &wired.down_jitter,
        loss: &wired.down_loss,
        buffer: &wired.down_buffer,
        new_options: &wired.down_new_options,
        segments: &wired.down_segments,
    };
    let up = Way {
        rate: &wired.up_rate,
        delay: &wired.up_delay,
        jitter: &wired.up_jitter,
        loss: &wired.up_loss,
        buffer: &wired.up_buffer,
        new_options: &wired.up_new_options,
        segments: &wired.up_segments,
    };
    let traces = Traces::of(
        scenario,
        &RateKeys { rate: &wired.down_rate, trace: &wired.down_rate_trace },
        &RateKeys { rate: &wired.up_rate, trace: &wired.up_rate_trace },
    )?;
    let (down, up) = (link(scenario, &down)?, link(scenario, &up)?);
    if down.jitter.is_zero() && up.jitter.is_zero() {
        scenario.without_bearing(&wired.jitter_reorders, "wired.jitter is 0")?;
    }
    // RFC 791: every internet module must take packets of 576 bytes; 2,304 is the largest MSDU (802.11-2020, 9.2.4.7.1)
    // less 8 bytes of LLC.
    let mtu = scenario.in_range(&wired.mtu, Bytes(576), Bytes(2_296))?;
    let steps = steps(scenario)?;
    traces.check_steps(scenario)?;
    Ok(WiredConfig { down, up, mtu, steps, down_trace: traces.down, up_trace: traces.up })
}

fn link(scenario: &Scenario, way: &Way<'_>) -> Result<WiredLink, ScenarioError> {
    let wired = &scenario.wired;
    let shared_buffer = scenario.in_range(&wired.buffer_packets, 1, MAX_PACKETS)?;
    Ok(WiredLink {
        rate: match way.rate.value {
            Auto::Auto => scenario.positive(&wired.rate)?,
            Auto::Given(rate) => not_zero(scenario, way.rate, rate)?,
        },
        delay: way.delay.value.clone().unwrap_or_else(|| wired.delay.value),
        loss: way.loss.value.clone().unwrap_or_else(|| wired.loss.value),
        reorder: wired.reorder.value,
        reorder_delay: wired.reorder_delay.value,
        jitter: way.jitter.value.clone().unwrap_or_else(|| wired.jitter.value),
        jitter_reorders: wired.jitter_reorders.value,
        buffer: match way.buffer.value {
            Auto::Auto => WireBuffer::Packets(shared_buffer),
            Auto::Given(Room::Packets(packets)) if (1..=MAX_PACKETS).contains(&packets) => WireBuffer::Packets(packets),
            Auto::Given(Room::Bytes(bytes)) if (Bytes(1)..=MAX_BYTES).contains(&bytes) => WireBuffer::Bytes(bytes),
            Auto::Given(room) => {
                let help = format!("allowed is from 1 to {MAX_PACKETS} packets, or from 1B to {}", MAX_BYTES.word());
                let message = format!("is {}, which is out of range", room.word());
                return Err(scenario.refuse(way.buffer, message, help));
            }
        },
        new_options: way.new_options.value.clone().unwrap_or_else(|| wired.new_options.value),
        segments: way.segments.value.clone().unwrap_or_else(|| wired.segments.value),
    })
}

fn steps(scenario: &Scenario) -> Result<Vec<WireStep>, ScenarioError> {
    let mut names = Vec::new();
    let mut steps = Vec::new();
    for step in &scenario.steps {
        check_name(scenario, &step.name, names.iter().copied())?;
        names.push(&step.name.value);
        steps.extend(wire_step(scenario, step)?);
    }
    steps.sort_by_key(|step| step.at);
    Ok(steps)
}

fn wire_step(scenario: &Scenario, step: &Steps) -> Result<Option<WireStep>, ScenarioError> {
    let at = Instant::ZERO.saturating_add(step.at.value);
    // Both are within their ranges, so that the sum is no more than 200,000 s.
    let end = scenario.run.warm_up.value + scenario.run.measured.value;
    if step.at.value >= end {
        let message = format!("is {}, but the run ends at {}", step.at.value.word(), end.word());
        let help = "set it earlier, or lengthen run.warm_up or run.measured";
        return Err(scenario.refuse(&step.at, message, help));
    }
    let changes_wire = step.rate.value != Auto::Auto
        || step.delay.value != Auto::Auto
        || step.loss.value != Auto::Auto
        || step.new_options.value != Auto::Auto;
    if !changes_wire {
        if !is_changed_by(step) {
            let help = "set steps.rate, delay, loss, new_options, snr, air_loss or outage, or leave the step out";
            return Err(scenario.refuse(&step.name, "is a step that changes nothing", help));
        }
        scenario.without_bearing(&step.direction, "the step does not change the wire")?;
        return Ok(None);
    }
    Ok(Some(WireStep {
        at,
        direction: match step.direction.value {
            Ways::Both => None,
            Ways::Down => Some(Direction::Down),
            Ways::Up => Some(Direction::Up),
        },
        rate: step.rate.given(),
        delay: step.delay.given(),
        loss: step.loss.given(),
        new_options: step.new_options.given(),
    }))
}

fn not_zero(scenario: &Scenario, setting: &Setting<Auto<BitRate>>, rate: BitRate) -> Result<BitRate, ScenarioError> {
    if rate == BitRate::ZERO {
        return Err(scenario.refuse(setting, "is zero", "it must be greater"));
    }
    Ok(rate)
}

/// As many full-sized packets as a buffer in packets may hold.
const MAX_BYTES: Bytes = Bytes(1 << 31);
