//! Pairs of sentences about numbers: some contradict each other in other words, others only look alike.
//!
//! Each pair is put into a document of its own, one sentence under the requirements and one under the limits, and
//! once more the other way round.

use super::Check;
use super::tests::with_papers;

/// Both are about one thing and give different numbers for it.
const CONTRADICTING: &[(&str, &str)] = &[
    (
        "A key may send 100 requests per minute.",
        "The gateway serves 120 requests within a minute for each key.",
    ),
    ("The gateway accepts 100 requests per minute.", "More than 120 requests within a minute are refused."),
    ("Every customer can make 60 calls a minute.", "The limit is 90 calls per minute per customer."),
    ("A client sends at most 50 requests every 10 seconds.", "A client may make 80 requests per 10 seconds."),
    ("The export holds up to 5,000 rows.", "Exports of more than 6,000 rows are split."),
    ("An export contains at most five thousand rows.", "An export is limited to 6,000 rows."),
    ("Sessions expire after 30 minutes.", "A session idle for 20 minutes is closed."),
    ("A user has at most 3 sessions.", "A user can have 5 open sessions."),
    ("At most 3 sessions per user are allowed.", "Nobody may hold more than five sessions."),
    ("An invitation is valid for 7 days.", "Invitations lapse after 14 days."),
    ("Deleted notes are kept for 30 days.", "After 60 days a deleted note is purged."),
    ("The audit log is retained for 12 months.", "Entries of the audit log are removed after 6 months."),
    ("A search answers within 300 ms.", "Search results are returned in at most 500 ms."),
    ("An attachment may have up to 10 MB.", "Attachments larger than 25 MB are rejected."),
    (
        "A webhook delivery is attempted 5 times at most, with at most 5 attempts.",
        "A webhook delivery gets up to 8 attempts.",
    ),
    (
        "After 5 failed attempts the account is locked.",
        "The account is locked when there were more than 3 failed attempts.",
    ),
    (
        "The account stays locked for 15 minutes.",
        "An account is blocked for half an hour, that is for 30 minutes.",
    ),
    ("A report has at most 40 pages.", "Reports are cut off after 50 pages."),
    ("The price list is refreshed every 10 minutes.", "Every 15 minutes the price list is updated."),
    ("A comment has at most 500 characters.", "Comments longer than 1,000 characters are refused."),
    ("Reminders are sent 2 days before the due date.", "A reminder goes out 3 days before the due date."),
    ("A workspace has up to twenty-five members.", "Workspaces are limited to 30 members."),
    ("A password reset link works for 1 hour.", "The password reset link expires after 30 minutes."),
    ("Uploads time out after 2 minutes.", "An upload is aborted after 90 seconds."),
    ("A feed shows at most 100 entries.", "No feed lists more than 200 entries."),
    ("The queue holds 1,000 jobs at most.", "The queue accepts at most 500 jobs."),
    ("An order can be cancelled within 30 minutes.", "Orders can be cancelled for up to 60 minutes."),
    (
        "When a code has been wrong 3 times, that is after 3 attempts, it is void.",
        "A code allows at most 5 attempts.",
    ),
    ("API keys are rotated every 90 days.", "Every 30 days an API key is rotated."),
    ("A message may carry up to 10 attachments.", "A message has at most 5 attachments."),
    ("Tokens live for 1 hour.", "A token is valid for 2 hours."),
    ("The page loads within 2 seconds.", "A page is rendered in at most 3 seconds."),
    ("The service handles 500 requests per second.", "The service must bear 300 requests a second."),
    ("Usernames have at most 32 characters.", "A username is limited to 20 characters."),
    ("A cart expires after 24 hours.", "Carts are closed after 48 hours."),
    ("Search returns no more than 50 results.", "At most 100 results are returned by a search."),
    ("A file of more than 2 GB is refused.", "Files may be as large as 4 GB."),
    ("Notifications are delivered within 5 minutes.", "A notification arrives after at most 10 minutes."),
    ("A draft is saved every 30 seconds.", "Drafts are saved every 60 seconds."),
    ("The lobby holds up to 8 players.", "A lobby with more than 12 players is split."),
    (
        "A partner exports data, at most 5,000 rows into one file.",
        "An export file never has more than 6,000 rows.",
    ),
    (
        "A request without an answer lapses after 48 hours, and both sides are told.",
        "An unanswered request lapses when 24 hours have passed.",
    ),
];

