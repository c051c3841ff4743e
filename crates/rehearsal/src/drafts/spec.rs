//! Writes the first draft of a specification, from the idea's and the PRD's own words.
//!
//! Deterministic in its arguments. It works like a person in a hurry, and what it leaves out follows from that:
//! criteria are written until attention runs out, only the first goals of a PRD are used, a limit is stated twice from
//! two habits, and one requirement has a word in it that cannot be measured. Start at [`write`].

use super::telling;
use crate::amounts::{self, amounts};
use crate::parsed_document::ParsedDocument;
use redraft_documents::page::line::{Item, cells, is_rule_of_table};
use redraft_documents::page::{LinePlace, Page};
use redraft_documents::prd::essentials;
use redraft_facts::text::one_line;

/// How many criteria are written before attention runs out.
const CRITERIA_MAX: usize = 5;
const CLAUSES_MAX: usize = 4;
/// Goals of a PRD that are read before the writing starts.
const GOALS_MAX: usize = 2;
/// The time a step may take, from two habits: one for answers to people, one for work in the background.
const SECONDS_ANSWER: &str = "30 seconds";
const SECONDS_BACKGROUND: &str = "45 seconds";

pub(super) fn write(idea: &str, prd: Option<&str>) -> String {
    let idea = Idea::read(idea);
    let goals = prd.map(first_goals).unwrap_or_default();
    let requirements = requirements(&idea, &goals);
    let subject = &idea.subject;
    let mut out = format!("# Spec: {}\n\n## Problem Statement\n\n", idea.title);
    out.push_str(&format!("{}\n\n", sentence(&idea.text)));
    out.push_str(&format!(
        "Without it, people who deal with {subject} have to help themselves in other ways.\n"
    ));
    out.push_str("This document says what the system has to do for them and how each part is checked.\n");
    out.push_str("\n## Goals\n\n");
    for clause in &idea.clauses {
        out.push_str(&format!("- {}\n", sentence(&clause.words)));
    }
    for (name, goal) in &goals {
        out.push_str(&format!("- {}{}.\n", capital(goal.trim_end_matches('.')), source(name)));
    }
    out.push_str("\n## Requirements\n\n");
    for (at, requirement) in requirements.iter().enumerate() {
        out.push_str(&format!("- **R{}**: {}\n", at + 1, requirement.says));
    }
    let background = idea.own_limit.as_deref().unwrap_or(SECONDS_BACKGROUND);
    out.push_str(&format!("\n## Limits\n\n- A step on {subject} takes no longer than {background}.\n"));
    out.push_str("- A single input is not larger than what the receiving side can hold in memory.\n");
    out.push_str("\n## Acceptance Criteria\n\n");
    let sure = CRITERIA_MAX.min(requirements.len() - 1);
    for (at, requirement) in requirements.iter().take(sure).enumerate() {
        out.push_str(&format!("- **AC{0}** (R{0}): {1}\n", at + 1, requirement.check));
    }
    out.push_str(&format!("\n## Failure Cases\n\n- The input about {subject} is malformed.\n"));
    out.push_str(&format!("- A step on {subject} hangs.\n"));
    out.push_str("\n## Out of Scope\n\n- Moving data of earlier releases.\n- Changes to who may sign in.\n");
    out.push_str("- Any screen or command that is not named above.\n");
    out
}

/// Where a goal comes from, in brackets.
fn source(name: &str) -> String {
    if name.is_empty() { String::new() } else { format!(" ({name})") }
}

struct Requirement {
    says: String,
    check: String,
}

fn requirements(idea: &Idea, goals: &[(String, String)]) -> Vec<Requirement> {
    let subject = &idea.subject;
    let mut found = Vec::new();
    for clause in &idea.clauses {
        let act = clause.act("offer");
        let shown = if clause.does { " and show the result" } else { "" };
        found.push(Requirement {
            says: format!("When a person asks for it, the system shall {act}{shown}."),
            check: format!(
                "Given a person who may do so, when they ask for it, then the system can be seen to {act}."
            ),
        });
    }
    for (name, goal) in goals {
        let act = Clause::new(goal).act("work towards");
        found.push(Requirement {
            says: format!("When the feature is in use, the system shall {act}{}.", source(name)),
            check: format!("Given the feature in use, then the system can be seen to {act}."),
        });
    }
    found.push(Requirement {
        says: format!("When the input about {subject} is incomplete or malformed, the system shall refuse it and name the part that is wrong."),
        check: "Given an input with one part missing, when it is sent, then it is refused and the answer names that part.".to_owned(),
    });
    let limit = idea.own_limit.as_deref().unwrap_or(SECONDS_ANSWER);
    found.push(Requirement {
        says: format!("When a step on {subject} takes longer than {limit}, the system shall stop it and keep the earlier state."),
        check: format!("Given a step that takes longer than {limit}, then it is stopped and the earlier state is found unchanged."),
    });
    found.push(Requirement {
        says: format!("When two people work on {subject} at the same time, the system shall refuse the later one and say who came first."),
        check: "Given two people at the same time, then the later one is refused and the answer says who came first.".to_owned(),
    });
    found.push(Requirement {
        says: "When work has ended, the system shall properly record who started it, when, and with which result.".to_owned(),
        check: "Given work that has ended, then its record names who started it, when, and the result.".to_owned(),
    });
    found
}

