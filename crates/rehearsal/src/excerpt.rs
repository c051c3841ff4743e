//! Reviews parts of a document, as a digest gives them: judges what was changed and what is open, and nothing else.
//!
//! Pure. Start at [`review_of_parts`]. The earlier turn has searched the whole document, so what neither changed nor is
//! open is not searched again. A part cannot show that something is missing from the whole. Nor is it enough to judge a
//! change that names an id or uses a word found nowhere else in the part: the change may be about something in the
//! rest. Then there is no verdict here, and the file has to be opened, as the prompt says.

use crate::ask::{Ask, Excerpt, Open};
use crate::checks::{Before, CheckedDocuments};
use crate::pace::{Pace, Stopped};
use crate::parsed_document::{ParsedDocument, names, telling_words};
use crate::review::{self, ReviewFocus};
use redraft_documents::delta::{Delta, FileDelta};
use redraft_facts::phase::Phase;
use redraft_facts::verdict::{AnswerStatus, Claim, Issue, Verdict};
use std::collections::BTreeSet;

/// The verdict on a changed document of which only parts are at hand; none where they are not enough.
pub(crate) fn review_of_parts(
    eye: ReviewFocus,
    ask: &Ask,
    pace: &Pace<'_>,
) -> Result<Option<Verdict>, Stopped> {
    let (Some(excerpt), Some(delta)) = (&ask.excerpt, &ask.delta) else { return Ok(None) };
    let delta = Delta::parse(delta);
    let changes = Changes::new(delta.files.iter().filter(|file| file.path == excerpt.path));
    let text = excerpt.text();
    if !changes.stand_in(excerpt) || !changes.speak_of_what_is_in(&text) {
        return Ok(None);
    }
    let checked = CheckedDocuments {
        path: &excerpt.path,
        parsed: ParsedDocument::read(&text),
        phase: Phase::Specify,
        before: Before::default(),
        pace,
    };
    let mut verdict = review::review(eye, &checked, &ask.open)?;
    verdict.issues.retain(|issue| issue.claim == Claim::Present || changes.bear_on(issue));
    let sure = verdict.issues.iter().all(|issue| issue.claim == Claim::Present);
    let answered = ask.open.iter().zip(&verdict.answers).all(|(open, answer)| {
        answer.status == AnswerStatus::NotFixed
            || changes.settle(open, &text)
            || review::names_a_line(&answer.note)
    });
    Ok((sure && answered).then(|| review::concluded(verdict, &ask.open)))
}

/// What was changed in the document.
struct Changes {
    lines: Vec<usize>,
    removed: Vec<String>,
    /// The ids that the changed lines name, and the words they use.
    words: BTreeSet<String>,
}

impl Changes {
    fn new<'d>(files: impl Iterator<Item = &'d FileDelta>) -> Changes {
        let mut changes = Changes { lines: Vec::new(), removed: Vec::new(), words: BTreeSet::new() };
        for file in files {
            changes.lines.extend(file.changed().into_iter().flatten().map(|line| line as usize - 1));
            changes.removed.extend(file.removed().map(str::to_owned));
            changes.words.extend(file.added().chain(file.removed()).flat_map(words));
        }
        changes
    }

    fn stand_in(&self, excerpt: &Excerpt) -> bool {
        // A removal at the end touches the line behind the last one.
        self.lines.iter().all(|line| *line >= excerpt.lines || excerpt.holds(*line))
    }

    /// Whether each of their words is on a line that did not change, and each id is in the text at all.
    fn speak_of_what_is_in(&self, text: &str) -> bool {
        let kept = text.lines().enumerate().filter(|(at, _)| !self.lines.contains(at));
        let there: BTreeSet<String> = kept.flat_map(|(_, line)| words(line)).collect();
        let named: BTreeSet<String> = text.lines().flat_map(words).filter(|word| is_id(word)).collect();
        self.words.iter().all(|word| if is_id(word) { named.contains(word) } else { there.contains(word) })
    }

    /// Whether something that is missing may be missing because of these changes, or is open.
    fn bear_on(&self, issue: &Issue) -> bool {
        !issue.same_as.is_empty()
            || self.lines.contains(&(issue.line as usize).saturating_sub(1))
            || self.words.iter().any(|word| is_id(word) && names(&issue.description, word))
    }

    /// Whether the text that a finding quotes was taken out and is nowhere in what is at hand.
    fn settle(&self, open: &Open, text: &str) -> bool {
        let quote = review::folded(open.quote.trim_end_matches('…'));
        let removed = self.removed.iter().any(|line| review::folded(line).contains(&quote));
        !quote.is_empty() && removed && !review::folded(text).contains(&quote)
    }
}

fn is_id(word: &str) -> bool {
    word.starts_with(char::is_uppercase) && word.ends_with(|c: char| c.is_ascii_digit())
}

/// The ids of a line, and its significant words, by their first letters: endings do not count.
fn words(line: &str) -> Vec<String> {
    const LETTERS_MAX: usize = 5;
    let ids = line
        .split(|c: char| !c.is_alphanumeric() && c != '-' && c != '.')
        .map(|word| word.trim_matches(['-', '.']));
    let ids = ids.filter(|word| is_id(word)).map(str::to_owned);
    ids.chain(telling_words(line).iter().map(|word| word.chars().take(LETTERS_MAX).collect())).collect()
}
