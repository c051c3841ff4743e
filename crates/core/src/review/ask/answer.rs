//! What a person's answer to a question settles.

use super::super::dispute::Dispute;
use super::super::same_defect::{joined, with_joined};
use super::super::state::Loop;
use super::{put_off, unseen};
use redraft_facts::event::{About, Decided, Decision, Question};
use redraft_facts::ids::FindingId;
use redraft_facts::prelude::*;

/// A person's answer to the question that is open, with all that it settles.
pub fn decision(state: &Loop, question: &Question, choice: Decision, by: &str, why: &str) -> Decided {
    let accepts = choice == Decision::Accept;
    let unseen = match question.about {
        About::Cap { stage } if accepts => unseen(state, stage),
        // In all other cases, the role that is ruled on has just judged the revision.
        About::Cap { .. }
        | About::Agent { .. }
        | About::Gate
        | About::Unchanged
        | About::Certificate
        | About::Author { .. }
        | About::Task { .. }
        | About::Begin
        | About::Lessons
        | About::Deferred
        | About::Divergence
        | About::Approval
        | About::SecondDecision { .. }
        | About::Disagreement { .. } => Vec::new(),
    };
    Decided {
        pass: question.pass,
        number: question.number,
        about: question.about.clone(),
        choice,
        by: by.to_owned(),
        why: why.to_owned(),
        ruled: match choice {
            Decision::Accept => rulings(state, &question.about),
            Decision::Overrule => overrulings(state, &question.about),
            _ => Vec::new(),
        },
        revision: state.revision.clone(),
        unseen,
        answers: Vec::new(),
        phase: Some(state.opened.phase),
        upheld: match (choice, &question.about) {
            (Decision::Uphold, About::Disagreement { finding }) => joined(state, finding),
            _ => Vec::new(),
        },
    }
}

/// The findings that accepting would settle.
pub fn rulings(state: &Loop, about: &About) -> Vec<FindingId> {
    if *about == About::Deferred {
        return put_off(state).iter().map(|(_, finding)| finding.id.clone()).collect();
    }
    let in_the_way = state.findings.iter().filter(|finding| finding.blocks(state.opened.rule));
    let settled = in_the_way.filter(|finding| match about {
        About::Cap { stage } => state.reviewer(&finding.role).is_some_and(|seat| seat.stage == *stage),
        About::Unchanged | About::Certificate => true,
        // A role that insists has not said, in an answer that counts, what became of its own findings.
        About::Agent { role } => finding.role == *role,
        About::Disagreement { finding: disputed } => finding.id == *disputed,
        About::Gate
        | About::Author { .. }
        | About::Task { .. }
        | About::Begin
        | About::Lessons
        | About::Deferred
        | About::Approval
        | About::SecondDecision { .. }
        | About::Divergence => false,
    });
    with_joined(state, settled.map(|finding| finding.id.clone()).collect())
}

/// The findings that overruling would end: the one a person is asked about, or at a cap, where the author has no further
/// turn, those that it declined and its reviewers kept.
pub(super) fn overrulings(state: &Loop, about: &About) -> Vec<FindingId> {
    let in_the_way = state.findings.iter().filter(|finding| finding.blocks(state.opened.rule));
    let ends = in_the_way.filter(|finding| match about {
        About::Disagreement { finding: disputed } => finding.id == *disputed,
        About::Cap { stage } => {
            state.reviewer(&finding.role).is_some_and(|seat| seat.stage == *stage)
                && state.disputes.get(&finding.id).is_some_and(Dispute::is_answered)
        }
        _ => false,
    });
    with_joined(state, ends.map(|finding| finding.id.clone()).collect())
}
