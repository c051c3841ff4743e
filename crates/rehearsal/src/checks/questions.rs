//! An open question that nobody owns and for which no default is given.
//!
//! The next phase would have to choose the behaviour itself. An owner or a default is enough; so is an answer.

use super::{Defect, Looked, Papers, Wrong, mark, quote, section_name};
use crate::document::{Kind, cells, has_any, plain};
use crate::ids::leading;
use crate::pace::Stopped;
use crate::spec::{Part, Spec, after_id};
use redraft_core::verdict::{Claim, Severity};

pub(super) fn look(papers: &Papers<'_>) -> Result<Looked, Stopped> {
    let spec = &papers.spec;
    let mut looked = Looked::default();
    let mut count = 0;
    for at in 0..spec.document.lines.len() {
        papers.pace.step()?;
        let Some(question) = question(spec, at) else { continue };
        count += 1;
        if is_settled(spec, at) {
            looked.settled.push((vec![mark(&question)], format!("line {} settles it", at + 1)));
        } else {
            looked.defects.push(defect(papers, at, &question));
        }
    }
    looked.note = format!("{count} open questions");
    Ok(looked)
}

/// The question a line asks: an item, a row or a heading of an open-question section. What follows its question
/// mark is no part of it, so that it keeps its name when an owner is added.
fn question(spec: &Spec<'_>, at: usize) -> Option<String> {
    let document = &spec.document;
    let line = &document.lines[at];
    if !spec.is_in(at, Part::Questions) {
        return None;
    }
    let titles =
        ["resolved", "answered", "closed", "decided", "fulfilled", "deferred", "phase", "for design"];
    let resolved =
        document.titles(at).any(|title| has_any(title, &titles) && !has_any(title, &["unresolved"]));
    if resolved {
        return None;
    }
    let said = match line.kind {
        Kind::Item { indent: 0..=1, .. } => plain(document.said(at)),
        Kind::Row if !document.is_table_head(at) => {
            let row = cells(line.raw);
            plain(row.iter().max_by_key(|cell| cell.split_whitespace().count())?)
        }
        _ => return None,
    };
    let said = if leading(&said).is_some() { after_id(&said) } else { said };
    let none = ["none", "no open", "n/a", "nothing", "-", "—"];
    let lower = said.to_lowercase();
    if none.iter().any(|word| lower.starts_with(word)) || said.split_whitespace().count() < 3 || !asks(&said)
    {
        return None;
    }
    Some(match said.find('?') {
        Some(end) => said[..=end].to_owned(),
        None => said.split(" (owner").next().unwrap_or(&said).to_owned(),
    })
}

/// A question, or a short note of what is not known. A longer statement is somebody's answer.
fn asks(said: &str) -> bool {
    let note = said.split_whitespace().count() <= 10
        && !said.contains([':', '(', '—'])
        && !has_any(said, &[" not "]);
    said.contains('?') || begins_a_question(said) || note
}

fn begins_a_question(said: &str) -> bool {
    let first = said.split(|c: char| !c.is_alphabetic()).find(|word| !word.is_empty()).unwrap_or_default();
    let words = [
        "who", "what", "which", "where", "when", "why", "how", "should", "whether", "do", "does", "is",
        "are", "can", "may", "will", "shall", "must",
    ];
    words.contains(&first.to_lowercase().as_str())
}

/// What an item says beside what it asks: "Who decides?" and "What is the default?" name nobody and nothing.
fn beside_the_question(text: &str) -> String {
    const BREAKS: [&str; 9] = [". ", "! ", ": ", "; ", "] ", ") ", "| ", "** ", " — "];
    let mut pieces: Vec<&str> = text.split('?').collect();
    let answer = pieces.pop().unwrap_or_default();
    if pieces.is_empty() {
        // Without a question mark, what is asked ends where something is added to it.
        let added = [". ", ": ", "; ", ", ", " (", " — ", " – ", " - ", " → ", "| ", "\n"];
        let end = added.iter().filter_map(|mark| answer.find(mark)).min();
        let whole = !begins_a_question(answer.trim_start_matches(|c: char| !c.is_alphabetic()));
        return if whole { answer } else { end.map_or("", |end| &answer[end..]) }.to_owned();
    }
    let lead = |piece: &&str| {
        let end = BREAKS.iter().filter_map(|mark| Some(piece.rfind(mark)? + mark.len())).max();
        piece[..end.unwrap_or(0)].to_owned()
    };
    let leads = pieces.iter().map(lead).filter(|lead| !begins_a_question(lead));
    leads.chain([answer.to_owned()]).collect::<Vec<_>>().join(" ")
}

