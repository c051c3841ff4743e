//! What must be true of a clone before a worker drives in it, or `start` reads its features.

use super::{CONFIG, Failure};
use redraft_fleet::clones::Clone;
use redraft_fleet::program::Programs;
use std::path::{Path, PathBuf};

/// The programs of this machine, after a look whether `redraft` is there at all.
pub(crate) async fn programs(redraft: &Path) -> Result<Programs, Failure> {
    let programs = Programs::new(redraft.to_path_buf());
    match programs.version().await {
        Ok(()) => Ok(programs),
        Err(why) => Err(Failure::new(CONFIG, why).hint("say where it is: --redraft PATH")),
    }
}

/// Clones that share their features, with settings that somebody accepted on this machine.
pub(crate) async fn clones(folders: &[PathBuf], programs: &Programs) -> Result<Vec<Clone>, Failure> {
    let mut clones = Vec::new();
    for folder in folders {
        let clone = Clone::open(folder).await.map_err(|error| Failure::new(CONFIG, error))?;
        let shown = folder.display();
        let accepted = clone.is_accepted(programs).await;
        if !accepted.map_err(|error| Failure::new(CONFIG, format!("{shown}: {error}")))? {
            return Err(Failure::new(
                CONFIG,
                format!("{shown}: its settings are not accepted on this machine"),
            )
            .hint(format!("redraft -C {shown} trust")));
        }
        clones.push(clone);
    }
    Ok(clones)
}
