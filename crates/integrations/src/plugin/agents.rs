//! Makes the text of an agent's file for every role: who it is, its rules, how it works, its checks and the form of its
//! answer.
//!
//! All but a few lines come from the prompts. A role that is asked for two different things has a part for each; the
//! role that must not see any code while it designs tests is a second agent, because tools belong to an agent and not
//! to a task.

use super::words::fill;
use redraft_facts::fragment::Fragment;
use redraft_facts::ids::Role;
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_facts::ticket::Purpose;
use redraft_prompts::prompt::{lasting, tool_fallback};
use redraft_roles::profile::{self, Profile, ProfileKind, RoleText};

const INTRO: &str = include_str!("../../texts/plugin/agent.md");

/// The name of the agent that plays `test-deepener` while it designs tests.
const OUTLINE: &str = "test-deepener-outline";

/// A role as tools know one.
#[derive(Debug)]
pub(super) struct Agent {
    pub(super) name: String,
    pub(super) description: String,
    /// By the names that profiles use.
    pub(super) tools: Vec<String>,
    /// The model that a repository's own text asks for.
    pub(super) model: Option<String>,
    pub(super) body: String,
}

impl Agent {
    pub(super) fn has(&self, tool: &str) -> bool {
        self.tools.iter().any(|one| one == tool)
    }

    /// Whether it may change files.
    pub(super) fn writes(&self) -> bool {
        self.has("Write") || self.has("Edit")
    }
}

/// Every agent, in the order of the phases.
pub(super) fn agents(own: &BTreeMap<Role, RoleText>) -> Vec<Agent> {
    let mut agents = Vec::new();
    for role in profile::roles() {
        let own = own.get(&role);
        agents.push(agent(role.as_str(), &role, own, |purpose| purpose != Some(Purpose::Outline)));
        let outline = |purpose| purpose == Some(Purpose::Outline);
        if tasks(&role).iter().any(|(_, purpose)| outline(*purpose)) {
            agents.push(agent(OUTLINE, &role, own, outline));
        }
    }
    agents
}

/// In which phases a role is asked, and for what where it has more than one text.
fn tasks(role: &Role) -> Vec<(Phase, Option<Purpose>)> {
    let phases = Phase::ALL.into_iter().chain([Phase::Document]);
    let mut tasks = Vec::new();
    for phase in phases.filter(|phase| profile::find(*phase, role).is_some()) {
        let purposes: &[Option<Purpose>] = match (phase, role.as_str()) {
            (Phase::Implement, "implementer") => &[Some(Purpose::Implement), Some(Purpose::Revise)],
            (Phase::Implement, "test-deepener") => &[Some(Purpose::Outline), Some(Purpose::Tests)],
            (Phase::Finish, "retro-facilitator") => &[Some(Purpose::Retro), Some(Purpose::Judge)],
            _ => &[None],
        };
        tasks.extend(purposes.iter().map(|purpose| (phase, *purpose)));
    }
    tasks
}

/// A task of a role: its profile and the lasting part of its prompts.
struct Part {
    phase: Phase,
    profile: &'static Profile,
    fragments: Vec<Fragment>,
}

impl Part {
    fn get(&self, name: &str) -> &str {
        let found = self.fragments.iter().find(|fragment| fragment.name == name);
        found.map_or("", |fragment| fragment.text.as_str())
    }

    /// Whether the two differ only in the phase.
    fn is_like(&self, other: &Part) -> bool {
        ["rubric", "checklist", "return"].iter().all(|name| self.get(name) == other.get(name))
    }
}

fn agent(name: &str, role: &Role, own: Option<&RoleText>, is_for: impl Fn(Option<Purpose>) -> bool) -> Agent {
    let of_purpose = |(phase, purpose): (Phase, Option<Purpose>)| {
        let profile = match purpose {
            Some(purpose) => profile::of_dispatch(phase, role, purpose, &profile::panels(phase)),
            None => profile::find(phase, role),
        }?;
        Some(Part { phase, profile, fragments: lasting(phase, role, purpose, own)? })
    };
    let parts: Vec<Part> =
        tasks(role).into_iter().filter(|(_, purpose)| is_for(*purpose)).filter_map(of_purpose).collect();
    let mut tools: Vec<String> = Vec::new();
    for tool in parts.iter().flat_map(|part| match own {
        Some(own) => own.tools(part.profile),
        None => part.profile.tools.to_vec(),
    }) {
        if !tools.iter().any(|one| one == tool) {
            tools.push(tool.to_owned());
        }
    }
    Agent {
        name: name.to_owned(),
        description: description(&parts, own),
        body: body(role, &parts, own, &tools),
        tools,
        model: own.and_then(|own| own.model.clone()),
    }
}

