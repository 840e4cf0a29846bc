//! Interpretation of a text as the answer to a question.

use serde_json::Value;

use super::{AnswerOption, Question, RawAnswer};

impl Question {
    /// Interprets a text as an answer: the option with this id, label or number, otherwise free text. Case, punctuation
    /// and words such as "please" do not matter. A text that fits two options is free text. With a schema: the text
    /// parsed as JSON, then the text as a JSON string.
    pub fn read_text(&self, text: &str) -> RawAnswer {
        let trimmed = text.trim();
        if self.schema.is_some() {
            let parsed = serde_json::from_str(trimmed).ok();
            return RawAnswer::Values(parsed.into_iter().chain([Value::String(trimmed.to_owned())]).collect());
        }
        let exact = self.named_option(|name| name.trim().to_lowercase() == trimmed.to_lowercase());
        let words = plain_words(trimmed);
        let chosen = match exact {
            OptionMatch::None if !words.is_empty() => self.named_option(|name| plain_words(name) == words),
            found => found,
        };
        let by_number = || words.parse::<usize>().ok()?.checked_sub(1).and_then(|index| self.options.get(index));
        let chosen = match chosen {
            OptionMatch::One(option) => Some(option),
            OptionMatch::Several => None,
            OptionMatch::None => by_number(),
        };
        chosen.map_or_else(|| RawAnswer::Text(text.to_owned()), |option| RawAnswer::Option(option.id.clone()))
    }

    /// The option whose id or label matches.
    fn named_option(&self, is_name: impl Fn(&str) -> bool) -> OptionMatch<'_> {
        let mut named = self.options.iter().filter(|option| is_name(&option.id) || is_name(&option.label));
        match (named.next(), named.next()) {
            (Some(option), None) => OptionMatch::One(option),
            (None, _) => OptionMatch::None,
            (Some(_), Some(_)) => OptionMatch::Several,
        }
    }
}

/// The options that a text fits.
enum OptionMatch<'a> {
    None,
    One(&'a AnswerOption),
    Several,
}

/// Words of courtesy, which do not change the choice.
const COURTESIES: [&str; 5] = [" please ", " pls ", " thanks ", " thx ", " thank you "];

/// The words of a short text in lower case, without punctuation and courtesy, separated by single spaces. A text with a
/// question mark or a negative number chooses nothing and has no words.
fn plain_words(text: &str) -> String {
    let mut pairs = text.chars().zip(text.chars().skip(1));
    if text.contains(['?', '？']) || pairs.any(|(sign, next)| sign == '-' && next.is_ascii_digit()) {
        return String::new();
    }
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let mut plain = format!(" {} ", words.join(" "));
    for courtesy in COURTESIES {
        plain = plain.replace(courtesy, " ");
    }
    plain.trim().to_owned()
}
