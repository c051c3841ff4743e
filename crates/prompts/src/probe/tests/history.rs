//! What a ledger makes of probes and of lost conversations.

use super::*;

const VERSION: &str = "claude 2.1.197, sonnet";

fn agent() -> AgentName {
    AgentName::new("claude")
}

fn feature(number: u32) -> Scope {
    Scope::Feature(FeatureId(number))
}

fn probed(version: &str, failed: Option<CheckId>) -> Event {
    let check = |id| {
        let result = if Some(id) == failed { ProbeResult::Failed } else { ProbeResult::Passed };
        ProbeCheck { id, result, detail: "because".to_owned() }
    };
    let checks = CheckId::ALL.map(check).into();
    let (version, cost) = (version.to_owned(), Usd(0));
    Probed { agent: agent(), version, pass: 1, checks, cache_share: None, cost }.into()
}

fn met(version: &str) -> Event {
    let (version, resume, why) = (version.to_owned(), Resume::Unproved, String::new());
    AgentsMet { agents: vec![MetAgent { agent: agent(), version, resume, why }] }.into()
}

/// Feeds dispatches of a feature: `+` begins a conversation, `r` resumes it, `x` resumes it and finds it gone, `k`
/// resumes it and is told its code, `f` resumes it and is not, `F` the same in a repair.
#[derive(Default)]
struct History {
    records: Records,
    sent: u16,
}

impl History {
    fn event(&mut self, scope: &Scope, event: Event) -> &mut Self {
        self.records.take(scope, &event);
        self
    }

    fn dispatches(&mut self, number: u32, what: &str) -> &mut Self {
        let scope = feature(number);
        let session = SessionId::new(format!("session of {number}"));
        for kind in what.chars() {
            self.sent += 1;
            let ticket: Ticket =
                format!("{scope}/specify.1/review/spec-reviewer/{}.1", self.sent).parse().unwrap();
            let strategy = if kind == '+' { Strategy::Lazy } else { Strategy::Resume };
            let started = Started {
                slot: None,
                ticket: ticket.clone(),
                agent: agent(),
                sees: None,
                since: None,
                choice: Choice::new(strategy, ""),
                prompt: BlobId::new(""),
                prompt_chars: 0,
                context_chars: 0,
                session: Some(session.clone()),
                tree: TreeMark::default(),
                reserved: Usd(0),
                expires_ms: 0,
                markers: Vec::new(),
                missing: Vec::new(),
                told: Vec::new(),
                pull: false,
                player: AgentIdentity::default(),
                recall: "kf".contains(kind).then(|| Recall::Asks("memo-123456".to_owned())),
                sandbox: None,
            };
            self.records.take(&scope, &started.into());
            let end: Event = match kind {
                'x' | 'f' => {
                    let (detail, undone) = ("no such conversation".to_owned(), Vec::new());
                    let forgot = (kind != 'x').then(|| BlobId::new(""));
                    Failed { ticket, now: AfterFailure::FreshSession, detail, usage: None, undone, forgot }
                        .into()
                }
                _ => Answered {
                    ticket,
                    answer: BlobId::new(""),
                    usage: Usage::default(),
                    session: Some(session.clone()),
                    opened: None,
                    undone: Vec::new(),
                    wall_ms: 0,
                    denials: Vec::new(),
                    notes: Vec::new(),
                    formless: false,
                    asked_ms: None,
                    requests: None,
                    hand: None,
                    payment: Default::default(),
                    unknown: Default::default(),
                    ran: None,
                }
                .into(),
            };
            self.records.take(&scope, &end);
        }
        self
    }

    fn resume(&self) -> Resume {
        self.records.resumable(&agent(), VERSION).resume
    }
}

#[test]
fn an_agent_is_unproved_until_a_probe_of_this_version_has_a_result() {
    let mut history = History::default();
    assert_eq!(history.resume(), Resume::Unproved);
    let scope = Scope::Agent(agent());
    assert_eq!(history.event(&scope, probed("claude 2.0, sonnet", None)).resume(), Resume::Unproved);
    assert_eq!(history.event(&scope, probed(VERSION, None)).resume(), Resume::Yes);
    assert_eq!(history.event(&scope, probed(VERSION, Some(CheckId::Cache))).resume(), Resume::Yes);
    history.event(&scope, probed(VERSION, Some(CheckId::V3)));
    let known = history.records.resumable(&agent(), VERSION);
    assert_eq!((known.resume, known.why.as_str()), (Resume::No, "V3: because"));
    assert_eq!(history.records.resumable(&agent(), "claude 2.2, sonnet").resume, Resume::Unproved);
    assert_eq!(history.records.resumable(&AgentName::new("other"), VERSION).resume, Resume::Unproved);
    assert_eq!(history.event(&scope, probed(VERSION, None)).resume(), Resume::Yes);
}

