//! `redraft log --decisions`: shows what was decided, as a list or as records.
//!
//! A record is written once: it holds the id of its decision, and any file in the folder with that id counts as the
//! record.

use redraft_adapters::plain_file;
use redraft_adapters::sqlite::Ledger;
use redraft_engine::ports::Store;
use redraft_facts::text::{count, one_line, utc};
use redraft_facts::ticket::Scope;
use redraft_frame::args::LogArgs;
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;
use redraft_reports::decisions::{self, DecisionKind, DecisionStatus, ReportedWork, Resolution, Tied};
use serde::Serialize;
use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Where records are kept unless another folder is named.
const FOLDER: &str = "docs/decisions";

/// All of one feature.
struct Of {
    name: String,
    all: Vec<Resolution>,
}

pub(super) fn decisions(
    args: &LogArgs,
    repo: &RepositoryContext,
    ledger: &Ledger,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let scopes = match &args.feature {
        Some(word) => vec![repo.resolve_scope(ledger, Some(word), process)?],
        None => repo.features(ledger)?.into_iter().map(Scope::Feature).collect(),
    };
    let mut features = Vec::new();
    for scope in scopes {
        let created = repo.created_in(ledger, scope.clone())?;
        let all = decisions::resolutions(&scope, &ledger.read(scope.clone())?);
        features.push(Of { name: format!("{scope}-{}", created.slug), all });
    }
    let written = match &args.export {
        Some(folder) => {
            let here = repo.repository.here();
            let folder = match folder {
                Some(folder) => process.folder.join(folder),
                None => here.join(FOLDER),
            };
            plain_file::check_named(here, &folder).map_err(|error| {
                CliError::new(ErrorCode::Config, format!("{}: {error}", folder.display()))
            })?;
            Some(export(&features, &folder)?)
        }
        None => None,
    };
    show(&features, written.as_deref(), console);
    Ok(ErrorCode::Done)
}

/// Writes a record for everything that has none, and returns the new files.
fn export(features: &[Of], folder: &Path) -> Result<Vec<PathBuf>, CliError> {
    let failed = |path: &Path, error: &std::io::Error| {
        CliError::new(ErrorCode::Config, format!("{} cannot be written: {error}", path.display()))
            .hint("records already written stay; fix the cause and run again, nothing is written twice")
    };
    fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
    let (mut next, known) = records(folder).map_err(|error| failed(folder, &error))?;
    let mut written = Vec::new();
    for feature in features {
        let worth = |one: &&Resolution| one.kind.is_recorded() && one.standing != DecisionStatus::Dropped;
        for one in feature.all.iter().filter(worth) {
            if known.contains(&decisions::marker(one)) {
                continue;
            }
            let of_same_work = |other: &&Resolution| {
                other.kind == DecisionKind::Concern && other.at_ms == one.at_ms && other.work == one.work
            };
            let concerns: Vec<&Resolution> = feature.all.iter().filter(of_same_work).collect();
            let path = folder.join(decisions::file_name(next, one));
            let text = decisions::record(next, &feature.name, one, &concerns);
            create(&path, &text).map_err(|error| failed(&path, &error))?;
            written.push(path);
            next += 1;
        }
    }
    Ok(written)
}

/// The next number that no file has, and the ids that records hold.
fn records(folder: &Path) -> std::io::Result<(u32, BTreeSet<String>)> {
    const BYTES_MAX: u64 = 1024 * 1024;
    let mut last = 0;
    let mut known = BTreeSet::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let digits = name.len() - name.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        last = last.max(name[..digits].parse().unwrap_or(0));
        if name.ends_with(".md") {
            // An unreadable file is not a record.
            let text = plain_file::read_text(&path, BYTES_MAX).unwrap_or_default();
            known.extend(text.lines().filter(|line| line.starts_with("<!-- redraft: ")).map(str::to_owned));
        }
    }
    Ok((last + 1, known))
}

