//! What SQLite's errors mean to the engine: which file, what is wrong with it, what can be done.

use crate::disk::free_bytes;
use redraft_engine::ports::StoreError;
use rusqlite::ErrorCode;
use rusqlite::ffi;
use std::io;
use std::path::Path;

/// The file every message names.
#[derive(Debug, Clone)]
pub(super) struct Place {
    path: String,
}

/// Something went wrong in a question or a change, before it is known what to call it.
#[derive(Debug)]
pub(super) enum Failure {
    Sqlite(rusqlite::Error),
    Store(StoreError),
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Failure::Sqlite(error)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Failure::Store(error)
    }
}

impl Place {
    pub(super) fn new(path: &Path) -> Place {
        Place { path: path.display().to_string() }
    }

    pub(super) fn damaged(&self, detail: impl Into<String>) -> StoreError {
        StoreError::Damaged { path: self.path.clone(), detail: detail.into() }
    }

    pub(super) fn newer(&self, detail: impl Into<String>) -> StoreError {
        StoreError::Newer { path: self.path.clone(), detail: detail.into() }
    }

    pub(super) fn read_only(&self, detail: impl Into<String>) -> StoreError {
        StoreError::ReadOnly { path: self.path.clone(), detail: detail.into() }
    }

    pub(super) fn unproven(&self, detail: impl Into<String>) -> StoreError {
        StoreError::Unproven { path: self.path.clone(), detail: detail.into() }
    }

    pub(super) fn busy(&self, detail: impl Into<String>) -> StoreError {
        StoreError::Busy { path: self.path.clone(), detail: detail.into() }
    }

    pub(super) fn gone(&self, detail: impl Into<String>) -> StoreError {
        StoreError::Gone { path: self.path.clone(), detail: detail.into(), rescued: None }
    }

    pub(super) fn other(&self, detail: impl Into<String>) -> StoreError {
        StoreError::Other { path: self.path.clone(), detail: detail.into() }
    }

    /// A file system error outside SQLite.
    pub(super) fn of_io(&self, attempt: &str, error: &io::Error) -> StoreError {
        let (path, detail) = (self.path.clone(), format!("{attempt}: {error}"));
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                StoreError::Full { path, detail }
            }
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                StoreError::ReadOnly { path, detail }
            }
            // The standard library has no name for it.
            _ if error.raw_os_error() == Some(5) => StoreError::Disk { path, detail },
            _ => StoreError::Other { path, detail },
        }
    }

    pub(super) fn explain(&self, failure: impl Into<Failure>) -> StoreError {
        match failure.into() {
            Failure::Store(error) => error,
            Failure::Sqlite(error) => self.of_sqlite(&error),
        }
    }

    fn of_sqlite(&self, error: &rusqlite::Error) -> StoreError {
        let (path, detail) = (self.path.clone(), error.to_string());
        let failed = match error {
            rusqlite::Error::SqliteFailure(failed, _) => *failed,
            // The statements are ours and fixed, so a statement that does not fit means tables that do not.
            rusqlite::Error::SqlInputError { .. }
            | rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::Utf8Error(..) => return StoreError::Damaged { path, detail },
            _ => return StoreError::Other { path, detail },
        };
        match failed.code {
            ErrorCode::DiskFull => StoreError::Full { path, detail },
            ErrorCode::SystemIoFailure if refused_to_grow(failed.extended_code) => {
                let room = Path::new(&path).parent().map(free_bytes);
                match room {
                    Some(Ok(free)) if free < ROOM_MIN => StoreError::Full { path, detail },
                    _ => {
                        let why = "the disk failed, or a quota or a file size limit is reached";
                        StoreError::Disk { path, detail: format!("{detail}; {why}") }
                    }
                }
            }
            ErrorCode::SystemIoFailure => StoreError::Disk { path, detail },
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => StoreError::Damaged { path, detail },
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => StoreError::Busy { path, detail },
            ErrorCode::ReadOnly | ErrorCode::PermissionDenied => StoreError::ReadOnly { path, detail },
            _ => StoreError::Other { path, detail },
        }
    }
}

/// Less free space than this counts as none.
const ROOM_MIN: u64 = 1 << 20;

/// SQLite says "full" only for ENOSPC in a write. The same limit hits as EFBIG or EDQUOT in a write, and when
/// the shared index of the log has to grow, under these codes, as does a disk that fails; the system's own number is
/// out of reach.
fn refused_to_grow(extended_code: i32) -> bool {
    matches!(extended_code, ffi::SQLITE_IOERR_WRITE | ffi::SQLITE_IOERR_SHMSIZE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(error: &StoreError) -> &'static str {
        match error {
            StoreError::Moved { .. } => "moved",
            StoreError::Damaged { .. } => "damaged",
            StoreError::Newer { .. } => "newer",
            StoreError::Full { .. } => "full",
            StoreError::Disk { .. } => "disk",
            StoreError::ReadOnly { .. } => "read only",
            StoreError::Unproven { .. } => "unproven",
            StoreError::Gone { .. } => "gone",
            StoreError::Busy { .. } => "busy",
            StoreError::Other { .. } => "other",
        }
    }

    #[test]
    fn each_code_of_sqlite_becomes_the_error_the_engine_can_act_on() {
        let place = Place::new(Path::new("state/ledger.db"));
        for (code, expected) in [
            (ffi::SQLITE_FULL, "full"),
            (ffi::SQLITE_IOERR_WRITE, "disk"),
            (ffi::SQLITE_IOERR_SHMSIZE, "disk"),
            (ffi::SQLITE_IOERR_READ, "disk"),
            (ffi::SQLITE_IOERR_FSYNC, "disk"),
            (ffi::SQLITE_READONLY, "read only"),
            (ffi::SQLITE_READONLY_DBMOVED, "read only"),
            (ffi::SQLITE_PERM, "read only"),
            (ffi::SQLITE_CANTOPEN, "other"),
            (ffi::SQLITE_CORRUPT, "damaged"),
            (ffi::SQLITE_NOTADB, "damaged"),
            (ffi::SQLITE_BUSY, "busy"),
            (ffi::SQLITE_BUSY_SNAPSHOT, "busy"),
            (ffi::SQLITE_LOCKED, "busy"),
        ] {
            let error = place.explain(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None));
            assert_eq!(name(&error), expected, "code {code}");
            assert!(error.to_string().contains("state/ledger.db"), "{error}");
        }
    }

    #[test]
    fn each_error_of_the_file_system_becomes_the_error_the_engine_can_act_on() {
        let place = Place::new(Path::new("state/ledger.db"));
        for (kind, expected) in [
            (io::ErrorKind::StorageFull, "full"),
            (io::ErrorKind::FileTooLarge, "full"),
            (io::ErrorKind::PermissionDenied, "read only"),
            (io::ErrorKind::NotADirectory, "other"),
        ] {
            assert_eq!(name(&place.of_io("creating its folder", &kind.into())), expected);
        }
    }
}
