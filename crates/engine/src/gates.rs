//! Runs the gates of a document: what lint finds in it.

use crate::ending::EngineError;
use crate::journal::Journal;
use crate::values::LoopTexts;
use crate::worktree::Worktree;
use redraft_core::review::Loop;
use redraft_documents::{bank, lint};
use redraft_facts::event::Checked;
use redraft_facts::ids::Revision;

/// How many of the files that a document names are looked for.
const FILES_MAX: usize = 200;

/// Runs the gates of a document.
pub(crate) struct DocumentGates<'r, 'a> {
    pub(crate) journal: &'r mut Journal<'a>,
    pub(crate) worktree: Worktree<'r>,
    pub(crate) loop_texts: &'r LoopTexts,
    /// Which mechanical faults are looked for.
    pub(crate) lint: &'r lint::LintSettings,
}

impl DocumentGates<'_, '_> {
    /// An error of lint keeps the document from reviewers; a warning is kept with a check that passed, and shown.
    pub(crate) fn check(&mut self, revision: Revision, gate: String) -> Result<(), EngineError> {
        let open = self.journal.open_loop()?;
        let (pass, artifact) = (open.opened.pass, open.artifact().to_owned());
        let documents = self.documents(open, &revision)?;
        let settings = match &self.loop_texts.bank {
            Some(index) => bank::raised(self.lint, index.bank()),
            None => self.lint.clone(),
        };
        let clock = self.journal.writer().clock;
        let stopped = || clock.stopped();
        // Nothing is known yet; the next run looks again.
        let Some(faults) = lint::check_until(&documents, &settings, &stopped) else { return Ok(()) };
        let of = |level| lint::evidence(&lint::of_document(&faults, &artifact, level));
        let errors = of(lint::LintLevel::Error);
        let passed = errors.is_empty();
        let evidence = if passed { first_lines(&of(lint::LintLevel::Warning)) } else { errors };
        let (command, output, code, wall_ms, checkout) = (String::new(), String::new(), None, 0, None);
        let checked =
            Checked { pass, revision, gate, passed, evidence, command, code, wall_ms, output, checkout };
        self.journal.record(checked)
    }

    /// The document under review with those it builds on, as they stand in a revision.
    fn documents(&self, open: &Loop, revision: &Revision) -> Result<lint::Documents, EngineError> {
        let mut documents = lint::Documents::default();
        for (at, path) in open.opened.paths.iter().enumerate() {
            let content = match self.worktree.workspace.read_at(revision, path)?.map(String::from_utf8) {
                Some(Ok(text)) => lint::LintedContent::Text(text),
                Some(Err(_)) => lint::LintedContent::Unreadable(format!("{path} is not UTF-8 text")),
                // A phase can do without what it builds on, but not without its own document.
                None if at == 0 => lint::LintedContent::Absent,
                None => continue,
            };
            documents.documents.push(lint::Document { path: path.clone(), content });
        }
        let folder = open.artifact().rsplit_once('/').map_or("", |(folder, _)| folder);
        let is_missing = |path: &String| matches!(self.worktree.workspace.read(path), Ok(None));
        let missing = |path: &String| {
            let places = lint::places(path, folder);
            !places.is_empty() && places.iter().all(is_missing)
        };
        documents.absent_files =
            lint::named_files(&documents).into_iter().take(FILES_MAX).filter(missing).collect();
        Ok(documents)
    }
}

/// The first lines: as many as a prompt has room for.
fn first_lines(text: &str) -> String {
    const LINES_MAX: usize = 20;
    let mut lines: Vec<&str> = text.lines().take(LINES_MAX).collect();
    let left = text.lines().count().saturating_sub(LINES_MAX);
    let more = format!("… and {left} more: redraft lint");
    if left > 0 {
        lines.push(&more);
    }
    lines.join("\n")
}
