//! Runs one of the project's checks once more for a reviewer of code at work, in a throw-away copy of what it reviews.
//!
//! What a reviewer asks for is compared and never run: what runs is a command that a person has accepted and that the
//! engine has run on the same revision, with the name of one test behind it at most. The copy is made for one run, next
//! to the folder of the engine's own checks, and removed after it. What it printed is kept, so that a finding can quote
//! it. Start at [`CheckGrant::for_dispatch`].

use crate::ports::{
    Check, CheckFolder, CheckRun, CheckWish, CheckedOut, Checks, Inbox, Moment, NO_CHECK, RunBehind,
    RunHandle,
};
use crate::values::Rules;
use redraft_core::review::Loop;
use redraft_facts::event::{PlayerKind, RanCheck};
use redraft_facts::ids::Revision;
use redraft_facts::text::{hash, one_line, span, takes_more};
use redraft_facts::ticket::Ticket;
use redraft_prompts::prompt::{RECHECKS_MAX, may_recheck};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// What is left to an agent for its answer, whatever it has run.
const ANSWER_MS: u64 = 60_000;

/// The longest name of a test.
const TEST_CHARS_MAX: usize = 300;

/// What a dispatch may have run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckGrant {
    ticket: Ticket,
    session: String,
    /// Holds what is reviewed.
    commit: String,
    checks: Vec<Check>,
    /// Makes a new folder ready for them.
    setup: Option<String>,
    /// The most one run may take: an agent that waits for longer is taken for one that hangs.
    at_most_ms: u64,
}

impl CheckGrant {
    /// None where nothing may be run: for roles that do not review code, for agents that cannot ask for it, and where
    /// the engine has run no check on what is reviewed.
    pub fn for_dispatch(
        open: &Loop,
        ticket: &Ticket,
        sees: Option<&Revision>,
        kind: PlayerKind,
        rules: &Rules,
    ) -> Option<CheckGrant> {
        if !open.opened.is_code() || !ticket.purpose.judges() || !may_recheck(kind) {
            return None;
        }
        let seen = open.gates.values().filter(|checked| Some(&checked.revision) == sees);
        let (mut checks, mut commit) = (Vec::new(), None);
        for checked in seen {
            let same = |check: &&Check| check.command == checked.command;
            if let Some((check, checkout)) =
                rules.check(&checked.gate).filter(same).zip(checked.checkout.as_ref())
            {
                checks.push(check.clone());
                commit = Some(checkout.commit.clone());
            }
        }
        Some(CheckGrant {
            ticket: ticket.clone(),
            session: String::new(),
            commit: commit?,
            checks,
            setup: rules.finish.setup.clone(),
            at_most_ms: rules.deadlines.idle_ms.saturating_sub(rules.deadlines.idle_ms / 10),
        })
    }

    /// The same for a dispatch that goes by this name of a conversation.
    #[must_use]
    pub fn in_session(self, session: &str) -> CheckGrant {
        CheckGrant { session: session.to_owned(), ..self }
    }

    /// The check that is meant, with the command to run.
    fn meant(&self, wish: &CheckWish) -> Result<Check, String> {
        let named = |check: &&Check| check.name.eq_ignore_ascii_case(wish.name.trim());
        let found = match (wish.name.trim().is_empty(), self.checks.as_slice()) {
            (true, [only]) => Some(only),
            _ => self.checks.iter().find(named),
        };
        let Some(check) = found else {
            let names: Vec<&str> = self.checks.iter().map(|check| check.name.as_str()).collect();
            let asked = one_line(&wish.name, 80);
            return Err(format!(
                "`{asked}` is no check that can be run here; there are {}",
                names.join(", ")
            ));
        };
        let test = wish.test.trim();
        if test.is_empty() {
            return Ok(check.clone());
        }
        if !is_name_of_a_test(test) {
            return Err(format!("`{}` cannot be the name of a test", one_line(test, 80)));
        }
        if !runs_tests(&check.command) {
            return Err(format!(
                "`{}` takes no name of a test here: it is not one plain command of a known runner of tests; run the \
                 whole check",
                check.command
            ));
        }
        Ok(Check { command: format!("{} {}", check.command, quoted(test)), ..check.clone() })
    }
}

