//! Makes the text that tells every role of a feature about its project: goals, what comes before, what it is worth.
//!
//! A text of at most [`BLOCK_CHARS_MAX`] characters, wide ones counted as four, made from the project's own files by
//! rules, never by a model. Nothing is read here. Start at [`project_block`]; [`milestones`] reads a roadmap, also for
//! listings of projects.

#[cfg(test)]
mod tests;

use crate::page::line::after_list_mark;
use crate::prd::{heading_words, is_goals, is_problem};
use crate::sections::{Outline, Section};
use redraft_facts::event::FeatureLife;
use redraft_facts::prelude::*;
use redraft_facts::text::one_line;

/// About 500 tokens. More would cost every prompt more than it is worth. [`chars`] says what counts how much.
pub const BLOCK_CHARS_MAX: usize = 2_000;

/// As many as a reader keeps in mind.
const GOALS_MAX: usize = 3;

/// A goal that needs more is an essay.
const GOAL_CHARS_MAX: usize = 400;

/// What is known about the project and about what comes before the feature.
#[derive(Debug, Clone, Copy)]
pub struct ProjectFacts<'a> {
    /// `P001`
    pub id: &'a str,
    /// `P001-gateway`; none where there is no such folder.
    pub folder: Option<&'a str>,
    pub prd: Option<&'a str>,
    pub roadmap: Option<&'a str>,
    /// `031-rate-limits`
    pub feature: &'a str,
    pub dependencies: &'a [EarlierFeature],
}

/// A feature that comes before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EarlierFeature {
    /// The name of its folder, `030-keys`.
    pub name: String,
    /// None where there is no such feature.
    pub life: Option<FeatureLife>,
    /// Whether something that comes before it is not completed.
    pub waits: bool,
}

/// The text, if there is one, and what a person should know about what is missing in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProjectBlock {
    pub text: Option<String>,
    pub notes: Vec<String>,
}

/// A milestone of a roadmap: a heading and the features named below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Milestone {
    pub name: String,
    /// `031-rate-limits` or `031`, as they are written.
    pub features: Vec<String>,
}

impl Milestone {
    /// Whether a feature is named, by its folder or by its number.
    pub fn names(&self, feature: &str) -> bool {
        let number = feature.split('-').next().unwrap_or(feature);
        self.features.iter().any(|named| named == feature || named == number)
    }
}

/// What to tell about a project. Pieces that are absent are left out.
pub fn project_block(facts: &ProjectFacts<'_>) -> ProjectBlock {
    let mut notes = Vec::new();
    let Some(folder) = facts.folder else {
        notes.push(format!("project {} is not found, so nothing is said about it", facts.id));
        return ProjectBlock { text: None, notes };
    };
    for missing in facts.dependencies.iter().filter(|dependency| dependency.life.is_none()) {
        notes.push(format!("{} depends on {}, which is not found", facts.feature, missing.name));
    }
    let name = facts.prd.and_then(title).unwrap_or_else(|| folder.to_owned());
    let head = format!("**Project:** {} | **This feature:** {}\n", one_line(&name, 120), facts.feature);
    let priority = facts.roadmap.map(|roadmap| priority(roadmap, facts.feature)).unwrap_or_default();
    let goals = facts.prd.map(goals).unwrap_or_default();
    let room = |tail: &str| BLOCK_CHARS_MAX.saturating_sub(chars(&head) + chars(&priority) + chars(tail));
    let listed = dependencies(facts.dependencies, true);
    let tail = match chars(&goal_lines(&goals)) <= room(&listed) {
        true => listed,
        false => dependencies(facts.dependencies, false),
    };
    let goals = cut(goals, room(&tail));
    let text = format!("{head}{}{tail}{priority}", goal_lines(&goals));
    ProjectBlock { text: Some(text), notes }
}

