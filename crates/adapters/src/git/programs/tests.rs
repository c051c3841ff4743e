use super::super::testbed::Bed;
use super::*;
use std::ffi::OsString;

/// What overrules the configuration in a folder.
fn overrules(bed: &Bed, folder: &Path) -> BTreeMap<String, String> {
    let asked = Asked { folder: folder.to_owned(), git: None };
    bed.git.guard().overrules(&bed.git, &asked).unwrap().into_iter().collect()
}

fn set(bed: &Bed, key: &str, value: &str) {
    bed.raw(&bed.root, &["config", key, value]);
}

#[test]
fn a_plain_configuration_is_left_alone_and_needs_no_git_to_be_seen_as_such() {
    let bed = Bed::new();
    set(&bed, "remote.origin.url", "https://example.invalid/x");
    set(&bed, "branch.main.remote", "origin");
    let asked = Asked { folder: bed.root.clone(), git: None };
    assert!(own_files(&asked).unwrap().iter().all(|file| is_plain(file)));
    let none = bed.git.clone().with_program("/no/such/program");
    assert_eq!(none.guard().overrules(&none, &asked).unwrap(), []);
}

#[test]
fn every_key_that_starts_a_program_is_overruled_and_noticed_by_its_file_alone() {
    for danger in &DANGERS {
        let names: &[&str] = match danger.named {
            Named::No => &[""],
            Named::Yes => &["some.", "a=b."],
            Named::Either => &["", "some."],
        };
        for name in names {
            let bed = Bed::new();
            let key = format!("{}.{name}{}", danger.section, danger.variable);
            let value = match danger.section {
                "submodule" => "!evil",
                "protocol" => "always",
                _ => "evil",
            };
            assert_eq!(overrules(&bed, &bed.root), BTreeMap::new());
            set(&bed, &key, value);
            assert!(!is_plain(&bed.root.join(".git/config")), "{key}");
            let found = overrules(&bed, &bed.root);
            assert_eq!(found.get(&key).map(String::as_str), Some(danger.instead(&key)), "{key}: {found:?}");
            assert_ne!(found[&key], value);
            set(&bed, &key, "");
            let harmless = danger.section == "submodule" || danger.section == "protocol";
            assert_eq!(overrules(&bed, &bed.root), BTreeMap::new(), "{key} {harmless}");
        }
    }
}

#[test]
fn what_the_user_says_holds_where_the_repository_says_otherwise() {
    let bed = Bed::new();
    bed.config("[gpg]\nprogram = mine\n[filter \"lfs\"]\nclean = git-lfs\n[credential]\nhelper = one\nhelper = two\n");
    assert_eq!(overrules(&bed, &bed.root), BTreeMap::new());
    set(&bed, "gpg.program", "evil");
    set(&bed, "filter.lfs.clean", "evil");
    set(&bed, "credential.helper", "evil");
    let asked = Asked { folder: bed.root.clone(), git: None };
    let found = bed.git.guard().overrules(&bed.git, &asked).unwrap();
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
    let bed = Bed::new();
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
    let bed = Bed::new();
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
    super::super::change::check_out(&place, &repository.head().unwrap().commit).unwrap();
    assert!(!trace.exists(), "it was started");
    bed.raw(&bed.root, &["status", "--porcelain"]);
    assert!(trace.exists(), "git itself starts it");
}

#[test]
fn the_users_own_settings_in_variables_stay() {
    let bed = Bed::new();
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
    let bed = Bed::new();
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
    let bed = Bed::new();
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
    let bed = Bed::new();
    let home = bed.root.parent().unwrap().join("state");
    let trust = Trust::of(|name| (name == "XDG_STATE_HOME").then(|| home.clone().into_os_string()));
    let git = bed.git.clone().with_trust(trust.clone());
    let repository = Repository::discover_with(git.clone(), &bed.root).unwrap();
    set(&bed, "filter.x.clean", "cat");
    set(&bed, "diff.x.textconv", "evil");
    assert_eq!(repository.wanted_programs().unwrap(), [], "no attribute names it");
    bed.write(".gitattributes", "*.md filter=x diff=x\n");
    let wanted = repository.wanted_programs().unwrap();
    let lines: Vec<String> = wanted.iter().map(Program::line).collect();
    assert_eq!(lines, [format!("filter.x.clean = \"cat\" (in {})", bed.root.join(".git/config").display())]);
    let accepted = |program: &Program| trust::Accepted {
        hash: program.hash(),
        at: String::new(),
        by: String::new(),
        items: Vec::new(),
    };
    trust.accept(repository.known_as(), wanted.iter().map(accepted).collect()).unwrap();
    assert_eq!(repository.wanted_programs().unwrap(), []);
    let asked = Asked { folder: bed.root.clone(), git: None };
    let keys: Vec<String> =
        git.guard().overrules(&git, &asked).unwrap().into_iter().map(|(key, _)| key).collect();
    assert_eq!(keys, ["diff.x.textconv"]);
    set(&bed, "filter.x.clean", "cat; evil");
    assert_eq!(repository.wanted_programs().unwrap().len(), 1);
}
