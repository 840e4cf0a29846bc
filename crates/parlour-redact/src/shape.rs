//! What a value looks like: random, made of words, a name in code.

/// What a value is made of.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Makeup {
    pub(super) lower: usize,
    pub(super) upper: usize,
    pub(super) digits: usize,
    pub(super) signs: usize,
    /// Letters beyond ASCII.
    pub(super) foreign: usize,
}

impl Makeup {
    pub(super) fn of(value: &str) -> Self {
        let mut makeup = Self::default();
        for char in value.chars() {
            match char {
                'a'..='z' => makeup.lower += 1,
                'A'..='Z' => makeup.upper += 1,
                '0'..='9' => makeup.digits += 1,
                _ if char.is_alphanumeric() => makeup.foreign += 1,
                _ => makeup.signs += 1,
            }
        }
        makeup
    }

    pub(super) fn letters(self) -> usize {
        self.lower + self.upper + self.foreign
    }

    pub(super) fn all(self) -> usize {
        self.letters() + self.digits + self.signs
    }
}

/// Bits of each character, as often as they occur in the value itself, in hundredths: 300 means three bits.
pub(super) fn entropy(value: &str) -> u32 {
    let mut counts = [0_u32; 256];
    value.bytes().for_each(|byte| counts[usize::from(byte)] += 1);
    let len = value.len().max(1) as f64;
    let bits: f64 =
        counts.iter().filter(|count| **count > 0).map(|count| f64::from(*count) / len).map(|p| -p * p.log2()).sum();
    (bits * 100.0) as u32
}

/// Whether a value looks drawn by lot: letters and digits mixed, few repeats, no words.
pub(super) fn is_random(value: &str) -> bool {
    let makeup = Makeup::of(value);
    let has_both = makeup.digits > 0 && makeup.letters() > 0;
    let is_long_mix = makeup.upper > 1 && makeup.lower > 1 && value.len() >= 16 && !is_words(value);
    makeup.all() >= 8 && (has_both || is_long_mix) && entropy(value) >= 240 && !is_name_with_number(value)
}

/// Whether it is letters in words, separated as in names: `app-config-prod`, `MY_TOKEN`, `userName`.
pub(super) fn is_words(value: &str) -> bool {
    let mut parts = value.split(['-', '_', '.', '/', ':', ' ']).filter(|part| !part.is_empty()).peekable();
    parts.peek().is_some() && parts.all(|part| part.chars().all(char::is_alphabetic) && is_word(part))
}

/// One word, or some with capital letters in between: humps are two letters or more, or all is in capital letters.
fn is_word(part: &str) -> bool {
    let makeup = Makeup::of(part);
    if makeup.upper == 0 || makeup.lower == 0 {
        return part.len() <= 24;
    }
    let mut hump = 0_usize;
    let mut humps = 0_usize;
    for char in part.chars() {
        if char.is_uppercase() {
            if hump == 1 && humps > 1 {
                return false;
            }
            humps += 1;
            hump = 0;
        }
        hump += 1;
    }
    humps * 3 <= part.chars().count() + 2
}

/// Words with a number at an end, as names in code and of machines have: `user_2`, `v1-beta`, `worker-03`, `sha256`.
pub(super) fn is_name_with_number(value: &str) -> bool {
    let mut digits = 0;
    let mut parts = 0;
    let are_plain = value.split(['-', '_', '.', '/', ':']).all(|part| {
        parts += 1;
        let letters = part.trim_end_matches(|char: char| char.is_ascii_digit());
        digits += part.len() - letters.len();
        let is_one_case = !letters.bytes().any(|byte| byte.is_ascii_uppercase())
            || !letters.bytes().any(|byte| byte.is_ascii_lowercase());
        letters.chars().all(char::is_alphabetic) && is_one_case && part.len() - letters.len() <= 3
    });
    are_plain && (parts > 1 || value.len() < 12) && digits <= 4
}

/// Five groups of hexadecimal digits: 8, 4, 4, 4 and 12.
pub(super) fn is_uuid(value: &str) -> bool {
    let mut lens = [8, 4, 4, 4, 12].into_iter();
    value.split('-').all(|group| lens.next() == Some(group.len()) && group.bytes().all(|byte| byte.is_ascii_hexdigit()))
        && lens.next().is_none()
}

/// Ids of the hub: three letters, an underscore, 26 signs of Crockford's alphabet.
pub(super) fn is_own_id(value: &str) -> bool {
    let Some((prefix, rest)) = value.split_once('_') else { return false };
    (2..=3).contains(&prefix.len())
        && prefix.bytes().all(|byte| byte.is_ascii_lowercase())
        && rest.len() == 26
        && rest.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase())
}
