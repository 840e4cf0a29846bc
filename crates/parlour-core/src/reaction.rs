//! Reactions: emoji of members on a message.

use serde::{Deserialize, Serialize};

use crate::{Code, Refusal, id::MemberId, limits, text};

/// All reactions with one emoji on a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Reaction {
    /// The emoji.
    pub emoji: String,
    /// The members, in the order of their reactions.
    pub members: Vec<MemberId>,
}

/// Checks an emoji: short, visible, without spaces and control characters.
pub fn check_emoji(emoji: &str) -> Result<(), Refusal> {
    let length = emoji.chars().count();
    if length == 0 || length > limits::REACTION_CHARS_MAX {
        let detail = format!("a reaction has 1 to {} characters", limits::REACTION_CHARS_MAX);
        return Err(Refusal::out_of_bounds(detail).at("emoji"));
    }
    let refuse = |detail: &str| Err(Refusal::new(Code::ControlCharacter, detail).at("emoji"));
    if emoji.chars().any(|sign| sign.is_control() || sign.is_whitespace()) {
        return refuse("a reaction must not contain spaces or control characters");
    }
    if emoji.chars().all(text::is_invisible) {
        return refuse("a reaction needs a visible character");
    }
    text::check_direction(emoji).map_err(|refusal| refusal.at("emoji"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn emoji_and_short_words_can_be_reactions() {
        for emoji in ["👍", "👩‍💻", "+1", "done"] {
            assert_eq!(check_emoji(emoji), Ok(()), "{emoji}");
        }
    }

    #[test]
    fn blanks_control_characters_and_long_texts_cannot() {
        for emoji in ["", " ", "a b", "a\0", &"x".repeat(33)] {
            assert!(check_emoji(emoji).is_err(), "{emoji:?}");
        }
    }

    #[test]
    fn invisible_and_direction_changing_characters_are_refused() {
        for emoji in ["\u{200b}", "\u{feff}", "\u{fe0f}", "\u{200d}\u{200d}", "\u{202e}", "a\u{202e}b", "\u{2067}a"] {
            assert_eq!(check_emoji(emoji).expect_err("hidden").code, Code::ControlCharacter, "{emoji:?}");
        }
    }
}
