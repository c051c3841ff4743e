//! The workflow of a feature: asks the office for a worker and money, has that worker drive the feature, settles what it
//! cost, and does what follows. While it waits for a person nothing runs. Start at `Feature::run`.

mod asking;

use self::asking::options;
use crate::activities::Activities;
use crate::book::{Grant, Settlement};
use crate::order::*;
use crate::outcome::{Ending, Next, Rest, next, pause_ms};
use crate::past::{Past, Slip};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::error::Error;
use std::time::{Duration, UNIX_EPOCH};
use temporalio_common::error::TimeoutType;
use temporalio_macros::{workflow, workflow_methods};
use temporalio_sdk::workflows::select;
use temporalio_sdk::{
    ActivityExecutionError, ContinueAsNewOptions, SyncWorkflowContext, WorkflowContext, WorkflowContextView,
    WorkflowResult,
};

/// Events after which the workflow goes on with an empty history.
const EVENTS_MAX: u32 = 4_000;
/// No drive lasts longer; one that would is begun again.
const DRIVE_MAX: Duration = Duration::from_secs(24 * 3600);

#[workflow]
pub struct Feature {
    order: FeatureOrder,
    past: Past,
    now: Now,
    /// What the office granted and nobody has taken up yet.
    granted: BTreeMap<String, Grant>,
    /// A person has said something that may let a resting feature go on.
    woken: bool,
}

/// Where the feature stands, for people.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Now {
    Waiting,
    Driving { worker: String },
    Resting { rest: Rest },
    Parked { until_ms: i64 },
    Pausing { why: String },
    Ended { ending: Ending },
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Shown {
    pub order: FeatureOrder,
    pub past: Past,
    pub now: Now,
}

type Refusal = Box<dyn Error + Send + Sync>;

#[workflow_methods]
impl Feature {
    #[init]
    pub fn new(ctx: &WorkflowContextView, mut order: FeatureOrder) -> Self {
        let fresh = || Past {
            run: ctx.run_id().to_owned(),
            total_micro_usd: order.before_micro_usd,
            ..Past::default()
        };
        let past = order.past.take().unwrap_or_else(fresh);
        Self { order, past, now: Now::Waiting, granted: BTreeMap::new(), woken: false }
    }

    #[run]
    pub async fn run(ctx: &mut WorkflowContext<Self>) -> WorkflowResult<Ending> {
        let ending = loop {
            let next = match Self::drive(ctx).await {
                Ok(next) => next,
                // Only a cancellation ends a wait.
                Err(Cancelled) => Next::End(Ending::Stopped),
            };
            if let Next::End(ending) = next {
                break ending;
            }
            if Self::follow(ctx, next).await.is_err() {
                break Ending::Stopped;
            }
            if ctx.history_length() > EVENTS_MAX && ctx.all_handlers_finished() {
                let order =
                    ctx.state(|own| FeatureOrder { past: Some(own.past.clone()), ..own.order.clone() });
                ctx.continue_as_new(order, ContinueAsNewOptions::default())?;
            }
        };
        ctx.state_mut(|own| own.now = Now::Ended { ending });
        let last = ctx.state_mut(|own| {
            own.past.written_off();
            Settlement { ended: true, ..own.past.settlement(own.order.before_micro_usd, Vec::new()) }
        });
        Self::tell(ctx, last).await;
        Ok(ending)
    }

    #[signal]
    pub fn granted(&mut self, _ctx: &mut SyncWorkflowContext<Self>, grant: Grant) {
        self.granted.insert(grant.id.clone(), grant);
    }

    #[query]
    pub fn shown(&self, _ctx: &WorkflowContextView) -> Shown {
        Shown { order: self.order.clone(), past: self.past.clone(), now: self.now.clone() }
    }

    #[update_validator(decide)]
    fn validate_decide(&self, _ctx: &WorkflowContextView, said: &Decision) -> Result<(), Refusal> {
        let Now::Resting { rest: Rest { question: Some(question), .. } } = &self.now else {
            return Err("it is not waiting for a decision".into());
        };
        if !question.choices.contains(&said.choice) {
            return Err(
                format!("`{}` is not a choice here: {}", said.choice, question.choices.join(", ")).into()
            );
        }
        match (said.seen, question.asked_at) {
            (Some(seen), Some(asked)) if seen != asked => Err(format!(
                "the question of event {seen} has been answered; the one that waits now was asked in event {asked}"
            )
            .into()),
            _ => Ok(()),
        }
    }

