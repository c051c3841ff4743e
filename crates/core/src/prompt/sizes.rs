//! Where prompts are cut: after a fixed number of characters for each kind of content.
//!
//! Characters and not tokens, and constants and not what was measured: what an agent's bills teach ([`crate::tokens`])
//! is for money only, so that the same brief makes the same bytes next year and a cache finds them. Documents, diffs, the
//! author's summaries, the evidence of a gate and the form of the answer are never cut here; of a document a digest shows
//! sections, and how much of each is [`crate::sections::SECTION_CHARS_MAX`]'s business.

/// Prose: one field of a finding. As long as the parser of verdicts lets a field be, so that nothing is lost on the way
/// back.
pub(super) const FIELD_CHARS_MAX: usize = 4_000;
/// A name on a line of ours, such as that of a tool.
pub(super) const NAME_CHARS_MAX: usize = 80;
