//! Builds the prompt for an order about code.
//!
//! As for documents, everything comes from the state, the order and the revisions it names. A revision of code is the tree
//! of the whole worktree, so the documents are read from it at their usual places, and the change is what differs from the
//! base that the loop was opened on.

use super::lessons::Lessons;
use super::texts::chars;
use super::{
    Composed, Known, LoopFacts, Offered, Texts, absent, answers, asked, comments, disputed, is_fresh,
    is_hearing, seat, settled_here, task, unknown, warnings_before,
};
use crate::ports::WorkspaceError;
use redraft_core::review::{DispatchOrder, Loop, TaskEnd, shown_round};
use redraft_documents::bank::Query;
use redraft_documents::delta::{Delta, FileDelta};
use redraft_documents::report;
use redraft_documents::test_path::is_surely_test;
use redraft_facts::choice::Strategy;
use redraft_facts::event::FeatureCreated;
use redraft_facts::findings::Finding;
use redraft_facts::phase::Phase;
use redraft_facts::ticket::Purpose;
use redraft_prompts::prompt::{
    self, Absent, Brief, CheckResult, CodeBrief, FeaturePaths, LeftOut, Prd, ProjectCheck, Running, Upstream,
    Warned, build,
};
use redraft_roles::profile::{self, Profile, ProfileKind, TestsOfChange};

/// How many changed files are measured one by one for a reviewer that is told to read them.
const READ_MAX: usize = 200;

