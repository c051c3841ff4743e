//! Saves what is left of a ledger that was removed or replaced while it was open: this process still has it.

use rusqlite::Connection;
use std::fs::{self, File};
use std::path::Path;

/// At most this many rescued files may stand in a folder; each was a run that found its ledger gone.
const RESCUED_MAX: u32 = 9;

/// Writes everything the connection can still read next to where the file was; returns where, if that worked.
pub(super) fn write(connection: &Connection, ledger: &Path) -> Option<String> {
    let folder = ledger.parent()?;
    // Where the whole folder was removed, the repository may have been, too; it is not created again.
    if !folder.is_dir() {
        let around = folder.parent().filter(|around| around.is_dir())?;
        fs::create_dir(around.join(folder.file_name()?)).ok()?;
    }
    let names = (1..=RESCUED_MAX).map(|number| match number {
        1 => "ledger.rescued.db".to_owned(),
        number => format!("ledger.rescued-{number}.db"),
    });
    let path = names.map(|name| folder.join(name)).find(|path| path.symlink_metadata().is_err())?;
    let text = path.to_str()?.to_owned();
    connection.execute("VACUUM INTO ?1", [&text]).ok()?;
    File::open(&path).and_then(|file| file.sync_all()).ok()?;
    Some(text)
}
