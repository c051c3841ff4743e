//! The office's book: which workers there are, what is spent and promised, who waits. A value; the office only stores
//! what comes in and sends what `give` decides. Start at `Book::give`.

use crate::order::Needs;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Book {
    pub v: u32,
    /// What all features may cost together; None is without a limit.
    pub budget_micro_usd: Option<u64>,
    /// How many drives an account may have at a time.
    pub accounts: BTreeMap<String, u32>,
    pub workers: BTreeMap<String, Offer>,
    /// By the id of the workflow's first run.
    pub features: BTreeMap<String, Entry>,
    pub ended: Ended,
    /// In the order in which they came.
    pub waiting: Vec<Request>,
}

/// What a worker has.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct Offer {
    pub repositories: BTreeSet<String>,
    pub agents: BTreeSet<String>,
    pub sandbox: Option<String>,
    /// How many features it drives at a time.
    pub places: u32,
    /// It did not take up what was in its queue, and has not been heard of since.
    #[serde(default)]
    pub silent: bool,
}

/// What a feature has cost the fleet, and what it was promised.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Entry {
    pub spent_micro_usd: u64,
    /// What may have been spent where nobody can look any more.
    pub lost_micro_usd: u64,
    pub grants: BTreeMap<String, Grant>,
}

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Ended {
    pub features: u64,
    pub spent_micro_usd: u64,
    pub lost_micro_usd: u64,
}

/// A feature asks for a worker, and for money unless it is an errand.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Request {
    pub id: String,
    /// Where the answer goes.
    pub workflow: String,
    /// The id of the workflow's first run.
    pub run: String,
    pub repository: String,
    pub needs: Needs,
    pub account: String,
    pub amount_micro_usd: u64,
    pub errand: bool,
    /// The worker that has the feature's worktree.
    pub prefers: Option<String>,
}

/// A promise: this worker, this much.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Grant {
    pub id: String,
    pub workflow: String,
    pub worker: String,
    pub account: String,
    pub amount_micro_usd: u64,
    pub errand: bool,
}

/// What became of grants. It has totals and no differences, so it can come twice.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Settlement {
    pub run: String,
    pub grants: Vec<String>,
    pub spent_micro_usd: u64,
    pub lost_micro_usd: u64,
    pub ended: bool,
    /// A worker that did not take up what was in its queue.
    pub silent: Option<String>,
}

/// Why a request waits.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Wait {
    /// No worker has what it needs.
    NoWorker,
    /// Those that have it are full.
    Place,
    /// The account has as many drives as it may.
    Account,
    Money,
}

impl Book {
    pub fn ask(&mut self, request: Request) {
        let known = |grant: &Grant| grant.id == request.id;
        let granted = self.features.get(&request.run).is_some_and(|entry| entry.grants.values().any(known));
        if !granted && !self.waiting.iter().any(|other| other.id == request.id) {
            self.waiting.push(request);
        }
    }

    pub fn settle(&mut self, settlement: Settlement) {
        let Settlement { run, grants, spent_micro_usd, lost_micro_usd, ended, silent } = settlement;
        if let Some(offer) = silent.and_then(|worker| self.workers.get_mut(&worker)) {
            offer.silent = true;
        }
        self.waiting.retain(|request| !(grants.contains(&request.id) || (ended && request.run == run)));
        if !ended && grants.is_empty() && !self.features.contains_key(&run) {
            return;
        }
        let entry = self.features.entry(run.clone()).or_default();
        entry.grants.retain(|id, _| !grants.contains(id));
        entry.spent_micro_usd = entry.spent_micro_usd.max(spent_micro_usd);
        entry.lost_micro_usd = entry.lost_micro_usd.max(lost_micro_usd);
        if ended && let Some(entry) = self.features.remove(&run) {
            self.ended.features += 1;
            self.ended.spent_micro_usd += entry.spent_micro_usd;
            self.ended.lost_micro_usd += entry.lost_micro_usd;
        }
    }

    pub fn announce(&mut self, worker: String, offer: Offer) {
        self.workers.insert(worker, offer);
    }

    pub fn leave(&mut self, worker: &str) {
        self.workers.remove(worker);
    }

