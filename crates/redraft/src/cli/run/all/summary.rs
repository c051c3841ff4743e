//! How a run of several features ended: a line or two for each, its questions with the commands that answer them, and
//! what all of it has cost. Start at [`summary`].

use super::queue::{Ended, Queue};
use redraft_adapters::lock::Holder;
use redraft_facts::ids::FeatureId;
use redraft_facts::text::{count, one_line};
use redraft_facts::usage::Usd;
use redraft_frame::attention::RunEnd;
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::{monitor, rows};
use redraft_reports::projections::Warning;
use redraft_reports::standing::Standing;
use redraft_views::blocker::{BlockerJson, blocked_by};
use redraft_views::board::{Board, Seen, from_when};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// What of a question fits a line.
const QUESTION_MAX: usize = 300;

#[derive(Serialize)]
struct AllJson {
    v: u16,
    features: Vec<FeatureJson>,
    /// What all of them have spent in this run, as their budgets count it.
    spent_micro_usd: Usd,
    /// What all of them might spend together.
    #[serde(skip_serializing_if = "Option::is_none")]
    budget_micro_usd: Option<Usd>,
    /// What happens too often over several features, with the remedy.
    warnings: Vec<Warning>,
    next: String,
    exit: i32,
}

#[derive(Serialize)]
struct FeatureJson {
    feature: String,
    slug: String,
    /// As `run --json` has it for one; also `held` (another process drives it), `blocked` (by other features) or `error`.
    outcome: String,
    /// The exit code that a run of it alone would have had.
    exit: i32,
    /// Whether this run has driven it.
    driven: bool,
    standing: Standing,
    waits_for_you: bool,
    spent_micro_usd: Usd,
    #[serde(skip_serializing_if = "Option::is_none")]
    question: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    choices: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parked_until_ms: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    held_by: Option<Holder>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    blocked_by: Vec<BlockerJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorJson>,
    next: String,
    /// The object that `run --json` prints for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<Value>,
    /// Where it stands, in words.
    #[serde(skip)]
    words: String,
}

#[derive(Serialize)]
struct ErrorJson {
    message: String,
    hints: Vec<String>,
}

/// The most urgent first: what nobody else will come back to.
const URGENT: [ErrorCode; 10] = [
    ErrorCode::Interrupted,
    ErrorCode::Bug,
    ErrorCode::Config,
    ErrorCode::Usage,
    ErrorCode::Agent,
    ErrorCode::Waiting,
    ErrorCode::Limit,
    ErrorCode::Held,
    ErrorCode::NotApproved,
    ErrorCode::Done,
];

fn most_urgent(codes: &[ErrorCode]) -> ErrorCode {
    URGENT.into_iter().find(|code| codes.contains(code)).unwrap_or(ErrorCode::Done)
}

/// Shows how all of them ended. `before` is the board at the beginning.
pub(super) fn summary(
    queue: &Queue,
    before: Board,
    limit: Option<Usd>,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let (mut ended, broken) = queue.ended();
    let repo = process.repository()?;
    let now = match repo.reader()? {
        Some(ledger) => rows::rows(&ledger)?,
        None => Vec::new(),
    };
    let warnings = monitor::watch(&repo, &now, process);
    let board = Board::new(&repo, now, Vec::new(), process);
    let counted: BTreeMap<&str, u64> =
        before.features.iter().map(|seen| (seen.row.id.as_str(), seen.row.counted_micro_usd)).collect();
    let stopped = process.stopped();
    let mut codes = Vec::new();
    let mut features = Vec::new();
    let next = board.next().command;
    for seen in board.features {
        let Ok(id) = seen.row.id.parse::<FeatureId>() else { continue };
        let was = counted.get(seen.row.id.as_str()).copied();
        if !queue.wanted().contains(&id) && queue.holder(id).is_none() {
            continue;
        }
        let spent = Usd(seen.row.counted_micro_usd.saturating_sub(was.unwrap_or_default()));
        let driven = ended.remove(&id);
        let (feature, code) = feature(seen, driven, queue.holder(id), spent, stopped);
        codes.push(code);
        features.push(feature);
    }
    codes.extend(broken.as_ref().map(|error| error.code));
    codes.extend(stopped.then_some(ErrorCode::Interrupted));
    let code = most_urgent(&codes);
    let spent = features.iter().filter(|one| one.driven).fold(Usd(0), |sum, one| sum + one.spent_micro_usd);
    let asked = features.iter().find(|one| one.waits_for_you).or(features.iter().find(|one| one.exit != 0));
    let next = asked.map_or(next, |one| one.next.clone());
    let next = if stopped { process.next("redraft run --all") } else { next };
    let shown = AllJson {
        v: 1,
        features,
        spent_micro_usd: spent,
        budget_micro_usd: limit,
        warnings,
        next,
        exit: code as i32,
    };
    if let Some(error) = &broken {
        console.complain(error);
    }
    let questions = shown.features.iter().filter(|one| one.question.is_some()).count();
    console.ends(RunEnd {
        outcome: if questions > 0 { "waiting".to_owned() } else { outcome_of(code).to_owned() },
        question: (questions > 0).then(|| count(questions, "question")),
        next: shown.next.clone(),
    });
    console.show(&text(&shown), &shown);
    monitor::say(&shown.warnings, console);
    Ok(code)
}

