//! `decide`, `comment` and `stop`: what a person says to one feature of the fleet.

use super::args::{CommentArgs, DecideArgs, StopArgs};
use super::server::{connect, failed, feature};
use super::{Failure, HELD, USAGE};
use redraft_fleet::feature::Feature;
use redraft_fleet::order::{Comment, Decision, Said};
use serde_json::json;
use std::time::Duration;
use temporalio_client::errors::WorkflowUpdateError;

/// How long what a worker carries out may take: it may be found to be gone first, and another one asked.
const CARRIED_OUT_MAX: Duration = Duration::from_secs(300);

pub(crate) async fn decide(args: DecideArgs) -> Result<u8, Failure> {
    let client = connect().await?;
    let handle = feature(&client, &args.feature).await?;
    let DecideArgs { choice, answers, why, revision, seen, json, .. } = args;
    let said = Decision { choice, answers, why, revision, seen, by: user() };
    let done = handle.execute_update(Feature::decide, said, Default::default());
    ended(tokio::time::timeout(CARRIED_OUT_MAX, done).await.ok(), json)
}

pub(crate) async fn comment(args: CommentArgs) -> Result<u8, Failure> {
    let client = connect().await?;
    let handle = feature(&client, &args.feature).await?;
    let CommentArgs { text, file, line, phase, note, yes, json, .. } = args;
    let said = Comment { text, file, line, phase, note, yes, by: user() };
    let done = handle.execute_update(Feature::comment, said, Default::default());
    ended(tokio::time::timeout(CARRIED_OUT_MAX, done).await.ok(), json)
}

pub(crate) async fn stop(args: &StopArgs) -> Result<u8, Failure> {
    let client = connect().await?;
    let handle = feature(&client, &args.feature).await?;
    handle.cancel(Default::default()).await.map_err(failed)?;
    let ended = tokio::time::timeout(CARRIED_OUT_MAX, handle.get_result(Default::default())).await;
    match ended {
        Ok(Ok(_)) => println!("{} is stopped; what is stored stays", args.feature),
        Ok(Err(error)) => return Err(failed(error)),
        Err(_) => {
            return Err(Failure::new(HELD, "it was asked to stop, and no worker answers")
                .hint("`redraft-fleet status` shows the workers"));
        }
    }
    println!("next: redraft-fleet start REPO");
    Ok(0)
}

pub(crate) async fn history(args: &StopArgs) -> Result<u8, Failure> {
    let client = connect().await?;
    let handle = client.get_workflow_handle::<Feature>(args.feature.clone());
    let text = handle.fetch_history(Default::default()).to_json().await.map_err(failed)?;
    println!("{}", String::from_utf8_lossy(&text));
    Ok(0)
}

fn ended(done: Option<Result<Said, WorkflowUpdateError>>, json: bool) -> Result<u8, Failure> {
    let said = match done {
        Some(Ok(said)) => said,
        Some(Err(WorkflowUpdateError::Failed(failure))) => {
            return Err(
                Failure::new(USAGE, failure.message).hint("`redraft-fleet status` shows where it stands")
            );
        }
        Some(Err(error)) => return Err(failed(error)),
        None => {
            return Err(Failure::new(HELD, "no worker answers; it is carried out when one does")
                .hint("`redraft-fleet status` shows the workers"));
        }
    };
    if said.exit != 0 {
        let failure = Failure::new(u8::try_from(said.exit).unwrap_or(70), said.text);
        return Err(said.hints.into_iter().fold(failure, Failure::hint));
    }
    if json {
        println!("{:#}", json!({ "v": 1, "said": said, "next": "redraft-fleet status" }));
    } else {
        println!("done\nnext: redraft-fleet status");
    }
    Ok(0)
}

/// Who types this, as the ledger should name them.
fn user() -> String {
    let named = ["USER", "LOGNAME"].iter().find_map(|name| std::env::var(name).ok());
    named.filter(|name| !name.is_empty()).unwrap_or_else(|| "someone".to_owned())
}
