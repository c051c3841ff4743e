//! Recognises features that people or other tools have begun: takes a listing of their files and says what each of them
//! is.
//!
//! Nothing is read or written here; the caller has read the files and says what could not be read. The rules are those
//! a person would state, in this order: a file is what its name says; where the name does not show it, what its title,
//! its check boxes or its headings say; what none of them shows is named with the reason. Start at [`understand`], then
//! [`give_numbers`].

mod choose;
mod content;
mod kind;
mod meta;
mod place;
#[cfg(test)]
mod tests;

use choose::choose_documents;
pub use kind::FileKind;
pub use meta::{Meta, read_meta};
pub use place::{FolderName, is_date, named};

use redraft_facts::event::FeatureLife;
use redraft_facts::ids::FeatureId;
use redraft_facts::phase::{Lane, Phase};
use redraft_facts::prelude::*;
use redraft_facts::text::one_line;

/// A feature's folder as it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder {
    /// Relative to the repository, with `/`.
    pub path: String,
    pub layout: Layout,
    pub files: Vec<FolderFile>,
}

/// Whose conventions a folder follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// One folder per feature, whatever tool or person wrote it; `spec-kit` is one of them.
    Feature,
    /// A change of OpenSpec: its specification is spread over `specs/*/spec.md`.
    OpenSpec {
        /// Whether it lies in the archive, where changes go that are done.
        archived: bool,
    },
}

/// A file below the folder, with what it holds or why that is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderFile {
    /// Relative to the folder, with `/`.
    pub name: String,
    pub content: Result<String, String>,
}

/// What was understood about a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnderstoodFolder {
    pub folder: String,
    /// The number its name or its `.meta.json` has.
    pub number: Option<FeatureId>,
    /// The number it gets here; see [`give_numbers`].
    pub id: FeatureId,
    pub slug: String,
    /// What it is about, in a line.
    pub idea: String,
    pub life: FeatureLife,
    pub meta: Meta,
    pub artifacts: Vec<Artifact>,
    pub unknown: Vec<Unknown>,
    pub notes: Vec<String>,
}

/// A file whose kind is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    /// Relative to the folder.
    pub file: String,
    pub kind: FileKind,
    /// What showed its kind: `its name`, `its headings`, …
    pub how: &'static str,
    /// Its name in the feature's folder here; none for what is written again from the ledger. Several files with one
    /// name become one document, in their order.
    pub target: Option<String>,
}

/// A file whose kind could not be recognised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unknown {
    pub file: String,
    pub reason: String,
}

impl UnderstoodFolder {
    /// The phases whose documents are there.
    pub fn phases(&self) -> Vec<Phase> {
        let there = |phase: &Phase| self.has(phase.artifact());
        Phase::DOCUMENTS.into_iter().filter(there).collect()
    }

    /// Phases without a document before one that has a document, other than the first, which cannot be left out.
    pub fn gaps(&self) -> Vec<Phase> {
        let there = self.phases();
        let last = there.last().copied();
        let missing = |phase: &Phase| Some(*phase) < last && !there.contains(phase);
        Phase::DOCUMENTS.into_iter().filter(missing).filter(|phase| *phase != Phase::Specify).collect()
    }

    /// The lane it was in; one that has no place for its documents does not fit it.
    pub fn lane(&self) -> Lane {
        let fits = |lane: &Lane| self.phases().iter().all(|phase| lane.phases().contains(phase));
        self.meta.lane.filter(fits).unwrap_or(Lane::Standard)
    }

    /// The files a document is made of, with the name it gets.
    pub fn documents(&self) -> BTreeMap<&str, Vec<&str>> {
        let mut documents: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for artifact in &self.artifacts {
            if let Some(target) = &artifact.target {
                documents.entry(target).or_default().push(&artifact.file);
            }
        }
        documents
    }

    fn has(&self, target: &str) -> bool {
        self.artifacts.iter().any(|artifact| artifact.target.as_deref() == Some(target))
    }
}

/// Whether a file can be one of a feature's documents, by its name: text that people write, or data about it.
pub fn may_tell(name: &str) -> bool {
    kind::is_document(name) || kind::by_name(name).is_some()
}

/// Whether a file is a document that phases are made of, by its name alone.
pub fn is_artifact(name: &str) -> bool {
    kind::is_document(name) && kind::by_name(name).is_some_and(|(kind, _)| kind.file().is_some())
}

