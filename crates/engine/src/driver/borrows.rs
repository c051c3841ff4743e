//! Lends each part of the engine what it needs of a run: the journal, the ports and the rules, and nothing else.

use super::Run;
use crate::asking::Asking;
use crate::base::Base;
use crate::building::Building;
use crate::checking::Checking;
use crate::closing::Closing;
use crate::conclude::Concluding;
use crate::edits::Edits;
use crate::finishing::FinishPhase;
use crate::gates::DocumentGates;
use crate::landing::Landing;
use crate::learning::Learning;
use crate::opening::Opening;
use crate::ports::Workspace;
use crate::recover::Recovering;
use crate::returning::Returning;
use crate::sending::Sending;
use crate::starting::Starting;
use crate::values::RunPorts;
use crate::worktree::Worktree;
use redraft_facts::event::FeatureCreated;

fn worktree<'r>(parts: &RunPorts<'r>, created: &'r FeatureCreated) -> Worktree<'r> {
    let RunPorts { workspace, redactor, boundaries, .. } = *parts;
    Worktree { workspace, redactor, boundaries, created }
}

fn base<'r>(parts: &RunPorts<'r>, created: &'r FeatureCreated) -> Base<'r> {
    Base { worktree: worktree(parts, created), merging: parts.merging }
}

impl<'a> Run<'a> {
    pub(crate) fn worktree(&self) -> Worktree<'_> {
        worktree(&self.parts, &self.created)
    }

    pub(super) fn opening(&mut self) -> Opening<'_, 'a> {
        Opening {
            journal: &mut self.journal,
            worktree: worktree(&self.parts, &self.created),
            base: base(&self.parts, &self.created),
            rules: &self.rules,
            loop_texts: &mut self.loop_texts,
            change: self.change.as_ref(),
        }
    }

    pub(super) fn document_gates(&mut self) -> DocumentGates<'_, 'a> {
        DocumentGates {
            journal: &mut self.journal,
            worktree: worktree(&self.parts, &self.created),
            loop_texts: &self.loop_texts,
            lint: &self.rules.lint,
        }
    }

    pub(super) fn checking(&mut self) -> Checking<'_, 'a> {
        Checking {
            journal: &mut self.journal,
            worktree: worktree(&self.parts, &self.created),
            rules: &self.rules,
            checks: self.parts.checks,
            check_folder: self.parts.check_folder,
            series: &mut self.series,
        }
    }

    pub(super) fn finishing(&mut self) -> FinishPhase<'_, 'a> {
        let merging = self.parts.merging;
        let checking = self.checking();
        FinishPhase { base: Base { worktree: checking.worktree, merging }, checking }
    }

    pub(super) fn learning(&mut self) -> Learning<'_, 'a> {
        Learning {
            journal: &mut self.journal,
            worktree: worktree(&self.parts, &self.created),
            base: base(&self.parts, &self.created),
            finish: &self.rules.finish,
        }
    }

    pub(super) fn building(&mut self) -> Building<'_, 'a> {
        Building { journal: &mut self.journal, worktree: worktree(&self.parts, &self.created) }
    }

    pub(super) fn landing(&mut self) -> Landing<'_, 'a> {
        let slots = self.parts.slots;
        Landing { journal: &mut self.journal, worktree: worktree(&self.parts, &self.created), slots }
    }

    pub(super) fn concluding(&mut self) -> Concluding<'_, 'a> {
        Concluding { journal: &mut self.journal, worktree: worktree(&self.parts, &self.created) }
    }

    pub(super) fn closing(&mut self) -> Closing<'_, 'a> {
        Closing { journal: &mut self.journal, worktree: worktree(&self.parts, &self.created) }
    }

    pub(super) fn edits(&mut self) -> Edits<'_, 'a> {
        Edits {
            journal: &mut self.journal,
            worktree: worktree(&self.parts, &self.created),
            base: base(&self.parts, &self.created),
            person: &self.rules.person,
            based: &mut self.based,
        }
    }

    pub(super) fn asking(&mut self) -> Asking<'_, 'a> {
        let RunPorts { workspace, agents, .. } = self.parts;
        Asking { journal: &mut self.journal, workspace, agents, rules: &self.rules }
    }

    pub(crate) fn starting(&mut self) -> Starting<'_, 'a> {
        Starting {
            journal: &mut self.journal,
            worktree: worktree(&self.parts, &self.created),
            agents: self.parts.agents,
            rules: &self.rules,
            loop_texts: &self.loop_texts,
            experience: &mut self.experience,
            before: &mut self.before,
            kept: &self.kept,
            only_reviews: self.change.is_some(),
            draw: self.draw.as_ref(),
            slots: self.parts.slots,
        }
    }

    pub(super) fn sending(&mut self) -> Sending<'_, 'a> {
        let RunPorts { inbox, progress, checks, check_folder, .. } = self.parts;
        Sending { starting: self.starting(), inbox, progress, checks, check_folder }
    }

    pub(crate) fn returning(&mut self) -> Returning<'_, 'a> {
        self.returning_in(None)
    }

    /// The same for work in a worktree of its own.
    fn returning_in<'o>(&'o mut self, own: Option<&'o (dyn Workspace + 'static)>) -> Returning<'o, 'a> {
        let feature = worktree(&self.parts, &self.created);
        Returning {
            journal: &mut self.journal,
            worktree: Worktree { workspace: own.map_or(feature.workspace, |own| own), ..feature },
            before: &mut self.before,
            inbox: self.parts.inbox,
            check_folder: self.parts.check_folder,
        }
    }

    pub(super) fn recovering<'o>(
        &'o mut self,
        own: Option<&'o (dyn Workspace + 'static)>,
    ) -> Recovering<'o, 'a> {
        let (RunPorts { agents, inbox, .. }, limit) = (self.parts, self.rules.budget);
        Recovering { returning: self.returning_in(own), agents, inbox, limit }
    }
}
