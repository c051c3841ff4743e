//! The fragments that say what was asked for: the idea in the user's words, and what the user answered to authors.
//!
//! All of it is data, so it is fenced or kept on one line. Which role has which is decided here, because it depends on
//! what the role compares with.

use super::author;
use super::brief::{Brief, Prd};
use super::stable::file_name;
use redraft_facts::fragment::Fragment;
use redraft_facts::prelude::*;
use redraft_facts::text;
use redraft_roles::profile::ProfileKind;

pub(super) fn idea(brief: &Brief<'_>) -> Fragment {
    let idea = text::fenced("text", brief.place.idea);
    Fragment::new("idea", format!("## Idea\n\nWhat was asked for, in the words of the user:\n\n{idea}"))
}

/// For an author that did not draft, and whose work is made from what was asked for: a PRD need not have all of it, but
/// code is made from the specification. A document that is reviewed by itself came from no idea.
pub(super) fn idea_again(brief: &Brief<'_>) -> Option<Fragment> {
    let by_itself = brief.place.absent.iter().any(|absent| absent.name == "prd.md");
    let from_it =
        brief.profile.artifacts.contains(&"prd.md") && (brief.code.is_none() || brief.place.prd == Prd::None);
    (from_it && !by_itself).then(|| idea(brief))
}

/// For a reviewer that compares with what was wanted: the user's own words, and the answers to what the author asked. A
/// document or a change that is reviewed by itself came from no idea.
pub(super) fn asked_for(brief: &Brief<'_>) -> Option<Fragment> {
    let by_itself = brief.place.absent.iter().any(|absent| absent.name == "prd.md");
    let of_code = brief.profile.compares();
    let of_specification = brief.code.is_none() && file_name(brief.place.artifact) == "spec.md";
    let wanted = brief.profile.kind != ProfileKind::Author && (of_code || of_specification);
    let reviews = brief.profile.kind != ProfileKind::Author && brief.code.is_none();
    let unasked = brief.place.asked.trim().is_empty();
    if !brief.answers.is_empty() && ((!wanted && reviews) || (wanted && unasked && !by_itself)) {
        return Some(decided(brief));
    }
    if !wanted || by_itself || unasked {
        return None;
    }
    let idea = text::fenced("text", brief.place.asked);
    let mut said = format!("## What Was Asked For\n\nIn the words of the user:\n\n{idea}");
    if !brief.answers.is_empty() {
        let who = if of_code { "the authors of documents" } else { "the author" };
        said.push_str(&format!("\nBefore the first draft {who} asked, and this was said:\n\n"));
        said.push_str(&author::answered(brief));
    }
    said.push_str(match of_code {
        true => {
            "\nSomething that it asks for is a finding if no document excludes it, nobody decided to go on without it, and \
             the code as it is now does not do it, also where the documents have lost it.\n"
        }
        false => {
            "\nIt is the parent of the specification, together with the PRD where there is one. What it asks for and the \
             specification neither carries nor excludes is a finding. So is a goal or a behaviour that is not needed for \
             anything that was asked for, unless it is stated as an assumption.\n"
        }
    });
    Some(Fragment::new("asked-for", said))
}

/// For the reviewer of another document: the answers alone.
fn decided(brief: &Brief<'_>) -> Fragment {
    let text = format!(
        "## What Was Decided\n\nBefore the first draft the author asked, and this was said:\n\n{}\n\
         What was answered is decided: that the document keeps to it is no finding, that it does not is one.\n",
        author::answered(brief)
    );
    Fragment::new("asked-for", text)
}
