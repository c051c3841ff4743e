//! Files that are read, and what is refused in their place.

use super::*;

#[test]
fn only_a_regular_file_of_a_fitting_size_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "12345").unwrap();
    assert_eq!(read(&file, 5).unwrap(), b"12345");
    assert_eq!(read(&file, 4).unwrap_err().to_string(), "it is too large: at most 0 KB are read");
    let absent = folder.path().join("absent");
    assert!(read(&absent, 5).unwrap_err().is_absent(&absent));
    assert_eq!(read(folder.path(), 5).unwrap_err().to_string(), "it is a folder, not a file");
    fs::write(&file, [0xff]).unwrap();
    assert!(read_text(&file, 5).unwrap_err().to_string().contains("UTF-8"));
}

#[cfg(unix)]
#[test]
fn a_link_is_followed_only_as_long_as_it_stays_inside() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let base = fs::canonicalize(folder.path()).unwrap();
    let (root, out, to) = (base.join("root"), base.join("out"), base.join("to"));
    for made in [root.join("sub"), out.clone(), to.clone()] {
        fs::create_dir_all(made).unwrap();
    }
    fs::write(root.join("sub/file"), "in").unwrap();
    fs::write(out.join("file"), "out").unwrap();
    let link = |target: &str, at: &str| symlink(target, root.join(at)).unwrap();
    link("sub/file", "near");
    link("sub", "folder");
    link(base.join("root/sub/file").to_str().unwrap(), "whole");
    link("../out/file", "far");
    link("far", "chain");
    link("../out", "away");
    link("/dev/null", "device");
    for git in [".git", "sub/.Git"] {
        fs::create_dir(root.join(git)).unwrap();
        fs::write(root.join(git).join("config"), "git").unwrap();
    }
    link(".git/config", "of-git");
    link("sub/.Git", "folder-of-git");
    for (path, expected) in [
        ("sub/file", Ok("in")),
        ("near", Ok("in")),
        ("folder/file", Ok("in")),
        ("whole", Ok("in")),
        ("far", Err("leads out of the repository")),
        ("chain", Err("leads out of the repository")),
        ("away/file", Err("leads out of the repository")),
        ("device", Err("leads out of the repository")),
        ("../out/file", Err("leads out of the repository")),
        ("of-git", Err("leads into git's own folder")),
        ("folder-of-git/config", Err("leads into git's own folder")),
        (".git/config", Err("leads into git's own folder")),
        ("sub", Err("it is a folder")),
        ("none", Err("it cannot be read")),
    ] {
        let read = read_text_inside(&root, path, 9).map_err(|error| error.to_string());
        match (&read, expected) {
            (Ok(text), Ok(expected)) => assert_eq!(text, expected, "{path}"),
            (Err(error), Err(part)) => assert!(error.contains(part), "{path}: {error}"),
            _ => panic!("{path}: {read:?}"),
        }
    }
    assert!(read_inside(&root, "none", 9).unwrap_err().is_absent(&root.join("none")));
    symlink("../out", to.join("away")).unwrap();
    symlink("../out/new", to.join("dangling")).unwrap();
    for (name, copied) in [
        ("sub/file", Some(Copied::Done)),
        ("sub/file", Some(Copied::There)),
        ("none", Some(Copied::Absent)),
        ("far", None),
        ("away/file", Some(Copied::There)),
        ("dangling", Some(Copied::There)),
    ] {
        fs::write(root.join("dangling"), "x").unwrap();
        assert_eq!(copy_inside(&root, &to, name).ok(), copied, "{name}");
    }
    fs::create_dir(root.join("deep")).unwrap();
    symlink("../out", to.join("deep")).unwrap();
    fs::write(root.join("deep/new"), "x").unwrap();
    assert!(matches!(copy_inside(&root, &to, "deep/new"), Err(UnreadableFile::LeadsOut(_))));
    assert_eq!(fs::read_dir(&out).unwrap().count(), 1, "nothing was written there");
    assert_eq!(fs::read_dir(to.join("sub")).unwrap().count(), 1, "nothing is left over");
}

#[cfg(unix)]
#[test]
fn what_is_named_as_part_of_a_checkout_must_be_part_of_it_and_what_is_not_need_not() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let base = fs::canonicalize(folder.path()).unwrap();
    for made in ["here/docs", "out/new"] {
        fs::create_dir_all(base.join(made)).unwrap();
    }
    fs::write(base.join("here/docs/file"), "in").unwrap();
    fs::write(base.join("out/file"), "out").unwrap();
    for (target, at) in [
        ("../../out/file", "here/docs/far"),
        ("../out", "here/away"),
        ("../nowhere", "here/dangling"),
        ("here", "alias"),
    ] {
        symlink(target, base.join(at)).unwrap();
    }
    let root = base.join("here");
    for (path, expected) in [
        ("here/docs/file", Some("in")),
        ("here/docs/../docs/./file", Some("in")),
        ("alias/docs/file", Some("in")),
        ("out/file", Some("out")),
        ("here/../out/file", Some("out")),
        ("here/docs/far", None),
        ("alias/docs/far", None),
        ("here/away/file", None),
        ("out/../here/away/file", None),
    ] {
        let read = read_named(&root, &base.join(path), 9).ok().map(|bytes| String::from_utf8(bytes).unwrap());
        assert_eq!(read.as_deref(), expected, "{path}");
        assert_eq!(check_named(&root, &base.join(path)).is_ok(), expected.is_some(), "{path}");
    }
    assert!(check_named(&root, &root.join("docs/not/there/yet")).is_ok());
    assert!(check_named(&root, &root.join("away/not/there/yet")).is_err());
    for (path, made) in [("docs/a/b", true), ("away/a/b", false), ("dangling/a", false), (".git/a", false)] {
        fs::create_dir_all(root.join(".git")).unwrap();
        assert_eq!(make_folder_inside(&root, &root.join(path)).is_ok(), made, "{path}");
        assert_eq!(root.join(path).is_dir(), made, "{path}");
    }
    assert_eq!(fs::read_dir(base.join("out")).unwrap().count(), 2, "nothing was made there");
}

#[cfg(unix)]
#[test]
fn what_has_no_end_or_never_begins_is_refused_without_waiting() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let link = |target: &str| {
        let link = folder.path().join(target.replace('/', "-"));
        symlink(target, &link).unwrap();
        link
    };
    assert_eq!(read(&link("/dev/zero"), 5).unwrap_err().to_string(), "it is a device, not a file");
    let nowhere = link("/nowhere/at/all");
    assert!(!read(&nowhere, 5).unwrap_err().is_absent(&nowhere), "a link that leads nowhere is there");
    let socket = folder.path().join("socket");
    let _listening = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    assert_eq!(read(&socket, 5).unwrap_err().to_string(), "it is a socket, not a file");
}
