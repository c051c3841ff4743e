//! Tests that every link of the documentation leads somewhere: to a file that exists, and to a heading in it; that every
//! page that the program names exists, and every page can be found from the first one; that every test that a page names
//! exists.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The pages, from the root of the project.
fn pages() -> Vec<PathBuf> {
    let mut pages: Vec<PathBuf> = [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "STYLE.md",
        "SECURITY.md",
        "AGENTS.md",
        "CHANGELOG.md",
    ]
    .into_iter()
    .map(PathBuf::from)
    .collect();
    pages.extend(files("docs", "md"));
    pages
}

/// The files below a folder whose names end so, from the root of the project.
fn files(folder: &str, end: &str) -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![PathBuf::from(folder)]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root().join(&folder)).unwrap().map(Result::unwrap) {
            let path = folder.join(entry.file_name());
            match entry.file_type().unwrap().is_dir() {
                true => folders.push(path),
                false if path.extension().is_some_and(|one| one == end) => found.push(path),
                false => {}
            }
        }
    }
    found
}

/// The pages of the documentation that a text names, as in `docs/lint.md` or `docs/agents.md#codex`.
fn named_pages(text: &str) -> Vec<&str> {
    let names = text.match_indices("docs/").map(|(at, _)| &text[at..]);
    let is_name =
        |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || "-/#._".contains(letter);
    let names = names.map(|name| name.split(|letter| !is_name(letter)).next().unwrap_or_default());
    names.map(|name| name.trim_end_matches('.')).filter(|name| name.contains(".md")).collect()
}

/// Whether a link of a page leads to a file that is there, and to a heading in it.
fn leads(page: &Path, link: &str) -> bool {
    let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
    let target = match file {
        "" => root().join(page),
        file => root().join(page.parent().unwrap()).join(file),
    };
    let found = target.exists().then(|| fs::read_to_string(&target).unwrap_or_default());
    found.is_some_and(|text| anchor.is_empty() || anchors(&text).contains(anchor))
}

/// The lines that are text, with their numbers; those in fences are examples.
fn text_lines(page: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fence = false;
    page.lines().enumerate().filter(move |(_, line)| {
        let edge = line.trim_start().starts_with("```");
        fence ^= edge;
        !fence && !edge
    })
}

/// A line without its code spans, in which brackets mean nothing.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join("`")
}

/// The anchors a page can be linked by: its headings as GitHub names them, and its own anchors.
fn anchors(page: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    for (_, line) in text_lines(page) {
        if let Some(title) = line.strip_prefix('#') {
            let title = title.trim_start_matches('#').trim();
            let kept = title.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
            let name: String = kept.map(|c| if c == ' ' { '-' } else { c }).collect();
            anchors.insert(name.to_lowercase());
        }
        anchors.extend(
            line.split("<a id=\"").skip(1).filter_map(|rest| rest.split('"').next()).map(str::to_owned),
        );
    }
    anchors
}

/// The targets of a line's links, without external ones.
fn links(line: &str) -> Vec<String> {
    let line = without_code(line);
    let targets = line.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.filter(|target| !target.contains("://")).map(str::to_owned).collect()
}

#[test]
fn every_link_of_the_documentation_leads_to_a_file_and_a_heading_that_are_there() {
    let (mut checked, mut dead) = (0, Vec::new());
    for page in pages() {
        let text = fs::read_to_string(root().join(&page)).unwrap();
        for (at, line) in text_lines(&text) {
            for link in links(line) {
                checked += 1;
                if !leads(&page, &link) {
                    dead.push(format!("{}:{}: {link}", page.display(), at + 1));
                }
            }
        }
    }
    assert!(checked > 100, "only {checked} links were found");
    assert!(dead.is_empty(), "these lead nowhere:\n{}", dead.join("\n"));
}

#[test]
fn every_page_that_help_and_messages_name_is_there() {
    // What help shows as examples, and where features put their own documents.
    const EXAMPLES: [&str; 4] = ["docs/proposal.md", "docs/notes.md", "docs/x.md", "docs/features/"];
    let (mut named, mut dead) = (0, Vec::new());
    for file in
        ["crates/frame/src", "crates/redraft/src", "crates/views/src"].iter().flat_map(|one| files(one, "rs"))
    {
        let text = fs::read_to_string(root().join(&file)).unwrap();
        // Documents of the throw-away repositories of tests.
        let text = text.split("#[cfg(test)]").next().unwrap_or_default();
        if file.components().any(|part| part.as_os_str().to_string_lossy().starts_with("tests")) {
            continue;
        }
        for page in named_pages(text) {
            let is_own = page.starts_with("docs/knowledge-bank/") || page.starts_with("docs/projects/");
            if is_own || EXAMPLES.iter().any(|example| page.starts_with(example)) {
                continue;
            }
            named += 1;
            if !leads(Path::new("README.md"), page) {
                dead.push(format!("{}: {page}", file.display()));
            }
        }
    }
    assert!(named > 10, "only {named} were found");
    assert!(dead.is_empty(), "these are not there:\n{}", dead.join("\n"));
}

