//! The state of all features at this moment, and the next command to type.
//!
//! The ledger keeps a row for each feature; what depends on the moment is added here: who drives it, whether a park is
//! over, what is in its way. This is the one place that decides what to type next in a repository: see [`Board::next`].

use super::blocker::{BlockerJson, adopting, unblocking};
use super::dependencies::FeatureStandings;
use redraft_adapters::comment_box::FileCommentBox;
use redraft_adapters::lock::{Holder, Lock};
use redraft_adapters::shell_word::quoted;
use redraft_adapters::sqlite::Ledger;
use redraft_agents::config::{self, Config};
use redraft_agents::pull::HOST;
use redraft_core::pipeline::Pipeline;
use redraft_documents::dependency::{blockers, first};
use redraft_engine::ports::{Clock, Store as _};
use redraft_facts::ids::FeatureId;
use redraft_facts::text::utc;
use redraft_frame::agent_registry::hosts_play_all;
use redraft_frame::doing;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;
use redraft_frame::resolve::scope_of;
use redraft_frame::rows::{reviews, rows};
use redraft_frame::wait_mark;
use redraft_reports::projections::BoardRow;
use redraft_reports::question::OpenQuestion;
use redraft_reports::standing::{Standing, Surroundings};
use serde::Serialize;

/// A row of the board with what depends on the moment.
#[derive(Serialize)]
pub struct Seen {
    #[serde(flatten)]
    pub row: BoardRow,
    /// Features that come before it and are not completed; none for one that is over.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blocked_by: Vec<BlockerJson>,
    /// The process that drives it now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_by: Option<Holder>,
    /// What is asked now, and which question that is; read only where it is shown.
    #[serde(flatten)]
    pub asked: Option<OpenQuestion>,
    /// How many comments wait in the inbox until whoever drives the feature stores them.
    #[serde(skip_serializing_if = "is_none")]
    pub waiting_comments: usize,
    /// Comments that came when the feature was over, and that nobody has stored.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refused_comments: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_none(count: &usize) -> bool {
    *count == 0
}

impl Seen {
    /// The current state: a park that is over does not count, and a feature that another process drives cannot be
    /// driven.
    fn new(row: BoardRow, standings: &FeatureStandings<'_>, now_ms: i64) -> Seen {
        let held_by = Some(&row)
            .filter(|row| row.is_open())
            .and_then(|row| Lock::holder(&standings.repo.state, &row.id));
        // The process that asks lets go of it in a moment.
        let held_by = held_by.filter(|holder| holder.pid != std::process::id());
        let known = |name: &str| standings.standing(name);
        let in_its_way = if row.is_open() { blockers(&row.waits_for, &known) } else { Vec::new() };
        let blocked_by: Vec<BlockerJson> = in_its_way.iter().map(BlockerJson::new).collect();
        let names = in_its_way.iter().map(|blocker| blocker.name.clone()).collect();
        let (is_driven, asks) = (held_by.is_some(), asks(held_by.as_ref()));
        let waits = row.is_open().then(|| wait_mark::read(&standings.repo.state, &row.id)).flatten();
        let around =
            Surroundings { now_ms, is_driven, asks, blocked_by: names, waits, ..Surroundings::default() };
        let mut row = row.now(&around);
        if held_by.is_some() {
            row.next = format!("redraft watch {}", row.id);
        }
        let (scope, inbox) = (row.scope(), FileCommentBox::new(&standings.repo.state));
        let waiting_comments = inbox.count(&scope);
        let refused_comments = inbox.refused(&scope).into_iter().map(|comment| comment.text).collect();
        Seen { row, blocked_by, held_by, asked: None, waiting_comments, refused_comments }
    }

    /// Finds out which question stands, where one does.
    pub fn read_question(&mut self, ledger: &Ledger) -> Result<(), CliError> {
        if matches!(self.row.standing, Standing::Asked { .. }) {
            let entries = ledger.read(scope_of(&self.row))?;
            let state = Pipeline::replay(&entries)
                .map_err(|error| CliError::new(ErrorCode::Config, error.to_string()))?;
            self.asked = OpenQuestion::new(&state, &entries);
        }
        Ok(())
    }

