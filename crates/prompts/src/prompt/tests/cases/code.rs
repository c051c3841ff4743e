//! Every kind of dispatch about the code of the made-up feature.

use super::{Case, PROJECT, Show, conventions, declined, settled, without_tools};
use crate::prompt::brief::{Absent, Brief, Disputed, FeaturePaths, Prd, Upstream};
use crate::prompt::code_brief::{
    CheckResult, CodeBrief, Dependency, LeftOut, ReturnedTask, ReturnedWhy, Running, TaskArtifact, TaskBrief,
};
use crate::prompt::example::change;
use crate::prompt::example::code::{PHASE, Texts, code};
use crate::prompt::example::feature::{DESIGN, PLAN, PRD};
use redraft_documents::context::ContextMode;
use redraft_facts::choice::Strategy;
use redraft_facts::findings::Finding;
use redraft_facts::ids::Role;
use redraft_facts::phase::Lane;
use redraft_facts::prelude::*;
use redraft_facts::ticket::Purpose;
use redraft_roles::profile::{self, Profile};

pub(super) fn each(visit: &mut dyn FnMut(&Case<'_>)) {
    let mut show = |name: &str, brief: Brief<'_>| visit(&Case { phase: PHASE, name, brief });
    tasks(&mut show);
    fixes(&mut show);
    extras(&mut show);
    let panels = profile::panels(PHASE);
    for seat in panels.iter().flat_map(|panel| &panel.roles) {
        reviewer(of(seat.role.as_str(), Purpose::Review), &mut show);
        by_itself(of(seat.role.as_str(), Purpose::Review), &mut show);
    }
    alone(&mut show);
}

fn of(role: &str, purpose: Purpose) -> &'static Profile {
    let panels = profile::panels(PHASE);
    let found = profile::of_dispatch(PHASE, &Role::new(role), purpose, &panels);
    found.expect("the role is in the phase's cast, as the tests of profiles show")
}

fn tasks(show: Show<'_>) {
    let profile = of("implementer", Purpose::Implement);
    let texts = Texts::for_profile(profile);
    let code = CodeBrief {
        task: Some(&change::TASK),
        wanted: Some(change::WANTED),
        constraints: Some(change::CONSTRAINTS),
        ..code("")
    };
    let whole = Brief { purpose: Purpose::Implement, code: Some(code), ..texts.brief(profile) };
    let others: Vec<Upstream<'_>> =
        whole.upstream.iter().filter(|file| file.name != "prd.md").copied().collect();
    let in_part = FeaturePaths { prd: Prd::InPart(PRD), ..whole.place };
    let task = Brief { place: in_part, upstream: &others, ..whole };
    let inline = Strategy::Inline;
    show("task", task);
    show("task, inline", Brief { strategy: inline, ..task });
    show("task, in a project", Brief { project: Some(PROJECT), ..task });
    let no_prd = FeaturePaths { prd: Prd::None, ..task.place };
    show(
        "task, without a PRD",
        Brief { place: no_prd, code: Some(CodeBrief { wanted: None, ..code }), ..task },
    );
    let untraced = Some(CodeBrief { task: Some(&UNTRACED), wanted: None, ..code });
    show("task, untraced", Brief { code: untraced, ..whole });
    show("task, untraced and inline", Brief { code: untraced, strategy: inline, ..whole });
    let of_prd = TaskBrief { artifacts: &OF_PRD, ..change::TASK };
    show(
        "task, which names a part of the PRD",
        Brief { code: Some(CodeBrief { task: Some(&of_prd), ..code }), ..task },
    );
    let specification =
        TaskBrief { file: "docs/features/031-key-limits/spec.md", text: "", artifacts: &[], ..change::TASK };
    let express = Some(CodeBrief { task: Some(&specification), wanted: None, constraints: None, ..code });
    show("task, the whole specification", Brief { code: express, ..whole });
    let running = Some(CodeBrief { running: Running::PlainWithMore, ..code });
    show("task, where single tests can be run", Brief { code: running, ..task });
    show("task, where nothing can be run", Brief { missing: &["Run".to_owned()], ..task });
    let begun = TaskBrief { begun: true, ..change::TASK };
    let failed =
        Brief { gate: Some(change::FAILED), code: Some(CodeBrief { task: Some(&begun), ..code }), ..task };
    show("task, after a failed check", failed);
    show("task, resumed after a failed check", Brief { strategy: Strategy::Resume, ..failed });
    let files = ["src/limits.sh".to_owned()];
    let (why, with) = (ReturnedWhy::Conflict { files: &files }, "- 1.2 Answer with the number that is left");
    let returned = Some(ReturnedTask { why, with, gained: "" });
    let stopped = Some("R1 says 30 days, its test 7: which one holds?");
    let stopped = TaskBrief { stopped, returned, ..begun };
    show(
        "task, after a conflict and a stop",
        Brief { code: Some(CodeBrief { task: Some(&stopped), ..code }), ..task },
    );
}