    /// What was spent, may have been spent, and is promised.
    pub fn counted_micro_usd(&self) -> u64 {
        let open = self.features.values().map(|entry| {
            let promised: u64 = entry.grants.values().map(|grant| grant.amount_micro_usd).sum();
            entry.spent_micro_usd + entry.lost_micro_usd + promised
        });
        self.ended.spent_micro_usd + self.ended.lost_micro_usd + open.sum::<u64>()
    }

    /// Grants what can be granted, first come, first served. Whoever waits for money is not overtaken for money, so that
    /// a large request gets its turn; whoever waits for something else holds up nobody.
    pub fn give(&mut self) -> Vec<Grant> {
        let mut given = Vec::new();
        let mut money_waits = false;
        for request in std::mem::take(&mut self.waiting) {
            match self.verdict(&request, money_waits) {
                Ok(worker) => given.push(self.grant(request, worker)),
                Err(wait) => {
                    money_waits |= wait == Wait::Money;
                    self.waiting.push(request);
                }
            }
        }
        given
    }

    /// Why each of those who wait does.
    pub fn waits(&self) -> Vec<(String, Wait)> {
        let why = |request: &Request| self.verdict(request, false).err().unwrap_or(Wait::Money);
        self.waiting.iter().map(|request| (request.workflow.clone(), why(request))).collect()
    }

    fn verdict(&self, request: &Request, money_waits: bool) -> Result<String, Wait> {
        let worker = self.worker_for(request)?;
        if request.errand {
            return Ok(worker);
        }
        let drives = self.drives().filter(|grant| grant.account == request.account).count();
        let most = self.accounts.get(&request.account);
        if most.is_some_and(|most| drives >= *most as usize) {
            return Err(Wait::Account);
        }
        let after = self.counted_micro_usd().saturating_add(request.amount_micro_usd);
        if self.budget_micro_usd.is_some_and(|budget| money_waits || after > budget) {
            return Err(Wait::Money);
        }
        Ok(worker)
    }

    /// The worker that has the feature's worktree, unless it is silent; else the one with the most places left.
    fn worker_for(&self, request: &Request) -> Result<String, Wait> {
        let able: Vec<(&String, &Offer)> =
            self.workers.iter().filter(|(_, offer)| offer.can(request)).collect();
        if able.is_empty() {
            return Err(Wait::NoWorker);
        }
        let free = |name: &str, offer: &Offer| {
            let taken = self.drives().filter(|grant| grant.worker == *name).count() as u32;
            offer.places.saturating_sub(taken)
        };
        if let Some((name, offer)) = able.iter().find(|(name, _)| Some(*name) == request.prefers.as_ref()) {
            let has_place = request.errand || free(name, offer) > 0;
            return if has_place { Ok((*name).clone()) } else { Err(Wait::Place) };
        }
        let best = able.iter().map(|(name, offer)| (free(name, offer), *name)).max_by(|one, other| {
            // Of two with as many places, the first by name.
            one.0.cmp(&other.0).then_with(|| other.1.cmp(one.1))
        });
        match best {
            Some((places, name)) if places > 0 || request.errand => Ok(name.clone()),
            _ => Err(Wait::Place),
        }
    }

    fn drives(&self) -> impl Iterator<Item = &Grant> {
        self.features.values().flat_map(|entry| entry.grants.values()).filter(|grant| !grant.errand)
    }

    fn grant(&mut self, request: Request, worker: String) -> Grant {
        let Request { id, workflow, run, account, errand, .. } = request;
        let amount_micro_usd = if errand { 0 } else { request.amount_micro_usd };
        let grant = Grant { id: id.clone(), workflow, worker, account, amount_micro_usd, errand };
        self.features.entry(run).or_default().grants.insert(id, grant.clone());
        grant
    }
}

impl Offer {
    fn can(&self, request: &Request) -> bool {
        let sandbox = request.needs.sandbox.is_none() || request.needs.sandbox == self.sandbox;
        !self.silent
            && sandbox
            && self.repositories.contains(&request.repository)
            && request.needs.agents.is_subset(&self.agents)
    }
}

impl Wait {
    pub fn words(self) -> &'static str {
        match self {
            Wait::NoWorker => "waits for a worker that has what it needs",
            Wait::Place => "waits for a place",
            Wait::Account => "waits for its account",
            Wait::Money => "waits for money of the fleet",
        }
    }
}
