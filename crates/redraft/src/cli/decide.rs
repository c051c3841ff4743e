//! `redraft decide`: answers what a run is waiting for.

use super::answer::in_the_way;
use super::args::DecideArgs;
use super::board::next_after;
use super::console::Console;
use super::errors::{CliError, Code};
use super::run::Expected;
use super::site::{Site, Surroundings};
use redraft_adapters::sqlite::Ledger;
use redraft_core::estimate::Forecast;
use redraft_core::event::{About, Asked, Cancelled, Decision, Event, Question};
use redraft_core::ids::FeatureId;
use redraft_core::pipeline::{self, Pipeline};
use redraft_core::project;
use redraft_core::review::{self, Loop};
use redraft_core::text;
use redraft_core::ticket::Scope;
use redraft_engine::ports::{Append, Clock, Store};
use serde::Serialize;

#[derive(Serialize)]
struct DecideJson<'a> {
    v: u16,
    feature: String,
    question: Option<&'a Question>,
    /// What is expected from here on, where code is written next.
    #[serde(skip_serializing_if = "Option::is_none")]
    estimate: Option<Expected>,
    decided: Option<&'static str>,
    next: String,
}

pub(crate) fn decide(args: DecideArgs, around: &Surroundings, console: &Console) -> Result<Code, CliError> {
    let site = Site::find(&around.folder)?;
    let ledger = site.writer()?;
    let (word, choice) = split(args.feature.as_deref(), args.choice.as_deref())?;
    let id = site.feature(&ledger, word)?;
    let _lock = site.lock(&id.to_string(), around)?;
    let scope = Scope::Feature(id);
    let entries = ledger.read(scope.clone())?;
    let state = Pipeline::replay(&entries).map_err(|error| CliError::new(Code::Config, error.to_string()))?;
    let open = state.open.as_ref();
    let question = open.and_then(review::question);
    let feature = id.to_string();
    let (Some(open), Some(question)) = (open, question) else {
        if choice == Some(Decision::Abandon) && !state.cancelled && state.phase().is_some() {
            return abandon(&site, &ledger, id, &state, &args.why, around, console);
        }
        let next = next_after(&site, &ledger, id, around)?;
        if choice.is_some() {
            return Err(CliError::usage(format!("feature {id} is not waiting for a decision")).hint(next));
        }
        let shown =
            DecideJson { v: 1, feature, question: None, estimate: None, decided: None, next: next.clone() };
        console.show(&format!("feature {id} is not waiting for a decision\nnext: {next}"), &shown);
        return Ok(Code::Done);
    };
    let Some(choice) = choice else {
        let names: Vec<&str> = question.choices.iter().map(|choice| choice.name()).collect();
        let answer = if names.contains(&"answer") { " --answer \"…\"" } else { " --why \"…\"" };
        let next = around.next(&format!("redraft decide {id} {}{answer}", names.first().unwrap_or(&"")));
        let findings: String = in_the_way(&state).iter().map(|line| format!("\n{line}")).collect();
        let choices = format!("choices: {}", names.join(", "));
        let lines = state.estimate.iter().flat_map(Forecast::lines);
        let expected: String = lines.map(|line| format!("\n  {line}")).collect();
        let text = format!("feature {id}: {}{findings}{expected}\n{choices}\nnext: {next}", question.text);
        let estimate = state.estimate.as_ref().map(Expected::of);
        let question = Some(&question);
        console.show(&text, &DecideJson { v: 1, feature, question, estimate, decided: None, next });
        return Ok(Code::Waiting);
    };
    if !question.choices.contains(&choice) {
        let names: Vec<&str> = question.choices.iter().map(|choice| choice.name()).collect();
        return Err(CliError::usage(format!("`{}` is not a choice for: {}", choice.name(), question.text))
            .hint(format!("choose one of: {}", names.join(", "))));
    }
    if choice == Decision::Accept && args.why.trim().is_empty() {
        return Err(CliError::usage("accepting is a ruling and needs a reason").hint("add --why \"…\""));
    }
    let answers = answers(&question, choice, args.answer, around)?;
    let asked =
        entries.iter().any(|entry| matches!(&entry.event, Event::Asked(fact) if fact.question == question));
    let why = around.redactor.redact(args.why.trim()).0;
    let mut decided = review::decision(open, &question, choice, &around.user, &why);
    decided.answers = answers;
    let decided = Event::from(decided);
    let mut events = vec![decided];
    if !asked {
        events.insert(0, Asked { question: question.clone(), estimate: None }.into());
    }
    let mut next_state = state.clone();
    for event in &events {
        let stepped = pipeline::step(&next_state, event);
        next_state = stepped.map_err(|error| CliError::new(Code::Bug, error.to_string()))?;
    }
    let at_ms = around.clock.now_ms();
    let board = project::board_row(&next_state, at_ms);
    let (decided_on, blobs) = (state.seq, Vec::new());
    ledger.append(Append {
        scope,
        decided_on,
        at_ms,
        events: &events,
        blobs: &blobs,
        board: Some(&board),
    })?;
    if next_state.cancelled {
        site.put_checks_away(&site.created(&ledger, id)?);
    }
    if choice == Decision::Accept && edited_since(&site, &ledger, id, open)? {
        // A ruling is about what was reviewed; the next run takes the edit in and asks about that.
        console.say(&format!("{} was edited since; the next run will ask about the edit", open.artifact()));
    }
    let next = next_after(&site, &ledger, id, around)?;
    let shown = DecideJson {
        v: 1,
        feature,
        question: Some(&question),
        estimate: None,
        decided: Some(choice.name()),
        next: next.clone(),
    };
    console.show(&format!("feature {id}: decided {}\nnext: {next}", choice.name()), &shown);
    Ok(Code::Done)
}