fn fixes(show: Show<'_>) {
    let profile = of("implementer", Purpose::Revise);
    let texts = Texts::for_profile(profile);
    let findings: Vec<&Finding> = texts.findings.iter().collect();
    let fix = Brief { purpose: Purpose::Revise, findings: &findings, ..texts.brief(profile) };
    let resumed = Brief { strategy: Strategy::Resume, round: 2, findings: &findings[..1], ..fix };
    show("fix", fix);
    show("fix, inline", Brief { strategy: Strategy::Inline, ..fix });
    show("fix, resumed", resumed);
    show("fix, resumed after changes by others", Brief { delta: Some(change::FIXES), ..resumed });
    let failed = Brief { findings: &[], gate: Some(change::FAILED), ..resumed };
    show("fix, resumed after a failed check", failed);
    let diverges = Some(CodeBrief { diverges: true, ..code(change::FIRST) });
    show("fix, tests disagree", Brief { findings: &[], gate: Some(change::FAILED), code: diverges, ..fix });
    show("fix, nothing changed", Brief { unchanged: true, ..resumed });
    let kept = [Disputed { answer: Some("the last window is still open"), ..declined(findings[0]) }];
    show("fix, after a decline", Brief { disputed: &kept, ..fix });
}

fn extras(show: Show<'_>) {
    let inline = Strategy::Inline;
    let simplifier = of("code-simplifier", Purpose::Simplify);
    let texts = Texts::for_profile(simplifier);
    let simplify = Brief { purpose: Purpose::Simplify, ..texts.brief(simplifier) };
    show("simplify", simplify);
    show("simplify, inline", Brief { strategy: inline, ..simplify });
    let outliner = of("test-deepener", Purpose::Outline);
    let texts = Texts::for_profile(outliner);
    let outline = Brief { purpose: Purpose::Outline, ..texts.brief(outliner) };
    show("outline", outline);
    show("outline, inline", Brief { strategy: inline, ..outline });
    let code = CodeBrief { outline: Some(change::OUTLINE), ..code(change::FIRST) };
    let deepener = of("test-deepener", Purpose::Tests);
    let tests = Brief { profile: deepener, purpose: Purpose::Tests, code: Some(code), ..outline };
    show("tests", tests);
    show("tests, inline", Brief { strategy: inline, ..tests });
    let written = [change::TEST_FILES.to_owned()];
    let again = Brief { code: Some(CodeBrief { tests: &written, ..code }), ..tests };
    show("tests, once more", again);
    show(
        "tests, resumed once more",
        Brief { strategy: Strategy::Resume, delta: Some(change::FIXES), ..again },
    );
}

fn reviewer(profile: &Profile, show: Show<'_>) {
    let texts = Texts::for_profile(profile);
    let findings: Vec<&Finding> =
        texts.findings.iter().filter(|one| one.role.as_str() == profile.role).collect();
    let others: Vec<&str> = ["implementation-reviewer", "code-quality-reviewer", "security-reviewer"]
        .into_iter()
        .filter(|role| *role != profile.role)
        .collect();
    let once = [change::summary(&[profile.role])];
    let twice = [change::summary(&others[..1]), change::summary(&others[1..])];
    let first = texts.brief(profile);
    let anew =
        Brief { code: Some(code(change::MENDED)), findings: &findings, round: 2, last_round: 1, ..first };
    let later = Brief { delta: Some(change::FIXES), fix_summaries: &once, ..anew };
    let resumed = Brief { strategy: Strategy::Resume, ..later };
    let validate =
        Brief { purpose: Purpose::Validate, findings: &[], round: 3, fix_summaries: &twice, ..later };
    let validate_resumed = Brief { strategy: Strategy::Resume, ..validate };
    show("review", first);
    show("review, inline", Brief { strategy: Strategy::Inline, ..first });
    show("review, fresh in a later round", later);
    show("review, inline in a later round", Brief { strategy: Strategy::Inline, ..later });
    show("review, conversation lost", Brief { unavailable: true, ..later });
    show("review, what changed is not known", anew);
    show("review, resumed", resumed);
    show("review, digest", Brief { strategy: Strategy::Digest, ..resumed });
    let replies = [declined(findings[0])];
    let heard = Brief { code: first.code, disputed: &replies, hearing: true, ..anew };
    show("review, fresh after a decline", Brief { delta: Some(""), ..heard });
    let same = Brief { code: first.code, delta: Some(""), fix_summaries: &once, ..anew };
    show("review, fresh and nothing changed", same);
    show("review, fresh after changes and a decline", Brief { disputed: &replies, ..later });
    show("review, resumed after a decline", Brief { strategy: Strategy::Resume, ..heard });
    show("validate, resumed", validate_resumed);
    show("validate, fresh", validate);
    show("validate, conversation lost", Brief { unavailable: true, ..validate });
    show("validate, digest", Brief { strategy: Strategy::Digest, ..validate_resumed });
    show("certify", Brief { purpose: Purpose::Certify, ..anew });
    let why = "the answer is not a JSON object";
    show("repair", Brief { purpose: Purpose::Repair, repair: Some(why), ..resumed });
    if profile.letter == 'Q' {
        show("review, with conventions", Brief { conventions: &conventions(), ..first });
    }
    if profile.letter == 'I' {
        let failed = [CheckResult { passed: false, ..change::PASSED[0] }];
        let left_out = [LEFT_OUT];
        let done_before = [DONE_BEFORE];
        let code = CodeBrief {
            results: &failed,
            left_out: &left_out,
            done_before: &done_before,
            ..code(change::FIRST)
        };
        show("review, after decisions of a person", Brief { code: Some(code), ..first });
        let settled = [settled()];
        show("review, with settled matters", Brief { settled: &settled, ..first });
        show(
            "review, digest with settled matters",
            Brief { settled: &settled, strategy: Strategy::Digest, ..resumed },
        );
        without_tools(first, show);
    }
}

