//! Makes models that remember from any script: where a conversation is asked for the code of its first prompt, the
//! answer tells it. A script by itself is a model that forgets.

use crate::provider::{RecordedRequest, Reply, Script, all_text, last_user_text};
use redraft_facts::probed::Recall;
use redraft_prompts::prompt;
use serde_json::Value;

/// Answers like the script, and knows what the conversation has said.
pub fn remembering(script: impl Script) -> impl Script {
    Remembering { script, question: prompt::recall(&Recall::Asks(String::new())).text.trim_end().to_owned() }
}

struct Remembering<S> {
    script: S,
    question: String,
}

impl<S: Script> Script for Remembering<S> {
    fn reply(&mut self, request: &RecordedRequest, index: usize) -> Reply {
        let mut reply = self.script.reply(request, index);
        if last_user_text(request).contains(&self.question)
            && let Some(code) = prompt::codes(&all_text(request)).next()
        {
            tell(&mut reply, &code);
        }
        reply
    }
}

/// Only what is an answer tells it, however it is delivered.
fn tell(reply: &mut Reply, code: &str) {
    match reply {
        Reply::Text(text) => *text = prompt::tell(text, code),
        Reply::Json(value) => {
            let told = prompt::tell(&value.to_string(), code);
            *value = serde_json::from_str(&told).unwrap_or(Value::String(told));
        }
        Reply::StallAfter { of, .. }
        | Reply::CutAfter { of, .. }
        | Reply::HeldAfter { of, .. }
        | Reply::Slow { of, .. }
        | Reply::Billed { of, .. }
        | Reply::Held(of) => tell(of, code),
        _ => {}
    }
}
