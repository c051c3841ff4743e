//! Reads the lines about what people do, and what happens by itself.

use super::{DOCUMENTS, Line, path, time_ms};
use crate::documents;
use redraft_engine::ports::Comment;
use redraft_facts::event::Decision;
use redraft_facts::phase::{Lane, Phase};
use redraft_facts::usage::Usd;
use redraft_facts::verdict::Severity;
use redraft_testkit::fakes::{CheckRule, GitTrouble, StoreFault, said};

#[derive(Debug, Clone)]
pub(crate) enum Act {
    Put(String, String),
    /// In what is there now.
    Change {
        file: String,
        from: String,
        to: String,
    },
    /// In the worktree of a slot.
    PutBeside(u16, String, String),
    Jobs(u16),
    Take(String),
    Commit(String),
    /// Commits that a repository inside stands at a commit.
    CommitRepository(String),
    /// Merges `main` into the branch, with what it has changed or without.
    MergeMain(bool),
    ResetToMain,
    Detach,
    /// Writes and commits a file on `main`.
    CommitBase(String, String),
    /// The same with the words that the commit of a merge has.
    ForgeMerge(String, String),
    PutBase(String, String),
    /// Leaves `main` in the main checkout.
    SwitchBase(String),
    Decide(Decision, Vec<String>),
    SetLane(Lane, Phase),
    Skip(Phase),
    GoBack(Phase),
    /// Left for the next run.
    Comment(Comment),
    KeepBudget(Usd),
    Checks(String, CheckRule),
    /// By its name.
    DropCheck(String),
    Pass(u64),
    ForgetIdentity,
    Collect,
    /// The newest revision is gone.
    LoseRevision,
    /// Not on the real things: nobody can order them to fail.
    LedgerFails(u64, StoreFault),
    LedgerFailsOnce(u64, StoreFault),
    GitFails {
        operation: String,
        calls: u64,
        trouble: GitTrouble,
    },
    InboxFails(String),
    Mend,
    /// The ticket that is out is answered after the process that asked for it is gone.
    LeaveBehind(Option<String>),
    /// Runs no longer rest before the feature's end.
    GoOn,
    /// To a host that can go on with these conversations; none where it keeps none.
    HandOut(Option<Vec<String>>),
    Submit {
        text: String,
        by: String,
        refused: Option<String>,
        /// With the code that the role was given last.
        tells: bool,
    },
}

/// An act; none where the line is something else.
pub(super) fn read(line: &Line) -> Option<Act> {
    let (one, two) = (line.text(0), line.text(1));
    if let Some(does) = line.shape.strip_prefix("a person ") {
        return person(does, one, two);
    }
    if let Some(ms) =
        line.shape.strip_suffix(" passes").or(line.shape.strip_suffix(" pass")).and_then(time_ms)
    {
        return Some(Act::Pass(ms));
    }
    if let Some(file) = line.shape.strip_prefix("the check $ wants $ in ") {
        return Some(Act::Checks(one, CheckRule::Wants { file: path(file), text: two }));
    }
    if let Some(rest) = line.shape.strip_prefix("the check $ refuses $ in ") {
        let files = rest.split(" beside $ in ").map(path).zip(line.texts.iter().skip(1).cloned());
        return Some(Act::Checks(one, CheckRule::Refuses(files.collect())));
    }
    if let Some(file) = line.shape.strip_prefix("while the check $ runs, a person writes $ to ") {
        return Some(Act::Checks(one, CheckRule::WhilePersonWrites { file: path(file), text: two }));
    }
    if let Some(rest) = line.shape.strip_prefix("the ledger is ") {
        let (fault, after) = rest.split_once(" after ")?;
        let once = fault.strip_suffix(" once");
        let fault = once.unwrap_or(fault);
        let fault = StoreFault::ALL.into_iter().find(|one| format!("{one:?}").to_lowercase() == fault)?;
        let after = count(after)?;
        return Some(match once {
            Some(_) => Act::LedgerFailsOnce(after, fault),
            None => Act::LedgerFails(after, fault),
        });
    }
    if let Some(rest) = line.shape.strip_prefix("git meets ") {
        let (trouble, rest) = rest.split_once(" in ")?;
        let (operation, after) = rest.split_once(" after ")?;
        let trouble = GitTrouble::ALL.into_iter().find(|one| format!("{one:?}").to_lowercase() == trouble)?;
        return Some(Act::GitFails { operation: operation.to_owned(), calls: count(after)?, trouble });
    }
    if let Some(name) =
        line.shape.strip_prefix("the check ").and_then(|rest| rest.strip_suffix(" is dropped"))
    {
        return Some(Act::DropCheck(name.to_owned()));
    }
    Some(match line.shape.as_str() {
        "the check $ passes" => {
            Act::Checks(one, CheckRule::Writes { file: "build/passed".to_owned(), text: two })
        }
        "the check $ fails once" => Act::Checks(one, CheckRule::FailsOnce),
        "the check $ never ends" => Act::Checks(one, CheckRule::NeverEnds),
        "the check $ cannot be begun" => Act::Checks(one, CheckRule::NotThere),
        "the check $ is stopped" => Act::Checks(one, CheckRule::Stopped),
        "the check $ writes $" => {
            Act::Checks(one, CheckRule::Writes { file: two, text: "by a check\n".to_owned() })
        }
        "the check $ makes a hook $" => Act::Checks(
            one,
            CheckRule::WritesGit { file: format!("hooks/{two}"), text: "#!/bin/sh\n".to_owned() },
        ),
        "the feature goes on" => Act::GoOn,
        "nobody knows who commits" => Act::ForgetIdentity,
        "garbage is collected" => Act::Collect,
        "the newest revision is lost" => Act::LoseRevision,
        "the inbox refuses answers: $" => Act::InboxFails(one),
        "all is well again" => Act::Mend,
        "the answer $ outlives the process" => Act::LeaveBehind(Some(one)),
        "what outlives the process cannot be read" => Act::LeaveBehind(None),
        "a host takes its work" => Act::HandOut(None),
        "a host that keeps conversations takes its work" => Act::HandOut(Some(Vec::new())),
        "a host that keeps $ takes its work" => {
            Act::HandOut(Some(one.split(", ").map(str::to_owned).collect()))
        }
        "a host submits $ as $" => Act::Submit { text: one, by: two, refused: None, tells: false },
        "a host submits $ as $ with the code" => {
            Act::Submit { text: one, by: two, refused: None, tells: true }
        }
        "a host submits $ as $ and is refused as $" => {
            Act::Submit { text: one, by: two, refused: Some(line.text(2)), tells: false }
        }
        _ => return None,
    })
}

