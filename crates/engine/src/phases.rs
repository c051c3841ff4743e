//! Opens the loop of a phase, checks its document by gates, and says where a run rests before the feature's end.

use crate::building::is_code;
use crate::compose::{Papers, source};
use crate::driver::Run;
use crate::ending::{EngineError, Stop};
use redraft_core::bank::{self, Index};
use redraft_core::event::{Certify, Checked, Extra, LoopOpened, Panel, PlannedTask};
use redraft_core::ids::{Revision, Role};
use redraft_core::lint;
use redraft_core::phase::{Lane, Phase};
use redraft_core::profile;
use redraft_core::review::{Effect, Loop};
use redraft_core::text::hash;
use redraft_core::ticket::Purpose;
use std::collections::BTreeMap;

/// So many files that a document names are looked for.
const FILES_MAX: usize = 200;

/// A file of the knowledge bank that is larger is kept with no loop; it would hold some ten thousand entries.
const BANK_BYTES_MAX: usize = 4 * 1024 * 1024;

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
    /// What whoever looks back on the feature is told.
    pub(crate) bundle: Option<String>,
}

/// What a prompt has room for.
fn first_lines(text: &str) -> String {
    const LINES_MAX: usize = 20;
    let mut lines: Vec<&str> = text.lines().take(LINES_MAX).collect();
    let left = text.lines().count().saturating_sub(LINES_MAX);
    let more = format!("… and {left} more: redraft lint");
    if left > 0 {
        lines.push(&more);
    }
    lines.join("\n")
}

