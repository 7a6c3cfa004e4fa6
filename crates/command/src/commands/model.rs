//! `ackless model`: what theory says, without a simulation.
//!
//! One module for each question; [`beside`] sets a paper's words beside a closed form.

use std::path::Path;

use ackless_lab::error::shown;
use ackless_lab::files;
use ackless_wire::BitRate;
use serde_json::Value;

use crate::args::{Model, Question};
use crate::output::{Failure, print, remark, try_print_text};

mod ack_agent;
mod ack_filter;
mod arq_proxy;
mod beside;
mod hack;
mod tack;

/// What a question is answered with.
struct Answer {
    /// What its files are called.
    name: &'static str,
    /// For people.
    text: String,
    /// The same for programs.
    json: Value,
    /// SVG files with their names.
    pictures: Vec<(&'static str, String)>,
}

/// Answers the question.
pub fn run(options: &Model) -> Result<(), Failure> {
    let form = match &options.question {
        Question::Hack(options) => &options.answer,
        Question::AckAgent(options) => &options.answer,
        Question::AckFilter(options) => &options.answer,
        Question::ArqProxy(options) => &options.answer,
        Question::Tack(options) => &options.answer,
    };
    let made = answer(options)?;
    let json = serde_json::to_string_pretty(&made.json)?;
    if let Some(folder) = &form.out {
        keep(&made, &json, folder, form.overwrite)?;
    }
    if form.json { print(&json) } else { try_print_text(|| Ok(answer(options)?.text)) }
}

/// The answer for people and as JSON.
pub fn answered(options: &Model) -> Result<(String, String), Failure> {
    let answer = answer(options)?;
    Ok((answer.text, serde_json::to_string_pretty(&answer.json)?))
}

fn answer(options: &Model) -> Result<Answer, Failure> {
    match &options.question {
        Question::Hack(options) => hack::answer(options),
        Question::AckAgent(options) => ack_agent::answer(options),
        Question::AckFilter(options) => ack_filter::answer(options),
        Question::ArqProxy(options) => arq_proxy::answer(options),
        Question::Tack(options) => tack::answer(options),
    }
}

/// Writes the answer into a folder where nothing of another answer lies, unless that may be
/// replaced.
fn keep(answer: &Answer, json: &str, folder: &Path, overwrite: bool) -> Result<(), Failure> {
    let names = [format!("{}.txt", answer.name), format!("{}.json", answer.name)];
    let mut all = vec![(names[0].as_str(), answer.text.as_str()), (names[1].as_str(), json)];
    all.extend(answer.pictures.iter().map(|(name, svg)| (*name, svg.as_str())));
    files::write_all_new(folder, &all, overwrite)?;
    let written: Vec<_> = all.iter().map(|(name, _)| *name).collect();
    remark(&format!("written to {}: {}", shown(folder), written.join(", ")));
    Ok(())
}

/// The rate in Mbps, nearest to its decimal digits.
fn mbps(rate: BitRate) -> f64 {
    rate.bps() as f64 / 1e6
}

/// Titles of a table.
fn titles(titles: &[&str]) -> Vec<String> {
    titles.iter().map(|title| (*title).to_owned()).collect()
}