struct Idea {
    title: String,
    /// The idea in one line, without marks that Markdown would take for its own.
    text: String,
    clauses: Vec<Clause>,
    /// What the feature is about, as a few words.
    subject: String,
    /// A time the idea itself names.
    own_limit: Option<String>,
}

impl Idea {
    fn read(idea: &str) -> Self {
        let text = cleaned(&unlisted(idea));
        let text =
            if text.is_empty() { "A feature that has not been described yet".to_owned() } else { text };
        let mut clauses: Vec<Clause> = parts(&text).into_iter().map(|part| Clause::new(&part)).collect();
        clauses.retain(|clause| clause.words.split_whitespace().count() > 1);
        clauses.dedup_by(|a, b| a.words == b.words);
        clauses.truncate(CLAUSES_MAX);
        if clauses.is_empty() {
            clauses.push(Clause::new(&text));
        }
        let subject = clauses[0].object().or_else(|| clauses.iter().find_map(Clause::object));
        let time = amounts(&text).into_iter().find(|one| one.kind == amounts::Kind::Time);
        let own_limit = time.map(|one| text[one.at].to_owned());
        let title = capital(&title(&text));
        Idea {
            title,
            clauses,
            subject: subject.unwrap_or_else(|| "this feature".to_owned()),
            own_limit,
            text: one_line(&text, 600),
        }
    }
}

/// One wish of the idea.
struct Clause {
    words: String,
    /// Whether it starts with what is to be done.
    does: bool,
}

impl Clause {
    fn new(part: &str) -> Self {
        let mut words = shortened(part.trim().trim_end_matches(['.', '!', '?', ':', ',']), 110);
        for lead in LEADS.split(", ") {
            let starts = words.get(..lead.len()).is_some_and(|start| start.eq_ignore_ascii_case(lead));
            let left = words.split_whitespace().count() > lead.split_whitespace().count() + 1;
            if starts && left && words[lead.len()..].starts_with(' ') {
                words = words[lead.len()..].trim_start().to_owned();
            }
        }
        Clause { does: starts_with_verb(&words), words: small(&words) }
    }

    /// What the system does about it, after "shall"; `noun` is the verb for a wish that only names a thing.
    fn act(&self, noun: &str) -> String {
        let Clause { words, does } = self;
        let first = words.split_whitespace().next().unwrap_or_default();
        let able = first.ends_with("able") || first.ends_with("ible");
        match () {
            () if *does => words.clone(),
            () if able => format!("be {words}"),
            () if is_statement(words) => format!("make sure that {words}"),
            () => format!("{noun} {words}"),
        }
    }

    /// The thing it is about: the words after the verb, up to the next small word.
    fn object(&self) -> Option<String> {
        let words = self.words.split_whitespace().skip(usize::from(self.does));
        let mut kept: Vec<&str> = Vec::new();
        for word in words {
            let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
            let small_word = !telling(bare);
            if small_word && kept.is_empty() {
                continue;
            }
            if small_word || kept.len() == 3 {
                break;
            }
            kept.push(bare);
        }
        (!kept.is_empty()).then(|| kept.join(" "))
    }
}

/// The first goals of a PRD, each with its id if it has one.
fn first_goals(prd: &str) -> Vec<(String, String)> {
    let parsed = ParsedDocument::read(prd);
    let Some(section) = essentials(&parsed.outline).goals else { return Vec::new() };
    let rows = section.lines.clone().filter_map(|at| cells(parsed.line(at)));
    let rows = rows.filter(|row| !is_rule_of_table(row)).skip(1).map(|row| row.join(": "));
    let named = |text: String| {
        let (name, goal) = text.split_once(": ").filter(|(name, _)| is_id(name)).unwrap_or(("", &text));
        (name.to_owned(), one_line(&cleaned(goal), 110))
    };
    parsed.items(&section).into_iter().chain(rows).take(GOALS_MAX).map(named).collect()
}

/// `G1`, `AC-2`: capitals and a number.
fn is_id(word: &str) -> bool {
    let letters = word.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
    letters.len() < word.len()
        && (1..=4).contains(&letters.len())
        && letters.chars().all(|c| c.is_ascii_uppercase())
}

