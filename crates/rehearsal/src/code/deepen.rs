//! The test-deepener: first designs tests from the documents alone, then writes those that the code lets it write.
//!
//! Pure. Start at [`outline`], which is given no code, and [`write()`].

use super::class::{Class, cause, promised, seconds};
use super::report::Parts;
use super::shell::{self, Slots};
use super::{Files, World, source};
use crate::drafts::slug;
use crate::parsed_document::Need;
use redraft_facts::verdict::{CheckLine, Verdict};

/// The outline: entries for each requirement, by what it asks for.
pub(crate) fn outline(needs: &[(String, Need)]) -> Verdict {
    let checks: Vec<CheckLine> = needs.iter().flat_map(|(_, need)| entries(need)).collect();
    let summary = match checks.len() {
        0 => String::new(),
        tests => format!("{tests} tests for {} requirements", needs.len()),
    };
    Verdict { approved: true, summary, checks, ..Verdict::default() }
}

fn entries(need: &Need) -> Vec<CheckLine> {
    let name = &need.name;
    let id = name.to_lowercase();
    let entry = |what: &str, note: String| CheckLine {
        name: format!("{id}-{what}"),
        passed: true,
        note: format!("{name}. {note}"),
    };
    let class = Class::classify(&need.text);
    let why = cause(class, &need.text);
    match class {
        Class::Turns => vec![
            entry("again", "Given a turn that was given back, when another takes it, then it is not refused. Catches a turn that is never free again.".to_owned()),
            entry("after-the-holder-ended", "Given a turn whose holder has ended, when another takes it, then it is not refused. Catches work that nobody can go on with.".to_owned()),
        ],
        Class::Limit => {
            let limit = seconds(&need.text).unwrap_or_default();
            vec![
                entry("limit", format!("Given a step that takes {} seconds, when it is {limit} seconds old, then it is stopped. Catches a limit that is not {limit} seconds.", limit + 1)),
                entry("of-work-that-fails", "Given a step that fails before the limit, then the earlier state is unchanged. Catches a state that is half written.".to_owned()),
            ]
        }
        Class::Promise => {
            let time = promised(&need.text).unwrap_or_default();
            vec![
                entry("at-the-limit", format!("Given somebody who asked {time} seconds ago, then they are in time, and after {} they are not. Catches a limit that is off by one.", time + 1)),
                entry("at-once", "Given somebody who asked this second, then they are in time. Catches a comparison the wrong way round.".to_owned()),
            ]
        }
        Class::Input => vec![
            entry("that-leads-elsewhere", "Given an input whose name leads out of its folder, when it is sent, then it is refused and the answer names that part. Catches a name that is used as a path.".to_owned()),
        ],
        Class::Secrecy => vec![
            entry("of-a-similar-address", "Given an address that is part of a known one, then nothing is sent. Catches a comparison of a part.".to_owned()),
        ],
        Class::Record => vec![
            entry("beside-earlier-ones", "Given one record, when there is another, then both are there. Catches a record that is written over.".to_owned()),
        ],
        Class::Delivery => vec![
            entry("only-once", "Given a message that left at the first attempt, then it is sent once. Catches a message that is sent twice.".to_owned()),
        ],
        Class::Expired => vec![
            entry("on-the-last-second", format!("Given what is as old as it may be, then it is not refused, and a second later it is, because {why}. Catches a limit that is off by one.")),
        ],
        Class::Failure => vec![
            entry("keeps-the-state", format!("Given that {why}, then the operation is refused, the earlier state is unchanged and the cause is reported. Catches a change that is made all the same.")),
        ],
        Class::View | Class::Operation => Vec::new(),
    }
}

/// The entries of an outline as it is handed on: the name of each.
fn outlined(text: &str) -> Vec<String> {
    let name = |line: &str| {
        let (number, rest) = line.split_once(". ")?;
        let listed = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
        rest.split_once(": ").filter(|_| listed).map(|(name, _)| name.trim().to_owned())
    };
    text.lines().filter_map(name).collect()
}

