//! Hand-written documents of different styles: clean ones get no finding, a planted defect exactly one.

use super::plants::{HOSTS, Plant, plants};
use super::{DOMAIN, HANDOFF, Papers, marks};
use crate::ask::Open;
use crate::author::{Desk, write};
use crate::draft::draft;
use crate::later::Above;
use crate::later::drafts::Kit;
use crate::pace::Pace;
use crate::review::{Eye, review};
use crate::spec::Spec;
use redraft_core::phase::Phase;
use redraft_core::verdict::{Claim, Severity, Verdict};

/// Hands the papers to somebody.
pub(super) fn with_papers<T>(spec: &str, prd: Option<&str>, then: impl FnOnce(&Papers<'_>) -> T) -> T {
    let pace = Pace::calm();
    let prd = prd.map(|text| Spec::read(text, &pace).unwrap());
    let prd = prd.as_ref().map(|prd| ("prd.md", prd));
    let spec = Spec::read(spec, &pace).unwrap();
    then(&Papers { path: "spec.md", spec, prd, phase: Phase::Specify, above: &Above::default(), pace: &pace })
}

pub(super) fn look(spec: &str, prd: Option<&str>) -> Vec<super::Defect> {
    with_papers(spec, prd, |papers| {
        let looked = DOMAIN.iter().chain(&HANDOFF).map(|check| check.look(papers).unwrap());
        looked.flat_map(|looked| looked.defects).collect()
    })
}

/// The author with these findings before it.
pub(super) fn revised(text: &str, prd: Option<&str>, open: &[Open], gate: bool) -> (String, Verdict) {
    with_papers(text, prd, |papers| {
        let desk = Desk {
            path: "spec.md",
            text: Some(text),
            prd: papers.prd,
            phase: papers.phase,
            above: papers.above,
            kit: Kit::of(|_| false),
            answers: &[],
            idea: text,
            open,
            gate,
            others_changed: gate,
            pace: papers.pace,
        };
        write(&desk).unwrap()
    })
}

#[test]
fn a_clean_document_gets_no_finding() {
    for (name, spec, prd) in HOSTS {
        let found: Vec<String> = look(spec, prd).into_iter().map(|defect| defect.description).collect();
        assert!(found.is_empty(), "{name}: {found:#?}");
    }
}

fn planted(plant: &Plant) -> (String, Option<&'static str>) {
    let (_, spec, prd) = HOSTS.into_iter().find(|(name, ..)| *name == plant.host).unwrap();
    let mut text = spec.to_owned();
    for (from, to) in plant.edits {
        assert_eq!(text.matches(from).count(), 1, "{} has {from:?} once", plant.host);
        text = text.replace(from, to);
    }
    (text, prd)
}

#[test]
fn a_planted_defect_gets_exactly_one_finding() {
    let mut wrong = Vec::new();
    for plant in plants() {
        let (text, prd) = planted(plant);
        let found = look(&text, prd);
        let exact = found.len() == 1
            && found[0].category == plant.category
            && found[0].marks().iter().any(|mark| mark == plant.mark);
        if !exact {
            let shown: Vec<&str> = found.iter().map(|defect| defect.description.as_str()).collect();
            wrong.push(format!("{} {} `{}`: {shown:#?}", plant.host, plant.category, plant.mark));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_a_finding_cites_is_there() {
    for plant in plants() {
        let (text, prd) = planted(plant);
        for defect in look(&text, prd) {
            let source = if defect.file == "prd.md" { prd.unwrap() } else { &text };
            let line = source.lines().nth(defect.line).unwrap();
            assert!(line.contains(&defect.quote) && !defect.quote.is_empty(), "{defect:?}");
            let absent = ["testability", "traceability", "assumptions"].contains(&defect.category);
            assert_eq!(defect.claim == Claim::Absent, absent);
            let spelling = defect.description.contains("spellings");
            assert_eq!(defect.severity, if spelling { Severity::Warning } else { Severity::Blocker });
            assert!(!defect.suggestion.contains('\n') && !defect.suggestion.is_empty());
        }
    }
}

pub(super) fn judge(eye: Eye, text: &str, prd: Option<&str>, open: &[Open]) -> Verdict {
    with_papers(text, prd, |papers| review(eye, papers, open).unwrap())
}

pub(super) fn open_of(defect: &super::Defect) -> Open {
    Open {
        id: "S1".to_owned(),
        severity: Some(defect.severity),
        category: defect.category.to_owned(),
        description: defect.description.clone(),
        place: format!("{}:{} ({})", defect.file, defect.line + 1, defect.section),
        quote: defect.quote.clone(),
        marks: defect.marks(),
    }
}

fn eye_for(category: &str) -> Eye {
    if ["completeness", "consistency"].contains(&category) { Eye::Handoff } else { Eye::Domain }
}

#[test]
fn the_author_mends_a_planted_defect_and_keeps_the_rest() {
    for plant in plants() {
        let (text, prd) = planted(plant);
        let open = [open_of(&look(&text, prd)[0])];
        let (new, answer) = revised(&text, prd, &open, false);
        assert_eq!(answer.answers[0].status.name(), "fixed", "{} {}: {answer:?}", plant.host, plant.mark);
        let left = look(&new, prd);
        assert!(left.is_empty(), "{} {}: {left:#?}\n{new}", plant.host, plant.mark);
        let verdict = judge(eye_for(plant.category), &new, prd, &open);
        assert!(verdict.approved && verdict.answers[0].status.name() == "fixed", "{verdict:?}");
        let kept = |lines: &str, other: &str| -> Vec<String> {
            let filled = lines.lines().filter(|line| !line.is_empty());
            filled.filter(|line| other.lines().any(|there| there == *line)).map(str::to_owned).collect()
        };
        assert_eq!(kept(&text, &new), kept(&new, &text), "{} {}: the order stays", plant.host, plant.mark);
        let changed = kept(&text, &text).len() - kept(&text, &new).len();
        assert!(changed <= 2, "{} {}: {changed} lines changed", plant.host, plant.mark);
    }
}

#[test]
fn an_open_finding_is_answered_with_the_reason() {
    let (_, spec, prd) = HOSTS[0];
    let (text, _) = planted(plants().next().unwrap());
    let open = [open_of(&look(&text, prd)[0])];
    let still = judge(Eye::Domain, &text, prd, &open);
    assert_eq!((still.answers[0].status.name(), still.issues[0].same_as.as_str()), ("not_fixed", "S1"));
    let fixed = judge(Eye::Domain, spec, prd, &open);
    assert_eq!(fixed.answers[0].status.name(), "fixed");
    assert!(fixed.answers[0].note.contains("names R3"), "{:?}", fixed.answers[0]);
}

#[test]
fn more_than_three_findings_of_a_hand_off_are_one_blocker_that_names_the_places_and_is_settled_whole() {
    let (_, spec, prd) = HOSTS[0];
    let asking = |count: usize| {
        let list: String = (0..count).map(|n| format!("- Which colour has part {n}?\n")).collect();
        format!("{spec}\n## Open Questions\n\n{list}")
    };
    let few = judge(Eye::Handoff, &asking(3), prd, &[]);
    assert_eq!(few.issues.len(), 3, "{few:?}");
    let many = judge(Eye::Handoff, &asking(5), prd, &[]);
    let [blocker] = many.issues.as_slice() else { panic!("{many:?}") };
    assert_eq!((blocker.severity, many.approved), (Severity::Blocker, false));
    assert_eq!(blocker.description.matches(" line ").count(), 5, "{}", blocker.description);
    let open = [Open {
        id: "P1".to_owned(),
        severity: Some(blocker.severity),
        category: blocker.category.clone(),
        description: blocker.description.clone(),
        quote: blocker.quote.clone(),
        marks: super::marks(&blocker.description).map(str::to_owned).collect(),
        ..Open::default()
    }];
    // As long as one is left it is the same finding.
    let still = judge(Eye::Handoff, &asking(1), prd, &open);
    assert_eq!((still.issues[0].same_as.as_str(), still.answers[0].status.name()), ("P1", "not_fixed"));
    let (mended, answer) = revised(&asking(5), prd, &open, false);
    assert_eq!(answer.answers[0].status.name(), "fixed", "{answer:?}");
    let after = judge(Eye::Handoff, &mended, prd, &open);
    assert!(after.approved && after.answers[0].status.name() == "fixed", "{after:?}");
}

#[test]
fn a_finding_of_somebody_else_stays_open_while_its_quote_stands() {
    let (_, spec, prd) = HOSTS[0];
    let foreign = |quote: &str| Open {
        id: "S9".to_owned(),
        severity: Some(Severity::Blocker),
        category: "scope".to_owned(),
        description: "this is too much".to_owned(),
        quote: quote.to_owned(),
        ..Open::default()
    };
    let verdict = |quote: &str| judge(Eye::Domain, spec, prd, &[foreign(quote)]);
    assert!(!verdict("name the limit").approved);
    assert_eq!(verdict("words that are gone").answers[0].status.name(), "fixed");
    assert_eq!(verdict("").answers[0].status.name(), "not_fixed");
}

#[test]
fn the_author_understands_a_finding_in_other_words_and_leaves_alone_what_it_does_not() {
    let (text, prd) = planted(plants().next().unwrap());
    let check = |category: &str, description: &str, status: &str| {
        let open = [Open {
            id: "S1".to_owned(),
            category: category.to_owned(),
            description: description.to_owned(),
            marks: marks(description).map(str::to_owned).collect(),
            ..Open::default()
        }];
        let (new, answer) = revised(&text, prd, &open, false);
        assert_eq!(answer.answers[0].status.name(), status, "{description}");
        assert_eq!(new != text, status == "fixed", "{description}");
    };
    check("testability", "R3 cannot be tested: there is no criterion for it", "fixed");
    check("testability", "R4 cannot be tested", "not_fixed");
    check("scope", "this does too much", "not_fixed");
}

#[test]
fn no_document_makes_a_check_or_the_author_fail() {
    for (name, spec, prd) in HOSTS {
        let chars: Vec<char> = spec.chars().collect();
        for seed in 0..6 {
            let odd = ['é', '`', '*', '|', '\n', '–', '“', '日', '(', '#', '1', '-'];
            let swap = |(at, c): (usize, &char)| {
                if at % (13 + seed * 7) == seed { odd[(at / 5 + seed) % odd.len()] } else { *c }
            };
            let text: String = chars.iter().enumerate().map(swap).collect();
            let open: Vec<Open> = look(&text, prd).iter().map(open_of).collect();
            let (_, answer) = revised(&text, prd, &open, true);
            assert_eq!(answer.answers.len(), open.len(), "{name}");
            let anew =
                with_papers(&text, prd, |papers| draft(&text, papers.prd.map(|(_, prd)| prd), papers.pace));
            assert!(anew.unwrap().lines().count() >= 40, "{name}");
        }
    }
}
