//! The spec-author: writes the first draft, and mends what reviewers and gates found.
//!
//! Pure: texts in, a text and an answer out; the caller reads and writes the file. Start at [`write`]. When
//! revising it looks for each finding's defect with the reviewers' own checks, changes the document, and keeps
//! the change only if the defect is gone afterwards.

use super::ask::Open;
use super::checks::{self, Defect, Papers};
use super::draft::draft;
use super::ids::mentions;
use super::mend::{mend, mend_gate};
use super::review::{is_about, is_ours};
use super::words::content;
use redraft_core::verdict::{Answer, AnswerStatus, Verdict};

/// What the author has before it.
pub(super) struct Desk<'a> {
    pub(super) path: &'a str,
    /// The document as it stands; none before the first draft.
    pub(super) text: Option<&'a str>,
    pub(super) prd: Option<(&'a str, &'a str)>,
    pub(super) idea: &'a str,
    pub(super) open: &'a [Open],
    /// Whether a gate failed.
    pub(super) gate: bool,
    pub(super) others_changed: bool,
}

impl Desk<'_> {
    fn papers<'t>(&'t self, text: &'t str) -> Papers<'t> {
        Papers::new(self.path, text, self.prd)
    }
}

/// The document to write, and the answer.
pub(super) fn write(desk: &Desk<'_>) -> (String, Verdict) {
    let (text, summary, answers) = match desk.text.filter(|text| !text.trim().is_empty()) {
        None => first(desk),
        Some(text) => revise(desk, text),
    };
    (text, Verdict { approved: true, summary, answers, ..Verdict::default() })
}

fn first(desk: &Desk<'_>) -> (String, String, Vec<Answer>) {
    let text = draft(desk.idea, desk.prd.map(|(_, text)| text));
    let summary = format!("wrote the first draft, {} lines", text.lines().count());
    let note = "the document was empty and has been written anew";
    let answers = desk.open.iter().map(|open| Answer {
        id: open.id.clone(),
        status: AnswerStatus::Fixed,
        note: note.to_owned(),
    });
    (text, summary, answers.collect())
}

fn revise(desk: &Desk<'_>, text: &str) -> (String, String, Vec<Answer>) {
    let mut text = text.to_owned();
    let mut done: Vec<String> = Vec::new();
    if let Some(mended) = mend_gate(&text).filter(|_| desk.gate) {
        text = mended.text;
        done.push(format!("for the gate: {}", mended.note));
    }
    let mut answers = Vec::new();
    let mut mended: Vec<&str> = Vec::new();
    let mut left = if desk.open.is_empty() { Vec::new() } else { defects(&desk.papers(&text)) };
    for open in desk.open {
        let (status, note) = match settle(desk, &text, &left, open) {
            Settled::Mended(new, after, note) => {
                (text, left) = (new, after);
                mended.push(open.id.as_str());
                (AnswerStatus::Fixed, note)
            }
            Settled::Already(note) => (AnswerStatus::Fixed, note),
            Settled::No(note) => (AnswerStatus::NotFixed, note),
        };
        answers.push(Answer { id: open.id.clone(), status, note });
    }
    if !mended.is_empty() {
        // What was done for each stands in its answer.
        done.push(format!("mended {}", mended.join(", ")));
    }
    if desk.others_changed {
        done.push("kept what others changed".to_owned());
    }
    let unsettled = answers.iter().filter(|answer| answer.status == AnswerStatus::NotFixed);
    let unsettled: Vec<&str> = unsettled.map(|answer| answer.id.as_str()).collect();
    if !unsettled.is_empty() {
        done.push(format!("not mended: {}", unsettled.join(", ")));
    }
    let summary = if done.is_empty() {
        "nothing was asked that the document does not already say".to_owned()
    } else {
        done.join("; ")
    };
    (text, summary, answers)
}

enum Settled {
    /// The new text, what is still wrong in it, and what was done.
    Mended(String, Vec<Defect>, String),
    Already(String),
    No(String),
}

fn settle(desk: &Desk<'_>, text: &str, defects: &[Defect], open: &Open) -> Settled {
    let exact = defects.iter().find(|defect| is_about(open, defect));
    if exact.is_none() && is_ours(open) {
        return Settled::Already("the document no longer has it".to_owned());
    }
    let Some(defect) = exact.or_else(|| likely(open, defects)) else {
        return Settled::No("nothing in the document shows what would have to change".to_owned());
    };
    let Some(mended) = mend(text, &desk.papers(text).spec, &defect.wrong) else {
        return Settled::No("there is no change that would settle it without guessing".to_owned());
    };
    let after = self::defects(&desk.papers(&mended.text));
    let still = after.iter().any(|left| left.category == defect.category && left.marks() == defect.marks());
    if still || mended.text == text {
        return Settled::No("the change that was tried did not settle it".to_owned());
    }
    Settled::Mended(mended.text, after, mended.note)
}

fn defects(papers: &Papers<'_>) -> Vec<Defect> {
    let looked = checks::domain(papers).into_iter().chain(checks::handoff(papers));
    looked.flat_map(|looked| looked.defects).collect()
}

/// The defect somebody else's finding speaks of: the same category, and the same ids, quote or most of its words.
fn likely<'d>(open: &Open, defects: &'d [Defect]) -> Option<&'d Defect> {
    let said = format!("{} {}", open.description, open.quote);
    let ids: Vec<_> = mentions(&said).into_iter().map(|mention| mention.id).collect();
    let words = content(&said);
    let fits = |defect: &&Defect| {
        let marks = defect.marks();
        let named = marks.iter().any(|mark| {
            let found = mentions(mark);
            found.iter().any(|mention| ids.contains(&mention.id)) || said.contains(mark.as_str())
        });
        let about = content(&marks.join(" "));
        let shared = about.intersection(&words).count();
        let quoted = !open.quote.is_empty() && defect.quote.contains(open.quote.trim_end_matches('…'));
        let placed = open.place.contains(&format!(":{} ", defect.line + 1))
            || open.place.ends_with(&format!(":{}", defect.line + 1));
        named || ((quoted || placed) && shared > 0) || (about.len() > 1 && shared * 5 >= about.len() * 4)
    };
    let same =
        |defect: &&Defect| open.category.is_empty() || defect.category.eq_ignore_ascii_case(&open.category);
    defects.iter().filter(same).find(fits)
}
