//! A small engine for tests: it builds prompts with the fragments roles are sent, keeps findings under ids, and
//! sends deltas to reviewers that come back.

use super::calm::Calm;
use super::commit;
use super::diff::diff;
use crate::RehearsalAgent;
use crate::Scenario;
use redraft_engine::ports::{Agent, AgentError, Deadlines, Outcome, Request};
use redraft_facts::fragment::{Fragment, Prompt};
use redraft_facts::ids::{AgentName, SessionId};
use redraft_facts::text;
use redraft_facts::verdict::{AnswerStatus, Issue, Verdict};
use std::collections::BTreeMap;
use tempfile::TempDir;

pub(super) const SPEC: &str = "docs/features/031-x/spec.md";
pub(super) const PRD: &str = "docs/features/031-x/prd.md";

pub(super) struct Stage {
    pub(super) folder: TempDir,
    pub(super) state: TempDir,
    pub(super) agent: RehearsalAgent,
    pub(super) idea: String,
    has_prd: bool,
    /// Per role: what it saw last and what it has open.
    seen: BTreeMap<&'static str, String>,
    pub(super) open: BTreeMap<&'static str, Vec<(String, Issue)>>,
    rounds: BTreeMap<String, u16>,
    numbers: BTreeMap<&'static str, usize>,
    pub(super) fixes: Vec<String>,
}

