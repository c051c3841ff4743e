//! What the real programs reach in the sandbox: what they need, and nothing of the user's or of Redraft's.

use crate::world::{CLAUDE, CODEX, Client, DRAFT, World, is_author, is_spec_reviewer, model};
use redraft_testkit::Ran;
use redraft_testkit::provider::{RecordedRequest, tool_results};
use serde_json::json;
use std::fs;
use std::net::TcpListener;

const CANARY: &str = "canary-5d41402abc4b2a76";

/// Each prints a line when it should not have worked. `OUTSIDE` is the folder around the repository.
const ATTEMPTS: &str = r#"
out() { "$@" > /dev/null 2>&1 && echo "escaped $*"; }
out cat OUTSIDE/home/secret
out cat OUTSIDE/repo/redraft.toml
out cat OUTSIDE/repo/.git/redraft/ledger.db
out cat OUTSIDE/repo/.git/config
out ls OUTSIDE/repo/.git/redraft/agents/other
out touch OUTSIDE/home/new
out touch OUTSIDE/repo/new
out touch OUTSIDE/repo/.git/redraft/new
out touch OUTSIDE/repo/.git/hooks/post-commit
out touch OUTSIDE/home/.claude/settings.json
out git log
out cat /proc/$PPID/../1/environ
out kill -0 1
env | grep -c CANARY_VARIABLE
echo "attempts made"
"#;

/// An author, or a reviewer, that makes the attempts before it does its work.
fn attempting(
    client: &'static Client,
    args: &[&str],
    config: &str,
    who: fn(&RecordedRequest) -> bool,
    more: &str,
) -> World {
    let more = more.to_owned();
    let world = World::configured(client, args, config, |root, home| {
        // The agent's home lies in the repository's folder for it.
        let outside = home.ancestors().nth(6).unwrap().display().to_string();
        let script = format!("{}{more}", ATTEMPTS.replace("OUTSIDE", &outside));
        let mut model = model(root, client, 1);
        move |request: &RecordedRequest, index: usize| {
            let first = who(request) && tool_results(request).is_empty();
            if first { (client.shell)(&script) } else { model(request, index) }
        }
    });
    let home = world.scratch.outside().join("home");
    fs::create_dir_all(home.join(".claude")).unwrap();
    fs::write(home.join("secret"), CANARY).unwrap();
    fs::create_dir_all(world.scratch.state().join("agents/other/home")).unwrap();
    world
}

fn said(world: &World) -> String {
    let results: Vec<String> = world.provider.requests().iter().flat_map(tool_results).collect();
    let said = results.iter().find(|result| result.contains("attempts made"));
    said.unwrap_or_else(|| panic!("{results:?}")).clone()
}

