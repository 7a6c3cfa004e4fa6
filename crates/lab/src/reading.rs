//! Reading files that may be anything: bounded, and never something that blocks.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;

/// The whole content of the file at `path`, of at most `limit` bytes.
///
/// Only a regular file is read. A FIFO, a socket or a device may block the reader or never end.
///
/// # Errors
/// Where it is no regular file, has more than `limit` bytes, or cannot be read.
pub fn bytes(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    // Asked before it is opened, which would wait for the other end of a FIFO, and once more after.
    regular(&std::fs::metadata(path)?)?;
    let file = File::open(path)?;
    regular(&file.metadata()?)?;
    bounded(file, limit)
}

/// The whole content of the file at `path` as text: UTF-8, with or without a byte-order mark.
///
/// # Errors
/// As [`bytes`], and where the file is not UTF-8.
pub fn text(path: &Path, limit: u64) -> io::Result<String> {
    as_text(bytes(path, limit)?)
}

/// All that `input` gives, of at most `limit` bytes.
///
/// # Errors
/// Where there is more, or `input` fails.
pub fn bounded(input: impl Read, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        let message = format!("it has more than {} MiB, the most that is read", limit >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}

/// `bytes` as text, without a byte-order mark.
///
/// # Errors
/// Where they are not UTF-8.
pub fn as_text(bytes: Vec<u8>) -> io::Result<String> {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "it is UTF-16; save it as UTF-8"));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..at].iter().filter(|&&byte| byte == b'\n').count() + 1;
        io::Error::new(
            io::ErrorKind::InvalidData,
            format!("line {line} is not UTF-8 text (byte {} of the file)", at + 1),
        )
    })?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// Refuses what is not a regular file.
///
/// # Errors
/// Says what it is.
pub fn regular(metadata: &Metadata) -> io::Result<()> {
    if metadata.is_file() { Ok(()) } else { Err(io::Error::other(format!("it is {}", kind(metadata)))) }
}

/// What something is that is not a regular file.
fn kind(metadata: &Metadata) -> &'static str {
    if metadata.is_dir() {
        return "a directory, not a file";
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;
        let kind = metadata.file_type();
        if kind.is_fifo() {
            return "a FIFO, not a regular file";
        }
        if kind.is_socket() {
            return "a socket, not a regular file";
        }
        if kind.is_char_device() || kind.is_block_device() {
            return "a device, not a regular file";
        }
    }
    "not a regular file"
}

/// The capture format that `bytes` begin with, if they begin with the magic number of one.
pub fn capture(bytes: &[u8]) -> Option<&'static str> {
    match bytes.first_chunk::<4>()? {
        [0x0a, 0x0d, 0x0d, 0x0a] => Some("pcapng"),
        // Microseconds and nanoseconds, in either byte order.
        [0xa1, 0xb2, 0xc3, 0xd4] | [0xd4, 0xc3, 0xb2, 0xa1] | [0xa1, 0xb2, 0x3c, 0x4d] | [0x4d, 0x3c, 0xb2, 0xa1] => {
            Some("pcap")
        }
        _ => None,
    }
}

/// The most bytes of a scenario.
pub const LARGEST_SCENARIO: u64 = 16 << 20;
/// The most bytes of a file that a scenario names.
pub const LARGEST_DATA: u64 = 64 << 20;
/// The most bytes of a file with results.
pub const LARGEST_RESULT: u64 = 1 << 30;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_regular_file_is_refused_at_once() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let refused = |path: &Path| bytes(path, 100).expect_err("it is no file").to_string();
        assert_eq!(refused(folder.path()), "it is a directory, not a file");
        #[cfg(unix)]
        {
            let fifo = folder.path().join("fifo");
            let made = std::process::Command::new("mkfifo").arg(&fifo).status().expect("mkfifo can be started");
            assert!(made.success());
            assert_eq!(refused(&fifo), "it is a FIFO, not a regular file");
            let link = folder.path().join("link");
            std::os::unix::fs::symlink(&fifo, &link).expect("a link can be made");
            assert_eq!(refused(&link), "it is a FIFO, not a regular file");
            assert_eq!(refused(Path::new("/dev/zero")), "it is a device, not a regular file");
            let socket = folder.path().join("socket");
            let _listener = std::os::unix::net::UnixListener::bind(&socket).expect("a socket can be made");
            assert_eq!(refused(&socket), "it is a socket, not a regular file");
        }
    }

    #[test]
    fn a_file_is_read_up_to_its_limit_and_not_beyond() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let path = folder.path().join("file");
        std::fs::write(&path, "12345").expect("the folder can be written");
        assert_eq!(text(&path, 5).ok().as_deref(), Some("12345"));
        assert!(text(&path, 4).is_err());
        assert!(bounded(io::repeat(0), 1 << 20).is_err(), "what never ends is not read to its end");
    }

    #[test]
    fn text_is_utf_8_and_what_is_not_is_named_with_its_place() {
        let read = |bytes: &[u8]| as_text(bytes.to_vec()).map_err(|error| error.to_string());
        assert_eq!(read(b"\xef\xbb\xbfa = 1").as_deref(), Ok("a = 1"));
        assert_eq!(read(b"a\nb\xff"), Err("line 2 is not UTF-8 text (byte 4 of the file)".to_owned()));
        assert_eq!(read(b"\xff\xfea\0"), Err("it is UTF-16; save it as UTF-8".to_owned()));
    }
}
