//! The text of a role as a prompt has it: whole, or without what the dispatch has no use for.

use redraft_facts::choice::Strategy;
use redraft_facts::fragment::Fragment;
use redraft_facts::prelude::*;
use redraft_roles::profile::{Profile, RoleText};

/// What the role decides and how. A repository's own text ends in its own way. Who is sent a digest goes on with a review
/// whose walk was done.
pub(super) fn whole(profile: &Profile, own: Option<&RoleText>, strategy: Strategy) -> String {
    let text = match own {
        Some(own) => return own.body.clone(),
        None => without_answering(profile).0.trim_end(),
    };
    match strategy {
        Strategy::Digest => format!("{}\n\n{}\n", without_walk(text).trim_end(), profile.coda),
        Strategy::Lazy | Strategy::Inline | Strategy::Resume => format!("{text}\n\n{}\n", profile.coda),
    }
}

/// A text without the sections that say how the whole is gone through.
fn without_walk(text: &str) -> String {
    let mut walks = false;
    let kept = text.split_inclusive('\n').filter(|line| {
        if line.starts_with('#') {
            walks = line.trim_end() == WALK;
        }
        !walks
    });
    kept.collect()
}

/// The heading under which a reviewer's text says how the whole is gone through.
const WALK: &str = "## The Walk";

/// The heading under which an author's text says how findings are answered.
const ANSWERING: &str = "## When Findings Are Open";

/// The text of an author that drafts, in two: what it always needs, and how it answers findings. A first draft has none,
/// so that comes with them.
fn without_answering(profile: &Profile) -> (&'static str, Option<&'static str>) {
    match profile.rubric.find(ANSWERING).filter(|_| profile.drafts()) {
        Some(at) => (&profile.rubric[..at], Some(&profile.rubric[at..])),
        None => (profile.rubric, None),
    }
}

/// How an author answers findings, where its text does not stand in the prompt already.
pub(super) fn answering(profile: &Profile, own: Option<&RoleText>) -> Option<Fragment> {
    let text = without_answering(profile).1.filter(|_| own.is_none())?;
    Some(Fragment::new("answering", format!("{}\n", text.trim_end())))
}
