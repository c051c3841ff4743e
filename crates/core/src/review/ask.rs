//! The questions to a person: their words, and what each answer settles (`answer`). When one is asked is in
//! [`super::plan`], what an answer changes in [`super::step`].

mod answer;

use super::same_defect::{decided_with_it, joined};
use super::seat::OpenDispatch;
use super::state::Loop;
use answer::overrulings;
pub use answer::{decision, rulings};
use redraft_facts::event::{About, AuthorQuestion, Decision, Question};
use redraft_facts::findings::Finding;
use redraft_facts::ids::{CommentId, FindingId, Role};
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_facts::text::{count, one_line};

/// More findings would hide the question; `redraft show findings` has them all.
const DEFERRED_MAX: usize = 10;

/// The question about something, in words.
pub(super) fn ask(state: &Loop, about: About) -> Question {
    use Decision::{
        Abandon, Accept, Answer, Approve, Assume, Comment, Go, Overrule, Rerun, Retry, Skip, Uphold,
    };
    let building = state.implementing.as_ref().is_some_and(|implementing| implementing.current().is_some());
    let (mut text, choices) = match &about {
        About::Cap { stage } => {
            let open = rulings(state, &about).len();
            let seats = state.reviewers.iter().filter(|seat| seat.stage == *stage);
            let waiting = seats.filter(|seat| seat.approved().is_none() && !seat.ruled());
            let roles: Vec<&str> = waiting.map(|seat| seat.role.as_str()).collect();
            let (roles, rounds) = (roles.join(", "), count(state.rounds_max(*stage).into(), "round"));
            let open = count(open, "open finding");
            let mut text =
                format!("{roles} did not approve within {rounds}; {open}{}", edited(state, *stage));
            let declined = overrulings(state, &about);
            if declined.is_empty() {
                (text, vec![Accept, Retry, Rerun, Abandon])
            } else {
                let names: Vec<&str> = declined.iter().map(FindingId::as_str).collect();
                text.push_str(&format!("; the author declines {} (overrule ends these)", names.join(", ")));
                declined.iter().for_each(|id| text.push_str(&both_sides(state, id)));
                (text, vec![Accept, Overrule, Retry, Rerun, Abandon])
            }
        }
        About::Agent { role } => {
            let attempts = count(failures(state, role).into(), "attempt");
            match state.seats().any(|seat| seat.role == *role && seat.insists()) {
                true => {
                    let open = match rulings(state, &about).len() {
                        0 => String::new(),
                        open => format!("; {} of its own, which accept settles", count(open, "open finding")),
                    };
                    let text = format!(
                        "{role} rejected it in {attempts}, only because of findings that were deferred, that a person \
                            has ruled about, or whose quote was not found{open}"
                    );
                    (text, vec![Accept, Retry, Rerun, Abandon])
                }
                false => {
                    let why = trouble(state, role).map(|why| format!(": {why}")).unwrap_or_default();
                    (format!("{role} gave no usable answer in {attempts}{why}"), vec![Retry, Rerun, Abandon])
                }
            }
        }
        About::Gate if state.finishing.is_some() => {
            let failed = state.failed_gate();
            let gate = failed.map(|check| check.gate.as_str()).unwrap_or("a gate");
            let why = failed.map(|check| check.in_a_line(200)).unwrap_or_default();
            (format!("{gate} fails on what would be merged: {why}"), vec![Retry, Accept, Abandon])
        }
        About::Deferred => {
            let put_off = put_off(state);
            let shown = put_off.iter().take(DEFERRED_MAX);
            let mut list: String = shown.map(|(phase, finding)| deferred_in_words(*phase, finding)).collect();
            if put_off.len() > DEFERRED_MAX {
                list.push_str(&format!("\n  and {} more", put_off.len() - DEFERRED_MAX));
            }
            let text = format!(
                "before the feature ends, rule on {} that reviews deferred (accept leaves it as it is; to have it fixed, go \
                 back to its phase with `redraft phase back`){list}",
                count(put_off.len(), "blocker")
            );
            (text, vec![Accept, Abandon])
        }
        About::Lessons => {
            let judged = state.finishing.as_ref().and_then(|finishing| finishing.judged.as_ref());
            let (confirmed, challenged) =
                judged.map(|judged| (judged.confirmed.len(), judged.challenged.len())).unwrap_or_default();
            let text = format!(
                "lessons of earlier features were judged here for the first time: {confirmed} confirmed, {challenged} \
                 challenged; write that into the knowledge bank (accept), or leave it as it is (skip)?"
            );
            (text, vec![Accept, Skip])
        }
        About::Begin => {
            // Tasks that ended before anything was begun were done before the feature was adopted.
            let tasks = state.implementing.as_ref().map_or(0, |implementing| implementing.tasks.len());
            let before = state.implementing.as_ref().map_or(0, |implementing| implementing.tally().0);
            let text = match before {
                0 => format!("code is written next, in {}", count(tasks, "task")),
                some => format!(
                    "code is written next, in {} of {}; {some} done before",
                    tasks.saturating_sub(some),
                    count(tasks, "task")
                ),
            };
            (text, vec![Go, Abandon])
        }
        About::Gate => {
            let gate = state.failed_gate().map(|check| check.gate.as_str()).unwrap_or("a gate");
            let text = match state.untold_refusal() {
                Some(refused) => format!("{gate} failed{}: {}", in_task(state), one_line(refused, 600)),
                None => {
                    let times = count(state.failed_gates.into(), "time");
                    format!("{gate} failed {times} in a row{}", in_task(state))
                }
            };
            match building {
                true => (text, vec![Retry, Skip, Accept, Abandon]),
                false => (text, vec![Retry, Accept, Rerun, Abandon]),
            }
        }
        About::Unchanged => {
            let author = &state.author.role;
            let told = match state.failed_gate() {
                Some(check) => {
                    format!("that gate {} failed ({})", check.gate, check.in_a_line(200))
                }
                None => "what is open".to_owned(),
            };
            let text = format!("{author} was told twice {told} and changed nothing{}", in_task(state));
            match building {
                true => (text, vec![Retry, Skip, Accept, Abandon]),
                false => (text, vec![Retry, Accept, Rerun, Abandon]),
            }
        }
        About::Task { id } => {
            let task = state
                .implementing
                .iter()
                .flat_map(|implementing| &implementing.tasks)
                .find(|task| task.id == *id);
            let (title, work) =
                (task.map(|task| task.title.as_str()), task.and_then(|t| t.seat.work.as_ref()));
            let attempts = count(work.map_or(0, |work| work.failures).into(), "attempt");
            let why = work.map(|work| one_line(&work.trouble, 200)).filter(|why| !why.is_empty());
            let why = why.map(|why| format!(": {why}")).unwrap_or_default();
            let said = task.and_then(|task| task.unfinished.as_deref()).map(|said| one_line(said, 600));
            let said = said.map(|said| format!("; the implementer said: {said}")).unwrap_or_default();
            let title = one_line(title.unwrap_or_default(), 80);
            let text = format!("task {id} ({title}) could not be carried out in {attempts}{why}{said}");
            (text, vec![Retry, Skip, Abandon])
        }
        About::Divergence => {
            let gate = state.failed_gate().map(|check| check.gate.as_str()).unwrap_or("a gate");
            let times = count(
                state.implementing.as_ref().map_or(0, |implementing| implementing.mended).into(),
                "time",
            );
            let text = format!(
                "{gate} fails on tests that were written from the documents, although the code was corrected \
                    {times} for them (accept keeps the code and removes those tests)"
            );
            (text, vec![Accept, Abandon])
        }
        About::Certificate => {
            let text = match rulings(state, &about).len() {
                // A comment that they found open again, and that its reviewer then took for met.
                0 => "fresh eyes found a blocker after the phase had been reopened, and its reviewer says that it is met"
                    .to_owned(),
                open => {
                    format!("fresh eyes found {} after the phase had been reopened", count(open, "blocker"))
                }
            };
            (text, vec![Accept, Rerun, Abandon])
        }
        About::Disagreement { finding } => {
            (disagreement(state, finding), vec![Uphold, Overrule, Accept, Rerun, Abandon])
        }
        About::Author { questions } => {
            let asked = count(questions.len(), "question");
            let list: String = questions.iter().enumerate().map(|(at, one)| in_words(at, one)).collect();
            let text = format!("{} has {asked} before it drafts{list}", state.author.role);
            (text, vec![Answer, Assume, Abandon])
        }
        About::Approval => (to_approve(state), vec![Approve, Comment, Abandon]),
        About::SecondDecision { id } => {
            // The result of a merge is computed again in any case.
            let again = if state.finishing.is_some() { vec![] } else { vec![Rerun] };
            (second_decision(state, id), [vec![Accept], again, vec![Abandon]].concat())
        }
    };
    text.push_str(&unmet(state, &about, &choices));
    Question { pass: state.opened.pass, number: state.decided + 1, about, text, choices }
}

