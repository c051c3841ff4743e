//! The same defects are found whatever way the papers reach the reviewer: by path, whole in the prompt, as a delta
//! in its own conversation, or as a delta and some sections in a new one.

use super::diff::diff;
use super::stage::{PRD, SPEC, Stage};
use super::styles::{ROLES, STYLES};
use redraft_core::delta::{Delta, FileDelta};
use redraft_core::prompt::Fragment;
use redraft_core::sections::Outline;
use redraft_core::text;
use redraft_core::verdict::Verdict;

/// A document in the prompt, as the artifact under review stands there.
fn whole(path: &str, body: &str) -> String {
    let (lines, bytes) = (body.lines().count(), body.len());
    let header = format!("{path}: {lines} lines, {bytes} bytes, sha256 {}\n\n", text::hash(body.as_bytes()));
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
    let outline = Outline::of(&spec);
    let changed = Delta::parse(&diff).files.iter().flat_map(FileDelta::changed).collect::<Vec<_>>();
    let parts = match brought {
        Brought::Touched => outline.touched(&changed),
        Brought::Others => std::iter::once(0..5).collect(),
    };
    let mut sections = format!("## Sections Touched\n\n{SPEC}: {lines} lines, {bytes} bytes, sha256 00\n");
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

#[test]
fn planted_defects_are_found_whichever_way_the_document_arrives() {
    for style in &STYLES {
        for (how, verdicts) in ways(style.clean, &style.planted(), None) {
            style.expect(&verdicts, how);
        }
    }
}

#[test]
fn a_goal_is_missed_by_no_way_of_giving_the_prd() {
    let (clean, prd) = (include_str!("../fixtures/invites.md"), include_str!("../fixtures/invites-prd.md"));
    let planted = clean.replace("at once (G3)", "at once");
    assert_ne!(clean, planted);
    for (how, verdicts) in ways(clean, &planted, Some(prd)) {
        let found: Vec<&str> =
            verdicts.iter().flat_map(|v| &v.issues).map(|issue| issue.description.as_str()).collect();
        assert!(found.len() == 1 && found[0].contains("the goal `G3`"), "{how}: {found:#?}");
    }
}
