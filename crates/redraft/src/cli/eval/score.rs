//! `redraft eval score`: counts what the answers found.

use super::{case_folder, counted};
use redraft_eval::page::page;
use redraft_eval::score::Scored;
use redraft_eval::tally::{ArmTally, FoundDefect, found, tallies, text};
use redraft_facts::findings::Threshold;
use redraft_frame::args::{Blocking, ScoreArgs};
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::whole_file::{self, OwnFiles};
use serde::Serialize;

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
    arms: &'a [ArmTally],
    reviews: Vec<ReviewLine<'a>>,
    /// Material defects beside the plants, with the arms that found them; empty where nobody has judged.
    material: Vec<FoundDefect>,
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
    let folder = process.folder.join(&args.folder);
    let cases = case_folder::read_all(&folder)?;
    let outs = counted::outs(&args.folder, &args.outs, process)?;
    let rule = match args.blocking {
        Blocking::Blockers => Threshold::Blockers,
        Blocking::Strict => Threshold::Strict,
    };
    let entries = counted::entries(&outs, &cases, rule)?;
    let union = super::judge::union(&folder)?;
    if entries.is_empty() {
        let named: Vec<String> = outs.iter().map(|out| out.folder.display().to_string()).collect();
        return Err(CliError::usage(format!("{} has no prompts of these cases", named.join(", "))).hint(
            format!("ask for answers: redraft eval run {} --agent NAME --arm ours", args.folder.display()),
        ));
    }
    let tallies = tallies(&entries, union.as_ref());
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
    let material = union.map(|union| found(&entries, &union)).unwrap_or_default();
    console.show(&text(&tallies), &ScoreReport { v: 1, arms: &tallies, reviews, material });
    let missing = entries.iter().any(|entry| entry.scored.is_none());
    Ok(if missing { ErrorCode::NotApproved } else { ErrorCode::Done })
}
