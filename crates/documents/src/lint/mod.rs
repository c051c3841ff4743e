//! Finds faults that need no judgement, in the documents of a feature or in a single one.
//!
//! Lint runs as a gate before any reviewer is paid, so a rule that could be wrong would cost a whole turn: only what is
//! wrong in any style is an error. Warnings are shown to the author and to the reviewers, who judge. It reads no file:
//! the caller says what the documents are, and which of the files they name do not exist.
//!
//! Start at [`check`]; `page` knows which lines are code, `rule` lists the rules, and the other files check a few
//! rules each.

mod constant;
mod contract;
mod done;
mod duplicate;
mod expected;
mod explain;
mod file;
mod language;
mod page;
mod placeholder;
pub mod reading;
mod reference;
mod rule;
#[cfg(test)]
mod tests;
mod trace;
mod vague;
mod whole;

pub use expected::{ExpectedPart, usual};
pub use rule::{LintLevel, Rule};

use crate::page::id::{Definition, definitions};
use page::Page;
use redraft_facts::prelude::*;

/// What is to be checked together: the artifacts of one feature that exist, or a single document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Documents {
    /// In any order; their names show what they are.
    pub documents: Vec<Document>,
    /// Which of [`named_files`] do not exist. Left empty, nothing is said about files.
    pub absent_files: BTreeSet<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// As it is to be shown. The last part determines the kind.
    pub path: String,
    pub content: LintedContent,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LintedContent {
    Text(String),
    /// It should be there and is not.
    Absent,
    /// Why it is not text, to follow the file's name: `it is not UTF-8 text`.
    Unreadable(String),
}

/// What an artifact is about, by its name: `prd.md`, `spec.md`, … In the order they build on each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ArtifactKind {
    Prd,
    Spec,
    Design,
    Plan,
    Tasks,
}

/// The settings of a project that differ from the usual ones.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LintSettings {
    /// The level of a rule that is not the usual one.
    pub levels: BTreeMap<Rule, LintLevel>,
    /// In place of what is usually expected.
    pub sections: BTreeMap<ArtifactKind, Vec<ExpectedPart>>,
    /// In place of the built-in lists, whatever the language.
    pub vague_words: Option<Vec<String>>,
}

/// One broken rule. `line` counts from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub rule: Rule,
    /// Never [`LintLevel::Off`].
    pub level: LintLevel,
    pub path: String,
    pub line: u32,
    /// What is wrong.
    pub message: String,
    /// The way out.
    pub hint: String,
}

impl ArtifactKind {
    pub const ALL: [ArtifactKind; 5] = [
        ArtifactKind::Prd,
        ArtifactKind::Spec,
        ArtifactKind::Design,
        ArtifactKind::Plan,
        ArtifactKind::Tasks,
    ];

    pub fn name(self) -> &'static str {
        match self {
            ArtifactKind::Prd => "prd",
            ArtifactKind::Spec => "spec",
            ArtifactKind::Design => "design",
            ArtifactKind::Plan => "plan",
            ArtifactKind::Tasks => "tasks",
        }
    }

    /// The name of the file.
    pub fn file(self) -> &'static str {
        match self {
            ArtifactKind::Prd => "prd.md",
            ArtifactKind::Spec => "spec.md",
            ArtifactKind::Design => "design.md",
            ArtifactKind::Plan => "plan.md",
            ArtifactKind::Tasks => "tasks.md",
        }
    }

    /// Of a path, with `/` or `\` between its parts.
    pub fn from_path(path: &str) -> Option<ArtifactKind> {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        ArtifactKind::ALL.into_iter().find(|kind| kind.file() == name)
    }
}

impl Documents {
    /// A single text.
    pub fn of_one(path: &str, text: String) -> Documents {
        let document = Document { path: path.to_owned(), content: LintedContent::Text(text) };
        Documents { documents: vec![document], absent_files: BTreeSet::new() }
    }
}

impl LintSettings {
    pub fn level(&self, rule: Rule) -> LintLevel {
        self.levels.get(&rule).copied().unwrap_or(rule.level())
    }
}

/// Every broken rule, document by document in the order of their kinds, then in the order of the lines.
pub fn check(documents: &Documents, settings: &LintSettings) -> Vec<Fault> {
    check_until(documents, settings, &|| false).unwrap_or_default()
}

