//! Checks whether a role confirmed that it read what it was told to read (I9).
//!
//! Asked of fresh lazy dispatches only. What an agent reports to have opened decides; a role's own words count where it
//! reports nothing. The result is a line of the history: it holds nothing up, and nothing is sent again because of it.
//!
//! Code is different: what is approved must have been shown or opened ([`Reads::unopened`]).

use crate::ending::EngineError;
use crate::journal::Journal;
use crate::ports::WorkspaceError;
use crate::worktree::Worktree;
use redraft_core::review::Loop;
use redraft_documents::answer;
use redraft_documents::delta;
use redraft_facts::choice::Strategy;
use redraft_facts::event::{Answered, Event, Started};
use redraft_facts::fragment::Prompt;
use redraft_facts::text::{count, one_line};
use redraft_facts::ticket::{Purpose, Ticket};
use redraft_prompts::prompt::{ordered, to_open};
use redraft_reports::projections;
use std::collections::BTreeSet;

/// How many files are named to a role that is to open them; its prompt has them all.
const NAMED_MAX: usize = 50;

/// Looks at what roles say they read, and at what agents opened.
pub(crate) struct Reads<'r, 'a> {
    pub(crate) journal: &'r Journal<'a>,
    pub(crate) worktree: Worktree<'r>,
}

impl Reads<'_, '_> {
    /// The line for the history, if a file that the prompt named and that exists was not confirmed.
    pub(crate) fn unread(&self, started: &Started, answered: &Answered, answer: &[u8]) -> Option<String> {
        if started.choice.strategy != Strategy::Lazy {
            return None;
        }
        let role = &started.ticket.role;
        let there = |path: &String| matches!(self.worktree.workspace.read(path), Ok(Some(_)));
        let mut told = ordered(&self.sent(started)?).into_iter().filter(there);
        let unread = match &answered.opened {
            Some(opened) => told.any(|path| !opened.contains(&path)),
            None => {
                let said = said(answer);
                told.any(|path| !said.iter().any(|said| names(said, &path)))
            }
        };
        unread.then(|| format!("LAZY-LOAD-WARNING: {role} did not confirm artifact reads"))
    }

    /// The prompt as it was sent.
    fn sent(&self, started: &Started) -> Option<Prompt> {
        let blob = self.journal.writer().store.blob(&started.prompt).ok()?;
        serde_json::from_slice(&blob).ok()
    }

    /// Why an approval of code does not count: files of the change were neither shown nor opened. The `delta` is what changed
    /// since the role's last verdict. What agents report to have opened decides, else the role's own words, in all its answers
    /// about this revision.
    pub(crate) fn unopened(
        &self,
        open: &Loop,
        started: &Started,
        delta: Option<&str>,
    ) -> Result<Option<String>, EngineError> {
        let (Some(base), Some(sees)) = (open.base(), &started.sees) else { return Ok(None) };
        if !open.opened.is_code() {
            return Ok(None);
        }
        let own = |ticket: &Ticket| {
            let Ticket { phase, pass, role, .. } = &started.ticket;
            (&ticket.phase, &ticket.pass, &ticket.role) == (phase, pass, role)
        };
        let mut strategy = None;
        let mut tickets: BTreeSet<&Ticket> = BTreeSet::new();
        for entry in self.journal.entries() {
            if let Event::Started(one) = &entry.event
                && own(&one.ticket)
                && one.sees.as_ref() == Some(sees)
            {
                tickets.insert(&one.ticket);
                strategy =
                    if one.ticket.purpose == Purpose::Repair { strategy } else { Some(one.choice.strategy) };
            }
        }
        let change = match strategy {
            Some(Strategy::Inline) => match self.worktree.workspace.delta(base, sees) {
                // What was left out of the prompt can no longer be determined; it held all that fits.
                Err(WorkspaceError::AnchorLost(_)) => return Ok(None),
                delta => delta?,
            },
            Some(Strategy::Resume | Strategy::Digest) => delta.unwrap_or_default().to_owned(),
            // A reviewer that is shown no diff is told to read by itself.
            Some(Strategy::Lazy) => match delta {
                Some(delta) => delta.to_owned(),
                None => return Ok(None),
            },
            None => return Ok(None),
        };
        let own = projections::not_code(self.worktree.created);
        let parts = delta::parts(&change).into_iter().filter(|part| !own.contains(&part.file.path));
        let mut wanted = to_open(&parts.map(|part| part.text).collect::<String>());
        for entry in self.journal.entries() {
            let Event::Answered(one) = &entry.event else { continue };
            if wanted.is_empty() || !tickets.contains(&one.ticket) {
                continue;
            }
            let opened = match &one.opened {
                Some(opened) => opened.clone(),
                None => said(&self.journal.writer().store.blob(&one.answer)?),
            };
            wanted.retain(|path| !opened.iter().any(|opened| names(opened, path)));
        }
        Ok((!wanted.is_empty()).then(|| unopened(&wanted)))
    }
}

