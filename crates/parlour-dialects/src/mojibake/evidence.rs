//! Whether a person could have written a run of characters that would also be damaged UTF-8.
//!
//! Two or more characters that all turn out to be UTF-8 are no accident. A single one can be: a letter with closing
//! marks behind it, or an opening mark before a letter, is what people write.

use super::table::Table;

/// What stands before and after a run.
type Neighbours = (Option<char>, Option<char>);

/// Marks that people put directly behind a letter.
const BEHIND_LETTERS: &str = "\u{a0}\u{ad}«»‹›“”‘’…–—®©™°ªº¹²³´†‡•";
/// Those of them that end a word, so that no letter follows.
const AT_THE_END: &str = "»›”®©™¹²³†‡";
/// Marks that people put directly before a letter or a sign, among those that begin a character in Mac Roman.
const BEFORE_LETTERS: &str = "«»…\u{a0}–—“”‘’‹›÷€⁄";
/// Capitals of Czech and Slovak that `š` and `ž` can follow.
const BEFORE_CARONS: &str = "ÉÍÓÔÚÝ";
const CARONS: &str = "ŠšŽž";
/// Signs that stand behind a root or an approximation in a formula.
const IN_FORMULAS: &str = "πΩµ∂∑∏∫∞±≤≥≠";

/// Whether nobody would have written this run, so that it must be what the table made of `mended`.
pub(super) fn is_certain(table: Table, run: &str, mended: &str, around: Neighbours) -> bool {
    if mended.chars().nth(1).is_some() {
        return true;
    }
    let mut signs = run.chars();
    let Some(lead) = signs.next() else { return false };
    match table {
        Table::Western => !could_be_western(lead, signs.as_str(), around),
        Table::MacRoman => !could_be_mac_roman(lead, signs.as_str(), around),
    }
}

/// Whether this is an emoji in Mac Roman without its first character, which is for private use and often taken away.
/// A whole word of these three characters does not exist.
pub(super) fn lacks_its_first_byte(run: &str, around: Neighbours) -> bool {
    let mut signs = run.chars();
    let is_emoji = signs.next() == Some('ü') && signs.next().is_some_and(|sign| sign != 'ü' && is_picture(sign));
    let is_word = |sign: Option<char>| sign.is_some_and(|sign| sign.is_ascii_alphanumeric());
    is_emoji && signs.count() == 1 && !is_word(around.0) && !is_word(around.1)
}

/// The blocks of pictures: from U+1F300 to U+1FA7F.
fn is_picture(sign: char) -> bool {
    Table::MacRoman.byte(sign).is_some_and(|byte| (0x8C..=0xA9).contains(&byte))
}

fn could_be_western(lead: char, tail: &str, (before, after): Neighbours) -> bool {
    let goes_on = after.is_some_and(|sign| sign.is_ascii_alphabetic());
    let is_closed = consists_of(tail, BEHIND_LETTERS) && !(goes_on && tail.ends_with(|sign| AT_THE_END.contains(sign)));
    let follows_small = before.is_some_and(|sign| sign.is_ascii_lowercase());
    match lead {
        // These two begin nearly all damage, and stand alone in no language. In capitals they may end a word.
        'Â' | 'Ã' => {
            let ends_capitals = before.is_some_and(|sign| sign.is_ascii_uppercase());
            ends_capitals && is_closed && !after.is_some_and(|sign| sign.is_ascii_alphanumeric())
        }
        '×' | 'ß' => is_closed,
        // Other capitals: they do not follow a small letter.
        'Ä'..='Þ' => {
            let is_czech = BEFORE_CARONS.contains(lead) && consists_of(tail, CARONS);
            (is_closed || is_czech) && !follows_small
        }
        _ => is_closed || consists_of(tail, CARONS),
    }
}

fn could_be_mac_roman(lead: char, tail: &str, (before, after): Neighbours) -> bool {
    let is_letter = |sign: Option<char>| sign.is_some_and(|sign| sign.is_ascii_alphabetic());
    let follows_small = before.is_some_and(|sign| sign.is_ascii_lowercase());
    match lead {
        _ if BEFORE_LETTERS.contains(lead) => true,
        '√' | '≈' | '∆' => {
            consists_of(tail, IN_FORMULAS) && !is_letter(before) && (tail == "π" || !is_letter(after))
        }
        'À' | 'Ã' | 'Õ' | 'Œ' | 'Ÿ' if follows_small => false,
        'À' | 'Ã' | 'Õ' | 'Œ' | 'œ' | 'ÿ' | 'Ÿ' | 'ﬁ' | 'ﬂ' => {
            tail.chars().all(|sign| sign.is_alphabetic() || BEHIND_LETTERS.contains(sign))
        }
        // Estonian puts low marks before a doubled vowel.
        '‚' | '„' => is_doubled(tail),
        _ => false,
    }
}

fn consists_of(text: &str, signs: &str) -> bool {
    text.chars().all(|sign| signs.contains(sign))
}

fn is_doubled(tail: &str) -> bool {
    let mut letters = tail.chars().flat_map(char::to_lowercase);
    let first = letters.next();
    tail.chars().all(char::is_alphabetic) && letters.all(|letter| Some(letter) == first)
}
