//! Asks on the terminal about entries that have become stale, when a feature has come to its end.
//!
//! A run without a person never comes here: it neither rewrites nor retires an entry. The answers are written into the
//! bank of the feature's worktree and committed with it; why an entry was retired stands in the feature's `retro.md`.

use super::aged;
use super::bank_files::BankFiles;
use super::entry_history::EntryHistory;
use redraft_documents::bank::{BankChange, BankFile};
use redraft_engine::ports::{Trailers, Workspace as _};
use redraft_facts::event::FeatureCreated;
use redraft_facts::text::one_line;
use redraft_frame::console::Console;
use redraft_frame::errors::CliError;
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;
use redraft_reports::question::{AnswerChoice, QuestionForm};

/// Further questions in a row would be answered without being read.
const ASKED_MAX: usize = 5;

/// Asks about stale entries, one after the other, and commits the answers. An empty line leaves an entry as it is.
pub(crate) fn about_stale(
    repo: &RepositoryContext,
    created: &FeatureCreated,
    seq: u64,
    process: &ProcessContext,
    console: &Console,
) -> Result<(), CliError> {
    let repo = RepositoryContext::find(&repo.worktree(created)?)?;
    let names = stale_names(&repo, process)?;
    if names.is_empty() {
        return Ok(());
    }
    let stale =
        if names.len() == 1 { "one entry is".to_owned() } else { format!("{} entries are", names.len()) };
    console.say_before_asking(&format!("in the knowledge bank {stale} stale"));
    let mut changed = Vec::new();
    for (kind, name) in names.iter().take(ASKED_MAX) {
        // Read again: the answer about the one before has changed the file.
        let shelf = BankFiles::read(&repo)?;
        let Some(entry) = shelf.bank.called(name).into_iter().find(|entry| entry.kind == *kind) else {
            continue;
        };
        console.say_before_asking(&format!("  {}: {}", entry.name, one_line(&entry.text, 300)));
        let Some(change) = asked(name, created, process, console) else { continue };
        let applied = shelf.apply(*kind, &[change]);
        for refused in &applied.refused {
            console.say(&format!("  not changed: {}", refused.why));
        }
        for line in &applied.retired {
            let place = shelf.noted_in(Some(&created.folder()));
            shelf.note(&place, "# Retired entries", line)?;
            changed.push(place);
        }
        shelf.write(*kind, &applied.text)?;
        changed.push(kind.path().to_owned());
    }
    if names.len() > ASKED_MAX {
        console.say(&format!("{} more are stale: redraft bank --stale", names.len() - ASKED_MAX));
    }
    changed.sort();
    changed.dedup();
    if !changed.is_empty() {
        let trailers = Trailers { seq, ..Trailers::default() };
        repo.workspace(created)?.commit(&changed, "redraft: stale lessons looked at", &trailers)?;
    }
    Ok(())
}

fn stale_names(
    repo: &RepositoryContext,
    process: &ProcessContext,
) -> Result<Vec<(BankFile, String)>, CliError> {
    let shelf = BankFiles::read(repo)?;
    let past = EntryHistory::load(repo)?;
    let all = aged(&shelf.bank, &past, repo, process)?;
    let stale = all.iter().filter(|aged| aged.life.is_stale());
    Ok(stale.map(|aged| (aged.entry.kind, aged.entry.name.clone())).collect())
}

/// None where it is left as it is.
fn asked(
    name: &str,
    created: &FeatureCreated,
    process: &ProcessContext,
    console: &Console,
) -> Option<BankChange> {
    let (name, feature) = (name.to_owned(), created.id);
    let choice = |word: &str, consequence: &str| AnswerChoice {
        word: word.to_owned(),
        consequence: consequence.to_owned(),
        default: word == "leave",
    };
    let choices = vec![
        choice("keep", "it still holds, and counts as seen in this feature"),
        choice("update", "you write what it says from now on"),
        choice("retire", "it no longer holds; you say why"),
        choice("leave", "it stays as it is, and is asked about again"),
    ];
    let what = "What should become of this lesson?".to_owned();
    let form = QuestionForm { what, why: Vec::new(), choices };
    match console.choose(&form, &process.clock)?.word.as_str() {
        "keep" => Some(BankChange::Keep { name, feature }),
        "update" => {
            let text = console.ask_text("what it says from now on: ", &process.clock)?;
            let text = text.clean(&process.redactor);
            (!text.is_empty()).then_some(BankChange::Update { name, feature, text })
        }
        "retire" => {
            let reason = console.ask_text("why: ", &process.clock)?;
            let reason = reason.clean(&process.redactor);
            (!reason.is_empty()).then_some(BankChange::Retire { name, reason })
        }
        _ => None,
    }
}