#[test]
fn a_probe_that_was_cut_short_changes_nothing() {
    let mut history = History::default();
    let scope = Scope::Agent(agent());
    history.event(&scope, probed(VERSION, Some(CheckId::V2)));
    let mut open = match probed(VERSION, None) {
        Event::Probed(probed) => probed,
        other => panic!("{other:?}"),
    };
    open.checks[3].result = ProbeResult::NotTried;
    assert_eq!(open.proof(), Proof::Open);
    assert_eq!(history.event(&scope, open.into()).resume(), Resume::No);
}

#[test]
fn two_lost_conversations_in_a_row_switch_resuming_off_whichever_feature_they_are_of() {
    let mut history = History::default();
    history.event(&feature(1), met(VERSION)).event(&feature(2), met(VERSION));
    assert_eq!(history.dispatches(1, "+r").dispatches(2, "+").dispatches(1, "x").resume(), Resume::Unproved);
    assert_eq!(
        history.dispatches(2, "r").dispatches(1, "+x").resume(),
        Resume::Unproved,
        "one answered between"
    );
    assert_eq!(history.dispatches(2, "x").resume(), Resume::No);
    let why = history.records.resumable(&agent(), VERSION).why;
    assert_eq!(why, "V2: 2 conversations in a row could not be continued: no such conversation");
    assert_eq!(history.event(&Scope::Agent(agent()), probed(VERSION, None)).resume(), Resume::Yes);
    assert_eq!(history.dispatches(1, "+xx").resume(), Resume::No, "also after a probe");
}

#[test]
fn a_code_that_is_told_proves_a_version_and_one_that_is_not_told_disproves_it() {
    let mut history = History::default();
    history.event(&feature(1), met(VERSION)).event(&feature(2), met(VERSION));
    assert_eq!(history.dispatches(1, "+k").resume(), Resume::Yes);
    assert_eq!(history.records.resumable(&agent(), "claude 2.2, sonnet").resume, Resume::Unproved);
    assert_eq!(history.dispatches(2, "+r").resume(), Resume::Yes, "in every feature");
    assert_eq!(history.dispatches(1, "f").resume(), Resume::Yes, "another was asked at the same time");
    let mut history = History::default();
    history.event(&feature(1), met(VERSION));
    assert_eq!(history.dispatches(1, "+f").resume(), Resume::No, "once is enough");
    let why = history.records.resumable(&agent(), VERSION).why;
    assert!(why.starts_with("V3: no such conversation (001/specify.1/review/spec-reviewer/"), "{why}");
    // A probe that was made since counts, and so does one before a turn.
    assert_eq!(history.event(&Scope::Agent(agent()), probed(VERSION, None)).resume(), Resume::Yes);
    assert_eq!(
        history.event(&Scope::Agent(agent()), probed(VERSION, Some(CheckId::V3))).resume(),
        Resume::No
    );
    // Begun with another version, which may be why it is forgotten.
    let mut history = History::default();
    history.event(&feature(1), met("claude 2.0, sonnet")).dispatches(1, "+");
    assert_eq!(history.event(&feature(1), met(VERSION)).dispatches(1, "f").resume(), Resume::Unproved);
}

#[test]
fn conversations_of_another_version_speak_for_that_version_only() {
    let mut history = History::default();
    history.event(&feature(1), met("claude 2.0, sonnet")).dispatches(1, "+xx");
    assert_eq!(history.resume(), Resume::Unproved);
    assert_eq!(history.records.resumable(&agent(), "claude 2.0, sonnet").resume, Resume::No);
    // Begun under the old version and refused by the new one because of that.
    let mut history = History::default();
    history.event(&feature(1), met("claude 2.0, sonnet")).dispatches(1, "+");
    history.event(&feature(1), met(VERSION)).dispatches(1, "xx");
    assert_eq!(history.resume(), Resume::Unproved);
    // Nothing says which version had these conversations.
    let mut history = History::default();
    assert_eq!(history.dispatches(1, "+xx").resume(), Resume::Unproved);
}
