//! `redraft run`: drives a feature on until it is approved, a person is needed, or it is interrupted.

use super::args::{OnCap, RunArgs};
use super::cast::Cast;
use super::consent;
use super::console::Console;
use super::errors::{CliError, Code};
use super::monitor;
use super::prepare::{hold_place, prepare};
use super::site::{Site, Surroundings};
use super::status;
use redraft_adapters::config::Config;
use redraft_adapters::inbox::FileInbox;
use redraft_adapters::sqlite::Ledger;
use redraft_core::event::{About, Certify, Decision, Entry, Event, Question};
use redraft_core::findings::Finding;
use redraft_core::ids::FeatureId;
use redraft_core::pipeline::Pipeline;
use redraft_core::profile;
use redraft_core::project::{self, BoardRow, Receipt, Warning};
use redraft_core::review::End;
use redraft_core::text::{one_line, utc};
use redraft_core::ticket::Scope;
use redraft_core::usage::Usd;
use redraft_engine::ports::{Agents, Clock, Deadlines, Store, Workspace};
use redraft_engine::{Parts, Rules, Run, Stop, Undone};
use serde::Serialize;

#[derive(Serialize)]
struct RunJson<'a> {
    v: u16,
    feature: String,
    /// `approved`, `accepted` (by a ruling), `waiting`, `parked`, `over budget`, `abandoned` or `interrupted`.
    outcome: &'a str,
    question: Option<&'a Question>,
    /// Where it is parked: when the usage limit is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    parked_until_ms: Option<i64>,
    receipt: &'a Receipt,
    /// What this run undid in the worktree, and how to get it back.
    undone: &'a [Undone],
    notes: Vec<String>,
    /// What happens too often over several features, with the remedy.
    warnings: Vec<Warning>,
    folder: String,
    next: String,
}

pub(crate) fn run(args: RunArgs, around: &Surroundings, console: &Console) -> Result<Code, CliError> {
    let site = Site::find(&around.folder)?;
    // Only looked at here; it is opened for writing, and checked, once the feature is ours alone.
    let Some(ledger) = site.reader()? else {
        site.writer()?;
        return Err(
            CliError::usage("there is no feature here yet").hint("begin one: redraft new \"your idea\"")
        );
    };
    let id = site.feature(&ledger, args.feature.as_deref())?;
    drop(ledger);
    drive(&site, id, &args, around, console)
}

/// Drives one feature.
fn drive(
    site: &Site,
    id: FeatureId,
    args: &RunArgs,
    around: &Surroundings,
    console: &Console,
) -> Result<Code, CliError> {
    drive_to(site, id, args, around, console, None)
}

/// What a report ends with, where the worktree and the feature's next command would be of no use.
pub(crate) struct Ending {
    pub(crate) text: String,
    pub(crate) next: String,
}

