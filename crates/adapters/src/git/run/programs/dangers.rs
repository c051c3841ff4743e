//! The settings by which git, or a filter of the user's own that reads git's configuration, starts a program or is led
//! elsewhere, and the values that replace them.

/// What is done about such a key.
pub(super) struct Danger {
    pub(super) section: &'static str,
    /// Whether a name stands between section and variable.
    pub(super) named: Named,
    pub(super) variable: &'static str,
    /// What holds instead, where the user's own configuration says nothing.
    instead: &'static str,
    pub(super) need: Need,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Named {
    No,
    Yes,
    Either,
    /// With a name that begins like this.
    Like(&'static str),
}

/// When our calls would need the setting.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    Never,
    /// Where an attribute of a tracked file has this name and the driver's.
    Attribute(&'static str),
    /// Where commits are signed.
    Signing,
    /// Where a tracked file is kept with Git LFS, which fetches what is not here yet.
    Lfs,
}

const fn danger(
    section: &'static str,
    named: Named,
    variable: &'static str,
    instead: &'static str,
    need: Need,
) -> Danger {
    Danger { section, named, variable, instead, need }
}

/// Everything that is started or led elsewhere because of git's configuration, except what every call of ours switches
/// off by itself: hooks, fsmonitor, pager, editor, and everything that git itself would use to talk to another
/// repository. Aliases never take the place of git's own commands. A driver that is required and cannot be left out is
/// made to fail (`false`), which is noticed, rather than to produce something else.
///
/// The overruling value comes last, so a key of which git takes the first value does not belong here.
pub(super) const DANGERS: [Danger; 34] = [
    danger("filter", Named::Yes, "clean", "", Need::Attribute("filter")),
    danger("filter", Named::Yes, "smudge", "", Need::Attribute("filter")),
    danger("filter", Named::Yes, "process", "", Need::Attribute("filter")),
    danger("merge", Named::Yes, "driver", "false", Need::Attribute("merge")),
    danger("gpg", Named::No, "program", "gpg", Need::Signing),
    danger("gpg", Named::Yes, "program", "", Need::Signing),
    danger("gpg", Named::Yes, "defaultkeycommand", "", Need::Signing),
    danger("diff", Named::No, "external", "false", Need::Never),
    danger("diff", Named::Yes, "command", "false", Need::Never),
    danger("diff", Named::Yes, "textconv", "cat", Need::Never),
    danger("core", Named::No, "editor", "true", Need::Never),
    danger("core", Named::No, "pager", "cat", Need::Never),
    danger("core", Named::No, "alternaterefscommand", "true", Need::Never),
    danger("sequence", Named::No, "editor", "true", Need::Never),
    danger("trailer", Named::Yes, "command", "true", Need::Never),
    danger("trailer", Named::Yes, "cmd", "true", Need::Never),
    danger("hook", Named::Yes, "command", "true", Need::Never),
    danger("submodule", Named::Yes, "update", "none", Need::Never),
    danger("uploadpack", Named::No, "packobjectshook", "", Need::Never),
    // Git LFS, where the user has it, asks the same configuration what to start and how to reach its server.
    danger("lfs", Named::Like("extension."), "clean", "", Need::Lfs),
    danger("lfs", Named::Like("extension."), "smudge", "", Need::Lfs),
    danger("lfs", Named::Like("customtransfer."), "path", "false", Need::Lfs),
    danger("lfs", Named::Like("customtransfer."), "args", "", Need::Lfs),
    danger("lfs", Named::Either, "standalonetransferagent", "", Need::Lfs),
    danger("core", Named::No, "sshcommand", "ssh", Need::Lfs),
    danger("core", Named::No, "askpass", "", Need::Lfs),
    danger("credential", Named::Either, "helper", "", Need::Lfs),
    danger("http", Named::Either, "proxy", "", Need::Lfs),
    danger("http", Named::Either, "sslverify", "true", Need::Lfs),
    danger("http", Named::Either, "sslcainfo", "", Need::Lfs),
    danger("http", Named::Either, "sslcapath", "", Need::Lfs),
    danger("http", Named::Either, "cookiefile", "", Need::Lfs),
    danger("http", Named::Either, "savecookies", "false", Need::Lfs),
    danger("http", Named::Either, "curloptresolve", "", Need::Lfs),
];

/// What a file of the repository must contain, in upper or lower case, before it can name one of these, another file,
/// or a server that objects are fetched from. Names of sections and variables cannot be broken up in git's syntax.
const SIGNS: [&[u8]; 21] = [
    b"include",
    b"filter",
    b"driver",
    b"gpg",
    b"external",
    b"command",
    b"textconv",
    b"proxy",
    b"askpass",
    b"editor",
    b"pager",
    b"helper",
    b"trailer",
    b"hook",
    b"submodule",
    b"lfs",
    b"ssl",
    b"cookie",
    b"curloptresolve",
    b"promisor",
    b"partialclone",
];

/// Whether the text of a configuration certainly names nothing of all this.
pub(super) fn is_plain(text: &[u8]) -> bool {
    let text = text.to_ascii_lowercase();
    !SIGNS.iter().any(|sign| text.windows(sign.len()).any(|part| part == *sign))
}

/// Whether a key says that objects may be missing here because a server has them.
pub(super) fn is_partial(key: &[u8]) -> bool {
    Key::parse(key).is_some_and(|key| {
        let pair = (key.section, key.variable);
        pair == (b"extensions", b"partialclone") || pair == (b"remote", b"promisor")
    })
}

/// The parts of a key: section and variable are in small letters, the name between them is any bytes.
struct Key<'a> {
    section: &'a [u8],
    name: Option<&'a [u8]>,
    variable: &'a [u8],
}

impl Key<'_> {
    fn parse(key: &[u8]) -> Option<Key<'_>> {
        let first = key.iter().position(|byte| *byte == b'.')?;
        let last = key.iter().rposition(|byte| *byte == b'.')?;
        let name = (first < last).then(|| &key[first + 1..last]);
        Some(Key { section: &key[..first], name, variable: &key[last + 1..] })
    }
}