/// Writes tests from an outline: the files, and the report. With `diverges`, also writes one that shows what other
/// tests cannot show without waiting.
pub(crate) fn write(text: &str, world: &World<'_>, diverges: bool) -> (Files, Verdict) {
    let wanted = outlined(text);
    let programs: Vec<String> =
        world.files.keys().filter(|path| is_program(path) && path.starts_with("src/")).cloned().collect();
    let mut report = Parts::default();
    let mut written: Vec<String> = Vec::new();
    let path = programs.first().and_then(|path| path.strip_prefix("src/")).map(|rest| {
        let (folder, name) = rest.rsplit_once('/').unwrap_or(("", rest));
        let ending = name.rsplit_once('.').map(|(_, ending)| format!(".{ending}")).unwrap_or_default();
        format!("tests/{folder}/deeper{ending}").replace("//", "/")
    });
    let old = path.as_ref().and_then(|path| world.files.get(path)).cloned().unwrap_or_default();
    let mut tests = old.clone();
    for (_, need) in world.needs {
        let lead = format!("{}-", need.name.to_lowercase());
        let asked: Vec<&String> = wanted.iter().filter(|name| name.starts_with(&lead)).collect();
        if asked.is_empty() {
            continue;
        }
        let class = Class::classify(&need.text);
        let slots = path.as_ref().and_then(|_| slots(class, need, world));
        let blocks: Vec<String> = slots
            .iter()
            .filter_map(|slots| shell::deeper(class, slots))
            .flat_map(|text| blocks(&text))
            .collect();
        for name in asked {
            let what = name[lead.len()..].replace('-', "_");
            let block = blocks.iter().find(|block| block.contains(&format!("_{what}() {{")));
            let limit = slots.as_ref().filter(|_| class == Class::Limit && what == "limit" && diverges);
            let block = block.cloned().or_else(|| limit.map(|slots| held(need, slots)));
            let function = block.as_deref().and_then(|block| block.split("()").next()).map(str::to_owned);
            match (block, function) {
                (Some(block), Some(function)) => {
                    if !source::has(&tests, &function) {
                        written.push(function.clone());
                        tests = source::with(&tests, &block);
                    }
                    report.implemented.push(format!("{name}: `{function}`"));
                }
                _ => report.implemented.push(format!("{name}: {}", left_out(class, &what))),
            }
        }
    }
    let mut files = Files::new();
    if let Some(path) = path.filter(|_| tests != old) {
        let head = if old.is_empty() { shell::test_head(&path, &programs) } else { String::new() };
        let tests = if old.is_empty() { source::with(&head, tests.trim_start()) } else { tests };
        report.files.push(path.clone());
        files.insert(path, tests);
    }
    let checks = report.checks(&["every test was followed through the code it calls".to_owned()]);
    let summary = format!("{} tests written; none was run here", written.len());
    (files, Verdict { approved: true, summary, checks, ..Verdict::default() })
}

/// A test that the limit is what the documents say.
fn held(need: &Need, slots: &Slots) -> String {
    let name = format!("{}_limit_is_{}", need.name.to_lowercase().replace(['-', '.'], "_"), slots.seconds);
    shell::constant_test(&name, "limit_seconds", &slots.seconds.to_string())
}

/// Why an entry has no test of its own.
fn left_out(class: Class, what: &str) -> &'static str {
    match (class, what) {
        (Class::Limit, "limit") => "left out, it cannot be seen without waiting that long",
        (Class::Promise | Class::Expired | Class::Failure, _) => "shown by the test of its task",
        _ => "left out, the code has no way to see it from a test",
    }
}

/// The names in the code of a requirement; none where that code does not exist.
fn slots(class: Class, need: &Need, world: &World<'_>) -> Option<Slots> {
    let lead = format!("# Spec {}:", need.name);
    let (path, text) = world
        .files
        .iter()
        .find(|(path, text)| is_program(path) && text.lines().any(|line| line.starts_with(&lead)))?;
    let thing = super::build::thing(path);
    let from = text.lines().position(|line| line.starts_with(&lead))?;
    let call = source::functions(text).into_iter().find(|function| function.lines.start > from)?.name;
    let id = need.name.to_lowercase().replace(['-', '.'], "_");
    let test = format!("{id}_{}", slug(&cause(class, &need.text), 3, '_'));
    let seconds = seconds(&need.text).unwrap_or_default();
    Some(Slots { call, thing, test, cause: cause(class, &need.text), seconds })
}

fn is_program(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    !source::is_test(path) && (name.ends_with(".sh") || !name.contains('.'))
}

/// The tests of a text, one by one.
fn blocks(text: &str) -> Vec<String> {
    text.split("\n\n").map(|block| format!("{}\n", block.trim_end())).collect()
}