/// Whether the words behind this command choose tests and can do nothing else. Behind `make`, say, they would name
/// another target or run a command.
pub(crate) fn runs_tests(command: &str) -> bool {
    const RUNNERS: [&str; 13] = [
        // A script of the project gets the word, and is judged by the same reviewers as the rest.
        "sh",
        "bash",
        "cargo test",
        "cargo nextest run",
        "go test",
        "pytest",
        "python -m pytest",
        "python3 -m pytest",
        "python -m unittest",
        "python3 -m unittest",
        "npm test",
        "pnpm test",
        "node --test",
    ];
    let is_of = |runner: &str| {
        let rest = command.trim_start().strip_prefix(runner);
        // Behind `discover` a word names a folder.
        let takes_none = |rest: &str| [" -c", " discover"].iter().any(|first| rest.starts_with(first));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' ') && !takes_none(rest))
    };
    takes_more(command) && RUNNERS.into_iter().any(is_of)
}

/// Letters, digits and what stands between the parts of a test's name; no option, and no place outside the folder.
fn is_name_of_a_test(test: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "_:./[]- ".contains(c);
    let inside = !test.starts_with(['-', '/']) && !test.split('/').any(|part| part == "..");
    inside && test.chars().all(plain) && test.chars().count() <= TEST_CHARS_MAX
}

/// Begins the names of the copies that are made for a dispatch.
pub(crate) fn copies_of(ticket: &Ticket) -> String {
    let hash = hash(ticket.to_string().as_bytes()).to_string();
    hash.chars().take(16).collect()
}

/// A word as the shell needs it.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Runs what a dispatch may have run.
pub struct Rechecking<'r> {
    grant: CheckGrant,
    checks: &'r dyn Checks,
    check_folder: &'r dyn CheckFolder,
    inbox: &'r dyn Inbox,
    /// An agent may ask for several at once; they run one after the other.
    turn: Mutex<()>,
}

impl<'r> Rechecking<'r> {
    pub fn new(
        grant: CheckGrant,
        checks: &'r dyn Checks,
        check_folder: &'r dyn CheckFolder,
        inbox: &'r dyn Inbox,
    ) -> Rechecking<'r> {
        Rechecking { grant, checks, check_folder, inbox, turn: Mutex::default() }
    }

    /// Runs it and says what an agent is told. `until` is when the dispatch must be over.
    pub fn check(&self, wish: &CheckWish, until: Moment, watch: &dyn RunHandle) -> Result<String, String> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let CheckGrant { ticket, session, .. } = &self.grant;
        let check = self.grant.meant(wish)?;
        let before = self.inbox.ran(ticket, session)?.len();
        if before >= RECHECKS_MAX {
            return Err(format!("{RECHECKS_MAX} checks were run for this review, and no more are"));
        }
        let left_ms = until.ms_since(watch.moment());
        let at_most_ms = left_ms.saturating_sub(ANSWER_MS).min(self.grant.at_most_ms);
        if at_most_ms == 0 {
            return Err("too little time is left to run a check; answer with what you have".to_owned());
        }
        watch.tell(&format!("Check {}", check.name));
        let run = self.in_a_copy(&check, before + 1, at_most_ms, watch)?;
        let CheckRun { code, wall_ms, tail, stopped, .. } = run;
        if stopped {
            return Err("it was ended, because nobody waits for it any more".to_owned());
        }
        let Check { name, command } = check;
        let ran = RanCheck { gate: name, command, code, wall_ms, output: tail };
        self.inbox.put_ran(ticket, session, &ran)?;
        Ok(told(&ran, before + 1))
    }

    /// Runs a command in a copy that is gone afterwards.
    fn in_a_copy(
        &self,
        check: &Check,
        number: usize,
        at_most_ms: u64,
        watch: &dyn RunHandle,
    ) -> Result<CheckRun, String> {
        let CheckGrant { ticket, commit, setup, .. } = &self.grant;
        let place = format!("{}-{number}", copies_of(ticket));
        let began = watch.moment();
        let copy = self.check_folder.copy(&place);
        let ran = copy.check_out(commit, true).map_err(|error| error.to_string()).and_then(|checked_out| {
            let CheckedOut { folder, .. } = checked_out;
            if let Some(command) = setup {
                let setup = Check { name: "setup".to_owned(), command: command.clone() };
                let mut run = self.checks.run_beside(&setup, &folder, &place, at_most_ms, watch)?;
                if run.code != Some(0) {
                    run.tail.push_str("\n(this is the setup of the copy; the check was not run)");
                    return Ok(run);
                }
            }
            let left_ms = at_most_ms.saturating_sub(watch.moment().ms_since(began));
            self.checks.run_beside(check, &folder, &place, left_ms.max(1), watch)
        });
        // What cannot be removed now is removed when the dispatch is over.
        let _ = copy.put_away();
        ran
    }
}

