//! All kinds of events with the version of their stored form, and how they are written and read.
//!
//! One list, `events!`, names every kind once; a kind that gains a field gets its next number there. What the
//! facts mean is beside their types in [`super`].

use super::*;
use crate::probe::{AgentsMet, Probed};

/// Why a stored event could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    #[error(
        "event kind `{kind}` version {version} was written by a newer redraft; this one reads up to version {known}"
    )]
    Newer { kind: String, version: u16, known: u16 },
    #[error("event kind `{kind}` is not known to this redraft")]
    UnknownKind { kind: String },
    #[error("a stored `{kind}` event does not have the form of its version: {detail}")]
    Malformed { kind: String, detail: String },
}

macro_rules! events {
    ($($kind:literal $version:literal $name:ident),+ $(,)?) => {
        #[expect(clippy::large_enum_variant, reason = "a third of all events are of the largest kind")]
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum Event {
            $($name($name),)+
        }

        impl Event {
            /// The stored name of the kind.
            pub fn kind(&self) -> &'static str {
                match self { $(Event::$name(_) => $kind,)+ }
            }

            /// The version this program writes.
            pub fn version(&self) -> u16 {
                match self { $(Event::$name(_) => $version,)+ }
            }

            /// The stored form.
            pub fn encode(&self) -> String {
                let json = match self { $(Event::$name(body) => serde_json::to_string(body),)+ };
                json.expect("events hold only strings, numbers, lists and text-keyed structs")
            }

            /// Reads a stored form, upgrading older versions.
            pub fn decode(kind: &str, version: u16, body: &str) -> Result<Event, DecodeError> {
                match kind {
                    $($kind => {
                        if version > $version {
                            return Err(DecodeError::Newer { kind: kind.to_owned(), version, known: $version });
                        }
                        serde_json::from_str(body).map(Event::$name).map_err(|error| DecodeError::Malformed {
                            kind: kind.to_owned(),
                            detail: error.to_string(),
                        })
                    })+
                    _ => Err(DecodeError::UnknownKind { kind: kind.to_owned() }),
                }
            }
        }

        $(impl From<$name> for Event {
            fn from(body: $name) -> Event {
                Event::$name(body)
            }
        })+
    };
}

