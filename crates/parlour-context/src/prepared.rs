//! Texts prepared once for all packs that may show them.

use parlour_core::context::RedactionRules;
use parlour_redact::{CustomRule, InvalidRule, Mark, Options, Redactor};

use crate::{
    dedupe::{self, TextSketch},
    terms::Terms,
    tokens::{CachedTokenCount, Encoding, Tokenizer},
    view::{self, NormalizedText, ShortenedText},
};

/// A redactor with the rules of a project.
pub fn redactor(rules: &RedactionRules) -> Result<Redactor, InvalidRule> {
    let custom = rules.add.iter().map(|rule| CustomRule { kind: rule.kind.clone(), pattern: rule.pattern.clone() });
    Redactor::new(&Options { personal: rules.personal, custom: custom.collect(), mute: rules.mute.clone() })
}

/// A normalised, redacted and shortened text with everything that ranking and fitting need.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prepared {
    /// The text that may be shown.
    pub text: String,
    /// The redaction marks in it.
    pub marks: Vec<Mark>,
    /// The number of removed invisible characters.
    pub invisible: u64,
    /// Whether visible text was omitted.
    pub is_cut: bool,
    /// Its words.
    pub terms: Terms,
    /// Its cost by the `o200k` table.
    pub tokens: u64,
    /// A hash that ignores case and white space.
    pub folded: u64,
    /// A MinHash that finds nearly equal texts.
    pub fingerprint: u64,
    /// A sketch that rejects most non-duplicates.
    pub sketch: TextSketch,
    /// The cost of quoting the whole text, by tokenizer.
    pub quote: CachedTokenCount,
}

impl Prepared {
    /// Prepares a text.
    pub fn of(text: &str, redactor: &Redactor) -> Self {
        let plain = NormalizedText::of(text);
        let redacted = redactor.redact(&plain.text);
        // Shortened last: a cut secret would not be detected.
        let ShortenedText { text, marks, is_cut } = view::shorten(&redacted.text, redacted.marks, plain.left_out_bytes);
        let terms = Terms::of(&text);
        let fingerprint = dedupe::fingerprint(&text);
        let sketch = TextSketch::of(&text, &terms);
        let tokens = Tokenizer::by(Encoding::O200k).count(&text);
        let folded = dedupe::folded(&text);
        let (invisible, quote) = (plain.invisible, CachedTokenCount::default());
        Self { text, marks, invisible, is_cut, terms, tokens, folded, fingerprint, sketch, quote }
    }
}
