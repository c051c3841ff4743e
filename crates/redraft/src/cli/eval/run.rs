//! `redraft eval run`: asks an agent for the reviews of each arm.

use super::asking::{AskedAll, Asking, Job, Place, Plan, RoomFile, lock};
use super::prompts::CasePrompt;
use super::{answers, case_folder, prompts};
use redraft_adapters::shell_word::{quoted, quoted_path};
use redraft_engine::ports::{Agent, Resume, Store};
use redraft_eval::arm::ReviewRound;
use redraft_eval::case::{Case, CaseTexts};
use redraft_facts::choice::Strategy;
use redraft_facts::ids::Role;
use redraft_facts::probed::without_check;
use redraft_facts::text::{count, hash};
use redraft_facts::usage::Usd;
use redraft_frame::args::EvalRunArgs;
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_prompts::probe::{Records, Resumable};
use redraft_prompts::prompt::SCHEMA;
use serde::Serialize;
use std::path::{Component, Path, PathBuf};

/// What a program is told.
#[derive(Serialize)]
struct EvalRunReport<'a> {
    v: u16,
    agent: &'a str,
    out: String,
    prompts: usize,
    /// From before, and by this call.
    already: usize,
    answered: usize,
    /// Answers from before whose prompt has changed since.
    outdated: &'a [String],
    failed: Vec<Failure<'a>>,
    /// `done`, `unanswered`, `over budget`, `parked`, `failing` or `interrupted`.
    outcome: &'static str,
    expected_micro_usd: Usd,
    /// All answers of the folder.
    spent_micro_usd: Usd,
    budget_micro_usd: Usd,
    next: &'a str,
}

#[derive(Serialize)]
struct Failure<'a> {
    prompt: &'a str,
    why: &'a str,
}

pub(super) fn run(
    args: &EvalRunArgs,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let arms = prompts::arms(&args.arms)?;
    let cases = case_folder::read_all(&process.folder.join(&args.folder))?;
    let place = Place::find(process)?;
    let agent = place.agent(&args.agent, process)?;
    let resumes = arms.iter().any(|arm| arm.strategy == Strategy::Resume);
    if resumes {
        require_conversations(agent.as_ref(), &place)?;
    }
    let budget = crate::cli::run::budget(args.budget.as_deref(), &place.config)?;
    let called = out_of(args);
    let out = process.folder.join(&called);
    let _lock = lock(&out, process)?;
    let all = prompts::all(&cases, &arms, &as_named(&args.folder), process)?;
    let (mut jobs, mut already, mut outdated) = (Vec::new(), 0, Vec::new());
    let asking =
        Asking { place: &place, agent, out: &out, budget, at_once: args.at_once.into(), process, console };
    // Before it is looked what is missing: an answer may have been left behind.
    let spent = asking.settled()?;
    for prompt in &all {
        let record = answers::record(&out, &prompt.name)?;
        if let Some(record) = record.as_ref().filter(|record| record.agent != args.agent) {
            return Err(foreign(&called, &record.agent, args));
        }
        if answers::file(&out, &prompt.name).is_none() {
            jobs.push(job(prompt));
            continue;
        }
        already += 1;
        let sent = hash(prompt.asked.prompt.text().as_bytes()).to_string();
        if record.is_some_and(|record| record.prompt_sha256 != sent) {
            outdated.push(prompt.name.clone());
        }
    }
    let expected = jobs.iter().fold(Usd(0), |sum, job| sum + job.expected(asking.agent.as_ref()));
    let command = typed(args);
    let plan = Plan { prompts: all.len(), already, expected, spent, budget, command: &command };
    console.say_before_asking(&plan.told(asking.agent.as_ref(), &jobs, &called));
    if !jobs.is_empty() && !plan.agreed(&asking, args.yes)? {
        console.say(&format!("nothing was sent\nnext: {}", process.next(&command)));
        return Ok(if process.stopped() { ErrorCode::Interrupted } else { ErrorCode::Waiting });
    }
    for prompt in all.iter().filter(|prompt| jobs.iter().any(|job| job.name == prompt.name)) {
        prompt.write(&out)?;
    }
    let asked = asking.ask(jobs)?;
    Ok(show(args, &plan, &asked, &outdated, &called, process, console))
}

/// Where the answers go.
fn out_of(args: &EvalRunArgs) -> PathBuf {
    let usual = || args.folder.join(case_folder::ANSWERS).join(&args.agent);
    args.out.clone().unwrap_or_else(usual)
}

/// The folder of cases as prompts call it: as it was typed, if that can be made in the folder the agent works in.
fn as_named(folder: &Path) -> PathBuf {
    let plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    if folder.components().all(plain) { folder.to_owned() } else { PathBuf::from("cases") }
}

