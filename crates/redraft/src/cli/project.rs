//! `redraft project`: lists or begins projects with their milestones and features; also gathers what features are told
//! about theirs.
//!
//! A project is a folder of the repository that people write, `docs/projects/P001-slug/`; only its number is given out
//! here. The ledger says which features belong to it, the roadmap in which milestone they are.

mod context;

pub(crate) use context::project_context;

use redraft_adapters::plain_file;
use redraft_adapters::sqlite::Ledger;
use redraft_documents::dependency::Blocker;
use redraft_documents::project_context::milestones;
use redraft_facts::event::FeatureLife;
use redraft_facts::ids::{FeatureId, slug};
use redraft_facts::text::one_line;
use redraft_frame::args::{ProjectArgs, ProjectCommand, ProjectNewArgs};
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;
use redraft_frame::rows::rows;
use redraft_reports::projections::BoardRow;
use redraft_views::blocker::{BlockerJson, blocked_by};
use redraft_views::checkout_files::{names_in, read_prd, text};
use redraft_views::dependencies::FeatureStandings;
use serde::Serialize;
use std::fs;

/// Where projects are, below the checkout.
const PROJECTS: &str = "docs/projects";

/// A project's name stands in prompts and listings.
const NAME_CHARS_MAX: usize = 120;

#[derive(Serialize)]
struct ProjectsJson {
    v: u16,
    projects: Vec<ProjectJson>,
    notes: Vec<String>,
    next: String,
}

#[derive(Serialize)]
struct ProjectJson {
    id: String,
    folder: String,
    milestones: Vec<MilestoneJson>,
    /// Features of the project that no milestone names.
    not_on_roadmap: Vec<MemberJson>,
}

#[derive(Serialize)]
struct MilestoneJson {
    name: String,
    features: Vec<MemberJson>,
}

#[derive(Serialize)]
struct MemberJson {
    feature: String,
    /// `planned`, `active`, `completed`, `abandoned`, or `not begun`.
    status: &'static str,
    /// Features that come before it and are not completed, unless it is over itself.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    blocked_by: Vec<BlockerJson>,
}

#[derive(Serialize)]
struct BegunJson {
    v: u16,
    project: String,
    folder: String,
    next: String,
}

pub(crate) fn project(
    args: ProjectArgs,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let repo = process.repository()?;
    match args.command {
        Some(ProjectCommand::New(args)) => begin(&repo, &args, process, console),
        None => list(&repo, process, console),
    }
}

/// The project that a word means, as `P001`: the number or the folder's name.
pub(crate) fn project_named(repo: &RepositoryContext, word: &str) -> Result<String, CliError> {
    let known = folders(repo)?;
    let number = word.split('-').next().and_then(project_number);
    let hint = match known.as_slice() {
        [] => "there are no projects yet; begin one: redraft project new \"its name\"".to_owned(),
        known => {
            format!("the projects are {}; or begin one: redraft project new \"its name\"", known.join(", "))
        }
    };
    let unknown =
        || CliError::usage(format!("there is no project `{word}` in {PROJECTS}")).hint(hint.clone());
    let number = number.ok_or_else(unknown)?;
    let id = format!("P{number:03}");
    let found = folder_of(repo, &id)?.ok_or_else(unknown)?;
    if word.contains('-') && word != found {
        return Err(unknown());
    }
    Ok(id)
}

