//! Formats the results of `redraft doctor`, for people and for programs.

use redraft_facts::probed::{ProbeCheck, ProbeResult, Resume, without_check};
use redraft_facts::text::utc;
use redraft_facts::usage::Usd;
use redraft_frame::errors::ErrorCode;
use redraft_frame::own_state::ACCEPT;
use serde::Serialize;

#[derive(Default)]
pub(super) struct Report {
    pub(super) machine: Vec<Line>,
    pub(super) agents: Vec<AgentReport>,
    pub(super) offers: Vec<Offer>,
    /// Whether the results are in a ledger that stays.
    pub(super) stored: bool,
    pub(super) next: String,
}

/// One thing that was looked at.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Line {
    pub(super) check: String,
    pub(super) ok: bool,
    pub(super) detail: String,
    pub(super) hint: String,
}

/// A kind of agent that is not configured.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Offer {
    pub(super) kind: &'static str,
    /// Whether its program or key is there already.
    pub(super) found: bool,
    pub(super) hint: String,
}

pub(super) struct AgentReport {
    pub(super) name: String,
    pub(super) kind: &'static str,
    pub(super) version: String,
    pub(super) setup: Vec<Line>,
    pub(super) resume: Resume,
    pub(super) why: String,
    /// The checks of the last probe of this version; empty without one.
    pub(super) checks: Vec<ProbeCheck>,
    pub(super) cache_share: Option<u8>,
    pub(super) probed_at_ms: Option<i64>,
    pub(super) cost: Usd,
    /// The cost of all probes of this agent so far.
    pub(super) spent: Usd,
    /// What they may have cost in addition, which is unknown.
    pub(super) unknown: Usd,
    pub(super) expected: Usd,
    pub(super) reserved: Usd,
    pub(super) note: String,
    pub(super) code: ErrorCode,
}

impl Line {
    pub(super) fn ok(check: &str, detail: impl Into<String>) -> Line {
        Line { check: check.to_owned(), ok: true, detail: detail.into(), hint: String::new() }
    }

    pub(super) fn bad(check: &str, detail: impl Into<String>, hint: impl Into<String>) -> Line {
        Line { check: check.to_owned(), ok: false, detail: detail.into(), hint: hint.into() }
    }

    /// Whether only a person's acceptance is missing.
    pub(super) fn wants_acceptance(&self) -> bool {
        !self.ok && self.hint == ACCEPT
    }

    fn text(&self) -> String {
        let Line { check, ok, detail, hint } = self;
        let mut text = format!("  {:<4}  {check:<13} {detail}\n", if *ok { "ok" } else { "bad" });
        if !hint.is_empty() {
            text.push_str(&format!("        hint: {hint}\n"));
        }
        text
    }
}

impl Report {
    pub(super) fn text(&self) -> String {
        let mut text = "machine\n".to_owned();
        self.machine.iter().for_each(|line| text.push_str(&line.text()));
        for agent in &self.agents {
            text.push_str(&agent.text());
        }
        if !self.offers.is_empty() {
            text.push_str("\nnot configured\n");
        }
        for Offer { kind, hint, .. } in &self.offers {
            text.push_str(&format!("  {kind:<13} {hint}\n"));
        }
        if !self.stored && !self.agents.is_empty() {
            text.push_str("\nthis is not a repository, so no result is stored\n");
        }
        if !self.next.is_empty() {
            text.push_str(&format!("\nnext: {}", self.next));
        }
        text
    }

    pub(super) fn json(&self) -> ReportJson<'_> {
        let Report { machine, agents, offers, stored, next } = self;
        let agents = agents.iter().map(AgentReport::json).collect();
        ReportJson { v: 1, machine, agents, offers, stored: *stored, next }
    }
}

impl AgentReport {
    fn text(&self) -> String {
        let mut text = format!("\nagent {} ({})\n", self.name, self.kind);
        self.setup.iter().for_each(|line| text.push_str(&line.text()));
        for ProbeCheck { id, result, detail } in &self.checks {
            text.push_str(&format!("  {:<9}  {:<12} {detail}\n", result.name(), id.in_words()));
        }
        if let Some(at_ms) = self.probed_at_ms {
            text.push_str(&format!("  probed {} for {}\n", utc(at_ms), self.cost));
        }
        if !self.note.is_empty() {
            text.push_str(&format!("  {}\n", self.note));
        }
        if self.code == ErrorCode::Waiting {
            let AgentReport { name, expected, reserved, .. } = self;
            text.push_str(&format!(
                "  a probe costs about {expected} and reserves {reserved}: redraft doctor --agent {name} --yes\n"
            ));
        }
        let resume = match self.resume {
            Resume::Yes => "conversations are continued".to_owned(),
            Resume::Unproved => {
                "not tried with this version; the first conversation that is continued must prove it"
                    .to_owned()
            }
            Resume::No => format!("conversations are not continued: {}", without_check(&self.why)),
        };
        text.push_str(&format!("  resume {}: {resume}\n", self.resume.name()));
        text
    }

    fn json(&self) -> AgentJson<'_> {
        let passed = |result: ProbeResult| match result {
            ProbeResult::Passed => Some(true),
            ProbeResult::Failed => Some(false),
            ProbeResult::NotTried => None,
        };
        let check = |check: &ProbeCheck| CheckJson {
            id: check.id.name(),
            passed: passed(check.result),
            detail: check.detail.clone(),
        };
        AgentJson {
            name: &self.name,
            kind: self.kind,
            version: &self.version,
            setup: &self.setup,
            resume: self.resume.name(),
            why: &self.why,
            checks: self.checks.iter().map(check).collect(),
            cache_share: self.cache_share,
            probed_at: self.probed_at_ms.map(utc),
            cost_micro_usd: self.cost.0,
            spent_micro_usd: self.spent.0,
            unknown_micro_usd: self.unknown.0,
            expected_micro_usd: self.expected.0,
            reserved_micro_usd: self.reserved.0,
            note: &self.note,
        }
    }
}

#[derive(Serialize)]
pub(super) struct ReportJson<'a> {
    v: u16,
    machine: &'a [Line],
    agents: Vec<AgentJson<'a>>,
    offers: &'a [Offer],
    stored: bool,
    next: &'a str,
}

#[derive(Serialize)]
struct AgentJson<'a> {
    name: &'a str,
    kind: &'a str,
    version: &'a str,
    setup: &'a [Line],
    /// `yes`, `no` or `unproved`.
    resume: &'a str,
    why: &'a str,
    checks: Vec<CheckJson>,
    /// Percent of the second turn that was read from the cache.
    cache_share: Option<u8>,
    probed_at: Option<String>,
    /// The cost of the last probe of this version.
    cost_micro_usd: u64,
    /// The cost of all probes of this agent.
    spent_micro_usd: u64,
    /// What they may have cost in addition, which is unknown.
    unknown_micro_usd: u64,
    expected_micro_usd: u64,
    reserved_micro_usd: u64,
    note: &'a str,
}

#[derive(Serialize)]
struct CheckJson {
    id: &'static str,
    /// Null where it was not tried.
    passed: Option<bool>,
    detail: String,
}
