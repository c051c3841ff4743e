//! `redraft comment`: says what should be different, unasked. It becomes a finding of the user.
//!
//! Where nobody drives the feature it is stored here; otherwise it is left in the inbox of whoever does. What it is about
//! is found out in [`place`], what it means for a phase that is closed in [`meaning`].

mod meaning;
mod place;

use self::place::Place;
use super::refold::write_feature;
use redraft_adapters::comment_box::new_comment_id;
use redraft_adapters::shell_word::quoted;
use redraft_core::pipeline::Pipeline;
use redraft_engine::ports::{Clock, Comment, Store as _};
use redraft_engine::{Delivery, Journal, require_short};
use redraft_facts::event::{Commented, Entry, Event};
use redraft_facts::findings::Status;
use redraft_facts::ids::{FeatureId, FindingId};
use redraft_facts::phase::Phase;
use redraft_facts::redact::Typed;
use redraft_facts::ticket::Scope;
use redraft_facts::verdict::Severity;
use redraft_frame::args::CommentArgs;
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;
use redraft_frame::sharing::{Stance, sent_to, stance};
use redraft_reports::view::moved_at;
use redraft_sharing::{Said, SaidComment};
use redraft_views::board::next_after;
use serde::Serialize;

#[derive(Serialize)]
struct CommentJson {
    v: u16,
    feature: String,
    /// What tells the comment from every other.
    id: String,
    phase: Phase,
    severity: Severity,
    /// The finding that it became or opened again; none while it waits in the inbox of a run.
    finding: Option<FindingId>,
    stored: bool,
    /// Whether its phase was closed and is open again.
    went_back: bool,
    next: String,
}

pub(crate) fn comment(
    args: CommentArgs,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let repo = process.repository()?;
    let Some(reader) = repo.reader()? else {
        return Err(
            CliError::usage("there is no feature here yet").hint("begin one: redraft new \"your idea\"")
        );
    };
    let (word, text) = split(&args, process)?;
    let id = repo.feature(&reader, word.as_deref())?;
    repo.refuse_cleaned(id)?;
    let entries = reader.read(Scope::Feature(id))?;
    let state =
        Pipeline::replay(&entries).map_err(|error| CliError::new(ErrorCode::Config, error.to_string()))?;
    drop(reader);
    refuse_moved(id, &entries, args.seen)?;
    refuse_ended(id, &state)?;
    let reopens = args.reopen.as_deref().map(|word| reopened(id, &state, word)).transpose()?;
    let said = Place::new(&repo, &state, &args, reopens.as_ref())?;
    let severity = if args.note { Severity::Warning } else { Severity::Blocker };
    let comment = Comment {
        id: new_comment_id(process.clock.now_ms()),
        phase: said.phase,
        reopens,
        severity,
        file: Typed::from(said.file).clean(&process.redactor),
        line: said.line,
        text,
        by: process.user.clone(),
    };
    if severity == Severity::Blocker && !state.is_ahead(comment.phase) && !args.yes {
        agree(id, &state, comment.phase, process, console)?;
    }
    let config = repo.config(process)?;
    let stance = stance(&repo, &Scope::Feature(id), &config, process, console)?;
    if let Stance::Elsewhere { sharing, why } = &stance {
        let sent =
            sharing.propose(&repo.writer()?, &Scope::Feature(id), comment.id.clone(), said_of(&comment))?;
        console.say(&sent_to(why, sent));
        return report(&repo, id, &comment, Delivery::Later, process, console);
    }
    let delivery = deliver(&repo, id, &comment, args.seen, process)?;
    stance.end()?;
    report(&repo, id, &comment, delivery, process, console)
}

/// The same for the clone that drives the feature.
fn said_of(comment: &Comment) -> Said {
    let Comment { phase, reopens, severity, file, line, text, .. } = comment.clone();
    Said::Comment(SaidComment { phase, reopens, severity, file, line, text })
}

