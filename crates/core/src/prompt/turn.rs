//! The fragments of one dispatch: what is under review, what changed, what is open, which round it is.
//!
//! Everything here that somebody else wrote is fenced or kept on one line, so that it can neither end its own
//! fence nor pass for a heading of ours. Which of these a prompt has is decided in `build`.

use super::anchor::Anchors;
use super::brief::{Brief, DomainResult};
use super::fragment::Fragment;
use super::schema::FORM;
use super::sizes::FIELD_CHARS_MAX;
use super::stable::{file_name, header, label};
use crate::findings::Finding;
use crate::prelude::*;
use crate::profile::Kind;
use crate::sections::Outline;
use crate::text::{self, one_line};
use crate::ticket::Purpose;
use crate::verdict::Severity;

const RULING: &str = "\
- `fixed`: the failure can no longer happen. The note names the mechanism: what the text says now, and what that prevents.
- `not_fixed`: the failure is still possible, however the text was moved or reworded. What you cannot tell is not fixed; the note says what you would need to see.
- `withdrawn`: the finding was wrong. The note quotes the words that prove it.
";

/// How a list of open findings is introduced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Intro {
    /// The prompt has said already what to do with them.
    List,
    /// The same to a reader that never saw them.
    Recall,
    /// To a reviewer that never saw them, in a later round.
    Reevaluate,
    /// The same in a validation, where new findings may lie anywhere.
    Validate,
    /// To an author that has not seen them.
    Fix,
    /// To an author that has fixed others before.
    FixNew,
}

pub(super) fn idea(brief: &Brief<'_>) -> Fragment {
    let idea = text::fenced("text", brief.place.idea);
    Fragment::new("idea", format!("## Idea\n\nWhat was asked for, in the words of the user:\n\n{idea}"))
}

pub(super) fn draft_task(brief: &Brief<'_>) -> Fragment {
    let path = brief.place.artifact;
    Fragment::new(
        "task",
        format!(
            "## Task\n\nWrite {path}\n\n\
             It is the first version, made from the idea and the required artifacts. Write the whole document into \
             that file; your answer reports on it and does not repeat it.\n"
        ),
    )
}

pub(super) fn revise_task(brief: &Brief<'_>) -> Fragment {
    let path = brief.place.artifact;
    let text = format!(
        "## Task\n\nRevise {path}\n\nRead that file whole before you change it: it is the current version. {}\n{}",
        work(brief, "Open Findings"),
        unchanged(brief)
    );
    Fragment::new("task", text)
}

/// Tells a continued conversation what it has and what to do with what follows.
pub(super) fn resume_note(brief: &Brief<'_>) -> Fragment {
    let name = file_name(brief.place.artifact);
    let text = match (brief.profile.kind, brief.purpose) {
        (Kind::Author, _) => format!(
            "You already have the upstream artifacts and your last version of {name} in context from your previous \
             turn. {} on disk is that version{}.\n\n{}\n{}",
            brief.place.artifact,
            if brief.delta.is_some() { ", with what others have changed since" } else { "" },
            work(brief, "New Issues to Fix"),
            unchanged(brief)
        ),
        (Kind::Domain | Kind::Phase, Purpose::Validate) => format!(
            "You already have the upstream artifacts and the previous version of {name} in context from your prior \
             review at iteration {}, in which you approved it. Since then the file was changed to answer others.\n\n\
             Check whether your approval still holds. Go through every hunk of the changes and through every place \
             that depends on what it touches, and put your checks to them. A new finding may lie anywhere in the file.\
             \n{}",
            brief.last_round,
            ruling_on(brief)
        ),
        (Kind::Domain | Kind::Phase, _) => format!(
            "You already have the upstream artifacts and the previous version of {name} in context from your prior \
             review. What changed in the file since then stands below. Do this and no more:\n\n{}",
            steps_of_a_rereview(brief)
        ),
    };
    Fragment::new("resume-note", text)
}

