//! Writes the first plan: a step for each component of the design, the entry point last, because it needs all the
//! others.
//!
//! Being in a hurry, the author writes a time in a check from memory: twice what it should be.

use super::{Feature, Kit, act, slug};
use crate::amounts::{Kind, amounts};
use crate::checks::Before;
use crate::parsed_document::{Need, ParsedDocument, full_stop, marks};
use redraft_documents::sections::Section;
use redraft_reports::matrix::{self, Sources};

/// A step before it has a number.
struct Step<'n> {
    title: String,
    implements: Vec<String>,
    path: String,
    /// Interfaces whose steps come before.
    uses: Vec<String>,
    /// The interface it offers.
    offers: Option<(String, String)>,
    requirements: Vec<&'n Need>,
}

pub(super) fn write(feature: &Feature, before: &Before<'_>, kit: Kit) -> String {
    let design = before.design.map(ParsedDocument::read);
    let mut steps =
        design.as_ref().map(|design| from_design(feature, before, design, kit)).unwrap_or_default();
    if steps.is_empty() {
        steps = feature.needs.iter().map(|need| from_need(feature, need, kit)).collect();
    }
    let risk = design.as_ref().and_then(|design| numbered(design, 'R').into_iter().next());
    let decisions = design.as_ref().map(|design| numbered(design, 'D')).unwrap_or_default();
    if let (Some(last), Some((decision, _))) = (steps.last_mut(), decisions.first()) {
        last.implements.push(format!("Design {decision}"));
    }
    let mut out = format!("# Plan: {}\n\n", feature.title);
    out.push_str("Each step is one part of the design with its test, written first. A step is done when its check passes.\n");
    out.push_str(&format!("\n## Constraints\n\n- Tests: `{}`.\n", kit.test));
    for need in &feature.needs {
        for amount in amounts(&need.text) {
            out.push_str(&format!("- `{}`: Spec {}.\n", &need.text[amount.at], need.name));
        }
    }
    for (interface, call) in steps.iter().filter_map(|step| step.offers.as_ref()) {
        out.push_str(&format!("- `{call}`: Design {interface}.\n"));
    }
    out.push_str("\n## Steps\n");
    write_steps(&mut out, feature, &steps, risk.map(|(id, _)| id), kit);
    out.push_str("\n## Excluded\n\n");
    for (decision, _) in decisions.iter().skip(1) {
        out.push_str(&format!(
            "- Design {decision}: it binds every step and is carried out by none alone.\n"
        ));
    }
    out.push_str("- Nothing of the specification is left out.\n");
    out.push_str("\n## Assumptions\n\n- The steps of one group can be given to one person. If a measurement of the first step shows the risk to be real, the steps behind it wait for a new design.\n");
    out
}

/// The sections of a design that are named by a letter and a number: `### C1: Title`.
fn numbered<'o, 'a>(design: &'o ParsedDocument<'a>, letter: char) -> Vec<(String, &'o Section<'a>)> {
    let id = |title: &str| {
        let id = title.split([':', ' ']).next().unwrap_or_default();
        let number = id.strip_prefix(letter)?;
        (!number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())).then(|| id.to_owned())
    };
    design.outline.sections().iter().filter_map(|section| Some((id(section.title)?, section))).collect()
}

fn from_design<'n>(
    feature: &'n Feature,
    before: &Before<'_>,
    design: &ParsedDocument<'_>,
    kit: Kit,
) -> Vec<Step<'n>> {
    let sources = Sources { prd: before.prd, spec: before.spec, design: before.design, ..Sources::default() };
    let rows = matrix::build(&sources).rows;
    let interfaces = numbered(design, 'I');
    let mut steps = Vec::new();
    for (id, section) in numbered(design, 'C') {
        let title = section.title.split_once(':').map_or(section.title, |(_, title)| title).trim();
        let path =
            design.field(section.own.clone(), "File").and_then(|text| marks(&text).next().map(str::to_owned));
        let path =
            path.unwrap_or_else(|| format!("src/{}/{}{}", feature.slug, slug(title, 2, '_'), kit.ending));
        let own = interfaces.iter().find(|(_, one)| one.title.split_whitespace().any(|word| word == id));
        let offers =
            own.and_then(|(name, one)| Some((name.clone(), call(&design.outline.text(one.own.clone()))?)));
        let serves = |need: &&Need| {
            let row = rows.iter().find(|row| row.requirement.as_ref().is_some_and(|one| one.id == need.name));
            row.is_some_and(|row| {
                row.sections.iter().any(|part| part.line as usize == section.lines.start + 1)
            })
        };
        let requirements: Vec<&Need> = feature.needs.iter().filter(serves).collect();
        let mut implements = vec![format!("Design {id}")];
        implements.extend(own.map(|(name, _)| format!("Design {name}")));
        implements.extend(requirements.iter().map(|need| format!("Spec {}", need.name)));
        let uses = design.field(section.own.clone(), "Depends on").unwrap_or_default();
        let uses = uses.split(',').map(|one| one.trim().to_owned()).collect();
        steps.push(Step { title: format!("Build {title}"), implements, path, uses, offers, requirements });
    }
    // What uses others comes after them.
    steps.sort_by_key(|step| step.uses.iter().any(|one| interfaces.iter().any(|(name, _)| name == one)));
    steps
}