/// The milestones of a roadmap, in order: its headings below the title, with the features that stand under each.
pub fn milestones(roadmap: &str) -> Vec<Milestone> {
    let outline = Outline::parse(roadmap);
    let headings = || outline.sections().iter().filter(|section| section.level > 0);
    let titles = headings().filter(|section| section.level == 1).count();
    // A single first heading is the title; where there are several, they are the milestones.
    let level = headings().map(|section| section.level).filter(|level| *level > 1 || titles > 1).min();
    let own = headings().filter(|section| Some(section.level) == level);
    own.map(|section| Milestone { name: one_line(section.title, 120), features: named(&outline, section) })
        .collect()
}

/// The goals of a PRD: the first three bullets under the heading for them, else its first sentences.
pub fn goals(prd: &str) -> Vec<String> {
    let outline = Outline::parse(prd);
    let find = |wanted: fn(&[String]) -> bool| {
        outline.sections().iter().find(|section| section.level > 0 && wanted(&heading_words(section.title)))
    };
    if let Some(section) = find(is_goals) {
        let bullets = bullets(&outline, section);
        return if bullets.is_empty() { sentences(&outline, section) } else { bullets };
    }
    let statement =
        find(is_problem).or_else(|| outline.sections().iter().find(|section| says(&outline, section)));
    statement.map(|section| sentences(&outline, section)).unwrap_or_default()
}

fn title(prd: &str) -> Option<String> {
    let outline = Outline::parse(prd);
    let title = outline.sections().iter().find(|section| section.level == 1)?.title;
    // `PRD: Gateway` is about the gateway.
    let subject = title.split_once(':').filter(|(kind, _)| kind.to_lowercase().contains("prd"));
    let subject = subject.map_or(title, |(_, subject)| subject).trim();
    (!subject.is_empty()).then(|| subject.to_owned())
}

fn bullets(outline: &Outline<'_>, section: &Section<'_>) -> Vec<String> {
    let mut bullets: Vec<String> = Vec::new();
    for at in section.lines.start + 1..section.lines.end {
        let line = outline.lines().get(at).copied().unwrap_or_default();
        let blank = line.trim().is_empty();
        let item = Some(after_list_mark(line.trim())).filter(|item| item.len() < line.trim().len());
        match item.filter(|_| outline.is_text(at)) {
            Some(text) if !line.starts_with([' ', '\t']) => bullets.push(text.to_owned()),
            // What is indented belongs to the bullet above, whether it is a line of it or a bullet below it.
            _ if blank || !outline.is_text(at) || !line.starts_with([' ', '\t']) => {}
            _ => {
                if let Some(last) = bullets.last_mut() {
                    last.push(' ');
                    last.push_str(after_list_mark(line.trim()));
                }
            }
        }
    }
    bullets.truncate(GOALS_MAX);
    bullets.iter().map(|bullet| one_line(bullet, GOAL_CHARS_MAX)).collect()
}

/// The first sentences of a section's own text.
fn sentences(outline: &Outline<'_>, section: &Section<'_>) -> Vec<String> {
    let text = own_text(outline, section);
    let mut sentences = Vec::new();
    let mut rest = text.as_str();
    while sentences.len() < GOALS_MAX && !rest.is_empty() {
        let end = rest.char_indices().find_map(|(at, c)| {
            let next = rest.get(at + c.len_utf8()..)?;
            let ends = matches!(c, '.' | '!' | '?') && (next.is_empty() || next.starts_with(' '));
            (ends || matches!(c, '。' | '！' | '？')).then_some(at + c.len_utf8())
        });
        let (sentence, after) = rest.split_at(end.unwrap_or(rest.len()));
        sentences.push(one_line(sentence, GOAL_CHARS_MAX));
        rest = after.trim_start();
    }
    sentences
}

fn own_text(outline: &Outline<'_>, section: &Section<'_>) -> String {
    let first = section.own.start + usize::from(section.level > 0);
    let lines = (first..section.own.end).filter(|at| outline.is_text(*at));
    let words = lines.filter_map(|at| outline.lines().get(at)).flat_map(|line| line.split_whitespace());
    words.collect::<Vec<_>>().join(" ")
}

fn says(outline: &Outline<'_>, section: &Section<'_>) -> bool {
    !own_text(outline, section).is_empty()
}

