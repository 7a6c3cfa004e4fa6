//! The folder that results go into: one experiment at a time is at work there, and none takes the place of another unasked.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::case::Case;
use crate::reading::{self, LARGEST_RESULT};
use crate::{LabError, VERSION, files};

/// What kind of experiment has its results there, and so which files it writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// `comparison.txt`, `.json`, `.csv` and `.svg`.
    Comparison,
    /// `sweep.json`, which says of what the sweep is, `sweep.csv`, `runs.csv` and `sweep.svg`; the runs beside them are of no experiment alone.
    Sweep,
}

/// A folder that is taken until this is dropped, or the process ends in whatever way: the operating system holds the lock.
#[derive(Debug)]
pub struct Place {
    _lock: Option<File>,
}

/// Of what results are.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Experiment {
    /// The version of Ackless that made them.
    version: String,
    /// The scenario's name.
    name: String,
    /// How many seeds each cell has.
    seeds: u32,
    /// The cells.
    cells: BTreeSet<CellId>,
}

/// One cell but for the seed.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
struct CellId {
    /// The point, as [`Case::point_label`] says it.
    point: String,
    /// The row.
    scheme: String,
    /// The 64-bit FNV-1a hash of the effective scenario as JSON, in hexadecimal digits.
    scenario: String,
}

impl Place {
    /// Takes `folder`, which is made if need be, for an experiment of `cases`, the first of which says of what scenario, with the seeds from 1
    /// to `seeds`.
    ///
    /// Results that lie there already may be of the same cells, or of some of them: then the experiment goes on from there.
    ///
    /// # Errors
    /// Where somebody else has taken the folder; where results lie there that the experiment would not have again, unless `overwrite`; where
    /// there is nothing to run, or nothing can be written there.
    pub fn take(folder: &Path, kind: Kind, cases: &[Case], seeds: u32, overwrite: bool) -> Result<Self, LabError> {
        let ours = Experiment::of(cases, seeds)?;
        files::prepare(folder)?;
        let place = Self { _lock: lock(folder)? };
        // What cannot be replaced at the end is found before anything runs.
        kind.files().iter().try_for_each(|name| files::replaceable(&folder.join(name)))?;
        if !overwrite {
            kind.refuse_to_replace(folder, &ours)?;
        }
        if kind == Kind::Sweep {
            let text = serde_json::to_string_pretty(&ours).map_err(json_error)?;
            files::write(&folder.join(SWEEP), text.as_bytes())?;
        }
        Ok(place)
    }
}

impl Kind {
    const fn files(self) -> &'static [&'static str] {
        match self {
            Self::Comparison => &["comparison.txt", COMPARISON, "comparison.csv", "comparison.svg"],
            Self::Sweep => &[SWEEP, "sweep.csv", "runs.csv", "sweep.svg"],
        }
    }

    /// What lies in `folder` and says of what it is; `None` where nothing does that can be read.
    fn experiment(self, folder: &Path) -> Option<Experiment> {
        match self {
            Self::Comparison => Experiment::of_comparison(&read(&folder.join(COMPARISON))?),
            Self::Sweep => serde_json::from_value(read(&folder.join(SWEEP))?).ok(),
        }
    }

    fn refuse_to_replace(self, folder: &Path, ours: &Experiment) -> Result<(), LabError> {
        let there: Vec<_> = self.files().iter().copied().filter(|name| folder.join(name).exists()).collect();
        if there.is_empty() {
            return Ok(());
        }
        let (are, lie, they_are) = if there.len() == 1 { ("is", "lies", "it is") } else { ("are", "lie", "they are") };
        let there = there.join(", ");
        let what = match self.experiment(folder) {
            Some(theirs) if ours.has_all_of(&theirs) => return Ok(()),
            Some(theirs) => format!("{there} {are} of {} {}", self.noun(), theirs.described()),
            None => format!("{there} {lie} there, and nothing says of what {they_are}"),
        };
        Err(LabError::Occupied { folder: folder.to_owned(), what })
    }

    const fn noun(self) -> &'static str {
        match self {
            Self::Comparison => "a comparison of",
            Self::Sweep => "a sweep of",
        }
    }
}

