//! The spellings of England and of America, by their endings.
//!
//! Knows one word in small letters. The result is a key, not a word: it is the same for both spellings, and what it
//! looks like does not matter. An ending that tells two different words apart (`filled` and `filed`) is left alone.

/// The same for `organiser` and `organizer`, for `colour` and `color`, for every pair of that kind.
pub(super) fn one_english(word: &str) -> String {
    let mut key = word.to_owned();
    for (british, american) in ENDINGS {
        if let Some(base) = key.strip_suffix(british).filter(|base| base.chars().count() > 1) {
            key = format!("{base}{american}");
            break;
        }
    }
    for ending in ["", "ed", "ing", "er", "or", "ment", "ful"] {
        if let Some(base) = key.strip_suffix(ending).and_then(|base| base.strip_suffix("ll")) {
            // A short word keeps its two letters: filling a form is not filing it.
            if syllables(base) > 1 && !base.starts_with("re") {
                key = format!("{base}l{ending}");
            }
            break;
        }
    }
    without_u(&key)
}

/// `colour`, `favourite` and `behavioural` without their `u`. One letter before it is too little: `mourning`.
fn without_u(word: &str) -> String {
    match word.find("our").filter(|at| *at > 1) {
        Some(at) => format!("{}{}", &word[..=at], &word[at + 2..]),
        None => word.to_owned(),
    }
}

/// Groups of vowels, which are nearly as many as syllables.
fn syllables(word: &str) -> usize {
    let vowel = |c: char| "aeiouy".contains(c);
    let starts = word.chars().zip(std::iter::once(' ').chain(word.chars()));
    starts.filter(|(c, before)| vowel(*c) && !vowel(*before)).count()
}

/// British endings and what America makes of them; a longer one stands before those it ends in.
const ENDINGS: [(&str, &str); 18] = [
    ("isation", "ization"),
    ("isable", "izable"),
    ("ising", "izing"),
    ("ised", "ized"),
    ("iser", "izer"),
    ("ise", "ize"),
    ("ysing", "yzing"),
    ("ysed", "yzed"),
    ("yser", "yzer"),
    ("yse", "yze"),
    ("ogue", "og"),
    ("ence", "ense"),
    ("gement", "gment"),
    ("tre", "ter"),
    ("tred", "tered"),
    ("bre", "ber"),
    ("gre", "ger"),
    ("vre", "ver"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_of_a_word_have_one_key() {
        for (british, american) in [
            ("organiser", "organizer"),
            ("authorised", "authorized"),
            ("synchronisation", "synchronization"),
            ("analyse", "analyze"),
            ("colour", "color"),
            ("favourite", "favorite"),
            ("behaviour", "behavior"),
            ("neighbouring", "neighboring"),
            ("centre", "center"),
            ("litre", "liter"),
            ("fibre", "fiber"),
            ("cancelled", "canceled"),
            ("labelling", "labeling"),
            ("traveller", "traveler"),
            ("fulfil", "fulfill"),
            ("instalment", "installment"),
            ("licence", "license"),
            ("defence", "defense"),
            ("catalogue", "catalog"),
            ("acknowledgement", "acknowledgment"),
        ] {
            assert_eq!(one_english(british), one_english(american), "{british}");
        }
    }

    #[test]
    fn words_that_only_look_like_two_spellings_keep_their_own_keys() {
        for (one, other) in [
            ("filled", "filed"),
            ("filling", "filing"),
            ("billed", "biled"),
            ("refilled", "refiled"),
            ("mourning", "morning"),
            ("four", "for"),
            ("hence", "tense"),
            ("advice", "advise"),
            ("tore", "toer"),
            ("prise", "price"),
        ] {
            assert_ne!(one_english(one), one_english(other), "{one}");
        }
    }
}
