//! Writes many similar texts so that every line stands once: what a text shares with an earlier one is named by its
//! lines there.
//!
//! A sentence that thirty texts have in common is then changed in one place, and a reader sees what is different in each of
//! the thirty. Nothing is lost: [`read`] gives the texts back, and a property test compares them.

use proptest::prelude::*;
use redraft_facts::prelude::*;

/// Begins every line that is not part of a text.
const MARK: &str = "==== ";
const UNENDED: &str = " (without a line end)";
/// Shorter lines, such as headings and fences, hold nothing that would have to be changed in two places; where only
/// those are the same, the text is easier to read with them in it.
const SHARED_CHARS_MIN: usize = 30;

/// Texts under labels, each of which is used once.
#[derive(Default)]
pub(super) struct Page {
    texts: Vec<(String, Vec<String>)>,
    written: String,
}

/// Lines of an earlier text.
struct Run<'a> {
    label: &'a str,
    start: usize,
    count: usize,
}

impl Page {
    pub(super) fn add(&mut self, label: &str, text: &str) {
        let lines: Vec<String> = text.split_terminator('\n').map(str::to_owned).collect();
        assert!(self.texts.iter().all(|(known, _)| known != label), "two texts are called `{label}`");
        assert!(!lines.iter().any(|line| line.starts_with(MARK)), "a line of {label} begins with {MARK}");
        let unended = if text.ends_with('\n') { "" } else { UNENDED };
        let mut written = format!("{MARK}{label}{unended}\n");
        let mut at = 0;
        while let Some(line) = lines.get(at) {
            if let Some(Run { label, start, count }) = self.longest(&lines[at..]) {
                let (first, last) = (start + 1, start + count);
                let place =
                    if count == 1 { format!("line {first}") } else { format!("lines {first} to {last}") };
                written.push_str(&format!("{MARK}{place} of {label}\n"));
                at += count;
            } else {
                written.push_str(&format!("{line}\n"));
                at += 1;
            }
        }
        self.written.push_str(&written);
        self.texts.push((label.to_owned(), lines));
    }

    pub(super) fn written(self) -> String {
        self.written
    }

    /// The most lines from the beginning of these that an earlier text has together; of several texts, in the first.
    fn longest(&self, wanted: &[String]) -> Option<Run<'_>> {
        let mut best: Option<Run<'_>> = None;
        for (label, lines) in &self.texts {
            for start in 0..lines.len() {
                let same = lines[start..].iter().zip(wanted).take_while(|(known, line)| known == line);
                let count = same.count();
                if count > best.as_ref().map_or(0, |run| run.count) {
                    best = Some(Run { label, start, count });
                }
            }
        }
        let says_something = |line: &String| line.chars().count() >= SHARED_CHARS_MIN;
        best.filter(|run| wanted[..run.count].iter().any(says_something))
    }
}

/// The texts of a page, by label.
pub(super) fn read(written: &str) -> BTreeMap<String, String> {
    let mut texts: BTreeMap<String, (bool, Vec<String>)> = BTreeMap::new();
    let mut now = String::new();
    for line in written.split_terminator('\n') {
        let ours = line.strip_prefix(MARK);
        let lines = match (ours, ours.and_then(place)) {
            (Some(_), Some((first, last, label))) => texts[label].1[first - 1..last].to_vec(),
            (Some(heading), None) => {
                let label = heading.strip_suffix(UNENDED);
                label.unwrap_or(heading).clone_into(&mut now);
                texts.insert(now.clone(), (label.is_none(), Vec::new()));
                continue;
            }
            (None, _) => vec![line.to_owned()],
        };
        texts.get_mut(&now).expect("a page begins with a label").1.extend(lines);
    }
    let whole = |(label, (ended, lines)): (String, (bool, Vec<String>))| {
        let end = if ended && !lines.is_empty() { "\n" } else { "" };
        (label, format!("{}{end}", lines.join("\n")))
    };
    texts.into_iter().map(whole).collect()
}

/// `lines 3 to 5 of spec-author: draft`
fn place(ours: &str) -> Option<(usize, usize, &str)> {
    let (numbers, label) = ours.strip_prefix("lines ").or(ours.strip_prefix("line "))?.split_once(" of ")?;
    let (first, last) = numbers.split_once(" to ").unwrap_or((numbers, numbers));
    Some((first.parse().ok()?, last.parse().ok()?, label))
}

#[test]
fn what_an_earlier_text_has_is_named_by_its_lines_and_what_is_new_is_written() {
    let rule = "One rule that every one of the texts has.";
    let other = "Another rule that every one of the texts has.";
    let mut page = Page::default();
    page.add("a", &format!("# Rules\n\n{rule}\n{other}\n"));
    page.add("b", &format!("# Rules\n\n{rule}\nOnly here.\n{other}\n"));
    page.add("c", "# Rules\n\nShort.");
    let expected = format!(
        "==== a\n# Rules\n\n{rule}\n{other}\n\
         ==== b\n==== lines 1 to 3 of a\nOnly here.\n==== line 4 of a\n\
         ==== c (without a line end)\n# Rules\n\nShort.\n"
    );
    assert_eq!(page.written(), expected);
}

proptest! {
    #[test]
    fn every_text_can_be_read_back_from_what_is_written(
        texts in proptest::collection::vec("(a\n|\n|```\n|A line that is long enough to be shared\\.\n|\
                                            Another one that is long enough to be shared\\.\n){1,9}b?", 1..8)
    ) {
        let mut page = Page::default();
        let mut expected = BTreeMap::new();
        for (at, text) in texts.into_iter().enumerate() {
            let label = format!("text {at} of some, in lines 1 to 2");
            page.add(&label, &text);
            expected.insert(label, text);
        }
        prop_assert_eq!(read(&page.written()), expected);
    }
}
