//! `redraft status`: shows the state of each feature and the next command to type.

use super::ledger::{StretchJson, Verified, verify};
use super::refold::{fold_board, write_files};
use super::review;
use redraft_adapters::git::CutOff;
use redraft_adapters::sqlite::{Ledger, OpenMode};
use redraft_core::attribution;
use redraft_engine::ports::Store;
use redraft_facts::phase::Phase;
use redraft_facts::text::{count, indented, one_line, utc};
use redraft_facts::ticket::Scope;
use redraft_frame::args::StatusArgs;
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode, unknown_feature};
use redraft_frame::monitor;
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;
use redraft_frame::resolve::scope_of;
use redraft_frame::rows;
use redraft_frame::sharing::{Notes, OpenProposal, SharedNote};
use redraft_reports::estimate;
use redraft_reports::projections::{BoardRow, Warning};
use redraft_views::board::{self, Board, Next, Seen, from_when};
use serde::Serialize;

/// What of an idea or a comment fits a line or two.
const IDEA_MAX: usize = 140;

#[derive(Serialize)]
struct StatusJson {
    v: u16,
    features: Vec<Seen>,
    /// Documents that are reviewed by themselves.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reviews: Vec<BoardRow>,
    /// Branches on which others have begun features, where there are none here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    branches: Vec<String>,
    /// What is known of features that are shared with other clones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    shared: Vec<SharedNote>,
    /// Whether redraft.toml shares features, and nothing has been exchanged here yet.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    to_sync: bool,
    /// What happens too often over several features, with the remedy.
    warnings: Vec<Warning>,
    /// What was cut off and left a checkout between two commits; the next run puts it right.
    #[serde(skip_serializing_if = "Option::is_none")]
    cut_off: Option<String>,
    next: String,
    /// When that can be typed, where it must wait for the end of a usage limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_after: Option<String>,
    /// With `--verify`: how many events there are, all of them in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    verified_events: Option<u64>,
    /// With `--verify`: whose signature the events have.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    signed: Vec<StretchJson>,
    /// With `--verify`: why nothing is added to the ledger before a person has looked.
    #[serde(skip_serializing_if = "Option::is_none")]
    doubt: Option<String>,
}

pub(crate) fn status(
    args: StatusArgs,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let repo = process.repository()?;
    if args.rebuild {
        rebuild(&repo, process, console)?;
    }
    let ledger = repo.reader()?;
    let verified = match &ledger {
        Some(ledger) if args.verify => Some(verify(&repo, ledger, console)?),
        None if args.verify => {
            repo.refuse_lost_ledger()?;
            Some(Verified::default())
        }
        Some(_) | None => None,
    };
    let verified_events = verified.as_ref().map(|verified| verified.events);
    let Verified { signed, doubt, .. } = verified.unwrap_or_default();
    let (rows, reviews) = match &ledger {
        None => Default::default(),
        Some(ledger) => (rows::rows(ledger)?, rows::reviews(ledger)?),
    };
    // Over all features, also where only one is shown.
    let warnings = monitor::watch(&repo, &rows, process);
    let mut board = Board::new(&repo, rows, reviews, process);
    if let Some(word) = &args.feature {
        let ledger = ledger.as_ref().ok_or_else(|| unknown_feature(word))?;
        let only = repo.resolve_scope(ledger, Some(word), process)?;
        board.features.retain(|seen| scope_of(&seen.row) == only);
        board.reviews.retain(|row| scope_of(row) == only);
    }
    if let Some(ledger) = &ledger {
        board.features.iter_mut().try_for_each(|feature| feature.read_question(ledger))?;
    }
    let Next { command: next, after_ms } = board.next();
    let (features, reviews, next_after) = (board.features, board.reviews, after_ms.map(utc));
    let notes = Notes::read(&repo.state);
    // An unusable file is told by the commands that use it.
    let is_shared = repo.config(process).is_ok_and(|config| config.share.remote.is_some());
    let to_sync = is_shared && notes.as_ref().is_none_or(|notes| notes.features.is_empty());
    let shared = notes.map(|notes| notes.features.into_values().collect()).unwrap_or_default();
    // Those of shared features come with their histories.
    let adoptable = features.is_empty() && args.feature.is_none() && !to_sync;
    let branches = if adoptable { repo.branches_of_others() } else { Vec::new() };
    let next = if to_sync && features.is_empty() { process.next("redraft sync") } else { next };
    let cut_off = repo.repository.cut_off();
    if let Some(CutOff { what, folder }) = &cut_off {
        console.say(&format!(
            "{what} was cut off and left {} halfway; the next run or merge here fixes it",
            folder.display()
        ));
    }
    let cut_off = cut_off.map(|cut_off| cut_off.what);
    let shown = StatusJson {
        v: 1,
        features,
        reviews,
        branches,
        shared,
        to_sync,
        warnings,
        cut_off,
        next,
        next_after,
        verified_events,
        signed,
        doubt,
    };
    console.show(&text(&shown, &board::no_check_ran(&repo, process), args.feature.is_some()), &shown);
    monitor::say(&shown.warnings, console);
    Ok(if shown.doubt.is_some() { ErrorCode::Waiting } else { ErrorCode::Done })
}

