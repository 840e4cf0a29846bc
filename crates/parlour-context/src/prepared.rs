//! A text prepared once, for as many packs as it may come into.

use parlour_core::context::RedactionRules;
use parlour_redact::{CustomRule, InvalidRule, Mark, Options, Redactor};

use crate::{
    dedupe::{self, TextSketch},
    terms::Terms,
    tokens::{Counted, Encoding, Tokenizer},
    view::{self, Plain, Short},
};

/// A redactor with the rules of a project.
pub fn redactor(rules: &RedactionRules) -> Result<Redactor, InvalidRule> {
    let custom = rules.add.iter().map(|rule| CustomRule { kind: rule.kind.clone(), pattern: rule.pattern.clone() });
    Redactor::new(&Options { personal: rules.personal, custom: custom.collect(), mute: rules.mute.clone() })
}

/// A view without secrets, and what is known of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prepared {
    /// What may be shown.
    pub text: String,
    /// What was taken out of it.
    pub marks: Vec<Mark>,
    /// Invisible signs that were taken out.
    pub invisible: u64,
    /// Whether something was left out that was there to be read.
    pub is_cut: bool,
    /// Its words.
    pub terms: Terms,
    /// What it costs by the table `o200k`.
    pub tokens: u64,
    /// Equal for texts that differ in case and in how their words are spaced, and in nothing else.
    pub folded: u64,
    /// Equal for equal texts, and in part for nearly equal ones.
    pub fingerprint: u64,
    /// What tells at a glance that another text says something else.
    pub sketch: TextSketch,
    /// What a quote of all of it costs.
    pub quote: Counted,
}

impl Prepared {
    /// Prepares a text.
    pub fn of(text: &str, redactor: &Redactor) -> Self {
        let plain = Plain::of(text);
        let redacted = redactor.redact(&plain.text);
        // Short last: half a secret has no shape.
        let Short { text, marks, is_cut } = view::shorten(&redacted.text, redacted.marks, plain.left_out_bytes);
        let terms = Terms::of(&text);
        let fingerprint = dedupe::fingerprint(&text);
        let sketch = TextSketch::of(&text, &terms);
        let tokens = Tokenizer::by(Encoding::O200k).count(&text);
        let folded = dedupe::folded(&text);
        let (invisible, quote) = (plain.invisible, Counted::default());
        Self { text, marks, invisible, is_cut, terms, tokens, folded, fingerprint, sketch, quote }
    }
}
