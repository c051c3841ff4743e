//! Builds the prompt for an order.
//!
//! Everything comes from the state, the order and the revisions it names, never from the worktree as it happens to be,
//! so a prompt can be built again from the ledger at any later time ([`rebuild()`]). Start at [`compose`]; what is read
//! for it is in `texts` and `task`.

mod code;
mod lessons;
mod rebuild;
mod said;
mod task;
mod texts;
mod warned;

pub use rebuild::{Rebuilt, rebuild};
pub(crate) use said::asked;
use said::{answers, comments, disputed, settled_here};
pub(crate) use texts::delta_of_change;
pub use texts::{Texts, source};

use crate::ports::WorkspaceError;
pub use crate::values::{LoopFacts, LoopTexts};
use lessons::Lessons;
use redraft_core::review::{DispatchOrder, Loop, Seat, TaskWork, shown_round};
use redraft_documents::bank::Query;
use redraft_facts::choice::Strategy;
use redraft_facts::event::{FeatureCreated, PlayerKind, StageOutcome};
use redraft_facts::findings::{Finding, Status};
use redraft_facts::fragment::Prompt;
use redraft_facts::ids::Revision;
use redraft_facts::phase::Phase;
use redraft_facts::probed::Recall;
use redraft_facts::ticket::{Purpose, Ticket, Unit};
use redraft_facts::verdict::Severity;
use redraft_prompts::prompt::{
    self, Absent, Brief, Disputed, DomainOutcome, DomainResult, FeaturePaths, Prd, ProjectCheck, RetroBrief,
    Upstream, Warned, build,
};
use redraft_roles::profile::{self, Profile, ProfileKind};
use texts::chars;
use warned::warnings_before;

/// What a prompt depends on of the agent that is asked. All of it is stored when a dispatch is started.
#[derive(Debug, Clone, Copy)]
pub struct Offered<'a> {
    pub kind: PlayerKind,
    /// Tools of the role that it cannot offer.
    pub missing: &'a [String],
}

/// A prompt and how much its conversation will hold.
pub struct Composed {
    pub prompt: Prompt,
    /// Characters of the prompt and of the files it tells the role to read.
    pub context_chars: u64,
    /// The entries of the knowledge bank that it contains.
    pub told: Vec<String>,
}

impl Composed {
    /// Adds what is given to remember, or asked for, behind everything else.
    pub(crate) fn extend(&mut self, recall: Option<&Recall>) {
        let before = self.prompt.chars();
        self.prompt.turn.extend(recall.map(prompt::recall));
        self.context_chars += self.prompt.chars() - before;
    }
}

