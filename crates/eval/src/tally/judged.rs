//! What a judge's classes make of the findings beside the plants.

use super::{Fraction, TallyEntry};
use crate::judge::{self, Class, Union};
use crate::score::Scored;
use redraft_facts::prelude::*;
use serde::Serialize;

/// What a judge makes of what blocks and no plant explains.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct JudgedTally {
    pub material: usize,
    pub minor: usize,
    pub wrong: usize,
    pub unjudged: usize,
    /// Of what blocks and is judged or planted: planted or material.
    pub right: Fraction,
    /// Of the material defects of the documents, as often as they were reviewed: those that block.
    pub union_blocking: Fraction,
    /// Of the clean documents without a material defect: those in which something blocks.
    pub rejected_faultless: Fraction,
}

/// Which material defects an answer has, and whether any finding about one blocks.
pub(super) fn defects<'u>(entry: &TallyEntry, scored: &Scored, union: &'u Union) -> BTreeMap<&'u str, bool> {
    let document = judge::document_of(&entry.case);
    let mut found = BTreeMap::new();
    for extra in &scored.extras {
        let classed = union.class_of(document, &extra.finding.key);
        if let Some(id) = classed.and_then(|classed| classed.defect.as_deref()) {
            *found.entry(id).or_default() |= extra.blocking;
        }
    }
    found
}

/// A material defect of a document, and the arms that found it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FoundDefect {
    pub document: String,
    pub id: String,
    pub what: String,
    /// In at least one answer.
    pub blocking: BTreeSet<String>,
    pub otherwise: BTreeSet<String>,
}

/// Every material defect, with the arms that found it.
pub fn found(entries: &[TallyEntry], union: &Union) -> Vec<FoundDefect> {
    let mut all = Vec::new();
    for (document, judged) in &union.documents {
        for defect in &judged.defects {
            let arms = |wanted: bool| {
                let of = entries.iter().filter(|entry| judge::document_of(&entry.case) == document.as_str());
                let hits = of.filter(|entry| {
                    let scored = entry.scored.as_ref();
                    scored.is_some_and(|scored| {
                        defects(entry, scored, union).get(defect.id.as_str()) == Some(&wanted)
                    })
                });
                hits.map(|entry| entry.arm.clone()).collect::<BTreeSet<_>>()
            };
            let blocking = arms(true);
            let otherwise = arms(false).difference(&blocking).cloned().collect();
            let (id, what) = (defect.id.clone(), defect.what.clone());
            all.push(FoundDefect { document: document.clone(), id, what, blocking, otherwise });
        }
    }
    all
}

pub(super) fn judged(read: &[&(&TallyEntry, &Scored)], union: &Union) -> JudgedTally {
    let mut tally = JudgedTally::default();
    let (mut caught, mut of, mut faultless) = (0, 0, Vec::new());
    for (entry, scored) in read {
        let document = judge::document_of(&entry.case);
        for extra in scored.extras.iter().filter(|extra| extra.blocking) {
            match union.class_of(document, &extra.finding.key).map(|classed| classed.class) {
                Some(Class::Material) => tally.material += 1,
                Some(Class::Minor) => tally.minor += 1,
                Some(Class::Wrong) => tally.wrong += 1,
                None => tally.unjudged += 1,
            }
        }
        let all = union.documents.get(document).map_or(0, |judged| judged.defects.len());
        of += all;
        caught += defects(entry, scored, union).values().filter(|blocking| **blocking).count();
        if entry.clean && all == 0 {
            faultless.push(scored.blocks);
        }
    }
    let planted: usize = read.iter().map(|(_, scored)| scored.planted_blocking).sum();
    let right = planted + tally.material;
    tally.right = Fraction::new(right, right + tally.minor + tally.wrong);
    tally.union_blocking = Fraction::new(caught, of);
    tally.rejected_faultless =
        Fraction::new(faultless.iter().filter(|blocks| **blocks).count(), faultless.len());
    tally
}

