//! `redraft decide`: answers what a run is waiting for.

use super::comment;
use super::refold::write_feature;
use super::run::Expected;
use redraft_adapters::comment_box::new_comment_id;
use redraft_adapters::sqlite::Ledger;
use redraft_core::pipeline::Pipeline;
use redraft_core::review::Loop;
use redraft_engine::ports::Clock as _;
use redraft_facts::event::{About, Decision, Question};
use redraft_facts::harmless;
use redraft_facts::ids::{FeatureId, Revision};
use redraft_facts::phase::Phase;
use redraft_facts::ticket::Scope;
use redraft_frame::args::DecideArgs;
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;
use redraft_frame::sharing::{Stance, sent_to, stance};
use redraft_reports::question::{QuestionForm, asked_at};
use redraft_sharing::{Said, SaidDecision};
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
    /// The event in which it was asked, for `--seen`.
    #[serde(skip_serializing_if = "Option::is_none")]
    asked_at: Option<u64>,
    /// What it is about, for `--revision`.
    #[serde(skip_serializing_if = "Option::is_none")]
    revision: Option<Revision>,
    /// The expected cost from here on, where code is written next.
    #[serde(skip_serializing_if = "Option::is_none")]
    estimate: Option<Expected>,
    decided: Option<&'static str>,
    /// Whether another clone has still to take it in.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    proposed: bool,
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
    let config = repo.config(process)?;
    let stance = match choice {
        Some(_) => stance(&repo, &Scope::Feature(id), &config, process, console)?,
        None => Stance::Own,
    };
    let _lock = repo.lock(&id.to_string(), process)?;
    let mut journal = process.journal(&ledger, Scope::Feature(id))?;
    // Nobody decides past what was said while another process had the feature.
    comment::take(&repo, &mut journal, process)?;
    let state = journal.state();
    let feature = id.to_string();
    // Whoever reads the ledger later sees that an agent stood between the person and the decision.
    let by = if args.through_host { format!("{} (host)", process.user) } else { process.user.clone() };
    let question = journal.question();
    let asked_at = question.as_ref().and_then(|question| asked_at(journal.entries(), question));
    if let Some(seen) = args.seen.filter(|seen| asked_at != Some(*seen)) {
        return Err(not_seen(id, seen, asked_at));
    }
    let Some(question) = question else {
        if choice == Some(Decision::Abandon) && !state.cancelled && state.phase().is_some() {
            if let Stance::Elsewhere { why, .. } = stance {
                return Err(CliError::new(ErrorCode::Held, why)
                    .hint("only the clone that drives a feature can abandon it while nothing is asked"));
            }
            journal.give_up(&by, &args.why)?;
            stance.end()?;
            write_feature(&repo, &journal, process);
            return given_up(&repo, &ledger, id, process, console);
        }
        let next = next_after(&repo, &ledger, id, process)?;
        if choice.is_some() {
            return Err(not_asked(id, state));
        }
        let shown = DecideJson {
            v: 1,
            feature,
            question: None,
            form: None,
            asked_at: None,
            revision: None,
            estimate: None,
            decided: None,
            proposed: false,
            next: next.clone(),
        };
        console.show(&format!("feature {id} is not waiting for a decision\nnext: {next}"), &shown);
        return Ok(ErrorCode::Done);
    };
    let Some(choice) = choice else {
        let names: Vec<&str> = question.choices.iter().map(|choice| choice.name()).collect();
        let revision = state.open.as_ref().and_then(|open| open.revision.clone());
        let answer = match &revision {
            Some(revision) if names.contains(&"approve") => format!(" --revision {}", revision.short()),
            _ if names.contains(&"answer") => " --answer \"…\"".repeat(asked_of(&question.about)),
            _ => " --why \"…\"".to_owned(),
        };
        let word = proposed(&question.choices).map_or("CHOICE", Decision::name);
        let next = process.next(&format!("redraft decide {id} {word}{answer}"));
        let form = QuestionForm::new(&question, state);
        let text = format!("feature {id} waits for you\n{}\nnext: {next}", form.lines().join("\n"));
        let estimate = state.estimate.as_ref().map(Expected::new);
        let (question, form) = (Some(&question), Some(form));
        let shown = DecideJson {
            v: 1,
            feature,
            question,
            form,
            asked_at,
            revision,
            estimate,
            decided: None,
            proposed: false,
            next,
        };
        console.show(&text, &shown);
        return Ok(ErrorCode::Waiting);
    };
    // What is no choice here is refused as that.
    if let Some(open) = state.open.as_ref().filter(|_| question.choices.contains(&choice)) {
        require_revision(&repo, &ledger, id, open, choice, args.revision.as_deref())?;
    }
    let edited = match &state.open {
        Some(open) if choice == Decision::Accept && edited_since(&repo, &ledger, id, open)? => {
            Some(open.artifact().to_owned())
        }
        _ => None,
    };
    if let Stance::Elsewhere { sharing, why } = &stance {
        // What could not be stored here cannot be stored there.
        journal.require_decidable(choice, &args.why, &args.answer)?;
        let proposal = said_elsewhere(state, &question, choice, &args, process);
        let sent = sharing.propose(
            &ledger,
            &Scope::Feature(id),
            new_comment_id(process.clock.now_ms()),
            proposal,
        )?;
        console.say(&sent_to(why, sent));
        let next = process.next(&format!("redraft status {id}"));
        let (question, form) = (Some(&question), None);
        let decided = Some(choice.name());
        let shown = DecideJson {
            v: 1,
            feature,
            question,
            form,
            asked_at: None,
            revision: None,
            estimate: None,
            decided,
            proposed: true,
            next: next.clone(),
        };
        console.show(&format!("feature {id}: proposed {}\nnext: {next}", said(choice)), &shown);
        return Ok(ErrorCode::Done);
    }
    let question = journal.decide(&by, choice, &args.why, &args.answer)?;
    write_feature(&repo, &journal, process);
    if journal.state().cancelled {
        repo.put_checks_away(&repo.created(&ledger, id)?);
    }
    if let Some(artifact) = edited {
        // A ruling is about what was reviewed; the next run takes in the edit and asks about that.
        console.say(&format!("{artifact} was edited in the meantime; the next run will ask about the edit"));
    }
    stance.end()?;
    let next = next_after(&repo, &ledger, id, process)?;
    let shown = DecideJson {
        v: 1,
        feature,
        question: Some(&question),
        form: None,
        asked_at: None,
        revision: None,
        estimate: None,
        decided: Some(choice.name()),
        proposed: false,
        next: next.clone(),
    };
    let did = if choice == Decision::Comment { "commented" } else { "decided" };
    console.show(&format!("feature {id}: {did} {}\nnext: {next}", said(choice)), &shown);
    Ok(ErrorCode::Done)
}

