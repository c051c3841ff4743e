//! The part of a prompt that is byte-identical in every round of a role.
//!
//! The arguments of these functions hold no round, date or count, so no such thing can get in front of a cache
//! boundary, however the texts are changed. What it says of the documents is in `artifacts`.

mod artifacts;

use super::brief::{Brief, FeaturePaths, Upstream};
use super::code_brief::ProjectCheck;
use super::conventions;
use super::rubric;
use super::schema::form_of;
use super::sizes::{FIELD_CHARS_MAX, NAME_CHARS_MAX};
use artifacts::paths;
pub(super) use artifacts::{
    NO_PRD, NONE, artifacts_at_hand, given, given_artifacts, header, required_artifacts,
};
use redraft_documents::conventions::Conventions;
use redraft_facts::choice::Strategy;
use redraft_facts::findings::Threshold;
use redraft_facts::fragment::Fragment;
use redraft_facts::prelude::*;
use redraft_facts::text;
use redraft_facts::ticket::Purpose;
use redraft_roles::profile::{Profile, ProfileKind, RoleText};

const HOUSE_RULES: &str = include_str!("../../texts/house-rules.md");
const REVIEWER_RULES: &str = include_str!("../../texts/reviewer-rules.md");
/// What happens to a claim that no tool could check: the points of a list after its first.
const UNCHECKED: &str = include_str!("../../texts/unchecked-claims.md");
/// The same for an author: its reviewer reads the document, and not what it verified.
const ASSUMED: &str =
    "2. What stays unchecked because of it stands in your document as an assumption, and not as a fact.\n";

/// What becomes of what a role cannot check.
pub(super) fn unchecked(tools: &[&str]) -> &'static str {
    if tools.contains(&"Write") { ASSUMED } else { UNCHECKED }
}

/// Where there is nothing left to look things up with.
pub(super) const NOTHING_ELSE: &str =
    "Check in the repository what can be checked there; nothing else is open to you.";

/// The same for every role of every feature, so only what every role needs.
///
/// The rules for findings, some 3,300 characters, are a reviewer's and stand in its role part, behind the shared
/// artifacts. In this part an author would be sent them in every fresh conversation without any use for them; with a
/// constant part of its own it would no longer share the artifacts with the reviewers of an inline phase, which are far
/// larger. The price: where the author's prompt is still in the cache, reviewers would have read the rules from it at a
/// tenth, and now each writes them once. That is about 600 tokens' worth a phase against, and where nothing is found in
/// the cache 700 in favour.
pub(super) fn constant_fragments() -> Vec<Fragment> {
    vec![Fragment::new("house-rules", HOUSE_RULES)]
}

/// The files every role of the phase is given, in full. The same for all roles until one of them is edited.
pub(super) fn shared_artifacts(upstream: &[Upstream<'_>]) -> Vec<Fragment> {
    upstream.iter().filter(|file| file.shared).map(given).collect()
}

/// What the role part is made of: all that lasts through a loop, and nothing that changes in it.
#[derive(Clone, Copy)]
pub(super) struct Lasting<'a> {
    pub(super) profile: &'a Profile,
    pub(super) own: Option<&'a RoleText>,
    pub(super) place: &'a FeaturePaths<'a>,
    pub(super) strategy: Strategy,
    pub(super) upstream: &'a [Upstream<'a>],
    pub(super) missing: &'a [String],
    pub(super) project: Option<&'a str>,
    pub(super) conventions: &'a Conventions,
    pub(super) checks: &'a [ProjectCheck<'a>],
    pub(super) rule: Threshold,
}

impl<'a> Lasting<'a> {
    pub(super) fn new(brief: &'a Brief<'a>, strategy: Strategy) -> Lasting<'a> {
        Lasting {
            profile: brief.profile,
            own: brief.text,
            place: &brief.place,
            strategy,
            upstream: brief.upstream,
            missing: brief.missing,
            project: brief.project,
            conventions: brief.conventions,
            checks: brief.checks,
            rule: brief.rule,
        }
    }
}

