//! Ends a feature: checks what a merge would give, writes down what was learnt, and merges the branch.
//!
//! The revision of this phase is the tree a merge would give, without what the phase itself writes; when the base moves
//! on, it is a new revision and is checked again. What is written here is committed by name: the retrospective and the
//! files of the knowledge bank. Start at [`FinishPhase::subject`]; `previewing` finds what a merge would give, `learning`
//! what was learnt.

use crate::base::Base;
use crate::checking::{CheckResult, Checking};
use crate::ending::EngineError;
use crate::ports::{Check, Merge, MergePreview, Trailers, WorkspaceError};
use crate::previewing::Previewing;
use crate::trailers;
use crate::values::{DocsGate, Subject};
use redraft_facts::event::{Checked, Edited, Event, MergeHistory, Merged, PhaseClosed};
use redraft_facts::ids::Revision;
use redraft_facts::phase::Phase;
use redraft_facts::text::{count, one_line};

/// The gate that says whether the branch can be merged.
const MERGE: &str = "merge";
/// The gate that says whether documentation was considered.
const DOCS: &str = "docs";

/// The loop of the last phase, and the merge after it.
pub(crate) struct FinishPhase<'r, 'a> {
    /// Runs the checks on what would be merged.
    pub(crate) checking: Checking<'r, 'a>,
    pub(crate) base: Base<'r>,
}

