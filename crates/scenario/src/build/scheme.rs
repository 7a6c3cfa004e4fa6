//! What is done with TCP ACKs, by the row and the keys of the scheme.

use ackless_cell::config::SchemeChoice;
use ackless_schemes::hack::{Fit, HackConfig, Policy};
use ackless_wire::Duration;

use super::radio::Radio;
use crate::error::ScenarioError;
use crate::scenario::Scenario;
use crate::value::{Cure, Fitting, HackPolicy};

/// The scheme of every node that is not legacy.
pub(super) fn choice(scenario: &Scenario, radio: &Radio) -> Result<SchemeChoice, ScenarioError> {
    let hack = hack(scenario, radio)?;
    Ok(match scenario.scheme.name.value {
        Cure::Stock => SchemeChoice::Stock,
        Cure::Hack => SchemeChoice::Hack(hack),
    })
}

fn hack(scenario: &Scenario, radio: &Radio) -> Result<HackConfig, ScenarioError> {
    let hack = &scenario.hack;
    let (shortest, longest) = (Duration::from_micros(1), Duration::from_secs(10));
    let timer = scenario.in_range(&hack.timer, shortest, longest)?;
    Ok(HackConfig {
        policy: match hack.policy.value {
            HackPolicy::MoreData => Policy::MoreData,
            HackPolicy::Opportunistic => Policy::Opportunistic,
            HackPolicy::Timer => Policy::ExplicitTimer(timer),
        },
        guard: scenario.in_range(&hack.guard, shortest, longest)?,
        driver_to_nic: scenario.in_range(&hack.driver_to_nic, Duration::ZERO, longest)?,
        fit: match hack.fit.value {
            Fitting::Whole => Fit::Whole,
            Fitting::Split => Fit::WithinAifs,
        },
        aifs: radio.interframe_space(),
    })
}
