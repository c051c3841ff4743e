use super::dangers::{DANGERS, Named};
use super::*;
use crate::git::repository::Repository;
use crate::git::tests::repositories::TestRepository;
use crate::git::workspace::GitWorkspace;
use redraft_engine::ports::Workspace as _;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};

/// What overrules the configuration in a folder, in order.
fn told(git: &Git, folder: &Path) -> Vec<(String, String)> {
    let asked = Asked { folder: folder.to_owned(), git: None };
    let text = |bytes: &[u8]| trust::visible_bytes(bytes);
    let overrules = git.guard().verdict(git, &asked).unwrap().overrules;
    overrules.iter().map(|(key, value)| (text(key), text(value))).collect()
}

/// The same by key.
fn overrules(bed: &TestRepository, folder: &Path) -> BTreeMap<String, String> {
    told(&bed.git, folder).into_iter().collect()
}

/// Adds bytes, which need not be text, to a file of the repository.
fn add(bed: &TestRepository, file: &str, bytes: &[u8]) {
    let file = bed.root.join(file);
    let old = fs::read(&file).unwrap_or_default();
    fs::write(file, [&old, bytes].concat()).unwrap();
}

/// A program that leaves a trace and passes on what it is given.
fn canary(bed: &TestRepository) -> (PathBuf, PathBuf) {
    let (program, trace) = (bed.root.with_file_name("canary"), bed.root.with_file_name("trace"));
    fs::write(&program, format!("#!/bin/sh\ntouch {}\ncat\n", trace.display())).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    (program, trace)
}

fn set(bed: &TestRepository, key: &str, value: &str) {
    bed.raw(&bed.root, &["config", key, value]);
}

#[test]
fn a_plain_configuration_is_left_alone_and_needs_no_git_to_be_seen_as_such() {
    let bed = TestRepository::new();
    set(&bed, "remote.origin.url", "https://example.invalid/x");
    set(&bed, "branch.main.remote", "origin");
    let git = bed.root.join(".git");
    bed.git.guard().told(&bed.root, &git, &git);
    assert_eq!(told(&bed.git.clone().with_program("/no/such/program"), &bed.root), []);
}

#[test]
fn every_key_that_starts_a_program_is_overruled_and_noticed_by_its_file_alone() {
    for danger in &DANGERS {
        let names: Vec<String> = match danger.named {
            Named::No => vec![String::new()],
            Named::Yes => vec!["some.".to_owned(), "a=b.".to_owned()],
            Named::Either => vec![String::new(), "some.".to_owned()],
            Named::Like(begins) => vec![format!("{begins}some."), format!("{}a=b.", begins.to_uppercase())],
        };
        for name in names {
            let bed = TestRepository::new();
            let key = format!("{}.{name}{}", danger.section, danger.variable);
            let (value, harmless) = match (danger.section, danger.variable) {
                ("submodule", _) => ("!evil", ""),
                ("http", "sslverify") => ("false", "true"),
                ("http", "savecookies") => ("true", "false"),
                _ => ("evil", ""),
            };
            assert_eq!(overrules(&bed, &bed.root), BTreeMap::new());
            set(&bed, &key, value);
            assert!(!is_plain(&bed.root.join(".git/config")), "{key}");
            let found = overrules(&bed, &bed.root);
            let instead = danger.instead(key.as_bytes());
            assert_eq!(found.get(&key).map(String::as_str), Some(instead), "{key}: {found:?}");
            assert_ne!(found[&key], value);
            set(&bed, &key, harmless);
            assert_eq!(overrules(&bed, &bed.root), BTreeMap::new(), "{key} {harmless}");
        }
    }
}

