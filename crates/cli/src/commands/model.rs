//! `ackless model`: what theory says, without a simulation.

use ackless_lab::files;
use ackless_model::hack::figure::Figure;

use crate::args::{HackModel, HackStandard, Model, Question};
use crate::output::{Failure, print};

mod claims;
mod curves;
mod tables;

use curves::Report;

/// Answers the question.
pub fn run(options: &Model) -> Result<(), Failure> {
    match &options.question {
        Question::Hack(options) if options.tables => {
            let tables = tables::Tables::of(options.ack_bytes);
            print(&if options.json { serde_json::to_string_pretty(&tables.to_json())? } else { tables.to_text() })
        }
        Question::Hack(options) => hack(options),
    }
}

fn hack(options: &HackModel) -> Result<(), Failure> {
    let figures = match options.standard {
        None => vec![Figure::A, Figure::N],
        Some(HackStandard::A) => vec![Figure::A],
        Some(HackStandard::N) => vec![Figure::N],
    };
    let report = Report::new(&figures, options.txop, options.ack_bytes);
    let json = serde_json::to_string_pretty(&report.to_json())?;
    if let Some(folder) = &options.out {
        let text = report.to_text();
        let pictures = report.to_svg()?;
        let mut all = vec![("hack.txt", text.as_str()), ("hack.json", json.as_str())];
        all.extend(pictures.iter().map(|(name, svg)| (*name, svg.as_str())));
        files::write_all(folder, &all)?;
    }
    print(&if options.json { json } else { report.to_text() })
}
