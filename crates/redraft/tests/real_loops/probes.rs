//! `redraft doctor` with the real programs.

use crate::world::{CLAUDE, CODEX, Client, PROGRAM, finished, verdict};
use redraft_testkit::Scratch;
use redraft_testkit::provider::{Provider, RecordedRequest, Reply, last_user_text, tool_results};
use serde_json::{Value, json};
use std::fs;

/// Plays a probe from what the program's requests contain and from nothing else.
fn prober(open: Reply) -> impl FnMut(&RecordedRequest, usize) -> Reply + Send + 'static {
    move |request: &RecordedRequest, _index: usize| {
        let last = last_user_text(request);
        let heading = "Inventory of the house";
        let read = tool_results(request).into_iter().find(|result| result.contains(heading));
        let Some(read) = read else { return open.clone() };
        // Some programs number the lines they give to the model.
        let from = |line: &str, words: &str| line.find(words).map(|at| line[at..].to_owned());
        let faulty: Vec<String> =
            read.lines().filter(|line| line.contains(": ? ")).filter_map(|line| from(line, "bin ")).collect();
        let first = read.lines().find_map(|line| from(line, heading)).unwrap();
        let mut answer = verdict(true, &[], vec![]);
        if last.contains("## Turn 3") {
            let entry =
                |claim: &str, result: String| json!({"claim": claim, "source": "memory", "result": result});
            answer["verified"] =
                json!([entry("first line", first), entry("findings", faulty.len().to_string())]);
        } else if !last.contains("## Turn 2") {
            let issue = |quote: &String| {
                json!({"severity": "warning", "category": "quantity", "claim": "present", "file": "inventory.txt",
                    "line": 0, "section": "", "quote": quote, "description": "no quantity", "suggestion": "", "same_as": ""})
            };
            answer["issues"] = faulty.iter().map(issue).collect();
        }
        Reply::Json(answer)
    }
}

fn passes_a_probe(client: &'static Client) {
    let scratch = Scratch::repository(PROGRAM);
    let root = fs::canonicalize(scratch.root()).unwrap().display().to_string();
    let inventory = format!("{root}/.git/redraft/probes/real/inventory.txt");
    let provider = Provider::start(prober((client.open)(&inventory)));
    let agent = (client.agent)(&provider.base_url(), &[]);
    scratch.write("redraft.toml", &format!("[agents.real]\n{agent}\n"));
    scratch.run(["trust", "--yes"]).expect(0);
    let mut command = scratch.redraft(["doctor", "--agent", "real", "--yes", "--json"]);
    let ran = finished(&scratch, &provider, client, &mut command);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(ran.code, Some(0), "{report:#}\n{}", ran.stderr);
    let real = &report["agents"][0];
    let checks = real["checks"].as_array().unwrap();
    assert!(checks.len() == 7 && checks.iter().all(|check| check["passed"] == true), "{report:#}");
    assert_eq!(real["resume"], "yes");
    assert!(real["cache_share"].as_u64().unwrap() >= 90, "{report:#}");
    assert!(!scratch.state().join("probes/real").exists());
}

#[test]
fn claude_code_passes_a_probe() {
    passes_a_probe(&CLAUDE);
}

#[test]
fn codex_passes_a_probe() {
    passes_a_probe(&CODEX);
}
