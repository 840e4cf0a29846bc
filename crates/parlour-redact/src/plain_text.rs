//! A text as a reader sees it: compatibility forms of ASCII characters, unusual spaces and hyphens are replaced by ordinary
//! ones, and invisible characters are left out. Detectors run over it too, and what they find is mapped back to the original
//! text.

use std::ops::Range;

/// The plain form of a text that is not plain itself.
#[derive(Debug)]
pub(crate) struct PlainText {
    pub(crate) text: String,
    /// For each character of the plain text, its position there and that of its origin. Positions ascend.
    origins: Vec<(usize, usize)>,
    original_len: usize,
}

impl PlainText {
    /// `None` if the text is plain already.
    pub(crate) fn of(original: &str) -> Option<Self> {
        if original.is_ascii() || original.chars().all(|char| plain(char) == PlainChar::Same) {
            return None;
        }
        let mut plain_text =
            Self { text: String::with_capacity(original.len()), origins: Vec::new(), original_len: original.len() };
        for (at, char) in original.char_indices() {
            match plain(char) {
                PlainChar::Same => plain_text.push(at, char),
                PlainChar::As(other) => plain_text.push(at, other),
                PlainChar::Letters(letters) => letters.chars().for_each(|letter| plain_text.push(at, letter)),
                PlainChar::Invisible => {}
            }
        }
        Some(plain_text)
    }

    fn push(&mut self, origin: usize, char: char) {
        self.origins.push((self.text.len(), origin));
        self.text.push(char);
    }

    /// The range of the original text that a range of the plain text comes from. Invisible characters inside and directly
    /// after it are included.
    pub(crate) fn original(&self, range: &Range<usize>) -> Range<usize> {
        let index = self.origins.partition_point(|(at, _)| *at <= range.start).saturating_sub(1);
        let start = self.origins.get(index).map_or(self.original_len, |(_, origin)| *origin);
        let after = self.origins.partition_point(|(at, _)| *at < range.end);
        let last = after.checked_sub(1).and_then(|last| self.origins.get(last)).map_or(start, |(_, origin)| *origin);
        // Several letters can come from one character.
        let end = self.origins[after..].iter().map(|(_, origin)| *origin).find(|origin| *origin > last);
        start..end.unwrap_or(self.original_len)
    }
}

/// What a character looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PlainChar {
    Same,
    As(char),
    Letters(&'static str),
    Invisible,
}

/// Letters of the block Letterlike Symbols, which complete the mathematical alphabets.
const LETTERLIKE: &[(char, char)] = &[
    ('ℂ', 'C'),
    ('ℊ', 'g'),
    ('ℋ', 'H'),
    ('ℌ', 'H'),
    ('ℍ', 'H'),
    ('ℎ', 'h'),
    ('ℐ', 'I'),
    ('ℑ', 'I'),
    ('ℒ', 'L'),
    ('ℓ', 'l'),
    ('ℕ', 'N'),
    ('ℙ', 'P'),
    ('ℚ', 'Q'),
    ('ℛ', 'R'),
    ('ℜ', 'R'),
    ('ℝ', 'R'),
    ('ℤ', 'Z'),
    ('ℨ', 'Z'),
    ('ℬ', 'B'),
    ('ℭ', 'C'),
    ('ℯ', 'e'),
    ('ℰ', 'E'),
    ('ℱ', 'F'),
    ('ℳ', 'M'),
    ('ℴ', 'o'),
];
const LIGATURES: [&str; 7] = ["ff", "fi", "fl", "ffi", "ffl", "st", "st"];
/// The block Small Form Variants from U+FE50; a space for characters that stay.
const SMALL_FORMS: &[u8; 28] = b", . ;:?!-()    #&*+-<>= \\$%@";