/// They share words or units, and both can hold.
const ALIKE: &[(&str, &str)] = &[
    // Another subject.
    ("Sessions expire after 30 minutes.", "An invitation expires after 7 days."),
    ("A title has at most 80 characters.", "A note has at most 5,000 characters."),
    ("A title of a note has at most 80 characters.", "The body of a note has at most 5,000 characters."),
    ("An invitation link works for 7 days.", "A password reset link works for 1 day."),
    ("Backups are kept for 30 days.", "Access logs are kept for 90 days."),
    ("A workspace has at most 25 members.", "A team has at most 10 members."),
    ("Images may have up to 5 MB.", "A video may have up to 200 MB."),
    ("After 5 failed attempts the account is locked.", "After 10 failed attempts the address is blocked."),
    // Another act on the same subject.
    ("A session expires after 30 minutes.", "A warning about the session is shown after 25 minutes."),
    ("An invitation expires after 7 days.", "A reminder of the invitation is sent after 3 days."),
    ("A job starts within 2 minutes.", "A job finishes within 10 minutes."),
    ("A request is retried after 5 seconds.", "A request times out after 30 seconds."),
    ("Students cancel until 24 hours before the course.", "A reminder is sent 2 days before the course."),
    // Another bound.
    ("A password has at least 12 characters.", "A password has at most 64 characters."),
    ("A group needs at least 2 members.", "A group has at most 50 members."),
    ("The index is rebuilt every 6 hours.", "A rebuild of the index takes at most 2 hours."),
    // A default and a limit.
    ("A page shows 20 rows by default.", "A page shows at most 100 rows."),
    ("The timeout of a job defaults to 30 seconds.", "The timeout of a job is at most 300 seconds."),
    // An example and a rule.
    (
        "A key may send 100 requests per minute.",
        "For example, 150 requests per minute with one key are too many.",
    ),
    ("An export holds up to 5,000 rows.", "An export of, e.g. 200 rows is made at once."),
    ("An export holds up to 5,000 rows.", "Today an export holds 1,000 rows."),
    // For each and in total, for one and for another.
    ("A key may send 100 requests per minute.", "All keys together may send 2,000 requests per minute."),
    ("Each user can store 10 files.", "In total 5,000 files can be stored."),
    ("At most 5 attempts per user are counted.", "At most 50 attempts per address are counted."),
    ("A key may send 100 requests per minute.", "A key may send 5,000 requests per day."),
    // A special case.
    ("A session expires after 60 minutes.", "An admin session expires after 15 minutes."),
    ("The connect timeout is 5 seconds.", "The read timeout is 30 seconds."),
    ("A free plan has at most 3 projects.", "A paid plan has at most 50 projects."),
    // Numbers that are not meant as a rule.
    ("A search answers within 300 ms.", "A search takes about 120 ms."),
    ("A search answers within 300 ms.", "A search usually takes 90 ms."),
    ("The export keeps 30 days of data.", "An export runs for 5 minutes."),
    // More of the same kinds.
    ("A token is valid for 1 hour.", "A refresh token is valid for 30 days."),
    ("An order is shipped within 2 days.", "An order can be cancelled within 30 minutes."),
    ("The queue holds 1,000 jobs at most.", "A worker takes at most 10 jobs."),
    ("A message may carry up to 10 attachments.", "An attachment has at most 20 MB."),
    ("A user has at most 3 sessions.", "A session has at most 50 messages."),
    ("Search returns no more than 50 results.", "A page lists 10 results."),
    ("A file of more than 2 GB is refused.", "A part of a file has 8 MB."),
    ("The page loads within 2 seconds.", "The page is refreshed every 30 seconds."),
    ("Users are logged out after 30 minutes.", "Users are reminded to save after 10 minutes."),
    ("The cache holds entries for 10 minutes.", "The cache holds at most 500 entries."),
    ("A draft is saved every 30 seconds.", "A draft is deleted after 30 days."),
    ("A lobby waits 60 seconds for players.", "A game lasts at most 10 minutes."),
    ("Names have up to 60 characters.", "Names have at least 2 characters."),
    ("The service handles 500 requests per second.", "A client may send 20 requests per second."),
    ("A guest sees at most 5 articles.", "A member sees at most 500 articles."),
    ("A coupon is valid for 30 days.", "A coupon code has 8 characters."),
    ("Retries start after 2 seconds.", "Retries stop after 60 seconds."),
];

fn documents(one: &str, two: &str) -> [String; 2] {
    let document =
        |a: &str, b: &str| format!("# Spec: x\n\n## Requirements\n\n- {a}\n\n## Limits\n\n- {b}\n");
    [document(one, two), document(two, one)]
}

fn found(text: &str) -> usize {
    with_papers(text, None, |papers| Check::Numbers.look(papers).unwrap().defects.len())
}

#[test]
fn a_contradiction_is_found_in_whatever_words_it_is_put() {
    let missed: Vec<&(&str, &str)> = CONTRADICTING
        .iter()
        .filter(|(one, two)| documents(one, two).iter().any(|text| found(text) != 1))
        .collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn sentences_that_only_look_alike_are_left_alone() {
    let alarms: Vec<&(&str, &str)> =
        ALIKE.iter().filter(|(one, two)| documents(one, two).iter().any(|text| found(text) > 0)).collect();
    assert!(alarms.is_empty(), "{alarms:#?}");
}
