//! What an export does to a folder: decided for every file before any is touched.
//!
//! A file is ours where its bytes are those that an export recorded, or those it would write now. Anything else is
//! somebody's: an edited one is left and told, one that was never ours stands in the way of the whole export. Start at
//! [`plan`].

use super::block::{self, BadBlock};
use super::inventory::Inventory;
use super::{File, Form, Says, Target};
use redraft_facts::prelude::*;
use redraft_facts::text::hash;

/// What is done with each file, and what is recorded afterwards.
#[derive(Debug, PartialEq, Eq)]
pub struct Plan {
    /// Ordered by path.
    pub steps: Vec<Step>,
    pub inventory: Inventory,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Step {
    pub path: String,
    pub what: What,
}

#[derive(Debug, PartialEq, Eq)]
pub enum What {
    /// The file gets this text: it is not there, or nobody has edited what is.
    Write(String),
    /// The file gets this text, and what is there is kept beside it.
    SetAside(String),
    Unchanged,
    /// Somebody's own, and left so.
    Keep(Kept),
    /// A file of an earlier export that is made no more.
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
pub struct Refused {
    pub path: String,
    pub why: Why,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Why {
    /// It is there and was written by no export.
    Foreign,
    Block(BadBlock),
    /// It is to hold a block and is no text.
    NoText,
}

/// What to do with `made` where `found` is what the folder holds, by path, of all that is made or recorded. With `replace`
/// what is somebody's own is set aside instead of left.
pub fn plan(
    target: Target,
    made: &[File],
    inventory: &Inventory,
    found: &BTreeMap<String, Vec<u8>>,
    replace: bool,
) -> Result<Plan, Vec<Refused>> {
    let mut steps = Vec::new();
    let mut written = BTreeMap::new();
    let mut refused = Vec::new();
    for file in made {
        let there = found.get(&file.path).map(Vec::as_slice);
        match decided(file, there, inventory, replace) {
            Ok(what) => {
                match what {
                    // What was recorded stays: by it the edit is seen again the next time.
                    What::Keep(Kept::Edited) => {
                        let before = inventory.of(target.name()).find(|(path, _)| *path == file.path);
                        let hash = before.map_or_else(|| hashed(file), |(_, hash)| hash.to_owned());
                        written.insert(file.path.clone(), hash);
                    }
                    What::Keep(Kept::EditedAndGone | Kept::SaysItAlready) => {}
                    What::Write(_) | What::SetAside(_) | What::Unchanged | What::Remove => {
                        written.insert(file.path.clone(), hashed(file));
                    }
                }
                steps.push(Step { path: file.path.clone(), what });
            }
            Err(why) => refused.push(Refused { path: file.path.clone(), why }),
        }
    }
    for (path, hash) in inventory.of(target.name()) {
        let is_made = made.iter().any(|file| file.path == path);
        if is_made || inventory.elsewhere(target.name(), path) {
            continue;
        }
        let there = found.get(path).map(Vec::as_slice);
        steps.extend(gone(there, hash).map(|what| Step { path: path.to_owned(), what }));
    }
    steps.sort_by(|one, other| one.path.cmp(&other.path));
    match refused.is_empty() {
        true => Ok(Plan { steps, inventory: inventory.after(target.name(), written) }),
        false => Err(refused),
    }
}

fn decided(file: &File, there: Option<&[u8]>, inventory: &Inventory, replace: bool) -> Result<What, Why> {
    let Some(there) = there else { return Ok(What::Write(file.text.clone())) };
    let of_text = |says: Says| core::str::from_utf8(there).is_ok_and(|text| says.is_said(text));
    match file.form {
        Form::Block(edges, says) => {
            let text = core::str::from_utf8(there).map_err(|_| Why::NoText)?;
            let whole = block::put(text, &file.text, edges).map_err(Why::Block)?;
            Ok(match block::find(text, edges).map_err(Why::Block)? {
                None if says.is_said(text) => What::Keep(Kept::SaysItAlready),
                None => What::Write(whole),
                Some(parts) if block::same(parts.block, &file.text) => What::Unchanged,
                Some(parts) if inventory.has(&file.path, &block_hash(parts.block)) => What::Write(whole),
                Some(_) if replace => What::SetAside(whole),
                Some(_) => What::Keep(Kept::Edited),
            })
        }
        Form::Whole | Form::Unless(_) if there == file.text.as_bytes() => Ok(What::Unchanged),
        Form::Whole | Form::Unless(_) if inventory.has(&file.path, hash(there).as_str()) => {
            Ok(What::Write(file.text.clone()))
        }
        Form::Unless(says) if !inventory.knows(&file.path) && of_text(says) => {
            Ok(What::Keep(Kept::SaysItAlready))
        }
        Form::Whole | Form::Unless(_) if replace => Ok(What::SetAside(file.text.clone())),
        Form::Whole | Form::Unless(_) if inventory.knows(&file.path) => Ok(What::Keep(Kept::Edited)),
        Form::Whole | Form::Unless(_) => Err(Why::Foreign),
    }
}

/// What becomes of a file that an earlier export wrote and this one does not make; none where it is not there any more.
fn gone(there: Option<&[u8]>, written: &str) -> Option<What> {
    let there = there?;
    if hash(there).as_str() == written {
        return Some(What::Remove);
    }
    let text = core::str::from_utf8(there).unwrap_or_default();
    for edges in [&block::MARKDOWN, &block::TOML] {
        let Ok(Some(parts)) = block::find(text, edges) else { continue };
        if block_hash(parts.block) == written {
            let rest = block::take_out(&parts);
            return Some(if rest.trim().is_empty() { What::Remove } else { What::Write(rest) });
        }
    }
    Some(What::Keep(Kept::EditedAndGone))
}

fn hashed(file: &File) -> String {
    match file.form {
        Form::Block(..) => block_hash(&file.text),
        Form::Whole | Form::Unless(_) => hash(file.text.as_bytes()).as_str().to_owned(),
    }
}

fn block_hash(block: &str) -> String {
    hash(block::plain(block).as_bytes()).as_str().to_owned()
}
