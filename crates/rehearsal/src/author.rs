//! The author of a phase: writes the first draft, and mends what reviewers and gates found.
//!
//! Pure: texts in, a text and an answer out; the caller reads and writes the file. Start at [`write()`]. When
//! revising it looks for each finding's defect with the reviewers' own checks, makes the change that the check
//! suggests, and keeps it only if the defect is gone afterwards.

use crate::ask::{Answered, Open};
use crate::checks::{self, Before, Check, CheckedDocuments, DEFECTS_MAX, Defect};
use crate::drafts::{self, Kit};
use crate::edit::apply;
use crate::pace::{Pace, Stopped};
use crate::parsed_document::{ParsedDocument, marks, telling_words};
use crate::review::{is_about, is_unready, rest_of};
use redraft_facts::phase::Phase;
use redraft_facts::text::count;
use redraft_facts::verdict::{AnswerStatus, Claim, FindingAnswer, Issue, Severity, Verdict};

/// What the author works on.
pub(crate) struct Job<'a> {
    pub(crate) path: &'a str,
    /// The document as it stands; none before the first draft.
    pub(crate) text: Option<&'a str>,
    pub(crate) phase: Phase,
    pub(crate) before: Before<'a>,
    /// How the repository is built.
    pub(crate) kit: Kit,
    /// The answers to what was asked before the first draft.
    pub(crate) answers: &'a [Answered],
    pub(crate) idea: &'a str,
    pub(crate) open: &'a [Open],
    /// Whether a gate failed.
    pub(crate) gate: bool,
    pub(crate) others_changed: bool,
    pub(crate) pace: &'a Pace<'a>,
}

impl Job<'_> {
    fn checked<'t>(&'t self, text: &'t str) -> CheckedDocuments<'t> {
        let Job { path, phase, before, pace, .. } = *self;
        CheckedDocuments { path, parsed: ParsedDocument::read(text), phase, before, pace }
    }

    fn defects(&self, text: &str, checks: &[Check]) -> Result<Vec<Defect>, Stopped> {
        let checked = self.checked(text);
        let looked = checks.iter().map(|check| check.look(&checked)).collect::<Result<Vec<_>, Stopped>>()?;
        Ok(looked.into_iter().flat_map(|looked| looked.defects).collect())
    }
}

/// The document to write, and the answer.
pub(crate) fn write(job: &Job<'_>) -> Result<(String, Verdict), Stopped> {
    let (text, summary, answers) = match job.text.filter(|text| !text.trim().is_empty()) {
        None => first(job),
        Some(text) => revise(job, text)?,
    };
    Ok((text, Verdict { approved: true, summary, answers, ..Verdict::default() }))
}

/// The answer of an author that leaves the file alone, because it could not be written back as it was.
pub(crate) fn hands_off(open: &[Open]) -> Verdict {
    let note = "a line with bytes that are not UTF-8 would have to change; convert the file to UTF-8 first";
    let answers = open.iter().map(|open| Settled::No(note.to_owned()).answer(&open.id)).collect();
    Verdict {
        approved: true,
        summary: format!("left the file as it is: {note}"),
        answers,
        ..Verdict::default()
    }
}

/// The answer of an author that asks instead of drafting: one question for each line, with the assumption after a bar.
pub(crate) fn questions(text: &str) -> Verdict {
    let issue = |line: &str| {
        let (question, assumed) = line.split_once('|').unwrap_or((line, "the narrower choice"));
        Issue {
            severity: Severity::Warning,
            category: "question".to_owned(),
            claim: Claim::Absent,
            file: String::new(),
            line: 0,
            section: String::new(),
            quote: String::new(),
            description: question.trim().to_owned(),
            suggestion: assumed.trim().to_owned(),
            same_as: String::new(),
        }
    };
    let issues = text.lines().filter(|line| !line.trim().is_empty()).take(QUESTIONS_MAX).map(issue).collect();
    let summary = "the whole document depends on what is asked, so nothing has been written yet".to_owned();
    Verdict { approved: false, summary, issues, ..Verdict::default() }
}

/// The most questions an author may ask.
const QUESTIONS_MAX: usize = 5;

fn first(job: &Job<'_>) -> (String, String, Vec<FindingAnswer>) {
    let text = drafts::draft(job.phase, job.idea, &job.before, job.kit);
    let text = drafts::with_answers(&text, job.answers);
    let text = drafts::with_answers(&text, &comments(job.open));
    let summary = format!("wrote the first draft, {}", count(text.lines().count(), "line"));
    let note = "the document was empty and has been written anew";
    let answers = job.open.iter().map(|open| Settled::Mended(note.to_owned()).answer(&open.id));
    (text, summary, answers.collect())
}

fn revise(job: &Job<'_>, text: &str) -> Result<(String, String, Vec<FindingAnswer>), Stopped> {
    let mut work = Revision { job, text: text.to_owned() };
    let mut done: Vec<String> = Vec::new();
    if job.gate {
        let notes = work.mend_for_gate()?;
        done.extend((!notes.is_empty()).then(|| format!("for the gate: {}", shown(&notes))));
    }
    let mut answers = Vec::new();
    let (mut mended, mut unsettled) = (Vec::new(), Vec::new());
    for open in job.open {
        let settled = work.settle(open)?;
        match settled {
            Settled::Mended(_) => mended.push(open.id.as_str()),
            Settled::Already => {}
            Settled::No(_) => unsettled.push(open.id.as_str()),
        }
        answers.push(settled.answer(&open.id));
    }
    // What was done about each finding is in its answer.
    done.extend((!mended.is_empty()).then(|| format!("fixed {}", mended.join(", "))));
    done.extend(job.others_changed.then(|| "kept what others changed".to_owned()));
    done.extend((!unsettled.is_empty()).then(|| format!("not fixed: {}", unsettled.join(", "))));
    let summary = match done.is_empty() {
        true => "nothing was asked that the document does not already say".to_owned(),
        false => done.join("; "),
    };
    Ok((work.text, summary, answers))
}

