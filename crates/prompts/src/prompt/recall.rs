//! The two lines by which a conversation proves that it remembers: a code at the end of its first prompt, and the
//! question for it in the first turn that continues it.
//!
//! Both stand at the very end, behind everything that prompts share. Who is given a code and who is asked is decided by
//! the engine; what the answer shows, in [`crate::probe`]. Start at [`recall`].

use redraft_facts::fragment::{Fragment, Prompt};
use redraft_facts::prelude::*;
use redraft_facts::probed::Recall;
use redraft_facts::text;
use serde_json::{Value, json};

/// The names of the fragments.
const GIVEN: &str = "code";
const ASKED: &str = "recall";
/// What every code begins with. Nothing else in a prompt does.
const PREFIX: &str = "memo-";
/// One in a million is guessed.
const DIGITS: usize = 6;

/// What is added to the end of a prompt.
pub fn recall(recall: &Recall) -> Fragment {
    match recall {
        Recall::Gives(code) => Fragment::new(
            GIVEN,
            format!(
                "Keep this code in mind for a later turn of this conversation, and write it nowhere now: {code}\n"
            ),
        ),
        Recall::Asks(_) => Fragment::new(
            ASKED,
            "The first prompt of this conversation ended with a code to keep in mind. Add one entry to `verified`: claim \
             `code`, source `memory`, and as its result that code, or `unknown` if you do not have it. Do not look for \
             it anywhere else.\n",
        ),
    }
}

/// A code that follows from a text nobody else knows.
pub fn code(seed: &str) -> String {
    let hash = text::hash(seed.as_bytes());
    let number =
        hash.as_str().get(..15).and_then(|digits| u64::from_str_radix(digits, 16).ok()).unwrap_or_default();
    format!("{PREFIX}{:06}", number % 1_000_000)
}

/// The code that a prompt gives, for agents that only play.
pub fn given(prompt: &Prompt) -> Option<String> {
    codes(prompt.get(GIVEN)?).next()
}

/// Whether a prompt asks for it.
pub fn is_asked(prompt: &Prompt) -> bool {
    prompt.get(ASKED).is_some()
}

/// An answer that also tells a code, for agents that only play: as it is asked for where the answer is a verdict, before
/// everything else where it is not.
pub fn tell(answer: &str, code: &str) -> String {
    let mut value: Value = serde_json::from_str(answer).unwrap_or_default();
    match value.get_mut("verified").and_then(Value::as_array_mut) {
        Some(verified) => {
            verified.push(json!({"claim": "code", "source": "memory", "result": code}));
            value.to_string()
        }
        None => format!("The code is {code}.\n\n{answer}"),
    }
}

/// All codes in a text.
pub fn codes(text: &str) -> impl Iterator<Item = String> + '_ {
    text.match_indices(PREFIX).filter_map(|(at, prefix)| {
        let digits = text.get(at + prefix.len()..at + prefix.len() + DIGITS)?;
        digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| format!("{prefix}{digits}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use redraft_facts::redact::Redactor;

    fn prompt(one: &Recall) -> Prompt {
        Prompt { turn: vec![Fragment::new("task", "## Task\n"), recall(one)], ..Prompt::default() }
    }

    #[test]
    fn a_code_is_given_in_one_line_at_the_end_and_asked_for_without_being_named() {
        let code = code("0123-4567");
        assert_eq!(code.len(), PREFIX.len() + DIGITS);
        let first = prompt(&Recall::Gives(code.clone()));
        assert!(first.text().ends_with(&format!(" write it nowhere now: {code}\n")));
        assert_eq!((given(&first), is_asked(&first)), (Some(code.clone()), false));
        let later = prompt(&Recall::Asks(code.clone()));
        assert!(!later.text().contains(&code), "{}", later.text());
        assert_eq!((given(&later), is_asked(&later)), (None, true));
    }

    #[test]
    fn codes_differ_and_are_no_secrets() {
        let all: BTreeSet<String> = (0..1000).map(|at| code(&format!("session {at}"))).collect();
        assert!(all.len() > 990, "{}", all.len());
        for code in all.iter().take(50) {
            let text = prompt(&Recall::Gives(code.clone())).text();
            assert_eq!(Redactor::new(Vec::new()).redact(&text).0, text);
        }
    }
}
