//! Composes the prompt that asks for the review of a case, as a run would, or in two plain sentences.

use crate::arm::{Arm, ArmText, ReviewRound};
use crate::case::{Case, CaseTexts};
use crate::code;
use crate::plant::Plant;
use redraft_documents::delta::Comparison;
use redraft_facts::choice::Strategy;
use redraft_facts::findings::{Finding, Status};
use redraft_facts::fragment::{Fragment, Prompt};
use redraft_facts::ids::{FindingId, Role};
use redraft_facts::phase::{Lane, Phase};
use redraft_facts::prelude::*;
use redraft_facts::verdict::{Claim, Severity};
use redraft_prompts::prompt::{self, Absent, Brief, CodeBrief, FeaturePaths, Prd, Upstream};
use redraft_roles::profile::{self, Profile, ProfileKind, RoleText, participants};

/// What an arm sends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArmPrompt {
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

/// The prompt of an arm for one of the case's reviewers; none where the case has no second revision and the arm asks about
/// one. `folder` is where the reviewer finds the documents of the case, and `own` the text of an arm that has one.
pub fn ask(
    case: &Case,
    texts: &CaseTexts,
    arm: &Arm,
    profile: &Profile,
    own: Option<&RoleText>,
    folder: &str,
) -> Option<ArmPrompt> {
    if case.is_code() {
        return ask_about_code(case, texts, arm, profile, own);
    }
    let second = match arm.round {
        ReviewRound::First => None,
        ReviewRound::Second => Some(texts.second.as_deref()?),
    };
    let findings: Vec<Finding> = match second {
        Some(_) => findings(case, profile, |_| true),
        None => Vec::new(),
    };
    let path = format!("{folder}/{}", case.artifact());
    let paths: Vec<String> = texts.upstream.iter().map(|(name, _)| format!("{folder}/{name}")).collect();
    let upstream: Vec<Upstream<'_>> = (texts.upstream.iter().zip(&paths))
        .map(|((name, text), path)| Upstream { name, path, bytes: text.as_bytes(), shared: true })
        .collect();
    let prd =
        upstream.iter().find(|file| file.name == "prd.md").map_or(Prd::None, |file| Prd::File(file.path));
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
        return Some(ArmPrompt { before: None, prompt: plain(case.artifact(), &findings, whole) });
    }
    let later = second.map(|second| Brief {
        artifact: Some(second.as_bytes()),
        delta: delta.as_deref(),
        fix_summaries: &summaries,
        ..first
    });
    Some(composed(arm, &first, later, &findings))
}

/// The prompt about a change, as it is reviewed by itself.
fn ask_about_code(
    case: &Case,
    texts: &CaseTexts,
    arm: &Arm,
    profile: &Profile,
    own: Option<&RoleText>,
) -> Option<ArmPrompt> {
    let second = match arm.round {
        ReviewRound::First => None,
        ReviewRound::Second => Some(texts.second.as_deref()?),
    };
    let is_own = |plant: &Plant| arm.text == ArmText::Plain || plant.kind.is_for(profile.role);
    let findings: Vec<Finding> = second.map(|_| findings(case, profile, is_own)).unwrap_or_default();
    let absent: Vec<Absent<'_>> = profile.artifacts.iter().map(|name| Absent { name, why: "" }).collect();
    let place =
        FeaturePaths { folder: "", prd: Prd::None, absent: &absent, artifact: "", idea: "", asked: "" };
    let intent = Some(texts.intent.as_str()).filter(|said| profile.compares() && !said.trim().is_empty());
    let code = |change| CodeBrief { change, by_itself: true, intent, ..CodeBrief::default() };
    let first = Brief {
        text: own,
        strategy: if arm.strategy == Strategy::Resume { Strategy::Inline } else { arm.strategy },
        code: Some(code(&texts.first)),
        ..Brief::first_review(profile, place)
    };
    if arm.text == ArmText::Plain {
        let whole = prompt::build(&Brief { code: Some(code(second.unwrap_or(&texts.first))), ..first });
        return Some(ArmPrompt { before: None, prompt: plain("the change", &findings, whole) });
    }
    let delta = code::delta(&texts.files, &texts.second_files);
    // A conversation that goes on knows what the change is for.
    let intent = intent.filter(|_| arm.strategy != Strategy::Resume);
    let later = second.map(|second| Brief {
        code: Some(CodeBrief { intent, ..code(second) }),
        delta: Some(&delta),
        ..first
    });
    Some(composed(arm, &first, later, &findings))
}

