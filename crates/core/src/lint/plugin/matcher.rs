//! When a hook runs: what its matcher says, held against the words an event knows.
//!
//! As Claude Code does it: nothing or `*` is always, letters with bars or commas between are whole words, anything
//! else is a pattern. Start at [`check`].

use super::Found;
use super::known::{self, COMPACT, HookEvent, Matches, SESSION_START};
use super::pattern;
use super::tree::Node;
use crate::lint::Rule;
use crate::prelude::*;

/// How a matcher is read.
enum Meaning<'m> {
    Always,
    Words(Vec<&'m str>),
    Pattern(&'m str),
}

impl<'m> Meaning<'m> {
    fn of(matcher: &'m str) -> Meaning<'m> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "_|, -".contains(c);
        if matcher.is_empty() || matcher == "*" {
            Meaning::Always
        } else if matcher.chars().all(is_plain) {
            let words = matcher.split(['|', ',']).map(str::trim).filter(|word| !word.is_empty());
            Meaning::Words(words.collect())
        } else {
            Meaning::Pattern(matcher)
        }
    }

    /// None where it cannot be told.
    fn finds(&self, word: &str) -> Option<bool> {
        match self {
            Meaning::Always => Some(true),
            Meaning::Words(words) => Some(words.contains(&word)),
            Meaning::Pattern(pattern) => pattern::found_in(pattern, word),
        }
    }
}

/// One group of hooks of an event, which may have a matcher.
pub(super) fn check<'a>(path: &'a str, event: &HookEvent, group: &Node, found: &mut Found<'a>) {
    let entry = group.get("matcher");
    let line = entry.map_or(group.line, |entry| entry.line);
    let written = entry.and_then(|entry| entry.node.text());
    let meaning = Meaning::of(written.unwrap_or_default());
    if event.name == SESSION_START {
        check_compact(path, line, &meaning, written, found);
    }
    let mut add = |message: String, hint: &str| found.add(path, Rule::PluginMatcher, line, message, hint);
    match (event.matches, &meaning) {
        (Matches::Nothing, Meaning::Words(_) | Meaning::Pattern(_)) => {
            add(
                format!("{} has nothing to match, so this hook runs always", event.name),
                "take the matcher out",
            );
        }
        (Matches::Tool, Meaning::Always) if written.is_none() => {
            let message = format!("this {} hook has no matcher, so it runs for every tool", event.name);
            add(message, "name the tools, or write \"*\" where every tool is meant");
        }
        (Matches::Tool, Meaning::Words(words)) => {
            for word in words {
                if let Some((message, hint)) = wrong_tool(word) {
                    add(message, &hint);
                }
            }
        }
        (Matches::Words(known), Meaning::Words(words)) => {
            for word in words.iter().filter(|word| !known.contains(*word)) {
                let message = format!("{} never happens by `{word}`", event.name);
                add(message, &format!("it happens by {}", known.join(", ")));
            }
        }
        (_, Meaning::Pattern(written)) if pattern::found_in(written, "").is_none() => {
            let message =
                format!("`{written}` cannot be read as a pattern, so nobody can tell when the hook runs");
            add(message, "write words with | between them");
        }
        (_, _) => {}
    }
}

/// Why a word is no tool.
fn wrong_tool(word: &str) -> Option<(String, String)> {
    if let Some(server) = word.strip_prefix("mcp__") {
        let whole = server.split("__").filter(|part| !part.is_empty()).count() < 2;
        let message = format!("`{word}` is the name of no tool, and letters alone have to be a whole name");
        return whole.then(|| {
            (message, format!("write {}__.* for all tools of a server", word.trim_end_matches('_')))
        });
    }
    if known::is_tool(word) {
        return None;
    }
    let hint = match known::nearest_tool(word) {
        Some(near) => format!("`{near}` may be meant"),
        None => "name a built-in tool, or those of a server as mcp__SERVER__.*".to_owned(),
    };
    Some((format!("Claude Code has no tool `{word}`"), hint))
}

/// A session goes on after compaction, and its summary has what hooks added; a second time it only costs.
fn check_compact<'a>(
    path: &'a str,
    line: usize,
    meaning: &Meaning<'_>,
    written: Option<&str>,
    found: &mut Found<'a>,
) {
    if meaning.finds(COMPACT) != Some(true) {
        return;
    }
    let how = match (written, meaning) {
        (None, _) => "has no matcher".to_owned(),
        (Some(""), _) => "has an empty matcher".to_owned(),
        (Some(written), Meaning::Words(_)) => format!("names `compact` in `{written}`"),
        (Some(written), Meaning::Always | Meaning::Pattern(_)) => {
            format!("has the matcher `{written}`, which finds `compact` too")
        }
    };
    let message = format!(
        "this SessionStart hook {how}, so it also runs after compaction: the summary keeps what it added at the \
         start, and adding it again costs context"
    );
    found.add(path, Rule::PluginCompact, line, message, "write \"startup|resume|clear\"");
}
