//! The ids by which git names objects.

/// Whether a text is the whole id of an object, in either of git's two formats.
pub(super) fn is_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
