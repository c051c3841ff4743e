//! Takes out of one text what another one, which its reader has as well, says in the same words.
//!
//! A step of a plan repeats much of the task that was made from it. Only what is certainly said already is left out: a
//! paragraph or an item of one line all of whose sentences stand in the other text word for word, or a field whose items all
//! stand in the field of the same name. Everything else stays as it is written: half a line, or a line of several that
//! belong together, could say the opposite. Start at [`unsaid`].

use crate::sections::Outline;
use redraft_facts::prelude::*;

/// Stands where an excerpt leaves lines out.
const LEFT_OUT: &str = "…";
/// A sentence of fewer words may stand somewhere by chance.
const SENTENCE_WORDS_MIN: usize = 4;
/// What is longer before a colon is no label.
const LABEL_WORDS_MAX: usize = 4;

/// What a text says beyond `said`; empty if that is nothing. A heading is kept where something stands below it.
pub fn unsaid(text: &str, said: &str) -> String {
    let known = Known::new(said);
    let outline = Outline::parse(text);
    let mut out = String::new();
    // They wait for what they stand above.
    let mut headings: Vec<(usize, &str)> = Vec::new();
    let (mut gap, mut space) = (false, false);
    // Whether something was left out below a line that announces it.
    let mut emptied = false;
    let lines = outline.lines();
    for (at, line) in lines.iter().enumerate() {
        let (line, is_text) = (line.trim_end_matches('\n'), outline.is_text(at));
        let level = heading_level(line);
        match line.trim() {
            _ if is_text && level > 0 => {
                headings.retain(|(above, _)| *above < level);
                headings.push((level, line));
                continue;
            }
            "" => space = true,
            LEFT_OUT => gap = true,
            _ => {}
        }
        let before = at.checked_sub(1).and_then(|before| lines.get(before)).copied().unwrap_or_default();
        let after = lines.get(at + 1).copied().unwrap_or_default();
        let alone = (begins_anew(line) || ends_before(before)) && (begins_anew(after) || ends_before(after));
        if is_text && alone && known.holds(line) {
            emptied |= headings.is_empty() && out.ends_with(":\n");
            continue;
        }
        if matches!(line.trim(), "" | LEFT_OUT) {
            continue;
        }
        if core::mem::take(&mut emptied) && !(is_item(line) && headings.is_empty()) {
            point_to_task(&mut out);
        }
        if core::mem::take(&mut gap) {
            out.push_str(if out.is_empty() { "…\n\n" } else { "\n…\n\n" });
            space = false;
        }
        for (_, heading) in headings.drain(..) {
            let before = if out.is_empty() || out.ends_with("\n\n") { "" } else { "\n" };
            out.push_str(&format!("{before}{heading}\n\n"));
            space = false;
        }
        if core::mem::take(&mut space) && !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&format!("{line}\n"));
    }
    if emptied {
        point_to_task(&mut out);
    }
    out
}

/// How deep a heading stands; 0 for what is none.
fn heading_level(line: &str) -> usize {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    if line.get(level..).is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')) { level } else { 0 }
}

fn is_item(line: &str) -> bool {
    let line = line.trim_start();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let numbered = digits > 0 && line.get(digits..).is_some_and(|rest| rest.starts_with(['.', ')']));
    numbered || line.starts_with("- ") || line.starts_with("* ") || line.starts_with("+ ")
}

/// Whether a line does not go on with the one before it.
fn begins_anew(line: &str) -> bool {
    is_item(line) || field(line).is_some()
}

/// Whether the paragraph next to this line ends, or begins, with it.
fn ends_before(line: &str) -> bool {
    matches!(line.trim(), "" | LEFT_OUT) || heading_level(line) > 0
}

/// Says where the items are of a list of which none is left.
fn point_to_task(out: &mut String) {
    out.truncate(out.trim_end().len());
    out.push_str(" as the task says\n");
}

/// The words of a text, and its fields with their items.
struct Known {
    /// All words with a space around each.
    words: String,
    fields: BTreeMap<String, BTreeSet<String>>,
}

impl Known {
    fn new(said: &str) -> Known {
        let fields = said.lines().filter_map(field);
        let fields = fields.map(|(name, value)| (words(name), items(value).map(words).collect())).collect();
        Known { words: words(said), fields }
    }

    /// Whether all of a line is known. What announces something is not, nor is a row of a table.
    fn holds(&self, line: &str) -> bool {
        if line.trim_end().ends_with(':') || line.trim_start().starts_with('|') {
            return false;
        }
        if let Some((name, value)) = field(line) {
            let own = self.fields.get(&words(name));
            return own
                .is_some_and(|own| !value.is_empty() && items(value).all(|item| own.contains(&words(item))));
        }
        let body = line.trim_start_matches([' ', '-', '*', '+', '\t']);
        // `Spec R1: what must be observed`, where both stand in the other text.
        let known_label = body.split_once(": ").filter(|(label, _)| self.is_label(label));
        let rest = known_label.map_or(body, |(_, rest)| rest);
        !rest.trim().is_empty() && sentences(rest).all(|sentence| self.says(sentence))
    }

