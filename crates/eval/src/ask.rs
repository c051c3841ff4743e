//! Composes the prompt that asks for the review of a case, as a run would, or in two plain sentences.

use crate::arm::{Arm, ArmText, ReviewRound};
use crate::case::{Case, CaseTexts};
use crate::plant::Plant;
use redraft_documents::delta::Comparison;
use redraft_facts::choice::Strategy;
use redraft_facts::findings::{Finding, Status};
use redraft_facts::fragment::{Fragment, Prompt};
use redraft_facts::ids::{FindingId, Role};
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_facts::verdict::{Claim, Severity};
use redraft_prompts::prompt::{self, Brief, FeaturePaths, Prd, Upstream};
use redraft_roles::profile::{Profile, ProfileKind, RoleText, participants};

/// What an arm sends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// The first turn of the conversation that the prompt continues; none for a new one.
    pub before: Option<FirstTurn>,
    pub prompt: Prompt,
}

/// A turn that must have been taken before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstTurn {
    pub prompt: Prompt,
    /// What a reviewer that sees every defect would have answered, for whoever has no conversation to continue.
    pub answer: String,
}

/// The prompt of an arm; none where the case has no second revision and the arm asks about one. `folder` is where the
/// reviewer finds the files of the case, and `own` the text of an arm that has one.
pub fn ask(case: &Case, texts: &CaseTexts, arm: &Arm, own: Option<&RoleText>, folder: &str) -> Option<Asked> {
    let profile = reviewer_of(case.phase)?;
    let second = match arm.round {
        ReviewRound::First => None,
        ReviewRound::Second => Some(texts.second.as_deref()?),
    };
    let findings: Vec<Finding> = match second {
        Some(_) => findings(case, profile),
        None => Vec::new(),
    };
    let path = format!("{folder}/{}", case.artifact());
    let paths: Vec<String> = texts.upstream.iter().map(|(name, _)| format!("{folder}/{name}")).collect();
    let upstream: Vec<Upstream<'_>> = (texts.upstream.iter().zip(&paths))
        .map(|((name, text), path)| Upstream { name, path, bytes: text.as_bytes(), shared: true })
        .collect();
    let prd =
        upstream.iter().find(|file| file.name == "prd.md").map_or(Prd::None, |file| Prd::File(file.path));
    let open: Vec<&Finding> = findings.iter().collect();
    let delta = second.map(|second| Comparison::new(&texts.first, second).unified(&path));
    let summaries: Vec<String> = second.map(|_| summary(&findings)).into_iter().collect();
    let place = FeaturePaths { folder, prd, absent: &[], artifact: &path, idea: "", asked: "" };
    let first = Brief {
        text: own,
        strategy: if arm.strategy == Strategy::Resume { Strategy::Inline } else { arm.strategy },
        artifact: Some(texts.first.as_bytes()),
        upstream: &upstream,
        ..Brief::first_review(profile, place)
    };
    if arm.text == ArmText::Plain {
        let seen = second.unwrap_or(&texts.first);
        let whole = prompt::build(&Brief { artifact: Some(seen.as_bytes()), ..first });
        return Some(Asked { before: None, prompt: plain(case.artifact(), &findings, whole) });
    }
    let Some(second) = second else {
        return Some(Asked { before: None, prompt: prompt::build(&first) });
    };
    let later = Brief {
        strategy: arm.strategy,
        artifact: Some(second.as_bytes()),
        delta: delta.as_deref(),
        fix_summaries: &summaries,
        findings: &open,
        round: 2,
        last_round: 1,
        ..first
    };
    let before = match arm.strategy {
        Strategy::Resume => Some(FirstTurn { prompt: prompt::build(&first), answer: rejection(&findings) }),
        Strategy::Inline | Strategy::Lazy | Strategy::Digest => None,
    };
    Some(Asked { before, prompt: prompt::build(&later) })
}

/// Who reviews the document of a phase.
pub fn reviewer_of(phase: Phase) -> Option<&'static Profile> {
    participants(phase).iter().copied().find(|profile| profile.kind == ProfileKind::Domain)
}

/// The plants as a reviewer would have reported them.
fn findings(case: &Case, profile: &Profile) -> Vec<Finding> {
    case.plants.iter().enumerate().map(|(at, plant)| finding(at, plant, profile)).collect()
}

fn finding(at: usize, plant: &Plant, profile: &Profile) -> Finding {
    Finding {
        id: FindingId::new(format!("{}{}", profile.letter, at + 1)),
        role: Role::new(profile.role),
        round: 1,
        severity: Severity::Blocker,
        category: profile.categories.first().map(|category| (*category).to_owned()).unwrap_or_default(),
        claim: if plant.lines == 0 { Claim::Absent } else { Claim::Present },
        file: plant.file.clone(),
        line: plant.line,
        section: String::new(),
        quote: String::new(),
        description: plant.what.clone(),
        suggestion: String::new(),
        status: Status::Open,
        late: false,
        unverified: None,
        note: String::new(),
    }
}

