//! Tests the phase `implement` with the real programs: from one task to reviewed code.

use crate::builder::{
    CHECK, CODE, Hands, IN_CODE, builder, configured, of_role, prepared, release_when_all_have_asked, role_of,
};
use crate::world::{CLAUDE, CODEX, Client, PROGRAM, finished};
use redraft_testkit::provider::{
    Provider, RecordedRequest, Reply, all_text, continues, tool_names, tool_results,
};
use redraft_testkit::{Scratch, remembering};
use serde_json::{Value, json};
use std::fs;

const REVIEWERS: [&str; 3] = ["implementation-reviewer", "code-quality-reviewer", "security-reviewer"];
/// Has the check run once more before it answers for the first time.
const CHECKS: &str = "code-quality-reviewer";

/// The tool by which a check can be run, as the program has named it.
fn check_tool(request: &RecordedRequest) -> String {
    let tools = tool_names(request);
    let found = tools.iter().find(|name| name.ends_with("Check")).cloned();
    found.unwrap_or_else(|| panic!("no check is offered: {tools:?}"))
}

/// A feature that was built by a real program.
struct Built {
    scratch: Scratch,
    provider: Provider,
}

impl Built {
    /// `more` goes into `[implement]`. `hold` says how the first reviewer's answer is delivered; it goes on when all three have asked.
    fn new(
        client: &'static Client,
        hands: Hands,
        rejected: usize,
        words: &[&str],
        more: &str,
        hold: fn(Reply) -> Reply,
    ) -> Built {
        let scratch = prepared(PROGRAM);
        let root = format!("{}/", fs::canonicalize(scratch.worktree("001")).unwrap().display());
        // Commands run in the folder the program was started in; tools need its path.
        let root = if client.key == CLAUDE.key { root } else { String::new() };
        let (mut model, mut held, mut checked) = (builder(hands, &root, rejected), false, false);
        let answers = move |request: &RecordedRequest, index: usize| {
            if !checked && role_of(request) == Some(CHECKS) {
                checked = true;
                return Reply::tool(check_tool(request), json!({"name": "greets"}));
            }
            let reply = model(request, index);
            let first = !held && role_of(request) == Some(REVIEWERS[0]);
            held |= first;
            if first { hold(reply) } else { reply }
        };
        let provider = Provider::start(remembering(answers));
        let agent = (client.agent)(&provider.base_url(), &[]);
        configured(&scratch, &agent, &format!("[implement]\nsimplify = false\n{more}"));
        let mut command = scratch.redraft([&["run", "001", "--yes"], words].concat());
        let ran = std::thread::scope(|scope| {
            scope.spawn(|| release_when_all_have_asked(&provider));
            finished(&scratch, &provider, client, &mut command)
        });
        assert_eq!(ran.code, Some(0), "{}\n{}", ran.stdout, ran.stderr);
        Built { scratch, provider }
    }

    fn bodies(&self, kind: &str) -> Vec<Value> {
        let log = self.scratch.json(["log"]);
        let events = log["events"].as_array().unwrap().iter().filter(|event| event["kind"] == kind);
        events.map(|event| event["body"].clone()).collect()
    }

    /// The purpose, role and strategy of each dispatch about code, in order.
    fn asked(&self) -> Vec<String> {
        let code = self.bodies("started").into_iter();
        let code = code.filter(|body| body["ticket"].as_str().unwrap().contains("/implement.1/"));
        code.map(|body| {
            let ticket = body["ticket"].as_str().unwrap().replace("/task-1", "");
            let words: Vec<&str> = ticket.split('/').skip(2).take(2).collect();
            format!("{} {}", words.join(" "), body["choice"]["strategy"].as_str().unwrap())
        })
        .collect()
    }

    /// The last request of a role with all that its tools answered.
    fn results(&self, role: &str) -> Vec<String> {
        tool_results(of_role(&self.provider, role).last().unwrap())
    }

