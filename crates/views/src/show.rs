//! `redraft show`: looks inside a feature. `documents` needs no feature, only documents; `trace` shows the trace of a
//! feature, `schedule` which of its tasks may run side by side.

pub mod documents;
pub mod pull_request;
pub mod schedule;
pub mod trace;

use redraft_adapters::inbox::FileInbox;
use redraft_adapters::sqlite::Ledger;
use redraft_core::attribution::{Attribution, RoleAttribution};
use redraft_core::pipeline::Pipeline;
use redraft_core::review::Loop;
use redraft_documents::reconcile::defects;
use redraft_engine::compose;
use redraft_engine::ports::Store;
use redraft_facts::choice::Strategy;
use redraft_facts::event::{Entry, Event, Started};
use redraft_facts::findings::Finding;
use redraft_facts::fragment::Prompt;
use redraft_facts::harmless;
use redraft_facts::ids::{FindingId, Role};
use redraft_facts::phase::Phase;
use redraft_facts::text::hash;
use redraft_facts::ticket::{Purpose, Scope, Ticket};
use redraft_frame::args::{FindingsArgs, PromptArgs};
use redraft_frame::console::{Console, beneath};
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::profiles;
use redraft_frame::repository_context::RepositoryContext;
use redraft_frame::resolve::ticket_in;
use redraft_prompts::prompt;
use redraft_reports::claims::{NothingLookedUp, VerifiedClaim, claims, nothing_in_words, nothing_looked_up};
use redraft_roles::profile::{self, RoleText};
use serde::Serialize;

fn open(
    repo: &RepositoryContext,
    word: Option<&str>,
    process: &ProcessContext,
) -> Result<(Ledger, Scope, Vec<Entry>), CliError> {
    let Some(ledger) = repo.reader()? else {
        return Err(
            CliError::usage("there is no feature here yet").hint("begin one: redraft new \"your idea\"")
        );
    };
    let scope = repo.resolve_scope(&ledger, word, process)?;
    let entries = ledger.read(scope.clone())?;
    Ok((ledger, scope, entries))
}

/// The scope of the events, in a sentence.
fn whom(scope: &Scope) -> String {
    match scope {
        Scope::Feature(id) => format!("feature {id}"),
        other => other.to_string(),
    }
}

#[derive(Default, Serialize)]
struct PromptJson {
    v: u16,
    ticket: String,
    strategy: &'static str,
    why: String,
    sha256: String,
    chars: u64,
    fragments: Vec<FragmentJson>,
    /// The folder that holds all that the program printed that was sent it.
    #[serde(skip_serializing_if = "Option::is_none")]
    printed: Option<String>,
}

#[derive(Serialize)]
struct FragmentJson {
    name: String,
    stability: &'static str,
    bytes: usize,
    text: String,
}

pub fn prompt(args: PromptArgs, process: &ProcessContext, console: &Console) -> Result<ErrorCode, CliError> {
    if args.example.is_some() {
        return example(&args, process, console);
    }
    let repo = process.repository()?;
    let whole: Option<Ticket> = args.ticket.as_deref().and_then(|word| word.parse().ok());
    if let Some(Ticket { scope: scope @ (Scope::Agent(_) | Scope::Review(_)), .. }) = &whole {
        let ledger = repo.reader()?;
        let Some(ledger) = ledger else { return Err(CliError::usage("nothing has been sent here yet")) };
        let entries = ledger.read(scope.clone())?;
        let (whom, command) = match scope {
            Scope::Agent(agent) => (format!("agent {agent}"), format!("redraft doctor --agent {agent}")),
            _ => (scope.to_string(), "redraft review FILE".to_owned()),
        };
        return show_prompt(&args, whole.as_ref(), (&repo, &ledger), &entries, (&whom, &command), console);
    }
    let of_ticket = whole.as_ref().map(|ticket| ticket.scope.to_string());
    let (ledger, scope, entries) = open(&repo, args.feature.as_deref().or(of_ticket.as_deref()), process)?;
    let ticket = args.ticket.as_deref().map(|word| ticket_in(&scope, word)).transpose()?;
    if args.verify {
        return verify(&repo, &ledger, &scope, &entries, process, console);
    }
    let command = match &scope {
        Scope::Feature(id) => format!("redraft run {id}"),
        _ => "redraft review FILE".to_owned(),
    };
    let whom = whom(&scope);
    show_prompt(&args, ticket.as_ref(), (&repo, &ledger), &entries, (&whom, &command), console)
}