    /// What the moment adds to its events.
    pub fn surroundings(&self, repo: &RepositoryContext, now_ms: i64) -> Surroundings {
        let blocked_by = self.blocked_by.iter().map(|blocker| blocker.feature.clone()).collect();
        let (is_driven, asks) = (self.held_by.is_some(), asks(self.held_by.as_ref()));
        let doing = doing::read(&repo.state, &scope_of(&self.row));
        Surroundings { now_ms, is_driven, asks, blocked_by, waits: self.row.waits, doing }
    }

    /// Whether it cannot be run because of other features, and for no other reason.
    fn waits_for_others(&self) -> bool {
        !self.blocked_by.is_empty() && self.held_by.is_none() && self.row.status == "active"
    }

    /// How soon it can go on: now, when a limit is over, when another process lets go of it, when another feature is
    /// completed.
    fn rank(&self) -> u8 {
        match (&self.held_by, self.row.parked_until_ms) {
            _ if self.waits_for_others() => 3,
            (None, None) => 0,
            (None, Some(_)) => 1,
            (Some(_), _) => 2,
        }
    }
}

/// Everything that is seen.
pub struct Board {
    pub features: Vec<Seen>,
    /// Documents that are reviewed by themselves.
    pub reviews: Vec<BoardRow>,
    /// What to type where nothing is left to go on with.
    pub(crate) begin: String,
}

/// What to type next, and from when on, where it has to wait for the end of a usage limit.
pub struct Next {
    pub command: String,
    pub after_ms: Option<i64>,
}

impl Board {
    pub fn new(
        repo: &RepositoryContext,
        rows: Vec<BoardRow>,
        reviews: Vec<BoardRow>,
        process: &ProcessContext,
    ) -> Board {
        let standings = FeatureStandings::new(repo, &rows);
        let now_ms = process.clock.now_ms();
        // Where nothing was begun here, others may have begun something.
        let empty = rows.is_empty() && (repo.has_folders() || !repo.branches_of_others().is_empty());
        let begin = if empty { "redraft adopt" } else { "redraft new \"your idea\"" };
        let mut features: Vec<Seen> =
            rows.into_iter().map(|row| Seen::new(row, &standings, now_ms)).collect();
        let before: Vec<Option<String>> =
            features.iter().map(|one| before(one, &features, &standings)).collect();
        let played = features.iter().any(|feature| feature.row.agent.is_some());
        let unset = played && names_no_agent(repo, process);
        for (feature, before) in features.iter_mut().zip(before) {
            let next = match (before, &feature.row.agent) {
                (Some(before), _) => before,
                (None, Some(agent))
                    if unset && agent != HOST && feature.row.next.starts_with("redraft run ") =>
                {
                    format!("{} --agent {}", feature.row.next, quoted(agent))
                }
                (None, _) => feature.row.next.clone(),
            };
            feature.row.next = process.next(&next);
        }
        let mut reviews: Vec<BoardRow> = reviews
            .into_iter()
            .map(|row| {
                let around = around_review(repo, &row, now_ms);
                row.now(&around)
            })
            .collect();
        for review in &mut reviews {
            let document = review.document.as_deref().unwrap_or_default();
            review.next = process.next(&match &review.change {
                Some(change) => repo.reviewing_change(change),
                None => repo.reviewing(document, process),
            });
        }
        Board { features, reviews, begin: process.next(begin) }
    }

    /// The rows of everything that is seen, features first.
    pub fn rows(&self) -> impl Iterator<Item = &BoardRow> {
        self.features.iter().map(|seen| &seen.row).chain(&self.reviews)
    }

