//! What a paper says in words, beside what a closed form says.

use ackless_lab::table::Table;
use serde_json::{Map, Value, json};

use super::titles;

/// The numbers of a paper's text that a closed form speaks about.
pub struct Beside {
    /// Our forms: the name of each in JSON, and its title in a table.
    pub forms: Vec<(&'static str, &'static str)>,
    /// The paper's numbers.
    pub claims: Vec<Claim>,
}

/// A number of a paper's text.
pub struct Claim {
    /// Its name in `docs/validation.md`.
    pub name: &'static str,
    /// Where in the paper.
    pub place: &'static str,
    /// What it is, with its unit.
    pub what: &'static str,
    /// As the paper has it.
    pub paper: &'static str,
    /// By each of the forms; nothing where one does not say.
    pub ours: Vec<Option<f64>>,
}

impl Beside {
    /// The claims for people.
    pub fn table(&self) -> Table {
        let mut header = titles(&["the paper's text", "where", "paper"]);
        header.extend(self.forms.iter().map(|(_, title)| (*title).to_owned()));
        let mut table = Table::new(header);
        for claim in &self.claims {
            let names = [claim.what, claim.place, claim.paper].map(str::to_owned);
            let ours = claim.ours.iter().map(|value| value.map(|value| format!("{value:.1}")).unwrap_or_default());
            table.push(names.into_iter().chain(ours).collect());
        }
        table
    }

    pub fn to_json(&self) -> Value {
        let claims = self.claims.iter().map(|claim| {
            let ours = self.forms.iter().zip(&claim.ours).map(|((name, _), value)| ((*name).to_owned(), json!(value)));
            json!({
                "claim": claim.name, "place": claim.place, "what": claim.what, "paper": claim.paper,
                "ours": ours.collect::<Map<_, _>>(),
            })
        });
        claims.collect()
    }
}
