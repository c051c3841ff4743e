//! Features that come before others: their state, which of them are meant by what was typed, and what a run does about
//! open ones. `documents::dependency` decides what is in whose way.

use super::blocker::{BlockerJson, adopting, blocked_by, unblocking};
use super::checkout_files::{names_in, text};
use redraft_adapters::sqlite::Ledger;
use redraft_documents::adopt::{named, read_meta};
use redraft_documents::dependency::{Blocker, FeatureStanding, blockers, circle, first};
use redraft_documents::project_context::EarlierFeature;
use redraft_facts::event::FeatureLife;
use redraft_facts::ids::FeatureId;
use redraft_facts::redact::Typed;
use redraft_facts::ticket::Scope;
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;
use redraft_frame::rows::rows;
use redraft_reports::projections::{self, BoardRow};
use std::collections::BTreeMap;

/// Where features are, below the checkout.
const FEATURES: &str = "docs/features";

/// The state of features, by the names of their folders: from the ledger, else from their own `.meta.json`.
pub struct FeatureStandings<'a> {
    pub repo: &'a RepositoryContext,
    members: BTreeMap<String, FeatureStanding>,
}

impl<'a> FeatureStandings<'a> {
    pub fn load(repo: &'a RepositoryContext, ledger: &Ledger) -> Result<FeatureStandings<'a>, CliError> {
        Ok(FeatureStandings::new(repo, &rows(ledger)?))
    }

    pub fn new(repo: &'a RepositoryContext, rows: &[BoardRow]) -> FeatureStandings<'a> {
        let standing = |row: &BoardRow| FeatureStanding {
            life: FeatureLife::named(&row.life).unwrap_or(FeatureLife::Active),
            phase: row.phase.clone(),
            waits_for: row.waits_for.clone(),
            goes_on: row.is_open(),
        };
        FeatureStandings { repo, members: rows.iter().map(|row| (row.name(), standing(row))).collect() }
    }

    /// The state of a feature; none where it is unknown.
    pub fn standing(&self, name: &str) -> Option<FeatureStanding> {
        if let Some(member) = self.members.get(name) {
            return Some(member.clone());
        }
        let plain = !name.contains(['/', '\\']) && !name.starts_with('.');
        let place = self.repo.repository.main_checkout().join(FEATURES).join(name);
        if !plain || !place.is_dir() {
            return None;
        }
        let meta = text(self.repo.repository.main_checkout(), &format!("{FEATURES}/{name}/.meta.json"));
        let meta = meta.and_then(|text| read_meta(&text).ok()).unwrap_or_default();
        let life = meta.status.unwrap_or(FeatureLife::Active);
        let goes_on = matches!(life, FeatureLife::Planned | FeatureLife::Active);
        Some(FeatureStanding { life, phase: String::new(), waits_for: meta.depends_on, goes_on })
    }

    /// The same in the form that its dependents are given.
    pub fn dependency(&self, name: &str) -> EarlierFeature {
        let standing = self.standing(name);
        let open =
            |other: &String| self.standing(other).map(|before| before.life) != Some(FeatureLife::Completed);
        let waits = standing.as_ref().is_some_and(|standing| standing.waits_for.iter().any(open));
        EarlierFeature { name: name.to_owned(), life: standing.map(|standing| standing.life), waits }
    }

    /// What is in the way of a feature that waits for these.
    pub fn blockers(&self, waits_for: &[String]) -> Vec<Blocker> {
        blockers(waits_for, &|name: &str| self.standing(name))
    }

    /// The command that goes on with what is first in the way, where there is one.
    fn first_command(&self, waits_for: &[String]) -> Option<String> {
        let first = first(waits_for, &|name: &str| self.standing(name))?;
        match self.members.contains_key(&first.name) {
            _ if !first.goes_on => None,
            true => Some(format!("redraft run {}", first.name.split('-').next().unwrap_or(&first.name))),
            false => Some(adopting(&first.name)),
        }
    }
}

/// The features that words mean, by the names of their folders: the words are numbers or those names.
pub fn dependencies_named(
    repo: &RepositoryContext,
    ledger: &Ledger,
    words: &[String],
) -> Result<Vec<String>, CliError> {
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let known: Vec<String> = rows(ledger)?.iter().map(BoardRow::name).collect();
    let folders = names_in(&repo.repository.main_checkout().join(FEATURES))?;
    let mut found: Vec<String> = Vec::new();
    for word in words {
        let name = one_named(word, &known, &folders)?;
        if !found.contains(&name) {
            found.push(name);
        }
    }
    Ok(found)
}

fn one_named(word: &str, known: &[String], folders: &[String]) -> Result<String, CliError> {
    if let Some(exact) = known.iter().chain(folders).find(|name| *name == word) {
        return Ok(exact.clone());
    }
    let number = word.parse::<FeatureId>().ok();
    let has = |name: &&String| match number {
        Some(_) => named(name).number == number,
        None => named(name).slug == word,
    };
    let mut found: Vec<&String> = known.iter().filter(has).collect();
    if found.is_empty() {
        found = folders.iter().filter(has).collect();
    }
    match found.as_slice() {
        [one] => Ok((*one).clone()),
        [] => Err(CliError::usage(format!("there is no feature `{word}` to depend on")).hint(
            "`redraft status` lists them; name one by its number, its slug or its folder, such as 003-export-orders",
        )),
        several => {
            let names: Vec<&str> = several.iter().map(|name| name.as_str()).collect();
            Err(CliError::usage(format!("several features are called {word}"))
                .hint(format!("name one of {}", names.join(", "))))
        }
    }
}

/// Refuses a feature that would wait for itself, through others: it could never begin.
pub fn refuse_circle(
    repo: &RepositoryContext,
    ledger: &Ledger,
    (id, name): (FeatureId, &str),
    depends_on: &[String],
) -> Result<(), CliError> {
    let standings = FeatureStandings::load(repo, ledger)?;
    // Others may have referred to it by its number before it existed.
    let own = |word: String| if word.parse() == Ok(id) { name.to_owned() } else { word };
    let known = |other: &str| {
        let standing = standings.standing(other)?;
        Some(FeatureStanding { waits_for: standing.waits_for.into_iter().map(own).collect(), ..standing })
    };
    let Some(way) = circle(name, depends_on, &known) else { return Ok(()) };
    Err(CliError::usage(format!("these features would wait for each other: {}", way.join(" needs ")))
        .hint("leave out the --depends-on that makes the circle")
        .hint(format!(
            "or remove {name} from depends_on_features in the .meta.json of the feature before it"
        )))
}

/// Refuses to drive a feature while one that comes before it is open, unless a person says so with a reason, which is
/// kept.
pub fn require_unblocked(
    repo: &RepositoryContext,
    ledger: &Ledger,
    id: FeatureId,
    unblock: Option<&Typed>,
    process: &ProcessContext,
    console: &Console,
) -> Result<(), CliError> {
    let mut journal = process.journal(ledger, Scope::Feature(id))?;
    let state = journal.state();
    if state.cancelled || state.phase().is_none() {
        return Ok(());
    }
    let standings = FeatureStandings::load(repo, ledger)?;
    let waits_for: Vec<String> = state.waits_for().cloned().collect();
    // For a feature of a project, this is reported with everything else of the project that is not found.
    let alone = state.created.as_ref().is_some_and(|created| created.project.is_none());
    for name in waits_for.iter().filter(|name| alone && standings.standing(name).is_none()) {
        console.say(&format!("note: feature {id} depends on {name}, which was not found"));
    }
    let blockers = standings.blockers(&waits_for);
    let Some(why) = unblock else {
        return if blockers.is_empty() {
            Ok(())
        } else {
            Err(blocked(id, &blockers, &waits_for, &standings))
        };
    };
    if why.is_empty() {
        return Err(CliError::usage("the reason is empty").hint("say why: --unblock \"…\""));
    }
    if blockers.is_empty() {
        console.say(&format!("note: feature {id} is not blocked, so --unblock changes nothing"));
        return Ok(());
    }
    let dependencies = blockers.into_iter().map(|blocker| blocker.name).collect();
    let unblocked = journal.unblock(dependencies, &process.user, why)?;
    console.say(&format!("  {}", projections::line(&unblocked.into())));
    Ok(())
}

fn blocked(
    id: FeatureId,
    found: &[Blocker],
    waits_for: &[String],
    standings: &FeatureStandings<'_>,
) -> CliError {
    let shown: Vec<BlockerJson> = found.iter().map(BlockerJson::new).collect();
    let error = CliError::new(ErrorCode::Waiting, format!("feature {id} is {}", blocked_by(&shown)));
    let error = match standings.first_command(waits_for) {
        Some(command) => error.hint(format!("first: {command}")),
        None => error,
    };
    error.hint(format!("or continue anyway: {}", unblocking(&id.to_string())))
}
