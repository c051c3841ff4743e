//! The roles that take part in a phase: each one's texts, tools and files, in exactly one place.
//!
//! A profile is data that holds for every feature and every round; nothing here knows a feature, a round or a finding.
//! The texts themselves are Markdown under `texts/`, so that they can be reviewed as prose. Start at [`find`];
//! `prompts::prompt` turns a profile into fragments.

mod design;
mod document;
mod finish;
mod implement;
mod plan;
mod replaced;
mod specify;
mod tasks;
#[cfg(test)]
mod tests;

pub use replaced::{BadRoleText, RoleText};

use redraft_facts::event::{Panel, PanelRole};
use redraft_facts::ids::Role;
use redraft_facts::phase::{Lane, Phase};
use redraft_facts::prelude::*;
use redraft_facts::ticket::Purpose;

#[derive(Debug, PartialEq, Eq)]
pub struct Profile {
    pub role: &'static str,
    /// Begins the ids of this role's findings.
    pub letter: char,
    pub kind: ProfileKind,
    /// What the role does, as one line for progress.
    pub title: &'static str,
    /// The files it is given, by name in the feature's folder.
    pub artifacts: &'static [&'static str],
    /// Of these, the ones that it need not read and opens where something refers to them.
    pub at_hand: &'static [&'static str],
    /// What it may use, in the words of Claude Code's agent front matter; adapters translate them.
    pub tools: &'static [&'static str],
    pub rubric: &'static str,
    /// Closes the rubric.
    pub coda: &'static str,
    /// Yes or no questions, at most five; what needs more is another role.
    pub checklist: &'static str,
    /// What the phase after this one needs; only a phase reviewer has it.
    pub next_phase: &'static str,
    /// The first round in which a fresh review is told its number. I1-R4's deviations: the reviewers of plan and tasks
    /// are not told in the first round. In later ones they are, because the same text lists what is open and says that
    /// an earlier conversation is gone.
    pub iteration_from: u16,
    /// The categories its findings may have; empty for an author.
    pub categories: &'static [&'static str],
}

/// The roles that write the first version of a phase's document.
const DRAFTING: [&str; 4] = ["spec-author", "design-author", "plan-author", "task-author"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProfileKind {
    /// Writes the artifact.
    Author,
    /// Judges the artifact by the rules of its own field, and is given it whole.
    Domain,
    /// Judges the hand-off to the next phase, and reads the artifact by path.
    Phase,
}

/// What a role that is given a change does with the tests in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TestsOfChange {
    Read,
    /// It looks for secrets in them, and need not read them otherwise.
    Searched,
    /// It opens those it needs.
    AtHand,
}

impl Profile {
    /// Whether it writes the first version of a document; another author only mends what is there.
    pub fn drafts(&self) -> bool {
        self.kind == ProfileKind::Author && DRAFTING.contains(&self.role)
    }

    /// The files it must read before it begins.
    pub fn required(&self) -> impl Iterator<Item = &'static str> {
        self.artifacts.iter().copied().filter(|name| !self.at_hand.contains(name))
    }

    /// What it does with the tests of a change.
    pub fn tests_of_change(&self) -> TestsOfChange {
        match self.role {
            role if role == implement::SECURITY.role => TestsOfChange::Searched,
            role if role == implement::SIMPLIFIER.role => TestsOfChange::AtHand,
            _ => TestsOfChange::Read,
        }
    }

    /// The names of its checks, in their order.
    pub fn check_names(&self) -> Vec<&'static str> {
        self.checklist.lines().filter_map(|line| line.split('`').nth(1)).collect()
    }

    /// Whether the role compares code with what was asked for.
    pub fn compares(&self) -> bool {
        self.role == implement::IMPLEMENTATION.role
    }

    /// Whether the role is told what the repository says about how work is done in it: whoever writes, and whoever judges
    /// by that.
    pub fn keeps_conventions(&self) -> bool {
        match self.kind {
            ProfileKind::Author => self.tools.contains(&"Write"),
            ProfileKind::Domain => self.role == design::REVIEWER.role || self.judges_style(),
            ProfileKind::Phase => false,
        }
    }

    /// Whether what tools demand of code is something to the role.
    pub fn writes_or_judges_code(&self) -> bool {
        self.tools == BUILDING || self.judges_style()
    }

    /// Whether the role judges how code is written; in express, one reviewer judges everything.
    pub fn judges_style(&self) -> bool {
        implement::QUALITY.categories.iter().all(|category| self.categories.contains(category))
    }
}

