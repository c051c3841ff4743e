//! An error as the user sees it: what went wrong, the exit code it means, and ways out.

use redraft_adapters::git::GitError;
use redraft_adapters::lock::LockError;
use redraft_adapters::shell_word::{quoted, quoted_path};
use redraft_agents::config::ConfigError;
use redraft_engine::EngineError;
use redraft_engine::ports::{CommitRefused, MergeError, StoreError, WorkspaceError};
use std::io;
use std::path::Path;

/// The public table of exit codes, see docs/exit-codes.md.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorCode {
    Done = 0,
    NotApproved = 1,
    Usage = 2,
    Config = 3,
    Agent = 4,
    Limit = 5,
    Waiting = 6,
    Held = 7,
    Bug = 70,
    Interrupted = 130,
}

impl ErrorCode {
    /// Every code with its meaning, as the documentation lists them.
    pub const ALL: [(ErrorCode, &'static str); 10] = [
        (ErrorCode::Done, "done"),
        (ErrorCode::NotApproved, "not approved or abandoned, findings, or not everything could be done"),
        (ErrorCode::Usage, "the command cannot be carried out as typed or where it was typed"),
        (ErrorCode::Config, "the configuration, the ledger, the repository or the disk needs attention"),
        (ErrorCode::Agent, "an agent failed and a person must decide how to continue"),
        (ErrorCode::Limit, "a limit or budget was reached"),
        (ErrorCode::Waiting, "waiting for a decision"),
        (ErrorCode::Held, "held by another process"),
        (ErrorCode::Bug, "a bug in redraft"),
        (ErrorCode::Interrupted, "interrupted; the same command continues"),
    ];
}

#[derive(Debug)]
pub struct CliError {
    pub code: ErrorCode,
    pub message: String,
    pub hints: Vec<String>,
}

impl CliError {
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hints: Vec::new() }
    }

    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::Usage, message)
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }
}

