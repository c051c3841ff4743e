//! Gathers what the roles of a feature are told about its project. What is made of it, the core decides.

use super::{Member, PROJECTS, folder_of, members, text};
use crate::cli::console::Console;
use crate::cli::errors::CliError;
use crate::cli::site::Site;
use redraft_adapters::sqlite::Ledger;
use redraft_core::adopt::read_meta;
use redraft_core::event::{FeatureCreated, Life};
use redraft_core::project_context::{Dependency, ProjectFacts, project_block};
use std::collections::BTreeMap;

/// What the roles of a feature are told about its project; nothing for one that has none. What cannot be found is said.
pub(crate) fn project_context(
    site: &Site,
    ledger: &Ledger,
    created: &FeatureCreated,
    console: &Console,
) -> Result<Option<String>, CliError> {
    let Some(id) = &created.project else { return Ok(None) };
    let found = folder_of(site, id)?;
    let place = found.as_ref().map(|name| site.repository.main_checkout().join(PROJECTS).join(name));
    let read = |name: &str| place.as_ref().and_then(|place| text(&place.join(name)));
    let (prd, roadmap) = (read("prd.md"), read("roadmap.md"));
    let lives = Lives::of(site, ledger)?;
    let dependencies: Vec<Dependency> =
        created.depends_on.iter().map(|name| lives.dependency(name)).collect();
    let own = created.folder();
    let block = project_block(&ProjectFacts {
        id,
        folder: found.as_deref(),
        prd: prd.as_deref(),
        roadmap: roadmap.as_deref(),
        feature: own.rsplit('/').next().unwrap_or(&own),
        dependencies: &dependencies,
    });
    for note in &block.notes {
        console.say(&format!("note: {note}"));
    }
    Ok(block.text)
}

/// Where features stand, by the names of their folders: by the ledger, else by what their own `.meta.json` says.
struct Lives<'a> {
    site: &'a Site,
    members: BTreeMap<String, Member>,
}

impl<'a> Lives<'a> {
    fn of(site: &'a Site, ledger: &Ledger) -> Result<Lives<'a>, CliError> {
        let members = members(site, ledger)?.into_iter().map(|member| (member.name.clone(), member));
        Ok(Lives { site, members: members.collect() })
    }

    fn dependency(&self, name: &str) -> Dependency {
        let (life, before) = self.standing(name);
        let open = |other: &String| self.standing(other).0 != Some(Life::Completed);
        Dependency { name: name.to_owned(), life, waits: before.iter().any(open) }
    }

    /// Where a feature stands, and what comes before it.
    fn standing(&self, name: &str) -> (Option<Life>, Vec<String>) {
        if let Some(member) = self.members.get(name) {
            return (Some(member.life), member.depends_on.clone());
        }
        let plain = !name.contains(['/', '\\']) && !name.starts_with('.');
        let place = self.site.repository.main_checkout().join("docs/features").join(name);
        if !plain || !place.is_dir() {
            return (None, Vec::new());
        }
        let meta = text(&place.join(".meta.json")).and_then(|text| read_meta(&text).ok()).unwrap_or_default();
        (Some(meta.status.unwrap_or(Life::Active)), meta.depends_on)
    }
}
