//! The action that reviews pull requests (`action.yml`): its script on fresh runners, with a bare repository in place of
//! GitHub's and a `gh` that keeps comments in a folder.

use crate::review_base::{SAFE, UNSAFE};
use crate::review_file::LACKING;
use crate::sharing_runners::{answers, asked, events};
use crate::team::{clone_of, publish};
use crate::world::{PROGRAM, executable};
use redraft_facts::event::Event;
use redraft_testkit::{Ran, Scratch};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A text that every careless shell would carry out, and every careless log.
const HOSTILE: &str = "$(touch pwned) `touch pwned` \"; touch pwned; '\n::error::pwned\n${{ github.token }}";

/// Keeps comments as files, `ID` with the text and `ID.by` with the author, and knows the three calls of the script.
const GH: &str = r#"#!/bin/sh
set -eu
cd "$GH_COMMENTS"
[ "$GH_TOKEN" = "a token" ]
method=none
for word; do
  case $word in
    POST | PATCH) method=$word ;;
    repos/*/issues/comments/*) id=${word##*/} ;;
    repos/*/issues/7/comments) id=$(($(ls | grep -vc '\.by$' || true) + 1)) ;;
    body=@*) body=${word#body=@} ;;
  esac
done
case "$1 $2 $method" in
  "api graphql none")
    for id in $(ls | grep -v '\.by$'); do
      if [ "$(cat "$id.by")" = me ]; then case $(cat "$id") in "$REVIEW_MARKER"*) echo "$id" ;; esac; fi
    done ;;
  *POST) cp "$body" "$id"; echo me >"$id.by" ;;
  *PATCH) [ -e "$id" ]; cp "$body" "$id" ;;
  *) exit 9 ;;
esac
"#;

/// GitHub's side: the repository, the comments on pull request 7, and a clone in which its author works.
struct Hub {
    folder: tempfile::TempDir,
    author: Scratch,
}

impl Hub {
    /// With one commit in the pull request.
    fn new(path: &str, text: &str) -> Hub {
        let folder = tempfile::tempdir().unwrap();
        let author = Scratch::repository(PROGRAM);
        publish(&author, &folder.path().join("remote.git"));
        author.git(["switch", "-q", "-c", "topic"]);
        std::fs::create_dir(folder.path().join("comments")).unwrap();
        let hub = Hub { folder, author };
        hub.commit(path, text);
        hub
    }

    fn commit(&self, path: &str, text: &str) {
        self.author.write_unaccepted(path, text);
        self.author.git(["add", "--all"]);
        self.author.git(["commit", "-q", "-m", HOSTILE]);
        self.author.git(["push", "-q", "origin", "topic"]);
    }

    fn remote(&self) -> PathBuf {
        self.folder.path().join("remote.git")
    }

    fn comments(&self) -> PathBuf {
        self.folder.path().join("comments")
    }

    /// The texts of all comments, in their order.
    fn said(&self) -> Vec<String> {
        let read = |id: usize| std::fs::read_to_string(self.comments().join(id.to_string())).ok();
        (1..).map_while(read).collect()
    }

    /// A fresh machine, with the head of the pull request checked out as `actions/checkout` does.
    fn runner(&self) -> Scratch {
        let scratch = clone_of(&self.remote(), "CI");
        // Nobody has accepted anything there: that is for the script to do.
        scratch.run(["trust", "--forget"]).expect(0);
        scratch.git(["checkout", "-q", "--detach", "origin/topic"]);
        executable(&scratch, "../bin/gh", GH);
        // Neither the program nor what it starts is given the token.
        let program = format!("#!/bin/sh\n[ -z \"${{GH_TOKEN:-}}\" ] || exit 99\nexec {PROGRAM} \"$@\"\n");
        executable(&scratch, "../bin/redraft", &program);
        scratch
    }

    /// Runs the script there, perhaps with other variables.
    fn act(&self, runner: &Scratch, more: &[(&str, &str)]) -> Ran {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.github/action/review.sh");
        let mut command = runner.command("sh");
        let path = format!("{}:{}", runner.outside().join("bin").display(), path_of_this_machine());
        command.arg(script).env("PATH", path);
        command.envs([
            ("REVIEW_WHAT", "change"),
            ("REVIEW_BASE", "main"),
            ("REVIEW_HEAD", &runner.git(["rev-parse", "origin/topic"])),
            ("REVIEW_NUMBER", "7"),
            ("REVIEW_TITLE", HOSTILE),
            ("REVIEW_BODY", HOSTILE),
            ("REVIEW_DOCUMENTS", "docs/**/*.md"),
            ("REVIEW_AGENT", "rehearsal"),
            ("REVIEW_BUDGET", "2"),
            ("REVIEW_FORMAT", "github sarif"),
            ("REVIEW_COMMENT", "true"),
            ("GITHUB_REPOSITORY", "owner/name"),
            ("GH_TOKEN", "a token"),
            ("CI", "true"),
        ]);
        command.env("REVIEW_OUT", out(runner)).env("GH_COMMENTS", self.comments());
        command.env("GITHUB_OUTPUT", runner.outside().join("output"));
        Ran::new(command.envs(more.iter().copied()).output().unwrap())
    }
}

