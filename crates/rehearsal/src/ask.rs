//! Reads what a request asks from the fragments of its prompt.
//!
//! A prompt is Markdown made by the engine; the content of fences and findings was written by others and stays data.
//! Start at [`Ask::read`]. Nothing here reads a file. A document may be named by its path, given whole in a fence below
//! a line with its path and size, or given in parts; only a whole one is taken for the document.

use crate::parsed_document::marks;
use redraft_documents::delta::Delta;
use redraft_facts::fragment::Prompt;
use redraft_facts::verdict::Severity;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Ask {
    /// Files the role was told to read: label and path.
    pub(super) artifacts: Vec<(String, String)>,
    /// The path of the document under review.
    pub(super) under_review: Option<String>,
    /// Documents whose whole text stands in the prompt.
    pub(super) given: Vec<Given>,
    /// The parts of the document under review, where it is given in parts.
    pub(super) excerpt: Option<Excerpt>,
    pub(super) delta: Option<String>,
    pub(super) open: Vec<Open>,
    pub(super) idea: Option<String>,
    pub(super) gate: Option<String>,
    pub(super) others_changed: bool,
    /// Whether an author may ask before it writes.
    pub(super) may_ask: bool,
    /// What an author asked before, and the answers.
    pub(super) answers: Vec<Answered>,
    /// The text of the work: a task, or an outline of tests.
    pub(super) task: Option<String>,
    /// The part of the design that goes with the task.
    pub(super) design: Option<String>,
    /// The files of the change.
    pub(super) files: Vec<String>,
    /// The tasks that are not looked for in the change: a person went on without them, or they were done before.
    pub(super) left_out: Vec<String>,
    /// Whether it is shown what has changed and not the whole.
    pub(super) in_part: bool,
}

/// A question of the author's and the answer, or what it has to assume.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answered {
    pub(super) question: String,
    pub(super) said: String,
    /// Whether somebody answered.
    pub(super) decided: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Given {
    pub(super) path: String,
    pub(super) text: String,
}

/// Parts of a document, by their lines.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Excerpt {
    pub(super) path: String,
    /// How many lines the whole document has.
    pub(super) lines: usize,
    /// The first line of each part, from 0, and its text.
    parts: Vec<(usize, String)>,
}

impl Excerpt {
    /// The document as far as it is known: an unknown line is empty, so that all keep their numbers.
    pub(super) fn text(&self) -> String {
        let mut lines = vec![""; self.lines];
        for (start, part) in &self.parts {
            for (line, known) in lines.iter_mut().skip(*start).zip(part.lines()) {
                *line = known;
            }
        }
        lines.iter().flat_map(|line| [line, "\n"]).collect()
    }

    pub(super) fn holds(&self, line: usize) -> bool {
        self.parts.iter().any(|(start, part)| (*start..start + part.lines().count()).contains(&line))
    }
}

/// An open finding as the prompt lists it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Open {
    pub(super) id: String,
    pub(super) severity: Option<Severity>,
    pub(super) category: String,
    pub(super) description: String,
    pub(super) place: String,
    pub(super) quote: String,
    /// What the description names in backticks.
    pub(super) marks: Vec<String>,
}

impl Ask {
    pub(super) fn read(prompt: &Prompt) -> Self {
        let fenced_in = |name: &str| prompt.get(name).map(|text| fenced(text).unwrap_or(text).to_owned());
        let delta = fenced_in("delta");
        let artifacts: Vec<(String, String)> =
            named_artifacts(prompt).into_iter().flat_map(artifacts).collect();
        let shown = prompt.get("artifact").and_then(|text| blocks(text).find_map(|block| block.header));
        let shown = shown.or_else(|| prompt.get("artifact").and_then(header_in));
        let shown = shown.or_else(|| prompt.get("touched-sections").and_then(header_in));
        let in_delta = || Delta::parse(delta.as_deref()?).files.first().map(|file| file.path.clone());
        let listed = || artifacts.iter().find(|(label, _)| label.eq_ignore_ascii_case("Spec"));
        Ask {
            under_review: shown
                .map(|header| header.path)
                .or_else(in_delta)
                .or_else(|| listed().map(|(_, path)| path.clone())),
            excerpt: prompt.get("touched-sections").and_then(excerpt),
            given: prompt.fragments().flat_map(|(_, fragment)| given(&fragment.text)).collect(),
            open: prompt.get("open-findings").map(open_findings).unwrap_or_default(),
            idea: fenced_in("idea").map(|idea| idea.trim().to_owned()),
            gate: fenced_in("gate"),
            others_changed: prompt.get("changes-by-others").is_some(),
            may_ask: prompt.get("may-ask").is_some(),
            answers: prompt.get("answers").map(answered).unwrap_or_default(),
            task: prompt.get("task").and_then(fenced).map(str::to_owned),
            design: prompt.get("task-design").and_then(fenced).map(str::to_owned),
            files: (prompt.get("given-change").or_else(|| prompt.get("implementation-files")))
                .map(changed_files)
                .unwrap_or_default(),
            left_out: ["left-out", "done-before"]
                .iter()
                .filter_map(|name| prompt.get(name))
                .flat_map(first_words)
                .collect(),
            in_part: prompt.get("digest-note").is_some(),
            artifacts,
            delta,
        }
    }

