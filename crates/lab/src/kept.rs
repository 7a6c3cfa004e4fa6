//! The file of one run: its name says of which run it is, and its last line holds a digest of the
//! rest.

use std::io;
use std::path::Path;

use ackless_cell::result::RunResult;
use serde::Deserialize;
use serde_json::Value;

use crate::place::fnv1a;
use crate::reading::{self, LARGEST_RESULT};
use crate::run::{Job, Runner, run_whole};
use crate::{LabError, VERSION, files};

/// When a run was made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Made {
    /// Before: its file was there.
    Before,
    /// Now, for the first time.
    Now,
    /// Now, because its file was damaged or of another run: the name of the file, and the reason.
    Again(String),
}

/// The result of `job`, from its file in the folder `runs`, where it is kept if it is made now.
/// Whoever makes one run twice, wherever, makes the same file, which appears whole or not at all.
///
/// # Errors
/// Where the folder cannot be written, or the runner is stopped.
pub fn keep(runner: &dyn Runner, job: Job<'_>, runs: &Path) -> Result<(RunResult, Made), LabError> {
    let identity = identity(job)?;
    let name = name_of(&identity);
    let path = runs.join(&name);
    let when = match read(&path, &identity) {
        Ok(Some(result)) => return Ok((result, Made::Before)),
        Ok(None) => Made::Now,
        Err(reason) => Made::Again(format!("{name} ({reason})")),
    };
    let text = made(runner, job)?;
    make_room(&path)?;
    files::write(&path, text.as_bytes())?;
    // What was just made and what is resumed later take the same way, so that they cannot differ.
    match read(&path, &identity) {
        Ok(Some(result)) => Ok((result, when)),
        Ok(None) => Err(LabError::io(&path, "the result is lost", io::ErrorKind::NotFound.into())),
        Err(reason) => Err(LabError::io(&path, "the result is lost", io::Error::other(reason))),
    }
}

/// Makes the run: the text of its file, which is one JSON object. Its last member is the MD5 digest
/// (RFC 1321), in hexadecimal digits, of the text of the object without that member.
///
/// # Errors
/// Where the runner is stopped.
pub fn made(runner: &dyn Runner, job: Job<'_>) -> Result<String, LabError> {
    let text = serde_json::to_string_pretty(&run_whole(runner, job)?).map_err(json_error)?;
    Ok(sealed(&text))
}

/// The name of the file in which a run is kept: a hash of version, effective scenario, row and
/// seed.
///
/// # Errors
/// Never in practice: a scenario can be written as JSON.
pub fn name(job: Job<'_>) -> Result<String, LabError> {
    Ok(name_of(&identity(job)?))
}

/// The result in the file at `path`, or `None` where nothing is there. A file that is damaged, or
/// not of exactly this identity, is an error with its reason: the run is made again and the file
/// replaced.
fn read(path: &Path, identity: &Value) -> Result<Option<RunResult>, String> {
    let bytes = match reading::bytes(path, LARGEST_RESULT) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    let text = String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text")?;
    let body = opened(&text)?;
    let value: Value = serde_json::from_str(&body).map_err(|error| error.to_string())?;
    let of_this = |identity: &Value| {
        let mut keys = identity.as_object().into_iter().flatten();
        keys.all(|(key, expected)| value.get(key) == Some(expected))
    };
    if !of_this(identity) {
        return Err("it is of another run".to_owned());
    }
    Kept::deserialize(value).map(|kept| Some(kept.result)).map_err(|error| error.to_string())
}

/// A JSON object with its digest as its last member.
fn sealed(object: &str) -> String {
    let rest = object.strip_suffix(END).unwrap_or(object);
    format!("{rest}{SEAL}{}\"{END}", digest(object))
}

/// The object without its digest, which must be right.
fn opened(text: &str) -> Result<String, &'static str> {
    let (rest, seal) = text.rsplit_once(SEAL).ok_or("it has no digest")?;
    let object = format!("{rest}{END}");
    // Every byte of the file is part of the object or of the digest.
    if seal.strip_suffix(END).and_then(|seal| seal.strip_suffix('"')) != Some(digest(&object).as_str()) {
        return Err("its content does not match its digest");
    }
    Ok(object)
}

fn digest(text: &str) -> String {
    format!("{:x}", md5::compute(text))
}

/// Removes a FIFO, a socket or a device where a run's file belongs. A folder stays, since it may
/// hold something.
fn make_room(path: &Path) -> Result<(), LabError> {
    match std::fs::metadata(path) {
        Ok(there) if !there.is_file() && !there.is_dir() => {
            std::fs::remove_file(path).map_err(|error| LabError::io(path, "the file cannot be replaced", error))
        }
        _ => Ok(()),
    }
}

/// A result among the rest of its file. It is read as a neighbour's is, which stands beside a name,
/// so that what reads one is compiled once.
#[derive(Deserialize)]
struct Kept {
    #[serde(flatten)]
    result: RunResult,
}

/// What distinguishes a run from every other.
fn identity(job: Job<'_>) -> Result<Value, LabError> {
    let scenario = serde_json::to_value(job.case.scenario.effective(job.case.row)).map_err(json_error)?;
    Ok(serde_json::json!({
        "version": VERSION,
        "scenario": scenario,
        "scheme": job.case.row.name,
        "seed": job.seed,
    }))
}

/// The name of the file. Two runs with one hash would only make each other run again.
fn name_of(identity: &Value) -> String {
    format!("{:016x}.json", fnv1a(identity.to_string().as_bytes()))
}

fn json_error(error: serde_json::Error) -> LabError {
    LabError::Format("JSON", error.to_string())
}

/// What stands before the digest.
const SEAL: &str = ",\n  \"digest\": \"";
/// How a pretty JSON object ends.
const END: &str = "\n}";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_opens_with_its_digest_and_with_no_byte_changed_added_or_missing() {
        let object = "{\n  \"seed\": 1,\n  \"goodput\": 123.25\n}";
        let text = sealed(object);
        assert_eq!(opened(&text).as_deref(), Ok(object));
        assert!(serde_json::from_str::<Value>(&text).is_ok_and(|value| value["digest"].is_string()), "{text}");
        for at in 0..text.len() {
            for bit in 0..8 {
                let mut damaged = text.clone().into_bytes();
                damaged[at] ^= 1 << bit;
                if let Ok(damaged) = String::from_utf8(damaged) {
                    assert!(opened(&damaged).is_err(), "bit {bit} of byte {at}: {damaged}");
                }
            }
            assert!(opened(&text[..at]).is_err(), "the first {at} bytes");
        }
        assert!(opened(&format!("{text} ")).is_err() && opened("").is_err());
    }
}
