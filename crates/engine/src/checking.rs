//! Runs the checks of code on a clean checkout of the commit they are about, never where an agent worked.
//!
//! Results on the way may come from a checkout that kept what earlier checks built. A result that an approval or a
//! merge depends on comes from an empty one: the commit, what `[workspace]` prepares, and what the checks of this very
//! commit made. Start at [`Checking::result_of`].

use crate::ending::EngineError;
use crate::journal::Journal;
use crate::landing::commit_of_combination;
use crate::ports::{Check, CheckFolder, CheckRun, CheckedOut, Checks, SetUp, WorkspaceError};
use crate::values::Rules;
use crate::worktree::Worktree;
use redraft_facts::event::{Checked, Checkout, Event};
use redraft_facts::ids::Revision;
use redraft_facts::text::{count, one_line};
use std::collections::BTreeSet;

/// How many of the files that a command changed are named.
const NAMED_MAX: usize = 10;

/// How many earlier results are looked at, the latest first: each costs a comparison of two trees.
const KNOWN_MAX: usize = 5;

/// The checks that were run since the checkout was emptied.
pub(crate) struct Series {
    tree: Revision,
    ran: BTreeSet<String>,
}

/// How a command ended on a commit.
struct Ran {
    run: CheckRun,
    /// The command this is the end of: the check, or the setup that it could not be run without.
    command: String,
    checkout: Checkout,
    /// Whether the checkout was set up for another commit.
    stale: bool,
}

/// What is stored about a check.
pub(crate) struct CheckResult {
    pub(crate) passed: bool,
    pub(crate) evidence: String,
    pub(crate) code: Option<i32>,
    pub(crate) wall_ms: u64,
    pub(crate) output: String,
    pub(crate) checkout: Checkout,
}

/// Runs checks on commits.
pub(crate) struct Checking<'r, 'a> {
    pub(crate) journal: &'r mut Journal<'a>,
    pub(crate) worktree: Worktree<'r>,
    pub(crate) rules: &'r Rules,
    pub(crate) checks: &'r dyn Checks,
    pub(crate) check_folder: &'r dyn CheckFolder,
    /// The checks that were run since the check folder was emptied.
    pub(crate) series: &'r mut Option<Series>,
}

impl Checking<'_, '_> {
    /// Runs one of the project's checks on the commit that holds this revision.
    pub(crate) fn check_code(
        &mut self,
        revision: Revision,
        gate: String,
        empty: bool,
    ) -> Result<(), EngineError> {
        let pass = self.journal.open_loop()?.opened.pass;
        let Some(check) = self.rules.check(&gate).cloned() else {
            return Err(EngineError::NoSuchCheck { gate });
        };
        let may_commit = self.worktree.created.change.is_none();
        let commit = match commit_of_combination(self.journal.open_loop()?, &revision) {
            Some(commit) => commit,
            None => self.worktree.committed(&revision, may_commit.then_some(self.journal.seq()))?,
        };
        let Some(result) = self.result_of(&check, &commit, empty, &self.worktree.projections())? else {
            // Nothing is known about it; the next run asks again.
            return Ok(());
        };
        let CheckResult { passed, evidence, code, wall_ms, output, checkout } = result;
        let (command, checkout) = (check.command, Some(checkout));
        self.worktree.boundaries.pass("before a check is stored");
        let checked =
            Checked { pass, revision, gate, passed, evidence, command, code, wall_ms, output, checkout };
        self.journal.record(checked)
    }

    /// Runs a check on a commit, or finds that it has passed on the same files already. `except` are files that only
    /// describe the feature and are not part of what is checked. None where the run was stopped, because then nothing
    /// is known.
    pub(crate) fn result_of(
        &mut self,
        check: &Check,
        commit: &str,
        empty: bool,
        except: &[String],
    ) -> Result<Option<CheckResult>, EngineError> {
        if empty && let Some(known) = self.known(check, commit, except)? {
            return Ok(Some(known));
        }
        let mut ran = self.run_on(check, commit, empty)?;
        let failed = ran.run.code != Some(0) && !ran.run.stopped;
        if failed && ran.stale && !ran.checkout.empty {
            // It may have failed only because setup has not been run for this commit.
            ran = self.run_on(check, commit, true)?;
        }
        let Ran { run, command, checkout, .. } = ran;
        let CheckRun { code, wall_ms, tail, stopped, .. } = run;
        if stopped {
            return Ok(None);
        }
        let passed = code == Some(0);
        let (evidence, output) = match (passed, code) {
            (true, _) => (String::new(), tail),
            (false, Some(code)) => (format!("`{command}` ended with code {code}\n{tail}"), String::new()),
            (false, None) => (format!("`{command}` did not end by itself\n{tail}"), String::new()),
        };
        Ok(Some(CheckResult { passed, evidence, code, wall_ms, output, checkout }))
    }

