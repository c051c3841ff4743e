//! What a file is, by its name.
//!
//! The name is taken apart into words; numbers, versions and words that say nothing are left out. In a name of several
//! words the last one decides, as it does in speech: a `design review` is a review, and a `task queue` is no list of tasks.

use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;

/// What a file of a feature is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Prd,
    Spec,
    Design,
    Plan,
    Tasks,
    Research,
    DataModel,
    Contract,
    Quickstart,
    Checklist,
    TestPlan,
    Decisions,
    ReviewHistory,
    ImplementationLog,
    Retro,
    Meta,
    Notes,
}

impl Kind {
    pub const ALL: [Kind; 17] = [
        Kind::Prd,
        Kind::Spec,
        Kind::Design,
        Kind::Plan,
        Kind::Tasks,
        Kind::Research,
        Kind::DataModel,
        Kind::Contract,
        Kind::Quickstart,
        Kind::Checklist,
        Kind::TestPlan,
        Kind::Decisions,
        Kind::ReviewHistory,
        Kind::ImplementationLog,
        Kind::Retro,
        Kind::Meta,
        Kind::Notes,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Kind::Prd => "prd",
            Kind::Spec => "spec",
            Kind::Design => "design",
            Kind::Plan => "plan",
            Kind::Tasks => "tasks",
            Kind::Research => "research",
            Kind::DataModel => "data-model",
            Kind::Contract => "contract",
            Kind::Quickstart => "quickstart",
            Kind::Checklist => "checklist",
            Kind::TestPlan => "test-plan",
            Kind::Decisions => "decisions",
            Kind::ReviewHistory => "review-history",
            Kind::ImplementationLog => "implementation-log",
            Kind::Retro => "retro",
            Kind::Meta => "meta",
            Kind::Notes => "notes",
        }
    }

    /// What a document of this kind is called here; none for what no phase reads by name.
    pub fn file(self) -> Option<&'static str> {
        match self {
            Kind::Prd => Some("prd.md"),
            Kind::Spec => Some(Phase::Specify.artifact()),
            Kind::Design => Some(Phase::Design.artifact()),
            Kind::Plan => Some(Phase::CreatePlan.artifact()),
            Kind::Tasks => Some(Phase::CreateTasks.artifact()),
            Kind::Research => Some("research.md"),
            Kind::DataModel
            | Kind::Contract
            | Kind::Quickstart
            | Kind::Checklist
            | Kind::TestPlan
            | Kind::Decisions
            | Kind::ReviewHistory
            | Kind::ImplementationLog
            | Kind::Retro
            | Kind::Meta
            | Kind::Notes => None,
        }
    }

    /// Whether the ledger writes it.
    pub fn is_written_anew(self) -> bool {
        matches!(self, Kind::Meta | Kind::ReviewHistory)
    }
}

pub(super) const NAME: &str = "its name";
const PART: &str = "a word of its name";
const FOLDER: &str = "its folder";

/// What the name of a file says, and how.
pub(super) fn by_name(path: &str) -> Option<(Kind, &'static str)> {
    let name = file_name(path).to_lowercase();
    let parent = path.rsplit('/').nth(1).unwrap_or_default().to_lowercase();
    let data = [".json", ".yaml", ".yml", ".toml"].iter().any(|ending| name.ends_with(ending));
    let stem = stem(&name);
    if data && META.contains(&stem) {
        return Some((Kind::Meta, NAME));
    }
    match parent.as_str() {
        "contracts" | "contract" => return Some((Kind::Contract, FOLDER)),
        "checklists" => return Some((Kind::Checklist, FOLDER)),
        "adr" | "adrs" | "decisions" => return Some((Kind::Decisions, FOLDER)),
        "reviews" => return Some((Kind::ReviewHistory, FOLDER)),
        _ => {}
    }
    if !data && !is_document(path) {
        return None;
    }
    let words = words(stem);
    let kind = by_words(&words)?;
    Some((kind, if words.len() == 1 || is_phrase(&words) { NAME } else { PART }))
}

/// Whether a file is text that people write.
pub(super) fn is_document(path: &str) -> bool {
    let name = file_name(path).to_lowercase();
    let name = name.trim_start_matches('.');
    let Some((_, ending)) = name.rsplit_once('.') else { return true };
    ["md", "markdown", "mdx", "txt", "rst", "adoc", "asciidoc", "org", "text"].contains(&ending)
}

pub(super) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The kind that some words name, as they do in speech: by the phrase or the word at their end. A few words tell it from
/// the beginning, too.
pub(super) fn by_words(words: &[String]) -> Option<Kind> {
    let last_two = words.get(words.len().saturating_sub(2)..).unwrap_or_default().join(" ");
    let phrase = PHRASES.iter().find(|(phrase, _)| *phrase == last_two).map(|(_, kind)| *kind);
    let first = || words.first().filter(|word| LEADING.contains(&word.as_str())).and_then(|word| known(word));
    phrase.or_else(|| words.last().and_then(|word| known(word))).or_else(first)
}

/// A word of a name that would tell a kind if it stood at the end.
pub(super) fn hint(path: &str) -> Option<String> {
    words(stem(&file_name(path).to_lowercase())).into_iter().find(|word| known(word).is_some())
}

fn known(word: &str) -> Option<Kind> {
    WORDS.iter().find(|(_, words)| words.contains(&word)).map(|(kind, _)| *kind)
}

