//! Tests programs that a repository's git configuration names, and repositories that a user only comes across.

use crate::world::{PROGRAM, events};
use redraft_testkit::{Ran, Scratch};
use std::fs;
use std::path::{Path, PathBuf};

/// Every key by which git starts a program, with what stands before the command.
const KEYS: [(&str, &str); 30] = [
    ("filter.canary.clean", ""),
    ("filter.canary.smudge", ""),
    ("filter.canary.process", ""),
    ("filter.a=b.clean", ""),
    ("merge.canary.driver", ""),
    ("diff.canary.textconv", ""),
    ("diff.canary.command", ""),
    ("diff.external", ""),
    ("gpg.program", ""),
    ("gpg.ssh.program", ""),
    ("gpg.ssh.defaultKeyCommand", ""),
    ("core.sshCommand", ""),
    ("core.gitProxy", ""),
    ("core.askPass", ""),
    ("core.editor", ""),
    ("core.pager", ""),
    ("core.fsmonitor", ""),
    ("core.alternateRefsCommand", ""),
    ("sequence.editor", ""),
    ("pager.log", ""),
    ("credential.helper", "!"),
    ("credential.https://example.invalid.helper", "!"),
    ("uploadpack.packObjectsHook", ""),
    ("remote.origin.uploadpack", ""),
    ("remote.origin.receivepack", ""),
    ("trailer.canary.command", ""),
    ("trailer.Redraft-Seq.cmd", ""),
    ("alias.status", "!"),
    ("submodule.sub.update", "!"),
    ("hook.canary.command", ""),
];

/// What every key would leave behind.
fn traces(scratch: &Scratch) -> Vec<String> {
    let listed = fs::read_dir(scratch.outside().join("traces")).unwrap();
    listed.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
}

/// Puts a canary under every key, into the repository's own file or one that it includes.
fn plant(scratch: &Scratch, file: &Path) {
    fs::create_dir_all(scratch.outside().join("traces")).unwrap();
    let script = "#!/bin/sh\ntouch \"$(dirname \"$0\")/traces/$1\"\nexit 1\n";
    crate::world::executable(scratch, "../canary.sh", script);
    for (at, (key, before)) in KEYS.iter().enumerate() {
        let value = format!("{before}{} {at}", scratch.outside().join("canary.sh").display());
        scratch.git(["config", "--file", file.to_str().unwrap(), key, &value]);
    }
    for (key, value) in [
        ("core.hooksPath", scratch.outside().display().to_string()),
        ("commit.gpgSign", "false".to_owned()),
        ("log.showSignature", "true".to_owned()),
        ("submodule.recurse", "true".to_owned()),
        ("protocol.ext.allow", "always".to_owned()),
        ("remote.origin.url", format!("ext::{} url", scratch.outside().join("canary.sh").display())),
    ] {
        scratch.git(["config", "--file", file.to_str().unwrap(), key, &value]);
    }
}

/// A repository with code, a branch to review and a feature of somebody else.
fn project() -> Scratch {
    let scratch = Scratch::repository(PROGRAM);
    scratch.write("notes.txt", "one\n");
    scratch.write("docs/features/001-old/spec.md", "# Spec\n");
    scratch.git(["add", "--all"]);
    scratch.git(["commit", "-q", "-m", "begin"]);
    scratch.git(["switch", "-q", "-c", "topic"]);
    scratch.write("notes.txt", "two\n");
    scratch.git(["commit", "-q", "-a", "-m", "change"]);
    scratch.git(["switch", "-q", "main"]);
    scratch
}

/// What a user does with a repository, from the first look to the merge.
const LIFE: [&[&str]; 10] = [
    &["status"],
    &["adopt"],
    &["adopt", "--yes"],
    &["new", "--lane", "express", "Say hello in notes.txt"],
    &["run", "002", "--yes"],
    &["review", "--base", "main", "--head", "topic", "--yes"],
    &["review", "notes.txt", "--yes"],
    &["finish", "002", "--merge", "--yes"],
    &["doctor"],
    &["show", "pull-request", "002"],
];

