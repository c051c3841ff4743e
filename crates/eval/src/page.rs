//! The report as one page of HTML, with the interval of each share drawn as a bar. It loads nothing and runs nothing.

use crate::interval::TOO_FEW;
use crate::tally::{ArmTally, Fraction, costs, judged_counts, judged_shares, shares, shown};
use redraft_facts::prelude::*;

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}\
table{border-collapse:collapse;width:100%;margin:1rem 0 2rem}th,td{text-align:left;padding:.3rem .6rem;\
border-bottom:1px solid #ddd}td.bar{width:40%}.scale{position:relative;height:.9rem;background:#f0f0f0}\
.range{position:absolute;top:0;bottom:0;background:#b9d3ee}.mark{position:absolute;top:-.15rem;bottom:-.15rem;\
width:3px;background:#1a4f8b}.few{color:#8a4b00}\
@media (prefers-color-scheme: dark){body{background:#161616;color:#ddd}.scale{background:#333}th,td{border-color:#333}\
.range{background:#2c4a6b}.mark{background:#8dbdf0}.few{color:#e0a050}}";

pub fn page(tallies: &[ArmTally]) -> String {
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>Reviews compared</title>\n\
         <style>{STYLE}</style>\n<h1>Reviews compared</h1>\n\
         <p>Bars show the 95 % interval of each share, marks the share itself.</p>\n"
    );
    if tallies.is_empty() {
        out.push_str("<p>There is nothing to count.</p>\n");
    }
    for tally in tallies {
        out.push_str(&format!("<h2>{}</h2>\n<p>{} answered", escaped(&tally.arm), tally.answered));
        out.push_str(&format!(
            ", {} unanswered, {} without a verdict.</p>\n",
            tally.unanswered, tally.unreadable
        ));
        if tally.blocking.is_too_small() {
            let few = tally.blocking.of;
            out.push_str(&format!(
                "<p class=\"few\">{few} plants are too few to say anything (at least {TOO_FEW}).</p>\n"
            ));
        }
        out.push_str("<table>\n");
        let judged = tally.judged.iter().flat_map(judged_shares);
        for (what, share) in shares(tally).into_iter().chain(judged).filter(|(_, share)| share.of > 0) {
            out.push_str(&format!("<tr><th>{what}<td>{}<td class=\"bar\">{}\n", shown(&share), bar(&share)));
        }
        for (what, value) in [
            (
                "blocking findings beside the plants",
                format!("{} ({:.1} a document)", tally.extra_blocking, tally.extra_blocking_each),
            ),
            ("other findings beside the plants", tally.extra_other.to_string()),
            ("reported again without need", tally.again.to_string()),
            ("words of an answer, on the average", tally.words_each.to_string()),
        ]
        .into_iter()
        .chain(
            tally.judged.iter().map(|judged| ("blocking beside the plants, judged", judged_counts(judged))),
        )
        .chain(costs(tally))
        {
            out.push_str(&format!("<tr><th>{what}<td>{value}<td>\n"));
        }
        out.push_str("</table>\n");
    }
    out
}

fn bar(share: &Fraction) -> String {
    let percent = |value: f64| format!("{:.1}%", value * 100.0);
    format!(
        "<div class=\"scale\"><div class=\"range\" style=\"left:{};right:{}\"></div><div class=\"mark\" style=\"left:{}\"></div></div>",
        percent(share.low),
        percent(1.0 - share.high),
        percent(share.value())
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_from_outside_cannot_become_tags_and_every_share_has_its_bar() {
        let tally = ArmTally {
            arm: "<script>".to_owned(),
            blocking: Fraction::new(3, 4),
            answered: 1,
            ..ArmTally::default()
        };
        let page = page(&[tally]);
        assert!(page.contains("<h2>&lt;script&gt;</h2>") && !page.contains("<script>"), "{page}");
        assert!(
            page.contains("3 of 4, 75 %") && page.contains("class=\"mark\" style=\"left:75.0%\""),
            "{page}"
        );
        assert!(page.contains("4 plants are too few"), "{page}");
    }
}
