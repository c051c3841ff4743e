//! The author of a phase: writes the first draft, and mends what reviewers and gates found.
//!
//! Pure: texts in, a text and an answer out; the caller reads and writes the file. Start at [`write()`]. When
//! revising it looks for each finding's defect with the reviewers' own checks, changes the document, and keeps
//! the change only if the defect is gone afterwards.

use super::ask::{Answered, Open};
use super::checks::{Check, DEFECTS_MAX, Defect, Papers, all, handoff};
use super::draft::draft;
use super::ids::mentions;
use super::later::drafts::{self, Kit};
use super::later::{self, Above};
use super::mend::{mend, mend_gate};
use super::pace::{Pace, Stopped};
use super::review::{check_for, is_about, is_unready, rest_of};
use super::spec::Spec;
use super::words::content;
use redraft_core::phase::Phase;
use redraft_core::text::count;
use redraft_core::verdict::{Answer, AnswerStatus, Claim, Issue, Severity, Verdict};
use std::collections::{BTreeMap, BTreeSet};

/// What the author has before it.
pub(super) struct Desk<'a> {
    pub(super) path: &'a str,
    /// The document as it stands; none before the first draft.
    pub(super) text: Option<&'a str>,
    pub(super) prd: Option<(&'a str, &'a Spec<'a>)>,
    pub(super) phase: Phase,
    /// What earlier phases wrote.
    pub(super) above: &'a Above<'a>,
    /// How the repository is built.
    pub(super) kit: Kit,
    /// What was said to what was asked before the first draft.
    pub(super) answers: &'a [Answered],
    pub(super) idea: &'a str,
    pub(super) open: &'a [Open],
    /// Whether a gate failed.
    pub(super) gate: bool,
    pub(super) others_changed: bool,
    pub(super) pace: &'a Pace<'a>,
}

impl Desk<'_> {
    fn papers<'t>(&'t self, text: &'t str) -> Result<Papers<'t>, Stopped> {
        let spec = Spec::read(text, self.pace)?;
        let Desk { path, prd, phase, above, pace, .. } = *self;
        Ok(Papers { path, spec, prd, phase, above, pace })
    }

    fn defects(&self, text: &str, checks: &[Check]) -> Result<Vec<Defect>, Stopped> {
        let papers = self.papers(text)?;
        let looked = checks.iter().map(|check| check.look(&papers)).collect::<Result<Vec<_>, Stopped>>()?;
        Ok(looked.into_iter().flat_map(|looked| looked.defects).collect())
    }
}

/// The document to write, and the answer.
pub(super) fn write(desk: &Desk<'_>) -> Result<(String, Verdict), Stopped> {
    let (text, summary, answers) = match desk.text.filter(|text| !text.trim().is_empty()) {
        None => first(desk)?,
        Some(text) => revise(desk, text)?,
    };
    Ok((text, Verdict { approved: true, summary, answers, ..Verdict::default() }))
}

/// The answer of an author that leaves the file alone, because it could not be written back as it was.
pub(super) fn hands_off(open: &[Open]) -> Verdict {
    let note = "a line with bytes that are not UTF-8 would have to change; convert the file to UTF-8 first";
    let answers = open.iter().map(|open| Settled::No(note.to_owned()).answer(&open.id)).collect();
    Verdict {
        approved: true,
        summary: format!("left the file as it is: {note}"),
        answers,
        ..Verdict::default()
    }
}

/// The answer of an author that asks instead of drafting: one question for each line, what would be assumed behind a
/// bar.
pub(super) fn questions(text: &str) -> Verdict {
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

/// As many as an author may ask.
const QUESTIONS_MAX: usize = 5;

fn first(desk: &Desk<'_>) -> Result<(String, String, Vec<Answer>), Stopped> {
    let text = match desk.phase {
        Phase::Specify => draft(desk.idea, desk.prd.map(|(_, prd)| prd), desk.pace)?,
        phase => drafts::draft(phase, desk.idea, desk.above, desk.kit, desk.pace)?,
    };
    let text = drafts::with_answers(&text, desk.answers);
    let summary = format!("wrote the first draft, {}", count(text.lines().count(), "line"));
    let note = "the document was empty and has been written anew";
    let answers = desk.open.iter().map(|open| Answer {
        id: open.id.clone(),
        status: AnswerStatus::Fixed,
        note: note.to_owned(),
    });
    Ok((text, summary, answers.collect()))
}

fn revise(desk: &Desk<'_>, text: &str) -> Result<(String, String, Vec<Answer>), Stopped> {
    let mut done: Vec<String> = Vec::new();
    let mut work = Revision { desk, text: text.to_owned(), settled: BTreeMap::new() };
    if desk.gate
        && let Some(mended) = mend_gate(text, desk.pace)?
    {
        work.text = mended.text;
        done.push(format!("for the gate: {}", mended.note));
    }
    if desk.gate && desk.phase != Phase::Specify {
        done.extend(work.mend_for_gate()?);
    }
    work.settle_all()?;
    let all = desk.open.iter().enumerate().filter_map(|(at, open)| Some((open, work.settled.get(&at)?)));
    let mended: Vec<&str> = all
        .clone()
        .filter(|(_, settled)| matches!(settled, Settled::Mended(_)))
        .map(|(open, _)| open.id.as_str())
        .collect();
    if !mended.is_empty() {
        // What was done for each stands in its answer.
        done.push(format!("mended {}", mended.join(", ")));
    }
    if desk.others_changed {
        done.push("kept what others changed".to_owned());
    }
    let answers: Vec<Answer> = all.map(|(open, settled)| settled.answer(&open.id)).collect();
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
    Ok((work.text, summary, answers))
}

/// A document while its findings are dealt with.
struct Revision<'a> {
    desk: &'a Desk<'a>,
    text: String,
    /// What came of each finding, by its place in the list.
    settled: BTreeMap<usize, Settled>,
}

