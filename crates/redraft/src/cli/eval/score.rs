//! `redraft eval score`: counts what the answers found.

use super::case_folder;
use redraft_adapters::plain_file;
use redraft_eval::arm::ReviewRound;
use redraft_eval::page::page;
use redraft_eval::score;
use redraft_eval::score::Scored;
use redraft_eval::tally::{Entry, Tally, tallies, text};
use redraft_facts::findings::Threshold;
use redraft_frame::args::{Blocking, ScoreArgs};
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::whole_file::{self, OwnFiles};
use serde::Serialize;
use std::fs;
use std::path::{Path, PathBuf};

const PROMPT: &str = ".prompt.md";

const REPORT: OwnFiles = OwnFiles {
    called: "report",
    such_as: "report.html",
    temporary: ".redraft-report",
    begins: "<!doctype html>",
    made_by: "Reviews compared",
};

/// What a program is told.
#[derive(Serialize)]
struct ScoreReport<'a> {
    v: u16,
    arms: &'a [Tally],
    reviews: Vec<ReviewLine<'a>>,
}

#[derive(Serialize)]
struct ReviewLine<'a> {
    arm: &'a str,
    case: &'a str,
    clean: bool,
    /// None where there is no answer.
    scored: Option<&'a Scored>,
}

pub(super) fn score(
    args: &ScoreArgs,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let out = process.folder.join(&args.out);
    let cases = case_folder::read_all(&process.folder.join(&args.folder))?;
    let rule = match args.blocking {
        Blocking::Blockers => Threshold::Blockers,
        Blocking::Strict => Threshold::Strict,
    };
    let mut entries = Vec::new();
    for name in prompts(&out)? {
        // The longest id: one case may be called like the beginning of another.
        let known = cases
            .iter()
            .filter(|(case, _)| name.strip_prefix(&case.id).is_some_and(|rest| rest.starts_with('.')));
        let Some((case, _)) = known.max_by_key(|(case, _)| case.id.len()) else { continue };
        let arm = name[case.id.len() + 1..].to_owned();
        let round = if arm.ends_with("-2") { ReviewRound::Second } else { ReviewRound::First };
        let answer = answer(&out, &case.id, &arm);
        let scored = answer.map(|answer| score::score(case, round, &answer, rule));
        entries.push(Entry { arm, case: case.id.clone(), clean: case.is_clean(), scored });
    }
    if entries.is_empty() {
        return Err(CliError::usage(format!("{} has no prompts of these cases", out.display())).hint(
            format!(
                "write them: redraft eval export {} {} --arm ours",
                args.folder.display(),
                args.out.display()
            ),
        ));
    }
    let tallies = tallies(&entries);
    if let Some(file) = &args.html {
        whole_file::write(&process.folder.join(file), &page(&tallies), args.force, &REPORT)?;
    }
    let reviews = entries.iter().map(|entry| ReviewLine {
        arm: &entry.arm,
        case: &entry.case,
        clean: entry.clean,
        scored: entry.scored.as_ref(),
    });
    let reviews = reviews.collect();
    console.show(&text(&tallies), &ScoreReport { v: 1, arms: &tallies, reviews });
    let missing = entries.iter().any(|entry| entry.scored.is_none());
    Ok(if missing { ErrorCode::NotApproved } else { ErrorCode::Done })
}

/// `CASE.ARM` of every prompt, in order.
fn prompts(out: &Path) -> Result<Vec<String>, CliError> {
    let failed = |error: std::io::Error| {
        CliError::usage(format!("{} cannot be read: {error}", out.display()))
            .hint("write the prompts first: redraft eval export DIR OUT --arm ours")
    };
    let entries = fs::read_dir(out).map_err(failed)?.flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> =
        names.filter_map(|name| name.strip_suffix(PROMPT).map(str::to_owned)).collect();
    names.sort();
    Ok(names)
}

/// The file of the answer to a prompt, if it is there.
pub(super) fn answer_file(out: &Path, case: &str, arm: &str) -> Option<PathBuf> {
    let files = ["answer.json", "answer.txt"].map(|end| out.join(format!("{case}.{arm}.{end}")));
    files.into_iter().find(|file| file.is_file())
}

/// The answer to a prompt, if it is there. One that is no text, or too long, is no verdict and stops nothing else.
fn answer(out: &Path, case: &str, arm: &str) -> Option<String> {
    let bytes = plain_file::read(&answer_file(out, case, arm)?, case_folder::DOCUMENT_BYTES_MAX);
    Some(String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned())
}
