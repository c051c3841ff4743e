//! The text for an agent whose session begins: the active feature, its phase, the next step.
//!
//! The text is paid for by every session, so it is short: at most [`TOKENS_MAX`] tokens, whatever features are called and
//! however many there are. Lines are added in the order of their worth as long as they fit.

use super::feature_view::{FeatureView, meant, quote};
use redraft_documents::tokens::{Family, Ratios, kinds};
use redraft_facts::prelude::*;
use redraft_facts::text::{count, utc};
use redraft_reports::projections::FILES;

/// How much a session may pay for knowing where it is: a few sentences.
pub const TOKENS_MAX: u64 = 300;

/// What a quotation of an idea or a question may take up.
const QUOTE_BYTES_MAX: usize = 96;

/// The source of a session that is not a new one: the same session, after its history was condensed.
const COMPACT: &str = "compact";

/// The text, or none where no feature is open or the session only goes on after a compaction: what it was told before is
/// still known, and telling it again each time would fill what the compaction made free.
pub fn greeting(sights: &[FeatureView], branch: Option<&str>, source: &str) -> Option<String> {
    if source == COMPACT {
        return None;
    }
    let sight = meant(sights, branch)?;
    let more = sights.iter().filter(|one| one.row.is_open()).count() - 1;
    let lines = [
        Some(format!("Redraft drives features here. Active feature: {}.", sight.standing())),
        Some(format!("Next step: `{}`", sight.next())),
        in_the_way(sight),
        Some(format!(
            "{} and .git/redraft are computed or kept by Redraft: read them, change them only through `redraft`.",
            FILES.join(", ")
        )),
        sight.goes_on().then(|| {
            "With the redraft MCP server connected, its tool `next` hands the work to this session."
                .to_owned()
        }),
        Some(format!("The idea, as it was given: {}", quote(&sight.row.idea, QUOTE_BYTES_MAX))),
        (more > 0).then(|| format!("{} open as well: `redraft status`", count(more, "feature"))),
    ];
    let mut text = String::new();
    for line in lines.into_iter().flatten() {
        let longer = if text.is_empty() { line } else { format!("{text}\n{line}") };
        if tokens(&longer) < TOKENS_MAX {
            text = longer;
        }
    }
    (!text.is_empty()).then_some(text)
}

/// What keeps the feature from going on right now, if anything does.
fn in_the_way(sight: &FeatureView) -> Option<String> {
    let FeatureView { row, held, blocked_by, .. } = sight;
    if *held {
        return Some("Another process drives it at this moment; leave its worktree alone.".to_owned());
    }
    if let Some(question) = &row.question {
        return Some(format!("A person is asked: {}", quote(question, QUOTE_BYTES_MAX)));
    }
    if let Some(until_ms) = row.parked_until_ms {
        return Some(format!("Parked: an agent's usage limit lasts until {}.", utc(until_ms)));
    }
    let first = blocked_by.first()?;
    let rest = if blocked_by.len() > 1 { " and others" } else { "" };
    Some(format!("It waits for {first}{rest}."))
}

/// Tokens of a text, by the densest count there is: that of the newer models, and one more for each letter that is not of
/// the Latin alphabet.
pub fn tokens(text: &str) -> u64 {
    let foreign = text.chars().filter(|letter| !letter.is_ascii()).count() as u64;
    Ratios::measured(Family::NewerClaude).all_tokens(&kinds(text)) + foreign
}

#[cfg(test)]
pub(crate) mod tests;
