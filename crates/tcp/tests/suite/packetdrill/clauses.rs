//! Which clauses of the RFCs have scripts: `tests/scripts/CLAUSES.md`, made of the scripts' heads and of each folder's `clauses.txt`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use super::{entries, folder, scripts};

/// A MUST or SHOULD of an RFC.
struct Clause {
    key: String,
    /// Its section where the key does not say it, else whether it is a MUST or a SHOULD.
    kind: String,
    words: String,
    note: Note,
    scripts: Vec<String>,
}

#[derive(PartialEq)]
enum Note {
    None,
    /// There is no script, and why.
    NotCovered(String),
    /// There may be one, and it shows something else than the RFC by default.
    Deviation(String),
}

/// The clauses of each RFC, with the scripts whose heads name them.
fn clauses() -> BTreeMap<u32, Vec<Clause>> {
    let mut all = BTreeMap::new();
    for group in entries(&folder()).into_iter().filter(|path| path.is_dir()) {
        let name = group.file_name().expect("a folder has a name").to_string_lossy().into_owned();
        let number =
            name.strip_prefix("RFC").and_then(|number| number.parse().ok()).expect("folders are called RFCNNNN");
        let table = std::fs::read_to_string(group.join("clauses.txt"))
            .unwrap_or_else(|error| panic!("{name}/clauses.txt: {error}"));
        let lines = table.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        all.insert(number, lines.map(clause).collect::<Vec<_>>());
    }
    for (name, text) in scripts() {
        let heads = heads(&text);
        assert!(!heads.is_empty(), "{name} begins with the clause that it is about: // RFC NNNN, CLAUSE: ...");
        for (number, key) in heads {
            let clause = all.get_mut(&number).and_then(|clauses| clauses.iter_mut().find(|clause| clause.key == key));
            let clause = clause.unwrap_or_else(|| panic!("{name}: RFC{number}/clauses.txt has no clause {key}"));
            clause.scripts.push(name.clone());
        }
    }
    all
}

fn clause(line: &str) -> Clause {
    let columns: Vec<&str> = line.split('|').map(str::trim).collect();
    let [key, kind, words, note] = columns[..] else { panic!("KEY | KIND | WORDS | NOTE: {line}") };
    let note = match (note.strip_prefix("not covered: "), note.strip_prefix("deviation: ")) {
        (Some(why), _) => Note::NotCovered(why.into()),
        (_, Some(what)) => Note::Deviation(what.into()),
        _ if note.is_empty() => Note::None,
        _ => panic!("a note begins with `not covered: ` or `deviation: `: {line}"),
    };
    Clause { key: key.into(), kind: kind.into(), words: words.into(), note, scripts: Vec::new() }
}

/// The clauses in the comment with which a script begins.
fn heads(text: &str) -> Vec<(u32, String)> {
    let comment = text.lines().take_while(|line| line.starts_with("//"));
    let parse = |line: &str| {
        let (number, rest) = line.strip_prefix("// RFC ")?.split_once(", ")?;
        Some((number.parse().ok()?, rest.split_once(':')?.0.to_string()))
    };
    comment.filter_map(parse).collect()
}

fn list() -> String {
    let all = clauses();
    let mut text = String::from(
        "# Clauses and scripts\n\n\
         The MUSTs and SHOULDs of RFCs that bear on a TCP endpoint, in our words, and the scripts that hold it to them. Made of the scripts' heads and of each\n\
         folder's `clauses.txt`; the suite (`cargo test -p ackless-tcp --test suite packetdrill`) says when this list is out of date, and where the new one lies.\n\n\
         | RFC | clauses | with scripts | of which deviate by default | not covered |\n|---|---|---|---|---|\n",
    );
    let row = |clauses: &[&Clause]| {
        let count = |which: fn(&Clause) -> bool| clauses.iter().filter(|clause| which(clause)).count();
        let deviates = |clause: &Clause| matches!(clause.note, Note::Deviation(_)) && !clause.scripts.is_empty();
        let covered = count(|clause| !clause.scripts.is_empty());
        format!("{} | {covered} | {} | {}", clauses.len(), count(deviates), clauses.len() - covered)
    };
    for (number, clauses) in &all {
        let clauses: Vec<&Clause> = clauses.iter().collect();
        _ = writeln!(text, "| [{number}](#rfc-{number}) | {} |", row(&clauses));
    }
    let every: Vec<&Clause> = all.values().flatten().collect();
    _ = writeln!(text, "| all | {} |", row(&every));
    for (number, clauses) in &all {
        _ = write!(text, "\n## RFC {number}\n\n| clause | | what it says | scripts |\n|---|---|---|---|\n");
        for Clause { key, kind, words, note, scripts } in clauses {
            let mut cells: Vec<String> = scripts
                .iter()
                .map(|script| {
                    let name =
                        Path::new(script).file_stem().expect("a script has a name").to_string_lossy().into_owned();
                    format!("[{name}]({script})")
                })
                .collect();
            match note {
                Note::None => {}
                Note::NotCovered(why) => cells.push(format!("not covered: {why}")),
                Note::Deviation(what) => cells.push(format!("deviation: {what}")),
            }
            _ = writeln!(text, "| {key} | {kind} | {words} | {} |", cells.join("; "));
        }
    }
    text
}

#[test]
fn every_clause_has_a_script_or_a_reason_and_none_has_both() {
    for (number, clauses) in clauses() {
        for clause in clauses {
            let covered = !clause.scripts.is_empty();
            let at = format!("RFC {number}, {}", clause.key);
            match clause.note {
                Note::None => assert!(covered, "{at} has neither a script nor a reason why not"),
                Note::NotCovered(_) => {
                    assert!(!covered, "{at} is said not to be covered, and is by {:?}", clause.scripts)
                }
                Note::Deviation(_) => {}
            }
        }
    }
}

#[test]
fn the_list_of_clauses_is_up_to_date() {
    let (kept, made) = (folder().join("CLAUSES.md"), list());
    let fresh = Path::new(env!("CARGO_TARGET_TMPDIR")).join("CLAUSES.md");
    std::fs::write(&fresh, &made).expect("the list can be written");
    let same = std::fs::read_to_string(&kept).is_ok_and(|text| text == made);
    assert!(same, "the list is out of date: cp {} {}", fresh.display(), kept.display());
}
