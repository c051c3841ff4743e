//! `redraft lint`: runs the mechanical checks over documents, without any agent.
//!
//! Finds the documents, reads them, asks `documents::lint` and shows what it says. Needs no repository and no ledger.
//! `find` finds the files that are meant, `plugin` reads the folder of a plugin, `report` formats the faults.

pub(super) mod find;
mod plugin;
mod report;

use find::Group;
use redraft_adapters::git::{GitError, Repository};
use redraft_adapters::plain_file;
use redraft_agents::config::Config;
use redraft_documents::bank::{self, Bank};
use redraft_documents::lint::{self, Document, Documents, Fault, LintLevel, LintSettings, LintedContent};
use redraft_frame::args::LintArgs;
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::trace_inputs::TraceInputs;
use redraft_integrations::plugin_lint;
use redraft_reports::matrix::Orphan;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A hundred times what people write; a larger file is not a document.
const BYTES_MAX: u64 = 4 * 1024 * 1024;

/// Where a check happens.
pub(super) struct Place {
    /// The top folder of the current repository or worktree; the folder itself outside of any.
    pub(super) root: PathBuf,
    /// The main checkout of the repository.
    main: PathBuf,
    /// Where the command was typed; shown paths are relative to it.
    folder: PathBuf,
}

pub fn lint(args: LintArgs, process: &ProcessContext, console: &Console) -> Result<ErrorCode, CliError> {
    let place = Place::find(process)?;
    let config = Config::load(&place.main, &redraft_roles::profile::roles(), &process.own)?;
    let bank = bank_in(&place.root);
    let settings = bank::raised(&config.lint, &bank);
    if args.rules {
        report::rules(&settings, console);
        return Ok(ErrorCode::Done);
    }
    let form = match (args.sarif, args.github) {
        (true, _) => report::Form::Sarif,
        (_, true) => report::Form::Github,
        (_, _) => report::Form::Plain,
    };
    if let Some(folder) = &args.plugin {
        return of_plugin(folder, &place, &settings, form, process, console);
    }
    let mut groups = find::groups(&args.targets, &place)?;
    if args.trace {
        // A trace is read from a folder, with all documents it has.
        groups.dedup_by(|one, kept| {
            let same = one.folder == kept.folder;
            if same {
                kept.files.append(&mut one.files);
                kept.files.sort();
                kept.files.dedup();
            }
            same
        });
    }
    let mut faults: Vec<Fault> = Vec::new();
    for group in &groups {
        if process.stopped() {
            return Err(CliError::new(ErrorCode::Interrupted, "stopped before everything was checked"));
        }
        match args.trace {
            true => faults.extend(orphans(group, &place, &settings)?),
            false => {
                let stopped =
                    || CliError::new(ErrorCode::Interrupted, "stopped before everything was checked");
                faults.extend(check(group, &place, &settings, process).ok_or_else(stopped)?);
            }
        }
    }
    if args.targets.is_empty() {
        let checks: Vec<&str> = config.checks.iter().map(|check| check.name.as_str()).collect();
        let unknown = bank::unknown_checks(&bank, &checks, &settings).into_iter();
        faults.extend(
            unknown.map(|fault| Fault {
                path: find::shown(&place.root.join(&fault.path), &place.folder),
                ..fault
            }),
        );
    }
    let documents = groups.iter().map(|group| group.files.len()).sum();
    let (root, folder) = (place.root.as_path(), place.folder.as_path());
    let checked = report::Checked { groups: groups.len(), documents, what: "document", root, folder };
    report::show(&faults, &checked, form, console);
    Ok(code(&faults))
}

fn code(faults: &[Fault]) -> ErrorCode {
    let errors = faults.iter().any(|fault| fault.level == LintLevel::Error);
    if errors { ErrorCode::NotApproved } else { ErrorCode::Done }
}

/// A plugin in place of documents.
fn of_plugin(
    folder: &Path,
    place: &Place,
    settings: &LintSettings,
    form: report::Form,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let top = place.folder.join(folder);
    let read = plugin::read(&top, process)?;
    let top = top.canonicalize().unwrap_or(top);
    let shown = |fault: Fault| Fault { path: find::shown(&top.join(&fault.path), &place.folder), ..fault };
    let faults: Vec<Fault> = plugin_lint::check(&read, settings).into_iter().map(shown).collect();
    let (root, folder) = (place.root.as_path(), place.folder.as_path());
    let checked = report::Checked { groups: 0, documents: read.files.len(), what: "file", root, folder };
    report::show(&faults, &checked, form, console);
    Ok(code(&faults))
}

