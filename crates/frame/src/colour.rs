//! Colours a few words on a terminal. The words say everything by themselves; nothing depends on colour.

const RED: &str = "31";
const GREEN: &str = "32";
const YELLOW: &str = "33";
const BOLD: &str = "1";

/// The label that a line begins with.
const LABELS: [(&str, &str); 5] =
    [("error:", RED), ("warning:", YELLOW), ("hint:", YELLOW), ("next:", BOLD), ("question:", BOLD)];

/// How grave a finding is, after its id.
const SEVERITIES: [(&str, &str); 2] = [("blocker", RED), ("warning", YELLOW)];

/// Words that say how something went, wherever they stand.
const WORDS: [(&str, &str); 5] =
    [("approved", GREEN), ("passed", GREEN), ("fixed", GREEN), ("rejected", RED), ("failed", RED)];

/// The text with its labels, and the words for how something went, in colour.
pub fn painted(text: &str) -> String {
    let mut lines = Vec::new();
    for line in text.split('\n') {
        let rest = line.trim_start();
        let label = LABELS.iter().find(|(label, _)| rest.starts_with(label));
        lines.push(match label {
            Some((label, colour)) => {
                let (indent, rest) = (&line[..line.len() - rest.len()], &rest[label.len()..]);
                format!("{indent}{}{rest}", in_colour(label, colour))
            }
            None => in_words(line),
        });
    }
    lines.join("\n")
}

fn in_words(line: &str) -> String {
    let mut before = "";
    let mut words = Vec::new();
    for one in line.split(' ') {
        words.push(word(one, if is_finding(before) { &SEVERITIES } else { &WORDS }));
        before = one;
    }
    words.join(" ")
}

/// Whether a word is the id of a finding: `S12`.
fn is_finding(word: &str) -> bool {
    let mut letters = word.chars();
    let number = letters.by_ref().next().filter(char::is_ascii_uppercase).map(|_| letters.as_str());
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit()))
}

fn word(word: &str, known: &[(&str, &str)]) -> String {
    let plain = word.trim_end_matches([',', ':', ';', '.']);
    match known.iter().find(|(known, _)| *known == plain) {
        Some((_, colour)) => format!("{}{}", in_colour(plain, colour), &word[plain.len()..]),
        None => word.to_owned(),
    }
}

fn in_colour(text: &str, colour: &str) -> String {
    format!("\x1b[{colour}m{text}\x1b[0m")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_and_verdicts_are_coloured_and_nothing_else_is_changed() {
        for (text, expected) in [
            ("error: no", "\x1b[31merror:\x1b[0m no"),
            ("  hint: try", "  \x1b[33mhint:\x1b[0m try"),
            ("x\nnext: redraft run", "x\n\x1b[1mnext:\x1b[0m redraft run"),
            ("spec-reviewer rejected: 2  new", "spec-reviewer \x1b[31mrejected\x1b[0m: 2  new"),
            ("`make` passed, approved", "`make` \x1b[32mpassed\x1b[0m, \x1b[32mapproved\x1b[0m"),
            ("    S1 blocker: no warning", "    S1 \x1b[31mblocker\x1b[0m: no warning"),
            ("question: Go on?", "\x1b[1mquestion:\x1b[0m Go on?"),
            ("disapproved terror: unfailed", "disapproved terror: unfailed"),
            ("", ""),
        ] {
            assert_eq!(painted(text), expected);
        }
    }
}
