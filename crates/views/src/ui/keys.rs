//! The secrets of one server: the word in its address, which is good once, the cookie that it is exchanged for, and the
//! word in every form.

use sha2::{Digest as _, Sha256};
use std::sync::Mutex;
use uuid::Uuid;

pub(super) struct Keys {
    /// None once it was used.
    entry: Mutex<Option<String>>,
    cookie: String,
    form: String,
}

impl Keys {
    pub(super) fn new() -> Keys {
        Keys { entry: Mutex::new(Some(random())), cookie: random(), form: random() }
    }

    /// The word in the address, as long as nobody has used it.
    pub(super) fn entry(&self) -> Option<String> {
        self.entry.lock().map(|entry| entry.clone()).unwrap_or_default()
    }

    /// Takes the word in the address for the cookie, once.
    pub(super) fn enter(&self, word: &str) -> Option<&str> {
        let mut entry = self.entry.lock().ok()?;
        let fits = entry.as_deref().is_some_and(|own| same(own, word));
        if fits {
            *entry = None;
        }
        fits.then_some(self.cookie.as_str())
    }

    pub(super) fn is_cookie(&self, word: &str) -> bool {
        same(&self.cookie, word)
    }

    pub(super) fn form(&self) -> &str {
        &self.form
    }

    pub(super) fn is_form(&self, word: &str) -> bool {
        same(&self.form, word)
    }
}

/// 244 random bits of the system.
fn random() -> String {
    format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple())
}

/// Compares in a time that says nothing about where two words differ: every byte of their hashes is looked at.
fn same(own: &str, word: &str) -> bool {
    let (own, word) = (Sha256::digest(own), Sha256::digest(word));
    own.iter().zip(word.iter()).fold(0, |differ, (one, other)| differ | (one ^ other)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_in_the_address_is_good_once_and_a_wrong_one_does_not_use_it_up() {
        let keys = Keys::new();
        let word = keys.entry().unwrap();
        assert!(word.len() == 64 && keys.enter("").is_none() && keys.enter(&word[1..]).is_none());
        let cookie = keys.enter(&word).unwrap().to_owned();
        assert!(keys.is_cookie(&cookie) && !keys.is_form(&cookie) && !keys.is_cookie(&word));
        assert!(keys.enter(&word).is_none() && keys.entry().is_none());
        assert!(keys.is_form(keys.form()) && keys.form() != cookie);
        assert_ne!(Keys::new().form(), keys.form());
    }
}
