//! Finds what reviewers of code report, by rules that need no understanding: each compares two places or knows a form
//! that is nearly always wrong.
//!
//! Pure: files and documents in, flaws out. Start at [`flaws`]. A rule prefers silence to a wrong finding: it reports
//! only what a document names by its id, or a form it knows.

use super::class::Class;
use super::constants::{Disagreement, disagreements};
use super::job::Job;
use super::{CodeReviewFocus, World, source};
use redraft_facts::verdict::{Claim, Severity};

/// A function of more lines fits on no screen.
const FUNCTION_LINES_MAX: usize = 80;

/// One thing that is wrong, and how it would be mended.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Flaw {
    pub(super) eye: CodeReviewFocus,
    /// The check of the role that it fails.
    pub(super) check: &'static str,
    pub(super) severity: Severity,
    pub(super) category: &'static str,
    pub(super) claim: Claim,
    pub(super) file: String,
    /// From 1; 0 where nothing is cited.
    pub(super) line: usize,
    pub(super) quote: String,
    pub(super) description: String,
    pub(super) suggestion: String,
    /// What distinguishes it from others, however the rest is reworded.
    pub(super) marks: Vec<String>,
    pub(super) mend: Mend,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Mend {
    Number(Disagreement),
    /// A requirement, by its id for comparing, that no code carries out.
    Build(String),
    /// The line is removed.
    Drop,
    /// No rule mends it.
    None,
}

/// Everything that a role finds.
pub(super) fn flaws(eye: CodeReviewFocus, world: &World<'_>) -> Vec<Flaw> {
    match eye {
        CodeReviewFocus::Implementation => {
            let mut found = numbers(world);
            if world.whole {
                found.extend(untested(world));
                found.extend(unbuilt(world));
                found.extend(uncalled(world));
            }
            found
        }
        CodeReviewFocus::Quality => quality(world),
        CodeReviewFocus::Security => security(world),
    }
}

fn numbers(world: &World<'_>) -> Vec<Flaw> {
    let flaw = |one: Disagreement| {
        let Disagreement { file, constant, requirement, said, .. } = &one;
        let text = world.files.get(file).map(String::as_str).unwrap_or_default();
        Flaw {
            eye: CodeReviewFocus::Implementation,
            check: "spec-compliance",
            severity: Severity::Blocker,
            category: "misunderstood",
            claim: Claim::Present,
            file: file.clone(),
            line: constant.line + 1,
            quote: text.lines().nth(constant.line).unwrap_or_default().trim().to_owned(),
            description: format!(
                "`{}` of `{file}` is {}, but requirement `{requirement}` says `{said}`, and nothing holds it to that [traced]",
                constant.name,
                one.is()
            ),
            suggestion: format!("set it to {said}, with a test that holds it to that"),
            marks: vec![constant.name.clone(), file.clone(), requirement.clone()],
            mend: Mend::Number(one.clone()),
        }
    };
    disagreements(world.files, world.needs).into_iter().map(flaw).collect()
}

/// Tests that tasks name and no file has. Only where most are there: elsewhere tests go by other names.
fn untested(world: &World<'_>) -> Vec<Flaw> {
    let there = |name: &str| world.files.values().any(|text| source::has(text, name) || text.contains(name));
    let named: Vec<_> = world.jobs.iter().filter(|job| !world.left_out.contains(&job.name)).collect();
    let missing: Vec<_> = named
        .iter()
        .filter_map(|job| Some((job, job.test.as_deref().filter(|name| !there(name))?)))
        .collect();
    if missing.len() * 2 >= named.len() {
        return Vec::new();
    }
    let flaw = |job: &Job, name: &str| Flaw {
        description: format!(
            "test `{name}` of task `{}` is in no file of the change, so nothing shows that the task is done; searched \
             for its name [read]",
            job.name
        ),
        suggestion: format!("write `{name}`, and what it asks for if that is missing"),
        marks: vec![name.to_owned(), job.name.clone()],
        mend: job.requirement.clone().map_or(Mend::None, Mend::Build),
        ..absent("task-completeness")
    };
    missing.into_iter().map(|(job, name)| flaw(job, name)).collect()
}

