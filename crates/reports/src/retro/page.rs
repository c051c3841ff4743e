//! `retro.md`: observe, review, tune, act.
//!
//! Every number on it is a figure of the ledger. What an agent says is shown only if its numbers are figures, too; the
//! page says how much was left out. Without a usable answer, the page has the figures and the reason. Start at
//! [`markdown`].

use super::answer::{NewLesson, RetroAnswer, new_entries, plain};
use super::figures::{Counts, Figure, Figures};
use super::judging::LessonStance;
use super::numeral::{KnownNumbers, first_unknown_number};
use redraft_facts::prelude::*;
use redraft_facts::usage::grouped;

const WHY_CHARS_MAX: usize = 300;

/// The whole page. `why_plain` says why there is nothing but figures on it.
pub fn markdown(figures: &Figures, answer: Option<&RetroAnswer>, why_plain: Option<&str>) -> String {
    let name = figures.feature.map(|id| format!("{id}-{}", figures.slug)).unwrap_or_default();
    let mut page =
        format!("# Retrospective: {name}\n\nEvery number on this page is counted from the ledger.\n");
    page.push_str(&observe(figures));
    match answer {
        Some(answer) => page.push_str(&said(figures, answer)),
        None => {
            let why = why_plain.filter(|why| !why.trim().is_empty()).unwrap_or("nobody was asked");
            let why = plain(why, WHY_CHARS_MAX);
            page.push_str(&format!(
                "\n## Review\n\nNobody's words are here, only what was counted: {why}.\n\
                 \n## Tune\n\nNo recommendation.\n\n## Act\n\nNo new lesson.\n"
            ));
        }
    }
    page
}

/// What became of lessons of earlier features, for the end of the page; empty where none was judged.
pub fn judged(figures: &Figures, stances: &[(String, LessonStance)]) -> String {
    let known = KnownNumbers::from_figures(figures);
    let lines: String = stances
        .iter()
        .filter_map(|(name, stance)| match stance {
            LessonStance::Confirmed => Some(format!("- Confirmed: {name}\n")),
            LessonStance::Challenged(text) if first_unknown_number(text, &known).is_none() => {
                Some(format!("- Challenged: {name} — {text}\n"))
            }
            LessonStance::Challenged(_) => Some(format!("- Challenged: {name}; its entry says why\n")),
            LessonStance::Skipped => None,
        })
        .collect();
    if lines.is_empty() { lines } else { format!("\n### Lessons of earlier features\n\n{lines}") }
}

fn observe(figures: &Figures) -> String {
    let mut out = "\n## Observe\n\n\
        | phase | passes | rounds | dispatches | failed | lost | findings | tokens in | out | billed | agents | time |\n\
        |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n"
        .to_owned();
    for one in &figures.phases {
        out.push_str(&row(one.phase.name(), &one.counts));
    }
    out.push_str(&row("all", &figures.total));
    out.push('\n');
    for one in &figures.phases {
        out.push_str(&facts(one.phase.name(), &one.counts));
    }
    let total = &figures.total;
    if total.sum.unknown > 0 {
        out.push_str(&format!(
            "- unknown bills: {}, counted as {} and not part of what was billed\n",
            total.sum.unknown, total.sum.reserved
        ));
    }
    let change = &figures.change;
    out.push_str(&format!(
        "- changed: {}, {} added and {} removed\n",
        counted(change.files.len() as u64, "file"),
        counted(change.added(), "line"),
        grouped(change.removed())
    ));
    if !figures.judged_by.is_empty() {
        out.push_str(&format!("- judged by {}\n", figures.judged_by));
    }
    if let Some(notice) = &figures.rehearsed {
        out.push_str(&format!("- {notice}\n"));
    }
    out
}

fn row(name: &str, counts: &Counts) -> String {
    let named = counts.named("");
    let text = |wanted: &str| {
        let found = named.iter().find(|figure| figure.name == wanted);
        found.map(|figure| figure.text.clone()).unwrap_or_default()
    };
    let cells = [
        "passes",
        "rounds",
        "dispatches",
        "failed",
        "lost",
        "findings",
        "tokens_in",
        "tokens_out",
        "cost",
        "agent_time",
        "wall_time",
    ];
    let cells: Vec<String> = cells.into_iter().map(text).collect();
    format!("| {name} | {} |\n", cells.join(" | "))
}