#[test]
fn no_program_of_the_repositorys_own_configuration_is_started_from_the_first_look_to_the_merge() {
    let scratch = project();
    plant(&scratch, &scratch.root().join(".git/config"));
    for words in LIFE {
        let ran = scratch.run(words);
        assert_eq!(traces(&scratch), Vec::<String>::new(), "{words:?}: {}", ran.stderr);
        assert_ne!(ran.code, Some(70), "{words:?}: {}", ran.stderr);
    }
    let merged = events(&scratch).iter().any(|event| event["kind"] == "merged");
    assert!(merged, "the feature went all the way: {}", scratch.run(["log"]).stdout);
    // The same repository in the hands of git itself.
    scratch.git(["config", "--unset", "core.hooksPath"]);
    let _ = scratch.command("git").args(["diff", "topic"]).output().unwrap();
    assert!(!traces(&scratch).is_empty(), "the canaries live");
}

#[test]
fn a_program_that_attributes_or_signing_need_stops_the_command_and_runs_once_it_is_accepted() {
    for included in [false, true] {
        let scratch = project();
        let file = match included {
            false => scratch.root().join(".git/config"),
            true => {
                // A condition that does not hold when it is looked at.
                scratch.git(["config", "includeIf.onbranch:feature/**.path", "more"]);
                scratch.root().join(".git/more")
            }
        };
        scratch.write(".gitattributes", "*.txt filter=canary merge=canary diff=canary\n*.md filter=a=b\n");
        scratch.git(["add", "--all"]);
        scratch.git(["commit", "-q", "-m", "attributes"]);
        plant(&scratch, &file);
        scratch.git(["config", "commit.gpgSign", "true"]);
        scratch.git(["config", "--file", file.to_str().unwrap(), "commit.gpgSign", "true"]);
        for words in LIFE {
            let ran = scratch.run(words);
            assert_eq!(traces(&scratch), Vec::<String>::new(), "{words:?}: {}", ran.stderr);
            let needs = matches!(words[0], "new" | "review") || words == ["adopt", "--yes"];
            assert_eq!(ran.code == Some(6), needs, "{words:?}: {:?} {}", ran.code, ran.stderr);
            if needs {
                for key in [
                    "filter.canary.clean = ",
                    "filter.a=b.clean = ",
                    "merge.canary.driver = ",
                    "gpg.program = ",
                ] {
                    assert!(ran.stderr.contains(key), "{words:?} {key}: {}", ran.stderr);
                }
                assert!(!ran.stderr.contains("core.sshcommand") && !ran.stderr.contains("textconv"));
                assert!(ran.stderr.contains("redraft trust"), "{}", ran.stderr);
            }
        }
        let listed = scratch.run(["trust"]).expect(6).stdout;
        assert!(listed.contains("git's configuration of this repository wants:\n"), "{listed}");
        assert!(traces(&scratch).is_empty());
        if !included {
            scratch.run(["trust", "--yes"]).expect(0);
            scratch.run(["trust"]).expect(0);
            scratch.run(["new", "--lane", "express", "Say hello"]);
            assert!(!traces(&scratch).is_empty(), "accepted, so it runs");
        }
    }
}

