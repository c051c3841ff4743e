//! The part of a prompt about code that lasts: rules, rubric, what to read, the form of the answer.
//!
//! As for documents, what these functions are given holds no round, date or count. The change itself stands here too,
//! in an `inline` prompt to a reviewer: it is the largest part, the same for all reviewers of a round, and asked about
//! by all of them at once, so the first pays for it and the others read it from the cache. It changes with every fix.

use super::super::change;
use super::super::code_brief::{ProjectCheck, Running};
use super::super::conventions;
use super::super::removed;
use super::super::rubric;
use super::super::stable::{self, Lasting, given, project_block, shown_check};
use super::form;
use redraft_documents::delta::Delta;
use redraft_facts::choice::Strategy;
use redraft_facts::fragment::Fragment;
use redraft_facts::prelude::*;
use redraft_facts::text;
use redraft_facts::ticket::Purpose;
use redraft_roles::profile::{Profile, ProfileKind, TestsOfChange};

const CODE_RULES: &str = include_str!("../../../texts/code-rules.md");
const REVIEWER_RULES: &str = include_str!("../../../texts/code-reviewer-rules.md");

/// The tool that runs commands.
const RUN: &str = "Run";

/// What lasts through a loop about code, in addition to what lasts through every loop.
#[derive(Clone, Copy)]
pub(super) struct CodeLasting<'a> {
    pub(super) purpose: Purpose,
    pub(super) checks: &'a [ProjectCheck<'a>],
    pub(super) running: Running,
    pub(super) wanted: Option<&'a str>,
    pub(super) constraints: Option<&'a str>,
}

/// The same for every role of the phase.
pub(super) fn constant_fragments() -> Vec<Fragment> {
    vec![Fragment::new("code-rules", CODE_RULES)]
}

/// What several dispatches share: for reviewers, the documents that all of them are given, with the change; for the
/// role that carries out tasks, all of its documents, task after task.
pub(super) fn feature_fragments(of: &Lasting<'_>, change: &str) -> Vec<Fragment> {
    if of.strategy != Strategy::Inline {
        return Vec::new();
    }
    let reviews = of.profile.kind != ProfileKind::Author;
    let mut fragments: Vec<Fragment> =
        of.upstream.iter().filter(|file| file.shared || !reviews).map(given).collect();
    fragments.extend(
        reviews.then(|| Fragment { name: "given-change".to_owned(), ..files(of.profile, change, true) }),
    );
    fragments
}

/// The same for every dispatch of one role for one purpose with one strategy.
pub(super) fn role_fragments(of: Lasting<'_>, code: CodeLasting<'_>) -> Vec<Fragment> {
    let Lasting { profile, own, place, strategy, upstream, missing, project, conventions, rule, .. } = of;
    let reviews = profile.kind != ProfileKind::Author;
    let mut fragments = Vec::new();
    if strategy == Strategy::Inline && reviews {
        fragments.extend(upstream.iter().filter(|file| !file.shared).map(given));
    }
    fragments.extend(reviews.then(|| stable::reviewer_rules(rule, REVIEWER_RULES)));
    fragments.push(Fragment::new("rubric", rubric::whole(profile, own, strategy)));
    let tools = own.map_or_else(|| profile.tools.to_vec(), |own| own.tools(profile));
    fragments.extend(match reviews {
        true => stable::missing_tools(&tools, missing),
        false => without_commands(missing),
    });
    fragments.extend(project.map(project_block));
    fragments.extend(conventions::fragment(conventions, profile, strategy));
    fragments.extend(code.wanted.map(wanted));
    fragments.extend(code.constraints.map(constraints));
    fragments.push(match (strategy, reviews) {
        (Strategy::Inline, _) => given_artifacts(of),
        (Strategy::Digest, true) => stable::artifacts_at_hand(profile, place),
        (Strategy::Lazy | Strategy::Resume, true) if !stable::names_documents(profile, place) => {
            no_document()
        }
        (Strategy::Lazy | Strategy::Resume | Strategy::Digest, _) => {
            stable::required_artifacts(profile, place)
        }
    });
    let questions = match reviews {
        true => format!("## Checks\n\n{}", profile.checklist),
        false => format!(
            "## Questions\n\nPut these to your own work before you answer, and mend what fails.\n\n{}",
            profile.checklist
        ),
    };
    fragments.push(Fragment::new("checklist", questions));
    let builds = !reviews && code.purpose != Purpose::Outline;
    fragments.extend(builds.then(|| project_checks(code, missing)).flatten());
    fragments.push(form::whole(profile, code.purpose, strategy));
    fragments
}

