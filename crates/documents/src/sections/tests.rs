use super::{Outline, SECTION_CHARS_MAX};
use proptest::prelude::*;
use redraft_facts::prelude::*;

fn titles(text: &str) -> Vec<(u8, String)> {
    let outline = Outline::parse(text);
    outline.sections().iter().map(|section| (section.level, section.title.to_owned())).collect()
}

fn section(text: &str, title: &str) -> String {
    let outline = Outline::parse(text);
    let found = outline.sections().iter().find(|section| section.title == title).unwrap();
    outline.text(found.lines.clone())
}

#[test]
fn a_section_ends_at_the_next_heading_of_the_same_or_a_higher_level() {
    let text = "# A\nx\n## B\ny\n### C\nz\n## D\nw\n# E\n";
    assert_eq!(section(text, "B"), "## B\ny\n### C\nz\n");
    assert_eq!(section(text, "C"), "### C\nz\n");
    assert_eq!(section(text, "D"), "## D\nw\n");
    assert_eq!(section(text, "A"), "# A\nx\n## B\ny\n### C\nz\n## D\nw\n");
    let skipping = "### deep\na\n# top\nb\n";
    assert_eq!(section(skipping, "deep"), "### deep\na\n");
}

#[test]
fn what_stands_before_the_first_heading_is_a_section_of_its_own() {
    assert_eq!(titles("intro\n\n# A\n"), [(0, String::new()), (1, "A".into())]);
    assert_eq!(titles("no heading at all\n"), [(0, String::new())]);
    assert_eq!(titles(""), []);
}

#[test]
fn headings_are_told_from_what_looks_like_them() {
    let cases = [
        ("# A", Some((1, "A"))),
        ("###### six ######", Some((6, "six"))),
        ("####### seven", None),
        ("#hash", None),
        ("#", Some((1, ""))),
        ("   ## three blanks", Some((2, "three blanks"))),
        ("    # four blanks are code", None),
        ("\t# so is a tab", None),
        ("# C# ", Some((1, "C#"))),
        ("## closed ## ##", Some((2, "closed ##"))),
        ("# über\r", Some((1, "über"))),
    ];
    for (line, heading) in cases {
        let found = titles(&format!("{line}\n")).into_iter().find(|(level, _)| *level > 0);
        assert_eq!(found, heading.map(|(level, title)| (level, title.to_owned())), "{line:?}");
    }
}

#[test]
fn an_underlined_line_is_a_heading_unless_it_is_something_else() {
    assert_eq!(titles("Title\n=====\n\nPart\n---\ntext\n"), [(1, "Title".into()), (2, "Part".into())]);
    let none = [
        "| a | b |\n---\n",
        "- item\n---\n",
        "1. item\n---\n",
        "> quote\n---\n",
        "two lines\nof text\n---\n",
        "text\n\n---\n\ntext\n",
        "---\n---\n",
    ];
    for text in none {
        assert!(titles(text).iter().all(|(level, _)| *level == 0), "{text:?}");
    }
}

#[test]
fn settings_at_the_beginning_hold_no_heading() {
    assert_eq!(titles("---\nname: x\n# no\n---\n# A\n"), [(0, String::new()), (1, "A".into())]);
}

#[test]
fn a_comment_in_code_is_no_heading() {
    let cases = [
        "```sh\n# comment\n```\n# A\n",
        "~~~\n# comment\n```\n# more\n~~~\n# A\n",
        "````md\n```\n# inner\n```\n````\n# A\n",
        "- item\n  ```sh\n  # x\n# comment at the margin\n  ```\n# A\n",
        "`````\n# x\n``````\n# A\n",
    ];
    for text in cases {
        let found: Vec<_> = titles(text).into_iter().filter(|(level, _)| *level > 0).collect();
        assert_eq!(found, [(1, "A".to_owned())], "{text:?}");
    }
}

#[test]
fn a_fence_with_a_language_inside_one_of_the_same_length_is_nested() {
    let text =
        "```markdown\n# inner\n```python\n# comment\n```\n# still inner\n```\n# A\n```sh\n# c\n```\n## B\n";
    assert_eq!(titles(text)[1..], [(1, "A".into()), (2, "B".into())]);
    // Taken as nested this one would never end.
    let literal = "```text\n```python\n```\n# A\n";
    assert_eq!(titles(literal)[1..], [(1, "A".into())]);
}

#[test]
fn an_unclosed_fence_runs_to_the_end_and_code_in_a_line_opens_none() {
    assert_eq!(titles("# A\n```\n# x\n"), [(1, "A".into())]);
    assert_eq!(titles("```inline``` text\n# A\n")[1..], [(1, "A".into())]);
}

fn touched(text: &str, changed: &[core::ops::RangeInclusive<u32>]) -> Vec<(usize, usize)> {
    let outline = Outline::parse(text);
    outline.touched(changed).into_iter().map(|lines| (lines.start, lines.end)).collect()
}