fn path_of_this_machine() -> String {
    std::env::var_os("PATH").unwrap_or_default().into_string().unwrap()
}

fn out(runner: &Scratch) -> PathBuf {
    runner.outside().join("out")
}

/// The logs for code scanning, in the order of the reviews.
fn logs(runner: &Scratch) -> Vec<Value> {
    let read = |n: usize| std::fs::read(out(runner).join(format!("sarif/{n}.sarif"))).ok();
    (1..).map_while(read).map(|bytes| serde_json::from_slice(&bytes).unwrap()).collect()
}

/// What the runner takes for commands of its own. Whatever else is said stands between stop and go.
fn commands(ran: &Ran) -> Vec<&str> {
    let (mut found, mut until): (Vec<&str>, Option<String>) = (Vec::new(), None);
    for line in ran.stdout.lines() {
        match (&until, line.strip_prefix("::stop-commands::")) {
            (None, Some(word)) => until = Some(format!("::{word}::")),
            (Some(word), _) if word == line => until = None,
            (Some(_), _) => {}
            (None, None) => {
                assert!(line.starts_with("::"), "{line}");
                found.push(line);
            }
        }
    }
    found
}

#[test]
fn a_pull_request_has_one_comment_which_the_next_runner_updates_after_sending_only_what_is_new() {
    let hub = Hub::new("greet.sh", UNSAFE);
    // Anybody can write the line that comments are found by.
    std::fs::write(hub.comments().join("1"), "<!-- redraft review: change -->\nall is well").unwrap();
    std::fs::write(hub.comments().join("1.by"), "a stranger").unwrap();
    let first = hub.runner();
    let ran = hub.act(&first, &[]).expect(1);
    let said = hub.said();
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said[0].ends_with("all is well"), "{said:?}");
    assert!(said[1].contains("there are open findings") && said[1].contains("greet.sh:3  X1"), "{}", said[1]);
    let shown = commands(&ran);
    assert!(
        shown.iter().any(|line| line.starts_with("::error file=greet.sh,line=3,title=X1 injection")),
        "{shown:?}"
    );
    assert!(shown.iter().all(|line| !line.contains("pwned")), "{shown:?}");
    let log = &logs(&first)[0]["runs"][0];
    assert_eq!(log["results"][0]["ruleId"], "security-reviewer/injection");
    let output = std::fs::read_to_string(first.outside().join("output")).unwrap();
    assert!(output.starts_with("code=1\n") && output.ends_with("uploads=true\n"), "{output}");
    let before = events(&first, "review-001");
    // The finding is met, on another machine.
    hub.commit("greet.sh", SAFE);
    let second = hub.runner();
    hub.act(&second, &[]).expect(0);
    let said = hub.said();
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said[0].ends_with("all is well"), "{said:?}");
    assert!(said[1].contains("nothing is open"), "{}", said[1]);
    let all = events(&second, "review-001");
    let sent = all[before.len()..].iter().filter_map(|entry| match &entry.event {
        Event::Started(started) => Some(started),
        _ => None,
    });
    let sent: Vec<_> = sent.collect();
    assert!(!sent.is_empty(), "the new commit is reviewed");
    assert!(sent.iter().all(|started| started.since.is_some()), "{sent:?}");
    for scratch in [&first, &second] {
        assert!(!scratch.root().join("pwned").exists());
    }
}