    #[update]
    pub async fn decide(ctx: &mut WorkflowContext<Self>, said: Decision) -> Said {
        let asked = ctx.state(|own| own.now.clone());
        let done = Self::errand(ctx, Errand::Decide(said)).await;
        // A second answer to the same question must not wake it a second time.
        ctx.state_mut(|own| own.woken |= done.exit == 0 && own.now == asked);
        done
    }

    #[update_validator(comment)]
    fn validate_comment(&self, _ctx: &WorkflowContextView, said: &Comment) -> Result<(), Refusal> {
        if said.text.trim().is_empty() {
            return Err("the comment is empty".into());
        }
        match self.now {
            Now::Ended { .. } => Err("it has ended".into()),
            _ => Ok(()),
        }
    }

    #[update]
    pub async fn comment(ctx: &mut WorkflowContext<Self>, said: Comment) -> Said {
        let done = Self::errand(ctx, Errand::Comment(said)).await;
        ctx.state_mut(|own| own.woken |= done.exit == 0 && matches!(own.now, Now::Resting { .. }));
        done
    }

    #[update_validator(wake)]
    fn validate_wake(
        &self,
        _ctx: &WorkflowContextView,
        _budget_micro_usd: &Option<u64>,
    ) -> Result<(), Refusal> {
        match self.now {
            Now::Resting { .. } | Now::Parked { .. } | Now::Pausing { .. } => Ok(()),
            _ => Err("it does not rest".into()),
        }
    }

    /// Tries once more, with a higher budget if one is given.
    #[update]
    pub fn wake(&mut self, _ctx: &mut SyncWorkflowContext<Self>, budget_micro_usd: Option<u64>) {
        self.order.budget_micro_usd = budget_micro_usd.unwrap_or(self.order.budget_micro_usd);
        self.past.failures = 0;
        self.woken = true;
    }
}

/// The workflow was cancelled.
#[derive(Clone, Copy, Debug)]
struct Cancelled;

impl Feature {
    /// One drive, with everything that belongs to it.
    async fn drive(ctx: &mut WorkflowContext<Self>) -> Result<Next, Cancelled> {
        if ctx.state(|own| !own.past.open.is_empty()) {
            Self::look(ctx).await?;
        }
        let (order, past) = ctx.state(|own| (own.order.clone(), own.past.clone()));
        let left = order.budget_micro_usd.saturating_sub(past.total_micro_usd);
        let wish = past.wish_micro_usd.unwrap_or(order.portion_micro_usd);
        if past.wish_micro_usd.is_some_and(|wish| wish > left) {
            let text = format!(
                "over its budget: the next dispatch may cost {wish} micro-USD, and {left} are left of its own; \
                    give it more: redraft-fleet start REPO --feature {} --feature-budget USD",
                order.called
            );
            return Ok(Next::Rest(Rest { text, question: None }));
        }
        ctx.state_mut(|own| own.now = Now::Waiting);
        let grant = Self::ask(ctx, wish.min(left), false).await?;
        let slip = Slip {
            id: grant.id.clone(),
            worker: grant.worker.clone(),
            amount_micro_usd: grant.amount_micro_usd,
        };
        let take = ctx.state_mut(|own| {
            own.now = Now::Driving { worker: grant.worker.clone() };
            own.past.open.push(slip);
            own.past.drives += 1;
            // Whoever had it before must be gone for somebody else to drive it.
            own.past.take || own.past.at.as_ref().is_some_and(|at| *at != grant.worker)
        });
        let drive = DriveOrder {
            feature: order.feature.clone(),
            repository: order.repository.clone(),
            portion_micro_usd: grant.amount_micro_usd,
            budget_micro_usd: order.budget_micro_usd,
            take,
            merge: order.merge,
        };
        let options = options(&grant.worker, order.timing, DRIVE_MAX, &order.called);
        let ended = ctx.execute_activity(Activities::drive, drive, options).await;
        Ok(match ended {
            Ok(report) => Self::reported(ctx, &grant, report).await,
            Err(error) => Self::failed(ctx, &grant, &error).await,
        })
    }

