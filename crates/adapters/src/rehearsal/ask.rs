//! What a request asks, read from the fragments of its prompt.
//!
//! A prompt is Markdown made by the engine; what stands in fences and findings was written by others and stays
//! data. Start at [`Ask::read`]. Nothing here reads a file.

use redraft_core::prompt::Prompt;
use redraft_core::verdict::Severity;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Ask {
    /// Files the role was told to read: label and path.
    pub(super) artifacts: Vec<(String, String)>,
    pub(super) shown: Option<Shown>,
    pub(super) delta: Option<String>,
    pub(super) open: Vec<Open>,
    pub(super) idea: Option<String>,
    pub(super) gate: Option<String>,
    pub(super) others_changed: bool,
}

/// The artifact under review: its path, and its text unless it has to be read from there.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) path: String,
    pub(super) text: Option<String>,
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
}

impl Ask {
    pub(super) fn read(prompt: &Prompt) -> Self {
        let fenced_in = |name: &str| prompt.get(name).map(|text| fenced(text).unwrap_or(text).to_owned());
        Ask {
            artifacts: prompt.get("required-artifacts").map(artifacts).unwrap_or_default(),
            shown: prompt.get("artifact").and_then(shown),
            delta: fenced_in("delta"),
            open: prompt.get("open-findings").map(open_findings).unwrap_or_default(),
            idea: fenced_in("idea").map(|idea| idea.trim().to_owned()),
            gate: fenced_in("gate"),
            others_changed: prompt.get("changes-by-others").is_some(),
        }
    }

    /// The path of the artifact with this label, if there is a file to read.
    pub(super) fn path(&self, label: &str) -> Option<&str> {
        let found = self.artifacts.iter().find(|(known, _)| known.eq_ignore_ascii_case(label));
        found.map(|(_, path)| path.as_str())
    }
}

/// `- PRD: docs/features/031-x/prd.md`; a line that explains why there is no file has spaces in it.
fn artifacts(text: &str) -> Vec<(String, String)> {
    let lines = text.lines().filter_map(|line| line.trim().strip_prefix("- "));
    let pairs = lines.filter_map(|line| line.split_once(": "));
    let paths = pairs.map(|(label, path)| (label.trim(), path.trim().trim_matches('`')));
    let files = paths.filter(|(_, path)| !path.contains(char::is_whitespace) && !path.is_empty());
    files.map(|(label, path)| (label.to_owned(), path.to_owned())).collect()
}

/// `path: N lines, B bytes, sha256 H`, and the text in a fence if it is there.
fn shown(text: &str) -> Option<Shown> {
    let header = text.lines().find(|line| line.contains(" lines, ") && line.contains(" bytes"))?;
    let (path, facts) = header.split_once(": ")?;
    let bytes = facts.split(", ").find_map(|fact| fact.trim().strip_suffix(" bytes"))?;
    let bytes: usize = bytes.replace(',', "").parse().ok()?;
    let body = fenced(&text[text.find(header)? + header.len()..]).map(|body| {
        // A fence needs a line end before it that the file may not have.
        let added = body.len() == bytes + 1 && body.ends_with('\n');
        if added { body[..bytes].to_owned() } else { body.to_owned() }
    });
    Some(Shown { path: path.trim_start_matches("- ").trim().trim_matches('`').to_owned(), text: body })
}

/// The body of the first fenced block.
fn fenced(text: &str) -> Option<&str> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let ticks = line.bytes().take_while(|b| *b == b'`').count();
        let body = start + line.len();
        start = body;
        if ticks < 3 {
            continue;
        }
        let fence = &line[..ticks];
        let rest = &text[body..];
        if rest.starts_with(fence) {
            return Some("");
        }
        let end = rest.find(&format!("\n{fence}"))?;
        return Some(&rest[..=end]);
    }
    None
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
        description: description.trim().to_owned(),
        place: place.to_owned(),
        quote: String::new(),
    })
}

fn unquoted(text: &str) -> &str {
    let text = text.trim();
    let pairs = [('"', '"'), ('“', '”'), ('`', '`'), ('\'', '\'')];
    let inside = pairs.iter().find_map(|(open, close)| text.strip_prefix(*open)?.strip_suffix(*close));
    inside.unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use redraft_core::prompt::Fragment;
    use redraft_core::text;

    fn prompt(fragments: &[(&str, String)]) -> Prompt {
        let turn = fragments.iter().map(|(name, text)| Fragment::new(name, text.clone())).collect();
        Prompt { turn, ..Prompt::default() }
    }

    #[test]
    fn the_artifact_is_read_byte_for_byte_whatever_it_contains() {
        for body in ["plain\n", "no end", "````\nfence\n````\n", "", "a\r\nb\r\n", "\n\n"] {
            let header = format!(
                "## Spec Under Review\n\ndocs/x/spec.md: 1 lines, {} bytes, sha256 00\n\n",
                body.len()
            );
            let ask = Ask::read(&prompt(&[("artifact", header + &text::fenced("markdown", body))]));
            let expected = Shown { path: "docs/x/spec.md".to_owned(), text: Some(body.to_owned()) };
            assert_eq!(ask.shown, Some(expected), "{body:?}");
        }
    }

    #[test]
    fn a_header_without_text_gives_the_path_only() {
        let text = "## Spec Under Review\n\ndocs/x/spec.md: 12 lines, 300 bytes, sha256 00\n".to_owned();
        let ask = Ask::read(&prompt(&[("artifact", text)]));
        assert_eq!(ask.shown, Some(Shown { path: "docs/x/spec.md".to_owned(), text: None }));
    }

    #[test]
    fn a_missing_prd_is_no_path() {
        let text = "## Required Artifacts\n\n- PRD: No PRD — feature created without brainstorm\n- Spec: a/spec.md\n";
        let ask = Ask::read(&prompt(&[("required-artifacts", text.to_owned())]));
        assert_eq!((ask.path("PRD"), ask.path("Spec")), (None, Some("a/spec.md")));
    }

    #[test]
    fn open_findings_are_read_with_place_and_quote() {
        let text = "## Open Findings\n\n- [S1] [blocker] [testability] no `R1` (see it) (at: a/spec.md:12 (Requirements))\n  Quote: \"- R1: x\"\n  Suggestion: add\n- [S2] [warning] [clarity] y (at: no place given)\n";
        let ask = Ask::read(&prompt(&[("open-findings", text.to_owned())]));
        assert_eq!(ask.open.len(), 2);
        assert_eq!(ask.open[0].description, "no `R1` (see it)");
        assert_eq!(ask.open[0].place, "a/spec.md:12 (Requirements");
        assert_eq!(ask.open[0].quote, "- R1: x");
        assert_eq!(ask.open[1].severity, Some(Severity::Warning));
    }
}