/// The artifact under review: what it is, and where it is to be given `whole`, its text.
pub(super) fn artifact(brief: &Brief<'_>, whole: bool) -> Fragment {
    let path = brief.place.artifact;
    let heading = format!("## {} Under Review\n\n", label(path));
    let Some(bytes) = brief.artifact else {
        return Fragment::new("artifact", format!("{heading}{path}: not there\n"));
    };
    let header = header(path, bytes);
    let body = match whole {
        true => format!("\n{}", text::fenced("markdown", &String::from_utf8_lossy(bytes))),
        false => String::new(),
    };
    Fragment::new("artifact", format!("{heading}{header}{body}"))
}

/// What changed since a reviewer last saw the artifact.
pub(super) fn delta(brief: &Brief<'_>) -> Option<Fragment> {
    let heading = match brief.purpose {
        Purpose::Validate => "Changes Since Your Last Review",
        Purpose::Draft
        | Purpose::Revise
        | Purpose::Review
        | Purpose::Certify
        | Purpose::Repair
        | Purpose::Probe => "Delta",
    };
    let body = match brief.delta? {
        "" => "The file is as you last saw it.\n".to_owned(),
        diff => text::fenced("diff", diff),
    };
    Some(Fragment::new("delta", format!("## {heading}\n\n{body}")))
}

pub(super) fn changes_by_others(brief: &Brief<'_>) -> Option<Fragment> {
    let diff = text::fenced("diff", brief.delta.filter(|diff| !diff.is_empty())?);
    let text = format!(
        "## Changes Since Your Last Version\n\n\
         Others changed the file. What they changed stays, unless a finding below says otherwise:\n\n{diff}"
    );
    Some(Fragment::new("changes-by-others", text))
}

pub(super) fn fix_summary(brief: &Brief<'_>) -> Option<Fragment> {
    let all = brief.fix_summaries;
    if all.is_empty() {
        return None;
    }
    let mut text =
        "## Fix Summary\n\nWhat the author says was done; the changes above show what was.\n".to_owned();
    for (at, summary) in all.iter().enumerate() {
        if all.len() > 1 {
            text.push_str(&format!("\nRevision {} of {}:\n", at + 1, all.len()));
        }
        text.push_str(&format!("\n{}", text::fenced("text", summary)));
    }
    Some(Fragment::new("fix-summary", text))
}

pub(super) fn domain_outcome(brief: &Brief<'_>) -> Option<Fragment> {
    let outcome = brief.outcome.filter(|_| brief.profile.kind == Kind::Phase)?;
    let result = match outcome.result {
        DomainResult::Approved { round, max, revision } => {
            format!("APPROVED at iteration {round}/{max}, revision {}", revision.short())
        }
        DomainResult::Failed { round, max, revision } if round < max => {
            format!("FAILED, accepted by a person at iteration {round}/{max}, revision {}", revision.short())
        }
        DomainResult::Failed { max, revision, .. } => {
            format!("FAILED at iteration cap ({max}/{max}), revision {}", revision.short())
        }
    };
    let unresolved: Vec<String> = (current(brief, outcome.unresolved).iter())
        .filter(|finding| finding.severity > Severity::Suggestion)
        .map(|finding| format!("\n  {}", headline(finding)))
        .collect();
    let unresolved = if unresolved.is_empty() { " none".to_owned() } else { unresolved.concat() };
    let text = format!(
        "## Domain Reviewer Outcome\n\n- Reviewer: {}\n- Result: {result}\n- Unresolved issues:{unresolved}\n",
        outcome.reviewer
    );
    Some(Fragment::new("domain-outcome", text))
}

pub(super) fn gate(brief: &Brief<'_>) -> Option<Fragment> {
    let evidence = text::fenced("text", brief.gate?);
    let text = format!(
        "## Failed Gate\n\n\
         This check failed on the current version. It runs again before any reviewer is asked:\n\n{evidence}"
    );
    Some(Fragment::new("gate", text))
}

/// Mechanical faults that hold nothing up. The author may mend them; a reviewer need not find them.
pub(super) fn lint(brief: &Brief<'_>) -> Option<Fragment> {
    if brief.lint.is_empty() {
        return None;
    }
    let intro = match brief.profile.kind {
        Kind::Author => {
            "Lint warns of these places in the current version: mend those where the warning is right, even where no finding \
             reaches them, leave the text where it is wrong, and give them no entry in `answers`."
        }
        Kind::Domain | Kind::Phase => {
            "The author is shown these warnings too, so none of them is a finding by itself; a failure that follows from one \
             is a finding like any other."
        }
    };
    let list: String =
        brief.lint.iter().map(|line| format!("- {}\n", one_line(line, FIELD_CHARS_MAX))).collect();
    Some(Fragment::new("lint", format!("## Lint Warnings\n\n{intro}\n\n{list}")))
}

