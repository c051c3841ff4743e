//! A disk that holds what was synced and nothing else.
//!
//! `disk.c` stands between the program (with every git it starts) and the system and keeps a copy of each file and each
//! list of names at the moment it is synced. [`Disk::after`] rebuilds the folder from these copies alone.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::UNIX_EPOCH;

/// What a power cut takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Loss {
    /// Every name that was made, moved or removed since its folder was synced, and every byte that was written since its
    /// file was. That is all that POSIX promises.
    Names,
    /// Names are as they were last, but what was not synced is empty: ext4, XFS and others write names first.
    Contents,
}

/// When the power goes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Cut {
    /// At the boundary with this number.
    Boundary(u64),
    /// Right before the sync with this number.
    Sync(u64),
}

pub(crate) struct Disk {
    root: PathBuf,
    store: tempfile::TempDir,
}

impl Disk {
    /// A disk that holds a folder as it is now.
    pub(crate) fn holding(root: &Path) -> Disk {
        let disk = Disk { root: root.to_owned(), store: tempfile::tempdir().unwrap() };
        for folder in ["files", "folders"] {
            fs::create_dir(disk.store.path().join(folder)).unwrap();
        }
        disk.keep(root);
        disk
    }

    /// Lets a command write to this disk until the power goes; with none it runs to its end.
    pub(crate) fn under(&self, command: &mut Command, cut: Option<Cut>) {
        command.env("LD_PRELOAD", shim()).env("REDRAFT_DISK_ROOT", &self.root);
        command.env("REDRAFT_DISK_STORE", self.store.path()).process_group(0);
        match cut {
            Some(Cut::Boundary(number)) => command.env(crate::plays::SWITCH, number.to_string()),
            Some(Cut::Sync(number)) => command.env("REDRAFT_DISK_CUT_AT", number.to_string()),
            None => command,
        };
    }

    /// What is found when the power is back.
    pub(crate) fn after(&self, loss: Loss) -> tempfile::TempDir {
        let found = tempfile::tempdir().unwrap();
        match loss {
            Loss::Names => self.folder(&key(&self.root), found.path()),
            Loss::Contents => self.emptied(&self.root, found.path()),
        }
        // After a power cut the machine has booted again.
        let boot = found.path().join(".git/redraft/boot");
        if boot.exists() {
            fs::write(boot, "another\n").unwrap();
        }
        found
    }

    fn folder(&self, key: &str, to: &Path) {
        let names = fs::read(self.store.path().join("folders").join(key)).unwrap_or_default();
        for entry in names.split(|byte| *byte == 0).filter(|entry| !entry.is_empty()) {
            let entry = String::from_utf8(entry.to_vec()).unwrap();
            let [kind, key, name] = entry.splitn(3, ' ').collect::<Vec<_>>().try_into().unwrap();
            let to = to.join(name);
            if kind == "d" {
                fs::create_dir(&to).unwrap();
                self.folder(key, &to);
            } else {
                self.file(key, kind == "l", &to);
            }
        }
    }

    fn emptied(&self, from: &Path, to: &Path) {
        for entry in fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            let (kind, to) = (entry.file_type().unwrap(), to.join(entry.file_name()));
            if kind.is_dir() {
                fs::create_dir(&to).unwrap();
                self.emptied(&entry.path(), &to);
            } else {
                self.file(&key(&entry.path()), kind.is_symlink(), &to);
            }
        }
    }

    /// A file that was never synced has at most a name.
    fn file(&self, key: &str, is_link: bool, to: &Path) {
        let kept = self.store.path().join("files").join(key);
        match (kept.exists(), is_link) {
            (true, true) => symlink(fs::read_to_string(kept).unwrap(), to).unwrap(),
            (true, false) => drop(fs::copy(kept, to).unwrap()),
            (false, true) => {}
            (false, false) => fs::write(to, "").unwrap(),
        }
    }

    fn keep(&self, folder: &Path) {
        let mut names = Vec::new();
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let (path, kind) = (entry.path(), entry.file_type().unwrap());
            let letter = if kind.is_dir() {
                self.keep(&path);
                'd'
            } else {
                let to = self.store.path().join("files").join(key(&path));
                if kind.is_symlink() {
                    fs::write(to, fs::read_link(&path).unwrap().to_str().unwrap()).unwrap();
                    'l'
                } else {
                    fs::copy(&path, &to).unwrap();
                    let mode = fs::metadata(&to).unwrap().permissions().mode() | 0o600;
                    fs::set_permissions(&to, fs::Permissions::from_mode(mode)).unwrap();
                    let changed = fs::metadata(&path).unwrap().modified().unwrap();
                    fs::File::options().append(true).open(&to).unwrap().set_modified(changed).unwrap();
                    'f'
                }
            };
            names
                .extend(format!("{letter} {} {}\0", key(&path), entry.file_name().to_str().unwrap()).bytes());
        }
        fs::write(self.store.path().join("folders").join(key(folder)), names).unwrap();
    }
}

/// Inode and time of birth, as `disk.c` writes them: an inode alone is used again.
fn key(path: &Path) -> String {
    let found = path.symlink_metadata().unwrap();
    let born = found.created().expect("a file system that tells when a file was made");
    let born = born.duration_since(UNIX_EPOCH).unwrap();
    format!("{}-{}-{}", found.ino(), born.as_secs(), born.subsec_nanos())
}

/// `disk.c`, compiled once; the compiler is the one that SQLite is built with.
fn shim() -> &'static Path {
    static SHIM: OnceLock<PathBuf> = OnceLock::new();
    SHIM.get_or_init(|| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/slow/power/disk.c");
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("disk-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let library = folder.join("disk.so");
        #[expect(clippy::disallowed_methods, reason = "a compiler, not the program under test")]
        let mut compiler = Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()));
        compiler.args(["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o"]);
        let done = compiler.arg(&library).arg(&source).status().unwrap();
        assert!(done.success(), "{} does not compile", source.display());
        library
    })
}
