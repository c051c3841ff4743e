//! The end of a feature: what a merge would give is checked, what was learnt is written down, the branch is merged.
//!
//! The revision of this phase is the tree a merge would give, without what the phase itself writes; where the base moves
//! on, it is another revision and is checked again. What is written here is committed by name: the retrospective and the
//! files of the knowledge bank. Start at [`Run::open_finish`]; what is learnt is in `learning`.

use crate::checking::CheckResult;
use crate::driver::Run;
use crate::ending::EngineError;
use crate::phases::Subject;
use crate::ports::{Check, CommitRefused, Forecast, Merge, MergeOutcome, Trailers, WorkspaceError};
use redraft_core::bank::{Kind, RETIRED_FILE};
use redraft_core::event::{Checked, Edited, Event, History, Merged, PhaseClosed};
use redraft_core::ids::Revision;
use redraft_core::phase::Phase;
use redraft_core::project;
use redraft_core::review::Loop;
use redraft_core::text::{count, one_line};

/// The gate that says whether the branch can be merged.
const MERGE: &str = "merge";
/// The gate that says whether documentation was thought of.
const DOCS: &str = "docs";

/// What is said of a feature that changes code and no documentation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum DocsGate {
    Off,
    /// It is told.
    #[default]
    Remind,
    /// A person must decide.
    Require,
}

/// How a feature ends in this repository.
#[derive(Debug, Clone, Default)]
pub struct Finish {
    pub docs: DocsGate,
    /// Whether somebody is asked for words to the figures.
    pub retro: bool,
    /// What makes a new folder ready for checks; a person has accepted it.
    pub setup: Option<String>,
}

