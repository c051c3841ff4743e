//! What the screen shows, as values: gathered from the ledger at one moment, and never changed afterwards.
//!
//! Where a feature stands is its [`BoardRow`]'s word and nobody else's. What grows without end is kept short here.

use redraft_adapters::lock::Holder;
use redraft_facts::event::AuthorQuestion;
use redraft_facts::ids::Revision;
use redraft_facts::ticket::Scope;
use redraft_frame::resolve::scope_of;
use redraft_reports::projections::BoardRow;
use redraft_reports::question::QuestionForm;
use redraft_reports::view::Overview;

/// How many of the last events, and of all findings, are shown; `redraft log` and `show findings` have the rest.
pub(super) const LOG_MAX: usize = 2_000;
pub(super) const FINDINGS_MAX: usize = 500;

#[derive(Debug, Clone, Default)]
pub(super) struct Snapshot {
    pub(super) at_ms: i64,
    /// Features and reviews, what waits for a person first.
    pub(super) rows: Vec<BoardRow>,
    /// The feature that is looked at.
    pub(super) detail: Option<Detail>,
    /// Why what is shown may be out of date.
    pub(super) trouble: Option<String>,
    /// What to type where there is nothing to show.
    pub(super) next: String,
}

#[derive(Debug, Clone)]
pub(super) struct Detail {
    pub(super) scope: Scope,
    pub(super) overview: Overview,
    /// How many older events, and further findings, were left out.
    pub(super) older: usize,
    pub(super) more_findings: usize,
    pub(super) question: Option<Asked>,
    pub(super) driven_by: Option<Holder>,
    /// The change to the last revision, once somebody wanted to see it.
    pub(super) diff: Option<Diff>,
}

/// What a person is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Asked {
    pub(super) form: QuestionForm,
    /// Those of an author, which are answered one by one.
    pub(super) questions: Vec<AuthorQuestion>,
    /// Tells questions apart.
    pub(super) number: (u16, u32),
    /// The event with which it was asked.
    pub(super) asked_at: Option<u64>,
    pub(super) revision: Option<Revision>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Diff {
    /// Which change it is.
    pub(super) title: String,
    pub(super) text: String,
}

/// The order of the list: what waits for a person first, then by how it stands, then by number.
pub(super) fn in_order(mut rows: Vec<BoardRow>) -> Vec<BoardRow> {
    rows.sort_by_key(|row| (!row.waits_for_you, row.standing.rank(), row.scope()));
    rows
}

/// How a row is called.
pub(super) fn called(row: &BoardRow) -> String {
    match row.subject() {
        Some(subject) => format!("{} {subject}", scope_of(row)),
        None => format!("{} {}", row.id, row.slug),
    }
}

/// Leaves out what would grow without end.
pub(super) fn shortened(overview: &mut Overview) -> (usize, usize) {
    let older = overview.timeline.len().saturating_sub(LOG_MAX);
    overview.timeline.drain(..older);
    let more = overview.findings.len().saturating_sub(FINDINGS_MAX);
    // The last ones are those that are being worked on.
    overview.findings.drain(..more);
    (older, more)
}
