//! What the repository says about how work is done in it, for the roles that write and for those that judge by it.
//!
//! It is data that binds what is written: it stands in fences, and the rules for every role say how far it reaches. The
//! text is as the base has it. Where agents have the same file in their folder, a prompt that gives paths names it there.
//! A reviewer of code is always given the text: in its folder the change may have rewritten the rules.

use super::sizes::NAME_CHARS_MAX;
use redraft_documents::conventions::{ConventionFile, Conventions};
use redraft_facts::choice::Strategy;
use redraft_facts::fragment::Fragment;
use redraft_facts::prelude::*;
use redraft_facts::text::{self, one_line};
use redraft_roles::profile::{Profile, ProfileKind};

/// The fragment of a role; none where the repository says nothing or the role is not concerned.
pub(super) fn fragment(of: &Conventions, profile: &Profile, strategy: Strategy) -> Option<Fragment> {
    let mut files = meant(of, profile).peekable();
    files.peek()?;
    let mut text = format!("## Conventions of This Repository\n\n{}\n", intro(profile));
    let (long, files): (Vec<_>, Vec<_>) = files.partition(|file| is_only_named(file));
    let (named, told): (Vec<_>, Vec<_>) =
        files.into_iter().partition(|file| by_path(file, profile, strategy));
    if !named.is_empty() {
        text.push_str("\nRead these before you begin:\n\n");
        named.iter().for_each(|file| text.push_str(&format!("- {}\n", name(file))));
    }
    told.into_iter().for_each(|file| text.push_str(&shown(file)));
    if !long.is_empty() {
        let names: Vec<String> = long.iter().map(|file| name(file)).collect();
        text.push_str(&format!("\nOpen these where a tool's setting is in doubt: {}\n", names.join(", ")));
    }
    Some(Fragment::new("conventions", text))
}

/// Characters of the files that the fragment tells the role to read.
pub fn conventions_to_read(of: &Conventions, profile: &Profile, strategy: Strategy) -> u64 {
    let files = meant(of, profile).filter(|file| !is_only_named(file));
    files.filter(|file| by_path(file, profile, strategy)).map(|file| file.chars).sum()
}

/// The files that a role is told of. What a formatter or a compiler demands of code is nothing to who writes documents.
fn meant<'a>(of: &'a Conventions, profile: &Profile) -> impl Iterator<Item = &'a ConventionFile> {
    let (keeps, code) = (profile.keeps_conventions(), profile.writes_or_judges_code());
    of.files.iter().filter(move |file| keeps && (code || !file.is_settings()))
}

/// Whether settings were too long to be kept.
fn is_only_named(file: &ConventionFile) -> bool {
    file.is_settings() && file.text.is_empty()
}

fn intro(profile: &Profile) -> &'static str {
    match profile.kind {
        ProfileKind::Author => {
            "These files bind what you write, within the limits above. A folder may have such a file of its own; it holds \
             for what lies in that folder."
        }
        ProfileKind::Domain | ProfileKind::Phase => {
            "What the repository says about how work is done in it binds whoever writes, and not you. Where what you judge \
             breaks a rule of it, there is a finding: give the rule's words and its file. What counts is each file as it \
             was before the work began."
        }
    }
}

/// A shorter file costs less in the prompt than the order to open it.
const SHORT_CHARS_MAX: u64 = 600;

/// Whether a role opens the file itself.
fn by_path(file: &ConventionFile, profile: &Profile, strategy: Strategy) -> bool {
    match strategy {
        Strategy::Inline => false,
        Strategy::Lazy | Strategy::Digest | Strategy::Resume => {
            let short = file.chars <= SHORT_CHARS_MAX && file.cut() == 0;
            file.at_hand && !profile.judges_style() && !short
        }
    }
}

/// A file as far as it was kept, with what was cut from it.
fn shown(file: &ConventionFile) -> String {
    let cut = match (file.cut(), file.text.is_empty()) {
        (0, _) => String::new(),
        (cut, true) => format!("Not shown, for want of room: {cut} characters.\n"),
        (cut, false) => {
            format!("\nCut here, for want of room: {cut} of its {} characters are not shown.\n", file.chars)
        }
    };
    let body = match file.text.is_empty() {
        true => String::new(),
        false => text::fenced("text", &file.text),
    };
    format!("\n{}:\n\n{body}{cut}", name(file))
}

fn name(file: &ConventionFile) -> String {
    one_line(&file.path, NAME_CHARS_MAX)
}
