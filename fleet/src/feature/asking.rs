//! What a feature's workflow asks of others: a worker and money of the office, an errand of a worker.

use super::{Cancelled, Feature};
use crate::activities::Activities;
use crate::book::{Grant, Request, Settlement};
use crate::office::Office;
use crate::order::*;
use std::time::Duration;
use temporalio_common::RetryPolicy;
use temporalio_common::error::TimeoutType;
use temporalio_sdk::{
    ActivityCancellationType, ActivityOptions, SignalWorkflowOptions, WorkflowCancellationToken,
    WorkflowContext,
};

const ERRAND_MAX: Duration = Duration::from_secs(120);
/// How often an errand is tried with another worker.
const ERRAND_TRIES_MAX: u32 = 5;

impl Feature {
    /// A worker did not take up what was in its queue.
    pub(super) async fn gone(ctx: &WorkflowContext<Self>, grant: &Grant) {
        let settlement = ctx.state_mut(|own| {
            own.past.open.retain(|slip| slip.id != grant.id);
            own.past.take = true;
            let silent = Some(grant.worker.clone());
            let settlement = own.past.settlement(own.order.before_micro_usd, vec![grant.id.clone()]);
            Settlement { silent, ..settlement }
        });
        Self::tell(ctx, settlement).await;
    }

    /// Asks the office, and waits for what it grants.
    pub(super) async fn ask(
        ctx: &WorkflowContext<Self>,
        amount_micro_usd: u64,
        errand: bool,
    ) -> Result<Grant, Cancelled> {
        let id = ctx.uuid4();
        let request = ctx.state(|own| Request {
            id: id.clone(),
            workflow: workflow_id(&own.order.feature),
            run: own.past.run.clone(),
            repository: own.order.repository.clone(),
            needs: own.order.needs.clone(),
            account: own.order.account.clone(),
            amount_micro_usd,
            errand,
            prefers: own.past.at.clone(),
        });
        // After a cancellation nobody needs a worker, and what was asked for is taken back.
        while ctx
            .external_workflow(OFFICE, None)
            .signal(Office::ask, request.clone(), Default::default())
            .await
            .is_err()
        {
            if ctx.cancellation_token().is_cancelled() {
                return Err(Cancelled);
            }
            ctx.timer(Duration::from_secs(5)).await;
        }
        let waited = ctx.wait_condition(|own| own.granted.contains_key(&id)).await;
        match ctx.state_mut(|own| own.granted.remove(&id)) {
            Some(grant) if waited.is_ok() => Ok(grant),
            _ => {
                let back = ctx.state(|own| own.past.settlement(own.order.before_micro_usd, vec![id]));
                Self::tell(ctx, back).await;
                Err(Cancelled)
            }
        }
    }

    pub(super) async fn errand(ctx: &WorkflowContext<Self>, errand: Errand) -> Said {
        Self::errand_by(ctx, errand).await.0
    }

    /// Has a worker do something for the feature, where it lives if that worker is there.
    pub(super) async fn errand_by(ctx: &WorkflowContext<Self>, errand: Errand) -> (Said, String) {
        let mut said = Said { exit: 130, text: "the feature was stopped".to_owned(), ..Said::default() };
        for _ in 0..ERRAND_TRIES_MAX {
            let Ok(grant) = Self::ask(ctx, 0, true).await else { return (said, String::new()) };
            let order = ctx.state(|own| own.order.clone());
            let options = options(&grant.worker, order.timing, ERRAND_MAX, &order.called);
            let (feature, repository) = (order.feature, order.repository);
            let todo = ErrandOrder { feature, repository, errand: errand.clone() };
            let done = ctx.execute_activity(Activities::errand, todo, options).await;
            let timeout =
                done.as_ref().err().and_then(|error| error.as_timeout()).map(|one| one.timeout_type());
            match done {
                Ok(done) => {
                    let settled =
                        ctx.state(|own| own.past.settlement(own.order.before_micro_usd, vec![grant.id]));
                    Self::tell(ctx, settled).await;
                    return (done, grant.worker);
                }
                Err(error) => {
                    said = Said { exit: 7, text: format!("{}: {error}", grant.worker), ..Said::default() };
                    if timeout == Some(TimeoutType::ScheduleToStart) {
                        Self::gone(ctx, &grant).await;
                    } else {
                        let settled =
                            ctx.state(|own| own.past.settlement(own.order.before_micro_usd, vec![grant.id]));
                        Self::tell(ctx, settled).await;
                    }
                }
            }
            if ctx.cancellation_token().is_cancelled() {
                break;
            }
        }
        (said, String::new())
    }

    /// Tells the office what something cost, also when the workflow was cancelled.
    pub(super) async fn tell(ctx: &WorkflowContext<Self>, settlement: Settlement) {
        let options =
            || SignalWorkflowOptions::builder().cancellation_token(WorkflowCancellationToken::new()).build();
        let office = ctx.external_workflow(OFFICE, None);
        // Without an office there is no book to keep: a person has ended it.
        let _ = office.signal(Office::settle, settlement, options()).await;
    }
}

/// How an activity is handed to a worker: nobody else may take it up, and no attempt is hidden.
pub(super) fn options(worker: &str, timing: Timing, longest: Duration, summary: &str) -> ActivityOptions {
    ActivityOptions::with_start_to_close_timeout(longest)
        .task_queue(queue_of(worker))
        .schedule_to_start_timeout(Duration::from_millis(timing.pickup_ms))
        .heartbeat_timeout(Duration::from_millis(timing.heartbeat_ms))
        .retry_policy(RetryPolicy::builder().maximum_attempts(1).build())
        .cancellation_type(ActivityCancellationType::WaitCancellationCompleted)
        .do_not_eagerly_execute(true)
        .summary(summary)
        .build()
}
