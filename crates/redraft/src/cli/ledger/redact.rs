//! `redraft ledger redact`: takes a secret out of everything Redraft keeps.
//!
//! The order matters, because it may be killed anywhere and is then begun again: first git's new objects, which nothing
//! names yet; then the ledger, in one transaction; then refs, indexes, files; finally what nothing names any more is
//! removed. The same objects always become the same new ones, so a second attempt arrives at the same end. While it is
//! under way a file says so, and no other command writes.

mod amendments;
mod left;
mod names;

use super::secret::{self, SecretToRemove};
use super::{hold_all, reopen_review, scopes};
use crate::cli::refold::{fold_board, write_files};
use left::{agents_homes, told_left};
use names::{named_by_it, names, refuse_own_words};
use redraft_adapters::git::{Rewritten, Survey};
use redraft_adapters::plain_file;
use redraft_adapters::sqlite::{Ledger, OpenMode, Redaction};
use redraft_engine::ports::{Clock, Store, Trailers, Workspace};
use redraft_facts::event::{Event, FeatureCreated};
use redraft_facts::ids::BlobId;
use redraft_facts::redact::Typed;
use redraft_facts::removal::{self, Removal, Renamed};
use redraft_facts::text::count;
use redraft_frame::args::RedactArgs;
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::{REDACTING, RepositoryContext};
use redraft_frame::sharing::{Notes, Sharing};
use redraft_frame::whole_file;
use redraft_reports::projections;
use redraft_reports::question::QuestionForm;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// How many files are named one by one.
const NAMED_MAX: usize = 10;

#[derive(Serialize)]
struct RedactJson {
    v: u16,
    /// Whether it was taken out; otherwise this is what would be done.
    changed: bool,
    /// The event that says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<u64>,
    events: Vec<u64>,
    blobs: usize,
    objects: usize,
    files: Vec<String>,
    /// Where it still is, and this program changes nothing.
    left: Vec<String>,
}

pub(super) fn redact(
    args: &RedactArgs,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let repo = process.repository()?;
    repo.refuse_lost_ledger()?;
    if !Ledger::file(&repo.state).exists() {
        return Err(CliError::usage("there is no ledger here, so nothing was stored"));
    }
    repo.require_own_state()?;
    let ledger = repo.signed(Ledger::open(&repo.state, OpenMode::Write)?)?;
    let SecretToRemove { removal, can_ask } = secret::meant(args, &ledger, process, console)?;
    let _locks = hold_all(&repo, scopes(&ledger), process, console)?;
    ledger.verify()?;
    refuse_own_words(&removal)?;
    let features = features(&ledger)?;
    let named = named_by_it(&repo, &removal, &features)?;
    let removal = removal.except_in(named.iter().flat_map(names));
    let job = Job { repo: &repo, ledger: &ledger, removal: &removal, features, named };
    let found = job.look()?;
    let marker = repo.state.join(REDACTING);
    if found.is_nothing() && !marker.exists() {
        let left = job.left(&found, Vec::new());
        let json = RedactJson {
            v: 1,
            changed: false,
            event: None,
            events: Vec::new(),
            blobs: 0,
            objects: 0,
            files: Vec::new(),
            left: left.clone(),
        };
        console.show(&format!("it is not in anything that redraft stores{}", told_left(&left)), &json);
        return Ok(if left.is_empty() { ErrorCode::Done } else { ErrorCode::NotApproved });
    }
    let agreed = args.yes || (can_ask && agreed(&found, process, console));
    if !agreed {
        let left = job.left(&found, Vec::new());
        let text = format!(
            "{}{}\nnothing was changed; to remove it: redraft ledger redact --yes",
            found.in_words("it is in", ""),
            told_left(&left)
        );
        console.show(&text, &found.json(false, None, left));
        return Ok(ErrorCode::Waiting);
    }
    let ready = job.prepare(&found)?;
    let config = repo.config(process)?;
    let sharing = Sharing::open(&repo, &config, process, console)?;
    let published = sharing.as_ref().map(|sharing| sharing.own_commits(&ledger)).transpose()?;
    let marked = Marker::begin(&marker, &ready.rewritten, published.unwrap_or_default(), process)?;
    let (event, stays) = job.take_out(&found, &ready, &marked, sharing.as_ref(), args, process)?;
    // Removed only when everything else is done, so that an interrupted attempt is noticed.
    let removed = fs::remove_file(&marker);
    removed.map_err(|error| CliError::new(ErrorCode::Config, format!("{}: {error}", marker.display())))?;
    let left = job.left(&job.look()?, stays);
    let recorded = event.map(|event| format!(" (event {event})")).unwrap_or_default();
    let mut text = found.in_words("removed from", &recorded);
    text.push_str(&told_left(&left));
    if published_any(&repo) {
        text.push_str(
            "\nother clones take it out of their ledgers when they sync; their commits and branches keep it until it is \
             taken out there",
        );
    }
    text.push_str("\nrevoke the secret: anyone who has seen it still has it");
    console.show(&text, &found.json(true, event, left.clone()));
    console.say_all(&agents_homes(process));
    Ok(if left.is_empty() { ErrorCode::Done } else { ErrorCode::NotApproved })
}