fn plain(char: char) -> PlainChar {
    let code = u32::from(char);
    match char {
        '\0'..='\u{7f}' => PlainChar::Same,
        '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}' => PlainChar::Invisible,
        '\u{85}' | '\u{2028}' | '\u{2029}' => PlainChar::As('\n'),
        '\u{2800}' => PlainChar::As(' '),
        char if char.is_whitespace() => PlainChar::As(' '),
        '\u{2010}' | '\u{2011}' | '\u{2212}' => PlainChar::As('-'),
        '\u{ff01}'..='\u{ff5e}' => ascii(code - 0xff01, b'!'),
        '\u{fe50}'..='\u{fe6b}' => small_form(code - 0xfe50),
        '\u{fb00}'..='\u{fb06}' => PlainChar::Letters(LIGATURES[(code - 0xfb00) as usize]),
        '\u{1d400}'..='\u{1d6a3}' => letter((code - 0x1d400) % 52),
        '\u{1d7ce}'..='\u{1d7ff}' => ascii((code - 0x1d7ce) % 10, b'0'),
        '\u{24b6}'..='\u{24e9}' => letter(code - 0x24b6),
        '\u{1f130}'..='\u{1f149}' => letter(code - 0x1f130),
        '\u{1f150}'..='\u{1f169}' => letter(code - 0x1f150),
        '\u{1f170}'..='\u{1f189}' => letter(code - 0x1f170),
        '\u{2460}'..='\u{2468}' => ascii(code - 0x2460, b'1'),
        '\u{24ea}' => PlainChar::As('0'),
        '\u{2070}' | '\u{2074}'..='\u{2079}' => ascii(code - 0x2070, b'0'),
        '\u{2080}'..='\u{2089}' => ascii(code - 0x2080, b'0'),
        '\u{2100}'..='\u{214f}' => letterlike(char),
        _ => PlainChar::Same,
    }
}

fn ascii(offset: u32, first: u8) -> PlainChar {
    char::from_u32(u32::from(first) + offset).map_or(PlainChar::Same, PlainChar::As)
}

/// A letter by its number in `A`–`Z`, `a`–`z`.
fn letter(number: u32) -> PlainChar {
    if number < 26 { ascii(number, b'A') } else { ascii(number - 26, b'a') }
}

fn small_form(offset: u32) -> PlainChar {
    match SMALL_FORMS.get(offset as usize) {
        Some(b' ') | None => PlainChar::Same,
        Some(byte) => PlainChar::As(char::from(*byte)),
    }
}

fn letterlike(char: char) -> PlainChar {
    LETTERLIKE.iter().find(|(like, _)| *like == char).map_or(PlainChar::Same, |(_, letter)| PlainChar::As(*letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain_form(text: &str) -> String {
        PlainText::of(text).map_or_else(|| text.to_owned(), |plain| plain.text)
    }

    #[test]
    fn compatibility_forms_odd_spaces_and_invisible_characters_become_plain() {
        for (text, expected) in [
            ("ＡＫＩＡ１２", "AKIA12"),
            ("PASSWORD\u{a0}:\u{2009}x", "PASSWORD : x"),
            ("pass\u{200b}wo\u{ad}rd", "password"),
            ("𝐩𝐚𝐬𝐬 𝟙𝟚 ℎⓘ🅰 ﬁx", "pass 12 hiA fix"),
            ("a‑b−c﹕d＠e", "a-b-c:d@e"),
            ("a\u{2028}b", "a\nb"),
            ("Größe – “naïve” 日本語 …", "Größe – “naïve” 日本語 …"),
        ] {
            assert_eq!(plain_form(text), expected);
        }
    }

    #[test]
    fn a_range_of_the_plain_text_is_mapped_back_to_whole_characters() {
        let text = "x Ａ\u{200b}Ｂ\u{200b} ﬁé";
        let plain = PlainText::of(text).expect("not plain");
        assert_eq!(plain.text, "x AB fié");
        let original = |range: Range<usize>| &text[plain.original(&range)];
        assert_eq!(original(2..4), "Ａ\u{200b}Ｂ\u{200b}");
        assert_eq!(original(0..1), "x");
        assert_eq!((original(5..6), original(6..7), original(5..7)), ("ﬁ", "ﬁ", "ﬁ"));
        assert_eq!(original(7..9), "é");
        assert_eq!(original(0..9), text);
    }
}
