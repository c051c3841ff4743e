//! Finds the words and paths that show what a text is about.

use redraft_facts::prelude::*;

/// Words of this many letters or fewer say little; they are counted in characters.
const SHORT: usize = 3;
/// Longer ones are hashes or data.
const LONG: usize = 40;

/// Words that occur in any text about software, or that entries consist of.
pub(super) const COMMON: [&str; 96] = [
    "about",
    "across",
    "after",
    "again",
    "against",
    "also",
    "always",
    "another",
    "anti",
    "avoid",
    "because",
    "been",
    "before",
    "being",
    "between",
    "both",
    "cannot",
    "causes",
    "change",
    "changed",
    "changes",
    "code",
    "could",
    "does",
    "done",
    "during",
    "each",
    "either",
    "entry",
    "every",
    "example",
    "feature",
    "features",
    "file",
    "files",
    "first",
    "from",
    "have",
    "having",
    "heuristic",
    "instead",
    "into",
    "issue",
    "issues",
    "just",
    "later",
    "like",
    "made",
    "make",
    "makes",
    "many",
    "more",
    "most",
    "must",
    "need",
    "needs",
    "never",
    "only",
    "other",
    "over",
    "pattern",
    "problem",
    "rather",
    "same",
    "should",
    "since",
    "some",
    "such",
    "than",
    "that",
    "their",
    "them",
    "then",
    "there",
    "these",
    "they",
    "thing",
    "things",
    "this",
    "those",
    "through",
    "time",
    "under",
    "until",
    "used",
    "using",
    "very",
    "what",
    "when",
    "where",
    "which",
    "while",
    "will",
    "with",
    "without",
    "would",
];

/// The significant words of a text in lower case, without plural endings.
pub(super) fn terms(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words.filter_map(term).collect()
}

fn term(word: &str) -> Option<String> {
    let chars = word.chars().count();
    let wide = word.chars().any(|c| c >= '\u{2e80}');
    if chars > LONG || !wide && chars <= SHORT || word.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let lower = word.to_lowercase();
    if COMMON.binary_search(&lower.as_str()).is_ok() {
        return None;
    }
    Some(stem(lower))
}

/// `paths` and `path` are one word, and so are `merges`, `merged` and `merge`.
fn stem(word: String) -> String {
    const LEAST: usize = 4;
    for (ending, put) in
        [("ies", "y"), ("sses", "ss"), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""), ("e", "")]
    {
        if word.ends_with("ss") && ending == "s" {
            continue;
        }
        if let Some(base) = word.strip_suffix(ending).filter(|base| base.len() >= LEAST && base.is_ascii()) {
            return format!("{base}{put}");
        }
    }
    word
}

/// Endings that make a word a file even without backticks around it.
pub(super) const ENDINGS: [&str; 32] = [
    "c", "cfg", "cpp", "cs", "css", "go", "h", "html", "ini", "java", "js", "json", "jsx", "kt", "lock",
    "lua", "md", "mjs", "php", "py", "rb", "rs", "sh", "sql", "swift", "toml", "ts", "tsx", "txt", "xml",
    "yaml", "yml",
];

/// Files, folders and patterns of files that a text names.
pub(super) fn paths(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    // Every second part stands in backticks.
    for (at, part) in text.split('`').enumerate() {
        let code = at % 2 == 1;
        for word in
            part.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '(' | ')' | '"' | '\'' | '|'))
        {
            if let Some(path) = path(word, code)
                && !found.iter().any(|known| known == path)
            {
                found.push(path.to_owned());
            }
        }
    }
    found
}

/// What an `Anchor:` line names: every word of it that could be a path.
pub(super) fn anchors(value: &str) -> Vec<String> {
    let words = value.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '`'));
    words.filter_map(|word| path(word, true).or_else(|| named_so(word))).map(str::to_owned).collect()
}

fn named_so(word: &str) -> Option<&str> {
    let plain =
        word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-/".contains(&byte));
    (plain && !matches!(word, "and" | "or" | "in" | "the")).then_some(word)
}

fn path(word: &str, code: bool) -> Option<&str> {
    const LENGTH_MAX: usize = 200;
    let word = word.trim_matches(['*', '[', ']', '<', '>', '“', '”']).trim_end_matches(['.', ':', '!', '?']);
    let word = word.split_once('#').map_or(word, |(path, _)| path);
    // `src/a.rs:12-20`
    let word = match word.split_once(':') {
        Some((path, line)) if line.starts_with(|c: char| c.is_ascii_digit()) => path,
        Some(_) => return None,
        None => word,
    };
    let word = redraft_facts::citation::plain_path(word);
    let plain = word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-/*@+".contains(&byte));
    if !plain
        || word.is_empty()
        || word.len() > LENGTH_MAX
        || word.starts_with(['/', '-'])
        || word.contains("..")
    {
        return None;
    }
    let file = word.rsplit('/').next().unwrap_or(word);
    let ending = file.rsplit_once('.').map(|(stem, ending)| (stem, ending.to_ascii_lowercase()));
    let known = ending.as_ref().is_some_and(|(stem, ending)| {
        (!stem.is_empty() || word.contains('/')) && ENDINGS.binary_search(&ending.as_str()).is_ok()
    });
    let in_folder = word.contains('/') && word.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '.');
    (known || code && in_folder).then_some(word)
}

/// Whether a path named in prose means a file: the same path, the end of it, a folder above it, or a pattern with `*`.
pub(super) fn means(named: &str, file: &str) -> bool {
    if named.contains('*') {
        return matches_pattern(named, file);
    }
    if let Some(folder) = named.strip_suffix('/') {
        return under(file, folder);
    }
    redraft_facts::citation::same_file(named, file) || named.contains('/') && under(file, named)
}

fn under(file: &str, folder: &str) -> bool {
    let inside = |path: &str| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
    inside(file) || file.match_indices('/').any(|(at, _)| inside(&file[at + 1..]))
}

/// `*` stands for anything within a name, `**` also across folders. Without a `/` the name alone is compared.
fn matches_pattern(pattern: &str, file: &str) -> bool {
    let file = if pattern.contains('/') { file } else { file.rsplit('/').next().unwrap_or(file) };
    let mut parts = pattern.split('*').filter(|part| !part.is_empty()).peekable();
    if parts.peek().is_none() {
        return false;
    }
    let anchored_start = !pattern.starts_with('*');
    let anchored_end = !pattern.ends_with('*');
    let mut rest = file;
    let mut first = true;
    while let Some(part) = parts.next() {
        let last = parts.peek().is_none();
        let at = if first && anchored_start {
            rest.starts_with(part).then_some(0)
        } else if last && anchored_end {
            rest.ends_with(part).then(|| rest.len() - part.len())
        } else {
            rest.find(part)
        };
        let Some(at) = at else { return false };
        rest = &rest[at + part.len()..];
        if last && anchored_end && !rest.is_empty() {
            return false;
        }
        first = false;
    }
    true
}
