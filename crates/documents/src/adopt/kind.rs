//! Recognises what a file is by its name.
//!
//! The name is taken apart into words; numbers, versions and words that say nothing are left out. In a name of several
//! words the last one decides, as it does in speech: a `design review` is a review, and a `task queue` is not a list of
//! tasks.

use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;

/// What a file of a feature is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileKind {
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

impl FileKind {
    pub const ALL: [FileKind; 17] = [
        FileKind::Prd,
        FileKind::Spec,
        FileKind::Design,
        FileKind::Plan,
        FileKind::Tasks,
        FileKind::Research,
        FileKind::DataModel,
        FileKind::Contract,
        FileKind::Quickstart,
        FileKind::Checklist,
        FileKind::TestPlan,
        FileKind::Decisions,
        FileKind::ReviewHistory,
        FileKind::ImplementationLog,
        FileKind::Retro,
        FileKind::Meta,
        FileKind::Notes,
    ];

    pub fn name(self) -> &'static str {
        match self {
            FileKind::Prd => "prd",
            FileKind::Spec => "spec",
            FileKind::Design => "design",
            FileKind::Plan => "plan",
            FileKind::Tasks => "tasks",
            FileKind::Research => "research",
            FileKind::DataModel => "data-model",
            FileKind::Contract => "contract",
            FileKind::Quickstart => "quickstart",
            FileKind::Checklist => "checklist",
            FileKind::TestPlan => "test-plan",
            FileKind::Decisions => "decisions",
            FileKind::ReviewHistory => "review-history",
            FileKind::ImplementationLog => "implementation-log",
            FileKind::Retro => "retro",
            FileKind::Meta => "meta",
            FileKind::Notes => "notes",
        }
    }

    /// The name of a document of this kind here; none for what no phase reads by name.
    pub fn file(self) -> Option<&'static str> {
        match self {
            FileKind::Prd => Some("prd.md"),
            FileKind::Spec => Some(Phase::Specify.artifact()),
            FileKind::Design => Some(Phase::Design.artifact()),
            FileKind::Plan => Some(Phase::CreatePlan.artifact()),
            FileKind::Tasks => Some(Phase::CreateTasks.artifact()),
            FileKind::Research => Some("research.md"),
            FileKind::DataModel
            | FileKind::Contract
            | FileKind::Quickstart
            | FileKind::Checklist
            | FileKind::TestPlan
            | FileKind::Decisions
            | FileKind::ReviewHistory
            | FileKind::ImplementationLog
            | FileKind::Retro
            | FileKind::Meta
            | FileKind::Notes => None,
        }
    }

    /// Whether the ledger writes it.
    pub fn is_written_anew(self) -> bool {
        matches!(self, FileKind::Meta | FileKind::ReviewHistory)
    }
}

pub(super) const NAME: &str = "its name";
const PART: &str = "a word of its name";
const FOLDER: &str = "its folder";

