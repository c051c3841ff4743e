//! What a repair does to one feature: branch, worktree, and the events that say so.

use super::{Finding, Sick, lost_phase};
use redraft_adapters::git::GitWorkspace;
use redraft_adapters::shell_word::quoted_path;
use redraft_adapters::sqlite::Ledger;
use redraft_engine::ports::{Trailers, Workspace};
use redraft_engine::standing;
use redraft_facts::event::{Event, FeatureCreated, Lost, WentBack};
use redraft_facts::phase::Phase;
use redraft_facts::text::count;
use redraft_frame::errors::CliError;
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;
use redraft_reports::projections;
use std::path::Path;

pub(super) struct Surgery<'a> {
    pub(super) repo: &'a RepositoryContext,
    pub(super) ledger: &'a Ledger,
    pub(super) aside: &'a Path,
    pub(super) process: &'a ProcessContext,
}

impl Surgery<'_> {
    pub(super) fn perform(&self, one: &mut Finding) -> Result<(), CliError> {
        let Finding { feature, back_to, broken_refs, done, sick, .. } = one;
        let (git, created) = (&self.repo.repository, &sick.created);
        for name in broken_refs.iter() {
            git.drop_ref(name, self.aside)?;
        }
        let worktree = self.repo.worktree(created)?;
        if let Some(commit) = back_to {
            git.put_branch(&created.branch, commit, &worktree, self.aside)?;
            let short = commit.get(..10).unwrap_or(commit);
            done.push(format!("its branch is at commit {short}"));
        }
        let mut events = Vec::new();
        let mut at_rest = true;
        if let Some(open) = &sick.state.open {
            for (_, flight) in open.flights() {
                at_rest &= flight.answered.is_none() && (back_to.is_some() || sick.began_on_lost);
                if flight.answered.is_none() && (back_to.is_some() || sick.began_on_lost) {
                    let (ticket, cost) = (flight.started.ticket.clone(), flight.started.reserved);
                    events.push(Event::from(Lost { ticket, cost, undone: Vec::new() }));
                }
            }
        }
        if self.repo.is_there(created)? {
            let place = self.repo.workspace(created)?;
            place.reset_index(self.aside)?;
            let gone_back = self.settle_files(&place, sick, done)?;
            if let Some(phase) = gone_back {
                if at_rest {
                    let (by, why) = (self.process.user.clone(), "git has lost what was approved".to_owned());
                    events.push(WentBack { phase, by, why }.into());
                    done.push(format!("{phase} is done again, because what was approved is lost"));
                } else {
                    done.push(format!("what {phase} approved is lost; after the next run: redraft phase back {feature} {phase} --why \"…\""));
                }
            }
        }
        self.store(created, events)
    }

    /// Commits the files of the worktree again where they are what the ledger knows, and puts them back to the branch's
    /// state where they are not. Returns the first phase whose approved document is gone.
    fn settle_files(
        &self,
        workspace: &GitWorkspace,
        sick: &Sick,
        done: &mut Vec<String>,
    ) -> Result<Option<Phase>, CliError> {
        let Sick { created, state, .. } = sick;
        let ours: Vec<String> = projections::FILES.iter().map(|name| created.path_of(name)).collect();
        let mut files = workspace.uncommitted_files()?;
        files.retain(|file| !ours.contains(file));
        let open = state.open.as_ref().filter(|open| open.finishing.is_none());
        let as_known = match open.map(|open| (open, open.revision.as_ref())) {
            Some((open, Some(known))) => standing(workspace, created, &open.opened)?.as_ref() == Some(known),
            Some((_, None)) => true,
            None => lost_phase(workspace, state, created)?.is_none(),
        };
        if !files.is_empty() && as_known && lost_phase(workspace, state, created)?.is_none() {
            let trailers = Trailers { seq: state.seq, ..Trailers::default() };
            workspace.commit(&files, "redraft: what a repair found in the worktree", &trailers)?;
            done.push(format!(
                "committed again from its worktree, unchanged: {}",
                count(files.len(), "file")
            ));
        } else if !files.is_empty() {
            workspace.put_files_back(&files, self.aside)?;
            let kept = quoted_path(self.aside.join("worktree"));
            done.push(format!("reset to that commit: {}; a copy is in {kept}", count(files.len(), "file")));
        }
        if let Some((open, known)) = open.and_then(|open| Some((open, open.revision.as_ref()?)))
            && standing(workspace, created, &open.opened)?.as_ref() == Some(known)
        {
            let (phase, pass, epoch) = (open.opened.phase, open.opened.pass, open.epoch);
            workspace.keep(&format!("{}/{phase}.{pass}/{epoch}", created.scope()), known)?;
        }
        lost_phase(workspace, state, created)
    }

    fn store(&self, created: &FeatureCreated, events: Vec<Event>) -> Result<(), CliError> {
        if events.is_empty() {
            return Ok(());
        }
        self.process.journal(self.ledger, created.scope())?.append(events, &[])?;
        Ok(())
    }
}