    /// How much of the prompts of these requests was read from the cache.
    fn read_by(&self, requests: &[RecordedRequest]) -> Vec<u64> {
        let sent = self.provider.requests().into_iter().filter(|request| request.method == "POST");
        let (sent, bills): (Vec<RecordedRequest>, _) = (sent.collect(), self.provider.bills());
        assert_eq!(sent.len(), bills.len(), "every request is answered");
        let place =
            |request: &RecordedRequest| sent.iter().position(|one| one.order == request.order).unwrap();
        requests.iter().map(|request| bills[place(request)].read).collect()
    }

    fn code_is(&self, version: usize) {
        let code = fs::read_to_string(self.scratch.worktree("001").join(CODE)).unwrap();
        assert_eq!(code, format!("{IN_CODE} {version}\n"));
        let reports = self.bodies("built");
        assert_eq!(reports[0]["report"]["implemented"], "it greets");
        assert_eq!(reports[0]["files"], json!([CODE]));
        assert!(self.bodies("checked").iter().all(|check| check["passed"] == true));
    }

    fn a_check_was_run_for_a_reviewer(&self) {
        let asked = of_role(&self.provider, CHECKS);
        let told = tool_results(&asked[1]).join("\n");
        assert!(told.contains(&format!("`{CHECK}` ended with code 0")), "{told}");
        assert!(told.contains("ok it greets") && told.contains("run 1 of 3"), "{told}");
        let answered = self.bodies("answered").into_iter();
        let ran: Vec<Value> = answered.filter_map(|body| body.get("ran").cloned()).collect();
        assert_eq!((ran.len(), ran[0].as_array().unwrap().len()), (1, 1), "{ran:?}");
        assert_eq!((&ran[0][0]["gate"], &ran[0][0]["code"]), (&json!("greets"), &json!(0)));
    }

    /// The role that designed tests has opened a document and seen no code.
    fn no_code_was_shown_to_the_outline(&self) {
        let requests = of_role(&self.provider, "outline");
        assert!(requests.iter().all(|request| !all_text(request).contains(IN_CODE)));
        let results = self.results("outline");
        assert!(results[1].contains("Requirements"), "{results:?}");
    }
}

#[test]
fn claude_code_carries_out_a_task_runs_the_check_is_reviewed_and_mends() {
    // The answer begins, and its end waits for the others.
    let hands = Hands { write: CLAUDE.write, open: CLAUDE.open, run: CLAUDE.shell };
    let built = Built::new(&CLAUDE, hands, 2, &["--policy", "resume"], "deepen = false\n", |reply| {
        reply.held_after(1)
    });
    built.code_is(3);
    assert_eq!(
        built.asked(),
        [
            "implement implementer lazy",
            "review implementation-reviewer lazy",
            "review code-quality-reviewer lazy",
            "review security-reviewer lazy",
            "revise implementer lazy",
            "review implementation-reviewer resume",
            "revise implementer resume",
            "review implementation-reviewer resume",
            "validate code-quality-reviewer resume",
            "validate security-reviewer resume",
        ]
    );
    for role in ["task", "fix"] {
        let tools = tool_names(&of_role(&built.provider, role)[0]);
        assert_eq!(tools, ["Bash", "Edit", "Glob", "Grep", "Read", "StructuredOutput", "Write"], "{role}");
    }
    for role in REVIEWERS {
        let tools = tool_names(&of_role(&built.provider, role)[0]);
        assert!(
            !tools.iter().any(|tool| ["Bash", "Edit", "Write"].contains(&tool.as_str())),
            "{role} {tools:?}"
        );
    }
    assert!(built.results("task")[1].contains("ok it greets"), "{:?}", built.results("task"));
    built.a_check_was_run_for_a_reviewer();
    // Later fixes continue from the earlier ones.
    let fixes = of_role(&built.provider, "fix");
    assert_eq!(fixes.len(), 8);
    for pair in fixes.windows(2) {
        let kept = continues(&pair[0], &pair[1]);
        assert!(kept.is_ok(), "{kept:?}");
    }
}