/// What the name of a file says, and how.
pub(super) fn by_name(path: &str) -> Option<(FileKind, &'static str)> {
    let name = file_name(path).to_lowercase();
    let parent = path.rsplit('/').nth(1).unwrap_or_default().to_lowercase();
    let data = [".json", ".yaml", ".yml", ".toml"].iter().any(|ending| name.ends_with(ending));
    let stem = stem(&name);
    if data && META.contains(&stem) {
        return Some((FileKind::Meta, NAME));
    }
    match parent.as_str() {
        "contracts" | "contract" => return Some((FileKind::Contract, FOLDER)),
        "checklists" => return Some((FileKind::Checklist, FOLDER)),
        "adr" | "adrs" | "decisions" => return Some((FileKind::Decisions, FOLDER)),
        "reviews" => return Some((FileKind::ReviewHistory, FOLDER)),
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

/// The kind that some words name, as they do in speech: by the phrase or the word at their end. A few words also show
/// it at the beginning.
pub(super) fn by_words(words: &[String]) -> Option<FileKind> {
    let last_two = words.get(words.len().saturating_sub(2)..).unwrap_or_default().join(" ");
    let phrase = PHRASES.iter().find(|(phrase, _)| *phrase == last_two).map(|(_, kind)| *kind);
    let first = || words.first().filter(|word| LEADING.contains(&word.as_str())).and_then(|word| known(word));
    phrase.or_else(|| words.last().and_then(|word| known(word))).or_else(first)
}

/// A word of a name that would show its kind if it stood at the end.
pub(super) fn hint(path: &str) -> Option<String> {
    words(stem(&file_name(path).to_lowercase())).into_iter().find(|word| known(word).is_some())
}

fn known(word: &str) -> Option<FileKind> {
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

/// Words in names that say nothing.
const EMPTY: [&str; 14] = [
    "the", "a", "an", "of", "for", "final", "draft", "doc", "docs", "document", "feature", "new", "updated",
    "wip",
];

/// `spec-auth` is a spec; a `task-queue` is no list of tasks, and `plan-limits` may be anything.
const LEADING: [&str; 4] = ["prd", "spec", "specification", "requirements"];

const META: [&str; 6] = ["meta", "metadata", "feature", "status", "state", "openspec"];

const PHRASES: [(&str, FileKind); 30] = [
    ("review history", FileKind::ReviewHistory),
    ("implementation log", FileKind::ImplementationLog),
    ("impl log", FileKind::ImplementationLog),
    ("work log", FileKind::ImplementationLog),
    ("implementation notes", FileKind::ImplementationLog),
    ("implementation summary", FileKind::ImplementationLog),
    ("test plan", FileKind::TestPlan),
    ("test strategy", FileKind::TestPlan),
    ("test cases", FileKind::TestPlan),
    ("technical spec", FileKind::Design),
    ("technical specification", FileKind::Design),
    ("tech spec", FileKind::Design),
    ("technical plan", FileKind::Design),
    ("technical approach", FileKind::Design),
    ("product requirements", FileKind::Prd),
    ("problem statement", FileKind::Prd),
    ("data model", FileKind::DataModel),
    ("user stories", FileKind::Spec),
    ("user story", FileKind::Spec),
    ("acceptance criteria", FileKind::Spec),
    ("use cases", FileKind::Spec),
    ("task list", FileKind::Tasks),
    ("task breakdown", FileKind::Tasks),
    ("to do", FileKind::Tasks),
    ("action items", FileKind::Tasks),
    ("work breakdown", FileKind::Tasks),
    ("lessons learned", FileKind::Retro),
    ("post mortem", FileKind::Retro),
    ("quick start", FileKind::Quickstart),
    ("decision log", FileKind::Decisions),
];

/// Single words, some of them in the languages that such documents were met in.
const WORDS: [(FileKind, &[&str]); 17] = [
    (
        FileKind::Prd,
        &["prd", "brainstorm", "brainstorming", "proposal", "brief", "pitch", "vision", "idea", "problem"],
    ),
    (
        FileKind::Spec,
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
        FileKind::Design,
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
    (
        FileKind::Plan,
        &["plan", "plans", "planning", "roadmap", "milestones", "rollout", "plano", "計画", "计划"],
    ),
    (
        FileKind::Tasks,
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
        FileKind::Research,
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
    (FileKind::DataModel, &["schema", "datamodel", "entities", "erd"]),
    (FileKind::Contract, &["contract", "contracts", "openapi", "swagger", "api", "asyncapi"]),
    (FileKind::Quickstart, &["quickstart", "walkthrough", "runbook", "tutorial", "guide"]),
    (FileKind::Checklist, &["checklist", "checklists"]),
    (FileKind::TestPlan, &["tests", "testing", "testplan", "qa"]),
    (FileKind::Decisions, &["decision", "decisions", "adr", "adrs"]),
    (FileKind::ReviewHistory, &["review", "reviews", "feedback", "critique", "audit"]),
    (FileKind::ImplementationLog, &["log", "worklog", "journal", "progress", "changelog", "changes"]),
    (FileKind::Retro, &["retro", "retrospective", "postmortem", "lessons", "learnings"]),
    (FileKind::Meta, &["meta", "metadata"]),
    (
        FileKind::Notes,
        &["readme", "notes", "note", "index", "summary", "overview", "handoff", "scratch", "questions"],
    ),
];
