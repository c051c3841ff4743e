//! Tests the phase `implement` with models behind HTTP: what their roles may use, see and write, and what reviewers
//! share.

use crate::builder::{
    CHECK, CODE, Hands, IN_CODE, SPEC, builder, configured, of_role, prepared, release_when_all_have_asked,
    role_of,
};
use crate::models::{ANTHROPIC, run};
use crate::world::{PROGRAM, bodies, events};
use redraft_testkit::provider::{
    Provider, RecordedRequest, Reply, Script, all_text, tool_names, tool_results,
};
use redraft_testkit::{Scratch, remembering};
use serde_json::{Value, json};
use std::fs;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const OURS: Hands = Hands {
    write: |path, text| Reply::tool("Write", json!({"path": path, "content": text})),
    open: |path| Reply::tool("Read", json!({"path": path})),
    run: |command| Reply::tool("Run", json!({"command": command})),
};
const CHAT: &str =
    "kind = \"openai\"\nmodel = \"gpt-6-sol\"\nbase_url = \"URL/v1\"\nkey_env = \"TEST_MODEL_KEY\"";

fn built(agent: &str, model: impl Script + 'static, words: &[&str]) -> (Scratch, Provider) {
    let (scratch, provider) = (prepared(PROGRAM), Provider::start(remembering(model)));
    configured(&scratch, &agent.replace("URL", &provider.base_url()), "");
    run(&scratch, &[&["run", "001", "--yes"], words].concat()).expect(0);
    (scratch, provider)
}

fn tools_of(provider: &Provider, role: &str) -> Vec<String> {
    let requests = of_role(provider, role);
    let all: Vec<Vec<String>> = requests.iter().map(tool_names).collect();
    assert!(!all.is_empty() && all.iter().all(|one| *one == all[0]), "{role}: {all:?}");
    all[0].clone()
}

