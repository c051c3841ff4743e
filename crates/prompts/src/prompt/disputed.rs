//! Tells both sides of a disagreement what the other one said: the reviewer, once, why a finding was declined, and the
//! author what the reviewer or a person answered.
//!
//! All of it comes from agents and people and stays on its line.

use super::brief::{Brief, Disputed};
use super::open::headline;
use super::sizes::FIELD_CHARS_MAX;
use redraft_facts::fragment::Fragment;
use redraft_facts::prelude::*;
use redraft_facts::text::one_line;
use redraft_facts::ticket::Purpose;

/// For a reviewer: findings that were declined, each beside the reply. Fresh eyes are shown neither.
pub(super) fn replies(brief: &Brief<'_>) -> Option<Fragment> {
    if brief.disputed.is_empty() || brief.purpose == Purpose::Certify {
        return None;
    }
    let (who, file) = match brief.code {
        Some(_) => ("implementer", "code"),
        None => ("author", "file"),
    };
    let mut text = format!(
        "## Declined Findings\n\n\
         The {who} left these as they are and says why. Finding and reply are two claims, and the {file} decides. Answer \
         each with `withdrawn` and the words that prove it, or with `not_fixed` and what the reply overlooks. You are \
         shown a reply once; if the {who} declines again, a person decides, with your words at hand.\n"
    );
    for one in brief.disputed {
        let reply = one_line(one.reply, FIELD_CHARS_MAX);
        // What stands under Open Findings is not said twice.
        let listed = brief.findings.iter().any(|open| open.id == one.finding.id);
        let finding = if listed { format!("- [{}]", one.finding.id) } else { headline(one.finding) };
        text.push_str(&format!("\n{finding}\n  Reply: {reply}\n"));
    }
    Some(Fragment::new("declined-findings", text))
}

/// For an author: what became of the findings that it declined before.
pub(super) fn answers(brief: &Brief<'_>) -> Option<Fragment> {
    if brief.disputed.is_empty() {
        return None;
    }
    let mut text = "## Declined Before\n\nA turn of your role declined these findings.\n".to_owned();
    for one in brief.disputed {
        text.push_str(&format!("\n- [{}] {}", one.finding.id, said(one, brief.code.is_some())));
    }
    Some(Fragment::new("declined-before", text))
}

fn said(one: &Disputed<'_>, code: bool) -> String {
    let line = |value: &str| match one_line(value, FIELD_CHARS_MAX).as_str() {
        "" => "no reason given".to_owned(),
        value => value.to_owned(),
    };
    let file = if code { "code" } else { "text" };
    let mut text = format!("Your reason: {}\n", line(one.reply));
    if let Some(answer) = one.answer {
        text.push_str(&format!("  The reviewer keeps it: {}\n", line(answer)));
    }
    text.push_str(&match (one.upheld, one.answer) {
        (Some((by, why)), _) => format!(
            "  Upheld by a person ({}): {}\n  The {file} must change so that the failure can no longer happen; to \
             decline it once more is no answer.\n",
            line(by),
            line(why)
        ),
        (None, Some(_)) => format!(
            "  Change the {file} if the reviewer is right. If the finding still does not hold, answer `not_fixed` and \
             say what the reviewer overlooks: a person decides then.\n"
        ),
        (None, None) => "  The reviewer has not answered yet.\n".to_owned(),
    });
    text
}