/// What stands between section and variable: the name of a filter, of a merge driver.
pub(super) fn name_in(key: &[u8]) -> Option<&[u8]> {
    Key::parse(key)?.name
}

impl Danger {
    pub(super) fn for_key(key: &[u8]) -> Option<&'static Danger> {
        let Key { section, name, variable } = Key::parse(key)?;
        DANGERS.iter().find(|danger| {
            let named = match danger.named {
                Named::No => name.is_none(),
                Named::Yes => name.is_some(),
                Named::Either => true,
                Named::Like(begins) => name.is_some_and(|name| {
                    let begins = begins.as_bytes();
                    name.get(..begins.len()).is_some_and(|name| name.eq_ignore_ascii_case(begins))
                }),
            };
            named && danger.section.as_bytes() == section && danger.variable.as_bytes() == variable
        })
    }

    /// Values that start nothing and lead nowhere.
    pub(super) fn is_harmless(&self, value: &[u8]) -> bool {
        let is_any = |words: &[&str]| words.iter().any(|word| value.eq_ignore_ascii_case(word.as_bytes()));
        match (self.section, self.variable) {
            ("submodule", "update") => !value.starts_with(b"!"),
            ("http", "sslverify") => is_any(&["true", "yes", "on", "1"]),
            ("http", "savecookies") => is_any(&["false", "no", "off", "0", ""]),
            _ => value.is_empty(),
        }
    }

    /// What holds in place of it, where that depends on the name.
    pub(super) fn instead(&self, key: &[u8]) -> &'static str {
        match key {
            b"gpg.openpgp.program" => "gpg",
            b"gpg.x509.program" => "gpgsm",
            b"gpg.ssh.program" => "ssh-keygen",
            _ => self.instead,
        }
    }
}
