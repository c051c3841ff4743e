//! Loops out of our own ledger: who reviewed which revision when, with the texts as git keeps them.

use crate::cli::errors::CliError;
use crate::cli::site::{Site, Surroundings};
use redraft_core::cost::replay::{Recorded, Reviewed, Reviewer, reviewed};
use redraft_core::ids::FeatureId;
use redraft_core::ticket::Scope;
use redraft_engine::ports::{Store, Workspace};

/// Hands the loops of one feature, or of all, to `take`; what cannot be read is a note.
pub(super) fn read(
    around: &Surroundings,
    feature: Option<&str>,
    take: &mut dyn FnMut(Recorded, Reviewer),
    fault: &mut dyn FnMut(String),
) -> Result<(), CliError> {
    let site = Site::find(&around.folder)?;
    let Some(ledger) = site.reader()? else {
        return Err(
            CliError::usage("there is no feature here yet").hint("begin one: redraft new \"your idea\"")
        );
    };
    let features: Vec<FeatureId> = match feature {
        Some(word) => vec![site.feature(&ledger, Some(word))?],
        None => site.features(&ledger)?,
    };
    for id in features {
        let entries = ledger.read(Scope::Feature(id))?;
        let workspace = site.workspace(&site.created(&ledger, id)?)?;
        for one in reviewed(&entries) {
            match with_texts(&one, &workspace) {
                Ok(recorded) => take(recorded, one.reviewer()),
                Err(why) => fault(format!("{}: {why}, passed over", one.name)),
            }
        }
    }
    Ok(())
}

/// A loop with the texts that its reviewers saw.
pub(crate) fn with_texts(one: &Reviewed, workspace: &dyn Workspace) -> Result<Recorded, String> {
    let text = |revision, path: &str| -> Result<String, String> {
        let bytes = workspace.read_at(revision, path).map_err(|error| CliError::from(error).message)?;
        Ok(String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned())
    };
    let Some(last) = one.reviews.last() else { return Err("nobody reviewed it".to_owned()) };
    let mut versions = Vec::new();
    for review in &one.reviews {
        versions.push(text(&review.sees, &one.artifact)?);
    }
    let upstream: Result<Vec<String>, String> =
        one.upstream.iter().map(|path| text(&last.sees, path)).collect();
    Ok(Recorded {
        name: one.name.clone(),
        artifact: one.artifact.clone(),
        upstream: upstream?.into_iter().filter(|text| !text.is_empty()).collect(),
        versions,
        times: one.reviews.iter().map(|review| review.at_s).collect(),
    })
}