    async fn reported(ctx: &mut WorkflowContext<Self>, grant: &Grant, report: Report) -> Next {
        let failures = ctx.state_mut(|own| {
            own.past.at = Some(grant.worker.clone());
            own.past.wish_micro_usd = None;
            if !report.elsewhere {
                own.past.take = false;
            }
            own.past.failures
        });
        let Some(total) = report.total_micro_usd else {
            // What it cost is looked up before the next drive.
            return next(&report, failures);
        };
        let settlement = ctx.state_mut(|own| {
            own.past.reported(total);
            own.past.settlement(own.order.before_micro_usd, vec![grant.id.clone()])
        });
        Self::tell(ctx, settlement).await;
        next(&report, failures)
    }

    /// The activity did not report. What it cost is looked up before the next drive, unless it never began.
    async fn failed(ctx: &mut WorkflowContext<Self>, grant: &Grant, error: &ActivityExecutionError) -> Next {
        let timeout = error.as_timeout().map(|timeout| timeout.timeout_type());
        match (error, timeout) {
            (ActivityExecutionError::Cancelled(_), _) => Next::End(Ending::Stopped),
            (_, Some(TimeoutType::ScheduleToStart)) => {
                Self::gone(ctx, grant).await;
                Next::Again
            }
            // It may be back in a moment: it is asked first, and if it does not answer, another one.
            (_, Some(_)) => Next::Again,
            _ => Next::Later(error.to_string()),
        }
    }

    /// Finds out what drives that did not report have cost. Where nobody can look, everything promised counts as spent.
    async fn look(ctx: &mut WorkflowContext<Self>) -> Result<(), Cancelled> {
        let first = ctx.state(|own| own.past.open.first().map(|slip| slip.worker.clone()));
        let grants = ctx.state(|own| own.past.open.iter().map(|slip| slip.id.clone()).collect());
        ctx.state_mut(|own| own.past.at = first.or_else(|| own.past.at.clone()));
        let (said, worker) = Self::errand_by(ctx, Errand::Look).await;
        if ctx.cancellation_token().is_cancelled() {
            return Err(Cancelled);
        }
        let settlement = ctx.state_mut(|own| {
            match said.total_micro_usd {
                Some(total) => own.past.looked(&worker, total, said.elsewhere),
                None => own.past.written_off(),
            }
            own.past.settlement(own.order.before_micro_usd, grants)
        });
        Self::tell(ctx, settlement).await;
        Ok(())
    }

    /// What follows from a drive, until the next one is due.
    async fn follow(ctx: &mut WorkflowContext<Self>, next: Next) -> Result<(), Cancelled> {
        let timing = ctx.state(|own| own.order.timing);
        match next {
            Next::End(_) | Next::Again => Ok(()),
            Next::More { needed_micro_usd } => {
                ctx.state_mut(|own| {
                    let portion = own.order.portion_micro_usd;
                    own.past.wish_micro_usd = Some(needed_micro_usd.max(portion));
                });
                Ok(())
            }
            Next::Rest(rest) => {
                ctx.state_mut(|own| own.past.failures = 0);
                Self::wait(ctx, Now::Resting { rest }, None).await
            }
            Next::Park { until_ms } => {
                let now_ms = ctx.workflow_time().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
                let now_ms = now_ms.map_or(0, |time| time.as_millis() as i64);
                // A second more, because clocks differ.
                let wait_ms = (until_ms - now_ms).max(0) as u64 + 1_000;
                Self::wait(ctx, Now::Parked { until_ms }, Some(wait_ms)).await
            }
            Next::Later(why) => {
                let failures = ctx.state_mut(|own| {
                    own.past.failures += 1;
                    own.past.failures - 1
                });
                let wait_ms = pause_ms(timing.retry_ms, failures);
                Self::wait(ctx, Now::Pausing { why }, Some(wait_ms)).await
            }
        }
    }

    /// Rests until somebody wakes the feature, or the time is over.
    async fn wait(ctx: &mut WorkflowContext<Self>, now: Now, wait_ms: Option<u64>) -> Result<(), Cancelled> {
        ctx.state_mut(|own| {
            own.now = now;
            own.woken = false;
        });
        let woken = match wait_ms {
            None => ctx.wait_condition(|own| own.woken).await.is_ok(),
            Some(wait_ms) => {
                select! {
                    woken = ctx.wait_condition(|own: &Self| own.woken) => woken.is_ok(),
                    _ = ctx.timer(Duration::from_millis(wait_ms)) => !ctx.cancellation_token().is_cancelled(),
                }
            }
        };
        if woken { Ok(()) } else { Err(Cancelled) }
    }
}
