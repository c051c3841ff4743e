//! Tests specify loops from the idea to the close, also when a conversation is gone, an answer has no form or an author
//! commits.

use crate::world::{CLAUDE, CODEX, Client, DRAFT, SPEC, World, is_author, is_spec_reviewer, model, verdict};
use redraft_testkit::provider::{
    Charge, RecordedRequest, Reply, all_text, continues, last_user_text, tool_results,
};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};

fn three_rounds(client: &'static Client) {
    let world = World::new(client, &[], |root, _| model(root, client, 3));
    world.run();
    let meta = fs::read_to_string(world.scratch.artifacts("001").join(".meta.json")).unwrap();
    assert!(meta.contains("\"spec-reviewer\": 3"), "{meta}");
    assert!(!world.history().contains("RESUME-FALLBACK"), "{}", world.history());
    let cost = world.scratch.run(["cost", "001", "--all"]).expect(0).stdout;
    let third = cost.lines().find(|line| line.trim_start().starts_with("review 3.1 ")).unwrap_or_default();
    assert!(third.contains("resume") && third.ends_with("approved"), "{cost}");
    let spec = fs::read_to_string(world.scratch.worktree("001").join(SPEC)).unwrap();
    assert!(spec.contains("version 3"), "{spec}");
    // An author's turn is a call and an answer, a reviewer's an answer.
    goes_on(&world, is_author, 6);
    goes_on(&world, is_spec_reviewer, 3);
    for ticket in ["revise/spec-author/1.1", "revise/spec-author/2.1", "review/spec-reviewer/2.1"] {
        let ticket = format!("001/specify.1/{ticket}");
        assert_eq!(world.event("started", &ticket)["choice"]["strategy"], "resume", "{ticket}");
    }
}

/// All requests of a role are one conversation in which no byte ever changes, and what was sent before is read from the
/// cache.
fn goes_on(world: &World, role: fn(&RecordedRequest) -> bool, requests: usize) {
    let asked = world.billed();
    let asked: Vec<&(RecordedRequest, Charge)> = asked.iter().filter(|(request, _)| role(request)).collect();
    assert_eq!(asked.len(), requests, "{:?}", world.scratch.json(["log"]));
    for pair in asked.windows(2) {
        let [(before, sent), (after, bill)] = pair else { continue };
        let kept = continues(before, after);
        assert!(kept.is_ok(), "{kept:?}");
        let sent = sent.uncached + sent.written_5m + sent.written_1h + sent.read;
        assert!(bill.read * 100 >= sent * 95, "{} of {sent} tokens: {bill:?}", bill.read);
    }
}

/// A service that refuses a reviewer's first requests, more of them than one dispatch sends.
#[test]
fn a_service_that_is_overloaded_for_several_requests_holds_up_claude_code_and_costs_nothing() {
    const REFUSED: usize = 4;
    let world = World::new(&CLAUDE, &[], |root, _| {
        let mut model = model(root, &CLAUDE, 1);
        let mut refused = 0;
        move |request: &RecordedRequest, index: usize| {
            if is_spec_reviewer(request) && refused < REFUSED {
                refused += 1;
                return Reply::error(529, "overloaded_error", "Overloaded");
            }
            model(request, index)
        }
    });
    world.run();
    let (first, second) =
        ("001/specify.1/review/spec-reviewer/1.1", "001/specify.1/review/spec-reviewer/1.2");
    let failed = world.event("failed", first);
    assert!(failed["now"]["wait"].as_u64().is_some_and(|ms| ms > 0), "{failed}");
    assert_eq!(failed["usage"]["cost"], 0, "{failed}");
    assert_eq!(world.event("judged", second)["judgement"], "approved");
    let asked = world.provider.requests().iter().filter(|request| is_spec_reviewer(request)).count();
    assert_eq!(asked, REFUSED + 1, "the last one is answered");
}

