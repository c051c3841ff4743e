//! `redraft bank`: shows what earlier features taught, and carries out a person's decisions about it.
//!
//! Reads and writes docs/knowledge-bank/ of the current checkout; `bank_files` touches the files, `entry_history` asks
//! the ledger and git, `gates` finds what checks entries, `change` performs a person's decision, `report` formats the
//! output. `documents::bank` decides what an entry is, whether it is stale and what a change means.

pub(crate) mod asking;
mod bank_files;
mod change;
mod entry_history;
mod gates;
mod report;

use bank_files::BankFiles;
use entry_history::EntryHistory;
use gates::Gate;
use redraft_documents::bank::{Bank, BankEntry, BankFile, EntryLife, Used, stale, uses};
use redraft_facts::text::one_line;
use redraft_frame::args::{BankArgs, BankCommand, BankKind, NameArgs};
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;
use std::collections::BTreeSet;

pub(crate) fn bank(
    args: BankArgs,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let repo = process.repository()?;
    match args.command {
        None => list(&repo, args.stale, args.kind, process, console),
        Some(BankCommand::Show(args)) => show(&repo, &args, process, console),
        Some(BankCommand::Keep(args)) => change::keep(&repo, &args, process, console),
        Some(BankCommand::Update(args)) => change::update(&repo, &args, process, console),
        Some(BankCommand::Retire(args)) => change::retire(&repo, &args, process, console),
        Some(BankCommand::Backfill(args)) => change::backfill(&repo, args.write, process, console),
    }
}

/// An entry, its age, what came of it where prompts told it, and what checks it.
struct Aged<'a> {
    entry: &'a BankEntry,
    life: EntryLife,
    used: Used,
    gates: Vec<Gate>,
}

fn list(
    repo: &RepositoryContext,
    only_stale: bool,
    kind: Option<BankKind>,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let shelf = BankFiles::read(repo)?;
    let past = EntryHistory::load(repo)?;
    let all = aged(&shelf.bank, &past, repo, process)?;
    let wanted = |aged: &&Aged<'_>| {
        (!only_stale || aged.life.is_stale()) && kind.is_none_or(|kind| kind.kind() == aged.entry.kind)
    };
    let shown: Vec<&Aged<'_>> = all.iter().filter(wanted).collect();
    report::list(&shown, all.len(), process, console);
    Ok(ErrorCode::Done)
}

fn show(
    repo: &RepositoryContext,
    args: &NameArgs,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let shelf = BankFiles::read(repo)?;
    let entry = named(&shelf.bank, args, Part::Enough)?;
    let past = EntryHistory::load(repo)?;
    let alone = Bank { entries: vec![entry.clone()] };
    let aged = aged(&alone, &past, repo, process)?;
    if let Some(aged) = aged.first() {
        report::one(aged, process, console);
    }
    Ok(ErrorCode::Done)
}

fn aged<'a>(
    bank: &'a Bank,
    past: &EntryHistory,
    repo: &RepositoryContext,
    process: &ProcessContext,
) -> Result<Vec<Aged<'a>>, CliError> {
    let changed = past.changed(&bank.entries, repo)?;
    let used = uses(&bank.entries, &past.told);
    let gates = gates::evaluate(bank, repo, process)?;
    let mut all = Vec::with_capacity(bank.entries.len());
    for (((entry, changed), used), gates) in bank.entries.iter().zip(changed).zip(used).zip(gates) {
        all.push(Aged { entry, life: stale(entry, &past.order, &changed), used, gates });
    }
    Ok(all)
}

/// Whether a part of a name is enough.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Enough,
    /// A command that changes a file needs the exact entry.
    NotEnough,
}

fn named<'a>(bank: &'a Bank, args: &NameArgs, part: Part) -> Result<&'a BankEntry, CliError> {
    let of_kind = |entry: &&BankEntry| args.kind.is_none_or(|kind| kind.kind() == entry.kind);
    let called: Vec<&BankEntry> = bank.called(&args.name).into_iter().filter(of_kind).collect();
    let word = args.name.trim().to_lowercase();
    let holds = |entry: &&BankEntry| !word.is_empty() && entry.name.to_lowercase().contains(&word);
    let near: Vec<&BankEntry> = bank.entries.iter().filter(of_kind).filter(holds).collect();
    match (called.as_slice(), near.as_slice()) {
        ([only], _) => Ok(only),
        ([], [only]) if part == Part::Enough => Ok(only),
        ([], near) => Err(unknown(&args.name, near, bank)),
        (several, _) => Err(ambiguous(&args.name, several)),
    }
}

/// More names than these help nobody to find one.
const NAMES_MAX: usize = 5;

fn unknown(name: &str, near: &[&BankEntry], bank: &Bank) -> CliError {
    let shown = one_line(name, 80);
    let error = CliError::usage(format!("there is no entry `{shown}` in the knowledge bank"));
    let names: Vec<String> = near.iter().take(NAMES_MAX).map(|entry| format!("`{}`", entry.name)).collect();
    match (names.as_slice(), bank.entries.is_empty()) {
        (_, true) => error.hint("the knowledge bank is empty: docs/knowledge-bank/ has no entries here"),
        ([], false) => error.hint("`redraft bank` lists the entries"),
        (names, false) => error.hint(format!("use the full name: {}", names.join(", "))),
    }
}

fn ambiguous(name: &str, several: &[&BankEntry]) -> CliError {
    let places: Vec<String> =
        several.iter().map(|entry| format!("{}:{}", entry.kind.path(), entry.line)).collect();
    let kinds: BTreeSet<BankFile> = several.iter().map(|entry| entry.kind).collect();
    let error = CliError::usage(format!(
        "several entries are called `{}`: {}",
        one_line(name, 80),
        places.join(", ")
    ));
    if kinds.len() == several.len() {
        let words: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
        error.hint(format!("say which one with --kind {}", words.join(" or --kind ")))
    } else {
        error.hint("rename one of them")
    }
}
