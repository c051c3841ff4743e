//! A small engine for tests of all phases: it gives a role its documents in any of the possible ways, keeps findings
//! under ids, and sends deltas to reviewers that come back.

use super::calm::Calm;
use super::commit;
use super::diff::diff;
use super::stage::verdict;
use crate::RehearsalAgent;
use crate::Scenario;
use redraft_engine::ports::{Agent, Deadlines, Outcome, Request};
use redraft_facts::fragment::{Fragment, Prompt};
use redraft_facts::ids::{AgentName, SessionId};
use redraft_facts::phase::Phase;
use redraft_facts::text;
use redraft_facts::verdict::{AnswerStatus, Issue, Verdict};
use redraft_roles::profile::{self, Profile};
use std::collections::BTreeMap;
use tempfile::TempDir;

const FOLDER: &str = "docs/features/031-x";

/// How a reviewer is given the document and what it builds on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// The paths of all files except the document itself.
    Lazy,
    /// Everything in the prompt.
    Inline,
}

pub(super) struct Course {
    folder: TempDir,
    _state: TempDir,
    agent: RehearsalAgent,
    pub(super) phase: Phase,
    idea: String,
    seen: BTreeMap<&'static str, String>,
    pub(super) open: BTreeMap<&'static str, Vec<(String, Issue)>>,
    rounds: BTreeMap<String, u16>,
    numbers: BTreeMap<&'static str, usize>,
    written: bool,
}

impl Course {
    pub(super) fn new(idea: &str, scenario: &str) -> Self {
        let (folder, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::fs::create_dir_all(folder.path().join(FOLDER)).unwrap();
        let scenario = Scenario::parse(scenario).unwrap();
        let agent = RehearsalAgent::new(AgentName::new("rehearsal"), state.path(), scenario, commit);
        Course {
            folder,
            _state: state,
            agent,
            phase: Phase::Specify,
            idea: idea.to_owned(),
            seen: BTreeMap::new(),
            open: BTreeMap::new(),
            rounds: BTreeMap::new(),
            numbers: BTreeMap::new(),
            written: false,
        }
    }

    /// Goes on to a phase, with no conversations and no findings.
    pub(super) fn enter(&mut self, phase: Phase) {
        self.phase = phase;
        self.seen.clear();
        self.open.clear();
        self.rounds.clear();
        self.numbers.clear();
        self.written = false;
    }

    pub(super) fn path(&self, phase: Phase) -> String {
        format!("{FOLDER}/{}", phase.artifact())
    }

    pub(super) fn put(&self, name: &str, text: &str) {
        std::fs::write(self.folder.path().join(FOLDER).join(name), text).unwrap();
    }

    pub(super) fn text(&self) -> String {
        std::fs::read_to_string(self.folder.path().join(self.path(self.phase))).unwrap()
    }

    pub(super) fn is_written(&self) -> bool {
        self.folder.path().join(self.path(self.phase)).exists()
    }

    /// The existing files that a role is given in addition to the document: label and path.
    fn upstream(&self, profile: &Profile) -> Vec<(String, String)> {
        let own = self.phase.artifact();
        let names = profile.artifacts.iter().filter(|name| **name != own);
        let paths = names.map(|name| (name.trim_end_matches(".md"), format!("{FOLDER}/{name}")));
        let there = paths.filter(|(_, path)| self.folder.path().join(path).exists());
        let label = |stem: &str| match stem {
            "prd" => "PRD".to_owned(),
            _ => stem[..1].to_uppercase() + &stem[1..],
        };
        there.map(|(stem, path)| (label(stem), path)).collect()
    }

    fn listing(&self, profile: &Profile) -> String {
        let lines = self.upstream(profile).into_iter().map(|(label, path)| format!("- {label}: {path}\n"));
        format!("## Required Artifacts\n\n{}", lines.collect::<String>())
    }

    fn header(&self, path: &str, body: &str) -> String {
        let (lines, bytes) = (body.lines().count(), body.len());
        format!("{path}: {lines} lines, {bytes} bytes\n\n")
    }

    fn profile(&self, role: &str) -> &'static Profile {
        profile::find(self.phase, &redraft_facts::ids::Role::new(role)).unwrap()
    }

    fn request(&mut self, role: &'static str, purpose: &str, resume: bool, turn: Vec<Fragment>) -> Request {
        let round = self.rounds.entry(format!("{purpose}/{role}")).or_insert(0);
        *round += 1;
        let author = self.profile(role).kind == profile::ProfileKind::Author;
        let path = self.path(self.phase);
        Request {
            slot: None,
            ticket: format!(
                "031/{}.1/{purpose}/{role}/{}.1",
                self.phase,
                self.rounds[&format!("{purpose}/{role}")]
            )
            .parse()
            .unwrap(),
            prompt: Prompt { turn, ..Prompt::default() },
            marks: redraft_facts::choice::Marks::default(),
            session: SessionId::new(format!("{}-{role}", self.phase)),
            resume,
            folder: self.folder.path().to_owned(),
            may_write: if author { vec![path] } else { Vec::new() },
            tools: Vec::new(),
            schema: redraft_prompts::prompt::SCHEMA,
            deadlines: Deadlines { connect_ms: 5_000, first_byte_ms: 5_000, idle_ms: 5_000, total_ms: 5_000 },
            shares: false,
            max_usd: None,
        }
    }

