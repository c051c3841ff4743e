//! `redraft eval judge`: has findings that no defect explains classed by a second role.
//!
//! In `DIR/judged`: a set of findings (`DOCUMENT.judge.N.findings.json`), its prompt and its answer, in the same form as
//! reviews have; `union.json`, which only grows; and `found.json`, which says which arm found which material defect.

use super::asking::{AskedAll, Asking, Job, Place, Plan, RoomFile, lock};
use super::{answers, case_folder, counted};
use redraft_adapters::plain_file;
use redraft_adapters::shell_word::{quoted, quoted_path};
use redraft_engine::questions::without_secrets;
use redraft_eval::case::{Case, CaseTexts};
use redraft_eval::judge::{self, ExtraFinding, JudgedSet, Union, pending, to_json};
use redraft_eval::tally::{FoundDefect, TallyEntry, found};
use redraft_facts::choice::Strategy;
use redraft_facts::findings::Threshold;
use redraft_facts::fragment::Prompt;
use redraft_facts::ids::Role;
use redraft_facts::text::count;
use redraft_facts::usage::Usd;
use redraft_frame::args::EvalJudgeArgs;
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::whole_file;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const JUDGED: &str = "judged";
const UNION: &str = "union.json";
const FOUND: &str = "found.json";
const SET: &str = ".findings.json";

/// What a program is told.
#[derive(Serialize)]
struct JudgeReport<'a> {
    v: u16,
    /// Different findings that no defect explains, over all arms.
    findings: usize,
    classed: usize,
    material_defects: usize,
    /// Prompts without an answer.
    unanswered: Vec<&'a str>,
    outcome: &'static str,
    spent_micro_usd: Usd,
    next: &'a str,
}

/// Every material defect with the arms that found it. It is written again each time.
#[derive(Serialize)]
struct FoundFile<'a> {
    v: u16,
    defects: &'a [FoundDefect],
}

/// What judges have said about the cases of a folder; none where nobody was asked.
pub(super) fn union(folder: &Path) -> Result<Option<Union>, CliError> {
    stored(&folder.join(JUDGED).join(UNION))
}

/// A stored form, if the file is there.
fn stored<T: serde::de::DeserializeOwned>(file: &Path) -> Result<Option<T>, CliError> {
    if file.symlink_metadata().is_err() {
        return Ok(None);
    }
    let unusable = |error: String| {
        CliError::new(ErrorCode::Config, format!("{}: {error}", file.display()))
            .hint("use the redraft that wrote it, or move the folder away to have everything judged again")
    };
    let text = plain_file::read_text(file, case_folder::DOCUMENT_BYTES_MAX)
        .map_err(|error| unusable(error.to_string()))?;
    judge::read(&text).map(Some).map_err(|error| unusable(error.to_string()))
}

pub(super) fn judge(
    args: &EvalJudgeArgs,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let folder = process.folder.join(&args.folder);
    let cases = case_folder::read_all(&folder)?;
    let outs = counted::outs(&args.folder, &args.outs, process)?;
    let entries = counted::entries(&outs, &cases, Threshold::Blockers)?;
    let out = folder.join(JUDGED);
    let mut judging =
        Judging { cases: &cases, out, union: union(&folder)?.unwrap_or_default(), sets: Vec::new() };
    judging.sets = judging.stored_sets()?;
    judging.take_in();
    let all = extras(&entries);
    judging.add_sets(&all, process)?;
    let mut asked = match &args.agent {
        Some(agent) => judging.ask(agent, args, process, console)?,
        None => Some(AskedAll::default()),
    };
    // What did not fit one prompt of a document comes next, for as long as answers class something.
    while let (Some(agent), Some(so_far)) = (&args.agent, &mut asked) {
        let classed = judging.union.classed();
        judging.take_in();
        if so_far.stop.is_some() || judging.union.classed() == classed {
            break;
        }
        judging.add_sets(&all, process)?;
        if judging.unanswered().next().is_none() {
            break;
        }
        let Some(more) = judging.ask(agent, args, process, console)? else { break };
        so_far.answered += more.answered;
        so_far.failed = more.failed;
        (so_far.stop, so_far.spent) = (more.stop, more.spent);
    }
    let Some(asked) = asked else {
        console.say(&format!("nothing was sent\nnext: {}", process.next(&typed(args))));
        return Ok(if process.stopped() { ErrorCode::Interrupted } else { ErrorCode::Waiting });
    };
    judging.take_in();
    whole_file::keep(&judging.out.join(UNION), &to_json(&judging.union))?;
    let found = found(&entries, &judging.union);
    whole_file::keep(&judging.out.join(FOUND), &to_json(&FoundFile { v: 1, defects: &found }))?;
    Ok(show(args, &judging, &all, found.len(), &asked, process, console))
}