/// What the author is told: as many texts as it has questions.
fn answers(
    question: &Question,
    choice: Decision,
    typed: Vec<String>,
    around: &Surroundings,
) -> Result<Vec<String>, CliError> {
    let asked = match &question.about {
        About::Author { questions } if choice == Decision::Answer => questions.len(),
        _ if typed.is_empty() => return Ok(Vec::new()),
        _ => return Err(CliError::usage("--answer is for `answer`, when an author asks")),
    };
    if typed.len() != asked {
        let error = format!("{} for {asked} questions", text::count(typed.len(), "answer"));
        return Err(CliError::usage(error).hint(
            "give --answer once for each question, in their order; \"\" leaves one to its assumption",
        ));
    }
    Ok(typed.into_iter().map(|answer| around.redactor.redact(answer.trim()).0.into_owned()).collect())
}

/// Whether the worktree no longer holds the revision that is being decided about.
fn edited_since(site: &Site, ledger: &Ledger, id: FeatureId, open: &Loop) -> Result<bool, CliError> {
    let created = site.created(ledger, id)?;
    if !site.worktree(&created)?.is_dir() {
        return Ok(false);
    }
    Ok(redraft_engine::standing(&site.workspace(&created)?, &created, &open.opened)? != open.revision)
}

/// A feature can be given up at any time, also when nothing is asked.
fn abandon(
    site: &Site,
    ledger: &Ledger,
    id: FeatureId,
    state: &Pipeline,
    why: &str,
    around: &Surroundings,
    console: &Console,
) -> Result<Code, CliError> {
    let why = around.redactor.redact(why.trim()).0.into_owned();
    let event = Event::from(Cancelled { by: around.user.clone(), why });
    let stepped = pipeline::step(state, &event);
    let next_state = stepped.map_err(|error| CliError::new(Code::Bug, error.to_string()))?;
    let at_ms = around.clock.now_ms();
    let board = project::board_row(&next_state, at_ms);
    let (decided_on, events, blobs) = (state.seq, [event], Vec::new());
    ledger.append(Append {
        scope: Scope::Feature(id),
        decided_on,
        at_ms,
        events: &events,
        blobs: &blobs,
        board: Some(&board),
    })?;
    site.put_checks_away(&site.created(ledger, id)?);
    let next = next_after(site, ledger, id, around)?;
    let decided = Some(Decision::Abandon.name());
    let shown = DecideJson {
        v: 1,
        feature: id.to_string(),
        question: None,
        estimate: None,
        decided,
        next: next.clone(),
    };
    console.show(&format!("feature {id} is given up; its branch stays\nnext: {next}"), &shown);
    Ok(Code::Done)
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
            None => Err(CliError::usage(format!("`{word}` is not a choice"))
                .hint("choices are accept, rerun, retry, skip, go, answer, assume and abandon, as far as the question allows them")),
        },
    }
}
