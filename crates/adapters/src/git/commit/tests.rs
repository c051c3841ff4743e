use super::super::tests::repositories::{TestRepository, paths, put};
use super::*;
use redraft_engine::ports::Workspace as _;
use std::fs;

fn trailers() -> Trailers {
    Trailers { ticket: "031/specify.1/draft/spec-author/1.1".to_owned(), seq: 7, ..Trailers::default() }
}

fn refused<T: std::fmt::Debug>(result: Result<T, WorkspaceError>) -> CommitRefused {
    match result.unwrap_err() {
        WorkspaceError::Commit(refused) => refused,
        other => panic!("{other}"),
    }
}

/// A feature with a file to commit.
fn drafted(bed: &TestRepository) -> GitWorkspace {
    let place = bed.feature();
    put(place.root(), "spec.md", "spec\n");
    place
}

#[test]
fn exactly_the_named_paths_are_committed_with_their_trailers() {
    let bed = TestRepository::new();
    let place = drafted(&bed);
    put(place.root(), "docs/größer als.md", "x");
    put(place.root(), "README.md", "not named\n");
    put(place.root(), "staged.txt", "staged by the user\n");
    bed.raw(place.root(), &["add", "staged.txt"]);
    let named = paths(&["spec.md", "docs/größer als.md", "never-was.md"]);
    let commit =
        place.commit(&named, "specify: first draft\n\n# kept as it is", &trailers()).unwrap().unwrap();
    assert_eq!(bed.raw(place.root(), &["rev-parse", "feature/031-limits"]), commit.0);
    let shown = bed.raw(place.root(), &["show", "-z", "--name-only", "--format=%B", "HEAD"]);
    let message = "specify: first draft\n\n# kept as it is\n\n\
                   Redraft-Ticket: 031/specify.1/draft/spec-author/1.1\nRedraft-Seq: 7\n";
    assert_eq!(shown, format!("{message}\0\ndocs/größer als.md\0spec.md\0"));
    let status = bed.raw(place.root(), &["status", "--porcelain"]);
    assert_eq!(status, " M README.md\nA  staged.txt");
    assert_eq!(place.head().unwrap(), (commit, trailers()));
}

#[test]
fn nothing_new_is_no_commit() {
    let bed = TestRepository::new();
    let place = drafted(&bed);
    let named = paths(&["spec.md"]);
    let first = place.commit(&named, "draft", &trailers()).unwrap();
    put(place.root(), "other.md", "not named");
    put(place.root(), "spec.md", "spec\n");
    assert_eq!(place.commit(&named, "again", &trailers()).unwrap(), None);
    assert_eq!(place.commit(&paths(&["never-was.md"]), "again", &trailers()).unwrap(), None);
    assert_eq!(place.commit(&[], "again", &trailers()).unwrap(), None);
    assert_eq!(Some(place.head().unwrap().0), first);
}

#[test]
fn a_path_that_is_gone_is_removed() {
    let bed = TestRepository::new();
    let place = drafted(&bed);
    std::fs::remove_file(place.root().join("README.md")).unwrap();
    std::fs::remove_file(place.root().join("src/x.rs")).unwrap();
    place.commit(&paths(&["README.md", "spec.md"]), "replace", &trailers()).unwrap().unwrap();
    let names = bed.raw(place.root(), &["ls-tree", "-r", "--name-only", "HEAD"]);
    assert_eq!(names, ".gitignore\nspec.md\nsrc/x.rs");
    place.commit(&paths(&["src/x.rs"]), "remove", &trailers()).unwrap().unwrap();
    assert_eq!(bed.raw(place.root(), &["ls-tree", "-r", "--name-only", "HEAD"]), ".gitignore\nspec.md");
}