/// `[FEATURE] TEXT`.
fn split(args: &CommentArgs, process: &ProcessContext) -> Result<(Option<String>, String), CliError> {
    let (feature, text) = match args.words.as_slice() {
        [feature, text] => (Some(feature.clean(&process.redactor)), text),
        [text] => (None, text),
        _ => return Err(CliError::usage("there is no text")),
    };
    let example = |feature: Option<&str>| {
        let feature = feature.map(|word| format!("{} ", quoted(word))).unwrap_or_default();
        process.next(&format!("redraft comment {feature}\"use Postgres, not files\""))
    };
    if text.is_empty() {
        return Err(CliError::usage("the comment is empty").hint(example(feature.as_deref())));
    }
    require_short(text)?;
    let text = text.clean(&process.redactor);
    if feature.is_none() && text.parse::<FeatureId>().is_ok() {
        return Err(
            CliError::usage(format!("what should be said about feature {text}?")).hint(example(Some(&text)))
        );
    }
    Ok((feature, text))
}

fn refuse_ended(id: FeatureId, state: &Pipeline) -> Result<(), CliError> {
    let how = match () {
        () if state.cancelled => "was abandoned",
        () if state.merged.is_some() => "is merged",
        () => return Ok(()),
    };
    Err(CliError::usage(format!("feature {id} {how}, so nobody works on it any more"))
        .hint("begin another feature: redraft new \"your idea\""))
}

/// Refuses a comment on what was not seen: another phase is open, or another revision was written.
fn refuse_moved(id: FeatureId, entries: &[Entry], seen: Option<u64>) -> Result<(), CliError> {
    let Some(seen) = seen else { return Ok(()) };
    let now = moved_at(entries).map_err(|error| CliError::new(ErrorCode::Config, error.to_string()))?;
    if now == seen {
        return Ok(());
    }
    Err(CliError::usage(format!(
        "feature {id} has moved since event {seen}: its present state came with event {now}"
    ))
    .hint(format!("nothing was said; see where it stands: redraft status {id}")))
}

/// The comment that is to be opened again.
fn reopened(id: FeatureId, state: &Pipeline, word: &str) -> Result<FindingId, CliError> {
    let finding = FindingId::new(word.trim().to_uppercase());
    let all: Vec<&str> =
        state.comments.all.iter().filter(|one| !one.reopens).map(|one| one.finding.as_str()).collect();
    let Some(known) = state.comment(&finding) else {
        let known = if all.is_empty() { "there is none".to_owned() } else { all.join(", ") };
        return Err(CliError::usage(format!("feature {id} has no comment {finding}"))
            .hint(format!("comments begin with {}: {known}", Commented::LETTER)));
    };
    if known.status == Status::Open {
        return Err(CliError::usage(format!("{finding} is open"))
            .hint(format!("to say more about it, comment once more: redraft comment {id} \"…\"")));
    }
    Ok(finding)
}

/// Says what a comment on a closed phase means, and asks.
fn agree(
    id: FeatureId,
    state: &Pipeline,
    phase: Phase,
    process: &ProcessContext,
    console: &Console,
) -> Result<(), CliError> {
    let form = meaning::question(state, phase);
    if console.can_ask() {
        return match console.agrees(&form, &process.clock) {
            true => Ok(()),
            false => {
                Err(CliError::new(ErrorCode::Waiting, "the comment was not stored; nothing has changed")
                    .hint("to say it without opening the phase again: --note"))
            }
        };
    }
    let error =
        CliError::new(ErrorCode::Waiting, format!("{phase} of feature {id} {}", meaning::over(state, phase)));
    let error = form.why.into_iter().fold(error, CliError::hint);
    Err(error.hint("if you want that, add --yes; to say it without opening the phase again: --note"))
}

/// Stores it, or leaves it for the process that drives the feature.
fn deliver(
    repo: &RepositoryContext,
    id: FeatureId,
    comment: &Comment,
    seen: Option<u64>,
    process: &ProcessContext,
) -> Result<Delivery, CliError> {
    let inbox = repo.comment_box()?;
    let scope = Scope::Feature(id);
    let keep = || {
        process.boundaries.pass("before a comment is kept");
        inbox.put(&scope, comment).map_err(|error| {
            CliError::new(ErrorCode::Config, format!("the comment cannot be kept: {error}"))
                .hint(format!("make {} writable", repo.state.display()))
        })?;
        process.boundaries.pass("a comment is kept");
        Ok(Delivery::Later)
    };
    match repo.lock(&id.to_string(), process) {
        Ok(_lock) => {
            let ledger = repo.writer()?;
            let mut journal = process.journal(&ledger, scope.clone())?;
            journal.take_comments(&inbox, &process.boundaries)?;
            // It may have moved before the lock was ours.
            refuse_moved(id, journal.entries(), seen)?;
            let delivery = journal.comment(comment)?;
            write_feature(repo, &journal, process);
            // Its phase is over, and a killed run or a host has not given back what it was sent.
            if delivery == Delivery::Later { keep() } else { Ok(delivery) }
        }
        Err(error) if error.code == ErrorCode::Held => {
            keep()?;
            // The process that had the lock may have looked into the inbox for the last time before this.
            take_left(repo, id, process)?;
            stored(repo, id, comment)
        }
        Err(error) => Err(error),
    }
}

