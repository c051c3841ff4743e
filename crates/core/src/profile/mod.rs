//! Who takes part in a phase: each role's texts, tools and files, in exactly one place.
//!
//! A profile is data that holds for every feature and every round; nothing here knows a feature, a round or a
//! finding. The texts themselves are Markdown under `texts/`, so that they can be reviewed as prose. Start at
//! [`of`]; [`crate::prompt`] turns a profile into fragments.

mod specify;
#[cfg(test)]
mod tests;

use crate::event::{Panel, PanelRole};
use crate::ids::Role;
use crate::phase::Phase;
use crate::prelude::*;

#[derive(Debug, PartialEq, Eq)]
pub struct Profile {
    pub role: &'static str,
    /// Begins the ids of this role's findings.
    pub letter: char,
    pub kind: Kind,
    /// What the role does, as one line for progress.
    pub title: &'static str,
    /// The files it must read before it begins, by name in the feature's folder.
    pub artifacts: &'static [&'static str],
    /// What it may use, in the words of Claude Code's agent front matter; adapters translate them.
    pub tools: &'static [&'static str],
    pub rubric: &'static str,
    /// Closes the rubric.
    pub coda: &'static str,
    /// Yes or no questions, at most five; what needs more is another role.
    pub checklist: &'static str,
    /// What the phase after this one needs; only a phase reviewer has it.
    pub next_phase: &'static str,
    /// The categories its findings may have; empty for an author.
    pub categories: &'static [&'static str],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Writes the artifact.
    Author,
    /// Judges the artifact by the rules of its own field, and is given it whole.
    Domain,
    /// Judges the hand-off to the next phase, and reads the artifact by path.
    Phase,
}

/// The built-in profile of a role.
pub fn of(role: &Role) -> Option<&'static Profile> {
    ALL.into_iter().find(|profile| profile.role == role.as_str())
}

/// The stages of a phase, each with the reviewers that must approve it.
pub fn panels(phase: Phase) -> Vec<Panel> {
    let stages = match phase {
        Phase::Specify => [&specify::REVIEWER, &specify::HANDOFF],
    };
    let seat = |profile: &Profile| PanelRole { role: Role::new(profile.role), letter: profile.letter };
    stages.into_iter().map(|profile| Panel { roles: vec![seat(profile)] }).collect()
}

/// Whether every role of a phase is given a file, so that all of them can find it in one cache.
pub fn shared(phase: Phase, name: &str) -> bool {
    let roles = panels(phase).into_iter().flat_map(|panel| panel.roles).map(|seat| seat.role);
    roles
        .chain([author(phase)])
        .all(|role| of(&role).is_some_and(|profile| profile.artifacts.contains(&name)))
}

/// Who writes the artifact of a phase.
pub fn author(phase: Phase) -> Role {
    match phase {
        Phase::Specify => Role::new(specify::AUTHOR.role),
    }
}

/// The roles of all profiles.
pub fn roles() -> Vec<Role> {
    ALL.iter().map(|profile| Role::new(profile.role)).collect()
}

/// Every built-in profile, the author of a phase before its reviewers.
pub const ALL: [&Profile; 3] = [&specify::AUTHOR, &specify::REVIEWER, &specify::HANDOFF];