pub(super) fn open_findings(brief: &Brief<'_>, intro: Intro) -> Option<Fragment> {
    if brief.findings.is_empty() {
        return None;
    }
    let (heading, lead) = match intro {
        Intro::List | Intro::Recall => {
            ("Open Findings", "These ids are open; each needs an answer:\n".to_owned())
        }
        Intro::Reevaluate => (
            "Open Findings",
            format!(
                "Rule on every id below, in `answers`:\n\n{RULING}\n\
                 The engine compares each new finding with what changed since the last review and defers one that \
                 lies outside, except a blocker, whose description then says why the earlier round missed it.\n\n\
                 Previous issues to re-evaluate:\n"
            ),
        ),
        Intro::Validate => (
            "Open Findings",
            format!("Rule on every id below, in `answers`:\n\n{RULING}\nPrevious issues to re-evaluate:\n"),
        ),
        Intro::Fix => ("Open Findings", "Reviewers found these; answer every id:\n".to_owned()),
        Intro::FixNew => ("New Issues to Fix", "Open after the last review; answer every id:\n".to_owned()),
    };
    // A reviewer that is asked again in its own conversation has its own words there.
    let line = match intro {
        Intro::List => |finding: &Finding| format!("{}\n", headline(&by_name(finding))),
        Intro::Recall | Intro::Reevaluate | Intro::Validate | Intro::Fix | Intro::FixNew => {
            |finding: &Finding| listed(finding)
        }
    };
    let findings = current(brief, brief.findings);
    let list: String = findings.iter().map(line).collect();
    Some(Fragment::new("open-findings", format!("## {heading}\n\n{lead}\n{list}")))
}

pub(super) fn iteration(brief: &Brief<'_>) -> Fragment {
    let Brief { round, rounds_max, .. } = brief;
    let mut text = match brief.purpose {
        Purpose::Validate => {
            format!(
                "## Iteration Context\n\nThis is the final validation round (iteration {round} of {rounds_max}).\n"
            )
        }
        Purpose::Draft
        | Purpose::Revise
        | Purpose::Review
        | Purpose::Certify
        | Purpose::Repair
        | Purpose::Probe => {
            format!("## Iteration Context\n\nThis is iteration {round} of {rounds_max}.\n")
        }
    };
    if brief.unavailable {
        let session = match brief.profile.kind {
            Kind::Author => "session",
            Kind::Domain | Kind::Phase => "review session",
        };
        text.push_str(&format!("(Fresh dispatch — prior {session} unavailable.)\n"));
    }
    Fragment::new("iteration", text)
}

pub(super) fn repair(brief: &Brief<'_>) -> Fragment {
    let why = text::fenced("text", brief.repair.unwrap_or("no verdict could be read from it"));
    let text = format!(
        "## Your Last Answer Could Not Be Used\n\n{why}\n\
         Give the whole answer once more with that put right. Nothing of the last one was kept.\n"
    );
    Fragment::new("repair", text)
}

pub(super) fn return_short(brief: &Brief<'_>) -> Fragment {
    let ids = if brief.findings.is_empty() { "" } else { " `answers` has one entry for every id above." };
    let text = format!(
        "## Your Answer\n\n\
         One JSON object of the same form as before, and nothing after it. Every field is required; an empty text, \
         an empty list or 0 means none.{ids}\n\n{}",
        text::fenced("json", FORM)
    );
    Fragment::new("return-short", text)
}

/// How to rule on what is open; empty where nothing is.
pub(super) fn ruling_on(brief: &Brief<'_>) -> String {
    if brief.findings.is_empty() {
        return String::new();
    }
    format!("\nRule on every id under Open Findings, in `answers`:\n\n{RULING}")
}