impl Stage {
    pub(super) fn new(idea: &str, prd: Option<&str>, scenario: &str) -> Self {
        let (folder, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::fs::create_dir_all(folder.path().join("docs/features/031-x")).unwrap();
        if let Some(prd) = prd {
            std::fs::write(folder.path().join(PRD), prd).unwrap();
        }
        let agent = RehearsalAgent::new(
            AgentName::new("rehearsal"),
            state.path(),
            Scenario::parse(scenario).unwrap(),
            commit,
        );
        Stage {
            folder,
            state,
            agent,
            idea: idea.to_owned(),
            has_prd: prd.is_some(),
            seen: BTreeMap::new(),
            open: BTreeMap::new(),
            rounds: BTreeMap::new(),
            numbers: BTreeMap::new(),
            fixes: Vec::new(),
        }
    }

    pub(super) fn spec(&self) -> String {
        std::fs::read_to_string(self.folder.path().join(SPEC)).unwrap()
    }

    pub(super) fn put(&self, text: &str) {
        std::fs::write(self.folder.path().join(SPEC), text).unwrap();
    }

    fn artifacts(&self, spec_too: bool) -> String {
        let prd = if self.has_prd { PRD } else { "No PRD — feature created without brainstorm" };
        let spec = if spec_too { format!("- Spec: {SPEC}\n") } else { String::new() };
        format!("## Required Artifacts\n\nYou MUST read the following files.\n\n- PRD: {prd}\n{spec}")
    }

    pub(super) fn request(
        &mut self,
        role: &'static str,
        purpose: &str,
        resume: bool,
        turn: Vec<Fragment>,
    ) -> Request {
        let key = format!("{purpose}/{role}");
        let round = self.rounds.entry(key).or_insert(0);
        *round += 1;
        let ticket = format!("031/specify.1/{purpose}/{role}/{round}.1").parse().unwrap();
        Request {
            slot: None,
            ticket,
            prompt: Prompt { turn, ..Prompt::default() },
            marks: redraft_facts::choice::Marks::default(),
            session: SessionId::new(format!("session-of-{role}")),
            resume,
            folder: self.folder.path().to_owned(),
            may_write: if role == "spec-author" { vec![SPEC.to_owned()] } else { Vec::new() },
            tools: Vec::new(),
            schema: redraft_prompts::prompt::SCHEMA,
            deadlines: Deadlines { connect_ms: 5_000, first_byte_ms: 5_000, idle_ms: 5_000, total_ms: 5_000 },
            shares: false,
            max_usd: None,
        }
    }

    /// The first dispatch of a reviewer in a conversation.
    pub(super) fn fresh(&mut self, role: &'static str) -> Request {
        let spec = self.spec();
        self.fresh_of(role, &spec)
    }

    /// The same where the file cannot be read as text: `spec` is what is shown of it.
    pub(super) fn fresh_of(&mut self, role: &'static str, spec: &str) -> Request {
        let header = format!(
            "## Spec Under Review\n\n{SPEC}: {} lines, {} bytes\n\n",
            spec.lines().count(),
            spec.len()
        );
        let phase = role == "phase-reviewer";
        let artifact = if phase { header } else { header + &text::fenced("markdown", spec) };
        let artifacts = self.artifacts(phase);
        let mut turn =
            vec![Fragment::new("required-artifacts", artifacts), Fragment::new("artifact", artifact)];
        turn.extend(self.findings(role));
        self.seen.insert(role, spec.to_owned());
        self.request(role, "review", false, turn)
    }

    /// A later dispatch in the same conversation: the delta, the fix summary, the open findings.
    pub(super) fn resumed(&mut self, role: &'static str) -> Request {
        let spec = self.spec();
        let delta = diff(SPEC, self.seen.get(role).unwrap(), &spec);
        let summary = format!("## Fix Summary\n\n{}\n", self.fixes.last().cloned().unwrap_or_default());
        let delta = format!("## Delta\n\n{}", text::fenced("diff", &delta));
        let mut turn = vec![Fragment::new("delta", delta), Fragment::new("fix-summary", summary)];
        turn.extend(self.findings(role));
        self.seen.insert(role, spec);
        self.request(role, "review", true, turn)
    }

    pub(super) fn drafting(&mut self) -> Request {
        let idea = format!("## Idea\n\n{}", text::fenced("text", &self.idea));
        let artifacts = self.artifacts(false);
        let task = format!("## Task\n\nWrite {SPEC}.\n");
        let turn = vec![
            Fragment::new("required-artifacts", artifacts),
            Fragment::new("idea", idea),
            Fragment::new("task", task),
        ];
        self.request("spec-author", "draft", false, turn)
    }

    pub(super) fn revising(&mut self, gate: Option<&str>) -> Request {
        let mut turn: Vec<Fragment> = Vec::new();
        turn.extend(
            gate.map(|gate| {
                Fragment::new("gate", format!("## Failed Gate\n\n{}", text::fenced("text", gate)))
            }),
        );
        turn.extend(self.findings(""));
        // A role that did not write the draft has no conversation to continue.
        let known = self.rounds.keys().any(|key| key.ends_with("/spec-author"));
        self.request("spec-author", "revise", known, turn)
    }

    /// The findings a role has open; all of them for the author.
    fn findings(&self, role: &str) -> Option<Fragment> {
        let mut text = "## Open Findings\n\n".to_owned();
        let mut any = false;
        for (_, open) in self.open.iter().filter(|(of, _)| role.is_empty() || **of == role) {
            for (id, issue) in open {
                any = true;
                text.push_str(&format!(
                    "- [{id}] [{}] [{}] {} (at: {}:{} ({}))\n  Quote: {}\n  Suggestion: {}\n",
                    issue.severity,
                    issue.category,
                    text::one_line(&issue.description, 400),
                    issue.file,
                    issue.line,
                    issue.section,
                    text::one_line(&issue.quote, 200),
                    issue.suggestion
                ));
            }
        }
        any.then(|| Fragment::new("open-findings", text))
    }

    pub(super) fn send(&self, request: &Request) -> Result<Outcome, AgentError> {
        self.agent.run(request, &Calm)
    }

    /// Sends to a reviewer and keeps its findings as the engine would.
    pub(super) fn judge(&mut self, role: &'static str, request: &Request) -> Verdict {
        let outcome = self.send(request).unwrap();
        let verdict = verdict(&outcome);
        let open = self.open.entry(role).or_default();
        for (id, _) in open.iter() {
            let answered = verdict.answers.iter().filter(|answer| answer.id == *id).count();
            assert_eq!(answered, 1, "every open finding is answered once: {id} in {verdict:?}");
        }
        let fixed = |id: &str| verdict.answers.iter().any(|a| a.id == id && a.status == AnswerStatus::Fixed);
        open.retain(|(id, _)| !fixed(id));
        let letter = if role == "phase-reviewer" { 'P' } else { 'S' };
        for issue in &verdict.issues {
            if issue.same_as.is_empty() {
                let number = self.numbers.entry(role).or_default();
                *number += 1;
                open.push((format!("{letter}{number}"), issue.clone()));
            } else {
                assert!(open.iter().any(|(id, _)| *id == issue.same_as), "a repeat names an open finding");
            }
        }
        assert_eq!(verdict.approved, open.is_empty(), "approval follows from what is open");
        verdict
    }

    pub(super) fn author(&mut self, request: &Request) -> Verdict {
        let verdict = verdict(&self.send(request).unwrap());
        self.fixes.push(verdict.summary.clone());
        verdict
    }
}

/// The verdict in an answer, after the line about files.
pub(super) fn verdict(outcome: &Outcome) -> Verdict {
    let start = outcome.text.find('{').unwrap();
    serde_json::from_str(&outcome.text[start..]).unwrap()
}
