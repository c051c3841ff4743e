//! `redraft-fleet start`: hands features to the fleet.

use super::args::StartArgs;
use super::server::{ANSWER_MAX, connect, failed, office, short};
use super::{CONFIG, Failure, USAGE};
use redraft_fleet::clones::{Clone, Known};
use redraft_fleet::feature::Feature;
use redraft_fleet::office::{Limits, Office};
use redraft_fleet::order::{FeatureOrder, Needs, QUEUE, Timing, workflow_id};
use redraft_fleet::program::Programs;
use serde_json::json;
use temporalio_client::errors::WorkflowStartError;
use temporalio_client::{Client, WorkflowIdConflictPolicy, WorkflowIdReusePolicy, WorkflowStartOptions};

/// What a feature may cost where nobody has said.
const FEATURE_BUDGET_MICRO_USD: u64 = 5_000_000;

pub(crate) async fn start(args: StartArgs) -> Result<u8, Failure> {
    let client = connect().await?;
    let office = office(&client).await?;
    if args.budget.is_some() || !args.account_limit.is_empty() {
        let limits = Limits { budget_micro_usd: args.budget, accounts: args.account_limit.clone() };
        office.signal(Office::limit, limits, Default::default()).await.map_err(failed)?;
    }
    let programs = Programs::new(args.redraft.clone());
    let (mut started, mut left) = (Vec::new(), Vec::new());
    for folder in &args.repositories {
        let clone = Clone::open(folder).await.map_err(|error| Failure::new(CONFIG, error))?;
        let known = clone.features(&programs).await.map_err(|error| {
            Failure::new(CONFIG, error)
                .hint(format!("accept its settings: redraft -C {} trust", folder.display()))
        })?;
        for feature in known {
            let called = called(&feature);
            let is_meant =
                |word: &String| *word == feature.number || feature.row["slug"] == **word || *word == called;
            if !args.features.is_empty() && !args.features.iter().any(is_meant) {
                continue;
            }
            if let Some(why) = over(&feature) {
                left.push((called, why));
                continue;
            }
            let before = clone.total_micro_usd(&programs, &feature.number).await.unwrap_or(0);
            let order = order(&args, &clone, &feature, called.clone(), before);
            let what = begin(&client, order, args.feature_budget).await?;
            started.push((format!("{}/{called}", short(&clone.repository)), what));
        }
    }
    if !args.features.is_empty() && started.is_empty() && left.is_empty() {
        return Err(Failure::new(USAGE, format!("there is no feature {}", args.features.join(", ")))
            .hint("`redraft status` in the clone lists its features"));
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
async fn begin(client: &Client, order: FeatureOrder, budget: Option<u64>) -> Result<String, Failure> {
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
            let woken = handle.execute_update(Feature::wake, budget, Default::default());
            match tokio::time::timeout(ANSWER_MAX, woken).await {
                Ok(Ok(())) => Ok("goes on".to_owned()),
                Ok(Err(_)) => Ok("the fleet has it, and it does not rest".to_owned()),
                Err(_) => Ok("the fleet has it, and no worker answers".to_owned()),
            }
        }
        Err(error) => Err(failed(error)),
    }
}
