//! `redraft eval export`: writes the prompts of each arm.

use super::{case_folder, prompts};
use redraft_facts::text::count;
use redraft_frame::args::EvalExportArgs;
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use serde::Serialize;
use std::path::Path;

/// What a program is told.
#[derive(Serialize)]
struct ExportReport {
    v: u16,
    prompts: Vec<String>,
    /// How many of them have an answer from before.
    answered: usize,
}

pub(super) fn export(
    args: &EvalExportArgs,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let out = process.folder.join(&args.out);
    let arms = prompts::arms(&args.arms)?;
    let cases = case_folder::read_all(&process.folder.join(&args.folder))?;
    // As whoever answers finds them from where the command was typed.
    let all = prompts::all(&cases, &arms, &args.folder, process)?;
    let (mut written, mut answered) = (Vec::new(), 0);
    for prompt in &all {
        prompt.write(&out)?;
        answered += usize::from(super::answers::file(&out, &prompt.name).is_some());
        written.push(format!("{}.prompt.md", prompt.name));
    }
    let mut text = format!(
        "{} in {}, for {} and {}",
        count(written.len(), "prompt"),
        args.out.display(),
        count(cases.len(), "case"),
        count(arms.len(), "arm")
    );
    if let Some(why) = in_each_other(&process.folder.join(&args.folder), &out) {
        text.push_str(&format!(
            "\n{why}: who answers there with tools can find `case.json`, which has the answers"
        ));
    }
    if answered > 0 {
        text.push_str(&format!(
            "\n{} there already; remove those that are for an older prompt",
            count(answered, "answer")
        ));
    }
    text.push_str(&format!(
        "\nput each answer beside its prompt, as CASE.ARM.answer.json or CASE.ARM.answer.txt\nnext: redraft eval score {} {}",
        args.folder.display(),
        args.out.display()
    ));
    console.show(&text, &ExportReport { v: 1, prompts: written, answered });
    Ok(ErrorCode::Done)
}

/// Whether whoever is shown one of two folders is shown the other, in words.
fn in_each_other(cases: &Path, out: &Path) -> Option<&'static str> {
    // As they are on disk, whatever leads to them; what cannot be found there is compared by its name.
    let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let (cases, out) = (real(cases), real(out));
    match (out.starts_with(&cases), cases.starts_with(&out)) {
        (true, _) => Some("the prompts are in the folder of the cases"),
        (_, true) => Some("the folder of the cases is in that of the prompts"),
        (false, false) => None,
    }
}
