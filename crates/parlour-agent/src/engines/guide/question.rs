//! What a message asks: its words, without the mention that brought it here.

use parlour_core::name::Name;

/// Words of a message that are looked at; a longer message is no question for a guide.
const WORDS_MAX: usize = 200;

/// The words of a message, in small letters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Question {
    pub(super) words: Vec<String>,
}

impl Question {
    /// The words of a text. Signs, case and the mention of the agent do not matter, and other mentions are no words.
    pub(super) fn new(text: &str, agent: &Name) -> Self {
        let text = Name::fold(text);
        let text = text.replace(&format!("@{}", Name::fold(agent.as_str())), " ");
        let words = text.split_whitespace().filter(|word| !word.starts_with('@')).flat_map(split);
        Self { words: words.filter(|word| !word.is_empty()).take(WORDS_MAX).collect() }
    }

    pub(super) fn has(&self, word: &str) -> bool {
        self.words.iter().any(|known| known == word)
    }
}

/// `what's` is one word and `and/or` are two.
fn split(word: &str) -> impl Iterator<Item = String> {
    let parts = word.split(|sign: char| !(sign.is_alphanumeric() || sign == '\'' || sign == '’'));
    parts.map(|part| part.chars().filter(|sign| sign.is_alphanumeric()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        Question::new(text, &"Guide".parse().expect("a name")).words
    }

    #[test]
    fn case_signs_and_mentions_do_not_matter() {
        assert_eq!(words("@Guide HELP!"), ["help"]);
        assert_eq!(words("Hey @guide, what's a *thread*?"), ["hey", "whats", "a", "thread"]);
        assert_eq!(words("tables and/or @Coder code…"), ["tables", "and", "or", "code"]);
    }

    #[test]
    fn an_agent_may_have_any_name() {
        let question = Question::new("@Old Hand help", &"Old Hand".parse().expect("a name"));
        assert_eq!(question.words, ["help"]);
    }

    #[test]
    fn a_message_without_words_asks_nothing() {
        assert_eq!(words("@Guide 🙂 …"), [""; 0]);
        assert_eq!(words(&"word ".repeat(WORDS_MAX * 2)).len(), WORDS_MAX);
    }
}