impl From<EngineError> for CliError {
    fn from(error: EngineError) -> Self {
        let message = error.to_string();
        match error {
            EngineError::Store(error) => error.into(),
            EngineError::Workspace(error) => error.into(),
            EngineError::Unknown(scope) => unknown_feature(&scope.to_string()),
            EngineError::History { .. } => CliError::new(ErrorCode::Config, message).hint(
                "the ledger was changed by hand or written by another version; nothing was changed now",
            ),
            EngineError::LedgerBehind { branch, .. } => CliError::new(ErrorCode::Config, message)
                .hint("the ledger is older than the branch, as after restoring a backup or copying a clone")
                .hint(format!(
                    "restore the newer ledger, or start again from the document: git switch {branch}"
                )),
            EngineError::LedgerElsewhere { branch, .. } => CliError::new(ErrorCode::Config, message)
                .hint("the ledger comes from another clone, or git has lost commits; nothing was changed")
                .hint(format!("restore this clone's own ledger, or fetch {branch} from the clone where the ledger \
                    was written: git fetch"))
                .hint("if the commits are lost for good: redraft doctor --repair"),
            EngineError::Prerequisite { feature, earlier, .. } => CliError::new(ErrorCode::Config, message)
                .hint(format!("restore it (git restore), or have it written again: redraft phase back {feature} \
                    {earlier} --why \"…\"")),
            EngineError::Changed { feature, earlier, path, revision, .. } => CliError::new(ErrorCode::Config, message)
                .hint(format!("have it reviewed: redraft phase back {feature} {earlier} --why \"…\""))
                .hint(format!("or restore it, in the feature's worktree: git restore --source={revision} {}", quoted(&path))),
            EngineError::Unreviewed { feature, .. } => CliError::new(ErrorCode::NotApproved, message)
                .hint(format!("have it reviewed: redraft phase back {feature} implement --why \"…\""))
                .hint("or remove it from the branch"),
            EngineError::BaseMerged { feature, .. } => CliError::new(ErrorCode::NotApproved, message)
                .hint(format!("have it reviewed: redraft phase back {feature} implement --why \"…\"")),
            EngineError::CheckGone { feature, gate } => CliError::new(ErrorCode::Config, message)
                .hint(format!("put `{gate}` back into [checks] in redraft.toml and accept it: redraft trust"))
                .hint(format!("or close the feature without it: redraft phase back {feature} finish --why \"…\"")),
            EngineError::Tasks { feature, .. } => CliError::new(ErrorCode::Config, message)
                .hint(format!("have the list corrected: redraft phase back {feature} create-tasks --why \"…\""))
                .hint("correct it in the feature's worktree before you run it again, or let its author do so"),
            EngineError::NoSuchCheck { gate } => CliError::new(ErrorCode::Config, message)
                .hint(format!("put `{gate}` back into [checks] in redraft.toml and accept it: redraft trust"))
                .hint("or start the phase again with the current checks: redraft phase back FEATURE implement \
                    --why \"…\""),
            EngineError::Uncommitted { .. } => CliError::new(ErrorCode::Config, message)
                .hint("commit these files in the feature's worktree, or restore them, then run the same command \
                    again"),
            EngineError::Check { .. } => CliError::new(ErrorCode::Config, message)
                .hint("fix the cause and run the same command again; nothing is lost"),
            EngineError::Merge(error) => error.into(),
            EngineError::NoBase { branch, .. } => CliError::new(ErrorCode::Config, message)
                .hint(format!("merge it by hand, on the branch you want it in: git merge {branch}")),
            EngineError::Conflict { feature, into, folder, .. } => CliError::new(ErrorCode::Waiting, message)
                .hint(format!("have it built on {into} as it is now: redraft phase back {feature} implement --why \"…\""))
                .hint(format!("then merge {into} in the worktree: git -C {} merge {into}", quoted_path(&folder)))
                .hint(format!("and continue: redraft run {feature}; nothing was changed"))
            ,
            EngineError::Unfinished { feature } => CliError::usage(message).hint(format!("continue it: redraft run \
                {feature}")),
            EngineError::FailsMerged { feature, .. } => CliError::new(ErrorCode::NotApproved, message)
                .hint("nothing was merged")
                .hint(format!("merge the base in and have the code corrected: redraft phase back {feature} \
                    implement --why \"…\"")),
            EngineError::NothingAsked => {
                CliError::usage(message).hint("`redraft status` shows what each feature is waiting for")
            }
            EngineError::NotAChoice { question, .. } => {
                let choices: Vec<&str> = question.choices.iter().map(|choice| choice.name()).collect();
                CliError::usage(message).hint(format!("choose one of: {}", choices.join(", ")))
            }
            EngineError::NoReason(_) => CliError::usage(message).hint("add --why \"…\""),
            EngineError::TooLong { .. } => CliError::usage(message)
                .hint("nothing was stored; put the rest into the document itself: edit it, then run"),
            EngineError::Answers { asked: 0, .. } => {
                CliError::usage("--answer is for `answer`, when an author asks")
            }
            EngineError::Answers { .. } => CliError::usage(message).hint(
                "give --answer once for each question, in order; \"\" leaves a question to the author's assumption",
            ),
            EngineError::Agent(_) => CliError::new(ErrorCode::Agent, message),
            EngineError::CommentBox { .. } => CliError::new(ErrorCode::Config, message)
                .hint("make that folder readable and writable, then: redraft run"),
            EngineError::Inbox { .. } => CliError::new(ErrorCode::Config, message)
                .hint("free some space or make it writable, then run again"),
            EngineError::Unsendable(_) | EngineError::Bug(_) => CliError::new(ErrorCode::Bug, message),
        }
    }
}

impl From<MergeError> for CliError {
    fn from(error: MergeError) -> Self {
        let message = error.to_string();
        match error {
            MergeError::Workspace(error) => error.into(),
            MergeError::NoBranch(name) => CliError::new(ErrorCode::Config, message)
                .hint(format!("restore it: git branch {name} COMMIT; or merge by hand: git merge")),
            MergeError::Dirty { folder, .. } => CliError::new(ErrorCode::Waiting, message)
                .hint(format!("commit it, or stash it: git -C {} stash", quoted(&folder)))
                .hint("then run the same command again; nothing was changed"),
            MergeError::Refused { .. } => CliError::new(ErrorCode::Waiting, message)
                .hint("move what is in the way, then run the same command again; nothing was changed"),
            MergeError::Moved(_) => {
                CliError::new(ErrorCode::Held, message).hint("nothing was merged; run the same command again")
            }
        }
    }
}

