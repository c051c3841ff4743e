//! Finds which programs of a repository's own configuration a person has to be asked about.

use super::error::GitError;
use super::repository::Repository;
use super::run::ConfiguredProgram;
use std::collections::{BTreeMap, BTreeSet};

/// An attribute and the name it has.
type Attribute = (Vec<u8>, Vec<u8>);

impl Repository {
    /// Settings of the repository's own configuration that our calls would need here and that nobody has accepted:
    /// programs for files whose attributes name them and for signing, and what Git LFS goes by.
    pub fn wanted_programs(&self) -> Result<Vec<ConfiguredProgram>, GitError> {
        let mut programs: Vec<ConfiguredProgram> = Vec::new();
        for folder in [self.main_checkout(), self.here()] {
            programs.extend(self.git.guard().overruled(&self.git, folder)?);
        }
        programs.dedup();
        if programs.is_empty() {
            return Ok(programs);
        }
        let signs = self.call(["config", "--type=bool", "--get", "commit.gpgSign"]).end()?;
        let signs = signs.stdout.trim_ascii() == b"true";
        let attributes = self.attributes()?;
        programs.retain(|program| program.is_needed(signs, &attributes));
        let wanted: BTreeMap<_, _> =
            programs.into_iter().map(|program| (program.setting(), program)).collect();
        Ok(wanted.into_values().collect())
    }

    /// The filters and merge drivers that attributes of tracked files name.
    fn attributes(&self) -> Result<BTreeSet<Attribute>, GitError> {
        let files = self.call(["ls-files", "-z"]).list()?;
        let call = self.call(["check-attr", "-z", "--stdin", "filter", "merge"]);
        let told = call.input_list(files.iter().map(Vec::as_slice)).list()?;
        let named = told.chunks(3).filter_map(|line| match line {
            [_, attribute, name] => Some((attribute.clone(), name.clone())),
            _ => None,
        });
        Ok(named.collect())
    }
}
