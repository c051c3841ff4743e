//! Names that hold the secret: those of features, and those that redraft itself uses.

use redraft_agents::config;
use redraft_facts::event::FeatureCreated;
use redraft_facts::phase::Phase;
use redraft_facts::removal::Removal;
use redraft_frame::errors::CliError;
use redraft_frame::repository_context::RepositoryContext;
use redraft_roles::profile;

/// Refuses a name that everything is found by: it cannot be taken out of everything.
pub(super) fn refuse_own_words(removal: &Removal) -> Result<(), CliError> {
    let roles = profile::roles().into_iter().map(|role| role.to_string());
    let phases = Phase::ALL.into_iter().map(|phase| phase.name().to_owned());
    let own = [config::FILE, "redraft"].map(str::to_owned);
    match roles.chain(phases).chain(own).find(|word| removal.is_in(word.as_bytes())) {
        None => Ok(()),
        Some(word) => Err(CliError::usage(format!(
            "the text cannot be removed: it is part of `{word}`, a word that redraft itself uses"
        ))),
    }
}

/// Features that are found by a name that holds the secret, as long as they have a branch.
pub(super) fn named_by_it(
    repo: &RepositoryContext,
    removal: &Removal,
    features: &[FeatureCreated],
) -> Result<Vec<FeatureCreated>, CliError> {
    let mut found = Vec::new();
    for created in features {
        let holds = !created.is_review() && removal.is_in(created.slug.as_bytes());
        if holds && repo.repository.has_branch(&created.branch)? {
            found.push(created.clone());
        }
    }
    Ok(found)
}

/// How branch, folders and files of a feature spell its name.
pub(super) fn names(created: &FeatureCreated) -> [String; 3] {
    let FeatureCreated { id, slug, .. } = created;
    [format!("{id}-{slug}"), format!("\"slug\":\"{slug}\""), format!("\"slug\": \"{slug}\"")]
}

pub(super) fn told_name(created: &FeatureCreated) -> String {
    let FeatureCreated { id, branch, .. } = created;
    format!(
        "the name of feature {id}, which its branch and its folders have, too; to remove it there: end the feature, \
            remove its worktree and its branch {branch}, and redact again"
    )
}
