//! Imports: messages of another system, stored in a conversation with their authors and times.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value, json};

use crate::{
    Code, Refusal, Timestamp,
    author::{Author, AuthorType},
    id::{ArtifactId, ChannelId, ConversationId, MessageId, ProjectId, ThreadId},
    limits,
    message::{Attachment, Importance, Kind, Message, State},
    post::{PostDigest, check_attachments, check_correlation_id, check_count, check_json, digest_of, null_as_default},
    step::{Step, check_steps},
    text,
};

/// A message of another system.
///
/// Its author belongs to the other system: the id starts with the name of the system (`pynchy:…`), so no member has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ImportedMessage {
    /// The id here. An id is imported once, however often it is sent.
    pub id: MessageId,
    /// The author.
    #[serde(deserialize_with = "author")]
    #[cfg_attr(feature = "schema", schema(value_type = ForeignAuthor))]
    pub from: Author,
    /// The role for a model.
    pub kind: Kind,
    /// The text.
    #[serde(default, deserialize_with = "null_as_default")]
    #[cfg_attr(feature = "schema", schema(nullable, max_length = 65536))]
    pub body: String,
    /// Structured content in addition to the text.
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
    /// The importance.
    #[serde(default, deserialize_with = "null_as_default")]
    #[cfg_attr(feature = "schema", schema(nullable))]
    pub importance: Importance,
    /// The message it answers, by its id here. It is left out when that message is not in the conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<MessageId>,
    /// The correlation id of calls between agents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 128))]
    pub correlation_id: Option<String>,
    /// The final state; never `streaming`.
    #[serde(default, deserialize_with = "null_as_default")]
    #[cfg_attr(feature = "schema", schema(nullable))]
    pub state: State,
    /// Why it ended without being complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(max_length = 2000))]
    pub reason: Option<String>,
    /// The steps of the producer.
    #[serde(default, deserialize_with = "steps", skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schema(value_type = Vec<ImportedStep>, nullable, max_items = 200))]
    pub steps: Vec<Step>,
    /// Free data.
    #[serde(default, deserialize_with = "null_as_default", skip_serializing_if = "Map::is_empty")]
    #[cfg_attr(feature = "schema", schema(value_type = Object, nullable))]
    pub metadata: Map<String, Value>,
    /// When it was written there.
    pub created_at: Timestamp,
}

/// A request to import messages, in order. Only administrators can import.
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

/// The result of an import.
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
            _ => Err(Refusal::invalid("give exactly one of channel_id and thread_id").at("channel_id")),
        }
    }

    /// Refuses a request with a value out of bounds. Nothing may have been written after `now`.
    pub fn check(&self, now: Timestamp) -> Result<(), Refusal> {
        if self.messages.is_empty() {
            return Err(Refusal::out_of_bounds("messages is empty; give at least one").at("messages"));
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
        self.check_time(now)?;
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

    /// The digest that distinguishes a repeated message from another one under the same id, or elsewhere. It never
    /// equals that of a post.
    pub fn digest(&self, to: &ConversationId) -> PostDigest {
        digest_of(&json!({ "imported": self, "to": to }))
    }

    /// The message as it is stored in the conversation. It calls no agent and blocks nothing.
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
            return Err(Refusal::invalid("an imported message cannot be streaming").at("state"));
        }
        let reason = self.reason.as_deref().unwrap_or_default();
        text::check_text(reason, limits::REASON_CHARS_MAX).map_err(|refusal| refusal.at("reason"))
    }

    fn check_time(&self, now: Timestamp) -> Result<(), Refusal> {
        if self.created_at <= now {
            return Ok(());
        }
        let detail = format!("{} is in the future; the hub's time is {now}", self.created_at);
        Err(Refusal::out_of_bounds(detail).at("created_at"))
    }

    /// Whether the message has content other than its text; a stream can end before its first word.
    fn may_be_blank(&self) -> bool {
        self.content.is_some()
            || !self.artifacts.is_empty()
            || !self.attachments.is_empty()
            || !self.steps.is_empty()
            || self.state != State::Complete
    }
}

/// Refuses an author who could be taken for a member of this hub.
fn check_author(author: &Author) -> Result<(), Refusal> {
    let id = author.id.as_deref().unwrap_or_default();
    text::check_line(id, limits::FOREIGN_AUTHOR_ID_CHARS_MAX).map_err(|refusal| refusal.at("id"))?;
    if author.foreign_system().is_none() {
        let most = limits::FOREIGN_SYSTEM_CHARS_MAX;
        let detail = format!(
            "the author id must have the form <system>:<id>, where the system has 1 to {most} characters of a-z, 0-9 and -"
        );
        return Err(Refusal::invalid(detail).at("id"));
    }
    text::check_not_blank(&author.name)
        .and_then(|()| text::check_line(&author.name, limits::NAME_CHARS_MAX))
        .map_err(|refusal| refusal.at("name"))
}