fn is_settled(spec: &Spec<'_>, at: usize) -> bool {
    let document = &spec.document;
    let block = document.block_of_item(at);
    let text = document.text(block);
    let lower = beside_the_question(&text).to_lowercase();
    let ticked = text.trim_start().to_lowercase().starts_with("- [x]") || text.contains("~~");
    let words = [
        "owner",
        "owned by",
        "default",
        "assum",
        "decided",
        "decision",
        "resolved",
        "resolution",
        "answer:",
        "answered",
        "proposed",
        "proposal",
        "recommend",
        "until then",
        "for now",
        "deferred",
        "assigned",
        "decides",
        "leaning",
        "responsible",
        "design phase",
        "lean:",
        "→",
        "confirmed",
        "executed",
        "fulfilled",
        "design p",
        "design c",
        " owns ",
        "candidate",
    ];
    let named =
        text.split_whitespace().any(|word| word.trim_start_matches('(').starts_with('@') && word.len() > 2);
    ticked
        || named
        || words.iter().any(|word| lower.contains(word))
        || filled_column(spec, at)
        || signed(&text)
}

/// `(Anna)` at the end names who answers.
fn signed(text: &str) -> bool {
    let line = text.trim_end().trim_end_matches('.');
    let inside = line.strip_suffix(')').and_then(|line| line.rsplit_once('(')).map(|(_, inside)| inside);
    inside.is_some_and(|name| {
        name.split_whitespace().count() <= 3
            && name.starts_with(char::is_uppercase)
            && name.chars().all(|c| c.is_alphabetic() || c.is_whitespace())
    })
}

/// A column for the owner or the default with something in it.
fn filled_column(spec: &Spec<'_>, at: usize) -> bool {
    let document = &spec.document;
    let Some(head) = document.table_head(at) else { return false };
    let row = cells(document.lines[at].raw);
    let columns = cells(document.lines[head].raw);
    columns.iter().enumerate().any(|(column, title)| {
        let asked =
            has_any(title, &["owner", "default", "who", "answer", "decision", "proposal", "assumption"]);
        asked && row.get(column).is_some_and(|cell| cell.chars().any(char::is_alphanumeric))
    })
}

fn defect(papers: &Papers<'_>, at: usize, question: &str) -> Defect {
    let document = &papers.spec.document;
    let section = document.section(at);
    Defect {
        wrong: Wrong::NoOwner { line: at },
        severity: Severity::Blocker,
        category: "completeness",
        claim: Claim::Present,
        file: papers.path.to_owned(),
        line: at,
        section: section.to_owned(),
        quote: quote(document.lines[at].raw),
        description: format!(
            "the open question `{}` of {} has neither an owner nor a default, so the next phase would have to guess",
            mark(question),
            section_name(section)
        ),
        suggestion: "name who answers it and what holds until then".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Check;
    use super::super::tests::with_papers;

    fn open(item: &str) -> usize {
        let text = format!("# Spec: x\n\n## Requirements\n\n- R1: y\n\n## Open Questions\n\n- {item}\n");
        with_papers(&text, None, |papers| Check::Questions.look(papers).unwrap().defects.len())
    }

    #[test]
    fn the_words_of_the_question_itself_settle_nothing() {
        for item in [
            "What is the default length of a booking?",
            "Which time zone decides what belongs to a month?",
            "Who is the owner of a shared folder?",
            "Is the proposed format final?",
            "Should the system answer: yes or no, by default?",
            "**Q3**: who is responsible for the recommended settings?",
            "Which default applies? And who decides?",
            "whether a draft is assigned to its owner",
        ] {
            assert_eq!(open(item), 1, "{item}");
        }
    }

    #[test]
    fn an_owner_or_a_default_beside_the_question_settles_it() {
        for item in [
            "What is the default length of a booking? Owner: Facility team.",
            "Which time zone decides? Default: UTC.",
            "Owner: Mira. Which colours are allowed?",
            "[decided] Which colours are allowed?",
            "Are visitors allowed to book? → no, for now",
            "Who may invite? (Or only admins?) The product owner decides.",
            "whether guests count, assumed yes",
            "Retention of logs: default 30 days",
        ] {
            assert_eq!(open(item), 0, "{item}");
        }
    }
}