#[test]
fn every_page_can_be_found_from_the_start_page_and_the_readme_is_short() {
    let start = Path::new("docs/README.md");
    let text = fs::read_to_string(root().join(start)).unwrap();
    let linked: BTreeSet<String> = text_lines(&text).flat_map(|(_, line)| links(line)).collect();
    for page in files("docs", "md").iter().filter(|page| page.parent() == start.parent() && *page != start) {
        let name = page.file_name().unwrap().to_string_lossy().into_owned();
        let found = linked.iter().any(|link| link.split('#').next() == Some(name.as_str()));
        assert!(found, "{name} is not on docs/README.md");
    }
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    assert!(readme.lines().count() <= 150, "{} lines", readme.lines().count());
    assert!(readme.contains("](docs/README.md)"), "the start page is linked");
    for command in ["$ cargo run --release -- demo\n", "$ cargo test --workspace\n"] {
        assert!(readme.contains(command), "{command}");
    }
    for picture in files("docs/pictures", "svg").into_iter().chain(files("docs/pictures", "png")) {
        assert!(readme.contains(&format!("]({})", picture.display())), "{}", picture.display());
        assert!(fs::metadata(root().join(&picture)).unwrap().len() < 200_000, "{}", picture.display());
    }
}

/// What a page has in code spans.
fn spans(page: &str) -> Vec<&str> {
    text_lines(page).flat_map(|(_, line)| line.split('`').skip(1).step_by(2)).collect()
}

/// Whether a word can be the name of a test, which is a sentence.
fn is_test_name(word: &str) -> bool {
    let is_letter = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
    word.matches('_').count() >= 2 && word.chars().all(is_letter)
}

/// The names of the tests in a file.
fn tests_of(source: &str) -> Vec<&str> {
    let after = source.split("#[test]").skip(1).filter_map(|rest| rest.split_once("fn "));
    after.filter_map(|(_, rest)| rest.split_once('(')).map(|(name, _)| name).collect()
}

#[test]
fn every_test_that_a_page_names_is_there() {
    let sources = files("crates", "rs");
    let mut tests = BTreeSet::new();
    for source in &sources {
        let text = fs::read_to_string(root().join(source)).unwrap();
        tests.extend(tests_of(&text).into_iter().map(str::to_owned));
    }
    for page in ["docs/invariants.md", "docs/faults.md"] {
        let text = fs::read_to_string(root().join(page)).unwrap();
        let named: Vec<&str> = spans(&text).into_iter().filter(|word| is_test_name(word)).collect();
        assert!(named.len() > 40, "{page}: only {} were found", named.len());
        let missing: Vec<&str> = named.into_iter().filter(|name| !tests.contains(*name)).collect();
        assert!(missing.is_empty(), "{page}: these are not there:\n{}", missing.join("\n"));
        let is_file = |word: &&str| Path::new(word).extension().is_some_and(|end| end == "rs");
        for file in spans(&text).into_iter().filter(is_file) {
            assert!(sources.iter().any(|source| source.ends_with(file)), "{page}: {file} is not there");
        }
    }
}

#[test]
fn every_action_of_a_workflow_is_pinned_by_its_commit() {
    let mut actions = 0;
    for file in files(".github/workflows", "yml") {
        let text = fs::read_to_string(root().join(&file)).unwrap();
        for line in text.lines().filter_map(|line| line.split_once("uses: ")) {
            let (action, version) = line.1.split_once(" # ").unwrap_or((line.1, ""));
            let commit = action.split_once('@').map_or("", |(_, commit)| commit);
            let pinned = commit.len() == 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
            assert!(pinned && version.starts_with('v'), "{}: {}", file.display(), line.1);
            actions += 1;
        }
    }
    assert!(actions > 8, "{actions}");
}

#[test]
fn a_dead_link_and_a_dead_anchor_are_found() {
    let page = "# The `[checks]` of a phase, and more\n\n```\n# no heading\n```\n<a id=\"own\"></a>Text.\n";
    let expected = ["own", "the-checks-of-a-phase-and-more"].map(str::to_owned);
    assert_eq!(anchors(page), BTreeSet::from(expected));
    assert_eq!(links("see [a](b.md#c), [d](https://e.f/g) and `[h](i)`"), ["b.md#c"]);
    assert_eq!(
        named_pages("see docs/a-b.md. Or docs/c.md#d, not docs/features"),
        ["docs/a-b.md", "docs/c.md#d"]
    );
    assert!(!leads(Path::new("README.md"), "docs/nothing.md"));
    assert!(!leads(Path::new("README.md"), "docs/README.md#nothing"));
    assert_eq!(spans("a `b` c `d_e_f`\n```\n`g`\n```\n"), ["b", "d_e_f"]);
    let names = ["a_b_c", "a_2_c", "a_b", "A_b_c", "a::b_c_d"];
    assert_eq!(names.map(is_test_name), [true, true, false, false, false]);
    let source = "#[test]\nfn a_b_c() {}\nfn d_e_f() {}\n#[test]\n#[cfg(unix)]\nfn g_h_i(x in y()) {}";
    assert_eq!(tests_of(source), ["a_b_c", "g_h_i"]);
}
