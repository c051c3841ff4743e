//! What every call of git is given (settings, variables), and what is taken out of its environment.

/// Settings of every call. Hooks and fsmonitor would run the repository's commands; maintenance would go on in
/// the background after we are done, and may collect what is about to be kept.
///
/// A bare repository inside another's files is not entered unless it is named, and neither is a submodule, whose
/// configuration is its own (a repository can say otherwise for each one, hence [`LOOKING`]).
pub(super) const SETTINGS: [&str; 12] = [
    "safe.bareRepository=explicit",
    "submodule.recurse=false",
    "diff.ignoreSubmodules=dirty",
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.quotepath=false",
    "advice.detachedHead=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "i18n.commitEncoding=UTF-8",
    "i18n.logOutputEncoding=UTF-8",
];

/// Variables that point git somewhere else than the folder it is started in, or change what it prints. Git sets some of
/// them for its hooks, and a hook may have started us. `GIT_CONFIG_COUNT` is not among them: git never sets it, but
/// people do, to configure git in containers.
pub(super) const INHERITED: [&str; 27] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_ATTR_SOURCE",
    "GIT_AUTHOR_DATE",
    "GIT_COMMITTER_DATE",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_CONFIG_PARAMETERS",
    "GIT_DIFF_OPTS",
    "GIT_DIR",
    "GIT_EXTERNAL_DIFF",
    "GIT_GLOB_PATHSPECS",
    "GIT_GRAFT_FILE",
    "GIT_ICASE_PATHSPECS",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_LITERAL_PATHSPECS",
    "GIT_NAMESPACE",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
    "GIT_REFLOG_ACTION",
    "GIT_REPLACE_REF_BASE",
    "GIT_SEQUENCE_EDITOR",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
];

/// Commands that start `git status` in submodules to see what was changed there, unless the call itself says otherwise.
pub(super) const LOOKING: [&str; 4] = ["status", "diff", "diff-index", "diff-files"];

/// Replaced objects are never looked at, nor parents that `info/grafts` makes up: an id must mean the same bytes, and a
/// commit have the same history, for everybody. A path that cannot exist stands for no such file; about an empty one
/// git would give advice.
///
/// No call fetches what a partial clone has left out. Where it would be fetched from, with which programs, proxies,
/// cookies and credentials, stands in the repository's own configuration. Older versions of git do not know the first
/// variable and try all the same, so no protocol for reaching another repository is allowed: none has this name.
pub(super) const FIXED: [(&str, &str); 8] = [
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_GRAFT_FILE", "/dev/null/none"),
    ("GIT_EDITOR", "true"),
    ("LC_ALL", "C"),
];

/// How many settings stand in variables.
pub(super) const COUNT: &str = "GIT_CONFIG_COUNT";
