//! What a message must have.

use parlour_core::Refusal;
use serde_json::Value;

use super::{message_type::MessageType, moment::moment, sender::Sender, wire::Wire};
use crate::{fields::missing, json::Json};

/// Checks a message, in either spelling, against the rules of the format; the refusal names the field and the rule.
pub fn validate(message: &Value) -> Result<(), Refusal> {
    let wire = Wire::read(Json::of(message))?;
    wire.check()?;
    moment("timestamp", wire.timestamp.as_deref().unwrap_or_default()).map(drop)
}

impl Wire<'_> {
    /// Refuses a message without what every message, or every one of its type, must have.
    pub(super) fn check(&self) -> Result<(), Refusal> {
        require("id", self.id.as_deref())?;
        let message_type = self.message_type.ok_or_else(|| missing("type"))?;
        require("timestamp", self.timestamp.as_deref())?;
        require("session_id", self.session_id.as_deref())?;
        match message_type {
            MessageType::Text => self.check_text(),
            MessageType::AgentMessage => require("from_agent", self.from_agent.as_deref()),
            MessageType::ContextUpdate => {
                require("from_agent", self.from_agent.as_deref())?;
                require("context_id", self.specific.str("context_id"))
            }
            MessageType::TaskUpdate => require("task_id", self.task_id.as_deref()),
            MessageType::Error => self.require_content(),
            MessageType::System | MessageType::Ping | MessageType::Pong | MessageType::Ack => Ok(()),
        }
    }

    /// A text of the user says something, if only the empty text; one that is not the user's names its agent.
    fn check_text(&self) -> Result<(), Refusal> {
        match self.sender() {
            Sender::User => self.require_content(),
            Sender::Agent => Ok(()),
            Sender::Nobody => {
                let rule = "a text that is not the user's (from_user: true) needs the id of its agent";
                Err(Refusal::invalid(rule).at("from_agent"))
            }
        }
    }

    fn require_content(&self) -> Result<(), Refusal> {
        if self.content.is_some() { Ok(()) } else { Err(missing("content")) }
    }
}

fn require(name: &str, text: Option<&str>) -> Result<(), Refusal> {
    match text {
        None => Err(missing(name)),
        Some("") => Err(Refusal::invalid("this must not be empty").at(name)),
        Some(_) => Ok(()),
    }
}
