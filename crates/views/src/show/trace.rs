//! `redraft show trace`: shows every requirement with what became of it, as text, JSON, Markdown or a page of HTML.
//!
//! `reports::matrix` decides what belongs to what; this module finds out what the user means, and shows it.

use crate::lint::{Place, find};
use redraft_adapters::git::CheckoutLocation;
use redraft_facts::ids::FeatureId;
use redraft_facts::text::{count, one_line, utc};
use redraft_frame::args::TraceArgs;
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode, unknown_feature};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::trace_inputs::TraceInputs;
use redraft_frame::whole_file::{self, OwnFiles};
use redraft_reports::matrix::{
    self, CodeWork, CodeWorkKind, DocumentPart, Matrix, RecordedCheck, Requirement, Row, State,
};
use serde::Serialize;

/// The pages that this command may replace.
const OWN: OwnFiles = OwnFiles {
    called: "page",
    such_as: "trace.html",
    temporary: ".redraft-trace-",
    begins: "<!doctype html>",
    made_by: matrix::MADE_BY,
};

pub fn trace(args: TraceArgs, process: &ProcessContext, console: &Console) -> Result<ErrorCode, CliError> {
    let (gathered, id) = meant(&args.words, process)?;
    let whole = gathered.matrix();
    let matrix = match &id {
        Some(id) => whole.only(id),
        None => whole,
    };
    if matrix.rows.is_empty() && matrix.orphans.is_empty() {
        let (message, hint) = match &id {
            Some(id) => (
                format!("nothing in the trace of {} has the id `{id}`", gathered.name),
                format!("to see all ids: redraft show trace {}", folder_or_number(&gathered)),
            ),
            None => (
                format!("{} has nothing to trace: it has no requirement and no task", gathered.name),
                "requirements have ids, such as `- **FR-1:** …` in spec.md".to_owned(),
            ),
        };
        return Err(CliError::new(ErrorCode::NotApproved, message).hint(hint));
    }
    if args.html {
        let page = matrix::html(&matrix, &gathered.name);
        match &args.output {
            Some(file) => {
                let path = process.folder.join(file);
                whole_file::write(&path, &page, args.force, &OWN)?;
                console.say(&format!("wrote {}", redraft_facts::harmless::name(&path.to_string_lossy())));
            }
            None => console.page(&page),
        }
    } else if args.markdown {
        console.page(&matrix::markdown(&matrix));
    } else {
        console.show(&text(&matrix), &TraceJson::new(&matrix, &gathered));
    }
    console.say(&format!("{}; {}", matrix.reached_in_words(), count(matrix.orphans.len(), "orphan")));
    Ok(ErrorCode::Done)
}

fn folder_or_number(gathered: &TraceInputs) -> String {
    let folder = || redraft_adapters::shell_word::quoted_path(gathered.folder.clone());
    gathered.feature.map_or_else(folder, |id| id.to_string())
}

/// A folder, a feature, an id, or the first two with one.
fn meant(words: &[String], process: &ProcessContext) -> Result<(TraceInputs, Option<String>), CliError> {
    let feature = |number| feature(number, "trace", process);
    let Some(first) = words.first() else { return Ok((feature(None)?, None)) };
    let second = words.get(1).cloned();
    let folder = process.folder.join(first);
    if folder.is_dir() {
        return Ok((
            TraceInputs::of_folder(&CheckoutLocation::checkout_of(&process.folder), &folder)?,
            second,
        ));
    }
    let number = first.split('-').next().and_then(|number| number.parse::<FeatureId>().ok());
    match (by_slug(first, process).or(number), second) {
        (Some(number), second) => match feature(Some(number)) {
            // `3` may be a task's id where no feature has that number.
            Err(error) if second.is_none() => match feature(None) {
                Ok(gathered) => Ok((gathered, Some(first.clone()))),
                Err(_) => Err(error),
            },
            other => other.map(|gathered| (gathered, second)),
        },
        (None, None) => Ok((feature(None)?, Some(first.clone()))),
        (None, Some(_)) => Err(CliError::usage(format!("there is no folder or feature `{first}`"))
            .hint("name the feature or folder first, then the id")),
    }
}

