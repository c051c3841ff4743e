//! A review of parts: what a digest brings is judged as far as it goes, and no further.
//!
//! Pure. Start at [`review_of_parts`]. The earlier turn has walked the whole document, so what neither changed nor is open
//! is not searched again. That something is nowhere cannot be told from a part. Nor can a change be judged by it that names
//! an id or uses a word that the part does not have elsewhere: it may be about something in the rest, under this name or
//! another. Then there is no verdict here, and the file has to be opened, as the prompt says.

use super::ask::{Ask, Excerpt, Open};
use super::checks::{Check, Papers};
use super::ids::{Id, mentions};
use super::later::Above;
use super::pace::{Pace, Stopped};
use super::review::{self, Eye};
use super::spec::Spec;
use super::words::content_word;
use redraft_core::delta::{Delta, FileDelta};
use redraft_core::phase::Phase;
use redraft_core::verdict::{AnswerStatus, Claim, Issue, Verdict};
use std::collections::BTreeSet;

/// The verdict on a changed document of which only parts are at hand; none where they do not suffice.
pub(super) fn review_of_parts(eye: Eye, ask: &Ask, pace: &Pace<'_>) -> Result<Option<Verdict>, Stopped> {
    let (Some(excerpt), Some(delta)) = (&ask.excerpt, &ask.delta) else { return Ok(None) };
    let delta = Delta::parse(delta);
    let changes = Changes::of(delta.files.iter().filter(|file| file.path == excerpt.path));
    let text = excerpt.text();
    if !changes.stand_in(excerpt) || !changes.name_only_what_is_in(&text) || !changes.speak_of_it(&text) {
        return Ok(None);
    }
    let above = Above::default();
    let papers = Papers {
        path: &excerpt.path,
        spec: Spec::read(&text, pace)?,
        prd: None,
        phase: Phase::Specify,
        above: &above,
        pace,
    };
    let mut verdict = review::review(eye, &papers, &ask.open)?;
    verdict.issues.retain(|issue| issue.claim == Claim::Present || changes.bear_on(issue));
    let sure = verdict.issues.iter().all(|issue| issue.claim == Claim::Present);
    let answered = ask.open.iter().zip(&verdict.answers).all(|(open, answer)| {
        answer.status == AnswerStatus::NotFixed
            || changes.settle(open, &text)
            || shown(open, &answer.note, &text)
    });
    Ok((sure && answered).then(|| review::concluded(verdict, &ask.open)))
}

/// What was changed in the document.
struct Changes {
    lines: Vec<usize>,
    removed: Vec<String>,
    /// What the changed lines name, and the words they use.
    ids: Vec<Id>,
    words: BTreeSet<String>,
}

impl Changes {
    fn of<'d>(files: impl Iterator<Item = &'d FileDelta>) -> Changes {
        let mut changes =
            Changes { lines: Vec::new(), removed: Vec::new(), ids: Vec::new(), words: BTreeSet::new() };
        for file in files {
            changes.lines.extend(file.changed().into_iter().flatten().map(|line| line as usize - 1));
            changes.removed.extend(file.removed().map(str::to_owned));
            for line in file.added().chain(file.removed()) {
                changes.ids.extend(mentions(line).into_iter().map(|mention| mention.id));
                changes.words.extend(words(line));
            }
        }
        changes
    }

    fn stand_in(&self, excerpt: &Excerpt) -> bool {
        // A removal at the end touches the line behind the last one.
        self.lines.iter().all(|line| *line >= excerpt.lines || excerpt.holds(*line))
    }

    fn name_only_what_is_in(&self, text: &str) -> bool {
        let there = mentions(text);
        self.ids.iter().all(|id| there.iter().any(|mention| mention.id == *id))
    }

    /// Whether every word of theirs stands on a line that did not change.
    fn speak_of_it(&self, text: &str) -> bool {
        let kept = text.lines().enumerate().filter(|(at, _)| !self.lines.contains(at));
        let there: BTreeSet<String> = kept.flat_map(|(_, line)| words(line)).collect();
        self.words.is_subset(&there)
    }

    /// Whether something that is missing may be missing because of them, or is open.
    fn bear_on(&self, issue: &Issue) -> bool {
        let named = mentions(&issue.description);
        !issue.same_as.is_empty()
            || self.lines.contains(&(issue.line as usize).saturating_sub(1))
            || named.iter().any(|mention| self.ids.contains(&mention.id))
    }

    /// Whether what a finding quotes was taken out and stands nowhere in what is at hand.
    fn settle(&self, open: &Open, text: &str) -> bool {
        let quote = review::folded(open.quote.trim_end_matches('…'));
        let removed = self.removed.iter().any(|line| review::folded(line).contains(&quote));
        !quote.is_empty() && removed && !review::folded(text).contains(&quote)
    }
}

/// The words that say what a line is about: by their stems, unless they have a spelling of their own.
fn words(line: &str) -> impl Iterator<Item = String> {
    let words = line.split(|c: char| !c.is_alphanumeric() && c != '-').filter(|word| !word.is_empty());
    words.filter_map(|word| {
        let plain = word.chars().skip(1).all(char::is_lowercase);
        let telling = content_word(word);
        if plain || telling.is_none() { telling } else { Some(word.to_owned()) }
    })
}

/// Whether what was missing can be seen: the answer names how it is settled, by something that is at hand.
fn shown(open: &Open, note: &str, text: &str) -> bool {
    let there = mentions(text);
    let named: Vec<Id> = mentions(&open.description).into_iter().map(|mention| mention.id).collect();
    note != review::GONE
        && review::check_for(open).is_some_and(|check| check != Check::Goals)
        && named.iter().all(|id| there.iter().any(|mention| mention.id == *id))
}
