//! Lists open findings, and tells a role how to rule on them.
//!
//! A finding comes from an agent, so every field of it stays on its line. [`super::anchor`] finds where it stands in
//! the current text; `build` decides which of these a prompt has.

use super::anchor::Anchors;
use super::brief::Brief;
use super::change;
use super::comments;
use super::sizes::{FIELD_CHARS_MAX, SETTLED_CHARS_MAX, SETTLED_MAX};
use redraft_documents::reconcile::defects;
use redraft_documents::sections::Outline;
use redraft_facts::choice::Strategy;
use redraft_facts::findings::{Finding, Status};
use redraft_facts::fragment::Fragment;
use redraft_facts::prelude::*;
use redraft_facts::text::one_line;
use redraft_facts::ticket::Purpose;

const RULING: &str = "\
- `fixed`: the failure can no longer happen, or the text now states it as a decision with its cost, and nothing above it forbids that. The note names the mechanism: what the text says now, and what that prevents or decides.
- `not_fixed`: the failure is still possible, however the text was moved or reworded. What you cannot tell is not fixed; the note says what you would need to see.
- `withdrawn`: the finding was wrong. The note quotes the words that prove it.
";

const CODE_RULING: &str = "\
- `fixed`: the failure can no longer happen. The note names the mechanism: what the code does now, what that prevents, and the test that shows it.
- `not_fixed`: the failure is still possible, however the code was moved or rewritten. What you cannot tell is not fixed; the note says what you would need to see.
- `withdrawn`: the finding was wrong. The note quotes the code or the words that prove it.
";

