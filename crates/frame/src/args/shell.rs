//! The arguments of the commands that connect the program with its surroundings, an agent's session or a shell, and the
//! ends of their help.

use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Subcommand)]
pub enum HookCommand {
    /// Tell a new session the active feature, its phase and the next step
    #[command(after_help = SESSION_START_HELP)]
    SessionStart,
    /// Refuse tools that would change Redraft's state or the files it computes
    #[command(after_help = PRE_TOOL_USE_HELP)]
    PreToolUse,
    /// Remind an agent that stops of unfinished work, if `[hooks] autonomous` is set
    #[command(after_help = STOP_HELP)]
    Stop,
}

#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell the script is for
    #[arg(value_enum)]
    pub shell: Option<ShellName>,
    /// Print the numbers of the features here, which the script asks for
    #[arg(long, hide = true, conflicts_with = "shell")]
    pub features: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ShellName {
    Bash,
    Zsh,
    Fish,
    #[value(name = "powershell")]
    PowerShell,
}

#[derive(Debug, Args)]
pub struct ManArgs {
    /// Write a page for each command into this folder, e.g. ~/.local/share/man/man1; it is created if it is missing
    #[arg(value_name = "DIR")]
    pub folder: Option<PathBuf>,
}

pub(super) const HOOK_HELP: &str = "\
Examples:
  redraft hook session-start < event.json
  redraft plugin export ./plugin         a plugin for Claude Code that calls all three

The event is read as JSON from stdin, and the answer is printed in the form that Claude Code reads. If there is \
nothing to say, nothing is printed. Errors never disturb a session: docs/hooks.md.

Exit codes: 0 whatever happens, 1 for a mistake in what was typed (2 would tell Claude Code that it must not \
continue)";

const SESSION_START_HELP: &str = "\
Examples:
  echo '{\"hook_event_name\":\"SessionStart\",\"source\":\"startup\"}' | redraft hook session-start

Says nothing if no feature is open, after a compaction, and to the agents of a run. Exit codes: 0 always";

const PRE_TOOL_USE_HELP: &str = "\
Examples:
  echo '{\"session_id\":\"1\",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"rm .git/redraft/ledger.db\"}}' |
    redraft hook pre-tool-use

Reading is never refused. After the third refusal of the same thing in one session, the agent's turn ends. Exit \
codes: 0 always";

const STOP_HELP: &str = "\
Examples:
  echo '{\"session_id\":\"1\",\"hook_event_name\":\"Stop\"}' | REDRAFT_AUTONOMOUS=1 redraft hook stop

It reminds at most once for each state of a feature in a session, and never while a person is being asked. Exit \
codes: 0 always";

pub(super) const COMPLETIONS_HELP: &str = "\
Examples:
  redraft completions bash > ~/.local/share/bash-completion/completions/redraft
  redraft completions zsh > ~/.zfunc/_redraft           with fpath=(~/.zfunc $fpath) before compinit
  redraft completions fish > ~/.config/fish/completions/redraft.fish
  redraft completions powershell >> $PROFILE

Exit codes: 0 printed, 2 no such shell";

pub(super) const MAN_HELP: &str = "\
Examples:
  redraft man | man -l -                 read the page of the program itself
  redraft man ~/.local/share/man/man1    a page for each command: man redraft-run

A page of an earlier version is replaced; any other file with that name is not touched.

Exit codes: 0 printed or written, 2 an existing file is not a page of redraft, 3 the folder cannot be written";