/// Every finding that no plant explains, by document and key.
fn extras(entries: &[TallyEntry]) -> BTreeMap<String, BTreeMap<String, ExtraFinding>> {
    let mut all: BTreeMap<String, BTreeMap<String, ExtraFinding>> = BTreeMap::new();
    for entry in entries {
        let document = judge::document_of(&entry.case);
        for extra in entry.scored.iter().flat_map(|scored| &scored.extras) {
            let of = all.entry(document.to_owned()).or_default();
            of.insert(extra.finding.key.clone(), extra.finding.clone());
        }
    }
    all
}

struct Judging<'a> {
    cases: &'a [(Case, CaseTexts)],
    /// `DIR/judged`.
    out: PathBuf,
    union: Union,
    /// By the beginning of their files' names, in order.
    sets: Vec<(String, JudgedSet)>,
}

impl Judging<'_> {
    fn stored_sets(&self) -> Result<Vec<(String, JudgedSet)>, CliError> {
        let mut sets = Vec::new();
        for name in answers::names(&self.out, SET).unwrap_or_default() {
            if let Some(set) = stored(&self.out.join(format!("{name}{SET}")))? {
                sets.push((name, set));
            }
        }
        Ok(sets)
    }

    /// Takes in every answer that is there; what has a class keeps it.
    fn take_in(&mut self) {
        for (name, set) in &self.sets {
            if let Some(answer) = answers::text(&self.out, name) {
                self.union.take(set, &answer);
            }
        }
    }

    fn unanswered(&self) -> impl Iterator<Item = &(String, JudgedSet)> {
        self.sets.iter().filter(|(name, _)| answers::file(&self.out, name).is_none())
    }

    /// Makes sets of what nobody was asked about, and writes the prompts of all that have no answer.
    fn add_sets(
        &mut self,
        all: &BTreeMap<String, BTreeMap<String, ExtraFinding>>,
        process: &ProcessContext,
    ) -> Result<(), CliError> {
        for (document, found) in all {
            let open: Vec<JudgedSet> = self.unanswered().map(|(_, set)| set.clone()).collect();
            if let Some(set) = pending(document, found, &self.union, &open) {
                let begins = format!("{document}.judge.");
                let number = self.sets.iter().filter(|(name, _)| name.starts_with(&begins)).count() + 1;
                let name = format!("{begins}{number}");
                whole_file::keep(&self.out.join(format!("{name}{SET}")), &to_json(&set))?;
                self.sets.push((name, set));
            }
        }
        for (name, set) in self.unanswered() {
            let (prompt, _) = self.prompt(set, process)?;
            whole_file::keep(&self.out.join(format!("{name}.prompt.md")), &prompt.text())?;
        }
        Ok(())
    }

    /// What the judge of a set is sent, and the case without a defect.
    fn prompt(
        &self,
        set: &JudgedSet,
        process: &ProcessContext,
    ) -> Result<(Prompt, &(Case, CaseTexts)), CliError> {
        let is_clean = |case: &Case| case.is_clean() && judge::document_of(&case.id) == set.document;
        let clean = self.cases.iter().find(|(case, _)| is_clean(case)).ok_or_else(|| {
            CliError::usage(format!("the case without a defect of {} is gone", set.document))
                .hint("plant the cases again, and give the answers another folder")
        })?;
        let prompt = judge::prompt(&clean.0, &clean.1, &self.union, set);
        Ok((without_secrets(prompt, &process.redactor), clean))
    }

    /// Asks an agent; none where nobody agrees to what it costs.
    fn ask(
        &self,
        agent: &str,
        args: &EvalJudgeArgs,
        process: &ProcessContext,
        console: &Console,
    ) -> Result<Option<AskedAll>, CliError> {
        let place = Place::find(process)?;
        let asking = Asking {
            agent: place.agent(agent, process)?,
            place: &place,
            out: &self.out,
            budget: crate::cli::run::budget(args.budget.as_deref(), &place.config)?,
            at_once: args.at_once.into(),
            process,
            console,
        };
        let _lock = lock(&self.out, process)?;
        let spent = asking.settled()?;
        let mut jobs = Vec::new();
        for (name, set) in self.unanswered() {
            let (prompt, (case, texts)) = self.prompt(set, process)?;
            jobs.push(job(name, prompt, case, texts));
        }
        if jobs.is_empty() {
            return Ok(Some(AskedAll { spent, ..AskedAll::default() }));
        }
        let expected = jobs.iter().fold(Usd(0), |sum, job| sum + job.expected(asking.agent.as_ref()));
        let command = typed(args);
        let already = self.sets.len() - jobs.len();
        let plan = Plan {
            prompts: self.sets.len(),
            already,
            expected,
            spent,
            budget: asking.budget,
            command: &command,
        };
        console.say_before_asking(&plan.told(asking.agent.as_ref(), &jobs, &args.folder.join(JUDGED)));
        if !plan.agreed(&asking, args.yes)? {
            return Ok(None);
        }
        asking.ask(jobs).map(Some)
    }
}

