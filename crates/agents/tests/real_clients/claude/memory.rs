//! A conversation that is no longer what the model was shown.

use super::beside::bill;
use super::{agent, reading, settings};
use crate::world::{World, steady, verdict};
use redraft_agents::claude::ClaudeAgent;
use redraft_engine::ports::{Agent, AgentError, Request};
use redraft_facts::event::AfterFailure;
use redraft_facts::usage::Usd;
use redraft_testkit::provider::{RecordedRequest, Reply, last_user_text};
use std::fs;
use std::path::PathBuf;

/// A service that finds the second turn too long once, and summarizes it where it is asked to.
fn too_long() -> World {
    let mut refused = false;
    World::new(move |request: &RecordedRequest, _: usize| {
        let last = last_user_text(request);
        if last.contains("detailed summary") {
            return Reply::text("<summary>They spoke about a note.</summary>").billed(bill(9_000), 500);
        }
        if last.contains("Again.") && !std::mem::replace(&mut refused, true) {
            let why = "prompt is too long: 210000 tokens > 200000 maximum";
            return Reply::error(400, "invalid_request_error", why);
        }
        Reply::Json(verdict()).billed(bill(2_000), 30)
    })
}

#[test]
fn a_conversation_that_became_too_long_is_begun_anew_and_no_answer_from_a_summary_is_taken() {
    for writes in [false, true] {
        let world = too_long();
        let agent = agent(&world);
        let may_write = if writes { vec!["note.txt".to_owned()] } else { Vec::new() };
        let first = Request { may_write: may_write.clone(), ..world.request("Judge note.txt.", 1) };
        let first = agent.run(&first, &steady()).unwrap();
        world.provider.reset_requests();
        let second = Request { may_write, ..world.resumed(&first.session.unwrap(), "Again.", 2) };
        let error = agent.run(&second, &steady()).unwrap_err();
        assert_eq!(error.now, AfterFailure::FreshSession, "{writes}: {error:?}");
        match writes {
            // A reviewer is given no summary at all, so nothing was billed.
            false => assert_eq!((world.sent().len(), error.usage), (1, AgentError::UNBILLED), "{error:?}"),
            true => {
                assert!(error.detail.contains("replaced by a summary"), "{error:?}");
                assert_eq!(world.sent().len(), 3, "refused, summed up, answered");
                let cost = Usd(11_000 * 3 + 530 * 15);
                assert_eq!(error.usage.map(|usage| usage.cost), Some(cost), "{error:?}");
            }
        }
        world.nothing_is_left();
    }
}

#[test]
fn a_prompt_that_is_too_long_by_its_own_count_is_not_sent_and_costs_nothing() {
    let world = World::new(|_: &RecordedRequest, _: usize| Reply::Json(verdict()).billed(bill(190_000), 30));
    let agent = agent(&world);
    let first = agent.run(&world.request("Judge note.txt.", 1), &steady()).unwrap();
    let error = agent.run(&world.resumed(&first.session.unwrap(), "Again.", 2), &steady()).unwrap_err();
    assert_eq!((error.now, error.usage), (AfterFailure::FreshSession, AgentError::UNBILLED), "{error:?}");
    assert_eq!(world.sent().len(), 1);
}

/// The file Claude Code keeps a conversation in.
fn file(world: &World, session: &str) -> PathBuf {
    let projects = fs::read_dir(world.home().join(".claude/projects")).unwrap().flatten();
    let name = format!("{session}.jsonl");
    projects.map(|folder| folder.path().join(&name)).find(|file| file.exists()).unwrap()
}

#[test]
fn a_conversation_whose_file_was_cut_short_is_not_resumed_and_nothing_is_sent() {
    let world = reading();
    let agent = ClaudeAgent::new(settings(&world));
    let first = agent.run(&world.request("Judge note.txt.", 1), &steady()).unwrap();
    let session = first.session.unwrap();
    let file = file(&world, session.as_str());
    let whole = fs::read(&file).unwrap();
    let last_line = whole[..whole.len() - 1].iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
    world.provider.reset_requests();
    for bytes in [whole.len() / 2, last_line, whole.len() - 1, 0] {
        fs::write(&file, &whole[..bytes]).unwrap();
        let error = agent.run(&world.resumed(&session, "Again.", 2), &steady()).unwrap_err();
        assert_eq!(
            (error.now, error.usage),
            (AfterFailure::FreshSession, AgentError::UNBILLED),
            "{bytes}: {error:?}"
        );
        assert_eq!(world.sent().len(), 0, "{bytes} of {}", whole.len());
    }
    fs::write(&file, &whole).unwrap();
    let second = agent.run(&world.resumed(&session, "Again.", 2), &steady()).unwrap();
    assert_eq!(second.session, Some(session.clone()), "as it was left");
    let third = agent.run(&world.resumed(&session, "Once more.", 3), &steady()).unwrap();
    assert_eq!(third.session, Some(session), "and again");
}