impl Run<'_> {
    pub(crate) fn open_finish(&mut self, pass: u16) -> Result<(), EngineError> {
        let (_, base) = self.approved_forecast()?;
        let mut gates = vec![MERGE.to_owned()];
        gates.extend(self.rules.checks.iter().map(|check| check.name.clone()));
        gates.extend((self.rules.finish.docs != DocsGate::Off).then(|| DOCS.to_owned()));
        let checks = self.rules.checks.iter().map(|check| (check.name.clone(), check.command.clone()));
        let checks = checks.collect();
        let bundle = Some(self.bundle()?);
        let paths = vec![self.created.path_of(Phase::Finish.artifact())];
        let subject = Subject { paths, base: Some(base), gates, checks, bundle, ..Subject::default() };
        self.begin(Phase::Finish, pass, subject)
    }

    /// What this phase writes, and projections: no part of what is checked.
    pub(crate) fn written_at_the_end(&self) -> Vec<String> {
        let mut paths = self.projections();
        paths.push(self.created.path_of(Phase::Finish.artifact()));
        paths.extend(Kind::ALL.iter().map(|kind| kind.path().to_owned()));
        paths.push(RETIRED_FILE.to_owned());
        paths
    }

    /// What merging the approved code would give, and the revision of it: nobody has reviewed anything else.
    fn approved_forecast(&self) -> Result<(Forecast, Revision), EngineError> {
        let forecast = self.forecast()?;
        // The branch is merged, whatever the worktree is on.
        if self.parts.workspace.head()?.0.0 != forecast.head {
            let refused = CommitRefused::WrongBranch(self.created.branch.clone());
            return Err(WorkspaceError::Commit(refused).into());
        }
        let ours = self.written_at_the_end();
        let Some(closed) = self.journal.state().closed(Phase::Implement) else {
            self.require_no_code(&forecast, &ours)?;
            return self.require_mergeable(forecast);
        };
        let stray = |held: &Revision| -> Result<Option<String>, EngineError> {
            let changed = self.parts.workspace.all_changed(&closed.revision, held)?;
            Ok(changed.into_iter().find(|path| !ours.contains(path)))
        };
        let changed = |path: String| {
            let (feature, phase, earlier) = (self.created.id, Phase::Finish, Phase::Implement);
            EngineError::Changed { feature, phase, earlier, path }
        };
        let now = self.parts.workspace.tree(&self.projections())?;
        if let Some(path) = stray(&now)? {
            return Err(changed(path));
        }
        self.require_same_base()?;
        if stray(&self.parts.workspace.tree_of(&forecast.head)?)?.is_none() {
            return self.require_mergeable(forecast);
        }
        // The worktree holds what was approved, and the branch not yet.
        self.committed(&now)?;
        let forecast = self.forecast()?;
        match stray(&self.parts.workspace.tree_of(&forecast.head)?)? {
            None => self.require_mergeable(forecast),
            Some(path) => Err(changed(path)),
        }
    }

    /// Where no code was reviewed, none is merged.
    fn require_no_code(&self, forecast: &Forecast, ours: &[String]) -> Result<(), EngineError> {
        let held = self.parts.workspace.tree_of(&forecast.head)?;
        let own = project::not_code(&self.created);
        let changed = self.parts.workspace.all_changed(&self.base_of_code()?, &held)?;
        match changed.into_iter().find(|path| !ours.contains(path) && !own.contains(path)) {
            None => Ok(()),
            Some(path) => Err(EngineError::Unreviewed { feature: self.created.id, path }),
        }
    }

    /// Reviewers have judged what the code does to its base. Where the base was merged into the branch since then, a merge
    /// may take out of the base what it has got meanwhile.
    fn require_same_base(&self) -> Result<(), EngineError> {
        let closed = |one: &&Loop| one.opened.phase == Phase::Implement && one.end.is_some();
        let reviewed = self.journal.state().past.iter().rev().find(closed).and_then(Loop::base);
        let Some(reviewed) = reviewed else { return Ok(()) };
        let own = project::not_code(&self.created);
        let moved = match self.parts.workspace.all_changed(reviewed, &self.base_of_code()?) {
            Err(WorkspaceError::AnchorLost(_)) => vec!["what git has lost of the base".to_owned()],
            moved => moved?,
        };
        match moved.into_iter().find(|path| !own.contains(path)) {
            None => Ok(()),
            Some(path) => {
                let (feature, into) = (self.created.id, self.created.base_branch.clone());
                Err(EngineError::BaseMerged { feature, into, path })
            }
        }
    }

    fn forecast(&self) -> Result<Forecast, EngineError> {
        // Begun on no branch, it is checked as it is.
        let into = self.base_branch().unwrap_or_else(|_| self.created.branch.clone());
        Ok(self.parts.merging.forecast(&into, &self.written_at_the_end())?)
    }

    /// The revision of what a merge would give; an error where it would not go through.
    fn require_mergeable(&self, forecast: Forecast) -> Result<(Forecast, Revision), EngineError> {
        let into = self.base_branch().unwrap_or_else(|_| self.created.branch.clone());
        match &forecast.outcome {
            MergeOutcome::Clean { checked, .. } => {
                let checked = checked.clone();
                Ok((forecast, checked))
            }
            MergeOutcome::Conflicts(files) => {
                let (branch, files) = (self.created.branch.clone(), files.clone());
                let folder = self.parts.workspace.folder();
                Err(EngineError::Conflict { feature: self.created.id, branch, into, files, folder })
            }
        }
    }

    fn base_branch(&self) -> Result<String, EngineError> {
        let (feature, into) = (self.created.id, self.created.base_branch.clone());
        if into.is_empty() { Err(EngineError::NoBase { feature }) } else { Ok(into) }
    }

    /// Takes in that a merge would give something else now, because one of the branches moved.
    pub(crate) fn take_in_merge(&mut self) -> Result<bool, EngineError> {
        let (forecast, revision) = self.approved_forecast()?;
        let open = self.journal.open_loop()?;
        if open.revision.as_ref() == Some(&revision) {
            return Ok(false);
        }
        let epoch = open.epoch + 1;
        self.keep_anchor(epoch, &revision)?;
        let (commit, by) = (forecast.into, self.rules.person.clone());
        self.journal.record(Edited { revision, commit, by, first: false, compared: None })?;
        Ok(true)
    }

    /// Runs a gate of this phase on what would be merged.
    pub(crate) fn check_merge(&mut self, revision: Revision, gate: String) -> Result<(), EngineError> {
        let pass = self.journal.open_loop()?.opened.pass;
        let (forecast, found) = self.require_mergeable(self.forecast()?)?;
        if found != revision {
            return self.take_in_merge().map(drop);
        }
        let check = self.rules.checks.iter().find(|check| check.name == gate).cloned();
        let (command, output, code, wall_ms, checkout) = (String::new(), String::new(), None, 0, None);
        let (passed, evidence) = (true, String::new());
        let mut checked =
            Checked { pass, revision, gate, passed, evidence, command, code, wall_ms, output, checkout };
        match (checked.gate.as_str(), check) {
            (_, Some(check)) => {
                let Some(result) = self.run_on_merge(&check, &forecast)? else { return Ok(()) };
                let CheckResult { passed, evidence, code, wall_ms, output, checkout } = result;
                (checked.passed, checked.evidence, checked.output) = (passed, evidence, output);
                (checked.command, checked.code, checked.wall_ms) = (check.command, code, wall_ms);
                checked.checkout = Some(checkout);
            }
            (MERGE, None) if self.created.base_branch.is_empty() => {
                checked.evidence = "it was begun on no branch, so there is none to merge it into".to_owned();
            }
            (MERGE, None) => {
                let (into, at) = (&self.created.base_branch, one_line(&forecast.into, 12));
                checked.evidence = format!("merges into {into} at {at} without a conflict");
            }
            (DOCS, None) => {
                checked.evidence = self.reminder()?.unwrap_or_default();
                checked.passed = checked.evidence.is_empty() || self.rules.finish.docs != DocsGate::Require;
            }
            (_, None) => return Err(EngineError::NoSuchCheck { gate: checked.gate }),
        }
        self.parts.boundaries.pass("before a check is stored");
        self.journal.record(checked)
    }

    /// Runs a check on what a merge would give, in an empty checkout. None where the run was stopped.
    fn run_on_merge(
        &mut self,
        check: &Check,
        forecast: &Forecast,
    ) -> Result<Option<CheckResult>, EngineError> {
        let commit = self.parts.merging.sketch(forecast)?.0;
        let except = match self.end_is_as_written(forecast)? {
            true => self.written_at_the_end(),
            false => self.projections(),
        };
        self.result_of(check, &commit, true, &except)
    }

    /// Whether the retrospective and the knowledge bank are as they were when the code was approved, or as this phase wrote
    /// them. What a person or an agent wrote there besides is checked like everything else.
    fn end_is_as_written(&self, forecast: &Forecast) -> Result<bool, EngineError> {
        let Some(approved) = self.journal.state().closed(Phase::Implement) else { return Ok(false) };
        let held = self.parts.workspace.tree_of(&forecast.head)?;
        let (ours, told) = (self.written_at_the_end(), self.projections());
        let differ = |from: &Revision| -> Result<bool, EngineError> {
            let changed = self.parts.workspace.all_changed(from, &held)?;
            Ok(changed.iter().any(|path| ours.contains(path) && !told.contains(path)))
        };
        if !differ(&approved.revision)? {
            return Ok(true);
        }
        let written = self.journal.entries().iter().rev().find_map(|entry| {
            match &entry.event {
                Event::RetroWritten(fact) => Some(&fact.commit),
                Event::BankJudged(fact) => Some(&fact.commit),
                Event::BankApplied(fact) => Some(&fact.commit),
                _ => None,
            }
            .filter(|commit| !commit.is_empty())
        });
        match written {
            Some(commit) => Ok(!differ(&self.parts.workspace.tree_of(commit)?)?),
            None => Ok(false),
        }
    }

    /// What is said where a feature changes code and nothing that people read.
    fn reminder(&self) -> Result<Option<String>, EngineError> {
        let change = self.change_of_feature()?;
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
            if self.parts.workspace.read(name)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Merges a feature that has come to its end. What was merged and not stored is stored.
    pub fn merge(&mut self, history: History) -> Result<Merged, EngineError> {
        if let Some(merged) = &self.journal.state().merged {
            return Ok(merged.clone());
        }
        let feature = self.created.id;
        let Some(closed) = self.journal.state().closed(Phase::Finish).cloned() else {
            return Err(EngineError::Unfinished { feature });
        };
        let into = self.base_branch()?;
        let seq = self.seq_of_close(&closed);
        let code = self.journal.state().closed(Phase::Implement);
        let trailers = Trailers {
            ticket: format!("{}/merge", self.journal.scope()),
            seq,
            agents: self.writers(Phase::Implement),
            approved: code.map(|closed| self.approved(closed)).unwrap_or_default(),
        };
        let commit = match self.parts.merging.merged(&into, &trailers)? {
            Some(commit) => commit,
            None => {
                let (forecast, revision) = self.approved_forecast()?;
                self.require_checks()?;
                let mut checks = self.rules.checks.clone();
                if revision == closed.revision && self.end_is_as_written(&forecast)? {
                    checks.retain(|check| !self.is_settled(check, &closed));
                }
                self.check_again(&forecast, checks)?;
                let idea = one_line(&self.created.idea, 72);
                let message = format!("Merge feature {feature}-{}: {idea}", self.created.slug);
                let merge = Merge { into: &into, history, message: &message, trailers: &trailers };
                self.parts.workspace.require_readable(&self.created.base_commit)?;
                self.parts.boundaries.pass("before a merge");
                self.parts.merging.merge(&forecast, &merge)?
            }
        };
        self.parts.boundaries.pass("before a merge is stored");
        let merged = Merged { into, commit: commit.0, history, by: self.rules.person.clone() };
        self.journal.record(merged.clone())?;
        // A folder that stays is in nobody's way.
        let _ = self.parts.check_folder.put_away();
        Ok(merged)
    }

    /// A check that the feature was closed with is not dropped without a word.
    fn require_checks(&self) -> Result<(), EngineError> {
        let end = self.journal.state().past.iter().rev().find(|one| one.opened.phase == Phase::Finish);
        let known = |gate: &&String| self.rules.checks.iter().any(|check| check.name == **gate);
        let gone = end.and_then(|end| end.opened.checks.keys().find(|gate| !known(gate)));
        match gone {
            None => Ok(()),
            Some(gate) => Err(EngineError::CheckGone { feature: self.created.id, gate: gate.clone() }),
        }
    }

    /// Whether the end was decided on a result of exactly this check, on the commit alone or with a person's word for it.
    fn is_settled(&self, check: &Check, closed: &PhaseClosed) -> bool {
        let last = self.journal.entries().iter().rev().find_map(|entry| match &entry.event {
            Event::Checked(fact) if fact.gate == check.name && fact.revision == closed.revision => Some(fact),
            _ => None,
        });
        let alone = |fact: &Checked| fact.checkout.as_ref().is_some_and(|checkout| checkout.empty);
        last.is_some_and(|fact| fact.command == check.command && (!fact.passed || alone(fact)))
    }

    /// What would be merged now was never checked: the base moved after the feature was closed, or it was closed on a check
    /// of other files, as older versions of this program ran it.
    fn check_again(&mut self, forecast: &Forecast, checks: Vec<Check>) -> Result<(), EngineError> {
        for check in checks {
            let Some(result) = self.run_on_merge(&check, forecast)? else {
                // Nothing is known of it, and nothing was merged.
                return Err(WorkspaceError::Interrupted { command: check.command }.into());
            };
            if !result.passed {
                let (name, detail) = (check.name, one_line(&result.evidence, 400));
                return Err(EngineError::FailsMerged { feature: self.created.id, name, detail });
            }
        }
        Ok(())
    }

    fn seq_of_close(&self, closed: &PhaseClosed) -> u64 {
        let close = self
            .journal
            .entries()
            .iter()
            .rev()
            .find(|entry| matches!(&entry.event, Event::PhaseClosed(fact) if fact == closed));
        close.map_or(self.journal.state().seq, |entry| entry.seq)
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