#[test]
fn a_model_behind_http_builds_runs_the_check_is_reviewed_and_mends_over_either_vendors_protocol() {
    for agent in [ANTHROPIC, CHAT] {
        let (scratch, provider) = built(agent, builder(OURS, "", 1), &[]);
        let code = fs::read_to_string(scratch.worktree("001").join(CODE)).unwrap();
        assert_eq!(code, format!("{IN_CODE} 2\n"));
        let who_builds = ["Read", "List", "Glob", "Grep", "Write", "Edit", "Run"];
        for role in ["task", "fix", "simplifier", "tests"] {
            assert_eq!(tools_of(&provider, role), who_builds, "{role}");
        }
        for role in ["implementation-reviewer", "code-quality-reviewer", "security-reviewer"] {
            assert_eq!(tools_of(&provider, role), ["Read", "List", "Glob", "Grep", "Check"], "{role}");
        }
        let task = of_role(&provider, "task");
        assert!(task[0].json["tools"].to_string().contains(&format!(r#""enum":["{CHECK}"]"#)));
        assert!(
            all_text(&task[0]).contains(&format!("greets: `{CHECK}`")),
            "the prompt names what may be run"
        );
        let ran = &tool_results(task.last().unwrap())[1];
        assert!(ran.contains("ended with code 0") && ran.contains("ok it greets"), "{ran}");
        let events = events(&scratch);
        let reports: Vec<&Value> = bodies(&events, "built").collect();
        let report = &reports[0]["report"];
        assert_eq!((&report["implemented"], &report["tested"]), (&json!("it greets"), &json!(CHECK)));
        assert_eq!(reports[0]["notes"], json!([]), "every part is there, and git names the same file");
        assert!(bodies(&events, "answered").all(|body| body["undone"] == json!([])));
    }
}

#[test]
fn whoever_thinks_of_tests_is_shown_no_code_and_can_open_none() {
    let (_scratch, provider) = built(ANTHROPIC, builder(OURS, "", 0), &[]);
    let outline = of_role(&provider, "outline");
    assert_eq!(outline.len(), 3);
    assert_eq!(tools_of(&provider, "outline"), ["Read"]);
    assert!(outline.iter().all(|request| !all_text(request).contains(IN_CODE)));
    let [code, spec] = tool_results(&outline[2]).try_into().unwrap();
    assert_eq!(code, format!("`{CODE}` does not exist"));
    assert!(spec.contains("Requirements"), "{spec}");
    let tests = of_role(&provider, "tests");
    assert!(
        all_text(&tests[0]).contains("hello is said once"),
        "the outline is what the tests are written from"
    );
}

#[test]
fn what_a_builder_may_not_write_is_refused_and_named() {
    let hands = Hands {
        // Before each thing it builds it tries to weaken the rules it has to keep to.
        run: |_| Reply::tool("Write", json!({"path": "redraft.toml", "content": "budget = 1000\n"})),
        ..OURS
    };
    let (scratch, provider) = built(ANTHROPIC, builder(hands, "", 0), &[]);
    let refused = &tool_results(of_role(&provider, "task").last().unwrap())[1];
    let folder = SPEC.strip_suffix("/spec.md").unwrap();
    assert!(
        refused.ends_with(&format!("you may change every file but {folder}, redraft.toml, .redraft")),
        "{refused}"
    );
    let events = events(&scratch);
    let denied = bodies(&events, "answered").find(|body| body["ticket"].to_string().contains("/implement/"));
    assert!(denied.unwrap()["denials"][0].as_str().unwrap().contains("redraft.toml"), "{denied:?}");
}

/// The reviewers' first requests, in the order they came.
fn first_reviews(provider: &Provider) -> Vec<RecordedRequest> {
    let mut first: Vec<RecordedRequest> = Vec::new();
    for request in provider.requests() {
        let role = role_of(&request).filter(|role| role.ends_with("-reviewer"));
        if role.is_some() && !first.iter().any(|one| role_of(one) == role) {
            first.push(request);
        }
    }
    first
}

#[test]
fn reviewers_of_code_wait_for_the_first_to_begin_and_read_what_they_share_from_its_cache() {
    const PAUSE: Duration = Duration::from_millis(400);
    let times = Arc::new(Mutex::new(Vec::new()));
    let (noted, mut model) = (Arc::clone(&times), builder(OURS, "", 0));
    let script = move |request: &RecordedRequest, index: usize| {
        let reply = model(request, index);
        let role = role_of(request).unwrap_or_default();
        if !role.ends_with("-reviewer") {
            return reply;
        }
        noted.lock().unwrap().push((role, Instant::now()));
        match role {
            // Its answer begins late, and goes on only when the others have come.
            "implementation-reviewer" => reply.slowly(PAUSE).held_after(1),
            _ => reply,
        }
    };
    let (scratch, provider) = (prepared(PROGRAM), Provider::start(remembering(script)));
    configured(&scratch, &ANTHROPIC.replace("URL", &provider.base_url()), "");
    std::thread::scope(|scope| {
        scope.spawn(|| release_when_all_have_asked(&provider));
        run(&scratch, &["run", "001", "--yes", "--policy", "inline"]).expect(0);
    });
    let times = times.lock().unwrap().clone();
    assert_eq!((times.len(), times[0].0), (3, "implementation-reviewer"));
    assert!(
        times[1..].iter().all(|(_, at)| *at >= times[0].1 + PAUSE),
        "nobody came before its answer began"
    );
    let reviews = first_reviews(&provider);
    let shared = |request: &RecordedRequest| {
        let content = &request.json["messages"][0]["content"];
        let end = content.as_array().unwrap().iter().position(|block| !block["cache_control"].is_null());
        let shared = &content.as_array().unwrap()[..=end.expect("a boundary after what is shared")];
        (request.json["tools"].to_string(), request.json["system"].to_string(), json!(shared).to_string())
    };
    let first = shared(&reviews[0]);
    assert!(first.2.contains(IN_CODE), "the change is in it: {}", first.2);
    assert!(reviews.iter().all(|request| shared(request) == first));
    let sent: Vec<RecordedRequest> =
        provider.requests().into_iter().filter(|request| request.method == "POST").collect();
    let bills = provider.bills();
    let bill =
        |request: &RecordedRequest| bills[sent.iter().position(|one| one.order == request.order).unwrap()];
    let chars = first.0.len() + first.1.len() + first.2.len();
    for request in &reviews[1..] {
        let read = bill(request).read as usize;
        assert!(read * 4 >= chars * 9 / 10, "{read} tokens were read of {chars} characters");
    }
}

#[test]
fn an_agent_that_may_run_anything_is_not_started_before_a_person_has_accepted_that() {
    let scratch = prepared(PROGRAM);
    let claude = "[agents.claude]\nmodel = \"claude-sonnet-4-5\"\nbash = \"all\"\n";
    scratch.write_unaccepted("redraft.toml", &format!("{claude}[roles]\nimplementer = \"claude\"\n"));
    let waits = scratch.run(["run", "001", "--yes"]).expect(6);
    let wish = "agents.claude.bash = \"all\"";
    assert!(waits.stderr.contains(wish), "{}", waits.stderr);
    let shown = scratch.run(["trust"]).expect(6);
    assert!(shown.stdout.contains(wish), "{}", shown.stdout);
}
