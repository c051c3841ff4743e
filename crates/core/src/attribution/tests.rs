//! Who judged is found by ticket, whatever happened in between.

use super::*;
use crate::pipeline::Pipeline;
use crate::review::LoopEnd;
use redraft_facts::event::{Entry, Event};

const OPENED: &str = r#"{"phase":"specify","pass":PASS,"author":"spec-author",
    "panels":[{"roles":[{"role":"spec-reviewer","letter":"S"}]},{"roles":[{"role":"phase-reviewer","letter":"P"}]}],
    "paths":["spec.md"],"gates":[],"limits":{"rounds":5,"attempts":3,"repairs":1,"gates":3,"late_rounds":1,
    "reopenings":1},"rule":"strict","certify":"resume","policy":"cost",
    "knowledge":"full","config":"00","base":null,"profiles":{},"project":null,"tasks":[],"extras":{},"checks":{},
    "asks_first":false,"bundle":null,"bank":null,"same_hand":false}"#;

fn event(kind: &str, body: &str) -> Event {
    Event::decode(kind, 1, body).unwrap()
}

fn sent(ticket: &str, agent: &str, player: &str) -> Event {
    let body = r#"{"ticket":"TICKET","agent":"AGENT","sees":null,"since":null,
        "choice":{"strategy":"lazy","why":"w"},"prompt":"00","prompt_chars":1,"context_chars":1,"session":null,
        "tree":{"head":"","branch":"","index":"","work":""},"reserved":0,"expires_ms":0,"markers":[],
        "missing":[],"told":[],"pull":false,"player":PLAYER}"#;
    let body = body.replace("TICKET", ticket).replace("AGENT", agent).replace("PLAYER", player);
    event("started", &body)
}

fn judged(ticket: &str, judgement: &str) -> Event {
    let body = format!(
        r#"{{"ticket":"{ticket}","judgement":"{judgement}","verdict":{{"approved":true,"summary":"","answers":[],
        "issues":[],"checks":[],"verified":[],"files_read":[]}},"changes":[],"late":false,"notes":[],"settled":false}}"#
    );
    event("judged", &body)
}

const REHEARSAL: &str = r#"{"kind":"rehearsal","program":"redraft","version":"1.0","model":""}"#;
const CLAUDE: &str =
    r#"{"kind":"claude","program":"Claude Code","version":"2.1.325","model":"claude-sonnet-5.5"}"#;

/// A feature whose loops had these passes, the last of them open.
fn feature(passes: u16, events: &[Event]) -> Pipeline {
    let mut state = Pipeline::default();
    for pass in 1..=passes {
        let Event::LoopOpened(opened) = event("loop-opened", &OPENED.replace("PASS", &pass.to_string()))
        else {
            unreachable!()
        };
        let scope = "001".parse().unwrap();
        let mut one = Loop::new(scope, opened, state.past.last());
        if pass == passes {
            state.open = Some(one);
        } else {
            one.end = Some(LoopEnd::Superseded);
            state.past.push(one);
        }
    }
    events.iter().for_each(|event| state.players.take(event));
    state
}

#[test]
fn the_last_verdict_of_each_role_in_the_last_pass_counts() {
    let (old, first) = ("001/specify.1/review/spec-reviewer/1.1", "001/specify.2/review/spec-reviewer/1.1");
    let (repair, phase) =
        ("001/specify.2/repair/spec-reviewer/1.1", "001/specify.2/review/phase-reviewer/1.1");
    let events = [
        sent(old, "rehearsal", REHEARSAL),
        judged(old, "approved"),
        sent(first, "rehearsal", REHEARSAL),
        judged(first, "rejected"),
        sent(repair, "claude", CLAUDE),
        judged(repair, "approved"),
        sent(phase, "claude", CLAUDE),
    ];
    let state = feature(2, &events);
    let shown = in_words(&state.judged_by());
    assert_eq!(shown, "claude (Claude Code 2.1.325), claude-sonnet-5.5: spec-reviewer");
    assert_eq!((state.is_rehearsed(), state.rehearsal_notice(true)), (false, None));
    let earlier = feature(1, &events);
    assert_eq!(in_words(&earlier.judged_by()), "rehearsal, no model: spec-reviewer");
    assert!(earlier.is_rehearsed());
}

