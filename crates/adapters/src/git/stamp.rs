//! How files stood when they were looked at, without reading them.

use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

/// Files, and how they were when they were looked at.
pub(super) type Stamps = Vec<(PathBuf, Option<Stamp>)>;

/// Changes whenever a file does, even when its times are set back; for a link, what it is and what it leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stamp(Facts, Option<Facts>);

/// Which file it is, how long, and when it was last written and changed. The last cannot be set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Facts {
    number: u64,
    pub(super) bytes: u64,
    pub(super) changed_s: i64,
    more: [i64; 3],
}

pub(super) fn stamped(files: Vec<PathBuf>) -> Stamps {
    let stamp = |file: PathBuf| {
        let stamp = stamp(&file);
        (file, stamp)
    };
    files.into_iter().map(stamp).collect()
}

pub(super) fn are_current(stamps: &Stamps) -> bool {
    stamps.iter().all(|(file, then)| stamp(file) == *then)
}

fn stamp(file: &Path) -> Option<Stamp> {
    let found = fs::symlink_metadata(file).ok()?;
    let behind = if found.is_symlink() { fs::metadata(file).ok().map(|found| facts(&found)) } else { None };
    Some(Stamp(facts(&found), behind))
}

/// For a folder, only which one it is: what comes and goes in it does not matter.
pub(super) fn facts(found: &Metadata) -> Facts {
    use std::os::unix::fs::MetadataExt as _;
    if found.is_dir() {
        return Facts { number: found.ino(), bytes: u64::MAX, ..Facts::default() };
    }
    Facts {
        number: found.ino(),
        bytes: found.len(),
        changed_s: found.ctime(),
        more: [found.ctime_nsec(), found.mtime(), found.mtime_nsec()],
    }
}