#[derive(Debug)]
enum Settled {
    Mended(String),
    Already,
    No(String),
}

impl Settled {
    fn answer(&self, id: &str) -> Answer {
        let (status, note) = match self {
            Settled::Mended(note) => (AnswerStatus::Fixed, note.as_str()),
            Settled::Already => (AnswerStatus::Fixed, "the document no longer has it"),
            Settled::No(note) => (AnswerStatus::NotFixed, note.as_str()),
        };
        Answer { id: id.to_owned(), status, note: note.to_owned() }
    }
}

impl Revision<'_> {
    /// Findings of one kind are dealt with together, so that only their own check has to look again after each.
    fn settle_all(&mut self) -> Result<(), Stopped> {
        let open = self.desk.open;
        for check in all(self.desk.phase) {
            let of_kind = |(_, open): &(usize, &Open)| check_for(open) == Some(check);
            let ours: Vec<(usize, &Open)> = open.iter().enumerate().filter(of_kind).collect();
            if !ours.is_empty() {
                self.settle(check, &ours)?;
            }
        }
        for (at, _) in open.iter().enumerate().filter(|(_, open)| is_unready(open)) {
            let settled = self.make_ready()?;
            self.settled.insert(at, settled);
        }
        let is_foreign = |(_, open): &(usize, &Open)| check_for(open).is_none() && !is_unready(open);
        let foreign: Vec<(usize, &Open)> = open.iter().enumerate().filter(is_foreign).collect();
        let all = all(self.desk.phase);
        let mut left = if foreign.is_empty() { Vec::new() } else { self.desk.defects(&self.text, &all)? };
        for (at, open) in foreign {
            let settled = match likely(open, &left).cloned() {
                Some(defect) => self.mend(&defect, &mut left, &all)?,
                None => Settled::No("nothing in the document shows what would have to change".to_owned()),
            };
            self.settled.insert(at, settled);
        }
        Ok(())
    }

    fn settle(&mut self, check: Check, ours: &[(usize, &Open)]) -> Result<(), Stopped> {
        let mut left = self.desk.defects(&self.text, &[check])?;
        let listed = ours.iter().filter(|(_, open)| rest_of(open).is_none());
        let found: Vec<(usize, Option<Defect>)> = listed
            .map(|(at, open)| (*at, left.iter().find(|defect| is_about(open, defect)).cloned()))
            .collect();
        let defects: Vec<&Defect> = found.iter().filter_map(|(_, defect)| defect.as_ref()).collect();
        let notes = if defects.len() > TOGETHER_MIN { self.mend_together(check, &defects)? } else { None };
        let mut notes = notes.map(Vec::into_iter);
        for (at, defect) in &found {
            let settled = match (defect, &mut notes) {
                (None, _) => Settled::Already,
                (Some(_), Some(notes)) => Settled::Mended(notes.next().unwrap_or_default()),
                // An earlier change may have moved it or settled it, too.
                (Some(defect), None) => match left.iter().find(|left| is_same(left, defect)).cloned() {
                    Some(defect) => self.mend(&defect, &mut left, &[check])?,
                    None => Settled::Already,
                },
            };
            self.settled.insert(*at, settled);
        }
        for (at, _) in ours.iter().filter(|(_, open)| rest_of(open).is_some()) {
            let settled = self.settle_rest(check)?;
            self.settled.insert(*at, settled);
        }
        Ok(())
    }

    /// Deals with findings that were not listed, as many as a review would list.
    fn settle_rest(&mut self, check: Check) -> Result<Settled, Stopped> {
        let left = self.desk.defects(&self.text, &[check])?;
        let next: Vec<&Defect> = left.iter().take(DEFECTS_MAX).collect();
        if next.is_empty() {
            return Ok(Settled::Already);
        }
        let mended = self.mend_together(check, &next)?.map_or(0, |notes| notes.len());
        let rest = left.len() - mended;
        Ok(match (mended, rest) {
            (_, 0) => Settled::Mended(format!("mended all {mended}")),
            (0, _) => Settled::No("they could not be mended together".to_owned()),
            _ => Settled::No(format!("mended {mended} of them, {rest} are left")),
        })
    }

    /// Deals with everything that a hand-off review would find.
    fn make_ready(&mut self) -> Result<Settled, Stopped> {
        let (mut mended, mut left) = (0, 0);
        for check in handoff(self.desk.phase) {
            for _ in 0..DEFECTS_MAX {
                let mut found = self.desk.defects(&self.text, &[*check])?;
                let Some(defect) = found.first().cloned() else { break };
                let Settled::Mended(_) = self.mend(&defect, &mut found, &[*check])? else { break };
                mended += 1;
            }
            left += self.desk.defects(&self.text, &[*check])?.len();
        }
        Ok(match (mended, left) {
            (0, 0) => Settled::Already,
            (_, 0) => Settled::Mended(format!("settled {}", count(mended, "place"))),
            _ => Settled::No(format!("settled {}, left over: {left}", count(mended, "place"))),
        })
    }

    /// Makes the changes for many defects of one kind and looks once whether they are gone; gives what was done for
    /// each. None, and nothing changed, where changes could get into each other's way or one of them does not help.
    fn mend_together(&mut self, check: Check, defects: &[&Defect]) -> Result<Option<Vec<String>>, Stopped> {
        if matches!(check, Check::Later(_)) {
            // A change is worked out for the text as it is, so the next one needs a new look.
            let mut notes = Vec::new();
            for defect in defects {
                let mut left = self.desk.defects(&self.text, &[check])?;
                let Some(now) = left.iter().find(|left| is_same(left, defect)).cloned() else {
                    notes.push("an earlier change settled it".to_owned());
                    continue;
                };
                let Settled::Mended(note) = self.mend(&now, &mut left, &[check])? else { return Ok(None) };
                notes.push(note);
            }
            return Ok(Some(notes));
        }
        let lines: BTreeSet<(&str, usize)> = defects.iter().map(|d| (d.file.as_str(), d.line)).collect();
        if lines.len() < defects.len() {
            return Ok(None);
        }
        // What stands last is changed first, so that the places of the others stay where they are.
        let mut order: Vec<usize> = (0..defects.len()).collect();
        if matches!(check, Check::Numbers | Check::Questions | Check::References) {
            order.sort_by_key(|at| std::cmp::Reverse(defects[*at].line));
        }
        let mut text = self.text.clone();
        let mut notes = vec![String::new(); defects.len()];
        for at in order {
            let spec = Spec::read(&text, self.desk.pace)?;
            let mended = mend(&text, &spec, &defects[at].wrong, self.desk.pace)?;
            let Some(mended) = mended else { return Ok(None) };
            (notes[at], text) = (mended.note, mended.text);
        }
        let after = self.desk.defects(&text, &[check])?;
        if defects.iter().any(|defect| after.iter().any(|left| is_same(left, defect))) {
            return Ok(None);
        }
        self.text = text;
        Ok(Some(notes))
    }

    /// What a mechanical check may have found in the document of a later phase.
    fn mend_for_gate(&mut self) -> Result<Option<String>, Stopped> {
        let mut notes = Vec::new();
        for check in later::GATE {
            for _ in 0..DEFECTS_MAX {
                let mut left = self.desk.defects(&self.text, &[check])?;
                let Some(defect) = left.first().cloned() else { break };
                let Settled::Mended(note) = self.mend(&defect, &mut left, &[check])? else { break };
                notes.push(note);
            }
        }
        Ok((!notes.is_empty()).then(|| format!("for the gate: {}", notes.join("; "))))
    }

    /// Changes the text and keeps the change if the defect is gone; `left` is what the checks then find.
    fn mend(
        &mut self,
        defect: &Defect,
        left: &mut Vec<Defect>,
        checks: &[Check],
    ) -> Result<Settled, Stopped> {
        let spec = Spec::read(&self.text, self.desk.pace)?;
        let Some(mended) = mend(&self.text, &spec, &defect.wrong, self.desk.pace)? else {
            return Ok(Settled::No("there is no change that would settle it without guessing".to_owned()));
        };
        let after = self.desk.defects(&mended.text, checks)?;
        if after.iter().any(|left| is_same(left, defect)) || mended.text == self.text {
            return Ok(Settled::No("the change that was tried did not settle it".to_owned()));
        }
        (self.text, *left) = (mended.text, after);
        Ok(Settled::Mended(mended.note))
    }
}

fn is_same(one: &Defect, other: &Defect) -> bool {
    one.category == other.category && one.is_named_by(&other.marks())
}

/// More findings of one kind than these are dealt with together: looking again after each would take a large
/// document's time as often. For fewer it is better, because one change may settle several.
const TOGETHER_MIN: usize = 8;

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
