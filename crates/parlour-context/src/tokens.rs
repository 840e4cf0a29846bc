//! Token counting.
//!
//! For OpenAI's models the count is exact, by their own tables. For other models it is an upper bound that reported
//! usage tightens ([`UsageObservations`]). A table is loaded when it is first used.

mod table;
#[cfg(test)]
mod tests;
mod usage_bias;

use std::{
    iter::Sum,
    ops::Add,
    sync::{LazyLock, OnceLock},
};

use parlour_core::context::TokenCounting;

use self::table::{TOKEN_BYTES_MAX, TokenTable};
pub use self::usage_bias::{UsageBias, UsageObservations};

/// Counts tokens for one model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tokenizer {
    way: CountingMethod,
    bias: UsageBias,
}

/// A token table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Of OpenAI's models since GPT-4o.
    O200k,
    /// Of OpenAI's earlier models.
    Cl100k,
}

impl Tokenizer {
    /// The tokenizer of a model by name; an unknown model gets an upper bound that holds for all.
    pub fn for_model(model: &str) -> Self {
        Self { way: counting_of(model), bias: UsageBias::default() }
    }

    /// The exact count by this table.
    pub fn by(encoding: Encoding) -> Self {
        Self { way: CountingMethod::Exact(encoding), bias: UsageBias::default() }
    }

    /// Applies a correction by reported usage; exact counts are not corrected.
    #[must_use]
    pub fn with_bias(self, bias: UsageBias) -> Self {
        match self.way {
            CountingMethod::Exact(_) => self,
            CountingMethod::Bound(_) => Self { bias, ..self },
        }
    }

    /// The number of tokens, or an upper bound.
    pub fn count(&self, text: &str) -> u64 {
        self.total(self.part(text))
    }

    /// The cost of a text as a part of another one.
    pub fn part(&self, text: &str) -> TokenPart {
        match self.way {
            CountingMethod::Exact(encoding) => TokenPart::exact(encoding.table().count(text) as u64),
            CountingMethod::Bound(family) => upper_bound(family, text),
        }
    }

    /// The cost of a text of these parts; equal to [`Tokenizer::count`] if the tokenizer does not join across their
    /// ends, as for the lines of a frame.
    pub fn total(&self, parts: TokenPart) -> u64 {
        match self.way {
            CountingMethod::Exact(_) => parts.by_table,
            CountingMethod::Bound(_) => self.bias.applied_to(parts.bound()).max(parts.by_table),
        }
    }

    /// An upper bound of what these parts add to a text.
    pub fn added(&self, parts: TokenPart) -> u64 {
        match self.way {
            CountingMethod::Exact(_) => parts.by_table,
            CountingMethod::Bound(_) => self.bias.applied_to(parts.raised()).max(parts.by_table),
        }
    }

    /// The count if it is at most `tokens_max`. A much longer text is not read.
    pub fn count_up_to(&self, text: &str, tokens_max: u64) -> Option<u64> {
        // Every method counts at least one token for the bytes of the longest token.
        if (text.len() as u64).div_ceil(TOKEN_BYTES_MAX as u64) > tokens_max {
            return None;
        }
        Some(self.count(text)).filter(|tokens| *tokens <= tokens_max)
    }

    /// Whether the text costs at most `tokens_max`.
    pub fn fits(&self, text: &str, tokens_max: u64) -> bool {
        self.count_up_to(text, tokens_max).is_some()
    }

    /// The method as a receipt states it.
    pub fn counting(&self) -> TokenCounting {
        let encoding = match self.way {
            CountingMethod::Exact(Encoding::O200k) => "o200k",
            CountingMethod::Exact(Encoding::Cl100k) => "cl100k",
            CountingMethod::Bound(_) => "bound",
        };
        TokenCounting { encoding: encoding.to_owned(), is_exact: matches!(self.way, CountingMethod::Exact(_)) }
    }
}

/// The published patterns with `\s+` in place of `\s+(?!\S)|\s+`; see [`TokenTable::pieces`].
const O200K_PIECE: &str = concat!(
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+",
);
const CL100K_PIECE: &str = concat!(
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+",
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+",
);