/// Names that say nothing and hold nothing.
const IGNORED: [&str; 5] = [".gitkeep", ".keep", ".gitignore", ".DS_Store", "Thumbs.db"];

/// What a folder is about and what each of its files is.
pub fn understand(folder: &Folder) -> UnderstoodFolder {
    let name = folder.path.rsplit('/').next().unwrap_or(&folder.path);
    let found = named(name);
    let mut feature = UnderstoodFolder {
        folder: folder.path.clone(),
        number: found.number,
        id: FeatureId(0),
        slug: found.slug,
        idea: String::new(),
        life: FeatureLife::Active,
        meta: Meta::default(),
        artifacts: Vec::new(),
        unknown: Vec::new(),
        notes: Vec::new(),
    };
    tell_kinds(folder, &mut feature);
    read_its_meta(folder, &mut feature);
    choose_documents(folder, &mut feature);
    feature.life = life(folder, &mut feature);
    feature.idea = idea(folder, &feature);
    tell_gaps(&mut feature);
    feature
}

/// Gives each feature its number: its own where that is free, else the next free one, with a note. Numbers in `taken`
/// belong to others; a number is never given twice.
pub fn give_numbers(features: &mut [UnderstoodFolder], taken: &BTreeSet<FeatureId>) {
    let own = features.iter().filter_map(|feature| feature.number);
    let highest = own.chain(taken.iter().copied()).max().unwrap_or(FeatureId(0));
    let mut next = highest.0.saturating_add(1);
    let mut given = taken.clone();
    for feature in features {
        match feature.number {
            Some(number) if given.insert(number) => feature.id = number,
            number => {
                feature.id = FeatureId(next);
                given.insert(feature.id);
                next = next.saturating_add(1);
                let why = match number {
                    Some(number) => format!("number {number} belongs to another feature"),
                    None => "its folder has no number".to_owned(),
                };
                feature.notes.push(format!("{why}, so it gets {}", feature.id));
            }
        }
    }
}

/// How many tasks of a feature's list are ticked, and how many there are.
pub fn ticked(folder: &Folder, feature: &UnderstoodFolder) -> (usize, usize) {
    let list = feature.artifacts.iter().find(|artifact| artifact.target.as_deref() == Some("tasks.md"));
    let Some(list) = list.and_then(|found| text(folder, &found.file)) else { return (0, 0) };
    let Ok(tasks) = crate::tasks::read(list) else { return (0, 0) };
    let outline = crate::sections::Outline::parse(list);
    (tasks.tasks.iter().filter(|task| task.is_ticked(&outline)).count(), tasks.tasks.len())
}

/// One document of several files, each under a heading of its own.
pub fn join(parts: &[(&str, &str)]) -> String {
    let mut text = String::new();
    for (name, part) in parts {
        let part = part.trim();
        if !text.is_empty() {
            text.push('\n');
        }
        if !part.starts_with("# ") {
            let capability = name.rsplit('/').nth(1).unwrap_or(name);
            text.push_str(&format!("# {capability}\n\n"));
        }
        text.push_str(part);
        text.push('\n');
    }
    text
}

fn tell_kinds(folder: &Folder, feature: &mut UnderstoodFolder) {
    let mut doubtful = Vec::new();
    for file in folder.files.iter().filter(|file| !IGNORED.contains(&kind::file_name(&file.name))) {
        let by_name = kind::by_name(&file.name);
        match (&file.content, by_name) {
            (Err(reason), _) => feature.refuse(file, reason),
            (Ok(text), _) if text.trim().is_empty() => feature.refuse(file, "it is empty"),
            (Ok(_), Some((kind, _))) if !kind::is_document(&file.name) && kind.file().is_some() => {
                feature.refuse(file, &format!("its name says {}, but it is not Markdown", kind.name()));
            }
            (Ok(_), Some((kind, how))) if kind != FileKind::Notes => feature.know(file, kind, how),
            (Ok(_), None) if !kind::is_document(&file.name) => {
                feature.refuse(file, "it is not a document, and its name does not tell what it is");
            }
            (Ok(text), by_name) => doubtful.push((file, text, by_name)),
        }
    }
    let known: BTreeSet<FileKind> = feature.artifacts.iter().map(|artifact| artifact.kind).collect();
    for (file, text, by_name) in doubtful {
        match (content::by_content(text), by_name) {
            (Some((kind, how)), None) => feature.know(file, kind, how),
            // A readme is the specification only where there is no other.
            (Some((kind, how)), Some(_)) if !known.contains(&kind) => feature.know(file, kind, how),
            (_, Some((kind, how))) => feature.know(file, kind, how),
            (None, None) => feature.refuse(file, &untold(&file.name)),
        }
    }
}

