//! Sample prompts for the agent that looks back on the made-up feature, for each of the two questions.

use crate::prompt::example::Sample;
use crate::prompt::retro::{RetroBrief, retro};
use redraft_facts::choice::Strategy;
use redraft_facts::ids::Role;
use redraft_facts::phase::Phase;
use redraft_facts::ticket::Purpose;
use redraft_roles::profile::{self, Profile, RoleText};

const FEATURE: &str = "031-key-limits";

/// As `reports::retro::bundle()` makes it, shortened.
pub(in crate::prompt) const BUNDLE: &str = include_str!("../../../data/example/retro-bundle.md");

/// As `reports::retro::judge_bundle` makes it, shortened.
pub(in crate::prompt) const LESSONS: &str = include_str!("../../../data/example/retro-lessons.md");

/// What the role is sent; everything stands in the prompt, whichever strategy is asked for.
pub(super) fn sample(role: &Role, purpose: Option<Purpose>, own: Option<&RoleText>) -> Option<Sample> {
    profile::find(Phase::Finish, role)?;
    let purpose = purpose.unwrap_or(Purpose::Retro);
    let bundle = match purpose {
        Purpose::Retro => BUNDLE,
        Purpose::Judge => LESSONS,
        _ => return None,
    };
    let brief = RetroBrief { text: own, ..brief(for_purpose(purpose)?, purpose, bundle) };
    Some(Sample { prompt: retro(&brief), purpose, strategy: Strategy::Inline })
}

pub(in crate::prompt) fn for_purpose(purpose: Purpose) -> Option<&'static Profile> {
    profile::of_dispatch(Phase::Finish, &profile::author(Phase::Finish), purpose, &[])
}

pub(in crate::prompt) fn brief<'a>(
    profile: &'a Profile,
    purpose: Purpose,
    bundle: &'a str,
) -> RetroBrief<'a> {
    RetroBrief { profile, text: None, missing: &[], feature: FEATURE, purpose, bundle, repair: None }
}
