//! Where a task says that it writes, and whether two such places overlap.
//!
//! A place is a file, a folder or a pattern, in the repository. Only names are compared, as they are written: nothing
//! here knows which files there are. In doubt places overlap, because then nothing worse happens than that tasks wait
//! for each other. Start at [`FilePlace::read`].

use core::fmt;
use redraft_facts::prelude::*;

/// A file, a folder, or all that a pattern may fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePlace {
    written: String,
    /// The names from the root of the repository down. Those of a pattern end before the first that is not fixed.
    fixed: Vec<String>,
}

impl FilePlace {
    /// `./src/a.rs`, `src/`, `src/**`. What leads out of the repository may be anywhere.
    pub fn read(written: &str) -> FilePlace {
        let written = written.trim_matches(['`', ' ', '\t', '\n', '\r']).to_owned();
        let mut fixed: Vec<String> = Vec::new();
        let mut in_pattern = false;
        for name in written.split(['/', '\\']) {
            match name {
                "" | "." => {}
                ".." if in_pattern || fixed.pop().is_none() => {
                    fixed.clear();
                    break;
                }
                ".." => {}
                name if name.contains(['*', '?', '[', '{']) => in_pattern = true,
                name if !in_pattern => fixed.push(name.to_owned()),
                _ => {}
            }
        }
        FilePlace { written, fixed }
    }

    /// Whether they are the same place, or one is inside the other.
    pub fn overlaps(&self, other: &FilePlace) -> bool {
        self.fixed.iter().zip(&other.fixed).all(|(own, other)| own == other)
    }
}

/// As it was written.
impl fmt::Display for FilePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_overlap_where_one_is_the_other_or_holds_it() {
        for (one, other, wanted) in [
            ("src/a.rs", "src/a.rs", true),
            ("src/a.rs", "src/b.rs", false),
            ("`./src//a.rs`", "src/a.rs", true),
            ("src", "src/a/b.rs", true),
            ("src/", "src/a.rs", true),
            ("src/a", "src/ab", false),
            ("src/a.rs", "src/A.rs", false),
            ("/src/a.rs", "src\\a.rs", true),
            ("src/**", "src/a/b.rs", true),
            ("src/**", "tests/a.rs", false),
            ("src/*.rs", "src/deep/a.rs", true),
            ("src/{a,b}.rs", "src/c.rs", true),
            ("src/*/a.rs", "src/*/b.rs", true),
            ("src/x/*", "src/y/*", false),
            ("**/*.rs", "docs/a.md", true),
            (".", "docs/a.md", true),
            ("", "docs/a.md", true),
            ("src/../docs/a.md", "docs", true),
            ("src/../docs/a.md", "src", false),
            ("../docs/a.md", "src", true),
            ("src/*/../../docs", "tests", true),
        ] {
            let (left, right) = (FilePlace::read(one), FilePlace::read(other));
            assert_eq!((left.overlaps(&right), right.overlaps(&left)), (wanted, wanted), "{one} and {other}");
        }
    }
}