/// The change: its files and, if it is `whole`, its diff. Tests are only named to those whose work they are not.
pub(super) fn files(profile: &Profile, change: &str, whole: bool) -> Fragment {
    const INTRO: &str = "## Implementation Files\n\nThe change: files that differ from the base, with the lines added and removed.\n\n";
    let delta = Delta::parse(change);
    if whole {
        let diff = if delta.is_empty() { String::new() } else { format!("\n{}", removed::with_diff(change)) };
        let text = format!("{INTRO}{}{diff}", change::list(&delta));
        return Fragment::new("implementation-files", text);
    }
    let (tests, files) = match profile.tests_of_change() {
        TestsOfChange::Read => (Vec::new(), delta),
        TestsOfChange::Searched | TestsOfChange::AtHand => change::split_tests(delta),
    };
    let mut text = format!("{INTRO}{}", change::list_with_lines(&files));
    if !files.is_empty() {
        text.push_str(
            "\nRead each of them on disk: what is new whole, the others with the whole function around every line named, \
             which are the lines that were added or altered, or that stand beside removed ones.\n",
        );
    }
    if !tests.is_empty() {
        let what = match profile.tests_of_change() {
            TestsOfChange::Searched => " (search them for secrets; they need not be read otherwise)",
            TestsOfChange::Read | TestsOfChange::AtHand => ", to be opened where you need them",
        };
        text.push_str(&format!("\nTests of the change{what}: {}\n", change::names(&tests)));
    }
    Fragment::new("implementation-files", text)
}

fn wanted(wanted: &str) -> Fragment {
    let text =
        format!("## Problem and Goals\n\nIn the words of the PRD:\n\n{}", text::fenced("markdown", wanted));
    Fragment::new("wanted", text)
}

fn constraints(constraints: &str) -> Fragment {
    let fence = text::fenced("markdown", constraints);
    let text = format!("## Constraints\n\nWhat the task list says of every task, in its words:\n\n{fence}");
    Fragment::new("constraints", text)
}

/// The text where a change is reviewed by itself: then only its own files are read.
fn no_document() -> Fragment {
    let text = "## Required Artifacts\n\n\
         No document goes with this change. The files to read stand under Implementation Files.\n\
         After reading, confirm: \"Files read: {name} ({N} lines), ...\" in a single line.\n";
    Fragment::new("required-artifacts", text)
}

/// The files of the role where all of them are in the prompt.
fn given_artifacts(of: Lasting<'_>) -> Fragment {
    let mut fragment = stable::given_artifacts(of.profile, of.place);
    if of.profile.tools == ["Read"] {
        // The role that designs tests is not to see any code.
        fragment.text = fragment
            .text
            .replace("Open a file only for what is not in this prompt.", "Open no file: it may hold code.");
    }
    if of.profile.kind != ProfileKind::Author {
        let listed = fragment.text.lines().last().is_some_and(|line| line.starts_with("- "));
        let intro = if listed { "" } else { "\n" };
        fragment.text.push_str(&format!(
            "{intro}- The change: under Implementation Files; open a file for what its hunks do not show\n"
        ));
    }
    fragment
}

/// What a role that works on code does where it cannot run anything.
fn without_commands(missing: &[String]) -> Option<Fragment> {
    if !missing.iter().any(|tool| tool == RUN) {
        return None;
    }
    let text = "## Tools You Do Not Have\n\n\
         You cannot run commands here. Where your work asks for it, read instead: follow the code by hand through every \
         test you would run. Say under `tested`, or else in `summary`, that nothing was run.\n";
    Some(Fragment::new("missing-tools", text))
}

/// What the engine will run, and what the role may run itself.
fn project_checks(code: CodeLasting<'_>, missing: &[String]) -> Option<Fragment> {
    if code.checks.is_empty() {
        return None;
    }
    // Tests that were written from the documents may fail, and are meant to.
    let must = if code.purpose == Purpose::Tests { "" } else { "; all of them must pass" };
    let runs = !missing.iter().any(|tool| tool == RUN);
    let more = |check: &ProjectCheck<'_>| runs && code.running.takes_more(check.command);
    let may = match (runs, code.checks.iter().any(more)) {
        (false, _) => "",
        (true, false) => " You may run them yourself, each in exactly these words.",
        (true, true) => {
            " You may run them yourself: in these words, and where it says so, for a single test."
        }
    };
    let line = |check: &ProjectCheck<'_>| {
        let more = if more(check) { ", also with what its tool takes to run one test behind it" } else { "" };
        format!("- {}{more}\n", shown_check(check))
    };
    let list: String = code.checks.iter().map(line).collect();
    let text = format!(
        "## Project Checks\n\nThe engine runs these after your turn, in this order, and only their result counts{must}.{may}\n\n{list}"
    );
    Some(Fragment::new("project-checks", text))
}