/// What a role would be sent, in the feature that the documentation uses. A repository is needed only for its own role
/// texts.
fn example(args: &PromptArgs, process: &ProcessContext, console: &Console) -> Result<ErrorCode, CliError> {
    let unknown = |error: redraft_facts::ids::BadId| CliError::usage(error.to_string());
    let named = args.example.as_ref().and_then(Option::as_ref).or(args.role.as_ref());
    let roles = || profile::roles().iter().map(Role::to_string).collect::<Vec<_>>().join(", ");
    let Some(role) = named.map(Role::new) else {
        return Err(CliError::usage("an example needs a role").hint(format!("roles are {}", roles())));
    };
    let asked: Option<Phase> = args.phase.as_deref().map(str::parse).transpose().map_err(unknown)?;
    let word = args.strategy.as_deref().unwrap_or("lazy");
    let strategy = Strategy::ALL.into_iter().find(|strategy| strategy.name() == word).ok_or_else(|| {
        CliError::usage(format!("`{word}` is not a strategy (inline, lazy, digest or resume)"))
    })?;
    let takes_part = |phase: &Phase| profile::find(*phase, &role).is_some();
    let phases = Phase::ALL
        .into_iter()
        .chain([Phase::Finish, Phase::Document])
        .filter(|phase| asked.is_none_or(|asked| asked == *phase));
    let Some(phase) = phases.into_iter().find(takes_part) else {
        let place = asked.map(|phase| format!(" in {phase}")).unwrap_or_default();
        return Err(
            CliError::usage(format!("there is no role {role}{place}")).hint(format!("roles are {}", roles()))
        );
    };
    if args.text {
        return role_text(phase, &role, console);
    }
    let purpose = args.purpose.as_deref().map(purpose).transpose()?;
    let own = match process.repository() {
        Ok(repo) => profiles::read(&repo)?.remove(&role),
        Err(_) => None,
    };
    let own = own.and_then(|text| RoleText::parse(&text, &role).ok());
    let of = |purpose: Option<Purpose>| match args.by_itself {
        true => prompt::sample_by_itself(&role, purpose, strategy, own.as_ref()),
        false => prompt::sample(phase, &role, purpose, strategy, own.as_ref()),
    };
    if args.by_itself && of(None).is_none() {
        let reviewers = profile::panels(Phase::Implement);
        let names: Vec<&str> =
            reviewers.iter().flat_map(|panel| &panel.roles).map(|one| one.role.as_str()).collect();
        return Err(CliError::usage(format!("{role} does not review changes"))
            .hint(format!("roles that do are {}", names.join(", "))));
    }
    let Some(sample) = of(purpose) else {
        let word = purpose.map(Purpose::name).unwrap_or_default();
        let fit = Purpose::ALL.into_iter().filter(|one| of(Some(*one)).is_some());
        let fit: Vec<&str> = fit.map(Purpose::name).collect();
        return Err(CliError::usage(format!("{role} is never asked to {word} in {phase}"))
            .hint(format!("its purposes are {}", fit.join(", "))));
    };
    let text = sample.prompt.text();
    let why = if own.is_some() { "an example, with the role text in .redraft/agents" } else { "an example" };
    let about = PromptJson {
        v: 1,
        ticket: format!("{phase}/{}/{role}", sample.purpose.name()),
        strategy: sample.strategy.name(),
        why: why.to_owned(),
        sha256: hash(text.as_bytes()).to_string(),
        ..PromptJson::default()
    };
    shown(&sample.prompt, about, console)
}

