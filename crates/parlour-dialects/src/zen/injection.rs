//! The text by which zen told an agent of its unread messages.

use parlour_core::{
    conversation::ConversationType, id::ConversationId, message::Message, model_visibility::may_reach_model,
};
use serde_json::Value;

use super::NAME;
use crate::{foreign_author::said_author, foreign_id::said};

/// How many characters count as one token.
const CHARS_PER_TOKEN: usize = 4;

/// What an agent is told of its unread messages, newest first as given: at most `tokens` tokens of four characters.
///
/// Nothing is told of what no model may see. Breaks become blanks, so a text cannot pretend to be another line.
pub fn injection_text(messages: &[Message], tokens: usize) -> String {
    let told = || messages.iter().filter(|message| may_reach_model(message));
    let count = told().count();
    if count == 0 {
        return String::new();
    }
    let mut out = Budget { text: String::new(), chars_left: tokens.saturating_mul(CHARS_PER_TOKEN) };
    out.push(&format!("You have {count} unread messages. Showing most recent:"));
    for message in told() {
        if out.chars_left == 0 {
            break;
        }
        tell(message, &mut out);
    }
    out.push_break();
    out.text
}

fn tell(message: &Message, out: &mut Budget) {
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
    out.push(said_author(NAME, &message.from));
    out.push(": ");
    out.push(message.body.trim());
}

/// The channel as zen names it; a thread goes by that of its root.
fn channel(message: &Message) -> &str {
    let own = message.metadata.get(NAME).and_then(|own| own.get("channel_id"));
    own.and_then(Value::as_str).unwrap_or_else(|| match &message.to {
        ConversationId::Channel(id) => said(id),
        ConversationId::Thread(id) => said(id),
        ConversationId::Dm(id) => said(id),
    })
}

/// A text that stops growing at its bound, never within a character.
struct Budget {
    text: String,
    chars_left: usize,
}

impl Budget {
    fn push(&mut self, piece: &str) {
        for sign in piece.chars().take(self.chars_left) {
            self.chars_left -= 1;
            self.text.push(if is_break(sign) { ' ' } else { sign });
        }
    }

    fn push_break(&mut self) {
        if self.chars_left > 0 {
            self.chars_left -= 1;
            self.text.push('\n');
        }
    }
}

fn is_break(sign: char) -> bool {
    matches!(sign, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}