pub fn compose(
    texts: &Texts<'_>,
    setting: LoopFacts<'_>,
    created: &FeatureCreated,
    state: &Loop,
    order: &DispatchOrder,
    strategy: Strategy,
    offered: Offered<'_>,
) -> Result<Composed, WorkspaceError> {
    let missing = offered.missing;
    if state.finishing.is_some() {
        return looking_back(texts, setting, created, state, order, missing);
    }
    if state.opened.is_code() {
        return code::compose(texts, setting, created, state, order, strategy, offered);
    }
    let seat = seat(state, order).ok_or_else(|| unknown(order))?;
    let profile = profile::find(order.ticket.phase, &order.ticket.role).ok_or_else(|| unknown(order))?;
    let folder = created.folder();
    let at_revision = |path: &str| texts.shown(created, state, order, path);
    let (prd_path, prd) = texts.prd(created, state, order)?;
    let path_of = |name: &str| if name == "prd.md" { prd_path.clone() } else { created.path_of(name) };
    let artifact = at_revision(state.artifact())?;
    let mut upstream = Vec::new();
    if strategy == Strategy::Inline {
        for name in profile.artifacts.iter().filter(|name| **name != state.opened.phase.artifact()) {
            let path = path_of(name);
            let bytes = if path == prd_path { prd.clone() } else { at_revision(&path)? };
            let shared = profile::shared(state.opened.phase, name);
            upstream.extend(bytes.map(|bytes| (*name, path, bytes, shared)));
        }
    }
    let mut absent = absent(texts, setting, created, state, order, profile)?;
    if created.document.is_some() && prd.is_none() {
        absent.push(("prd.md", String::new()));
    }
    let absent: Vec<Absent<'_>> = absent.iter().map(|(name, why)| Absent { name, why }).collect();
    let upstream: Vec<Upstream<'_>> = upstream
        .iter()
        .map(|(name, path, bytes, shared)| Upstream { name, path, bytes, shared: *shared })
        .collect();
    let work = seat.work.as_ref();
    let purpose = work.map_or(order.ticket.purpose, |work| work.purpose);
    let repair =
        work.and_then(|work| work.repair.as_ref()).filter(|_| order.ticket.purpose == Purpose::Repair);
    let known = Known::new(seat, order, profile, strategy);
    let delta = match (known.revision, &order.sees) {
        (Some(since), Some(sees)) if repair.is_none() && since != sees => match texts.delta(since, sees) {
            Ok(delta) => Some(delta),
            // A fresh conversation has the whole document anyway.
            Err(WorkspaceError::AnchorLost(_)) if is_fresh(strategy) => None,
            Err(error) => return Err(error),
        },
        (Some(_), Some(_)) if repair.is_none() && profile.kind != ProfileKind::Author => Some(String::new()),
        _ => None,
    };
    let findings: Vec<&Finding> = state.findings.iter().filter(|f| order.findings.contains(&f.id)).collect();
    let comments = comments(state, order);
    let summaries = state.summaries_since(known.epoch);
    let (document, warned) = warnings_before(setting.pipeline, created, state, order, None);
    let disputed = disputed(state, order, profile);
    let unresolved = unresolved(state, seat);
    let warnings: Vec<String> = state.warnings().map(str::to_owned).collect();
    let answers = answers(setting.pipeline, state);
    let settled = settled_here(setting, order);
    let checks: Vec<ProjectCheck<'_>> =
        state.opened.checks.iter().map(|(name, command)| ProjectCheck { name, command }).collect();
    let subject = match &artifact {
        Some(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        None => {
            let prd = prd.as_deref().map(String::from_utf8_lossy).unwrap_or_default();
            format!("{}\n\n{prd}", created.idea)
        }
    };
    let lessons = Lessons::new(setting.loop_texts, order, purpose, strategy, || Query {
        paths: Vec::new(),
        text: subject,
    });
    let brief = Brief {
        profile,
        text: setting.loop_texts.profiles.get(&order.ticket.role),
        missing,
        place: FeaturePaths {
            folder: &folder,
            prd: if prd.is_some() || (order.sees.is_none() && created.prd.is_some()) {
                Prd::File(&prd_path)
            } else {
                Prd::None
            },
            absent: &absent,
            artifact: state.artifact(),
            idea: &created.idea,
            asked: asked(setting.pipeline, created),
        },
        project: setting.loop_texts.project.as_deref(),
        conventions: &setting.loop_texts.conventions,
        checks: &checks,
        rule: state.opened.rule,
        purpose: if repair.is_some() { Purpose::Repair } else { purpose },
        strategy,
        artifact: artifact.as_deref(),
        upstream: &upstream,
        delta: delta.as_deref(),
        fix_summaries: if profile.kind == ProfileKind::Author { &[] } else { &summaries },
        findings: &findings,
        warned: Warned { document: &document, findings: &warned },
        comments: &comments,
        disputed: &disputed,
        hearing: is_hearing(seat, order, &disputed, profile),
        settled: &settled,
        outcome: outcome(state, seat, profile, &unresolved),
        gate: state
            .failed_gate()
            .filter(|_| profile.kind == ProfileKind::Author)
            .map(|check| check.evidence.as_str()),
        lint: &warnings,
        may_ask: state.opened.phase.may_ask() && state.questions.is_empty() && state.reviews(),
        answers: &answers,
        mini: !state.reviews(),
        unchanged: state.unchanged > 0,
        said: &state.said,
        round: shown_round(state, seat, purpose),
        rounds_max: state.rounds_max(seat.stage),
        last_round: seat.last_round,
        unavailable: seat.unavailable.is_some(),
        repair: repair.map(|repair| repair.why.as_str()),
        void: work.and_then(|work| work.void.as_deref()),
        lessons: &lessons.lines,
        code: None,
    };
    let prompt = build(&brief);
    let mut context_chars =
        prompt.chars() + prompt::conventions_to_read(&setting.loop_texts.conventions, profile, strategy);
    // An inline prompt holds them already, and a digest tells nobody to read them, nor is who goes on told to.
    let told = matches!(strategy, Strategy::Lazy | Strategy::Resume) && !prompt::is_at_hand(&prompt);
    for path in prompt::ordered(&prompt) {
        let bytes = if path == prd_path { prd.clone() } else { at_revision(&path)? };
        context_chars += bytes.map_or(0, |bytes| chars(&bytes));
    }
    if told
        && strategy == Strategy::Lazy
        && profile.kind == ProfileKind::Domain
        && !brief.holds_artifact(strategy)
    {
        context_chars += artifact.as_deref().map_or(0, chars);
    }
    Ok(Composed { prompt, context_chars, told: lessons.told })
}

/// The prompt of the agent that looks back on a feature, from what was stored for it.
fn looking_back(
    texts: &Texts<'_>,
    setting: LoopFacts<'_>,
    created: &FeatureCreated,
    state: &Loop,
    order: &DispatchOrder,
    missing: &[String],
) -> Result<Composed, WorkspaceError> {
    let Ticket { phase, role, purpose, .. } = &order.ticket;
    let profile = profile::of_dispatch(*phase, role, *purpose, &[]).ok_or_else(|| unknown(order))?;
    let retro = state.finishing.as_ref().and_then(|finishing| finishing.retro.as_ref());
    let bundle = match (purpose, retro.and_then(|retro| retro.judge.as_ref())) {
        (Purpose::Judge, Some(judge)) => String::from_utf8_lossy(&texts.answer(judge)?).into_owned(),
        _ => setting.loop_texts.bundle.clone().unwrap_or_default(),
    };
    let prompt = prompt::retro(&RetroBrief {
        profile,
        text: setting.loop_texts.profiles.get(role),
        missing,
        feature: &format!("{}-{}", created.id, created.slug),
        purpose: *purpose,
        bundle: &bundle,
        repair: None,
    });
    let context_chars = prompt.chars();
    Ok(Composed { prompt, context_chars, told: Vec::new() })
}

fn unknown(order: &DispatchOrder) -> WorkspaceError {
    WorkspaceError::File { path: order.ticket.role.to_string(), detail: "there is no such role".to_owned() }
}

/// The files of a profile that do not exist, other than the PRD, each with what the prompt says about it.
fn absent(
    texts: &Texts<'_>,
    setting: LoopFacts<'_>,
    created: &FeatureCreated,
    state: &Loop,
    order: &DispatchOrder,
    profile: &Profile,
) -> Result<Vec<(&'static str, String)>, WorkspaceError> {
    let mut absent = Vec::new();
    let own = state.opened.phase.artifact();
    for name in profile.artifacts.iter().filter(|name| **name != "prd.md" && **name != own) {
        if texts.shown(created, state, order, &created.path_of(name))?.is_none() {
            let why = Phase::writing(name).map(|phase| setting.pipeline.left_out(phase));
            // A note may exist or not; a missing document of an earlier phase needs an explanation.
            let why = why.map_or(String::new(), |why| why.unwrap_or_else(|| "it does not exist".to_owned()));
            absent.push((*name, why));
        }
    }
    Ok(absent)
}

/// Whether a reviewer is asked once more about the very revision it has judged.
pub(super) fn is_hearing(
    seat: &Seat,
    order: &DispatchOrder,
    disputed: &[Disputed<'_>],
    profile: &Profile,
) -> bool {
    let again = order.sees.is_some() && seat.judged == order.sees;
    profile.kind != ProfileKind::Author && !disputed.is_empty() && again
}

/// What the reader of a prompt is taken to know, so that only what came after it is told.
#[derive(Clone, Copy)]
struct Known<'a> {
    revision: Option<&'a Revision>,
    epoch: u32,
    /// Whether it is what the role gave its last verdict about, and not what its conversation was last shown.
    by_verdict: bool,
}

impl<'a> Known<'a> {
    /// An author, and a conversation that goes on, are told what changed since they last looked. A reviewer in a new
    /// conversation goes on with what its role has judged: an answer that could not be used has judged nothing. Fresh
    /// eyes know nothing.
    fn new(seat: &'a Seat, order: &'a DispatchOrder, profile: &Profile, strategy: Strategy) -> Known<'a> {
        let by_verdict = profile.kind != ProfileKind::Author && is_fresh(strategy);
        match (by_verdict, order.ticket.purpose) {
            (true, Purpose::Review | Purpose::Validate) => {
                Known { revision: seat.judged.as_ref(), epoch: seat.judged_epoch, by_verdict }
            }
            (true, _) => Known { revision: None, epoch: seat.anchor_epoch, by_verdict },
            (false, _) => Known { revision: order.since.as_ref(), epoch: seat.anchor_epoch, by_verdict },
        }
    }
}

