//! Reads `.meta.json` as people and tools have written it: the fields that are known, whatever else the file holds.

use redraft_facts::event::FeatureLife;
use redraft_facts::ids::FeatureId;
use redraft_facts::phase::Lane;
use redraft_facts::prelude::*;
use serde_json::{Map, Value};

/// What a `.meta.json` says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Meta {
    pub id: Option<FeatureId>,
    pub status: Option<FeatureLife>,
    /// A status that is not one of ours.
    pub strange_status: Option<String>,
    pub lane: Option<Lane>,
    pub project: Option<String>,
    pub depends_on: Vec<String>,
    pub brainstorm_source: Option<String>,
    /// Whether it says that the rehearsal agent wrote or judged any of it.
    pub rehearsed: bool,
    /// Keys that are not used.
    pub other: Vec<String>,
}

/// Keys that a ledger writes itself, or that say what others say too.
const PASSED_OVER: [&str; 18] = [
    "v",
    "slug",
    "name",
    "title",
    "created",
    "completed",
    "started",
    "branch",
    "base",
    "lane_reason",
    "phases",
    "skipped_phases",
    "unblocked",
    "r1_deferred_reason",
    "lastCompletedPhase",
    "last_completed_phase",
    "currentPhase",
    "updated",
];

/// Reads it; the error says what is wrong with it.
pub fn read_meta(text: &str) -> Result<Meta, String> {
    let object: Map<String, Value> =
        serde_json::from_str(text).map_err(|error| format!("it is no JSON object: {error}"))?;
    let mut meta = Meta::default();
    for (key, value) in &object {
        let word = value.as_str().map(str::trim).filter(|word| !word.is_empty());
        match key.as_str() {
            "id" | "number" | "feature_id" => meta.id = number(value),
            "status" | "state" => set_status(&mut meta, word),
            "lane" | "mode" => meta.lane = word.and_then(lane),
            "project_id" | "project" => meta.project = word.map(str::to_owned),
            "depends_on_features" | "depends_on" | "dependencies" => meta.depends_on = list(value),
            "brainstorm_source" => meta.brainstorm_source = word.map(str::to_owned),
            "rehearsed" => meta.rehearsed = value == &Value::Bool(true),
            key if PASSED_OVER.contains(&key) => {}
            key => meta.other.push(key.to_owned()),
        }
    }
    Ok(meta)
}

fn number(value: &Value) -> Option<FeatureId> {
    let number = match value {
        Value::Number(number) => number.as_u64()?.try_into().ok()?,
        Value::String(word) => word.split('-').next()?.trim_start_matches(['F', 'f']).parse().ok()?,
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return None,
    };
    (number > 0).then_some(FeatureId(number))
}

fn set_status(meta: &mut Meta, word: Option<&str>) {
    let Some(word) = word else { return };
    let plain: String =
        word.to_lowercase().chars().map(|c| if c == '_' || c == ' ' { '-' } else { c }).collect();
    meta.status = match plain.as_str() {
        "planned" | "new" | "proposed" | "backlog" | "todo" | "pending" | "not-started" => {
            Some(FeatureLife::Planned)
        }
        "completed" | "complete" | "done" | "finished" | "merged" | "shipped" | "closed" | "released"
        | "archived" | "implemented" | "approved" | "accepted" => Some(FeatureLife::Completed),
        "abandoned" | "cancelled" | "canceled" | "rejected" | "dropped" | "superseded" | "wontfix"
        | "obsolete" => Some(FeatureLife::Abandoned),
        "active" | "in-progress" | "started" | "wip" | "open" | "draft" | "ready" | "blocked" | "paused"
        | "waiting" | "review" | "in-review" => Some(FeatureLife::Active),
        _ => None,
    };
    if meta.status.is_none() {
        meta.strange_status = Some(word.to_owned());
        meta.status = Some(FeatureLife::Active);
    }
}

fn lane(word: &str) -> Option<Lane> {
    match word.to_lowercase().as_str() {
        "express" | "hotfix" | "quick" => Some(Lane::Express),
        "standard" => Some(Lane::Standard),
        "deep" | "full" => Some(Lane::Deep),
        _ => None,
    }
}

fn list(value: &Value) -> Vec<String> {
    let words = value.as_array().map(Vec::as_slice).unwrap_or_default().iter().filter_map(Value::as_str);
    words.map(|word| word.trim().to_owned()).filter(|word| !word.is_empty()).collect()
}