impl Run<'_> {
    /// Whether the next thing owed is a phase that this run was not asked for.
    pub(crate) fn is_far_enough(&self, effects: &[Effect]) -> bool {
        let Some(until) = self.rules.until else { return false };
        matches!(effects, [Effect::Open { phase, .. }] if *phase > until)
    }

    /// Where a run rests that goes on only when a person has edited the document: a revision is due that its author is not
    /// to make, or a document by itself or a change by itself is approved. Such a one is never closed: the next time it is looked at, the
    /// reviewer that knows it is asked about what changed.
    pub(crate) fn rests_with_a_person(&self, effects: &[Effect]) -> Option<Stop> {
        let writes = |purpose: Purpose| matches!(purpose, Purpose::Revise | Purpose::Draft);
        match effects {
            [Effect::ClosePhase { .. }] if self.created.is_review() => Some(Stop::Done),
            [Effect::Dispatch(order)] if !self.rules.revises && writes(order.ticket.purpose) => {
                Some(Stop::Findings)
            }
            _ => None,
        }
    }

    pub(crate) fn open(&mut self, phase: Phase, pass: u16) -> Result<(), EngineError> {
        match phase {
            Phase::Implement => return self.open_code(pass),
            Phase::Finish => return self.open_finish(pass),
            Phase::Specify | Phase::Design | Phase::CreatePlan | Phase::CreateTasks | Phase::Document => {}
        }
        let lane = self.lane();
        let mut upstream: Vec<String> =
            phase.upstream().iter().map(|name| self.created.path_of(name)).collect();
        self.require_upstream(phase)?;
        upstream.extend(self.source_of_prd()?);
        let base = self.parts.workspace.revision(&upstream)?;
        let document = self.created.document.clone();
        let mut paths = vec![document.clone().unwrap_or_else(|| self.created.path_of(phase.artifact()))];
        paths.extend(upstream);
        let panels = match document {
            Some(_) => profile::domain_panel(phase),
            None if lane.reviews() => profile::panels(phase),
            None => Vec::new(),
        };
        self.begin(
            phase,
            pass,
            Subject { panels, paths, base, gates: vec!["lint".to_owned()], ..Subject::default() },
        )
    }

    /// Stores that a loop begins, with the rules of this run.
    pub(crate) fn begin(&mut self, phase: Phase, pass: u16, subject: Subject) -> Result<(), EngineError> {
        let Subject { panels, paths, base, gates, checks, tasks, extras, bundle } = subject;
        let mut blobs: Vec<Vec<u8>> = Vec::new();
        let mut kept = |text: &str| {
            blobs.push(text.as_bytes().to_vec());
            hash(text.as_bytes())
        };
        let cast: Vec<Role> = profile::cast(phase).iter().map(|profile| Role::new(profile.role)).collect();
        let own = self.rules.profiles.iter().filter(|(role, _)| cast.contains(role));
        let profiles = own.map(|(role, text)| (role.clone(), kept(text))).collect();
        let project = self.rules.project.as_deref().map(&mut kept);
        let kept_bundle = bundle.as_deref().map(&mut kept);
        let builds = !tasks.is_empty();
        let bank = self.kept_bank()?;
        blobs.extend(bank.clone());
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
                Lane::Express | Lane::Standard if self.created.is_review() => match self.rules.certify {
                    // It is never closed, so somebody must look at what comes after an approval.
                    Certify::Off | Certify::Resume => Certify::Resume,
                    Certify::Fresh => Certify::Fresh,
                },
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
            same_hand: self.lane() == Lane::Express && !self.created.is_review(),
        };
        self.papers = Papers {
            project: self.rules.project.clone(),
            bundle,
            profiles: Papers::read(&self.rules.profiles, &opened.profiles),
            bank: bank.map(|bytes| Index::of(bank::decode(&bytes))),
        };
        // Kept from git's collection before anything names it: prompts are built from it until there is a draft.
        if let Some(base) = &base {
            self.parts.workspace.keep(&self.anchor(phase, pass, "0"), base)?;
            self.parts.boundaries.pass("before a loop with a base is stored");
        }
        self.journal.append(vec![opened.into()], &blobs)
    }

    /// The knowledge bank of the worktree, without secrets. A change that is reviewed by itself is judged without what it
    /// may have written there.
    fn kept_bank(&self) -> Result<Option<Vec<u8>>, EngineError> {
        if self.created.change.is_some() {
            return Ok(None);
        }
        let mut files = Vec::new();
        for kind in bank::Kind::ALL {
            let bytes = self.parts.workspace.read(kind.path())?.filter(|bytes| bytes.len() <= BANK_BYTES_MAX);
            // What is no text teaches nothing; `redraft bank` tells of it.
            if let Some(text) = bytes.and_then(|bytes| String::from_utf8(bytes).ok()) {
                files.push((kind, self.parts.redactor.redact(&text).0.into_owned()));
            }
        }
        Ok(bank::encode(&files))
    }

    /// The file that stands in for a PRD (I8): the one the feature came from, where it can be read and there is no other.
    fn source_of_prd(&self) -> Result<Option<String>, EngineError> {
        let own = self.created.path_of("prd.md");
        let Some(source) = source(&self.created) else { return Ok(None) };
        let source = [source.to_owned()];
        // What cannot be taken into a revision cannot be shown either; then there is none.
        let readable = matches!(self.parts.workspace.revision(&source), Ok(Some(_)));
        let missing = self.parts.workspace.read(&own)?.is_none();
        Ok(source.into_iter().next().filter(|_| readable && missing))
    }

    pub(crate) fn lane(&self) -> Lane {
        self.journal.state().created.as_ref().map_or(self.created.lane, |created| created.lane)
    }

    /// A phase begins only where what it builds on is there, or was left out by somebody's word.
    pub(crate) fn require_upstream(&self, phase: Phase) -> Result<(), EngineError> {
        if self.created.is_review() {
            return Ok(());
        }
        for earlier in Phase::DOCUMENTS.into_iter().filter(|earlier| *earlier < phase) {
            let path = self.created.path_of(earlier.artifact());
            let left_out = self.journal.state().left_out(earlier).is_some();
            if !left_out && self.parts.workspace.read(&path)?.is_none() {
                let feature = self.created.id;
                return Err(EngineError::Prerequisite { feature, phase, earlier, path });
            }
            // What was approved is what the next phase builds on; an edit since then has been seen by nobody.
            let closed = self.journal.state().closed(earlier).map(|closed| closed.revision.clone());
            if let Some(revision) = closed
                && self.parts.workspace.read_at(&revision, &path)? != self.parts.workspace.read(&path)?
            {
                let feature = self.created.id;
                return Err(EngineError::Changed { feature, phase, earlier, path });
            }
        }
        Ok(())
    }

    /// An error of lint stands in the way of reviewers; what it only warns of is kept with a check that passed, and shown.
    pub(crate) fn check(&mut self, revision: Revision, gate: String, empty: bool) -> Result<(), EngineError> {
        let open = self.journal.open_loop()?;
        if open.finishing.is_some() {
            return self.check_merge(revision, gate);
        }
        if is_code(&open.opened) {
            return self.check_code(revision, gate, empty);
        }
        let (pass, artifact) = (open.opened.pass, open.artifact().to_owned());
        let documents = self.documents(open, &revision)?;
        let settings = match &self.papers.bank {
            Some(index) => bank::raised(&self.rules.lint, index.bank()),
            None => self.rules.lint.clone(),
        };
        let stopped = || self.parts.clock.stopped();
        // Nothing was found out yet; the next run looks again.
        let Some(faults) = lint::check_until(&documents, &settings, &stopped) else { return Ok(()) };
        let of = |level| lint::evidence(&lint::of_document(&faults, &artifact, level));
        let errors = of(lint::Level::Error);
        let passed = errors.is_empty();
        let evidence = if passed { first_lines(&of(lint::Level::Warning)) } else { errors };
        let (command, output, code, wall_ms, checkout) = (String::new(), String::new(), None, 0, None);
        let checked =
            Checked { pass, revision, gate, passed, evidence, command, code, wall_ms, output, checkout };
        self.journal.record(checked)
    }

    /// The document under review with those it builds on, as they stand in a revision.
    fn documents(&self, open: &Loop, revision: &Revision) -> Result<lint::Documents, EngineError> {
        let mut documents = lint::Documents::default();
        for (at, path) in open.opened.paths.iter().enumerate() {
            let content = match self.parts.workspace.read_at(revision, path)?.map(String::from_utf8) {
                Some(Ok(text)) => lint::Content::Text(text),
                Some(Err(_)) => lint::Content::Unreadable(format!("{path} is not UTF-8 text")),
                // A phase may do without what it builds on, but not without its own document.
                None if at == 0 => lint::Content::Absent,
                None => continue,
            };
            documents.documents.push(lint::Document { path: path.clone(), content });
        }
        let missing = |path: &String| matches!(self.parts.workspace.read(path), Ok(None));
        documents.absent_files =
            lint::named_files(&documents).into_iter().take(FILES_MAX).filter(missing).collect();
        Ok(documents)
    }
}