/// A first review, or a second one with what was found before, in a conversation of its own or after the first turn.
fn composed(arm: &Arm, first: &Brief<'_>, later: Option<Brief<'_>>, findings: &[Finding]) -> ArmPrompt {
    let whole = prompt::build(first);
    let Some(later) = later else { return ArmPrompt { before: None, prompt: whole } };
    let open: Vec<&Finding> = findings.iter().collect();
    let later = Brief { strategy: arm.strategy, findings: &open, round: 2, last_round: 1, ..later };
    let before = match arm.strategy {
        Strategy::Resume => Some(FirstTurn { prompt: whole, answer: rejection(findings) }),
        Strategy::Inline | Strategy::Lazy | Strategy::Digest => None,
    };
    ArmPrompt { before, prompt: prompt::build(&later) }
}

/// Everybody whom an arm asks about a case: one reviewer for a document, all reviewers of code for a change. The plain text
/// knows no roles; it is asked once, as the reviewer that is told what the change is for.
pub fn reviewers(case: &Case, arm: &Arm) -> Vec<&'static Profile> {
    if !case.is_code() {
        return reviewer_of(case.phase).into_iter().collect();
    }
    let roles =
        profile::panels_in(Phase::Implement, Lane::Standard).into_iter().flat_map(|panel| panel.roles);
    let profiles = roles.filter_map(|seat| profile::find(Phase::Implement, &seat.role));
    profiles.filter(|profile| arm.text != ArmText::Plain || profile.compares()).collect()
}

/// How the files of a prompt begin: `CASE.ARM`, and `CASE.ARM.ROLE` where several roles review.
pub fn name(case: &Case, arm: &Arm, profile: &Profile) -> String {
    match case.is_code() && arm.text != ArmText::Plain {
        true => format!("{}.{arm}.{}", case.id, profile.role),
        false => format!("{}.{arm}", case.id),
    }
}

/// Who reviews the document of a phase.
pub fn reviewer_of(phase: Phase) -> Option<&'static Profile> {
    participants(phase).iter().copied().find(|profile| profile.kind == ProfileKind::Domain)
}

/// The plants as a reviewer would have reported them, as far as they are its own. Their numbers are their places.
fn findings(case: &Case, profile: &Profile, is_own: impl Fn(&Plant) -> bool) -> Vec<Finding> {
    let own = case.plants.iter().enumerate().filter(|(_, plant)| is_own(plant));
    own.map(|(at, plant)| finding(at, plant, profile)).collect()
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
        by: None,
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
    // By hand, because the order is that of the form.
    let issues = serde_json::Value::from(issues);
    format!(
        r#"{{"files_read":[],"checks":[],"verified":[],"issues":{issues},"answers":[],"summary":"The document has defects.","approved":false}}"#
    )
}

