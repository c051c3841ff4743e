//! Answers a probe: reads the file it is told to read, reports its faults, and later recalls both from memory.
//!
//! Nothing here knows what the file will be or what a right answer is. Start at [`Work::probe`].

use super::broken;
use super::session::Memory;
use super::turn::{Turned, Work};
use redraft_engine::ports::AgentError;
use redraft_facts::verdict::{Claim, FileRead, Issue, Severity, Verdict, Verified};

impl Work<'_> {
    pub(super) fn probe(&self) -> Result<Turned, AgentError> {
        let prompt = &self.request.prompt;
        if let Some(task) = prompt.get("probe-read") {
            let path = task.split('`').nth(1).ok_or_else(|| broken("the probe names no file to read"))?;
            return self.first(path);
        }
        let memory = self.memory;
        let unknown = || "unknown".to_owned();
        let file = || Some(memory.artifact.clone()).filter(|path| !path.is_empty()).unwrap_or_else(unknown);
        let first_line = || memory.texts.get(&memory.artifact)?.lines().next().map(str::to_owned);
        let verified = if prompt.get("probe-recall").is_some() {
            let count = memory.reported.len().to_string();
            vec![entry("first line", first_line().unwrap_or_else(unknown)), entry("findings", count)]
        } else {
            vec![entry("file", file())]
        };
        let summary = "told from memory".to_owned();
        turned(
            &Verdict { approved: true, summary, verified, ..Verdict::default() },
            memory.clone(),
            Vec::new(),
        )
    }

    fn first(&self, path: &str) -> Result<Turned, AgentError> {
        let text = String::from_utf8_lossy(&self.read(path)?).into_owned();
        let faulty = text.lines().enumerate().filter(|(_, line)| is_faulty(line));
        let issues: Vec<Issue> = faulty.map(|(at, line)| issue(path, at, line)).collect();
        let files_read = vec![FileRead { file: path.to_owned(), lines: text.lines().count() as u64 }];
        let memory = Memory {
            artifact: path.to_owned(),
            reported: issues.iter().map(|issue| issue.description.clone()).collect(),
            texts: [(path.to_owned(), text)].into(),
            ..Memory::default()
        };
        let summary = format!("{} faulty lines", issues.len());
        let verdict = Verdict { approved: true, summary, issues, files_read, ..Verdict::default() };
        turned(&verdict, memory, vec![path.to_owned()])
    }
}

fn is_faulty(line: &str) -> bool {
    line.split_once(": ").is_some_and(|(_, rest)| rest.starts_with('?'))
}

fn issue(path: &str, at: usize, line: &str) -> Issue {
    Issue {
        severity: Severity::Warning,
        category: "quantity".to_owned(),
        claim: Claim::Present,
        file: path.to_owned(),
        line: u32::try_from(at + 1).unwrap_or(u32::MAX),
        section: String::new(),
        quote: line.to_owned(),
        description: format!("line {} has no quantity", at + 1),
        suggestion: String::new(),
        same_as: String::new(),
    }
}

fn entry(claim: &str, result: String) -> Verified {
    Verified { claim: claim.to_owned(), source: "memory".to_owned(), result }
}

fn turned(verdict: &Verdict, memory: Memory, opened: Vec<String>) -> Result<Turned, AgentError> {
    let text = serde_json::to_string_pretty(verdict);
    let text = text.map_err(|error| broken(&format!("the verdict: {error}")))?;
    Ok(Turned { text, memory, opened })
}
