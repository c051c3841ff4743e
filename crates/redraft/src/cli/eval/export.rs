//! `redraft eval export`: writes the prompts of each arm.

use super::case_folder;
use redraft_eval::arm::{Arm, ArmText, ReviewRound};
use redraft_eval::ask::{Asked, ask, reviewer_of};
use redraft_eval::case::Case;
use redraft_facts::ids::Role;
use redraft_facts::text::count;
use redraft_frame::args::EvalExportArgs;
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::whole_file;
use redraft_roles::profile::RoleText;
use serde::Serialize;
use std::collections::BTreeSet;
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
    let folder = process.folder.join(&args.folder);
    let out = process.folder.join(&args.out);
    let arms = arms(&args.arms)?;
    let cases = case_folder::read_all(&folder)?;
    let (mut written, mut answered) = (Vec::new(), 0);
    for arm in &arms {
        for (case, texts) in &cases {
            let own = own_text(arm, case, process)?;
            // As whoever answers finds them from where the command was typed.
            let files = match arm.round {
                ReviewRound::First => case_folder::files(case),
                ReviewRound::Second => case_folder::second_files(case),
            };
            let place = args.folder.join(files);
            let Some(Asked { before, prompt }) =
                ask(case, texts, arm, own.as_ref(), &place.display().to_string())
            else {
                continue;
            };
            let file = |what: &str| out.join(format!("{}.{arm}.{what}", case.id));
            for (at, turn) in before.iter().enumerate() {
                keep(&file(&format!("before.{}.md", at + 1)), turn, process)?;
            }
            keep(&file("prompt.md"), &prompt, process)?;
            answered += usize::from(super::score::answer_file(&out, &case.id, &arm.to_string()).is_some());
            written.push(format!("{}.{arm}.prompt.md", case.id));
        }
    }
    let mut text = format!(
        "{} in {}, for {} and {}",
        count(written.len(), "prompt"),
        args.out.display(),
        count(cases.len(), "case"),
        count(arms.len(), "arm")
    );
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

/// A prompt is for an agent, so no secret gets into it.
fn keep(path: &Path, text: &str, process: &ProcessContext) -> Result<(), CliError> {
    whole_file::keep(path, &process.redactor.redact(text).0)
}

fn arms(written: &[String]) -> Result<Vec<Arm>, CliError> {
    let arms =
        written.iter().map(|arm| arm.parse::<Arm>().map_err(|error| CliError::usage(error.to_string())));
    let arms = arms.collect::<Result<Vec<_>, _>>()?;
    let names: BTreeSet<String> = arms.iter().map(Arm::to_string).collect();
    if names.len() < arms.len() {
        return Err(CliError::usage("two arms have the same name").hint(
            "an arm is called after its text's file, its strategy and its round; rename one of the files",
        ));
    }
    Ok(arms)
}

/// The text of an arm that has its own.
fn own_text(arm: &Arm, case: &Case, process: &ProcessContext) -> Result<Option<RoleText>, CliError> {
    let (ArmText::File(path), Some(profile)) = (&arm.text, reviewer_of(case.phase)) else { return Ok(None) };
    let file = process.folder.join(path);
    let text = case_folder::text(&file)?;
    let parsed = RoleText::parse(&text, &Role::new(profile.role))
        .map_err(|error| CliError::usage(format!("{}: {error}", file.display())).hint(error.hint.clone()))?;
    Ok(Some(parsed))
}
