//! Reads loops from our own ledger: who reviewed which revision when, with the texts as git keeps them.

use redraft_adapters::sqlite::Ledger;
use redraft_cost::cost::replay::{Measured, RecordedLoop, RecordedPass, Review, Reviewer, reviewed};
use redraft_cost::cost::{Pace, Paces};
use redraft_engine::ports::{Store, Workspace};
use redraft_facts::event::Event;
use redraft_facts::ids::FeatureId;
use redraft_facts::ticket::{Purpose, Scope, Ticket};
use redraft_frame::errors::CliError;
use redraft_frame::process_context::ProcessContext;
use std::collections::{BTreeMap, BTreeSet};

/// Hands the loops of one feature, or of all, to `take`; what cannot be read is a note.
pub(super) fn read(
    process: &ProcessContext,
    feature: Option<&str>,
    take: &mut dyn FnMut(&Measured, Reviewer, &Pace),
    fault: &mut dyn FnMut(String),
) -> Result<(), CliError> {
    let repo = process.repository()?;
    let Some(ledger) = repo.reader()? else {
        return Err(
            CliError::usage("there is no feature here yet").hint("begin one: redraft new \"your idea\"")
        );
    };
    let features: Vec<FeatureId> = match feature {
        Some(word) => vec![repo.feature(&ledger, Some(word))?],
        None => repo.features(&ledger)?,
    };
    let mut loops = Vec::new();
    for id in features {
        loops.push((id, reviewed(&ledger.read(Scope::Feature(id))?)));
    }
    let paces = paces(&ledger, loops.iter().flat_map(|(_, loops)| loops))?;
    for (id, loops) in loops {
        let workspace = repo.workspace(&repo.created(&ledger, id)?)?;
        for one in loops {
            match with_texts(&one, &workspace) {
                Ok(recorded) => take(&recorded.measured(), one.reviewer(), &pace(&paces, &one)),
                Err(why) => fault(format!("{}: {why}, skipped", one.name)),
            }
        }
    }
    Ok(())
}

/// What earlier loops of the ledger had shown when each of these began, by its first dispatch.
pub fn paces<'a>(
    ledger: &Ledger,
    loops: impl Iterator<Item = &'a RecordedPass>,
) -> Result<BTreeMap<Ticket, Pace>, CliError> {
    let mut wanted: BTreeSet<&Ticket> = loops.filter_map(RecordedPass::first).collect();
    let (mut paces, mut found) = (Paces::default(), BTreeMap::new());
    ledger.each_of(&Paces::KINDS, &mut |scope, entry| {
        if let Event::Started(fact) = &entry.event
            && wanted.remove(&fact.ticket)
        {
            found.insert(fact.ticket.clone(), paces.for_role(false).clone());
        }
        paces.take(scope, entry.at_ms, &entry.event);
    })?;
    Ok(found)
}

/// The pace for one of them.
pub fn pace(paces: &BTreeMap<Ticket, Pace>, one: &RecordedPass) -> Pace {
    one.first().and_then(|ticket| paces.get(ticket)).cloned().unwrap_or_default()
}

/// A loop with the texts that its reviewers saw.
pub fn with_texts(one: &RecordedPass, workspace: &dyn Workspace) -> Result<RecordedLoop, String> {
    let text = |revision, path: &str| -> Result<String, String> {
        let bytes = workspace.read_at(revision, path).map_err(|error| CliError::from(error).message)?;
        Ok(String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned())
    };
    let Some(last) = one.reviews.last() else { return Err("nobody reviewed it".to_owned()) };
    let mut versions = Vec::new();
    for review in &one.reviews {
        versions.push(match &review.base {
            // For code, the reviewers read the change.
            Some(base) => {
                workspace.delta(base, &review.sees).map_err(|error| CliError::from(error).message)?
            }
            None => text(&review.sees, &one.artifact)?,
        });
    }
    let upstream: Result<Vec<String>, String> =
        one.upstream.iter().map(|path| text(&last.sees, path)).collect();
    let is_validation = |review: &Review| review.ticket.purpose == Purpose::Validate;
    let validations = one.reviews.iter().enumerate().filter(|(_, review)| is_validation(review));
    Ok(RecordedLoop {
        name: one.name.clone(),
        artifact: one.artifact.clone(),
        upstream: upstream?.into_iter().filter(|text| !text.is_empty()).collect(),
        versions,
        times: one.reviews.iter().map(|review| review.at_s).collect(),
        validations: validations.map(|(at, _)| at).collect(),
    })
}
