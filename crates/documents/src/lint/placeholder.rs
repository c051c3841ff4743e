//! Finds what was meant to be filled in later, in running text and in code.
//!
//! A word such as TODO is left alone where it is quoted or talked about ("no TODO is left", "TODO comments"), because
//! documents about such words exist. Start at [`check`].

use super::page::{CODE, LinePlace, Page, after_list_mark};
use super::{Faults, Rule};
use redraft_facts::prelude::*;
use redraft_facts::text::one_line;

const WORDS: [&str; 3] = ["TBD", "TODO", "FIXME"];
const CLARIFICATION: &str = "[NEEDS CLARIFICATION";
const FILLER: &str = "lorem ipsum";
const FIELD_CHARS_MAX: usize = 60;
/// Also the name of a state that a task can be in.
const STATE: &str = "TODO";
const HINT: &str = "decide it, or make it an open question with an owner and a default";

pub(super) fn check(page: &Page<'_>, faults: &mut Faults<'_>) {
    // A document that shows other documents is full of fields that belong to those, and it is not always clear where a
    // block in a block ends: then only words count.
    let templates = !page.shows_documents;
    for (at, line) in page.lines.iter().enumerate() {
        match line.place {
            LinePlace::Text | LinePlace::Comment | LinePlace::Settings => {
                for what in in_text(&line.prose, templates) {
                    if what == STATE && is_state(page, at) {
                        continue;
                    }
                    faults.add(Rule::Placeholder, at, format!("`{what}` is not filled in"), HINT);
                }
            }
            LinePlace::Code => {
                if let Some(what) = in_code(line.text) {
                    let message = format!("`{what}` stands in this code");
                    let hint = "write what belongs there, or say in the text that the code leaves it out";
                    faults.add(Rule::PlaceholderInCode, at, message, hint);
                }
            }
            LinePlace::Fence => {}
        }
    }
}

/// Each kind once for a line.
fn in_text(prose: &str, templates: bool) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    // Most lines hold none of the signs that all kinds begin with.
    let sign =
        |byte: u8| matches!(byte, b'T' | b'F' | b'?' | b'[' | b'{' | b'<' | b'(' | b'p' | b'P' | 0x80..);
    if !prose.bytes().any(sign) {
        return found;
    }
    found.extend(WORDS.into_iter().filter(|word| is_left(prose, word)).map(ToOwned::to_owned));
    found.extend(has_question_marks(prose).then(|| "???".to_owned()));
    found.extend(prose.contains(CLARIFICATION).then(|| CLARIFICATION.to_owned()));
    found.extend(field(prose));
    if templates {
        found.extend(invitation(prose).or_else(|| whole_value(prose)));
    }
    found.extend(has_filler(prose).then(|| FILLER.to_owned()));
    found
}

/// How far up the head of a table is looked for.
const ROWS_MAX: usize = 500;

/// Whether the word names what has not been begun: under a heading or in a column of states, as a chapter of its own.
fn is_state(page: &Page<'_>, at: usize) -> bool {
    const STATES: [&str; 8] = ["status", "state", "stand", "estado", "état", "статус", "状态", "done"];
    let says = |line: &str| {
        let line = line.to_lowercase();
        line.split(|c: char| !c.is_alphanumeric()).any(|word| STATES.contains(&word)) || line.contains("状态")
    };
    let above = page.lines[..at]
        .iter()
        .rev()
        .take(ROWS_MAX)
        .take_while(|line| line.text.trim_start().starts_with('|'));
    let in_table =
        page.lines[at].text.trim_start().starts_with('|') && above.last().is_some_and(|head| says(head.text));
    let heading = page.headings.iter().position(|heading| heading.line == at);
    let is_chapter = heading.is_some_and(|place| {
        let end = page.headings.get(place + 1).map_or(page.lines.len(), |next| next.line);
        let holds = page.lines[at + 1..end].iter().any(|line| !line.text.trim().is_empty());
        page.headings[place].title.trim_end_matches('s') == STATE && holds
    });
    in_table || is_chapter || says(&page.lines[at].prose)
}

/// Whether `word` occurs in the text by itself, not as part of a name such as `TODO.md` or `no-TODO`, and is meant.
fn is_left(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + word.len()..]);
        stands_alone(before, after) && !is_quoted(before, after) && !is_spoken_about(before, after)
    })
}

fn stands_alone(before: &str, after: &str) -> bool {
    let joins = |c: char| c.is_alphanumeric() || ['_', '-', '/', '\\', '#'].contains(&c);
    let mut next = after.chars();
    let ends = match next.next() {
        Some('.') => !next.next().is_some_and(char::is_alphanumeric),
        Some(c) => !joins(c),
        None => true,
    };
    ends && !before.chars().next_back().is_some_and(|c| joins(c) || c == '.')
}