impl From<StoreError> for CliError {
    fn from(error: StoreError) -> Self {
        let message = error.to_string();
        match error {
            StoreError::Moved { .. } => {
                CliError::new(ErrorCode::Held, message).hint("nothing was stored; run the command again")
            }
            StoreError::Damaged { .. } => CliError::new(ErrorCode::Config, message)
                .hint("nothing was changed; to rescue what can still be read: redraft ledger export FILE, then \
                    redraft ledger import FILE")
                .hint("or restore it from a backup of .git/redraft; to start over without it: redraft uninstall --yes; \
                    branches that are merged nowhere stay, and redraft adopt takes over their documents"),
            StoreError::Newer { .. } => {
                CliError::new(ErrorCode::Config, message).hint("install the newer redraft")
            }
            StoreError::Full { .. } => {
                CliError::new(ErrorCode::Config, message).hint("free some space, then run the same command again")
            }
            StoreError::Disk { .. } => CliError::new(ErrorCode::Config, message)
                .hint("check the disk, the quota and `ulimit -f`; once it can be written again, the same command \
                    continues"),
            StoreError::ReadOnly { ref path, .. } => {
                let folder = Path::new(path).parent().unwrap_or(Path::new(path));
                unwritable(message, folder).hint("`redraft status` works without that")
            }
            StoreError::Unproven { .. } => CliError::new(ErrorCode::Waiting, message)
                .hint("nothing was stored; see whose signature each entry has: redraft status --verify")
                .hint("if everything in it is right, go on from there with your own key: redraft trust --ledger"),
            StoreError::Gone { ref path, ref rescued, .. } => {
                let error = CliError::new(ErrorCode::Config, message);
                match rescued {
                    Some(rescued) => error
                        .hint(format!("everything stored before is in {rescued}; nothing was stored since"))
                        .hint(format!(
                            "put it back if no other file is there: mv {} {}; then run again",
                            quoted(rescued),
                            quoted(path)
                        )),
                    None => error.hint("nothing was stored since; restore it from a backup, then run again"),
                }
            }
            StoreError::Busy { .. } => CliError::new(ErrorCode::Held, message).hint("try again in a moment"),
            StoreError::Other { .. } => CliError::new(ErrorCode::Config, message)
                .hint("nothing was stored; check the disk and the permissions of that folder, then run again"),
        }
    }
}

/// The way out where git has lost something that the ledger names.
pub const REPAIR: &str = "see what is lost, and continue from what is intact: redraft doctor --repair";

impl From<WorkspaceError> for CliError {
    fn from(error: WorkspaceError) -> Self {
        let hint = match &error {
            WorkspaceError::Commit(refused) => commit_hint(refused),
            WorkspaceError::AnchorLost(_) | WorkspaceError::Damaged { .. } => REPAIR.to_owned(),
            WorkspaceError::Secret { .. } => {
                "remove it from the file (and revoke the secret if it is real), then run again".to_owned()
            }
            WorkspaceError::Full(_) => "free some space, then run the same command again".to_owned(),
            WorkspaceError::Disk(_) => {
                "check the disk (the system log says more); once it works again, the same command continues"
                    .to_owned()
            }
            WorkspaceError::ReadOnly(_) => {
                format!("make it writable, then run the same command again; {CLONE}")
            }
            WorkspaceError::Slow { waited_for, .. } => slow_hint(waited_for.as_deref()).to_owned(),
            WorkspaceError::File { .. } | WorkspaceError::Git { .. } | WorkspaceError::Interrupted { .. } => {
                "nothing is lost; fix the cause and run the same command again".to_owned()
            }
        };
        CliError::new(ErrorCode::Config, error.to_string()).hint(hint)
    }
}

/// How to make a git that hangs go on.
fn slow_hint(waited_for: Option<&str>) -> &'static str {
    let is = |names: &[&str]| waited_for.is_some_and(|name| names.iter().any(|one| name.starts_with(one)));
    if is(&["gpg", "pinentry", "ssh-keygen"]) {
        "unlock the signing key, or git config commit.gpgsign false for this repository, then run again"
    } else if is(&["git-remote", "ssh", "git-lfs"]) {
        "git was fetching something; make sure that the server answers (git fetch), then run the same command again"
    } else {
        "nothing is lost; make sure that the disk responds (git status), then run the same command again"
    }
}

fn commit_hint(refused: &CommitRefused) -> String {
    match refused {
        CommitRefused::NoIdentity => {
            "git config user.name \"Your Name\" && git config user.email you@example.com, then run again"
                .to_owned()
        }
        CommitRefused::Signing(_) => {
            "unlock the signing key, or git config commit.gpgsign false for this repository, then run again"
                .to_owned()
        }
        CommitRefused::Locked { by: Some(_), .. } => {
            "wait for it to end, then run the same command again".to_owned()
        }
        CommitRefused::Locked { lock, by: None } => {
            format!(
                "wait for the other git process to end, or remove {lock} if there is none, then run again"
            )
        }
        CommitRefused::Ignored(path) => format!("take {path} out of .gitignore, then run again"),
        CommitRefused::WrongBranch(branch) => format!("git switch {branch} in the worktree, then run again"),
    }
}

