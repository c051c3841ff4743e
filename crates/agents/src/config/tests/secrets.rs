//! Keys have no place in the file.

use super::*;

/// Put together here, so that no scanner mistakes this file for a leak.
fn key() -> String {
    ["sk-", "ant-api03-", "q7Zr2Lw9Xk4Tn8Vb3Mc6Hd1Js5Pf0Gy7Qa2We9Rt"].concat()
}

#[test]
fn a_key_in_the_file_is_refused_with_its_line_and_the_way_out_and_never_repeated() {
    let key = key();
    let (program, service) = ("[agents.claude]\nmodel = \"m\"\n", "[agents.openai]\nmodel = \"m\"\n");
    let at_service = "keep it in an environment variable and name that: key_env = \"NAME\"";
    let at_program = "keep it in an environment variable and name that: pass = [\"NAME\"]";
    let at_server = "keep it in an environment variable and name that: env = [\"NAME\"]";
    let (vendor, assigned) = ("anthropic-key", "assignment");
    let server = format!("{program}[agents.claude.mcp.docs]\n");
    for (text, line, place, kind, hint) in [
        (format!("{program}args = [\"-x\", \"{key}\"]"), 3, "agents.claude.args", vendor, at_program),
        (format!("{program}args = [\n\"--key={key}\"]"), 4, "agents.claude.args", vendor, at_program),
        (
            format!("{program}args = [\"--password\", \"correct-horse-battery\"]"),
            3,
            "agents.claude.args",
            assigned,
            at_program,
        ),
        (
            format!("{program}program = \"API_KEY={key} claude\""),
            3,
            "agents.claude.program",
            vendor,
            at_program,
        ),
        (format!("{program}pass = [\"{key}\"]"), 3, "agents.claude.pass", vendor, at_program),
        (
            format!("{server}command = \"npx\"\nargs = [\"--api-key\", \"{key}\"]"),
            5,
            "agents.claude.mcp.docs.args",
            vendor,
            at_server,
        ),
        (format!("{server}command = \"npx {key}\""), 4, "agents.claude.mcp.docs.command", vendor, at_server),
        (
            format!("{server}command = \"npx\"\nenv = [\"{key}\"]"),
            5,
            "agents.claude.mcp.docs.env",
            vendor,
            at_server,
        ),
        (
            format!("{service}base_url = \"https://host.test/v1?key={key}\""),
            3,
            "agents.openai.base_url",
            vendor,
            at_service,
        ),
        (
            format!("{service}base_url = \"https://me:hunter2-more@host.test/v1\""),
            3,
            "agents.openai.base_url",
            "url-password",
            at_service,
        ),
        (format!("{service}key_env = \"{key}\""), 3, "agents.openai.key_env", vendor, at_service),
        (format!("{service}key_file = \"{key}\""), 3, "agents.openai.key_file", vendor, at_service),
        (
            "[workspace]\nsetup = \"DB_PASSWORD=hunter2hunter2 make\"".to_owned(),
            2,
            "workspace.setup",
            assigned,
            "keep it in an environment variable; the command is given all of yours",
        ),
    ] {
        let said = format!(
            "project/redraft.toml:{line}: `{place}` holds what looks like a secret ({kind}) | {hint}"
        );
        assert_eq!(error(&text), said, "{text}");
    }
}

#[test]
fn a_key_where_something_else_belongs_is_not_repeated_either() {
    let key = key();
    for text in [
        format!("[agents.claude]\nmodel = \"m\"\nmax_tokens = \"{key}\""),
        format!("[roles]\ndefault = \"{key}\""),
        format!("[review]\npolicy = \"{key}\""),
        format!("\"{key}\" = 1"),
    ] {
        let said = error(&text);
        assert!(!said.contains(&key[12..]), "{said}");
    }
}

#[test]
fn ordinary_arguments_and_commands_hold_no_key() {
    for text in [
        "[agents.claude]\nmodel = \"m\"\nargs = [\"--max-tokens\", \"20000000\", \"--token-file\", \"secrets/token-1.txt\"]",
        "[agents.codex]\nmodel = \"m\"\nargs = [\"-c\", \"model_providers.x.env_key=MY_SERVICE_KEY\"]",
        "[agents.openai]\nmodel = \"m\"\nkey_env = \"TEAM_API_KEY_2\"\nbase_url = \"http://127.0.0.1:8080/v1\"",
        "[workspace]\nsetup = \"POSTGRES_PASSWORD=postgres TOKEN=$(gh auth token) API_KEY=$API_KEY make\"",
    ] {
        assert!(parse(text).is_ok(), "{text}: {}", error(text));
    }
}

#[test]
fn a_lone_star_passes_nothing_on() {
    for star in ["*", " * "] {
        let text = format!("[agents.claude]\nmodel = \"m\"\npass = [\"HOME\",\n\"{star}\"]");
        assert_eq!(
            error(&text),
            "project/redraft.toml:4: `pass` cannot be all variables of the environment | name them, or what they begin \
             with: pass = [\"MY_*\"]"
        );
    }
    assert!(parse("[agents.claude]\nmodel = \"m\"\npass = [\"MY_*\"]").is_ok());
}
