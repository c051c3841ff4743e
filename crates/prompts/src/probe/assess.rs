//! Turns the answers of a probed agent into what it can do.

use super::files::is_faulty;
use crate::probe::ProbeFiles;
use redraft_documents::answer;
use redraft_facts::ids::SessionId;
use redraft_facts::prelude::*;
use redraft_facts::probed::{CheckId, ProbeCheck, ProbeResult};
use redraft_facts::text::{count, one_line};
use redraft_facts::usage::{Usage, grouped};
use redraft_facts::verdict::Verdict;

/// The least share of a continued turn's input that a working cache returns. The rest is the new turn and what the
/// boundaries of the cache leave out.
const SHARE_MIN: u8 = 80;

/// One probe as it went.
#[derive(Debug, Clone, Copy)]
pub struct ProbeCase<'a> {
    pub files: &'a ProbeFiles,
    /// Whether more than the prompt's words make the agent keep to the form of the answer.
    pub structured: bool,
    /// Whether its tokens cost nothing, so that an unreported cache costs nobody anything.
    pub free: bool,
    /// What became of each turn that was sent, in order.
    pub turns: &'a [Heard],
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard {
    Answer(AssessedTurn),
    /// The agent could not or would not continue.
    Refused {
        detail: String,
    },
    /// The turn failed for a reason that says nothing about conversations.
    Nothing {
        detail: String,
    },
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AssessedTurn {
    pub text: String,
    pub session: Option<SessionId>,
    pub usage: Usage,
    /// The files it really opened; none where the agent does not report them.
    pub opened: Option<Vec<String>>,
    /// Whether it was made to answer in the verdict's form and did not.
    pub formless: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assessed {
    pub checks: Vec<ProbeCheck>,
    pub cache_share: Option<u8>,
}

pub fn assess(case: &ProbeCase<'_>) -> Assessed {
    let checks = CheckId::ALL.map(|id| {
        let (result, detail) = match id {
            CheckId::V1 => read(case),
            CheckId::V2 => continued(case),
            CheckId::V3 => first_line(case),
            CheckId::V4 => findings(case),
            CheckId::Structured => structured(case),
            CheckId::Cache => cache(case),
            CheckId::Commit => commit(case),
        };
        ProbeCheck { id, result, detail: one_line(&detail, 240) }
    });
    Assessed { checks: checks.into(), cache_share: answer(case, 2).ok().and_then(|turn| share(&turn.usage)) }
}

type Found = (ProbeResult, String);

fn passed(detail: impl Into<String>) -> Found {
    (ProbeResult::Passed, detail.into())
}

fn failed(detail: impl Into<String>) -> Found {
    (ProbeResult::Failed, detail.into())
}

fn not_tried(detail: impl Into<String>) -> Found {
    (ProbeResult::NotTried, detail.into())
}

/// The answer of a turn, or why there is none.
fn answer<'a>(case: &ProbeCase<'a>, number: usize) -> Result<&'a AssessedTurn, Found> {
    match case.turns.get(number - 1) {
        Some(Heard::Answer(turn)) => Ok(turn),
        Some(Heard::Refused { detail } | Heard::Nothing { detail }) => {
            Err(not_tried(format!("turn {number} brought no answer: {detail}")))
        }
        None => Err(not_tried(format!("turn {number} was not sent"))),
    }
}

fn read(case: &ProbeCase<'_>) -> Found {
    let turn = match answer(case, 1) {
        Ok(turn) => turn,
        Err(found) => return found,
    };
    let file = ProbeFiles::FILE;
    if !has_read(case.files, turn) {
        return failed(format!("it answered without having read {file}"));
    }
    match &turn.session {
        Some(_) => passed(format!("it read {file} and gave the conversation a name")),
        None => failed(format!("it read {file}, but no session id came back")),
    }
}

/// Decided by the agent's own account of its tools; where it gives none, by words of the file that occur nowhere else.
fn has_read(files: &ProbeFiles, turn: &AssessedTurn) -> bool {
    match &turn.opened {
        Some(opened) => opened.iter().any(|path| path.ends_with(ProbeFiles::FILE)),
        None => files.before.lines().filter(|line| is_faulty(line)).any(|line| turn.text.contains(line)),
    }
}

fn continued(case: &ProbeCase<'_>) -> Found {
    let refused = |heard: &Heard| match heard {
        Heard::Refused { detail } => Some(detail.clone()),
        Heard::Answer(_) | Heard::Nothing { .. } => None,
    };
    if let Some((number, detail)) =
        case.turns.iter().enumerate().skip(1).find_map(|(at, heard)| Some((at + 1, refused(heard)?)))
    {
        return failed(format!("turn {number} could not be continued: {detail}"));
    }
    match answer(case, 2) {
        Ok(_) => passed("the conversation was continued"),
        Err(found) => found,
    }
}