/// The knowledge bank of a checkout; an unreadable file counts as empty here, and `redraft bank` reports it.
fn bank_in(root: &Path) -> Bank {
    let read =
        |kind: bank::BankFile| Some((kind, plain_file::read_text_inside(root, kind.path(), BYTES_MAX).ok()?));
    Bank::read(&bank::BankFile::ALL.into_iter().filter_map(read).collect::<Vec<_>>())
}

impl Place {
    pub(super) fn find(process: &ProcessContext) -> Result<Place, CliError> {
        let folder = process.folder.canonicalize().unwrap_or_else(|_| process.folder.clone());
        match Repository::discover(&folder) {
            Ok(repository) => {
                let (root, main) = (repository.here().to_owned(), repository.main_checkout().to_owned());
                Ok(Place { root, main, folder })
            }
            // Documents can be looked at without git; only a git that does not work is reported.
            Err(
                GitError::NotARepository(_)
                | GitError::Missing { .. }
                | GitError::Bare(_)
                | GitError::BareMain(_)
                | GitError::NoMainCheckout(_)
                | GitError::InsideGitFolder(_),
            ) => Ok(Place { root: folder.clone(), main: folder.clone(), folder }),
            Err(error) => Err(error.into()),
        }
    }
}

/// None where the user has stopped it.
fn check(
    group: &Group,
    place: &Place,
    settings: &LintSettings,
    process: &ProcessContext,
) -> Option<Vec<Fault>> {
    let read = |file: &PathBuf| Document {
        path: find::shown(file, &place.folder),
        content: content(&place.root, file),
    };
    let mut documents =
        Documents { documents: group.files.iter().map(read).collect(), ..Documents::default() };
    if settings.level(lint::Rule::MissingFile) != LintLevel::Off {
        documents.absent_files = absent(&lint::named_files(&documents), group, place);
    }
    lint::check_until(&documents, settings, &|| process.stopped())
}

/// The parts of a feature that lead nowhere, as faults.
fn orphans(group: &Group, place: &Place, settings: &LintSettings) -> Result<Vec<Fault>, CliError> {
    let root = group.root.as_deref().unwrap_or(&place.root);
    let found = TraceInputs::of_folder(&place.root, &group.folder)?.matrix().orphans;
    let fault = |orphan: Orphan| {
        let level = settings.level(orphan.rule);
        let file = if orphan.document { group.folder.join(&orphan.file) } else { root.join(&orphan.file) };
        let path = find::shown(&file, &place.folder);
        let Orphan { rule, line, message, .. } = orphan;
        (level != LintLevel::Off).then(|| Fault {
            rule,
            level,
            path,
            line,
            message,
            hint: orphan.hint.to_owned(),
        })
    };
    Ok(found.into_iter().filter_map(fault).collect())
}

fn content(root: &Path, file: &Path) -> LintedContent {
    match plain_file::read_named(root, file, BYTES_MAX) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => LintedContent::Text(text),
            Err(_) => LintedContent::Unreadable("it is not UTF-8 text".to_owned()),
        },
        Err(error) if error.is_absent(file) => LintedContent::Absent,
        Err(error) => LintedContent::Unreadable(error.to_string()),
    }
}

/// Files that do not exist, although the folder they are said to be in belongs to this repository.
fn absent(named: &BTreeSet<String>, group: &Group, place: &Place) -> BTreeSet<String> {
    let top = group.root.as_deref().unwrap_or(&place.root);
    // Outside of the repository only what is beside the documents can be known.
    let folder = group.folder.canonicalize().unwrap_or_else(|_| group.folder.clone());
    let top = if folder.starts_with(top) { top } else { &folder };
    let folder = find::shown(folder.strip_prefix(top).unwrap_or(Path::new("")), top);
    let is_ours = |path: &str| {
        let (first, _) = path.split_once('/').unwrap_or_default();
        match first {
            // Somewhere on a machine.
            _ if path.starts_with('/') => false,
            "" | ".." => lint::places(path, &folder).iter().any(|place| has_folder(&top.join(place))),
            first => top.join(first).is_dir() || top.join(&folder).join(first).is_dir(),
        }
    };
    let is_absent = |path: &&String| {
        is_ours(path) && lint::places(path, &folder).iter().all(|place| !top.join(place).exists())
    };
    named.iter().filter(is_absent).cloned().collect()
}

fn has_folder(file: &Path) -> bool {
    file.parent().is_some_and(Path::is_dir)
}
