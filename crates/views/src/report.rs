//! `redraft report`: a feature as one page of HTML that can be handed on, and an index of all of them.
//!
//! `reports::view` says what is shown and `reports::pages` draws it; here the events, the documents and the trace are
//! gathered and written. Only what the ledger and git hold is read, never a file that nobody has committed.

pub(crate) mod gather;
pub(crate) mod markdown;

use gather::{Gathered, gather, overview};
use redraft_adapters::sqlite::Ledger;
use redraft_facts::harmless;
use redraft_facts::ids::FeatureId;
use redraft_facts::text::count;
use redraft_facts::ticket::Scope;
use redraft_frame::args::ReportArgs;
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;
use redraft_frame::whole_file::{self, OwnFiles};
use redraft_reports::pages::{self, Listed, Source};
use redraft_reports::view::Overview;
use serde::Serialize;
use std::fs;
use std::path::Path;

/// The pages that this command may replace.
const OWN: OwnFiles = OwnFiles {
    called: "page",
    such_as: "report.html",
    temporary: ".redraft-report-",
    begins: "<!doctype html>",
    made_by: pages::MADE_BY,
};

#[derive(Serialize)]
struct AllJson<'a> {
    v: u16,
    features: Vec<&'a Overview>,
    /// The pages that were written.
    written: Vec<String>,
}

pub fn report(args: ReportArgs, process: &ProcessContext, console: &Console) -> Result<ErrorCode, CliError> {
    let repo = process.repository()?;
    let Some(ledger) = repo.reader()? else {
        return Err(
            CliError::usage("there is no feature here yet").hint("begin one: redraft new \"your idea\"")
        );
    };
    if args.all {
        refuse_terminal(&args, "redraft report --all", "features.html", process, console)?;
        return all(&args, &repo, &ledger, process, console);
    }
    let scope = repo.resolve_scope(&ledger, args.feature.as_deref(), process)?;
    refuse_terminal(
        &args,
        &format!("redraft report {scope}"),
        &file_for(&scope, &repo, &ledger),
        process,
        console,
    )?;
    repo.cleaned_notice(&scope).iter().for_each(|line| console.say(line));
    let gathered = gather(&repo, &ledger, &scope, process)?;
    if let Some(file) = &args.output {
        write(&process.folder.join(file), &drawn(&gathered), args.force, console)?;
    }
    if console.json {
        console.object(&gathered.overview);
    } else if args.output.is_none() {
        console.page(&drawn(&gathered));
    }
    Ok(ErrorCode::Done)
}

/// A page of HTML is of no use to a person who sees it scroll by.
fn refuse_terminal(
    args: &ReportArgs,
    command: &str,
    file: &str,
    process: &ProcessContext,
    console: &Console,
) -> Result<(), CliError> {
    if args.output.is_some() || console.json || !console.prints_to_a_terminal() {
        return Ok(());
    }
    Err(CliError::usage("a report is a page of HTML, so it is not printed on a terminal")
        .hint(format!("write it to a file: {}", process.next(&format!("{command} -o {file}")))))
}

/// A name for the file of a page.
fn file_for(scope: &Scope, repo: &RepositoryContext, ledger: &Ledger) -> String {
    let slug = match scope {
        Scope::Feature(id) => repo.created(ledger, *id).ok().map(|created| created.slug),
        Scope::Review(_) | Scope::Agent(_) | Scope::Repo => None,
    };
    slug.map_or_else(|| format!("{scope}.html"), |slug| format!("{scope}-{slug}.html"))
}

fn drawn(gathered: &Gathered) -> String {
    pages::feature(&Source {
        overview: &gathered.overview,
        documents: &gathered.documents,
        trace: gathered.trace.as_ref(),
        render: &markdown::html,
    })
}

fn write(path: &Path, page: &str, force: bool, console: &Console) -> Result<(), CliError> {
    whole_file::write(path, page, force, &OWN)?;
    console.say(&format!("wrote {}", harmless::name(&path.to_string_lossy())));
    Ok(())
}

/// The index; into a folder also a page for each feature.
fn all(
    args: &ReportArgs,
    repo: &RepositoryContext,
    ledger: &Ledger,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let features = repo.features(ledger)?;
    let output = args.output.as_ref().map(|output| process.folder.join(output));
    let folder = output.as_ref().filter(|path| path.extension().is_none_or(|end| end != "html"));
    let mut written = Vec::new();
    if let Some(folder) = folder {
        fs::create_dir_all(folder).map_err(|error| {
            CliError::new(ErrorCode::Config, format!("{} cannot be made: {error}", folder.display()))
                .hint("name a folder that can be written, or a file such as features.html")
        })?;
        for id in &features {
            let gathered = gather(repo, ledger, &Scope::Feature(*id), process)?;
            let name = page_name(&gathered.overview);
            whole_file::write(&folder.join(&name), &drawn(&gathered), args.force, &OWN)?;
            written.push(name);
        }
    }
    let beside = folder.map(|folder| folder.as_path()).or(output.as_ref().and_then(|file| file.parent()));
    let listed = listed(&features, beside, repo, ledger, process)?;
    let called = repo.repository.main_checkout().file_name().unwrap_or_default().to_string_lossy();
    let page = pages::index(&called, &listed);
    match (folder, &output) {
        (Some(folder), _) => {
            whole_file::write(&folder.join("index.html"), &page, args.force, &OWN)?;
            let (name, pages) = (folder.to_string_lossy(), count(written.len(), "feature"));
            console.say(&format!("wrote {} with index.html and {pages}", harmless::name(&name)));
            written.push("index.html".to_owned());
        }
        (None, Some(file)) => {
            write(file, &page, args.force, console)?;
            written.push(file.file_name().unwrap_or_default().to_string_lossy().into_owned());
        }
        (None, None) if !console.json => console.page(&page),
        (None, None) => {}
    }
    if console.json {
        let features = listed.iter().map(|one| &one.overview).collect();
        console.object(&AllJson { v: 1, features, written });
    }
    Ok(ErrorCode::Done)
}

fn page_name(overview: &Overview) -> String {
    format!("{}.html", overview.row.name())
}

/// Every feature, with its page where that is a file of this folder.
fn listed(
    features: &[FeatureId],
    beside: Option<&Path>,
    repo: &RepositoryContext,
    ledger: &Ledger,
    process: &ProcessContext,
) -> Result<Vec<Listed>, CliError> {
    let one = |id: &FeatureId| {
        let overview = overview(repo, ledger, &Scope::Feature(*id), process)?;
        let name = page_name(&overview);
        let file = beside.filter(|folder| folder.join(&name).is_file()).map(|_| name);
        Ok(Listed { overview, file })
    };
    features.iter().map(one).collect()
}
