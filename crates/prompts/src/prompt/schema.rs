//! The form of an answer, as a JSON Schema for agents that can enforce one and as a form to read.
//!
//! Both describe [`redraft_facts::verdict::Verdict`]; the tests below compare them with it field by field. There is one
//! schema for all roles that write or review, because a different schema is a different prefix to a prompt cache. An
//! agent that looks back on a feature gives no verdict and has its own forms ([`schema_for`]).

use redraft_facts::ticket::Purpose;
use redraft_roles::profile::ProfileKind;

/// The verdict as a strict JSON Schema: every field required, no other allowed.
pub const SCHEMA: &str = include_str!("../../texts/verdict.schema.json");

/// The answer of a retrospective, and the judgements of earlier lessons. These are not verdicts, and their prompts
/// share nothing with others that a cache could lose because of another schema.
const RETRO_SCHEMA: &str = include_str!("../../texts/retro.schema.json");
const JUDGE_SCHEMA: &str = include_str!("../../texts/judge.schema.json");

/// The form in which a dispatch is to be answered. A repair has the form of what it repairs, which is a verdict.
pub fn schema_for(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Retro => RETRO_SCHEMA,
        Purpose::Judge => JUDGE_SCHEMA,
        Purpose::Draft
        | Purpose::Revise
        | Purpose::Review
        | Purpose::Validate
        | Purpose::Certify
        | Purpose::Repair
        | Purpose::Implement
        | Purpose::Simplify
        | Purpose::Outline
        | Purpose::Tests
        | Purpose::Probe => SCHEMA,
    }
}

/// The verdict as a form: every field with its kind or its possible words.
pub(super) const FORM: &str = r#"{"files_read": [{"file": "", "lines": 0}],
 "checks": [{"name": "", "passed": true, "note": ""}],
 "verified": [{"claim": "", "source": "", "result": ""}],
 "issues": [{"quote": "", "file": "", "line": 0, "section": "", "claim": "present|absent", "category": "",
   "description": "", "suggestion": "", "same_as": "", "severity": "blocker|warning|suggestion"}],
 "answers": [{"id": "S1", "status": "fixed|not_fixed|withdrawn", "note": ""}],
 "summary": "", "approved": false}
"#;

/// The form of an author, which reports no findings and answers those it is given. What it makes of its own checks is in
/// its text, and nothing is made of a report about them.
const AUTHOR_FORM: &str = r#"{"files_read": [{"file": "", "lines": 0}],
 "checks": [],
 "verified": [{"claim": "", "source": "", "result": ""}],
 "issues": [],
 "answers": [{"id": "S1", "status": "fixed|not_fixed", "note": ""}],
 "summary": "", "approved": false}
"#;

/// The form of a role that works on code and is given no findings.
const WORK_FORM: &str = r#"{"files_read": [{"file": "", "lines": 0}],
 "checks": [{"name": "", "passed": true, "note": ""}],
 "verified": [{"claim": "", "source": "", "result": ""}],
 "issues": [], "answers": [], "summary": "", "approved": false}
"#;

/// The verdict as a form, without the entries that the role has no use for.
pub(super) fn form_of(kind: ProfileKind, purpose: Purpose) -> &'static str {
    let works = matches!(purpose, Purpose::Implement | Purpose::Simplify | Purpose::Outline | Purpose::Tests);
    match kind {
        ProfileKind::Author if works => WORK_FORM,
        ProfileKind::Author => AUTHOR_FORM,
        ProfileKind::Domain | ProfileKind::Phase => FORM,
    }
}

/// The answer of a retrospective as a form.
pub(super) const RETRO_FORM: &str = r#"{"observations": [{"text": "", "evidence": ""}],
 "recommendations": [{"text": "", "evidence": "", "confidence": "low|medium|high"}],
 "patterns": [{"name": "", "text": "", "provenance": "", "confidence": "low|medium|high"}],
 "anti_patterns": [{"name": "", "text": "", "provenance": "", "confidence": "low|medium|high"}],
 "heuristics": [{"name": "", "text": "", "provenance": "", "confidence": "low|medium|high"}]}