/// How to rule on a finding about a document or about code.
fn ruling(brief: &Brief<'_>) -> &'static str {
    if brief.code.is_some() { CODE_RULING } else { RULING }
}

/// What is reviewed.
fn subject(brief: &Brief<'_>) -> &'static str {
    if brief.code.is_some() { "change" } else { "document" }
}

/// What becomes of a new finding that the changes of a round have nothing to do with.
const DEFERRED: &str =
    "is deferred: it is kept for later and holds nothing up now. Only a blocker may still count";

/// How a list of open findings is introduced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Intro {
    /// The prompt has said already what to do with them.
    List,
    /// The same to a reader that never saw them.
    Recall,
    /// To a reviewer that never saw them and is given the whole to judge.
    Reevaluate,
    /// To an author that has not seen them.
    Fix,
    /// To an author that has fixed others before.
    FixNew,
    /// To an author before its first draft: only people can have said something.
    Said,
}

pub(super) fn open_findings(brief: &Brief<'_>, intro: Intro) -> Option<Fragment> {
    if brief.findings.is_empty() {
        return None;
    }
    let (ruling, subject) = (ruling(brief), subject(brief));
    let (heading, lead) = match intro {
        Intro::List => {
            ("Open Findings", "These ids are open; each needs an answer, unless it is deferred:\n".to_owned())
        }
        Intro::Recall => ("Open Findings", "Previous issues to re-evaluate:\n".to_owned()),
        Intro::Reevaluate if brief.findings.iter().all(|finding| finding.is_comment()) => (
            "Open Findings",
            format!(
                "The user said this about the {subject}. Judge it as it is now, and rule on every id, in `answers`:\n\n\
                 {ruling}\n"
            ),
        ),
        Intro::Reevaluate => (
            "Open Findings",
            format!(
                "An earlier turn of your role left the findings below. Judge the {subject} as it is now, and rule on \
                 every id, in `answers`:\n\n{ruling}\n\
                 Previous issues to re-evaluate:\n"
            ),
        ),
        Intro::Fix if brief.code.is_some() => {
            ("Issues to Fix", format!("{}; answer every id:\n", comments::raised(brief.findings)))
        }
        Intro::Fix => ("Open Findings", format!("{}; answer every id:\n", comments::raised(brief.findings))),
        Intro::Said => {
            ("Open Findings", "The user said this before you began; answer every id:\n".to_owned())
        }
        Intro::FixNew => ("New Issues to Fix", "Open after the last review; answer every id:\n".to_owned()),
    };
    // A reviewer that is asked again in its own conversation has its own words there.
    let line = match intro {
        // Several files of a change may have the same name.
        Intro::List if brief.code.is_some() => {
            |finding: &Finding| format!("{}\n{}{}", headline(finding), reopened(finding), doubt(finding))
        }
        Intro::List => |finding: &Finding| {
            format!("{}\n{}{}", headline(&by_name(finding)), reopened(finding), doubt(finding))
        },
        Intro::Recall | Intro::Reevaluate | Intro::Fix | Intro::FixNew | Intro::Said => {
            |finding: &Finding| listed(finding)
        }
    };
    let mut findings = current(brief, brief.findings);
    // What a reviewer said to a decline stands beside the decline.
    let answered = |one: &Finding| {
        brief.disputed.iter().any(|disputed| disputed.finding.id == one.id && disputed.answer.is_some())
    };
    let authored = matches!(intro, Intro::Fix | Intro::FixNew);
    findings.iter_mut().filter(|one| authored && answered(one)).for_each(|one| one.note.clear());
    let list: String = match intro {
        Intro::Fix | Intro::FixNew | Intro::Said => once_each(&findings),
        Intro::List | Intro::Recall | Intro::Reevaluate => findings.iter().map(line).collect(),
    };
    let doubtful = findings.iter().any(|finding| finding.unverified.is_some());
    let cited = match intro {
        _ if !doubtful => "",
        Intro::Fix | Intro::FixNew | Intro::Said => {
            "\nWhere what a finding cites does not hold, it was not found in the file. Judge the failure it describes.\n"
        }
        Intro::List | Intro::Recall | Intro::Reevaluate => {
            "\nWhere what a finding cites does not hold and the failure is there all the same, put it once more into \
             `issues`, with the right file, line and quote and its id in `same_as`: as it is, it cannot block.\n"
        }
    };
    let said = comments::ruling(&findings, !matches!(intro, Intro::Fix | Intro::FixNew | Intro::Said));
    Some(Fragment::new("open-findings", format!("## {heading}\n\n{lead}\n{list}{cited}{said}")))
}

/// Every defect once, whoever found it: an author mends and answers it once.
fn once_each(findings: &[Finding]) -> String {
    let mut list = String::new();
    let groups = defects(findings);
    for group in &groups {
        let (first, also) = (group.first, &group.also);
        // Behind its own id, the others stand where a finding has one.
        list.push_str(&listed(first).replacen(&format!("[{}]", first.id), &format!("[{}]", group.ids()), 1));
        for one in also {
            let words = one_line(&one.description, FIELD_CHARS_MAX);
            list.push_str(&format!("  {}, found by {}: {words}\n", one.id, one.role));
        }
    }
    if groups.iter().any(|group| !group.also.is_empty()) {
        list.push_str(
            "\nAn entry with several ids is one defect that several reviewers found: one answer, with all its ids in `id` as \
             they stand.\n",
        );
    }
    list
}

/// What people have settled, so that a reviewer spends nothing on it. None where nothing is settled, and for fresh
/// eyes: what others found before would lead them.
pub(super) fn settled(brief: &Brief<'_>) -> Option<Fragment> {
    let left_out = brief.settled.len().saturating_sub(SETTLED_MAX);
    let shown = &brief.settled[left_out..];
    if shown.is_empty() || brief.purpose == Purpose::Certify {
        return None;
    }
    let overruled = match shown.iter().any(|one| one.ruling.overruled) {
        true => ", or has decided that they do not hold",
        false => "",
    };
    let mut text = format!(
        "## Settled Matters\n\nA person has accepted these as they are{overruled}. Raise none of them again, in these or \
         other words, and reject nothing for one. Harm that goes beyond what was accepted \
         is a finding like any other.\n\n"
    );
    for one in shown {
        let line = |value: &str| one_line(value, SETTLED_CHARS_MAX);
        let (finding, by) = (&one.finding, line(&one.ruling.by));
        let (severity, phase) = (finding.severity, one.ruling.phase);
        let did = if one.ruling.overruled { "Overruled" } else { "Accepted" };
        let said = match one.ruling.why.trim() {
            "" => format!("{did} by {by}."),
            why => format!("{did} by {by}: {}", line(why)),
        };
        let (what, place) = (line(&finding.description), line(&finding.place()));
        text.push_str(&format!("- {severity}, raised in {phase}: {what} (at: {place})\n  {said}\n"));
    }
    Some(Fragment::new("settled", text))
}

/// What became of an earlier review of what is called `what`, as far as the open findings tell.
pub(super) fn left(brief: &Brief<'_>, what: &str) -> String {
    let on = if what.is_empty() { String::new() } else { format!(" on {what}") };
    let whole = if what.is_empty() { "it" } else { what };
    match brief.findings {
        [] => format!("did not approve {whole}"),
        all if all.iter().all(|one| one.is_comment()) => {
            format!("judged {whole}; what the user says about it is listed under Open Findings")
        }
        _ => format!("left the findings listed under Open Findings{on}"),
    }
}

/// How to rule on what is open; empty where nothing is open.
pub(super) fn ruling_on(brief: &Brief<'_>) -> String {
    if brief.findings.is_empty() {
        return String::new();
    }
    format!("\nRule on every id under Open Findings, in `answers`:\n\n{}", ruling(brief))
}

/// Why it is asked about what has not changed, as far as anybody said something.
pub(super) fn declines(brief: &Brief<'_>, whose: &str) -> String {
    let who = if brief.code.is_some() { "implementer" } else { "author" };
    if brief.hearing { format!(": the {who} declines findings of {whose}") } else { String::new() }
}

/// The whole of a second look at what has not changed: rule on ids, in the light of the replies, and stop.
pub(super) fn steps_without_changes(brief: &Brief<'_>) -> String {
    let light = match (brief.disputed.is_empty(), brief.fix_summaries.is_empty()) {
        (false, _) => ", in the light of Declined Findings",
        (true, false) => ", in the light of what was said about them",
        (true, true) => "",
    };
    format!(
        "1. Rule on every id under Open Findings, in `answers`{light}:\n{}\
         2. Stop. The {} has been reviewed and is not searched again; a new finding {DEFERRED}.\n",
        indented(ruling(brief)),
        subject(brief)
    )
}

/// The whole of a re-review: rule on ids, read the change, stop.
pub(super) fn steps_of_a_rereview(brief: &Brief<'_>) -> String {
    let mut steps = Vec::new();
    if !brief.findings.is_empty() {
        steps.push(format!(
            "Rule on every id under Open Findings, in `answers`:\n{}",
            indented(ruling(brief))
        ));
    }
    // A reader without the memory of the first review cannot say what it overlooked.
    let missed = match brief.strategy {
        Strategy::Resume => "; its description then says why your first review missed it",
        Strategy::Inline | Strategy::Lazy | Strategy::Digest => "",
    };
    let harm = match brief.code {
        // What is new need not answer any finding.
        Some(code) if code.by_itself => {
            "what it does wrong itself, by all of your checks, what it breaks for its callers, what it dropped, what it \
             leaves without a test"
        }
        Some(_) => "what it breaks for its callers, what it dropped, what it leaves without a test",
        None => "what it contradicts now, what it dropped, what it leaves without a check",
    };
    steps.push(format!(
        "Read every hunk for new harm: {harm}. \
         A new finding cites a changed line, also where the harm shows elsewhere; name that place in the description. \
         Any other new finding {DEFERRED}{missed}. If a fault of the same kind comes back at one place, write one \
         finding for the kind, with a remedy for its cause.\n"
    ));
    steps.push(format!(
        "Stop. The rest of the {} has been reviewed and is not searched again.\n",
        subject(brief)
    ));
    let numbered: Vec<String> =
        steps.iter().enumerate().map(|(at, step)| format!("{}. {step}", at + 1)).collect();
    numbered.concat()
}

/// Inside a numbered step, so that the list belongs to it.
fn indented(list: &str) -> String {
    list.lines().map(|line| format!("   {line}\n")).collect()
}

/// Findings with their places in the artifact as the reader has it.
pub(super) fn current(brief: &Brief<'_>, findings: &[&Finding]) -> Vec<Finding> {
    if brief.code.is_some() {
        return change::carried(brief, findings);
    }
    let content = String::from_utf8_lossy(brief.artifact.unwrap_or_default());
    let outline = Outline::parse(&content);
    let anchors = Anchors::new(brief, &outline);
    findings.iter().map(|finding| anchors.current(finding)).collect()
}

/// Why what a finding cites does not hold, and that it was put off; empty where neither is so.
fn doubt(finding: &Finding) -> String {
    let unverified = one_line(finding.unverified.as_deref().unwrap_or_default(), FIELD_CHARS_MAX);
    let doubt = if unverified.is_empty() {
        unverified
    } else {
        format!("  What it cites does not hold: {unverified}\n")
    };
    format!("{}{doubt}", deferred(finding))
}

/// Why a person opened their comment again; nobody who was asked before has heard that.
fn reopened(finding: &Finding) -> String {
    match finding.reopened_because() {
        Some(why) => format!("  The user opened it again: {}\n", one_line(why, FIELD_CHARS_MAX)),
        None => String::new(),
    }
}

/// A finding that was put off needs no answer.
fn deferred(finding: &Finding) -> &'static str {
    match finding.status == Status::Deferred {
        true => "  Deferred: it holds nothing up. Answer it only if it is fixed or was wrong.\n",
        false => "",
    }
}