#[derive(Serialize)]
struct RoleTextJson {
    v: u16,
    role: String,
    /// Where a text of one's own has to be.
    file: String,
    text: String,
}

/// The built-in text of a role in the form that a text of one's own has. A role that does two things has two texts, and a
/// text of one's own takes the place of both.
fn role_text(phase: Phase, role: &Role, console: &Console) -> Result<ErrorCode, CliError> {
    let Some(profile) = profile::find(phase, role) else {
        return Err(CliError::usage(format!("there is no role {role} in {phase}")));
    };
    let mut rubrics: Vec<&str> = Vec::new();
    for one in Purpose::ALL.into_iter().filter_map(|purpose| profile::of_dispatch(phase, role, purpose, &[]))
    {
        let rubric = one.rubric.trim();
        if !rubrics.contains(&rubric) {
            rubrics.push(rubric);
        }
    }
    let text =
        format!("---\nname: {role}\ndescription: {}\n---\n\n{}\n", profile.title, rubrics.join("\n\n"));
    if console.json {
        let (role, file) = (role.to_string(), format!(".redraft/agents/{role}.md"));
        console.object(&RoleTextJson { v: 1, role, file, text });
    } else {
        console.page(&text);
    }
    Ok(ErrorCode::Done)
}

fn purpose(word: &str) -> Result<Purpose, CliError> {
    Purpose::ALL.into_iter().find(|purpose| purpose.name() == word).ok_or_else(|| {
        let words: Vec<&str> = Purpose::ALL.into_iter().map(Purpose::name).collect();
        CliError::usage(format!("`{word}` is not a purpose"))
            .hint(format!("purposes are {}", words.join(", ")))
    })
}

/// The newest prompt that was asked for. `whom` is the scope it was sent for, with the command that sends the first
/// one.
fn show_prompt(
    args: &PromptArgs,
    ticket: Option<&Ticket>,
    (repo, ledger): (&RepositoryContext, &Ledger),
    entries: &[Entry],
    (whom, command): (&str, &str),
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let started = entries.iter().rev().filter_map(|entry| match &entry.event {
        Event::Started(started) => Some(started),
        _ => None,
    });
    let wanted = |started: &&Started| {
        ticket.is_none_or(|ticket| started.ticket == *ticket)
            && args.role.as_deref().is_none_or(|role| started.ticket.role.as_str() == role)
            && args.strategy.as_deref().is_none_or(|strategy| started.choice.strategy.name() == strategy)
    };
    let all: Vec<&Started> = started.collect();
    let Some(started) = all.iter().copied().find(wanted) else {
        let error = CliError::usage(format!("no such prompt was sent for {whom}"));
        let sent: Vec<String> = all.iter().map(|started| started.ticket.to_string()).collect();
        return Err(match sent.as_slice() {
            [] => error.hint(format!("nothing has been sent yet: {command}")),
            sent => error.hint(format!("sent so far: {}", sent.join(" "))),
        });
    };
    let prompt = read(ledger, started)?;
    let printed = FileInbox::new(&repo.state).printed(&started.ticket);
    let choice = &started.choice;
    let about = PromptJson {
        v: 1,
        ticket: started.ticket.to_string(),
        strategy: choice.strategy.name(),
        why: choice.why.clone(),
        sha256: started.prompt.to_string(),
        printed: printed.map(|folder| folder.display().to_string()),
        ..PromptJson::default()
    };
    shown(&prompt, about, console)
}

fn shown(prompt: &Prompt, about: PromptJson, console: &Console) -> Result<ErrorCode, CliError> {
    let fragments = prompt.fragments().map(|(stability, fragment)| FragmentJson {
        name: fragment.name.clone(),
        stability: stability.name(),
        bytes: fragment.text.len(),
        text: fragment.text.clone(),
    });
    let shown = PromptJson { chars: prompt.chars(), fragments: fragments.collect(), ..about };
    console.say(&format!("{}, {}: {}", shown.ticket, shown.strategy, shown.why));
    for fragment in &shown.fragments {
        console
            .say(&format!("  {:<9} {:<18} {:>7} bytes", fragment.stability, fragment.name, fragment.bytes));
    }
    if let Some(folder) = &shown.printed {
        console.say(&format!("all that its program printed: stdout and stderr in {folder}"));
    }
    console.show(&prompt.text(), &shown);
    Ok(ErrorCode::Done)
}

