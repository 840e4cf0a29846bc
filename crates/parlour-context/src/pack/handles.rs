//! Handles: the very calls, or commands, with which an agent answers and fetches more.

use parlour_core::id::ConversationId;

use crate::candidate::ConversationRef;

/// Messages that one call fetches.
const FETCH_LEN: u64 = 50;

/// How an agent acts: by tools, or by commands that begin like this.
#[derive(Clone, Copy)]
pub(super) struct Handles<'a>(pub(super) Option<&'a str>);

impl Handles<'_> {
    /// Answers a message that blocks.
    pub(super) fn answer(self, message: &str) -> String {
        match self.0 {
            Some(command) => format!("Answer: {command} answer {message} 'your answer'"),
            None => format!(r#"Answer: reply_thread {{"thread_id":"{message}","body":"your answer"}}"#),
        }
    }

    /// Says something in a place.
    pub(super) fn reply(self, place: &ConversationRef) -> String {
        let address = address(place);
        match self.0 {
            Some(command) => format!("Reply: {command} post {address} 'your text'"),
            None => format!(r#"Reply: post_message {{"channel_id":"{address}","body":"your text"}}"#),
        }
    }

    /// Reads one message whole.
    pub(super) fn read(self, message: &str, place: &ConversationRef, seq: u64) -> String {
        match self.0 {
            Some(_) => self.history(place, seq.saturating_sub(1), 1),
            None => format!(r#"Read: channel_history {{"channel_id":"{message}"}}"#),
        }
    }

    /// Reads what stands before a message.
    pub(super) fn before(self, place: &ConversationRef, seq: u64) -> String {
        let since = seq.saturating_sub(FETCH_LEN + 1);
        self.history(place, since, (seq.saturating_sub(1)).clamp(1, FETCH_LEN))
    }

    /// Reads from a message on.
    pub(super) fn from(self, place: &ConversationRef, seq: u64) -> String {
        self.history(place, seq.saturating_sub(1), FETCH_LEN)
    }

    /// Lists what is unread.
    pub(super) fn inbox(self) -> String {
        match self.0 {
            Some(command) => format!("More: {command} inbox"),
            None => "More: inbox {}".to_owned(),
        }
    }

    /// Lists what waits for an answer.
    pub(super) fn waiting(self) -> String {
        match self.0 {
            Some(command) => format!("More wait for your answer: {command} inbox --blocking"),
            None => r#"More wait for your answer: inbox {"blocking":true}"#.to_owned(),
        }
    }

    fn history(self, place: &ConversationRef, since: u64, limit: u64) -> String {
        let address = address(place);
        match self.0 {
            Some(command) => format!("More: {command} history {address} --since {since} --limit {limit}"),
            None => format!(r#"More: channel_history {{"channel_id":"{address}","since":{since},"limit":{limit}}}"#),
        }
    }
}

/// What tools and commands know a place by: the name of a channel where it needs no quotes, otherwise the id.
pub(super) fn address(place: &ConversationRef) -> String {
    named(place).map_or_else(|| place.id.to_string(), str::to_owned)
}

/// The name by which a place is found, where there is one.
pub(super) fn named(place: &ConversationRef) -> Option<&str> {
    let name = place.name.strip_prefix('#').filter(|_| matches!(place.id, ConversationId::Channel(_)))?;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let is_found = !name.is_empty() && name.bytes().all(is_plain) && name.parse::<ConversationId>().is_err();
    is_found.then_some(name)
}