/// One line of plain words: marks of Markdown, placeholders and ids of other documents are left out.
fn cleaned(text: &str) -> String {
    let plain: String = text.chars().map(|c| if "`*|#<>[]{}_~\\".contains(c) { ' ' } else { c }).collect();
    let words = plain.split_whitespace().filter(|word| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '?');
        let placeholder = ["TBD", "TODO", "FIXME", "XXX"].contains(&bare) || bare.starts_with("???");
        !placeholder && !is_id(bare) && word.chars().any(char::is_alphanumeric)
            || *word == "-"
            || *word == "–"
    });
    let line = words.collect::<Vec<_>>().join(" ");
    line.trim_start_matches(|c: char| !c.is_alphanumeric()).to_owned()
}

/// The parts of an idea that can each become a requirement.
fn parts(text: &str) -> Vec<String> {
    let mut text = text.to_owned();
    for joint in [". ", "; ", ", and ", ", ", " and then ", " so that ", "! ", "? ", ": "] {
        text = text.replace(joint, "\n");
    }
    text.lines().map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

/// An idea in Markdown as plain sentences: list items and lines end, code is left out.
fn unlisted(idea: &str) -> String {
    let page = Page::read(idea);
    let lines =
        page.lines.iter().filter(|line| line.place == LinePlace::Text && !line.text.trim().is_empty());
    let said = lines.map(|line| {
        let item = Item::parse(line.text);
        let text = item.map_or(line.text, |item| item.text).trim().trim_start_matches(['#', ' ']);
        // Lines of one paragraph run on; items and headings stand alone.
        let alone = item.is_some() || line.text.starts_with('#');
        let ends = !alone || text.ends_with(['.', '!', '?', ':', ',', ';']);
        format!("{text}{}", if ends { "" } else { "." })
    });
    said.collect::<Vec<_>>().join(" ")
}

/// The first sentence, cut at a word.
fn title(text: &str) -> String {
    let first = text.split_inclusive(['.', '!', '?']).next().unwrap_or(text);
    shortened(first, 70).trim_end_matches(['.', '!', '?', ':', ',', ';', ' ']).to_owned()
}

/// At most so many characters, whole words only.
fn shortened(text: &str, chars_max: usize) -> String {
    let line = one_line(text, usize::MAX);
    if line.chars().count() <= chars_max {
        return line;
    }
    let cut: String = line.chars().take(chars_max).collect();
    cut.rsplit_once(' ').map_or(cut.clone(), |(whole, _)| whole.to_owned())
}

/// Whether words are a complete statement: somebody does or is something.
fn is_statement(words: &str) -> bool {
    let verbs = [
        "is", "are", "can", "may", "must", "should", "will", "cannot", "has", "have", "gets", "get",
        "arrive", "arrives", "see", "sees", "find", "finds", "show", "shows", "leave", "leaves", "fall",
        "falls", "work", "works", "open", "opens", "receive", "receives", "know", "knows", "need", "needs",
        "stay", "stays", "come", "comes", "stop", "stops",
    ];
    words.split_whitespace().skip(1).take(4).any(|word| verbs.contains(&word.to_lowercase().as_str()))
}

fn sentence(text: &str) -> String {
    format!("{}.", capital(text.trim_end_matches(['.', '!', '?', ' '])))
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// With a small first letter, unless the first word is a name or an abbreviation.
pub(super) fn small(text: &str) -> String {
    let first = text.split_whitespace().next().unwrap_or_default();
    let name = first.chars().skip(1).any(char::is_uppercase);
    let mut chars = text.chars();
    match chars.next() {
        Some(c) if !name => c.to_lowercase().chain(chars).collect(),
        _ => text.to_owned(),
    }
}

/// Whether a wish starts with what is to be done.
pub(super) fn starts_with_verb(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let first = words.next().unwrap_or_default().to_lowercase();
    // "Upload of files" and "search in comments" name things.
    let names =
        words.next().is_some_and(|second| ["of", "for", "in", "is", "are", "with", "by"].contains(&second));
    VERBS.split_whitespace().any(|verb| verb == first) && !names
}

const LEADS: &str = "\
    please, as a user, as an admin, i want to, i want, i would like to, we need to, we need, we want to, \
    we want, we should, it should, the system should, let users, let people, let us, let customers, \
    allow users to, allow people to, enable users to, users can, users should be able to, \
    make it possible to, and, then, also, with, be able to, to";

const VERBS: &str = "\
    accept add alert allow archive assign attach back block book build cache calculate cancel change check \
    choose clean close collect combine compare compress convert copy count create cut delete deliver detect \
    disable display download draw edit email enable encrypt enforce ensure export extend fetch filter find \
    fix follow generate get give group guard handle hide highlight import improve increase index install \
    introduce invite issue join keep limit link list load lock log lower make mark measure merge migrate \
    monitor move notify offer open order page parse pause pin plan play post prevent preview print protect \
    provide publish push query rate read rebuild receive record recover reduce refresh refuse register \
    reject remember remind remove rename render replace report request reset restore resume retry return \
    reuse review roll rotate run save scan schedule search see select send serve set share shorten show sign \
    sort speed split start stop store stream submit suggest summarise summarize support switch sync tag test \
    throttle track translate undo update upgrade upload use validate verify view warn watch write";