/// The same for every dispatch of one role in one phase with one strategy.
pub(super) fn role_fragments(of: Lasting<'_>) -> Vec<Fragment> {
    let Lasting { profile, own, place, strategy, upstream, missing, project, conventions, checks, rule } = of;
    let mut fragments = Vec::new();
    if strategy == Strategy::Inline {
        fragments.extend(upstream.iter().filter(|file| !file.shared).map(given));
    }
    fragments.extend((profile.kind != ProfileKind::Author).then(|| reviewer_rules(rule, REVIEWER_RULES)));
    fragments.push(Fragment::new("rubric", rubric::whole(profile, own, strategy)));
    let tools = own.map_or_else(|| profile.tools.to_vec(), |own| own.tools(profile));
    fragments.extend(missing_tools(&tools, missing));
    fragments.extend(project.map(project_block));
    fragments.extend(conventions::fragment(conventions, profile, strategy));
    fragments.extend([
        match strategy {
            Strategy::Inline => given_artifacts(profile, place),
            Strategy::Digest => artifacts_at_hand(profile, place),
            Strategy::Lazy | Strategy::Resume => required_artifacts(profile, place),
        },
        Fragment::new("checklist", format!("## Checks\n\n{}", profile.checklist)),
    ]);
    fragments.extend(checks_to_come(checks));
    if !profile.next_phase.is_empty() {
        fragments.push(Fragment::new(
            "next-phase",
            format!("## Next Phase Expectations\n\n{}", profile.next_phase),
        ));
    }
    fragments.push(answer_form(profile, strategy));
    fragments
}

/// What is the same for all reviewers, with the rule of approval as it is configured.
pub(super) fn reviewer_rules(rule: Threshold, rules: &str) -> Fragment {
    let rule = match rule {
        Threshold::Strict => {
            "`approved` is false while one of your blockers or warnings is open, and true otherwise."
        }
        Threshold::Blockers => "`approved` is false while one of your blockers is open, and true otherwise.",
    };
    let text = format!(
        "# Rules for Reviewers\n\n## Verdict\n\n{rule} A finding that the engine defers is not open. The engine computes \
         the verdict in the same way, so choose each severity by the rules below and not by the verdict it leads to. Reviews are counted as iterations.\n\n{rules}"
    );
    Fragment::new("reviewer-rules", text)
}