/// Why the kind of a document is not known.
fn untold(name: &str) -> String {
    match kind::hint(name) {
        Some(word) => {
            format!("its name has the word `{word}`, but neither its title nor its headings bear it out")
        }
        None => "neither its name nor its headings tell what it is".to_owned(),
    }
}

impl UnderstoodFolder {
    fn know(&mut self, file: &FolderFile, kind: FileKind, how: &'static str) {
        self.artifacts.push(Artifact { file: file.name.clone(), kind, how, target: None });
    }

    fn refuse(&mut self, file: &FolderFile, reason: &str) {
        self.unknown.push(Unknown { file: file.name.clone(), reason: reason.to_owned() });
    }
}

fn text<'a>(folder: &'a Folder, name: &str) -> Option<&'a str> {
    folder.files.iter().find(|file| file.name == name)?.content.as_deref().ok()
}

fn read_its_meta(folder: &Folder, feature: &mut UnderstoodFolder) {
    let file = feature.artifacts.iter().find(|artifact| artifact.kind == FileKind::Meta);
    let Some(file) = file.map(|artifact| artifact.file.clone()) else { return };
    if !file.ends_with(".json") {
        return;
    }
    match read_meta(text(folder, &file).unwrap_or_default()) {
        Ok(meta) => feature.meta = meta,
        Err(reason) => {
            feature.artifacts.retain(|artifact| artifact.file != file);
            feature.unknown.push(Unknown { file, reason });
            return;
        }
    }
    match (feature.number, feature.meta.id) {
        (Some(folder), Some(meta)) if folder != meta => {
            feature
                .notes
                .push(format!("{file} says number {meta}, the folder says {folder}; the folder counts"));
        }
        (None, meta) => feature.number = meta,
        _ => {}
    }
    if feature.meta.rehearsed {
        feature.notes.push(format!(
            "{file} says that the rehearsal agent, which judges nothing, took part; this is carried over with the phases that are taken over"
        ));
    }
    if !feature.meta.other.is_empty() {
        let keys = one_line(&feature.meta.other.join(", "), 200);
        feature.notes.push(format!("{file} has entries that are not carried over: {keys}"));
    }
    if let Some(word) = &feature.meta.strange_status {
        feature.notes.push(format!("status `{}` is not known; it is taken as active", one_line(word, 40)));
    }
}

fn life(folder: &Folder, feature: &mut UnderstoodFolder) -> FeatureLife {
    if let Some(life) = feature.meta.status {
        return life;
    }
    if folder.layout == (Layout::OpenSpec { archived: true }) {
        return FeatureLife::Completed;
    }
    let tasks = feature.artifacts.iter().find(|artifact| artifact.target.as_deref() == Some("tasks.md"));
    let (done, open) =
        tasks.and_then(|found| text(folder, &found.file)).map(content::boxes).unwrap_or_default();
    let unread = feature.unknown.iter().find(|unknown| is_artifact(&unknown.file));
    if let Some(unread) = unread.filter(|_| done > 0 && open == 0) {
        let note = format!(
            "all {done} boxes of its tasks are ticked, but {} cannot be read, so it is not taken as completed",
            unread.file
        );
        feature.notes.push(note);
    } else if done > 0 && open == 0 {
        feature.notes.push(format!("all {done} boxes of its tasks are ticked, so it is taken as completed"));
        return FeatureLife::Completed;
    }
    if feature.phases().is_empty() { FeatureLife::Planned } else { FeatureLife::Active }
}

/// The title of its first document, else what its folder is called.
fn idea(folder: &Folder, feature: &UnderstoodFolder) -> String {
    let documents = ["prd.md", "spec.md", "design.md", "plan.md", "tasks.md"];
    let title = documents.iter().find_map(|target| {
        let artifact = feature.artifacts.iter().find(|found| found.target.as_deref() == Some(target))?;
        content::subject(text(folder, &artifact.file)?)
    });
    title.unwrap_or_else(|| feature.slug.replace('-', " "))
}

fn tell_gaps(feature: &mut UnderstoodFolder) {
    let there = feature.phases();
    if !there.is_empty() && !there.contains(&Phase::Specify) {
        feature.notes.push("it has no spec.md, and everything builds on one; a run writes it".to_owned());
    }
}