#[test]
fn patterns_are_names_and_folders_are_refused() {
    let bed = TestRepository::new();
    let place = drafted(&bed);
    put(place.root(), "README.md", "not named\n");
    put(place.root(), "*.md", "a file of that name");
    put(place.root(), ":(top)spec.md", "and of that");
    place.commit(&paths(&["*.md", ":(top)spec.md"]), "odd", &trailers()).unwrap().unwrap();
    let names = bed.raw(place.root(), &["show", "--name-only", "--format=", "HEAD"]);
    assert_eq!(names, "*.md\n:(top)spec.md");
    let error = place.commit(&paths(&["src"]), "folder", &trailers()).unwrap_err();
    assert_eq!(error.to_string(), "src: is a folder; name the files in it");
}

#[cfg(unix)]
#[test]
fn no_hook_runs() {
    use std::os::unix::fs::PermissionsExt as _;
    let bed = TestRepository::new();
    let place = drafted(&bed);
    let hooks = bed.root.join("hooks");
    fs::create_dir_all(&hooks).unwrap();
    for name in [
        "pre-commit",
        "commit-msg",
        "prepare-commit-msg",
        "post-commit",
        "reference-transaction",
        "post-checkout",
    ] {
        fs::write(hooks.join(name), format!("#!/bin/sh\ntouch {}/ran\nexit 1\n", hooks.display())).unwrap();
        fs::set_permissions(hooks.join(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    bed.config(&format!("[core]\nhooksPath = {}\n", hooks.display()));
    place.commit(&paths(&["spec.md"]), "draft", &trailers()).unwrap().unwrap();
    assert!(!hooks.join("ran").exists());
    put(place.root(), "spec.md", "a person's\n");
    assert!(!bed.try_raw(place.root(), &["commit", "-q", "-a", "-m", "x"]).0);
    assert!(hooks.join("ran").exists());
}

#[test]
fn without_an_identity_nothing_is_guessed() {
    let bed = TestRepository::new();
    let mut place = drafted(&bed);
    place.git = place.git.with_env("EMAIL", Some("somebody@some.host".into()));
    bed.forget_user();
    assert_eq!(refused(place.commit(&paths(&["spec.md"]), "draft", &trailers())), CommitRefused::NoIdentity);
    bed.config("[user]\nname = Ada\n");
    assert_eq!(refused(place.commit(&paths(&["spec.md"]), "draft", &trailers())), CommitRefused::NoIdentity);
    bed.config("[user]\nemail = ada@example.org\n");
    assert!(place.commit(&paths(&["spec.md"]), "draft", &trailers()).unwrap().is_some());
}

#[test]
fn the_users_wish_to_sign_is_kept() {
    let bed = TestRepository::new();
    let place = drafted(&bed);
    bed.config("[commit]\ngpgsign = true\n[gpg]\nprogram = false\n");
    let why = refused(place.commit(&paths(&["spec.md"]), "draft", &trailers()));
    assert!(matches!(&why, CommitRefused::Signing(detail) if detail.contains("sign")), "{why}");
    bed.config("[gpg]\nprogram = no-such-program-at-all\n");
    let why = refused(place.commit(&paths(&["spec.md"]), "draft", &trailers()));
    assert!(matches!(why, CommitRefused::Signing(_)), "{why}");
    bed.config("[gpg]\nformat = ssh\n");
    let why = refused(place.commit(&paths(&["spec.md"]), "draft", &trailers()));
    assert!(matches!(why, CommitRefused::Signing(_)), "{why}");
    bed.config("[commit]\ngpgsign = false\n");
    assert!(place.commit(&paths(&["spec.md"]), "draft", &trailers()).unwrap().is_some());
}

#[test]
fn a_held_lock_is_named() {
    let bed = TestRepository::new();
    let place = drafted(&bed);
    let lock = place.git_dir.join("index.lock");
    fs::write(&lock, "").unwrap();
    let why = refused(place.commit(&paths(&["spec.md"]), "draft", &trailers()));
    assert_eq!(why, CommitRefused::Locked { lock: lock.display().to_string(), by: None });
    fs::remove_file(&lock).unwrap();
    let lock = bed.root.join(".git/refs/heads/feature/031-limits.lock");
    fs::write(&lock, "").unwrap();
    let why = refused(place.commit(&paths(&["spec.md"]), "draft", &trailers()));
    assert_eq!(why, CommitRefused::Locked { lock: lock.display().to_string(), by: None });
}

#[cfg(unix)]
#[test]
fn a_lock_that_is_let_go_soon_is_waited_for() {
    use std::os::unix::fs::PermissionsExt as _;
    let bed = TestRepository::new();
    let mut place = drafted(&bed);
    let (lock, program) = (place.git_dir.join("index.lock"), bed.root.join(".git/slow-git"));
    // Releases the lock once git has run into it.
    let script = format!("#!/bin/sh\ngit \"$@\"\ncode=$?\nrm -f '{}'\nexit $code\n", lock.display());
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    place.git = place.git.with_program(program).with_patience(std::time::Duration::from_secs(60));
    fs::write(&lock, "").unwrap();
    assert!(place.commit(&paths(&["spec.md"]), "draft", &trailers()).unwrap().is_some());
    fs::write(&lock, "").unwrap();
    put(place.root(), "spec.md", "changed\n");
    assert!(place.commit(&paths(&["spec.md"]), "again", &trailers()).unwrap().is_some());
}

#[test]
fn an_ignored_path_is_refused_unless_git_knows_it_already() {
    let bed = TestRepository::new();
    let place = drafted(&bed);
    put(place.root(), "build/deep/out.md", "x");
    let why = refused(place.commit(&paths(&["spec.md", "build/deep/out.md"]), "draft", &trailers()));
    assert_eq!(why, CommitRefused::Ignored("build/deep/out.md".to_owned()));
    put(place.root(), "x.log", "x");
    let why = refused(place.commit(&paths(&["x.log"]), "draft", &trailers()));
    assert_eq!(why, CommitRefused::Ignored("x.log".to_owned()));
    bed.raw(place.root(), &["add", "-f", "x.log"]);
    bed.raw(place.root(), &["commit", "-q", "-m", "tracked on purpose", "x.log"]);
    put(place.root(), "x.log", "changed");
    assert!(place.commit(&paths(&["x.log"]), "draft", &trailers()).unwrap().is_some());
}

#[test]
fn another_branch_or_a_detached_head_is_refused_before_anything_is_staged() {
    let bed = TestRepository::new();
    let place = drafted(&bed);
    let wrong = CommitRefused::WrongBranch("feature/031-limits".to_owned());
    for checkout in [
        &["checkout", "-q", "--detach"][..],
        &["checkout", "-q", "-b", "mine"],
        &["checkout", "-q", "--orphan", "o"],
    ] {
        bed.raw(place.root(), checkout);
        assert_eq!(refused(place.commit(&paths(&["spec.md"]), "draft", &trailers())), wrong);
    }
    bed.raw(place.root(), &["checkout", "-q", "mine"]);
    assert_eq!(bed.raw(place.root(), &["status", "--porcelain"]), "?? spec.md");
}

#[test]
fn a_commit_of_a_person_has_no_trailers_and_a_squashed_one_counts_by_its_last() {
    let bed = TestRepository::new();
    let place = drafted(&bed);
    bed.config("[trailer]\nseparators = \"%\"\n[log]\nshowSignature = true\n[format]\npretty = oneline\n");
    let (commit, found) = place.head().unwrap();
    assert_eq!(commit.0, bed.raw(place.root(), &["rev-parse", "HEAD"]));
    assert_eq!(found, Trailers::default());
    let message = "squashed\n\nRedraft-Ticket: old\nRedraft-Seq: 3\nRedraft-Ticket: new\nRedraft-Seq: 5\n";
    bed.raw(place.root(), &["commit", "-q", "--allow-empty", "-m", message]);
    assert_eq!(place.head().unwrap().1, Trailers { ticket: "new".to_owned(), seq: 5, ..Trailers::default() });
    bed.raw(place.root(), &["commit", "-q", "--allow-empty", "-m", "x\n\nRedraft-Seq: many"]);
    assert_eq!(place.head().unwrap().1, Trailers::default());
    let commit = place.commit(&paths(&["spec.md"]), "no trailers", &Trailers::default()).unwrap().unwrap();
    assert_eq!(bed.raw(place.root(), &["show", "-s", "--format=%B", &commit.0]), "no trailers");
}

#[test]
fn a_full_disk_is_not_taken_for_a_failed_signature() {
    let stderr =
        "error: unable to write file: No space left on device\nfatal: failed to write commit object\n";
    let done = super::super::run::Done {
        command: "git commit".to_owned(),
        code: Some(128),
        stdout: Vec::new(),
        stderr: stderr.to_owned(),
        partial: false,
    };
    assert!(matches!(refusal(done.failure().unwrap()), WorkspaceError::Full(_)));
}

#[test]
fn a_commit_names_who_wrote_and_who_approved_it_in_trailers_that_git_reads() {
    let trailers = Trailers {
        ticket: "031/x".to_owned(),
        seq: 7,
        agents: vec!["claude (Claude Code 2.1.325),\nclaude-sonnet-5.5".to_owned()],
        approved: vec!["a by rehearsal, no model".to_owned(), "b by c".to_owned()],
    };
    let text = full_message("redraft: specify draft\n", &trailers);
    let wanted = "redraft: specify draft\n\nRedraft-Ticket: 031/x\nRedraft-Agent: claude (Claude Code 2.1.325), \
                  claude-sonnet-5.5\nRedraft-Approved: a by rehearsal, no model\nRedraft-Approved: b by c\nRedraft-Seq: 7\n";
    assert_eq!(text, wanted);
    assert_eq!(full_message("by hand", &Trailers::default()), "by hand\n");
}

#[test]
fn only_what_is_about_signing_is_told_as_signing() {
    let failed = |stderr: &str| GitError::Failed {
        command: "git commit".to_owned(),
        code: Some(128),
        stderr: stderr.to_owned(),
    };
    // As git 2.47, gpg 2.2 and OpenSSH 9 say it.
    for (stderr, signing) in [
        (
            "error: gpg failed to sign the data:\n[GNUPG:] INV_SGNR 9 x\n\nfatal: failed to write commit object",
            true,
        ),
        (
            "error: cannot run gpg: No such file or directory\nerror: gpg failed to sign the data\nfatal: failed to write commit object",
            true,
        ),
        (
            "error: Couldn't load public key /k: No such file or directory?\n\nfatal: failed to write commit object",
            true,
        ),
        (
            "error: Load key \"/k\": incorrect passphrase supplied to decrypt private key\nfatal: failed to write commit object",
            true,
        ),
        (
            "error: user.signingkey needs to be set for ssh signing\nfatal: failed to write commit object",
            true,
        ),
        (
            "error: insufficient permission for adding an object to repository database .git/objects\n\nfatal: failed to write commit object",
            false,
        ),
        (
            "error: unable to create temporary file: Permission denied\nfatal: failed to write commit object",
            false,
        ),
        ("error: file write error: Bad address\nfatal: failed to write commit object", false),
        (
            "error: unable to write loose object file: Cannot allocate memory\nfatal: failed to write commit object",
            false,
        ),
        ("fatal: cannot lock ref 'HEAD': Unable to create '/r/.git/HEAD.lock': Permission denied", false),
        ("fatal: cannot update the ref 'HEAD': unable to append to '.git/logs/HEAD': Is a directory", false),
    ] {
        let found = matches!(refusal(failed(stderr)), WorkspaceError::Commit(CommitRefused::Signing(_)));
        assert_eq!(found, signing, "{stderr}");
    }
}
