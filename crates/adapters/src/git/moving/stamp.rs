//! The stamp of a file, by which a move knows whose it is.

use crate::git::files::is_absent;
use serde::{Deserialize, Serialize};
use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// What distinguishes one file from another in the same place. A copy of a whole repository keeps all but the inode,
/// which only counts where the rest is the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Stamp {
    mode: u32,
    bytes: u64,
    changed_s: i64,
    changed_ns: i64,
    inode: u64,
}

impl Stamp {
    /// Of what stands there; links are not followed.
    pub(super) fn read(path: &Path) -> io::Result<Option<Stamp>> {
        match path.symlink_metadata() {
            Ok(found) => Ok(Some(Stamp::from(&found))),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(super) fn is_folder(self) -> bool {
        const KIND: u32 = 0o170_000;
        const FOLDER: u32 = 0o040_000;
        self.mode & KIND == FOLDER
    }

    /// Whether all but the inode is the same.
    pub(super) fn is_like(self, other: Stamp) -> bool {
        Stamp { inode: 0, ..self } == Stamp { inode: 0, ..other }
    }

    pub(super) fn has_same_inode(self, other: Stamp) -> bool {
        self.inode == other.inode
    }
}

impl From<&Metadata> for Stamp {
    fn from(found: &Metadata) -> Stamp {
        Stamp {
            mode: found.mode(),
            bytes: found.len(),
            changed_s: found.mtime(),
            changed_ns: found.mtime_nsec(),
            inode: found.ino(),
        }
    }
}