fn is_quoted(before: &str, after: &str) -> bool {
    const QUOTES: [char; 12] = ['"', '\'', '“', '”', '‘', '’', '„', '«', '»', '「', '」', '"'];
    let after = after.trim_start_matches([':', '.', ',', '!', '?', '…']);
    before.ends_with(QUOTES) && after.starts_with(QUOTES)
}

/// Words before and after that make it the name of a thing: "no TODO", "a TODO comment", "TODO or FIXME".
fn is_spoken_about(before: &str, after: &str) -> bool {
    const BEFORE: [&str; 34] = [
        "no",
        "zero",
        "any",
        "without",
        "a",
        "an",
        "the",
        "every",
        "each",
        "all",
        "of",
        "remaining",
        "leftover",
        "existing",
        "new",
        "or",
        "for",
        "as",
        "like",
        "contains",
        "contain",
        "say",
        "says",
        "kein",
        "keine",
        "ohne",
        "sans",
        "aucun",
        "sin",
        "ningún",
        "без",
        "没有",
        "无",
        "not",
    ];
    const AFTER: [&str; 26] = [
        "comment",
        "comments",
        "marker",
        "markers",
        "item",
        "items",
        "list",
        "lists",
        "app",
        "apps",
        "tag",
        "tags",
        "note",
        "notes",
        "placeholder",
        "placeholders",
        "entry",
        "entries",
        "string",
        "strings",
        "line",
        "lines",
        "left",
        "remains",
        "remain",
        "or",
    ];
    // A bracket, a colon or a full stop ends a thought: the word after it stands for itself.
    let last = before.trim_end();
    let word = last.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_lowercase();
    let named_before = before.len() > last.len() && BEFORE.contains(&word.as_str());
    let next = after.trim_start();
    let follows = next.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_lowercase();
    let named_after = next.len() < after.len() && AFTER.contains(&follows.as_str());
    let after_mark = next.trim_start_matches([',', '/', ' ', '、']);
    let in_a_list = after_mark.len() < next.len() && WORDS.iter().any(|word| after_mark.starts_with(word));
    const JOINS: [&str; 8] = [" and", " or", " und", " oder", " y", " et", " ou", " и"];
    let joined = JOINS.iter().find_map(|join| last.strip_suffix(join)).unwrap_or(last);
    let before_mark = joined.trim_end_matches([',', '/', ' ', '、']);
    let ends_a_list = before_mark.len() < last.len() && WORDS.iter().any(|word| before_mark.ends_with(word));
    named_before || named_after || in_a_list || ends_a_list
}

/// Three or more question marks that end no word: `limit: ???`.
fn has_question_marks(text: &str) -> bool {
    text.match_indices("???").any(|(at, found)| {
        let before = text[..at].chars().next_back();
        let ends_a_word = before.is_some_and(|c| c.is_alphanumeric() || ['?', '!', ')', CODE].contains(&c));
        // Checked last: it reads on to the last question mark.
        !ends_a_word && !is_quoted(&text[..at], text[at + found.len()..].trim_start_matches('?'))
    })
}

/// `{{name}}` as a template leaves it; `${{ … }}` is the syntax of something else.
fn field(text: &str) -> Option<String> {
    let (at, _) = text.match_indices("{{").find(|(at, _)| !text[..*at].ends_with('$'))?;
    let end = text[at..].find("}}")?;
    let quoted = is_quoted(&text[..at], &text[at + end + 2..]);
    (!quoted).then(|| one_line(&text[at..at + end + 2], FIELD_CHARS_MAX))
}

/// Brackets of one line that are looked at.
const BRACKETS_MAX: usize = 100;

