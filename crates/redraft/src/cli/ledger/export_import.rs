//! `redraft ledger export` and `import`.

use super::{hold_all, scopes};
use crate::cli::refold::fold_board;
use redraft_adapters::shell_word::quoted_path;
use redraft_adapters::sqlite::{Export, Ledger, OpenMode, Resumed};
use redraft_engine::ports::Clock;
use redraft_facts::text::{count, one_line};
use redraft_frame::args::{LedgerExportArgs, LedgerImportArgs};
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use serde::Serialize;
use std::fs::{self, File};
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};

/// How many losses are reported one by one; all of them are in the file.
const TOLD_MAX: usize = 20;

#[derive(Serialize)]
struct ExportJson {
    v: u16,
    file: String,
    events: u64,
    blobs: u64,
    lost: Vec<String>,
}

pub(super) fn export(
    args: &LedgerExportArgs,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let repo = process.repository()?;
    let to_stdout = args.file == Path::new("-");
    if to_stdout && console.json {
        return Err(CliError::usage("with --json, standard output is for the report; name a file"));
    }
    if !Ledger::file(&repo.state).exists() {
        return Err(CliError::usage("there is no ledger here").hint("`redraft new` begins the first feature"));
    }
    let mut bytes = Vec::new();
    let export = Ledger::export(&repo.state, &mut bytes)?;
    if to_stdout {
        console.data(String::from_utf8_lossy(&bytes).trim_end());
    } else {
        write_new(&process.folder.join(&args.file), &bytes)?;
    }
    report(&export, &args.file, to_stdout, console);
    Ok(if export.lost.is_empty() { ErrorCode::Done } else { ErrorCode::NotApproved })
}

fn report(export: &Export, file: &Path, to_stdout: bool, console: &Console) {
    let lost: Vec<String> =
        export.lost.iter().map(|lost| format!("{}: {}", lost.what, one_line(&lost.detail, 200))).collect();
    for line in lost.iter().take(TOLD_MAX) {
        console.say(&format!("lost: {line}"));
    }
    if lost.len() > TOLD_MAX {
        console.say(&format!("and {} more, listed in the file", lost.len() - TOLD_MAX));
    }
    let (events, blobs) = (count(export.events as usize, "event"), count(export.blobs as usize, "blob"));
    let mut text = format!("wrote {events} and {blobs} to {}", file.display());
    if !lost.is_empty() {
        let next = format!("redraft ledger import {} --move-aside", quoted_path(file));
        text.push_str(&format!("; {} lost\nnext: {next}", lost.len()));
    }
    if to_stdout {
        console.say(&text);
    } else {
        let (events, blobs) = (export.events, export.blobs);
        let file = file.display().to_string();
        console.show(&text, &ExportJson { v: 1, file, events, blobs, lost });
    }
}

fn write_new(path: &Path, bytes: &[u8]) -> Result<(), CliError> {
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::AlreadyExists => CliError::usage(format!("{} already exists", path.display()))
            .hint("name another file; nothing was written"),
        _ => CliError::new(ErrorCode::Config, format!("{} cannot be written: {error}", path.display()))
            .hint("name a file in a folder that exists and can be written"),
    };
    let mut file = File::options().write(true).create_new(true).open(path).map_err(failed)?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(failed)
}

#[derive(Serialize)]
struct ImportJson {
    v: u16,
    events: u64,
    blobs: u64,
    lost: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    moved_aside: Option<String>,
}

pub(super) fn import(
    args: &LedgerImportArgs,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let repo = process.repository()?;
    let path = Ledger::file(&repo.state);
    let is_there = path.symlink_metadata().is_ok();
    if is_there && !args.move_aside {
        return Err(CliError::usage(format!("there is already a ledger: {}", path.display()))
            .hint("to rename it and put the imported one in its place: --move-aside"));
    }
    let known =
        Ledger::open(&repo.state, OpenMode::ReadOnly).map(|ledger| scopes(&ledger)).unwrap_or_default();
    let _locks = hold_all(&repo, known, process, console)?;
    let now_ms = process.clock.now_ms();
    // Made next to the old one and put in its place when it is complete.
    let folder = repo.state.join("importing");
    let failed = |error: io::Error| {
        CliError::new(ErrorCode::Config, format!("{}: {error}", folder.display())).hint("nothing was changed")
    };
    match fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
        _ => {}
    }
    let resumed = match args.file.as_path() {
        file if file == Path::new("-") => Ledger::import(&folder, &mut io::stdin().lock(), now_ms)?,
        file => {
            let file = process.folder.join(file);
            let opened = File::open(&file)
                .map_err(|error| CliError::usage(format!("{} cannot be read: {error}", file.display())))?;
            Ledger::import(&folder, &mut BufReader::new(opened), now_ms)?
        }
    };
    fold_board(&Ledger::open(&folder, OpenMode::Write)?)?;
    let moved_aside = if is_there { Some(move_aside(&path, now_ms).map_err(failed)?) } else { None };
    fs::rename(Ledger::file(&folder), &path).map_err(failed)?;
    // It holds only its own leftovers.
    let _ = fs::remove_dir_all(&folder);
    // A person has said that this is the ledger from here on, whosever it was.
    repo.require_own_state()?;
    let ledger = repo.signed(Ledger::open(&repo.state, OpenMode::Write)?)?;
    ledger.begin_stretch(&process.user, now_ms)?;
    Ok(told(resumed, moved_aside, console))
}

fn told(resumed: Resumed, moved_aside: Option<PathBuf>, console: &Console) -> ErrorCode {
    let Resumed { events, blobs, lost } = resumed;
    let mut text = format!("made a ledger from {}", count(events as usize, "event"));
    text.push_str(&format!(" and {}", count(blobs as usize, "blob")));
    if let Some(aside) = &moved_aside {
        text.push_str(&format!("\nthe old one is now {}", aside.display()));
    }
    if lost > 0 {
        let lost = count(lost as usize, "event");
        text.push_str(&format!("\n{lost} lost: their features continue from the last event before them"));
        text.push_str("\nanything newer in their worktrees counts as an edit and is reviewed again");
    }
    text.push_str("\nnext: redraft status");
    let moved_aside = moved_aside.map(|path| path.display().to_string());
    console.show(&text, &ImportJson { v: 1, events, blobs, lost, moved_aside });
    if lost > 0 { ErrorCode::NotApproved } else { ErrorCode::Done }
}

/// Renames the ledger and the files next to it; returns the new name.
fn move_aside(path: &Path, now_ms: i64) -> io::Result<PathBuf> {
    let named = |ending: &str| PathBuf::from(format!("{}{ending}", path.display()));
    let aside = path.with_file_name(format!("ledger.before-import-{now_ms}.db"));
    for ending in ["-wal", "-shm"] {
        match fs::rename(named(ending), format!("{}{ending}", aside.display())) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    fs::rename(path, &aside)?;
    Ok(aside)
}
