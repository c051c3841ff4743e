//! Criteria that are removed, say nothing, or belong to another requirement.

use super::edit::Edit;
use super::shape::{Item, Shape, ids, letters, telling};
use redraft_facts::prelude::*;

/// A criterion, its id, and the requirements it names.
struct Criterion<'a> {
    item: Item<'a>,
    id: &'a str,
    requirements: Vec<&'a str>,
}

/// How ids of criteria begin.
const CRITERIA: [&str; 2] = ["AC", "SC"];

fn criteria<'a>(shape: &Shape<'a>) -> Vec<Criterion<'a>> {
    let defined = defined(shape);
    let mut found = Vec::new();
    for item in shape.items() {
        let all = ids(item.text);
        let Some(id) = all.first().copied().filter(|id| CRITERIA.contains(&letters(id))) else { continue };
        // Only where it begins with its id does it define it.
        let begins = item.text.trim_start_matches(['*', '_', '`', '[', ' ', ']']).starts_with(id);
        let is_requirement = |id: &&str| !CRITERIA.contains(&letters(id)) && defined.contains(id);
        let requirements = all[1..].iter().copied().filter(is_requirement).collect();
        if begins {
            found.push(Criterion { item, id, requirements });
        }
    }
    found
}

/// Ids that an item, a heading or a row of a table begins with.
fn defined<'a>(shape: &Shape<'a>) -> BTreeSet<&'a str> {
    let begins = |text: &'a str| {
        let bare = text.trim_start_matches(|c: char| !c.is_alphanumeric());
        ids(text).first().copied().filter(|id| bare.starts_with(id))
    };
    shape.prose().filter_map(|(_, line)| begins(line)).collect()
}

/// The only criterion of a requirement is removed.
pub(super) fn removed(text: &str) -> Vec<Edit> {
    let shape = Shape::read(text);
    let all = criteria(&shape);
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for requirement in all.iter().flat_map(|criterion| &criterion.requirements) {
        *times.entry(requirement).or_default() += 1;
    }
    let edit = |criterion: &Criterion<'_>| {
        let alone = criterion.requirements.iter().filter(|id| times.get(*id) == Some(&1));
        let names: Vec<String> = alone.map(|id| (*id).to_owned()).collect();
        (!names.is_empty()).then(|| Edit {
            lines: criterion.item.lines.clone(),
            new: Vec::new(),
            what: format!("{} is removed, the only criterion of {}", criterion.id, names.join(" and ")),
            words: vec![names.into_iter().chain([criterion.id.to_owned()]).collect()],
        })
    };
    all.iter().filter_map(edit).collect()
}

/// What a criterion says instead of something that can be measured.
const VAGUE: [&str; 4] = [
    "the caller gets a fitting answer",
    "the result is what a user would expect",
    "it behaves as it should",
    "the outcome is handled well",
];

/// A criterion no longer says what to measure.
pub(super) fn vague(text: &str) -> Vec<Edit> {
    let shape = Shape::read(text);
    let mut edits = Vec::new();
    for criterion in criteria(&shape) {
        let line = shape.line(criterion.item.lines.start);
        let Some(colon) = line.find(':') else { continue };
        // `**AC1 (R1):** text`
        let marks = line[colon + 1..].bytes().take_while(|b| matches!(b, b'*' | b'_')).count();
        let (head, what) = (&line[..colon + 1 + marks], line[colon + 1 + marks..].trim_start());
        // Who does what stays; what comes of it goes.
        let kept = what.split([',', ';']).next().unwrap_or_default();
        // What goes must be something that can be measured: a number or a literal.
        let lost = if kept.len() < what.len() { &what[kept.len()..] } else { what };
        let further =
            criterion.item.lines.clone().skip(1).map(|at| shape.line(at)).collect::<Vec<_>>().join(" ");
        if ![lost, &further].iter().any(|text| text.contains(|c: char| c == '`' || c.is_ascii_digit())) {
            continue;
        }
        let kept = if kept.len() < what.len() { format!("{kept}, ") } else { String::new() };
        for vague in VAGUE {
            edits.push(Edit {
                lines: criterion.item.lines.clone(),
                new: vec![format!("{head} {kept}{vague}.")],
                words: vec![[criterion.id.to_owned()].into_iter().chain(telling(vague)).collect()],
                what: format!("{} says only that {vague}", criterion.id),
            });
        }
    }
    edits
}

/// A criterion names another requirement than it is about.
pub(super) fn reference_broken(text: &str) -> Vec<Edit> {
    let shape = Shape::read(text);
    let all = criteria(&shape);
    let mut known: Vec<&str> =
        all.iter().flat_map(|criterion| criterion.requirements.iter().copied()).collect();
    known.sort_unstable();
    known.dedup();
    let mut edits = Vec::new();
    for criterion in &all {
        let [requirement] = criterion.requirements.as_slice() else { continue };
        let line = shape.line(criterion.item.lines.start);
        if line.matches(requirement).count() != 1 {
            continue;
        }
        let others =
            known.iter().filter(|other| letters(other) == letters(requirement) && *other != requirement);
        // A few are enough to choose from.
        for other in others.take(3) {
            edits.push(Edit {
                lines: criterion.item.lines.start..criterion.item.lines.start + 1,
                new: vec![line.replacen(*requirement, other, 1)],
                words: vec![
                    vec![criterion.id.to_owned()],
                    vec![(*requirement).to_owned(), (**other).to_owned()],
                ],
                what: format!("{} names {other} in place of {requirement}", criterion.id),
            });
        }
    }
    edits
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEC: &str = "- R1: dates\n- **R2**: twice\n\n## Criteria\n\n- **AC1 (R1):** POST /links with a date in the past, gets `400`.\n\
                        - AC2 (R2): a second POST, within 5 seconds,\n  gets `409`.\n- AC3 (R2): nothing.\n";

    #[test]
    fn a_criterion_is_removed_only_if_no_other_speaks_for_its_requirement() {
        let edits = removed(SPEC);
        assert_eq!(edits.len(), 1);
        assert_eq!(
            (edits[0].lines.clone(), &edits[0].words),
            (5..6, &vec![vec!["R1".to_owned(), "AC1".to_owned()]])
        );
    }

    #[test]
    fn a_vague_criterion_keeps_its_beginning_and_loses_its_further_lines() {
        let edits = vague(SPEC);
        assert_eq!(edits.len(), 8, "two criteria say something that can be measured");
        assert_eq!(edits[4].new, ["- AC2 (R2): a second POST, the caller gets a fitting answer."]);
        assert_eq!(edits[4].lines, 6..8);
        assert!(
            edits[0].new[0].starts_with("- **AC1 (R1):** POST /links with a date in the past, "),
            "{edits:?}"
        );
    }

    #[test]
    fn a_reference_leads_to_another_requirement() {
        let edits = reference_broken(SPEC);
        assert_eq!(edits.len(), 3);
        assert_eq!(edits[1].new, ["- AC2 (R1): a second POST, within 5 seconds,"]);
    }
}
