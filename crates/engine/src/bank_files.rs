//! Reads and changes the files of the knowledge bank in the worktree.

use crate::ending::EngineError;
use crate::worktree::Worktree;
use redraft_documents::bank::{self, BankFile};
use redraft_facts::text::one_line;

impl Worktree<'_> {
    /// The files of the bank, as they are in the worktree.
    pub(crate) fn bank_files(&self) -> Result<Vec<(BankFile, String)>, EngineError> {
        let mut files = Vec::new();
        for kind in BankFile::ALL {
            let bytes = self.workspace.read(kind.path())?.unwrap_or_default();
            files.push((kind, String::from_utf8_lossy(&bytes).into_owned()));
        }
        Ok(files)
    }

    /// Makes changes in the bank's files. Returns the paths of the files that changed, and what was refused.
    pub(crate) fn change_bank(
        &self,
        files: &[(BankFile, String)],
        changes: &[(BankFile, bank::BankChange)],
    ) -> Result<(Vec<String>, Vec<String>), EngineError> {
        let (mut paths, mut notes) = (Vec::new(), Vec::new());
        for (kind, text) in files {
            let own = changes.iter().filter(|(of, _)| of == kind).map(|(_, change)| change.clone());
            let own: Vec<bank::BankChange> = own.collect();
            if own.is_empty() {
                continue;
            }
            // What is not text is not rewritten.
            let bytes = self.workspace.read(kind.path())?.unwrap_or_default();
            if String::from_utf8(bytes).is_err() {
                notes.push(format!("{} is not UTF-8 text and stays as it is", kind.path()));
                continue;
            }
            let applied = bank::apply(*kind, text, &own);
            notes.extend(
                applied.refused.iter().map(|one| format!("{}: {}", one_line(&one.name, 80), one.why)),
            );
            if applied.text != *text {
                self.boundaries.pass("inside the knowledge bank");
                self.workspace.write(kind.path(), applied.text.as_bytes())?;
            }
            paths.push(kind.path().to_owned());
        }
        Ok((paths, notes))
    }
}