/// What the two plain sentences must add, so that the answer can be counted.
const FORM: &str = "Answer with one JSON object: {\"issues\": [{\"quote\": text, \"file\": name, \"line\": number, \
\"description\": text, \"severity\": \"blocker\", \"warning\" or \"suggestion\"}], \"answers\": [{\"id\": id of an earlier \
finding, \"status\": \"fixed\" or \"not_fixed\", \"note\": text}], \"summary\": text, \"approved\": true or false}. Only \
blockers stand in the way of an approval.";

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
    let turn = whole
        .turn
        .into_iter()
        .filter(|fragment| ["artifact", "intent"].contains(&fragment.name.as_str()))
        .collect();
    Prompt { constant: vec![Fragment::new("plain", text)], feature: whole.feature, role: Vec::new(), turn }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::{cases, code_cases};
    use crate::code::{ChangeSet, ChangedFile};
    use crate::plant::DocumentSet;

    fn case() -> (Case, CaseTexts) {
        let set = DocumentSet {
            upstream: vec![("prd.md".to_owned(), "# Requirements\n\nLinks should end.\n".to_owned())],
            name: "spec.md".to_owned(),
            text: include_str!("../data/spec.md").to_owned(),
        };
        cases("001-links", Phase::Specify, &set, 1, 4, 7).swap_remove(1)
    }

    fn asked(arm: &str) -> ArmPrompt {
        let (case, texts) = case();
        let arm: Arm = arm.parse().unwrap_or_else(|error| panic!("{error}"));
        let profile = reviewers(&case, &arm)[0];
        ask(&case, &texts, &arm, profile, None, "cases/x").expect("the case has a second revision")
    }

    #[test]
    fn no_prompt_says_what_was_planted_before_it_was_found() {
        let (case, _) = case();
        for arm in ["ours", "ours+lazy", "plain"] {
            let ArmPrompt { before, prompt } = asked(arm);
            assert!(before.is_none());
            let prompt = prompt.text();
            assert!(case.plants.iter().all(|plant| !prompt.contains(&plant.what)), "{arm}: {prompt}");
        }
    }

    #[test]
    fn a_second_review_has_the_findings_and_what_changed() {
        let (case, texts) = case();
        for arm in ["ours+2", "ours+lazy+2", "ours+digest+2", "ours+resume+2", "plain+2"] {
            let ArmPrompt { before, prompt } = asked(arm);
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
    fn every_reviewer_of_code_is_shown_the_change_and_its_own_findings() {
        let file = |path: &str, text: &str| ChangedFile {
            path: path.to_owned(),
            before: None,
            after: Some(text.to_owned()),
        };
        let text = "if n > MAX_LINKS {\n    stop();\n}\n\n\n\n\nstore.save(link)?;\n\n\n\n\nvalidate(name)?;\nuse_it();\n";
        let change = ChangeSet { files: vec![file("src/a.rs", text)], intent: "Limits links.".to_owned() };
        let (case, texts) = code_cases("x", &change, 1, 3, 3).swap_remove(1);
        assert_eq!(case.plants.len(), 3, "{case:?}");
        let asked = |arm: &str| {
            let arm: Arm = arm.parse().unwrap_or_else(|error| panic!("{error}"));
            let one = |profile: &'static Profile| {
                let asked = ask(&case, &texts, &arm, profile, None, "x").expect("there is a second revision");
                (name(&case, &arm, profile), asked.prompt.text())
            };
            reviewers(&case, &arm).into_iter().map(one).collect::<Vec<_>>()
        };
        let first = asked("ours");
        let names: Vec<&str> = first.iter().map(|(name, _)| name.as_str()).collect();
        let roles = ["implementation-reviewer", "code-quality-reviewer", "security-reviewer"];
        assert_eq!(names, roles.map(|role| format!("x.code.1.ours-inline-1.{role}")));
        for (name, prompt) in &first {
            assert!(prompt.contains("+++ b/src/a.rs"), "{name}: {prompt}");
            assert!(case.plants.iter().all(|plant| !prompt.contains(&plant.what)), "{name}: {prompt}");
            assert_eq!(prompt.contains("Limits links."), name.ends_with("implementation-reviewer"), "{name}");
        }
        for arm in ["ours+2", "ours+lazy+2", "ours+digest+2", "ours+resume+2"] {
            for (name, prompt) in asked(arm) {
                let own = case
                    .plants
                    .iter()
                    .filter(|plant| plant.kind.is_for(name.rsplit('.').next().unwrap_or("")));
                let told = case.plants.iter().filter(|plant| prompt.contains(&plant.what)).count();
                assert_eq!(told, own.count(), "{name}: {prompt}");
            }
        }
        let plain = asked("plain+2");
        assert_eq!(plain.len(), 1);
        assert!(plain[0].0.ends_with(".plain-inline-2") && plain[0].1.contains("Limits links."), "{plain:?}");
        assert!(case.plants.iter().all(|plant| plain[0].1.contains(&plant.what)));
    }

    #[test]
    fn a_clean_case_has_no_second_review() {
        let (case, texts) = case();
        let clean = Case { plants: Vec::new(), second: None, ..case };
        let texts = CaseTexts { second: None, ..texts };
        let arm = "ours+2".parse().unwrap_or_else(|error: crate::arm::BadArm| panic!("{error}"));
        assert_eq!(ask(&clean, &texts, &arm, reviewers(&clean, &arm)[0], None, "x"), None);
    }
}