/// A summary that is too long helps nobody: it has the first ones and how many there are.
fn shown(notes: &[String]) -> String {
    const NOTES_MAX: usize = 20;
    let more = notes.len().saturating_sub(NOTES_MAX);
    let shown = notes[..notes.len() - more].join("; ");
    if more == 0 { shown } else { format!("{shown}; and {more} more of the kind") }
}

/// A document while its findings are dealt with.
struct Revision<'a> {
    job: &'a Job<'a>,
    text: String,
}

#[derive(Debug)]
enum Settled {
    Mended(String),
    Already,
    No(String),
}

impl Settled {
    fn answer(&self, id: &str) -> FindingAnswer {
        let (status, note) = match self {
            Settled::Mended(note) => (AnswerStatus::Fixed, note.as_str()),
            Settled::Already => (AnswerStatus::Fixed, "the document no longer has it"),
            Settled::No(note) => (AnswerStatus::NotFixed, note.as_str()),
        };
        FindingAnswer { id: id.to_owned(), status, note: note.to_owned() }
    }
}

impl Revision<'_> {
    fn settle(&mut self, open: &Open) -> Result<Settled, Stopped> {
        let said = comments(core::slice::from_ref(open));
        if !said.is_empty() {
            let text = drafts::with_answers(&self.text, &said);
            if drafts::has_comment(&self.text, &open.description) {
                return Ok(Settled::Already);
            }
            self.text = text;
            return Ok(Settled::Mended("the document says what the user decided".to_owned()));
        }
        if let Some(check) = rest_of(open) {
            return self.settle_all(&[check]);
        }
        if is_unready(open) {
            return self.settle_all(checks::handoff());
        }
        let own = Check::behind(self.job.phase, &open.description);
        let checks = own.map_or_else(|| checks::all(self.job.phase), |check| vec![check]);
        let left = self.job.defects(&self.text, &checks)?;
        let known = left.iter().find(|defect| is_about(open, defect));
        let foreign = || if own.is_none() { likely(open, &left) } else { None };
        match known.or_else(foreign) {
            Some(defect) => self.mend(defect, &checks),
            None if own.is_some() => Ok(Settled::Already),
            None => Ok(Settled::No("nothing in the document shows what would have to change".to_owned())),
        }
    }

    /// Deals with findings that were not listed, as many as a review would list.
    fn settle_all(&mut self, checks: &[Check]) -> Result<Settled, Stopped> {
        let mut mended = 0;
        for _ in 0..DEFECTS_MAX {
            let left = self.job.defects(&self.text, checks)?;
            let Some(defect) = left.iter().find(|defect| defect.remedy.is_some()) else { break };
            let Settled::Mended(_) = self.mend(defect, checks)? else { break };
            mended += 1;
        }
        let left = self.job.defects(&self.text, checks)?.len();
        Ok(match (mended, left) {
            (0, 0) => Settled::Already,
            (_, 0) => Settled::Mended(format!("fixed all {mended}")),
            _ => Settled::No(format!("fixed {mended} of them, {left} are left")),
        })
    }

    /// What the gate found, one note for each change.
    fn mend_for_gate(&mut self) -> Result<Vec<String>, Stopped> {
        let mut notes = Vec::new();
        for _ in 0..GATE_MAX {
            let errors = checks::errors_of_the_gate(&self.job.checked(&self.text))?;
            let Some(remedy) = errors.into_iter().find_map(|defect| defect.remedy) else { break };
            let text = apply(&self.text, &remedy.edits);
            if text == self.text {
                break;
            }
            notes.push(remedy.note);
            self.text = text;
        }
        Ok(notes)
    }

    /// Changes the text and keeps the change if the defect is gone.
    fn mend(&mut self, defect: &Defect, checks: &[Check]) -> Result<Settled, Stopped> {
        let Some(remedy) = &defect.remedy else {
            return Ok(Settled::No("there is no change that would settle it without guessing".to_owned()));
        };
        let text = apply(&self.text, &remedy.edits);
        let after = self.job.defects(&text, checks)?;
        if text == self.text || after.iter().any(|left| left.is_same(defect)) {
            return Ok(Settled::No("the change that was tried did not settle it".to_owned()));
        }
        self.text = text;
        Ok(Settled::Mended(remedy.note.clone()))
    }
}

/// What the user said, as decisions of theirs.
fn comments(open: &[Open]) -> Vec<Answered> {
    let said = open.iter().filter(|open| open.category == drafts::COMMENT);
    said.map(|open| Answered { question: String::new(), said: open.description.clone(), decided: true })
        .collect()
}

/// Faults that are mended for one gate; a document with more was written by a machine.
const GATE_MAX: usize = 200;

/// The defect that somebody else's finding is about: of the same category, matched by what the finding names, quotes or
/// says.
fn likely<'d>(open: &Open, defects: &'d [Defect]) -> Option<&'d Defect> {
    let said = format!("{} {}", open.description, open.quote);
    let words = telling_words(&said);
    let fits = |defect: &&Defect| {
        let named = marks(&defect.description).any(|mark| said.contains(mark));
        let quoted = !open.quote.is_empty() && defect.quote.contains(open.quote.trim_end_matches('…'));
        let about = telling_words(&marks(&defect.description).collect::<Vec<_>>().join(" "));
        named || (quoted && about.iter().any(|word| words.contains(word)))
    };
    let same =
        |defect: &&Defect| open.category.is_empty() || defect.category.eq_ignore_ascii_case(&open.category);
    defects.iter().filter(same).find(fits)
}