static O200K_TABLE: LazyLock<TokenTable> =
    LazyLock::new(|| TokenTable::load(include_bytes!("../data/o200k.tokens"), O200K_PIECE));
static CL100K_TABLE: LazyLock<TokenTable> =
    LazyLock::new(|| TokenTable::load(include_bytes!("../data/cl100k.tokens"), CL100K_PIECE));

impl Encoding {
    fn table(self) -> &'static TokenTable {
        match self {
            Self::O200k => &O200K_TABLE,
            Self::Cl100k => &CL100K_TABLE,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CountingMethod {
    /// By the model's own table.
    Exact(Encoding),
    /// By `o200k`, raised for the model family.
    Bound(Family),
}

/// Prefixes of OpenAI's models; a model of the same name from elsewhere is another one.
const HOSTS: &[&str] = &["openai", "azure", "azure_ai", "azure-openai", "github", "models"];
/// Models with the `o200k` table; a suffix follows a dash, dot, colon or at sign.
const O200K: &[&str] =
    &["gpt-4o", "gpt-4.1", "gpt-4.5", "gpt-5", "gpt-oss", "chatgpt-4o", "o1", "o3", "o4", "codex-mini"];
/// Models with the `cl100k` table.
const CL100K: &[&str] = &["gpt-3.5", "gpt-35", "text-embedding-3", "text-embedding-ada", "davinci-002", "babbage-002"];
/// Suffixes of GPT-4 itself; other vendors use `gpt-4-…` too.
const GPT_4: &[&str] = &["turbo", "vision", "0", "1", "32k"];
/// Names of models with tables about as large as OpenAI's.
const LARGE: &[&str] = &["qwen", "deepseek", "llama-3", "llama3", "llama-4", "llama4"];

/// Names contain providers, dates and sizes.
fn counting_of(model: &str) -> CountingMethod {
    let model = model.trim().to_ascii_lowercase();
    match openai(&model) {
        Some(encoding) => CountingMethod::Exact(encoding),
        None => CountingMethod::Bound(family(&model)),
    }
}

fn openai(model: &str) -> Option<Encoding> {
    let (host, name) = model.rsplit_once('/').map_or((None, model), |(before, name)| (before.rsplit('/').next(), name));
    if host.is_some_and(|host| !HOSTS.contains(&host)) {
        return None;
    }
    let name = name.strip_prefix("openai:").unwrap_or(name);
    let name = name.strip_prefix("ft:").unwrap_or(name);
    let is_any = |names: &[&str]| names.iter().any(|known| rest(name, known).is_some());
    let is_gpt_4 = || rest(name, "gpt-4").is_some_and(|rest| rest.is_empty() || begins_any(rest, GPT_4));
    if is_any(O200K) {
        Some(Encoding::O200k)
    } else if is_any(CL100K) || is_gpt_4() {
        Some(Encoding::Cl100k)
    } else {
        None
    }
}

/// The rest of a name after this word; `None` if the word continues.
fn rest<'a>(name: &'a str, word: &str) -> Option<&'a str> {
    let rest = name.strip_prefix(word)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix(['-', '.', ':', '@']) }
}

fn begins_any(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.starts_with(word))
}

fn family(model: &str) -> Family {
    if model.contains("claude") {
        Family::Claude
    } else if model.contains("gemini") || model.contains("gemma") {
        Family::Gemini
    } else if LARGE.iter().any(|word| model.contains(word)) {
        Family::Large
    } else {
        Family::Unknown
    }
}

/// Model families with similar tables. Their bound is the `o200k` count, raised by script: tables differ little in
/// plain words, and much in digits, symbols, code and non-Latin scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    /// Anthropic. Plain English costs about a sixth more than `o200k`, code about a third; newer models up to a third
    /// more than that.
    Claude,
    /// Google: a quarter of a million tokens, single digits.
    Gemini,
    /// Others with more than 100,000 tokens.
    Large,
    /// All others, down to tables of 32,000 tokens that spell foreign scripts in bytes.
    Unknown,
}

/// The cost of a part of a text; costs can be added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokenPart {
    /// The count by a table; a lower limit of every bound.
    by_table: u64,
    /// The raised count in thousandths.
    raised: u64,
    bytes: u64,
}