#[test]
fn a_run_that_was_killed_is_continued_by_the_next_runner() {
    let mut found = Vec::new();
    // While the reviewers are asked, and when their answers were published.
    for boundary in ["22", "26"] {
        let hub = Hub::new("greet.sh", UNSAFE);
        let dies = hub.runner();
        let code = hub.act(&dies, &[("REDRAFT_ABORT_AT_BOUNDARY", boundary)]).code;
        assert!(!matches!(code, Some(0 | 1)), "{code:?}");
        assert!(hub.said()[0].contains("there is no verdict"), "{:?}", hub.said());
        let next = hub.runner();
        next.run(["trust", "--base", "origin/main", "--yes"]).expect(0);
        next.accept();
        next.run(["sync"]).expect(0);
        found.push(answers(&events(&next, "review-001")).len());
        hub.act(&next, &[]).expect(1);
        let all = answers(&events(&next, "review-001"));
        assert_eq!((all.len(), asked(all).len()), (3, 3), "nobody was paid twice");
        let said = hub.said();
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(said[0].contains("greet.sh:3  X1"), "{}", said[0]);
    }
    assert_eq!(found, [0, 3], "one died before answers were published, and one after");
}

#[test]
fn a_release_is_installed_only_with_its_checksum() {
    let scratch = Scratch::empty(PROGRAM);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let platform = format!(
        "{}-{}",
        if cfg!(target_os = "macos") { "darwin" } else { "linux" },
        if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" }
    );
    let name = format!("redraft-{}-{platform}", env!("CARGO_PKG_VERSION"));
    executable(&scratch, &format!("{name}/redraft"), "#!/bin/sh\necho a release\n");
    let pack = "tar -czf \"$1.tar.gz\" \"$1\"; { sha256sum ./*.tar.gz || shasum -a 256 ./*.tar.gz; } | sed 's#\\./##' >SHA256SUMS";
    let packed = scratch.command("sh").args(["-c", pack, "pack", &name]).output().unwrap();
    assert!(packed.status.success(), "{packed:?}");
    executable(&scratch, "../bin/gh", "#!/bin/sh\ncp \"$RELEASE\"/*.tar.gz \"$RELEASE\"/SHA256SUMS .\n");
    let install = || {
        let mut command = scratch.command("sh");
        let path = format!("{}:{}", scratch.outside().join("bin").display(), path_of_this_machine());
        command.arg(root.join(".github/action/install.sh")).env("PATH", path).env("RELEASE", scratch.root());
        command.env("INSTALL_FROM", "release").env("INSTALL_TO", scratch.outside().join("to"));
        command.env("GITHUB_ACTION_PATH", &root).env("ACTION_REPOSITORY", "owner/redraft");
        Ran::new(command.env("GITHUB_PATH", scratch.outside().join("path")).output().unwrap())
    };
    install().expect(0);
    let bin = scratch.outside().join("to/bin");
    assert_eq!(
        std::fs::read_to_string(scratch.outside().join("path")).unwrap().trim(),
        bin.to_str().unwrap()
    );
    assert!(bin.join("redraft").exists());
    let archive = scratch.root().join(format!("{name}.tar.gz"));
    let mut other = std::fs::read(&archive).unwrap();
    other.push(0);
    std::fs::write(&archive, other).unwrap();
    let refused = install().expect(1);
    assert!(refused.stdout.contains("does not have the checksum"), "{refused:?}");
    assert!(!bin.join("redraft").exists());
}