/// What a judge's classes make of an arm, with what it means.
pub fn judged_shares(judged: &JudgedTally) -> [(&'static str, Fraction); 3] {
    [
        ("of what blocks: planted or material", judged.right),
        ("material defects of the union that block", judged.union_blocking),
        ("faultless documents in which something blocks", judged.rejected_faultless),
    ]
}

/// `3 material, 2 minor, 0 wrong`
pub fn judged_counts(judged: &JudgedTally) -> String {
    let JudgedTally { material, minor, wrong, unjudged, .. } = judged;
    let rest = if *unjudged > 0 { format!(", {unjudged} not judged") } else { String::new() };
    format!("{material} material, {minor} minor, {wrong} wrong{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::{ExtraFinding, JudgedSet, VERSION};
    use crate::score::ScoredExtra;
    use crate::tally::tallies;

    fn extra(words: &str, blocking: bool) -> ScoredExtra {
        let finding = ExtraFinding {
            key: words.to_owned(),
            file: "spec.md".to_owned(),
            line: 1,
            quote: String::new(),
            description: words.to_owned(),
        };
        ScoredExtra { finding, blocking }
    }

    fn entry(arm: &str, case: &str, extras: &[(&str, bool)], planted_blocking: usize) -> TallyEntry {
        let extras: Vec<ScoredExtra> =
            extras.iter().map(|(words, blocking)| extra(words, *blocking)).collect();
        let blocks = planted_blocking > 0 || extras.iter().any(|extra| extra.blocking);
        let scored = Scored {
            readable: true,
            approved: !blocks,
            blocks,
            plants: Vec::new(),
            left: None,
            again: 0,
            extra_blocking: extras.iter().filter(|extra| extra.blocking).count(),
            extra_other: extras.iter().filter(|extra| !extra.blocking).count(),
            planted_blocking,
            extras,
            words: 10,
        };
        let clean = case.ends_with(".0");
        TallyEntry { arm: arm.to_owned(), case: case.to_owned(), clean, scored: Some(scored), cost: None }
    }

    #[test]
    fn classes_count_by_finding_and_defects_by_document() {
        let findings = ["loss", "loss again", "taste"].map(|words| extra(words, true).finding);
        let set = JudgedSet { v: VERSION, document: "x.spec".to_owned(), findings: findings.into() };
        let mut union = Union::default();
        union.take(
            &set,
            "{\"findings\": [{\"id\": \"F1\", \"class\": \"material\"}, {\"id\": \"F2\", \"class\": \"material\", \
             \"same_as\": \"F1\"}, {\"id\": \"F3\", \"class\": \"minor\"}]}",
        );
        let entries = [
            entry("a", "x.spec.0", &[("loss", true), ("taste", true), ("unseen", true)], 0),
            entry("a", "x.spec.1", &[("loss again", false)], 3),
            entry("a", "y.spec.0", &[], 0),
            entry("b", "x.spec.0", &[("loss again", false)], 0),
        ];
        let tallies = tallies(&entries, Some(&union));
        let a = tallies[0].judged.as_ref().expect("it is judged");
        assert_eq!((a.material, a.minor, a.wrong, a.unjudged), (1, 1, 0, 1));
        assert_eq!((a.right.hits, a.right.of), (4, 5), "three plants and one of two judged findings");
        assert_eq!((a.union_blocking.hits, a.union_blocking.of), (1, 2), "reviewed twice, blocks once");
        assert_eq!((a.rejected_faultless.hits, a.rejected_faultless.of), (0, 1), "only y has no defect");
        let found = found(&entries, &union);
        assert_eq!((found.len(), found[0].id.as_str(), found[0].what.as_str()), (1, "D1", "loss"));
        assert!(found[0].blocking.contains("a") && found[0].otherwise.contains("b"), "{found:?}");
        let text = crate::tally::text(&tallies);
        assert!(text.contains("1 material, 1 minor, 0 wrong, 1 not judged"), "{text}");
    }
}
