//! The texts of events: what people and agents wrote, apart from names, paths and numbers that the machine compares.
//!
//! Every event passes [`Event::redact`] before it is stored. Names are left alone: a path that holds a word which is
//! also somebody's password must stay the path. The match covers every kind, so that a new one must say which of its
//! parts are text.

use super::*;
use crate::findings::{Finding, FindingChange};
use crate::redact::Redactor;
use crate::verdict::Verdict;
use alloc::borrow::Cow;

impl Event {
    /// Replaces the secrets in its texts.
    pub fn redact(&mut self, redactor: &Redactor) {
        self.each_text(&mut |text| {
            if let Cow::Owned(clean) = redactor.redact(text).0 {
                *text = clean;
            }
        });
    }

    /// Shows every text to `each`, which may change it.
    fn each_text(&mut self, each: &mut dyn FnMut(&mut String)) {
        match self {
            Event::FeatureCreated(fact) => all([&mut fact.idea, &mut fact.lane_reason], each),
            Event::LoopOpened(fact) => fact.tasks.iter_mut().for_each(|task| each(&mut task.title)),
            Event::Started(fact) => {
                let AgentIdentity { kind: _, program, version, model } = &mut fact.player;
                all([&mut fact.choice.why, program, version, model], each);
                all(fact.markers.iter_mut().chain(&mut fact.sandbox), each);
            }
            Event::Answered(fact) => {
                all(fact.denials.iter_mut().chain(&mut fact.notes), each);
                fact.hand.iter_mut().for_each(|hand| each(&mut hand.conversation));
                all(fact.ran.iter_mut().flatten().map(|ran| &mut ran.output), each);
            }
            Event::Failed(fact) => each(&mut fact.detail),
            Event::Drafted(fact) => {
                each(&mut fact.summary);
                all(&mut fact.notes, each);
                of_questions(&mut fact.questions, each);
                all(fact.declined.iter_mut().map(|declined| &mut declined.why), each);
            }
            Event::Built(fact) => of_work(fact, each),
            Event::Enqueued(fact) => of_work(&mut fact.work, each),
            Event::Judged(fact) => {
                if let Judgement::Repair { why } | Judgement::NoVerdict { why } = &mut fact.judgement {
                    each(why);
                }
                of_verdict(&mut fact.verdict, each);
                fact.changes.iter_mut().for_each(|change| of_change(change, each));
                all(&mut fact.notes, each);
            }
            Event::Edited(fact) => fact.compared.iter_mut().for_each(|compared| each(&mut compared.said)),
            Event::Checked(fact) => {
                all([&mut fact.evidence, &mut fact.output], each);
                all(fact.checkout.iter_mut().flat_map(|checkout| &mut checkout.notes), each);
                all(fact.checkout.iter_mut().flat_map(|checkout| &mut checkout.sandbox), each);
                all(fact.checkout.iter_mut().flat_map(|checkout| &mut checkout.refused), each);
            }
            Event::Asked(fact) => {
                each(&mut fact.question.text);
                of_subject(&mut fact.question.about, each);
            }
            Event::Decided(fact) => {
                each(&mut fact.why);
                all(&mut fact.answers, each);
                of_subject(&mut fact.about, each);
            }
            Event::Commented(fact) => all([&mut fact.file, &mut fact.text], each),
            Event::RetroWritten(fact) => all(fact.plain.iter_mut().chain(&mut fact.notes), each),
            Event::BankJudged(fact) => {
                all(fact.challenged.iter_mut().map(|challenged| &mut challenged.text), each);
                all(&mut fact.notes, each);
            }
            Event::BankApplied(fact) => all(&mut fact.notes, each),
            Event::Cancelled(fact) => each(&mut fact.why),
            Event::LaneSet(fact) => each(&mut fact.why),
            Event::PhaseSkipped(fact) => each(&mut fact.why),
            Event::WentBack(fact) => each(&mut fact.why),
            Event::Unblocked(fact) => each(&mut fact.why),
            Event::CostCorrected(fact) => each(&mut fact.why),
            Event::DriverChanged(fact) => each(&mut fact.place),
            Event::ProposalSettled(fact) => {
                all([&mut fact.place, &mut fact.what].into_iter().chain(&mut fact.refused), each);
            }
            Event::Redacted(fact) => each(&mut fact.why),
            Event::Unreadable(fact) => each(&mut fact.detail),
            Event::SigningBegan(fact) => each(&mut fact.found),
            Event::AgentsMet(fact) => all(fact.agents.iter_mut().map(|agent| &mut agent.why), each),
            Event::Probed(fact) => all(fact.checks.iter_mut().map(|check| &mut check.detail), each),
            Event::Raised(_)
            | Event::Lost(_)
            | Event::TakenOut(_)
            | Event::JobsSet(_)
            | Event::Combined(_)
            | Event::Merged(_)
            | Event::StageClosed(_)
            | Event::PhaseClosed(_)
            | Event::Adopted(_)
            | Event::BudgetSet(_)
            | Event::BudgetReached(_) => {}
        }
    }
}