/// `[fill in the owner]`, `<insert date>`, `{your name here}`: brackets that ask the reader to write something.
fn invitation(text: &str) -> Option<String> {
    const WISHES: [&str; 25] = [
        "fill in",
        "to be filled",
        "to be determined",
        "to be decided",
        "to be defined",
        "insert ",
        "your ",
        "describe ",
        "placeholder",
        "add your",
        "replace with",
        "replace this",
        "write your",
        "ausfüllen",
        "hier einfügen",
        "noch offen",
        "zu klären",
        "por definir",
        "rellenar",
        "à définir",
        "à compléter",
        "уточнить",
        "заполнить",
        "待定",
        "待填写",
    ];
    // In round brackets only what cannot be a remark.
    const UNDECIDED: [&str; 7] = [
        "to be determined)",
        "to be decided)",
        "to be defined)",
        "to be filled in)",
        "por definir)",
        "à définir)",
        "待定）",
    ];
    let brackets = text.char_indices().filter(|(_, c)| matches!(c, '[' | '{' | '<' | '(' | '（'));
    for (at, open) in brackets.take(BRACKETS_MAX) {
        let inside = text[at + open.len_utf8()..].trim_start();
        let lower: String = inside.chars().take(FIELD_CHARS_MAX).flat_map(char::to_lowercase).collect();
        let asks = match open {
            '(' | '（' => UNDECIDED.iter().any(|wish| lower.starts_with(wish)),
            _ => WISHES.iter().any(|wish| lower.starts_with(wish)),
        };
        let mut near = inside.char_indices().take(FIELD_CHARS_MAX * 4);
        let end = near.find(|(_, c)| matches!(c, ']' | '}' | '>' | ')' | '）')).map(|(at, _)| at);
        if asks && let Some(end) = end {
            let rest = &inside[end..];
            let closing = rest.chars().next().map_or(0, char::len_utf8);
            let after = &rest[closing..];
            // `[your account](account.md)` is a link, `[placeholder]: …` where one leads.
            let link = open == '[' && after.starts_with(['(', '[', ':']);
            if !link && !is_quoted(&text[..at], after) {
                let whole = &text[at..text.len() - after.len()];
                return Some(one_line(whole, FIELD_CHARS_MAX));
            }
        }
    }
    None
}

/// `Owner: <owner>` or a table cell `{description}`: where a value belongs, there is only a name in brackets.
fn whole_value(text: &str) -> Option<String> {
    let line = text.trim().trim_start_matches('>').trim_start();
    let cells: Vec<&str> = match line.strip_prefix('|') {
        Some(cells) => cells.split('|').collect(),
        None => {
            let item = after_list_mark(line).trim_start_matches('#');
            let value =
                item.split_once([':', '：']).filter(|(label, _)| label.chars().count() <= LABEL_CHARS_MAX);
            vec![value.map_or("", |(_, value)| value), item]
        }
    };
    cells.into_iter().find_map(|cell| {
        let value = cell.trim().trim_matches(['*', '_', ' ', '.']);
        let inside = value
            .strip_prefix('<')
            .and_then(|rest| rest.strip_suffix('>'))
            .or_else(|| value.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')))?;
        is_field_name(inside).then(|| one_line(value, FIELD_CHARS_MAX))
    })
}

const LABEL_CHARS_MAX: usize = 40;

/// The names that templates give to what is to be filled in. Other names stand for something: `<file>`, `{path}`.
fn is_field_name(inside: &str) -> bool {
    const FIELDS: [&str; 34] = [
        "description",
        "placeholder",
        "title",
        "name",
        "date",
        "author",
        "owner",
        "text",
        "summary",
        "value",
        "sentence",
        "content",
        "details",
        "reason",
        "tbd",
        "todo",
        "beschreibung",
        "titel",
        "datum",
        "autor",
        "zusammenfassung",
        "descripción",
        "título",
        "fecha",
        "nombre",
        "titre",
        "nom",
        "auteur",
        "описание",
        "название",
        "дата",
        "автор",
        "描述",
        "标题",
    ];
    const WORDS_MAX: usize = 6;
    let lower = inside.to_lowercase();
    let words: Vec<&str> = lower.split([' ', '-', '_']).collect();
    let plain = inside.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    plain && words.len() <= WORDS_MAX && words.last().is_some_and(|last| FIELDS.contains(last))
}

fn has_filler(text: &str) -> bool {
    if !["psum", "PSUM"].iter().any(|end| text.contains(end)) {
        return false;
    }
    let found =
        text.as_bytes().windows(FILLER.len()).position(|some| some.eq_ignore_ascii_case(FILLER.as_bytes()));
    found.is_some_and(|at| !is_quoted(&text[..at], &text[at + FILLER.len()..]))
}

/// Where code says itself that it is not finished.
fn in_code(line: &str) -> Option<&'static str> {
    const BODIES: [&str; 4] = ["your code here", "implement me", "todo!()", "unimplemented!()"];
    let word = WORDS.into_iter().find(|word| is_left(line, word) && asks_for_more(line, word));
    word.or_else(|| BODIES.into_iter().find(|body| line.contains(body)))
}

/// In code the word must begin a remark or be a value: `# TODO: …`, `limit = TBD`.
fn asks_for_more(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].trim_end();
        let after = &line[at + word.len()..];
        let begins =
            before.is_empty() || before.ends_with(['#', '/', '*', '-', '=', ':', '(', '[', '<', ';', '|']);
        begins && (after.is_empty() || after.starts_with([':', '(', ' ', '.', ')', ']', '>', ',', ';']))
    })
}
