//! What a repository says about how work is done in it: the files that say so, as much of them as prompts have room
//! for, and the form in which that is kept with a loop.
//!
//! Who reads the files, and from where, is decided elsewhere; who is told of them, and in which words, too. Start at
//! [`Conventions::new`].

use redraft_facts::prelude::*;
use serde::{Deserialize, Serialize};

/// Where such files stand, the most telling first: what does not fit is cut from the last ones.
pub const FILES: [&str; 9] = [
    "AGENTS.md",
    "CLAUDE.md",
    ".claude/CLAUDE.md",
    "CONTRIBUTING.md",
    "CONTRIBUTING",
    "CONTRIBUTING.rst",
    ".github/CONTRIBUTING.md",
    "docs/CONTRIBUTING.md",
    ".editorconfig",
];

/// Settings of the repository's tools that bind whoever writes code. They come behind the files above and say what a tool
/// will complain about.
pub const SETTINGS: [&str; 20] = [
    "rustfmt.toml",
    ".rustfmt.toml",
    "clippy.toml",
    ".clippy.toml",
    ".prettierrc",
    ".prettierrc.json",
    ".prettierrc.json5",
    ".prettierrc.yaml",
    ".prettierrc.yml",
    ".prettierrc.toml",
    "ruff.toml",
    ".ruff.toml",
    PYPROJECT,
    "biome.json",
    "biome.jsonc",
    ".golangci.yml",
    ".golangci.yaml",
    ".golangci.toml",
    ".clang-format",
    "tsconfig.json",
];

/// It says much that binds nobody; only what it says to formatters and linters counts.
const PYPROJECT: &str = "pyproject.toml";

/// A longer file of settings is only named: few of its lines bear on one task.
const SETTINGS_CHARS_MAX: usize = 2_000;

/// Characters of all of them together: a trade between rules that nobody was told of and what every new conversation
/// pays for.
pub const CHARS_MAX: usize = 8_000;

/// The conventions of a repository as a loop keeps them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conventions {
    pub files: Vec<ConventionFile>,
}

/// One file of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConventionFile {
    pub path: String,
    /// Its beginning, as far as there was room for it.
    pub text: String,
    /// How many characters the whole of it has.
    pub chars: u64,
    /// Whether the folder in which agents work had the same when the loop was opened, so that they may open it there.
    pub at_hand: bool,
}

/// The stored form, version 1.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    v: u16,
    files: Vec<ConventionFile>,
}

impl Conventions {
    /// As much of the files as there is room for. `found` has each with its path, without secrets; `is_at_hand` says
    /// whether agents have the same file in their folder.
    pub fn new(found: &[(String, String)], is_at_hand: impl Fn(&str, &str) -> bool) -> Conventions {
        let mut room = CHARS_MAX;
        let mut files: Vec<ConventionFile> = Vec::new();
        for (at, (path, whole)) in found.iter().enumerate() {
            // One file often stands under two names.
            let repeats = found.iter().take(at).any(|(_, earlier)| earlier == whole);
            let text = if path == PYPROJECT { of_linters(whole) } else { without_our_block(whole) };
            if text.trim().is_empty() || is_link(&text) || repeats {
                continue;
            }
            let shown = match is_settings(path) {
                true => Some(text.as_str()).filter(|text| is_short(text, room)).unwrap_or_default(),
                false => beginning(&text, room),
            };
            room -= shown.chars().count();
            files.push(ConventionFile {
                path: path.clone(),
                text: shown.to_owned(),
                chars: text.chars().count() as u64,
                at_hand: is_at_hand(path, whole),
            });
        }
        Conventions { files }
    }

    /// The bytes to keep; none where there is nothing to say.
    pub fn encode(&self) -> Option<Vec<u8>> {
        let files = self.files.clone();
        if files.is_empty() { None } else { serde_json::to_vec(&Stored { v: 1, files }).ok() }
    }

    /// Reads what was kept. Bytes that cannot be read say nothing.
    pub fn decode(bytes: &[u8]) -> Conventions {
        match serde_json::from_slice(bytes) {
            Ok(Stored { v: 1, files }) => Conventions { files },
            _ => Conventions::default(),
        }
    }
}