fn an_author_reaches_its_folder_and_nothing_else(client: &'static Client, args: &[&str]) {
    let other = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = other.local_addr().unwrap().port();
    let connect = format!("out bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port}'");
    let world = attempting(client, args, "", is_author, &connect);
    world.run();
    let held = world.event("started", DRAFT)["sandbox"].as_str().unwrap().to_owned();
    assert!(held.starts_with("partial: ") || held.starts_with("enforced"), "{held}");
    let said = said(&world);
    assert!(!said.contains(CANARY), "{said}");
    // Its service lies beside this one, and is reached through the relay alone.
    let escaped: Vec<&str> = said.lines().filter(|line| line.contains("escaped")).collect();
    match held.contains("network,") || held.contains("network (") {
        true => assert!(escaped.iter().all(|line| line.contains("/dev/tcp/")), "{said}"),
        false => assert!(escaped.is_empty(), "{held}: {said}"),
    }
    // It was written where the user would find settings, and nothing was left there.
    let home = world.scratch.outside().join("home");
    let left: Vec<_> = fs::read_dir(home.join(".claude")).unwrap().flatten().collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn claude_code_as_an_author_reaches_its_folder_and_nothing_else() {
    an_author_reaches_its_folder_and_nothing_else(
        &CLAUDE,
        &["--tools", "Bash,Write", "--allowedTools", "Bash"],
    );
}

#[test]
fn codex_as_an_author_reaches_its_folder_and_nothing_else() {
    an_author_reaches_its_folder_and_nothing_else(&CODEX, &[]);
}

/// Without this the tests above could hold because nothing works.
#[test]
fn with_the_users_rights_the_same_attempts_succeed() {
    let args = ["--tools", "Bash,Write", "--allowedTools", "Bash"];
    let world = attempting(&CLAUDE, &args, "[sandbox]\nlevel = \"off\"\n", is_author, "");
    world.run();
    let said = said(&world);
    assert!(said.lines().filter(|line| line.contains("escaped ")).count() >= 10, "{said}");
}

const TOKEN: &str = "sk-ant-oat01-not-a-real-token-0123456789";

/// Runs a feature by whoever the user's login says, and tells how the requests were signed.
fn signed(client: &'static Client, agent: impl Fn(&str) -> String, login: &str, text: &str) -> Vec<String> {
    let world = World::new(client, &[], |root, _| model(root, client, 1));
    let home = world.scratch.outside().join("home");
    fs::create_dir_all(home.join(login).parent().unwrap()).unwrap();
    fs::write(home.join(login), text).unwrap();
    let agent = agent(&world.provider.base_url());
    world.scratch.write("redraft.toml", &format!("[agents.real]\n{agent}\n[roles]\ndefault = \"real\"\n"));
    world.scratch.run(["trust", "--yes"]).expect(0);
    let mut command = world.scratch.redraft(["run", "001", "--yes"]);
    command.env("ANTHROPIC_BASE_URL", world.provider.base_url());
    let ran = Ran::new(command.output().unwrap());
    assert_eq!(ran.code, Some(0), "{}\n{}", ran.stdout, ran.stderr);
    let held = world.event("started", DRAFT)["sandbox"].as_str().unwrap().to_owned();
    assert!(held.starts_with("partial: ") || held.starts_with("enforced"), "{held}");
    // The user's own file is as it was, and in the agent's home there is only a way to it.
    assert_eq!(fs::read_to_string(home.join(login)).unwrap(), text);
    let link = world.scratch.state().join("agents/real/home").join(login);
    assert_eq!(fs::read_link(&link).unwrap(), home.join(login));
    let asked = world.provider.requests().into_iter().filter(|request| request.method == "POST");
    asked.map(|request| format!("{:?}", request.headers)).collect()
}

#[test]
fn in_the_sandbox_claude_code_is_logged_in_as_the_user_is() {
    let login = json!({"claudeAiOauth": {
        "accessToken": TOKEN, "refreshToken": "sk-ant-ort01-not-real", "expiresAt": 4_102_444_800_000_u64,
        "scopes": ["user:inference", "user:profile"], "subscriptionType": "max",
    }});
    let agent = |url: &str| (CLAUDE.agent)(url, &[]);
    let signed = signed(&CLAUDE, agent, ".claude/.credentials.json", &login.to_string());
    assert!(!signed.is_empty() && signed.iter().all(|headers| headers.contains(TOKEN)), "{signed:?}");
}

#[test]
fn in_the_sandbox_codex_is_logged_in_as_the_user_is() {
    let agent = |url: &str| {
        let provider = format!(
            "model_providers.fake={{name=\"fake\",base_url=\"{url}/v1\",requires_openai_auth=true,\
             wire_api=\"responses\",request_max_retries=0,stream_max_retries=0}}"
        );
        let args = ["-c", "model_provider=fake", "-c", &provider];
        let program = std::env::var("REDRAFT_CODEX").unwrap();
        format!(
            "kind = \"codex\"\nmodel = \"gpt-5.1\"\nprice = \"unknown\"\nprogram = \"{program}\"\nargs = {args:?}"
        )
    };
    let login = json!({"OPENAI_API_KEY": TOKEN}).to_string();
    let signed = signed(&CODEX, agent, ".codex/auth.json", &login);
    assert!(!signed.is_empty() && signed.iter().all(|headers| headers.contains(TOKEN)), "{signed:?}");
}

/// Codex has a shell also as a reviewer; its own sandbox, which keeps the folder as it is, is off in ours.
#[test]
fn codex_as_a_reviewer_cannot_change_what_it_reviews() {
    let world = attempting(&CODEX, &[], "", is_spec_reviewer, "out touch docs/new\nout rm -r docs\n");
    world.run();
    let said = said(&world);
    assert!(!said.contains("escaped"), "{said}");
}
