//! The values that a run is made of: its rules, the subject of a loop, and the texts its prompts are made from. Nothing
//! here decides anything.

use crate::boundary::Boundaries;
use crate::ports::{
    Agents, Check, CheckFolder, Checks, Clock, CommentBox, Deadlines, Inbox, Merging, Slots, Store,
    StoreError, Workspace,
};
use crate::progress::Progress;
use redraft_core::pipeline::Pipeline;
use redraft_documents::bank::{self, Index};
use redraft_documents::conventions::Conventions;
use redraft_documents::lint;
use redraft_facts::choice::{Knowledge, Policy};
use redraft_facts::event::{Certify, Extra, Limits, LoopOpened, Panel, PlannedTask};
use redraft_facts::findings::Threshold;
use redraft_facts::ids::{BlobId, Revision, Role};
use redraft_facts::phase::Phase;
use redraft_facts::redact::Redactor;
use redraft_facts::usage::Usd;
use redraft_roles::profile::RoleText;
use std::collections::BTreeMap;

/// The world a run works in.
#[derive(Clone, Copy)]
pub struct RunPorts<'a> {
    pub store: &'a dyn Store,
    pub workspace: &'a dyn Workspace,
    pub inbox: &'a dyn Inbox,
    /// Where people leave comments while this run drives.
    pub comments: &'a dyn CommentBox,
    pub clock: &'a dyn Clock,
    pub boundaries: &'a Boundaries,
    pub progress: &'a dyn Progress,
    /// Runs the project's own checks.
    pub checks: &'a dyn Checks,
    /// Where they run.
    pub check_folder: &'a dyn CheckFolder,
    /// Brings the feature's branch back to where it began.
    pub merging: &'a dyn Merging,
    /// Where tasks are carried out side by side.
    pub slots: &'a dyn Slots,
    pub agents: &'a dyn Agents,
    /// Takes secrets out of whatever is sent or stored.
    pub redactor: &'a Redactor,
}

/// The rules for a loop that this run opens.
#[derive(Debug, Clone)]
pub struct Rules {
    pub limits: Limits,
    pub threshold: Threshold,
    pub certify: Certify,
    pub policy: Policy,
    pub knowledge: Knowledge,
    pub config: BlobId,
    pub deadlines: Deadlines,
    /// What the feature may cost in all.
    pub budget: Usd,
    /// Who edits and decides, for the record.
    pub person: String,
    /// Whether its author revises; otherwise the run rests where a revision is due.
    pub revises: bool,
    /// The phase after which this run rests, though the feature goes on.
    pub until: Option<Phase>,
    /// Role texts of the repository, as their files are.
    pub profiles: BTreeMap<Role, String>,
    /// What roles are told about the feature's project.
    pub project: Option<String>,
    /// What the repository says about how work is done in it: files with their paths, as they are.
    pub conventions: Vec<(String, String)>,
    /// Which mechanical faults are looked for.
    pub lint: lint::LintSettings,
    /// What code must pass before anybody reviews it, in this order; a person has accepted these commands.
    pub checks: Vec<Check>,
    /// Whether they were accepted when the run began, so that those who plan code may be told of them.
    pub tells_checks: bool,
    /// What is done to code between its last task and its first review.
    pub extras: Vec<Extra>,
    /// How many tasks are carried out at once.
    pub jobs: u16,
    /// Whether a person is asked before code is written.
    pub asks_first: bool,
    /// The phases after which a person is asked to approve.
    pub asks_after: Vec<Phase>,
    pub finish: Finish,
}

impl Rules {
    /// The names of the project's checks.
    pub(crate) fn gates(&self) -> Vec<String> {
        self.checks.iter().map(|check| check.name.clone()).collect()
    }

    /// Their commands, by name.
    pub(crate) fn commands(&self) -> BTreeMap<String, String> {
        self.checks.iter().map(|check| (check.name.clone(), check.command.clone())).collect()
    }

    pub(crate) fn check(&self, name: &str) -> Option<&Check> {
        self.checks.iter().find(|check| check.name == name)
    }
}