    fn is_label(&self, label: &str) -> bool {
        let label = words(label);
        (1..=LABEL_WORDS_MAX).contains(&label.split_whitespace().count()) && self.words.contains(&label)
    }

    fn says(&self, sentence: &str) -> bool {
        let sentence = words(sentence);
        sentence.split_whitespace().count() >= SENTENCE_WORDS_MIN && self.words.contains(&sentence)
    }
}

/// `**Files:** a, b`
fn field(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.trim_start_matches(['-', ' ']).strip_prefix("**")?.split_once(":**")?;
    Some((name, value.trim()))
}

fn items(value: &str) -> impl Iterator<Item = &str> {
    value.split(", ").map(str::trim).filter(|item| !item.is_empty())
}

/// The sentences of a line, each with its mark. Where one ends is guessed.
fn sentences(line: &str) -> impl Iterator<Item = &str> {
    line.split_inclusive(". ").map(str::trim).filter(|sentence| !sentence.is_empty())
}

/// The words of a text without the marks of Markdown and of sentences around them, with a space around each. What may be
/// part of a condition, such as `<` or `-`, stays.
fn words(text: &str) -> String {
    let mut out = " ".to_owned();
    for word in text.split_whitespace() {
        let word = word.trim_matches(['*', '_', '`', '"', '(', ')', ',', '.', ';', ':']);
        if !word.is_empty() {
            out.push_str(word);
            out.push(' ');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const TASK: &str = "### Task 2.1: Refuse a revoked key\n\n**Implements:** Plan 2.1, Design C3, Spec R2\n\
        **Files:** `src/gateway.rs`, `tests/revoked.rs` (new)\n**Depends on:** 1.1\n\n**Do:**\n\
        1. Write the test `revoked` and see it fail: A key that was revoked gets status 401.\n\
        2. Refuse it before the count if the age is > 5 s.\n";

    #[test]
    fn what_the_task_says_in_the_same_words_is_left_out_and_all_else_is_kept() {
        let step = "…\n\n### Step 2.1: Refuse a revoked key\n\n**Implements:** Design C3, Spec R2\n\
            **Files:** `src/gateway.rs`, `tests/revoked.rs` (new)\n**Depends on:** 1.1\n\
            **Produces:** `Gateway::admit(key)`\n**Check:** `tests/revoked.rs`, written first:\n\
            - Spec R2: A key that was revoked gets status 401.\n\
            - Spec R3: A key that never was gets status 404.\n\n…\n";
        let left = "…\n\n### Step 2.1: Refuse a revoked key\n\n**Produces:** `Gateway::admit(key)`\n\
            **Check:** `tests/revoked.rs`, written first:\n- Spec R3: A key that never was gets status 404.\n";
        assert_eq!(unsaid(step, TASK), left);
    }

    #[test]
    fn whatever_only_the_plan_says_is_kept_with_the_lines_that_give_it_its_meaning() {
        const KNOWN: &str = "Refuse it before the count if the age is > 5 s.";
        assert_eq!(unsaid(&format!("{KNOWN}\n"), TASK), "");
        for own in [
            &format!("{KNOWN} The window stays open.\n"),
            &format!("**Out of scope:** {KNOWN} Revoke keys in bulk.\n"),
            &format!("**Out of scope:** {KNOWN}\n"),
            &format!("1. {KNOWN}\n2. Count.\n"),
            &format!("Unless an operator has it on the list:\n{KNOWN}\n"),
            &format!("- Unless an operator has it on the list,\n  {KNOWN}\n"),
            &format!("{KNOWN}\nBut not on Mondays.\n"),
            "| A key that was revoked | gets status 401 |\n|---|---|\n| x | y |\n",
            "#12 is closed by it\n",
            "Refuse it before the count if the age is < 5 s.\n",
            "Refuse it before the count if the age is > -5 s.\n",
            "Never refuse it before the count if the age is > 5 s.\n",
            "A key that was revoked gets status 40.\n",
            "**Undo:** 1.1\n",
            "**Depends on:** 1.1, 1.2\n",
            "**Files:** `src/gateway.rs`, `tests/other.rs`\n",
            "Plan 2.1\n",
            "```\nA key that was revoked gets status 401.\n```\n",
        ] {
            assert_eq!(unsaid(own, TASK), own);
        }
    }

    #[test]
    fn a_part_that_says_nothing_else_is_empty_and_headings_stand_above_what_is_left() {
        let known = "**Depends on:** 1.1\n";
        assert_eq!(unsaid(&format!("…\n\n### Step 2.1: Refuse\n\n{known}\n…\n"), TASK), "");
        let check =
            "**Check:** `tests/a.rs`, written first:\n- Spec R2: A key that was revoked gets status 401.\n";
        let told = "**Check:** `tests/a.rs`, written first: as the task says\n";
        assert_eq!(unsaid(check, TASK), told);
        assert_eq!(unsaid(&format!("{check}\nMore.\n"), TASK), format!("{told}\nMore.\n"));
        let parts = format!("## Steps\n\n### Step 1\n\n{known}\n### Step 2\n\nSomething else.\n");
        assert_eq!(unsaid(&parts, TASK), "## Steps\n\n### Step 2\n\nSomething else.\n");
    }
}
