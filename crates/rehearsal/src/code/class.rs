//! Classifies what a requirement asks a program to do, by its sentence.
//!
//! Knows sentences, not files or languages. Start at [`Class::classify`].

use crate::amounts::{Amount, Kind, amounts};
use crate::drafts::{act, slug};
use crate::parsed_document::has_any;

/// Kinds of work a small program can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// One at a time.
    Turns,
    /// What was issued is good for a while.
    Expired,
    /// Work is stopped after a time.
    Limit,
    /// Something that must be refused when it happens.
    Failure,
    /// A request is looked at before anything is done.
    Input,
    /// An answer must not reveal something.
    Secrecy,
    /// Something is done within a time.
    Promise,
    Record,
    Delivery,
    View,
    /// What the feature itself does.
    Operation,
}

impl Class {
    pub(super) fn classify(sentence: &str) -> Class {
        let says = |words: &[&str]| has_any(sentence, words);
        match () {
            () if says(&["same time", "at once", "two people", "concurrent", "parallel"]) => Class::Turns,
            () if says(&["expire"]) && says(&["refuse", "reject"]) => Class::Expired,
            () if seconds(sentence).is_some()
                && says(&["longer than", "stop it", "is stopped", "time out"]) =>
            {
                Class::Limit
            }
            () if says(&["incomplete", "malformed", "invalid", "is missing"]) => Class::Input,
            () if condition(sentence).is_some()
                && says(&["shall refuse", "must refuse", "should refuse"]) =>
            {
                Class::Failure
            }
            () if says(&["find out", "tell whether", "reveal"]) => Class::Secrecy,
            () if promised(sentence).is_some() => Class::Promise,
            () if says(&["record ", "log ", "audit", "history"]) => Class::Record,
            () if says(&["send", "mail", "notify", "message", "deliver", "alert", "remind"]) => {
                Class::Delivery
            }
            () if says(&["list ", "display", "print", " see "]) => Class::View,
            () => Class::Operation,
        }
    }

    /// The file of a feature that such work belongs to, unless something else says so.
    pub(super) fn file(self) -> &'static str {
        match self {
            Class::Turns => "turns",
            Class::Expired | Class::Failure | Class::Input => "input",
            Class::Limit => "limit",
            Class::Record => "record",
            Class::Delivery => "delivery",
            Class::View => "view",
            Class::Secrecy | Class::Promise | Class::Operation => "entry",
        }
    }

    /// The name of the function that does it for a thing, in words joined by `_`.
    pub(super) fn call(self, thing: &str, sentence: &str) -> String {
        let verb = match self {
            Class::Turns => "hold",
            Class::Limit => "within",
            Class::Input => "check",
            Class::Secrecy => "answer",
            Class::Promise => "in_time",
            Class::Record => "record",
            Class::Delivery => "send",
            Class::View => "show",
            Class::Operation => "do",
            Class::Expired | Class::Failure => {
                return format!("refuse_if_{}", slug(&cause(self, sentence), 4, '_'));
            }
        };
        format!("{verb}_{thing}")
    }
}

/// The message when it is refused or fails.
pub(super) fn cause(class: Class, sentence: &str) -> String {
    let text = match class {
        Class::Operation => act(sentence),
        _ => condition(sentence).unwrap_or_else(|| act(sentence)),
    };
    let text = text.strip_suffix(" and show the result").unwrap_or(&text);
    // It stands between quotes in a program.
    let plain: String = text.chars().filter(|c| !"\"'`$\\{}".contains(*c)).collect();
    redraft_facts::text::one_line(&plain, 100)
}

/// The whole seconds of the first time in a sentence, if a program can keep it.
pub(super) fn seconds(sentence: &str) -> Option<u64> {
    amounts(sentence).iter().find_map(whole_seconds)
}

/// The same where it is promised.
pub(super) fn promised(sentence: &str) -> Option<u64> {
    amounts(sentence).iter().filter(|amount| amount.lead == "within").find_map(whole_seconds)
}

fn whole_seconds(amount: &Amount) -> Option<u64> {
    const SECONDS_MAX: f64 = 1e9;
    let fits = amount.kind == Kind::Time && (1.0..=SECONDS_MAX).contains(&amount.value);
    (fits && amount.value.fract() == 0.0).then_some(amount.value as u64)
}

/// When it applies: what stands between `If` or `When` and the comma.
fn condition(sentence: &str) -> Option<String> {
    let rest = ["If ", "When ", "Where "].into_iter().find_map(|lead| sentence.strip_prefix(lead))?;
    let end = [", the ", ", it ", ", then "].into_iter().filter_map(|word| rest.find(word)).min()?;
    Some(rest[..end].trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requirements_are_told_apart_by_what_they_ask_for() {
        let cases = [
            (
                Class::Turns,
                "If two people work on x at the same time, the system shall refuse the operation.",
            ),
            (Class::Expired, "If the link is opened after it has expired, the system shall refuse it."),
            (Class::Limit, "When a step on x takes longer than 30 seconds, the system shall stop it."),
            (Class::Failure, "If the mail does not arrive, the system shall refuse the operation."),
            (Class::Input, "When the input about x is incomplete or malformed, the system shall refuse it."),
            (Class::Secrecy, "The system shall make sure that nobody can find out who is there."),
            (Class::Promise, "The system shall let a person sign in again within five minutes of asking."),
            (Class::Record, "When work on x ends, the system shall record who started it."),
            (Class::Delivery, "When a person asks for it, the system shall reset a password by email."),
            (Class::Operation, "When a person asks for it, the system shall turn the page dark."),
        ];
        for (class, sentence) in cases {
            assert_eq!(Class::classify(sentence), class, "{sentence}");
        }
    }

    #[test]
    fn a_cause_is_the_condition_without_what_a_program_would_read_otherwise() {
        let sentence = "If \"$(rm)\" `hangs`, the system shall refuse the operation.";
        assert_eq!(cause(Class::Failure, sentence), "(rm) hangs");
        assert_eq!(Class::Failure.call("x", sentence), "refuse_if_rm_hangs");
    }

    #[test]
    fn times_are_read_in_seconds() {
        assert_eq!(seconds("It takes longer than 30 seconds."), Some(30));
        assert_eq!(promised("It is there within five minutes."), Some(300));
        assert_eq!(promised("It is there within 200 ms."), None, "a shell cannot measure it");
        assert_eq!(seconds("It takes no time."), None);
    }
}
