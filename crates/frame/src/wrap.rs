//! Breaks lines between words, so that a terminal does not break them inside one.

/// What people copy as a whole, and a terminal breaks without a line break in it.
const WHOLE: [&str; 8] =
    ["next:", "hint:", "folder:", "then:", "to ", "branch:", "undone:", "what was undone is kept; to "];

/// The text with every line broken to this many columns; what follows a break is indented a little more than the line.
/// A word that is longer than a line stays whole.
pub fn wrapped(text: &str, columns: usize) -> String {
    let mut out = String::new();
    for (at, line) in text.split('\n').enumerate() {
        if at > 0 {
            out.push('\n');
        }
        out.push_str(&one(line, columns));
    }
    out
}

fn one(line: &str, columns: usize) -> String {
    const LEAST: usize = 20;
    let rest = line.trim_start_matches(' ');
    let indent = line.len() - rest.len();
    if width(line) <= columns || columns < LEAST + indent || WHOLE.iter().any(|word| rest.starts_with(word)) {
        return line.to_owned();
    }
    let hang = format!("\n{}", " ".repeat(indent + 2));
    let (mut out, mut used) = (" ".repeat(indent), indent);
    // Several spaces are columns of a table, and stay as they are.
    for (at, word) in rest.split(' ').enumerate() {
        let long = width(word);
        if at > 0 && used + 1 + long > columns && used > indent + 2 {
            out.truncate(out.trim_end_matches(' ').len());
            out.push_str(&hang);
            used = indent + 2;
        } else if at > 0 {
            out.push(' ');
            used += 1;
        }
        out.push_str(word);
        used += long;
    }
    out
}

/// How many columns of a terminal a text takes.
pub fn width(text: &str) -> usize {
    text.chars().map(columns_of).sum()
}

/// As much of a text as fits on one line of this many columns.
pub fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut used = 1;
    let kept: String = text
        .chars()
        .take_while(|letter| {
            used += columns_of(*letter);
            used <= columns
        })
        .collect();
    format!("{kept}…")
}

/// Letters of Chinese, Japanese and Korean, and pictures, take two.
fn columns_of(letter: char) -> usize {
    let picture = matches!(letter, '\u{231a}' | '\u{231b}' | '\u{23e9}'..='\u{23ec}' | '\u{23f0}' | '\u{23f3}'
        | '\u{25fd}' | '\u{25fe}' | '\u{2614}' | '\u{2615}' | '\u{2648}'..='\u{2653}' | '\u{267f}' | '\u{2693}'
        | '\u{26a1}' | '\u{26aa}' | '\u{26ab}' | '\u{26bd}' | '\u{26be}' | '\u{26c4}' | '\u{26c5}' | '\u{26ce}'
        | '\u{26d4}' | '\u{26ea}' | '\u{26f2}' | '\u{26f3}' | '\u{26f5}' | '\u{26fa}' | '\u{26fd}' | '\u{2705}'
        | '\u{270a}' | '\u{270b}' | '\u{2728}' | '\u{274c}' | '\u{274e}' | '\u{2753}'..='\u{2755}' | '\u{2757}'
        | '\u{2795}'..='\u{2797}' | '\u{27b0}' | '\u{27bf}' | '\u{2b1b}' | '\u{2b1c}' | '\u{2b50}' | '\u{2b55}'
        | '\u{1f004}' | '\u{1f0cf}' | '\u{1f18e}' | '\u{1f191}'..='\u{1f19a}' | '\u{1f1e6}'..='\u{1f265}');
    let wide = picture
        || matches!(letter, '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe6f}' | '\u{ff00}'..='\u{ff60}' | '\u{ffe0}'..='\u{ffe6}'
        | '\u{1f300}'..='\u{1faff}' | '\u{20000}'..='\u{3fffd}');
    if wide { 2 } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words_and_what_follows_is_indented() {
        let text = "  S1 blocker: no acceptance criterion mentions requirement R6\nshort";
        assert_eq!(
            wrapped(text, 30),
            "  S1 blocker: no acceptance\n    criterion mentions\n    requirement R6\nshort"
        );
        assert_eq!(wrapped(text, 200), text);
    }

    #[test]
    fn what_is_copied_and_what_is_longer_than_a_line_stays_whole() {
        for text in [
            "next: redraft -C '/a folder/with spaces' run 001",
            "      to get it back: git restore --source refs/redraft/lost/1 -- .",
            "  what was undone is kept; to get it back: git restore --source refs/redraft/lost/1 -- .",
            "branch: feature/001-x, ready for a pull request; its text: redraft pr 001",
            "a-word-that-is-much-longer-than-any-line-of-this-terminal",
        ] {
            assert_eq!(wrapped(text, 24), text);
        }
    }

    #[test]
    fn no_line_is_longer_than_the_terminal_where_its_words_are_short() {
        let text = "the quick brown fox jumps over the lazy dog ".repeat(9);
        for columns in 25..90 {
            assert!(wrapped(&format!("    {text}"), columns).lines().all(|line| width(line) <= columns));
        }
        assert_eq!(width("日本"), 4);
        for picture in ["✅", "❌", "⚡", "⭐", "🀄", "🈁", "🚀"] {
            assert_eq!(width(picture), 2, "{picture}");
        }
        assert_eq!(width("✓ → … ü"), 7);
        assert_eq!(cut("日本語", 5), "日本…");
        assert_eq!(cut("abcdef", 4), "abc…");
        assert_eq!(cut("abcd", 4), "abcd");
    }
}
