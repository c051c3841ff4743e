//! Finds one term in two spellings: `log-in` and `login`, `GitHub` and `Github`.
//!
//! Code is left alone, and so is a capital at the beginning of a sentence.

use super::{CheckedDocuments, Found, Looked, Remedy};
use crate::edit::Edit;
use crate::pace::Stopped;
use crate::parsed_document::Word;
use redraft_facts::verdict::{Claim, Severity};
use std::collections::BTreeMap;

pub(super) fn look(checked: &CheckedDocuments<'_>) -> Result<Looked, Stopped> {
    let terms = checked.parsed.words();
    let mut looked = Looked { note: format!("{} words compared", terms.len()), ..Looked::default() };
    let mut groups: BTreeMap<String, Vec<&Word>> = BTreeMap::new();
    for term in &terms {
        checked.pace.step()?;
        groups.entry(term.text.to_lowercase().replace('-', "")).or_default().push(term);
    }
    for (first, wrong) in groups.values().filter_map(|group| pair(group)) {
        let places: Vec<&Word> = terms.iter().filter(|term| term.text == wrong).collect();
        let Some(place) = places.first() else { continue };
        let right = &first.text;
        let found = Found {
            severity: Severity::Blocker,
            category: "clarity",
            claim: Claim::Present,
            line: place.line,
            description: format!(
                "one term in two spellings: `{right}` in {} and `{wrong}` in {}",
                checked.parsed.section_name(first.line),
                checked.parsed.section_name(place.line)
            ),
            suggestion: format!("write {right} everywhere"),
        };
        let count = redraft_facts::text::count(places.len(), "place");
        let edits = places.iter().map(|term| Edit::Replace {
            line: term.line,
            at: term.at.clone(),
            new: right.clone(),
        });
        let remedy = Remedy::new(format!("wrote {right} for {wrong} in {count}"), edits.collect());
        looked.defects.push(checked.defect(found, remedy));
    }
    looked.defects.sort_by_key(|defect| defect.line);
    Ok(looked)
}

/// The first spelling of a term, and another one.
fn pair<'t>(group: &[&'t Word]) -> Option<(&'t Word, &'t str)> {
    let first = *group.first()?;
    let other = group.iter().find(|other| differs(&first.text, &other.text))?;
    Some((first, &other.text))
}

/// A hyphen more or less, or another capital inside. A hyphen behind two letters or fewer may change the meaning:
/// `re-sign`, `co-op`.
fn differs(one: &str, other: &str) -> bool {
    let inner =
        |text: &str| text.chars().skip(1).any(char::is_uppercase) && text.chars().any(char::is_lowercase);
    let first_part = |text: &str| text.split('-').next().map_or(0, |part| part.chars().count());
    match one.to_lowercase() == other.to_lowercase() {
        true => {
            one[1..] != other[1..]
                && inner(one) != inner(other)
                && one.starts_with(char::is_uppercase)
                && other.starts_with(char::is_uppercase)
        }
        false => {
            !inner(one)
                && !inner(other)
                && [one, other].iter().all(|text| !text.contains('-') || first_part(text) > 2)
        }
    }
}
