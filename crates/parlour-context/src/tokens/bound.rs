//! A bound for models whose table is not at hand: the count by `o200k`, raised piece by piece.
//!
//! One factor for all texts would be too low for some and too high for most: tables differ little in plain words, and
//! much in digits, signs, code and scripts that are not Latin. So letters are raised by a factor that depends on their
//! script, and everything else is counted nearly byte by byte, which is the most that any byte-level table gives.

use std::{iter::Sum, ops::Add};

/// Models whose tables are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    /// Anthropic's. Plain English costs them about a sixth more than `o200k` says, code about a third; newer models up
    /// to a third more than that.
    Claude,
    /// Google's: a quarter of a million tokens, each digit alone.
    Gemini,
    /// Others with more than a hundred thousand tokens.
    Large,
    /// All the others, down to tables of 32,000 tokens which spell foreign scripts in bytes.
    Unknown,
}

/// What a part of a text costs. The costs of parts can be added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// Its count by a table; no bound is lower.
    pub(super) by_table: u64,
    /// That count, raised, in thousandths.
    raised: u64,
    bytes: u64,
}

impl Part {
    /// A part whose table is at hand: nothing is raised.
    pub(super) fn exact(by_table: u64) -> Self {
        Self { by_table, raised: 0, bytes: 0 }
    }

    /// The bound for a text of these parts; never more than any byte-level table gives: a token for each byte, and one
    /// at the beginning.
    pub(super) fn bound(self) -> u64 {
        let by_bytes = if self.bytes == 0 { 0 } else { self.bytes + 1 };
        (self.raised() + START).min(by_bytes)
    }

    /// Its raised count in whole tokens.
    pub(super) fn raised(self) -> u64 {
        self.raised.div_ceil(TOKEN)
    }
}

impl Add for Part {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let (by_table, raised) = (self.by_table + other.by_table, self.raised + other.raised);
        Self { by_table, raised, bytes: self.bytes + other.bytes }
    }
}

impl Sum for Part {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::default(), Self::add)
    }
}

/// What the letters of a piece are multiplied with, in thousandths, and how many blanks make a token.
struct Raise {
    plain: u64,
    capitals: u64,
    two_bytes: u64,
    more_bytes: u64,
    blanks: u64,
}

/// One token, in thousandths.
const TOKEN: u64 = 1_000;
/// Tokens that are added to every text: one that some tables put at the beginning, and one for what does not average out
/// in a text of few words.
const START: u64 = 2;
/// A factor beyond what a piece has in bytes.
const ALL_BYTES: u64 = 1_000_000;

impl Family {
    fn raise(self) -> Raise {
        match self {
            Self::Claude => Raise { plain: 1_650, capitals: 2_200, two_bytes: 2_500, more_bytes: 4_000, blanks: 2 },
            Self::Gemini => Raise { plain: 1_250, capitals: 1_900, two_bytes: 1_700, more_bytes: 2_200, blanks: 4 },
            Self::Large => Raise { plain: 1_250, capitals: 1_900, two_bytes: 2_200, more_bytes: 3_000, blanks: 4 },
            Self::Unknown => {
                Raise { plain: 1_700, capitals: 2_200, two_bytes: 2_500, more_bytes: ALL_BYTES, blanks: 1 }
            }
        }
    }
}

/// What a text costs models of this family. The pieces are those of the table, so that each byte is counted once.
pub(super) fn of(family: Family, text: &str) -> Part {
    let table = bpe_openai::o200k_base();
    let raise = family.raise();
    let piece = |piece: &str| {
        let by_table = table.bpe.count(piece.as_bytes()) as u64;
        Part { by_table, raised: raised_piece(piece, by_table * TOKEN, &raise), bytes: piece.len() as u64 }
    };
    table.split(text).map(piece).sum()
}

/// The thousandths of tokens that a piece may cost: at least what the table says, at most its bytes.
fn raised_piece(piece: &str, by_table: u64, raise: &Raise) -> u64 {
    let has_letters = piece.chars().take(2).any(char::is_alphabetic);
    let raised = if has_letters { raised_word(piece, by_table, raise) } else { signs(piece, raise) };
    raised.clamp(by_table, (piece.len() as u64 * TOKEN).max(by_table))
}

/// A word, with at most one sign before it.
fn raised_word(piece: &str, by_table: u64, raise: &Raise) -> u64 {
    let letters = piece.trim_start_matches(|sign: char| !sign.is_alphabetic());
    // A blank belongs to the word in every table; another sign may be a token of its own.
    let before = if letters.len() == piece.len() || piece.starts_with(' ') { 0 } else { TOKEN };
    let widest = letters.chars().map(char::len_utf8).max().unwrap_or(1);
    let factor = match widest {
        1 if letters.bytes().skip(1).any(|byte| byte.is_ascii_uppercase()) => raise.capitals,
        1 => raise.plain,
        2 => raise.two_bytes,
        _ => raise.more_bytes,
    };
    before + by_table.saturating_mul(factor) / TOKEN
}

/// Digits, signs and blanks.
fn signs(piece: &str, raise: &Raise) -> u64 {
    let blanks = piece.bytes().filter(|byte| *byte == b' ').count() as u64;
    let is_blank = blanks == piece.len() as u64;
    let others: u64 = piece.chars().map(sign).sum();
    // A single blank before signs belongs to them.
    others + if is_blank || blanks > 1 { blanks.div_ceil(raise.blanks) * TOKEN } else { 0 }
}

/// What one sign may cost: its bytes, save for the quotes and dashes of books, which every table knows.
fn sign(sign: char) -> u64 {
    match sign {
        ' ' => 0,
        '\u{2010}'..='\u{2026}' => 2 * TOKEN,
        _ => sign.len_utf8() as u64 * TOKEN,
    }
}
