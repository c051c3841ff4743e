//! Checks references among a feature's own documents: what they name must exist, and tasks must not wait for each
//! other.
//!
//! Only what can mean nothing else is judged: a dependency in the form of a task's id, a link to a heading, a numbered
//! section of another document of the feature that numbers its sections.

use super::page::{Page, after_list_mark, beginning};
use super::{Faults, Rule};
use crate::page::id::{after_checkbox, token};
use crate::task_id;
use crate::tasks::{self, Task, names_needs};
use redraft_facts::prelude::*;

pub(super) fn check_tasks(page: &Page<'_>, tasks: &[Task], faults: &mut Faults<'_>) {
    unknown_tasks(page, tasks, faults);
    cycles(tasks, faults);
}

fn unknown_tasks(page: &Page<'_>, tasks: &[Task], faults: &mut Faults<'_>) {
    let needs = tasks::unknown(tasks);
    if needs.is_empty() {
        return;
    }
    let known = named_places(page);
    for need in needs {
        let named = known.range(need.key.clone()..).next().is_some_and(|next| next.starts_with(&need.key));
        if !named {
            let message = format!("there is no task or step `{}`", need.id);
            let hint = "name the task that is meant, or add it";
            faults.add(Rule::UnknownReference, need.line.saturating_sub(1) as usize, message, hint);
        }
    }
}

/// Every id that begins a heading, an item, a cell or a paragraph, or is in bold: the text there says what it is.
fn named_places(page: &Page<'_>) -> BTreeSet<String> {
    let mut known = BTreeSet::new();
    for line in page.lines.iter().filter(|line| line.is_text() && !names_needs(line.text)) {
        let text = line.text.trim_start().trim_start_matches(['#', '>', ' ']);
        let starts = [text, after_list_mark(text)].into_iter();
        // Every other mark opens bold text.
        let bold = text.match_indices("**").step_by(2).map(|(at, mark)| &text[at + mark.len()..]);
        let cells = text.starts_with('|').then(|| text.split('|')).into_iter().flatten();
        for start in starts.chain(bold).chain(cells) {
            let start = after_checkbox(beginning(start).trim_start());
            known.extend(token(start).map(|(id, _)| task_id::key(id)));
            // `Task 1.1`, `Step 3`: whatever the word, the number is named here.
            let word = start.trim_start_matches(['*', '_', '[']);
            let after = word.trim_start_matches(char::is_alphabetic);
            if after.len() < word.len() && after.starts_with(' ') {
                known.extend(token(after).map(|(id, _)| task_id::key(id)));
            }
        }
    }
    known
}