/// Whether a strategy begins a conversation that is given the whole.
fn is_fresh(strategy: Strategy) -> bool {
    matches!(strategy, Strategy::Lazy | Strategy::Inline)
}

/// The seat an order is for.
pub(crate) fn seat<'a>(state: &'a Loop, order: &DispatchOrder) -> Option<&'a Seat> {
    let ticket = &order.ticket;
    let certifier = &state.certifier;
    let repairs_certificate = certifier.work.as_ref().is_some_and(|work| work.repair.is_some());
    let implementing = state.implementing.as_ref();
    match ticket.purpose {
        Purpose::Implement => {
            let of_task = |task: &&TaskWork| ticket.unit == Unit::Task(task.id.clone());
            implementing?.tasks.iter().find(of_task).map(|task| &task.seat)
        }
        Purpose::Simplify => implementing?.simplifier.as_ref(),
        Purpose::Outline => implementing?.outliner.as_ref(),
        Purpose::Tests => implementing?.tester.as_ref(),
        Purpose::Judge => state.finishing.as_ref().map(|finishing| &finishing.judge),
        Purpose::Certify => Some(certifier),
        Purpose::Repair if repairs_certificate && ticket.role == certifier.role => Some(certifier),
        _ if ticket.role == state.author.role => Some(&state.author),
        _ => state.reviewer(&ticket.role),
    }
}