/// What became of a comment that was left.
fn stored(repo: &RepositoryContext, id: FeatureId, comment: &Comment) -> Result<Delivery, CliError> {
    let Some(reader) = repo.reader()? else { return Ok(Delivery::Later) };
    let entries = reader.read(Scope::Feature(id))?;
    let mut before: Option<&Event> = None;
    for entry in &entries {
        if let Event::Commented(one) = &entry.event
            && one.id == comment.id
        {
            // Both are stored in one step.
            let went_back = matches!(before, Some(Event::WentBack(back)) if back.phase == one.phase);
            return Ok(Delivery::Stored { finding: one.finding.clone(), went_back });
        }
        before = Some(&entry.event);
    }
    Ok(Delivery::Later)
}

/// Stores what was left in the inbox of a run that is over, if nobody drives the feature.
pub(crate) fn take_left(
    repo: &RepositoryContext,
    id: FeatureId,
    process: &ProcessContext,
) -> Result<(), CliError> {
    let inbox = repo.comment_box()?;
    if inbox.count(&Scope::Feature(id)) == 0 {
        return Ok(());
    }
    let _lock = match repo.lock(&id.to_string(), process) {
        // Whoever has it now takes it in.
        Err(error) if error.code == ErrorCode::Held => return Ok(()),
        lock => lock?,
    };
    let ledger = repo.writer()?;
    let mut journal = process.journal(&ledger, Scope::Feature(id))?;
    take(repo, &mut journal, process)
}

/// The same for a command that holds the feature's lock.
pub(crate) fn take(
    repo: &RepositoryContext,
    journal: &mut Journal<'_>,
    process: &ProcessContext,
) -> Result<(), CliError> {
    if journal.take_comments(&repo.comment_box()?, &process.boundaries)? {
        write_feature(repo, journal, process);
    }
    Ok(())
}

fn report(
    repo: &RepositoryContext,
    id: FeatureId,
    comment: &Comment,
    delivery: Delivery,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let phase = comment.phase;
    let (finding, went_back) = match delivery {
        Delivery::Stored { finding, went_back } => (Some(finding), went_back),
        Delivery::Later | Delivery::Repeated => (None, false),
        Delivery::Refused => {
            return Err(CliError::usage(format!("feature {id} does not take a comment on {phase} now"))
                .hint(format!("see where it stands: redraft status {id}")));
        }
    };
    let ledger = repo.reader()?;
    let next = match &ledger {
        Some(ledger) => next_after(repo, ledger, id, process)?,
        None => String::new(),
    };
    let opens = if went_back { format!("; {phase} is open again") } else { String::new() };
    let does = match (&comment.reopens, comment.severity) {
        (Some(known), _) if finding.as_ref() == Some(known) => "is open again",
        // Somebody else was faster, so it is one comment more.
        (_, Severity::Blocker) => "must be met before the phase closes",
        (_, _) => "is a note, and may be left",
    };
    let text = match &finding {
        Some(finding) => format!("feature {id}: {finding} of {phase} {does}{opens}"),
        None => format!(
            "feature {id} is being worked on; your comment on {phase} is in its inbox, and is stored before anything \
             closes"
        ),
    };
    let shown = CommentJson {
        v: 1,
        feature: id.to_string(),
        id: comment.id.to_string(),
        phase,
        severity: comment.severity,
        stored: finding.is_some(),
        finding,
        went_back,
        next: next.clone(),
    };
    console.show(&format!("{text}\nnext: {next}"), &shown);
    Ok(ErrorCode::Done)
}
