//! `redraft-fleet status`: where everything stands.

use super::Failure;
use super::args::StatusArgs;
use super::server::{Found, book, connect, features, short};
use redraft_fleet::book::{Book, Wait};
use redraft_fleet::feature::{Feature, Now, Shown};
use redraft_fleet::order::Beat;
use serde_json::{Value, json};
use temporalio_client::Client;

pub(crate) async fn status(args: &StatusArgs) -> Result<u8, Failure> {
    let client = connect().await?;
    let book = book(&client).await?;
    let found = features(&client, args.all).await?;
    let waits = book.waits();
    let mut rows = Vec::new();
    for one in &found {
        let beat = match &one.shown {
            Some(Shown { now: Now::Driving { .. }, .. }) => beat(&client, &one.workflow).await,
            _ => None,
        };
        let wait = waits.iter().find(|(workflow, _)| *workflow == one.workflow).map(|(_, wait)| *wait);
        rows.push((one, beat, wait));
    }
    if args.json {
        let rows: Vec<Value> =
            rows.iter().map(|(one, beat, wait)| object(one, beat.as_ref(), *wait)).collect();
        println!(
            "{:#}",
            json!({ "v": 1, "features": rows, "workers": book.workers, "accounts": book.accounts,
                "budget_micro_usd": book.budget_micro_usd, "spent_micro_usd": spent(&book),
                "lost_micro_usd": lost(&book), "counted_micro_usd": book.counted_micro_usd(),
                "ended": book.ended.features })
        );
        return Ok(0);
    }
    for (one, beat, wait) in &rows {
        println!("{}", line(one, beat.as_ref(), *wait));
    }
    for (name, offer) in &book.workers {
        let state = if offer.silent { ", does not answer" } else { "" };
        println!("worker {name}: {} places, {} repositories{state}", offer.places, offer.repositories.len());
    }
    let limit =
        book.budget_micro_usd.map_or_else(|| "no limit".to_owned(), |limit| format!("of {}", usd(limit)));
    println!(
        "{} spent or promised ({limit}), {} features ended",
        usd(book.counted_micro_usd()),
        book.ended.features
    );
    let question = rows.iter().find_map(|(one, ..)| match one.shown.as_ref().map(|shown| &shown.now) {
        Some(Now::Resting { rest }) => rest.question.as_ref().map(|question| (one, question)),
        _ => None,
    });
    if let Some((one, question)) = question {
        let choices = question.choices.join("|");
        println!("next: redraft-fleet decide {} {choices}", id(&one.workflow));
    }
    Ok(0)
}

fn object(one: &Found, beat: Option<&Beat>, wait: Option<Wait>) -> Value {
    json!({ "workflow": one.workflow, "is_open": one.is_open, "shown": one.shown, "beat": beat,
        "waits": wait.map(Wait::words) })
}

fn line(one: &Found, beat: Option<&Beat>, wait: Option<Wait>) -> String {
    let Some(shown) = &one.shown else { return format!("{}: no worker answers", id(&one.workflow)) };
    let stands = match &shown.now {
        Now::Waiting => wait.map_or("waits for the office", Wait::words).to_owned(),
        Now::Driving { worker } => {
            format!("{worker} drives it: {}", beat.map_or("begins", |beat| beat.at.as_str()))
        }
        Now::Resting { rest } => format!("waits for you: {}", rest.text),
        Now::Parked { .. } => "parked: an agent's usage limit".to_owned(),
        Now::Pausing { why } => format!("is tried again soon: {why}"),
        Now::Ended { ending } => format!("{ending:?}").to_lowercase(),
    };
    let name = format!("{}/{}", short(&shown.order.repository), shown.order.called);
    format!("{} {name} {}: {stands}", id(&one.workflow), usd(shown.past.total_micro_usd))
}

/// Enough of the id to name it.
fn id(workflow: &str) -> &str {
    let id = workflow.strip_prefix("redraft-feature-").unwrap_or(workflow);
    id.get(..8).unwrap_or(id)
}

/// What the drive that is under way said last.
async fn beat(client: &Client, workflow: &str) -> Option<Beat> {
    let handle = client.get_workflow_handle::<Feature>(workflow.to_owned());
    let described = handle.describe(Default::default()).await.ok()?;
    let pending = &described.raw().pending_activities;
    let said = pending.iter().find_map(|one| one.heartbeat_details.as_ref()?.payloads.first())?;
    serde_json::from_slice(&said.data).ok()
}

fn spent(book: &Book) -> u64 {
    book.ended.spent_micro_usd + book.features.values().map(|entry| entry.spent_micro_usd).sum::<u64>()
}

fn lost(book: &Book) -> u64 {
    book.ended.lost_micro_usd + book.features.values().map(|entry| entry.lost_micro_usd).sum::<u64>()
}

fn usd(micro_usd: u64) -> String {
    format!("${}.{:02}", micro_usd / 1_000_000, micro_usd % 1_000_000 / 10_000)
}
