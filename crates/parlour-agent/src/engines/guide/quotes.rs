//! Quotes of the conversation, shortened and escaped.

use std::fmt::Write as _;

use parlour_core::message::Message;

use super::Prompt;

const QUOTES_MAX: usize = 8;
const QUOTE_CHARS_MAX: usize = 160;
const NAME_CHARS_MAX: usize = 64;

/// The messages of others, without the calls that are being answered.
pub(super) fn messages_of_others(prompt: &Prompt) -> Vec<&Message> {
    let own = prompt.agent.id.to_string();
    let is_call = |message: &Message| prompt.calls.iter().any(|call| call.message_id == message.id);
    let is_own = |message: &Message| message.from.id.as_deref() == Some(own.as_str());
    let has_text = |message: &Message| !first_line(&message.body).is_empty();
    prompt.history.iter().filter(|message| !is_call(message) && !is_own(message) && has_text(message)).collect()
}

/// Quotes the first line of the first message and of the latest ones.
pub(super) fn summary(messages: &[&Message]) -> String {
    if messages.is_empty() {
        return "There is nothing to summarise yet: nobody else has written here recently.".to_owned();
    }
    let (first, rest) = messages.split_at(1);
    let latest = &rest[rest.len().saturating_sub(QUOTES_MAX - 1)..];
    let mut text = match messages.len() {
        1 => "I see **1 recent message** here:\n".to_owned(),
        count => format!("I see **{count} recent messages** here. The first one and the latest ones:\n"),
    };
    for message in first.iter().chain(latest) {
        let name = escape(&shortened(&message.from.name, NAME_CHARS_MAX));
        let line = escape(&shortened(first_line(&message.body), QUOTE_CHARS_MAX));
        // Writing to a `String` cannot fail.
        let _ = write!(text, "\n- **{name}**: {line}");
    }
    text + "\n\nI can only quote. An agent with a language model can write a real summary."
}

/// The first line with a letter or digit.
fn first_line(body: &str) -> &str {
    let mut lines = body.lines().map(str::trim);
    lines.find(|line| line.chars().any(char::is_alphanumeric)).unwrap_or_default()
}

/// Characters with a meaning in Markdown, HTML or mentions. An escaped `@` calls nobody.
const SPECIAL_CHARS: &str = "\\`*_{}[]<>()#+|~@!&$=:";

/// The text in one line, without effect as Markdown or mention.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        if char.is_whitespace() || char.is_control() {
            escaped.push(' ');
            continue;
        }
        if SPECIAL_CHARS.contains(char) {
            escaped.push('\\');
        }
        escaped.push(char);
    }
    escaped
}

/// The first `chars_max` characters of a text, with `…` if it is longer.
fn shortened(text: &str, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max) {
        None => text.to_owned(),
        Some((end, _)) => text[..end].trim_end().to_owned() + "…",
    }
}

#[cfg(test)]
mod tests {
    use parlour_core::{
        id::{AgentId, MemberId},
        mention::{Roster, find_mentions},
    };
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn markup_and_mentions_are_escaped() {
        assert_eq!(escape("*a* @Coder\n<b>"), r"\*a\* \@Coder \<b\>");
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        assert_eq!(shortened("ünïcode", 7), "ünïcode");
        assert_eq!(shortened("ünï code", 4), "ünï…");
    }

    proptest! {
        #[test]
        fn an_escaped_text_mentions_nobody(text in ".*|[@\\\\`*<>a-c \n]{0,40}") {
            let coder = MemberId::from(AgentId::from_bits(1));
            let roster = Roster::new(vec![(coder, "a".parse().expect("a name"))]);
            let mentions = find_mentions(&format!("> **b**: {}", escape(&text)), &roster);
            prop_assert!(mentions.members.is_empty() && mentions.problems.is_empty(), "{mentions:?}");
        }
    }
}
