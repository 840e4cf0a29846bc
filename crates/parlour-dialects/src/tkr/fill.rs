//! What a message may leave out, and what it means then.

use std::borrow::Cow;

use parlour_core::{Timestamp, id::MessageId};

use super::{content::Content, message_type::MessageType, sender::Sender, spelling::Spelling, wire::Wire};
use crate::{foreign_id::mapped, json::Json};

/// The session of messages that name none.
const DEFAULT_SESSION: &str = "default";

impl Wire<'_> {
    /// Fills in what was left out, and settles whose the message is.
    ///
    /// An id follows from the rest of the message, so reading it twice gives the same one. A text of which nothing is
    /// said is the user's; anything else of which nothing is said is the system's.
    pub(super) fn fill(&mut self, now: Timestamp) {
        let (has_id, has_session) = (is_there(&self.id), is_there(&self.session_id));
        if !has_id || !has_session {
            self.fill_minimal(!has_id && !has_session);
        }
        if !has_session {
            self.session_id = Some(DEFAULT_SESSION.into());
        }
        let message_type = *self.message_type.get_or_insert(MessageType::Text);
        self.fill_sender(message_type);
        if !has_id {
            self.id = Some(self.derived_id().into());
        }
        if !is_there(&self.timestamp) {
            self.timestamp = Some(now.to_string().into());
        }
        self.settle_nulls();
    }

    /// An id that follows from what is said, in whichever spelling.
    fn derived_id(&self) -> String {
        let timestamp = self.timestamp.clone().filter(|text| !text.is_empty());
        let said = Self { id: None, timestamp, nulls: Vec::new(), ..self.clone() };
        let said = serde_json::to_string(&said.write(Spelling::Standard)).expect("JSON can be written to memory");
        mapped::<MessageId>(&said).to_string()
    }

    /// A minimal message is one with a type, or with a content: any other object says nothing.
    fn fill_minimal(&mut self, may_be_packet: bool) {
        if may_be_packet && self.content.is_none() {
            self.fill_from_packet();
        }
        if self.content.is_none() && self.message_type == Some(MessageType::Text) {
            self.content = Some(Content::Text("".into()));
        }
    }

    /// Before there were messages there were packets of `message` or `error`, and `agent_id`.
    fn fill_from_packet(&mut self) {
        let mut text = |name: &str| match self.other.get(name)? {
            Json::Text(_) => self.other.text(name).ok()?,
            _ => None,
        };
        let (error, message, agent) = (text("error"), text("message"), text("agent_id"));
        if error.is_some() && self.message_type.is_none() {
            self.message_type = Some(MessageType::Error);
        }
        self.from_agent = self.from_agent.take().or(agent);
        self.content = error.or(message).map(Content::Text);
    }

    fn fill_sender(&mut self, message_type: MessageType) {
        match self.sender() {
            Sender::Nobody if message_type == MessageType::Text && self.from_user.is_none() => {
                self.from_user = Some(true);
            }
            Sender::Agent if self.from_user == Some(true) => {
                self.from_user = None;
                self.overrule("from_user", Some(true));
            }
            _ => {}
        }
    }
}

fn is_there(text: &Option<Cow<'_, str>>) -> bool {
    text.as_deref().is_some_and(|text| !text.is_empty())
}
