//! The files of the knowledge bank in a checkout: read whole, written whole or not at all.

use redraft_adapters::plain_file;
use redraft_documents::bank::{Applied, Bank, BankChange, BankFile, RETIRED_FILE, apply};
use redraft_facts::phase::Phase;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::repository_context::RepositoryContext;
use std::fs::{self, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// Forty times five thousand entries; a larger file is not a bank.
const BYTES_MAX: u64 = 64 * 1024 * 1024;

/// The three files as they were read.
pub(super) struct BankFiles {
    root: PathBuf,
    files: Vec<(BankFile, String)>,
    pub(super) bank: Bank,
}

impl BankFiles {
    /// The files of the current checkout. A missing file holds nothing.
    pub(super) fn read(repo: &RepositoryContext) -> Result<BankFiles, CliError> {
        let root = repo.repository.here().to_owned();
        let mut files = Vec::new();
        for kind in BankFile::ALL {
            files.extend(text(&root, kind.path())?.map(|text| (kind, text)));
        }
        let bank = Bank::read(&files);
        Ok(BankFiles { root, files, bank })
    }

    /// What the file of a kind becomes.
    pub(super) fn apply(&self, kind: BankFile, changes: &[BankChange]) -> Applied {
        let text = self.files.iter().find(|(known, _)| *known == kind).map_or("", |(_, text)| text);
        apply(kind, text, changes)
    }

    /// Puts the file of a kind in place of the old one, unless somebody edited it meanwhile.
    pub(super) fn write(&self, kind: BankFile, new: &str) -> Result<(), CliError> {
        let old = self.files.iter().find(|(known, _)| *known == kind).map(|(_, text)| text.as_str());
        if old == Some(new) {
            return Ok(());
        }
        let path = self.root.join(kind.path());
        if text(&self.root, kind.path())?.as_deref() != old {
            return Err(CliError::new(
                ErrorCode::Config,
                format!("{} was edited in the meantime", path.display()),
            )
            .hint("nothing was changed; run the same command again"));
        }
        replace(&self.root, &path, new)
    }

    /// Adds a line to a list in a file, once. A file that is not there begins with `title`.
    pub(super) fn note(&self, path: &str, title: &str, line: &str) -> Result<(), CliError> {
        let place = self.root.join(path);
        let old = text(&self.root, path)?.unwrap_or_else(|| format!("{title}\n"));
        let item = format!("- {line}");
        if old.lines().any(|known| known.trim_end() == item) {
            return Ok(());
        }
        let line_break = if old.contains("\r\n") { "\r\n" } else { "\n" };
        let ended = if old.ends_with('\n') || old.is_empty() { "" } else { line_break };
        let in_list = old.trim_end().lines().last().is_some_and(|last| last.starts_with("- "));
        let gap = if in_list { "" } else { line_break };
        replace(&self.root, &place, &format!("{old}{ended}{gap}{item}{line_break}"))
    }

    /// Where a retired entry is noted: in the retrospective of this feature where there is one.
    pub(super) fn noted_in(&self, feature_folder: Option<&str>) -> String {
        let retro = feature_folder.map(|folder| format!("{folder}/{}", Phase::Finish.artifact()));
        let retro = retro.filter(|path| self.root.join(path).is_file());
        retro.unwrap_or_else(|| RETIRED_FILE.to_owned())
    }
}

fn text(root: &Path, path: &str) -> Result<Option<String>, CliError> {
    let read = plain_file::read_text_inside(root, path, BYTES_MAX);
    let path = &root.join(path);
    match read {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.is_absent(path) => Ok(None),
        Err(error) => Err(CliError::new(ErrorCode::Config, format!("{}: {error}", path.display()))
            .hint("save it as a regular file of UTF-8 text; nothing was changed")),
    }
}

/// A link leads to the file it names, which keeps its permissions; a link out of the checkout is refused.
fn replace(root: &Path, path: &Path, text: &str) -> Result<(), CliError> {
    let failed = |error: io::Error| {
        CliError::new(ErrorCode::Config, format!("{} cannot be written: {error}", path.display()))
            .hint("this file was not changed; fix the cause and run the same command again")
    };
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = target.parent().unwrap_or(Path::new("."));
    plain_file::make_folder_inside(root, folder)
        .map_err(|error| CliError::new(ErrorCode::Config, format!("{}: {error}", path.display())))?;
    let mode = fs::metadata(&target).map_or(Permissions::from_mode(0o666), |found| found.permissions());
    let part = tempfile::Builder::new().prefix(".redraft-bank-").permissions(mode).tempfile_in(folder);
    let mut part = part.map_err(failed)?;
    part.write_all(text.as_bytes()).map_err(failed)?;
    part.as_file().sync_all().map_err(failed)?;
    part.persist(&target).map(drop).map_err(|error| failed(error.error))
}