events! {
    "feature-created" 4 FeatureCreated,
    "loop-opened" 7 LoopOpened,
    "started" 6 Started,
    "answered" 6 Answered,
    "raised" 1 Raised,
    "failed" 2 Failed,
    "lost" 1 Lost,
    "drafted" 2 Drafted,
    "built" 1 Built,
    "taken-out" 1 TakenOut,
    "judged" 2 Judged,
    "edited" 3 Edited,
    "checked" 3 Checked,
    "asked" 5 Asked,
    "decided" 6 Decided,
    "retro-written" 1 RetroWritten,
    "bank-judged" 1 BankJudged,
    "bank-applied" 1 BankApplied,
    "merged" 1 Merged,
    "stage-closed" 1 StageClosed,
    "phase-closed" 2 PhaseClosed,
    "cancelled" 1 Cancelled,
    "adopted" 1 Adopted,
    "lane-set" 1 LaneSet,
    "phase-skipped" 1 PhaseSkipped,
    "went-back" 1 WentBack,
    "unblocked" 1 Unblocked,
    "trusted" 1 Trusted,
    "agents-met" 1 AgentsMet,
    "probed" 1 Probed,
    "budget-set" 1 BudgetSet,
    "budget-reached" 1 BudgetReached,
    "cost-corrected" 1 CostCorrected,
    "redacted" 1 Redacted,
    "unreadable" 1 Unreadable,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_of_the_first_version_does_not_say_whether_there_was_something_before() {
        let body = r#"{"revision":"4b825dc642cb6eb9a060e54bf8d69288fbee4904","commit":"c0ffee","by":"ann"}"#;
        let Ok(Event::Edited(edited)) = Event::decode("edited", 1, body) else { panic!("not read") };
        assert!(!edited.first);
        let event = Event::from(Edited { first: true, ..edited.clone() });
        assert_eq!(Event::decode("edited", event.version(), &event.encode()), Ok(event));
        let second = body.replace("\"ann\"", "\"ann\",\"first\":true");
        let Ok(Event::Edited(second)) = Event::decode("edited", 2, &second) else { panic!("not read") };
        assert_eq!(second, Edited { first: true, compared: None, ..edited });
    }

    #[test]
    fn what_was_stored_before_there_was_a_bank_knows_none() {
        let opened = r#"{"phase":"specify","pass":1,"author":"spec-author","panels":[],"paths":[],"gates":[],
            "limits":{"rounds":5,"attempts":3,"repairs":1,"gates":3,"late_rounds":1,"reopenings":1},"rule":"strict",
            "certify":"resume","policy":"cost","config":"00"}"#;
        let Ok(Event::LoopOpened(opened)) = Event::decode("loop-opened", 4, opened) else {
            panic!("not read")
        };
        assert_eq!(opened.bank, None);
        let event = Event::from(LoopOpened { bank: Some(BlobId::new("11")), ..opened });
        assert_eq!((event.version(), Event::decode("loop-opened", 7, &event.encode())), (7, Ok(event)));
        let started = r#"{"ticket":"031/specify.1/review/spec-reviewer/2.1","agent":"a","sees":null,"since":null,
            "choice":{"strategy":"lazy","why":"w"},"prompt":"00","prompt_chars":1,"context_chars":1,"session":null,
            "tree":{"head":"","branch":"","index":"","work":""},"reserved":0,"expires_ms":0,"markers":[]}"#;
        let Ok(Event::Started(started)) = Event::decode("started", 3, started) else { panic!("not read") };
        assert!(started.told.is_empty());
        assert_eq!(started.player, Player::default(), "nobody stored who was asked");
        let event = Event::from(Started { told: vec!["heuristic: One".to_owned()], ..started });
        assert_eq!((event.version(), Event::decode("started", 6, &event.encode())), (6, Ok(event)));
    }

    #[test]
    fn an_answer_of_version_5_does_not_say_who_pays_and_a_question_of_version_4_expects_nothing() {
        let body = r#"{"ticket":"031/specify.1/review/spec-reviewer/2.1","answer":"00","usage":{"uncached":1,"written":0,
            "read":0,"output":1,"cost":9},"session":null,"opened":null,"undone":[],"wall_ms":1,"hand":null}"#;
        let Ok(Event::Answered(answered)) = Event::decode("answered", 5, body) else { panic!("not read") };
        assert_eq!((answered.payment, answered.unknown), (Payment::Unknown, Usd(0)));
        let event = Event::from(Answered { payment: Payment::Subscription, unknown: Usd(4), ..answered });
        assert_eq!((event.version(), Event::decode("answered", 6, &event.encode())), (6, Ok(event)));
        let body =
            r#"{"question":{"pass":1,"number":1,"about":"begin","text":"t","choices":["go","abandon"]}}"#;
        let Ok(Event::Asked(asked)) = Event::decode("asked", 4, body) else { panic!("not read") };
        assert_eq!(asked.estimate, None);
        let event = Event::from(asked);
        assert_eq!((event.version(), Event::decode("asked", 5, &event.encode())), (5, Ok(event)));
    }

    #[test]
    fn a_check_of_version_2_does_not_say_which_files_it_ran_on() {
        let body = r#"{"pass":1,"revision":"r","gate":"tests","passed":true,"evidence":"","command":"make test","code":0,
            "wall_ms":5,"output":"ok"}"#;
        let Ok(Event::Checked(checked)) = Event::decode("checked", 2, body) else { panic!("not read") };
        assert_eq!(checked.checkout, None);
        assert!(checked.is_of_the_commit_alone(), "what was decided on then holds");
        let checkout = Checkout {
            commit: "c".to_owned(),
            tree: Revision::new("t"),
            empty: false,
            prepared: BlobId::new("p"),
            same_as: None,
            notes: vec!["setup changed a.lock".to_owned()],
        };
        let checked = Checked { checkout: Some(checkout), ..checked };
        assert!(!checked.is_of_the_commit_alone());
        assert!(
            Checked { code: Some(1), ..checked.clone() }.is_of_the_commit_alone(),
            "a person went on with it"
        );
        let event = Event::from(checked);
        assert_eq!((event.version(), Event::decode("checked", 3, &event.encode())), (3, Ok(event)));
    }

    #[test]
    fn a_decision_of_the_first_version_names_no_revision() {
        let body =
            r#"{"pass":1,"number":2,"about":"gate","choice":"accept","by":"ann","why":"w","ruled":[]}"#;
        let Ok(Event::Decided(decided)) = Event::decode("decided", 1, body) else { panic!("not read") };
        assert_eq!((decided.number, decided.revision.clone(), decided.unseen.len()), (2, None, 0));
        let event = Event::from(decided);
        assert_eq!(Event::decode("decided", event.version(), &event.encode()), Ok(event));
        let newer = Event::decode("decided", 7, body);
        assert!(matches!(newer, Err(DecodeError::Newer { version: 7, known: 6, .. })), "{newer:?}");
    }
}
