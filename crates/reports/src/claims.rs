//! What reviewers looked up outside of what they reviewed, and what of it they left to a person.
//!
//! A claim is told once, however often a role repeats it in later rounds. Start at [`claims`].

use redraft_core::pipeline::Pipeline;
use redraft_facts::event::{Entry, Event, Judged, Judgement};
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_facts::text::one_line;
use redraft_facts::verdict::Verified;
use serde::Serialize;

/// The maximum length of one part of a claim where people read it.
const CHARS_MAX: usize = 300;

/// A statement that a reviewer checked, or could not check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VerifiedClaim<'a> {
    pub phase: &'static str,
    pub role: &'a str,
    pub claim: &'a str,
    pub source: &'a str,
    pub result: &'a str,
    /// Whether nobody could settle it, so that a person should look.
    pub flagged: bool,
}

impl VerifiedClaim<'_> {
    /// `implement, security-reviewer: the claim (source): the result`
    pub fn in_words(&self) -> String {
        let (phase, role) = (self.phase, self.role);
        format!("{phase}, {role}: {}", in_words(self.claim, self.source, self.result))
    }
}

/// The reviews that count, in their order.
fn reviews<'a>(entries: &'a [Entry], state: &Pipeline) -> impl Iterator<Item = &'a Judged> {
    let counts: BTreeSet<(Phase, u16)> =
        state.relevant().map(|one| (one.opened.phase, one.opened.pass)).collect();
    let judged = entries.iter().filter_map(|entry| match &entry.event {
        Event::Judged(judged) => Some(judged),
        _ => None,
    });
    judged.filter(move |judged| {
        let used = matches!(judged.judgement, Judgement::Approved | Judgement::Rejected);
        used && counts.contains(&(judged.ticket.phase, judged.ticket.pass))
    })
}

/// A reviewer that named nothing in any review of a phase that it looked up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NothingLookedUp<'a> {
    pub phase: &'static str,
    pub role: &'a str,
}

/// The reviewers that looked up nothing, as far as their answers say, in the order in which they were asked first.
pub fn nothing_looked_up<'a>(entries: &'a [Entry], state: &Pipeline) -> Vec<NothingLookedUp<'a>> {
    let mut all: Vec<(NothingLookedUp<'a>, bool)> = Vec::new();
    for judged in reviews(entries, state) {
        let (phase, role) = (judged.ticket.phase.name(), judged.ticket.role.as_str());
        let (one, nothing) = (NothingLookedUp { phase, role }, judged.verdict.verified.is_empty());
        match all.iter_mut().find(|(known, _)| *known == one) {
            Some((_, so_far)) => *so_far &= nothing,
            None => all.push((one, nothing)),
        }
    }
    all.into_iter().filter(|(_, nothing)| *nothing).map(|(one, _)| one).collect()
}

/// `nothing was looked up by spec-reviewer (specify), phase-reviewer (specify)`; none where everybody looked something up.
pub fn nothing_in_words(all: &[NothingLookedUp<'_>]) -> Option<String> {
    let by: Vec<String> = all.iter().map(|one| format!("{} ({})", one.role, one.phase)).collect();
    (!by.is_empty()).then(|| format!("nothing was looked up by {}", by.join(", ")))
}

/// The claims of the reviews that count, in their order; those that a person should look at first.
pub fn claims<'a>(entries: &'a [Entry], state: &Pipeline) -> Vec<VerifiedClaim<'a>> {
    let mut all: Vec<VerifiedClaim<'a>> = Vec::new();
    for judged in reviews(entries, state) {
        for Verified { claim, source, result } in &judged.verdict.verified {
            let (phase, role) = (judged.ticket.phase.name(), judged.ticket.role.as_str());
            // What a later round says of the same claim holds.
            all.retain(|known| (known.phase, known.role, known.claim) != (phase, role, claim.as_str()));
            all.push(VerifiedClaim { phase, role, claim, source, result, flagged: is_flagged(result) });
        }
    }
    all.sort_by_key(|one| !one.flagged);
    all
}

/// Whether a result says that the claim was not settled, in the words that reviewers are told to use.
pub(crate) fn is_flagged(result: &str) -> bool {
    let result = result.to_lowercase();
    ["unable to verify", "flagged for", "human review"].iter().any(|words| result.contains(words))
}

/// `the claim (source): the result`
pub(crate) fn in_words(claim: &str, source: &str, result: &str) -> String {
    let line = |text: &str| one_line(text, CHARS_MAX);
    let source = match line(source) {
        source if source.is_empty() => source,
        source => format!(" ({source})"),
    };
    let result = match line(result) {
        result if result.is_empty() => result,
        result => format!(": {result}"),
    };
    format!("{}{source}{result}", line(claim))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_source_settled_is_for_a_person_in_the_words_of_the_prompts() {
        for result in [
            "Unable to verify independently - flagged for human review",
            "Unable to verify — external tools unavailable",
            "FLAGGED FOR a person",
        ] {
            assert!(is_flagged(result), "{result}");
        }
        assert!(!is_flagged("holds: page 3 says so") && !is_flagged(""));
    }

    #[test]
    fn a_claim_without_source_or_result_is_still_one_line() {
        assert_eq!(in_words("a\nb", "", ""), "a b");
        assert_eq!(in_words("a", "docs", "holds"), "a (docs): holds");
    }
}
