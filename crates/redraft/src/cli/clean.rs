//! `redraft clean`: removes worktrees, branches and refs of features that are over, after listing them. The ledger keeps
//! their history.

pub(in crate::cli) mod found;

use found::{Found, belongings, bytes_of, in_words, look, written_again};
use redraft_adapters::git::LeftoverKind;
use redraft_adapters::lock::Lock;
use redraft_adapters::sqlite::Ledger;
use redraft_engine::ports::Store;
use redraft_facts::event::{Entry, FeatureCreated};
use redraft_facts::ids::FeatureId;
use redraft_facts::text::count;
use redraft_facts::ticket::Scope;
use redraft_frame::args::CleanArgs;
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;
use redraft_frame::rows;
use redraft_reports::projections::BoardRow;
use redraft_reports::question::QuestionForm;
use redraft_reports::standing::Standing;
use serde::Serialize;
use std::path::Path;

#[derive(Serialize)]
struct CleanJson {
    v: u16,
    /// Whether nothing was removed.
    dry_run: bool,
    features: Vec<Found>,
    next: String,
}

pub(crate) fn clean(
    args: CleanArgs,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let repo = process.repository()?;
    let features = match repo.reader()? {
        Some(ledger) => listed(&repo, &ledger, &args)?,
        None if args.feature.is_empty() => Vec::new(),
        None => return Err(CliError::usage("there is no feature here yet")),
    };
    let goes = features.iter().filter(|one| one.goes()).count();
    let doing = match (args.dry_run, args.yes) {
        _ if goes == 0 => false,
        (true, _) => false,
        (false, true) => true,
        (false, false) => asked(&features, process, console),
    };
    let mut shown = CleanJson { v: 1, dry_run: !doing, features, next: process.next("redraft status") };
    let mut code = ErrorCode::Done;
    if doing {
        for one in shown.features.iter_mut().filter(|one| one.goes()) {
            if process.stopped() {
                code = ErrorCode::Interrupted;
                break;
            }
            match take_away(&repo, one, &args, process, console) {
                // The others can be cleaned all the same.
                Err(error) if error.code == ErrorCode::Held => {
                    one.items
                        .iter_mut()
                        .filter(|item| item.goes())
                        .for_each(|item| item.keep(&error.message));
                    code = ErrorCode::Held;
                }
                done => done?,
            }
        }
    } else if goes > 0 {
        let names: String = args.feature.iter().map(|name| format!(" {name}")).collect();
        let lost = if args.lost { " --lost" } else { "" };
        shown.next = process.next(&format!("redraft clean{names}{lost} --yes"));
    }
    console.show(&text(&shown), &shown);
    Ok(code)
}

fn text(shown: &CleanJson) -> String {
    let mut text: String = shown.features.iter().map(Found::lines).collect();
    let goes = bytes_of(&shown.features);
    match (shown.features.is_empty(), shown.dry_run) {
        (true, _) => text.push_str(
            "there is nothing to clean: no feature that is merged or abandoned has left anything\n",
        ),
        (false, true) if shown.features.iter().any(Found::goes) => {
            text.push_str(&format!("nothing was removed; {} would be freed\n", in_words(goes)));
        }
        (false, true) => text.push_str("nothing was removed\n"),
        (false, false) => {
            text.push_str("the ledger keeps the history: redraft log, report and cost still show it\n")
        }
    }
    text.push_str(&format!("next: {}", shown.next));
    text
}

fn asked(features: &[Found], process: &ProcessContext, console: &Console) -> bool {
    if !console.can_ask() {
        return false;
    }
    let going = features.iter().filter(|one| one.goes()).count();
    let why = features.iter().flat_map(|one| one.lines().lines().map(str::to_owned).collect::<Vec<_>>());
    let form = QuestionForm::yes_or_no(
        &format!("Remove what {} left?", count(going, "feature")),
        why.collect(),
        &format!("{} are freed; what is listed with \"keeps\" stays", in_words(bytes_of(features))),
        "nothing is removed",
    );
    console.agrees(&form, &process.clock)
}