#[test]
fn documents_of_a_pull_request_are_judged_by_what_the_base_says() {
    let hub = Hub::new("docs/api/spec.md", LACKING);
    hub.commit("docs/guide.md", "# Guide\n\nPress the button to export the orders of the last month.\n");
    hub.commit("redraft.toml", "[share]\nremote = \"elsewhere\"\n");
    hub.commit("README.md", "# not asked for\n");
    let runner = hub.runner();
    let ran = hub.act(&runner, &[("REVIEW_WHAT", "documents")]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let shown = commands(&ran);
    assert!(shown.iter().any(|line| line.starts_with("::error file=docs/api/spec.md,line=")), "{shown:?}");
    let logs = logs(&runner);
    let names: Vec<_> = logs.iter().map(|log| &log["runs"][0]["automationDetails"]["id"]).collect();
    assert_eq!(names, ["redraft/docs/api/spec.md/", "redraft/docs/guide.md/"]);
    let said = hub.said();
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("docs/api/spec.md has findings"), "{}", said[0]);
    assert!(said[0].contains("docs/guide.md is approved"), "{}", said[0]);
    // What the base says was put in for the review only, and both reviews are where the next runner finds them.
    assert_eq!(runner.git(["status", "--short", "--untracked-files=no"]), "");
    let shared = runner.git_in(&hub.remote(), ["for-each-ref", "--format=%(refname)", "refs/redraft/1"]);
    assert_eq!(shared.lines().filter(|name| !name.ends_with("/driver")).count(), 2, "{shared}");
}

#[test]
fn a_checkout_without_history_or_head_and_an_agent_without_a_key_are_no_approval() {
    let hub = Hub::new("greet.sh", UNSAFE);
    let shallow = hub.runner();
    shallow.git(["fetch", "-q", "--depth", "1", &format!("file://{}", hub.remote().display()), "topic"]);
    let ran = hub.act(&shallow, &[]).expect(2);
    assert!(commands(&ran)[0].contains("this checkout lacks the history"), "{ran:?}");
    let ran =
        hub.act(&hub.runner(), &[("REVIEW_HEAD", "0123456789012345678901234567890123456789")]).expect(2);
    assert!(commands(&ran)[0].contains("is not in this checkout"), "{ran:?}");
    let fork = hub.runner();
    let ran = hub.act(&fork, &[("REVIEW_AGENT", "anthropic"), ("REVIEW_FORK", "true")]).expect(3);
    let shown = commands(&ran);
    assert!(
        shown.iter().any(|line| line.starts_with("::warning title=redraft review::this comes from a fork"))
    );
    assert!(
        shown.iter().any(|line| line.starts_with("::error title=not reviewed::redraft ended with code 3"))
    );
    assert!(logs(&fork).is_empty(), "nothing is uploaded that would close what was found before");
    assert!(hub.said()[0].contains("there is no verdict"), "{:?}", hub.said());
}

#[test]
fn no_text_of_a_pull_request_stands_in_a_command_of_the_action() {
    let action = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../action.yml");
    let text = std::fs::read_to_string(action).unwrap();
    let commands: Vec<&str> = text.lines().filter(|line| line.trim_start().starts_with("run:")).collect();
    assert_eq!(commands.len(), 3, "{commands:?}");
    for line in commands {
        assert!(line.contains("sh \"$GITHUB_ACTION_PATH/.github/action/"), "{line}");
        assert!(!line.contains("${{"), "{line}");
    }
    // Whoever can move a tag of another action would be run here with a token.
    let others = text.lines().filter_map(|line| {
        line.trim_start().strip_prefix("- uses: ").or(line.trim_start().strip_prefix("uses: "))
    });
    for other in others {
        let commit = other.split('@').nth(1).and_then(|rest| rest.split(' ').next()).unwrap_or_default();
        assert!(commit.len() == 40 && commit.chars().all(|one| one.is_ascii_hexdigit()), "{other}");
    }
}
