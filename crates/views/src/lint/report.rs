//! Formats faults: as lines, JSON, SARIF 2.1.0 or annotations of GitHub.

use redraft_documents::lint::{Fault, LintLevel, LintSettings, Rule};
use redraft_facts::harmless;
use redraft_facts::text::count;
use redraft_frame::annotate;
use redraft_frame::console::Console;
use serde::Serialize;
use serde_json::json;
use std::path::Path;

#[derive(Debug, Clone, Copy)]
pub(super) enum Form {
    /// Lines, or one JSON object with `--json`.
    Plain,
    Sarif,
    Github,
}

/// What was looked at.
pub(super) struct Checked<'a> {
    pub(super) groups: usize,
    pub(super) documents: usize,
    /// The name of these.
    pub(super) what: &'static str,
    /// The folder that paths for code scanning are relative to.
    pub(super) root: &'a Path,
    /// The folder that the paths of faults are relative to.
    pub(super) folder: &'a Path,
}

#[derive(Serialize)]
struct LintJson<'a> {
    v: u16,
    features: usize,
    documents: usize,
    errors: usize,
    warnings: usize,
    faults: Vec<FaultJson<'a>>,
}

#[derive(Serialize)]
struct FaultJson<'a> {
    path: &'a str,
    line: u32,
    rule: &'static str,
    level: &'static str,
    message: &'a str,
    hint: &'a str,
}

#[derive(Serialize)]
struct RulesJson {
    v: u16,
    rules: Vec<RuleJson>,
}

#[derive(Serialize)]
struct RuleJson {
    name: &'static str,
    level: &'static str,
    default: &'static str,
    explanation: &'static str,
}

pub(super) fn show(faults: &[Fault], checked: &Checked<'_>, form: Form, console: &Console) {
    let of = |level: LintLevel| faults.iter().filter(|fault| fault.level == level).count();
    let (errors, warnings) = (of(LintLevel::Error), of(LintLevel::Warning));
    match form {
        Form::Sarif => console.object(&sarif(faults, checked)),
        Form::Github => faults.iter().for_each(|fault| console.data(&annotation(fault, checked))),
        Form::Plain if console.json => {
            let faults = faults.iter().map(FaultJson::new).collect();
            let (features, documents) = (checked.groups, checked.documents);
            console.object(&LintJson { v: 1, features, documents, errors, warnings, faults });
        }
        Form::Plain => faults.iter().for_each(|fault| console.data(&line(fault))),
    }
    console.say(&format!(
        "{} checked: {}, {}",
        count(checked.documents, checked.what),
        count(errors, "error"),
        count(warnings, "warning")
    ));
}

pub(super) fn rules(settings: &LintSettings, console: &Console) {
    let rules = Rule::ALL.map(|rule| RuleJson {
        name: rule.name(),
        level: settings.level(rule).name(),
        default: rule.level().name(),
        explanation: rule.explanation(),
    });
    let lines: Vec<String> = rules
        .iter()
        .map(|rule| format!("{:<23} {:<8} {}", rule.name, rule.level, rule.explanation))
        .collect();
    console.show(&lines.join("\n"), &RulesJson { v: 1, rules: rules.into() });
}

impl<'a> FaultJson<'a> {
    fn new(fault: &'a Fault) -> FaultJson<'a> {
        FaultJson {
            path: &fault.path,
            line: fault.line,
            rule: fault.rule.name(),
            level: fault.level.name(),
            message: &fault.message,
            hint: &fault.hint,
        }
    }
}

fn line(fault: &Fault) -> String {
    let Fault { rule, level, path, line, message, hint } = fault;
    let (path, message) = (harmless::name(path), harmless::name(message));
    format!("{path}:{line}: {level} [{rule}] {message}\n  hint: {hint}")
}

fn annotation(fault: &Fault, checked: &Checked<'_>) -> String {
    let path = from_root(&fault.path, checked);
    let said = format!("{}; {}", fault.message, fault.hint);
    annotate::annotation(fault.level.name(), &path, fault.line, fault.rule.name(), &said)
}

fn sarif(faults: &[Fault], checked: &Checked<'_>) -> serde_json::Value {
    let rules = Rule::ALL.map(|rule| {
        json!({
            "id": rule.name(),
            "shortDescription": {"text": rule.explanation()},
            "defaultConfiguration": {"level": rule.level().name()},
        })
    });
    let results: Vec<serde_json::Value> = faults.iter().map(|fault| result(fault, checked)).collect();
    annotate::sarif(&rules, &results)
}

fn result(fault: &Fault, checked: &Checked<'_>) -> serde_json::Value {
    let index = Rule::ALL.iter().position(|rule| *rule == fault.rule);
    json!({
        "ruleId": fault.rule.name(),
        "ruleIndex": index,
        "level": fault.level.name(),
        "message": {"text": format!("{}; {}", fault.message, fault.hint)},
        "locations": [annotate::location(&from_root(&fault.path, checked), fault.line)],
    })
}

fn from_root(path: &str, checked: &Checked<'_>) -> String {
    super::find::shown(&checked.folder.join(path), checked.root)
}
