//! `redraft show tasks`, `show section` and `show context`: show how documents are read, without a repository or a
//! ledger.

use redraft_adapters::git::CheckoutLocation;
use redraft_adapters::plain_file::{self, UnreadableFile};
use redraft_documents::context::{self, Artifacts, Context};
use redraft_documents::sections::Outline;
use redraft_documents::tasks::{self, Task, TaskList};
use redraft_documents::trace::{CountsWhen, FoundTarget, Target, TargetDocument, Targets};
use redraft_facts::harmless::name;
use redraft_facts::text::{count, one_line};
use redraft_frame::args::{ContextArgs, SectionArgs, TasksArgs};
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use serde::Serialize;
use std::path::Path;

/// Far more than anybody writes; a larger file is not a document.
const BYTES_MAX: u64 = 64 * 1024 * 1024;

#[derive(Serialize)]
struct TasksJson<'a> {
    v: u16,
    tasks: Vec<TaskJson<'a>>,
    notes: Vec<String>,
}

#[derive(Serialize)]
struct TaskJson<'a> {
    id: &'a str,
    title: &'a str,
    line: u32,
    end_line: u32,
    form: String,
    done: Option<DoneJson<'a>>,
    depends_on: &'a [String],
    refs: Vec<RefJson<'a>>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    aliases: &'a [String],
}

#[derive(Serialize)]
struct DoneJson<'a> {
    field: &'a str,
    text: &'a str,
}

#[derive(Serialize)]
struct RefJson<'a> {
    raw: &'a str,
    kind: &'static str,
    id: &'a str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    inherited: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    tentative: bool,
}

pub fn tasks(args: TasksArgs, process: &ProcessContext, console: &Console) -> Result<ErrorCode, CliError> {
    let path = process.folder.join(&args.file);
    let file = if path.is_dir() { args.file.join("tasks.md") } else { args.file };
    let text = read(&process.folder, &file)?;
    let list = list(&file, &text)?;
    let notes = list.notes.iter().map(|note| format!("line {}: {}", note.line, note.text)).collect();
    let json = TasksJson { v: 1, tasks: list.tasks.iter().map(TaskJson::new).collect(), notes };
    let mut shown = format!("{} in {}\n\n", count(list.tasks.len(), "task"), name(&file.to_string_lossy()));
    for task in &list.tasks {
        shown.push_str(&told(task));
    }
    for note in &json.notes {
        shown.push_str(&format!("note: {note}\n"));
    }
    console.show(shown.trim_end(), &json);
    Ok(ErrorCode::Done)
}

impl<'a> TaskJson<'a> {
    fn new(task: &'a Task) -> TaskJson<'a> {
        let refs = task.refs.iter().map(|one| RefJson {
            raw: &one.raw,
            kind: one.kind.name(),
            id: &one.id,
            inherited: one.inherited,
            tentative: one.basis != CountsWhen::Plain,
        });
        TaskJson {
            id: &task.id,
            title: &task.title,
            line: task.line,
            end_line: task.end_line,
            form: task.form.name(),
            done: task.done.as_ref().map(|done| DoneJson { field: &done.field, text: &done.text }),
            depends_on: &task.depends_on,
            refs: refs.collect(),
            aliases: &task.aliases,
        }
    }
}

/// A task as a person reads it.
fn told(task: &Task) -> String {
    const CHARS_MAX: usize = 100;
    let mut text = format!(
        "{}  {}  (lines {}-{})\n",
        task.id,
        one_line(&task.title, CHARS_MAX),
        task.line,
        task.end_line
    );
    if let Some(done) = &task.done {
        text.push_str(&format!("    {}: {}\n", done.field, one_line(&done.text, CHARS_MAX)));
    }
    if !task.depends_on.is_empty() {
        text.push_str(&format!("    depends on {}\n", task.depends_on.join(", ")));
    }
    // `show context` reports references that count only where a document defines them.
    let plain = task.refs.iter().filter(|one| one.basis == CountsWhen::Plain);
    let refs: Vec<String> = plain.map(|one| format!("{} {}", one.kind.name(), one.id)).collect();
    if !refs.is_empty() {
        text.push_str(&format!("    refers to {}\n", refs.join(", ")));
    }
    text
}

#[derive(Serialize)]
struct SectionJson<'a> {
    v: u16,
    id: &'a str,
    file: String,
    line: Option<u32>,
    end_line: Option<u32>,
    /// How the id was found; none where it was not.
    #[serde(rename = "match")]
    how: Option<&'static str>,
    /// Further lines that define it as well, so that it is ambiguous.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    also: Vec<u32>,
}

pub fn section(
    args: SectionArgs,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    if !args.id.contains(char::is_alphanumeric) {
        return Err(CliError::usage("the id of the section is missing")
            .hint("say what to find: 3.2, C9, \"Component 2\", \"Success Criteria\""));
    }
    let text = read(&process.folder, &args.file)?;
    let found = Targets::find(&text).resolve(&args.id);
    let (first, also): (Option<Target>, Vec<u32>) = match &found {
        FoundTarget::None => (None, Vec::new()),
        FoundTarget::One(target) => (Some(*target), Vec::new()),
        FoundTarget::Several(targets) => {
            (targets.first().copied(), targets.iter().skip(1).map(|target| target.line).collect())
        }
    };
    let path = args.file.display().to_string();
    let file = name(&path);
    let shown = match first {
        Some(target) => {
            if !also.is_empty() {
                let lines: Vec<String> = also.iter().map(u32::to_string).collect();
                console.say(&format!(
                    "`{}` is ambiguous: it may also be in lines {}",
                    args.id,
                    lines.join(", ")
                ));
            }
            console.say(&format!("{file}:{}-{}, {}", target.line, target.end_line, target.how.name()));
            let part = context::LineRange { line: target.line, end_line: target.end_line, refs: Vec::new() };
            lines(&text, &part)
        }
        None => {
            console.say(&format!("`{}` is not found in {file}", name(&args.id)));
            String::new()
        }
    };
    let json = SectionJson {
        v: 1,
        id: &args.id,
        file: path.clone(),
        line: first.map(|target| target.line),
        end_line: first.map(|target| target.end_line),
        how: first.map(|target| target.how.name()),
        also,
    };
    console.show(shown.trim_end(), &json);
    Ok(if first.is_some() { ErrorCode::Done } else { ErrorCode::NotApproved })
}