pub(super) fn by_slug(word: &str, process: &ProcessContext) -> Option<FeatureId> {
    let repo = process.repository().ok()?;
    let ledger = repo.reader().ok()??;
    repo.feature(&ledger, Some(word)).ok()
}

/// A feature of the ledger, or one that only has a folder here; `subject` is what is to be shown of it.
pub(super) fn feature(
    number: Option<FeatureId>,
    subject: &str,
    process: &ProcessContext,
) -> Result<TraceInputs, CliError> {
    let place = Place::find(process)?;
    if let Ok(repo) = process.repository()
        && let Some(ledger) = repo.reader()?
    {
        let word = number.map(|number| number.to_string());
        match (repo.feature(&ledger, word.as_deref()), number) {
            (Ok(id), _) => return TraceInputs::of_feature(&repo, &ledger, id),
            (Err(error), None) => return Err(error),
            (Err(_), Some(_)) => {}
        }
    }
    let Some(number) = number else {
        return Err(CliError::usage("there is no feature here yet")
            .hint(format!("name a folder of documents: redraft show {subject} docs/features/001-x")));
    };
    match find::feature(number, &place)? {
        Some(group) => TraceInputs::of_folder(&place.root, &group.folder),
        None => Err(unknown_feature(&number.to_string())),
    }
}

/// As a person reads it.
fn text(matrix: &Matrix) -> String {
    const CHARS_MAX: usize = 100;
    let mut out = String::new();
    for row in &matrix.rows {
        out.push_str(&match &row.requirement {
            Some(Requirement { id, text, .. }) => format!("{id}  {}\n", one_line(text, CHARS_MAX)),
            None => "(no requirement)\n".to_owned(),
        });
        out.push_str(&parts("design", &row.sections));
        out.push_str(&parts("plan", &row.steps));
        let works: Vec<&CodeWork> = matrix.works_of(row).collect();
        if works.is_empty() {
            out.push_str("    task    none\n");
        }
        works.iter().for_each(|work| out.push_str(&told(work, matrix.built)));
    }
    if !matrix.orphans.is_empty() {
        out.push_str("\norphans\n");
    }
    for orphan in &matrix.orphans {
        out.push_str(&format!("  {}:{} [{}] {}\n", orphan.file, orphan.line, orphan.rule, orphan.message));
    }
    out
}

fn parts(name: &str, parts: &[DocumentPart]) -> String {
    const CHARS_MAX: usize = 60;
    let all: Vec<String> = parts.iter().map(|part| one_line(&part.name(), CHARS_MAX)).collect();
    if all.is_empty() { String::new() } else { format!("    {name:<7} {}\n", all.join("; ")) }
}

fn told(work: &CodeWork, built: bool) -> String {
    const CHARS_MAX: usize = 80;
    let name = format!("{} {}", work.what.name(), one_line(&work.title, CHARS_MAX));
    let mut out = format!("    task    {}", name.trim_end());
    if built {
        out.push_str(&match &work.state {
            State::Unknown => String::new(),
            State::Blocked { why } => format!(", skipped: {}", one_line(why, CHARS_MAX)),
            state @ (State::Open | State::Done) => format!(", {}", state.name()),
        });
    }
    out.push('\n');
    let commits: Vec<&str> = work.commits.iter().map(|commit| commit.get(..10).unwrap_or(commit)).collect();
    let runs: Vec<String> = work.runs.iter().map(ran).collect();
    for (name, all) in
        [("commit", commits.join(", ")), ("files", work.files.join(", ")), ("run", runs.join("; "))]
    {
        if !all.is_empty() {
            out.push_str(&format!("            {name:<6} {all}\n"));
        }
    }
    out
}

fn ran(run: &RecordedCheck) -> String {
    let how = if run.passed { "passed" } else { "failed" };
    format!("{} {how}, {}", run.gate, utc(run.at_ms))
}

#[derive(Serialize)]
struct TraceJson<'a> {
    v: u16,
    /// None where no ledger knows it.
    feature: Option<String>,
    name: &'a str,
    /// Whether there are events about code.
    built: bool,
    /// Without criteria, and how many of them a task reaches.
    requirements: usize,
    reached: usize,
    criteria: usize,
    criteria_reached: usize,
    rows: Vec<RowJson<'a>>,
    works: Vec<WorkJson<'a>>,
    orphans: Vec<OrphanJson<'a>>,
}