"#;

/// Judgements about earlier lessons as a form.
pub(super) const JUDGE_FORM: &str = r#"{"judgements": [
  {"entry": "B1", "judgement": "confirmed|challenged|skipped", "contradiction": "", "cites": [""]}]}
"#;

#[cfg(test)]
mod tests {
    use super::*;
    use redraft_facts::prelude::*;
    use redraft_facts::verdict::{
        AnswerStatus, CheckLine, Claim, FileRead, FindingAnswer, Issue, Severity, Verdict, Verified,
    };
    use serde_json::{Value, from_str, to_value};

    /// A verdict with every word of every list in it, so that the walk meets all of them.
    fn full() -> Value {
        use AnswerStatus::{Fixed, NotFixed, Withdrawn};
        let text = || "x".to_owned();
        let issue = |severity, claim| Issue {
            severity,
            category: text(),
            claim,
            file: text(),
            line: 1,
            section: text(),
            quote: text(),
            description: text(),
            suggestion: text(),
            same_as: text(),
        };
        let verdict = Verdict {
            approved: true,
            summary: text(),
            answers: [Fixed, NotFixed, Withdrawn]
                .map(|status| FindingAnswer { id: text(), status, note: text() })
                .into(),
            issues: vec![
                issue(Severity::Blocker, Claim::Present),
                issue(Severity::Warning, Claim::Absent),
                issue(Severity::Suggestion, Claim::Absent),
            ],
            checks: vec![CheckLine { name: text(), passed: false, note: text() }],
            verified: vec![Verified { claim: text(), source: text(), result: text() }],
            files_read: vec![FileRead { file: text(), lines: 1 }],
        };
        to_value(verdict).unwrap()
    }

    /// Whether `value` is what `schema` describes, and `schema` describes nothing more.
    fn walk(schema: &Value, value: &Value, at: &str) {
        match value {
            Value::Object(fields) => {
                assert_eq!(schema["type"], "object", "{at}");
                assert_eq!(schema["additionalProperties"], false, "{at}");
                let required: BTreeSet<&str> = schema["required"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|name| name.as_str().unwrap())
                    .collect();
                let described: BTreeSet<&str> =
                    schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
                let written: BTreeSet<&str> = fields.keys().map(String::as_str).collect();
                assert_eq!(described, written, "{at}");
                assert_eq!(required, written, "{at}");
                for (name, field) in fields {
                    walk(&schema["properties"][name], field, &format!("{at}.{name}"));
                }
            }
            Value::Array(items) => {
                assert_eq!(schema["type"], "array", "{at}");
                assert!(!items.is_empty(), "{at} is not exercised");
                for item in items {
                    walk(&schema["items"], item, &format!("{at}[]"));
                }
            }
            Value::String(word) => {
                assert_eq!(schema["type"], "string", "{at}");
                if let Some(words) = schema["enum"].as_array() {
                    assert!(words.contains(&Value::String(word.clone())), "{at}: {word}");
                }
            }
            Value::Bool(_) => assert_eq!(schema["type"], "boolean", "{at}"),
            Value::Number(_) => assert_eq!(schema["type"], "integer", "{at}"),
            Value::Null => panic!("{at}: no field may be null"),
        }
    }

    #[test]
    fn the_schema_is_the_verdict_field_by_field() {
        walk(&from_str(SCHEMA).unwrap(), &full(), "verdict");
    }