impl<'a> FinishPhase<'_, 'a> {
    /// The subject of the last phase's loop, except for the bundle that the agent which looks back is sent.
    pub(crate) fn subject(&self) -> Result<Subject, EngineError> {
        let (_, base) = self.previewing().approved()?;
        let rules = self.checking.rules;
        let mut gates = vec![MERGE.to_owned()];
        gates.extend(rules.gates());
        gates.extend((rules.finish.docs != DocsGate::Off).then(|| DOCS.to_owned()));
        let paths = vec![self.base.worktree.created.path_of(Phase::Finish.artifact())];
        let (base, checks) = (Some(base), rules.commands());
        Ok(Subject { paths, base, gates, checks, ..Subject::default() })
    }

    fn previewing(&self) -> Previewing<'_, 'a> {
        let (journal, worktree) = (&*self.checking.journal, self.base.worktree);
        Previewing { journal, worktree, base: self.base }
    }

    /// Takes in that a merge would now give something else, because one of the branches moved.
    pub(crate) fn take_in_merge(&mut self) -> Result<bool, EngineError> {
        let (preview, revision) = self.previewing().approved()?;
        let open = self.checking.journal.open_loop()?;
        if open.revision.as_ref() == Some(&revision) {
            return Ok(false);
        }
        let epoch = open.epoch + 1;
        self.base.worktree.keep_anchor(open, &epoch.to_string(), &revision)?;
        let (commit, by) = (preview.into, self.checking.rules.person.clone());
        self.checking.journal.record(Edited { revision, commit, by, first: false, compared: None })?;
        Ok(true)
    }

    /// Runs a gate of this phase on what would be merged.
    pub(crate) fn check_merge(&mut self, revision: Revision, gate: String) -> Result<(), EngineError> {
        let pass = self.checking.journal.open_loop()?.opened.pass;
        let (preview, found) = self.previewing().mergeable()?;
        if found != revision {
            return self.take_in_merge().map(drop);
        }
        let check = self.checking.rules.check(&gate).cloned();
        let (command, output, code, wall_ms, checkout) = (String::new(), String::new(), None, 0, None);
        let (passed, evidence) = (true, String::new());
        let mut checked =
            Checked { pass, revision, gate, passed, evidence, command, code, wall_ms, output, checkout };
        match (checked.gate.as_str(), check) {
            (_, Some(check)) => {
                let Some(result) = self.run_on_merge(&check, &preview)? else { return Ok(()) };
                let CheckResult { passed, evidence, code, wall_ms, output, checkout } = result;
                (checked.passed, checked.evidence, checked.output) = (passed, evidence, output);
                (checked.command, checked.code, checked.wall_ms) = (check.command, code, wall_ms);
                checked.checkout = Some(checkout);
            }
            (MERGE, None) if self.base.worktree.created.base_branch.is_empty() => {
                checked.evidence =
                    "it was not begun on a branch, so there is no branch to merge it into".to_owned();
            }
            (MERGE, None) => {
                let (into, at) = (&self.base.worktree.created.base_branch, one_line(&preview.into, 12));
                checked.evidence = format!("merges into {into} at {at} without a conflict");
            }
            (DOCS, None) => {
                checked.evidence = self.reminder()?.unwrap_or_default();
                checked.passed =
                    checked.evidence.is_empty() || self.checking.rules.finish.docs != DocsGate::Require;
            }
            (_, None) => return Err(EngineError::NoSuchCheck { gate: checked.gate }),
        }
        self.base.worktree.boundaries.pass("before a check is stored");
        self.checking.journal.record(checked)
    }

    /// Runs a check on what a merge would give, in an empty checkout. None where the run was stopped.
    fn run_on_merge(
        &mut self,
        check: &Check,
        preview: &MergePreview,
    ) -> Result<Option<CheckResult>, EngineError> {
        let commit = self.base.merging.sketch(preview)?.0;
        let except = match self.previewing().end_is_as_written(preview)? {
            true => self.base.worktree.written_at_the_end(),
            false => self.base.worktree.projections(),
        };
        self.checking.result_of(check, &commit, true, &except)
    }

    /// The reminder where a feature changes code and nothing that people read.
    fn reminder(&self) -> Result<Option<String>, EngineError> {
        let change = self.base.change_of_feature(self.checking.journal.entries())?;
        let paths = change.files.iter().map(|(path, ..)| path.as_str());
        let (read, code): (Vec<&str>, Vec<&str>) = paths.partition(|path| is_documentation(path));
        let changelog = read.iter().any(|path| is_changelog(path));
        let files = count(code.len(), "file");
        Ok(match (code.is_empty(), read.is_empty(), changelog) {
            (true, ..) | (false, false, true) => None,
            (false, true, _) => {
                Some(format!("{files} changed and no documentation: neither docs/, a README nor a changelog"))
            }
            (false, false, false) if self.has_changelog()? => {
                Some("documentation was changed, the changelog was not".to_owned())
            }
            (false, false, false) => None,
        })
    }

    fn has_changelog(&self) -> Result<bool, EngineError> {
        for name in ["CHANGELOG.md", "CHANGES.md", "CHANGELOG", "HISTORY.md"] {
            if self.base.worktree.workspace.read(name)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Merges a feature that has come to its end. A merge that was made and not stored is stored.
    pub(crate) fn merge(&mut self, history: MergeHistory) -> Result<Merged, EngineError> {
        if let Some(merged) = &self.checking.journal.state().merged {
            return Ok(merged.clone());
        }
        let feature = self.base.worktree.created.id;
        let Some(closed) = self.checking.journal.state().closed(Phase::Finish).cloned() else {
            return Err(EngineError::Unfinished { feature });
        };
        let into = self.previewing().base_branch()?;
        let seq = self.seq_of_close(&closed);
        let code = self.checking.journal.state().closed(Phase::Implement);
        let trailers = Trailers {
            ticket: format!("{}/merge", self.checking.journal.scope()),
            seq,
            agents: trailers::writers(self.checking.journal.state(), Phase::Implement),
            approved: code
                .map(|closed| trailers::approved(self.checking.journal.state(), closed))
                .unwrap_or_default(),
        };
        let commit = match self.base.merging.merged(&into, &trailers)? {
            Some(commit) => commit,
            None => {
                let (preview, revision) = self.previewing().approved()?;
                self.require_checks()?;
                let mut checks = self.checking.rules.checks.clone();
                if revision == closed.revision && self.previewing().end_is_as_written(&preview)? {
                    checks.retain(|check| !self.is_settled(check, &closed));
                }
                self.check_again(&preview, checks)?;
                let idea = one_line(&self.base.worktree.created.idea, 72);
                let message = format!("Merge feature {feature}-{}: {idea}", self.base.worktree.created.slug);
                let merge = Merge { into: &into, history, message: &message, trailers: &trailers };
                self.checking.worktree.workspace.require_readable(&self.base.worktree.created.base_commit)?;
                self.base.worktree.boundaries.pass("before a merge");
                self.base.merging.merge(&preview, &merge)?
            }
        };
        self.base.worktree.boundaries.pass("before a merge is stored");
        let merged = Merged { into, commit: commit.0, history, by: self.checking.rules.person.clone() };
        self.checking.journal.record(merged.clone())?;
        // A leftover folder does no harm.
        let _ = self.checking.check_folder.put_away();
        Ok(merged)
    }

    /// Refuses to drop silently a check that the feature was closed with.
    fn require_checks(&self) -> Result<(), EngineError> {
        let end =
            self.checking.journal.state().past.iter().rev().find(|one| one.opened.phase == Phase::Finish);
        let known = |gate: &&String| self.checking.rules.checks.iter().any(|check| check.name == **gate);
        let gone = end.and_then(|end| end.opened.checks.keys().find(|gate| !known(gate)));
        match gone {
            None => Ok(()),
            Some(gate) => {
                Err(EngineError::CheckGone { feature: self.base.worktree.created.id, gate: gate.clone() })
            }
        }
    }

    /// Whether the end was decided on a result of exactly this check, either on the commit alone or because a person
    /// accepted it.
    fn is_settled(&self, check: &Check, closed: &PhaseClosed) -> bool {
        let last = self.checking.journal.entries().iter().rev().find_map(|entry| match &entry.event {
            Event::Checked(fact) if fact.gate == check.name && fact.revision == closed.revision => Some(fact),
            _ => None,
        });
        let alone = |fact: &Checked| fact.checkout.as_ref().is_some_and(|checkout| checkout.empty);
        last.is_some_and(|fact| fact.command == check.command && (!fact.passed || alone(fact)))
    }

    /// Checks again where what would be merged now was never checked: the base moved after the feature was closed, or
    /// it was closed on a check of other files.
    fn check_again(&mut self, preview: &MergePreview, checks: Vec<Check>) -> Result<(), EngineError> {
        for check in checks {
            let Some(result) = self.run_on_merge(&check, preview)? else {
                // The result is unknown, and nothing was merged.
                return Err(WorkspaceError::Interrupted { command: check.command }.into());
            };
            if !result.passed {
                let (name, detail) = (check.name, one_line(&result.evidence, 400));
                return Err(EngineError::FailsMerged {
                    feature: self.base.worktree.created.id,
                    name,
                    detail,
                });
            }
        }
        Ok(())
    }

    fn seq_of_close(&self, closed: &PhaseClosed) -> u64 {
        let is_close = |event: &Event| matches!(event, Event::PhaseClosed(fact) if fact == closed);
        let close = self.checking.journal.entries().iter().rev().find(|entry| is_close(&entry.event));
        close.map_or(self.checking.journal.seq(), |entry| entry.seq)
    }
}

fn is_documentation(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let in_docs = path.split('/').rev().skip(1).any(|folder| matches!(folder, "docs" | "doc" | "man"));
    in_docs
        || name.starts_with("readme")
        || is_changelog(path)
        || (!path.contains('/') && name.ends_with(".md"))
}

fn is_changelog(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    ["changelog", "changes", "history", "news"].iter().any(|word| name.split('.').next() == Some(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documentation_is_told_by_its_place_and_name() {
        for path in
            ["docs/a.txt", "README.md", "crates/x/readme.rst", "CHANGELOG.md", "GUIDE.md", "doc/x/y.md"]
        {
            assert!(is_documentation(path), "{path}");
        }
        for path in ["src/lib.rs", "src/notes.md", "documents.py", "tests/history_test.py"] {
            assert!(!is_documentation(path), "{path}");
        }
        assert!(is_changelog("CHANGES") && is_changelog("pkg/NEWS.md") && !is_changelog("README.md"));
    }
}
