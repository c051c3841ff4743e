//! Formats entries and changes, for people and for programs.

use super::Aged;
use super::gates::Gate;
use redraft_adapters::shell_word::quoted;
use redraft_documents::bank::{BankEntry, BankFile, EntryLife, FOLDER, Used};
use redraft_facts::ids::FeatureId;
use redraft_facts::text::indented;
use redraft_frame::console::Console;
use redraft_frame::process_context::ProcessContext;
use serde::Serialize;

#[derive(Serialize)]
struct ListJson {
    v: u16,
    entries: Vec<EntryJson>,
    /// Entries in the files, shown or not.
    total: usize,
    stale: usize,
    next: String,
}

#[derive(Serialize)]
struct OneJson {
    v: u16,
    #[serde(flatten)]
    entry: EntryJson,
}

#[derive(Serialize)]
struct EntryJson {
    kind: &'static str,
    name: String,
    text: String,
    file: &'static str,
    line: u32,
    /// `current`, `stale`, `unknown`, or `exempt` for patterns.
    life: &'static str,
    why: String,
    /// Features that were created after the last observation.
    features_since: Option<usize>,
    /// Files it is anchored to that changed since.
    changed: Vec<String>,
    provenance: Option<String>,
    last_observed: Option<String>,
    observation_count: Option<u32>,
    confidence: Option<String>,
    challenged: Vec<String>,
    checked_by: Vec<GateJson>,
    /// Another tool wrote `⚠️ STALE` into it.
    marked_stale: bool,
    /// Dispatches whose prompts told it, and what came of it.
    told: usize,
    matched: usize,
    ignored: usize,
    contradicted: usize,
}

#[derive(Serialize)]
struct GateJson {
    by: String,
    /// Whether it blocks a review here.
    gate: bool,
    why: String,
}

impl EntryJson {
    fn new(Aged { entry, life, used, gates }: &Aged<'_>) -> EntryJson {
        let gate = |gate: &Gate| GateJson { by: gate.by.clone(), gate: gate.is_gate, why: gate.why.clone() };
        let (since, changed) = match life {
            EntryLife::Current { later } => (Some(*later), Vec::new()),
            EntryLife::Stale { later, changed } => (*later, changed.clone()),
            EntryLife::Exempt | EntryLife::Unknown => (None, Vec::new()),
        };
        let fields = &entry.fields;
        let raw = |seen: &redraft_documents::bank::Observed| seen.raw.clone();
        EntryJson {
            kind: entry.kind.name(),
            name: entry.name.clone(),
            text: entry.text.clone(),
            file: entry.kind.path(),
            line: entry.line,
            life: life.name(),
            why: life.to_string(),
            features_since: since,
            changed,
            provenance: fields.provenance.as_ref().map(raw),
            last_observed: fields.last_observed.as_ref().map(raw),
            observation_count: fields.count,
            confidence: fields.confidence.clone(),
            challenged: fields.challenged.clone(),
            checked_by: gates.iter().map(gate).collect(),
            marked_stale: fields.marked_stale,
            told: used.told,
            matched: used.matched,
            ignored: used.ignored,
            contradicted: used.contradicted,
        }
    }
}

