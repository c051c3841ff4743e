//! Whether a verdict has the form that was asked for, so that it may approve.
//!
//! A rejection is read wherever it stands: it needs findings that hold, and at worst costs a round. An approval closes a
//! phase, so it must be meant as one. Prose that mentions an approval, quotes one out of the text under review or says
//! what it would take is none. Start at [`fault`].

use super::json::Found;
use super::parse::{ISSUES, SUMMARY};
use crate::prelude::*;
use serde_json::{Map, Value};

/// Why the last verdict of a text must not approve; none where it has the form. It must be the only one, have every
/// field that reviewers were ever asked for in any version (lists that came later may be left out), and be the whole
/// answer, or stand at its end on lines or in a fence of its own.
pub(super) fn fault(found: &Found, text: &str) -> Option<String> {
    let object = found.last.as_ref()?;
    if found.count > 1 {
        return Some(format!("the answer holds {} verdicts; give one", found.count));
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
    stands_apart(before, after).err().map(str::to_owned)
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