/// Requirements that no program names, where most are named.
fn unbuilt(world: &World<'_>) -> Vec<Flaw> {
    let named = |name: &str| {
        let comments =
            world.files.iter().filter(|(path, _)| !path.ends_with(".md")).flat_map(|(_, text)| text.lines());
        comments.filter_map(source::comment).any(|said| {
            said.split(|c: char| !c.is_alphanumeric() && c != '-' && c != '.')
                .any(|word| word.trim_end_matches('.') == name)
        })
    };
    let skipped: Vec<&str> = (world.jobs.iter())
        .filter(|job| world.left_out.contains(&job.name))
        .filter_map(|job| job.requirement.as_deref())
        .collect();
    let wanted: Vec<_> = world.needs.iter().filter(|(key, _)| !skipped.contains(&key.as_str())).collect();
    let missing: Vec<_> = wanted.iter().filter(|(_, need)| !named(&need.name)).collect();
    if missing.len() * 2 >= wanted.len() {
        return Vec::new();
    }
    let flaw = |key: &str, name: &str, text: &str| Flaw {
        description: format!(
            "requirement `{name}` is carried out nowhere in the change, while the others are: {} [read]",
            redraft_facts::text::one_line(&text.replace('`', "'"), 120)
        ),
        suggestion: format!("carry out {name}, with a test"),
        marks: vec![name.to_owned()],
        mend: Mend::Build(key.to_owned()),
        ..absent("spec-compliance")
    };
    missing.into_iter().map(|(key, need)| flaw(key, &need.name, &need.text)).collect()
}

/// Calls that the design names and the code does not have, where most are there.
fn uncalled(world: &World<'_>) -> Vec<Flaw> {
    let there =
        |name: &str| world.files.iter().any(|(path, text)| !path.ends_with(".md") && text.contains(name));
    let missing: Vec<_> = world.calls.iter().filter(|(_, name)| !there(name)).collect();
    if !world.left_out.is_empty() || missing.len() * 2 >= world.calls.len() {
        return Vec::new();
    }
    let flaw = |interface: &str, name: &str| Flaw {
        description: format!(
            "call `{name}` of interface `{interface}` is in no file of the change, so what the design offers cannot be \
             called [read]"
        ),
        suggestion: format!("offer `{name}` as the design says"),
        marks: vec![name.to_owned(), interface.to_owned()],
        ..absent("design-alignment")
    };
    missing.into_iter().map(|(interface, name)| flaw(interface, name)).collect()
}

fn absent(check: &'static str) -> Flaw {
    Flaw {
        eye: CodeReviewFocus::Implementation,
        check,
        severity: Severity::Blocker,
        category: "missing",
        claim: Claim::Absent,
        file: String::new(),
        line: 0,
        quote: String::new(),
        description: String::new(),
        suggestion: String::new(),
        marks: Vec::new(),
        mend: Mend::None,
    }
}

fn quality(world: &World<'_>) -> Vec<Flaw> {
    let mut found = Vec::new();
    for (path, text) in programs(world) {
        for (at, line) in text.lines().enumerate() {
            let unfinished = source::comment(line)
                .filter(|said| ["TODO", "FIXME", "XXX"].iter().any(|mark| said.starts_with(mark)));
            if unfinished.is_some() {
                let description = format!(
                    "line `{}` of `{path}` leaves work for later, and nothing else in the change says who does it [read]",
                    quoted(line)
                );
                let whole = source::comment(line).is_some();
                found.push(Flaw {
                    suggestion: "do it, or take the line out and report it".to_owned(),
                    marks: vec![quoted(line), path.clone()],
                    mend: if whole { Mend::Drop } else { Mend::None },
                    ..present(
                        CodeReviewFocus::Quality,
                        "yagni",
                        Severity::Blocker,
                        (path, at, line),
                        description,
                    )
                });
            }
            if path.ends_with(".rs")
                && line.contains(".unwrap()")
                && source::comment(line).is_none()
                && !in_tests(text, at)
            {
                let description = format!(
                    "`{}` of `{path}` ends the program where there is nothing to unwrap, and nobody is told why [read]",
                    quoted(line)
                );
                found.push(Flaw {
                    suggestion: "return the error, or say in `expect` why it cannot happen".to_owned(),
                    marks: vec![quoted(line), path.clone()],
                    ..present(
                        CodeReviewFocus::Quality,
                        "flow",
                        Severity::Blocker,
                        (path, at, line),
                        description,
                    )
                });
            }
        }
        for function in source::functions(text) {
            let lines = function.lines.len();
            if lines > FUNCTION_LINES_MAX {
                let at = function.lines.start;
                let line = text.lines().nth(at).unwrap_or_default();
                let description = format!(
                    "function `{}` of `{path}` has {lines} lines, which nobody sees at once [read]",
                    function.name
                );
                found.push(Flaw {
                    suggestion: "divide it".to_owned(),
                    marks: vec![function.name.clone(), path.clone()],
                    ..present(
                        CodeReviewFocus::Quality,
                        "kiss",
                        Severity::Suggestion,
                        (path, at, line),
                        description,
                    )
                });
            }
        }
    }
    found
}

