//! The part of a prompt that is byte-identical in every round of a role.
//!
//! What these functions are given holds no round, date or count, so no such thing can get in front of a cache
//! boundary, whoever changes the texts.

use super::brief::{Place, Prd};
use super::fragment::Fragment;
use super::schema::FORM;
use crate::prelude::*;
use crate::profile::{Kind, Profile};
use crate::text;

const HOUSE_RULES: &str = include_str!("../../texts/house-rules.md");

/// The same for every role of every feature.
pub(super) fn constant_fragments() -> Vec<Fragment> {
    vec![Fragment::new("house-rules", HOUSE_RULES)]
}

/// The same for every dispatch of one role in one phase.
pub(super) fn role_fragments(profile: &Profile, place: &Place<'_>) -> Vec<Fragment> {
    let mut fragments = vec![
        Fragment::new("rubric", format!("{}\n\n{}\n", profile.rubric.trim_end(), profile.coda)),
        required_artifacts(profile, place),
        Fragment::new("checklist", format!("## Checks\n\n{}", profile.checklist)),
    ];
    if !profile.next_phase.is_empty() {
        fragments.push(Fragment::new(
            "next-phase",
            format!("## Next Phase Expectations\n\n{}", profile.next_phase),
        ));
    }
    fragments.push(answer_form(profile));
    fragments
}

/// What an artifact is called in a prompt: `PRD`, `Spec`, …
pub(super) fn label(path: &str) -> String {
    let name = file_name(path);
    let stem = name.strip_suffix(".md").unwrap_or(name);
    if stem == "prd" {
        return "PRD".to_owned();
    }
    let mut letters = stem.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

pub(super) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn required_artifacts(profile: &Profile, place: &Place<'_>) -> Fragment {
    let work = match profile.kind {
        Kind::Author => "your work",
        Kind::Domain | Kind::Phase => "your review",
    };
    let mut text = format!(
        "## Required Artifacts\n\n\
         You MUST read the following files before beginning {work}.\n\
         After reading, confirm: \"Files read: {{name}} ({{N}} lines), ...\" in a single line.\n\n"
    );
    let mut to_read = 0;
    for name in profile.artifacts {
        let path = match (*name, place.prd) {
            ("prd.md", Prd::None) => None,
            ("prd.md", Prd::File(path)) => Some(path.to_owned()),
            (name, _) if name == file_name(place.artifact) => Some(place.artifact.to_owned()),
            (name, _) => Some(format!("{}/{name}", place.folder)),
        };
        to_read += usize::from(path.is_some());
        let path = path.unwrap_or_else(|| "No PRD — feature created without brainstorm".to_owned());
        text.push_str(&format!("- {}: {path}\n", label(name)));
    }
    if to_read == 0 {
        text.push_str("\nThere is no file to read here; confirm with \"Files read: none\".\n");
    }
    Fragment::new("required-artifacts", text)
}

/// The form of the answer. The schema is the same for all roles; what the fields are for is not.
fn answer_form(profile: &Profile) -> Fragment {
    let fields = match profile.kind {
        Kind::Author => {
            "- `approved`: true when the file is ready to be reviewed.\n\
             - `summary`: what you changed and where, by finding id; the reviewers are shown it. For a first draft: what you assumed.\n\
             - `answers`: one entry for every finding id you were given: `fixed` or `not_fixed`.\n\
             - `issues`: empty.\n\
             - `checks`: one entry for every check above, as you put it to your own text.\n\
             - `verified`: the facts about existing code, files or services that you opened.\n"
                .to_owned()
        }
        Kind::Domain | Kind::Phase => format!(
            "- `summary`: the reason for the verdict, in one or two sentences.\n\
             - `answers`: one entry for every finding id you were given; none if you were given none.\n\
             - `issues`: new findings only; a finding with an id is dealt with in `answers`. `same_as` is the id of an earlier finding that this one repeats, else empty.\n\
             - `category`: one of {}.\n\
             - `checks`: one entry for every check above, under its name, with what was examined, and one named `coverage`.\n\
             - `verified`: each statement about something outside the document that you checked, where, and with what result.\n",
            profile.categories.join(", ")
        ),
    };
    let text = format!(
        "## Your Answer\n\n\
         Write the line that confirms your reads, then one JSON object of this form, and nothing after it. \
         Every field is required; an empty text, an empty list or 0 means none.\n\n{}\n{fields}\
         - `files_read`: every file you opened, with its number of lines.\n",
        text::fenced("json", FORM)
    );
    Fragment::new("return", text)
}
