//! Reads the settings that hold for the whole scenario.

use super::{Line, money};
use redraft_engine::ports::Check;
use redraft_facts::choice::Policy;
use redraft_facts::event::{Certify, Extra};
use redraft_facts::findings::Threshold;
use redraft_facts::phase::{Lane, Phase};
use redraft_facts::usage::Usd;

#[derive(Debug, Clone)]
pub(crate) enum Setting {
    Until(Phase),
    RestsAfter(Phase),
    Lane(Lane),
    Certify(Certify),
    Policy(Policy),
    Threshold(Threshold),
    Budget(Usd),
    Rounds(u16),
    Attempts(u16),
    Repairs(u16),
    Gates(u16),
    /// How many tasks are carried out at once.
    Jobs(u16),
    /// What becomes of tasks that are carried out at once depends on which is finished first, and a crash changes that.
    OrderMatters,
    Check(Check),
    /// What the main checkout says about how work is done in the repository, in this file.
    Convention(String, String),
    Extra(Extra),
    AsksFirst,
    AsksAfter(Phase),
    AuthorRests,
    Retrospective,
    RequiresDocumentation,
    NoBase,
    Setup,
    /// A role, and the agent that plays it.
    Cast(String, Option<String>),
    Forgetful(String),
    /// An agent whose reviewers may have checks run.
    Rechecks(String),
    /// It continues conversations of which it knows nothing.
    Forgets(String),
    Host(String),
    Dear(String, Usd, Usd),
    Lacks(String, String),
    Unwatched(String, Usd),
}

/// A setting; none where the line is something else.
pub(super) fn read(line: &Line) -> Option<Setting> {
    if let Some(limit) = line.shape.strip_prefix("at most ") {
        let (number, what) = limit.split_once(' ')?;
        let number = number.parse().ok()?;
        return Some(match what.trim_end_matches('s').replace("tasks at", "task at").as_str() {
            "round" => Setting::Rounds(number),
            "attempt" => Setting::Attempts(number),
            "repair" => Setting::Repairs(number),
            "failed gate" => Setting::Gates(number),
            "task at once" => Setting::Jobs(number),
            _ => return None,
        });
    }
    if let Some(rest) = line.shape.strip_prefix("the ") {
        let (what, word) = rest.split_once(' ')?;
        match (what, word.strip_prefix("is ").or(word.strip_prefix("goes until ")).unwrap_or(word)) {
            ("feature", "begins on no branch") => return Some(Setting::NoBase),
            ("feature", word) => return word.parse().ok().map(Setting::Until),
            ("lane", word) => return word.parse().ok().map(Setting::Lane),
            ("policy", word) => return word.parse().ok().map(Setting::Policy),
            ("budget", word) => return money(word).map(Setting::Budget),
            ("order", "in which tasks are finished matters") => return Some(Setting::OrderMatters),
            ("author", "rests") => return Some(Setting::AuthorRests),
            ("rule", "only blockers count") => return Some(Setting::Threshold(Threshold::Blockers)),
            ("run", word) => {
                return word.strip_prefix("rests after ")?.parse().ok().map(Setting::RestsAfter);
            }
            _ => return None,
        }
    }
    if let Some((role, agent)) = line.shape.split_once(" is played by ") {
        return Some(Setting::Cast(
            role.to_owned(),
            Some(agent.to_owned()).filter(|agent| agent != "nobody"),
        ));
    }
    if let Some(phase) = line.shape.strip_suffix(" is approved by a person") {
        return phase.parse().ok().map(Setting::AsksAfter);
    }
    if let Some((agent, rest)) = line.shape.split_once(" costs ") {
        let (cost, reserved) = rest.split_once(" of ")?;
        return Some(Setting::Dear(agent.to_owned(), money(reserved)?, money(cost)?));
    }
    if let Some((agent, total)) = line.shape.split_once(" goes on unwatched up to ") {
        return Some(Setting::Unwatched(agent.to_owned(), money(total)?));
    }
    if let Some((agent, tool)) = line.shape.split_once(" offers no ") {
        return Some(Setting::Lacks(agent.to_owned(), tool.to_owned()));
    }
    if let Some(agent) = line.shape.strip_suffix(" keeps no conversations") {
        return Some(Setting::Forgetful(agent.to_owned()));
    }
    if let Some(agent) = line.shape.strip_suffix(" can have checks run") {
        return Some(Setting::Rechecks(agent.to_owned()));
    }
    if let Some(agent) = line.shape.strip_suffix(" forgets what was said") {
        return Some(Setting::Forgets(agent.to_owned()));
    }
    if let Some(agent) = line.shape.strip_suffix(" is a host") {
        return Some(Setting::Host(agent.to_owned()));
    }
    if let Some(name) = line.shape.strip_prefix("code must pass ").and_then(|rest| rest.strip_suffix(": $")) {
        return Some(Setting::Check(Check { name: name.to_owned(), command: line.text(0) }));
    }
    if let Some(file) = line.shape.strip_suffix(" says how work is done: $") {
        return Some(Setting::Convention(file.to_owned(), line.text(0)));
    }
    Some(match line.shape.as_str() {
        "fresh eyes certify" => Setting::Certify(Certify::Fresh),
        "nobody certifies" => Setting::Certify(Certify::Off),
        "code is made simpler" => Setting::Extra(Extra::Simplify),
        "tests are deepened" => Setting::Extra(Extra::Deepen),
        "a person is asked before code is written" => Setting::AsksFirst,
        "somebody looks back" => Setting::Retrospective,
        "documentation is required" => Setting::RequiresDocumentation,
        "checks need to be set up" => Setting::Setup,
        _ => return None,
    })
}