/// What an agent is told about a run.
fn told(ran: &RanCheck, number: usize) -> String {
    let how = match ran.code {
        Some(code) => format!("ended with code {code}"),
        None => "did not end by itself".to_owned(),
    };
    format!(
        "`{}` {how} after {}, on a copy of what you review (run {number} of {RECHECKS_MAX}). The end of what it \
         printed:\n{}\n",
        ran.command,
        span(ran.wall_ms),
        ran.output
    )
}

/// A run as an agent sees it that may have checks run.
pub(crate) struct CheckingHandle<'a> {
    pub(crate) watch: &'a dyn RunHandle,
    pub(crate) rechecking: Option<&'a Rechecking<'a>>,
    /// When the dispatch must be over.
    pub(crate) until: Moment,
    /// Set when the agent no longer waits for what it asked for.
    pub(crate) gone: Option<&'a AtomicBool>,
}

impl RunBehind for CheckingHandle<'_> {
    fn behind(&self) -> &dyn RunHandle {
        self.watch
    }

    fn is_over(&self) -> bool {
        self.watch.stopped() || self.gone.is_some_and(|gone| gone.load(Ordering::SeqCst))
    }

    fn run_check(&self, wish: &CheckWish, gone: &AtomicBool) -> Result<String, String> {
        let Some(rechecking) = self.rechecking else { return Err(NO_CHECK.to_owned()) };
        rechecking.check(wish, self.until, &CheckingHandle { gone: Some(gone), ..*self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grant(checks: &[(&str, &str)]) -> CheckGrant {
        let check =
            |(name, command): &(&str, &str)| Check { name: (*name).into(), command: (*command).into() };
        CheckGrant {
            ticket: "001/implement.1/review/security-reviewer/1.1".parse().unwrap(),
            session: String::new(),
            commit: "c".to_owned(),
            checks: checks.iter().map(check).collect(),
            setup: None,
            at_most_ms: 1_000,
        }
    }

    fn command(checks: &[(&str, &str)], name: &str, test: &str) -> Result<String, String> {
        let wish = CheckWish { name: name.to_owned(), test: test.to_owned() };
        grant(checks).meant(&wish).map(|check| check.command)
    }

    #[test]
    fn only_an_accepted_command_is_run_with_at_most_the_name_of_a_test_as_one_word() {
        let both = [("tests", "cargo test"), ("lint", "cargo fmt --check && cargo clippy")];
        assert_eq!(command(&both, "tests", ""), Ok("cargo test".to_owned()));
        assert_eq!(command(&both[..1], "", ""), Ok("cargo test".to_owned()));
        assert_eq!(command(&both, "Tests", " limit::refuses "), Ok("cargo test 'limit::refuses'".to_owned()));
        for (name, test, why) in [
            ("", "", "there are tests, lint"),
            ("cargo test", "", "`cargo test` is no check"),
            ("tests", "--config=x", "cannot be the name of a test"),
            ("tests", "a\nb", "cannot be the name of a test"),
            ("tests", "x'; rm -rf / #", "cannot be the name of a test"),
            ("lint", "x", "takes no name of a test"),
        ] {
            let refused = command(&both, name, test).unwrap_err();
            assert!(refused.contains(why), "{name} {test}: {refused}");
        }
    }

    #[test]
    fn copies_of_different_dispatches_have_different_names() {
        let ticket =
            |round: u16| format!("001/implement.1/review/security-reviewer/{round}.1").parse().unwrap();
        assert_ne!(copies_of(&ticket(1)), copies_of(&ticket(2)));
        assert_eq!(copies_of(&ticket(1)).len(), 16);
    }

    #[test]
    fn behind_a_check_stands_the_name_of_a_test_and_nothing_that_could_do_more() {
        for command in ["cargo test", "pytest -q", "python3 -m unittest", "go test ./...", "sh tests/run.sh"]
        {
            assert!(runs_tests(command), "{command}");
        }
        for command in [
            "make test",
            "just test",
            "cargo run",
            "sh -c tests",
            "python3 -m unittest discover -s tests",
            "npm test && rm -r x",
            "testing cargo test",
        ] {
            assert!(!runs_tests(command), "{command}");
        }
        for name in ["limit", "it::limits::at_ten", "tests/test_a.py::test_b[1-2]", "TestLimits"] {
            assert!(is_name_of_a_test(name), "{name}");
        }
        for name in ["X:=$(shell id)", "-p x", "/etc", "../other", "a/../../b", "a;b", "a\nb", "$(id)", "a'b"]
        {
            assert!(!is_name_of_a_test(name), "{name}");
        }
    }
}