/// What a phase left behind or ran into; empty for one that went smoothly.
fn facts(phase: &str, counts: &Counts) -> String {
    let found = &counts.findings;
    let graded =
        [("blocker", found.blockers), ("warning", found.warnings), ("suggestion", found.suggestions)];
    let ended = [
        ("fixed", found.fixed),
        ("withdrawn", found.withdrawn),
        ("deferred", found.deferred),
        ("settled by a ruling", found.ruled),
        ("overruled", found.overruled),
        ("open", found.open),
    ];
    let mut parts = Vec::new();
    let some = |number: u64, thing: &str| (number > 0).then(|| counted(number, thing));
    let graded: Vec<String> = graded.into_iter().filter_map(|(thing, number)| some(number, thing)).collect();
    if !graded.is_empty() {
        let ended = ended.into_iter().filter(|(_, number)| *number > 0);
        let ended: Vec<String> = ended.map(|(how, number)| format!("{number} {how}")).collect();
        parts.push(format!("{} ({})", graded.join(", "), ended.join(", ")));
    }
    parts.extend(some(counts.rulings, "ruling"));
    parts.extend(some(counts.failed_checks, "failed check"));
    parts.extend(some(counts.tasks_done, "task").map(|tasks| format!("{tasks} done")));
    parts.extend(some(counts.tasks_blocked, "task").map(|tasks| format!("{tasks} blocked")));
    if parts.is_empty() { String::new() } else { format!("- {phase}: {}\n", parts.join("; ")) }
}

/// `1 line`, `1,234 lines`.
fn counted(number: u64, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {thing}{plural}", grouped(number))
}

fn said(figures: &Figures, answer: &RetroAnswer) -> String {
    let named = figures.named();
    let teller = Teller { figures, known: KnownNumbers::with(figures, &named), named };
    let observations: Vec<String> =
        (answer.observations.iter()).filter_map(|one| teller.line(&one.text, "", &one.evidence)).collect();
    let recommendations: Vec<String> = (answer.recommendations.iter())
        .filter_map(|one| teller.line(&one.text, one.confidence.name(), &one.evidence))
        .collect();
    let lessons = new_entries(answer);
    let told = answer.patterns.len() + answer.anti_patterns.len() + answer.heuristics.len();
    let given = answer.observations.len() + answer.recommendations.len() + told;
    let left_out = given - observations.len() - recommendations.len() - lessons.len();
    let mut out = format!("\n## Review\n\n{}", listed(&observations, "No observation."));
    out.push_str(&format!("\n## Tune\n\n{}", listed(&recommendations, "No recommendation.")));
    let lessons: Vec<String> = lessons.iter().map(lesson).collect();
    out.push_str(&format!("\n## Act\n\n{}", listed(&lessons, "No new lesson.")));
    if left_out > 0 {
        out.push_str(&format!(
            "\nLeft out: {} by the facilitator, with a number that is not in the ledger, or said before.\n",
            counted(left_out as u64, "statement")
        ));
    }
    if answer.beyond > 0 {
        out.push_str(&format!(
            "\nNot read: {} above the limit.\n",
            counted(answer.beyond as u64, "statement")
        ));
    }
    out
}

/// Puts figures into texts, and leaves out texts with other numbers.
struct Teller<'a> {
    figures: &'a Figures,
    named: Vec<Figure>,
    known: KnownNumbers,
}

impl Teller<'_> {
    fn line(&self, text: &str, confidence: &str, evidence: &str) -> Option<String> {
        let text = self.told(text)?;
        let evidence = self.told(evidence)?;
        let confidence =
            if confidence.is_empty() { String::new() } else { format!("confidence {confidence}") };
        let evidence = if evidence.is_empty() { evidence } else { format!("evidence: {evidence}") };
        let behind: Vec<String> =
            [confidence, evidence].into_iter().filter(|part| !part.is_empty()).collect();
        let behind = if behind.is_empty() { String::new() } else { format!(" ({})", behind.join("; ")) };
        Some(format!("- {text}{behind}\n"))
    }

    /// The text is checked before figures are put in, because those come from the ledger in any form.
    fn told(&self, text: &str) -> Option<String> {
        let bare = without_names(text)?;
        let fine = first_unknown_number(&bare, &self.known).is_none();
        self.figures.fill_from(&self.named, text).ok().filter(|_| fine)
    }
}

/// The text without what is in braces. None where the characters next to a figure would make it another one:
/// `{rounds}0`, `{cost}k`, `{fixed}%`.
fn without_names(text: &str) -> Option<String> {
    let glue = |c: char| c.is_alphanumeric() || matches!(c, '%' | '$');
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, inside)) = rest.split_once('{') {
        let (_, after) = inside.split_once('}')?;
        if before.ends_with(glue) || after.starts_with(glue) {
            return None;
        }
        out.push_str(before);
        out.push(' ');
        rest = after;
    }
    out.push_str(rest);
    Some(out)
}

fn lesson(entry: &NewLesson) -> String {
    let NewLesson { kind, name, text, provenance, confidence } = entry;
    let seen = if provenance.is_empty() { String::new() } else { format!("; seen in: {provenance}") };
    format!("- {}: **{name}**. {text} (confidence {}{seen})\n", kind.name(), confidence.name())
}

fn listed(lines: &[String], none: &str) -> String {
    if lines.is_empty() { format!("{none}\n") } else { lines.concat() }
}