fn all<'a>(texts: impl IntoIterator<Item = &'a mut String>, each: &mut dyn FnMut(&mut String)) {
    texts.into_iter().for_each(each);
}

fn of_work(fact: &mut Built, each: &mut dyn FnMut(&mut String)) {
    let Report { implemented, tested, files_changed, decisions, deviations, self_review, concerns } =
        &mut fact.report;
    all([implemented, tested, files_changed, decisions, deviations, self_review, concerns], each);
    all(fact.notes.iter_mut().chain(&mut fact.unfinished), each);
}

fn of_questions(questions: &mut [AuthorQuestion], each: &mut dyn FnMut(&mut String)) {
    for AuthorQuestion { question, assumed } in questions {
        all([question, assumed], each);
    }
}

fn of_subject(about: &mut About, each: &mut dyn FnMut(&mut String)) {
    if let About::Author { questions } = about {
        of_questions(questions, each);
    }
}

fn of_verdict(verdict: &mut Verdict, each: &mut dyn FnMut(&mut String)) {
    each(&mut verdict.summary);
    all(verdict.answers.iter_mut().map(|answer| &mut answer.note), each);
    for issue in &mut verdict.issues {
        let texts = [&mut issue.category, &mut issue.file, &mut issue.section, &mut issue.quote];
        all(texts, each);
        all([&mut issue.description, &mut issue.suggestion, &mut issue.same_as], each);
    }
    for check in &mut verdict.checks {
        all([&mut check.name, &mut check.note], each);
    }
    for verified in &mut verdict.verified {
        all([&mut verified.claim, &mut verified.source, &mut verified.result], each);
    }
    all(verdict.files_read.iter_mut().map(|read| &mut read.file), each);
}

fn of_change(change: &mut FindingChange, each: &mut dyn FnMut(&mut String)) {
    match change {
        FindingChange::Raised(finding) | FindingChange::Restated(finding) => of_finding(finding, each),
        FindingChange::Kept { note, .. }
        | FindingChange::Fixed { note, .. }
        | FindingChange::Withdrawn { note, .. }
        | FindingChange::Reopened { note, .. } => each(note),
    }
}

