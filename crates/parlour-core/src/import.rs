//! Imports: messages of another system, taken over into a conversation with their authors and times.

mod depth;
mod sent;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

pub use self::sent::{ForeignAuthor, ImportedStep};

use crate::{
    Refusal, Timestamp,
    author::Author,
    id::{ArtifactId, ChannelId, ConversationId, MessageId, ProjectId, ThreadId},
    limits,
    message::{Attachment, Importance, Kind, Message, State},
    post::{PostDigest, check_attachments, check_correlation_id, check_count, check_json, digest_of, null_as_default},
    step::{Step, check_steps},
    text,
};

/// A message of another system.
///
/// Its author is one whom that system knew: the id names the system (`pynchy:…`), so it is never that of a member.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ImportedMessage {
    /// Its id here. The same id is taken over once, however often it is sent.
    pub id: MessageId,
    /// Who wrote it there.
    #[serde(deserialize_with = "sent::author")]
    #[cfg_attr(feature = "schema", schema(value_type = ForeignAuthor))]
    pub from: Author,
    /// What it is to a model.
    pub kind: Kind,
    /// The text.
    #[serde(default, deserialize_with = "null_as_default")]
    #[cfg_attr(feature = "schema", schema(nullable, max_length = 65536))]
    pub body: String,
    /// A structured form of what it says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Value))]
    pub content: Option<Value>,
    /// Artifacts that it carries.
    #[serde(default, deserialize_with = "null_as_default", skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schema(nullable, max_items = 20))]
    pub artifacts: Vec<ArtifactId>,
    /// Files that go with it.
    #[serde(default, deserialize_with = "null_as_default", skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schema(nullable, max_items = 20))]
    pub attachments: Vec<Attachment>,
    /// How much it matters.
    #[serde(default, deserialize_with = "null_as_default")]
    #[cfg_attr(feature = "schema", schema(nullable))]
    pub importance: Importance,
    /// The message it answers, by its id here. It is left out when that message is not in the conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<MessageId>,
    /// What ties it to calls between agents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 128))]
    pub correlation_id: Option<String>,
    /// How it ended; never `streaming`.
    #[serde(default, deserialize_with = "null_as_default")]
    #[cfg_attr(feature = "schema", schema(nullable))]
    pub state: State,
    /// Why it ended without being complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(max_length = 2000))]
    pub reason: Option<String>,
    /// What its producer did on the way to it.
    #[serde(default, deserialize_with = "sent::steps", skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schema(value_type = Vec<ImportedStep>, nullable, max_items = 200))]
    pub steps: Vec<Step>,
    /// What is noted beside it.
    #[serde(default, deserialize_with = "null_as_default", skip_serializing_if = "Map::is_empty")]
    #[cfg_attr(feature = "schema", schema(value_type = Object, nullable))]
    pub metadata: Map<String, Value>,
    /// When it was written there.
    pub created_at: Timestamp,
}

/// A request to take over messages, in the order in which they are to stand. Only administrators may.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ImportMessages {
    /// The channel to put them into.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel_id: Option<ChannelId>,
    /// The thread to put them into.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<ThreadId>,
    /// The messages, oldest first.
    #[cfg_attr(feature = "schema", schema(min_items = 1, max_items = 100))]
    pub messages: Vec<ImportedMessage>,
}

/// What has become of an import.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ImportOutcome {
    /// Messages that were written.
    pub stored: u64,
    /// Messages that were there already.
    pub known: u64,
}

impl ImportMessages {
    /// The conversation to put them into; exactly one must be named.
    pub fn conversation(&self) -> Result<ConversationId, Refusal> {
        match (&self.channel_id, &self.thread_id) {
            (Some(channel), None) => Ok(channel.clone().into()),
            (None, Some(thread)) => Ok(thread.clone().into()),
            _ => Err(Refusal::invalid("name exactly one of channel_id and thread_id").at("channel_id")),
        }
    }