#[test]
fn what_the_user_says_holds_where_the_repository_says_otherwise() {
    let bed = TestRepository::new();
    bed.config("[gpg]\nprogram = mine\n[filter \"lfs\"]\nclean = git-lfs\n[credential]\nhelper = one\nhelper = two\n");
    assert_eq!(overrules(&bed, &bed.root), BTreeMap::new());
    set(&bed, "gpg.program", "evil");
    set(&bed, "filter.lfs.clean", "evil");
    set(&bed, "credential.helper", "evil");
    let found = told(&bed.git, &bed.root);
    let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    for expected in [pair("gpg.program", "mine"), pair("filter.lfs.clean", "git-lfs")] {
        assert!(found.contains(&expected), "{found:?}");
    }
    let helpers: Vec<&str> =
        found.iter().filter(|(key, _)| key == "credential.helper").map(|(_, value)| value.as_str()).collect();
    assert_eq!(helpers, ["", "one", "two"], "an empty one takes the repository's back");
    let effective = bed.git.call(&bed.root, ["config", "--get", "gpg.program"]).text().unwrap();
    assert_eq!(effective, "mine");
}

#[test]
fn a_driver_with_an_odd_name_is_overruled_in_the_call_itself() {
    let bed = TestRepository::new();
    let trace = bed.root.join("trace");
    for name in ["a=b", "a b", "A.B", "ü"] {
        set(&bed, &format!("filter.{name}.clean"), &format!("touch {}; cat", trace.display()));
        let attribute = if name == "a b" { "x" } else { name };
        bed.write(".gitattributes", &format!("*.txt filter={attribute}\n"));
        bed.write("x.txt", name);
        bed.git.call(&bed.root, ["add", "--", "x.txt"]).succeed().unwrap();
        assert!(!trace.exists(), "{name}");
    }
    bed.raw(&bed.root, &["add", "--renormalize", "x.txt"]);
    bed.write("x.txt", "more");
    bed.raw(&bed.root, &["add", "x.txt"]);
    assert!(trace.exists(), "git itself starts it");
}

#[test]
fn a_look_at_a_checkout_starts_nothing_of_a_submodules_own_configuration() {
    let bed = TestRepository::new();
    let (sub, trace) = (bed.root.join("sub"), bed.root.join("trace.log"));
    bed.raw(&bed.root, &["init", "-q", "-b", "main", "sub"]);
    bed.write("sub/.gitattributes", "* filter=x\n");
    bed.write("sub/file", "one\n");
    bed.raw(&sub, &["add", "--all"]);
    bed.raw(&sub, &["commit", "-q", "-m", "inner"]);
    bed.raw(&bed.root, &["-c", "advice.addEmbeddedRepo=false", "add", "sub"]);
    bed.raw(&bed.root, &["commit", "-q", "-m", "a repository in the repository"]);
    bed.raw(&sub, &["config", "filter.x.clean", &format!("touch {}; cat", trace.display())]);
    set(&bed, "submodule.sub.ignore", "none");
    bed.write("sub/file", "two\n");
    let (repository, place) = (bed.repository(), bed.feature());
    assert!(!repository.is_dirty().unwrap());
    repository.unchanged(&["sub".to_owned(), "src".to_owned()]).unwrap();
    repository.commit_of_checkout(&repository.head().unwrap().commit).unwrap();
    crate::git::change::check_out(&place, &repository.head().unwrap().commit).unwrap();
    let main = GitWorkspace::open(&repository, &bed.root, "main").unwrap();
    main.uncommitted_files().unwrap();
    main.may_commit("sub").unwrap();
    for look in [
        &["status", "--porcelain", "--untracked-files=all"][..],
        &["diff", "--name-only", "HEAD", "--", "sub"],
        &["diff-index", "HEAD"],
        &["diff-files"],
    ] {
        bed.git.call(&bed.root, look.iter().copied()).succeed().unwrap();
        assert!(!trace.exists(), "{look:?}");
    }
    assert!(!trace.exists(), "it was started");
    bed.raw(&bed.root, &["status", "--porcelain"]);
    assert!(trace.exists(), "git itself starts it");
}

#[test]
fn the_users_own_settings_in_variables_stay() {
    let bed = TestRepository::new();
    set(&bed, "gpg.program", "evil");
    let mut git = bed.git.clone();
    for (name, value) in
        [("GIT_CONFIG_COUNT", "1"), ("GIT_CONFIG_KEY_0", "user.name"), ("GIT_CONFIG_VALUE_0", "Eve")]
    {
        git = git.with_env(name, Some(OsString::from(value)));
    }
    let get = |key: &str| git.call(&bed.root, ["config", "--get", key]).text().unwrap();
    assert_eq!((get("user.name").as_str(), get("gpg.program").as_str()), ("Eve", "gpg"));
}

