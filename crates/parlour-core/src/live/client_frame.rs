//! The frames of a live client.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    engine::Usage,
    id::{ConversationId, MessageId, ProjectId},
    position::Position,
    post::{PostMessage, null_as_default},
    presence::PresenceUpdate,
    step::{FinishStep, StartStep},
};

/// A frame of a live client. It may have a `ref`, which the answer repeats.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum ClientFrame {
    /// Tells who is calling, when the head of the request could not.
    SignIn {
        /// The token.
        token: String,
    },
    /// Follows a project: after this position, or from now on.
    Subscribe {
        /// The project.
        project_id: ProjectId,
        /// The last position that the client has seen.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        after: Option<Position>,
        /// Whether only events are sent: no chunks, steps, typing or presence. For programs that wait to be called.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        events_only: bool,
    },
    /// Follows a project no longer.
    Unsubscribe {
        /// The project.
        project_id: ProjectId,
    },
    /// Posts a message.
    Post {
        /// The message.
        message: Box<PostMessage>,
    },
    /// Adds a piece to the caller's answer.
    Chunk {
        /// The answer.
        message_id: MessageId,
        /// The piece.
        #[serde(flatten)]
        chunk: AddChunk,
    },
    /// Ends the caller's answer.
    Complete {
        /// The answer.
        message_id: MessageId,
        /// The final text.
        #[serde(flatten)]
        end: Complete,
    },
    /// Ends the caller's answer with an error.
    Fail {
        /// The answer.
        message_id: MessageId,
        /// The error.
        #[serde(flatten)]
        end: Fail,
    },
    /// Stops an answer.
    Cancel {
        /// The answer.
        message_id: MessageId,
        /// Why.
        #[serde(flatten)]
        end: Cancel,
    },
    /// Keeps the caller's answer open without adding to it.
    Beat {
        /// The answer.
        message_id: MessageId,
    },
    /// Begins a step of the caller's answer.
    StartStep {
        /// The answer.
        message_id: MessageId,
        /// The step.
        step: StartStep,
    },
    /// Ends a step of the caller's answer.
    FinishStep {
        /// The answer.
        message_id: MessageId,
        /// The step's id.
        step_id: String,
        /// The output.
        #[serde(flatten)]
        end: FinishStep,
    },
    /// Says that the caller is there, until the session ends.
    Presence(PresenceUpdate),
    /// Says that the caller is no longer there, although the session goes on.
    Leave {},
    /// Says that the caller is typing.
    Typing {
        /// Where.
        conversation_id: ConversationId,
    },
    /// Asks for an answer, to see that the hub is there.
    Ping {},
}

/// A piece to be added to an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct AddChunk {
    /// The number of characters (Unicode code points) before the chunk. Without it the chunk is appended, and a
    /// repeated request adds it twice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<u64>,
    /// The piece.
    #[cfg_attr(feature = "schema", schema(max_length = 65536))]
    pub text: String,
}

/// The end of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Complete {
    /// The final text, in place of what was streamed; without it that stays.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(max_length = 65536))]
    pub body: Option<String>,
    /// Structured content in addition to the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Value))]
    pub content: Option<Value>,
    /// Members to call, by name or id, besides those named in the text.
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "null_as_default")]
    #[cfg_attr(feature = "schema", schema(nullable, max_items = 50))]
    pub mentions: Vec<String>,
    /// The token usage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

/// The end of an answer that went wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Fail {
    /// The error, as text for people.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 2000))]
    pub reason: String,
    /// The text to keep, in place of what was streamed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(max_length = 65536))]
    pub body: Option<String>,
    /// The token usage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

/// A request that an answer be stopped.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Cancel {
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(max_length = 2000))]
    pub reason: Option<String>,
}
