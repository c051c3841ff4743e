//! Reads a verdict from whatever an agent wrote.
//!
//! [`parse()`] never fails: it returns a value and notes about what had to be guessed. Whether the value can be used is
//! decided in `core::judge`.

mod fields;
mod form;
pub mod json;
mod parse;
#[cfg(test)]
mod tests;

pub use parse::{Parsed, parse};