    /// The path of the artifact with this label, named or given.
    pub(super) fn path(&self, label: &str) -> Option<&str> {
        let named = self.artifacts.iter().find(|(known, _)| known.eq_ignore_ascii_case(label));
        let stem = |path: &str| {
            path.rsplit('/').next().and_then(|name| name.split('.').next()).map(str::to_lowercase)
        };
        let given = || self.given.iter().find(|given| stem(&given.path) == Some(label.to_lowercase()));
        named.map(|(_, path)| path.as_str()).or_else(|| given().map(|given| given.path.as_str()))
    }

    /// The whole text of a document, if the prompt holds it.
    pub(super) fn text(&self, path: &str) -> Option<&str> {
        self.given.iter().find(|given| given.path == path).map(|given| given.text.as_str())
    }
}

/// Fragments that list artifacts: `required-artifacts`, and others with such a name.
fn named_artifacts(prompt: &Prompt) -> Vec<&str> {
    let named = prompt.fragments().filter(|(_, fragment)| fragment.name.contains("artifacts"));
    named.map(|(_, fragment)| fragment.text.as_str()).collect()
}

/// `- PRD: docs/features/031-x/prd.md`; a line that explains why there is no file has spaces in it. Files for
/// reference stand in one line.
fn artifacts(text: &str) -> Vec<(String, String)> {
    let outside = unfenced(text);
    let reference = outside.iter().filter_map(|line| line.strip_prefix("For reference, ")?.split_once(": "));
    let reference = reference.flat_map(|(_, list)| list.split(", ")).filter_map(|one| one.split_once(' '));
    let lines = outside.iter().filter_map(|line| line.trim().strip_prefix("- "));
    let pairs = lines.filter_map(|line| line.split_once(": ")).chain(reference);
    let paths = pairs.map(|(label, path)| (label.trim(), path.trim().trim_matches('`')));
    let files = paths.filter(|(_, path)| !path.contains(char::is_whitespace) && !path.is_empty());
    files.map(|(label, path)| (label.to_owned(), path.to_owned())).collect()
}

/// `- src/counter.rs: +28 -0, new`; a deleted file no longer exists.
fn changed_files(text: &str) -> Vec<String> {
    let outside = unfenced(text);
    let lines = outside.iter().filter_map(|line| line.strip_prefix("- ")?.rsplit_once(": "));
    let there = lines.filter(|(_, facts)| !facts.contains(", deleted"));
    there.filter(|(_, facts)| facts.starts_with('+')).map(|(path, _)| path.to_owned()).collect()
}

/// The first word of each item: `- 2.3 Build Turns: why`.
fn first_words(text: &str) -> Vec<String> {
    let items = text.lines().filter_map(|line| line.strip_prefix("- "));
    items
        .filter_map(|item| item.split_whitespace().next())
        .map(|word| word.trim_end_matches(':').to_owned())
        .collect()
}

/// The documents a fragment gives whole: those whose text has the size that the line above it promises.
fn given(text: &str) -> Vec<Given> {
    let whole = blocks(text).filter_map(|block| {
        let Header { path, bytes, lines, replaced } = block.header?;
        let body = block.body;
        // A fence needs a line end before it that the file may not have.
        let text = match body.len().checked_sub(bytes) {
            Some(0) => body,
            Some(1) if body.ends_with('\n') => &body[..bytes],
            _ if replaced && body.lines().count() == lines => body,
            _ => return None,
        };
        Some(Given { path, text: text.to_owned() })
    });
    whole.collect()
}

/// The parts a fragment gives, each below a line `Lines A to B:`.
fn excerpt(text: &str) -> Option<Excerpt> {
    let Header { path, lines, .. } = header_in(text)?;
    let part = |block: Block<'_>| {
        let first = block.above.strip_prefix("Lines ")?.split(' ').next()?.parse::<usize>().ok()?;
        Some((first.checked_sub(1)?, block.body.to_owned()))
    };
    Some(Excerpt { path, lines, parts: blocks(text).filter_map(part).collect() })
}

/// `path: N lines, B bytes`, as it stands above a document or instead of one.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Header {
    path: String,
    bytes: usize,
    lines: usize,
    /// Whether some bytes could not be shown as they are.
    replaced: bool,
}

