//! Tests which files a command line writes to, and which it only looks at.

use super::*;
use proptest::prelude::*;

#[track_caller]
fn check(command: &str, expected: &[&str]) {
    assert_eq!(written(command), expected, "{command}");
}

#[test]
fn redirections_write_and_reading_does_not() {
    check("echo x > a", &["a"]);
    check("echo x >> a 2>&1", &["a"]);
    check("echo x >|a", &["a"]);
    check("make &> a", &["a"]);
    check("make &>> 'a b'", &["a b"]);
    check("make >& a", &["a"]);
    check("make 2> a 1>&2 >&-", &["a"]);
    check("> a", &["a"]);
    check("cat < a", &[]);
    check("cat <<< a", &[]);
    check("exec 3<> a", &["a"]);
    check("exec 3<&4", &[]);
    check("diff <(cat a) <(cat b)", &[]);
    check("echo 'x > a' \"y > b\" z\\>c # > d", &[]);
    check("echo x >$a", &[]);
    check("echo x > a.txt; cat a | tee b c", &["a.txt", "b", "c"]);
}

#[test]
fn programs_that_write_name_their_files() {
    check("rm -rf a -- -b", &["a", "-b"]);
    check("sudo rm a && FOO=1 rm b", &["a", "b"]);
    check("/bin/rm a", &["a"]);
    check("if true; then rm a; fi", &["a"]);
    check("{ rm a; }", &["a"]);
    check("mv a b", &["a", "b", "b/a"]);
    check("cp x/a b", &["b", "b/a"]);
    check("cp a", &[]);
    check("install -m 600 a b", &["b", "b/600", "b/a"]);
    check("ln -sf x/a b", &["b", "b/a"]);
    check("truncate -s 0 a", &["0", "a"]);
    check("dd if=a of=b", &["b"]);
    check("sed -i 's/a/b/' f g", &["f", "g"]);
    check("sed -i.bak -e 's/a/b/' f", &["s/a/b/", "f"]);
    check("sed -ni p f", &["f"]);
    check("sed --in-place 's/a/b/' f", &["f"]);
    check("sed -i", &[]);
    check("git checkout -- a", &["a"]);
    check("git checkout main a", &["main", "a"]);
    check("git restore -s HEAD a", &["HEAD", "a"]);
}

#[test]
fn looking_is_never_writing() {
    for command in [
        "cat a",
        "grep -r x a",
        "ls -la a && head -n 3 a | wc -l",
        "git diff a",
        "git add a",
        "git restore --staged a",
        "git commit -m 'rm a > b'",
        "find a -name '*.md'",
        "redraft log --as review-history",
        "cp a /tmp/b --help | cat a",
        "cp -t /tmp a",
        "cp --target-directory=/tmp a",
        "dd if=a of=/dev/null",
        "sed 's/i/b/' a",
        "sed -n '/-i/p' a",
        "echo rm a",
        "[ -e a ] && echo yes",
        "sqlite3 a .dump",
    ] {
        let found = written(command);
        assert!(!found.iter().any(|path| path == "a"), "{command}: {found:?}");
    }
}

#[test]
fn what_stands_in_texts_and_here_documents_is_no_command() {
    check("cat <<'EOF' > out\nrm a > b\nit's \"open\nEOF\nrm c", &["out"]);
    check("cat > out <<EOF && rm x\nrm a > b\nEOF", &["out", "x"]);
    check("cat <<-X\n\trm a\n\tX\nrm c", &[]);
    check("git commit -m \"$(cat <<'EOF'\nsay \"rm a > b\"\nEOF\n)\" && rm c", &[]);
    check("python3 - <<EOF\nopen('a', 'w') > b\nEOF", &[]);
    check("git commit -m \"one\nrm a > b\" && rm \\\nc", &["c"]);
}

#[test]
fn what_is_not_known_names_nothing_but_the_folder_that_is_certain() {
    check("rm $a \"$b/c\" ~/d *.md", &[]);
    check("rm s/t/*.md", &["s/t/"]);
    check("rm s/t/$x", &["s/t/"]);
    check("rm s/t/${x}/../y", &[]);
    check("rm s/{a,b}", &["s/"]);
    check("rm {a,b}", &[]);
    check("rm \"s/$x\"", &["s/"]);
    check("rm 's/$x' \"t/*\" u\\*", &["s/$x", "t/*", "u*"]);
}

#[test]
fn reading_ends_at_what_is_not_understood_and_keeps_what_came_before() {
    for stop in
        ["echo $(b)", "echo \"$(b)\"", "echo `b`", "(b)", "f()", "echo $'b'", "echo 'b", "echo \"b", "x=$(b)"]
    {
        check(&format!("rm a; {stop} > c; rm d"), &["a"]);
    }
    check("rm a $(b)", &[]);
    check("", &[]);
    let long = alloc::format!("rm a {}", " ".repeat(CHARS_MAX));
    check(&long, &[]);
}

#[test]
fn paths_follow_cd() {
    check("cd d && rm a /b", &["d/a", "/b"]);
    check("cd /d; cd e; rm a", &["/d/e/a"]);
    check("cd d && echo x > a", &["d/a"]);
    for unknown in ["cd $d", "cd -", "cd", "popd", "cd d*"] {
        check(&format!("{unknown} && rm a /b; cd c; rm a; cd /e; rm a"), &["/b", "/e/a"]);
    }
}

proptest! {
    #[test]
    fn any_text_comes_to_an_end(text in "[a-c '\"$`(){}<>|&;#\\\\\n*~=-]{0,80}") {
        let found = written(&text);
        prop_assert!(found.len() <= 4 * text.len() + 4);
    }

    /// The one promise: what is only quoted, or only an argument of a program that reads, is never taken for a file.
    #[test]
    fn quoted_text_names_nothing(text in "[a-c $`(){}<>|&;#\n*~=-]{0,80}") {
        prop_assert_eq!(written(&format!("echo '{text}'")), Vec::<String>::new());
    }
}