#[test]
fn a_file_that_is_included_under_a_condition_is_read_whether_it_holds_or_not() {
    let bed = TestRepository::new();
    set(&bed, "includeIf.onbranch:other.path", "one");
    assert_eq!(overrules(&bed, &bed.root), BTreeMap::new());
    bed.write(".git/one", "[includeIf \"gitdir:/nowhere/\"]\npath = two\n");
    bed.write(".git/two", "[include]\npath = three\n[include]\npath = one\n");
    assert_eq!(overrules(&bed, &bed.root), BTreeMap::new());
    bed.write(".git/three", "[filter \"x\"]\nclean = evil\n");
    assert_eq!(overrules(&bed, &bed.root).get("filter.x.clean").map(String::as_str), Some(""));
    // A file in the user's home, as git spells it.
    set(&bed, "includeIf.onbranch:third.path", "~/in-home");
    let home = bed.root.parent().unwrap().join("home/in-home");
    fs::write(home, "[merge \"x\"]\ndriver = evil\n").unwrap();
    assert_eq!(overrules(&bed, &bed.root).get("merge.x.driver").map(String::as_str), Some("false"));
}

#[test]
fn a_change_is_noticed_also_when_size_and_time_are_put_back() {
    let bed = TestRepository::new();
    set(&bed, "filter.x.clean", "");
    assert_eq!(overrules(&bed, &bed.root), BTreeMap::new());
    let file = bed.root.join(".git/config");
    let (text, then) = (fs::read_to_string(&file).unwrap(), fs::metadata(&file).unwrap().modified().unwrap());
    let evil = text.replace("\tclean = \n", "\tclean=ev\n");
    assert_eq!(evil.len(), text.len(), "{text}");
    fs::write(&file, &evil).unwrap();
    fs::File::options().write(true).open(&file).unwrap().set_modified(then).unwrap();
    assert_eq!(overrules(&bed, &bed.root).len(), 2);
    // A worktree has a configuration of its own once that is switched on.
    let place = bed.feature();
    set(&bed, "extensions.worktreeConfig", "true");
    bed.raw(place.root(), &["config", "--worktree", "merge.w.driver", "evil"]);
    assert!(overrules(&bed, place.root()).contains_key("merge.w.driver"));
}

#[test]
fn an_accepted_program_is_left_alone_and_another_one_is_not() {
    let bed = TestRepository::new();
    let home = bed.root.parent().unwrap().join("state");
    let trust =
        Trust::from_environment(|name| (name == "XDG_STATE_HOME").then(|| home.clone().into_os_string()));
    let git = bed.git.clone().with_trust(trust.clone());
    let repository = Repository::discover_with(git.clone(), &bed.root).unwrap();
    set(&bed, "filter.x.clean", "cat");
    set(&bed, "diff.x.textconv", "evil");
    assert_eq!(repository.wanted_programs().unwrap(), [], "no attribute names it");
    bed.write(".gitattributes", "*.md filter=x diff=x\n");
    let wanted = repository.wanted_programs().unwrap();
    let lines: Vec<String> = wanted.iter().map(ConfiguredProgram::line).collect();
    assert_eq!(lines, [format!("filter.x.clean = \"cat\" (in {})", bed.root.join(".git/config").display())]);
    let accepted = |program: &ConfiguredProgram| trust::Accepted {
        hash: program.hash(),
        at: String::new(),
        by: String::new(),
        items: Vec::new(),
    };
    trust.accept(repository.known_as(), wanted.iter().map(accepted).collect()).unwrap();
    assert_eq!(repository.wanted_programs().unwrap(), []);
    let keys: Vec<String> = told(&git, &bed.root).into_iter().map(|(key, _)| key).collect();
    assert_eq!(keys, ["diff.x.textconv"]);
    set(&bed, "filter.x.clean", "cat; evil");
    assert_eq!(repository.wanted_programs().unwrap().len(), 1);
}