impl From<GitError> for CliError {
    /// Git's errors carry their way out in the message.
    fn from(error: GitError) -> Self {
        let code = match &error {
            GitError::NotARepository(_)
            | GitError::Bare(_)
            | GitError::InsideGitFolder(_)
            | GitError::BareMain(_)
            | GitError::Embedded { .. }
            | GitError::Elsewhere { .. }
            | GitError::LinkInTheWay(_)
            | GitError::LinkOut { .. }
            | GitError::LinkInState(_)
            | GitError::NoMainCheckout(_)
            | GitError::NoCommits(_)
            | GitError::LineBreak(_)
            | GitError::Dirty(_)
            | GitError::InTheWay { .. }
            | GitError::FolderExists(_)
            | GitError::FolderInTheWay(_)
            | GitError::BranchInTheWay(_)
            | GitError::CheckedOut { .. }
            | GitError::BadName(_) => ErrorCode::Usage,
            GitError::Moving(_) => ErrorCode::Held,
            GitError::Stopped(_) => ErrorCode::Interrupted,
            GitError::Missing { .. }
            | GitError::TooOld { .. }
            | GitError::NotAWorktree(_)
            | GitError::HalfMoved { .. }
            | GitError::Journal(_)
            | GitError::Disk { .. }
            | GitError::Slow { .. }
            | GitError::File { .. }
            | GitError::Unwritable { .. }
            | GitError::NotFetched { .. }
            | GitError::Failed { .. }
            | GitError::Broken { .. } => ErrorCode::Config,
        };
        if let GitError::Unwritable { folder, .. } = &error {
            return unwritable(error.to_string(), folder);
        }
        let shown = CliError::new(code, error.to_string());
        if error.is_damage() { shown.hint(REPAIR) } else { shown }
    }
}

impl From<ConfigError> for CliError {
    fn from(error: ConfigError) -> Self {
        let at = error.line.map(|line| format!(":{line}")).unwrap_or_default();
        let shown =
            CliError::new(ErrorCode::Config, format!("{}{at}: {}", error.path.display(), error.message));
        match error.hint {
            Some(hint) => shown.hint(hint),
            None => shown,
        }
    }
}

impl From<LockError> for CliError {
    fn from(error: LockError) -> Self {
        let error_text = error.to_string();
        match error {
            LockError::Held(holder) => CliError::new(ErrorCode::Held, format!("held by {holder}"))
                .hint("wait for it to end, or stop it: Ctrl-C in its terminal, or redraft stop; other features can run meanwhile"),
            LockError::Io { ref error, .. } if error.kind() == std::io::ErrorKind::StorageFull => {
                CliError::new(ErrorCode::Config, error_text)
                    .hint("free some space, then run the same command again")
            }
            LockError::Io { ref path, ref error } if cannot_be_written(error) => {
                let object = existing(path);
                unwritable(format!("{} cannot be written: {error}", object.display()), object)
            }
            _ => CliError::new(ErrorCode::Config, error_text)
                .hint("make the repository's .git/redraft folder writable, then run again"),
        }
    }
}

/// Where else a repository can be worked in that cannot be written.
const CLONE: &str = "or work in a clone of your own: git clone";

/// The way out where a file or folder of the repository cannot be written. `message` names it.
pub fn unwritable(message: String, object: &Path) -> CliError {
    CliError::new(ErrorCode::Config, message)
        .hint(format!(
            "make {0} writable for you (ls -ld {0} shows who may write there), then run the same command again",
            quoted_path(object)
        ))
        .hint(CLONE)
}

/// Whether an error of the system says that somebody else may write there, or nobody.
pub fn cannot_be_written(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}

/// What was to be written, or else the folder that it was to be made in, as far as it is there.
fn existing(path: &Path) -> &Path {
    path.ancestors().find(|place| place.exists()).unwrap_or(path)
}

/// A word that was typed could mean different commits, each given with its whole name.
pub fn ambiguous(typed: &str, all: &[(String, String)]) -> CliError {
    let short = |commit: &str| commit.get(..12).unwrap_or(commit).to_owned();
    let listed: Vec<String> =
        all.iter().map(|(name, commit)| format!("{name} ({})", short(commit))).collect();
    let branch = all.iter().find(|(name, _)| name.starts_with("refs/")).or(all.first());
    let name = branch.map(|(name, _)| name.as_str()).unwrap_or_default();
    CliError::usage(format!("`{typed}` names more than one commit: {}", listed.join(", ")))
        .hint(format!("use the full name of the one you mean, such as `{name}`"))
}

pub fn unknown_feature(name: &str) -> CliError {
    CliError::usage(format!("there is no feature {name}")).hint("`redraft status` lists the features")
}
