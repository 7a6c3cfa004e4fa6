//! Overrides that no row lets stand.

use super::{Preset, Row};
use crate::error::{Place, ScenarioError};
use crate::scenario::Scenario;
use crate::schema::Origin;

impl Scenario {
    /// Refuses an override that has no effect, since each of `rows` sets its key to something else: what it measures would look as if the value did not matter.
    /// The UDP bound has no say, as it is known to replace flows.
    ///
    /// # Errors
    /// Where there is one, with the argument as the place.
    pub fn heeds_overrides(&self, rows: &[&Row]) -> Result<(), ScenarioError> {
        let rows: Vec<_> = rows.iter().filter(|row| row.preset != Preset::UdpBound).collect();
        let Some((first, others)) = rows.split_first() else { return Ok(()) };
        let mut in_vain = self.replaced_by(first);
        for row in others {
            let replaced = self.replaced_by(row);
            in_vain.retain(|number| replaced.contains(number));
        }
        let Some(&number) = in_vain.first() else { return Ok(()) };
        let argument = &self.overrides[number];
        let names: Vec<_> = rows.iter().map(|row| row.name).collect();
        let message = format!("every scheme here sets this key itself, whatever is asked for: {}", names.join(", "));
        let mut help = "leave it out, or take a scheme that does not set it, such as stock".to_owned();
        if argument.starts_with("transport.") {
            help.push_str("; what flows set for themselves, as by flows.ack, stands in every scheme");
        }
        Err(ScenarioError::new(Place::Override(argument.clone()), message, help))
    }

    /// The overrides that the row puts another value in the place of.
    fn replaced_by(&self, row: &Row) -> Vec<usize> {
        let laid = row.apply(self);
        let mut replaced = Vec::new();
        for (ours, theirs) in self.sections().into_iter().zip(laid.sections()) {
            for ((key, asked), (_, got)) in ours.literals().into_iter().zip(theirs.literals()) {
                if let (Some(Origin::Override(number)), Some(Origin::Row(_))) =
                    (ours.origin(key.name), theirs.origin(key.name))
                    && asked != got
                {
                    replaced.push(number);
                }
            }
        }
        replaced.sort_unstable();
        replaced
    }
}
