//! `ackless model`: what theory says, without a simulation.
//!
//! One module for each question; [`beside`] sets a paper's words beside a closed form.

use ackless_lab::files;
use ackless_wire::BitRate;
use serde_json::Value;

use crate::args::{AnswerIn, Model, Question};
use crate::output::{Failure, print, remark};

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
    give(answer(options)?, form)
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

/// Writes the answer into the folder that is asked for, if one is, where nothing of another answer lies unless that may be replaced, and prints it.
fn give(answer: Answer, form: &AnswerIn) -> Result<(), Failure> {
    let json = serde_json::to_string_pretty(&answer.json)?;
    if let Some(folder) = &form.out {
        let names = [format!("{}.txt", answer.name), format!("{}.json", answer.name)];
        let mut all = vec![(names[0].as_str(), answer.text.as_str()), (names[1].as_str(), json.as_str())];
        all.extend(answer.pictures.iter().map(|(name, svg)| (*name, svg.as_str())));
        files::write_all_new(folder, &all, form.overwrite)?;
        let written: Vec<_> = all.iter().map(|(name, _)| *name).collect();
        remark(&format!("written to {}: {}", folder.display(), written.join(", ")));
    }
    print(if form.json { &json } else { &answer.text })
}

/// The rate in Mbps, nearest to its decimal digits.
fn mbps(rate: BitRate) -> f64 {
    rate.bps() as f64 / 1e6
}

/// Titles of a table.
fn titles(titles: &[&str]) -> Vec<String> {
    titles.iter().map(|title| (*title).to_owned()).collect()
}