    /// Refuses a request with a value out of bounds. Nothing may have been written after `now`.
    pub fn check(&self, now: Timestamp) -> Result<(), Refusal> {
        if self.messages.is_empty() {
            return Err(Refusal::out_of_bounds("no messages are given").at("messages"));
        }
        check_count("messages", self.messages.len(), limits::IMPORT_MESSAGES_MAX)?;
        for (index, message) in self.messages.iter().enumerate() {
            message.check(now).map_err(|refusal| refusal.at(&format!("messages[{index}]")))?;
        }
        Ok(())
    }
}

impl ImportedMessage {
    /// Refuses a message with a value out of bounds: the bounds are those of posts and of answers.
    pub fn check(&self, now: Timestamp) -> Result<(), Refusal> {
        check_author(&self.from).map_err(|refusal| refusal.at("from"))?;
        self.check_end()?;
        self.check_moment(now)?;
        text::check_bytes(&self.body, limits::MESSAGE_BODY_BYTES_MAX).map_err(|refusal| refusal.at("body"))?;
        if !self.may_be_blank() {
            text::check_not_blank(&self.body).map_err(|refusal| refusal.at("body"))?;
        }
        check_json("content", self.content.as_ref(), limits::MESSAGE_CONTENT_BYTES_MAX)?;
        check_json("metadata", Some(&self.metadata), limits::MESSAGE_METADATA_BYTES_MAX)?;
        check_count("artifacts", self.artifacts.len(), limits::ARTIFACTS_PER_MESSAGE_MAX)?;
        check_correlation_id(self.correlation_id.as_deref())?;
        check_attachments(&self.attachments)?;
        check_steps(&self.steps)?;
        self.check_depth()
    }

    /// The fingerprint that tells a repeated message from another one under the same id, or elsewhere. It is never that
    /// of a post.
    pub fn digest(&self, to: &ConversationId) -> PostDigest {
        digest_of(&json!({ "imported": self, "to": to }))
    }

    /// The message as it will stand in a conversation. It calls nobody and blocks nothing.
    pub fn into_message(self, project: ProjectId, to: ConversationId) -> Message {
        let plain = Message::plain(self.id, project, to, self.from, self.body, self.created_at);
        Message {
            kind: self.kind,
            content: self.content,
            artifacts: self.artifacts,
            attachments: self.attachments,
            importance: self.importance,
            reply_to: self.reply_to,
            correlation_id: self.correlation_id,
            state: self.state,
            reason: self.reason,
            steps: self.steps,
            metadata: self.metadata,
            ..plain
        }
    }

    fn check_end(&self) -> Result<(), Refusal> {
        if self.state == State::Streaming {
            return Err(Refusal::invalid("what is taken over has ended").at("state"));
        }
        let reason = self.reason.as_deref().unwrap_or_default();
        text::check_text(reason, limits::REASON_CHARS_MAX).map_err(|refusal| refusal.at("reason"))
    }

    fn check_moment(&self, now: Timestamp) -> Result<(), Refusal> {
        if self.created_at <= now {
            return Ok(());
        }
        let detail = format!("{} has not come yet: it is {now}", self.created_at);
        Err(Refusal::out_of_bounds(detail).at("created_at"))
    }

    /// Whether something else than its text says something; an answer may have ended before its first word.
    fn may_be_blank(&self) -> bool {
        self.content.is_some()
            || !self.artifacts.is_empty()
            || !self.attachments.is_empty()
            || !self.steps.is_empty()
            || self.state != State::Complete
    }
}

/// Refuses an author who could be taken for one of this hub.
fn check_author(author: &Author) -> Result<(), Refusal> {
    let id = author.id.as_deref().unwrap_or_default();
    text::check_line(id, limits::FOREIGN_AUTHOR_ID_CHARS_MAX).map_err(|refusal| refusal.at("id"))?;
    if author.foreign_system().is_none() {
        let most = limits::FOREIGN_SYSTEM_CHARS_MAX;
        let detail = format!("the id of its author is <system>:<id there>, the system 1 to {most} of a-z, 0-9 and -");
        return Err(Refusal::invalid(detail).at("id"));
    }
    text::check_not_blank(&author.name)
        .and_then(|()| text::check_line(&author.name, limits::NAME_CHARS_MAX))
        .map_err(|refusal| refusal.at("name"))
}

#[cfg(test)]
mod tests;