/// What code will have to pass, for those who plan it.
fn checks_to_come(checks: &[ProjectCheck<'_>]) -> Option<Fragment> {
    if checks.is_empty() {
        return None;
    }
    let list: String = checks.iter().map(|check| format!("- {}\n", shown_check(check))).collect();
    let text = format!(
        "## Project Checks\n\nThe engine runs these after every task, on the committed files alone, and all of them must \
         pass. Where work is checked by one of them, it is named in exactly these words; where the \
         agent may, a single test is run with what its tool takes for that behind the command.\n\n{list}"
    );
    Some(Fragment::new("project-checks", text))
}

/// `tests`: `cargo test`
pub(super) fn shown_check(check: &ProjectCheck<'_>) -> String {
    let line = |value: &str| text::one_line(value, FIELD_CHARS_MAX).replace('`', "'");
    format!("{}: `{}`", line(check.name), line(check.command))
}

/// The project a feature belongs to. Its roadmap and its features are data.
pub(super) fn project_block(project: &str) -> Fragment {
    Fragment::new("project", format!("## Project Context\n\n{}", text::fenced("markdown", project)))
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

/// The tools that the role's texts count on and its agent does not have. Missing tools hold nobody up, and they are not
/// hidden.
pub(super) fn missing_tools(tools: &[&str], missing: &[String]) -> Option<Fragment> {
    if missing.is_empty() {
        return None;
    }
    let list = |tools: &[&str]| {
        tools
            .iter()
            .map(|tool| format!("`{}`", text::one_line(tool, NAME_CHARS_MAX)))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let gone: Vec<&str> = missing.iter().map(String::as_str).collect();
    let left: Vec<&str> =
        tools.iter().copied().filter(|tool| looks_outside(tool) && !gone.contains(tool)).collect();
    let instead = match left.as_slice() {
        [] => NOTHING_ELSE.to_owned(),
        left => format!("Use {} for what they would have been used for.", list(left)),
    };
    let text = format!(
        "## Tools You Do Not Have\n\n\
         Your role counts on these tools, and here they do not exist: {}. Do not call them.\n\n\
         1. {instead}\n{}",
        list(&gone),
        unchecked(tools)
    );
    Some(Fragment::new("missing-tools", text))
}

/// Whether a tool is there to look things up outside of the repository.
pub(super) fn looks_outside(tool: &str) -> bool {
    tool == "WebSearch" || tool.starts_with("mcp__")
}

fn work(profile: &Profile) -> &'static str {
    match profile.kind {
        ProfileKind::Author => "your work",
        ProfileKind::Domain | ProfileKind::Phase => "your review",
    }
}

/// Whether the prompt mentions any document to the role, if only to say that there is none.
pub(super) fn names_documents(profile: &Profile, place: &FeaturePaths<'_>) -> bool {
    !paths(profile, place).is_empty()
}

/// The text for a document that builds on no other.
fn nothing_to_read(profile: &Profile, place: &FeaturePaths<'_>) -> Option<String> {
    let nothing = format!("## Required Artifacts\n\nNo other file has to be read before {}", work(profile));
    paths(profile, place).is_empty().then_some(nothing)
}

/// The form of the answer. The schema is the same for all roles; what the fields are for is not.
fn answer_form(profile: &Profile, strategy: Strategy) -> Fragment {
    let fields = match profile.kind {
        ProfileKind::Author => {
            "- `verified`: the facts about existing code, files or services that you opened.\n\
             - `answers`: one for every finding you were given, under its id or ids.\n\
             - `summary`: what you changed and where, by finding id; the reviewers are shown it. For a first draft: what you assumed.\n\
             - `approved`: true; the file is finished.\n"
                .to_owned()
        }
        ProfileKind::Domain | ProfileKind::Phase => format!(
            "{CHECKED}\
             - `verified`: each statement about something outside the document that you checked, where, and with what result, in few words.\n\
             {REPORTED}\
             - `category`: one of {}.\n\
             {RULED}",
            profile.categories.join(", ")
        ),
    };
    form_with(strategy, form_of(profile.kind, Purpose::Draft), &fields)
}

/// What the fields of a reviewer's answer are for, about documents and about code.
pub(super) const CHECKED: &str = "- `checks`: one entry for every check above, under its name. One that fails names its findings in its note, a new one by its number in `issues` from 1, an earlier one by its id: a fault that stands only there is lost. One that passes needs no note unless your walk asks for it.\n";
pub(super) const REPORTED: &str = "- `issues`: new findings only. `same_as` is the id of a finding that is no longer open and comes back with this one, or of an open one whose quote did not hold and is right here; else it is empty.\n";
pub(super) const RULED: &str = "- `answers`: one entry for every finding id you were given (`withdrawn`: the finding was wrong).\n- `summary`: the reason for the verdict, in one or two sentences.\n";

/// The form of every answer, with what its fields are for.
pub(super) fn form_with(strategy: Strategy, form: &str, fields: &str) -> Fragment {
    let first = match strategy {
        Strategy::Lazy | Strategy::Resume => {
            "Write the line that confirms your reads, unless only the object is accepted as your answer, then one"
        }
        Strategy::Inline | Strategy::Digest => "Write one",
    };
    let text = format!(
        "## Your Answer\n\n\
         {first} JSON object of this form, and nothing after it. \
         Every field is required; an empty text, an empty list or 0 means none.\n\n{}\n\
         - `files_read`: every file you opened, with its number of lines.\n{fields}",
        text::fenced("json", form)
    );
    Fragment::new("return", text)
}