fn published_any(repo: &RepositoryContext) -> bool {
    Notes::read(&repo.state).is_some_and(|notes| !notes.features.is_empty())
}

/// What holds the secret.
struct Found {
    events: Vec<u64>,
    blobs: usize,
    survey: Survey,
    files: Vec<String>,
    /// Files that git ignores, such as the one the secret belongs in.
    ignored: Vec<String>,
}

impl Found {
    fn is_nothing(&self) -> bool {
        self.events.is_empty() && self.blobs == 0 && self.files.is_empty() && self.survey.count() == 0
    }

    fn in_words(&self, verb: &str, recorded: &str) -> String {
        let (events, blobs) = (count(self.events.len(), "event"), count(self.blobs, "blob"));
        let (objects, files) = (count(self.survey.count(), "object"), count(self.files.len(), "file"));
        let mut text = format!("{verb} {events}, {blobs}, {objects} of git and {files}{recorded}");
        for file in self.files.iter().take(NAMED_MAX) {
            text.push_str(&format!("\n    {file}"));
        }
        if self.files.len() > NAMED_MAX {
            text.push_str(&format!("\n    and {} more", self.files.len() - NAMED_MAX));
        }
        text
    }

    fn json(&self, changed: bool, event: Option<u64>, left: Vec<String>) -> RedactJson {
        let (events, blobs, files) = (self.events.clone(), self.blobs, self.files.clone());
        RedactJson { v: 1, changed, event, events, blobs, objects: self.survey.count(), files, left }
    }
}

/// The replacements that are ready to be put in place.
struct Ready {
    rewritten: Rewritten,
    bodies: Vec<(u64, String)>,
    blobs: Vec<(BlobId, Vec<u8>)>,
}

/// Says that a secret is being taken out, and which of git's objects are to be removed; also those of an interrupted
/// attempt.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Marker {
    v: u16,
    by: String,
    since_ms: i64,
    old: BTreeSet<String>,
}

impl Marker {
    fn begin(
        path: &Path,
        rewritten: &Rewritten,
        published: BTreeSet<String>,
        process: &ProcessContext,
    ) -> Result<Marker, CliError> {
        let before = plain_file::read_own_file(path).ok();
        let before = before.and_then(|bytes| serde_json::from_slice::<Marker>(&bytes).ok());
        let mut old = before.map(|marker| marker.old).unwrap_or_default();
        old.extend(rewritten.renamed.0.keys().cloned());
        old.extend(published);
        let marker = Marker { v: 1, by: process.user.clone(), since_ms: process.clock.now_ms(), old };
        whole_file::keep(path, &serde_json::to_string(&marker).unwrap_or_default())?;
        Ok(marker)
    }
}

struct Job<'a> {
    repo: &'a RepositoryContext,
    ledger: &'a Ledger,
    removal: &'a Removal,
    features: Vec<FeatureCreated>,
    /// Features whose names hold the secret.
    named: Vec<FeatureCreated>,
}

