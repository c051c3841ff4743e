//! Reports in a few words what a model is doing. Nothing depends on it.

use super::wire::Call;
use redraft_engine::ports::RunHandle;
use redraft_facts::usage::grouped;
use serde_json::Value;

/// Reports how long an answer or a call of a tool is, each time it has doubled.
pub(super) struct WritingProgress {
    next_chars: u64,
}

impl Default for WritingProgress {
    fn default() -> WritingProgress {
        WritingProgress { next_chars: 1 }
    }
}

impl WritingProgress {
    pub(super) fn hear(&mut self, chars: u64, watch: &dyn RunHandle) {
        const FIRST_CHARS: u64 = 2_000;
        if chars < self.next_chars {
            return;
        }
        match self.next_chars {
            1 => watch.tell("writes"),
            _ => watch.tell(&format!("writes, {} characters so far", grouped(chars))),
        }
        self.next_chars = (chars * 2).max(FIRST_CHARS);
    }
}

/// The tool and what it is used on.
pub(super) fn doing(call: &Call) -> String {
    let input = call.input.as_ref();
    let word = |name: &str| input.and_then(|input| input.get(name)).and_then(Value::as_str);
    let on = ["path", "pattern", "command"].into_iter().find_map(word);
    on.map_or_else(|| call.name.clone(), |on| format!("{} {on}", call.name))
}
