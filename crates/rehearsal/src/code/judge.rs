//! Reviews code: reports the flaws that a role finds, an answer for every open finding, one line for each of its
//! checks.
//!
//! Pure. Start at [`judge`]. A flaw is recognised in a later round by its category and by what its description names.

use super::flaws::{Flaw, flaws};
use super::{CodeReviewFocus, World};
use crate::ask::Open;
use crate::review::{concluded, folded, noted};
use redraft_facts::verdict::{AnswerStatus, CheckLine, FindingAnswer, Issue, Verdict};

/// Words of findings that something is missing.
const MISSED: [&str; 2] = [" is in no file of the change", " is carried out nowhere in the change"];

/// Words of all other findings that the rules make.
const FOUND: [&str; 7] = [
    ", but requirement `",
    " leaves work for later",
    " ends the program where there is nothing to unwrap",
    " lines, which nobody sees at once",
    " has a secret in the code",
    " runs a text that is put together from values",
    " tells whoever asks that there is no such account",
];

/// The verdict of a reviewer that looks for these things; the one reviewer of lane express looks for all three.
pub(crate) fn judge(eyes: &[CodeReviewFocus], world: &World<'_>, open: &[Open]) -> Verdict {
    let found: Vec<Flaw> = eyes.iter().flat_map(|eye| flaws(*eye, world)).collect();
    let issues = found.iter().map(|flaw| issue(flaw, open)).collect();
    let answers = open.iter().map(|open| answer(open, &found, world)).collect();
    let checks: Vec<CheckLine> = eyes
        .iter()
        .flat_map(|eye| eye.checks())
        .map(|(name, note)| check(name, note, &found, world))
        .collect();
    concluded(Verdict { answers, issues, checks, ..Verdict::default() }, open)
}

/// Whether an open finding is about this flaw.
pub(super) fn is_about(open: &Open, flaw: &Flaw) -> bool {
    open.category == flaw.category && flaw.marks.iter().all(|mark| open.marks.contains(mark))
}

fn issue(flaw: &Flaw, open: &[Open]) -> Issue {
    let same = open.iter().find(|open| is_about(open, flaw));
    Issue {
        severity: flaw.severity,
        category: flaw.category.to_owned(),
        claim: flaw.claim,
        file: flaw.file.clone(),
        line: u32::try_from(flaw.line).unwrap_or(u32::MAX),
        section: String::new(),
        quote: flaw.quote.clone(),
        description: flaw.description.clone(),
        suggestion: flaw.suggestion.clone(),
        same_as: same.map(|open| open.id.clone()).unwrap_or_default(),
    }
}

/// The answer to an open finding.
pub(super) fn answer(open: &Open, found: &[Flaw], world: &World<'_>) -> FindingAnswer {
    let said = |status, note: String| FindingAnswer { id: open.id.clone(), status, note };
    if let Some(flaw) = found.iter().find(|flaw| is_about(open, flaw)) {
        let place =
            if flaw.line == 0 { "searched again".to_owned() } else { format!("{}:{}", flaw.file, flaw.line) };
        return said(AnswerStatus::NotFixed, format!("still so ({place})"));
    }
    let missed = MISSED.iter().any(|words| open.description.contains(words));
    let shown = |name: &String| world.files.values().any(|text| text.contains(name.as_str()));
    if missed && !world.whole && !open.marks.first().is_some_and(shown) {
        return said(AnswerStatus::NotFixed, "it is in none of the files that are shown".to_owned());
    }
    if missed || FOUND.iter().any(|words| open.description.contains(words)) {
        // What one of our rules found, it would find again.
        let about: Vec<String> = open.marks.iter().take(3).map(|mark| format!("`{mark}`")).collect();
        return said(AnswerStatus::Fixed, format!("no longer so: looked again at {}", about.join(", ")));
    }
    let quote = folded(open.quote.trim_end_matches('…'));
    if quote.is_empty() {
        let note = "the finding quotes nothing, so nothing in the code shows that it is settled";
        return said(AnswerStatus::NotFixed, note.to_owned());
    }
    let place = open.place.split([':', ' ']).next().unwrap_or_default();
    let text = world.files.get(place);
    let holds = |text: &String| text.lines().any(|line| folded(line).contains(&quote));
    match text {
        Some(text) if holds(text) => {
            said(AnswerStatus::NotFixed, format!("{place} still says what was quoted"))
        }
        Some(_) => said(AnswerStatus::Fixed, format!("{place} no longer says `{}`", quote.replace('`', "'"))),
        None if world.files.values().any(holds) => {
            said(AnswerStatus::NotFixed, "what was quoted still stands in the change".to_owned())
        }
        None => said(AnswerStatus::Fixed, "what was quoted is gone".to_owned()),
    }
}

fn check(name: &str, note: &str, found: &[Flaw], world: &World<'_>) -> CheckLine {
    let failed: Vec<usize> =
        (1..).zip(found).filter(|(_, flaw)| flaw.check == name).map(|(number, _)| number).collect();
    let programs = world.files.keys().filter(|path| !path.ends_with(".md")).count();
    let how = format!("{note}, in {programs} files");
    let passed = failed.is_empty();
    CheckLine { name: name.to_owned(), passed, note: if passed { how } else { noted(&failed, &how) } }
}