pub(super) fn compose(
    texts: &Texts<'_>,
    setting: LoopFacts<'_>,
    created: &FeatureCreated,
    state: &Loop,
    order: &DispatchOrder,
    strategy: Strategy,
    offered: Offered<'_>,
) -> Result<Composed, WorkspaceError> {
    let seat = seat(state, order).ok_or_else(|| unknown(order))?;
    let (ticket, opened) = (&order.ticket, &state.opened);
    let work = seat.work.as_ref();
    let purpose = work.map_or(ticket.purpose, |work| work.purpose);
    let profile = profile::of_dispatch(ticket.phase, &ticket.role, purpose, &opened.panels);
    let profile = profile.ok_or_else(|| unknown(order))?;
    let reviews = profile.kind != ProfileKind::Author;
    let repair = work.and_then(|work| work.repair.as_ref()).filter(|_| ticket.purpose == Purpose::Repair);
    let (prd_path, prd) = texts.prd(created, state, order)?;
    let task = task::read(texts, created, state, order)?;
    let in_part = task.as_ref().is_some_and(|task| task.wanted.is_some());
    let mut given = documents(texts, created, state, order, profile)?;
    given.retain(|one| !in_part || one.name != "prd.md");
    let upstream: Vec<Upstream<'_>> = (given.iter())
        .filter(|_| strategy == Strategy::Inline)
        .map(|Given { name, path, bytes }| Upstream {
            name,
            path,
            bytes,
            shared: profile::shared(Phase::Implement, name),
        })
        .collect();
    let absent = match created.has_documents() {
        true => absent(texts, setting, created, state, order, profile)?,
        false => profile.artifacts.iter().map(|name| (*name, String::new())).collect(),
    };
    let absent: Vec<Absent<'_>> = absent.iter().map(|(name, why)| Absent { name, why }).collect();
    let change = texts.change(created, state, order)?;
    // Who works on the code in a new conversation reads it as it is.
    let told = reviews || strategy == Strategy::Resume;
    let known = Known::new(seat, order, profile, strategy);
    let delta = match (known.revision, &order.sees) {
        (Some(since), Some(sees)) if told && repair.is_none() => {
            let (then, now) = (state.base_at(known.epoch), state.base());
            let delta = match (then, now) {
                _ if since == sees && (then == now || !known.by_verdict) => Ok(reviews.then(String::new)),
                (Some(then), Some(now)) => texts.delta_of_change((then, since), (now, sees)).map(Some),
                _ => texts.delta(since, sees).map(Some),
            };
            match delta {
                // A new conversation has the whole change anyway.
                Err(WorkspaceError::AnchorLost(_)) if is_fresh(strategy) => None,
                delta => delta?,
            }
        }
        _ => None,
    };
    let findings: Vec<&Finding> = state.findings.iter().filter(|f| order.findings.contains(&f.id)).collect();
    let comments = comments(state, order);
    let summaries = state.summaries_since(known.epoch);
    let (document, warned) = warnings_before(setting.pipeline, created, state, order, task.as_ref());
    let disputed = disputed(state, order, profile);
    let outline = outline(texts, state)?;
    let intent = intent(texts, state, profile, strategy, &summaries)?;
    let by_itself = created.change.is_some();
    let about = About::new(state, order);
    let (checks, results, left_out) = (about.checks(), about.results(), about.left_out());
    let done_before = about.done_before();
    let mends = matches!(purpose, Purpose::Implement | Purpose::Revise);
    let failed = state.failed_gate().filter(|_| mends);
    let code = CodeBrief {
        change: &change,
        checks: &checks,
        running: Running::for_agent_kind(offered.kind),
        results: &results,
        may_recheck: reviews && prompt::may_recheck(offered.kind),
        left_out: &left_out,
        done_before: &done_before,
        wanted: task.as_ref().and_then(|task| task.wanted.as_deref()),
        constraints: task.as_ref().and_then(|task| task.constraints.as_deref()),
        task: None,
        outline: outline.as_deref(),
        tests: &about.tests,
        diverges: failed.is_some() && state.diverges(),
        by_itself,
        intent: intent.as_deref(),
    };
    let lessons = Lessons::new(setting.loop_texts, order, purpose, strategy, || {
        let changed = Delta::parse(&change).files.into_iter().map(|file| file.path).collect();
        let titles: Vec<&str> = opened.tasks.iter().map(|task| task.title.as_str()).collect();
        match &task {
            Some(task) => Query { paths: Vec::new(), text: task.all().to_owned() },
            None => Query { paths: changed, text: format!("{}\n\n{}", created.idea, titles.join("\n\n")) },
        }
    });
    let folder = created.folder();
    let settled = settled_here(setting, order);
    let answers = answers(setting.pipeline, state);
    let brief = Brief {
        profile,
        text: setting.loop_texts.profiles.get(&ticket.role),
        missing: offered.missing,
        place: FeaturePaths {
            folder: &folder,
            prd: match prd {
                Some(_) if in_part => Prd::InPart(&prd_path),
                Some(_) => Prd::File(&prd_path),
                None => Prd::None,
            },
            absent: &absent,
            artifact: "",
            idea: &created.idea,
            asked: asked(setting.pipeline, created),
        },
        project: setting.loop_texts.project.as_deref(),
        conventions: &setting.loop_texts.conventions,
        checks: &[],
        rule: opened.rule,
        purpose: if repair.is_some() { Purpose::Repair } else { purpose },
        strategy,
        artifact: None,
        upstream: &upstream,
        delta: delta.as_deref(),
        fix_summaries: if reviews && !by_itself { &summaries } else { &[] },
        findings: &findings,
        warned: Warned { document: &document, findings: &warned },
        comments: &comments,
        disputed: &disputed,
        hearing: is_hearing(seat, order, &disputed, profile),
        settled: &settled,
        outcome: None,
        gate: failed.map(|check| check.evidence.as_str()),
        lint: &[],
        may_ask: false,
        answers: &answers,
        mini: false,
        unchanged: state.unchanged > 0,
        said: &state.said,
        round: shown_round(state, seat, purpose),
        rounds_max: state.rounds_max(seat.stage),
        last_round: seat.last_round,
        unavailable: seat.unavailable.is_some(),
        repair: repair.map(|repair| repair.why.as_str()),
        void: work.and_then(|work| work.void.as_deref()),
        lessons: &lessons.lines,
        code: Some(code),
    };
    let prompt = match &task {
        Some(task) => task
            .with_brief(|task| build(&Brief { code: Some(CodeBrief { task: Some(task), ..code }), ..brief })),
        None => build(&brief),
    };
    let mut context_chars =
        prompt.chars() + prompt::conventions_to_read(&setting.loop_texts.conventions, profile, strategy);
    // An inline prompt holds all of it, and a digest tells nobody to read it.
    if matches!(strategy, Strategy::Lazy | Strategy::Resume) && !prompt::is_at_hand(&prompt) {
        let ordered = prompt::ordered(&prompt);
        let read = given.iter().filter(|one| ordered.contains(&one.path));
        context_chars += read.map(|one| chars(&one.bytes)).sum::<u64>();
        // Who is told what changed is not told to read the rest.
        if reviews && strategy == Strategy::Lazy && delta.is_none() {
            context_chars += told_to_read(texts, order, &change, profile)?;
        }
    }
    Ok(Composed { prompt, context_chars, told: lessons.told })
}

/// A document of a role.
struct Given {
    name: &'static str,
    path: String,
    bytes: Vec<u8>,
}