fn unopened(files: &[String]) -> String {
    let mut names: Vec<String> = files.iter().take(NAMED_MAX).map(|file| one_line(file, 200)).collect();
    if files.len() > NAMED_MAX {
        names.push(format!("and {}", count(files.len() - NAMED_MAX, "more file")));
    }
    format!(
        "the approval covers files whose diff was not shown and that were not opened: {}",
        names.join(", ")
    )
}

/// The files an answer says were read: the line that the prompt asks for, and `files_read`.
fn said(answer: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(answer);
    let confirms =
        |line: &&str| line.trim_start().trim_start_matches(['*', '>', '-', ' ']).starts_with("Files read:");
    let line = text.lines().find(confirms).and_then(|line| line.split_once(':'));
    let in_line = line.into_iter().flat_map(|(_, list)| list.split(',')).map(|one| {
        let name = one.split('(').next().unwrap_or_default();
        name.trim_matches([' ', '`', '*', '"', '.']).to_owned()
    });
    let in_form = answer::parse(answer).verdict.map(|said| said.files_read).unwrap_or_default();
    in_line.chain(in_form.into_iter().map(|read| read.file)).collect()
}

/// Whether a name in an answer means this path: the path itself, its last parts, or a longer way to it.
fn names(said: &str, path: &str) -> bool {
    let said = said.trim().trim_start_matches("./");
    let ends = |long: &str, short: &str| long.strip_suffix(short).is_some_and(|rest| rest.ends_with('/'));
    !said.is_empty() && (said == path || ends(path, said) || ends(said, path))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: &str = "docs/features/031-x/spec.md";

    fn confirms(answer: &str) -> bool {
        said(answer.as_bytes()).iter().any(|said| names(said, PATH))
    }

    #[test]
    fn i9_a_read_is_confirmed_by_the_line_or_by_the_form() {
        for answer in [
            "Files read: prd.md (9 lines), spec.md (12 lines)\n{\"approved\": true}",
            "I have read them.\n**Files read:** `docs/features/031-x/spec.md` (12 lines)\n{\"approved\": true}",
            "{\"approved\": true, \"files_read\": [{\"file\": \"./docs/features/031-x/spec.md\", \"lines\": 12}]}",
            "{\"approved\": true, \"files_read\": [{\"file\": \"/home/me/repo/docs/features/031-x/spec.md\", \"lines\": 1}]}",
        ] {
            assert!(confirms(answer), "{answer}");
        }
    }

    #[test]
    fn i9_nothing_else_confirms_it() {
        for answer in [
            "{\"approved\": true, \"files_read\": []}",
            "{\"approved\": true, \"files_read\": [{\"file\": \"\", \"lines\": 0}]}",
            "{\"approved\": true, \"files_read\": [{\"file\": \"c.md\", \"lines\": 3}]}",
            "Files read: none\n{\"approved\": true}",
            "Files read: prd.md (9 lines)\n{\"approved\": true, \"summary\": \"spec.md is fine\"}",
            "no verdict at all",
        ] {
            assert!(!confirms(answer), "{answer}");
        }
    }
}
