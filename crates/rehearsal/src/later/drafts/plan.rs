//! The first plan: a step for each component of the design, in the order in which the design lists them.
//!
//! What the author in a hurry forgets: the design begins with the way in, which needs all the others, so its step comes
//! too early; and when the last step is written, the check is left for later.

use super::super::Above;
use super::super::design::Design;
use super::super::outline::{Kind, Label, Outline, Unit};
use super::super::refs::{Doc, refs};
use super::{Feature, Kit, Need, full_stop, outline, slug};
use crate::document::Document;
use crate::measures::measures;
use crate::pace::{Pace, Stopped};
use redraft_core::phase::Phase;
use std::collections::BTreeSet;

/// A step before it has a number.
struct Step<'n> {
    title: String,
    implements: Vec<String>,
    path: String,
    /// Elements whose steps come before.
    needs: BTreeSet<String>,
    /// The element it is for.
    key: String,
    produces: Vec<String>,
    requirements: Vec<&'n Need>,
    stores: bool,
}

pub(super) fn write(
    feature: &Feature,
    above: &Above<'_>,
    kit: Kit,
    pace: &Pace<'_>,
) -> Result<String, Stopped> {
    let read = outline(above.design.as_ref(), Phase::Design, pace)?;
    let steps = match (&above.design, &read) {
        (Some(paper), Some(elements)) if elements.of(Kind::Component).next().is_some() => {
            let design = Design::read(paper, above.spec.as_ref(), pace)?;
            from_design(feature, &paper.document, elements, &design, kit)
        }
        _ => from_needs(feature, kit),
    };
    let mut out = format!("# Plan: {}\n\n", feature.title);
    out.push_str("Each step is one part of the design with its test, written first. A step is done when its check passes.\n");
    write_constraints(&mut out, feature, above, read.as_ref(), kit);
    out.push_str("\n## Steps\n");
    let risk = read.as_ref().and_then(|elements| elements.of(Kind::Risk).next());
    write_steps(&mut out, feature, &steps, risk, kit);
    out.push_str("\n## Excluded\n\n");
    let decisions: Vec<&Unit> = read.iter().flat_map(|elements| elements.of(Kind::Decision)).collect();
    for decision in decisions.iter().skip(1) {
        out.push_str(&format!(
            "- Design {}: it binds every step and is carried out by none alone.\n",
            decision.name
        ));
    }
    out.push_str("- Nothing of the specification is left out.\n");
    out.push_str("\n## Assumptions\n\n- The steps of one group can be given to one person. If a measurement of the first step shows the risk to be real, the steps behind it wait for a new design.\n");
    Ok(out)
}

fn write_constraints(
    out: &mut String,
    feature: &Feature,
    above: &Above<'_>,
    elements: Option<&Outline>,
    kit: Kit,
) {
    out.push_str(&format!("\n## Constraints\n\n- Tests: `{}`.\n", kit.test));
    for need in &feature.needs {
        for measure in measures(&need.text) {
            out.push_str(&format!("- `{}`: Spec {}.\n", &need.text[measure.at.clone()], need.name));
        }
    }
    if let (Some(paper), Some(elements)) = (&above.design, elements) {
        for unit in elements.of(Kind::Interface) {
            if let Some(call) = signature(&paper.document, unit) {
                out.push_str(&format!("- `{call}`: Design {}.\n", unit.name));
            }
        }
    }
}

/// The first code of a part that looks like a call.
fn signature(document: &Document<'_>, unit: &Unit) -> Option<String> {
    let text = document.text(unit.block.clone());
    let mut spans = text.split('`').skip(1).step_by(2);
    spans.find(|span| span.contains('(') && span.contains(':')).map(str::to_owned)
}

fn from_design<'n>(
    feature: &'n Feature,
    document: &Document<'_>,
    elements: &Outline,
    design: &Design,
    kit: Kit,
) -> Vec<Step<'n>> {
    let components: Vec<&Unit> = elements.of(Kind::Component).collect();
    let mut steps: Vec<Step<'n>> = Vec::new();
    for (index, component) in components.iter().enumerate() {
        let text = document.text(component.block.clone());
        let path = component.field(Label::Files).map(|field| field.text(document));
        let path = path.and_then(|path| path.split('`').nth(1).map(str::to_owned));
        let path = path.unwrap_or_else(|| {
            format!("src/{}/{}{}", feature.slug, slug(&component.title, 2, '_'), kit.ending)
        });
        // An interface belongs to the component it speaks of first; one that names none, to the first component.
        let own: Vec<&Unit> = elements
            .of(Kind::Interface)
            .filter(|unit| owner(document, unit, &components).unwrap_or(0) == index)
            .collect();
        let mut implements = vec![format!("Design {}", component.name)];
        implements.extend(own.iter().map(|unit| format!("Design {}", unit.name)));
        let mut served: BTreeSet<usize> = design.serves(component);
        for (at, _) in feature.needs.iter().enumerate() {
            let first = design.carriers(at).next().map(|at| elements.units[at].key.as_str());
            if first == Some(component.key.as_str()) {
                served.insert(at);
            }
        }
        let requirements: Vec<&Need> = served.iter().filter_map(|at| feature.needs.get(*at)).collect();
        implements.extend(requirements.iter().map(|need| format!("Spec {}", need.name)));
        let needs = component
            .field(Label::Depends)
            .map(|field| refs(&field.text(document), false))
            .unwrap_or_default()
            .into_iter()
            .filter(|one| one.doc.is_none_or(|doc| doc == Doc::Design))
            .map(|one| one.key)
            .collect();
        let produces = own.iter().filter_map(|unit| signature(document, unit)).collect();
        let lower = text.to_lowercase();
        steps.push(Step {
            title: format!("Build {}", component.title),
            implements,
            path,
            needs,
            key: component.key.clone(),
            produces,
            requirements,
            stores: ["keeps what", "stored data", "database", "table", "column"]
                .iter()
                .any(|word| lower.contains(word)),
        });
    }
    // What a step needs is named by the elements; the steps are found by what they implement.
    if let Some(first) = steps.first_mut() {
        first
            .implements
            .extend(elements.of(Kind::Decision).take(1).map(|unit| format!("Design {}", unit.name)));
    }
    steps
}