/// Removes what a program has stored of the spec-reviewer's conversation, as soon as the author writes again.
fn forgetting(
    mut model: impl FnMut(&RecordedRequest, usize) -> Reply + Send + 'static,
    home: PathBuf,
) -> impl FnMut(&RecordedRequest, usize) -> Reply + Send + 'static {
    let mut reviewed = None;
    move |request: &RecordedRequest, index: usize| {
        if is_spec_reviewer(request) {
            reviewed = Some(request.clone());
        } else if is_author(request)
            && let Some(review) = reviewed.take()
        {
            fs::remove_file(conversation_of(&review, &home).unwrap()).unwrap();
        }
        model(request, index)
    }
}

/// The file in which a program keeps the conversation of a request. Both have the conversation's name.
fn conversation_of(request: &RecordedRequest, home: &Path) -> Option<PathBuf> {
    const NAME_CHARS: usize = 36;
    let said = format!("{:?} {}", request.headers, request.json);
    let mut folders = vec![home.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if entry.file_type().unwrap().is_dir() {
                folders.push(path);
                continue;
            }
            let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
            let name = stem.len().checked_sub(NAME_CHARS).and_then(|at| stem.get(at..));
            if path.extension().is_some_and(|ending| ending == "jsonl")
                && name.is_some_and(|name| said.contains(name))
            {
                return Some(path);
            }
        }
    }
    None
}

fn goes_on_without_a_lost_conversation(client: &'static Client, said: &str) {
    let world = World::new(client, &[], |root, home| forgetting(model(root, client, 2), home));
    world.run();
    let (lost, fresh) = ("001/specify.1/review/spec-reviewer/2.1", "001/specify.1/review/spec-reviewer/2.2");
    let failed = world.event("failed", lost);
    assert_eq!(failed["now"], "fresh_session", "{failed}");
    assert!(failed["detail"].as_str().unwrap().contains(said), "{failed}");
    assert_eq!(failed["usage"]["cost"], 0, "nothing was sent: {failed}");
    let history = world.history();
    assert!(history.contains("RESUME-FALLBACK: spec-reviewer iteration 2 — "), "{history}");
    assert_eq!(world.event("started", lost)["choice"]["strategy"], "resume");
    let started = world.event("started", fresh);
    assert_eq!(started["choice"]["strategy"], "lazy", "{started}");
    assert_ne!(world.event("answered", fresh)["session"], world.event("started", lost)["session"]);
    assert_eq!(world.event("judged", fresh)["judgement"], "approved");
    // The whole task once more, and nothing that was said before.
    let requests = world.provider.requests();
    let mut last = requests.iter().rev().filter(|request| is_spec_reviewer(request));
    let last = last.next().unwrap();
    assert!(
        all_text(last).contains("version 2") && !last.json.to_string().contains("\"assistant\""),
        "{last:?}"
    );
}

/// With the user's rights.
const OFF: &str = "[sandbox]\nlevel = \"off\"\n";

/// An author that commits before it does its work.
fn committing(client: &'static Client, args: &[&str], more: &str) -> World {
    const COMMIT: &str = "git commit -q --allow-empty -m 'not asked for'";
    let world = World::configured(client, args, more, |root, _| {
        let mut model = model(root, client, 1);
        move |request: &RecordedRequest, index: usize| {
            let first = is_author(request) && tool_results(request).is_empty();
            if first { (client.shell)(COMMIT) } else { model(request, index) }
        }
    });
    world.run();
    let worktree = world.scratch.worktree("001");
    let log = world.scratch.git_in(&worktree, ["log", "--format=%s"]);
    assert!(!log.contains("not asked for") && log.contains("redraft: specify draft"), "{log}");
    let spec = fs::read_to_string(worktree.join(SPEC)).unwrap();
    assert!(spec.contains("version 1"), "what the author may write stays: {spec}");
    world
}

fn a_commit_is_undone(client: &'static Client, args: &[&str]) {
    let world = committing(client, args, OFF);
    let answered = world.event("answered", DRAFT);
    assert!(answered["undone"].to_string().contains("commit"), "{answered}");
    let kept = world.scratch.git(["log", "--format=%s", "--glob=refs/redraft/lost"]);
    assert!(kept.contains("not asked for"), "{kept}");
}