fn lines(text: &str, part: &context::LineRange) -> String {
    let wanted = (part.line as usize).saturating_sub(1)..part.end_line as usize;
    text.lines().skip(wanted.start).take(wanted.len()).collect::<Vec<_>>().join("\n")
}

#[derive(Serialize)]
struct ContextJson<'a> {
    v: u16,
    artifacts: Vec<ArtifactJson<'a>>,
    notes: &'a [String],
}

#[derive(Serialize)]
struct ArtifactJson<'a> {
    file: &'static str,
    mode: &'static str,
    sections: Vec<PartJson>,
    reason: &'a str,
    tokens: u64,
}

#[derive(Serialize)]
struct PartJson {
    line: u32,
    end_line: u32,
    #[serde(rename = "ref")]
    reference: String,
}

pub fn context(
    args: ContextArgs,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let folder = process.folder.join(&args.folder);
    if !folder.is_dir() {
        return Err(CliError::usage(format!("{} is not a folder", args.folder.display()))
            .hint("name the folder that holds tasks.md and the documents beside it"));
    }
    let file = args.folder.join("tasks.md");
    let text = read(&process.folder, &file)?;
    let list = list(&file, &text)?;
    let Some(task) = list.find(&args.task) else {
        const SHOWN_MAX: usize = 20;
        let ids: Vec<&str> = list.tasks.iter().map(|task| task.id.as_str()).take(SHOWN_MAX).collect();
        let more = if list.tasks.len() > SHOWN_MAX { ", …" } else { "" };
        return Err(CliError::usage(format!("there is no task `{}` in {}", args.task, file.display()))
            .hint(format!("its tasks are {}{more}", ids.join(", "))));
    };
    let prd = beside(process, &args.folder, TargetDocument::Prd)?;
    let spec = beside(process, &args.folder, TargetDocument::Spec)?;
    let design = beside(process, &args.folder, TargetDocument::Design)?;
    let plan = beside(process, &args.folder, TargetDocument::Plan)?;
    let artifacts = Artifacts {
        prd: prd.as_deref(),
        spec: spec.as_deref(),
        design: design.as_deref(),
        plan: plan.as_deref(),
    };
    let mut selected = context::select(task, &artifacts);
    selected
        .leave_out_of_plan(plan.as_deref().unwrap_or_default(), &Outline::parse(&text).text(task.lines()));
    show_context(task, &selected, console);
    Ok(ErrorCode::Done)
}

fn show_context(task: &Task, selected: &Context, console: &Console) {
    let part = |part: &context::LineRange| PartJson {
        line: part.line,
        end_line: part.end_line,
        reference: part.refs.join(", "),
    };
    let artifacts = selected.artifacts.iter().map(|one| ArtifactJson {
        file: one.kind.file(),
        mode: one.mode.name(),
        sections: one.sections.iter().map(part).collect(),
        reason: &one.reason,
        tokens: one.tokens,
    });
    let json = ContextJson { v: 1, artifacts: artifacts.collect(), notes: &selected.notes };
    let mut text = format!("task {} {}\n\n", task.id, task.title);
    for one in &json.artifacts {
        text.push_str(&format!(
            "{:<10} {:<10} {:>7} tokens  {}\n",
            one.file, one.mode, one.tokens, one.reason
        ));
        for part in &one.sections {
            text.push_str(&format!("    lines {}-{}: {}\n", part.line, part.end_line, part.reference));
        }
    }
    for note in json.notes {
        text.push_str(&format!("note: {note}\n"));
    }
    console.show(text.trim_end(), &json);
}

pub(super) fn list(file: &Path, text: &str) -> Result<TaskList, CliError> {
    tasks::read(text).map_err(|error| {
        CliError::new(ErrorCode::NotApproved, format!("{}: {error}", file.display()))
            .hint(tasks::NoTasks::HINT)
    })
}

/// A document that may be absent.
fn beside(process: &ProcessContext, folder: &Path, kind: TargetDocument) -> Result<Option<String>, CliError> {
    let file = folder.join(kind.file());
    match plain_file::read_named(
        &CheckoutLocation::checkout_of(&process.folder),
        &process.folder.join(&file),
        BYTES_MAX,
    ) {
        Err(error) if error.is_absent(&process.folder.join(&file)) => Ok(None),
        other => text_of(&file, other).map(Some),
    }
}

pub(super) fn read(folder: &Path, file: &Path) -> Result<String, CliError> {
    text_of(
        file,
        plain_file::read_named(&CheckoutLocation::checkout_of(folder), &folder.join(file), BYTES_MAX),
    )
}

fn text_of(file: &Path, bytes: Result<Vec<u8>, UnreadableFile>) -> Result<String, CliError> {
    let bytes = bytes.map_err(|error| {
        CliError::usage(format!("{}: {error}", file.display())).hint("name a file of Markdown text")
    })?;
    String::from_utf8(bytes).map_err(|_| {
        CliError::usage(format!("{} is not UTF-8 text", file.display())).hint("name a file of Markdown text")
    })
}
