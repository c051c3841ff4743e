//! Tests whole loops: draft, review, revise until approved.

use super::stage::{Stage, verdict};
use redraft_facts::verdict::Verdict;

const IDEAS: [&str; 24] = [
    "Add rate limits per API key",
    "Let users export their notes as PDF",
    "Password reset by email, with a link that expires",
    "Dark mode",
    "Import bookmarks from a browser file, skip duplicates, and show how many were added",
    "Send a weekly digest of unread messages to every member of a workspace, unless they opted out.",
    "As an admin I want to lock accounts after failed logins so that guessing passwords is not possible",
    "Cache search results for 10 seconds",
    "undo for the last delete",
    "Show build status on the project page; refresh it without reloading",
    "日本語の検索を追加する",
    "Sync calendars between devices and then notify participants of conflicts",
    "two-factor authentication",
    "A command that lists stale branches and removes them after asking",
    "Implement R3 and AC-2 of the old document: offline drafts",
    "Translate the interface into German, French and Polish, fall back to English",
    "Upload of large files in parts, resumable after a broken connection, with a checksum for each part and a progress bar",
    "x",
    "",
    "Fix the e-mail template: the email shows the wrong name. TODO later",
    "# Heading\n\n- bullet one about invoices\n- bullet two about `receipts` and {{taxes}}\n\n```\ncode\n```",
    "Webhooks: retry failed deliveries 5 times, give up after 2 hours, and keep a log of every attempt for 30 days",
    "Make it possible to merge two customer records when they describe one person",
    "Price alerts for watched products. Alerts are sent once a day. People can pause them.",
];

const PRDS: [&str; 4] = [
    "# PRD\n\n## Goals\n\n- G1: Cut the time people spend on routine exports\n- G2: Keep personal data inside the company\n- G3: Make every change traceable to an administrator\n- G4: Work on slow mobile networks\n\n## Non-Goals\n\n- A public interface\n",
    "# Product notes\n\n## Why\n\nSupport is drowning.\n\n## Our goals\n\n1. Fewer support tickets about lost invitations\n2. Invitations arrive within a minute\n3. Guests see which workspace they join before they accept\n\n## Edge cases\n\n- An invitation is opened twice\n- The mailbox of the guest is full\n",
    "# PRD: archive\n\n## Goals\n\n| Id | Goal |\n|---|---|\n| G1 | Old projects leave the start page |\n| G2 | Archived projects can be restored by their owner |\n| G3 | Storage costs fall for projects nobody opens |\n\n## Failure modes\n\n- Restoring is interrupted by a restart\n",
    "# One goal only\n\n## Goal\n\n* Readers find an article by any of its older titles\n",
];

/// The result of a loop: every version of the document, rounds of both stages, findings of the first reviews.
#[derive(Debug, PartialEq)]
struct Played {
    versions: Vec<String>,
    domain_rounds: usize,
    phase_rounds: usize,
    domain_findings: usize,
    phase_findings: usize,
}

fn play(idea: &str, prd: Option<&str>) -> Played {
    let mut stage = Stage::new(idea, prd, "");
    let request = stage.drafting();
    stage.author(&request);
    let mut versions = vec![stage.spec()];
    let (domain_rounds, domain_findings) = settle(&mut stage, "spec-reviewer", &mut versions);
    let (phase_rounds, phase_findings) = settle(&mut stage, "phase-reviewer", &mut versions);
    let request = stage.resumed("spec-reviewer");
    assert!(
        stage.judge("spec-reviewer", &request).approved,
        "the hand-off fixes leave the domain approval standing: {idea}"
    );
    Played { versions, domain_rounds, phase_rounds, domain_findings, phase_findings }
}

/// Reviews and revises until the role approves. After each resumed review a fresh one must find the same.
fn settle(stage: &mut Stage, role: &'static str, versions: &mut Vec<String>) -> (usize, usize) {
    let request = stage.fresh(role);
    let mut verdict = stage.judge(role, &request);
    let first = verdict.issues.len();
    let mut rounds = 1;
    while !verdict.approved {
        assert!(rounds < 4, "{role} after {rounds} rounds: {verdict:#?}\n{}", stage.spec());
        let request = stage.revising(None);
        let answer = stage.author(&request);
        assert!(answer.approved);
        versions.push(stage.spec());
        let request = stage.resumed(role);
        verdict = stage.judge(role, &request);
        assert_eq!(found(&verdict), found(&fresh_look(stage, role)), "fresh and resumed agree");
        rounds += 1;
    }
    (rounds, first)
}

/// The findings of a reviewer that saw nothing before, without any effect on the loop.
fn fresh_look(stage: &Stage, role: &'static str) -> Verdict {
    let prd = std::fs::read_to_string(stage.folder.path().join(super::stage::PRD)).ok();
    let mut other = Stage::new(&stage.idea, prd.as_deref(), "");
    other.put(&stage.spec());
    let request = other.fresh(role);
    verdict(&other.send(&request).unwrap())
}

fn found(verdict: &Verdict) -> Vec<(String, u32)> {
    verdict.issues.iter().map(|issue| (issue.description.clone(), issue.line)).collect()
}

#[test]
fn every_idea_is_drafted_reviewed_and_mended_until_both_reviewers_approve() {
    let mut counts = std::collections::BTreeSet::new();
    for idea in IDEAS {
        let played = play(idea, None);
        counts.insert(played.domain_findings);
        assert!(played.domain_findings > 0 && played.phase_findings > 0, "{idea}: {played:?}");
        let lines = played.versions[0].lines().count();
        assert!((40..=120).contains(&lines), "{idea}: {lines} lines");
    }
    assert!(counts.len() > 1, "what a draft lacks follows from its idea: {counts:?}");
}

#[test]
fn a_prd_is_taken_up_and_what_the_draft_left_out_is_found() {
    for (at, prd) in PRDS.iter().enumerate() {
        for idea in &IDEAS[at * 5..at * 5 + 5] {
            let played = play(idea, Some(prd));
            assert!(played.domain_findings > 0 && played.phase_findings > 0, "{idea}: {played:?}");
        }
    }
}

#[test]
fn the_same_idea_gives_the_same_bytes_in_every_version() {
    for (at, idea) in IDEAS.iter().enumerate().step_by(3) {
        let prd = PRDS.get(at % 5).copied();
        assert_eq!(play(idea, prd), play(idea, prd), "{idea}");
    }
}
