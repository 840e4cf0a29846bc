//! The shape of a value: character counts, entropy, words, identifiers.

/// The number of characters of each class in a value.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CharCounts {
    pub(crate) lower: usize,
    pub(crate) upper: usize,
    pub(crate) digits: usize,
    pub(crate) symbols: usize,
    /// Letters and digits that are not ASCII.
    pub(crate) non_ascii: usize,
}

impl CharCounts {
    pub(crate) fn of(value: &str) -> Self {
        let mut counts = Self::default();
        for char in value.chars() {
            match char {
                'a'..='z' => counts.lower += 1,
                'A'..='Z' => counts.upper += 1,
                '0'..='9' => counts.digits += 1,
                _ if char.is_alphanumeric() => counts.non_ascii += 1,
                _ => counts.symbols += 1,
            }
        }
        counts
    }

    pub(crate) fn letters(self) -> usize {
        self.lower + self.upper + self.non_ascii
    }

    pub(crate) fn all(self) -> usize {
        self.letters() + self.digits + self.symbols
    }
}

/// The Shannon entropy of a value in hundredths of a bit per byte: 300 means three bits.
pub(crate) fn entropy(value: &str) -> u32 {
    let mut counts = [0_u32; 256];
    value.bytes().for_each(|byte| counts[usize::from(byte)] += 1);
    let len = value.len().max(1) as f64;
    let bits: f64 =
        counts.iter().filter(|count| **count > 0).map(|count| f64::from(*count) / len).map(|p| -p * p.log2()).sum();
    (bits * 100.0) as u32
}

/// Whether a value looks random: letters and digits mixed, few repeats, no words.
pub(crate) fn is_random(value: &str) -> bool {
    let counts = CharCounts::of(value);
    let has_both = counts.digits > 0 && counts.letters() > 0;
    let is_long_mix = counts.upper > 1 && counts.lower > 1 && value.len() >= 16 && !is_words(value);
    counts.all() >= 8 && (has_both || is_long_mix) && entropy(value) >= 240 && !is_name_with_number(value)
}

/// Whether a value consists of words like an identifier: `app-config-prod`, `MY_TOKEN`, `userName`.
pub(crate) fn is_words(value: &str) -> bool {
    let mut parts = value.split(['-', '_', '.', '/', ':', ' ']).filter(|part| !part.is_empty()).peekable();
    parts.peek().is_some() && parts.all(|part| part.chars().all(char::is_alphabetic) && is_word(part))
}

/// One word in one case, or words in camel case of two letters or more each.
fn is_word(part: &str) -> bool {
    let counts = CharCounts::of(part);
    if counts.upper == 0 || counts.lower == 0 {
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

/// Words with numbers at their ends, like names of machines and in code: `user_2`, `v1-beta`, `worker-03`, `sha256`.
pub(crate) fn is_name_with_number(value: &str) -> bool {
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

/// Whether a value is a UUID.
pub(crate) fn is_uuid(value: &str) -> bool {
    let mut lens = [8, 4, 4, 4, 12].into_iter();
    value.split('-').all(|group| lens.next() == Some(group.len()) && group.bytes().all(|byte| byte.is_ascii_hexdigit()))
        && lens.next().is_none()
}

/// Whether a value is an id of Parlour: two or three letters, an underscore and 26 characters of Base32.
pub(crate) fn is_own_id(value: &str) -> bool {
    let Some((prefix, rest)) = value.split_once('_') else { return false };
    (2..=3).contains(&prefix.len())
        && prefix.bytes().all(|byte| byte.is_ascii_lowercase())
        && rest.len() == 26
        && rest.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase())
}

/// The last character boundary at or before `at`.
pub(crate) fn char_boundary_before(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