/// The same with another ending.
pub(crate) fn drive_to(
    site: &Site,
    id: FeatureId,
    args: &RunArgs,
    around: &Surroundings,
    console: &Console,
    ending: Option<Ending>,
) -> Result<Code, CliError> {
    let config = config(site, args)?;
    let mut rules = rules(&config, args, around)?;
    let lock = site.lock(&id.to_string(), around)?;
    let ledger = site.writer()?;
    let created = site.created(&ledger, id)?;
    if args.budget.is_none() {
        rules.budget = kept_budget(&ledger, id)?.unwrap_or(rules.budget);
    }
    let _place = hold_place(site, &created, around)?;
    prepare(site, &ledger, &created, &config, around, console)?;
    let workspace = site.workspace(&created)?;
    workspace.sweep();
    let inbox = FileInbox::new(&site.state);
    let agents = Cast::new(site, &config, around);
    let roles = profile::roles();
    super::trust::require_for_agents(&ledger, &config, &roles, id)?;
    for role in &roles {
        // A configuration that cannot work is told before anything is sent.
        agents.agent_for(role).map_err(|detail| CliError::new(Code::Config, detail))?;
    }
    if !args.yes && !consent::given(&ledger, &created, &agents, rules.budget, around, console)? {
        console.say(&format!("nothing was sent\nnext: {}", around.next(&format!("redraft run {id}"))));
        return Ok(if around.clock.stopped() { Code::Interrupted } else { Code::Waiting });
    }
    let parts = Parts {
        store: &ledger,
        workspace: &workspace,
        inbox: &inbox,
        clock: &around.clock,
        boundaries: &around.boundaries,
        progress: console,
        agents: &agents,
        redactor: &around.redactor,
    };
    let mut run = Run::load(parts, rules, id)?;
    if args.budget.is_some() {
        run.keep_budget()?;
    }
    if args.now {
        run.send_now();
    }
    let notes = kept_rules(run.state(), args, id);
    for note in &notes {
        console.say(note);
    }
    let on_cap = args.on_cap.unwrap_or(if console.can_ask() { OnCap::Ask } else { OnCap::Stop });
    let stop = loop {
        match run.drive()? {
            Stop::Asking(question) => match answer(&question, run.state(), on_cap, around, console) {
                Some((choice, why)) => run.decide(choice, &why)?,
                None => break Stop::Asking(question),
            },
            stop => break stop,
        }
    };
    if let Some(changed) = changed_since(&workspace, run.state())? {
        console.say(&changed);
    }
    tidy(&inbox, id, run.entries(), console);
    let receipt = project::receipt(run.entries());
    let row = BoardRow::of(run.state(), around.clock.now_ms());
    let place = site.worktree(&created)?.join(redraft_engine::compose::folder(&created));
    let parked_until_ms = if let Stop::Parked(until_ms) = &stop { Some(*until_ms) } else { None };
    let (outcome, code) = match &stop {
        Stop::Interrupted => ("interrupted", Code::Interrupted),
        Stop::Parked(until_ms) => {
            console.say(&format!("an agent's usage limit is reached until {}", utc(*until_ms)));
            ("parked", Code::Limit)
        }
        Stop::Done => (row.status.as_str(), done_code(&row.status)),
        Stop::Asking(question) => ("waiting", waiting_code(question, on_cap)),
        Stop::OverBudget { .. } => ("over budget", Code::Limit),
    };
    let question = if let Stop::Asking(question) = &stop { Some(question) } else { None };
    let again = match &args.agent {
        Some(agent) if row.next.starts_with("redraft run") => format!("{} --agent {agent}", row.next),
        _ => row.next.clone(),
    };
    let next = ending.as_ref().map_or_else(|| around.next(&again), |ending| ending.next.clone());
    if let Stop::OverBudget { ticket, over } = &stop {
        console.say(&format!("{ticket}: {over}"));
    }
    let folder = place.display().to_string();
    console.say("");
    let (feature, undone) = (id.to_string(), run.undone());
    let warnings = monitor::watch(site, &status::rows(&ledger)?);
    let receipt = &receipt;
    let shown = RunJson {
        v: 1,
        feature,
        outcome,
        question,
        parked_until_ms,
        receipt,
        undone,
        notes,
        warnings,
        folder,
        next,
    };
    let costs = around.next(&format!("redraft cost {id}"));
    console.show(&report(&shown, &costs, ending), &shown);
    monitor::say(&shown.warnings, console);
    drop(lock);
    Ok(code)
}

/// A loop keeps the rules it was opened with; a flag that says otherwise is for the next one.
fn kept_rules(state: &Pipeline, args: &RunArgs, id: FeatureId) -> Vec<String> {
    let Some(open) = &state.open else { return Vec::new() };
    let (phase, pass) = (open.opened.phase, open.opened.pass);
    let flags = [
        ("policy", &args.policy, open.opened.policy.name()),
        ("knowledge", &args.knowledge, open.opened.knowledge.name()),
        ("certify", &args.certify, open.opened.certify.name()),
    ];
    let ignored = flags.into_iter().filter_map(|(flag, word, kept)| {
        let word = word.as_deref().filter(|word| *word != kept)?;
        Some(format!(
            "pass {pass} of {phase} was opened with {flag} {kept} and keeps it; --{flag} {word} is for a new pass \
             (redraft decide {id} rerun, when a question is open)"
        ))
    });
    ignored.collect()
}