/// An author of another system.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ForeignAuthor {
    /// The sort of author.
    #[serde(rename = "type")]
    author_type: AuthorType,
    /// The name of the other system, a colon, and the author's id there: never the id of a member.
    #[cfg_attr(
        feature = "schema",
        schema(
            max_length = 256,
            example = "pynchy:u-7",
            pattern = r"^[a-z0-9-]{1,20}:[^\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]+$"
        )
    )]
    id: String,
    /// The name shown to people.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 64))]
    name: String,
}

/// A step on the way to an answer that was written elsewhere.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ImportedStep {
    /// The producer's own id for the step, unique in the answer.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 128, pattern = "^[!-.0-~]+$"))]
    id: String,
    /// The name of the action, for example of a tool.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 128))]
    name: String,
    /// The input.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(value_type = Value))]
    input: Option<Value>,
    /// The output.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(value_type = Value))]
    output: Option<Value>,
    /// Whether it went wrong.
    #[serde(default)]
    is_error: bool,
    /// When it began.
    started_at: Timestamp,
    /// When it ended.
    finished_at: Option<Timestamp>,
}

impl From<ImportedStep> for Step {
    fn from(sent: ImportedStep) -> Self {
        let ImportedStep { id, name, input, output, is_error, started_at, finished_at } = sent;
        Self { id, name, input, output, is_error, started_at, finished_at }
    }
}

fn author<'de, D: Deserializer<'de>>(input: D) -> Result<Author, D::Error> {
    let ForeignAuthor { author_type, id, name } = ForeignAuthor::deserialize(input)?;
    Ok(Author { author_type, id: Some(id), name })
}

fn steps<'de, D: Deserializer<'de>>(input: D) -> Result<Vec<Step>, D::Error> {
    let sent: Option<Vec<ImportedStep>> = Option::deserialize(input)?;
    Ok(sent.unwrap_or_default().into_iter().map(Step::from).collect())
}

/// Levels around the fields of a message: the request body, the list of messages, the message.
const AROUND_FIELDS: usize = 3;
/// Levels around the values of a step: the list of steps and the step, too.
const AROUND_STEP_VALUES: usize = AROUND_FIELDS + 2;

impl ImportedMessage {
    /// The most levels of the content, and of the metadata, of a message.
    pub const FIELD_LEVELS_MAX: usize = limits::REQUEST_DEPTH_MAX - AROUND_FIELDS;
    const STEP_VALUE_LEVELS_MAX: usize = limits::REQUEST_DEPTH_MAX - AROUND_STEP_VALUES;

    /// Refuses values that are nested more deeply than a request allows.
    fn check_depth(&self) -> Result<(), Refusal> {
        check("content", self.content.as_ref().map_or(0, levels_of), Self::FIELD_LEVELS_MAX)?;
        let metadata = self.metadata.values().map(levels_of).max().unwrap_or(0);
        check("metadata", 1 + metadata, Self::FIELD_LEVELS_MAX)?;
        for (index, step) in self.steps.iter().enumerate() {
            for (name, value) in [("input", &step.input), ("output", &step.output)] {
                let levels = value.as_ref().map_or(0, levels_of);
                check(&format!("steps[{index}].{name}"), levels, Self::STEP_VALUE_LEVELS_MAX)?;
            }
        }
        Ok(())
    }
}

fn check(field: &str, levels: usize, levels_max: usize) -> Result<(), Refusal> {
    if levels <= levels_max {
        return Ok(());
    }
    let detail = format!("the value is nested {levels} levels deep; at most {levels_max} are allowed");
    Err(Refusal::new(Code::TooDeep, detail).at(field))
}

/// The levels of lists and objects in a value. The recursion is as deep as the value, and its parser bounds that.
pub fn levels_of(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(levels_of).max().unwrap_or(0),
        Value::Object(fields) => 1 + fields.values().map(levels_of).max().unwrap_or(0),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nesting_levels_count_lists_and_objects() {
        for (value, levels) in
            [(json!("text"), 0), (json!([]), 1), (json!({"a": 1}), 1), (json!({"a": [{}, 2], "b": []}), 3)]
        {
            assert_eq!(levels_of(&value), levels, "{value}");
        }
    }
}