/// The documents of a role that are there, in the order they build on each other, so that roles which share some begin
/// with the same bytes.
fn documents(
    texts: &Texts<'_>,
    created: &FeatureCreated,
    state: &Loop,
    order: &DispatchOrder,
    profile: &Profile,
) -> Result<Vec<Given>, WorkspaceError> {
    let mut given = Vec::new();
    if !created.has_documents() {
        return Ok(given);
    }
    for name in Phase::Implement.upstream().iter().filter(|name| profile.artifacts.contains(name)) {
        let (path, bytes) = match *name {
            "prd.md" => texts.prd(created, state, order)?,
            name => (created.path_of(name), texts.shown(created, state, order, &created.path_of(name))?),
        };
        given.extend(bytes.map(|bytes| Given { name, path, bytes }));
    }
    Ok(given)
}

/// Characters of the changed files that a reviewer is told to read.
fn told_to_read(
    texts: &Texts<'_>,
    order: &DispatchOrder,
    change: &str,
    profile: &Profile,
) -> Result<u64, WorkspaceError> {
    let Some(sees) = &order.sees else { return Ok(0) };
    let files = Delta::parse(change).files;
    if files.len() > READ_MAX {
        return Ok(u64::try_from(change.chars().count()).unwrap_or(u64::MAX));
    }
    let mut read = 0;
    let read_here =
        |file: &&FileDelta| profile.tests_of_change() == TestsOfChange::Read || !is_surely_test(&file.path);
    for file in files.iter().filter(|file| !file.deleted && !file.binary).filter(read_here) {
        read += texts.read_at(sees, &file.path)?.map_or(0, |bytes| chars(&bytes));
    }
    Ok(read)
}

/// The description of a change that is reviewed by itself, for the reviewer that compares it with what was wanted. The
/// others judge the change without anybody's description of it.
fn intent(
    texts: &Texts<'_>,
    state: &Loop,
    profile: &Profile,
    strategy: Strategy,
    new: &[String],
) -> Result<Option<String>, WorkspaceError> {
    let Some(said) = state.intent.as_ref().filter(|_| profile.compares()) else { return Ok(None) };
    if strategy == Strategy::Resume {
        return Ok(Some(new.join("\n")).filter(|new| !new.is_empty()));
    }
    Ok(Some(String::from_utf8_lossy(&texts.answer(said)?).into_owned()))
}

/// The outline of the tests.
fn outline(texts: &Texts<'_>, state: &Loop) -> Result<Option<String>, WorkspaceError> {
    let kept = state.implementing.as_ref().and_then(|implementing| implementing.outline.as_ref());
    let answer = kept.map(|blob| texts.answer(blob)).transpose()?;
    Ok(answer.map(|answer| report::outline(&answer)))
}

/// What a loop about code knows of its checks, tasks and tests.
struct About<'a> {
    state: &'a Loop,
    order: &'a DispatchOrder,
    tests: Vec<String>,
}

impl<'a> About<'a> {
    fn new(state: &'a Loop, order: &'a DispatchOrder) -> About<'a> {
        let tests = state.implementing.as_ref().and_then(|implementing| implementing.tests.as_ref());
        let tests = tests.map(|tests| tests.files.iter().cloned().collect()).unwrap_or_default();
        About { state, order, tests }
    }

    /// In the order they are run.
    fn checks(&self) -> Vec<ProjectCheck<'a>> {
        let opened = &self.state.opened;
        let known = |name: &'a String| {
            opened.checks.get(name).map(|command| ProjectCheck { name, command: command.as_str() })
        };
        opened.gates.iter().filter_map(known).collect()
    }

    /// How they ended on what the order's role sees.
    fn results(&self) -> Vec<CheckResult<'a>> {
        let result = |name: &'a String| {
            let found = self.state.gates.get(name)?;
            let seen = Some(&found.revision) == self.order.sees.as_ref();
            let check = ProjectCheck { name, command: &found.command };
            // A person may have decided to go on with one that fails.
            let passed = found.code == Some(0);
            // What it printed when it failed is part of the evidence.
            let output = if found.output.is_empty() { &found.evidence } else { &found.output };
            seen.then_some(CheckResult { check, passed, output })
        };
        self.state.opened.gates.iter().filter_map(result).collect()
    }

    fn done_before(&self) -> Vec<(&'a str, &'a str)> {
        let tasks = self.state.implementing.iter().flat_map(|implementing| &implementing.tasks);
        let before = tasks.filter(|task| task.end == Some(TaskEnd::Before));
        before.map(|task| (task.id.as_str(), task.title.as_str())).collect()
    }

    fn left_out(&self) -> Vec<LeftOut<'a>> {
        let tasks = self.state.implementing.iter().flat_map(|implementing| &implementing.tasks);
        let left = tasks.filter_map(|task| match task.end.as_ref()? {
            TaskEnd::Done | TaskEnd::Before => None,
            TaskEnd::Blocked { why } => Some(LeftOut { id: task.id.as_str(), title: &task.title, why }),
        });
        left.collect()
    }
}
