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
    // Written without looking at the rules.
    (
        "The gateway shall allow each API key 100 requests per minute.",
        "Clients that exceed 120 requests in one minute get status 429.",
    ),
    (
        "When a user exports a report, the file contains up to 5,000 rows.",
        "Large exports: a report with more than 6,000 rows is refused.",
    ),
    (
        "The system shall end a session after 30 minutes without activity.",
        "Inactive sessions are terminated after 20 minutes.",
    ),
    ("A user may be signed in on at most 3 devices.", "Signing in on more than 5 devices is refused."),
    ("The link in the mail can be used for 24 hours.", "A link that is older than 48 hours is refused."),
    ("Uploaded images must not be larger than 5 MB.", "An image may have up to 8 MB."),
    (
        "Failed payments are retried 3 times, that is with at most 3 attempts.",
        "A failed payment is retried up to 5 attempts.",
    ),
    ("Each import handles at most 10,000 records.", "Imports are limited to 20,000 records."),
    ("Search results appear within 1 second.", "A search must return results within 2 seconds."),
    ("The nightly job shall finish within 2 hours.", "The nightly job has 3 hours to complete."),
    ("Logs are kept for 90 days.", "The system deletes logs after 30 days."),
    ("A reservation is held for 15 minutes.", "Reservations expire after 10 minutes."),
    ("The API returns at most 100 items per page.", "Every page of the API holds up to 50 items."),
    (
        "The password must have at least 12 characters.",
        "Passwords with fewer than 8 characters are rejected; they need at least 8 characters.",
    ),
    ("A comment can be edited for 5 minutes.", "Comments can be edited within 15 minutes."),
    ("The dashboard refreshes every 30 seconds.", "The dashboard is updated every 60 seconds."),
    ("Up to 10 users can edit a document at the same time.", "A document can be edited by at most 20 users."),
    ("The cache keeps an entry for 5 minutes.", "Cache entries expire after 10 minutes."),
    ("Tickets are closed automatically after 14 days.", "A ticket closes by itself after 7 days."),
    ("A team can invite up to 50 members.", "No team has more than 100 members."),
    ("Two-factor codes are valid for 30 seconds.", "A two-factor code expires after 60 seconds."),
    ("The system sends at most 3 reminders.", "Up to 5 reminders are sent."),
    (
        "The importer shall accept at most 200 files per batch job.",
        "A batch job with more than 300 files is rejected.",
    ),
    (
        "The device reports its position every 60 seconds.",
        "Positions are reported by each device every 90 seconds.",
    ),
    ("The bot replies within 3 seconds.", "A reply of the bot takes at most 5 seconds."),
    ("The uploader splits files into parts of 8 MB.", "Each part of a file has 16 MB."),
    ("Up to 4 players can join a match.", "A match has at most 6 players."),
    ("The alarm rings for 30 seconds.", "The alarm stops ringing after 60 seconds."),
    ("A wish list holds no more than 100 products.", "Wish lists with over 150 products are cut."),
    ("The report is archived after 1 year.", "Reports are archived after 2 years."),
    ("An operator may be assigned to at most 3 chats at once.", "Each operator handles up to 5 chats."),
    ("The code has 6 digits.", "Codes consist of 8 digits at most."),
    ("An employee can book a free room up to 30 days ahead.", "Rooms can be booked at most 60 days ahead."),
    (
        "A member can reserve a free court up to 2 weeks ahead.",
        "A court can be reserved at most 3 weeks ahead.",
    ),
    (
        "A tenant can reserve a washing machine for a slot of 90 minutes.",
        "A slot for a washing machine lasts 120 minutes.",
    ),
    (
        "The shop shall hold a reserved basket for 20 minutes before it is emptied.",
        "A reserved basket is held for 40 minutes.",
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
    // Written without looking at the rules.
    (
        "The gateway shall allow each API key 100 requests per minute.",
        "The gateway shall answer within 200 ms.",
    ),
    ("Free accounts may send 100 requests per minute.", "Paid accounts may send 1,000 requests per minute."),
    (
        "The system shall end a session after 30 minutes without activity.",
        "A session lasts at most 12 hours in any case.",
    ),
    ("A user may be signed in on at most 3 devices.", "An account has at most 10 API keys."),
    ("The link in the mail can be used for 24 hours.", "The mail is sent within 5 minutes."),
    ("Uploaded images must not be larger than 5 MB.", "All images of a project together may take 500 MB."),
    (
        "Failed payments are retried 3 times.",
        "Failed logins are counted; after 5 attempts the account is locked.",
    ),
    ("Each import handles at most 10,000 records.", "An import is aborted after 100 errors."),
    ("Search results appear within 1 second.", "Search results are cached for 60 seconds."),
    (
        "The nightly job shall finish within 2 hours.",
        "The nightly job starts at 02:00 and is retried after 30 minutes.",
    ),
    ("Logs are kept for 90 days.", "Backups are kept for 30 days."),
    ("A reservation is held for 15 minutes.", "A reservation can be made up to 30 days ahead."),
    ("The API returns at most 100 items per page.", "The API returns 20 items per page by default."),
    ("The password must have at least 12 characters.", "The password must be changed every 90 days."),
    ("A comment can be edited for 5 minutes.", "A comment has at most 1,000 characters."),
    ("The dashboard refreshes every 30 seconds.", "The dashboard loads within 3 seconds."),
    ("Up to 10 users can edit a document at the same time.", "A document has at most 200 pages."),
    ("The cache keeps an entry for 5 minutes.", "The cache is cleared every 24 hours."),
    ("Tickets are closed automatically after 14 days.", "Closed tickets are deleted after 365 days."),
    ("A team can invite up to 50 members.", "A team needs at least 2 members."),
    ("Two-factor codes are valid for 30 seconds.", "Two-factor codes have 6 digits."),
    ("The first reminder is sent after 3 days.", "The second reminder is sent after 7 days."),
    ("Orders above 100 items need approval.", "An order has at most 500 items."),
    ("The timeout for reads is 5 seconds.", "The timeout for writes is 20 seconds."),
    ("Users in Europe keep data for 30 days.", "Users in Asia keep data for 90 days."),
    ("When 3 attempts fail, the user is warned.", "When 5 attempts fail, the account is locked."),
    (
        "A step on the import hangs for 10 minutes and is stopped.",
        "A step on the export hangs for 5 minutes and is stopped.",
    ),
    ("The importer shall accept at most 200 files per batch job.", "A file has at most 50 MB."),
    (
        "The device reports its position every 60 seconds.",
        "The device reports its battery level every 600 seconds.",
    ),
    ("A voucher can be redeemed for 12 months.", "A voucher is sent within 2 days."),
    ("The bot replies within 3 seconds.", "The bot asks again after 60 seconds."),
    ("Up to 4 players can join a match.", "Up to 100 viewers can watch a match."),
    ("The alarm rings for 30 seconds.", "The alarm can be snoozed for 10 minutes."),
    ("A wish list holds no more than 100 products.", "A cart holds no more than 50 products."),
    ("The report is archived after 1 year.", "The report is generated every 7 days."),
    (
        "An operator may be assigned to at most 3 chats at once.",
        "A chat is closed after 30 minutes of silence.",
    ),
    ("The code has 6 digits.", "The phone number has 11 digits."),
    ("A lesson lasts 45 minutes.", "A break lasts 15 minutes."),
    ("Adults may borrow 20 books.", "Children may borrow 5 books."),
    (
        "The heating starts 30 minutes before the meeting.",
        "The lights are switched on 5 minutes before the meeting.",
    ),
    ("A trip is shown if it starts within 7 days.", "A trip can be booked within 90 days."),
    // One of several to choose from.
    ("A chat can be muted for 1 hour, 8 hours or 7 days.", "A muted chat is silent for 59 minutes."),
    ("A backup is kept for 7 days, 30 days, or 1 year.", "A backup is kept for 14 days in the trial."),
    ("A meeting lasts 30 minutes, 1 hour or 2 hours.", "A meeting lasts 45 minutes."),
    ("Rooms are booked for between 15 minutes and 4 hours.", "A room is booked for 2 hours."),
    ("A free account has at most 3 boards.", "An account has at most 50 boards."),
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

/// A requirement and its criterion.
fn criterion_document(rule: &str, criterion: &str) -> String {
    format!(
        "# Spec: x\n\n## Requirements\n\n- R1: {rule}\n\n## Acceptance Criteria\n\n- AC1 (R1): {criterion}\n"
    )
}

#[test]
fn a_criterion_that_promises_another_number_contradicts_its_requirement() {
    for (rule, criterion) in [
        ("The list of rooms appears within 3 seconds.", "With 200 rooms the list appears within 2 seconds."),
        ("A search answers within 1 second.", "On the test data a search answers within 2 seconds."),
        ("A team has at most 6 members.", "A team gets at most 5 members."),
    ] {
        assert_eq!(found(&criterion_document(rule, criterion)), 1, "{rule} {criterion}");
    }
}

#[test]
fn test_data_beside_a_limit_and_one_of_several_choices_contradict_nothing() {
    for (rule, criterion) in [
        ("A link is valid for 48 hours.", "A link works after 47 hours and is refused after 49 hours."),
        (
            "A plate can be corrected within 10 minutes.",
            "After 9 minutes a plate is corrected, after 11 not.",
        ),
        ("A sheet shall be at most 20 MB large.", "A sheet of 25 MB is refused."),
        ("A team has at most 6 members.", "The 7th member of a team is refused, 6 members are listed."),
        (
            "Users shall be able to mute a chat for 1 hour, 8 hours or 7 days.",
            "A chat muted for 1 hour is silent for 59 minutes and notifies again after 61 minutes.",
        ),
    ] {
        assert_eq!(found(&criterion_document(rule, criterion)), 0, "{rule} {criterion}");
    }
}

#[test]
fn sentences_that_only_look_alike_are_left_alone() {
    let alarms: Vec<&(&str, &str)> =
        ALIKE.iter().filter(|(one, two)| documents(one, two).iter().any(|text| found(text) > 0)).collect();
    assert!(alarms.is_empty(), "{alarms:#?}");
}
