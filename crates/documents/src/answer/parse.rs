//! Reads a [`Verdict`] and notes from whatever an agent wrote.
//!
//! It never fails: a text without a readable verdict gives none, with a note that says why. Whether a verdict can be
//! used, and what it means for the findings, is not decided here but in `core::judge`. Whether an approval has the
//! form that was asked for is decided in `form`.

use super::fields::{self, ANSWERS, CHECKS, ENTRIES_MAX, ISSUES, Notes, Object, PASSED, SUMMARY};
use super::{form, json};
use redraft_facts::prelude::*;
use redraft_facts::text::one_line;
use redraft_facts::verdict::{CheckLine, Claim, FileRead, FindingAnswer, Issue, Severity, Verdict, Verified};
use serde_json::Value;

/// A verdict if one could be read, and what had to be guessed on the way.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parsed {
    /// `None`: nothing in the text can count as a verdict.
    pub verdict: Option<Verdict>,
    pub notes: Vec<String>,
    /// Why the verdict, if it approves, must not count: it is not in the form that was asked for.
    pub out_of_form: Option<String>,
}

pub fn parse(answer: &[u8]) -> Parsed {
    let mut notes = Notes::default();
    let text = String::from_utf8_lossy(answer);
    if matches!(text, alloc::borrow::Cow::Owned(_)) {
        notes.add("the answer is not valid UTF-8; the damaged characters are replaced");
    }
    let found = json::last_object_with("approved", &text);
    let verdict = read(&found, &mut notes);
    let out_of_form = form::fault(&found, verdict.as_ref(), &text);
    Parsed { out_of_form, verdict, notes: notes.into_lines() }
}

fn read(found: &json::FoundObjects, notes: &mut Notes) -> Option<Verdict> {
    let json::FoundObjects { last, count, broken, .. } = found;
    let (count, broken) = (*count, *broken);
    let Some(object) = last else {
        notes.add(match broken {
            true => "the answer holds a verdict that breaks off or is not JSON",
            false => "the answer holds no JSON object with an `approved` field",
        });
        return None;
    };
    if count > 1 {
        notes.add(format!("the answer holds {count} verdicts; the last one counts"));
    }
    let Some(approved) = approval(object, notes) else {
        notes.add("`approved` is neither true nor false");
        return None;
    };
    // A rejection that breaks off may quote an approval, whole and readable, out of the text under review.
    if broken && approved {
        notes.add("an approval beside a verdict that cannot be read does not count");
        return None;
    }
    if broken {
        notes.add("beside the verdict stands one that cannot be read");
    }
    Some(verdict(object, approved, notes))
}

fn approval(object: &Object, notes: &mut Notes) -> Option<bool> {
    let value = object.get("approved")?;
    let approved = fields::truth(value)?;
    if !value.is_boolean() {
        notes.add(format!(
            "`approved` was written as {} and read as {approved}",
            one_line(&value.to_string(), 40)
        ));
    }
    Some(approved)
}

fn verdict(object: &Object, approved: bool, notes: &mut Notes) -> Verdict {
    let verdict = Verdict {
        approved,
        summary: fields::text(object, &SUMMARY, notes),
        answers: entries(object, &ANSWERS, notes, answer).into_iter().flat_map(each_id).collect(),
        issues: entries(object, &ISSUES, notes, issue),
        checks: entries(object, &CHECKS, notes, check),
        verified: entries(object, &["verified", "verifications"], notes, verified),
        files_read: entries(object, &["files_read", "filesRead"], notes, file_read),
    };
    if !ISSUES.iter().any(|name| object.contains_key(*name)) {
        notes.add("the verdict has no list of issues");
    }
    if approved && verdict.issues.iter().any(|issue| issue.severity == Severity::Blocker) {
        notes.add("the verdict approves and names a blocker");
    }
    verdict
}

/// The entries of all lists of these names. An entry that says nothing is left out.
fn entries<T>(
    object: &Object,
    names: &[&str],
    notes: &mut Notes,
    read: fn(&Value, &mut Notes) -> Option<T>,
) -> Vec<T> {
    let mut all = Vec::new();
    for name in names {
        let list = match object.get(*name) {
            None | Some(Value::Null) => continue,
            Some(Value::Array(list)) => list.as_slice(),
            Some(one @ Value::Object(_)) => core::slice::from_ref(one),
            Some(_) => {
                notes.add(format!("`{name}` is not a list and is left out"));
                continue;
            }
        };
        if list.len() > ENTRIES_MAX {
            notes.add(format!("`{name}` has {} entries; only the first {ENTRIES_MAX} count", list.len()));
        }
        for entry in list.iter().take(ENTRIES_MAX) {
            match read(entry, notes) {
                Some(entry) => all.push(entry),
                None => notes.add(format!("an entry of `{name}` says nothing and is left out")),
            }
        }
    }
    all.truncate(ENTRIES_MAX);
    all
}

fn answer(value: &Value, notes: &mut Notes) -> Option<FindingAnswer> {
    let object = value.as_object()?;
    let id = fields::text(object, &["id", "finding", "finding_id", "issue", "issue_id"], notes);
    if id.is_empty() {
        return None;
    }
    let status = fields::status(object, notes);
    let note = fields::text(object, &["note", "reason", "comment", "explanation", "description"], notes);
    Some(FindingAnswer { id, status, note })
}