fn first_line(case: &ProbeCase<'_>) -> Found {
    let turn = match answer(case, 3) {
        Ok(turn) => turn,
        Err(found) => return found,
    };
    let wanted = &case.files.first_line;
    if turn.text.contains(wanted.as_str()) {
        return passed("the first line was remembered letter for letter");
    }
    let said = verified(&turn.text, "first line").unwrap_or_else(|| "nothing".to_owned());
    failed(format!("asked for the first line it had read, it said `{}`", one_line(&said, 120)))
}

fn findings(case: &ProbeCase<'_>) -> Found {
    let (first, last) = match (answer(case, 1), answer(case, 3)) {
        (Ok(first), Ok(last)) => (first, last),
        (Err(found), _) | (_, Err(found)) => return found,
    };
    let Some(reported) = verdict_of(&first.text).map(|verdict| verdict.issues.len()) else {
        return not_tried("its first answer cannot be read, so nobody knows how many findings it reported");
    };
    let planted = case.files.planted;
    match verified(&last.text, "findings").as_deref().and_then(number) {
        Some(said) if said == reported => {
            let all = count(reported, "finding");
            passed(format!("the number of its findings was remembered ({all} of {planted} planted)"))
        }
        Some(said) => {
            failed(format!("it had reported {}, and remembered {said}", count(reported, "finding")))
        }
        None => failed(format!("it had reported {}, and named no number", count(reported, "finding"))),
    }
}

fn structured(case: &ProbeCase<'_>) -> Found {
    let answers: Vec<&AssessedTurn> = (1..=3).filter_map(|number| answer(case, number).ok()).collect();
    if answers.is_empty() {
        return not_tried("there is no answer");
    }
    let is_exact = |text: &str| serde_json::from_str::<Verdict>(text.trim()).is_ok();
    for (at, turn) in answers.iter().enumerate() {
        let number = at + 1;
        match verdict_of(&turn.text) {
            None => return failed(format!("answer {number} holds no verdict")),
            Some(_) if turn.formless => {
                return failed(format!("answer {number} is not in the form that was asked for"));
            }
            Some(_) if case.structured && !is_exact(&turn.text) => {
                return failed(format!("answer {number} is not exactly what the schema says"));
            }
            Some(_) => {}
        }
    }
    let how = if case.structured { "has" } else { "holds" };
    passed(format!("every answer {how} the form that was asked for"))
}

fn cache(case: &ProbeCase<'_>) -> Found {
    match answer(case, 2) {
        Ok(turn) => shared(case, &turn.usage),
        Err(found) => found,
    }
}

fn commit(case: &ProbeCase<'_>) -> Found {
    let turn = match answer(case, 3) {
        Ok(turn) => turn,
        Err(found) => return found,
    };
    match (cache(case).0, shared(case, &turn.usage)) {
        (ProbeResult::Passed, found) => found,
        // Without a cache before the commit there was none to lose.
        _ => passed("the conversation outlasted a commit"),
    }
}

fn shared(case: &ProbeCase<'_>, usage: &Usage) -> Found {
    let Some(percent) = share(usage) else { return not_tried("the agent does not tell its tokens") };
    if usage.read == 0 && case.free {
        return not_tried("nothing was reported as read from a cache, and the tokens cost nothing");
    }
    let (read, all) = (grouped(usage.read), grouped(usage.input()));
    let detail = format!("{percent} % were read from the cache: {read} of {all} tokens");
    if percent >= SHARE_MIN { passed(detail) } else { failed(detail) }
}

fn share(usage: &Usage) -> Option<u8> {
    let percent = (usage.read.saturating_mul(100)).checked_div(usage.input())?;
    Some(u8::try_from(percent).unwrap_or(100).min(100))
}

fn verdict_of(text: &str) -> Option<Verdict> {
    answer::parse(text.as_bytes()).verdict
}

/// What an answer says under a claim.
fn verified(text: &str, claim: &str) -> Option<String> {
    let entries = verdict_of(text)?.verified;
    let named = |said: &str| said.to_lowercase().contains(claim);
    entries.into_iter().find(|entry| named(&entry.claim)).map(|entry| entry.result)
}

/// The first number of a text.
fn number(text: &str) -> Option<usize> {
    let digits = text.split(|c: char| !c.is_ascii_digit()).find(|part| !part.is_empty())?;
    digits.parse().ok()
}
