//! The text with which zen informed an agent about unread messages.

use parlour_core::{
    conversation::ConversationType, id::ConversationId, message::Message, model_visibility::may_reach_model,
};
use serde_json::Value;

use super::NAME;
use crate::foreign_id::{foreign_author_id, foreign_text};

const CHARS_PER_TOKEN: usize = 4;

/// The text about unread messages, in the given order, with at most `tokens` tokens of four characters.
///
/// Contains only messages that a model may see. Line breaks become blanks, so that a text cannot imitate another
/// entry.
pub fn injection_text(messages: &[Message], tokens: usize) -> String {
    let visible = || messages.iter().filter(|message| may_reach_model(message));
    let count = visible().count();
    if count == 0 {
        return String::new();
    }
    let mut out = BoundedText { text: String::new(), chars_left: tokens.saturating_mul(CHARS_PER_TOKEN) };
    out.push(&format!("You have {count} unread messages. Showing most recent:"));
    for message in visible() {
        if out.chars_left == 0 {
            break;
        }
        push_message(message, &mut out);
    }
    out.push_break();
    out.text
}

fn push_message(message: &Message, out: &mut BoundedText) {
    out.push_break();
    out.push("- ");
    if message.conversation_type == ConversationType::Dm {
        out.push("[DM]");
    } else {
        out.push("[Channel:");
        out.push(channel(message));
        out.push("]");
    }
    out.push(" from ");
    out.push(foreign_author_id(NAME, &message.from));
    out.push(": ");
    out.push(message.body.trim());
}

/// The channel as zen names it; a thread has the channel of its root.
fn channel(message: &Message) -> &str {
    let deviations = message.metadata.get(NAME).and_then(|deviations| deviations.get("channel_id"));
    deviations.and_then(Value::as_str).unwrap_or_else(|| match &message.to {
        ConversationId::Channel(id) => foreign_text(id),
        ConversationId::Thread(id) => foreign_text(id),
        ConversationId::Dm(id) => foreign_text(id),
    })
}

/// A text with a maximum length in characters.
struct BoundedText {
    text: String,
    chars_left: usize,
}

impl BoundedText {
    fn push(&mut self, piece: &str) {
        for character in piece.chars().take(self.chars_left) {
            self.chars_left -= 1;
            self.text.push(if is_break(character) { ' ' } else { character });
        }
    }

    fn push_break(&mut self) {
        if self.chars_left > 0 {
            self.chars_left -= 1;
            self.text.push('\n');
        }
    }
}

fn is_break(character: char) -> bool {
    matches!(character, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}
