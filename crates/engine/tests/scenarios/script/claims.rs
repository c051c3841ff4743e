//! Reads the lines about what must hold. Not checked after a crash, where attempts differ; what must be the same then
//! is in `left`.

use super::{Line, path};

#[derive(Debug, Clone)]
pub(crate) enum Claim {
    /// What an agent was told about a check that it had run.
    ToldOfCheck(String),
    Says {
        file: String,
        text: String,
        so: bool,
    },
    Gone(String),
    BaseSays {
        file: String,
        text: String,
    },
    /// How often a kind of event is in the ledger.
    Has(String, usize),
    /// Some event of a kind holds this text.
    Tells {
        kind: String,
        text: String,
        so: bool,
    },
    Asked(String, usize),
    /// The last prompt of a role.
    Told {
        role: String,
        text: String,
        so: bool,
    },
    /// The last dispatch to a role: whether it went on with a conversation.
    Resumed(String, bool),
    /// The commits of the feature's branch, the newest first, without the first of the repository.
    Commits(Vec<String>),
    /// A file that was undone is kept under the ref of a ticket.
    Kept {
        text: String,
        ticket: String,
    },
    Spent(String),
    /// No worktree of a task is there.
    NoSlots,
    /// The most dispatches that were under way at once.
    AtOnce(usize),
    Ran(String, usize),
}

/// A claim; none where the line is something else.
pub(super) fn read(line: &Line) -> Option<Claim> {
    let claim = line.shape.strip_prefix("then ")?;
    let text = line.text(0);
    if let Some(rest) = claim.strip_prefix("the ledger has ") {
        let (number, kind) = rest.split_once(' ')?;
        let number = if number == "no" { 0 } else { number.parse().ok()? };
        return Some(Claim::Has(kind.to_owned(), number));
    }
    if claim == "the commits are $" {
        let subjects = text.split(" | ").filter(|subject| !subject.is_empty());
        return Some(Claim::Commits(subjects.map(str::to_owned).collect()));
    }
    if let Some(total) = claim.strip_prefix("it has cost ") {
        return Some(Claim::Spent(total.to_owned()));
    }
    if let Some(ticket) = claim.strip_prefix("$ is kept under ") {
        return Some(Claim::Kept { text, ticket: ticket.to_owned() });
    }
    if let Some(times) = claim.strip_prefix("the check $ ran ").and_then(times) {
        return Some(Claim::Ran(text, times));
    }
    if let Some(number) = claim.strip_suffix(" dispatches were under way at once") {
        return Some(Claim::AtOnce(number.parse().ok()?));
    }
    if claim == "no worktree is left beside the feature's" {
        return Some(Claim::NoSlots);
    }
    if claim == "about a check somebody was told $" {
        return Some(Claim::ToldOfCheck(text));
    }
    if let Some(file) = claim.strip_suffix(" of main says $") {
        return Some(Claim::BaseSays { file: file.to_owned(), text });
    }
    let (what, rest) = claim.split_once(' ')?;
    Some(match rest {
        "says $" => Claim::Says { file: path(what), text, so: true },
        "does not say $" => Claim::Says { file: path(what), text, so: false },
        "is gone" => Claim::Gone(path(what)),
        "tells $" => Claim::Tells { kind: what.to_owned(), text, so: true },
        "does not tell $" => Claim::Tells { kind: what.to_owned(), text, so: false },
        "was told $" => Claim::Told { role: what.to_owned(), text, so: true },
        "was not told $" => Claim::Told { role: what.to_owned(), text, so: false },
        "went on with its conversation" => Claim::Resumed(what.to_owned(), true),
        "began anew" => Claim::Resumed(what.to_owned(), false),
        _ => Claim::Asked(what.to_owned(), rest.strip_prefix("was asked ").and_then(times)?),
    })
}

fn times(words: &str) -> Option<usize> {
    match words {
        "once" => Some(1),
        "twice" => Some(2),
        "never" => Some(0),
        _ => words.strip_suffix(" times")?.parse().ok(),
    }
}