/// Never replaces an existing file.
fn create(path: &Path, text: &str) -> std::io::Result<()> {
    let mut file = fs::OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

fn show(features: &[Of], written: Option<&[PathBuf]>, console: &Console) {
    if console.json {
        let written = written.map(|files| files.iter().map(|file| file.display().to_string()).collect());
        let features = features.iter().map(FeatureJson::new).collect();
        console.object(&DecisionsJson { v: 1, features, written });
        return;
    }
    if let Some(written) = written {
        written.iter().for_each(|file| console.data(&redraft_facts::harmless::name(&file.to_string_lossy())));
        console.say(&match written.len() {
            0 => "no record to write: every decision already has one, or there are no decisions".to_owned(),
            some => format!("{} written", count(some, "record")),
        });
        return;
    }
    let all = features.iter().flat_map(|feature| &feature.all).count();
    for one in features.iter().flat_map(|feature| &feature.all) {
        console.data(&line(one));
    }
    if all == 0 {
        console.say("nothing has been decided yet");
    }
}

/// `2026-11-16 02:25:10 UTC  decision  accepted  001/… task 2.2: the lifetime is handed in`.
fn line(one: &Resolution) -> String {
    const CHARS_MAX: usize = 300;
    let work = match &one.work {
        Some(ReportedWork { task: Some(task), .. }) => format!("task {task}"),
        Some(ReportedWork { title, .. }) => title.clone(),
        None => one.phase.to_string(),
    };
    let findings: Vec<&str> = one.findings.iter().map(|finding| finding.id.as_str()).collect();
    let findings = match findings.is_empty() {
        true => String::new(),
        false => format!(
            " ({}: {})",
            if one.kind == DecisionKind::Ruling { "settles" } else { "see" },
            findings.join(", ")
        ),
    };
    let (at, kind, standing) = (utc(one.at_ms), one.kind.name(), one.standing.name());
    let id = one.id.split(['/', ' ']).next().unwrap_or_default();
    format!(
        "{at}  {id}  {kind:<9}  {standing:<8}  {work}, {}: {}{findings}",
        one_line(&one.by, CHARS_MAX),
        one_line(&one.text, CHARS_MAX)
    )
}

#[derive(Serialize)]
struct DecisionsJson<'a> {
    v: u16,
    features: Vec<FeatureJson<'a>>,
    /// The new files; none where none were asked for.
    written: Option<Vec<String>>,
}

#[derive(Serialize)]
struct FeatureJson<'a> {
    name: &'a str,
    decisions: Vec<ResolutionJson<'a>>,
}

#[derive(Serialize)]
struct ResolutionJson<'a> {
    id: &'a str,
    kind: &'static str,
    status: &'static str,
    at: String,
    at_ms: i64,
    phase: &'static str,
    by: &'a str,
    task: Option<&'a str>,
    commit: Option<&'a str>,
    files: &'a [String],
    asked: &'a str,
    text: &'a str,
    findings: Vec<TiedJson<'a>>,
}

#[derive(Serialize)]
struct TiedJson<'a> {
    phase: &'static str,
    id: &'a str,
    status: &'static str,
    description: &'a str,
}

impl<'a> FeatureJson<'a> {
    fn new(feature: &'a Of) -> FeatureJson<'a> {
        FeatureJson { name: &feature.name, decisions: feature.all.iter().map(ResolutionJson::new).collect() }
    }
}

impl<'a> ResolutionJson<'a> {
    fn new(one: &'a Resolution) -> ResolutionJson<'a> {
        let tied = |tied: &'a Tied| TiedJson {
            phase: tied.phase.name(),
            id: tied.id.as_str(),
            status: tied.status.name(),
            description: &tied.description,
        };
        let work = one.work.as_ref();
        ResolutionJson {
            id: &one.id,
            kind: one.kind.name(),
            status: one.standing.name(),
            at: utc(one.at_ms),
            at_ms: one.at_ms,
            phase: one.phase.name(),
            by: &one.by,
            task: work.and_then(|work| work.task.as_deref()),
            commit: work.map(|work| work.commit.as_str()).filter(|commit| !commit.is_empty()),
            files: work.map_or(&[], |work| work.files.as_slice()),
            asked: &one.asked,
            text: &one.text,
            findings: one.findings.iter().map(tied).collect(),
        }
    }
}