impl Job<'_> {
    fn branches(&self) -> Vec<String> {
        self.features.iter().map(|created| created.branch.clone()).filter(|name| !name.is_empty()).collect()
    }

    fn look(&self) -> Result<Found, CliError> {
        let repository = &self.repo.repository;
        let mut events = Vec::new();
        self.ledger.each_body(&mut |seq, _, _, _, body| {
            if self.cleaned_body(&Renamed::default(), &body).is_some() {
                events.push(seq);
            }
        })?;
        let mut blobs = 0;
        for id in self.ledger.blob_ids()? {
            blobs += usize::from(self.removal.is_in(&self.ledger.blob(&id)?));
        }
        let survey = repository.survey(self.removal, &self.branches())?;
        let (mut files, ignored) = repository.files_holding(self.removal)?;
        files.extend(repository.own_files_holding(self.removal));
        Ok(Found { events, blobs, survey, files, ignored })
    }

    /// Makes everything that will replace something; nothing names it yet.
    fn prepare(&self, found: &Found) -> Result<Ready, CliError> {
        let repository = &self.repo.repository;
        let rewritten = repository.rewrite(self.removal, &found.survey, &self.branches(), &self.named()?)?;
        let ready = self.amendments(rewritten)?;
        self.require_sense(&ready.bodies)?;
        Ok(ready)
    }

    /// Returns the event that says so, if anything named the secret, and where it stays.
    fn take_out(
        &self,
        found: &Found,
        ready: &Ready,
        marker: &Marker,
        sharing: Option<&Sharing<'_>>,
        args: &RedactArgs,
        process: &ProcessContext,
    ) -> Result<(Option<u64>, Vec<String>), CliError> {
        let repository = &self.repo.repository;
        let Ready { rewritten, bodies, blobs } = ready;
        process.boundaries.pass("before the ledger is changed");
        let nothing = bodies.is_empty() && blobs.is_empty() && found.is_nothing();
        let event = match nothing {
            true => None,
            false => {
                let clean = |text: Typed| {
                    let text = text.clean(&process.redactor);
                    let without = self.removal.apply(text.as_bytes());
                    without.map_or(text, |(bytes, _)| String::from_utf8_lossy(&bytes).into_owned())
                };
                Some(self.ledger.redact(&Redaction {
                    decided_on: self.ledger.tip()?.seq,
                    at_ms: process.clock.now_ms(),
                    by: &clean(Typed::from(process.user.as_str())),
                    why: &clean(args.why.clone()),
                    bodies,
                    blobs,
                    files: found.files.len() as u64,
                    objects: rewritten.renamed.0.len() as u64,
                    refs: rewritten.refs.len() as u64,
                })?)
            }
        };
        process.boundaries.pass("before refs and files follow");
        repository.follow(self.removal, rewritten)?;
        process.boundaries.pass("before our own files follow");
        repository.clean_own_files(self.removal, rewritten)?;
        process.boundaries.pass("before the ledger is written anew");
        self.ledger.scrub()?;
        process.boundaries.pass("before the board is folded");
        fold_board(self.ledger)?;
        process.boundaries.pass("before the records are written");
        for created in &self.features {
            if !created.is_review() && self.repo.is_there(created)? {
                reopen_review::go_back_where_code_changed(
                    self.repo,
                    self.ledger,
                    created,
                    rewritten,
                    process,
                )?;
                self.write_records(created)?;
            }
        }
        process.boundaries.pass("before logs are published anew");
        let anew = sharing.map(|sharing| sharing.publish_anew(self.ledger, self.removal)).transpose()?;
        process.boundaries.pass("before old objects are removed");
        let pruned = repository.prune(self.removal, rewritten, &marker.old)?;
        process.boundaries.pass("before it is said to be done");
        Ok((event, anew.into_iter().flatten().chain(pruned.left).collect()))
    }

    /// Rewrites the records of a feature, which name ids that have changed, and commits those that were committed.
    fn write_records(&self, created: &FeatureCreated) -> Result<(), CliError> {
        let entries = self.ledger.read(created.scope())?;
        write_files(self.repo, created, &entries)?;
        let workspace = self.repo.workspace(created)?;
        let paths: Vec<String> = projections::FILES.iter().map(|name| created.path_of(name)).collect();
        let tracked = self.repo.repository.tracked_of(workspace.root(), &paths)?;
        let seq = entries.last().map_or(0, |entry| entry.seq);
        let trailers = Trailers { ticket: format!("{}/redact", created.id), seq, ..Trailers::default() };
        if !tracked.is_empty() {
            workspace.commit(&tracked, "redraft: records after a secret was removed", &trailers)?;
        }
        Ok(())
    }

    /// The ids of git's objects that the ledger names.
    fn named(&self) -> Result<BTreeSet<String>, CliError> {
        let mut named = BTreeSet::new();
        self.ledger.each_body(&mut |_, _, _, _, body| {
            let ids = removal::ids(body.as_bytes()).into_iter();
            named.extend(ids.filter_map(|range| body.get(range).map(str::to_owned)));
        })?;
        Ok(named)
    }
}

fn features(ledger: &Ledger) -> Result<Vec<FeatureCreated>, CliError> {
    let mut features = Vec::new();
    ledger.each_of(&["feature-created"], &mut |_, entry| {
        if let Event::FeatureCreated(created) = &entry.event {
            features.push(created.clone());
        }
    })?;
    Ok(features)
}

fn agreed(found: &Found, process: &ProcessContext, console: &Console) -> bool {
    let why = found.in_words("it is in", "").lines().map(str::to_owned).collect();
    let (yes, no) = ("it is removed everywhere; this cannot be undone", "nothing is changed");
    console.agrees(&QuestionForm::yes_or_no("Should it be removed?", why, yes, no), &process.clock)
}
