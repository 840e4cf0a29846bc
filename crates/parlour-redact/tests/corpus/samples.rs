//! The notation of samples: no file of the repository contains anything that looks like a secret to a scanner.
//!
//! `‹hex 32›` stands for 32 made-up characters of an alphabet, `‹uuid›` and `‹jwt›` for made-up values, `‹b64of text›` and
//! `‹hexof text›` for an encoded text. `¦` cuts a prefix and is removed. `«…»` encloses what must be redacted.

use std::ops::Range;

use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};

pub const ALNUM: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
pub const HEX: &str = "0123456789abcdef";
pub const LOW: &str = "abcdefghijklmnopqrstuvwxyz0123456789";
pub const B64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
pub const DIGIT: &str = "0123456789";

/// A text and the ranges that must be redacted.
pub struct Sample {
    pub text: String,
    pub secrets: Vec<Range<usize>>,
}

impl Sample {
    /// Reads the notation. The same notation always gives the same text.
    pub fn read(notation: &str) -> Self {
        let seed = notation.bytes().fold(7, |sum: u64, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte)));
        Self::read_with(notation, &mut RandomChars::new(seed))
    }

    /// The same with characters of a given source.
    pub fn read_with(notation: &str, chars: &mut RandomChars) -> Self {
        let mut sample = Self { text: String::new(), secrets: Vec::new() };
        let mut rest = notation;
        while let Some(char) = rest.chars().next() {
            rest = &rest[char.len_utf8()..];
            match char {
                '‹' => {
                    let (what, after) = rest.split_once('›').unwrap_or_else(|| panic!("`‹` without `›` in {notation}"));
                    sample.text += &chars.made_up(what);
                    rest = after;
                }
                '«' => sample.secrets.push(sample.text.len()..usize::MAX),
                '»' => sample.secrets.last_mut().expect("`«` comes before `»`").end = sample.text.len(),
                '¦' => {}
                _ => sample.text.push(char),
            }
        }
        sample
    }
}

/// A source of characters that look random and are the same each time.
pub struct RandomChars(u64);

impl RandomChars {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// So many characters of an alphabet.
    pub fn of(&mut self, alphabet: &str, len: usize) -> String {
        let chars = alphabet.as_bytes();
        (0..len).map(|_| char::from(chars[(self.next() >> 20) as usize % chars.len()])).collect()
    }

    fn made_up(&mut self, what: &str) -> String {
        let (name, rest) = what.split_once(' ').unwrap_or((what, ""));
        let url: &str = &[ALNUM, "_-"].concat();
        let alphabet = match name {
            "uuid" => return [8, 4, 4, 4, 12].map(|len| self.of(HEX, len)).join("-"),
            "jwt" => return self.jwt(),
            "b64of" => return STANDARD.encode(rest),
            "hexof" => return rest.bytes().map(|byte| format!("{byte:02x}")).collect(),
            "alnum" => ALNUM,
            "upper" => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
            "caps" => "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
            "hex" => HEX,
            "low" => LOW,
            "b64" => B64,
            "digit" => DIGIT,
            "url" => url,
            other => panic!("unknown alphabet: {other}"),
        };
        self.of(alphabet, rest.parse().unwrap_or_else(|_| panic!("a number of characters is missing: {what}")))
    }

    fn jwt(&mut self) -> String {
        let part = |json: String| URL_SAFE_NO_PAD.encode(json);
        let head = part(r#"{"alg":"RS256","typ":"JWT","kid":"k1"}"#.to_owned());
        let claims = part(format!(r#"{{"iss":"acme","sub":"{}","exp":1799999999}}"#, self.of(DIGIT, 8)));
        format!("{head}.{claims}.{}", self.of(ALNUM, 86))
    }
}