/// The built-in profile of a role in a phase.
pub fn find(phase: Phase, role: &Role) -> Option<&'static Profile> {
    participants(phase).iter().copied().find(|profile| profile.role == role.as_str())
}

/// The built-in profile a dispatch is made with. It is the role's own, except for roles that are asked for two
/// different things, and for a reviewer that sits alone in the `panels` of its loop.
pub fn of_dispatch(
    phase: Phase,
    role: &Role,
    purpose: Purpose,
    panels: &[Panel],
) -> Option<&'static Profile> {
    let found = find(phase, role)?;
    let alone = panels.iter().map(|panel| panel.roles.len()).sum::<usize>() == 1;
    Some(match (phase, found.role, purpose) {
        (Phase::Implement, "implementer", Purpose::Implement) => &implement::TASK,
        (Phase::Implement, "test-deepener", Purpose::Outline) => &implement::OUTLINE,
        (Phase::Implement, "implementation-reviewer", _) if alone => &implement::ALONE,
        (Phase::Finish, "retro-facilitator", Purpose::Judge) => &finish::JUDGE,
        _ => found,
    })
}

/// What a role is, whichever phase it works in.
pub fn kind(role: &Role) -> Option<ProfileKind> {
    all().find(|profile| profile.role == role.as_str()).map(|profile| profile.kind)
}

/// Who takes part in a phase: its author, then its reviewers in the order of their stages.
pub fn participants(phase: Phase) -> &'static [&'static Profile] {
    static SPECIFY: [&Profile; 3] = [&specify::AUTHOR, &specify::REVIEWER, &specify::HANDOFF];
    static DESIGN: [&Profile; 3] = [&design::AUTHOR, &design::REVIEWER, &design::HANDOFF];
    static PLAN: [&Profile; 3] = [&plan::AUTHOR, &plan::REVIEWER, &plan::HANDOFF];
    static TASKS: [&Profile; 3] = [&tasks::AUTHOR, &tasks::REVIEWER, &tasks::HANDOFF];
    static IMPLEMENT: [&Profile; 6] = [
        &implement::IMPLEMENTER,
        &implement::SIMPLIFIER,
        &implement::DEEPENER,
        &implement::IMPLEMENTATION,
        &implement::QUALITY,
        &implement::SECURITY,
    ];
    static FINISH: [&Profile; 1] = [&finish::FACILITATOR];
    static DOCUMENT: [&Profile; 2] = [&document::AUTHOR, &document::REVIEWER];
    match phase {
        Phase::Specify => &SPECIFY,
        Phase::Design => &DESIGN,
        Phase::CreatePlan => &PLAN,
        Phase::CreateTasks => &TASKS,
        Phase::Implement => &IMPLEMENT,
        Phase::Finish => &FINISH,
        Phase::Document => &DOCUMENT,
    }
}

/// The stages of a phase, each with the reviewers that must approve it. A document is judged by one after the other, code
/// by all at once.
pub fn panels(phase: Phase) -> Vec<Panel> {
    let reviewers = participants(phase).iter().filter(|profile| profile.kind != ProfileKind::Author);
    let seats = reviewers.map(|profile| PanelRole { role: Role::new(profile.role), letter: profile.letter });
    match phase {
        Phase::Implement => vec![Panel { roles: seats.collect() }],
        Phase::Specify
        | Phase::Design
        | Phase::CreatePlan
        | Phase::CreateTasks
        | Phase::Finish
        | Phase::Document => seats.map(|seat| Panel { roles: vec![seat] }).collect(),
    }
}