pub(super) fn list(shown: &[&Aged<'_>], total: usize, process: &ProcessContext, console: &Console) {
    let stale: Vec<&&Aged<'_>> = shown.iter().filter(|aged| aged.life.is_stale()).collect();
    let unknown = shown.iter().filter(|aged| aged.life == EntryLife::Unknown).count();
    let next = match (total, stale.first()) {
        (0, _) => process.next("redraft new \"your idea\""),
        (_, Some(aged)) => process.next(&format!("redraft bank keep {}", quoted(&aged.entry.name))),
        (_, None) if unknown > 0 => process.next("redraft bank backfill"),
        (_, None) => process.next("redraft status"),
    };
    if console.json {
        let entries = shown.iter().map(|aged| EntryJson::new(aged)).collect();
        console.object(&ListJson { v: 1, entries, total, stale: stale.len(), next });
        return;
    }
    if total == 0 {
        console.data(&format!("{FOLDER}/ has no entries here; people and retrospectives write them"));
        console.data(&format!("next: {next}"));
        return;
    }
    for kind in BankFile::ALL {
        let of_kind: Vec<&&Aged<'_>> = shown.iter().filter(|aged| aged.entry.kind == kind).collect();
        if !of_kind.is_empty() {
            console.data(kind.path());
        }
        for aged in of_kind {
            console.data(&row(aged));
        }
    }
    let mut sum = format!("{}, {} stale", entries_of(shown.len()), stale.len());
    if unknown > 0 {
        sum.push_str(&format!(", {unknown} not known"));
    }
    console.data(&sum);
    match stale.first() {
        Some(_) => console.data(&format!("next: {next}   (or update, or retire)")),
        None => console.data(&format!("next: {next}")),
    }
}

/// Two lines: what it is, and the reason for its place.
fn row(Aged { entry, life, used, gates }: &Aged<'_>) -> String {
    let state = match life {
        EntryLife::Stale { .. } => "stale",
        EntryLife::Unknown => "?",
        EntryLife::Current { .. } | EntryLife::Exempt => "",
    };
    let mut told = vec![life.to_string()];
    if let Some(seen) = &entry.fields.last_observed {
        told.push(format!("last observed {}", seen.raw));
    }
    if let Some(times) = entry.fields.count {
        told.push(format!("observed {}", count_times(times)));
    }
    if !entry.fields.challenged.is_empty() {
        told.push(format!(
            "challenged {}",
            count_times(u32::try_from(entry.fields.challenged.len()).unwrap_or(u32::MAX))
        ));
    }
    told.extend(used_words(used));
    told.extend(gates.iter().map(gate_words));
    format!("  {state:<6}{}\n        {}", entry.name, told.join("; "))
}

/// `told 4 times: 1 matched, 2 ignored, 1 contradicted`; none for an entry that was never told.
fn used_words(used: &Used) -> Option<String> {
    let Used { told, matched, ignored, contradicted } = used;
    let times = count_times(u32::try_from(*told).unwrap_or(u32::MAX));
    (*told > 0)
        .then(|| format!("told {times}: {matched} matched, {ignored} ignored, {contradicted} contradicted"))
}

fn gate_words(gate: &Gate) -> String {
    let Gate { by, is_gate, why } = gate;
    format!("checked by {by}, {}: {why}", if *is_gate { "a gate" } else { "no gate" })
}

fn count_times(times: u32) -> String {
    match times {
        1 => "once".to_owned(),
        times => format!("{times} times"),
    }
}

fn entries_of(number: usize) -> String {
    if number == 1 { "1 entry".to_owned() } else { format!("{number} entries") }
}

pub(super) fn one(aged: &Aged<'_>, process: &ProcessContext, console: &Console) {
    let json = EntryJson::new(aged);
    let mut text = format!("{} ({}, {}:{})\n\n", json.name, json.kind, json.file, json.line);
    if !json.text.is_empty() {
        text.push_str(&format!("  {}\n\n", indented(&json.text, 2)));
    }
    let state = match aged.life {
        EntryLife::Stale { .. } => format!("stale: {}", json.why),
        EntryLife::Current { .. } | EntryLife::Exempt | EntryLife::Unknown => json.why.clone(),
    };
    text.push_str(&format!("{state}\n"));
    let mut field = |label: &str, value: Option<&str>| {
        if let Some(value) = value {
            text.push_str(&format!("{label}: {value}\n"));
        }
    };
    field("comes from", json.provenance.as_deref());
    field("last observed", json.last_observed.as_deref());
    field("observed", json.observation_count.map(count_times).as_deref());
    field("confidence", json.confidence.as_deref());
    for line in &json.challenged {
        field("challenged", Some(line));
    }
    for line in used_words(&aged.used).into_iter().chain(aged.gates.iter().map(gate_words)) {
        text.push_str(&format!("{line}\n"));
    }
    if aged.life.is_stale() {
        let name = quoted(&json.name);
        for command in ["keep", "update", "retire"] {
            let rest = match command {
                "update" => " --text \"…\"",
                "retire" => " --why \"…\"",
                _ => "",
            };
            text.push_str(&format!(
                "next: {}{rest}\n",
                process.next(&format!("redraft bank {command} {name}"))
            ));
        }
    }
    console.show(&text, &OneJson { v: 1, entry: json });
}

/// What a command did to one entry.
#[derive(Serialize)]
pub(super) struct ChangedJson {
    v: u16,
    done: &'static str,
    kind: &'static str,
    name: String,
    file: &'static str,
    feature: Option<String>,
    /// False if it had been done before.
    changed: bool,
    /// Where a retired entry is noted.
    #[serde(skip_serializing_if = "Option::is_none")]
    noted_in: Option<String>,
}

impl ChangedJson {
    pub(super) fn new(
        entry: &BankEntry,
        done: &'static str,
        feature: Option<FeatureId>,
        changed: bool,
        noted_in: Option<String>,
    ) -> ChangedJson {
        ChangedJson {
            v: 1,
            done,
            kind: entry.kind.name(),
            name: entry.name.clone(),
            file: entry.kind.path(),
            feature: feature.map(|id| id.to_string()),
            changed,
            noted_in,
        }
    }
}

pub(super) fn changed(json: &ChangedJson, process: &ProcessContext, console: &Console) {
    let ChangedJson { done, name, file, .. } = json;
    let by = json.feature.as_ref().map(|id| format!(", last observed in feature {id}")).unwrap_or_default();
    let again = if json.changed { "" } else { " (it was already)" };
    let noted = json.noted_in.as_ref().map(|path| format!("\nnoted in {path}")).unwrap_or_default();
    let next = process.next("redraft bank");
    console.show(&format!("{done}: {name}{by}{again}\nfile: {file}{noted}\nnext: {next}"), json);
}

#[derive(Serialize)]
struct BackfillJson {
    v: u16,
    written: bool,
    filled: Vec<FilledJson>,
    left: Vec<FilledJson>,
    next: String,
}

/// An entry and what it gets, or why it gets nothing.
#[derive(Serialize)]
pub(super) struct FilledJson {
    kind: &'static str,
    name: String,
    file: &'static str,
    line: u32,
    what: String,
}

impl FilledJson {
    pub(super) fn new(entry: &BankEntry, what: &str) -> FilledJson {
        FilledJson {
            kind: entry.kind.name(),
            name: entry.name.clone(),
            file: entry.kind.path(),
            line: entry.line,
            what: what.to_owned(),
        }
    }
}

pub(super) fn filled(
    written: bool,
    filled: Vec<FilledJson>,
    left: Vec<FilledJson>,
    process: &ProcessContext,
    console: &Console,
) {
    let next = match (filled.is_empty(), written) {
        (false, false) => process.next("redraft bank backfill --write"),
        (_, _) => process.next("redraft bank"),
    };
    let mut text = String::new();
    for entry in &filled {
        text.push_str(&format!(
            "{}:{}: {}\n  Last observed: {}\n",
            entry.file, entry.line, entry.name, entry.what
        ));
    }
    for entry in &left {
        text.push_str(&format!(
            "{}:{}: {}\n  not changed: {}\n",
            entry.file, entry.line, entry.name, entry.what
        ));
    }
    let sum = match (filled.len(), written) {
        (0, _) => "there is nothing to fill in".to_owned(),
        (number, true) => {
            format!("filled in: {}; check the changes with git diff, then commit them", entries_of(number))
        }
        (number, false) => format!("would be filled in: {}; nothing was changed", entries_of(number)),
    };
    let more = if left.is_empty() { String::new() } else { format!("; not changed: {}", left.len()) };
    text.push_str(&format!("{sum}{more}\nnext: {next}"));
    console.show(&text, &BackfillJson { v: 1, written, filled, left, next });
}
