//! Gathers what the roles of a feature are told about its project. `documents::project_context` makes the text from it.

use super::{PROJECTS, folder_of};
use redraft_adapters::sqlite::Ledger;
use redraft_documents::project_context::{EarlierFeature, ProjectFacts, project_block};
use redraft_facts::event::FeatureCreated;
use redraft_frame::console::Console;
use redraft_frame::errors::CliError;
use redraft_frame::repository_context::RepositoryContext;
use redraft_views::checkout_files::text;
use redraft_views::dependencies::FeatureStandings;

/// What the roles of a feature are told about its project; none for a feature without one. The text says what cannot be
/// found.
pub(crate) fn project_context(
    repo: &RepositoryContext,
    ledger: &Ledger,
    created: &FeatureCreated,
    console: &Console,
) -> Result<Option<String>, CliError> {
    let Some(id) = &created.project else { return Ok(None) };
    let found = folder_of(repo, id)?;
    let root = repo.repository.main_checkout();
    let read = |file: &str| found.as_ref().and_then(|name| text(root, &format!("{PROJECTS}/{name}/{file}")));
    let (prd, roadmap) = (read("prd.md"), read("roadmap.md"));
    let standings = FeatureStandings::load(repo, ledger)?;
    let dependencies: Vec<EarlierFeature> =
        created.depends_on.iter().map(|name| standings.dependency(name)).collect();
    let own = created.folder();
    let block = project_block(&ProjectFacts {
        id,
        folder: found.as_deref(),
        prd: prd.as_deref(),
        roadmap: roadmap.as_deref(),
        feature: own.rsplit('/').next().unwrap_or(&own),
        dependencies: &dependencies,
    });
    for note in &block.notes {
        console.say(&format!("note: {note}"));
    }
    Ok(block.text)
}