/// The first code of a text that looks like a call.
pub(crate) fn call(text: &str) -> Option<String> {
    marks(text).find(|span| span.contains('(') && span.contains(':')).map(str::to_owned)
}

/// Without components to build there is a step for each requirement.
fn from_need<'n>(feature: &Feature, need: &'n Need, kit: Kit) -> Step<'n> {
    Step {
        title: format!("Carry out {}", need.name),
        implements: vec![format!("Spec {}", need.name)],
        path: format!("src/{}/{}{}", feature.slug, slug(&act(&need.text), 2, '_'), kit.ending),
        uses: Vec::new(),
        offers: None,
        requirements: vec![need],
    }
}

fn write_steps(out: &mut String, feature: &Feature, steps: &[Step<'_>], risk: Option<String>, kit: Kit) {
    let name = |index: usize| format!("2.{}", index + 1);
    if let Some(risk) = &risk {
        let path = format!("tests/{}/trial{}", feature.slug, kit.ending);
        out.push_str(&format!("\n### Step 1.1: Try out the risk\n\n**Implements:** Design {risk}\n"));
        out.push_str(&format!("**Files:** `{path}` (new)\n**Depends on:** none\n"));
        out.push_str(
            "**Produces:** a figure in the test's output, which decides whether the design stands\n",
        );
        out.push_str(&format!("**Check:** `{path}`, written first, prints how long the slowest part takes with data as large as it gets, and fails if people would wait longer than the specification allows.\n"));
    }
    let mut hurried = false;
    for (index, step) in steps.iter().enumerate() {
        let offered = |one: &Step<'_>| one.offers.as_ref().is_some_and(|(name, _)| step.uses.contains(name));
        let before = steps.iter().enumerate().filter(|(other, one)| *other != index && offered(one));
        let mut first: Vec<String> = before.map(|(other, _)| name(other)).collect();
        if first.is_empty() {
            first.push(if risk.is_some() { "1.1" } else { "none" }.to_owned());
        }
        let test = format!("tests/{}/{}", feature.slug, step.path.rsplit('/').next().unwrap_or(&step.path));
        out.push_str(&format!("\n### Step {}: {}\n\n", name(index), step.title));
        out.push_str(&format!("**Implements:** {}\n", step.implements.join(", ")));
        out.push_str(&format!("**Files:** `{}` (new), `{test}` (new)\n", step.path));
        out.push_str(&format!("**Depends on:** {}\n", first.join(", ")));
        let produces = step.offers.as_ref().map(|(_, call)| format!("`{call}`"));
        let produces = produces.unwrap_or_else(|| "nothing that other steps call".to_owned());
        out.push_str(&format!("**Produces:** {produces}\n**Check:** `{test}`, written first:\n"));
        for need in &step.requirements {
            let shown = full_stop(need.criteria.first().unwrap_or(&need.text));
            let doubled = from_memory(&shown).filter(|_| !hurried);
            hurried |= doubled.is_some();
            out.push_str(&format!("- Spec {}: {}\n", need.name, doubled.unwrap_or(shown)));
        }
    }
}

/// A sentence with its first time written from memory, without looking it up.
fn from_memory(text: &str) -> Option<String> {
    let time = amounts(text).into_iter().find(|one| one.kind == Kind::Time)?;
    let digits = text[time.at.start..].bytes().take_while(u8::is_ascii_digit).count();
    let end = time.at.start + digits;
    let number: u64 = text[time.at.start..end].parse().ok()?;
    Some(format!("{}{}{}", &text[..time.at.start], number.checked_mul(2)?, &text[end..]))
}