#[test]
fn what_the_users_own_configuration_names_runs_as_it_always_did() {
    let scratch = project();
    scratch.git(["config", "--global", "filter.upper.smudge", "tr a-z A-Z"]);
    scratch.git(["config", "--global", "filter.upper.required", "true"]);
    scratch.git(["config", "--global", "filter.upper.clean", "tr A-Z a-z"]);
    scratch.write(".gitattributes", "*.txt filter=upper\n");
    scratch.git(["add", "--all"]);
    scratch.git(["commit", "-q", "-m", "attributes"]);
    // The repository cannot replace it.
    let evil = format!("touch {}", scratch.outside().join("evil").display());
    scratch.git(["config", "filter.upper.process", &evil]);
    let ran = scratch.run(["new", "--until", "specify", "Say hello"]).expect(6);
    assert!(ran.stderr.contains("filter.upper.process"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("filter.upper.smudge") && !ran.stderr.contains("filter.upper.clean"));
    scratch.git(["config", "--unset", "filter.upper.process"]);
    scratch.run(["new", "--until", "specify", "Say hello"]).expect(0);
    let notes = fs::read_to_string(scratch.worktree("002").join("notes.txt")).unwrap();
    assert_eq!(notes, "ONE\n", "the user's filter ran");
    assert!(!scratch.outside().join("evil").exists());
}

#[test]
fn a_filter_that_an_agent_sets_up_during_a_run_is_not_started_and_does_not_stay() {
    let scratch = project();
    scratch.run(["new", "--until", "specify", "Say hello"]).expect(0);
    let (trace, came) = (scratch.outside().join("trace"), scratch.outside().join("came"));
    let command = format!(
        "touch {1}; git config filter.x.clean 'touch {0}; cat'; git config filter.x.smudge 'touch {0}; cat'; \
         printf '* filter=x\\n' > \"$(git rev-parse --git-common-dir)/info/attributes\"",
        trace.display(),
        came.display()
    );
    // It plays its role and leaves that behind.
    let script = format!("#!/bin/sh\n[ \"$1\" = --version ] && echo 2.1.325 && exit 0\n{command}\nexit 1\n");
    crate::world::executable(&scratch, "../claude.sh", &script);
    let program = scratch.outside().join("claude.sh").display().to_string();
    let config = format!(
        "[sandbox]\nlevel = \"off\"\n[agents.claude]\nprogram = \"{program}\"\nprice = \"local\"\n[roles]\ndefault = \
         \"claude\"\n"
    );
    scratch.write("redraft.toml", &config);
    scratch.run(["run", "002", "--yes"]);
    assert!(came.exists(), "the agent was there");
    let set = scratch.git(["config", "--list", "--local"]);
    assert!(!set.contains("filter."), "{set}");
    scratch.run(["run", "002", "--yes", "--agent", "rehearsal"]);
    scratch.run(["status"]).expect(0);
    assert!(!trace.exists(), "it was started");
}

/// A git folder that looks like a file of the clone around it, with a checkout of its own inside.
fn embedded(scratch: &Scratch) -> PathBuf {
    let inner = scratch.root().join("sub");
    let ran = scratch.outside().join("ran");
    scratch.git(["init", "-q", "--bare", "-b", "main", "sub"]);
    scratch.git_in(&inner, ["config", "core.bare", "false"]);
    scratch.git_in(&inner, ["config", "core.worktree", "wt"]);
    fs::create_dir(inner.join("wt")).unwrap();
    fs::write(inner.join("wt/redraft.toml"), format!("[workspace]\nsetup = \"touch {}\"\n", ran.display()))
        .unwrap();
    for name in ["objects/info/keep", "refs/heads/keep", "refs/tags/keep", "objects/pack/keep"] {
        fs::write(inner.join(name), "").unwrap();
    }
    scratch.git(["add", "--force", "sub"]);
    scratch.git(["commit", "-q", "-m", "a plain folder"]);
    ran
}

#[test]
fn a_repository_inside_the_files_of_another_is_not_entered_unless_it_is_named() {
    let scratch = Scratch::repository(PROGRAM);
    let ran = embedded(&scratch);
    let clone = scratch.outside().join("clone");
    scratch.git(["clone", "-q", ".", clone.to_str().unwrap()]);
    for words in [&["status"][..], &["new", "x"], &["trust", "--yes"], &["doctor"], &["lint"], &["config"]] {
        let mut command = scratch.redraft(words);
        let told = Ran::new(command.current_dir(clone.join("sub/wt")).output().unwrap());
        let said = format!("{}{}", told.stdout, told.stderr);
        assert!(!ran.exists(), "{words:?}: {said}");
        let looks_only = matches!(words[0], "config" | "lint");
        assert!(looks_only || said.contains("is a repository inside the files of"), "{words:?}: {said}");
        assert!(looks_only || told.code != Some(0), "{words:?}");
    }
    // One with a `.git` of its own, whose files the outer one tracks.
    let inner = scratch.root().join("vendored");
    scratch.write("vendored/README.md", "# vendored\n");
    scratch.git(["add", "--all"]);
    scratch.git(["commit", "-q", "-m", "vendored"]);
    scratch.git(["init", "-q", "-b", "main", "vendored"]);
    let status = || {
        let mut command = scratch.redraft(["status"]);
        Ran::new(command.current_dir(&inner).output().unwrap())
    };
    let refused = status().expect(2);
    let way_out = format!("git config --global --add safe.directory {}", inner.display());
    assert!(refused.stderr.contains(&way_out), "{}", refused.stderr);
    scratch.git(["config", "--global", "--add", "safe.directory", inner.to_str().unwrap()]);
    status().expect(0);
    // A submodule, and a repository that the outer one does not track, are not traps.
    fs::create_dir(scratch.root().join("ignored")).unwrap();
    scratch.git(["init", "-q", "-b", "main", "ignored"]);
    let mut command = scratch.redraft(["status"]);
    Ran::new(command.current_dir(scratch.root().join("ignored")).output().unwrap()).expect(0);
}