fn job(name: &str, prompt: Prompt, case: &Case, texts: &CaseTexts) -> Job {
    // What a change consists of is in its files; a document is in the prompt.
    let file = |(path, text): &(String, String)| RoomFile { path: path.into(), text: text.clone() };
    Job {
        name: name.to_owned(),
        phase: case.phase,
        role: Role::new(judge::ROLE),
        strategy: Strategy::Inline,
        tools: ["Read", "Glob", "Grep"].map(str::to_owned).into(),
        schema: judge::SCHEMA,
        before: None,
        prompt,
        files: texts.files.iter().map(file).collect(),
    }
}

fn show(
    args: &EvalJudgeArgs,
    judging: &Judging<'_>,
    all: &BTreeMap<String, BTreeMap<String, ExtraFinding>>,
    material_defects: usize,
    asked: &AskedAll,
    process: &ProcessContext,
    console: &Console,
) -> ErrorCode {
    let findings: usize = all.values().map(BTreeMap::len).sum();
    let is_classed = |document: &String, key: &String| judging.union.class_of(document, key).is_some();
    let classed = all.iter().map(|(document, of)| of.keys().filter(|key| is_classed(document, key)).count());
    let classed: usize = classed.sum();
    let unanswered: Vec<&str> = judging.unanswered().map(|(name, _)| name.as_str()).collect();
    let shown = args.folder.join(JUDGED);
    let mut text = format!(
        "{classed} of {} classed; {} in {}",
        count(findings, "finding"),
        count(material_defects, "material defect"),
        shown.display()
    );
    let (mut outcome, mut code, why) = asked.ended();
    for (name, why) in &asked.failed {
        text.push_str(&format!("\n{name} has no answer: {why}"));
    }
    if !why.is_empty() {
        text.push_str(&format!("\n{why}"));
    }
    if code == ErrorCode::Done && classed < findings {
        (outcome, code) = ("unanswered", ErrorCode::NotApproved);
    }
    if args.agent.is_none() && !unanswered.is_empty() {
        text.push_str(&format!(
            "\n{} to answer there: put each answer beside its prompt, as DOCUMENT.judge.N.answer.json",
            count(unanswered.len(), "prompt")
        ));
    }
    let next = process.next(&match code {
        ErrorCode::Done => format!("redraft eval score {}", quoted_path(&args.folder)),
        _ => typed(args),
    });
    text.push_str(&format!("\nnext: {next}"));
    let report = JudgeReport {
        v: 1,
        findings,
        classed,
        material_defects,
        unanswered,
        outcome,
        spent_micro_usd: asked.spent,
        next: &next,
    };
    console.show(&text, &report);
    code
}

/// The command that continues.
fn typed(args: &EvalJudgeArgs) -> String {
    let mut command = format!("redraft eval judge {}", quoted_path(&args.folder));
    args.outs.iter().for_each(|out| command.push_str(&format!(" {}", quoted_path(out))));
    if let Some(agent) = &args.agent {
        command.push_str(&format!(" --agent {}", quoted(agent)));
    }
    command
}