#[derive(Serialize)]
struct RowJson<'a> {
    requirement: Option<RequirementJson<'a>>,
    /// How its tasks reach it: task, step, section, relative, whole; none where no task does.
    via: Option<&'static str>,
    sections: Vec<PartJson<'a>>,
    steps: Vec<PartJson<'a>>,
    /// The names of its works.
    works: Vec<String>,
}

#[derive(Serialize)]
struct RequirementJson<'a> {
    id: &'a str,
    text: &'a str,
    file: &'static str,
    line: u32,
    criterion: bool,
}

#[derive(Serialize)]
struct PartJson<'a> {
    id: &'a str,
    title: &'a str,
    line: u32,
}

#[derive(Serialize)]
struct WorkJson<'a> {
    name: String,
    kind: &'static str,
    line: Option<u32>,
    title: &'a str,
    state: &'static str,
    why: Option<&'a str>,
    commits: &'a [String],
    files: &'a [String],
    tests: &'a [String],
    runs: Vec<RunJson<'a>>,
}

#[derive(Serialize)]
struct RunJson<'a> {
    gate: &'a str,
    command: &'a str,
    passed: bool,
    at: String,
    at_ms: i64,
}

#[derive(Serialize)]
struct OrphanJson<'a> {
    rule: &'static str,
    file: &'a str,
    line: u32,
    id: &'a str,
    message: &'a str,
    hint: &'a str,
}

impl<'a> TraceJson<'a> {
    fn new(matrix: &'a Matrix, gathered: &'a TraceInputs) -> TraceJson<'a> {
        let (requirements, criteria) = matrix.reached();
        let orphans = matrix.orphans.iter().map(|orphan| OrphanJson {
            rule: orphan.rule.name(),
            file: &orphan.file,
            line: orphan.line,
            id: &orphan.id,
            message: &orphan.message,
            hint: orphan.hint,
        });
        TraceJson {
            v: 1,
            feature: gathered.feature.map(|id| id.to_string()),
            name: &gathered.name,
            built: matrix.built,
            requirements: requirements.all,
            reached: requirements.reached,
            criteria: criteria.all,
            criteria_reached: criteria.reached,
            rows: matrix.rows.iter().map(|row| RowJson::new(row, matrix)).collect(),
            works: matrix.works.iter().map(WorkJson::new).collect(),
            orphans: orphans.collect(),
        }
    }
}

impl<'a> RowJson<'a> {
    fn new(row: &'a Row, matrix: &Matrix) -> RowJson<'a> {
        let part = |part: &'a DocumentPart| PartJson { id: &part.id, title: &part.title, line: part.line };
        RowJson {
            requirement: row.requirement.as_ref().map(|one| RequirementJson {
                id: &one.id,
                text: &one.text,
                file: one.kind.file(),
                line: one.line,
                criterion: one.is_criterion,
            }),
            via: row.via.map(matrix::Via::name),
            sections: row.sections.iter().map(part).collect(),
            steps: row.steps.iter().map(part).collect(),
            works: matrix.works_of(row).map(|work| work.what.name()).collect(),
        }
    }
}

impl<'a> WorkJson<'a> {
    fn new(work: &'a CodeWork) -> WorkJson<'a> {
        let (kind, line) = match &work.what {
            CodeWorkKind::Task { line, .. } => ("task", *line),
            CodeWorkKind::Simplification => ("simplification", None),
            CodeWorkKind::Deepening => ("deepening", None),
            CodeWorkKind::Fixes => ("fixes", None),
            CodeWorkKind::Edits => ("edits", None),
        };
        let why = match &work.state {
            State::Blocked { why } => Some(why.as_str()),
            State::Unknown | State::Open | State::Done => None,
        };
        let run = |run: &'a RecordedCheck| RunJson {
            gate: &run.gate,
            command: &run.command,
            passed: run.passed,
            at: utc(run.at_ms),
            at_ms: run.at_ms,
        };
        WorkJson {
            name: work.what.name(),
            kind,
            line,
            title: &work.title,
            state: work.state.name(),
            why,
            commits: &work.commits,
            files: &work.files,
            tests: &work.tests,
            runs: work.runs.iter().map(run).collect(),
        }
    }
}
