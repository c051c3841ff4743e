//! The price cards that come with the program, read once.

use redraft_cost::price::Cards;
use std::sync::OnceLock;

pub(super) fn builtin_cards() -> &'static Cards {
    static CARDS: OnceLock<Cards> = OnceLock::new();
    CARDS.get_or_init(Cards::builtin)
}