impl TokenPart {
    fn exact(by_table: u64) -> Self {
        Self { by_table, raised: 0, bytes: 0 }
    }

    /// The upper bound for these parts; at most one token per byte and one at the start, as in any byte-level table.
    fn bound(self) -> u64 {
        let by_bytes = if self.bytes == 0 { 0 } else { self.bytes + 1 };
        (self.raised() + START).min(by_bytes)
    }

    /// In whole tokens.
    fn raised(self) -> u64 {
        self.raised.div_ceil(TOKEN)
    }
}

impl Add for TokenPart {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let (by_table, raised) = (self.by_table + other.by_table, self.raised + other.raised);
        Self { by_table, raised, bytes: self.bytes + other.bytes }
    }
}

impl Sum for TokenPart {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::default(), Self::add)
    }
}

/// Factors in thousandths for the letters of a piece, and the spaces per token.
struct Raise {
    plain: u64,
    capitals: u64,
    two_bytes: u64,
    more_bytes: u64,
    blanks: u64,
}

/// One token in thousandths.
const TOKEN: u64 = 1_000;
/// Tokens added to every text: a start token, and one for rounding in short texts.
const START: u64 = 2;
/// A factor larger than any piece in bytes.
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

/// Splits a text like the table, so that each byte is counted once.
fn upper_bound(family: Family, text: &str) -> TokenPart {
    let table = Encoding::O200k.table();
    let raise = family.raise();
    let piece = |piece: &str| {
        let by_table = table.count_piece(piece.as_bytes()) as u64;
        TokenPart { by_table, raised: raised_piece(piece, by_table * TOKEN, &raise), bytes: piece.len() as u64 }
    };
    table.pieces(text).map(piece).sum()
}

/// Thousandths of tokens of a piece: at least the count by the table, at most its bytes.
fn raised_piece(piece: &str, by_table: u64, raise: &Raise) -> u64 {
    let has_letters = piece.chars().take(2).any(char::is_alphabetic);
    let raised = if has_letters { raised_word(piece, by_table, raise) } else { raised_signs(piece, raise) };
    raised.clamp(by_table, (piece.len() as u64 * TOKEN).max(by_table))
}

/// A word with at most one other character before it.
fn raised_word(piece: &str, by_table: u64, raise: &Raise) -> u64 {
    let letters = piece.trim_start_matches(|sign: char| !sign.is_alphabetic());
    // A space belongs to the word in every table; another character may be a token.
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

/// Digits, symbols and spaces.
fn raised_signs(piece: &str, raise: &Raise) -> u64 {
    let blanks = piece.bytes().filter(|byte| *byte == b' ').count() as u64;
    let is_blank = blanks == piece.len() as u64;
    let others: u64 = piece.chars().map(sign_cost).sum();
    // A single space before symbols belongs to them.
    others + if is_blank || blanks > 1 { blanks.div_ceil(raise.blanks) * TOKEN } else { 0 }
}

/// The bytes of a character, except typographic quotes and dashes, which every table contains.
fn sign_cost(sign: char) -> u64 {
    match sign {
        ' ' => 0,
        '\u{2010}'..='\u{2026}' => 2 * TOKEN,
        _ => sign.len_utf8() as u64 * TOKEN,
    }
}

const WAYS: usize = 6;

/// The token counts of one text by every method. Derived from the text, so all values compare equal.
#[derive(Clone, Debug, Default)]
pub struct CachedTokenCount([OnceLock<TokenPart>; WAYS]);

impl CachedTokenCount {
    /// Must always be called with the same text.
    pub(crate) fn part(&self, tokenizer: &Tokenizer, text: impl FnOnce() -> String) -> TokenPart {
        let way = match tokenizer.way {
            CountingMethod::Exact(Encoding::O200k) => 0,
            CountingMethod::Exact(Encoding::Cl100k) => 1,
            CountingMethod::Bound(Family::Claude) => 2,
            CountingMethod::Bound(Family::Gemini) => 3,
            CountingMethod::Bound(Family::Large) => 4,
            CountingMethod::Bound(Family::Unknown) => 5,
        };
        *self.0[way].get_or_init(|| tokenizer.part(&text()))
    }
}

impl PartialEq for CachedTokenCount {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for CachedTokenCount {}
