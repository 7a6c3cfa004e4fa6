//! Checks that every builder needs.

use std::fmt::Display;

use ackless_wire::Duration;

use crate::error::ScenarioError;
use crate::scenario::Scenario;
use crate::schema::Setting;
use crate::value::{Switch, Value};

impl Scenario {
    /// A mistake in the value of `setting`.
    pub(super) fn refuse<T>(
        &self,
        setting: &Setting<T>,
        message: impl Display,
        help: impl Into<String>,
    ) -> ScenarioError {
        ScenarioError::new(self.place(setting), format!("{}.{} {message}", setting.section, setting.key), help)
    }

    /// Refuses a value other than the default for a key that has no bearing because of `reason`.
    pub(super) fn without_bearing<T: Value>(&self, setting: &Setting<T>, reason: &str) -> Result<(), ScenarioError> {
        if setting.differs() {
            let help = format!(
                "leave the key out, or put its default back: --set {}.{}={}",
                setting.section,
                setting.key,
                setting.default_word()
            );
            return Err(self.refuse(setting, format!("has no bearing, since {reason}"), help));
        }
        Ok(())
    }

    /// Refuses a file whose content was not put in its place.
    pub(super) fn was_read(&self, file: &Setting<String>) -> Result<(), ScenarioError> {
        if file.value.is_empty() {
            return Ok(());
        }
        let help = "name it in the scenario or by --set, for a command that reads it, and not as an axis";
        Err(self.refuse(file, format!("is {:?}, which was not read", file.value), help))
    }

    /// The value of `setting` if it lies from `low` to `high`.
    pub(super) fn in_range<T: Value + PartialOrd + Copy>(
        &self,
        setting: &Setting<T>,
        low: T,
        high: T,
    ) -> Result<T, ScenarioError> {
        if setting.value < low || setting.value > high {
            let message = format!("is {}, which is out of range", setting.value.word());
            return Err(self.refuse(setting, message, format!("allowed is from {} to {}", low.word(), high.word())));
        }
        Ok(setting.value)
    }

    /// How much time's worth of a sender's rate TCP Small Queues hold or a burst carries, at most a second.
    pub(super) fn share_of_rate(&self, setting: &Setting<Switch<Duration>>) -> Result<Option<Duration>, ScenarioError> {
        match setting.value.on() {
            Some(time) if time > Duration::from_secs(1) => {
                let message = format!("is {}, which is out of range", time.word());
                Err(self.refuse(setting, message, "allowed is \"off\" or up to 1s"))
            }
            share => Ok(share),
        }
    }

    /// The value of `setting` if it is not zero.
    pub(super) fn positive<T: Value + Default + Copy>(&self, setting: &Setting<T>) -> Result<T, ScenarioError> {
        if setting.value == T::default() {
            return Err(self.refuse(setting, "is zero", "it must be greater"));
        }
        Ok(setting.value)
    }
}

/// More packets than any queue of use holds: 2 GB of full-sized ones.
pub(super) const MAX_PACKETS: u32 = 1 << 20;