/// How all of it ended, for what a person who does not look is told.
fn outcome_of(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::Done | ErrorCode::NotApproved => "at rest",
        ErrorCode::Waiting => "waiting",
        ErrorCode::Limit => "over budget",
        ErrorCode::Held => "held",
        ErrorCode::Interrupted => "interrupted",
        ErrorCode::Usage | ErrorCode::Config | ErrorCode::Agent | ErrorCode::Bug => "failed",
    }
}

/// One feature, driven or not.
fn feature(
    seen: Seen,
    ended: Option<Ended>,
    holder: Option<&Holder>,
    spent: Usd,
    stopped: bool,
) -> (FeatureJson, ErrorCode) {
    let row = seen.row;
    let driven = ended.is_some();
    let (end, run, error) = match ended {
        Some(Ended { done, end, run }) => (Some((done.as_ref().ok().copied(), end)), run, done.err()),
        None => (None, None, None),
    };
    let waits = matches!(row.standing, Standing::Asked { .. });
    let (outcome, code) = match (&end, &error, holder) {
        (_, Some(error), _) if error.code == ErrorCode::Held => ("held".to_owned(), ErrorCode::Held),
        (_, Some(error), _) => ("error".to_owned(), error.code),
        (Some((Some(code), end)), None, _) => (end.outcome.clone(), *code),
        (_, None, Some(_)) => ("held".to_owned(), ErrorCode::Held),
        (_, None, None) if waits => ("waiting".to_owned(), ErrorCode::Waiting),
        (_, None, None) if row.lacks_budget() => ("over budget".to_owned(), ErrorCode::Limit),
        (_, None, None) if !seen.blocked_by.is_empty() => ("blocked".to_owned(), ErrorCode::Waiting),
        (_, None, None) if stopped => ("interrupted".to_owned(), ErrorCode::Interrupted),
        (_, None, None) => (row.status.clone(), ErrorCode::Done),
    };
    let told = end.map(|(_, end)| end).filter(|end| !end.next.is_empty());
    let next = told.as_ref().map_or(row.next.clone(), |end| end.next.clone());
    let question = told.and_then(|end| end.question).or(row.question.clone().filter(|_| waits));
    let words = row.standing_in_words();
    let shown = FeatureJson {
        feature: row.id,
        slug: row.slug,
        outcome,
        exit: code as i32,
        driven,
        waits_for_you: row.standing.waits_for_you(),
        standing: row.standing,
        spent_micro_usd: spent,
        question,
        choices: if waits { row.choices } else { Vec::new() },
        parked_until_ms: row.parked_until_ms,
        held_by: holder.cloned().or(seen.held_by),
        blocked_by: seen.blocked_by,
        error: error.map(|CliError { message, hints, .. }| ErrorJson { message, hints }),
        next,
        run,
        words,
    };
    (shown, code)
}

fn text(shown: &AllJson) -> String {
    let mut text = String::new();
    for one in &shown.features {
        let spent = if one.driven { format!(", {} in this run", one.spent_micro_usd) } else { String::new() };
        text.push_str(&format!("{} {}  {}{spent}\n", one.feature, one.slug, one.words));
        if let Some(holder) = one.held_by.as_ref().filter(|_| one.outcome == "held") {
            text.push_str(&format!("    left alone: held by {holder}\n"));
        }
        if !one.blocked_by.is_empty() {
            text.push_str(&format!("    {}\n", blocked_by(&one.blocked_by)));
        }
        if one.outcome == "over budget of all" {
            text.push_str("    what all features may spend together is used up\n");
        }
        if let Some(error) = &one.error {
            let (first, _) = error.message.split_once('\n').unwrap_or((&error.message, ""));
            text.push_str(&format!("    error: {}\n", one_line(first, QUESTION_MAX)));
            error
                .hints
                .iter()
                .for_each(|hint| text.push_str(&format!("      hint: {}\n", one_line(hint, 1_000))));
        }
        if let Some(question) = &one.question {
            let first = question.lines().next().unwrap_or_default();
            text.push_str(&format!("    asked: {}\n", one_line(first, QUESTION_MAX)));
        }
        if one.exit != 0 && one.error.is_none() {
            text.push_str(&format!("    next: {}\n", from_when(&one.next, one.parked_until_ms)));
        }
    }
    if shown.features.is_empty() {
        text.push_str("no feature can go on\n");
    } else {
        let of = shown.budget_micro_usd.map(|limit| format!(" of {limit}")).unwrap_or_default();
        let driven = shown.features.iter().filter(|one| one.driven).count();
        text.push_str(&format!("together: {}{of} for {}\n", shown.spent_micro_usd, count(driven, "feature")));
    }
    text.push_str(&format!("next: {}", shown.next));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_exit_code_has_its_urgency_and_the_most_urgent_is_taken() {
        for (code, _) in ErrorCode::ALL {
            assert!(URGENT.contains(&code), "{code:?}");
            assert_eq!(most_urgent(&[code]), code);
            assert_eq!(most_urgent(&[ErrorCode::Done, code]), code);
        }
        assert_eq!(most_urgent(&[]), ErrorCode::Done);
        assert_eq!(most_urgent(&[ErrorCode::Limit, ErrorCode::Waiting, ErrorCode::Held]), ErrorCode::Waiting);
        assert_eq!(most_urgent(&[ErrorCode::Waiting, ErrorCode::Config]), ErrorCode::Config);
    }
}
