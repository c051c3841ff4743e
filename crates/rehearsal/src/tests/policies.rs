//! Tests that the same defects are found in whatever way the documents reach the reviewer: by path, whole in the
//! prompt, as a delta in its own conversation, or as a delta and some sections in a new one.

use super::diff::diff;
use super::stage::{PRD, SPEC, Stage};
use redraft_documents::delta::{Delta, FileDelta};
use redraft_documents::sections::Outline;
use redraft_facts::fragment::Fragment;
use redraft_facts::text;
use redraft_facts::verdict::Verdict;

/// A document in the prompt, as the artifact under review stands there.
fn whole(path: &str, body: &str) -> String {
    let (lines, bytes) = (body.lines().count(), body.len());
    let header = format!("{path}: {lines} lines, {bytes} bytes\n\n");
    header + &text::fenced("markdown", body)
}

/// Everything in the prompt, nothing to read.
fn inline(stage: &mut Stage, role: &'static str, prd: Option<&str>) -> Verdict {
    let spec = stage.spec();
    let mut turn = Vec::new();
    if let Some(prd) = prd {
        turn.push(Fragment::new(
            "shared-artifacts",
            format!("## Artifacts\n\n### PRD\n\n{}", whole(PRD, prd)),
        ));
    }
    turn.push(Fragment::new("artifact", format!("## Spec Under Review\n\n{}", whole(SPEC, &spec))));
    let request = stage.request(role, "review", false, turn);
    let outcome = stage.send(&request).unwrap();
    assert_eq!(outcome.opened, Some(Vec::new()), "what stands in the prompt is not read again");
    super::stage::verdict(&outcome)
}

/// Which sections a digest brings.
#[derive(Clone, Copy)]
enum Brought {
    /// Those that hold a change, as the program brings them.
    Touched,
    /// Something else, as if the program had missed them.
    Others,
}

/// A new conversation that is only told what changed, with some sections of the document.
fn digest(
    stage: &mut Stage,
    role: &'static str,
    before: &str,
    prd: Option<&str>,
    brought: Brought,
) -> Verdict {
    let spec = stage.spec();
    let diff = diff(SPEC, before, &spec);
    let delta = format!("## Delta\n\n{}", text::fenced("diff", &diff));
    let (lines, bytes) = (spec.lines().count(), spec.len());
    let outline = Outline::parse(&spec);
    let changed = Delta::parse(&diff).files.iter().flat_map(FileDelta::changed).collect::<Vec<_>>();
    let parts = match brought {
        Brought::Touched => outline.touched(&changed),
        Brought::Others => std::iter::once(0..5).collect(),
    };
    let mut sections = format!("## Sections Touched\n\n{SPEC}: {lines} lines, {bytes} bytes\n");
    for part in parts {
        let body = text::fenced("markdown", &outline.text(part.clone()));
        sections.push_str(&format!("\nLines {} to {}:\n\n{body}", part.start + 1, part.end));
    }
    let named = prd.map_or("No PRD — feature created without brainstorm", |_| PRD);
    let turn = vec![
        Fragment::new("required-artifacts", format!("## Required Artifacts\n\n- PRD: {named}\n")),
        Fragment::new("delta", delta),
        Fragment::new("touched-sections", sections),
    ];
    let request = stage.request(role, "review", false, turn);
    super::stage::verdict(&stage.send(&request).unwrap())
}

/// The findings of both roles in each way, as sorted descriptions.
fn ways(clean: &str, planted: &str, prd: Option<&str>) -> Vec<(&'static str, Vec<Verdict>)> {
    let stage = |text: &str| {
        let stage = Stage::new("as written", prd, "");
        stage.put(text);
        stage
    };
    let fresh = ROLES.map(|role| {
        let mut stage = stage(planted);
        let request = stage.fresh(role);
        stage.judge(role, &request)
    });
    let resumed = ROLES.map(|role| {
        let mut stage = stage(clean);
        let request = stage.fresh(role);
        assert!(stage.judge(role, &request).approved);
        stage.put(planted);
        let request = stage.resumed(role);
        stage.judge(role, &request)
    });
    let inlined = ROLES.map(|role| inline(&mut stage(planted), role, prd));
    let digested = |brought| ROLES.map(|role| digest(&mut stage(planted), role, clean, prd, brought));
    vec![
        ("fresh", fresh.into()),
        ("resumed", resumed.into()),
        ("inline", inlined.into()),
        ("digest", digested(Brought::Touched).into()),
        ("digest of other sections", digested(Brought::Others).into()),
    ]
}

/// A document without anything to find.
const CLEAN: &str = "# Spec: report export\n\n## Requirements\n\n\
    - **R1**: When asked, the system shall send a CSV file within 10 seconds.\n\
    - **R2**: When a file was downloaded, the system shall record the download in the database.\n\
    - **R3**: If the database does not answer, the system shall show an error.\n\n\
    ## Acceptance Criteria\n\n- AC1 (R1): asking gives a CSV file.\n- AC2 (R2): the download is recorded.\n\
    - AC3 (R3): the error is shown.\n\n## Out of Scope\n\n- Other formats.\n";

/// What is put in place of a line, and what is found then: the role, the category and a part of the description.
const PLANTED: [(&str, &str, &str, &str); 4] = [
    ("- AC2 (R2): the download is recorded.\n", "", "testability", "requirement `R2`"),
    (
        "- Other formats.\n",
        "- Other formats.\n- The system shall send a CSV file within 30 seconds.\n",
        "clarity",
        "`30 seconds`",
    ),
    ("If the database does", "If the data-base does", "clarity", "`data-base`"),
    ("show an error.", "show an error as soon as possible.", "ambiguity", "as soon as possible"),
];

const ROLES: [&str; 2] = ["spec-reviewer", "phase-reviewer"];

#[test]
fn planted_defects_are_found_whichever_way_the_document_arrives() {
    for plants in [&PLANTED[..1], &PLANTED[1..2], &PLANTED[2..3], &PLANTED[3..], &PLANTED[..]] {
        let mut text = CLEAN.to_owned();
        for (from, to, ..) in plants {
            assert_eq!(text.matches(from).count(), 1, "{from:?} is there once");
            text = text.replace(from, to);
        }
        for (how, verdicts) in ways(CLEAN, &text, None) {
            let issues: Vec<_> = verdicts.iter().flat_map(|verdict| &verdict.issues).collect();
            assert_eq!(issues.len(), plants.len(), "{how}: {issues:#?}");
            for (_, _, category, words) in plants {
                let fits = |issue: &&&redraft_facts::verdict::Issue| {
                    issue.category == *category && issue.description.contains(words)
                };
                assert_eq!(issues.iter().filter(fits).count(), 1, "{how}: {words} in {issues:#?}");
            }
        }
    }
}