/// The features that the lines of a section name, each once: whole words that begin with a number of three digits or more.
fn named(outline: &Outline<'_>, section: &Section<'_>) -> Vec<String> {
    let mut features: Vec<String> = Vec::new();
    for at in section.lines.start + 1..section.lines.end {
        let line = outline.lines().get(at).copied().unwrap_or_default();
        let apart = |c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_');
        for word in line.split(apart).filter(|_| outline.is_text(at)) {
            let digits = word.bytes().take_while(u8::is_ascii_digit).count();
            let is_one = digits >= 3 && (word.len() == digits || word.as_bytes().get(digits) == Some(&b'-'));
            let date = crate::adopt::is_date(word) || (word.len() == digits && digits > 3);
            if is_one && !date && !features.iter().any(|known| known == word) {
                features.push(word.to_owned());
            }
        }
    }
    features
}

fn priority(roadmap: &str, feature: &str) -> String {
    let milestones = milestones(roadmap);
    let at = milestones.iter().position(|milestone| milestone.names(feature));
    let signal = match at.and_then(|at| Some((at, milestones.get(at)?))) {
        Some((at, milestone)) => format!("{} (milestone {} of {})", milestone.name, at + 1, milestones.len()),
        None => "not on roadmap".to_owned(),
    };
    format!("**Priority signal:** {signal}\n")
}

/// The word for where a dependency stands.
fn word(dependency: &EarlierFeature) -> Option<&'static str> {
    Some(match dependency.life? {
        FeatureLife::Completed => "completed",
        FeatureLife::Active => "in-progress",
        FeatureLife::Planned if dependency.waits => "blocked",
        FeatureLife::Planned => "planned",
        FeatureLife::Abandoned => "blocked",
    })
}

/// One line; with the names, or with how many there are of each.
fn dependencies(all: &[EarlierFeature], names: bool) -> String {
    let mut groups = Vec::new();
    for status in ["completed", "in-progress", "planned", "blocked"] {
        let of_it = all.iter().filter(|dependency| word(dependency) == Some(status));
        let found: Vec<&str> = of_it.map(|dependency| dependency.name.as_str()).collect();
        match (found.len(), names) {
            (0, _) => {}
            (_, true) => groups.push(format!("{status}: {}", found.join(", "))),
            (count, false) => groups.push(format!("{count} {status}")),
        }
    }
    let between = if names { " | " } else { ", " };
    if groups.is_empty() {
        String::new()
    } else {
        format!("**Feature dependencies:** {}\n", groups.join(between))
    }
}

fn goal_lines(goals: &[String]) -> String {
    let lines: String = goals.iter().map(|goal| format!("- {goal}\n")).collect();
    if lines.is_empty() { lines } else { format!("**Project goals:**\n{lines}") }
}

/// As many goals as fit, the last of them shortened.
fn cut(mut goals: Vec<String>, room: usize) -> Vec<String> {
    /// A shorter piece of a goal says nothing.
    const CHARS_MIN: usize = 40;
    while chars(&goal_lines(&goals)) > room {
        let Some(last) = goals.pop() else { break };
        let left = room.saturating_sub(chars(&goal_lines(&goals)) + chars("**Project goals:**\n- \n"));
        if left >= CHARS_MIN {
            goals.extend(shortened(&last, left.min(chars(&last).saturating_sub(1))));
        }
    }
    goals
}

/// The longest beginning of a text that fits.
fn shortened(text: &str, room: usize) -> Option<String> {
    let most = text.chars().count().min(room);
    (1..=most).rev().map(|length| one_line(text, length)).find(|short| chars(short) <= room)
}

/// The length of a text, where four are about one token: a letter of an alphabet of thousands counts as four, one that
/// is not Latin as two.
fn chars(text: &str) -> usize {
    const WIDE: char = '\u{2e80}';
    let width = |c: char| match c {
        _ if c.is_ascii() => 1,
        _ if c < WIDE => 2,
        _ => 4,
    };
    text.chars().map(width).sum()
}