fn read(ledger: &Ledger, started: &Started) -> Result<Prompt, CliError> {
    let bytes = ledger.blob(&started.prompt)?;
    serde_json::from_slice(&bytes).map_err(|error| {
        CliError::new(
            ErrorCode::Config,
            format!("the stored prompt of {} is damaged: {error}", started.ticket),
        )
    })
}

#[derive(Serialize)]
struct VerifyJson {
    v: u16,
    prompts: usize,
    differing: Vec<String>,
}

/// Shows for one feature that the same events and inputs give byte-identical prompts.
fn verify(
    repo: &RepositoryContext,
    ledger: &Ledger,
    scope: &Scope,
    entries: &[Entry],
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    if let Scope::Feature(id) = scope {
        repo.refuse_cleaned(*id)?;
    }
    let created = repo.created_in(ledger, scope.clone())?;
    let workspace = repo.workspace(&created)?;
    let rebuilt = compose::rebuild(ledger, &workspace, entries, &process.redactor)?;
    let sent = entries.iter().filter(|entry| matches!(entry.event, Event::Started(_))).count();
    let mut differing: Vec<String> = Vec::new();
    for one in &rebuilt {
        let bytes = serde_json::to_vec(&one.prompt).unwrap_or_default();
        if redraft_facts::text::hash(&bytes) != one.stored || ledger.blob(&one.stored)? != bytes {
            differing.push(one.ticket.to_string());
        }
    }
    let missing = sent - rebuilt.len();
    let text = match (differing.as_slice(), missing) {
        ([], 0) => {
            format!("{sent} prompts of {} were rebuilt from the ledger and are identical", whom(scope))
        }
        (differing, _) => format!("prompts that differ: {}; not rebuilt: {missing}", differing.join(" ")),
    };
    let fine = differing.is_empty() && missing == 0;
    console.show(&text, &VerifyJson { v: 1, prompts: sent, differing });
    Ok(if fine { ErrorCode::Done } else { ErrorCode::NotApproved })
}

#[derive(Serialize)]
struct FindingsJson<'a> {
    v: u16,
    feature: String,
    /// Of all phases, in their order.
    findings: Vec<FindingJson<'a>>,
    /// Who gave the verdicts that stand.
    judged_by: Vec<RoleAttribution>,
    rehearsed: bool,
    /// What reviewers wanted to do and were denied: they may have missed something.
    denied: Vec<DeniedJson<'a>>,
    /// Every defect once, whoever found it.
    defects: Vec<DefectJson<'a>>,
    /// What reviewers looked up; first what they left to a person.
    verified: &'a [VerifiedClaim<'a>],
    /// The reviewers that looked up nothing, as far as they say.
    nothing_looked_up: &'a [NothingLookedUp<'a>],
}

#[derive(Serialize)]
struct DefectJson<'a> {
    phase: &'static str,
    ids: Vec<&'a FindingId>,
    reviewers: Vec<&'a Role>,
}

#[derive(Serialize)]
struct FindingJson<'a> {
    phase: &'static str,
    #[serde(flatten)]
    finding: &'a Finding,
    raised_by: Option<RoleAttribution>,
}

#[derive(Serialize)]
struct DeniedJson<'a> {
    ticket: String,
    what: &'a str,
}