/// A change that is reviewed by itself, again after it went on.
fn by_itself(profile: &Profile, show: Show<'_>) {
    let texts = Texts { upstream: Vec::new(), ..Texts::for_profile(profile) };
    let findings: Vec<&Finding> =
        texts.findings.iter().filter(|one| one.role.as_str() == profile.role).collect();
    let first = texts.brief_by_itself(profile, false);
    let later = Brief {
        delta: Some(change::FIXES),
        round: 2,
        last_round: 1,
        strategy: Strategy::Resume,
        ..texts.brief_by_itself(profile, true)
    };
    show("a change by itself", first);
    show("a change by itself, inline", Brief { strategy: Strategy::Inline, ..first });
    show("a change by itself, resumed", Brief { findings: &findings, ..later });
    show("a change by itself, resumed after an approval", Brief { purpose: Purpose::Validate, ..later });
}

/// The one reviewer of lane express, where only a mini-spec was written.
fn alone(show: Show<'_>) {
    let panels = profile::panels_in(PHASE, Lane::Express);
    let role = Role::new("implementation-reviewer");
    let Some(profile) = profile::of_dispatch(PHASE, &role, Purpose::Review, &panels) else { return };
    let texts = Texts::for_profile(profile);
    let why = "phase skipped, lane express";
    let absent = ["design.md", "plan.md", "tasks.md"].map(|name| Absent { name, why });
    let first = texts.brief(profile);
    let first = Brief { place: FeaturePaths { absent: &absent, ..first.place }, ..first };
    show("review, alone in lane express", first);
}

const DONE_BEFORE: (&str, &str) = ("1.0", "Give every key an id");

const LEFT_OUT: LeftOut<'static> =
    LeftOut { id: "1.2", title: "Refuse revoked keys", why: "the store of keys is replaced next week" };

static IN_FULL: [TaskArtifact<'static>; 2] = [
    TaskArtifact {
        name: "design.md",
        path: DESIGN.path,
        mode: ContextMode::Full,
        text: DESIGN.mended,
        reason: UNUSABLE,
    },
    TaskArtifact {
        name: "plan.md",
        path: PLAN.path,
        mode: ContextMode::Full,
        text: PLAN.mended,
        reason: UNUSABLE,
    },
];

static OF_PRD: [TaskArtifact<'static>; 1] = [TaskArtifact {
    name: "prd.md",
    path: PRD,
    mode: ContextMode::Scoped,
    text: "…\n\n## Failure Cases\n\n- The store of keys cannot be reached.\n",
    reason: "references name parts of it",
}];

const UNUSABLE: &str = "no reference of the task can be followed";

static DEPENDS: [Dependency<'static>; 2] = [
    Dependency { id: "1.0", title: "Give every key an id", left_out: None },
    Dependency { id: "0.9", title: "Measure the load", left_out: Some("not needed for now") },
];

/// The same where its references lead nowhere.
static UNTRACED: TaskBrief<'static> = TaskBrief {
    artifacts: &IN_FULL,
    says_when_done: false,
    depends: &DEPENDS,
    text: UNTRACED_TEXT,
    ..change::TASK
};

const UNTRACED_TEXT: &str = "\
### Task 1.1: Count the requests of a key

Count the requests of a key in `src/counter.rs`.

**Depends on:** 1.0, 0.9
";
