//! The lengths at which prompts are cut: a fixed number of characters for each kind of content.
//!
//! They are characters and not tokens, and constants and not measured values: what an agent's bills teach
//! ([`redraft_documents::tokens`]) is used for money only, so that the same brief makes the same bytes next year and a
//! cache finds them. Documents, their diffs, the author's summaries, the evidence of a gate and the form of the answer
//! are never cut here; a digest shows sections of a document, each up to
//! [`redraft_documents::sections::SECTION_CHARS_MAX`]. The part of a code diff about one file is shown whole or not at
//! all.

/// Prose: one field of a finding. As long as the parser of verdicts lets a field be, so that nothing is lost on the way
/// back.
pub(super) const FIELD_CHARS_MAX: usize = 4_000;
/// A name on a line of ours, such as that of a tool.
pub(super) const NAME_CHARS_MAX: usize = 80;
/// Prose: one matter that a person has settled. It is listed to be recognized, not to be judged.
pub(super) const SETTLED_CHARS_MAX: usize = 400;
/// How many of them, the latest: a trade between what a reviewer would raise in vain and what every turn pays for.
pub(super) const SETTLED_MAX: usize = 20;
/// Prose: one warning of a review that approved. The first sentences have to do.
pub(super) const WARNED_CHARS_MAX: usize = 300;
/// How many of them, the first: they are told to be avoided in passing, and every author pays for them.
pub(super) const WARNED_MAX: usize = 5;
/// Code: a diff. Beyond this a reader gains more from the files than from their hunks, and few models would take it. The
/// lines that were taken out of what is then left out have as much room once more: no file shows them.
pub(super) const DIFF_CHARS_MAX: usize = 200_000;
/// The end of what one check printed, in whole lines: a reviewer may rest a finding on it.
pub(super) const OUTPUT_CHARS_MAX: usize = 1_500;
/// Files of a change that are listed, each on a line.
pub(super) const FILES_MAX: usize = 1_000;
/// Code: lines before and after the place of a finding that a digest shows.
pub(super) const WINDOW_LINES: u32 = 30;

/// The longest document that a reviewer who reads files is given in its prompt: the rest of such a prompt has some 13,000
/// characters, and one of more than 20,000 is read less well than a file.
pub(super) const LAZY_ARTIFACT_BYTES_MAX: usize = 6_000;