#[test]
fn what_only_a_byte_tells_apart_looks_different_and_is_accepted_by_itself() {
    let bed = TestRepository::new();
    bed.write(".gitattributes", "*.md filter=x\n");
    let config = bed.root.join(".git/config");
    let before = fs::read(&config).unwrap();
    let mut seen = BTreeSet::new();
    for value in [&b"f\xff"[..], b"f\xfe", b"f\\\\xff", "f\u{fffd}".as_bytes()] {
        fs::write(&config, [&before, &b"[filter \"x\"]\nclean = "[..], value, b"\n"].concat()).unwrap();
        let wanted = bed.repository().wanted_programs().unwrap();
        let [program] = wanted.as_slice() else { panic!("{wanted:?}") };
        assert!(seen.insert(program.line()) && seen.insert(program.hash().to_string()), "{seen:?}");
    }
    assert!(seen.iter().any(|line| line.contains("\"f\\xff\"")), "{seen:?}");
}

#[test]
fn a_name_or_a_path_that_is_no_text_hides_nothing() {
    let (filter, include) =
        (&b"[filter \"\xff\"]\n"[..], &b"[includeIf \"onbranch:other\"]\npath = ev\xffil\n"[..]);
    for included in [false, true] {
        let bed = TestRepository::new();
        let (program, trace) = canary(&bed);
        let clean = [filter, b"clean = ", program.as_os_str().as_bytes(), b"\n"].concat();
        if included {
            add(&bed, ".git/config", include);
            fs::write(bed.root.join(".git").join(os_path(b"ev\xffil")), &clean).unwrap();
        } else {
            add(&bed, ".git/config", &clean);
        }
        add(&bed, ".gitattributes", b"*.md filter=\xff\n");
        bed.write("new.md", "new\n");
        let wanted = bed.repository().wanted_programs().unwrap();
        assert_eq!(wanted.iter().map(|one| one.key.as_str()).collect::<Vec<_>>(), ["filter.\\xff.clean"]);
        bed.raw(&bed.root, &["symbolic-ref", "HEAD", "refs/heads/other"]);
        bed.git.call(&bed.root, ["add", "--all"]).succeed().unwrap();
        assert!(!trace.exists(), "included: {included}");
        bed.raw(&bed.root, &["reset", "-q"]);
        bed.raw(&bed.root, &["add", "--all"]);
        assert!(trace.exists(), "git itself starts it");
    }
}

#[test]
fn the_configuration_that_is_looked_at_is_the_one_that_git_reads() {
    // A folder is led elsewhere, in ways that only git follows. What git itself refuses starts nothing either.
    type Lead = fn(&Path, &Path);
    let by_head: Lead = |git, _| {
        fs::remove_file(git.join("HEAD")).unwrap();
        symlink("refs/heads/main", git.join("HEAD")).unwrap();
    };
    let by_bytes: Lead = |git, other| {
        let odd = git.join(os_path(b"o\xff"));
        fs::rename(other, &odd).unwrap();
        fs::write(git.join("commondir"), odd.as_os_str().as_bytes()).unwrap();
    };
    let by_lines: Lead = |git, other| {
        let lines = vec![b'\n'; 20_000];
        fs::write(git.join("commondir"), [other.as_os_str().as_bytes(), &lines].concat()).unwrap();
    };
    for (how, lead, own) in [("head", by_head, true), ("bytes", by_bytes, false), ("lines", by_lines, false)]
    {
        let outer = TestRepository::new();
        let (program, trace) = canary(&outer);
        let inner = outer.root.join("inner");
        outer.raw(&outer.root, &["clone", "-q", ".", "inner"]);
        outer.raw(&inner, &["pack-refs", "--all"]);
        let (git, other) = (inner.join(".git"), outer.root.with_file_name("other"));
        outer.raw(&outer.root, &["clone", "-q", "--bare", ".", other.to_str().unwrap()]);
        let evil = if own { git.join("config") } else { other.join("config") };
        for command in ["clean", "smudge"] {
            let key = format!("filter.x.{command}");
            outer.raw(&inner, &["config", "--file", evil.to_str().unwrap(), &key, program.to_str().unwrap()]);
        }
        fs::write(inner.join(".gitattributes"), "* filter=x\n").unwrap();
        fs::write(inner.join("README.md"), "changed\n").unwrap();
        lead(&git, &other);
        for named in [false, true] {
            let call = outer.git.call(&inner, ["add", "--all"]);
            let call = if named { call.env("GIT_DIR", &git).env("GIT_WORK_TREE", &inner) } else { call };
            // Git may refuse what it does not understand.
            let _ = call.end();
            assert!(!trace.exists(), "{how}, named: {named}");
        }
        let ours = Asked { folder: inner.clone(), git: None };
        let looked = outer.git.guard().look(&outer.git, &ours).unwrap();
        assert_eq!(looked.programs.len(), 2, "{how}: {:?}", looked.programs);
        outer.raw(&inner, &["add", "--renormalize", "."]);
        assert!(trace.exists(), "{how}: git itself starts it");
    }
}

