//! Changes that were undone in the worktree, and how a person gets them back: they may have been theirs.

use redraft_facts::event::Event;
use redraft_facts::harmless;
use redraft_facts::ticket::Ticket;
use serde::Serialize;

/// Changes that a dispatch made and was not allowed to make, or that were found after it was lost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Undone {
    pub ticket: Ticket,
    /// One line for each thing, as it is stored.
    pub what: Vec<String>,
    /// The ref that keeps it.
    #[serde(rename = "ref")]
    pub reference: String,
    /// The command that brings it back.
    pub command: String,
}

/// The ticket of an event that undid something, and what it undid.
pub(crate) fn told_by(event: &Event) -> Option<(&Ticket, &[String])> {
    let (ticket, what) = match event {
        Event::Answered(fact) => (&fact.ticket, &fact.undone),
        Event::Failed(fact) => (&fact.ticket, &fact.undone),
        Event::Lost(fact) => (&fact.ticket, &fact.undone),
        Event::FeatureCreated(_)
        | Event::LoopOpened(_)
        | Event::Adopted(_)
        | Event::LaneSet(_)
        | Event::PhaseSkipped(_)
        | Event::WentBack(_)
        | Event::RetroWritten(_)
        | Event::BankJudged(_)
        | Event::BankApplied(_)
        | Event::Merged(_)
        | Event::Unblocked(_)
        | Event::Started(_)
        | Event::Drafted(_)
        | Event::Built(_)
        | Event::TakenOut(_)
        | Event::JobsSet(_)
        | Event::Enqueued(_)
        | Event::Combined(_)
        | Event::Judged(_)
        | Event::Raised(_)
        | Event::Edited(_)
        | Event::Checked(_)
        | Event::Asked(_)
        | Event::Decided(_)
        | Event::Commented(_)
        | Event::StageClosed(_)
        | Event::PhaseClosed(_)
        | Event::Cancelled(_)
        | Event::AgentsMet(_)
        | Event::Probed(_)
        | Event::DriverChanged(_)
        | Event::ProposalSettled(_)
        | Event::Redacted(_)
        | Event::Unreadable(_)
        | Event::SigningBegan(_)
        | Event::BudgetSet(_)
        | Event::BudgetReached(_)
        | Event::CostCorrected(_) => return None,
    };
    (!what.is_empty()).then_some((ticket, what))
}

/// Stands before the command in a line that names its own, because git can keep the thing under no ref.
const OWN_COMMAND: &str = "; to get it back: ";

/// Brings back the files that are named; all of them where something else was undone too.
pub(crate) fn command(folder: &str, reference: &str, what: &[String]) -> String {
    let (own, what): (Vec<&String>, Vec<&String>) = what.iter().partition(|line| line.contains(OWN_COMMAND));
    if what.is_empty() && !own.is_empty() {
        let commands = own.iter().filter_map(|line| line.split_once(OWN_COMMAND)).map(|(_, command)| command);
        return commands.collect::<Vec<_>>().join(" && ");
    }
    let file = |line: &&String| {
        let name = line.strip_prefix("restored ").or_else(|| line.strip_prefix("removed "))?;
        Some(quoted(name)).filter(|_| !line.contains(" more files, kept under "))
    };
    let files: Option<Vec<String>> = what.iter().map(file).collect();
    let files = files.filter(|files| !files.is_empty()).map_or(".".to_owned(), |files| files.join(" "));
    format!("git -C {} restore --source={reference} -- {files}", quoted(folder))
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    if word.contains(is_unshown) {
        return escaped(word);
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// Whether a character would be invisible in a command, or would affect a terminal.
fn is_unshown(c: char) -> bool {
    c.is_control() || harmless::is_harmful(c)
}

/// As bash, zsh and ksh understand it.
fn escaped(word: &str) -> String {
    let mut out = String::from("$'");
    for c in word.chars() {
        match c {
            '\'' | '\\' => out.extend(['\\', c]),
            c if is_unshown(c) => {
                let bytes = c
                    .encode_utf8(&mut [0; 4])
                    .bytes()
                    .map(|byte| format!("\\{byte:03o}"))
                    .collect::<String>();
                out.push_str(&bytes);
            }
            c => out.push(c),
        }
    }
    out.push('\'');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_names_the_files_and_all_of_them_where_more_was_undone() {
        let lines = |what: &[&str]| what.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
        let file = command("/w/001-x", "refs/redraft/lost/t", &lines(&["restored docs/a.md"]));
        assert_eq!(file, "git -C /w/001-x restore --source=refs/redraft/lost/t -- docs/a.md");
        let strange = command("/my w", "r", &lines(&["removed it's.md", "restored b.md"]));
        assert_eq!(strange, "git -C '/my w' restore --source=r -- 'it'\\''s.md' b.md");
        let hook = "removed .git/hooks/x, which was made meanwhile; to get it back: cp /k/x /r/.git/hooks/x";
        let config =
            "put back .git/config, which was changed meanwhile; to get it back: cp /k/c /r/.git/config";
        let own = command("/w", "r", &lines(&[hook, config]));
        assert_eq!(own, "cp /k/x /r/.git/hooks/x && cp /k/c /r/.git/config");
        assert_eq!(command("/w", "r", &lines(&["restored a", hook])), "git -C /w restore --source=r -- a");
        let hostile = command("/w", "r", &lines(&["removed a\u{1b}[31m\nb'\u{202e}.md"]));
        assert_eq!(hostile, "git -C /w restore --source=r -- $'a\\033[31m\\012b\\'\\342\\200\\256.md'");
        for more in ["undid 1 commit of the agent", "restored or removed 3 more files, kept under r"] {
            assert_eq!(
                command("/w", "r", &lines(&["restored a", more])),
                "git -C /w restore --source=r -- ."
            );
        }
    }
}
