//! Markdown as HTML in which nothing from outside is markup: HTML in it is shown as text, pictures as their names, and
//! links lead to the web or to a place in the repository, never to a script.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use redraft_reports::html::escaped;
use std::ops::Range;

/// Headings begin at this level: those of the page are above.
const LEVEL: usize = 3;

pub(crate) fn html(text: &str) -> String {
    blocks(text).into_iter().map(|(_, html)| html).collect()
}

/// The same block by block, each with the place of its source.
pub(crate) fn blocks(text: &str) -> Vec<(Range<usize>, String)> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS | Options::ENABLE_STRIKETHROUGH;
    let (mut writer, mut depth, mut blocks) = (Writer::default(), 0_usize, Vec::new());
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        match &event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
        writer.take(event);
        if depth == 0 {
            blocks.push((range, std::mem::take(&mut writer.out)));
        }
    }
    blocks
}

#[derive(Default)]
struct Writer {
    out: String,
    is_head: bool,
    /// For each link that is open, whether it is shown as one.
    links: Vec<bool>,
}

impl Writer {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.begin(&tag),
            Event::End(tag) => self.end(tag),
            // What is HTML there is text here, and so is what this reader was not asked to understand.
            Event::Text(text)
            | Event::Html(text)
            | Event::InlineHtml(text)
            | Event::InlineMath(text)
            | Event::DisplayMath(text)
            | Event::FootnoteReference(text) => self.out.push_str(&escaped(&text)),
            Event::Code(text) => self.out.push_str(&format!("<code>{}</code>", escaped(&text))),
            Event::SoftBreak => self.out.push('\n'),
            Event::HardBreak => self.out.push_str("<br>\n"),
            Event::Rule => self.out.push_str("<hr>\n"),
            Event::TaskListMarker(done) => self.out.push_str(if done { "☑ " } else { "☐ " }),
        }
    }

    fn begin(&mut self, tag: &Tag<'_>) {
        let begun = match tag {
            Tag::Heading { level, .. } => format!("<h{}>", heading(*level)),
            Tag::List(Some(1)) => "<ol>\n".to_owned(),
            Tag::List(Some(first)) => format!("<ol start=\"{first}\">\n"),
            Tag::Link { dest_url, .. } => {
                let leads = leads(dest_url);
                self.links.push(leads);
                match leads {
                    true => format!("<a rel=\"noreferrer nofollow\" href=\"{}\">", escaped(dest_url)),
                    false => String::new(),
                }
            }
            Tag::Image { dest_url, .. } => format!("[picture {}: ", escaped(dest_url)),
            Tag::Table(_) => "<div class=\"scroll\" tabindex=\"0\"><table>\n".to_owned(),
            Tag::TableHead => {
                self.is_head = true;
                "<thead><tr>".to_owned()
            }
            Tag::TableCell if self.is_head => "<th>".to_owned(),
            tag => plain(&tag.to_end()).map(|name| format!("<{name}>")).unwrap_or_default(),
        };
        self.out.push_str(&begun);
    }

    fn end(&mut self, tag: TagEnd) {
        let ended = match tag {
            TagEnd::Heading(level) => format!("</h{}>\n", heading(level)),
            TagEnd::List(true) => "</ol>\n".to_owned(),
            TagEnd::Link if self.links.pop() == Some(true) => "</a>".to_owned(),
            TagEnd::Link => String::new(),
            TagEnd::Image => "]".to_owned(),
            TagEnd::Table => "</tbody></table></div>\n".to_owned(),
            TagEnd::TableHead => {
                self.is_head = false;
                "</tr></thead><tbody>\n".to_owned()
            }
            TagEnd::TableCell if self.is_head => "</th>".to_owned(),
            TagEnd::CodeBlock => "</code></pre>\n".to_owned(),
            tag => plain(&tag).map(|name| format!("</{name}>\n")).unwrap_or_default(),
        };
        let is_inline = matches!(tag, TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough);
        self.out.push_str(if is_inline { ended.trim_end() } else { &ended });
    }
}