/// A decision for the clone that drives the feature.
fn said_elsewhere(
    state: &Pipeline,
    question: &Question,
    choice: Decision,
    args: &DecideArgs,
    process: &ProcessContext,
) -> Said {
    let open = state.open.as_ref();
    Said::Decision(SaidDecision {
        phase: open.map_or(Phase::Specify, |open| open.opened.phase),
        pass: question.pass,
        number: question.number,
        about: question.about.clone(),
        choice,
        why: args.why.clean(&process.redactor),
        answers: args.answer.iter().map(|answer| answer.clean(&process.redactor)).collect(),
        revision: open.and_then(|open| open.revision.clone()),
    })
}

/// The choice that the next command names: one with which the work goes on. What gives something up, settles a dispute
/// or has another price is for the person to think of.
fn proposed(choices: &[Decision]) -> Option<Decision> {
    use Decision::{Answer, Approve, Go, Retry};
    [Approve, Answer, Go, Retry].into_iter().find(|choice| choices.contains(choice))
}

/// How many answers a question wants.
fn asked_of(about: &About) -> usize {
    match about {
        About::Author { questions } => questions.len(),
        _ => 1,
    }
}

/// Nothing is asked, so nothing can be decided.
fn not_asked(id: FeatureId, state: &Pipeline) -> CliError {
    let message = format!("feature {id} is not waiting for a decision");
    let findings = state.open.iter().flat_map(|open| &open.findings);
    let unmet: Vec<&str> = findings.filter(|one| one.is_open_comment()).map(|one| one.id.as_str()).collect();
    match unmet.as_slice() {
        [] => CliError::usage(message).hint(format!("what it is doing: redraft status {id}")),
        [one] => CliError::usage(format!("{message}: comment {one} comes first"))
            .hint(format!("have it worked in, then decide: redraft run {id}")),
        several => CliError::usage(format!("{message}: comments {} come first", several.join(", ")))
            .hint(format!("have them worked in, then decide: redraft run {id}")),
    }
}

