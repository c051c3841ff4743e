//! A scripted model that plays every role of the phase `implement`, whichever agent it is behind, and a feature that waits
//! for it. Start at [`prepared`] and [`builder`].
//!
//! The roles that build write a program, run the project's check and report. The role that designs tests tries to look
//! at the code first. The implementation-reviewer finds fault with the first versions; the other reviewers approve.

use redraft_testkit::Scratch;
use redraft_testkit::provider::{Provider, RecordedRequest, Reply, all_text, last_user_text};
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub(crate) const CHECK: &str = "sh tests/run.sh";
/// What is built.
pub(crate) const CODE: &str = "greet.sh";
pub(crate) const SPEC: &str = "docs/features/001-greet-people-in-the-shell/spec.md";
/// Stands in every version of it and in no document.
pub(crate) const IN_CODE: &str = "echo hello";

/// How an agent's model is made to act.
#[derive(Clone, Copy)]
pub(crate) struct Hands {
    /// Writes a text to a path.
    pub(crate) write: fn(&str, &str) -> Reply,
    pub(crate) open: fn(&str) -> Reply,
    pub(crate) run: fn(&str) -> Reply,
}

const ROLES: [(&str, &str); 8] = [
    ("# Carry Out One Task\n", "task"),
    ("# Mend the Code\n", "fix"),
    ("# Make the Code Simpler\n", "simplifier"),
    ("# Think of the Tests\n", "outline"),
    ("# Write the Tests\n", "tests"),
    ("# Review What Was Built\n", "implementation-reviewer"),
    ("# Review How the Code Is Written\n", "code-quality-reviewer"),
    ("# Review What the Change Exposes\n", "security-reviewer"),
];

/// Who sent a request.
pub(crate) fn role_of(request: &RecordedRequest) -> Option<&'static str> {
    let all = all_text(request);
    ROLES.iter().find(|(heading, _)| all.contains(heading)).map(|(_, role)| *role)
}

/// The requests of a role, in order.
pub(crate) fn of_role(provider: &Provider, role: &str) -> Vec<RecordedRequest> {
    let requests = provider.requests().into_iter();
    requests.filter(|request| role_of(request) == Some(role)).collect()
}

/// A feature whose specification is approved and is its only task, and a check that fails until it is carried out.
pub(crate) fn prepared(program: &str) -> Scratch {
    let scratch = Scratch::repository(program);
    let run = format!("sh {CODE} | grep -q hello && echo 'ok it greets'\n");
    scratch.write("tests/run.sh", &run);
    scratch.git(["add", "tests/run.sh"]);
    scratch.git(["commit", "-q", "-m", "tests"]);
    scratch.run(["new", "--lane", "standard", "--until", "implement", "Greet people in the shell"]).expect(0);
    scratch.run(["run", "--yes", "--until", "specify"]).expect(0);
    for phase in ["design", "create-plan", "create-tasks"] {
        scratch.run(["phase", "skip", "001", phase, "--why", "it is small"]).expect(0);
    }
    scratch
}

/// The configuration of an agent that plays every role, with the project's check, accepted.
pub(crate) fn configured(scratch: &Scratch, agent: &str, more: &str) {
    let config = format!(
        "{more}\n[checks]\ngreets = \"{CHECK}\"\n[agents.real]\n{agent}\n[roles]\ndefault = \"real\"\n"
    );
    scratch.write("redraft.toml", &config);
    scratch.run(["trust", "--yes"]).expect(0);
}

/// Plays all roles. `root` begins the paths that are written; this many versions are rejected.
pub(crate) fn builder(
    hands: Hands,
    root: &str,
    rejected: usize,
) -> impl FnMut(&RecordedRequest, usize) -> Reply + Send + 'static {
    let code = format!("{root}{CODE}");
    let more = format!("{root}tests/more.sh");
    let mut version = 0;
    let mut steps: BTreeMap<&str, usize> = BTreeMap::new();
    move |request: &RecordedRequest, _index: usize| {
        let role = role_of(request).unwrap_or_else(|| panic!("who is this? {}", all_text(request)));
        let step = steps.entry(role).or_default();
        *step += 1;
        let answer = |issues: Vec<Value>, checks: Value| {
            let answers: Vec<Value> = (1..=9)
                .map(|n| format!("I{n}"))
                .filter(|id| last_user_text(request).contains(&format!("[{id}]")))
                .map(|id| json!({"id": id, "status": "fixed", "note": "seen"}))
                .collect();
            Reply::Json(json!({"approved": issues.is_empty(), "summary": "done", "answers": answers,
                "issues": issues, "checks": checks, "verified": [], "files_read": []}))
        };
        match (role, *step) {
            // Some programs do not write to a file that they have not read.
            ("fix", 1) => (hands.open)(&code),
            ("task", 1) | ("fix", 2) => {
                version += 1;
                (hands.write)(&code, &format!("{IN_CODE} {version}\n"))
            }
            ("tests", 1) => (hands.write)(&more, &format!("sh {CODE} | grep -q hello\n")),
            ("task" | "tests", 2) | ("fix", 3) => (hands.run)(CHECK),
            ("task" | "fix", _) => {
                *step = 0;
                answer(vec![], report(CODE))
            }
            ("tests", _) => answer(vec![], report("tests/more.sh")),
            ("simplifier", _) => {
                answer(vec![], json!([{"name": "already-complete", "passed": true, "note": "it is simple"}]))
            }
            ("outline", 1) => (hands.open)(&code),
            ("outline", 2) => (hands.open)(SPEC),
            ("outline", _) => {
                answer(vec![], json!([{"name": "it greets", "passed": true, "note": "hello is said once"}]))
            }
            ("implementation-reviewer", round) if round <= rejected => {
                answer(vec![finding(version)], json!([]))
            }
            _ => answer(vec![], json!([])),
        }
    }
}

/// Every part of a report, under its name.
fn report(file: &str) -> Value {
    let part = |name: &str, note: &str| json!({"name": name, "passed": true, "note": note});
    json!([
        part("implemented", "it greets"),
        part("tested", CHECK),
        part("files-changed", file),
        part("decisions", "none"),
        part("deviations", "none"),
        part("self-review", "done"),
        part("concerns", "none"),
    ])
}

fn finding(version: usize) -> Value {
    json!({"severity": "blocker", "category": "incomplete", "claim": "present", "file": CODE, "line": 1, "section": "",
        "quote": format!("{IN_CODE} {version}"), "same_as": "", "suggestion": "",
        "description": format!("defect alpha{version} beta{version} gamma{version} of version {version}")})
}

/// Releases the reviewer that holds its answer back, once all three have sent something: they do not wait for its end.
pub(crate) fn release_when_all_have_asked(provider: &Provider) {
    let mut seen = 1;
    loop {
        let requests = provider.wait_for_requests(seen);
        let asked = |role: &str| requests.iter().any(|request| role_of(request) == Some(role));
        if ["implementation-reviewer", "code-quality-reviewer", "security-reviewer"].into_iter().all(asked) {
            return provider.release();
        }
        seen = requests.len() + 1;
    }
}