/// A document that was edited after its phase had closed is not what was approved; nobody will look at it again.
fn changed_since(workspace: &dyn Workspace, state: &Pipeline) -> Result<Option<String>, CliError> {
    let Some(past) = state.past.last().filter(|_| state.open.is_none()) else { return Ok(None) };
    let Some(End::Closed(closed)) = &past.end else { return Ok(None) };
    let found = workspace.revision(&past.opened.paths)?;
    let changed = found.as_ref() != Some(&closed.revision);
    let (path, phase) = (past.artifact(), closed.phase);
    Ok(changed.then(|| format!("{path} is not what was approved: it was edited after {phase} had closed, and nobody will review that; put it back (git restore), or describe the change in a feature of its own")))
}

/// What redraft.toml says, with every role played by `--agent`.
fn config(site: &Site, args: &RunArgs) -> Result<Config, CliError> {
    let config = site.config()?;
    let Some(name) = &args.agent else { return Ok(config) };
    config.played_by(name).map_err(|unknown| {
        let error = CliError::usage(unknown.to_string());
        match unknown.near {
            Some(near) => error.hint(format!("did you mean `{near}`?")),
            None => error.hint(format!("to add it, write [agents.{name}] in redraft.toml")),
        }
    })
}

fn report(shown: &RunJson<'_>, costs: &str, ending: Option<Ending>) -> String {
    let RunJson { feature, outcome, question, parked_until_ms, receipt, undone, folder, next, .. } = shown;
    let next = status::from_when(next, *parked_until_ms);
    let asked = question.map(|question| format!(": {}", question.text)).unwrap_or_default();
    let ending = ending
        .map_or_else(|| format!("costs: {costs}\nfolder: {folder}\nnext: {next}"), |ending| ending.text);
    let undone: String = undone.iter().map(lost_and_found).collect();
    format!("{}\n{undone}feature {feature} is {outcome}{asked}\n{ending}", receipt.text())
}

fn lost_and_found(undone: &Undone) -> String {
    let Undone { ticket, what, reference, command } = undone;
    let what = what.join(", ");
    format!(
        "undone for {ticket}: {what}; kept under {reference}\n  to look at it: git show {reference}\n  to put it over \
         what is there now: {command}\n"
    )
}

/// The budget an earlier run was given for the feature.
fn kept_budget(ledger: &Ledger, id: FeatureId) -> Result<Option<Usd>, CliError> {
    let entries = ledger.read(Scope::Feature(id))?;
    Ok(entries.into_iter().rev().find_map(|entry| match entry.event {
        Event::BudgetSet(set) => Some(set.limit),
        _ => None,
    }))
}

/// Removes what was kept of dispatches that nobody needs any more. What cannot be removed is left for the next run.
fn tidy(inbox: &FileInbox, id: FeatureId, entries: &[Entry], console: &Console) {
    for ticket in project::settled(entries).iter().filter(|ticket| ticket.scope == Scope::Feature(id)) {
        if let Err(error) = inbox.forget(ticket) {
            console.say(&format!("what was kept of {ticket} cannot be removed: {error}"));
            return;
        }
    }
}

/// Dollars as typed, `5` or `2.50`.
pub(crate) fn dollars(word: &str) -> Option<Usd> {
    let amount: f64 = word.trim_start_matches('$').parse().ok()?;
    (amount.is_finite() && (0.0..=1_000_000.0).contains(&amount))
        .then(|| Usd((amount * 1_000_000.0).round() as u64))
}

fn done_code(status: &str) -> Code {
    if matches!(status, "approved" | "accepted") { Code::Done } else { Code::NotApproved }
}

fn waiting_code(question: &Question, on_cap: OnCap) -> Code {
    match (&question.about, on_cap) {
        // Where a person may accept, the agent answered.
        (About::Agent { .. }, _) if !question.choices.contains(&Decision::Accept) => Code::Agent,
        (About::Cap { .. }, OnCap::Stop) => Code::Limit,
        _ => Code::Waiting,
    }
}

