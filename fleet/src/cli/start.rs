//! `redraft-fleet start`: hands features to the fleet.

use super::args::StartArgs;
use super::repository;
use super::server::{ANSWER_MAX, connect, failed, office, short};
use super::{CONFIG, Failure, USAGE};
use redraft_fleet::clones::{Clone, Known};
use redraft_fleet::feature::Feature;
use redraft_fleet::office::{Limits, Office};
use redraft_fleet::order::{FeatureOrder, Needs, QUEUE, Timing, workflow_id};
use redraft_fleet::program::Programs;
use serde_json::json;
use std::collections::BTreeSet;
use temporalio_client::errors::WorkflowStartError;
use temporalio_client::{Client, WorkflowIdConflictPolicy, WorkflowIdReusePolicy, WorkflowStartOptions};

/// What a feature may cost where nobody has said.
const FEATURE_BUDGET_MICRO_USD: u64 = 5_000_000;

pub(crate) async fn start(args: StartArgs) -> Result<u8, Failure> {
    let client = connect().await?;
    // All that can be refused is refused before anything changes.
    let (orders, left) = orders(&args).await?;
    let office = office(&client).await?;
    // The limits hold before the first feature asks for money.
    if args.budget.is_some() || !args.account_limit.is_empty() {
        let limits = Limits { budget_micro_usd: args.budget, accounts: args.account_limit.clone() };
        office.signal(Office::limit, limits, Default::default()).await.map_err(failed)?;
    }
    let mut started = Vec::new();
    for order in orders {
        let name = format!("{}/{}", short(&order.repository), order.called);
        started.push((name, begin(&client, order, &args).await?));
    }
    if args.json {
        let object = |(feature, what): (String, String)| json!({ "feature": feature, "what": what });
        let (started, left): (Vec<_>, Vec<_>) =
            (started.into_iter().map(object).collect(), left.into_iter().map(object).collect());
        println!("{:#}", json!({ "v": 1, "started": started, "left": left, "next": "redraft-fleet status" }));
        return Ok(0);
    }
    for (feature, why) in left {
        eprintln!("{feature} is left alone: {why}");
    }
    for (feature, what) in &started {
        println!("{feature}: {what}");
    }
    println!("next: redraft-fleet status");
    Ok(0)
}

/// What the fleet is to take up, and what it leaves alone, with the reason.
async fn orders(args: &StartArgs) -> Result<(Vec<FeatureOrder>, Vec<(String, String)>), Failure> {
    let programs = repository::programs(&args.redraft).await?;
    let clones = repository::clones(&args.repositories, &programs).await?;
    let (mut orders, mut left, mut found) = (Vec::new(), Vec::new(), BTreeSet::new());
    for clone in &clones {
        for feature in known(clone, &programs).await? {
            let called = called(&feature);
            let is_meant = |word: &&String| {
                **word == feature.number || feature.row["slug"] == **word || **word == called
            };
            let meant: Vec<&String> = args.features.iter().filter(is_meant).collect();
            if meant.is_empty() && !args.features.is_empty() {
                continue;
            }
            found.extend(meant);
            if let Some(why) = over(&feature) {
                left.push((called, why));
                continue;
            }
            let before = clone.total_micro_usd(&programs, &feature.number).await.unwrap_or(0);
            orders.push(order(args, clone, &feature, called, before));
        }
    }
    match args.features.iter().find(|word| !found.contains(word)) {
        Some(word) => Err(Failure::new(USAGE, format!("there is no feature {word}"))
            .hint("`redraft status` in the clone lists its features")),
        None => Ok((orders, left)),
    }
}

async fn known(clone: &Clone, programs: &Programs) -> Result<Vec<Known>, Failure> {
    let folder = clone.folder.display();
    clone.features(programs).await.map_err(|error| {
        Failure::new(CONFIG, format!("{folder}: {error}")).hint(format!("try it: redraft -C {folder} sync"))
    })
}

fn called(feature: &Known) -> String {
    format!("{}-{}", feature.number, feature.row["slug"].as_str().unwrap_or_default())
}

/// Why the fleet has nothing to do for it.
fn over(feature: &Known) -> Option<String> {
    let status = feature.row["status"].as_str().unwrap_or_default();
    (feature.row["merged"] == true || matches!(status, "abandoned" | "cancelled" | "merged"))
        .then(|| format!("it is {status}"))
}

fn order(args: &StartArgs, clone: &Clone, feature: &Known, called: String, before: u64) -> FeatureOrder {
    FeatureOrder {
        v: 1,
        feature: feature.feature.clone(),
        called,
        repository: clone.repository.clone(),
        needs: Needs {
            agents: args.needs_agents.iter().cloned().collect(),
            sandbox: args.needs_sandbox.clone(),
        },
        account: args.account.clone(),
        budget_micro_usd: args.feature_budget.unwrap_or(FEATURE_BUDGET_MICRO_USD),
        portion_micro_usd: args.portion,
        before_micro_usd: before,
        merge: args.merge,
        timing: Timing {
            heartbeat_ms: args.heartbeat * 1_000,
            pickup_ms: args.pickup * 1_000,
            retry_ms: args.retry * 1_000,
        },
        past: None,
    }
}

/// Begins a feature's workflow, or wakes the one that rests.
async fn begin(client: &Client, order: FeatureOrder, args: &StartArgs) -> Result<String, Failure> {
    let id = workflow_id(&order.feature);
    let options = WorkflowStartOptions::new(QUEUE, id.clone())
        .id_reuse_policy(WorkflowIdReusePolicy::AllowDuplicate)
        .id_conflict_policy(WorkflowIdConflictPolicy::Fail)
        .static_summary(order.called.clone())
        .build();
    match client.start_workflow(Feature::run, order, options).await {
        Ok(_) => Ok("taken up".to_owned()),
        Err(WorkflowStartError::AlreadyStarted { .. }) => {
            let handle = client.get_workflow_handle::<Feature>(id);
            let woken = handle.execute_update(Feature::wake, args.feature_budget, Default::default());
            let woken = tokio::time::timeout(ANSWER_MAX, woken).await;
            let what = match &woken {
                Ok(Ok(())) => "goes on",
                Ok(Err(_)) => "the fleet has it, and it does not rest",
                Err(_) => "the fleet has it, and no worker answers",
            };
            Ok(format!("{what}{}", kept(args, matches!(woken, Ok(Ok(()))))))
        }
        Err(error) => Err(failed(error)),
    }
}

/// Which options do not change a feature that the fleet already has.
fn kept(args: &StartArgs, is_woken: bool) -> String {
    let option = |id: &&str| format!("--{}", id.replace('_', "-").replace("agents", "agent"));
    let mut options: Vec<String> = args.typed.iter().map(option).collect();
    if args.feature_budget.is_some() && !is_woken {
        options.push("--feature-budget".to_owned());
    }
    if options.is_empty() {
        return String::new();
    }
    format!("; not applied to it: {} (stop it first, then start it with them)", options.join(", "))
}
