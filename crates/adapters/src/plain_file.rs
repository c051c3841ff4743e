//! Reads a file that a person named: only a regular one, and only up to a size.
//!
//! Whatever else can stand behind a path (a folder, a pipe nobody writes to, a device without an end) would hang
//! the program or fill its memory. What is in the file is not looked at here.

use std::fmt;
use std::fs::{self, File, FileType};
use std::io::{self, Read};
use std::path::Path;

/// Why a file was not read. Begins with "it", so that it can follow the file's name.
#[derive(Debug)]
pub enum Unreadable {
    Io(io::Error),
    /// What it is instead, e.g. "a folder".
    NotAFile(&'static str),
    TooLarge {
        bytes_max: u64,
    },
}

impl Unreadable {
    /// Whether there is nothing at all under that name, not even a link that leads nowhere.
    pub fn is_absent(&self, path: &Path) -> bool {
        matches!(self, Unreadable::Io(error) if error.kind() == io::ErrorKind::NotFound)
            && path.symlink_metadata().is_err()
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unreadable::Io(error) => write!(f, "it cannot be read: {error}"),
            Unreadable::NotAFile(what) => write!(f, "it is {what}, not a file"),
            Unreadable::TooLarge { bytes_max } => {
                write!(f, "it is too large: at most {} KB are read", bytes_max / 1024)
            }
        }
    }
}

/// The bytes of a regular file that has at most `bytes_max` of them. Links are followed.
pub fn read(path: &Path, bytes_max: u64) -> Result<Vec<u8>, Unreadable> {
    // Before it is opened: opening a pipe waits for somebody to write.
    regular(fs::metadata(path).map_err(Unreadable::Io)?.file_type())?;
    let file = File::open(path).map_err(Unreadable::Io)?;
    regular(file.metadata().map_err(Unreadable::Io)?.file_type())?;
    let mut bytes = Vec::new();
    // The size that a file system states is not asked: some state 0 for what has no end.
    file.take(bytes_max + 1).read_to_end(&mut bytes).map_err(Unreadable::Io)?;
    if bytes.len() as u64 > bytes_max { Err(Unreadable::TooLarge { bytes_max }) } else { Ok(bytes) }
}

/// The bytes of a file of our own, however many. Somebody may have put something else under its name all the same.
pub fn kept(path: &Path) -> io::Result<Vec<u8>> {
    match check(path) {
        Ok(()) => fs::read(path),
        Err(Unreadable::Io(error)) => Err(error),
        Err(other) => Err(io::Error::new(io::ErrorKind::InvalidInput, other.to_string())),
    }
}

/// Fails unless a regular file is there. For files that are opened by others, who would wait for a pipe for ever.
pub fn check(path: &Path) -> Result<(), Unreadable> {
    regular(fs::metadata(path).map_err(Unreadable::Io)?.file_type())
}

/// The same as text.
pub fn read_text(path: &Path, bytes_max: u64) -> Result<String, Unreadable> {
    let bytes = read(path, bytes_max)?;
    let not_text = |_| Unreadable::Io(io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text"));
    String::from_utf8(bytes).map_err(not_text)
}

fn regular(kind: FileType) -> Result<(), Unreadable> {
    if kind.is_file() { Ok(()) } else { Err(Unreadable::NotAFile(name(kind))) }
}

#[cfg(unix)]
fn name(kind: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    if kind.is_dir() {
        "a folder"
    } else if kind.is_fifo() {
        "a pipe"
    } else if kind.is_socket() {
        "a socket"
    } else if kind.is_char_device() || kind.is_block_device() {
        "a device"
    } else {
        "something else"
    }
}

#[cfg(not(unix))]
fn name(kind: FileType) -> &'static str {
    if kind.is_dir() { "a folder" } else { "something else" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_regular_file_of_a_fitting_size_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "12345").unwrap();
        assert_eq!(read(&file, 5).unwrap(), b"12345");
        assert_eq!(read(&file, 4).unwrap_err().to_string(), "it is too large: at most 0 KB are read");
        let absent = folder.path().join("absent");
        assert!(read(&absent, 5).unwrap_err().is_absent(&absent));
        assert_eq!(read(folder.path(), 5).unwrap_err().to_string(), "it is a folder, not a file");
        fs::write(&file, [0xff]).unwrap();
        assert!(read_text(&file, 5).unwrap_err().to_string().contains("UTF-8"));
    }

    #[cfg(unix)]
    #[test]
    fn what_has_no_end_or_never_begins_is_refused_without_waiting() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let link = |target: &str| {
            let link = folder.path().join(target.replace('/', "-"));
            symlink(target, &link).unwrap();
            link
        };
        assert_eq!(read(&link("/dev/zero"), 5).unwrap_err().to_string(), "it is a device, not a file");
        let nowhere = link("/nowhere/at/all");
        assert!(!read(&nowhere, 5).unwrap_err().is_absent(&nowhere), "a link that leads nowhere is there");
        let socket = folder.path().join("socket");
        let _listening = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        assert_eq!(read(&socket, 5).unwrap_err().to_string(), "it is a socket, not a file");
    }
}