impl Experiment {
    fn of(cases: &[Case], seeds: u32) -> Result<Self, LabError> {
        let first = cases.first().ok_or(LabError::Nothing("there is no row to run"))?;
        let cell = |case: &Case| {
            let scenario = serde_json::to_value(case.scenario.effective(case.row)).map_err(json_error)?;
            Ok(CellId::of(case.point_label(), case.row.name, &scenario))
        };
        let cells: Result<_, LabError> = cases.iter().map(cell).collect();
        Ok(Self { version: VERSION.to_owned(), name: first.scenario.name().to_owned(), seeds, cells: cells? })
    }

    /// What a `comparison.json` is of.
    fn of_comparison(json: &Value) -> Option<Self> {
        let cell = |row: &Value| {
            let point = row["point"].as_object()?.iter();
            let point: Vec<_> =
                point.map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default())).collect();
            Some(CellId::of(point.join(" "), row["scheme"].as_str()?, &row["scenario"]))
        };
        let cells: Option<_> = json["rows"].as_array()?.iter().map(cell).collect();
        let text = |key: &str| json[key].as_str().map(str::to_owned);
        let seeds = u32::try_from(json["seeds"].as_u64()?).ok()?;
        Some(Self { version: text("version")?, name: text("name")?, seeds, cells: cells? })
    }

    fn has_all_of(&self, other: &Self) -> bool {
        (&self.version, &self.name) == (&other.version, &other.name)
            && self.seeds >= other.seeds
            && self.cells.is_superset(&other.cells)
    }

    /// In a few words.
    fn described(&self) -> String {
        let Self { version, name, seeds, cells } = self;
        let schemes: BTreeSet<_> = cells.iter().map(|cell| cell.scheme.as_str()).collect();
        let points: BTreeSet<_> =
            cells.iter().map(|cell| cell.point.as_str()).filter(|point| !point.is_empty()).collect();
        let points = match points.len() {
            0 => String::new(),
            1..=FEW => format!(" at {}", points.into_iter().collect::<Vec<_>>().join("; ")),
            many => format!(" at {many} points"),
        };
        let schemes = match schemes.len() {
            0..=FEW => schemes.into_iter().collect::<Vec<_>>().join(", "),
            many => format!("{many} schemes"),
        };
        let seeds = if *seeds == 1 { "1 seed".to_owned() } else { format!("{seeds} seeds") };
        format!(
            "{name}{points} in {schemes}, {seeds}, by Ackless {version}, with other values or more than would be there now"
        )
    }
}

impl CellId {
    fn of(point: String, scheme: &str, scenario: &Value) -> Self {
        Self { point, scheme: scheme.to_owned(), scenario: format!("{:016x}", fnv1a(scenario.to_string().as_bytes())) }
    }
}

/// Takes the lock of a folder. Its file stays there: to remove it would let two others each lock one of that name. On a file system without
/// locks there is none.
fn lock(folder: &Path) -> Result<Option<File>, LabError> {
    let path = folder.join(LOCK);
    if let Ok(there) = std::fs::metadata(&path) {
        reading::regular(&there).map_err(|error| LabError::io(&path, "the folder cannot be taken", error))?;
    }
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
    let file = file.map_err(|error| LabError::io(&path, "the file cannot be written", error))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Err(LabError::AtWork(folder.to_owned())),
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => Ok(None),
        Err(TryLockError::Error(error)) => Err(LabError::io(&path, "the folder cannot be taken", error)),
    }
}

/// The JSON in a file, if there is any.
fn read(path: &Path) -> Option<Value> {
    serde_json::from_slice(&reading::bytes(path, LARGEST_RESULT).ok()?).ok()
}

fn json_error(error: serde_json::Error) -> LabError {
    LabError::Format("JSON", error.to_string())
}

/// The 64-bit FNV-1a hash (draft-eastlake-fnv): the same on every machine and in every version of Rust.
pub(crate) fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

const COMPARISON: &str = "comparison.json";
const SWEEP: &str = "sweep.json";
const LOCK: &str = ".ackless.lock";
/// So many points or schemes are named one by one.
const FEW: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_that_of_its_definition() {
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv1a(b"foobar"), 0x8594_4171_f739_67e8);
    }
}