#[test]
fn what_the_rehearsal_agent_wrote_or_judged_is_said_with_its_roles() {
    let (draft, review) = ("001/specify.1/draft/spec-author/1.1", "001/specify.1/review/spec-reviewer/1.1");
    let drafted = event(
        "drafted",
        &format!(
            r#"{{"ticket":"{draft}","revision":"aa","commit":"c","summary":"","notes":[],"questions":[]}}"#
        ),
    );
    let written = [sent(draft, "rehearsal", REHEARSAL), drafted];
    let alone =
        [written.to_vec(), vec![sent(review, "rehearsal", REHEARSAL), judged(review, "approved")]].concat();
    let notice = feature(1, &alone).rehearsal_notice(true).unwrap();
    assert_eq!(
        notice,
        "No model took part: the rehearsal agent, which is built in and judges nothing, played these roles: \
         spec-author, spec-reviewer"
    );
    assert!(feature(1, &alone).rehearsal_notice(false).unwrap().ends_with(" played every role"));
    let mixed = [written.to_vec(), vec![sent(review, "claude", CLAUDE), judged(review, "approved")]].concat();
    let state = feature(1, &mixed);
    let notice = state.rehearsal_notice(false).unwrap();
    assert!(notice.starts_with("No model took part in some of this: "), "{notice}");
    assert!(notice.ends_with(" played these roles: spec-author"), "{notice}");
    assert_eq!(in_words(&state.players.writers(Phase::Specify)), "rehearsal, no model: spec-author");
    assert!(state.is_rehearsed() && !state.judged_by().iter().any(RoleAttribution::is_rehearsed));
}

#[test]
fn nobody_is_guessed_where_nothing_was_stored() {
    let ticket = "001/specify.1/review/spec-reviewer/1.1";
    let unknown = r#"{"kind":"unknown","program":"","version":"","model":""}"#;
    let entry = |seq, event| Entry { seq, at_ms: 0, event };
    let players = Attribution::from_entries(&[
        entry(1, sent(ticket, "rehearsal", unknown)),
        entry(2, judged(ticket, "approved")),
    ]);
    let state = Pipeline { players, ..feature(1, &[]) };
    assert_eq!(in_words(&state.judged_by()), "rehearsal: spec-reviewer");
    assert!(!state.is_rehearsed());
    assert_eq!(state.players.shown(&"001/specify.1/review/spec-reviewer/9.1".parse().unwrap()), "");
}

#[test]
fn an_approval_that_was_computed_is_marked_wherever_its_judge_is_named() {
    let (first, later) =
        ("001/specify.1/review/spec-reviewer/1.1", "001/specify.1/validate/spec-reviewer/1.1");
    let computed = |ticket: &str| {
        let Event::Judged(mut fact) = judged(ticket, "approved") else { unreachable!() };
        fact.verdict.approved = false;
        Event::Judged(fact)
    };
    let mut events = vec![sent(first, "claude", CLAUDE), computed(first)];
    let state = feature(1, &events);
    let shown = in_words(&state.judged_by());
    assert_eq!(shown, "claude (Claude Code 2.1.325), claude-sonnet-5.5: spec-reviewer (computed)");
    let as_json = serde_json::to_string(&state.judged_by()).unwrap();
    assert!(as_json.ends_with(r#""model":"claude-sonnet-5.5","computed":true}]"#), "{as_json}");
    let ticket: Ticket = first.parse().unwrap();
    assert_eq!(
        (state.players.mark(&ticket), state.players.played_by(&ticket).unwrap().computed),
        (COMPUTED, false)
    );
    // An approval that the role gave itself is shown as ever.
    events.extend([sent(later, "claude", CLAUDE), judged(later, "approved")]);
    let state = feature(1, &events);
    assert!(!in_words(&state.judged_by()).contains("computed"));
    assert!(!serde_json::to_string(&state.judged_by()).unwrap().contains("computed"));
}

#[test]
fn an_approval_that_a_person_made_of_a_rejection_says_so() {
    let (kept, overruled) =
        ("001/specify.1/review/spec-reviewer/1.1", "001/specify.1/review/phase-reviewer/1.1");
    let state = feature(1, &[judged(kept, "approved"), judged(overruled, "rejected")]);
    let mark = |ticket: &str| state.players.mark_of_approval(&ticket.parse().unwrap());
    assert_eq!(mark(kept), "");
    assert_eq!(mark(overruled), " (rejected, overruled by a person)");
}
