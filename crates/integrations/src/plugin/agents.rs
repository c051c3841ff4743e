//! Makes the text of an agent's file for every role: who it is, its tools, and what it does without some of them.
//!
//! How the role works stands in every prompt that Redraft hands out, and is not paid for twice. The role that must not
//! see any code while it designs tests is a second agent, because tools belong to an agent and not to a task.

use super::words::fill;
use redraft_facts::ids::Role;
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_facts::ticket::Purpose;
use redraft_prompts::prompt::tool_fallback;
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

fn agent(name: &str, role: &Role, own: Option<&RoleText>, is_for: impl Fn(Option<Purpose>) -> bool) -> Agent {
    let of_purpose = |(phase, purpose): (Phase, Option<Purpose>)| match purpose {
        Some(purpose) => profile::of_dispatch(phase, role, purpose, &profile::panels(phase)),
        None => profile::find(phase, role),
    };
    let parts: Vec<&Profile> =
        tasks(role).into_iter().filter(|(_, purpose)| is_for(*purpose)).filter_map(of_purpose).collect();
    let mut tools: Vec<String> = Vec::new();
    for tool in parts.iter().flat_map(|profile| match own {
        Some(own) => own.tools(profile),
        None => profile.tools.to_vec(),
    }) {
        if !tools.iter().any(|one| one == tool) {
            tools.push(tool.to_owned());
        }
    }
    Agent {
        name: name.to_owned(),
        description: description(&parts, own),
        body: body(role, &tools),
        tools,
        model: own.and_then(|own| own.model.clone()),
    }
}

/// The description by which a user or a tool chooses an agent: short, because it is part of every conversation.
fn description(parts: &[&Profile], own: Option<&RoleText>) -> String {
    let title = match own.map(|own| own.description.as_str()) {
        Some(description) if !description.is_empty() => description.to_owned(),
        _ if parts.iter().all(|profile| profile.kind == ProfileKind::Phase) => {
            "Validate that the next phase can start from a document".to_owned()
        }
        _ => {
            let titles: Vec<&str> = parts.iter().map(|profile| profile.title).collect();
            titles.join("; ")
        }
    };
    format!("{}. Only for work that Redraft hands out.", title.trim_end_matches('.'))
}

fn body(role: &Role, tools: &[String]) -> String {
    let tools: Vec<&str> = tools.iter().map(String::as_str).collect();
    let intro = fill(INTRO, &[("role", role.as_str())]);
    match tool_fallback(&tools) {
        Some(fallback) => format!("{}\n\n{}", intro.trim(), fallback.text.trim()),
        None => intro.trim().to_owned(),
    }
}