impl ConventionFile {
    /// Whether it has the settings of a tool.
    pub fn is_settings(&self) -> bool {
        is_settings(&self.path)
    }

    /// How many characters at its end are not in its text.
    pub fn cut(&self) -> u64 {
        self.chars.saturating_sub(self.text.chars().count() as u64)
    }
}

/// A text without what `redraft plugin export` wrote into it: that is for whoever works in a host, and says so.
fn without_our_block(text: &str) -> String {
    let mut inside = false;
    let mut kept = String::new();
    for line in text.split_inclusive('\n') {
        let (begins, ends) = (line.contains("<!-- redraft:begin"), line.contains("<!-- redraft:end"));
        inside = (inside || begins) && !ends;
        if !inside && !ends {
            kept.push_str(line);
        }
    }
    kept
}

fn is_settings(path: &str) -> bool {
    SETTINGS.contains(&path)
}

/// Whether settings are given whole.
fn is_short(text: &str, room: usize) -> bool {
    text.chars().count() <= room.min(SETTINGS_CHARS_MAX)
}

/// The tables of a `pyproject.toml` that are about ruff and black.
fn of_linters(text: &str) -> String {
    let mut inside = false;
    let mut kept = String::new();
    for line in text.split_inclusive('\n') {
        if let Some(table) = line.trim_start().strip_prefix('[') {
            let name = table.trim_start_matches('[').split(']').next().unwrap_or_default().trim();
            let is = |tool: &str| {
                name.strip_prefix(tool).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            };
            // A list goes on with lines that begin with a bracket, too; no table has such a name.
            let is_table = !name.is_empty() && !name.contains(['"', '\'', ',']) && table.contains(']');
            inside = if is_table { is("tool.ruff") || is("tool.black") } else { inside };
        }
        if inside {
            kept.push_str(line);
        }
    }
    kept
}

/// Whether a text is only the name of a file: git keeps a link as such a text.
fn is_link(text: &str) -> bool {
    !text.contains(char::is_whitespace) && !text.starts_with('{')
}

