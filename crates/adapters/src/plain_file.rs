//! Reads a file that a person named: only a regular one, and only up to a size.
//!
//! Whatever else can stand behind a path (a folder, a pipe nobody writes to, a device without an end) would hang
//! the program or fill its memory. What is in the file is not looked at here.

use std::fmt;
use std::fs::{self, File, FileType};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

/// Why a file was not read. Begins with "it", so that it can follow the file's name.
#[derive(Debug)]
pub enum UnreadableFile {
    Io(io::Error),
    /// What it is instead, e.g. "a folder".
    NotAFile(&'static str),
    TooLarge {
        bytes_max: u64,
    },
    /// It stands below a folder and leads out of it.
    LeadsOut(PathBuf),
    /// It leads into git's own folder.
    IntoGit(PathBuf),
}

impl UnreadableFile {
    /// Whether there is nothing at all under that name, not even a link that leads nowhere.
    pub fn is_absent(&self, path: &Path) -> bool {
        matches!(self, UnreadableFile::Io(error) if error.kind() == io::ErrorKind::NotFound)
            && path.symlink_metadata().is_err()
    }

    /// Whether it is not read because of where it leads.
    pub fn is_elsewhere(&self) -> bool {
        matches!(self, UnreadableFile::LeadsOut(_) | UnreadableFile::IntoGit(_))
    }
}

impl fmt::Display for UnreadableFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnreadableFile::Io(error) => write!(f, "it cannot be read: {error}"),
            UnreadableFile::NotAFile(what) => write!(f, "it is {what}, not a file"),
            UnreadableFile::TooLarge { bytes_max } => {
                write!(f, "it is too large: at most {} KB are read", bytes_max / 1024)
            }
            UnreadableFile::LeadsOut(target) => write!(
                f,
                "it is reached by a link that leads out of the repository, to {}, and is not followed; put the file itself \
                 there",
                target.display()
            ),
            UnreadableFile::IntoGit(target) => write!(
                f,
                "it leads into git's own folder, to {}, and is not followed; put the file itself there",
                target.display()
            ),
        }
    }
}

/// The bytes of a regular file that has at most `bytes_max` of them. Links are followed.
pub fn read(path: &Path, bytes_max: u64) -> Result<Vec<u8>, UnreadableFile> {
    // Before it is opened: opening a pipe waits for somebody to write.
    regular(fs::metadata(path).map_err(UnreadableFile::Io)?.file_type())?;
    all_of(File::open(path).map_err(UnreadableFile::Io)?, bytes_max)
}

/// The same as text.
pub fn read_text(path: &Path, bytes_max: u64) -> Result<String, UnreadableFile> {
    as_text(read(path, bytes_max)?)
}

/// The bytes of a file that a person named, or that stands next to one. A path written as part of the checkout at
/// `root` must really be part of it, because somebody else may have put a link there; a path elsewhere is the person's
/// own choice.
pub fn read_named(root: &Path, path: &Path, bytes_max: u64) -> Result<Vec<u8>, UnreadableFile> {
    if is_named_below(root, path) { read_inside(root, path, bytes_max) } else { read(path, bytes_max) }
}

/// Fails where a path, whether or not it exists, is written as part of the checkout at `root` and leads out of it.
pub fn check_named(root: &Path, path: &Path) -> Result<(), UnreadableFile> {
    if !is_named_below(root, path) {
        return Ok(());
    }
    let there = path.ancestors().find(|place| place.symlink_metadata().is_ok()).unwrap_or(root);
    inside(root, there).map(drop)
}

/// Makes a folder below `root` with those above it, unless a link on the way leads elsewhere.
pub fn make_folder_inside(root: &Path, folder: &Path) -> Result<(), UnreadableFile> {
    // What does not exist yet cannot be a link.
    let there = folder.ancestors().find(|place| place.symlink_metadata().is_ok()).unwrap_or(root);
    inside(root, there)?;
    fs::create_dir_all(folder).map_err(UnreadableFile::Io)
}

/// Whether a path goes through `root` as it is written. Links before it lead to it, those after it may lead anywhere.
fn is_named_below(root: &Path, path: &Path) -> bool {
    let Ok(root) = fs::canonicalize(root) else { return false };
    let mut written = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(written.pop()),
            Component::CurDir => {}
            part => written.push(part),
        }
    }
    written.ancestors().any(|above| fs::canonicalize(above).is_ok_and(|real| real == root))
}

/// The bytes of a file of a repository, which somebody else may have filled: links are followed only as long as they
/// stay below `root` and out of git's own folder.
pub fn read_inside(root: &Path, path: impl AsRef<Path>, bytes_max: u64) -> Result<Vec<u8>, UnreadableFile> {
    all_of(open_inside(root, path.as_ref())?, bytes_max)
}