fn security(world: &World<'_>) -> Vec<Flaw> {
    let secret = world
        .needs
        .iter()
        .find(|(_, need)| Class::classify(&need.text) == Class::Secrecy)
        .map(|(_, need)| need);
    let mut found = Vec::new();
    for (path, text) in programs(world) {
        for (at, line) in text.lines().enumerate().filter(|(_, line)| source::comment(line).is_none()) {
            let place = (path, at, line);
            let marks = vec![quoted(line), path.clone()];
            if is_secret(line) {
                let description = format!(
                    "`{}` of `{path}` has a secret in the code, and everybody who reads the repository can use it [read]",
                    redraft_facts::text::one_line(line.split(['=', ':']).next().unwrap_or_default(), 60)
                );
                let marks = marks_of(&description);
                found.push(Flaw {
                    suggestion: "read it from the surroundings, and change it, since it is known now"
                        .to_owned(),
                    marks,
                    ..present(CodeReviewFocus::Security, "exposure", Severity::Blocker, place, description)
                });
            }
            if is_built_command(line) {
                let description = format!(
                    "`{}` of `{path}` runs a text that is put together from values: one that holds `; rm -rf .` is run as \
                     a command [traced]",
                    quoted(line)
                );
                found.push(Flaw {
                    suggestion: "pass the values as arguments of the command".to_owned(),
                    marks: marks.clone(),
                    ..present(CodeReviewFocus::Security, "injection", Severity::Blocker, place, description)
                });
            }
            if let Some(need) = secret.filter(|_| tells_who_exists(line)) {
                let description = format!(
                    "`{}` of `{path}` tells whoever asks that there is no such account, which `{}` rules out [traced]",
                    quoted(line),
                    need.name
                );
                found.push(Flaw {
                    suggestion: "answer in the same words whether there is one or not".to_owned(),
                    marks,
                    ..present(CodeReviewFocus::Security, "exposure", Severity::Blocker, place, description)
                });
            }
        }
    }
    found
}

fn present(
    eye: CodeReviewFocus,
    category: &'static str,
    severity: Severity,
    (path, at, line): (&String, usize, &str),
    description: String,
) -> Flaw {
    Flaw {
        eye,
        // The checks of these two roles have the names of their categories.
        check: category,
        severity,
        category,
        claim: Claim::Present,
        file: path.clone(),
        line: at + 1,
        quote: line.trim().to_owned(),
        description,
        ..absent("")
    }
}

/// Files that are neither tests nor documents.
fn programs<'w>(world: &World<'w>) -> impl Iterator<Item = (&'w String, &'w String)> {
    world.files.iter().filter(|(path, _)| !source::is_test(path) && !path.ends_with(".md"))
}

/// A line as part of a sentence.
fn quoted(line: &str) -> String {
    redraft_facts::text::one_line(&line.replace('`', "'"), 80)
}

fn marks_of(description: &str) -> Vec<String> {
    crate::parsed_document::marks(description).map(str::to_owned).collect()
}

/// Whether a line of Rust stands below the first `#[cfg(test)]`.
fn in_tests(text: &str, line: usize) -> bool {
    text.lines().take(line).any(|line| line.trim() == "#[cfg(test)]")
}

/// A name that means a secret is assigned a text that comes from neither a file nor a variable.
fn is_secret(line: &str) -> bool {
    const CHARS_MIN: usize = 8;
    let lower = line.to_lowercase();
    let Some((name, value)) = lower.split_once(['=', ':']) else { return false };
    let word = name.trim().rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
    let means = ["password", "passwd", "secret", "api_key", "apikey", "private_key"];
    let text = value.trim().trim_end_matches([';', ',']);
    let inner = ['"', '\''].into_iter().find_map(|mark| text.strip_prefix(mark)?.strip_suffix(mark));
    let literal =
        inner.is_some_and(|text| text.chars().count() >= CHARS_MIN && !text.contains(['$', ' ', '{', '<']));
    literal && means.iter().any(|known| word.ends_with(known))
}

/// `eval` and `sh -c` with something in the text that is known only when it runs.
fn is_built_command(line: &str) -> bool {
    let bare = line.trim_start();
    let evaluates = bare.starts_with("eval ") && bare.contains('$');
    let shells = ["sh -c \"", "bash -c \""].iter().any(|call| {
        line.split_once(call)
            .is_some_and(|(_, text)| text.split('"').next().is_some_and(|text| text.contains('$')))
    });
    evaluates || shells
}

fn tells_who_exists(line: &str) -> bool {
    let lower = line.to_lowercase();
    let says = ["echo", "print", "return", "write"].iter().any(|word| lower.contains(word));
    let tells = [
        "no account",
        "no such account",
        "no such user",
        "unknown address",
        "not registered",
        "unknown user",
    ];
    says && tells.iter().any(|words| lower.contains(words)) && !lower.contains("if there is")
}
