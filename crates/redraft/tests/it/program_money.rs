//! Tests what programs cost that are cut off when they turn out more expensive than what was set aside for them.

use crate::documents::CLEAN;
use crate::world::{bodies, events, executable, feature};
use serde_json::Value;
use std::fs;

/// Begins like Claude Code an answer to a prompt of a million tokens, calls a tool and works on forever.
const CLAUDE: &str = r#"#!/bin/sh
[ "$1" = --version ] && echo 9.9.9 && exit 0
cat > /dev/null
echo '{"type":"system","subtype":"init"}'
echo '{"type":"stream_event","event":{"type":"message_start","message":{"id":"a","model":"m","usage":{"input_tokens":1000000,"output_tokens":1}}}}'
echo '{"type":"assistant","message":{"id":"a","model":"m","content":[{"type":"tool_use","id":"t","name":"Read","input":{}}]}}'
exec sleep 5101
"#;

/// Notes like Codex that a million tokens were used, ends two commands and works on forever.
const CODEX: &str = r#"#!/bin/sh
[ "$1" = --version ] && echo 9.9.9 && exit 0
cat > /dev/null
mkdir -p "$HOME/.codex/sessions/2026/11/17"
printf '%s\n' '{"type":"token_usage_record","payload":{"usage":{"input_tokens":1000000,"output_tokens":20},"thread_token_usage":{"input_tokens":1000000,"output_tokens":20}}}' > "$HOME/.codex/sessions/2026/11/17/rollout-x-th-1.jsonl"
echo '{"type":"thread.started","thread_id":"th-1"}'
echo '{"type":"item.started","item":{"type":"command_execution","command":"ls"}}'
echo '{"type":"item.completed","item":{"type":"command_execution","command":"ls"}}'
echo '{"type":"item.started","item":{"type":"command_execution","command":"ls"}}'
echo '{"type":"item.completed","item":{"type":"command_execution","command":"ls"}}'
exec sleep 5102
"#;

#[test]
fn a_program_that_is_cut_off_counts_as_what_is_known_where_that_is_more_than_was_set_aside() {
    for (kind, script) in [("claude", CLAUDE), ("codex", CODEX)] {
        let scratch = feature("Export the monthly report as CSV");
        executable(&scratch, "program.sh", script);
        let agent = format!("kind = \"{kind}\"\nmodel = \"claude-sonnet-4.5\"\nprogram = \"./program.sh\"\n");
        let roles = "[roles]\nspec-reviewer = \"odd\"\ndefault = \"rehearsal\"\n[limits]\nattempts = 1\n";
        scratch.write("redraft.toml", &format!("[agents.odd]\n{agent}{roles}"));
        let folder = scratch.worktree("001").join("docs/features/001-export-the-monthly-report-as-csv");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("spec.md"), CLEAN).unwrap();
        scratch.run(["trust", "--yes"]).expect(0);
        let ran = scratch.run(["run", "001", "--yes", "--budget", "2", "--json"]).expect(5);
        let events = events(&scratch);
        let failed = bodies(&events, "failed").next().unwrap();
        assert!(failed["now"]["over_budget"].is_u64() && failed["usage"].is_null(), "{kind}: {failed}");
        // A million tokens at 3 dollars, which the program reported.
        let known = 3_000_000;
        let counted = |value: &Value| value.as_u64().unwrap();
        let raised = bodies(&events, "raised").last().unwrap();
        assert!(counted(&raised["reserved"]) >= known, "{kind}: {raised}");
        let receipt: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert!(counted(&receipt["receipt"]["counted_micro_usd"]) >= known, "{kind}: {receipt:#}");
        // Only Codex cannot be told how long an answer may become, and the receipt says so.
        let notes = receipt["receipt"]["notes"].as_array().unwrap();
        let beyond = "odd: Codex does not limit its answers; one of more than 16,000 tokens can exceed the budget \
            by at most $2.7600";
        assert_eq!(
            notes.iter().filter(|note| *note == beyond).count(),
            usize::from(kind == "codex"),
            "{notes:?}"
        );
        assert_eq!(scratch.processes(), [""; 0], "{kind}");
    }
}