/// What happens when a feature changes code and no documentation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum DocsGate {
    Off,
    /// A reminder is shown.
    #[default]
    Remind,
    /// A person must decide.
    Require,
}

/// How a feature ends in this repository.
#[derive(Debug, Clone, Default)]
pub struct Finish {
    pub docs: DocsGate,
    /// Whether an agent is asked to put the figures into words.
    pub retro: bool,
    /// What makes a new folder ready for checks; a person has accepted it.
    pub setup: Option<String>,
}

/// A change that is reviewed by itself, in its current state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeUnderReview {
    /// The commit it ends with, and all files of it.
    pub commit: String,
    pub revision: Revision,
    /// What it is compared with.
    pub base: Revision,
    /// The description of the change, without secrets; and the description of what is new in it since the last time.
    pub intent: String,
    pub said: String,
    /// Whether a check that has failed is to be run again though nothing has changed.
    pub again: bool,
}

/// What a loop is about.
#[derive(Default)]
pub(crate) struct Subject {
    pub(crate) panels: Vec<Panel>,
    pub(crate) paths: Vec<String>,
    pub(crate) base: Option<Revision>,
    pub(crate) gates: Vec<String>,
    /// The commands of those that are the project's own.
    pub(crate) checks: BTreeMap<String, String>,
    pub(crate) tasks: Vec<PlannedTask>,
    pub(crate) extras: BTreeMap<Extra, Role>,
    /// The bundle for the agent that looks back on the feature.
    pub(crate) bundle: Option<String>,
}

/// What a loop's prompts are made of in addition to its documents: facts of the feature, and texts that were stored
/// when the loop was opened.
#[derive(Debug, Clone, Copy)]
pub struct LoopFacts<'a> {
    pub pipeline: &'a Pipeline,
    pub loop_texts: &'a LoopTexts,
}

/// Texts that a loop was opened with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LoopTexts {
    /// What its roles are told about the project.
    pub project: Option<String>,
    /// Role texts of the repository, in place of the built-in ones.
    pub profiles: BTreeMap<Role, RoleText>,
    /// The bundle for the agent that looks back on the feature.
    pub bundle: Option<String>,
    /// The knowledge bank.
    pub bank: Option<Index>,
    /// What the repository says about how work is done in it.
    pub conventions: Conventions,
}

impl LoopTexts {
    /// The role texts a loop is opened with, out of all that the repository has.
    pub(crate) fn read(
        texts: &BTreeMap<Role, String>,
        named: &BTreeMap<Role, BlobId>,
    ) -> BTreeMap<Role, RoleText> {
        let own = texts.iter().filter(|(role, _)| named.contains_key(role));
        own.filter_map(|(role, text)| Some((role.clone(), RoleText::parse(text, role).ok()?))).collect()
    }

    /// The texts as they were stored when the loop was opened.
    pub fn load(store: &dyn Store, opened: &LoopOpened) -> Result<LoopTexts, StoreError> {
        let text = |blob: &BlobId| Ok(String::from_utf8_lossy(&store.blob(blob)?).into_owned());
        let project = opened.project.as_ref().map(text).transpose()?;
        let bundle = opened.bundle.as_ref().map(text).transpose()?;
        let mut profiles = BTreeMap::new();
        for (role, blob) in &opened.profiles {
            // What was stored has been accepted before.
            if let Ok(read) = RoleText::parse(&text(blob)?, role) {
                profiles.insert(role.clone(), read);
            }
        }
        let bank = opened.bank.as_ref().map(|blob| store.blob(blob)).transpose()?;
        let bank = bank.map(|bytes| Index::new(bank::decode(&bytes)));
        let conventions = opened.conventions.as_ref().map(|blob| store.blob(blob)).transpose()?;
        let conventions = conventions.map(|bytes| Conventions::decode(&bytes)).unwrap_or_default();
        Ok(LoopTexts { project, profiles, bundle, bank, conventions })
    }
}
