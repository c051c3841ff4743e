//! Opens the loop of a phase: decides what it is about, and which rules and texts it keeps until its end.
//!
//! Start at [`Opening::open`]. The tasks to carry out are in `task_plan`, the subject of the last phase in `finishing`.

use crate::base::Base;
use crate::compose::{asked, source};
use crate::ending::EngineError;
use crate::journal::Journal;
use crate::ports::ALL_FILES;
use crate::task_plan::planned;
use crate::values::{ChangeUnderReview, LoopTexts, Rules, Subject};
use crate::worktree::Worktree;
use redraft_core::pipeline::put_off;
use redraft_documents::bank::{self, Index};
use redraft_documents::conventions::Conventions;
use redraft_facts::event::{Certify, Extra, LoopOpened};
use redraft_facts::ids::Role;
use redraft_facts::phase::{Lane, Phase};
use redraft_facts::text::hash;
use redraft_roles::profile;
use std::collections::BTreeMap;

/// A larger file of the knowledge bank is not kept with a loop; this size is enough for some ten thousand entries.
const BANK_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Opens loops.
pub(crate) struct Opening<'r, 'a> {
    pub(crate) journal: &'r mut Journal<'a>,
    pub(crate) base: Base<'r>,
    pub(crate) worktree: Worktree<'r>,
    pub(crate) rules: &'r Rules,
    /// Replaced by those of the loop that is opened.
    pub(crate) loop_texts: &'r mut LoopTexts,
    /// The change, where one is reviewed by itself.
    pub(crate) change: Option<&'r ChangeUnderReview>,
}

impl Opening<'_, '_> {
    /// Opens the loop of a document or of code.
    pub(crate) fn open(&mut self, phase: Phase, pass: u16) -> Result<(), EngineError> {
        let subject = match (phase, self.change) {
            (Phase::Implement, Some(change)) => self.change(change),
            (Phase::Implement, None) => self.code()?,
            _ => self.document(phase)?,
        };
        self.begin(phase, pass, subject)
    }

    fn document(&self, phase: Phase) -> Result<Subject, EngineError> {
        let lane = self.lane();
        let mut upstream: Vec<String> =
            phase.upstream().iter().map(|name| self.worktree.created.path_of(name)).collect();
        self.worktree.require_upstream(self.journal.state(), phase)?;
        upstream.extend(self.source_of_prd()?);
        let base = self.worktree.workspace.revision(&upstream)?;
        let orphan = base.is_none() && !self.was_asked_for(phase);
        let document = self.worktree.created.document.clone();
        let mut paths =
            vec![document.clone().unwrap_or_else(|| self.worktree.created.path_of(phase.artifact()))];
        paths.extend(upstream);
        let panels = match document {
            Some(_) => profile::domain_panel(phase),
            None if !lane.reviews() => Vec::new(),
            // The hand-off is judged by what the document was made from.
            None if orphan => profile::domain_panel(phase),
            None => profile::panels(phase),
        };
        // Whoever orders the work and writes the tasks is to name the commands that will be run.
        let tells = self.rules.tells_checks && matches!(phase, Phase::CreatePlan | Phase::CreateTasks);
        let checks = if tells { self.rules.commands() } else { BTreeMap::new() };
        Ok(Subject { panels, paths, base, gates: vec!["lint".to_owned()], checks, ..Subject::default() })
    }

    /// Carries out the tasks and has the code reviewed.
    fn code(&self) -> Result<Subject, EngineError> {
        self.worktree.require_upstream(self.journal.state(), Phase::Implement)?;
        let tasks = planned(self.worktree, self.journal.state())?;
        let extras = self.rules.extras.iter().filter(|_| self.lane() != Lane::Express);
        let extras = extras.map(|extra| (*extra, helper(*extra))).collect();
        let base = Some(self.base.of_code()?);
        Ok(Subject { base, tasks, extras, ..self.checked_code() })
    }

    /// Reviews a change by itself: no agent carries out anything.
    fn change(&self, change: &ChangeUnderReview) -> Subject {
        Subject { base: Some(change.base.clone()), ..self.checked_code() }
    }

    fn checked_code(&self) -> Subject {
        let panels = profile::panels_in(Phase::Implement, self.lane());
        let paths = vec![ALL_FILES.to_owned()];
        let (gates, checks) = (self.rules.gates(), self.rules.commands());
        Subject { panels, paths, gates, checks, ..Subject::default() }
    }

    /// Whether a person is asked to approve what a phase made; the end of a feature is asked about when it is merged.
    fn asks_after(&self, phase: Phase) -> bool {
        let created = &self.worktree.created;
        let wanted = self.rules.asks_after.contains(&phase) || created.ask_after.contains(&phase);
        wanted && phase != Phase::Finish && !created.is_review()
    }