#[test]
fn where_git_enters_no_repository_nothing_is_overruled_and_a_new_one_can_be_made() {
    let bed = TestRepository::new();
    set(&bed, "gpg.program", "evil");
    let outside = bed.root.parent().unwrap();
    bed.raw(outside, &["init", "-q", "--bare", "bare"]);
    // Older versions of git enter their own folder no more than any other bare repository.
    for (folder, new) in [("new", outside.join("new")), ("own", bed.root.join(".git/redraft/new"))] {
        fs::create_dir_all(&new).unwrap();
        bed.git.call(&new, ["init", "--quiet", "--initial-branch=main"]).succeed().unwrap();
        assert_eq!(told(&bed.git, &new), [], "{folder}");
    }
    assert_eq!(told(&bed.git, &outside.join("bare")), []);
}

#[test]
fn a_repository_that_is_led_elsewhere_later_is_looked_at_anew() {
    let bed = TestRepository::new();
    let inner = bed.root.join("inner");
    fs::create_dir(&inner).unwrap();
    assert_eq!(overrules(&bed, &inner), BTreeMap::new());
    bed.raw(&inner, &["init", "-q"]);
    bed.raw(&inner, &["config", "gpg.program", "evil"]);
    assert!(overrules(&bed, &inner).contains_key("gpg.program"), "a repository has come into being");
    let git = inner.join(".git");
    fs::rename(&git, inner.join("away")).unwrap();
    assert_eq!(overrules(&bed, &inner), BTreeMap::new(), "and is gone again");
    fs::write(&git, "gitdir: away\n").unwrap();
    assert!(overrules(&bed, &inner).contains_key("gpg.program"), "and is there again");
    bed.raw(&bed.root, &["config", "diff.external", "evil"]);
    fs::remove_file(inner.join("away/HEAD")).unwrap();
    // A call reports the same as git itself.
    let asked = Asked { folder: inner.clone(), git: None };
    assert!(bed.git.guard().verdict(&bed.git, &asked).is_err());
    fs::write(inner.join("away/HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(inner.join("away/commondir"), "../../.git\n").unwrap();
    assert!(overrules(&bed, &inner).contains_key("diff.external"), "another one is shared");
}

#[test]
fn what_git_lfs_goes_by_is_asked_about_where_a_file_is_kept_with_it() {
    let bed = TestRepository::new();
    bed.config("[filter \"lfs\"]\nclean = cat\nsmudge = cat\n[http]\nproxy = mine\n");
    for (key, value) in [
        ("lfs.extension.x.clean", "evil"),
        ("lfs.customtransfer.x.path", "evil"),
        ("lfs.standalonetransferagent", "x"),
        ("http.sslVerify", "false"),
        ("http.https://example.invalid/.proxy", "evil"),
        ("http.proxy", "evil"),
        ("credential.helper", "evil"),
        ("core.sshCommand", "evil"),
    ] {
        set(&bed, key, value);
    }
    assert_eq!(bed.repository().wanted_programs().unwrap(), [], "nothing is kept with it");
    assert_eq!(overrules(&bed, &bed.root)["http.proxy"], "mine", "what the user says holds");
    bed.write(".gitattributes", "*.md filter=lfs\n");
    let wanted = bed.repository().wanted_programs().unwrap();
    assert_eq!(wanted.len(), 8, "{wanted:?}");
}