pub fn findings(
    args: FindingsArgs,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let repo = process.repository()?;
    let (_, scope, entries) = open(&repo, args.feature.as_deref(), process)?;
    let state =
        Pipeline::replay(&entries).map_err(|error| CliError::new(ErrorCode::Config, error.to_string()))?;
    let raised: Vec<&Loop> = state.relevant().filter(|one| !one.findings.is_empty()).collect();
    let mut text = String::new();
    let mut findings = Vec::new();
    let mut found = Vec::new();
    for one in &raised {
        // An id is unique in its phase only.
        if raised.len() > 1 {
            text.push_str(&format!("{}\n", one.opened.phase));
        }
        let phase = one.opened.phase;
        let raised = |finding: &Finding| state.players.raised_by(phase, &finding.id);
        text.push_str(&table(&one.findings, &state.players, phase));
        let phase = phase.name();
        found.extend(defects(&one.findings).iter().map(|defect| DefectJson {
            phase,
            ids: defect.all().map(|finding| &finding.id).collect(),
            reviewers: defect.all().map(|finding| &finding.role).collect(),
        }));
        let all = one.findings.iter();
        findings.extend(all.map(|finding| FindingJson { phase, finding, raised_by: raised(finding) }));
    }
    let waiting: Vec<(Phase, Finding)> =
        state.comments.waiting.iter().map(|one| (one.phase, one.finding(Role::new("")))).collect();
    for (phase, finding) in &waiting {
        text.push_str(&format!("{phase}, not begun yet\n"));
        text.push_str(&table(std::slice::from_ref(finding), &state.players, *phase));
        findings.push(FindingJson { phase: phase.name(), finding, raised_by: None });
    }
    if findings.is_empty() {
        text.push_str(&format!("{} has no findings", whom(&scope)));
    }
    let answered = entries.iter().filter_map(|entry| match &entry.event {
        Event::Answered(answered) => Some(answered),
        _ => None,
    });
    let denied: Vec<DeniedJson<'_>> = answered
        .flat_map(|fact| fact.denials.iter().map(|what| DeniedJson { ticket: fact.ticket.to_string(), what }))
        .collect();
    for DeniedJson { ticket, what } in &denied {
        text.push_str(&format!("\ndenied in {ticket}: {what}"));
    }
    let verified = claims(&entries, &state);
    for one in &verified {
        let what = if one.flagged { "for a person to check" } else { "verified" };
        text.push_str(&format!("\n{what}, {}", harmless::name(&one.in_words())));
    }
    let nothing = nothing_looked_up(&entries, &state);
    text.extend(nothing_in_words(&nothing).map(|said| format!("\n{}", harmless::name(&said))));
    let (judged_by, rehearsed) = (state.judged_by(), state.is_rehearsed());
    let shown = FindingsJson {
        v: 1,
        feature: scope.to_string(),
        findings,
        judged_by,
        rehearsed,
        denied,
        defects: found,
        verified: &verified,
        nothing_looked_up: &nothing,
    };
    console.show(&text, &shown);
    Ok(ErrorCode::Done)
}

/// Findings as a person reads them.
pub fn table(findings: &[Finding], players: &Attribution, phase: Phase) -> String {
    let mut text = String::new();
    for one in defects(findings) {
        let finding = one.first;
        let mut marks = finding.status.name().to_owned();
        if finding.late {
            marks.push_str(", late");
        }
        if let Some(why) = &finding.unverified {
            marks.push_str(&format!(", unverified: {}", harmless::name(why)));
        }
        let (id, severity, category, round) =
            (&finding.id, finding.severity, harmless::name(&finding.category), finding.round);
        let by = players.raised_by(phase, id).map(|by| format!(" by {}, {}", by.role, by.shown()));
        let by = by.unwrap_or_default();
        let raised = match &finding.by {
            Some(person) => format!("said by {}", harmless::name(person)),
            None => format!("raised in round {round}{by}"),
        };
        text.push_str(&format!("{id} [{severity}] [{category}] {marks}, {raised}\n"));
        let place = finding.place();
        text.push_str(&format!("   {}\n   at: {}\n", beneath(&finding.description), harmless::name(&place)));
        if !finding.note.is_empty() {
            text.push_str(&format!("   last said: {}\n", beneath(&finding.note)));
        }
        for other in one.also {
            let (id, role) = (&other.id, &other.role);
            text.push_str(&format!("   {id}, also by {role}: {}\n", beneath(&other.description)));
        }
    }
    text
}