/// One answer for each id: a defect that several reviewers found is answered once, under all its ids.
fn each_id(answer: FindingAnswer) -> Vec<FindingAnswer> {
    let is_id = |part: &str| {
        let digits = part.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
        digits.len() < part.len() && !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let ids: Vec<String> = (answer.id.split([',', ';', '/', '&', '+', ' ']))
        .map(|part| part.trim_matches(['[', ']', '`']).to_owned())
        .filter(|part| !part.is_empty() && part != "and")
        .collect();
    match ids.len() > 1 && ids.iter().all(|part| is_id(part)) {
        true => ids.into_iter().map(|id| FindingAnswer { id, ..answer.clone() }).collect(),
        false => vec![answer],
    }
}

fn issue(value: &Value, notes: &mut Notes) -> Option<Issue> {
    let object = match value {
        Value::Object(object) => object,
        Value::String(line) => return issue_from_line(line, notes),
        _ => return None,
    };
    let mut text = |names: &[&str]| fields::text(object, names, notes);
    let quote = text(&["quote", "excerpt", "snippet"]);
    let suggestion = text(&["suggestion", "suggested_fix", "recommendation", "fix", "challenge"]);
    let description = text(&["description", "message", "text", "problem", "issue", "title"]);
    // Something has to distinguish this issue from others and to be shown to the author.
    let description =
        [description, suggestion.clone(), quote.clone()].into_iter().find(|text| !text.is_empty())?;
    let category = text(&["category", "type", "kind"]);
    let same_as = text(&["same_as", "sameAs"]);
    let claim = match fields::plain(&text(&["claim"])).as_str() {
        "absent" | "absence" | "missing" => Claim::Absent,
        _ => Claim::Present,
    };
    let fields::Location { file, line, section } = place(object, notes);
    let line = u32::try_from(line).unwrap_or(u32::MAX);
    let severity = fields::severity(object, notes);
    Some(Issue { severity, category, claim, file, line, section, quote, description, suggestion, same_as })
}

/// The fields of today's schema first; what they leave open comes from the older `location` and `task`.
fn place(object: &Object, notes: &mut Notes) -> fields::Location {
    let mut place = fields::Location {
        file: fields::text(object, &["file", "path", "filename"], notes),
        line: fields::number(object, &["line", "lines", "line_number"]),
        section: fields::text(object, &["section", "heading", "task"], notes),
    };
    let from_file = fields::location(&place.file);
    if from_file.line > 0 {
        let line = if place.line > 0 { place.line } else { from_file.line };
        place = fields::Location { file: from_file.file, line, section: place.section };
    }
    let older = match object.get("location") {
        Some(Value::Object(inner)) if !inner.contains_key("location") => self::place(inner, notes),
        _ => fields::location(&fields::text(object, &["location"], notes)),
    };
    // A line belongs to the file it was given with.
    if place.file.is_empty() {
        place.line = if place.line > 0 { place.line } else { older.line };
        place.file = older.file;
    } else if place.line == 0 && place.file == older.file {
        place.line = older.line;
    }
    if place.section.is_empty() {
        place.section = older.section;
    }
    place
}

/// `blocker: nothing says who may delete` or only the words.
fn issue_from_line(line: &str, notes: &mut Notes) -> Option<Issue> {
    let line = fields::shortened(line, "issues", notes);
    let (severity, description) =
        match line.split_once(':').map(|(word, rest)| (fields::severity_of(word), rest)) {
            Some((Some(severity), rest)) => (severity, rest.trim()),
            _ => {
                notes.add("an issue without a severity counts as a warning");
                (Severity::Warning, line.as_str())
            }
        };
    if description.is_empty() {
        return None;
    }
    Some(Issue {
        severity,
        category: String::new(),
        claim: Claim::Present,
        file: String::new(),
        line: 0,
        section: String::new(),
        quote: String::new(),
        description: description.to_owned(),
        suggestion: String::new(),
        same_as: String::new(),
    })
}

fn check(value: &Value, notes: &mut Notes) -> Option<CheckLine> {
    let object = value.as_object()?;
    let name = fields::text(object, &["name", "check"], notes);
    let passed = PASSED.iter().find_map(|name| fields::truth(object.get(*name)?));
    let note = fields::text(object, &["note", "notes", "comment"], notes);
    // A check that is not said to have passed has not.
    (!name.is_empty()).then_some(CheckLine { name, passed: passed.unwrap_or(false), note })
}

fn verified(value: &Value, notes: &mut Notes) -> Option<Verified> {
    let object = value.as_object()?;
    let claim = fields::text(object, &["claim"], notes);
    let source = fields::text(object, &["source", "url"], notes);
    let result = fields::text(object, &["result", "outcome"], notes);
    (!claim.is_empty()).then_some(Verified { claim, source, result })
}

fn file_read(value: &Value, notes: &mut Notes) -> Option<FileRead> {
    let (file, lines) = match value {
        Value::String(file) => (fields::shortened(file, "files_read", notes), 0),
        Value::Object(object) => (
            fields::text(object, &["file", "path", "name"], notes),
            fields::number(object, &["lines", "line_count"]),
        ),
        _ => return None,
    };
    (!file.is_empty()).then_some(FileRead { file, lines })
}