/// The question that a person saw is not the one that stands.
fn not_seen(id: FeatureId, seen: u64, asked_at: Option<u64>) -> CliError {
    let now = match asked_at {
        Some(now) => format!("something was asked or said in event {now}"),
        None => "nothing is asked now".to_owned(),
    };
    CliError::usage(format!("the question of event {seen} is no longer open: {now}"))
        .hint(format!("nothing was decided; see what is asked: redraft decide {id}"))
}

/// Refuses an answer about another revision than the one that stands. An approval must name the one that was looked at.
fn require_revision(
    repo: &RepositoryContext,
    ledger: &Ledger,
    id: FeatureId,
    open: &Loop,
    choice: Decision,
    looked_at: Option<&str>,
) -> Result<(), CliError> {
    let stands = open.revision.as_ref().map(|revision| revision.as_str()).unwrap_or_default();
    let short = open.revision.as_ref().map(|revision| revision.short().to_owned()).unwrap_or_default();
    let approve = format!("redraft decide {id} approve --revision {short}");
    let Some(looked_at) = looked_at.map(str::trim) else {
        return match choice {
            Decision::Approve => {
                Err(CliError::usage("an approval names the revision that was looked at").hint(approve))
            }
            _ => Ok(()),
        };
    };
    if looked_at.len() < REVISION_CHARS_MIN || !stands.starts_with(&looked_at.to_lowercase()) {
        let message =
            format!("revision {} is not the current one, which is {short}", harmless::name(looked_at));
        return Err(CliError::usage(message).hint("look at it first; nothing was decided"));
    }
    if choice == Decision::Approve && edited_since(repo, ledger, id, open)? {
        let message = format!("{} was edited after revision {short}", open.artifact());
        return Err(CliError::usage(message)
            .hint(format!("have the edit reviewed first: redraft run {id}; nothing was decided")));
    }
    Ok(())
}

/// Fewer characters can mean several revisions.
const REVISION_CHARS_MIN: usize = 6;

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

/// What was decided, in a word.
fn said(choice: Decision) -> &'static str {
    if choice == Decision::Comment { "on what the phase made" } else { choice.name() }
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
        asked_at: None,
        revision: None,
        estimate: None,
        decided,
        proposed: false,
        next: next.clone(),
    };
    console.show(&format!("feature {id} is abandoned; its branch stays\nnext: {next}"), &shown);
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
                "choices are accept, approve, comment, uphold, overrule, rerun, retry, skip, go, answer, assume and abandon, if the \
                    question allows them",
            )),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::{Decision, proposed};

    #[test]
    fn the_next_command_goes_on_with_the_work_and_never_accepts_or_gives_up() {
        use Decision::{
            Abandon, Accept, Answer, Approve, Assume, Comment, Go, Overrule, Rerun, Retry, Skip, Uphold,
        };
        for (choices, word) in [
            (&[Accept, Retry, Rerun, Abandon][..], Some(Retry)),
            (&[Accept, Overrule, Retry, Rerun, Abandon], Some(Retry)),
            (&[Approve, Comment, Abandon], Some(Approve)),
            (&[Answer, Assume, Abandon], Some(Answer)),
            (&[Go, Abandon], Some(Go)),
            (&[Accept, Skip], None),
            (&[Accept, Abandon], None),
            (&[Uphold, Overrule, Accept, Rerun, Abandon], None),
        ] {
            assert_eq!(proposed(choices), word, "{choices:?}");
        }
    }
}
