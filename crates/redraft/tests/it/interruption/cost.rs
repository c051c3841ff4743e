//! What an agent that was interrupted has cost, or may have.

use super::{IDEA, signal};
use crate::world::{bodies, events, executable, feature};
use redraft_testkit::Ran;
use std::process::Stdio;

/// Like Claude Code, calls a tool twice and is then busy with it.
const BUSY: &str = r#"#!/bin/sh
[ "$1" = --version ] && echo 9.9.9 && exit 0
cat > /dev/null
echo '{"type":"system","subtype":"init"}'
tool='"content":[{"type":"tool_use","id":"t","name":"Grep","input":{}}]'
printf '{"type":"stream_event","event":{"type":"message_start","message":{"id":"a","usage":{"input_tokens":9000}}}}\n'
printf '{"type":"assistant","message":{"id":"a",%s}}\n' "$tool"
printf '{"type":"stream_event","event":{"type":"message_delta","usage":{"output_tokens":100}}}\n'
printf '{"type":"user","message":{"content":[]}}\n'
usage='"usage":{"input_tokens":1000,"cache_creation_input_tokens":150000,"cache_read_input_tokens":9000}'
printf '{"type":"stream_event","event":{"type":"message_start","message":{"id":"b",%s}}}\n' "$usage"
printf '{"type":"assistant","message":{"id":"b",%s}}\n' "$tool"
printf '{"type":"stream_event","event":{"type":"message_delta","usage":{"output_tokens":50}}}\n'
exec sleep 4377
"#;

#[test]
fn what_an_interrupted_agent_knows_to_have_cost_counts_and_not_what_was_reserved() {
    const POLLS_MAX: usize = 2_000;
    let scratch = feature(IDEA);
    executable(&scratch, "claude.sh", BUSY);
    let agent = "model = \"claude-sonnet-4.5\"\nprogram = \"./claude.sh\"\n";
    scratch.write("redraft.toml", &format!("[agents.claude]\n{agent}[roles]\nspec-author = \"claude\"\n"));
    scratch.run(["trust", "--yes"]).expect(0);
    let mut command = scratch.redraft(["run", "001", "--yes"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    // More is set aside as soon as the second request becomes known.
    let heard = (0..POLLS_MAX).any(|_| bodies(&events(&scratch), "raised").next().is_some());
    assert!(heard, "{:?}", events(&scratch));
    signal(&scratch, &child, "-INT");
    Ran::new(child.wait_with_output().unwrap()).expect(130);
    let events = events(&scratch);
    let lost = bodies(&events, "lost").next().unwrap();
    // 10,000 in at 3, 150,000 written at 3.75, 9,000 read at 0.3 and 150 out at 15 dollars a million.
    let cost = 30_000 + 562_500 + 2_700 + 2_250;
    assert_eq!(lost["cost"], cost, "{lost}");
    let reserved = bodies(&events, "raised").next().unwrap()["reserved"].as_u64().unwrap();
    assert!(reserved > cost, "{reserved}");
    let shown = scratch.json(["cost", "001"]);
    assert_eq!(shown["sum"]["reserved_for_unknown_micro_usd"], 0, "{shown:#}");
    assert_eq!(shown["sum"]["billed_micro_usd"], cost, "{shown:#}");
}

/// Like Claude Code that has reported nothing about any answer yet.
const SILENT: &str = r#"#!/bin/sh
[ "$1" = --version ] && echo 9.9.9 && exit 0
cat > /dev/null
echo '{"type":"system","subtype":"init","apiKeySource":"ANTHROPIC_API_KEY"}'
echo begun > "$HOME/begun"
exec sleep 4377
"#;

#[test]
fn what_an_interrupted_agent_may_have_cost_is_counted_and_not_called_spent() {
    const POLLS_MAX: usize = 20_000_000;
    let scratch = feature(IDEA);
    executable(&scratch, "claude.sh", SILENT);
    let agent = "model = \"claude-sonnet-4.5\"\nprogram = \"./claude.sh\"\n";
    scratch.write("redraft.toml", &format!("[agents.claude]\n{agent}[roles]\nspec-author = \"claude\"\n"));
    scratch.run(["trust", "--yes"]).expect(0);
    // In the sandbox it has a home of its own.
    let begun = scratch.state().join("agents/claude/home/begun");
    let child = scratch.redraft(["run", "001", "--yes"]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let child = child.unwrap();
    assert!((0..POLLS_MAX).any(|_| begun.exists()));
    signal(&scratch, &child, "-INT");
    let ran = Ran::new(child.wait_with_output().unwrap()).expect(130);
    let reserved = bodies(&events(&scratch), "lost").next().unwrap()["cost"].as_u64().unwrap();
    assert!(reserved > 100_000, "{reserved}");
    let most = redraft_facts::usage::Usd(reserved);
    for words in [
        "cost: $0.0000 billed, ".to_owned(),
        format!("at most {most} unknown (1 dispatch interrupted, failed or without a bill)"),
        format!("; the budget counts {most}"),
    ] {
        assert!(ran.stdout.contains(&words), "{words}: {}", ran.stdout);
    }
    let status = scratch.run(["status"]).expect(0).stdout;
    assert!(status.contains(&format!("$0.0000 + at most {most} unknown")), "{status}");
    let ran = scratch.run(["run", "001", "--yes", "--budget", "0.6"]).expect(5);
    assert!(ran.stderr.contains("of the budget of $0.6000 is left"), "it is still counted: {}", ran.stderr);
}
