//! What people and authors have said that a prompt repeats.

use crate::values::LoopFacts;
use redraft_core::pipeline::Pipeline;
use redraft_core::review::{DispatchOrder, Loop};
use redraft_facts::event::FeatureCreated;
use redraft_facts::findings::{Finding, SettledFinding};
use redraft_facts::phase::Phase;
use redraft_facts::ticket::Ticket;
use redraft_prompts::prompt::{AnsweredQuestion, Disputed};
use redraft_roles::profile::{Profile, ProfileKind};

/// What a person asked for. A review has no idea, and that of a feature which was taken over is a title found there.
pub(crate) fn asked<'a>(pipeline: &Pipeline, created: &'a FeatureCreated) -> &'a str {
    let nobody = created.is_review() || pipeline.adopted.is_some();
    if nobody { "" } else { &created.idea }
}

/// What people have settled and holds for the role of an order. A matter that was accepted for a document must not keep a
/// reviewer of the code from saying what follows from it.
pub(super) fn settled_here(setting: LoopFacts<'_>, order: &DispatchOrder) -> Vec<SettledFinding> {
    let Ticket { phase, role, .. } = &order.ticket;
    setting.pipeline.settled.iter().filter(|one| one.holds_for(*phase, role)).cloned().collect()
}

/// What people said about the phase, apart from what the order asks about.
pub(super) fn comments<'a>(state: &'a Loop, order: &DispatchOrder) -> Vec<&'a Finding> {
    let said = state.findings.iter().filter(|finding| finding.is_comment());
    said.filter(|finding| !order.findings.contains(&finding.id)).collect()
}

/// The findings of an order that the author declined: for a reviewer those whose reply it was not shown, for the author
/// all, with what was answered.
pub(super) fn disputed<'a>(state: &'a Loop, order: &DispatchOrder, profile: &Profile) -> Vec<Disputed<'a>> {
    let findings = state.findings.iter().filter(|finding| order.findings.contains(&finding.id));
    let disputed = findings.filter_map(|finding| Some((finding, state.disputes.get(&finding.id)?)));
    let told = disputed.filter(|(_, one)| profile.kind == ProfileKind::Author || one.is_unheard());
    told.map(|(finding, one)| Disputed {
        finding,
        reply: one.again.as_deref().unwrap_or(&one.reply),
        answer: one.answer.as_deref(),
        upheld: one.upheld.as_ref().map(|upheld| (upheld.by.as_str(), upheld.why.as_str())),
    })
    .collect()
}

/// What authors asked before they drafted, with the answers: for a document those of its own phase, of an earlier pass
/// where nothing was asked in this one; for code those of all documents.
pub(super) fn answers<'a>(pipeline: &'a Pipeline, state: &'a Loop) -> Vec<AnsweredQuestion<'a>> {
    let of = |phase: Phase| {
        let mut passes = pipeline.past.iter().chain([state]).rev().filter(|one| one.opened.phase == phase);
        passes.find(|one| one.answers.is_some())
    };
    let phases = Phase::DOCUMENTS.into_iter();
    let phases = phases.filter(|phase| state.opened.is_code() || *phase == state.opened.phase);
    let said = |one: &'a Loop| {
        let answers = one.answers.iter().flatten().map(String::as_str).chain(std::iter::repeat(""));
        one.questions.iter().zip(answers)
    };
    phases
        .filter_map(of)
        .flat_map(said)
        .map(|(asked, answer)| AnsweredQuestion {
            question: &asked.question,
            assumed: &asked.assumed,
            answer,
        })
        .collect()
}
