//! What a review found, in the forms that code hosts read: SARIF and the annotations of GitHub. They are the same for a
//! change and for a document; whoever reviews fills in a [`Judgement`].

use redraft_core::attribution::{self, RoleAttribution};
use redraft_documents::reconcile::{Defect, defects};
use redraft_facts::event::{Checked, REHEARSED};
use redraft_facts::findings::{Finding, Status};
use redraft_facts::phase::Phase;
use redraft_facts::text::{hash, one_line};
use redraft_facts::verdict::Severity;
use redraft_frame::annotate::{self, Execution};
use redraft_frame::args::{FindingsForm, ReviewArgs};
use redraft_frame::console::Console;
use redraft_frame::errors::CliError;
use redraft_roles::profile::{self, ProfileKind};
use serde_json::{Value, json};

/// What a review has come to.
pub(super) struct Judgement<'a> {
    pub(super) scope: &'a str,
    /// The change or the document, by its name.
    pub(super) subject: &'a str,
    /// Whose reviewers judge it.
    pub(super) phase: Phase,
    pub(super) outcome: &'static str,
    /// What it waits for.
    pub(super) asked: &'a str,
    pub(super) judged_by: &'a [RoleAttribution],
    /// The notice where the rehearsal agent played any of them.
    pub(super) rehearsed: Option<&'a str>,
    /// The findings that are not settled, the gravest first.
    pub(super) findings: &'a [Finding],
    pub(super) gate: Option<&'a Checked>,
    pub(super) notes: &'a [String],
    /// The file at which a finding without a place is shown.
    pub(super) first: &'a str,
    /// What exactly was judged, for programs.
    pub(super) judged: Value,
    /// The log's name among those of other documents, if there may be others.
    pub(super) log: Option<String>,
}

/// The form that was asked for.
pub(super) fn form(args: &ReviewArgs, console: &Console) -> Result<FindingsForm, CliError> {
    match (args.format, console.json) {
        (None, false) if console.events => Ok(FindingsForm::Json),
        (None, false) => Ok(FindingsForm::Table),
        (None | Some(FindingsForm::Json), _) => Ok(FindingsForm::Json),
        (Some(form), false) => Ok(form),
        (Some(_), true) => {
            Err(CliError::usage("`--json` and `--format` ask for different formats").hint("use one of them"))
        }
    }
}

/// The name of a document's log. Code scanning replaces a log by the next one of the same name, so each document has its
/// own; it ends with a slash because what is behind the last one is left out.
pub(super) fn log_of(path: &str) -> String {
    format!("redraft/{path}/")
}

impl Judgement<'_> {
    /// Prints it as SARIF.
    pub(super) fn show_sarif(&self, console: &Console) {
        console.object(&sarif(self.phase, self.findings, self.first, &self.execution()));
    }

    /// Prints it as annotations of GitHub.
    pub(super) fn show_annotations(&self, console: &Console) {
        let unjudged = self.unjudged().filter(|_| self.gate.is_none());
        let unjudged = unjudged.map(|why| annotate::annotation("error", "", 0, "not reviewed", &why));
        let noted =
            self.notes.iter().map(|note| annotate::annotation("notice", "", 0, "redraft review", note));
        let failed = self.gate.iter().map(|check| {
            annotate::annotation("error", "", 0, &format!("check {} failed", check.gate), &check.evidence)
        });
        let found = defects(self.findings);
        let lines = self.who_judged().into_iter().chain(unjudged).chain(noted).chain(failed);
        lines.chain(found.iter().map(annotation)).for_each(|line| console.data(&line));
    }

    /// How the review went, for readers of the log alone: who judged, and that it was only rehearsed, if so.
    fn execution(&self) -> Execution {
        let rehearsed = self.rehearsed.iter().map(|notice| format!("{notice}."));
        let mut properties = json!({
            "judged_by": self.judged_by,
            "rehearsed": self.rehearsed.is_some(),
            "outcome": self.outcome,
        });
        for (key, value) in self.judged.as_object().into_iter().flatten() {
            properties[key] = value.clone();
        }
        Execution {
            failed: self.unjudged(),
            notes: rehearsed.chain(self.notes.iter().cloned()).collect(),
            properties,
            log: self.log.clone(),
        }
    }

    /// Why the result, even an empty one, is not a judgement; none where it is one.
    fn unjudged(&self) -> Option<String> {
        let why = match (self.outcome, self.gate) {
            ("approved", _) | ("findings", None) => return None,
            (_, Some(check)) => format!("the check {} failed, so nobody was asked", check.gate),
            (outcome, None) if self.asked.is_empty() => format!("the review is {outcome}"),
            (outcome, None) => format!("the review is {outcome}: {}", self.asked),
        };
        Some(format!("{} of {} reached no verdict: {why}", self.scope, self.subject))
    }

    /// Who judged, as an annotation without a line; none where nobody did.
    fn who_judged(&self) -> Option<String> {
        let judges = attribution::in_words(self.judged_by);
        match (self.rehearsed, judges.is_empty()) {
            (Some(notice), _) => Some(annotate::annotation("warning", "", 0, REHEARSED, notice)),
            (None, false) => Some(annotate::annotation("notice", "", 0, "judged by", &judges)),
            (None, true) => None,
        }
    }
}