/// The same as text.
pub fn read_text_inside(
    root: &Path,
    path: impl AsRef<Path>,
    bytes_max: u64,
) -> Result<String, UnreadableFile> {
    as_text(read_inside(root, path, bytes_max)?)
}

/// What became of a file that was to be copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Copied {
    Done,
    /// Something is there already, and stays.
    There,
    /// There is nothing to copy.
    Absent,
}

/// Copies a file from one folder to the same place in another, whole or not at all. No link leads out of either.
pub fn copy_inside(from: &Path, to: &Path, name: &str) -> Result<Copied, UnreadableFile> {
    let target = to.join(name);
    if target.symlink_metadata().is_ok() {
        return Ok(Copied::There);
    }
    if from.join(name).symlink_metadata().is_err() {
        return Ok(Copied::Absent);
    }
    let mut source = open_inside(from, Path::new(name))?;
    regular(source.metadata().map_err(UnreadableFile::Io)?.file_type())?;
    let folder = target.parent().unwrap_or(to);
    make_folder_inside(to, folder)?;
    // Half a file would be taken for the user's own the next time.
    let part = folder.join(format!(".redraft-copy-{}", std::process::id()));
    let written = File::create_new(&part).and_then(|mut copy| {
        io::copy(&mut source, &mut copy)?;
        copy.set_permissions(source.metadata()?.permissions())?;
        copy.sync_all()?;
        fs::rename(&part, &target)
    });
    if written.is_err() {
        let _ = fs::remove_file(&part);
    }
    written.map(|()| Copied::Done).map_err(UnreadableFile::Io)
}

/// Where a path below `root` really leads, if that is below `root` as well and not in git's own folder; both as real
/// paths.
pub fn inside(root: &Path, path: &Path) -> Result<(PathBuf, PathBuf), UnreadableFile> {
    let root = fs::canonicalize(root).map_err(UnreadableFile::Io)?;
    let real = fs::canonicalize(path).map_err(UnreadableFile::Io)?;
    match real.strip_prefix(&root) {
        // Case is ignored because some file systems do.
        Ok(below) if below.iter().any(|part| part.eq_ignore_ascii_case(".git")) => {
            Err(UnreadableFile::IntoGit(real))
        }
        Ok(_) => Ok((root, real)),
        Err(_) => Err(UnreadableFile::LeadsOut(real)),
    }
}

fn open_inside(root: &Path, path: &Path) -> Result<File, UnreadableFile> {
    let (root, real) = inside(root, &root.join(path))?;
    regular(fs::metadata(&real).map_err(UnreadableFile::Io)?.file_type())?;
    without_links(&root, &real).map_err(UnreadableFile::Io)
}

/// Opens a real path. A link that is put there meanwhile is not followed.
#[cfg(target_os = "linux")]
fn without_links(root: &Path, real: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};
    use rustix::io::Errno;
    let below = real.strip_prefix(root).unwrap_or(real);
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
    match openat2(File::open(root)?, below, flags, Mode::empty(), resolve) {
        Ok(file) => Ok(File::from(file)),
        // An older kernel, or a container that does not let it through.
        Err(Errno::NOSYS | Errno::PERM) => File::open(real),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(target_os = "linux"))]
fn without_links(_root: &Path, real: &Path) -> io::Result<File> {
    File::open(real)
}

fn all_of(file: File, bytes_max: u64) -> Result<Vec<u8>, UnreadableFile> {
    regular(file.metadata().map_err(UnreadableFile::Io)?.file_type())?;
    let mut bytes = Vec::new();
    // The size that a file system reports is not used: some report 0 for what has no end.
    file.take(bytes_max + 1).read_to_end(&mut bytes).map_err(UnreadableFile::Io)?;
    if bytes.len() as u64 > bytes_max { Err(UnreadableFile::TooLarge { bytes_max }) } else { Ok(bytes) }
}

/// The bytes of a file of our own, however many. Something else may have been put under its name all the same.
pub fn read_own_file(path: &Path) -> io::Result<Vec<u8>> {
    match check(path) {
        Ok(()) => fs::read(path),
        Err(UnreadableFile::Io(error)) => Err(error),
        Err(other) => Err(io::Error::new(io::ErrorKind::InvalidInput, other.to_string())),
    }
}

/// Fails unless a regular file is there. For files that are opened by others, who would wait for a pipe forever.
pub fn check(path: &Path) -> Result<(), UnreadableFile> {
    regular(fs::metadata(path).map_err(UnreadableFile::Io)?.file_type())
}

fn as_text(bytes: Vec<u8>) -> Result<String, UnreadableFile> {
    let not_text = |_| UnreadableFile::Io(io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text"));
    String::from_utf8(bytes).map_err(not_text)
}

fn regular(kind: FileType) -> Result<(), UnreadableFile> {
    if kind.is_file() { Ok(()) } else { Err(UnreadableFile::NotAFile(name(kind))) }
}

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

#[cfg(test)]
mod tests;
