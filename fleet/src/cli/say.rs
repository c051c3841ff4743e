//! `decide`, `comment` and `stop`: what a person says to one feature of the fleet.

use super::args::{CommentArgs, DecideArgs, StopArgs};
use super::server::{ANSWER_MAX, again, book, connect, failed, feature, name};
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
    book(&client).await?;
    let DecideArgs { feature: word, choice, answers, why, revision, seen, json } = args;
    let said = Decision { choice, answers, why, revision, seen, by: user() };
    let done = handle.execute_update(Feature::decide, said, Default::default());
    ended(tokio::time::timeout(CARRIED_OUT_MAX, done).await.ok(), &word, json)
}

pub(crate) async fn comment(args: CommentArgs) -> Result<u8, Failure> {
    let client = connect().await?;
    let handle = feature(&client, &args.feature).await?;
    book(&client).await?;
    let CommentArgs { feature: word, text, file, line, phase, note, yes, json } = args;
    let said = Comment { text, file, line, phase, note, yes, by: user() };
    let done = handle.execute_update(Feature::comment, said, Default::default());
    ended(tokio::time::timeout(CARRIED_OUT_MAX, done).await.ok(), &word, json)
}

pub(crate) async fn stop(args: &StopArgs) -> Result<u8, Failure> {
    let client = connect().await?;
    let handle = feature(&client, &args.feature).await?;
    handle.cancel(Default::default()).await.map_err(failed)?;
    let result = handle.get_result(Default::default());
    let mut result = std::pin::pin!(tokio::time::timeout(CARRIED_OUT_MAX, result));
    let asked = || {
        Failure::new(HELD, "it was asked to stop, and no worker answers")
            .hint("it stops when one does; `redraft-fleet status` shows the workers")
    };
    let ended = match tokio::time::timeout(ANSWER_MAX, result.as_mut()).await {
        Ok(ended) => ended,
        Err(_) if book(&client).await.is_err() => return Err(asked()),
        Err(_) => result.await,
    };
    ended.map_err(|_| asked())?.map_err(failed)?;
    let shown = handle.query(Feature::shown, (), Default::default());
    match tokio::time::timeout(ANSWER_MAX, shown).await {
        Ok(Ok(shown)) => println!("stopped {}; again: {}", name(&shown), again(&shown)),
        Ok(Err(_)) | Err(_) => println!("stopped {}; again: redraft-fleet start REPO", args.feature),
    }
    Ok(0)
}

pub(crate) async fn history(args: &StopArgs) -> Result<u8, Failure> {
    let client = connect().await?;
    let handle = client.get_workflow_handle::<Feature>(args.feature.clone());
    let text = handle.fetch_history(Default::default()).to_json().await.map_err(failed)?;
    println!("{}", String::from_utf8_lossy(&text));
    Ok(0)
}

fn ended(done: Option<Result<Said, WorkflowUpdateError>>, word: &str, json: bool) -> Result<u8, Failure> {
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
        let hints = said.hints.iter().map(|hint| of_the_fleet(hint, word));
        return Err(hints.fold(failure, Failure::hint));
    }
    if json {
        println!("{:#}", json!({ "v": 1, "said": said, "next": "redraft-fleet status" }));
    } else {
        println!("done\nnext: redraft-fleet status");
    }
    Ok(0)
}

/// A hint of `redraft` in a clone, with the command that does the same through the fleet.
fn of_the_fleet(hint: &str, word: &str) -> String {
    let Some((before, after)) = hint.split_once("redraft decide ") else { return hint.to_owned() };
    let rest = after.trim_start_matches(|letter: char| letter.is_ascii_alphanumeric() || letter == '-');
    match after.starts_with(|first: char| first.is_ascii_digit()) {
        true => format!("{before}redraft-fleet decide {word}{rest}"),
        false => format!("{before}redraft-fleet decide {word} {after}"),
    }
}

/// Who types this, as the ledger should name them.
fn user() -> String {
    let named = ["USER", "LOGNAME"].iter().find_map(|name| std::env::var(name).ok());
    named.filter(|name| !name.is_empty()).unwrap_or_else(|| "someone".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_names_the_command_of_the_fleet() {
        for (hint, shown) in [
            (
                "it is redraft decide 004 approve --revision 4f2a",
                "it is redraft-fleet decide shop/004 approve --revision 4f2a",
            ),
            ("look: redraft decide 003b", "look: redraft-fleet decide shop/004"),
            ("accept it: redraft decide accept", "accept it: redraft-fleet decide shop/004 accept"),
            ("look: redraft status", "look: redraft status"),
        ] {
            assert_eq!(of_the_fleet(hint, "shop/004"), shown);
        }
    }
}
