//! Resolves which feature or review a word means: a number, a slug, the file under review, the current worktree, or the
//! only one.

use crate::errors::{CliError, unknown_feature};
use crate::process_context::ProcessContext;
use crate::repository_context::RepositoryContext;
use crate::rows::{self, reviews};
use redraft_adapters::sqlite::Ledger;
use redraft_facts::event::ReviewedChange;
use redraft_facts::ids::FeatureId;
use redraft_facts::ticket::{Scope, Ticket};
use redraft_reports::projections::BoardRow;
use std::path::{Component, Path, PathBuf};

/// What is reviewed where no branch is checked out.
pub const HEAD: &str = "HEAD";

impl RepositoryContext {
    /// The feature or the review meant: `review-001`, the file or the branch for a review, else a feature. Without a
    /// word and without any feature, the only review is meant.
    pub fn resolve_scope(
        &self,
        ledger: &Ledger,
        word: Option<&str>,
        process: &ProcessContext,
    ) -> Result<Scope, CliError> {
        let Some(word) = word else {
            let none = self.features(ledger)?.is_empty();
            return match reviews(ledger)?.as_slice() {
                [only] if none => Ok(scope_of(only)),
                _ => self.feature(ledger, None).map(Scope::Feature),
            };
        };
        let known = reviews(ledger)?;
        let path = self.path_of(word, process);
        let meant = |row: &&BoardRow| {
            let file = path.is_some() && row.document == path;
            let branch = row.change.as_ref().is_some_and(|change| change.head == word);
            file || branch || word.parse() == Ok(scope_of(row))
        };
        // Of several reviews of a file, the last one counts.
        if let Some(row) = known.iter().rev().find(meant) {
            return Ok(scope_of(row));
        }
        match word.parse() {
            Ok(Scope::Review(_)) => Err(CliError::usage(format!("there is no review `{word}`"))
                .hint("`redraft status` lists the reviews; you can also name one by its file or its branch")),
            _ if process.folder.join(word).is_file() => {
                Err(CliError::usage(format!("{word} has not been reviewed by itself yet"))
                    .hint(format!("review it: {}", self.reviewing(word, process))))
            }
            _ => self.feature(ledger, Some(word)).map(Scope::Feature),
        }
    }

    /// The command that reviews a file, which may be named from the repository's root.
    pub fn reviewing(&self, document: &str, process: &ProcessContext) -> String {
        let here = process.folder.join(document);
        let file = match here.is_file() {
            true => PathBuf::from(document),
            false => self.repository.here().join(document),
        };
        format!("redraft review {}", redraft_adapters::shell_word::quoted_path(file))
    }

    /// The command that goes on with the review of a change.
    pub fn reviewing_change(&self, change: &ReviewedChange) -> String {
        let word = |text: &str| redraft_adapters::shell_word::quoted(text);
        let command = format!("redraft review --base {}", word(&change.base));
        let is_branch = self.repository.has_branch(&change.head).unwrap_or(false);
        match change.head.as_str() {
            HEAD => command,
            head if is_branch => format!("{command} --head {}", word(head)),
            head => format!("{command} --name {}", word(head)),
        }
    }

    /// Where a file is in the repository, whether or not it is still there.
    fn path_of(&self, word: &str, process: &ProcessContext) -> Option<String> {
        let file = process.folder.join(word);
        let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| plain(path));
        let inside = real(&file).strip_prefix(real(self.repository.here())).map(Path::to_owned).ok()?;
        inside.to_str().map(str::to_owned)
    }

    /// The feature meant: by number, by the worktree we are in, or the only one that can go on.
    pub fn feature(&self, ledger: &Ledger, word: Option<&str>) -> Result<FeatureId, CliError> {
        let known = self.features(ledger)?;
        if let Some(word) = word {
            let number = word.split('-').next().unwrap_or(word);
            let id: Option<FeatureId> = number.parse().ok().filter(|id| known.contains(id));
            return match id {
                Some(id) if number == word => Ok(id),
                // A slug may begin with a number that another feature has.
                Some(id) => Ok(self.by_slug(ledger, word).unwrap_or(id)),
                None => self.by_slug(ledger, word),
            };
        }
        if let Some(id) = self.feature_here(&known) {
            return Ok(id);
        }
        let mut open = Vec::new();
        for (scope, _, row) in ledger.board()? {
            let row: Option<BoardRow> = serde_json::from_str(&row).ok();
            if let (Scope::Feature(id), Some(row)) = (scope, row)
                && row.is_open()
            {
                open.push(id);
            }
        }
        match (open.as_slice(), known.as_slice()) {
            ([only], _) | ([], [only]) => Ok(*only),
            (_, []) => {
                Err(CliError::usage("there is no feature here yet")
                    .hint("begin one: redraft new \"your idea\""))
            }
            _ => {
                let names: Vec<String> = known.iter().map(FeatureId::to_string).collect();
                let error = CliError::usage("more than one feature is possible");
                Err(error.hint(format!("name one of {}, or go into its worktree", names.join(", "))))
            }
        }
    }

    /// The feature of this name, without its number.
    fn by_slug(&self, ledger: &Ledger, word: &str) -> Result<FeatureId, CliError> {
        let wanted = word.to_lowercase();
        let rows = rows::rows(ledger)?;
        let called: Vec<&BoardRow> = rows.iter().filter(|row| row.slug == wanted).collect();
        match called.as_slice() {
            [only] => only.id.parse().map_err(|_| unknown_feature(word)),
            [] if self.has_folders() => Err(unknown_feature(word)
                .hint("to take over what others have begun in docs/features: redraft adopt")),
            [] => Err(unknown_feature(word)),
            several => {
                let ids: Vec<&str> = several.iter().map(|row| row.id.as_str()).collect();
                Err(CliError::usage(format!("several features are called `{word}`"))
                    .hint(format!("name one of {}", ids.join(", "))))
            }
        }
    }

    /// Every feature of the ledger.
    pub fn features(&self, ledger: &Ledger) -> Result<Vec<FeatureId>, CliError> {
        let features = ledger.scopes()?.into_iter().filter_map(|scope| match scope {
            Scope::Feature(id) => Some(id),
            Scope::Review(_) | Scope::Agent(_) | Scope::Repo => None,
        });
        Ok(features.collect())
    }

    /// The feature whose worktree we are in.
    pub fn feature_here(&self, known: &[FeatureId]) -> Option<FeatureId> {
        let here = self.repository.here().file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let inside = self.repository.here() != self.repository.main_checkout();
        let by_worktree = here.split('-').next().and_then(|number| number.parse().ok());
        by_worktree.filter(|id| inside && known.contains(id))
    }
}

/// The dispatch that is meant: with its feature in front, or as the receipt of that feature names it.
pub fn ticket_in(scope: &Scope, word: &str) -> Result<Ticket, CliError> {
    let whole: Result<Ticket, _> = word.parse();
    let ticket = whole.or_else(|error| format!("{scope}/{word}").parse().map_err(|_| error));
    let ticket = ticket.map_err(|error| CliError::usage(error.to_string()))?;
    if ticket.scope != *scope {
        return Err(CliError::usage(format!("{ticket} is not about {scope}")));
    }
    Ok(ticket)
}

/// The scope of a row.
pub fn scope_of(row: &BoardRow) -> Scope {
    row.scope()
}

/// A path without `.` and `..`, as far as its text shows.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}
