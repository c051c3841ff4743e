use super::super::error::DiskTrouble;
use super::super::tests::repositories::TestRepository;
use super::feed::PIPE_BYTES_MIN;
use super::*;

#[test]
fn a_missing_git_program_is_told_apart_from_a_missing_folder() {
    let bed = TestRepository::new();
    let absent = bed.git.clone().with_program("no-such-git-program");
    let error = absent.check_version().unwrap_err();
    assert!(error.to_string().starts_with("the program `no-such-git-program` was not found"), "{error}");
    let error = bed.git.call(&bed.root.join("gone"), ["version"]).text().unwrap_err();
    assert!(matches!(error, GitError::Broken { .. }), "{error}");
}

#[test]
fn versions_are_compared_by_number() {
    assert!(version("2.9.1") < version(MINIMUM));
    assert!(version("2.38.0.windows.1") >= version(MINIMUM));
    assert!(version("2.100") > version(MINIMUM));
    assert!(version("3.0.0-rc1") > version(MINIMUM));
    assert_eq!(version("2.39.5 (Apple Git-154)"), Some((2, 39)));
    assert_eq!(version("unknown"), None);
}

#[cfg(unix)]
#[test]
fn a_git_that_is_too_old_is_refused_with_its_version() {
    use std::os::unix::fs::PermissionsExt as _;
    let bed = TestRepository::new();
    let old = bed.root.join("old-git");
    std::fs::write(&old, "#!/bin/sh\necho git version 2.37.9\n").unwrap();
    std::fs::set_permissions(&old, std::fs::Permissions::from_mode(0o755)).unwrap();
    let error = bed.git.clone().with_program(&old).check_version().unwrap_err();
    assert_eq!(error.to_string(), "git 2.37.9 is too old; redraft needs git 2.38 or newer");
    assert!(bed.git.check_version().is_ok());
}

#[test]
fn variables_of_a_hook_that_started_us_do_not_reach_git() {
    let bed = TestRepository::new();
    let call = bed.git.call(&bed.root, ["version"]);
    let removed: Vec<_> = call.command.get_envs().filter(|(_, value)| value.is_none()).collect();
    for name in ["GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "GIT_CONFIG_PARAMETERS", "GIT_DIFF_OPTS"] {
        assert!(removed.iter().any(|(removed, _)| *removed == OsStr::new(name)), "{name}");
    }
}

#[test]
fn an_input_of_any_length_arrives_whole() {
    let bed = TestRepository::new();
    for length in [0, 1, PIPE_BYTES_MIN, PIPE_BYTES_MIN + 1, 1 << 20] {
        let call = bed.git.call(&bed.root, ["hash-object", "-w", "--stdin"]);
        let id = call.input(vec![b'x'; length]).text().unwrap();
        assert_eq!(bed.raw(&bed.root, &["cat-file", "-s", &id]), length.to_string());
    }
}

#[test]
fn what_the_disk_did_is_told_as_it_was() {
    let done = |stderr: &str| Done {
        command: "git add".to_owned(),
        code: Some(128),
        stdout: Vec::new(),
        stderr: stderr.to_owned(),
        partial: false,
    };
    // As git 2.47 says it.
    for (stderr, trouble) in [
        ("error: unable to write file x: No space left on device", Some(DiskTrouble::Full)),
        ("fatal: cannot create directory at 'a': Disk quota exceeded", Some(DiskTrouble::Full)),
        (
            "error: unable to create temporary file: Read-only file system\nerror: x: failed to insert into database",
            Some(DiskTrouble::ReadOnly),
        ),
        ("fatal: Unable to create '/r/.git/index.lock': Read-only file system", Some(DiskTrouble::ReadOnly)),
        (
            "error: file write error: Input/output error\nfatal: failed to write commit object",
            Some(DiskTrouble::Failing),
        ),
        ("fatal: unable to fsync loose object file: Input/output error", Some(DiskTrouble::Failing)),
        (
            "fatal: loose object abc (stored in .git/objects/ab/c) is corrupt: Input/output error",
            Some(DiskTrouble::Failing),
        ),
        ("error: insufficient permission for adding an object to repository database .git/objects", None),
        ("error: open(\"x\"): Permission denied\nfatal: adding files failed", None),
        ("error: gpg failed to sign the data\nfatal: failed to write commit object", None),
        ("fatal: bad object", None),
    ] {
        let found = match done(stderr).failure() {
            Some(GitError::Disk { trouble, .. }) => Some(trouble),
            _ => None,
        };
        assert_eq!(found, trouble, "{stderr}");
    }
    let failing = done("error: file write error: Input/output error").failure().unwrap();
    assert_eq!(failing.to_string(), "the disk failed: git add: error: file write error: Input/output error");
    for (number, trouble) in [
        (5, Some(DiskTrouble::Failing)),
        (28, Some(DiskTrouble::Full)),
        (30, Some(DiskTrouble::ReadOnly)),
        (13, None),
    ] {
        assert_eq!(DiskTrouble::from_error(&io::Error::from_raw_os_error(number)), trouble, "errno {number}");
    }
    let other = done("fatal: bad object").failure().unwrap();
    assert_eq!(other.to_string(), "git add: fatal: bad object");
    assert_eq!(done("").failure().unwrap().to_string(), "git add: ended with code 128 and said nothing");
}

