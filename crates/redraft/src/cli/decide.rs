//! `redraft decide`: answers what a run is waiting for.

use super::run::Expected;
use redraft_adapters::sqlite::Ledger;
use redraft_core::review::Loop;
use redraft_engine::{Journal, write_projections};
use redraft_facts::event::{Decision, Question};
use redraft_facts::ids::FeatureId;
use redraft_facts::ticket::Scope;
use redraft_frame::args::DecideArgs;
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::prepare::hold_place;
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;
use redraft_reports::question::QuestionForm;
use redraft_views::board::next_after;
use serde::Serialize;

#[derive(Serialize)]
struct DecideJson<'a> {
    v: u16,
    feature: String,
    question: Option<&'a Question>,
    /// The same as a person is asked it.
    #[serde(skip_serializing_if = "Option::is_none")]
    form: Option<QuestionForm>,
    /// The expected cost from here on, where code is written next.
    #[serde(skip_serializing_if = "Option::is_none")]
    estimate: Option<Expected>,
    decided: Option<&'static str>,
    next: String,
}

pub(crate) fn decide(
    args: DecideArgs,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let repo = process.repository()?;
    let ledger = repo.writer()?;
    let (word, choice) = split(args.feature.as_deref(), args.choice.as_deref())?;
    let id = repo.feature(&ledger, word)?;
    let _lock = repo.lock(&id.to_string(), process)?;
    let mut journal = process.journal(&ledger, Scope::Feature(id))?;
    let state = journal.state();
    let feature = id.to_string();
    let Some(question) = journal.question() else {
        if choice == Some(Decision::Abandon) && !state.cancelled && state.phase().is_some() {
            journal.give_up(&process.user, &args.why)?;
            write_files(&repo, &journal, process);
            return given_up(&repo, &ledger, id, process, console);
        }
        let next = next_after(&repo, &ledger, id, process)?;
        if choice.is_some() {
            return Err(CliError::usage(format!("feature {id} is not waiting for a decision")).hint(next));
        }
        let shown = DecideJson {
            v: 1,
            feature,
            question: None,
            form: None,
            estimate: None,
            decided: None,
            next: next.clone(),
        };
        console.show(&format!("feature {id} is not waiting for a decision\nnext: {next}"), &shown);
        return Ok(ErrorCode::Done);
    };
    let Some(choice) = choice else {
        let names: Vec<&str> = question.choices.iter().map(|choice| choice.name()).collect();
        let answer = if names.contains(&"answer") { " --answer \"…\"" } else { " --why \"…\"" };
        let next = process.next(&format!("redraft decide {id} {}{answer}", names.first().unwrap_or(&"")));
        let form = QuestionForm::new(&question, state);
        let text = format!("feature {id} waits for you\n{}\nnext: {next}", form.lines().join("\n"));
        let estimate = state.estimate.as_ref().map(Expected::new);
        let (question, form) = (Some(&question), Some(form));
        console.show(&text, &DecideJson { v: 1, feature, question, form, estimate, decided: None, next });
        return Ok(ErrorCode::Waiting);
    };
    let edited = match &state.open {
        Some(open) if choice == Decision::Accept && edited_since(&repo, &ledger, id, open)? => {
            Some(open.artifact().to_owned())
        }
        _ => None,
    };
    let question = journal.decide(&process.user, choice, &args.why, &args.answer)?;
    write_files(&repo, &journal, process);
    if journal.state().cancelled {
        repo.put_checks_away(&repo.created(&ledger, id)?);
    }
    if let Some(artifact) = edited {
        // A ruling is about what was reviewed; the next run takes in the edit and asks about that.
        console.say(&format!("{artifact} was edited in the meantime; the next run will ask about the edit"));
    }
    let next = next_after(&repo, &ledger, id, process)?;
    let shown = DecideJson {
        v: 1,
        feature,
        question: Some(&question),
        form: None,
        estimate: None,
        decided: Some(choice.name()),
        next: next.clone(),
    };
    console.show(&format!("feature {id}: decided {}\nnext: {next}", choice.name()), &shown);
    Ok(ErrorCode::Done)
}

/// Rewrites the feature's files, as a run does after a decision, where they exist and no other process is at work on
/// them.
fn write_files(repo: &RepositoryContext, journal: &Journal<'_>, process: &ProcessContext) {
    let Some(created) = &journal.state().created else { return };
    let Ok(_place) = hold_place(repo, created, process) else { return };
    if let (Ok(true), Ok(workspace)) = (repo.is_there(created), repo.workspace(created)) {
        // The decision is stored, and the next run writes them.
        let _ = write_projections(&workspace, journal, &process.boundaries);
    }
}

/// Whether the worktree no longer holds the revision that is being decided about.
fn edited_since(
    repo: &RepositoryContext,
    ledger: &Ledger,
    id: FeatureId,
    open: &Loop,
) -> Result<bool, CliError> {
    let created = repo.created(ledger, id)?;
    if !repo.worktree(&created)?.is_dir() {
        return Ok(false);
    }
    Ok(redraft_engine::standing(&repo.workspace(&created)?, &created, &open.opened)? != open.revision)
}

/// A feature can be given up at any time, also when nothing is asked.
fn given_up(
    repo: &RepositoryContext,
    ledger: &Ledger,
    id: FeatureId,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    repo.put_checks_away(&repo.created(ledger, id)?);
    let next = next_after(repo, ledger, id, process)?;
    let decided = Some(Decision::Abandon.name());
    let shown = DecideJson {
        v: 1,
        feature: id.to_string(),
        question: None,
        form: None,
        estimate: None,
        decided,
        next: next.clone(),
    };
    console.show(&format!("feature {id} is given up; its branch stays\nnext: {next}"), &shown);
    Ok(ErrorCode::Done)
}

/// `[FEATURE] [CHOICE]`, either of which may be missing.
fn split<'a>(
    first: Option<&'a str>,
    second: Option<&str>,
) -> Result<(Option<&'a str>, Option<Decision>), CliError> {
    let choice = |word: &str| Decision::ALL.into_iter().find(|choice| choice.name() == word);
    match (first, second) {
        (None, _) => Ok((None, None)),
        (Some(word), None) => match choice(word) {
            Some(choice) => Ok((None, Some(choice))),
            None => Ok((Some(word), None)),
        },
        (Some(feature), Some(word)) => match choice(word) {
            Some(choice) => Ok((Some(feature), Some(choice))),
            None => Err(CliError::usage(format!("`{word}` is not a choice")).hint(
                "choices are accept, uphold, overrule, rerun, retry, skip, go, answer, assume and abandon, if the \
                    question allows them",
            )),
        },
    }
}
