//! Sends code that a redaction changed back to review: it is not the code that was approved.

use redraft_adapters::git::Rewritten;
use redraft_adapters::sqlite::Ledger;
use redraft_engine::ports::Workspace;
use redraft_facts::event::FeatureCreated;
use redraft_facts::ids::Revision;
use redraft_facts::phase::Phase;
use redraft_facts::redact::Typed;
use redraft_frame::errors::CliError;
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;
use redraft_reports::projections;

/// Goes back to `implement` where the approved code of an unmerged feature was rewritten. The old objects must still
/// exist.
pub(super) fn go_back_where_code_changed(
    repo: &RepositoryContext,
    ledger: &Ledger,
    created: &FeatureCreated,
    rewritten: &Rewritten,
    process: &ProcessContext,
) -> Result<(), CliError> {
    let mut journal = process.journal(ledger, created.scope())?;
    let state = journal.state();
    let Some(closed) = state.closed(Phase::Implement).filter(|_| state.merged.is_none()) else {
        return Ok(());
    };
    let mut ids = rewritten.renamed.0.iter();
    let Some((old, _)) = ids.find(|(_, new)| new.as_str() == closed.revision.as_str()) else {
        return Ok(());
    };
    let changed = repo.workspace(created)?.all_changed(&Revision::new(old.as_str()), &closed.revision)?;
    let own = projections::not_code(created);
    if changed.iter().all(|path| own.contains(path)) {
        return Ok(());
    }
    let why = Typed::from("a secret was removed from the code that was approved");
    // While the feature has not come to rest, the work under way is about the new code.
    journal.go_back(Phase::Implement, &process.user, &why)?;
    Ok(())
}