    pub(super) fn author(&mut self, turn: Vec<Fragment>) -> (Outcome, Verdict) {
        let [author, ..] = profile::participants(self.phase) else {
            panic!("nobody writes in {}", self.phase)
        };
        let purpose = if self.is_written() { "revise" } else { "draft" };
        let resume = self.written;
        let mut all = Vec::new();
        if !resume {
            all.push(Fragment::new("required-artifacts", self.listing(author)));
            all.push(Fragment::new("idea", format!("## Idea\n\n{}", text::fenced("text", &self.idea))));
        }
        all.extend(turn);
        self.written = true;
        let request = self.request(author.role, purpose, resume, all);
        let outcome = self.agent.run(&request, &Calm).unwrap();
        let verdict = verdict(&outcome);
        (outcome, verdict)
    }

    /// The author with every open finding.
    pub(super) fn revise(&mut self) -> Verdict {
        let all = self.open.values().flatten().cloned().collect::<Vec<_>>();
        let turn = findings(&all);
        self.author(turn).1
    }

    /// A reviewer in a new conversation.
    pub(super) fn fresh(&mut self, role: &'static str, way: Way) -> Verdict {
        let profile = self.profile(role);
        let (path, body) = (self.path(self.phase), self.text());
        let header = self.header(&path, &body);
        let mut turn = Vec::new();
        match way {
            Way::Lazy => {
                turn.push(Fragment::new("required-artifacts", self.listing(profile)));
                let whole = profile.kind == profile::ProfileKind::Domain;
                let shown = if whole { text::fenced("markdown", &body) } else { String::new() };
                turn.push(Fragment::new("artifact", format!("## Under Review\n\n{header}{shown}")));
            }
            Way::Inline => {
                for (label, path) in self.upstream(profile) {
                    let given = std::fs::read_to_string(self.folder.path().join(&path)).unwrap();
                    let head = self.header(&path, &given);
                    let text = format!("## {label}\n\n{head}{}", text::fenced("markdown", &given));
                    turn.push(Fragment::new("given", text));
                }
                let shown = text::fenced("markdown", &body);
                turn.push(Fragment::new("artifact", format!("## Under Review\n\n{header}{shown}")));
            }
        }
        turn.extend(findings(self.open.get(role).map_or(&[], Vec::as_slice)));
        self.seen.insert(role, body);
        self.judge(role, false, turn)
    }

    /// The same reviewer again, with what changed since it looked.
    pub(super) fn resumed(&mut self, role: &'static str) -> Verdict {
        let body = self.text();
        let delta = diff(&self.path(self.phase), &self.seen[role], &body);
        let mut turn = vec![Fragment::new("delta", format!("## Delta\n\n{}", text::fenced("diff", &delta)))];
        turn.extend(findings(self.open.get(role).map_or(&[], Vec::as_slice)));
        self.seen.insert(role, body);
        self.judge(role, true, turn)
    }

    fn judge(&mut self, role: &'static str, resume: bool, turn: Vec<Fragment>) -> Verdict {
        let request = self.request(role, "review", resume, turn);
        let verdict = verdict(&self.agent.run(&request, &Calm).unwrap());
        let profile = self.profile(role);
        let body = self.text();
        let open = self.open.entry(role).or_default();
        for (id, _) in open.iter() {
            assert_eq!(
                verdict.answers.iter().filter(|answer| answer.id == *id).count(),
                1,
                "{id}: {verdict:?}"
            );
        }
        let fixed = |id: &str| verdict.answers.iter().any(|a| a.id == id && a.status == AnswerStatus::Fixed);
        open.retain(|(id, _)| !fixed(id));
        for issue in &verdict.issues {
            let known = profile.categories.contains(&issue.category.as_str());
            assert!(known || self.phase == Phase::Specify, "{role} has no category {}", issue.category);
            assert!(body.contains(&issue.quote), "{} quotes {:?}", issue.description, issue.quote);
            if issue.same_as.is_empty() {
                let number = self.numbers.entry(role).or_default();
                *number += 1;
                open.push((format!("{}{number}", profile.letter), issue.clone()));
            }
        }
        verdict
    }
}

fn findings(open: &[(String, Issue)]) -> Vec<Fragment> {
    if open.is_empty() {
        return Vec::new();
    }
    let mut text = "## Open Findings\n\n".to_owned();
    for (id, issue) in open {
        text.push_str(&format!(
            "- [{id}] [{}] [{}] {} (at: {}:{} ({}))\n  Quote: {}\n",
            issue.severity,
            issue.category,
            text::one_line(&issue.description, 900),
            issue.file,
            issue.line,
            issue.section,
            text::one_line(&issue.quote, 300)
        ));
    }
    vec![Fragment::new("open-findings", text)]
}
