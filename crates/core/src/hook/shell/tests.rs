//! What a command line writes to, and what it only looks at.

use super::*;
use proptest::prelude::*;

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
    check("mv a b", &["a", "b", "b", "b/a"]);
    check("cp x/a b", &["b", "b/a"]);
    check("cp -t d x/a y/b", &["d", "d/a", "d/b"]);
    check("cp --target-directory=d a", &["d", "d/a"]);
    check("cp a", &[]);
    check("touch -r a b", &["b"]);
    check("truncate -s 0 a", &["a"]);
    check("dd if=a of=b", &["b"]);
    check("sed -i 's/a/b/' f g", &["f", "g"]);
    check("sed -i.bak -e 's/a/b/' f", &["f"]);
    check("sed -ni p f", &["f"]);
    check("sed --in-place 's/a/b/' f", &["f"]);
    check("sed 's/i/b/' f", &[]);
    check("sed -n '/-i/p' f", &[]);
    check("perl -pi -e 's/a/b/' f", &["f"]);
    check("perl -i.bak -pe 's/a/b/' f", &["f"]);
    check("perl -ne 'print' f", &[]);
    check("sqlite3 a 'select 1; DELETE FROM x'", &["a"]);
    check("sqlite3 a 'select updated from x'", &[]);
}

#[test]
fn looking_is_never_writing() {
    for command in [
        "cat a",
        "grep -r x a",
        "ls -la a && head -n 3 a | wc -l",
        "git diff a",
        "git commit -m 'rm a > b'",
        "find a -name '*.md'",
        "redraft log --as review-history",
        "cp a /tmp/b --help | cat a",
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
    check("cat <<'EOF' > out\nrm a > b\nit's \"open\nEOF\nrm c", &["out", "c"]);
    check("cat <<-X\n\trm a\n\tX\nrm c", &["c"]);
    check("git commit -m \"$(cat <<'EOF'\nfix: don't (rm a > b\nEOF\n)\" && rm c", &["c"]);
    check("python3 - <<EOF\nopen('a', 'w') > b\nEOF", &[]);
    check("echo \"a ` rm x ` b\" > c", &["c"]);
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
    check("rm 's/$x'", &["s/$x"]);
    check("rm $(rm a)", &["a"]);
}

#[test]
fn paths_follow_cd() {
    check("cd d && rm a /b", &["d/a", "/b"]);
    check("cd /d; cd e; rm a", &["/d/e/a"]);
    check("(cd d; rm a); rm b", &["d/a", "b"]);
    check("cd $d && rm a /b", &["/b"]);
    check("cd - && rm a", &[]);
    check("cd && rm a", &[]);
    check("x=$(cd d && pwd); rm a", &["a"]);
}

#[test]
fn what_cannot_be_read_names_nothing() {
    for command in ["rm a 'b", "rm a \"b", "rm a $(b", "rm a `b", "rm a ${b", &"$(".repeat(100)] {
        check(command, &[]);
    }
    let long = alloc::format!("rm a {}", " ".repeat(CHARS_MAX));
    check(&long, &[]);
}

proptest! {
    #[test]
    fn any_text_comes_to_an_end(text in "[a-c '\"$`(){}<>|&;#\\\\\n*~=-]{0,80}") {
        let found = written(&text);
        prop_assert!(found.len() <= 4 * text.len() + 4);
    }
}
