//! The trace as one page of HTML that needs nothing else: no script, no font, no picture.
//!
//! Whatever documents and files are called stays text. Colour never says anything alone. Start at [`html`].

use super::markdown::{distinct, named, ran, runs, short, summary, task};
use super::{CodeWork, DocumentPart, Matrix, Row};
use redraft_facts::prelude::*;

/// The first words of the page, by which the program recognizes its own pages.
pub const MADE_BY: &str = "<!doctype html>\n<!-- made by redraft show trace -->";

const STYLE: &str = "\
:root{color-scheme:light dark;--line:#c8ccd2;--soft:#f3f4f6;--bad:#a3210f;--quiet:#5b6470}
@media (prefers-color-scheme:dark){:root{--line:#3a4049;--soft:#20242a;--bad:#ff8f7d;--quiet:#a0a8b4}}
body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:110rem;padding:0 1.5rem}
h1{font-size:1.4rem;margin:0 0 .3rem}h2{font-size:1.1rem;margin:2rem 0 .5rem}
p.sum{margin:0 0 1.2rem;color:var(--quiet)}
table{border-collapse:collapse;width:100%}
th,td{border:1px solid var(--line);padding:.4rem .55rem;text-align:left;vertical-align:top;overflow-wrap:break-word}
thead th{background:var(--soft);position:sticky;top:0;white-space:nowrap}
td.commit{white-space:nowrap}td.path{min-width:15rem;overflow-wrap:anywhere}
td ul{margin:0;padding:0;list-style:none}td li+li{margin-top:.25rem}
code{font:13px/1.4 ui-monospace,monospace}
.none{color:var(--bad)}.quiet{color:var(--quiet)}
ul.orphans li{margin:.3rem 0}";

/// A whole page. `title` names the feature.
pub fn html(matrix: &Matrix, title: &str) -> String {
    let title = escaped(title);
    let mut out = format!(
        "{MADE_BY}\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width,initial-scale=1\">\n<title>Trace: {title}</title>\n<style>\n{STYLE}\n</style>\n\
         </head>\n<body>\n<h1>Trace: {title}</h1>\n<p class=\"sum\">{}</p>\n",
        escaped(&summary(matrix))
    );
    out.push_str(&table(matrix));
    if !matrix.orphans.is_empty() {
        out.push_str("<h2>Orphans</h2>\n<ul class=\"orphans\">\n");
        for orphan in &matrix.orphans {
            out.push_str(&format!(
                "<li><code>{}:{}</code> <strong>{}</strong>: {}; <span class=\"quiet\">{}</span></li>\n",
                escaped(&orphan.file),
                orphan.line,
                orphan.rule,
                escaped(&orphan.message),
                escaped(orphan.hint)
            ));
        }
        out.push_str("</ul>\n");
    }
    out.push_str("</body>\n</html>\n");
    out
}

fn table(matrix: &Matrix) -> String {
    const HEADS: [&str; 8] =
        ["Requirement", "Design section", "Plan step", "Task", "Commit", "Files", "Tests", "Last run"];
    let heads: String = HEADS.iter().map(|head| format!("<th scope=\"col\">{head}</th>")).collect();
    let mut out = format!("<table>\n<thead><tr>{heads}</tr></thead>\n<tbody>\n");
    for row in &matrix.rows {
        out.push_str(&rows(matrix, row));
    }
    out.push_str("</tbody>\n</table>\n");
    out
}

/// One line for each task; what they share spans all of them.
fn rows(matrix: &Matrix, row: &Row) -> String {
    let works: Vec<&CodeWork> = matrix.works_of(row).collect();
    let span = match works.len() {
        0 | 1 => String::new(),
        many => format!(" rowspan=\"{many}\""),
    };
    let requirement = match &row.requirement {
        Some(one) => {
            let (id, text) = (escaped(&one.id), escaped(&one.text));
            let place = format!("{}:{}", one.kind.file(), one.line);
            format!("<td{span}><strong>{id}</strong> {text}<br><code class=\"quiet\">{place}</code></td>")
        }
        None => format!("<td{span} class=\"quiet\">none</td>"),
    };
    let shared = format!("{requirement}{}{}", parts(&row.sections, &span), parts(&row.steps, &span));
    if works.is_empty() {
        return format!(
            "<tr>{shared}<td class=\"none\">no task</td><td></td><td></td><td></td><td></td></tr>\n"
        );
    }
    let line = |(at, work): (usize, &&CodeWork)| {
        let shared = if at == 0 { shared.as_str() } else { "" };
        format!("<tr>{shared}{}</tr>\n", cells(work))
    };
    works.iter().enumerate().map(line).collect()
}

fn parts(parts: &[DocumentPart], span: &str) -> String {
    format!("<td{span}>{}</td>", list(parts.iter().map(|part| escaped(&named(part)))))
}

fn cells(work: &CodeWork) -> String {
    let code = |text: &str| format!("<code>{}</code>", escaped(text));
    let run = |run: &super::RecordedCheck| match run.passed {
        true => escaped(&ran(run)),
        false => format!("<span class=\"none\">{}</span>", escaped(&ran(run))),
    };
    let cells = [
        ("", escaped(&task(work))),
        (" class=\"commit\"", list(work.commits.iter().map(|commit| code(short(commit))))),
        (" class=\"path\"", list(distinct(work.code()).into_iter().map(code))),
        (" class=\"path\"", list(work.tests.iter().map(|test| code(test)))),
        ("", list(runs(&[work]).into_iter().map(run))),
    ];
    cells.iter().map(|(class, cell)| format!("<td{class}>{cell}</td>")).collect()
}

fn list(entries: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = entries.collect();
    match items.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        many => {
            format!("<ul>{}</ul>", many.iter().map(|item| format!("<li>{item}</li>")).collect::<String>())
        }
    }
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Characters that would reverse the text around them.
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => out.push('\u{fffd}'),
            c if c.is_control() && c != '\n' => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
