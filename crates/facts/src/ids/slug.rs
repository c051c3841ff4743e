//! The readable half of the names of a feature's folder and branch.
//!
//! Latin letters lose their marks. Letters of other scripts stay: git, file systems and terminals take them, and a reader
//! of that script knows the feature by them. Start at [`slug`].

use crate::harmless::is_harmful;
use crate::prelude::*;

const WORDS_MAX: usize = 6;
const CHARS_MAX: usize = 48;
/// Where a name is written with three signs for each byte, it must still be one that file systems take.
pub const SLUG_BYTES_MAX: usize = 72;

/// Lower-case words joined by dashes; `feature` where an idea has neither letters nor digits.
pub fn slug(idea: &str) -> String {
    let mut out = String::new();
    let words = idea.split(|c: char| !is_part(c)).map(plain).filter(|word| !word.is_empty());
    for word in words.take(WORDS_MAX) {
        let longer = if out.is_empty() { word } else { format!("{out}-{word}") };
        if !out.is_empty() && (longer.chars().count() > CHARS_MAX || longer.len() > SLUG_BYTES_MAX) {
            break;
        }
        out = longer;
    }
    if out.is_empty() { "feature".to_owned() } else { out }
}

/// Whether a name is a slug: lower-case letters and digits of any script, and dashes inside.
pub fn is_slug(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with('-')
        && name.chars().all(|c| c == '-' || is_part(c) && !is_left_out(c) && c.to_lowercase().eq([c]))
}

/// A word with small plain letters, as much of it as a slug takes.
fn plain(word: &str) -> String {
    let mut out = String::new();
    for letter in word.chars().flat_map(char::to_lowercase).filter(|c| !is_left_out(*c)).take(CHARS_MAX) {
        match LATIN.iter().find(|(_, marked)| marked.contains(letter)) {
            Some((letters, _)) => out.push_str(letters),
            None => out.push(narrow(letter)),
        }
    }
    // Two letters may have come from one.
    let mut bytes = 0;
    let fits = |letter: &char| {
        bytes += letter.len_utf8();
        bytes <= SLUG_BYTES_MAX
    };
    out.chars().take(CHARS_MAX).take_while(fits).collect()
}

/// East Asian keyboards also write Latin letters and digits as wide as their own.
fn narrow(letter: char) -> char {
    const WIDER_BY: u32 = 0xfee0;
    match letter {
        '０'..='９' | 'ａ'..='ｚ' => char::from_u32(u32::from(letter) - WIDER_BY).unwrap_or(letter),
        other => other,
    }
}

fn is_part(c: char) -> bool {
    // Some that count as letters are not seen.
    (c.is_alphanumeric() || is_left_out(c) || joins(c)) && !is_harmful(c)
}

/// Marks without which a word can be read: accents that were typed apart from their letters, and the points of Hebrew and
/// Arabic.
fn is_left_out(c: char) -> bool {
    matches!(c,
        '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5bd}' | '\u{5bf}' | '\u{610}'..='\u{61a}' | '\u{64b}'..='\u{65f}'
        | '\u{670}' | '\u{3099}' | '\u{309a}')
}

/// Signs inside words of South and South-East Asian scripts that are neither letters nor digits.
fn joins(c: char) -> bool {
    matches!(c,
        '\u{93c}' | '\u{94d}' | '\u{9bc}' | '\u{9cd}' | '\u{a3c}' | '\u{a4d}' | '\u{abc}' | '\u{acd}' | '\u{b3c}'
        | '\u{b4d}' | '\u{bcd}' | '\u{c4d}' | '\u{cbc}' | '\u{ccd}' | '\u{d4d}' | '\u{dca}' | '\u{e47}'..='\u{e4e}'
        | '\u{ec8}'..='\u{ecc}' | '\u{1037}' | '\u{1039}' | '\u{103a}' | '\u{17c9}'..='\u{17d3}')
}

