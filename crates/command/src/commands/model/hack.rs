//! `ackless model hack`: section 2.1, figure 1 and tables 2 and 3 of the TCP/HACK paper.

use ackless_model::hack::figure::Figure;

use super::Answer;
use crate::args::{HackModel, HackStandard};
use crate::output::Failure;

mod claims;
mod curves;
mod tables;

use curves::Report;

/// The answer.
pub fn answer(options: &HackModel) -> Result<Answer, Failure> {
    if options.tables {
        let tables = tables::Tables::of(options.ack_bytes);
        return Ok(Answer { name: "hack", text: tables.to_text(), json: tables.to_json(), pictures: Vec::new() });
    }
    let figures = match options.standard {
        None => vec![Figure::A, Figure::N],
        Some(HackStandard::A) => vec![Figure::A],
        Some(HackStandard::N) => vec![Figure::N],
    };
    let report = Report::new(&figures, options.txop, options.ack_bytes);
    let pictures = if options.answer.out.is_some() { report.to_svg()? } else { Vec::new() };
    Ok(Answer { name: "hack", text: report.to_text(), json: report.to_json(), pictures })
}
