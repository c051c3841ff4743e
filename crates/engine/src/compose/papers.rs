//! Texts that a loop was opened with and that all its prompts are made from: what is said of the project, the repository's
//! own role texts, and what earlier features taught.

use crate::ports::{Store, StoreError};
use redraft_core::bank::{self, Index};
use redraft_core::event::LoopOpened;
use redraft_core::ids::{BlobId, Role};
use redraft_core::profile::Override;
use std::collections::BTreeMap;

/// Texts that a loop was opened with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Papers {
    /// What its roles are told about the project.
    pub project: Option<String>,
    /// Role texts of the repository, in place of the built-in ones.
    pub profiles: BTreeMap<Role, Override>,
    /// What whoever looks back on the feature is told.
    pub bundle: Option<String>,
    /// The knowledge bank.
    pub bank: Option<Index>,
}

impl Papers {
    /// The role texts a loop is opened with, of all that the repository has.
    pub(crate) fn read(
        texts: &BTreeMap<Role, String>,
        named: &BTreeMap<Role, BlobId>,
    ) -> BTreeMap<Role, Override> {
        let own = texts.iter().filter(|(role, _)| named.contains_key(role));
        own.filter_map(|(role, text)| Some((role.clone(), Override::parse(text, role).ok()?))).collect()
    }

    /// As they were stored when the loop was opened.
    pub fn of(store: &dyn Store, opened: &LoopOpened) -> Result<Papers, StoreError> {
        let text = |blob: &BlobId| Ok(String::from_utf8_lossy(&store.blob(blob)?).into_owned());
        let project = opened.project.as_ref().map(text).transpose()?;
        let bundle = opened.bundle.as_ref().map(text).transpose()?;
        let mut profiles = BTreeMap::new();
        for (role, blob) in &opened.profiles {
            // What was stored was accepted once.
            if let Ok(read) = Override::parse(&text(blob)?, role) {
                profiles.insert(role.clone(), read);
            }
        }
        let bank = opened.bank.as_ref().map(|blob| store.blob(blob)).transpose()?;
        let bank = bank.map(|bytes| Index::of(bank::decode(&bytes)));
        Ok(Papers { project, profiles, bundle, bank })
    }
}
