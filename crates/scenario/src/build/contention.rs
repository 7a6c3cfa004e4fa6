//! Contention windows, and how they move.

use ackless_cell::config::BackoffPolicy;
use ackless_phy::Timing;

use crate::error::ScenarioError;
use crate::scenario::Scenario;
use crate::schema::Setting;
use crate::value::{Auto, Backoff};

/// The smallest and the largest contention window that two keys, of the cell or of the AP, name.
pub(super) fn contention_window(
    scenario: &Scenario,
    timing: &Timing,
    smallest: &Setting<Auto<u32>>,
    largest: &Setting<Auto<u32>>,
) -> Result<(u16, u16), ScenarioError> {
    let read = |setting: &Setting<Auto<u32>>, default: u16| match setting.value {
        Auto::Auto => Ok(default),
        // IEEE 802.11-2020, 9.4.2.28: CW = 2^ECW - 1 with ECW of four bits.
        Auto::Given(cw) => {
            u16::try_from(cw).ok().filter(|cw| *cw <= 32_767 && (cw + 1).is_power_of_two()).ok_or_else(|| {
                scenario.refuse(setting, format!("is {cw}"), "allowed is 2^n - 1: 0, 1, 3, 7, 15 and so on to 32767")
            })
        }
    };
    let (cw_min, cw_max) = (read(smallest, timing.cw_min)?, read(largest, timing.cw_max)?);
    if cw_min > cw_max {
        let setting = if smallest.differs() { smallest } else { largest };
        let message = format!("makes the smallest contention window, {cw_min}, greater than the largest, {cw_max}");
        let help = format!(
            "set {}.{} and {}.{} so that they go together",
            smallest.section, smallest.key, largest.section, largest.key
        );
        return Err(scenario.refuse(setting, message, help));
    }
    Ok((cw_min, cw_max))
}

/// How a contention window that begins at `cw_min` moves.
pub(super) fn backoff_policy(
    scenario: &Scenario,
    backoff: Backoff,
    cw_min: u16,
) -> Result<BackoffPolicy, ScenarioError> {
    let floor = &scenario.wifi.cw_floor;
    match backoff {
        Backoff::Standard => Ok(BackoffPolicy::Standard),
        Backoff::AutoZoom => match u16::try_from(floor.value) {
            Ok(floor) if floor < cw_min => Ok(BackoffPolicy::AutoZoom { floor }),
            _ => {
                let message = format!(
                    "is {}, but auto-zoom goes below the smallest contention window, here {cw_min}",
                    floor.value
                );
                Err(scenario.refuse(
                    floor,
                    message,
                    "set wifi.cw_floor below wifi.cw_min and ap.cw_min, or backoff to standard",
                ))
            }
        },
    }
}
