//! Detects and repairs texts that were read in a wrong encoding.
//!
//! UTF-8 that was decoded as Windows-1252, Latin-1 or Mac Roman has several characters for one: `cafÃ©`, `caf√©`. A
//! run of such characters is repaired if all of it, encoded back to bytes, is valid UTF-8. Some correct texts pass
//! that test too, such as `„Spaß“` or `l’été`; [`is_certain`] therefore checks whether a person could have written the
//! run. Correct texts stay unchanged; in doubt, damaged ones do too.

use std::{ops::Range, sync::LazyLock};

use serde_json::Value;

/// The maximum number of repairs of one text: some were decoded wrongly more than once.
const ROUNDS: usize = 3;

/// Repairs a text that is UTF-8 decoded as Mac Roman, Windows-1252 or Latin-1; none if there is nothing to repair.
pub fn repair(text: &str) -> Option<String> {
    let mut repaired = None;
    for _ in 0..ROUNDS {
        match repair_once(repaired.as_deref().unwrap_or(text)) {
            Some(next) => repaired = Some(next),
            None => break,
        }
    }
    repaired
}

/// Repairs all texts of a value except keys; returns their number.
pub fn repair_value(value: &mut Value) -> usize {
    match value {
        Value::String(text) => repair(text).map_or(0, |repaired| {
            *text = repaired;
            1
        }),
        Value::Array(items) => items.iter_mut().map(repair_value).sum(),
        Value::Object(fields) => fields.values_mut().map(repair_value).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

/// The decoding of a run in one table.
struct DecodedRun {
    repaired: String,
    /// Whether a person cannot have meant the run itself.
    is_certain: bool,
}

/// A run and its decodings, in the order of [`Table::ALL`].
struct SuspectRun {
    range: Range<usize>,
    decodings: [Option<DecodedRun>; 2],
}

fn repair_once(text: &str) -> Option<String> {
    let suspects = suspect_runs(text);
    let is_certain = |decoding: &&DecodedRun| decoding.is_certain;
    // A certain run shows which table was used; other runs of that table then are certain too.
    let was_used = [0, 1].map(|table: usize| {
        suspects.iter().any(|suspect| suspect.decodings[table].as_ref().is_some_and(|decoding| decoding.is_certain))
    });
    let mut out = String::new();
    let mut copied = 0;
    for suspect in &suspects {
        let decodings = || suspect.decodings.iter().flatten();
        let of_used =
            || [0, 1].into_iter().filter(|table| was_used[*table]).find_map(|table| suspect.decodings[table].as_ref());
        if let Some(decoding) = decodings().find(is_certain).or_else(of_used) {
            out.push_str(&text[copied..suspect.range.start]);
            out.push_str(&decoding.repaired);
            copied = suspect.range.end;
        }
    }
    (copied > 0).then(|| out + &text[copied..])
}

/// All runs that could be damaged.
fn suspect_runs(text: &str) -> Vec<SuspectRun> {
    let mut suspects = Vec::new();
    let mut end = 0;
    while let Some(offset) = text[end..].find(|character: char| !character.is_ascii()) {
        let start = end + offset;
        let length = text[start..].find(|character: char| character.is_ascii()).unwrap_or(text.len() - start);
        end = start + length;
        let run = &text[start..end];
        // Both neighbours are ASCII, otherwise the run would be longer.
        let around = (text[..start].chars().next_back(), text[end..].chars().next());
        let decodings = Table::ALL.map(|table| decode_run(table, run, around));
        if decodings.iter().any(Option::is_some) {
            suspects.push(SuspectRun { range: start..end, decodings });
        }
    }
    suspects
}

fn decode_run(table: Table, run: &str, around: (Option<char>, Option<char>)) -> Option<DecodedRun> {
    let mut bytes = Vec::new();
    if table == Table::MacRoman && lacks_its_first_byte(run, around) {
        bytes.push(0xF0);
    }
    for character in run.chars() {
        bytes.push(table.byte(character)?);
        // Most correct texts end here, by their first character.
        if matches!(bytes[0], 0x80..=0xC1 | 0xF5..) {
            return None;
        }
    }
    let repaired = String::from_utf8(bytes).ok()?;
    let is_certain = is_certain(table, run, &repaired, around);
    Some(DecodedRun { repaired, is_certain })
}

/// The characters before and after a run.
type Neighbours = (Option<char>, Option<char>);

/// Punctuation that people write directly after a letter.
const BEHIND_LETTERS: &str = "\u{a0}\u{ad}«»‹›“”‘’…–—®©™°ªº¹²³´†‡•";
/// The part of it that ends a word.
const AT_THE_END: &str = "»›”®©™¹²³†‡";
/// Punctuation that people write directly before a letter, among the lead characters of Mac Roman.
const BEFORE_LETTERS: &str = "«»…\u{a0}–—“”‘’‹›÷€⁄";
/// Czech and Slovak capitals that `š` and `ž` can follow.
const BEFORE_CARONS: &str = "ÉÍÓÔÚÝ";
const CARONS: &str = "ŠšŽž";
/// Characters after a root or approximation sign in formulas.
const IN_FORMULAS: &str = "πΩµ∂∑∏∫∞±≤≥≠";

/// Whether a person cannot have meant this run. Two or more decoded characters are no coincidence; a single one can be.
pub(super) fn is_certain(table: Table, run: &str, repaired: &str, around: Neighbours) -> bool {
    if repaired.chars().nth(1).is_some() {
        return true;
    }
    let mut characters = run.chars();
    let Some(lead) = characters.next() else { return false };
    match table {
        Table::Western => !could_be_western(lead, characters.as_str(), around),
        Table::MacRoman => !could_be_mac_roman(lead, characters.as_str(), around),
    }
}

/// Whether this is an emoji in Mac Roman without its first character, which is for private use and often removed. No
/// word consists of these three characters.
pub(super) fn lacks_its_first_byte(run: &str, around: Neighbours) -> bool {
    let mut characters = run.chars();
    let is_emoji = characters.next() == Some('ü')
        && characters.next().is_some_and(|character| character != 'ü' && is_picture(character));
    let is_word = |character: Option<char>| character.is_some_and(|character| character.is_ascii_alphanumeric());
    is_emoji && characters.count() == 1 && !is_word(around.0) && !is_word(around.1)
}

/// The picture blocks: U+1F300 to U+1FA7F.
fn is_picture(character: char) -> bool {
    Table::MacRoman.byte(character).is_some_and(|byte| (0x8C..=0xA9).contains(&byte))
}

fn could_be_western(lead: char, tail: &str, (before, after): Neighbours) -> bool {
    let goes_on = after.is_some_and(|character| character.is_ascii_alphabetic());
    let is_closed =
        consists_of(tail, BEHIND_LETTERS) && !(goes_on && tail.ends_with(|character| AT_THE_END.contains(character)));
    let follows_small = before.is_some_and(|character| character.is_ascii_lowercase());
    match lead {
        // These two start nearly all damage and occur alone in no language. In capitals they may end a word.
        'Â' | 'Ã' => {
            let ends_capitals = before.is_some_and(|character| character.is_ascii_uppercase());
            ends_capitals && is_closed && !after.is_some_and(|character| character.is_ascii_alphanumeric())
        }
        '×' | 'ß' => is_closed,
        // Other capitals do not follow a lower-case letter.
        'Ä'..='Þ' => {
            let is_czech = BEFORE_CARONS.contains(lead) && consists_of(tail, CARONS);
            (is_closed || is_czech) && !follows_small
        }
        _ => is_closed || consists_of(tail, CARONS),
    }
}

fn could_be_mac_roman(lead: char, tail: &str, (before, after): Neighbours) -> bool {
    let is_letter = |character: Option<char>| character.is_some_and(|character| character.is_ascii_alphabetic());
    let follows_small = before.is_some_and(|character| character.is_ascii_lowercase());
    match lead {
        _ if BEFORE_LETTERS.contains(lead) => true,
        '√' | '≈' | '∆' => {
            consists_of(tail, IN_FORMULAS) && !is_letter(before) && (tail == "π" || !is_letter(after))
        }
        'À' | 'Ã' | 'Õ' | 'Œ' | 'Ÿ' if follows_small => false,
        'À' | 'Ã' | 'Õ' | 'Œ' | 'œ' | 'ÿ' | 'Ÿ' | 'ﬁ' | 'ﬂ' => {
            tail.chars().all(|character| character.is_alphabetic() || BEHIND_LETTERS.contains(character))
        }
        // Estonian puts low quotation marks before a doubled vowel.
        '‚' | '„' => is_doubled(tail),
        _ => false,
    }
}

fn consists_of(text: &str, characters: &str) -> bool {
    text.chars().all(|character| characters.contains(character))
}

fn is_doubled(tail: &str) -> bool {
    let mut letters = tail.chars().flat_map(char::to_lowercase);
    let first = letters.next();
    tail.chars().all(char::is_alphabetic) && letters.all(|letter| Some(letter) == first)
}

/// A table of the 128 characters above ASCII.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Table {
    /// Windows-1252 and Latin-1: they differ in the first 32 characters, where Latin-1 has control characters.
    Western,
    MacRoman,
}

/// Windows-1252 from 0x80 to 0x9F. The five undefined bytes are control characters.
const WINDOWS_1252: &str = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ";

/// Mac Roman from 0x80 to 0xFF. 0xF0 is the Apple logo, a private-use character.
const MAC_ROMAN: &str = "ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø\
    ¿¡¬√ƒ≈∆«»…\u{a0}ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\u{f8ff}ÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ";

/// The byte of each character, sorted by character.
static WINDOWS_1252_BYTES: LazyLock<Vec<(char, u8)>> = LazyLock::new(|| bytes_of(WINDOWS_1252));
static MAC_ROMAN_BYTES: LazyLock<Vec<(char, u8)>> = LazyLock::new(|| bytes_of(MAC_ROMAN));

impl Table {
    /// Both tables. The first has priority: it decodes `Ã` and one more character to a Latin letter, Mac Roman to an
    /// accent without a letter.
    pub(super) const ALL: [Self; 2] = [Self::Western, Self::MacRoman];

    /// The byte of a character.
    pub(super) fn byte(self, character: char) -> Option<u8> {
        let found = |bytes: &[(char, u8)]| {
            bytes.binary_search_by_key(&character, |(character, _)| *character).ok().map(|range| bytes[range].1)
        };
        match self {
            Self::Western => match u32::from(character) {
                0x80..=0xFF => u8::try_from(u32::from(character)).ok(),
                _ => found(&WINDOWS_1252_BYTES),
            },
            Self::MacRoman => found(&MAC_ROMAN_BYTES),
        }
    }
}

fn bytes_of(characters: &str) -> Vec<(char, u8)> {
    let mut bytes: Vec<_> = characters.chars().zip(0x80..=u8::MAX).collect();
    bytes.sort_unstable();
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_encoding_tables_are_complete() {
        assert_eq!((WINDOWS_1252.chars().count(), MAC_ROMAN.chars().count()), (32, 128));
        for bytes in [&WINDOWS_1252_BYTES, &MAC_ROMAN_BYTES] {
            assert!(bytes.windows(2).all(|pair| pair[0].0 < pair[1].0), "each character occurs once");
        }
    }

    #[test]
    fn a_byte_is_found_by_its_character() {
        for (character, western, mac) in [
            ('é', Some(0xE9), Some(0x8E)),
            ('€', Some(0x80), Some(0xDB)),
            ('\u{80}', Some(0x80), None),
            ('\u{f8ff}', None, Some(0xF0)),
            ('ÿ', Some(0xFF), Some(0xD8)),
            ('ˇ', None, Some(0xFF)),
            ('я', None, None),
            ('a', None, None),
        ] {
            assert_eq!(
                (Table::Western.byte(character), Table::MacRoman.byte(character)),
                (western, mac),
                "{character}"
            );
        }
    }
}
