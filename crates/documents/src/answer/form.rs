//! Decides whether a verdict has the form that was asked for, so that it may approve.
//!
//! A rejection is read wherever it stands: it needs findings that hold, and at worst costs a round. An approval closes
//! a phase, so it must be meant as one. Prose that mentions an approval, quotes one from the text under review or says
//! what it would take is not one. Nor is an approval that names a blocker where none is read, or that also says
//! something else: only its author can say what it means, and a turn to say it costs little. Start at [`fault`].

use super::fields::{self, ANSWERS, CHECKS, ENTRIES_MAX, ISSUES, PASSED, SUMMARY};
use super::json::FoundObjects;
use redraft_facts::prelude::*;
use redraft_facts::text::one_line;
use redraft_facts::verdict::{Severity, Verdict};
use serde_json::{Map, Value};

/// Why the last verdict of a text must not approve; none where it has the form. It must be the only one, have every
/// field that reviewers were ever asked for in any version (lists that came later may be left out), and be the whole
/// answer, or stand at its end on lines or in a fence of its own.
pub(super) fn fault(found: &FoundObjects, verdict: Option<&Verdict>, text: &str) -> Option<String> {
    let (object, verdict) = (found.last.as_ref()?, verdict?);
    if found.count > 1 {
        return Some(format!("the answer holds {} verdicts; give one", found.count));
    }
    if let Some(key) = &found.repeated {
        return Some(format!("the answer has `{}` twice, with different values", one_line(key, 40)));
    }
    if !object.get("approved").is_some_and(Value::is_boolean) {
        return Some("`approved` is neither true nor false, but other words".to_owned());
    }
    let missing = missing(object);
    if !missing.is_empty() {
        return Some(format!("the approval leaves out: {}", missing.join(", ")));
    }
    let Some(span) = found.span.clone() else {
        return Some("the approval is part of another object or list; give the verdict by itself".to_owned());
    };
    let (Some(before), Some(after)) = (text.get(..span.start), text.get(span.end..)) else {
        return Some("the approval cannot be told from the text around it".to_owned());
    };
    let around = stands_apart(before, after).err().or_else(|| speaks_against(before));
    around.map(str::to_owned).or_else(|| unread(object, verdict))
}

/// What an approval says that was not read, or that contradicts it.
fn unread(object: &Map<String, Value>, verdict: &Verdict) -> Option<String> {
    let lists = [(&ISSUES[..], verdict.issues.len()), (&ANSWERS[..], verdict.answers.len())];
    for (names, read) in lists {
        let mut written = 0;
        for name in names {
            match object.get(*name) {
                None | Some(Value::Null) => {}
                Some(Value::Array(list)) => written += list.len(),
                Some(_) => return Some(format!("`{name}` is not a list")),
            }
        }
        if written > ENTRIES_MAX {
            return Some(format!(
                "`{}` has {written} entries; {ENTRIES_MAX} are the most that are read",
                names[0]
            ));
        }
        if written > read {
            return Some(format!("an entry of `{}` says nothing that can be read", names[0]));
        }
    }
    let read = verdict.issues.iter().filter(|issue| issue.severity == Severity::Blocker).count();
    if blockers(object) > read {
        return Some("the approval names a blocker outside of `issues`".to_owned());
    }
    // What a failed check means for an approval depends on the findings it names: `core::judge` knows them.
    let failed = verdict.checks.iter().filter(|check| !check.passed).count();
    let unread = checks(object).filter(|check| fails(check)).count() > failed;
    unread.then(|| "a failed entry of `checks` says nothing that can be read".to_owned())
}