#[test]
fn a_change_touches_the_section_it_stands_in_and_neighbours_are_joined() {
    let text = "# A\nlead\n## B\nb\n## C\nc\n### D\nd\n## E\ne\n";
    assert_eq!(touched(text, &[4..=4]), [(2, 4)]);
    assert_eq!(touched(text, &[4..=4, 10..=10]), [(2, 4), (8, 10)]);
    assert_eq!(touched(text, &[8..=8]), [(6, 8)], "not what stands above it");
    assert_eq!(touched(text, &[10..=10, 8..=8, 4..=4]), [(2, 4), (6, 10)], "in the order of the document");
    assert_eq!(touched(text, &[]), []);
    assert_eq!(touched(text, &[99..=120]), []);
    let outline = Outline::parse(text);
    assert_eq!(outline.at(7).map(|section| section.title), Some("D"));
    assert_eq!(outline.at(99), None);
}

#[test]
fn a_change_above_subsections_brings_them_and_each_line_comes_once() {
    let text = "# A\nlead\n## B\nb\n## C\nc\n### D\n```sh\n# no heading\n```\n## E\nee\n## F\nfffffffffffffffffffffff\n";
    assert_eq!(touched(text, &[6..=6]), [(4, 10)], "C with D, and with the code in it");
    assert_eq!(touched(text, &[6..=6, 9..=9]), [(4, 10)], "D stands in C");
    assert_eq!(touched(text, &[9..=9]), [(6, 10)]);
    assert_eq!(touched(text, &[2..=2]), [(0, 2)], "A is the whole document");
    assert_eq!(touched(text, &[2..=2, 4..=6]), [(0, 10)]);
}

#[test]
fn a_section_too_large_to_be_shown_comes_without_its_subsections() {
    let with = |chars: usize| {
        let (sub, rest) = ("x".repeat(chars), "y".repeat(3 * SECTION_CHARS_MAX));
        touched(&format!("# A\n## B\nb\n### C\n{sub}\n## D\n{rest}\n"), &[3..=3])
    };
    let frame = "## B\nb\n### C\n\n".len();
    assert_eq!(with(SECTION_CHARS_MAX - frame), [(1, 5)]);
    assert_eq!(with(SECTION_CHARS_MAX - frame + 1), [(1, 3)]);
    // More than half of the document counts as the document.
    assert_eq!(touched("# A\n## B\nb\n### C\ncccccc\n## D\nd\n", &[3..=3]), [(1, 3)]);
}

#[test]
fn blocks_have_their_labels_and_say_whether_they_end() {
    let text = "```md a\n```sh\n# c\n```\n```\ntext\n~~~ diff\n+a\n~~~\n~~~\n";
    let outline = Outline::parse(text);
    let found = |at: usize| {
        let block = &outline.blocks()[at];
        (block.label, block.lines.clone(), block.closed)
    };
    // The last fence has no end, so nothing is taken as nested.
    assert_eq!(found(0), ("md a", 0..4, true));
    assert_eq!(found(1), ("", 4..10, false));
    let even = text.strip_suffix("~~~\n").unwrap();
    let outline = Outline::parse(even);
    let labels: Vec<_> = outline.blocks().iter().map(|block| (block.label, block.lines.clone())).collect();
    assert_eq!(labels, [("md a", 0..5), ("diff", 6..9)]);
}

/// Lines that headings and fences are made of, so that every kind of neighbour occurs.
fn document() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just("# a"),
        Just("## b ##"),
        Just("#### c"),
        Just("```"),
        Just("```rs"),
        Just("````md"),
        Just("~~~"),
        Just("~~~~ x"),
        Just("    ```"),
        Just("text"),
        Just("==="),
        Just("---"),
        Just("- item"),
        Just(""),
        "[ -~]{0,12}".prop_map(|text| &*text.leak()),
    ];
    (proptest::collection::vec(line, 0..40), any::<bool>())
        .prop_map(|(lines, ended)| lines.join("\n") + if ended { "\n" } else { "" })
}

proptest! {
    #[test]
    fn the_own_parts_cover_the_document_and_sections_nest(text in document()) {
        let outline = Outline::parse(&text);
        let whole: String = outline.sections().iter().map(|section| outline.text(section.own.clone())).collect();
        prop_assert_eq!(&whole, &text);
        for (at, section) in outline.sections().iter().enumerate() {
            prop_assert_eq!(section.lines.start, section.own.start);
            prop_assert!(section.own.end <= section.lines.end);
            for later in &outline.sections()[at + 1..] {
                let inside = later.lines.start < section.lines.end;
                prop_assert!(!inside || later.lines.end <= section.lines.end, "sections overlap");
                prop_assert!(!inside || later.level > section.level, "a section runs on over its equal");
            }
        }
    }

    #[test]
    fn no_heading_stands_in_a_fence_and_every_line_has_a_section(text in document()) {
        let outline = Outline::parse(&text);
        for section in outline.sections().iter().filter(|section| section.level > 0) {
            prop_assert!(!outline.blocks().iter().any(|block| block.lines.contains(&section.own.start)));
        }
        for line in 0..outline.lines().len() {
            prop_assert!(outline.at(line).is_some_and(|section| section.own.contains(&line)));
        }
    }

    #[test]
    fn a_line_between_closed_fences_is_fenced(body in "[a-z# \n]{0,40}", tilde: bool, longer in 0..3_usize) {
        let fence = if tilde { "~" } else { "`" }.repeat(3 + longer);
        let text = format!("# A\n{fence}x\n{body}\n{fence}\n# B\n");
        let found: Vec<_> = titles(&text);
        prop_assert_eq!(found, [(1, "A".to_owned()), (1, "B".to_owned())]);
    }
}
