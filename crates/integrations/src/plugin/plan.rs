//! Plans what an export does to a folder: decided for every file before any is touched.
//!
//! A file is ours where its bytes are those that an export recorded, or those it would write now. Anything else belongs
//! to somebody: an edited file is left and reported, a file that was never ours blocks the whole export. Start at
//! [`plan`].

use super::block::{self, BadBlock};
use super::inventory::Inventory;
use super::{ExportFile, OurShare, PluginTarget, SaysAlready};
use redraft_facts::prelude::*;
use redraft_facts::text::hash;

/// What is done with each file, and what is recorded afterwards.
#[derive(Debug, PartialEq, Eq)]
pub struct Plan {
    /// Ordered by path.
    pub steps: Vec<ExportStep>,
    pub inventory: Inventory,
}

#[derive(Debug, PartialEq, Eq)]
pub struct ExportStep {
    pub path: String,
    pub what: ExportStepKind,
}

#[derive(Debug, PartialEq, Eq)]
pub enum ExportStepKind {
    /// The file gets this text: it does not exist, or what is there was not edited.
    Write(String),
    /// The file gets this text, and what is there is kept next to it.
    SetAside(String),
    Unchanged,
    /// Somebody's own file, left alone.
    Keep(Kept),
    /// A file of an earlier export that is no longer made.
    Remove,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// It was edited since an export wrote it.
    Edited,
    /// The same, and the export has no such file any more.
    EditedAndGone,
    /// It says already what would be added.
    SaysItAlready,
}

/// Why nothing can be exported.
#[derive(Debug, PartialEq, Eq)]
pub struct ExportRefused {
    pub path: String,
    pub why: ExportRefusedWhy,
}

#[derive(Debug, PartialEq, Eq)]
pub enum ExportRefusedWhy {
    /// It exists and was written by no export.
    Foreign,
    Block(BadBlock),
    /// It is to hold a block and is not text.
    NoText,
}

/// Decides what to do with `made`, where `found` is what the folder holds, by path, of everything that is made or
/// recorded. With `replace`, somebody's own files are set aside instead of left alone.
pub fn plan(
    target: PluginTarget,
    made: &[ExportFile],
    inventory: &Inventory,
    found: &BTreeMap<String, Vec<u8>>,
    replace: bool,
) -> Result<Plan, Vec<ExportRefused>> {
    let mut steps = Vec::new();
    let mut written = BTreeMap::new();
    let mut refused = Vec::new();
    for file in made {
        let there = found.get(&file.path).map(Vec::as_slice);
        match decided(file, there, inventory, replace) {
            Ok(what) => {
                match what {
                    // The record stays: the next export recognizes the edit by it.
                    ExportStepKind::Keep(Kept::Edited) => {
                        let before = inventory.for_target(target.name()).find(|(path, _)| *path == file.path);
                        let hash = before.map_or_else(|| hashed(file), |(_, hash)| hash.to_owned());
                        written.insert(file.path.clone(), hash);
                    }
                    ExportStepKind::Keep(Kept::EditedAndGone | Kept::SaysItAlready) => {}
                    ExportStepKind::Write(_)
                    | ExportStepKind::SetAside(_)
                    | ExportStepKind::Unchanged
                    | ExportStepKind::Remove => {
                        written.insert(file.path.clone(), hashed(file));
                    }
                }
                steps.push(ExportStep { path: file.path.clone(), what });
            }
            Err(why) => refused.push(ExportRefused { path: file.path.clone(), why }),
        }
    }
    for (path, hash) in inventory.for_target(target.name()) {
        let is_made = made.iter().any(|file| file.path == path);
        if is_made || inventory.elsewhere(target.name(), path) {
            continue;
        }
        let there = found.get(path).map(Vec::as_slice);
        steps.extend(gone(there, hash).map(|what| ExportStep { path: path.to_owned(), what }));
    }
    steps.sort_by(|one, other| one.path.cmp(&other.path));
    match refused.is_empty() {
        true => Ok(Plan { steps, inventory: inventory.after(target.name(), written) }),
        false => Err(refused),
    }
}

fn decided(
    file: &ExportFile,
    there: Option<&[u8]>,
    inventory: &Inventory,
    replace: bool,
) -> Result<ExportStepKind, ExportRefusedWhy> {
    let Some(there) = there else { return Ok(ExportStepKind::Write(file.text.clone())) };
    let of_text = |says: SaysAlready| core::str::from_utf8(there).is_ok_and(|text| says.is_said(text));
    match file.form {
        OurShare::Block(edges, says) => {
            let text = core::str::from_utf8(there).map_err(|_| ExportRefusedWhy::NoText)?;
            let whole = block::put(text, &file.text, edges).map_err(ExportRefusedWhy::Block)?;
            Ok(match block::find(text, edges).map_err(ExportRefusedWhy::Block)? {
                None if says.is_said(text) => ExportStepKind::Keep(Kept::SaysItAlready),
                None => ExportStepKind::Write(whole),
                Some(parts) if block::same(parts.block, &file.text) => ExportStepKind::Unchanged,
                Some(parts) if inventory.has(&file.path, &block_hash(parts.block)) => {
                    ExportStepKind::Write(whole)
                }
                Some(_) if replace => ExportStepKind::SetAside(whole),
                Some(_) => ExportStepKind::Keep(Kept::Edited),
            })
        }
        OurShare::Whole | OurShare::Unless(_) if there == file.text.as_bytes() => {
            Ok(ExportStepKind::Unchanged)
        }
        OurShare::Whole | OurShare::Unless(_) if inventory.has(&file.path, hash(there).as_str()) => {
            Ok(ExportStepKind::Write(file.text.clone()))
        }
        OurShare::Unless(says) if !inventory.knows(&file.path) && of_text(says) => {
            Ok(ExportStepKind::Keep(Kept::SaysItAlready))
        }
        OurShare::Whole | OurShare::Unless(_) if replace => Ok(ExportStepKind::SetAside(file.text.clone())),
        OurShare::Whole | OurShare::Unless(_) if inventory.knows(&file.path) => {
            Ok(ExportStepKind::Keep(Kept::Edited))
        }
        OurShare::Whole | OurShare::Unless(_) => Err(ExportRefusedWhy::Foreign),
    }
}

/// What to do with a file that an earlier export wrote and this one does not make; none where it no longer exists.
fn gone(there: Option<&[u8]>, written: &str) -> Option<ExportStepKind> {
    let there = there?;
    if hash(there).as_str() == written {
        return Some(ExportStepKind::Remove);
    }
    let text = core::str::from_utf8(there).unwrap_or_default();
    for edges in [&block::MARKDOWN, &block::TOML] {
        let Ok(Some(parts)) = block::find(text, edges) else { continue };
        if block_hash(parts.block) == written {
            let rest = block::take_out(&parts);
            return Some(if rest.trim().is_empty() {
                ExportStepKind::Remove
            } else {
                ExportStepKind::Write(rest)
            });
        }
    }
    Some(ExportStepKind::Keep(Kept::EditedAndGone))
}

fn hashed(file: &ExportFile) -> String {
    match file.form {
        OurShare::Block(..) => block_hash(&file.text),
        OurShare::Whole | OurShare::Unless(_) => hash(file.text.as_bytes()).as_str().to_owned(),
    }
}

fn block_hash(block: &str) -> String {
    hash(block::plain(block).as_bytes()).as_str().to_owned()
}