/// What becomes an element without more. A code block is one in another.
fn plain(tag: &TagEnd) -> Option<&'static str> {
    match tag {
        TagEnd::Paragraph | TagEnd::HtmlBlock | TagEnd::FootnoteDefinition => Some("p"),
        TagEnd::BlockQuote(_) => Some("blockquote"),
        TagEnd::CodeBlock => Some("pre><code"),
        TagEnd::List(_) => Some("ul"),
        TagEnd::Item => Some("li"),
        TagEnd::TableRow => Some("tr"),
        TagEnd::TableCell => Some("td"),
        TagEnd::Emphasis => Some("em"),
        TagEnd::Strong => Some("strong"),
        TagEnd::Strikethrough => Some("s"),
        TagEnd::Heading(_)
        | TagEnd::Table
        | TagEnd::TableHead
        | TagEnd::Link
        | TagEnd::Image
        | TagEnd::DefinitionList
        | TagEnd::DefinitionListTitle
        | TagEnd::DefinitionListDefinition
        | TagEnd::Superscript
        | TagEnd::Subscript
        | TagEnd::MetadataBlock(_) => None,
    }
}

fn heading(level: HeadingLevel) -> usize {
    (level as usize + LEVEL - 1).min(6)
}

/// Whether a link may be one: to the web, or relative. What a browser would take out of a name is no part of one.
fn leads(target: &str) -> bool {
    if target.is_empty() || target.chars().any(|c| c.is_control() || c.is_whitespace() || c == '\\') {
        return false;
    }
    let lower = target.to_ascii_lowercase();
    if lower.starts_with("https://") || lower.starts_with("http://") {
        return true;
    }
    let before_path = target.split(['/', '?', '#']).next().unwrap_or_default();
    !before_path.contains(':') && !target.starts_with("//")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_written_in_markdown_is_shown_as_it_is_meant() {
        for (text, expected) in [
            ("# T\n\na *b* **c**\n", "<h3>T</h3>\n<p>a <em>b</em> <strong>c</strong></p>\n"),
            ("1. x\n2. y\n", "<ol>\n<li>x</li>\n<li>y</li>\n</ol>\n"),
            ("- [x] done\n- [ ] open\n", "<ul><li>☑ done</li>\n<li>☐ open</li>\n</ul>\n"),
            ("```rust\nlet a = 1 < 2;\n```\n", "<pre><code>let a = 1 &lt; 2;\n</code></pre>\n"),
            (
                "|a|b|\n|-|-|\n|1|2|\n",
                "<div class=\"scroll\" tabindex=\"0\"><table>\n<thead><tr><th>a</th><th>b</th></tr></thead><tbody>\n<tr><td>1</td>\n<td>2</td>\n</tr>\n</tbody></table></div>\n",
            ),
        ] {
            assert_eq!(html(text), expected, "{text}");
        }
    }

    #[test]
    fn nothing_from_outside_is_markup_and_no_link_leads_to_a_script() {
        for (text, expected) in [
            ("<script>alert(1)</script>\n", "<p>&lt;script&gt;alert(1)&lt;/script&gt;\n</p>\n"),
            ("a <b onclick=x>b</b>\n", "<p>a &lt;b onclick=x&gt;b&lt;/b&gt;</p>\n"),
            ("[x](javascript:alert(1))\n", "<p>x</p>\n"),
            ("[x](JaVaScRiPt:alert(1))\n", "<p>x</p>\n"),
            ("[x](data:text/html,y)\n", "<p>x</p>\n"),
            ("[x](//evil.example/y)\n", "<p>x</p>\n"),
            ("[x](&#106;avascript:y)\n", "<p>x</p>\n"),
            ("<javascript:alert(1)>\n", "<p>javascript:alert(1)</p>\n"),
            ("![x](https://e.example/p.png)\n", "<p>[picture https://e.example/p.png: x]</p>\n"),
            (
                "[x](https://e.example/?a=1&b=\"c)\n",
                "<p><a rel=\"noreferrer nofollow\" href=\"https://e.example/?a=1&amp;b=&quot;c\">x</a></p>\n",
            ),
            ("[x](docs/a.md#b)\n", "<p><a rel=\"noreferrer nofollow\" href=\"docs/a.md#b\">x</a></p>\n"),
        ] {
            assert_eq!(html(text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_opens_no_element_of_its_own(text in "([<>\"'&!\\[\\]()#*`|\n -]|javascript:|<script|</div>|onload=|[a-z]){0,60}") {
            let page = html(&text);
            for found in page.split('<').skip(1) {
                let name: String =
                    found.trim_start_matches('/').chars().take_while(|c| c.is_ascii_alphanumeric()).collect();
                let known = "h3 h4 h5 h6 p ul ol li em strong s a pre code blockquote hr br div table thead tbody tr th td";
                prop_assert!(known.split(' ').any(|known| known == name), "{} in {}", name, page);
            }
            prop_assert!(!page.contains("href=\"javascript:"), "{}", page);
        }
    }
}
