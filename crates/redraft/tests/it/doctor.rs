//! `redraft doctor`: what it finds out about a machine, what a probe finds, and what follows from it.

mod machine;
mod models;
mod resume;

use redraft_testkit::{Ran, Scratch};
use serde_json::Value;
use std::fs;

/// What `redraft doctor --json` printed and how it ended.
fn doctor(scratch: &Scratch, words: &[&str]) -> (Value, i32) {
    let ran = Ran::new(scratch.redraft(["doctor", "--json"]).args(words).output().unwrap());
    read(&ran)
}

fn read(ran: &Ran) -> (Value, i32) {
    let json = serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error} in {ran:?}"));
    (json, ran.code.unwrap())
}

fn agent<'a>(report: &'a Value, name: &str) -> &'a Value {
    let agents = report["agents"].as_array().unwrap();
    agents.iter().find(|agent| agent["name"] == name).unwrap_or_else(|| panic!("no {name} in {report:#}"))
}

/// The checks of an agent that have this result: true, false or null.
fn checks(report: &Value, name: &str, passed: Option<bool>) -> Vec<String> {
    let wanted = passed.map_or(Value::Null, Value::Bool);
    let all = agent(report, name)["checks"].as_array().unwrap();
    let those = all.iter().filter(|check| check["passed"] == wanted);
    those.map(|check| check["id"].as_str().unwrap().to_owned()).collect()
}

fn meta(scratch: &Scratch, number: &str) -> Value {
    let text = fs::read_to_string(scratch.artifacts(number).join(".meta.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}