fn begin(
    repo: &RepositoryContext,
    args: &ProjectNewArgs,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let name = one_line(&args.name.clean(&process.redactor), NAME_CHARS_MAX);
    if name.is_empty() {
        return Err(CliError::usage("the project has no name").hint("redraft project new \"Gateway\""));
    }
    let prd = args.prd.as_deref().map(|file| read_prd(repo, file, process)).transpose()?;
    let prd = prd.unwrap_or_else(|| template_prd(&name).into_bytes());
    let _lock = repo.lock_repository(process, console)?;
    let named = repo.repository.project_names()?;
    let mut last = named.iter().filter_map(|name| project_number(name.split('-').next()?)).max().unwrap_or(0);
    if let Some(ledger) = repo.reader()? {
        // A project whose folder is gone keeps its number while a feature names it.
        let numbers =
            members(repo, &ledger)?.into_iter().filter_map(|member| project_number(&member.project?));
        last = last.max(numbers.max().unwrap_or(0));
    }
    let id = format!("P{:03}", last.saturating_add(1));
    let folder = format!("{PROJECTS}/{id}-{}", slug(&name));
    let place = repo.repository.main_checkout().join(&folder);
    let failed = |error: std::io::Error| {
        CliError::new(ErrorCode::Config, format!("{}: {error}", place.display()))
            .hint("remove the incomplete folder, fix the cause and run the command again")
    };
    process.boundaries.pass("before a project is written");
    plain_file::make_folder_inside(repo.repository.main_checkout(), &place)
        .map_err(|error| CliError::new(ErrorCode::Config, format!("{}: {error}", place.display())))?;
    // The roadmap comes last: with it the folder is complete.
    fs::write(place.join("prd.md"), prd).map_err(failed)?;
    fs::write(place.join("roadmap.md"), template_roadmap(&name)).map_err(failed)?;
    let next = process.next(&format!("redraft new \"its first feature\" --project {id}"));
    let text = format!(
        "project {id} in {folder}\nwrite its goals into prd.md and its milestones into roadmap.md, and commit both\nnext: {next}"
    );
    console.show(&text, &BegunJson { v: 1, project: id, folder, next });
    Ok(ErrorCode::Done)
}

fn list(
    repo: &RepositoryContext,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let members = match repo.reader()? {
        Some(ledger) => members(repo, &ledger)?,
        None => Vec::new(),
    };
    let mut notes = Vec::new();
    let mut projects = Vec::new();
    let known = folders(repo)?;
    for name in &known {
        let id = name.split('-').next().unwrap_or(name).to_owned();
        if known.iter().filter(|other| other.split('-').next() == Some(&id)).count() > 1 {
            notes.push(format!(
                "several folders are called {id}; rename all but one before a feature is given to it"
            ));
        }
        let roadmap = text(repo.repository.main_checkout(), &format!("{PROJECTS}/{name}/roadmap.md"));
        projects.push(shown(&id, name, roadmap.as_deref(), &members));
    }
    notes.dedup();
    for member in members.iter().filter(|member| member.project.is_some()) {
        let id = member.project.as_deref().unwrap_or_default();
        if !known.iter().any(|name| name.split('-').next() == Some(id)) {
            notes.push(format!("{} belongs to {id}, which was not found in {PROJECTS}", member.name));
        }
    }
    let next = match projects.first() {
        None => "redraft project new \"its name\"".to_owned(),
        Some(first) => format!("redraft new \"an idea\" --project {}", first.id),
    };
    let shown = ProjectsJson { v: 1, projects, notes, next: process.next(&next) };
    console.show(&report(&shown), &shown);
    Ok(ErrorCode::Done)
}

fn shown(id: &str, name: &str, roadmap: Option<&str>, members: &[Member]) -> ProjectJson {
    let milestones = roadmap.map(milestones).unwrap_or_default();
    let own: Vec<&Member> = members.iter().filter(|member| member.project.as_deref() == Some(id)).collect();
    let listed = milestones.iter().map(|milestone| {
        let features = milestone.features.iter().map(|word| {
            let found = members.iter().find(|member| member.name == *word || member.id.to_string() == *word);
            match found {
                Some(member) => member.shown(),
                None => MemberJson { feature: word.clone(), status: "not begun", blocked_by: Vec::new() },
            }
        });
        MilestoneJson { name: milestone.name.clone(), features: features.collect() }
    });
    let off = own.iter().filter(|member| !milestones.iter().any(|milestone| milestone.names(&member.name)));
    ProjectJson {
        id: id.to_owned(),
        folder: format!("{PROJECTS}/{name}"),
        not_on_roadmap: off.map(|member| member.shown()).collect(),
        milestones: listed.collect(),
    }
}

