//! What the tests of this folder share: a repository with a feature, and what a finished run left behind.

use redraft_adapters::signing::Signer;
use redraft_adapters::sqlite::{Ledger, OpenMode};
use redraft_adapters::trust::{RepositoryPlace, Trust};
use redraft_core::pipeline::Pipeline;
use redraft_engine::ports::Store;
use redraft_facts::event::Entry;
use redraft_facts::findings::Finding;
use redraft_facts::ids::FeatureId;
use redraft_facts::phase::Phase;
use redraft_facts::ticket::Scope;
use redraft_reports::projections::BoardRow;
use redraft_testkit::Scratch;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_redraft");

/// A repository with feature 001, not yet run.
pub(crate) fn feature(idea: &str) -> Scratch {
    let scratch = Scratch::repository(PROGRAM);
    scratch.run(["new", "--until", "specify", idea]).expect(0);
    scratch
}

/// A program in the repository.
pub(crate) fn executable(scratch: &Scratch, name: &str, script: &str) {
    use std::os::unix::fs::PermissionsExt;
    scratch.write(name, script);
    let permissions = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(scratch.root().join(name), permissions).unwrap();
}

/// What must be the same however a run was interrupted.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Left {
    pub(crate) artifact: String,
    /// What later phases wrote.
    pub(crate) later: Vec<String>,
    /// The files of the last commit that are not documents, with their hashes.
    pub(crate) code: String,
    /// Id, status, severity and text of every finding.
    pub(crate) findings: Vec<String>,
    /// Review rounds per role.
    pub(crate) rounds: Value,
    /// Role and revision of every approval.
    pub(crate) approvals: Vec<String>,
    pub(crate) outcome: String,
}

/// Every event of the ledger as JSON.
pub(crate) fn events(scratch: &Scratch) -> Vec<Value> {
    let log = scratch.json(["log"]);
    log["events"].as_array().expect("a list of events").clone()
}

pub(crate) fn bodies<'a>(events: &'a [Value], kind: &'a str) -> impl Iterator<Item = &'a Value> {
    events.iter().filter(move |event| event["kind"] == kind).map(|event| &event["body"])
}

pub(crate) fn left(scratch: &Scratch) -> Left {
    let folder = scratch.artifacts("001");
    let meta: Value =
        serde_json::from_str(&std::fs::read_to_string(folder.join(".meta.json")).unwrap()).unwrap();
    let state = Pipeline::replay(&entries(scratch)).unwrap();
    let line = |f: &Finding| format!("{} {} {} {}", f.id, f.status.name(), f.severity, f.description);
    let closed = Phase::DOCUMENTS.into_iter().filter_map(|phase| state.closed(phase));
    let approvals: Vec<_> = closed.flat_map(|closed| closed.approvals.clone()).collect();
    let later = Phase::DOCUMENTS.into_iter().skip(1);
    Left {
        artifact: std::fs::read_to_string(folder.join("spec.md")).unwrap(),
        later: later
            .filter_map(|phase| std::fs::read_to_string(folder.join(phase.artifact())).ok())
            .collect(),
        code: scratch.git_in(&scratch.worktree("001"), ["ls-tree", "-r", "HEAD", "src", "tests"]),
        findings: state.latest().unwrap().findings.iter().map(line).collect(),
        rounds: Phase::DOCUMENTS
            .into_iter()
            .map(|phase| meta["phases"][phase.name()]["iterations"].clone())
            .collect(),
        approvals: approvals
            .iter()
            .map(|approval| format!("{} {}", approval.role, approval.revision))
            .collect(),
        outcome: BoardRow::new(&state, 0).status,
    }
}

/// The events of feature 001, read without a process of their own.
pub(crate) fn entries(scratch: &Scratch) -> Vec<Entry> {
    let ledger = Ledger::open(&scratch.state(), OpenMode::ReadOnly).unwrap();
    ledger.read(Scope::Feature(FeatureId(1))).unwrap()
}

/// The ledger to add to, as the user's own program would.
pub(crate) fn own_ledger(scratch: &Scratch) -> Ledger {
    Ledger::open(&scratch.state(), OpenMode::Write).unwrap().signed_by(signer(scratch))
}

/// The key of the user of this repository.
pub(crate) fn signer(scratch: &Scratch) -> Arc<Signer> {
    let home = scratch.outside().join("home");
    let trust = Trust::from_environment(|name| (name == "HOME").then(|| home.clone().into()));
    let (git, root) = (scratch.root().join(".git"), scratch.root());
    let place = RepositoryPlace { git: &git, checkout: &root };
    Arc::new(trust.signer(place, &scratch.state()).unwrap())
}

/// How often the rehearsal agent's own log says that it answered each ticket.
pub(crate) fn answered(scratch: &Scratch) -> BTreeMap<String, usize> {
    let log = std::fs::read_to_string(scratch.state().join("agents/rehearsal/log.jsonl")).unwrap();
    let mut answered = BTreeMap::new();
    for line in log.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        if line["at"] == "answered" {
            *answered.entry(line["ticket"].as_str().unwrap().to_owned()).or_default() += 1;
        }
    }
    answered
}