/// A finding with what is known about it. All of it comes from agents and stays on its line.
fn listed(finding: &Finding) -> String {
    let mut text = format!("{}\n", headline(finding));
    let quote = one_line(&finding.quote, FIELD_CHARS_MAX);
    if !quote.is_empty() {
        text.push_str(&format!("  Quote: \"{quote}\"\n"));
    }
    text.push_str(&reopened(finding));
    let suggestion = if finding.is_comment() { "" } else { finding.suggestion.as_str() };
    let unverified = finding.unverified.as_deref().unwrap_or_default();
    let note = if finding.is_comment() && finding.was_just_reopened() { "" } else { finding.note.as_str() };
    for (name, value) in
        [("Suggestion", suggestion), ("What it cites does not hold", unverified), ("Last said of it", note)]
    {
        let value = one_line(value, FIELD_CHARS_MAX);
        if !value.is_empty() {
            text.push_str(&format!("  {name}: {value}\n"));
        }
    }
    text.push_str(deferred(finding));
    text
}

/// The finding with its file's name alone: the role that found it knows the folder.
fn by_name(finding: &Finding) -> Finding {
    let name = finding.file.rsplit('/').next().unwrap_or_default().to_owned();
    Finding { file: name, ..finding.clone() }
}

pub(super) fn headline(finding: &Finding) -> String {
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