/// The words of a name or a title that say something, in lower case.
pub(super) fn words(text: &str) -> Vec<String> {
    let split = text.split(|c: char| !c.is_alphanumeric());
    let says = |word: &String| !word.is_empty() && !is_number(word) && !EMPTY.contains(&word.as_str());
    split.map(str::to_lowercase).filter(says).collect()
}

fn stem(name: &str) -> &str {
    let name = name.trim_start_matches('.');
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

fn is_phrase(words: &[String]) -> bool {
    PHRASES.iter().any(|(phrase, _)| *phrase == words.join(" "))
}

fn is_number(word: &str) -> bool {
    let digits = word.strip_prefix(['v', 'r']).unwrap_or(word);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Words that stand in names and tell nothing.
const EMPTY: [&str; 14] = [
    "the", "a", "an", "of", "for", "final", "draft", "doc", "docs", "document", "feature", "new", "updated",
    "wip",
];

/// `spec-auth` is a spec; a `task-queue` is no list of tasks, and `plan-limits` may be anything.
const LEADING: [&str; 4] = ["prd", "spec", "specification", "requirements"];

const META: [&str; 6] = ["meta", "metadata", "feature", "status", "state", "openspec"];

const PHRASES: [(&str, Kind); 30] = [
    ("review history", Kind::ReviewHistory),
    ("implementation log", Kind::ImplementationLog),
    ("impl log", Kind::ImplementationLog),
    ("work log", Kind::ImplementationLog),
    ("implementation notes", Kind::ImplementationLog),
    ("implementation summary", Kind::ImplementationLog),
    ("test plan", Kind::TestPlan),
    ("test strategy", Kind::TestPlan),
    ("test cases", Kind::TestPlan),
    ("technical spec", Kind::Design),
    ("technical specification", Kind::Design),
    ("tech spec", Kind::Design),
    ("technical plan", Kind::Design),
    ("technical approach", Kind::Design),
    ("product requirements", Kind::Prd),
    ("problem statement", Kind::Prd),
    ("data model", Kind::DataModel),
    ("user stories", Kind::Spec),
    ("user story", Kind::Spec),
    ("acceptance criteria", Kind::Spec),
    ("use cases", Kind::Spec),
    ("task list", Kind::Tasks),
    ("task breakdown", Kind::Tasks),
    ("to do", Kind::Tasks),
    ("action items", Kind::Tasks),
    ("work breakdown", Kind::Tasks),
    ("lessons learned", Kind::Retro),
    ("post mortem", Kind::Retro),
    ("quick start", Kind::Quickstart),
    ("decision log", Kind::Decisions),
];

/// Single words, some of them in the languages that such documents were met in.
const WORDS: [(Kind, &[&str]); 17] = [
    (
        Kind::Prd,
        &["prd", "brainstorm", "brainstorming", "proposal", "brief", "pitch", "vision", "idea", "problem"],
    ),
    (
        Kind::Spec,
        &[
            "spec",
            "specs",
            "specification",
            "specifications",
            "requirement",
            "requirements",
            "reqs",
            "srs",
            "frd",
            "stories",
            "acceptance",
            "spezifikation",
            "anforderungen",
            "especificacion",
            "requisitos",
            "specifica",
            "exigences",
            "仕様",
            "需求",
            "规格",
        ],
    ),
    (
        Kind::Design,
        &[
            "design",
            "designs",
            "architecture",
            "arch",
            "hld",
            "lld",
            "sdd",
            "blueprint",
            "entwurf",
            "architektur",
            "diseno",
            "conception",
            "設計",
            "设计",
        ],
    ),
    (Kind::Plan, &["plan", "plans", "planning", "roadmap", "milestones", "rollout", "plano", "計画", "计划"]),
    (
        Kind::Tasks,
        &[
            "task",
            "tasks",
            "todo",
            "todos",
            "tasklist",
            "backlog",
            "wbs",
            "tickets",
            "aufgaben",
            "tareas",
            "taches",
            "tarefas",
            "任务",
            "タスク",
        ],
    ),
    (
        Kind::Research,
        &[
            "research",
            "findings",
            "investigation",
            "spike",
            "exploration",
            "analysis",
            "discovery",
            "background",
            "context",
            "study",
        ],
    ),
    (Kind::DataModel, &["schema", "datamodel", "entities", "erd"]),
    (Kind::Contract, &["contract", "contracts", "openapi", "swagger", "api", "asyncapi"]),
    (Kind::Quickstart, &["quickstart", "walkthrough", "runbook", "tutorial", "guide"]),
    (Kind::Checklist, &["checklist", "checklists"]),
    (Kind::TestPlan, &["tests", "testing", "testplan", "qa"]),
    (Kind::Decisions, &["decision", "decisions", "adr", "adrs"]),
    (Kind::ReviewHistory, &["review", "reviews", "feedback", "critique", "audit"]),
    (Kind::ImplementationLog, &["log", "worklog", "journal", "progress", "changelog", "changes"]),
    (Kind::Retro, &["retro", "retrospective", "postmortem", "lessons", "learnings"]),
    (Kind::Meta, &["meta", "metadata"]),
    (
        Kind::Notes,
        &["readme", "notes", "note", "index", "summary", "overview", "handoff", "scratch", "questions"],
    ),
];