impl Header {
    fn read(line: &str) -> Option<Header> {
        let number = |text: &str| text.replace(',', "").parse().ok();
        let (path, facts) = line.rsplit_once(": ").filter(|(_, facts)| facts.contains(" lines, "))?;
        let fact = |unit: &str| facts.split(", ").find_map(|fact| fact.trim().strip_suffix(unit));
        let path = path.rsplit(' ').next()?.trim_matches(['`', '*', '(']);
        Some(Header {
            path: path.to_owned(),
            bytes: number(fact(" bytes")?)?,
            lines: number(fact(" lines")?)?,
            replaced: facts.contains("not valid UTF-8"),
        })
    }
}

/// The first header of a text that stands outside its fences.
fn header_in(text: &str) -> Option<Header> {
    unfenced(text).into_iter().find_map(Header::read)
}

/// A fenced block, the last line before its fence, and what that says if it is a header.
struct Block<'a> {
    above: &'a str,
    header: Option<Header>,
    body: &'a str,
}

/// The fenced blocks of a text. A fence is closed by one of the same length, so that what is inside cannot end it.
fn blocks(text: &str) -> impl Iterator<Item = Block<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut last = "";
        let mut start = 0;
        for line in rest.split_inclusive('\n') {
            start += line.len();
            let ticks = line.bytes().take_while(|b| *b == b'`').count();
            if ticks < 3 {
                last = if line.trim().is_empty() { last } else { line.trim() };
                continue;
            }
            let (body, behind) = closed(&rest[start..], &line[..ticks])?;
            rest = behind;
            return Some(Block { above: last, header: Header::read(last), body });
        }
        None
    })
}

/// The text up to the closing fence, and what follows that line.
fn closed<'a>(text: &'a str, fence: &str) -> Option<(&'a str, &'a str)> {
    let end = if text.starts_with(fence) { 0 } else { text.find(&format!("\n{fence}"))? + 1 };
    let behind = text[end..].find('\n').map_or("", |line| &text[end + line + 1..]);
    Some((&text[..end], behind))
}

/// The body of the first fenced block.
fn fenced(text: &str) -> Option<&str> {
    blocks(text).next().map(|block| block.body)
}

/// The lines of a text that stand in no fence.
fn unfenced(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut fence = 0;
    for line in text.lines() {
        let ticks = line.bytes().take_while(|b| *b == b'`').count();
        match (fence, ticks) {
            (0, 3..) => fence = ticks,
            (0, _) => found.push(line),
            (open, _) if ticks >= open => fence = 0,
            _ => {}
        }
    }
    found
}

/// `- [S1] [blocker] [testability] description (at: place)` with indented lines for quote and suggestion.
fn open_findings(text: &str) -> Vec<Open> {
    let mut found: Vec<Open> = Vec::new();
    for line in text.lines() {
        if let Some(open) = line.strip_prefix("- [").and_then(open_finding) {
            found.push(open);
        } else if let (Some(quote), Some(last)) = (line.strip_prefix("  Quote: "), found.last_mut()) {
            last.quote = unquoted(quote).to_owned();
        }
    }
    found
}

fn open_finding(line: &str) -> Option<Open> {
    let (id, rest) = line.split_once("] ")?;
    let (severity, rest) = rest.strip_prefix('[')?.split_once("] ")?;
    let (category, rest) = match rest.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
        Some(parts) => parts,
        None => ("", rest),
    };
    let (description, place) = match rest.rfind(" (at: ") {
        Some(at) => (&rest[..at], rest[at + 6..].trim_end().trim_end_matches(')')),
        None => (rest.trim_end(), ""),
    };
    let severities = [Severity::Blocker, Severity::Warning, Severity::Suggestion];
    Some(Open {
        id: id.to_owned(),
        severity: severities.into_iter().find(|known| known.name() == severity),
        category: category.to_owned(),
        marks: marks(description).map(str::to_owned).collect(),
        description: description.trim().to_owned(),
        place: place.to_owned(),
        quote: String::new(),
    })
}

/// `1. Question` and below it `Answer: …` or `Not answered; to be assumed: …`.
fn answered(text: &str) -> Vec<Answered> {
    let mut found = Vec::new();
    let mut question = "";
    for line in text.lines() {
        let number = line.bytes().take_while(u8::is_ascii_digit).count();
        if let Some(rest) = line[number..].strip_prefix(". ").filter(|_| number > 0) {
            question = rest.trim();
        } else if let Some(said) = line.trim().strip_prefix("Answer: ") {
            found.push(Answered { question: question.to_owned(), said: said.to_owned(), decided: true });
        } else if line.trim().starts_with("Not answered") && !question.is_empty() {
            let said = line.split_once("to be assumed: ").map_or("the narrower choice", |(_, said)| said);
            found.push(Answered { question: question.to_owned(), said: said.to_owned(), decided: false });
        }
    }
    found
}

fn unquoted(text: &str) -> &str {
    let text = text.trim();
    let pairs = [('"', '"'), ('“', '”'), ('`', '`'), ('\'', '\'')];
    let inside = pairs.iter().find_map(|(open, close)| text.strip_prefix(*open)?.strip_suffix(*close));
    inside.unwrap_or(text)
}

#[cfg(test)]
mod tests;