/// `unchecked` says that no check ran; where a feature was named, `only` that one is shown, with its idea.
fn text(shown: &StatusJson, unchecked: &str, only: bool) -> String {
    let mut text = String::new();
    let several = shown.features.iter().filter(|feature| board::goes_on(&feature.row)).count() > 1;
    for Seen { row, blocked_by, held_by, waiting_comments, refused_comments, .. } in &shown.features {
        let BoardRow { id, slug, phase, .. } = row;
        let spent = row.money().in_a_line();
        text.push_str(&format!("{id} {slug}  {}\n    {phase}", row.standing_in_words()));
        if row.phases.len() > 1 {
            text.push_str(&format!(" ({} of {} phases done)", row.done.len(), row.phases.len()));
        }
        if row.is_open() && row.round > 0 {
            text.push_str(&format!(", round {} of {}", row.round, row.rounds_max));
        }
        if let Some(tasks) = &row.tasks {
            text.push_str(&format!(", {}", tasks.now_in_words()));
        }
        let mut findings = count(row.open_findings as usize, "open finding");
        if row.deferred_findings > 0 {
            findings.push_str(&format!(", {} deferred", row.deferred_findings));
        }
        let dispatches = count(row.dispatches as usize, "dispatch");
        let untold = match row.untold {
            0 => String::new(),
            some => format!(" + {some} of unknown cost"),
        };
        text.push_str(&format!(", {findings}, {dispatches}, {spent}{untold}\n"));
        text.push_str(&judged(row));
        // A slug has little or nothing of an idea in other letters.
        if only || !row.idea.is_ascii() {
            text.push_str(&format!("    idea: {}\n", one_line(&row.idea, IDEA_MAX)));
        }
        if row.unchecked {
            text.push_str(&format!("    {unchecked}\n"));
        }
        for work in &row.out {
            text.push_str(&format!("    with a host until {}: {}\n", utc(work.expires_ms), work.ticket));
        }
        if row.after_failure > 0 {
            let times = count(row.after_failure as usize, "approval");
            text.push_str(&format!("    {times} after a failed domain review\n"));
        }
        if row.is_finished() && row.life != "completed" {
            text.push_str(&format!("    it was adopted as {}; there is nothing left to do here\n", row.life));
        }
        if *waiting_comments > 0 {
            let waiting = count(*waiting_comments, "comment");
            text.push_str(&format!("    {waiting} in its inbox, stored by the next step of a run\n"));
        }
        for comment in refused_comments {
            text.push_str(&format!(
                "    not stored, because it no longer applied when it came: \"{}\"\n",
                one_line(comment, IDEA_MAX)
            ));
        }
        for note in shown.shared.iter().filter(|note| note.scope == *id) {
            text.push_str(&elsewhere(note));
        }
        if let Some(question) = &row.question {
            text.push_str(&format!("    waiting: {}\n", indented(question, 4)));
        }
        if let Some(estimate) = &row.estimate {
            text.push_str(&format!("    expected from here: {}\n", estimate.in_a_line()));
            text.push_str(&format!("      an estimate {}\n", estimate::basis(estimate)));
        }
        if !blocked_by.is_empty() {
            text.push_str(&format!("    {}\n", redraft_views::blocker::blocked_by(blocked_by)));
        }
        if let Some(holder) = held_by {
            text.push_str(&format!("    under way: held by {holder}\n"));
            if holder.is_suspended() {
                text.push_str("    it stands still (Ctrl-Z): fg in its terminal continues it\n");
            }
        }
        let until_ms = row.parked_until_ms.filter(|_| held_by.is_none());
        // Where it is parked, its first line says so.
        if let Some(until_ms) = until_ms.filter(|_| row.standing.parked_until_ms().is_none()) {
            text.push_str(&format!("    parked: an agent's usage limit lasts until {}\n", utc(until_ms)));
        }
        if board::goes_on(row) && several {
            text.push_str(&format!("    next: {}\n", from_when(&row.next, until_ms)));
        }
    }
    for row in &shown.reviews {
        let (scope, document) = (scope_of(row), row.subject().unwrap_or_default());
        let kind = review::kind_of(row.phase.parse().unwrap_or(Phase::Document));
        let (findings, dispatches) =
            (count(row.open_findings as usize, "open finding"), count(row.dispatches as usize, "dispatch"));
        let (standing, spent) = (row.standing_in_words(), row.money().in_a_line());
        text.push_str(&format!(
            "{scope} {document}  {standing}\n    as {kind}, {findings}, {dispatches}, {spent}\n"
        ));
        text.push_str(&judged(row));
        if let Some(question) = &row.question {
            text.push_str(&format!("    waiting: {}\n", indented(question, 4)));
        }
        if row.status != "approved" {
            text.push_str(&format!("    next: {}\n", row.next));
        }
    }
    if shown.features.is_empty() && shown.reviews.is_empty() {
        text.push_str("no features yet\n");
    }
    if shown.to_sync {
        text.push_str(
            "features are shared through a git remote, and none has been fetched yet: redraft sync\n",
        );
    }
    if !shown.branches.is_empty() {
        const NAMED_MAX: usize = 5;
        let named = shown.branches.iter().take(NAMED_MAX).cloned().collect::<Vec<_>>().join(", ");
        let more = match shown.branches.len().saturating_sub(NAMED_MAX) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        text.push_str(&format!("begun by others; take them over with redraft adopt: {named}{more}\n"));
    }
    text.push_str(&match &shown.next_after {
        Some(when) => format!("next: {} (after {when}, or now with --now)", shown.next),
        None => format!("next: {}", shown.next),
    });
    text
}