#[test]
fn reviewers_with_claude_code_share_the_change_and_nothing_runs_that_nobody_accepted() {
    let hands = Hands {
        write: CLAUDE.write,
        open: CLAUDE.open,
        // An accepted command, and another one hidden behind it.
        run: |command| (CLAUDE.shell)(&format!("{command} && sh {CODE} > ran")),
    };
    let built = Built::new(&CLAUDE, hands, 0, &["--policy", "inline"], "", |reply| reply.held_after(1));
    built.code_is(1);
    assert!(!built.scratch.worktree("001").join("ran").exists());
    assert!(built.results("task")[1].contains("requires approval"), "{:?}", built.results("task"));
    assert_eq!(tool_names(&of_role(&built.provider, "outline")[0]), ["Read", "StructuredOutput"]);
    built.no_code_was_shown_to_the_outline();
    let answered = built.bodies("answered");
    let task = answered.iter().find(|body| body["ticket"].as_str().unwrap().contains("/implement/")).unwrap();
    assert!(task["denials"][0].as_str().unwrap().starts_with(&format!("Bash {CHECK} && ")), "{task}");
    let reviews = REVIEWERS.map(|role| of_role(&built.provider, role)[0].clone());
    let shared =
        |request: &RecordedRequest| (request.json["tools"].to_string(), request.json["system"].to_string());
    let first = shared(&reviews[0]);
    assert!(
        first.1.contains(IN_CODE) && first.1.contains("Requirements"),
        "change and documents: {}",
        first.1
    );
    assert!(reviews.iter().all(|request| shared(request) == first), "byte for byte");
    let read = built.read_by(&reviews[1..]);
    let chars = first.0.len() + first.1.len();
    assert!(
        read.iter().all(|tokens| tokens * 4 >= chars as u64 * 9 / 10),
        "{read:?} tokens of {chars} characters"
    );
}

#[test]
fn codex_carries_out_a_task_runs_the_check_is_reviewed_and_mends() {
    let hands = Hands {
        write: CODEX.write,
        // Also asks git.
        open: |path| (CODEX.shell)(&format!("cat '{path}'; git log -p; ls")),
        run: CODEX.shell,
    };
    let built = Built::new(&CODEX, hands, 1, &["--policy", "inline"], "", |reply| reply);
    built.code_is(2);
    assert_eq!(
        built.asked(),
        [
            "implement implementer inline",
            "outline test-deepener inline",
            "tests test-deepener inline",
            "review implementation-reviewer inline",
            "review code-quality-reviewer inline",
            "review security-reviewer inline",
            "revise implementer inline",
            "review implementation-reviewer inline",
            "validate code-quality-reviewer inline",
            "validate security-reviewer inline",
        ]
    );
    assert!(built.results("task")[1].contains("ok it greets"), "{:?}", built.results("task"));
    built.a_check_was_run_for_a_reviewer();
    built.no_code_was_shown_to_the_outline();
    assert!(built.results("outline")[0].contains("not a git repository"), "{:?}", built.results("outline"));
    for body in built.bodies("started") {
        let missing = body["missing"].as_array().unwrap();
        assert!(!missing.contains(&json!("Run")), "it runs commands: {body}");
    }
    let told = |role: &str| all_text(&of_role(&built.provider, role)[0]);
    for role in REVIEWERS.into_iter().chain(["outline", "task"]) {
        // Its own sandbox cannot be made within ours.
        assert!(told(role).contains("`sandbox_mode` is `danger-full-access`"), "{role}: {}", told(role));
    }
    let started = built.bodies("started").into_iter();
    for body in started.filter(|body| body["ticket"].as_str().unwrap().contains("/implement.1/")) {
        let held = body["sandbox"].as_str().unwrap();
        assert!(held.starts_with("partial: ") || held.starts_with("enforced"), "{body}");
    }
    let reviews = REVIEWERS.map(|role| of_role(&built.provider, role)[0].clone());
    let change = all_text(&reviews[0]).find(IN_CODE).expect("the change is in the prompt") as u64;
    let read = built.read_by(&reviews[1..]);
    assert!(read.iter().all(|tokens| tokens * 4 >= change), "{read:?} tokens; the change begins at {change}");
}