fn of_finding(finding: &mut Finding, each: &mut dyn FnMut(&mut String)) {
    all([&mut finding.category, &mut finding.file, &mut finding.section, &mut finding.quote], each);
    all([&mut finding.description, &mut finding.suggestion, &mut finding.note], each);
    all(&mut finding.unverified, each);
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    /// Puts a text in place of every string of a body, one at a time, and lists those that are redacted.
    fn redacted_fields(kind: &str, version: u16, body: &str) -> Vec<String> {
        let secret = ["gh", "p_q7Zr2Lw9Xk4Tn8Vb3Mc6Hd1Js5Pf0Gy7Qa2W"].concat();
        let whole: Value = serde_json::from_str(body).expect("a body of the table");
        assert!(Event::decode(kind, version, body).is_ok(), "{kind}");
        let mut fields = Vec::new();
        for place in places(&whole, String::new()) {
            let mut changed = whole.clone();
            *changed.pointer_mut(&place).expect("it was found there") =
                Value::from(format!("is\n{secret}\n"));
            let Ok(mut event) = Event::decode(kind, version, &changed.to_string()) else { continue };
            event.redact(&Redactor::default());
            if !event.encode().contains(&secret) {
                fields.push(place);
            }
        }
        fields
    }

    fn places(value: &Value, at: String) -> Vec<String> {
        match value {
            Value::String(_) => vec![at],
            Value::Array(list) => {
                list.iter().enumerate().flat_map(|(n, one)| places(one, format!("{at}/{n}"))).collect()
            }
            Value::Object(fields) => {
                fields.iter().flat_map(|(name, one)| places(one, format!("{at}/{name}"))).collect()
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
        }
    }

    #[test]
    fn every_text_that_somebody_wrote_is_redacted_and_no_name_is() {
        let finding = r#"{"id":"S1","role":"r","round":1,"severity":"blocker","category":"c","claim":"present","file":"f",
            "line":1,"section":"s","quote":"q","description":"d","suggestion":"g","status":"open","late":false,
            "unverified":"u","note":"n"}"#;
        let verdict = r#"{"approved":false,"summary":"s","answers":[{"id":"S1","status":"fixed","note":"n"}],
            "issues":[{"severity":"blocker","category":"c","claim":"present","file":"f","line":1,"section":"s","quote":"q",
            "description":"d","suggestion":"g","same_as":"S1"}],"checks":[{"name":"n","passed":true,"note":"n"}],
            "verified":[{"claim":"c","source":"s","result":"r"}],"files_read":[{"file":"f","lines":1}]}"#;
        let judged = format!(
            r#"{{"ticket":"031/specify.1/review/spec-reviewer/2.1","judgement":{{"repair":{{"why":"w"}}}},"verdict":{verdict},
            "changes":[{{"raised":{finding}}},{{"kept":{{"id":"S1","note":"n"}}}}],"late":false,"notes":["n"],"settled":false}}"#
        );
        let fields = redacted_fields("judged", 1, &judged);
        for field in [
            "/judgement/repair/why",
            "/verdict/summary",
            "/verdict/answers/0/note",
            "/verdict/issues/0/category",
            "/verdict/issues/0/file",
            "/verdict/issues/0/section",
            "/verdict/issues/0/quote",
            "/verdict/issues/0/description",
            "/verdict/issues/0/suggestion",
            "/verdict/checks/0/note",
            "/verdict/verified/0/claim",
            "/verdict/verified/0/source",
            "/verdict/verified/0/result",
            "/verdict/files_read/0/file",
            "/changes/0/raised/category",
            "/changes/0/raised/file",
            "/changes/0/raised/section",
            "/changes/0/raised/quote",
            "/changes/0/raised/description",
            "/changes/0/raised/suggestion",
            "/changes/0/raised/note",
            "/changes/0/raised/unverified",
            "/changes/1/kept/note",
            "/notes/0",
        ] {
            assert!(fields.contains(&field.to_owned()), "{field} is not among {fields:?}");
        }
        let decided = r#"{"pass":1,"number":2,"about":{"author":{"questions":[{"question":"q","assumed":"a"}]}},
            "choice":"answer","by":"ann","why":"w","ruled":[],"revision":null,"unseen":[],"answers":["x"],"phase":null}"#;
        assert_eq!(
            redacted_fields("decided", 1, decided),
            ["/about/author/questions/0/assumed", "/about/author/questions/0/question", "/answers/0", "/why"]
        );
        let checked = r#"{"pass":1,"revision":"4b825dc642cb6eb9a060e54bf8d69288fbee4904","gate":"g","passed":false,
            "evidence":"e","command":"c","code":1,"wall_ms":1,"output":"o","checkout":null}"#;
        assert_eq!(redacted_fields("checked", 1, checked), ["/evidence", "/output"]);
        for (kind, version, body, texts) in [
            ("cancelled", 1, r#"{"by":"b","why":"w"}"#, ["/why"].as_slice()),
            ("lane-set", 1, r#"{"lane":"standard","until":"finish","by":"b","why":"w"}"#, &["/why"]),
            ("phase-skipped", 1, r#"{"phase":"design","by":"b","why":"w"}"#, &["/why"]),
            ("went-back", 1, r#"{"phase":"design","by":"b","why":"w"}"#, &["/why"]),
            ("unblocked", 1, r#"{"dependencies":["d"],"by":"b","why":"w"}"#, &["/why"]),
            ("bank-applied", 1, r#"{"commit":"c","notes":["n"]}"#, &["/notes/0"]),
            ("budget-set", 1, r#"{"limit":1,"by":"b"}"#, &[]),
        ] {
            assert_eq!(redacted_fields(kind, version, body), texts, "{kind}");
        }
    }
}