/// The log of a review that found nothing to judge.
pub(super) fn sarif_of_nothing(notes: Vec<String>) -> Value {
    sarif(Phase::Implement, &[], "", &Execution { notes, ..Execution::default() })
}

/// Code scanning wants a place for each result: a finding without one is shown at `first`.
fn sarif(phase: Phase, findings: &[Finding], first: &str, execution: &Execution) -> Value {
    let profiles = profile::participants(phase).iter().filter(|one| one.kind != ProfileKind::Author);
    let mut rules: Vec<String> = Vec::new();
    for profile in profiles {
        rules.extend(profile.categories.iter().map(|category| format!("{}/{category}", profile.role)));
    }
    // The one reviewer of lane express has the categories of all, and a model may invent another.
    for id in findings.iter().map(rule) {
        if !rules.contains(&id) {
            rules.push(id);
        }
    }
    let described: Vec<Value> = rules.iter().map(|id| described(id)).collect();
    let results: Vec<Value> = defects(findings)
        .iter()
        .map(|one| {
            let finding = one.first;
            let id = rule(finding);
            let file = if finding.file.is_empty() { first } else { &finding.file };
            json!({
                "ruleId": id,
                "ruleIndex": rules.iter().position(|rule| *rule == id),
                "level": level(finding).0,
                "message": {"text": message(finding)},
                "locations": [annotate::location(file, finding.line)],
                "partialFingerprints": {"redraftFinding/v1": fingerprint(finding)},
                "properties": {"id": one.ids(), "severity": finding.severity.to_string()},
            })
        })
        .collect();
    annotate::sarif_of(&described, &results, execution)
}

/// How grave it is in the words of SARIF and of GitHub: what holds nothing up is a note.
fn level(finding: &Finding) -> (&'static str, &'static str) {
    let aside = finding.unverified.is_some() || finding.status == Status::Deferred;
    match finding.severity {
        _ if aside => ("note", "notice"),
        Severity::Blocker => ("error", "error"),
        Severity::Warning => ("warning", "warning"),
        Severity::Suggestion => ("note", "notice"),
    }
}

fn message(finding: &Finding) -> String {
    let mut text = finding.description.trim().to_owned();
    if !finding.suggestion.trim().is_empty() {
        text.push_str(&format!("\nSuggested: {}", finding.suggestion.trim()));
    }
    text.push_str(&aside(finding).replacen(", ", "\n", 1));
    text
}

fn annotation(one: &Defect<'_>) -> String {
    let finding = one.first;
    let titles: Vec<String> =
        one.all().map(|by| format!("{} {} ({})", by.id, by.category, by.role)).collect();
    let title = titles.join(", ");
    annotate::annotation(level(finding).1, &finding.file, finding.line, &title, &message(finding))
}

fn rule(finding: &Finding) -> String {
    format!("{}/{}", finding.role, one_line(&finding.category, 60))
}

fn described(id: &str) -> Value {
    let (role, category) = id.split_once('/').unwrap_or((id, ""));
    json!({
        "id": id,
        "name": category,
        "shortDescription": {"text": format!("{category}, found by {role}")},
    })
}

/// The same for the same fault wherever and whenever it is found: based on what is quoted, not on lines or ids.
fn fingerprint(finding: &Finding) -> String {
    let about = if finding.quote.trim().is_empty() { &finding.description } else { &finding.quote };
    let words: Vec<&str> = about.split_whitespace().collect();
    let text = [finding.role.as_str(), &finding.category, &finding.file, &words.join(" ")].join("\n");
    hash(text.as_bytes()).to_string().chars().take(32).collect()
}

/// Why it holds nothing up, if so.
pub(super) fn aside(finding: &Finding) -> String {
    match (&finding.unverified, finding.status) {
        (Some(why), _) => format!(", unverified: {why}"),
        (None, Status::Deferred) => {
            ", deferred: it is about text reviewed before, so it does not block approval".to_owned()
        }
        (None, _) => String::new(),
    }
}

#[cfg(test)]
pub(super) mod tests;