fn person(does: &str, one: String, two: String) -> Option<Act> {
    if let Some(word) = does.strip_prefix("decides ") {
        let (word, answers) = match word.split_once(' ') {
            Some((word, "$")) => (word, vec![one]),
            _ => (word, Vec::new()),
        };
        let choice = Decision::ALL.into_iter().find(|choice| choice.name() == word)?;
        return Some(Act::Decide(choice, answers));
    }
    if let Some(name) = does.strip_prefix("writes ").filter(|name| DOCUMENTS.contains(name)) {
        return Some(Act::Put(path(name), documents::good(name).to_owned()));
    }
    if let Some(rest) = does.strip_prefix("lets ") {
        return rest.strip_suffix(" task be carried out at once")?.parse().ok().map(Act::Jobs);
    }
    if let Some(rest) = does.strip_prefix("writes $ to ")
        && let Some((file, slot)) = rest.split_once(" in the worktree of slot ")
    {
        return Some(Act::PutBeside(slot.parse().ok()?, path(file), one));
    }
    if let Some(file) = does.strip_prefix("writes $ to ") {
        return Some(Act::Put(path(file), one));
    }
    if let Some(file) = does.strip_prefix("changes $ to $ in ") {
        return Some(Act::Change { file: path(file), from: one, to: two });
    }
    if let Some(file) = does.strip_prefix("removes ") {
        return Some(Act::Take(path(file)));
    }
    if let Some(file) = does.strip_prefix("commits $ as ") {
        return Some(match file.strip_suffix(" on main, saying what a merge of it says") {
            Some(file) => Act::ForgeMerge(file.to_owned(), one),
            None => Act::CommitBase(file.strip_suffix(" on main")?.to_owned(), one),
        });
    }
    if let Some(file) = does.strip_prefix("leaves $ in ") {
        return Some(Act::PutBase(file.strip_suffix(" of main")?.to_owned(), one));
    }
    if let Some((verb, rest)) = does.split_once(" on ")
        && let Some(phase) = rest.strip_suffix(" that $")
    {
        let severity = match verb {
            "comments" => Severity::Blocker,
            "notes" => Severity::Warning,
            _ => return None,
        };
        return Some(Act::Comment(said(phase.parse().ok()?, None, severity, &one)));
    }
    if let Some(rest) = does.strip_prefix("opens ").and_then(|rest| rest.strip_suffix(" again because $")) {
        let (id, phase) = rest.split_once(" of ")?;
        return Some(Act::Comment(said(phase.parse().ok()?, Some(id), Severity::Blocker, &one)));
    }
    if let Some(total) = does.strip_prefix("raises the budget to ").and_then(super::money) {
        return Some(Act::KeepBudget(total));
    }
    if let Some(rest) = does.strip_prefix("chooses the ") {
        let (lane, until) = rest.split_once(" lane until ")?;
        return Some(Act::SetLane(lane.parse().ok()?, until.parse().ok()?));
    }
    if let Some(phase) = does.strip_prefix("leaves out ") {
        return phase.parse().ok().map(Act::Skip);
    }
    if let Some(phase) = does.strip_prefix("goes back to ") {
        return phase.parse().ok().map(Act::GoBack);
    }
    Some(match does {
        "commits all as $" => Act::Commit(one),
        "commits a repository in $" => Act::CommitRepository(one),
        "leaves main for branch $" => Act::SwitchBase(one),
        "merges main" => Act::MergeMain(true),
        "merges main without its files" => Act::MergeMain(false),
        "takes the branch back to main" => Act::ResetToMain,
        "leaves the branch" => Act::Detach,
        _ => return None,
    })
}

/// `3 appends`, `1 call`.
fn count(words: &str) -> Option<u64> {
    words.split(' ').next()?.parse().ok()
}