/// How many things are called a blocker anywhere: objects of that severity, and whatever stands under such a name.
fn blockers(object: &Map<String, Value>) -> usize {
    let mut count = 0;
    let mut left: Vec<&Map<String, Value>> = vec![object];
    while let Some(object) = left.pop() {
        let severity = object.get("severity").and_then(Value::as_str).and_then(fields::severity_of);
        count += usize::from(severity == Some(Severity::Blocker));
        for (name, value) in object {
            let name = fields::plain(name);
            let denied = name.split('_').any(|word| matches!(word, "no" | "not" | "non" | "nonblocking"));
            let named = (name.contains("blocker") || name.contains("blocking")) && !denied;
            let mut inside = vec![value];
            while let Some(value) = inside.pop() {
                match value {
                    Value::Array(items) => inside.extend(items),
                    Value::Object(object) => left.push(object),
                    Value::String(words) => count += usize::from(named && !says_none(words)),
                    Value::Bool(said) => count += usize::from(named && *said),
                    Value::Number(number) => count += usize::from(named && number.as_f64() != Some(0.0)),
                    Value::Null => {}
                }
            }
        }
    }
    count
}

fn says_none(words: &str) -> bool {
    matches!(fields::plain(words).as_str(), "" | "none" | "no" | "false" | "0" | "n_a" | "nothing")
}

fn checks(object: &Map<String, Value>) -> impl Iterator<Item = &Map<String, Value>> {
    let lists = CHECKS.iter().filter_map(|name| object.get(*name)).filter_map(Value::as_array);
    lists.flatten().filter_map(Value::as_object)
}

fn fails(check: &Map<String, Value>) -> bool {
    PASSED.iter().find_map(|name| fields::truth(check.get(*name)?)) == Some(false)
}

/// Whether what comes before the approval holds something like another verdict, or rejects in plain words.
fn speaks_against(before: &str) -> Option<&'static str> {
    const REJECTIONS: [&str; 7] = [
        "i reject",
        "i do not approve",
        "i don't approve",
        "i cannot approve",
        "i can't approve",
        "i can not approve",
        "not approved",
    ];
    let lower = before.to_lowercase().replace('’', "'");
    let is_verdict = |after: &str| {
        let after = after.trim_start_matches(['\'', '"', '`', '*', ' ', '\t']);
        after.starts_with([':', '='])
    };
    if lower.split("approved").skip(1).any(is_verdict) {
        return Some("something like another verdict stands before the approval; give one");
    }
    REJECTIONS.iter().any(|words| lower.contains(words)).then_some("the words before the approval reject")
}

fn missing(object: &Map<String, Value>) -> Vec<&'static str> {
    let has_list = ISSUES.iter().any(|name| object.get(*name).is_some_and(Value::is_array));
    let has_text = SUMMARY.iter().any(|name| object.get(*name).is_some_and(Value::is_string));
    let parts = [(has_list, "a list `issues`"), (has_text, "a text `summary`")];
    parts.into_iter().filter(|(there, _)| !there).map(|(_, name)| name).collect()
}

/// Whether nothing but a fence shares the object's lines, and nothing but the end of that fence follows them.
fn stands_apart(before: &str, after: &str) -> Result<(), &'static str> {
    const AMONG: &str =
        "the approval stands among other words; give the verdict alone, or last and on lines of its own";
    const FOLLOWED: &str =
        "words follow the approval; give the verdict alone, or last and on lines of its own";
    let before = before.trim_start_matches('\u{feff}');
    let (earlier, own_line) = before.rsplit_once('\n').unwrap_or(("", before));
    // A fence may open on the line of the object; else it is the line before it.
    let (opened, shares) = match own_line.trim() {
        "" => (earlier.trim_end().rsplit('\n').next().is_some_and(|line| is_opening(line.trim())), false),
        line => (is_opening(line), !is_opening(line)),
    };
    if shares {
        return Err(AMONG);
    }
    let rest = after.trim();
    let rest = if opened { rest.trim_start_matches(['`', '~']) } else { rest };
    match rest.is_empty() {
        true => Ok(()),
        false if after.split('\n').next().is_some_and(|line| !line.trim().is_empty()) && !opened => {
            Err(AMONG)
        }
        false => Err(FOLLOWED),
    }
}

/// "```" or "```json".
fn is_opening(line: &str) -> bool {
    let word = line.trim_start_matches('`').trim_start_matches('~');
    line.len() >= word.len() + 3 && (word.trim().is_empty() || word.trim().eq_ignore_ascii_case("json"))
}
