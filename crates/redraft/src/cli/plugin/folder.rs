//! The folder of an export: looked at as a whole before anything is touched, then changed file by file, each whole or not
//! at all.
//!
//! It decides nothing about the files. Nothing is followed out of the folder: a link on the way, whatever it leads to,
//! ends the export before it begins.

use redraft_adapters::plain_file;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::whole_file;
use redraft_integrations::plugin::{ExportStepKind, INVENTORY, Plan};
use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// More than any file of an export, and than any that a section is added to.
const BYTES_MAX: u64 = 4 * 1024 * 1024;
/// How many set-aside versions of one file there can be; with more, they were never looked at.
const ASIDE_MAX: usize = 1000;
const TEMPORARY: &str = ".redraft-export-";

pub(super) struct Folder<'a> {
    pub(super) root: &'a Path,
    /// Its name in messages.
    pub(super) shown: String,
}

/// What was there, by path.
pub(super) type Found = BTreeMap<String, Vec<u8>>;

impl Folder<'_> {
    /// What stands under these paths. Anything but a plain file in plain folders is an error.
    pub(super) fn look<'p>(&self, paths: impl IntoIterator<Item = &'p str>) -> Result<Found, CliError> {
        match fs::metadata(self.root) {
            Ok(found) if !found.is_dir() => {
                return Err(CliError::usage(format!("{} is not a folder", self.shown))
                    .hint("name a folder; it is created if it does not exist"));
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound && !self.root.is_symlink() => {
                return Ok(Found::new());
            }
            Err(error) => return Err(self.failed("cannot be read", "", &error)),
        }
        let mut found = Found::new();
        for path in paths {
            if let Some(bytes) = self.read(path)? {
                found.insert(path.to_owned(), bytes);
            }
        }
        Ok(found)
    }

    fn read(&self, path: &str) -> Result<Option<Vec<u8>>, CliError> {
        let mut place = self.root.to_owned();
        let mut names = path.split('/').peekable();
        while let Some(name) = names.next() {
            place.push(name);
            let is_last = names.peek().is_none();
            let what = match fs::symlink_metadata(&place) {
                Ok(found) => found.file_type(),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(self.failed("cannot be read", path, &error)),
            };
            let below = place.strip_prefix(self.root).unwrap_or(&place).display().to_string();
            let in_the_way = |what: &str| {
                let error = CliError::usage(format!("{below} in {} is {what}", self.shown));
                Err(error.hint("nothing was changed; move it, or export to another folder"))
            };
            match is_last {
                _ if what.is_symlink() => return in_the_way("a link, and links are not followed"),
                true if !what.is_file() => return in_the_way("not a file"),
                false if !what.is_dir() => return in_the_way("not a folder"),
                true | false => {}
            }
        }
        let read = plain_file::read(&place, BYTES_MAX);
        read.map(Some).map_err(|error| {
            CliError::new(ErrorCode::Config, format!("{path} in {}: {error}", self.shown))
                .hint("nothing was changed; make it readable, or move it")
        })
    }

    /// Does what the plan says. Returns where set-aside files went, by path.
    pub(super) fn carry_out(&self, plan: &Plan, found: &Found) -> Result<BTreeMap<String, String>, CliError> {
        let inventory = plan.inventory.text();
        let mut made = Made(Vec::new());
        let mut staged: Vec<(&str, NamedTempFile)> = Vec::new();
        let texts = plan.steps.iter().filter_map(|step| match &step.what {
            ExportStepKind::Write(text) | ExportStepKind::SetAside(text) => {
                Some((step.path.as_str(), text.as_str()))
            }
            ExportStepKind::Unchanged | ExportStepKind::Keep(_) | ExportStepKind::Remove => None,
        });
        for (path, text) in texts.chain([(INVENTORY, inventory.as_str())]) {
            if found.get(path).is_some_and(|there| there == text.as_bytes()) {
                continue;
            }
            staged.push((path, self.stage(path, text, &mut made)?));
        }
        self.refuse_changes(plan, found)?;
        // From here on every step leaves the folder in a state that the same command goes on from.
        made.0.clear();
        let mut aside = BTreeMap::new();
        for step in plan.steps.iter().filter(|step| matches!(step.what, ExportStepKind::SetAside(_))) {
            aside.insert(step.path.clone(), self.set_aside(&step.path)?);
        }
        for (path, file) in staged {
            let place = self.root.join(path);
            let written = match found.contains_key(path) {
                true => file.persist(&place),
                // A file that has appeared there meanwhile is not ours.
                false => file.persist_noclobber(&place),
            };
            written.map_err(|error| self.half_way(path, &error.error))?;
        }
        for step in plan.steps.iter().filter(|step| step.what == ExportStepKind::Remove) {
            self.remove(&step.path)?;
        }
        Ok(aside)
    }

    /// The whole text in a file next to the one it is to become.
    fn stage(&self, path: &str, text: &str, made: &mut Made) -> Result<NamedTempFile, CliError> {
        let place = self.root.join(path);
        let failed = |error: io::Error| self.failed("cannot be written", path, &error);
        made.folder_of(&place).map_err(failed)?;
        let replaced: Option<Metadata> = fs::symlink_metadata(&place).ok();
        whole_file::staged(&place, text, replaced.as_ref(), TEMPORARY).map_err(failed)
    }

    /// The last check before the first change: the plan holds only for what was seen.
    fn refuse_changes(&self, plan: &Plan, found: &Found) -> Result<(), CliError> {
        for step in &plan.steps {
            if self.read(&step.path)?.as_ref() != found.get(&step.path) {
                let (path, shown) = (&step.path, &self.shown);
                return Err(CliError::new(
                    ErrorCode::Held,
                    format!("{path} in {shown} has just been changed"),
                )
                .hint("nothing was changed by this command; run it again"));
            }
        }
        Ok(())
    }

    /// A second, unused name for what is there.
    fn set_aside(&self, path: &str) -> Result<String, CliError> {
        for number in 1..=ASIDE_MAX {
            let aside = match number {
                1 => format!("{path}.mine"),
                number => format!("{path}.mine.{number}"),
            };
            match same_again(&self.root.join(path), &self.root.join(&aside)) {
                Ok(()) => return Ok(aside),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(self.half_way(&aside, &error)),
            }
        }
        let error = CliError::new(
            ErrorCode::Config,
            format!("{path} has already been set aside {ASIDE_MAX} times in {}", self.shown),
        );
        Err(error.hint(format!("remove the {path}.mine… files you do not need, then run again")))
    }

    /// Removes a file, and the folders that are empty without it.
    fn remove(&self, path: &str) -> Result<(), CliError> {
        let place = self.root.join(path);
        match fs::remove_file(&place) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(self.half_way(path, &error)),
            _ => {}
        }
        for folder in place.ancestors().skip(1).take_while(|folder| *folder != self.root) {
            // One that holds something else stays.
            if fs::remove_dir(folder).is_err() {
                break;
            }
        }
        Ok(())
    }

    fn failed(&self, what: &str, path: &str, error: &io::Error) -> CliError {
        let place = if path.is_empty() { String::new() } else { format!("{path} in ") };
        CliError::new(ErrorCode::Config, format!("{place}{} {what}: {error}", self.shown))
            .hint("nothing was changed; name a folder that can be written, or make this one writable")
    }

    fn half_way(&self, path: &str, error: &io::Error) -> CliError {
        CliError::new(ErrorCode::Config, format!("{path} in {} cannot be written: {error}", self.shown))
            .hint("the files before it were written completely; fix the cause and run the same command again")
    }
}

/// Folders that were made, and are removed again if the export fails.
struct Made(Vec<PathBuf>);

impl Made {
    fn folder_of(&mut self, place: &Path) -> io::Result<()> {
        let Some(folder) = place.parent() else { return Ok(()) };
        let missing: Vec<&Path> = folder
            .ancestors()
            .take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists())
            .collect();
        for folder in missing.into_iter().rev() {
            fs::create_dir(folder)?;
            self.0.push(folder.to_owned());
        }
        Ok(())
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        for folder in self.0.iter().rev() {
            // A folder with something new in it stays.
            let _ = fs::remove_dir(folder);
        }
    }
}

/// A link to the same file where that is possible, else a copy; never over an existing file.
fn same_again(from: &Path, to: &Path) -> io::Result<()> {
    match fs::hard_link(from, to) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            let mut source = fs::File::open(from)?;
            let mut copy = fs::File::options().write(true).create_new(true).open(to)?;
            io::copy(&mut source, &mut copy)?;
            copy.sync_all()
        }
        linked => linked,
    }
}