/// The author says that all of it is fixed, which is not true of the one that was left.
fn summary(findings: &[Finding]) -> String {
    let lines =
        findings.iter().map(|finding| format!("{}: fixed, the text now says what was meant.", finding.id));
    lines.collect::<Vec<_>>().join("\n")
}

/// The first review of a conversation that is continued.
fn rejection(findings: &[Finding]) -> String {
    let issue = |finding: &Finding| {
        serde_json::json!({
            "severity": finding.severity, "category": finding.category, "claim": finding.claim, "file": finding.file,
            "line": finding.line, "section": "", "quote": "", "description": finding.description, "suggestion": "",
            "same_as": "",
        })
    };
    let issues: Vec<_> = findings.iter().map(issue).collect();
    let verdict = serde_json::json!({
        "approved": false, "summary": "The document has defects.", "answers": [], "issues": issues, "checks": [],
        "verified": [], "files_read": [],
    });
    verdict.to_string()
}

/// What the two plain sentences must add, so that the answer can be counted.
const FORM: &str = "Answer with one JSON object: {\"approved\": true or false, \"summary\": text, \"answers\": [{\"id\": id \
of an earlier finding, \"status\": \"fixed\" or \"not_fixed\", \"note\": text}], \"issues\": [{\"severity\": \"blocker\", \
\"warning\" or \"suggestion\", \"file\": name, \"line\": number, \"quote\": text, \"description\": text}]}. Only blockers \
stand in the way of an approval.";

/// The two plain sentences, and the documents as every arm is given them.
fn plain(name: &str, findings: &[Finding], whole: Prompt) -> Prompt {
    let mut text = format!(
        "Review {name} below before it is handed to the next step. Report what is wrong with it, and say whether it can be \
         approved.\n\n{FORM}\n"
    );
    if !findings.is_empty() {
        text.push_str("\n## Findings of the last review\n\n");
        findings
            .iter()
            .for_each(|finding| text.push_str(&format!("- {}: {}\n", finding.id, finding.description)));
    }
    let turn = whole.turn.into_iter().filter(|fragment| fragment.name == "artifact").collect();
    Prompt { constant: vec![Fragment::new("plain", text)], feature: whole.feature, role: Vec::new(), turn }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::cases;
    use crate::plant::DocumentSet;

    fn case() -> (Case, CaseTexts) {
        let set = DocumentSet {
            upstream: vec![("prd.md".to_owned(), "# Requirements\n\nLinks should end.\n".to_owned())],
            name: "spec.md".to_owned(),
            text: include_str!("../data/spec.md").to_owned(),
        };
        cases("001-links", Phase::Specify, &set, 1, 4, 7).swap_remove(1)
    }

    fn asked(arm: &str) -> Asked {
        let (case, texts) = case();
        let arm: Arm = arm.parse().unwrap_or_else(|error| panic!("{error}"));
        ask(&case, &texts, &arm, None, "cases/x").expect("the case has a second revision")
    }

    #[test]
    fn no_prompt_says_what_was_planted_before_it_was_found() {
        let (case, _) = case();
        for arm in ["ours", "ours+lazy", "plain"] {
            let Asked { before, prompt } = asked(arm);
            assert!(before.is_none());
            let prompt = prompt.text();
            assert!(case.plants.iter().all(|plant| !prompt.contains(&plant.what)), "{arm}: {prompt}");
        }
    }

    #[test]
    fn a_second_review_has_the_findings_and_what_changed() {
        let (case, texts) = case();
        for arm in ["ours+2", "ours+lazy+2", "ours+digest+2", "ours+resume+2", "plain+2"] {
            let Asked { before, prompt } = asked(arm);
            let prompt = prompt.text();
            assert!(case.plants.iter().all(|plant| prompt.contains(&plant.what)), "{arm}: {prompt}");
            assert_eq!(before.is_some(), arm.contains("resume"));
            if arm.contains("resume") || arm.contains("digest") {
                assert!(prompt.contains("@@"), "{arm}: {prompt}");
                assert!(!prompt.contains(&texts.first), "{arm}");
            }
        }
    }

    #[test]
    fn a_clean_case_has_no_second_review() {
        let (case, texts) = case();
        let clean = Case { plants: Vec::new(), second: None, ..case };
        let texts = CaseTexts { second: None, ..texts };
        let arm = "ours+2".parse().unwrap_or_else(|error: crate::arm::BadArm| panic!("{error}"));
        assert_eq!(ask(&clean, &texts, &arm, None, "x"), None);
    }
}