/// What a person is asked to approve. It names the revision, so that an edit makes it another question.
fn to_approve(state: &Loop) -> String {
    let what = match state.artifact() {
        artifact if state.opened.phase != Phase::Implement => artifact.to_owned(),
        _ => "the code".to_owned(),
    };
    let revision = state.revision.as_ref().map(|revision| revision.short().to_owned()).unwrap_or_default();
    let approved = state.reviewers.iter().filter(|seat| seat.approved().is_some());
    let names: Vec<&str> = approved.map(|seat| seat.role.as_str()).collect();
    let by = match names.as_slice() {
        [] => "passed the gates".to_owned(),
        names => format!("is approved by {}", names.join(", ")),
    };
    format!("{what} {by}; look at revision {revision} before {} closes", state.opened.phase)
}

/// The comments of people that accepting would leave unmet, so that nobody accepts past one without knowing.
fn unmet(state: &Loop, about: &About, choices: &[Decision]) -> String {
    if !choices.contains(&Decision::Accept) || matches!(about, About::Disagreement { .. } | About::Deferred) {
        return String::new();
    }
    let ruled = rulings(state, about);
    let unmet = state.findings.iter().filter(|one| one.is_open_comment() && ruled.contains(&one.id));
    let names: Vec<String> = unmet.map(|one| format!("{} of {}", one.id, one.raised_by())).collect();
    match names.as_slice() {
        [] => String::new(),
        names => format!("; accept would leave {} unmet", names.join(", ")),
    }
}

