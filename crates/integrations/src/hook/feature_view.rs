//! A feature as a hook sees it: its row of the board with what the moment adds. Also decides which of several features
//! is meant.
//!
//! The rows come from the ledger; the caller says who drives a feature and what time it is.

use redraft_facts::prelude::*;
use redraft_facts::text::one_line;
use redraft_reports::projections::BoardRow;
use redraft_reports::standing::Surroundings;

/// A feature at this moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeatureView {
    pub row: BoardRow,
    /// The last event its row was computed at.
    pub seq: u64,
    /// Whether another process drives it now.
    pub held: bool,
    /// Features that come before it and are not completed.
    pub blocked_by: Vec<String>,
}

/// All features at this moment. A park that is over does not count.
pub fn sights(rows: Vec<(u64, BoardRow)>, held: &dyn Fn(&str) -> bool, now_ms: i64) -> Vec<FeatureView> {
    // A row of an older form may not say what became of the feature.
    let completed = |row: &BoardRow| row.life == "completed" || (row.life.is_empty() && row.is_finished());
    let open: BTreeSet<String> =
        rows.iter().filter(|(_, row)| !completed(row)).map(|(_, row)| row.name()).collect();
    let seen = |(seq, row): (u64, BoardRow)| {
        let blocked_by: Vec<String> =
            row.waits_for.iter().filter(|name| open.contains(*name)).cloned().collect();
        let held = row.is_open() && held(&row.id);
        let row = row.now(&Surroundings {
            now_ms,
            is_driven: held,
            blocked_by: blocked_by.clone(),
            ..Surroundings::default()
        });
        FeatureView { held, seq, blocked_by, row }
    };
    rows.into_iter().map(seen).collect()
}

/// The open feature that is meant: that of the current branch, else the one that can go on soonest, begun ones first.
pub fn meant<'a>(sights: &'a [FeatureView], branch: Option<&str>) -> Option<&'a FeatureView> {
    let open = || sights.iter().filter(|sight| sight.row.is_open());
    let own = branch.and_then(|branch| open().find(|sight| sight.row.branch == branch));
    own.or_else(|| open().min_by_key(|sight| sight.rank()))
}

impl FeatureView {
    /// Whether an agent can do the next piece of work now, without a person's decision.
    pub fn goes_on(&self) -> bool {
        let FeatureView { row, held, blocked_by, .. } = self;
        row.status == "active"
            && !held
            && blocked_by.is_empty()
            && row.parked_until_ms.is_none()
            && !row.lacks_budget()
    }

    /// Whether any work was done on it yet.
    pub fn is_begun(&self) -> bool {
        self.row.life != "planned"
    }

    fn rank(&self) -> (bool, bool) {
        (!self.is_begun(), !self.goes_on())
    }

    /// `031-rate-limits, phase design (1 of 6 phases done), round 2 of 5, 3 open findings`.
    pub fn standing(&self) -> String {
        let row = &self.row;
        let mut text = format!("{}, phase {}", row.name(), row.phase);
        if row.phases.len() > 1 {
            text.push_str(&format!(" ({} of {} phases done)", row.done.len(), row.phases.len()));
        }
        if row.round > 0 {
            text.push_str(&format!(", round {} of {}", row.round, row.rounds_max));
        }
        if row.open_findings > 0 {
            text.push_str(&format!(
                ", {}",
                redraft_facts::text::count(row.open_findings as usize, "open finding")
            ));
        }
        text
    }

    /// The command that goes on with it.
    pub fn next(&self) -> String {
        match (self.held, self.blocked_by.is_empty()) {
            (true, _) => format!("redraft log {}", self.row.id),
            (false, false) => "redraft status".to_owned(),
            (false, true) => self.row.next.clone(),
        }
    }
}

/// What others wrote, on one line between quotes it cannot close. It is cut by bytes, because letters of some scripts
/// take several tokens each.
pub(super) fn quote(text: &str, bytes_max: usize) -> String {
    let line = one_line(text, bytes_max).replace(['"', '`'], "'");
    if line.len() <= bytes_max {
        return format!("\"{line}\"");
    }
    let end = (0..=bytes_max).rev().find(|at| line.is_char_boundary(*at)).unwrap_or(0);
    format!("\"{}…\"", &line[..end])
}