/// The same, given up as soon as `stopped` says so, which is asked before each rule: none then.
pub fn check_until(
    documents: &Documents,
    settings: &LintSettings,
    stopped: &dyn Fn() -> bool,
) -> Option<Vec<Fault>> {
    let mut order: Vec<&Document> = documents.documents.iter().collect();
    order.sort_by_key(|document| ArtifactKind::from_path(&document.path));
    let mut faults = Vec::new();
    let mut pages: Vec<Page<'_>> = Vec::new();
    for document in &order {
        let mut own = Faults::new(&document.path, settings);
        match &document.content {
            LintedContent::Text(text) => pages.push(Page::read(&document.path, text)),
            LintedContent::Absent => {
                let message = format!("{} is missing", document.path);
                own.add(Rule::Missing, 0, message, "write it, or take it from where it was lost");
            }
            LintedContent::Unreadable(why) => {
                let hint = "save it as an ordinary file of UTF-8 text, of at most 4 MB";
                own.add(Rule::Unreadable, 0, why.clone(), hint);
            }
        }
        faults.extend(own.done());
    }
    faults.extend(check_pages(&pages, documents, settings, stopped)?);
    let place = |fault: &Fault| order.iter().position(|document| document.path == fault.path);
    faults.sort_by_cached_key(|fault| (place(fault), fault.line, fault.rule));
    Some(faults)
}

fn check_pages(
    pages: &[Page<'_>],
    documents: &Documents,
    settings: &LintSettings,
    stopped: &dyn Fn() -> bool,
) -> Option<Vec<Fault>> {
    let goes_on = || (!stopped()).then_some(());
    goes_on()?;
    let definitions: Vec<Vec<Definition<'_>>> = pages.iter().map(|page| definitions(&page.page)).collect();
    goes_on()?;
    let declared: Vec<contract::Declared> = pages.iter().map(contract::declared).collect();
    let constants: Vec<constant::Constants> = pages.iter().map(constant::constants).collect();
    let all: Vec<&Page<'_>> = pages.iter().collect();
    let changing = file::changing(&all);
    let mut found = Vec::new();
    for (at, page) in pages.iter().enumerate() {
        let mut faults = Faults::new(page.path, settings);
        let kind = ArtifactKind::from_path(page.path);
        let language = language::detect(page);
        whole::check(page, &mut faults);
        goes_on()?;
        placeholder::check(page, &mut faults);
        goes_on()?;
        let tasks = tasks(page, kind, &mut faults);
        goes_on()?;
        duplicate::check(page, &definitions[at], &tasks, &mut faults);
        reference::check_tasks(page, &tasks, &mut faults);
        if kind == Some(ArtifactKind::Tasks) {
            done::check(page.text, &tasks, &mut faults);
        }
        goes_on()?;
        reference::check_links(page, &all, &mut faults);
        goes_on()?;
        reference::check_sections(page, &all, &mut faults);
        goes_on()?;
        if let Some(kind) = kind {
            expected::check(page, kind, language, settings, &mut faults);
            let earlier: Vec<_> = (0..at).map(|at| (&pages[at], definitions[at].as_slice())).collect();
            trace::check_restated(&definitions[at], &earlier, &mut faults);
            let earlier: Vec<_> = (0..at).map(|at| (&pages[at], &declared[at])).collect();
            contract::check(&declared[at], &earlier, &mut faults);
            let earlier: Vec<_> = (0..at).map(|at| (&pages[at], &constants[at])).collect();
            constant::check(&constants[at], &earlier, &mut faults);
        }
        if matches!(kind, Some(ArtifactKind::Prd | ArtifactKind::Spec)) {
            vague::check(page, &definitions[at], language, settings, &mut faults);
        }
        // A criterion may wait for the plan: before that nothing can be missed.
        let planned = all.iter().any(|page| {
            matches!(ArtifactKind::from_path(page.path), Some(ArtifactKind::Plan | ArtifactKind::Tasks))
        });
        if kind == Some(ArtifactKind::Spec) && planned {
            trace::check_mentions(&definitions[at], &all[at + 1..], &mut faults);
        }
        goes_on()?;
        file::check(page, &documents.absent_files, &changing, &mut faults);
        found.extend(faults.done());
    }
    Some(found)
}

/// The tasks of a list, or the steps of a plan, which are written like tasks and depend on each other in the same way.
fn tasks(page: &Page<'_>, kind: Option<ArtifactKind>, faults: &mut Faults<'_>) -> Vec<crate::tasks::Task> {
    if !matches!(kind, Some(ArtifactKind::Tasks | ArtifactKind::Plan)) {
        return Vec::new();
    }
    match crate::tasks::read(page.text) {
        Ok(list) => list.tasks,
        Err(none) => {
            // An empty file says so already, and a fence that is never closed may hide them all.
            if kind == Some(ArtifactKind::Tasks)
                && page.page.open_fence.is_none()
                && !page.text.trim().is_empty()
            {
                faults.add(Rule::NoTasks, 0, none.to_string(), crate::tasks::NoTasks::HINT);
            }
            Vec::new()
        }
    }
}

/// The faults of one level in one document: its errors stand in the way of a reviewer, its warnings are shown.
pub fn of_document(faults: &[Fault], path: &str, level: LintLevel) -> Vec<Fault> {
    faults.iter().filter(|fault| fault.path == path && fault.level == level).cloned().collect()
}

/// Every file that the documents name without saying that it is to be made: relative paths, as they were written.
/// [`places`] says where each may be.
pub fn named_files(documents: &Documents) -> BTreeSet<String> {
    let texts = documents.documents.iter().filter_map(|document| match &document.content {
        LintedContent::Text(text) => Some(Page::read(&document.path, text)),
        LintedContent::Absent | LintedContent::Unreadable(_) => None,
    });
    let pages: Vec<Page<'_>> = texts.collect();
    let changing = file::changing(&pages.iter().collect::<Vec<_>>());
    let named = pages.iter().flat_map(file::named).map(|(path, _)| path);
    named.filter(|path| !changing.contains(path)).map(ToOwned::to_owned).collect()
}

/// Where a file may be that a document in `folder` names, from the top of the repository; nowhere if that is outside of
/// it. Only a path with a folder may also be meant from the top: a name alone is a link to a file beside the document.
pub fn places(path: &str, folder: &str) -> Vec<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    for part in path.split('/') {
        match part {
            ".." => match parts.pop() {
                Some(_) => {}
                None => return Vec::new(),
            },
            "" | "." => {}
            name => parts.push(name),
        }
    }
    let mut places = vec![parts.join("/")];
    if path.contains('/') && !path.split('/').any(|part| part == "..") {
        places.push(path.to_owned());
    }
    places
}

