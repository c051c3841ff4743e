//! Tests that every link of the documentation leads somewhere: to a file that exists, and to a heading in it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The pages, from the root of the project.
fn pages() -> Vec<PathBuf> {
    let mut pages: Vec<PathBuf> =
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "STYLE.md", "AGENTS.md", "CHANGELOG.md"]
            .into_iter()
            .map(PathBuf::from)
            .collect();
    for folder in ["docs", "docs/decisions"] {
        let files = fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().file_name());
        let pages_here = files.map(|name| Path::new(folder).join(name));
        pages.extend(pages_here.filter(|page| page.extension().is_some_and(|end| end == "md")));
    }
    pages
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
                let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
                let target = match file {
                    "" => root().join(&page),
                    file => root().join(page.parent().unwrap()).join(file),
                };
                let found = target.exists().then(|| fs::read_to_string(&target).unwrap_or_default());
                let leads = found.is_some_and(|text| anchor.is_empty() || anchors(&text).contains(anchor));
                if !leads {
                    dead.push(format!("{}:{}: {link}", page.display(), at + 1));
                }
            }
        }
    }
    assert!(checked > 100, "only {checked} links were found");
    assert!(dead.is_empty(), "these lead nowhere:\n{}", dead.join("\n"));
}

#[test]
fn a_dead_link_and_a_dead_anchor_are_found() {
    let page = "# The `[checks]` of a phase, and more\n\n```\n# no heading\n```\n<a id=\"own\"></a>Text.\n";
    let expected = ["own", "the-checks-of-a-phase-and-more"].map(str::to_owned);
    assert_eq!(anchors(page), BTreeSet::from(expected));
    assert_eq!(links("see [a](b.md#c), [d](https://e.f/g) and `[h](i)`"), ["b.md#c"]);
}
