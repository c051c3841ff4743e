//! The inventory of earlier exports into a folder: a small file next to them, with the hash of each file or block as it
//! was written. By it an export distinguishes its own files from edited ones and from those of others.

use redraft_facts::prelude::*;
use serde::{Deserialize, Serialize};

/// Its name in the folder.
pub const INVENTORY: &str = ".redraft-export.json";

const VERSION: u16 = 1;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Inventory {
    v: u16,
    /// By target, then by path: the SHA-256 of what was written there.
    targets: BTreeMap<String, BTreeMap<String, String>>,
}

/// Why an inventory cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadInventory {
    #[error("it was written by a newer redraft (version {0} of its form)")]
    Newer(u64),
    #[error("{0}")]
    Damaged(String),
}

impl Default for Inventory {
    fn default() -> Self {
        Inventory { v: VERSION, targets: BTreeMap::new() }
    }
}

impl Inventory {
    pub fn parse(text: &str) -> Result<Inventory, BadInventory> {
        let damaged = |error: serde_json::Error| BadInventory::Damaged(error.to_string());
        let value: serde_json::Value = serde_json::from_str(text).map_err(damaged)?;
        if let Some(version) = value.get("v").and_then(serde_json::Value::as_u64)
            && version > u64::from(VERSION)
        {
            return Err(BadInventory::Newer(version));
        }
        let inventory: Inventory = serde_json::from_value(value).map_err(damaged)?;
        // Paths that are named here may be removed, so none may lead out of the folder.
        let outside = inventory.paths().find(|path| !stays_below(path)).map(str::to_owned);
        match outside {
            Some(path) => Err(BadInventory::Damaged(format!("`{path}` does not stay in the folder"))),
            None => Ok(inventory),
        }
    }

    /// As it is stored: the same bytes for the same content.
    pub fn text(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Every path that any export wrote.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.targets.values().flat_map(|files| files.keys()).map(String::as_str)
    }

    /// What a target's last export wrote there; none where it wrote nothing.
    pub(super) fn for_target(&self, target: &str) -> impl Iterator<Item = (&str, &str)> {
        let files = self.targets.get(target).into_iter().flatten();
        files.map(|(path, hash)| (path.as_str(), hash.as_str()))
    }

    /// Whether an export, of whichever target, wrote exactly this there.
    pub(super) fn has(&self, path: &str, hash: &str) -> bool {
        self.targets.values().any(|files| files.get(path).is_some_and(|written| written == hash))
    }

    /// Whether an export of any target wrote something there.
    pub(super) fn knows(&self, path: &str) -> bool {
        self.targets.values().any(|files| files.contains_key(path))
    }

    /// Whether a target other than this one wrote something there.
    pub(super) fn elsewhere(&self, target: &str, path: &str) -> bool {
        self.targets.iter().any(|(name, files)| name != target && files.contains_key(path))
    }

    /// The inventory after an export: what the target has now. A file that several targets share is the same for all.
    pub(super) fn after(&self, target: &str, files: BTreeMap<String, String>) -> Inventory {
        let mut inventory = self.clone();
        for others in inventory.targets.values_mut() {
            for (path, hash) in others.iter_mut() {
                if let Some(now) = files.get(path) {
                    hash.clone_from(now);
                }
            }
        }
        inventory.targets.insert(target.to_owned(), files);
        inventory
    }
}

/// Whether a path has only plain names in it.
fn stays_below(path: &str) -> bool {
    !path.is_empty()
        && !path.contains(['\\', '\0', ':'])
        && path.split('/').all(|name| !name.is_empty() && name != "." && name != "..")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inventory_is_read_as_it_was_written() {
        let files = BTreeMap::from([("a/b.md".to_owned(), "00".to_owned())]);
        let inventory = Inventory::default().after("claude", files);
        assert_eq!(Inventory::parse(&inventory.text()), Ok(inventory.clone()));
        assert!(
            inventory.has("a/b.md", "00") && !inventory.has("a/b.md", "01") && !inventory.has("b.md", "00")
        );
    }

    #[test]
    fn an_inventory_that_cannot_be_used_says_why() {
        assert_eq!(Inventory::parse("{\"v\":2,\"more\":1}"), Err(BadInventory::Newer(2)));
        for text in [
            "",
            "[]",
            "{\"v\":1}",
            "{\"v\":1,\"targets\":{},\"more\":1}",
            "{\"v\":1,\"targets\":{\"claude\":{\"../x\":\"00\"}}}",
            "{\"v\":1,\"targets\":{\"claude\":{\"/etc/x\":\"00\"}}}",
            "{\"v\":1,\"targets\":{\"claude\":{\"a//x\":\"00\"}}}",
        ] {
            assert!(matches!(Inventory::parse(text), Err(BadInventory::Damaged(_))), "{text}");
        }
    }
}