/// What other clones do with a feature.
fn elsewhere(note: &SharedNote) -> String {
    let SharedNote { by, place, here, free, proposals, trouble, .. } = note;
    let mut text = String::new();
    if !here && !free && !place.is_empty() {
        text.push_str(&format!("    driven by {by} in {place}\n"));
    }
    for OpenProposal { by, place, what, disputed, .. } in proposals {
        let waits = match disputed {
            true => "another one decided otherwise, and that waits for a person",
            false => "waits for the clone that drives",
        };
        text.push_str(&format!("    from {by} in {place}: {what} ({waits})\n"));
    }
    if let Some(trouble) = trouble {
        text.push_str(&format!("    {trouble}\n"));
    }
    text
}

/// Who judged its phase, and whether any of it was only rehearsed; a line each.
fn judged(row: &BoardRow) -> String {
    let mut text = String::new();
    if !row.judged_by.is_empty() {
        text.push_str(&format!("    judged by {}\n", attribution::in_words(&row.judged_by)));
    }
    if row.rehearsed {
        text.push_str("    rehearsed: the rehearsal agent took part, and it judges nothing\n");
    }
    text
}

/// Folds everything again and rewrites what can be rewritten.
fn rebuild(repo: &RepositoryContext, process: &ProcessContext, console: &Console) -> Result<(), CliError> {
    if !Ledger::file(&repo.state).exists() {
        return Ok(());
    }
    repo.refuse_unfinished_redaction()?;
    repo.require_own_state()?;
    let ledger = Ledger::open(&repo.state, OpenMode::Write)?;
    ledger.verify()?;
    for scope in ledger.scopes()? {
        let entries = ledger.read(scope.clone())?;
        let Scope::Feature(id) = scope else { continue };
        // A feature that is being driven writes its own projections.
        let Ok(_lock) = repo.lock(&id.to_string(), process) else {
            console.say(&format!("feature {id} has a run under way; its files are left to that run"));
            continue;
        };
        let created = repo.created(&ledger, id)?;
        if !repo.is_there(&created)? {
            continue;
        }
        write_files(repo, &created, &entries)?;
    }
    console.say(&format!("folded {} again", count(fold_board(&ledger)?, "feature")));
    Ok(())
}