    /// The result of the same command on the same files, prepared in the same way, in an empty checkout.
    fn known(
        &self,
        check: &Check,
        commit: &str,
        except: &[String],
    ) -> Result<Option<CheckResult>, EngineError> {
        let (tree, prepared) = (self.worktree.workspace.tree_of(commit)?, self.check_folder.prepared()?);
        let passed = self.journal.entries().iter().rev().filter_map(|entry| match &entry.event {
            Event::Checked(fact) if fact.passed && fact.code == Some(0) => {
                Some((entry.seq, fact, fact.checkout.as_ref()?))
            }
            _ => None,
        });
        let same = passed.filter(|(_, fact, then)| {
            let same_command = fact.gate == check.name && fact.command == check.command;
            same_command && then.empty && then.prepared == prepared
        });
        for (seq, fact, then) in same.take(KNOWN_MAX) {
            let differ = match self.worktree.workspace.all_changed(&then.tree, &tree) {
                Ok(differ) => differ,
                // What it was about cannot be found out any more.
                Err(WorkspaceError::AnchorLost(_)) => continue,
                Err(error) => return Err(error.into()),
            };
            if differ.iter().any(|path| !except.contains(path)) {
                continue;
            }
            let same_as = then.same_as.or(Some(seq));
            let checkout =
                Checkout { commit: commit.to_owned(), tree, same_as, notes: Vec::new(), ..then.clone() };
            let (evidence, output) = (String::new(), fact.output.clone());
            let known = CheckResult { passed: true, evidence, code: Some(0), wall_ms: 0, output, checkout };
            return Ok(Some(known));
        }
        Ok(None)
    }

    fn run_on(&mut self, check: &Check, commit: &str, empty: bool) -> Result<Ran, EngineError> {
        let tree = self.worktree.workspace.tree_of(commit)?;
        let goes_on =
            self.series.as_ref().is_some_and(|one| one.tree == tree && !one.ran.contains(&check.name));
        let prepared = self.check_folder.prepared()?;
        // Whatever happens from here on, a checkout that was left half done is not an empty one.
        let earlier = self.series.take().filter(|_| goes_on);
        let checked_out = self.check_folder.check_out(commit, empty && !goes_on)?;
        let mut series = earlier
            .or_else(|| checked_out.emptied.then(|| Series { tree: tree.clone(), ran: BTreeSet::new() }));
        let mut checkout = Checkout {
            commit: commit.to_owned(),
            tree,
            empty: series.is_some(),
            prepared,
            same_as: None,
            notes: checked_out.notes.clone(),
            sandbox: None,
            refused: None,
        };
        let stale = checked_out.set_up == SetUp::ForAnother && self.rules.finish.setup.is_some();
        if checked_out.set_up == SetUp::Not
            && let Some((run, command)) = self.set_up(&checked_out, &mut checkout.notes)?
        {
            note_sandbox(&mut checkout, &run);
            return Ok(Ran { run, command, checkout, stale: false });
        }
        let run = self.watched(check, &checked_out, &mut checkout.notes)?;
        note_sandbox(&mut checkout, &run);
        if let Some(series) = &mut series {
            series.ran.insert(check.name.clone());
        }
        *self.series = series.filter(|_| !run.stopped);
        Ok(Ran { run, command: check.command.clone(), checkout, stale })
    }

    /// Prepares a checkout with the project's setup command. Returns how that ended, unless it ended well.
    fn set_up(
        &self,
        checked_out: &CheckedOut,
        notes: &mut Vec<String>,
    ) -> Result<Option<(CheckRun, String)>, EngineError> {
        if let Some(command) = self.rules.finish.setup.clone() {
            let setup = Check { name: "setup".to_owned(), command: command.clone() };
            let mut run = self.guarded(&setup, checked_out, notes)?;
            if run.code != Some(0) {
                run.tail.push_str("\n(this is the setup of a clean checkout; the check was not run)");
                return Ok(Some((run, command)));
            }
        }
        let changed = self.check_folder.set_up()?;
        notes.extend(named(&changed).map(|files| format!("setup changed {files}, which was put back")));
        Ok(None)
    }

    /// Runs a check and notes which files of the commit it changed; they are put back before the next check.
    fn watched(
        &self,
        check: &Check,
        checked_out: &CheckedOut,
        notes: &mut Vec<String>,
    ) -> Result<CheckRun, EngineError> {
        let mut run = self.guarded(check, checked_out, notes)?;
        if let Some(files) = named(&self.check_folder.changed()?) {
            run.tail.push_str(&format!("\n(put back after the check: {files})"));
            notes.push(format!("the check changed {files}, which is put back"));
        }
        Ok(run)
    }

    /// Runs a command of the project. It may run code that an agent wrote, so what it did to the repository itself is undone.
    fn guarded(
        &self,
        check: &Check,
        checked_out: &CheckedOut,
        notes: &mut Vec<String>,
    ) -> Result<CheckRun, EngineError> {
        self.worktree.workspace.note_git()?;
        let ran = self.checks.run(check, &checked_out.folder);
        let name = format!("{}/check-{}", self.worktree.created.scope(), one_line(&check.name, 40));
        notes.extend(self.worktree.workspace.put_git_back(&name)?);
        ran.map_err(|detail| EngineError::Check { name: check.name.clone(), detail })
    }
}

fn note_sandbox(checkout: &mut Checkout, run: &CheckRun) {
    checkout.sandbox.clone_from(&run.sandbox);
    checkout.refused.clone_from(&run.refused);
}

/// The names of some files, or nothing.
fn named(files: &[String]) -> Option<String> {
    let shown: Vec<String> = files.iter().take(NAMED_MAX).map(|file| one_line(file, 120)).collect();
    let more = match files.len().saturating_sub(NAMED_MAX) {
        0 => String::new(),
        more => format!(" and {}", count(more, "more file")),
    };
    (!shown.is_empty()).then(|| shown.join(", ") + &more)
}