/// Both decisions on one question, of which the first is carried out.
fn second_decision(state: &Loop, id: &CommentId) -> String {
    let found = state.second.iter().find(|second| second.id == *id);
    let Some((second, first)) = found.and_then(|second| Some((second, second.against.as_ref()?))) else {
        return String::new();
    };
    format!(
        "{} in {} decided {}, not knowing that {} had decided {}, which is carried out (accept leaves it at that)",
        second.by,
        second.place,
        second.what,
        first.by,
        first.choice.name()
    )
}

fn put_off(state: &Loop) -> &[(Phase, Finding)] {
    state.finishing.as_ref().map(|finishing| finishing.put_off.as_slice()).unwrap_or_default()
}

fn deferred_in_words(phase: Phase, finding: &Finding) -> String {
    const CHARS_MAX: usize = 300;
    let (what, place) = (one_line(&finding.description, CHARS_MAX), one_line(&finding.place(), 120));
    format!("\n  {} of {phase}: {what} (at: {place})", finding.id)
}

/// The question about a finding on which both sides insist.
fn disagreement(state: &Loop, id: &FindingId) -> String {
    let author = &state.author.role;
    let finding = state.findings.iter().find(|finding| finding.id == *id);
    let role = finding.map(|finding| finding.role.as_str());
    if let Some(by) = finding.and_then(|finding| finding.by.as_deref()) {
        let sides = both_sides(state, id);
        return format!("{id} of {by} is not met: uphold has {author} work it in, overrule ends it{sides}");
    }
    let same = joined(state, id);
    let mut text = format!(
        "{author} and {} disagree about {id}: uphold has it fixed, overrule ends it{}{}",
        role.unwrap_or("its reviewer"),
        decided_with_it(&same),
        both_sides(state, id)
    );
    same.iter().for_each(|other| text.push_str(&both_sides(state, other)));
    text
}

