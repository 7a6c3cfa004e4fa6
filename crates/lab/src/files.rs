//! Files that are written whole or not at all.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::LabError;
use crate::reading::{self, LARGEST_RESULT};

/// Makes `folder` if need be, and tries whether files can be written there, so that nobody waits for results that have no place.
///
/// # Errors
/// Where the folder cannot be made, or nothing can be written into it.
pub fn prepare(folder: &Path) -> Result<(), LabError> {
    make(folder)?;
    staged(folder, &[]).map(|_| ())
}

/// Writes each of `files`, a name and its content, into `folder`, which is made if need be.
///
/// All are written beside their final names first and renamed only once every one of them is complete, so a full disk
/// or an interruption leaves what was there before.
///
/// # Errors
/// Where the folder cannot be made, or a file cannot be written.
pub fn write_all(folder: &Path, files: &[(&str, &str)]) -> Result<(), LabError> {
    make(folder)?;
    files.iter().try_for_each(|(name, _)| replaceable(&folder.join(name)))?;
    let mut written = Vec::new();
    for (name, content) in files {
        written.push((staged(folder, content.as_bytes())?, folder.join(name)));
    }
    for (file, path) in written {
        file.persist(&path).map_err(|error| LabError::io(&path, "the file cannot be put in place", error.error))?;
    }
    Ok(())
}

/// Refuses to replace files of which nothing says that they are of the same.
///
/// # Errors
/// Where something lies at one of `paths`, with all that does.
pub fn refuse_to_replace<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Result<(), LabError> {
    let there: Vec<_> = paths.into_iter().filter(|path| path.exists() && !path.is_dir()).map(Path::to_owned).collect();
    if there.is_empty() { Ok(()) } else { Err(LabError::Exists(there)) }
}

/// As [`write_all`], but where a file lies in `folder` with another content than it would get, unless `overwrite`, nothing is written.
///
/// # Errors
/// As there, and where something lies in the way.
pub fn write_all_new(folder: &Path, files: &[(&str, &str)], overwrite: bool) -> Result<(), LabError> {
    let differs = |(name, content): &&(&str, &str)| {
        reading::bytes(&folder.join(name), LARGEST_RESULT).map_or(true, |there| there != content.as_bytes())
    };
    if !overwrite {
        let others: Vec<_> = files.iter().filter(differs).map(|(name, _)| folder.join(name)).collect();
        refuse_to_replace(others.iter().map(PathBuf::as_path))?;
    }
    write_all(folder, files)
}

/// Writes one file at `path`, whose folder must exist.
///
/// # Errors
/// Where it cannot be written.
pub fn write(path: &Path, content: &[u8]) -> Result<(), LabError> {
    let mut file = WholeFile::create(path)?;
    file.write_all(content).map_err(|error| LabError::io(path, "the file cannot be written", error))?;
    file.finish()
}

/// A file in the making, for what is too long to hold in memory. It gets its name with [`Self::finish`]; dropped before, it
/// leaves nothing.
#[derive(Debug)]
pub struct WholeFile {
    file: NamedTempFile,
    path: PathBuf,
}

impl WholeFile {
    /// Begins the file that will be at `path`, whose folder must exist.
    ///
    /// # Errors
    /// Where nothing can be written there.
    pub fn create(path: &Path) -> Result<Self, LabError> {
        replaceable(path)?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Ok(Self { file: staged(folder, &[])?, path: path.to_owned() })
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// Where that is not possible, for example because a folder is called so.
    pub fn finish(self) -> Result<(), LabError> {
        let Self { file, path } = self;
        file.persist(&path).map_err(|error| LabError::io(&path, "the file cannot be put in place", error.error))?;
        Ok(())
    }
}

impl Write for WholeFile {
    // Through the file itself: an error of the temporary file would name it, which says nothing to
    // anybody.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.as_file_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_file_mut().flush()
    }
}

/// Refuses a path where something lies that a file must not take the place of: a folder, a device
/// or a FIFO.
///
/// # Errors
/// Says what lies there.
pub(crate) fn replaceable(path: &Path) -> Result<(), LabError> {
    match std::fs::metadata(path) {
        Ok(there) => reading::regular(&there).map_err(|error| LabError::io(path, "the file cannot be written", error)),
        // Nothing lies there, or a link that leads nowhere.
        Err(_) => Ok(()),
    }
}

fn make(folder: &Path) -> Result<(), LabError> {
    let made = if folder.exists() && !folder.is_dir() {
        Err(io::ErrorKind::NotADirectory.into())
    } else {
        std::fs::create_dir_all(folder)
    };
    made.map_err(|error| LabError::io(folder, "the folder cannot be made", error))
}

fn staged(folder: &Path, content: &[u8]) -> Result<NamedTempFile, LabError> {
    let write = || {
        let mut builder = tempfile::Builder::new();
        // A temporary file is private by default; a result is to be read as any other file.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644));
        std::fs::metadata(folder)?;
        // The error of a file that has no name yet would name it.
        let mut file =
            builder.prefix(".ackless-").tempfile_in(folder).map_err(|error| io::Error::from(error.kind()))?;
        // Without the name of the temporary file in an error.
        file.as_file_mut().write_all(content)?;
        Ok(file)
    };
    write().map_err(|error| LabError::io(folder, "a file cannot be written here", error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_appear_whole_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let out = folder.path().join("a/b");
        write_all(&out, &[("x.csv", "1,2\n"), ("y.json", "{}")]).expect("the folder can be written");
        write(&out.join("x.csv"), b"3,4\n").expect("a file can be replaced");
        let mut names: Vec<_> = std::fs::read_dir(&out)
            .expect("the folder can be read")
            .map(|entry| entry.expect("an entry can be read").file_name().into_string().expect("names are text"))
            .collect();
        names.sort();
        assert_eq!(names, ["x.csv", "y.json"]);
        assert_eq!(std::fs::read_to_string(out.join("x.csv")).expect("it can be read"), "3,4\n");
    }

    #[test]
    fn a_file_that_is_not_finished_leaves_nothing() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let path = folder.path().join("air.pcapng");
        let mut file = WholeFile::create(&path).expect("the folder can be written");
        file.write_all(b"half").expect("the file can be written");
        drop(file);
        assert_eq!(std::fs::read_dir(folder.path()).expect("the folder can be read").count(), 0);
    }

    #[test]
    fn where_nothing_can_be_written_the_place_is_named() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let file = folder.path().join("file");
        write(&file, b"").expect("the folder can be written");
        let error = write_all(&file.join("sub"), &[("x", "")]).expect_err("a file is no folder").to_string();
        assert!(error.contains("file/sub: the folder cannot be made"), "{error}");
    }

    #[test]
    fn a_place_is_tried_before_anything_waits_for_it() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let out = folder.path().join("a/b");
        prepare(&out).expect("the folder can be made");
        assert_eq!(std::fs::read_dir(&out).expect("the folder can be read").count(), 0);
        write(&out.join("x"), b"").expect("the folder can be written");
        let message = |result: Result<(), LabError>| result.expect_err("there is no place").to_string();
        assert!(message(prepare(&out.join("x"))).contains("x: the folder cannot be made: not a directory"));
        assert!(message(write(&out, b"")).contains("b: the file cannot be written: it is a directory, not a file"));
        let nowhere = message(write(&out.join("no/x"), b""));
        assert!(nowhere.contains("no: a file cannot be written here") && !nowhere.contains(".ackless-"), "{nowhere}");
    }
}