/// A spec-reviewer that approves in words first, and in the form when it is asked once more.
fn an_answer_without_its_form_is_asked_for_again(client: &'static Client) {
    let world = World::new(client, &[], |root, _| {
        let mut model = model(root, client, 1);
        move |request: &RecordedRequest, index: usize| {
            let again = all_text(request).contains("## Your Last Answer Could Not Be Used");
            match is_spec_reviewer(request) && !again {
                true => Reply::text(format!("I approve:\n\n{}", verdict(true, &[], vec![]))),
                false => model(request, index),
            }
        }
    });
    world.run();
    let (first, second) =
        ("001/specify.1/review/spec-reviewer/1.1", "001/specify.1/repair/spec-reviewer/1.1");
    assert_eq!(world.event("answered", first)["formless"], true);
    let why = world.event("judged", first)["judgement"]["repair"]["why"].to_string();
    assert!(why.contains("not in the form"), "{why}");
    assert_eq!(world.event("started", second)["choice"]["strategy"], "resume");
    assert_eq!(world.event("answered", second)["formless"], false);
    assert_eq!(world.event("judged", second)["judgement"], "approved");
    let requests = world.provider.requests();
    let mut asked = requests.iter().filter(|request| is_spec_reviewer(request)).map(last_user_text);
    assert!(asked.next_back().unwrap().contains(why.trim_matches('"')), "it is told why");
}

#[test]
fn claude_code_goes_through_three_rounds() {
    three_rounds(&CLAUDE);
}

#[test]
fn codex_goes_through_three_rounds() {
    three_rounds(&CODEX);
}

#[test]
fn a_review_goes_on_when_claude_code_has_lost_its_conversation() {
    goes_on_without_a_lost_conversation(&CLAUDE, "No conversation found");
}

#[test]
fn a_review_goes_on_when_codex_has_lost_its_conversation() {
    goes_on_without_a_lost_conversation(&CODEX, "no rollout found");
}

fn no_repository_is_there_to_commit_to(client: &'static Client, args: &[&str]) {
    let world = committing(client, args, "");
    let results: Vec<String> = world.provider.requests().iter().flat_map(tool_results).collect();
    assert!(results[0].contains("not a git repository"), "{results:?}");
    assert_eq!(world.event("answered", DRAFT)["undone"], json!([]));
}

#[test]
fn in_the_sandbox_claude_code_finds_no_repository_to_commit_to() {
    no_repository_is_there_to_commit_to(&CLAUDE, &["--tools", "Bash", "--allowedTools", "Bash"]);
}

#[test]
fn in_the_sandbox_codex_finds_no_repository_to_commit_to() {
    no_repository_is_there_to_commit_to(&CODEX, &[]);
}

/// Our flags offer an author no shell; a user's own arguments can.
#[test]
fn a_commit_of_claude_code_is_undone() {
    a_commit_is_undone(&CLAUDE, &["--tools", "Bash", "--allowedTools", "Bash"]);
}

/// Without our sandbox, our flags keep an author's commands away from git's own files; a user's own arguments can let them in.
#[test]
fn a_commit_of_codex_is_refused_by_its_sandbox_and_without_one_undone() {
    let world = committing(&CODEX, &[], OFF);
    let results: Vec<String> = world.provider.requests().iter().flat_map(tool_results).collect();
    assert!(results[0].contains("Read-only file system"), "{results:?}");
    assert_eq!(world.event("answered", DRAFT)["undone"], json!([]));
    a_commit_is_undone(&CODEX, &["--dangerously-bypass-approvals-and-sandbox"]);
}

#[test]
fn claude_code_is_asked_once_more_when_its_answer_has_no_form() {
    an_answer_without_its_form_is_asked_for_again(&CLAUDE);
}

#[test]
fn codex_is_asked_once_more_when_its_answer_has_no_form() {
    an_answer_without_its_form_is_asked_for_again(&CODEX);
}