/// The features that are meant, with what they left; one that left nothing is not named.
fn listed(repo: &RepositoryContext, ledger: &Ledger, args: &CleanArgs) -> Result<Vec<Found>, CliError> {
    let mut meant = Vec::new();
    for word in &args.feature {
        let id = repo.feature(ledger, Some(word))?;
        if !meant.contains(&id) {
            meant.push(id);
        }
    }
    let mut all = Vec::new();
    for row in rows::rows(ledger)? {
        let Ok(id) = row.id.parse::<FeatureId>() else { continue };
        let named = meant.contains(&id);
        if !named && !meant.is_empty() {
            continue;
        }
        if row.is_open() {
            if named {
                return Err(CliError::usage(format!(
                    "feature {id} is not over: it is {}",
                    row.standing_in_words()
                ))
                .hint(format!("finish it: redraft run {id}; or abandon it: redraft decide {id} abandon")));
            }
            continue;
        }
        let one = LeftFeature::read(repo, ledger, id)?;
        let mut found = one.found(repo, &row, args.lost)?;
        if found.standing == FINISHED && !(named && args.lost) {
            if named {
                return Err(CliError::usage(format!("feature {id} is finished, but merged nowhere"))
                    .hint(format!("merge it: redraft finish {id} --merge; or remove it all the same: redraft clean {id} --lost")));
            }
            continue;
        }
        if let Some(holder) = Lock::holder(&repo.state, &id.to_string()) {
            let held = format!("feature {id} is held by {holder}");
            found.items.iter_mut().for_each(|item| item.keep(&held));
        }
        if !found.items.is_empty() {
            all.push(found);
        }
    }
    Ok(all)
}

const FINISHED: &str = "finished, merged nowhere";

struct LeftFeature {
    created: FeatureCreated,
    entries: Vec<Entry>,
}

impl LeftFeature {
    fn read(repo: &RepositoryContext, ledger: &Ledger, id: FeatureId) -> Result<LeftFeature, CliError> {
        Ok(LeftFeature { created: repo.created(ledger, id)?, entries: ledger.read(Scope::Feature(id))? })
    }

    fn found(&self, repo: &RepositoryContext, row: &BoardRow, lost: bool) -> Result<Found, CliError> {
        let abandoned = row.standing == Standing::Abandoned;
        let of = belongings(&self.created, &self.entries, !abandoned);
        let items = look(repo, &of, &written_again(repo, &self.created, &self.entries), lost)?;
        let unmerged =
            |what: &LeftoverKind| matches!(what, LeftoverKind::Branch { unmerged, .. } if *unmerged > 0);
        let standing = match () {
            () if abandoned => "abandoned",
            () if row.merged || !items.iter().any(|item| unmerged(&item.what)) => "merged",
            () => FINISHED,
        };
        Ok(Found { feature: row.id.clone(), name: row.name(), standing: standing.to_owned(), items })
    }
}

/// Looks once more with the locks held, and takes away what is as it was listed.
fn take_away(
    repo: &RepositoryContext,
    one: &mut Found,
    args: &CleanArgs,
    process: &ProcessContext,
    console: &Console,
) -> Result<(), CliError> {
    let id: FeatureId = one.feature.parse().unwrap_or(FeatureId(0));
    let _lock = repo.lock(&id.to_string(), process)?;
    let _repository = repo.lock_repository(process, console)?;
    let ledger = repo.writer()?;
    let row = rows::rows(&ledger)?.into_iter().find(|row| row.id == one.feature && !row.is_open());
    let Some(row) = row else {
        one.items.iter_mut().for_each(|item| item.keep("the feature goes on"));
        return Ok(());
    };
    let now = LeftFeature::read(repo, &ledger, id)?.found(repo, &row, args.lost)?;
    // Noted first: after a kill in between it cannot go on either.
    note(&repo.cleaned_note(id))?;
    let ready = repo.state.join("ready").join(id.to_string());
    // Without the note there is nothing to remove.
    let _ = std::fs::remove_file(ready);
    one.take_away(repo, &now.items)
}

fn note(file: &Path) -> Result<(), CliError> {
    let folder = file.parent().unwrap_or(file);
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(file, "1\n"));
    written.map_err(|error| CliError::new(ErrorCode::Config, format!("{}: {error}", file.display())))
}
