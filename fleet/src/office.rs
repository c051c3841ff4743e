//! The workflow of which a fleet has one: it keeps the book, and answers features that ask for a worker and money.

use crate::book::{Book, Grant, Offer, Request, Settlement};
use crate::feature::Feature;
use serde::{Deserialize, Serialize};
use temporalio_macros::{workflow, workflow_methods};
use temporalio_sdk::{
    ContinueAsNewOptions, SyncWorkflowContext, WorkflowContext, WorkflowContextView, WorkflowResult,
};

/// Events after which the office goes on with an empty history. The server warns at 10,240 and refuses at 51,200.
const EVENTS_MAX: u32 = 8_000;

#[workflow]
pub struct Office {
    book: Book,
    /// Something came in since `give` was asked.
    stirred: bool,
}

/// What a person sets for the fleet.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Limits {
    pub budget_micro_usd: Option<u64>,
    pub accounts: Vec<(String, u32)>,
}

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Announcement {
    pub worker: String,
    /// None when it leaves.
    pub offer: Option<Offer>,
}

#[workflow_methods]
impl Office {
    #[init]
    pub fn new(_ctx: &WorkflowContextView, book: Book) -> Self {
        Self { book, stirred: true }
    }

    #[run]
    pub async fn run(ctx: &mut WorkflowContext<Self>) -> WorkflowResult<()> {
        loop {
            ctx.wait_condition(|office| office.stirred).await?;
            let given = ctx.state_mut(|office| {
                office.stirred = false;
                office.book.give()
            });
            let sent: Vec<_> = given.into_iter().map(|grant| Self::send(ctx, grant)).collect();
            temporalio_sdk::workflows::join_all(sent).await;
            if ctx.history_length() > EVENTS_MAX || ctx.continue_as_new_suggested() {
                let book = ctx.state(|office| office.book.clone());
                ctx.continue_as_new(book, ContinueAsNewOptions::default())?;
            }
        }
    }

    #[signal]
    pub fn ask(&mut self, _ctx: &mut SyncWorkflowContext<Self>, request: Request) {
        self.book.ask(request);
        self.stirred = true;
    }

    #[signal]
    pub fn settle(&mut self, _ctx: &mut SyncWorkflowContext<Self>, settlement: Settlement) {
        self.book.settle(settlement);
        self.stirred = true;
    }

    #[signal]
    pub fn announce(&mut self, _ctx: &mut SyncWorkflowContext<Self>, said: Announcement) {
        match said.offer {
            Some(offer) => self.book.announce(said.worker, offer),
            None => self.book.leave(&said.worker),
        }
        self.stirred = true;
    }

    #[signal]
    pub fn limit(&mut self, _ctx: &mut SyncWorkflowContext<Self>, limits: Limits) {
        if limits.budget_micro_usd.is_some() {
            self.book.budget_micro_usd = limits.budget_micro_usd;
        }
        self.book.accounts.extend(limits.accounts);
        self.stirred = true;
    }

    #[query]
    pub fn book(&self, _ctx: &WorkflowContextView) -> Book {
        self.book.clone()
    }

    /// What one worker is known to offer.
    #[query]
    pub fn offer(&self, _ctx: &WorkflowContextView, worker: String) -> Option<Offer> {
        self.book.workers.get(&worker).cloned()
    }
}

impl Office {
    /// Tells a feature what it was granted. Where there is no such workflow any more, the grant was never used.
    fn send(ctx: &WorkflowContext<Self>, grant: Grant) -> impl Future<Output = ()> + use<> {
        let ctx = ctx.clone();
        async move {
            let feature = ctx.external_workflow(grant.workflow.clone(), None);
            let sent = feature.signal(Feature::granted, grant.clone(), Default::default()).await;
            if sent.is_err() {
                ctx.state_mut(|office| {
                    for entry in office.book.features.values_mut() {
                        entry.grants.remove(&grant.id);
                    }
                    office.stirred = true;
                });
            }
        }
    }
}