    /// Whether a form has exactly the fields of a schema, and the words of its lists.
    fn is_form(schema: &Value, form: &Value, at: &str) {
        match form {
            Value::Object(fields) => {
                assert_eq!(schema["additionalProperties"], false, "{at}");
                let described = schema["properties"].as_object().unwrap();
                let names: BTreeSet<&String> = fields.keys().collect();
                assert_eq!(described.keys().collect::<BTreeSet<_>>(), names, "{at}");
                let required = schema["required"].as_array().unwrap();
                assert_eq!(required.len(), fields.len(), "{at}");
                for (name, field) in fields {
                    assert!(required.contains(&Value::String(name.clone())), "{at}.{name}");
                    is_form(&schema["properties"][name], field, &format!("{at}.{name}"));
                }
            }
            Value::Array(items) => is_form(&schema["items"], &items[0], &format!("{at}[]")),
            Value::String(word) => {
                assert_eq!(schema["type"], "string", "{at}");
                let words: Vec<&str> = word.split('|').collect();
                let listed = schema["enum"].as_array().map_or(0, Vec::len);
                assert_eq!(listed, if words.len() > 1 { words.len() } else { 0 }, "{at}");
                if listed > 0 {
                    assert_eq!(schema["enum"], to_value(&words).unwrap(), "{at}");
                }
            }
            Value::Bool(_) | Value::Number(_) | Value::Null => panic!("{at}: no such field"),
        }
    }

    #[test]
    fn who_looks_back_is_shown_the_form_that_is_enforced() {
        for (purpose, form) in [(Purpose::Retro, RETRO_FORM), (Purpose::Judge, JUDGE_FORM)] {
            is_form(&from_str(schema_for(purpose)).unwrap(), &from_str(form).unwrap(), purpose.name());
        }
        for purpose in Purpose::ALL.into_iter().filter(|one| !matches!(one, Purpose::Retro | Purpose::Judge))
        {
            assert_eq!(schema_for(purpose), SCHEMA, "{purpose}");
        }
    }

    #[test]
    fn the_schema_and_the_form_name_the_same_words() {
        let schema: Value = from_str(SCHEMA).unwrap();
        let form: Value = from_str(FORM).unwrap();
        let lists = [("answers", "status"), ("issues", "severity"), ("issues", "claim")];
        for (list, field) in lists {
            let words: Vec<&str> = form[list][0][field].as_str().unwrap().split('|').collect();
            assert_eq!(
                schema["properties"][list]["items"]["properties"][field]["enum"],
                to_value(&words).unwrap()
            );
            let written: BTreeSet<&str> = full()[list]
                .as_array()
                .unwrap()
                .iter()
                .map(|item| item[field].as_str().unwrap().to_owned())
                .map(|word| {
                    words
                        .iter()
                        .copied()
                        .find(|known| **known == word)
                        .unwrap_or("a word the form does not have")
                })
                .collect();
            assert_eq!(written, words.into_iter().collect());
        }
    }

    /// Whoever reports no findings is shown the same fields, in the same order.
    #[test]
    fn a_form_without_findings_has_the_fields_of_the_whole_one() {
        let fields = |form: &str| {
            let read: Value = from_str(form).unwrap();
            let mut names: Vec<String> = read.as_object().unwrap().keys().cloned().collect();
            names.sort_by_key(|name| form.find(&format!("\"{name}\": ")));
            names
        };
        let shown = |purpose| form_of(ProfileKind::Author, purpose);
        for purpose in [Purpose::Draft, Purpose::Revise, Purpose::Implement, Purpose::Outline] {
            assert_eq!(fields(shown(purpose)), fields(FORM), "{purpose}");
            assert!(shown(purpose).contains("\"issues\": []"), "{purpose}");
        }
        assert!(shown(Purpose::Revise).contains("fixed|not_fixed\""), "whoever mends answers what was found");
        assert_eq!(form_of(ProfileKind::Domain, Purpose::Review), FORM);
    }

    #[test]
    fn the_form_has_every_field_of_the_verdict() {
        fn names(value: &Value, at: &str, out: &mut BTreeSet<String>) {
            match value {
                Value::Object(fields) => fields.iter().for_each(|(name, field)| {
                    out.insert(format!("{at}.{name}"));
                    names(field, &format!("{at}.{name}"), out);
                }),
                Value::Array(items) => items.iter().for_each(|item| names(item, at, out)),
                Value::String(_) | Value::Bool(_) | Value::Number(_) | Value::Null => {}
            }
        }
        let (mut form, mut verdict) = (BTreeSet::new(), BTreeSet::new());
        names(&from_str(FORM).unwrap(), "", &mut form);
        names(&full(), "", &mut verdict);
        assert_eq!(form, verdict);
    }
}