/// The stages of a phase in a lane: express has no reviewer for documents, and one for code ([`of_dispatch`]).
pub fn panels_in(phase: Phase, lane: Lane) -> Vec<Panel> {
    match (lane, phase) {
        (Lane::Standard | Lane::Deep, _) => panels(phase),
        (Lane::Express, Phase::Implement) => {
            let mut panels = panels(phase);
            panels.iter_mut().for_each(|panel| panel.roles.truncate(1));
            panels
        }
        (Lane::Express, _) => Vec::new(),
    }
}

/// The one stage of a document that is reviewed by itself: nothing is handed over, so no reviewer asks about the
/// hand-off.
pub fn domain_panel(phase: Phase) -> Vec<Panel> {
    let domain = |role: &PanelRole| kind(&role.role) == Some(ProfileKind::Domain);
    panels(phase).into_iter().filter(|panel| panel.roles.iter().all(domain)).collect()
}

/// Whether every role of a phase is given a file, so that all of them can find it in one cache. For code only the
/// reviewers count, who read it at the same time.
pub fn shared(phase: Phase, name: &str) -> bool {
    let counts = |profile: &&&Profile| phase != Phase::Implement || profile.kind != ProfileKind::Author;
    participants(phase).iter().filter(counts).all(|profile| profile.artifacts.contains(&name))
}

/// Who writes the artifact of a phase.
pub fn author(phase: Phase) -> Role {
    let author = participants(phase).iter().find(|profile| profile.kind == ProfileKind::Author);
    Role::new(author.map(|profile| profile.role).unwrap_or_default())
}

/// The roles of all phases, each once.
pub fn roles() -> Vec<Role> {
    let mut roles: Vec<Role> = Vec::new();
    for profile in all() {
        let role = Role::new(profile.role);
        if !roles.contains(&role) {
            roles.push(role);
        }
    }
    roles
}

/// Every built-in profile with its phase's, the author of a phase before its reviewers.
pub fn all() -> impl Iterator<Item = &'static Profile> {
    let beside = [Phase::Finish, Phase::Document].into_iter().filter(|phase| !Phase::ALL.contains(phase));
    Phase::ALL.into_iter().chain(beside).flat_map(participants).copied()
}

/// What a role may use: to read, to look things up outside of the repository as well, to write, to build. `Run` runs
/// commands; which ones is up to the agent and to what a person has accepted.
const READING: &[&str] = &["Read", "Glob", "Grep"];
const CHECKING: &[&str] =
    &["Read", "Glob", "Grep", "WebSearch", "mcp__context7__resolve-library-id", "mcp__context7__query-docs"];
const WRITING: &[&str] = &["Read", "Glob", "Grep", "Write", "Edit"];
/// Authors whose document states facts about libraries and services: what they look up need not be found wrong a round
/// later.
const RESEARCHING: &[&str] = &[
    "Read",
    "Glob",
    "Grep",
    "Write",
    "Edit",
    "WebSearch",
    "mcp__context7__resolve-library-id",
    "mcp__context7__query-docs",
];
const BUILDING: &[&str] = &["Read", "Glob", "Grep", "Write", "Edit", "Run"];

/// A phase reviewer is the same in every phase except for what it reads and what comes next.
const fn hand_off(
    title: &'static str,
    artifacts: &'static [&'static str],
    at_hand: &'static [&'static str],
    next_phase: &'static str,
) -> Profile {
    Profile {
        role: "phase-reviewer",
        letter: 'P',
        kind: ProfileKind::Phase,
        title,
        artifacts,
        at_hand,
        tools: READING,
        rubric: include_str!("../../texts/phase-reviewer.md"),
        coda: "What is not settled here will be settled by whoever meets it first, and nobody will notice.",
        checklist: include_str!("../../texts/phase-checks.md"),
        next_phase,
        iteration_from: 1,
        categories: &["completeness", "ambiguity", "traceability", "scope", "open-question"],
    }
}