/// The lines from the beginning of a text that have no more than this many characters; of a single line that is longer,
/// nothing.
fn beginning(text: &str, chars_max: usize) -> &str {
    let mut chars = 0;
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        chars += line.chars().count();
        if chars > chars_max {
            break;
        }
        end += line.len();
    }
    text.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(files: &[(&str, &str)]) -> Vec<(String, String)> {
        files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
    }

    #[test]
    fn what_has_no_room_is_cut_at_a_line_and_counted_and_later_files_are_named_at_least() {
        let (long, other) = ("A rule.\n".repeat(900), "A way.\nA rule.\n".repeat(480));
        let of = Conventions::new(
            &found(&[("AGENTS.md", &long), ("CONTRIBUTING.md", &other), (".editorconfig", "root = true\n")]),
            |path, _| path == "AGENTS.md",
        );
        let told: Vec<(&str, usize, u64, bool)> = (of.files.iter())
            .map(|file| (file.path.as_str(), file.text.chars().count(), file.cut(), file.at_hand))
            .collect();
        let all = [
            ("AGENTS.md", 7_200, 0, true),
            ("CONTRIBUTING.md", 795, 6_405, false),
            (".editorconfig", 0, 12, false),
        ];
        assert_eq!(told, all);
        assert!(
            of.files.iter().all(|file| file.text.is_empty() || file.text.ends_with(".\n")),
            "whole lines"
        );
    }

    #[test]
    fn a_second_name_of_the_same_text_a_link_an_empty_file_and_our_own_block_say_nothing() {
        let files =
            [("AGENTS.md", "Be brief.\n"), ("CLAUDE.md", "Be brief.\n"), ("CONTRIBUTING.md", "AGENTS.md")];
        let of = Conventions::new(&found(&[&files[..], &[(".editorconfig", " \n")]].concat()), |_, _| true);
        let paths: Vec<&str> = of.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["AGENTS.md"]);
        let block = "<!-- redraft:begin (written) -->\nRun redraft.\n<!-- redraft:end -->\n";
        assert_eq!(Conventions::new(&found(&[("AGENTS.md", block)]), |_, _| true), Conventions::default());
        let around = format!("Be brief.\n{block}Be kind.\n");
        let of = Conventions::new(&found(&[("AGENTS.md", &around)]), |_, whole| whole == around);
        assert_eq!((of.files[0].text.as_str(), of.files[0].at_hand), ("Be brief.\nBe kind.\n", true));
        assert_eq!(Conventions::new(&[], |_, _| true).encode(), None);
    }

    #[test]
    fn settings_of_tools_come_whole_where_they_are_short_and_are_only_named_where_they_are_not() {
        let python = "[project]\nname = \"x\"\n\n[tool.ruff]\nline-length = 100\n[tool.ruff.lint]\nselect = [\n  \"E\",\n]\n\n\
                      [tool.pytest]\nx = 1\n[tool.black]\nx = 2\n[[tool.rufflike]]\nx = 3\n";
        let (long, rules) = (format!("max = 1\n{}", "# more\n".repeat(300)), "A rule.\n".repeat(990));
        let settings = [
            ("clippy.toml", long.as_str()),
            (".prettierrc", "{\"semi\":false}"),
            ("pyproject.toml", python),
            ("tsconfig.json", "{ \"strict\": true }\n"),
        ];
        let told = |first: &[(&str, &str)]| {
            let of = Conventions::new(&found(&[first, &settings[..]].concat()), |_, _| false);
            assert!(of.files.iter().all(|file| file.is_settings() == (file.path != "AGENTS.md")));
            let settings = of.files.iter().filter(|file| file.is_settings());
            settings.map(|file| (file.path.clone(), file.text.clone())).collect::<Vec<_>>()
        };
        let kept = "[tool.ruff]\nline-length = 100\n[tool.ruff.lint]\nselect = [\n  \"E\",\n]\n\n[tool.black]\nx = 2\n";
        let all = |texts: &[(&str, &str)]| found(texts);
        let wanted = all(&[("clippy.toml", ""), settings[1], ("pyproject.toml", kept), settings[3]]);
        assert_eq!(told(&[]), wanted);
        // Where there is no room for all of it there is none for half of it.
        let wanted = all(&[("clippy.toml", ""), settings[1], ("pyproject.toml", ""), settings[3]]);
        assert_eq!(told(&[("AGENTS.md", &rules)]), wanted);
        let nothing = [("pyproject.toml", "[project]\nname = \"x\"\n")];
        assert_eq!(Conventions::new(&found(&nothing), |_, _| true), Conventions::default());
    }

    #[test]
    fn the_stored_form_is_read_again_and_another_version_says_nothing() {
        let of = Conventions::new(&found(&[("AGENTS.md", "Be brief.\n")]), |_, _| true);
        let bytes = of.encode().unwrap();
        let stored =
            r#"{"v":1,"files":[{"path":"AGENTS.md","text":"Be brief.\n","chars":10,"at_hand":true}]}"#;
        assert_eq!(core::str::from_utf8(&bytes), Ok(stored));
        assert_eq!(Conventions::decode(&bytes), of);
        assert_eq!(Conventions::decode(stored.replace("1,", "2,").as_bytes()), Conventions::default());
    }

    proptest! {
        #[test]
        fn no_more_than_there_is_room_for_is_kept_and_nothing_is_lost_uncounted(
            lines in proptest::collection::vec(("[a-zä ]{0,30}\n", 0..400usize), 0..6),
        ) {
            let texts: Vec<String> = lines.iter().map(|(line, times)| line.repeat(*times)).collect();
            let found: Vec<(String, String)> =
                texts.iter().enumerate().map(|(at, text)| (at.to_string(), text.clone())).collect();
            let of = Conventions::new(&found, |_, _| false);
            let kept: usize = of.files.iter().map(|file| file.text.chars().count()).sum();
            prop_assert!(kept <= CHARS_MAX);
            for file in &of.files {
                let at: usize = file.path.parse().unwrap();
                let whole = &texts[at];
                prop_assert!(whole.starts_with(&file.text));
                prop_assert_eq!(file.text.chars().count() as u64 + file.cut(), whole.chars().count() as u64);
            }
        }
    }
}