/// What the stage before left open, or what was settled there by a ruling.
fn unresolved<'a>(state: &'a Loop, seat: &Seat) -> Vec<&'a Finding> {
    let Some(before) = seat.stage.checked_sub(1) else { return Vec::new() };
    let of_stage =
        |finding: &&Finding| state.reviewer(&finding.role).is_some_and(|seat| seat.stage == before);
    let left = |finding: &&Finding| matches!(finding.status, Status::Open | Status::Ruled);
    let grave = |finding: &&Finding| finding.severity >= Severity::Warning;
    state.findings.iter().filter(of_stage).filter(left).filter(grave).collect()
}

fn outcome<'a>(
    state: &'a Loop,
    seat: &Seat,
    profile: &Profile,
    unresolved: &'a [&'a Finding],
) -> Option<DomainOutcome<'a>> {
    if profile.kind != ProfileKind::Phase {
        return None;
    }
    let before = usize::from(seat.stage.checked_sub(1)?);
    let closed = state.stages.get(before)?.closed.as_ref()?;
    let reviewer = &state.opened.panels.get(before)?.roles.first()?.role;
    let (max, revision): (u16, &Revision) = (state.rounds_max(seat.stage - 1), &closed.revision);
    let result = match closed.outcome {
        StageOutcome::Approved => DomainResult::Approved { round: closed.round, max, revision },
        StageOutcome::Failed => DomainResult::Failed { round: closed.round, max, revision },
    };
    Some(DomainOutcome { reviewer, result, unresolved })
}
