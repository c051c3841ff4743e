//! What leaves this machine once features are shared, as a person is shown it before.

use crate::errors::CliError;
use crate::repository_context::RepositoryContext;
use crate::rows;
use redraft_facts::harmless;
use std::fmt;

pub struct Leaving {
    remote: String,
    /// Where git pushes to, without a password.
    pub url: String,
    /// Features and reviews.
    pub features: usize,
    transcripts: bool,
}

impl Leaving {
    pub fn new(repo: &RepositoryContext, remote: &str, transcripts: bool) -> Result<Leaving, CliError> {
        let url = url(repo, remote)?;
        let features = match repo.reader()? {
            Some(ledger) => rows::rows(&ledger)?.len() + rows::reviews(&ledger)?.len(),
            None => 0,
        };
        Ok(Leaving { remote: remote.to_owned(), url, features, transcripts })
    }
}

impl fmt::Display for Leaving {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Leaving { remote, url, features, transcripts } = self;
        let features = match features {
            1 => "1 feature or review".to_owned(),
            many => format!("{many} features and reviews"),
        };
        let talk = match transcripts {
            true => "prompts and answers leave, too, because redraft.toml says so",
            false => {
                "prompts and answers stay here, except outlines of tests, retrospectives and judgements of older lessons"
            }
        };
        write!(
            f,
            "sharing sends to {remote} ({url}), now and with every run, decision and comment:\n  \
             - the history of {features}: ideas, findings, decisions, costs, who did what and on which machine\n  \
             - their branches with all commits, and the texts of roles, project and PRDs that they name\n  \
             - {talk}; secrets that Redraft recognizes are taken out of everything\n\
             everybody who may read that repository can read it; it stands below refs/redraft/1/"
        )
    }
}

fn url(repo: &RepositoryContext, remote: &str) -> Result<String, CliError> {
    let found = repo.repository.call(["remote", "get-url", "--push", "--"]).arg(remote).text();
    let url = found.map_err(|_| {
        let names = repo.repository.call(["remote"]).text().unwrap_or_default();
        let known = names.lines().collect::<Vec<_>>().join(", ");
        let error = CliError::usage(format!("git has no remote `{}` here", harmless::name(remote)));
        match known.is_empty() {
            true => error.hint("add one: git remote add origin URL"),
            false => error.hint(format!("it has: {known}")),
        }
    })?;
    Ok(match url.split_once("://").and_then(|(way, rest)| Some((way, rest.split_once('@')?))) {
        Some((way, (_, rest))) => format!("{way}://{rest}"),
        None => url,
    })
}