fn report(shown: &ProjectsJson) -> String {
    let mut text = String::new();
    let line = |member: &MemberJson| match member.blocked_by.as_slice() {
        [] => format!("    {}  {}\n", member.feature, member.status),
        blockers => format!("    {}  {}, {}\n", member.feature, member.status, blocked_by(blockers)),
    };
    for project in &shown.projects {
        text.push_str(&format!("{}  {}\n", project.id, project.folder));
        for milestone in &project.milestones {
            text.push_str(&format!("  {}\n", milestone.name));
            text.extend(milestone.features.iter().map(line));
        }
        if !project.not_on_roadmap.is_empty() {
            text.push_str("  not on roadmap\n");
            text.extend(project.not_on_roadmap.iter().map(line));
        }
    }
    if shown.projects.is_empty() {
        text.push_str("no projects yet\n");
    }
    for note in &shown.notes {
        text.push_str(&format!("note: {note}\n"));
    }
    text.push_str(&format!("next: {}", shown.next));
    text
}

/// A feature of the ledger, as far as projects are concerned.
struct Member {
    id: FeatureId,
    name: String,
    project: Option<String>,
    life: FeatureLife,
    blockers: Vec<Blocker>,
}

impl Member {
    fn shown(&self) -> MemberJson {
        let blocked_by = self.blockers.iter().map(BlockerJson::new).collect();
        MemberJson { feature: self.name.clone(), status: self.life.name(), blocked_by }
    }
}

fn members(repo: &RepositoryContext, ledger: &Ledger) -> Result<Vec<Member>, CliError> {
    let rows = rows(ledger)?;
    let standings = FeatureStandings::new(repo, &rows);
    let member = |row: &BoardRow| Member {
        id: row.id.parse().unwrap_or(FeatureId(0)),
        name: row.name(),
        project: row.project.clone(),
        life: FeatureLife::named(&row.life).unwrap_or(FeatureLife::Active),
        blockers: if row.is_open() { standings.blockers(&row.waits_for) } else { Vec::new() },
    };
    Ok(rows.iter().map(member).collect())
}

/// The one folder of a project; several are a mistake that only a person can mend.
pub(crate) fn folder_of(repo: &RepositoryContext, id: &str) -> Result<Option<String>, CliError> {
    let found: Vec<String> =
        folders(repo)?.into_iter().filter(|name| name.split('-').next() == Some(id)).collect();
    match found.as_slice() {
        [] => Ok(None),
        [one] => Ok(Some(one.clone())),
        several => {
            Err(CliError::new(ErrorCode::Config, format!("several folders of {PROJECTS} are called {id}"))
                .hint(format!("rename all but one of {}", several.join(", "))))
        }
    }
}

/// The folders of projects in the main checkout, sorted.
fn folders(repo: &RepositoryContext) -> Result<Vec<String>, CliError> {
    let names = names_in(&repo.repository.main_checkout().join(PROJECTS))?;
    let is_one = |name: &String| name.split_once('-').is_some_and(|(id, _)| project_number(id).is_some());
    Ok(names.into_iter().filter(is_one).collect())
}

/// The number of `P001`.
pub(crate) fn project_number(id: &str) -> Option<u32> {
    let digits = id.strip_prefix(['P', 'p'])?;
    let plain = digits.len() >= 3 && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|_| plain)
}

fn template_prd(name: &str) -> String {
    format!(
        "# PRD: {name}\n\n## Problem Statement\n\n<!-- Who has which problem today, and what it costs them. -->\n\n\
         ## Goals\n\n<!-- One bullet for each; the first three are shown to every role of every feature. -->\n"
    )
}

fn template_roadmap(name: &str) -> String {
    format!(
        "# Roadmap: {name}\n\n<!-- A heading for each milestone, in order; below it the features that belong to it, by folder \
         name (003-export-orders) or number (003). -->\n\n## M1: First milestone\n"
    )
}