fn rules(config: &Config, args: &RunArgs, around: &Surroundings) -> Result<Rules, CliError> {
    let unknown = |error: redraft_core::ids::BadId| CliError::usage(error.to_string());
    let policy = match &args.policy {
        Some(word) => word.parse().map_err(unknown)?,
        None => config.policy,
    };
    let knowledge = match &args.knowledge {
        Some(word) => word.parse().map_err(unknown)?,
        None => config.knowledge,
    };
    let certify = match args.certify.as_deref() {
        None => config.certify,
        Some(word) => Certify::ALL
            .into_iter()
            .find(|certify| certify.name() == word)
            .ok_or_else(|| CliError::usage(format!("`{word}` is not one of resume, fresh, off")))?,
    };
    let budget = budget(args.budget.as_deref(), config)?;
    Ok(Rules {
        limits: config.limits,
        threshold: config.threshold,
        certify,
        policy,
        knowledge,
        config: config.hash.clone(),
        deadlines: deadlines(config.dispatch_minutes * 60_000),
        budget,
        person: around.user.clone(),
    })
}

/// What was typed, else what the file says.
pub(crate) fn budget(typed: Option<&str>, config: &Config) -> Result<Usd, CliError> {
    let Some(word) = typed else { return Ok(config.budget) };
    let wrong = || {
        let message = format!("`{word}` is not a budget: dollars from 0 to 1,000,000 are accepted");
        CliError::usage(message).hint("write it as 5 or 2.50")
    };
    dollars(word).ok_or_else(wrong)
}

/// The total is the user's; the parts of it are what a healthy agent never exceeds.
pub(crate) fn deadlines(total_ms: u64) -> Deadlines {
    let at_most = |ms: u64| ms.min(total_ms);
    Deadlines {
        connect_ms: at_most(10_000),
        first_byte_ms: at_most(120_000),
        idle_ms: at_most(300_000),
        total_ms,
    }
}

/// The findings that a decision is about, a line each.
pub(crate) fn in_the_way(state: &Pipeline) -> Vec<String> {
    const LINES_MAX: usize = 20;
    let Some(open) = &state.open else { return Vec::new() };
    let blocking = open.findings.iter().filter(|finding| finding.blocks(open.opened.rule));
    let line = |finding: &Finding| {
        let (id, severity, role) = (&finding.id, finding.severity.name(), &finding.role);
        format!("  {id} {severity}, {role}: {}", one_line(&finding.description, 160))
    };
    let mut lines: Vec<String> = blocking.clone().take(LINES_MAX).map(line).collect();
    let left = blocking.count().saturating_sub(LINES_MAX);
    if left > 0 {
        lines.push(format!("  … and {left} more: redraft show findings {}", open.feature));
    }
    lines
}

/// A decision without leaving the run: by flag, or asked on the terminal.
fn answer(
    question: &Question,
    state: &Pipeline,
    on_cap: OnCap,
    around: &Surroundings,
    console: &Console,
) -> Option<(Decision, String)> {
    let cap = matches!(question.about, About::Cap { .. });
    if cap && on_cap == OnCap::Accept {
        return Some((Decision::Accept, "--on-cap accept".to_owned()));
    }
    if !console.can_ask() || (cap && on_cap == OnCap::Stop) {
        return None;
    }
    let names: Vec<&str> = question.choices.iter().map(|choice| choice.name()).collect();
    console.say(&question.text);
    console.say_all(&in_the_way(state));
    loop {
        let word = console.ask(&format!("{} or stop? ", names.join(", ")), &around.clock)?;
        if word.is_empty() || word == "stop" {
            return None;
        }
        if let Some(choice) = question.choices.iter().find(|choice| choice.name() == word) {
            let why = console.ask("why (kept with the decision)? ", &around.clock)?;
            if *choice == Decision::Accept && why.is_empty() {
                console.say("accepting is a ruling and needs a reason");
                continue;
            }
            return Some((*choice, why));
        }
        console.say(&format!("`{word}` is not a choice here"));
    }
}
