//! Lists who wrote and who judged the parts of a feature that still count.

use super::Pipeline;
use crate::attribution::{RoleAttribution, distinct};
use crate::review::{Loop, LoopEnd};
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;

impl Pipeline {
    /// The loops that count: what was left out or is done again counts no more.
    pub fn valid(&self) -> impl Iterator<Item = &Loop> {
        self.relevant().filter(|one| !matches!(one.end, Some(LoopEnd::Superseded | LoopEnd::Skipped)))
    }

    /// Who gave the verdicts that stand, in the order of the phases, each role once for each player.
    pub fn judged_by(&self) -> Vec<RoleAttribution> {
        distinct(self.valid().flat_map(|one| self.players.judges(one)))
    }

    /// The same for the phase it stands in or, if nobody has judged that yet, for the last phase that was judged.
    pub fn judged_last_by(&self) -> Vec<RoleAttribution> {
        let all = self.valid().map(|one| self.players.judges(one)).filter(|judges| !judges.is_empty());
        all.last().unwrap_or_default()
    }

    /// Who wrote or judged anything that still counts.
    fn played_by(&self) -> Vec<RoleAttribution> {
        let of = |one: &Loop| [self.players.writers(one.opened.phase), self.players.judges(one)].concat();
        distinct(self.valid().flat_map(of))
    }

    /// Whether the rehearsal agent wrote or judged anything that still counts.
    pub fn is_rehearsed(&self) -> bool {
        self.adopted_rehearsed() || self.played_by().iter().any(RoleAttribution::is_rehearsed)
    }

    /// Whether documents count that were adopted as they were, and that the rehearsal agent wrote or judged elsewhere.
    fn adopted_rehearsed(&self) -> bool {
        let done_again = |phase: &Phase| self.valid().any(|one| one.opened.phase == *phase);
        let rehearsed = self.adopted.as_ref().filter(|taken| taken.rehearsed == Some(true));
        rehearsed.is_some_and(|taken| taken.accepted.iter().any(|phase| !done_again(phase)))
    }

    /// The notice to show where the rehearsal agent took part, so that nobody mistakes it for a review. The roles are
    /// named if it did not play all of them, or if `roles` asks for it.
    pub fn rehearsal_notice(&self, roles: bool) -> Option<String> {
        let all = self.played_by();
        let (played, others): (Vec<&RoleAttribution>, Vec<&RoleAttribution>) =
            all.iter().partition(|one| one.is_rehearsed());
        if played.is_empty() {
            return self.adopted_rehearsed().then(|| {
                "The rehearsal agent, which is built in and judges nothing, took part in what was adopted"
                    .to_owned()
            });
        }
        let mut names: Vec<&str> = Vec::new();
        for role in played.iter().map(|one| one.role.as_str()) {
            if !names.contains(&role) {
                names.push(role);
            }
        }
        let (part, names) = match (others.is_empty(), roles) {
            (true, true) => ("", format!("these roles: {}", names.join(", "))),
            (true, false) => ("", "every role".to_owned()),
            (false, _) => (" in some of this", format!("these roles: {}", names.join(", "))),
        };
        Some(format!(
            "No model took part{part}: the rehearsal agent, which is built in and judges nothing, played {names}"
        ))
    }
}
