//! A host for tests: speaks the Model Context Protocol with `redraft mcp`, a message a line.
//!
//! It is not a client that anybody else uses; `.ci/hosts` has one of those. It does not know what an answer means.

use crate::{Scratch, fail};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

pub struct Host {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    calls: u64,
}

impl Scratch {
    /// Starts `redraft mcp` with these words and variables, and greets it.
    pub fn host(&self, words: &[&str], variables: &[(&str, String)]) -> Host {
        let mut command = self.redraft(["mcp"]);
        command.args(words).envs(variables.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("redraft starts");
        let (input, output) = (child.stdin.take(), child.stdout.take().expect("its output"));
        let mut host = Host { child, input, output: BufReader::new(output), calls: 0 };
        let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {},
                            "clientInfo": { "name": "test-host", "version": "1" } });
        let greeted = host.ask("initialize", hello);
        assert_eq!(greeted.expect("a greeting")["serverInfo"]["name"], "redraft");
        host.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        host
    }
}

impl Host {
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends one line to the server. Reading shows if the server has gone.
    pub fn send(&mut self, message: &Value) {
        if let Some(input) = &mut self.input {
            let _ = writeln!(input, "{message}").and_then(|()| input.flush());
        }
    }

    /// The next message, whatever it answers.
    #[track_caller]
    pub fn heard(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("a message");
        serde_json::from_str(&line).unwrap_or_else(|error| fail(&format!("{error} in {line:?}")))
    }

    /// A request and its result, or its error; none where the server has died.
    pub fn ask(&mut self, method: &str, params: Value) -> Option<Value> {
        self.calls += 1;
        let id = self.calls;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        let mut line = String::new();
        loop {
            line.clear();
            if self.output.read_line(&mut line).unwrap_or(0) == 0 {
                return None;
            }
            // Whatever stands on standard output is the protocol, and nothing else.
            let heard: Value =
                serde_json::from_str(&line).unwrap_or_else(|error| fail(&format!("{error} in {line:?}")));
            if heard["id"] == id {
                return Some(heard.get("result").unwrap_or(&heard["error"]).clone());
            }
        }
    }

    /// The object that a tool answers, and whether it is an error; none where the server has died.
    pub fn try_call(&mut self, tool: &str, arguments: Value) -> Option<(Value, bool)> {
        let result = self.ask("tools/call", json!({ "name": tool, "arguments": arguments }))?;
        let text = result["content"][0]["text"].as_str().unwrap_or_default();
        let told = serde_json::from_str(text)
            .unwrap_or_else(|error| fail(&format!("{error} in what {tool} answers: {result}")));
        assert!(text.starts_with("{\"v\":1"), "{text}");
        Some((told, result["isError"].as_bool().unwrap_or(false)))
    }

    /// The same where the server lives and knows an answer.
    #[track_caller]
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        match self.try_call(tool, arguments) {
            Some((told, false)) => told,
            other => fail(&format!("{tool}: {other:?}")),
        }
    }

    /// Ends it in a way that nothing can prevent.
    pub fn kill(mut self) {
        self.child.kill().expect("it can be killed");
        self.child.wait().expect("it ended");
    }

    /// Closes its input, as a host does when it leaves. Returns its exit code and what it wrote to standard error.
    pub fn close(mut self) -> (Option<i32>, String) {
        drop(self.input.take());
        let mut rest = String::new();
        std::io::Read::read_to_string(&mut self.output, &mut rest).expect("the end of its output");
        let ended = self.child.wait_with_output().expect("it ended");
        (ended.status.code(), String::from_utf8_lossy(&ended.stderr).into_owned())
    }
}