fn owner(document: &Document<'_>, unit: &Unit, components: &[&Unit]) -> Option<usize> {
    let text = document.text(unit.block.clone());
    let named = refs(&text, false).into_iter().filter(|one| one.key != unit.key);
    named.into_iter().find_map(|one| components.iter().position(|component| component.key == one.key))
}

/// Without components to build there is a step for each requirement.
fn from_needs(feature: &Feature, kit: Kit) -> Vec<Step<'_>> {
    let step = |need: &'_ Need| -> (String, String) {
        (format!("Carry out {}", need.name), slug(&super::act(&need.text), 2, '_'))
    };
    let made = feature.needs.iter().map(|need| {
        let (title, file) = step(need);
        Step {
            title,
            implements: vec![format!("Spec {}", need.name)],
            path: format!("src/{}/{file}{}", feature.slug, kit.ending),
            needs: BTreeSet::new(),
            key: need.name.clone(),
            produces: Vec::new(),
            requirements: vec![need],
            stores: false,
        }
    });
    made.collect()
}

fn write_steps(out: &mut String, feature: &Feature, steps: &[Step<'_>], risk: Option<&Unit>, kit: Kit) {
    let trial = usize::from(risk.is_some());
    let name = |index: usize| format!("2.{}", index + 1);
    if let Some(risk) = risk {
        let path = format!("tests/{}/trial{}", feature.slug, kit.ending);
        out.push_str(&format!("\n### Step 1.1: Try out the risk {}\n\n", risk.name));
        out.push_str(&format!("**Implements:** Design {}\n", risk.name));
        out.push_str(&format!("**Files:** `{path}` (new)\n**Depends on:** none\n"));
        out.push_str(
            "**Produces:** a figure in the test's output, which decides whether the design stands\n",
        );
        out.push_str(&format!("**Check:** `{path}`, written first, prints how long the slowest part takes with data as large as it gets, and fails if people would wait longer than the specification allows.\n"));
    }
    let makes = |step: &Step<'_>, key: &str| {
        step.key == key
            || step
                .implements
                .iter()
                .any(|one| refs(one, false).iter().any(|one| one.key == key && one.doc == Some(Doc::Design)))
    };
    for (index, step) in steps.iter().enumerate() {
        let before: Vec<String> = (steps.iter().enumerate())
            .filter(|(other, one)| *other != index && step.needs.iter().any(|key| makes(one, key)))
            .map(|(other, _)| name(other))
            .collect();
        let first = if before.is_empty() && trial == 1 { vec!["1.1".to_owned()] } else { before };
        let test = format!("tests/{}/{}", feature.slug, file_of(&step.path));
        out.push_str(&format!("\n### Step {}: {}\n\n", name(index), step.title));
        out.push_str(&format!("**Implements:** {}\n", step.implements.join(", ")));
        out.push_str(&format!("**Files:** `{}` (new), `{test}` (new)\n", step.path));
        let depends = if first.is_empty() { "none".to_owned() } else { first.join(", ") };
        out.push_str(&format!("**Depends on:** {depends}\n"));
        let produces: Vec<String> = step.produces.iter().map(|call| format!("`{call}`")).collect();
        let produces = if produces.is_empty() {
            "nothing that other steps call".to_owned()
        } else {
            produces.join(", ")
        };
        out.push_str(&format!("**Produces:** {produces}\n"));
        if index + 1 < steps.len() || steps.len() < 2 {
            out.push_str(&format!("**Check:** `{test}`, written first:\n"));
            for need in &step.requirements {
                let shown = need.criteria.first().unwrap_or(&need.text);
                out.push_str(&format!("- Spec {}: {}\n", need.name, full_stop(shown)));
            }
        }
        if step.stores {
            out.push_str("**Undo:** what it stores is new, so taking the commit back leaves nothing that others read.\n");
        }
    }
}

fn file_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