fn cycles(tasks: &[Task], faults: &mut Faults<'_>) {
    let mut place: BTreeMap<String, usize> = BTreeMap::new();
    for (at, task) in tasks.iter().enumerate() {
        place.entry(task_id::key(&task.id)).or_insert(at);
    }
    let next = |at: usize| {
        let needs = tasks[at].needs.iter().filter(|need| !need.in_range);
        needs.filter_map(|need| place.get(&need.key).map(|to| (*to, need.line.saturating_sub(1) as usize)))
    };
    let mut state = vec![Visit::New; tasks.len()];
    for start in 0..tasks.len() {
        if state[start] != Visit::New {
            continue;
        }
        // The path from the start to the current task, each with what is still to be followed from there.
        let mut way = vec![(start, next(start).collect::<Vec<_>>())];
        state[start] = Visit::OnTheWay;
        while let Some((_, ahead)) = way.last_mut() {
            let Some((to, line)) = ahead.pop() else {
                if let Some((done, _)) = way.pop() {
                    state[done] = Visit::Done;
                }
                continue;
            };
            match state[to] {
                Visit::New => {
                    state[to] = Visit::OnTheWay;
                    way.push((to, next(to).collect()));
                }
                Visit::OnTheWay => {
                    let from = way.iter().position(|(at, _)| *at == to).unwrap_or(0);
                    let ids = way[from..]
                        .iter()
                        .map(|(at, _)| tasks[*at].id.as_str())
                        .chain([tasks[to].id.as_str()]);
                    report_cycle(&ids.collect::<Vec<_>>(), line, faults);
                }
                Visit::Done => {}
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Visit {
    New,
    OnTheWay,
    Done,
}

fn report_cycle(ids: &[&str], line: usize, faults: &mut Faults<'_>) {
    const SHOWN_MAX: usize = 12;
    let message = match ids {
        [one, _] => format!("task `{one}` depends on itself"),
        _ if ids.len() > SHOWN_MAX => format!("{} tasks depend on each other in a circle", ids.len() - 1),
        _ => format!("tasks depend on each other in a circle: {}", ids.join(" → ")),
    };
    faults.add(
        Rule::DependencyCycle,
        line,
        message,
        "remove the dependency that is not real, or divide a task",
    );
}

/// Links to headings, `[text](#heading)` or `[text](design.md#heading)`.
pub(super) fn check_links(page: &Page<'_>, pages: &[&Page<'_>], faults: &mut Faults<'_>) {
    let mut looked_up = LookedUp::default();
    for (at, line) in page.texts() {
        for (link, _) in line.prose.match_indices("](") {
            let target = beginning(&line.prose[link + 2..]).split([')', ' ']).next().unwrap_or_default();
            let Some((file, anchor)) = target.split_once('#') else { continue };
            let to = match file.trim_start_matches("./") {
                "" => Some(page),
                name => pages.iter().copied().find(|page| page.name() == name),
            };
            // `#L12` is a line of a file, and `#/` belongs to a program.
            if let Some(to) = to
                && !anchor.is_empty()
                && anchor.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '%' | ':'))
                && looked_up.lacks(target.to_owned(), || !has_anchor(to, anchor))
            {
                let message = format!("there is no heading `#{anchor}` in {}", to.name());
                faults.add(Rule::UnknownReference, at, message, "link to a heading that exists, or add it");
            }
        }
    }
}

/// The results of lookups, true where the target is missing: each lookup reads a whole document.
#[derive(Default)]
struct LookedUp(BTreeMap<String, bool>);

/// More than any document that a person wrote names.
const REFERENCES_MAX: usize = 2_000;

impl LookedUp {
    fn lacks(&mut self, name: String, look: impl FnOnce() -> bool) -> bool {
        if let Some(known) = self.0.get(&name) {
            return *known;
        }
        if self.0.len() >= REFERENCES_MAX {
            return false;
        }
        let lacks = look();
        self.0.insert(name, lacks);
        lacks
    }
}

/// Compared by letters and digits alone: every tool makes anchors in its own way.
fn has_anchor(page: &Page<'_>, anchor: &str) -> bool {
    let bare = |text: &str| {
        text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>()
    };
    let decoded = decoded(anchor);
    let wanted = bare(&decoded);
    // The second heading of the same title is called `title-1`.
    let unnumbered = decoded.rsplit_once('-').filter(|(_, n)| n.chars().all(|c| c.is_ascii_digit()));
    let unnumbered = unnumbered.map(|(title, _)| bare(title));
    let is_wanted = |title: String| title == wanted || Some(&title) == unnumbered.as_ref();
    let names = [
        format!("={decoded}"),
        format!("=\"{decoded}\""),
        format!("='{decoded}'"),
        format!("{{#{decoded}}}"),
    ];
    let given = |text: &str| names.iter().any(|name| text.contains(name.as_str()));
    // Headings in code count, too: it is not always clear where a block in a block ends.
    let titles =
        page.lines.iter().filter(|line| line.text.trim_start().starts_with('#')).map(|line| line.text);
    page.headings
        .iter()
        .map(|heading| heading.title)
        .chain(titles)
        .any(|title| is_wanted(bare(&plain(title))))
        || page.lines.iter().any(|line| line.is_text() && given(line.text))
}

/// A title without the targets of its links and without a name given to it.
fn plain(title: &str) -> String {
    let title = title.split("{#").next().unwrap_or(title);
    let mut out = String::new();
    let mut rest = title;
    while let Some((before, after)) = rest.split_once("](") {
        out.push_str(before);
        rest = after.split_once(')').map_or("", |(_, after)| after);
    }
    out.push_str(rest);
    out
}

/// Percent signs resolved, as far as the result is text.
fn decoded(anchor: &str) -> String {
    let mut bytes = Vec::with_capacity(anchor.len());
    let mut rest = anchor.as_bytes();
    while let [first, after @ ..] = rest {
        let pair = after.get(..2).and_then(|pair| core::str::from_utf8(pair).ok());
        match pair.and_then(|pair| u8::from_str_radix(pair, 16).ok()).filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| anchor.to_owned())
}

/// `design §3.1`, `spec.md section 4`, `section 4 of spec.md`: a numbered section of another document of the feature.
pub(super) fn check_sections(page: &Page<'_>, pages: &[&Page<'_>], faults: &mut Faults<'_>) {
    let mut looked_up = LookedUp::default();
    for (at, line) in page.texts() {
        let prose: &str = &line.prose;
        for (mark, sign) in prose.match_indices('§').chain(prose.match_indices("ection ")) {
            let before = prose[..mark].trim_end_matches(['S', 's']);
            let number = prose[mark + sign.len()..].trim_start();
            let end = number.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(number.len());
            let to = document_before(before, pages).or_else(|| document_after(&number[end..], pages));
            let Some(to) = to else { continue };
            let follows = number[end..].chars().next();
            let number = number[..end].trim_end_matches('.');
            // `§4b` or `§3-FR` name something finer than a number does.
            let whole = !follows.is_some_and(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
            if !number.is_empty()
                && whole
                && to.name() != page.name()
                && looked_up.lacks(format!("{}§{number}", to.name()), || lacks_section(to, number))
            {
                let message = format!("{} has no section {number}", to.name());
                let hint = "name the section that is meant, by its number or its title";
                faults.add(Rule::UnknownReference, at, message, hint);
            }
        }
    }
}

/// The document in `of design.md` or `of the design`. A bare `design` may be anything.
fn document_after<'p, 'a>(after: &str, pages: &[&'p Page<'a>]) -> Option<&'p Page<'a>> {
    let rest = ["of ", "in "].iter().find_map(|word| after.trim_start().strip_prefix(word))?;
    let end = |c: char| c.is_whitespace() || matches!(c, ',' | ';' | ':' | ')' | '(');
    let mut words = rest.split(end).map(|word| word.trim_matches(['`', '*', '_']).trim_end_matches('.'));
    let first = words.next()?;
    let named = match first {
        "the" => words.next()?,
        name if name.ends_with(".md") => name,
        _ => return None,
    };
    document_before(named, pages)
}

/// The document whose name a text ends with. `114 design` is a document of another feature.
fn document_before<'p, 'a>(before: &str, pages: &[&'p Page<'a>]) -> Option<&'p Page<'a>> {
    let before = before.trim_end().trim_end_matches(['`', '*', ':']);
    let start = before.trim_end_matches(|c: char| c.is_alphanumeric() || c == '.').len();
    let word = before[start..].to_lowercase();
    let name = match word.trim_end_matches(".md") {
        "specification" => "spec",
        name => name,
    };
    // A path, a number or a name before it makes it another document: `114 design`, `OpenAPI spec`.
    const LEADS: [&str; 23] = [
        "as",
        "on",
        "at",
        "per",
        "see",
        "in",
        "of",
        "from",
        "and",
        "or",
        "to",
        "by",
        "with",
        "the",
        "this",
        "our",
        "matches",
        "under",
        "implements",
        "also",
        "cf",
        "via",
        "both",
    ];
    let earlier = before[..start].trim_end_matches(['*', '`', '[']).trim_end();
    let last = earlier.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_lowercase();
    let joined = earlier.ends_with(['/', '-', '_', '\'', '’', '.']) && earlier.len() == start;
    let own = !joined && (last.is_empty() || LEADS.contains(&last.as_str()));
    pages.iter().copied().find(|page| own && page.name().strip_suffix(".md") == Some(name))
}

/// Whether a document numbers its sections, has the chapter of that number, and no such section in it.
fn lacks_section(page: &Page<'_>, number: &str) -> bool {
    let numbers: BTreeSet<&str> =
        page.headings.iter().filter_map(|heading| numbered(heading.title)).collect();
    let chapters = numbers.iter().filter(|number| !number.contains('.')).count();
    if chapters < 2 || numbers.contains(number) {
        return false;
    }
    let deeper = number.contains('.');
    let numbers_deeper = numbers.iter().any(|known| known.contains('.'));
    let named = page.lines.iter().any(|line| line.is_text() && has_number(line.text, number));
    (!deeper || numbers_deeper) && !named
}

/// `3.1` of the title `§3.1 Title` or `3.1. Title`.
fn numbered(title: &str) -> Option<&str> {
    let text = title.trim_start_matches(['§', '*', ' ']);
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number = text[..end].trim_end_matches('.');
    let follows = text[end..].chars().next();
    (!number.is_empty() && !follows.is_some_and(|c| c.is_alphanumeric())).then_some(number)
}

/// Whether a line begins with this number, marks left out: a section may be an item or a bold paragraph.
fn has_number(line: &str, number: &str) -> bool {
    let text = line.trim_start().trim_start_matches(['#', '-', '*', '+', ' ', '|', '§', '(']);
    text.strip_prefix(number).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
}