/// The whole of a re-review: rule on ids, read the change, stop.
pub(super) fn steps_of_a_rereview(brief: &Brief<'_>) -> String {
    let mut steps = Vec::new();
    if !brief.findings.is_empty() {
        steps.push(format!("Rule on every id under Open Findings, in `answers`:\n{}", indented(RULING)));
    }
    steps.push(
        "Read every hunk for new harm: what it contradicts now, what it dropped, what it leaves without a test. \
         A new finding cites a changed line, also where the harm shows elsewhere; name that place in the description. \
         The engine defers every other new finding, except a blocker, whose description then says why your first \
         review missed it. If a fault of the same kind comes back at one place, write one finding for the kind, with \
         a remedy for its cause.\n"
            .to_owned(),
    );
    steps.push("Stop. The rest of the document has been reviewed and is not searched again.\n".to_owned());
    let numbered: Vec<String> =
        steps.iter().enumerate().map(|(at, step)| format!("{}. {step}", at + 1)).collect();
    numbered.concat()
}

/// Inside a numbered step, so that the list belongs to it.
fn indented(list: &str) -> String {
    list.lines().map(|line| format!("   {line}\n")).collect()
}

/// What an author has to deal with, by the headings under which it stands.
fn work(brief: &Brief<'_>, findings_heading: &str) -> String {
    let findings = (!brief.findings.is_empty()).then(|| format!("every id under {findings_heading}"));
    let gate = brief.gate.map(|_| "what Failed Gate reports".to_owned());
    let items: Vec<String> = [gate, findings].into_iter().flatten().collect();
    if items.is_empty() {
        return "Make it complete and consistent again.".to_owned();
    }
    format!("Deal with {}, in the file itself.", items.join(" and with "))
}

/// An author that answers without changing anything would go round for ever.
fn unchanged(brief: &Brief<'_>) -> String {
    if !brief.unchanged {
        return String::new();
    }
    let ids: Vec<&str> = brief.findings.iter().map(|finding| finding.id.as_str()).collect();
    let open = match (ids.is_empty(), brief.gate.is_some()) {
        (false, _) => format!("These findings are open: {}.", ids.join(", ")),
        (true, true) => "The gate still fails.".to_owned(),
        (true, false) => "What you were asked for is still to be done.".to_owned(),
    };
    format!(
        "\nThe last turn left {} as it was. {open} The file must change; where you hold a finding to be wrong, word \
         the text so that nobody can read it that way.\n",
        brief.place.artifact
    )
}

/// Findings with their places in the artifact as the reader has it.
fn current(brief: &Brief<'_>, findings: &[&Finding]) -> Vec<Finding> {
    let content = String::from_utf8_lossy(brief.artifact.unwrap_or_default());
    let outline = Outline::of(&content);
    let anchors = Anchors::new(brief, &outline);
    findings.iter().map(|finding| anchors.current(finding)).collect()
}

/// A finding with what is known about it. All of it comes from agents and stays on its line.
fn listed(finding: &Finding) -> String {
    let mut text = format!("{}\n", headline(finding));
    let quote = one_line(&finding.quote, FIELD_CHARS_MAX);
    if !quote.is_empty() {
        text.push_str(&format!("  Quote: \"{quote}\"\n"));
    }
    let unverified = finding.unverified.as_deref().unwrap_or_default();
    for (name, value) in [
        ("Suggestion", finding.suggestion.as_str()),
        ("Unverified", unverified),
        ("Last note", &finding.note),
    ] {
        let value = one_line(value, FIELD_CHARS_MAX);
        if !value.is_empty() {
            text.push_str(&format!("  {name}: {value}\n"));
        }
    }
    text
}

/// The finding with its file's name alone: whoever found it knows the folder.
fn by_name(finding: &Finding) -> Finding {
    let name = finding.file.rsplit('/').next().unwrap_or_default().to_owned();
    Finding { file: name, ..finding.clone() }
}

fn headline(finding: &Finding) -> String {
    let line = |value: &str| one_line(value, FIELD_CHARS_MAX);
    format!(
        "- [{}] [{}] [{}] {} (at: {})",
        finding.id,
        finding.severity,
        line(&finding.category),
        line(&finding.description),
        line(&finding.place())
    )
}
