//! Reminds an agent that works by itself when it stops before its work is done.
//!
//! Only where a person has asked for it (the caller knows), only about work that an agent can do now, and once for each
//! state of a feature in a session: see [`super::memory`]. So it cannot keep an agent going in circles: to be reminded
//! again, something must have been stored in between, and what can be stored is bounded by the limits of the loop.

use super::feature_view::{FeatureView, meant};
use redraft_facts::prelude::*;

/// The feature that has work left for the agent, if there is one: begun, or the one on whose branch the session is.
pub fn owed<'a>(sights: &'a [FeatureView], branch: Option<&str>) -> Option<&'a FeatureView> {
    let sight = meant(sights, branch)?;
    let own = branch == Some(sight.row.branch.as_str());
    (sight.goes_on() && (own || sight.is_begun())).then_some(sight)
}

/// What is said about it.
pub fn reminder(sight: &FeatureView) -> String {
    format!(
        "Redraft: work is still owed. Feature {}. Go on with `{}`, or with the tool `next` of the redraft MCP server. \
         If you were told to stop here, or cannot go on, say so and stop: this is said once for each state of the feature.",
        sight.standing(),
        sight.next()
    )
}

#[cfg(test)]
mod tests;