/// Small Latin letters that are not ASCII, behind what is written for them.
const LATIN: [(&str, &str); 30] = [
    ("a", "àáâãäåāăąǎǟǡǻȁȃȧḁạảấầẩẫậắằẳẵặ"),
    ("ae", "æǣǽ"),
    ("b", "ḃḅḇ"),
    ("c", "çćĉċčḉ"),
    ("d", "ďḋḍḏḑḓđð"),
    ("e", "èéêëēĕėęěȅȇȩḕḗḙḛḝẹẻẽếềểễệə"),
    ("f", "ḟƒ"),
    ("g", "ĝğġģǧǵḡ"),
    ("h", "ĥȟḣḥḧḩḫẖħ"),
    ("i", "ìíîïĩīĭįǐȉȋḭḯỉịı"),
    ("ij", "ĳ"),
    ("j", "ĵǰ"),
    ("k", "ķǩḱḳḵ"),
    ("l", "ĺļľḷḹḻḽł"),
    ("m", "ḿṁṃ"),
    ("n", "ñńņňǹṅṇṉṋŋ"),
    ("o", "òóôõöōŏőơǒǫǭȍȏȫȭȯȱṍṏṑṓọỏốồổỗộớờởỡợøǿ"),
    ("oe", "œ"),
    ("p", "ṕṗ"),
    ("r", "ŕŗřȑȓṙṛṝṟ"),
    ("s", "śŝşšșṡṣṥṧṩſ"),
    ("ss", "ß"),
    ("t", "ţťțṫṭṯṱẗŧ"),
    ("th", "þ"),
    ("u", "ùúûüũūŭůűųưǔǖǘǚǜȕȗṳṵṷṹṻụủứừửữự"),
    ("v", "ṽṿ"),
    ("w", "ŵẁẃẅẇẉẘ"),
    ("x", "ẋẍ"),
    ("y", "ýÿŷȳẏẙỳỵỷỹ"),
    ("z", "źżžẑẓẕ"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_slug_is_short_lower_case_and_never_empty() {
        for (idea, expected) in [
            ("Add *rate* limits: 3 per key!", "add-rate-limits-3-per-key"),
            ("one two three four five six seven", "one-two-three-four-five-six"),
            ("", "feature"),
            // Capitals that have no small letter.
            ("\u{1d400}", "\u{1d400}"),
            ("🚀 …", "feature"),
        ] {
            assert_eq!(slug(idea), expected);
        }
        assert_eq!(slug(&"x".repeat(200)).len(), CHARS_MAX);
        assert_eq!(slug(&"ß".repeat(200)).len(), CHARS_MAX);
        assert_eq!(slug(&"検".repeat(200)).len(), SLUG_BYTES_MAX);
        assert_eq!(
            slug("Добавить постраничную навигацию каталога товаров"),
            "добавить-постраничную-навигацию"
        );
    }

    #[test]
    fn latin_letters_lose_their_marks_and_other_scripts_stay() {
        for (idea, expected) in [
            ("Résumé für Größe & Œuvre", "resume-fur-grosse-oeuvre"),
            ("Re\u{301}sume\u{301}", "resume"),
            ("Þórður İstanbul Łódź Tiếng Việt", "thordur-istanbul-lodz-tieng-viet"),
            ("Список задач", "список-задач"),
            ("ΛΊΣΤΑ εργασιών", "λίστα-εργασιών"),
            ("検索を速く", "検索を速く"),
            ("ＡＰＩ　１２", "api-12"),
            ("بَحْث سريع", "بحث-سريع"),
            ("हिन्दी में खोज", "हिन्दी-में-खोज"),
            ("검색 API를 빠르게", "검색-api를-빠르게"),
            // What would turn the text around or hide in it is no part of it.
            ("a\u{202e}b\u{200b}c", "a-b-c"),
            ("\u{3164}", "feature"),
        ] {
            assert_eq!(slug(idea), expected, "{idea}");
        }
    }

    #[test]
    fn what_could_be_an_option_a_path_or_two_spellings_is_no_slug() {
        for name in
            ["", "-x", "../up", "a b", "Größe", "a\u{301}", "x.lock", "a~b", "a/b", "a\u{202e}b", "\u{3164}"]
        {
            assert!(!is_slug(name), "{name}");
        }
        for name in ["a", "rate-limits-3", "größe", "список-задач", "हिन्दी"] {
            assert!(is_slug(name), "{name}");
        }
    }

    proptest! {
        #[test]
        fn whatever_the_idea_its_slug_is_one_and_is_its_own_slug(idea in "\\PC{0,80}") {
            let slug_of = slug(&idea);
            prop_assert!(is_slug(&slug_of) && !slug_of.ends_with('-'), "{slug_of:?}");
            prop_assert!(slug_of.chars().count() <= CHARS_MAX && slug_of.len() <= SLUG_BYTES_MAX, "{slug_of:?}");
            prop_assert_eq!(slug(&slug_of), slug_of);
        }
    }
}