/// Ways in which a repository's own configuration can have an object fetched: the address, and what leads to the
/// program.
const WAYS: [(&str, &[(&str, &str)]); 6] = [
    ("OTHER", &[("remote.o.uploadpack", "CANARY")]),
    ("git://127.0.0.1/x", &[("core.gitProxy", "CANARY")]),
    ("ssh://127.0.0.1/x", &[("core.sshCommand", "CANARY"), ("ssh.variant", "simple")]),
    ("ext::CANARY", &[("protocol.ext.allow", "always"), ("protocol.allow", "always")]),
    ("CANARY", &[("remote.o.vcs", "ext"), ("protocol.ext.allow", "always")]),
    ("http://SERVER/x", &[("http.proxy", "http://SERVER")]),
];

#[cfg(unix)]
#[test]
fn a_missing_object_is_fetched_in_no_way_and_the_way_out_is_told() {
    use std::os::unix::fs::PermissionsExt as _;
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    server.set_nonblocking(true).unwrap();
    let address = server.local_addr().unwrap().to_string();
    for (at, (url, settings)) in WAYS.iter().enumerate() {
        let bed = TestRepository::new();
        let (canary, trace) = (bed.root.with_file_name("canary"), bed.root.with_file_name("trace"));
        std::fs::write(&canary, format!("#!/bin/sh\ntouch {}\nexit 1\n", trace.display())).unwrap();
        std::fs::set_permissions(&canary, std::fs::Permissions::from_mode(0o755)).unwrap();
        let filled = |text: &str| {
            let text = text.replace("CANARY", canary.to_str().unwrap()).replace("SERVER", &address);
            text.replace("OTHER", bed.root.join(".git").to_str().unwrap())
        };
        bed.raw(&bed.root, &["config", "core.repositoryFormatVersion", "1"]);
        bed.raw(&bed.root, &["config", "remote.o.url", &filled(url)]);
        for (key, value) in *settings {
            bed.raw(&bed.root, &["config", key, &filled(value)]);
        }
        let id = bed.raw(&bed.root, &["rev-parse", "HEAD:README.md"]);
        std::fs::remove_file(bed.root.join(".git/objects").join(&id[..2]).join(&id[2..])).unwrap();
        for (key, value) in [("extensions.partialClone", "o"), ("remote.o.promisor", "true")] {
            bed.raw(&bed.root, &["config", key, value]);
            let older = bed.git.clone().with_env("GIT_NO_LAZY_FETCH", None);
            for git in [&bed.git, &older] {
                let error = git.call(&bed.root, ["cat-file", "blob", &id]).succeed().unwrap_err();
                assert!(!trace.exists(), "{url} {key}: {error}");
                assert!(server.accept().is_err(), "{url} {key}: {error}");
                let told = error.to_string();
                let is_told = told.contains("git fetch --refetch --no-filter") && told.contains("git fsck");
                assert!(matches!(error, GitError::NotFetched { .. }) && is_told, "{url} {key}: {told}");
            }
        }
        if at == 0 {
            bed.try_raw(&bed.root, &["cat-file", "blob", &id]);
            assert!(trace.exists(), "git itself starts it");
        }
    }
}

#[test]
fn an_object_that_is_missing_in_a_whole_repository_is_damage() {
    let bed = TestRepository::new();
    let id = bed.raw(&bed.root, &["rev-parse", "HEAD:README.md"]);
    std::fs::remove_file(bed.root.join(".git/objects").join(&id[..2]).join(&id[2..])).unwrap();
    let error = bed.git.call(&bed.root, ["cat-file", "blob", &id]).succeed().unwrap_err();
    assert!(matches!(error, GitError::Failed { .. }), "{error}");
}