    /// Stores that a loop begins, with the rules of this run.
    pub(crate) fn begin(&mut self, phase: Phase, pass: u16, subject: Subject) -> Result<(), EngineError> {
        let Subject { panels, paths, base, gates, checks, tasks, extras, bundle } = subject;
        let mut blobs: Vec<Vec<u8>> = Vec::new();
        let mut kept = |text: &str| {
            blobs.push(text.as_bytes().to_vec());
            hash(text.as_bytes())
        };
        let cast: Vec<Role> =
            profile::participants(phase).iter().map(|profile| Role::new(profile.role)).collect();
        let own = self.rules.profiles.iter().filter(|(role, _)| cast.contains(role));
        let profiles = own.map(|(role, text)| (role.clone(), kept(text))).collect();
        let project = self.rules.project.as_deref().map(&mut kept);
        let kept_bundle = bundle.as_deref().map(&mut kept);
        let builds = !tasks.is_empty();
        let bank = self.kept_bank()?;
        blobs.extend(bank.clone());
        let conventions = self.conventions();
        let kept_conventions = conventions.encode();
        blobs.extend(kept_conventions.clone());
        let opened = LoopOpened {
            phase,
            pass,
            author: profile::author(phase),
            panels,
            paths,
            gates,
            limits: self.rules.limits,
            rule: self.rules.threshold,
            certify: match self.lane() {
                _ if phase == Phase::Finish => Certify::Off,
                Lane::Express | Lane::Standard if self.worktree.created.is_review() => {
                    match self.rules.certify {
                        // It is never closed, so a reviewer must look at what comes after an approval.
                        Certify::Off | Certify::Resume => Certify::Resume,
                        Certify::Fresh => Certify::Fresh,
                    }
                }
                Lane::Express => Certify::Off,
                Lane::Standard => self.rules.certify,
                Lane::Deep => Certify::Fresh,
            },
            policy: self.rules.policy,
            knowledge: self.rules.knowledge,
            config: self.rules.config.clone(),
            base: base.clone(),
            profiles,
            project,
            tasks,
            extras,
            checks,
            asks_first: self.rules.asks_first && builds && pass == 1,
            bundle: kept_bundle,
            bank: bank.as_deref().map(hash),
            same_hand: self.lane() == Lane::Express && !self.worktree.created.is_review(),
            put_off: put_off::for_loop(self.journal.state(), phase),
            conventions: kept_conventions.as_deref().map(hash),
            asks_after: self.asks_after(phase),
        };
        *self.loop_texts = LoopTexts {
            project: self.rules.project.clone(),
            bundle,
            profiles: LoopTexts::read(&self.rules.profiles, &opened.profiles),
            bank: bank.map(|bytes| Index::new(bank::decode(&bytes))),
            conventions,
        };
        // Kept from git's garbage collection before anything names it: prompts are built from it until there is a
        // draft.
        if let Some(base) = &base {
            self.worktree.workspace.keep(&self.worktree.anchor(phase, pass, "0"), base)?;
            self.worktree.boundaries.pass("before a loop with a base is stored");
        }
        self.journal.append(vec![opened.into()], &blobs)
    }

    /// The knowledge bank of the worktree, without secrets. A change that is reviewed by itself is judged without
    /// entries it may have written there.
    fn kept_bank(&self) -> Result<Option<Vec<u8>>, EngineError> {
        if self.worktree.created.change.is_some() {
            return Ok(None);
        }
        let mut files = Vec::new();
        for kind in bank::BankFile::ALL {
            let bytes =
                self.worktree.workspace.read(kind.path())?.filter(|bytes| bytes.len() <= BANK_BYTES_MAX);
            // What is not text teaches nothing; `redraft bank` reports it.
            if let Some(text) = bytes.and_then(|bytes| String::from_utf8(bytes).ok()) {
                files.push((kind, self.worktree.redactor.redact(&text).0.into_owned()));
            }
        }
        Ok(bank::encode(&files))
    }

    /// What the repository says about how work is done in it, without secrets.
    fn conventions(&self) -> Conventions {
        let redacted = |(path, text): &(String, String)| {
            (path.clone(), self.worktree.redactor.redact(text).0.into_owned())
        };
        let found: Vec<(String, String)> = self.rules.conventions.iter().map(redacted).collect();
        Conventions::new(&found, |path, text| {
            let there = self.worktree.workspace.read(path).ok().flatten();
            there.is_some_and(|bytes| bytes == text.as_bytes())
        })
    }

    /// The file that stands in for a PRD (I8): the one the feature came from, where it can be read and there is no other.
    fn source_of_prd(&self) -> Result<Option<String>, EngineError> {
        let own = self.worktree.created.path_of("prd.md");
        let Some(source) = source(self.worktree.created) else { return Ok(None) };
        let source = [source.to_owned()];
        // What cannot be taken into a revision cannot be shown either; then there is no PRD.
        let readable = matches!(self.worktree.workspace.revision(&source), Ok(Some(_)));
        let missing = self.worktree.workspace.read(&own)?.is_none();
        Ok(source.into_iter().next().filter(|_| readable && missing))
    }

    pub(crate) fn lane(&self) -> Lane {
        self.journal.state().created.as_ref().map_or(self.worktree.created.lane, |created| created.lane)
    }

    /// Whether a document can be held beside what a person asked for: only a specification is.
    fn was_asked_for(&self, phase: Phase) -> bool {
        phase == Phase::Specify && !asked(self.journal.state(), self.worktree.created).trim().is_empty()
    }
}

/// The role that does this work after the tasks.
fn helper(extra: Extra) -> Role {
    Role::new(match extra {
        Extra::Simplify => "code-simplifier",
        Extra::Deepen => "test-deepener",
    })
}