/// One line for each fault, as it is shown to the author of the text.
pub fn evidence(faults: &[Fault]) -> String {
    let lines: Vec<String> = (faults.iter())
        .map(|Fault { rule, line, message, hint, .. }| format!("line {line} [{rule}] {message}; {hint}"))
        .collect();
    lines.join("\n")
}

/// Collects the faults of one document.
pub struct Faults<'a> {
    path: &'a str,
    settings: &'a LintSettings,
    found: Vec<Fault>,
    /// How often each rule was broken.
    counts: BTreeMap<Rule, usize>,
}

/// The most of a kind that anybody reads; a file made to have a million of them must not fill the memory.
const OF_A_RULE_MAX: usize = 100;

impl<'a> Faults<'a> {
    pub fn new(path: &'a str, settings: &'a LintSettings) -> Faults<'a> {
        Faults { path, settings, found: Vec::new(), counts: BTreeMap::new() }
    }

    /// `line` counts from 0.
    pub fn add(&mut self, rule: Rule, line: usize, message: String, hint: &str) {
        let level = self.settings.level(rule);
        if level == LintLevel::Off {
            return;
        }
        let count = self.counts.entry(rule).or_default();
        *count += 1;
        if *count > OF_A_RULE_MAX {
            return;
        }
        let line = u32::try_from(line).unwrap_or(u32::MAX).saturating_add(1);
        self.found.push(Fault {
            rule,
            level,
            path: self.path.to_owned(),
            line,
            message,
            hint: hint.to_owned(),
        });
    }

    pub fn done(mut self) -> Vec<Fault> {
        for fault in self.found.iter_mut().rev() {
            // The last one of a rule says how many were left out.
            if let Some(count) = self.counts.remove(&fault.rule).filter(|count| *count > OF_A_RULE_MAX) {
                fault.message.push_str(&format!(" (and {} more like it)", count - OF_A_RULE_MAX));
            }
        }
        self.found
    }
}
