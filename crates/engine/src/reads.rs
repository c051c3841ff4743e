//! Whether a role confirmed that it read what it was told to read (I9).
//!
//! Asked of fresh lazy dispatches only. What an agent reports to have opened decides; a role's own words count where it
//! reports nothing. Whatever comes out is a line of the history: it holds nothing up and nothing is sent again for it.

use crate::compose::source;
use crate::driver::Run;
use redraft_core::event::{Answered, Started};
use redraft_core::policy::Strategy;
use redraft_core::profile;
use redraft_core::verdict;

impl Run<'_> {
    /// The line of the history, if a file that the prompt named and that is there was not confirmed.
    pub(crate) fn unread(&self, started: &Started, answered: &Answered, answer: &[u8]) -> Option<String> {
        if started.choice.strategy != Strategy::Lazy {
            return None;
        }
        let role = &started.ticket.role;
        let (ticket, panels) = (&started.ticket, &self.open_loop().ok()?.opened.panels);
        let profile = profile::of_dispatch(ticket.phase, role, ticket.purpose, panels)?;
        let mut told = profile.artifacts.iter().filter_map(|name| self.told(name));
        let unread = match &answered.opened {
            Some(opened) => told.any(|path| !opened.contains(&path)),
            None => {
                let said = said(answer);
                told.any(|path| !said.iter().any(|said| names(said, &path)))
            }
        };
        unread.then(|| format!("LAZY-LOAD-WARNING: {role} did not confirm artifact reads"))
    }

    /// Where the prompt said that an artifact is; none where there is nothing to read. The PRD may be the file that the
    /// feature came from (I8).
    fn told(&self, name: &str) -> Option<String> {
        let there = |path: &String| matches!(self.parts.workspace.read(path), Ok(Some(_)));
        if !self.created.has_documents() {
            return None;
        }
        let own = self.created.path_of(name);
        let source = || source(&self.created).filter(|_| name == "prd.md").map(str::to_owned);
        Some(own).filter(there).or_else(|| source().filter(there))
    }
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
    let in_form = verdict::parse(answer).verdict.map(|said| said.files_read).unwrap_or_default();
    in_line.chain(in_form.into_iter().map(|read| read.file)).collect()
}

/// Whether a name that was said means this path: the path itself, its last parts, or a longer way to it.
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