/// A finding and what both sides said about it, each on a line of its own.
fn both_sides(state: &Loop, id: &FindingId) -> String {
    const CHARS_MAX: usize = 500;
    let said = |text: &str| match one_line(text, CHARS_MAX).as_str() {
        "" => "no reason given".to_owned(),
        text => text.to_owned(),
    };
    let Some(finding) = state.findings.iter().find(|finding| finding.id == *id) else { return String::new() };
    let (author, role, severity) = (&state.author.role, &finding.role, finding.severity);
    let (what, place) = (said(&finding.description), one_line(&finding.place(), CHARS_MAX));
    let mut text = format!("\n  {id} {severity}, {}: {what} (at: {place})", finding.raised_by());
    let Some(dispute) = state.disputes.get(id) else { return text };
    let answers =
        [(author, Some(&dispute.reply)), (role, dispute.answer.as_ref()), (author, dispute.again.as_ref())];
    for (who, answer) in answers.into_iter().filter_map(|(who, answer)| Some((who, answer?))) {
        text.push_str(&format!("\n    {who}: {}", said(answer)));
    }
    text
}

/// The task a question came up in.
fn in_task(state: &Loop) -> String {
    let task = state.implementing.as_ref().and_then(|implementing| implementing.current());
    task.map(|(_, task)| format!(" in task {} ({})", task.id, one_line(&task.title, 80))).unwrap_or_default()
}

fn in_words(at: usize, one: &AuthorQuestion) -> String {
    const CHARS_MAX: usize = 500;
    let (question, assumed) = (one_line(&one.question, CHARS_MAX), one_line(&one.assumed, CHARS_MAX));
    let otherwise = if assumed.is_empty() { String::new() } else { format!(" (else: {assumed})") };
    format!("\n  {}. {question}{otherwise}", at + 1)
}

/// How many attempts of a role failed at what it is asked now. This is not the limit if no further attempt could help.
fn failures(state: &Loop, role: &Role) -> u16 {
    spent(state, role).map(|work| work.failures).max().unwrap_or(0)
}

/// Why the last of them failed.
fn trouble(state: &Loop, role: &Role) -> Option<String> {
    const CHARS_MAX: usize = 200;
    let why = spent(state, role).map(|work| one_line(&work.trouble, CHARS_MAX)).last();
    why.filter(|why| !why.is_empty())
}

fn spent<'a>(state: &'a Loop, role: &'a Role) -> impl Iterator<Item = &'a OpenDispatch> {
    let works = state.seats().filter(move |seat| seat.role == *role).filter_map(|seat| seat.work.as_ref());
    works.filter(|work| work.is_spent(&state.opened.limits))
}

/// What the question at a cap adds when the document is no longer the one that was reviewed. It names the revision,
/// so that another edit makes it another question.
fn edited(state: &Loop, stage: u16) -> String {
    let (unseen, Some(revision)) = (unseen(state, stage), &state.revision) else { return String::new() };
    if unseen.is_empty() {
        return String::new();
    }
    let names: Vec<&str> = unseen.iter().map(Role::as_str).collect();
    let (names, revision) = (names.join(", "), revision.short());
    let what = if state.opened.phase == Phase::Implement { "code" } else { "document" };
    format!(
        "; the {what} was edited since the last review: revision {revision} was not seen by {names} \
         (accept takes it unreviewed, retry or rerun has it reviewed)"
    )
}

/// The roles of a stage that a ruling would stand in for and that have not seen the revision as it is now.
fn unseen(state: &Loop, stage: u16) -> Vec<Role> {
    let waiting = state.reviewers.iter().filter(|seat| seat.stage == stage && !seat.ruled());
    let waiting = waiting.filter(|seat| seat.approved().is_none() && seat.anchor != state.revision);
    waiting.map(|seat| seat.role.clone()).collect()
}
