//! A thread that is no longer what the model was shown.

use super::{agent, reading, settings};
use crate::world::{World, steady, verdict};
use redraft_agents::codex::CodexAgent;
use redraft_engine::ports::{Agent, AgentError, Request};
use redraft_facts::event::AfterFailure;
use redraft_testkit::provider::{Charge, RecordedRequest, Reply, all_text};
use std::fs;
use std::path::PathBuf;

/// The only file Codex keeps a thread in.
fn file(world: &World) -> PathBuf {
    let mut folders = vec![world.scratch.outside().join("codex/sessions")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            match entry.file_type().unwrap().is_dir() {
                true => folders.push(entry.path()),
                false => return entry.path(),
            }
        }
    }
    panic!("no thread was kept")
}

#[test]
fn a_thread_whose_file_was_cut_short_is_not_resumed_and_nothing_is_sent() {
    let world = reading();
    let agent = agent(&world);
    let first = agent.run(&world.request("Judge note.txt.", 1), &steady()).unwrap();
    let thread = first.session.unwrap();
    let file = file(&world);
    let whole = fs::read(&file).unwrap();
    let last_line = whole[..whole.len() - 1].iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
    world.provider.reset_requests();
    for bytes in [whole.len() / 2, last_line, whole.len() - 1, 0] {
        fs::write(&file, &whole[..bytes]).unwrap();
        let error = agent.run(&world.resumed(&thread, "Again.", 2), &steady()).unwrap_err();
        assert_eq!(
            (error.now, error.usage),
            (AfterFailure::FreshSession, AgentError::UNBILLED),
            "{bytes}: {error:?}"
        );
        assert_eq!(world.sent().len(), 0, "{bytes} of {}", whole.len());
    }
    fs::write(&file, &whole).unwrap();
    for (turn, round) in [("Again.", 2), ("Once more.", 3)] {
        let later = agent.run(&world.resumed(&thread, turn, round), &steady()).unwrap();
        assert_eq!(later.session, Some(thread.clone()), "as it was left");
    }
}

#[test]
fn a_reviewers_thread_is_never_replaced_by_a_summary_and_a_writers_is_not_continued_after_one() {
    for writes in [false, true] {
        let bill = |uncached| Charge { uncached, ..Charge::default() };
        let world = World::new(move |request: &RecordedRequest, _: usize| {
            match all_text(request).contains("CONTEXT CHECKPOINT") {
                true => Reply::text("They spoke about a note.").billed(bill(9_500), 70),
                false => Reply::Json(verdict()).billed(bill(9_000), 30),
            }
        });
        let settings = settings(&world, &world.provider.base_url());
        // What we set overrides the user's own settings.
        let home = world.scratch.outside().join("codex");
        fs::write(home.join("config.toml"), "model_auto_compact_token_limit = 8000\n").unwrap();
        let agent = CodexAgent::new(settings);
        let may_write = if writes { vec!["note.txt".to_owned()] } else { Vec::new() };
        let first = Request { may_write: may_write.clone(), ..world.request("Judge note.txt.", 1) };
        let first = agent.run(&first, &steady()).unwrap();
        let thread = first.session.clone().unwrap();
        let second = Request { may_write, ..world.resumed(&thread, "Again.", 2) };
        let second = agent.run(&second, &steady()).unwrap();
        let summed = world.sent().iter().any(|request| all_text(request).contains("CONTEXT CHECKPOINT"));
        assert_eq!((summed, second.session.is_none()), (writes, writes), "{second:?}");
        let noted = second.notes.iter().any(|note| note.contains("replaced by a summary"));
        assert_eq!(
            (noted, second.usage.input()),
            (writes, if writes { 18_500 } else { 9_000 }),
            "{second:?}"
        );
    }
}
