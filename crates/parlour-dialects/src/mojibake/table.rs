//! The tables in which UTF-8 is read by mistake: which byte shows as which character.

use std::sync::LazyLock;

/// A table of the 128 characters above ASCII.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Table {
    /// Windows-1252 and Latin-1 in one: they differ in the first 32 characters, where Latin-1 has control characters.
    Western,
    /// The table of old Apple computers.
    MacRoman,
}

/// Windows-1252 from 0x80 to 0x9F. The five bytes that mean nothing there are shown as control characters.
const WINDOWS_1252: &str = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ";

/// Mac Roman from 0x80 to 0xFF. 0xF0 is the apple, which has no character but one for private use.
const MAC_ROMAN: &str = "ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø\
    ¿¡¬√ƒ≈∆«»…\u{a0}ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\u{f8ff}ÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ";

/// The byte of each character, in the order of the characters.
static WINDOWS_1252_BYTES: LazyLock<Vec<(char, u8)>> = LazyLock::new(|| bytes_of(WINDOWS_1252));
static MAC_ROMAN_BYTES: LazyLock<Vec<(char, u8)>> = LazyLock::new(|| bytes_of(MAC_ROMAN));

impl Table {
    /// Both; where a run could be read in either, the first is meant. What it makes of `Ã` and one more character is a
    /// Latin letter, and what Mac Roman makes of it is an accent without a letter.
    pub(super) const ALL: [Self; 2] = [Self::Western, Self::MacRoman];

    /// The byte that shows as this character.
    pub(super) fn byte(self, sign: char) -> Option<u8> {
        let found = |bytes: &[(char, u8)]| {
            bytes.binary_search_by_key(&sign, |(sign, _)| *sign).ok().map(|place| bytes[place].1)
        };
        match self {
            Self::Western => match u32::from(sign) {
                0x80..=0xFF => u8::try_from(u32::from(sign)).ok(),
                _ => found(&WINDOWS_1252_BYTES),
            },
            Self::MacRoman => found(&MAC_ROMAN_BYTES),
        }
    }
}

fn bytes_of(signs: &str) -> Vec<(char, u8)> {
    let mut bytes: Vec<_> = signs.chars().zip(0x80..=u8::MAX).collect();
    bytes.sort_unstable();
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_whole() {
        assert_eq!((WINDOWS_1252.chars().count(), MAC_ROMAN.chars().count()), (32, 128));
        for bytes in [&WINDOWS_1252_BYTES, &MAC_ROMAN_BYTES] {
            assert!(bytes.windows(2).all(|pair| pair[0].0 < pair[1].0), "no character stands twice");
        }
    }

    #[test]
    fn a_byte_is_found_by_its_character() {
        for (sign, western, mac) in [
            ('é', Some(0xE9), Some(0x8E)),
            ('€', Some(0x80), Some(0xDB)),
            ('\u{80}', Some(0x80), None),
            ('\u{f8ff}', None, Some(0xF0)),
            ('ÿ', Some(0xFF), Some(0xD8)),
            ('ˇ', None, Some(0xFF)),
            ('я', None, None),
            ('a', None, None),
        ] {
            assert_eq!((Table::Western.byte(sign), Table::MacRoman.byte(sign)), (western, mac), "{sign}");
        }
    }
}