    /// The command that goes on in this repository: with the feature that can go on soonest, else with one that is ready
    /// to merge, else with a new one. A review goes on when its document is edited, which only counts where there is
    /// nothing else.
    pub fn next(&self) -> Next {
        let open = self.features.iter().filter(|feature| feature.row.is_open());
        match open.min_by_key(|feature| feature.rank()) {
            Some(first) => Next {
                command: first.row.next.clone(),
                after_ms: first.row.parked_until_ms.filter(|_| first.rank() == 1),
            },
            None => {
                let ready = self.features.iter().find(|feature| feature.row.ready);
                if let Some(ready) = ready {
                    return Next { command: ready.row.next.clone(), after_ms: None };
                }
                let left = self.reviews.iter().rev().find(|review| review.status != "approved");
                let left = left.filter(|_| self.features.is_empty()).map(|review| &review.next);
                Next { command: left.unwrap_or(&self.begin).clone(), after_ms: None }
            }
        }
    }
}

/// Whether no configuration says who plays any role, so that a run has to be told. One that cannot be read is named by
/// the command that needs it.
fn names_no_agent(repo: &RepositoryContext, process: &ProcessContext) -> bool {
    let named = |config: Config| config.default_agent.is_some() || !config.roles.is_empty();
    repo.config(process).is_ok_and(|config| !named(config))
}

/// What a person should know where code was written and no check has run on it.
pub fn no_check_ran(repo: &RepositoryContext, process: &ProcessContext) -> String {
    if repo.config(process).is_ok_and(|config| !config.checks.is_empty()) {
        return "no check ran on its code: redraft.toml named none then".to_owned();
    }
    let way = match repo.repository.main_checkout().join(config::FILE).exists() {
        true => "list them under [checks] in redraft.toml".to_owned(),
        false => format!("{} finds them", process.next("redraft init")),
    };
    format!("no check ran: redraft.toml names none; {way}")
}

/// What the moment adds to the events of a review.
pub fn around_review(repo: &RepositoryContext, row: &BoardRow, now_ms: i64) -> Surroundings {
    let held_by = Lock::holder(&repo.state, &scope_of(row).to_string());
    let held_by = held_by.filter(|holder| holder.pid != std::process::id());
    let (is_driven, asks) = (held_by.is_some(), asks(held_by.as_ref()));
    let doing = doing::read(&repo.state, &scope_of(row));
    Surroundings { now_ms, is_driven, asks, doing, ..Surroundings::default() }
}

fn asks(held_by: Option<&Holder>) -> bool {
    held_by.is_some_and(|holder| holder.asks)
}

/// Whether the next command of a row is about that feature.
pub fn goes_on(row: &BoardRow) -> bool {
    row.is_open() || row.ready
}

/// What to type after something was done to a feature: what goes on with it, else what goes on in the repository.
pub fn next_after(
    repo: &RepositoryContext,
    ledger: &Ledger,
    id: FeatureId,
    process: &ProcessContext,
) -> Result<String, CliError> {
    let board = Board::new(repo, rows(ledger)?, reviews(ledger)?, process);
    let own = board.features.iter().find(|seen| seen.row.id == id.to_string() && goes_on(&seen.row));
    let next = own.map_or_else(|| board.next().command, |own| own.row.next.clone());
    let hosted = repo.config(process).is_ok_and(|config| hosts_play_all(&config));
    Ok(if hosted { through_host(next) } else { next })
}

/// The same where hosts play every role: a run would only wait for them.
fn through_host(next: String) -> String {
    let runs = next.split(' ').any(|word| word == "run");
    if runs { "call `next` through the host that plays the roles (redraft mcp)".to_owned() } else { next }
}

/// What to type so that a feature can go on that others are in the way of.
fn before(feature: &Seen, all: &[Seen], standings: &FeatureStandings<'_>) -> Option<String> {
    if !feature.waits_for_others() {
        return None;
    }
    let known = |name: &str| standings.standing(name);
    let Some(first) = first(&feature.row.waits_for, &known).filter(|first| first.goes_on) else {
        return Some(unblocking(&feature.row.id));
    };
    let own = all.iter().find(|other| other.row.name() == first.name);
    Some(own.map_or_else(|| adopting(&first.name), |own| own.row.next.clone()))
}

/// A command with the time from which on it can be used.
pub fn from_when(command: &str, parked_until_ms: Option<i64>) -> String {
    match parked_until_ms {
        Some(until_ms) => format!("{command} (after {}, or now with --now)", utc(until_ms)),
        None => command.to_owned(),
    }
}