/// The description by which a user or a tool chooses an agent: short, because it is part of every conversation.
fn description(parts: &[Part], own: Option<&RoleText>) -> String {
    let title = match own.map(|own| own.description.as_str()) {
        Some(description) if !description.is_empty() => description.to_owned(),
        _ if parts.iter().all(|part| part.profile.kind == ProfileKind::Phase) => {
            "Validate that the next phase can start from a document".to_owned()
        }
        _ => {
            let titles: Vec<&str> = parts.iter().map(|part| part.profile.title).collect();
            titles.join("; ")
        }
    };
    format!("{}. Only for work that Redraft hands out.", title.trim_end_matches('.'))
}

fn body(role: &Role, parts: &[Part], own: Option<&RoleText>, tools: &[String]) -> String {
    let mut texts: Vec<String> = vec![fill(INTRO, &[("role", role.as_str())])];
    if let Some(first) = parts.first() {
        let rules = ["house-rules", "code-rules", "reviewer-rules"].map(|name| first.get(name).to_owned());
        texts.extend(rules);
    }
    let tools: Vec<&str> = tools.iter().map(String::as_str).collect();
    let mut told: Vec<&Part> = Vec::new();
    for part in parts {
        if told.iter().any(|other| other.is_like(part)) {
            continue;
        }
        let alike: Vec<&Part> = parts.iter().filter(|other| other.is_like(part)).collect();
        match told.iter().any(|other| other.get("rubric") == part.get("rubric")) {
            // A repository's own text is one for all that the role is asked for.
            true => texts.push(format!("# {}", part.profile.title)),
            false => texts.extend(rubric(part, own)),
        }
        texts.extend(told.is_empty().then(|| tool_fallback(&tools)).flatten().map(|fragment| fragment.text));
        texts.push(artifacts(&alike));
        texts.push(part.get("checklist").to_owned());
        texts.push(next_phases(&alike));
        texts.push(part.get("return").to_owned());
        told.push(part);
    }
    let texts: Vec<&str> = texts.iter().map(|text| text.trim()).filter(|text| !text.is_empty()).collect();
    texts.join("\n\n")
}

/// How the role works; what it has to look up outside of the repository is a section of its own.
fn rubric(part: &Part, own: Option<&RoleText>) -> Vec<String> {
    let rubric = part.get("rubric");
    let looks_outside = tool_fallback(part.profile.tools).is_some();
    let asks = |line: &&str| line.contains("`verified`") && line.contains("record ");
    let line = rubric.lines().find(asks).filter(|_| own.is_none() && looks_outside);
    let Some(line) = line else { return vec![rubric.to_owned()] };
    let number: String = line.chars().take_while(|letter| letter.is_ascii_digit()).collect();
    let (stand_in, text) = match line.strip_prefix(&format!("{number}. ")).filter(|_| !number.is_empty()) {
        Some(text) => (format!("{number}. Do what stands under Independent Verification."), text.to_owned()),
        None => ("Then do what stands under Independent Verification.".to_owned(), line.to_owned()),
    };
    let text = text.strip_prefix("Then check").map_or(text.clone(), |rest| format!("Check{rest}"));
    vec![rubric.replacen(line, &stand_in, 1), format!("## Independent Verification\n\n{text}")]
}

/// What is read before the work begins.
fn artifacts(parts: &[&Part]) -> String {
    let list = |part: &Part| -> String {
        let names: Vec<String> = part.profile.artifacts.iter().map(|name| format!("`{name}`")).collect();
        names.join(", ")
    };
    let lists: Vec<String> = match parts {
        [part] => part.profile.artifacts.iter().map(|name| format!("- `{name}`\n")).collect(),
        parts => parts.iter().map(|part| format!("- {}: {}\n", part.phase, list(part))).collect(),
    };
    if parts.iter().all(|part| part.profile.artifacts.is_empty()) {
        return String::new();
    }
    let by = if parts.len() > 1 { ", by the phase you are asked about" } else { "" };
    format!(
        "## Required Artifacts\n\nRead these files of the feature before you begin, as far as they are there{by}. The task \
         says where they are.\n\n{}",
        lists.concat()
    )
}

fn next_phases(parts: &[&Part]) -> String {
    let wanted = parts.iter().filter(|part| !part.profile.next_phase.is_empty());
    let texts: Vec<String> = wanted
        .map(|part| format!("### After {}\n\n{}", part.phase, part.profile.next_phase.trim()))
        .collect();
    if texts.is_empty() {
        return String::new();
    }
    format!("## Next Phase Expectations\n\n{}", texts.join("\n\n"))
}