/// Refuses to continue conversations that the agent does not keep.
fn require_conversations(agent: &dyn Agent, place: &Place) -> Result<(), CliError> {
    let mut records = Records::default();
    place.ledger.each_of(&Records::KINDS, &mut |scope, entry| records.take(scope, &entry.event))?;
    let Resumable { resume, why } = records.resumable(&agent.name(), &agent.describe());
    let why = match agent.abilities().resume {
        Resume::No => "it keeps no conversations".to_owned(),
        _ if resume == Resume::No => without_check(&why).to_owned(),
        _ => return Ok(()),
    };
    Err(CliError::usage(format!("{} cannot be asked with `resume`: {why}", agent.name()))
        .hint("leave out the arms with resume, or name another agent")
        .hint(format!("what is known about it: redraft doctor --agent {}", agent.name())))
}

fn foreign(out: &Path, other: &str, args: &EvalRunArgs) -> CliError {
    let error = CliError::usage(format!("{} has answers of the agent {other}", out.display()));
    error.hint(format!(
        "give {} a folder of its own: redraft eval run {} OUT --agent {}",
        args.agent,
        quoted_path(&args.folder),
        quoted(&args.agent)
    ))
}

fn job(prompt: &CasePrompt<'_>) -> Job {
    let CasePrompt { name, case, texts, arm, profile, own, asked, place } = prompt;
    let tools = match own {
        Some(own) => own.tools(profile),
        None => profile.tools.to_vec(),
    };
    let before = asked
        .before
        .as_ref()
        .map(|before| (before.prompt.clone(), files(case, texts, ReviewRound::First, place)));
    Job {
        name: name.clone(),
        phase: case.phase,
        role: Role::new(profile.role),
        strategy: arm.strategy,
        tools: tools.into_iter().map(str::to_owned).collect(),
        schema: SCHEMA,
        before,
        prompt: asked.prompt.clone(),
        files: files(case, texts, arm.round, place),
    }
}

/// The files of a case as they are in a round, where its prompt says that they are.
fn files(case: &Case, texts: &CaseTexts, round: ReviewRound, place: &Path) -> Vec<RoomFile> {
    if case.is_code() {
        let second = round == ReviewRound::Second;
        let files = if second { &texts.second_files } else { &texts.files };
        let file = |(path, text): &(String, String)| RoomFile { path: path.into(), text: text.clone() };
        return files.iter().map(file).collect();
    }
    let artifact = match (round, &texts.second) {
        (ReviewRound::Second, Some(second)) => second,
        _ => &texts.first,
    };
    let upstream = texts.upstream.iter().map(|(name, text)| (name.as_str(), text));
    let all = upstream.chain([(case.artifact(), artifact)]);
    all.map(|(name, text)| RoomFile { path: place.join(name), text: text.clone() }).collect()
}

fn show(
    args: &EvalRunArgs,
    plan: &Plan<'_>,
    asked: &AskedAll,
    outdated: &[String],
    out: &Path,
    process: &ProcessContext,
    console: &Console,
) -> ErrorCode {
    let mut text = format!(
        "{} of {} answered, {} by this call; {} spent on {} in all",
        plan.already + asked.answered,
        count(plan.prompts, "prompt"),
        asked.answered,
        asked.spent,
        out.display()
    );
    for (name, why) in &asked.failed {
        text.push_str(&format!("\n{name} has no answer: {why}"));
    }
    if !outdated.is_empty() {
        text.push_str(&format!(
            "\n{} for an older prompt; remove the files to ask again: {}",
            count(outdated.len(), "answer"),
            outdated.join(", ")
        ));
    }
    let (outcome, code, why) = asked.ended();
    if !why.is_empty() {
        text.push_str(&format!("\n{why}"));
    }
    let next = process.next(&match outcome {
        "done" => format!("redraft eval score {} {}", quoted_path(&args.folder), quoted_path(out)),
        "over budget" => format!("{} --budget USD", plan.command),
        _ => plan.command.to_owned(),
    });
    text.push_str(&format!("\nnext: {next}"));
    let failed = asked.failed.iter().map(|(prompt, why)| Failure { prompt, why }).collect();
    let report = EvalRunReport {
        v: 1,
        agent: &args.agent,
        out: out.display().to_string(),
        prompts: plan.prompts,
        already: plan.already,
        answered: asked.answered,
        outdated,
        failed,
        outcome,
        expected_micro_usd: plan.expected,
        spent_micro_usd: asked.spent,
        budget_micro_usd: plan.budget,
        next: &next,
    };
    console.show(&text, &report);
    code
}

/// The command that continues, without what is typed anew.
fn typed(args: &EvalRunArgs) -> String {
    let mut command = format!("redraft eval run {}", quoted_path(&args.folder));
    if let Some(out) = &args.out {
        command.push_str(&format!(" {}", quoted_path(out)));
    }
    command.push_str(&format!(" --agent {}", quoted(&args.agent)));
    args.arms.iter().for_each(|arm| command.push_str(&format!(" --arm {}", quoted(arm))));
    command
}
