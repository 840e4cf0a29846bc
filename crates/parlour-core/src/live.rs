//! Live frames: what a hub and a live client say to each other, the same on every transport.
//!
//! Only `event` and `gap` frames carry a position and are told again after a reconnect. All others are of the moment.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    Refusal,
    event::Event,
    id::{ConversationId, MemberId, MessageId, ProjectId},
    position::Position,
    post::{PostMessage, null_as_default},
    presence::{Presence, PresenceWish},
    step::{FinishStep, StartStep, Step},
    stream::{Chunk, Running},
};

/// What a hub tells a live client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ServerFrame {
    /// The session is open.
    Hello(Hello),
    /// Something has happened: one entry of a project's log.
    Event(Box<Event>),
    /// Events are missing and cannot be told any more. What follows goes on after `position`.
    Gap(Gap),
    /// Everything up to this position was told; what follows is live.
    Live(Reached),
    /// Everything up to this position was told or is not for this reader; a place to resume from.
    Position(Reached),
    /// An answer that is being written, with its whole text so far.
    Stream(InProject<Running>),
    /// A further piece of an answer.
    Chunk(InProject<Chunk>),
    /// The producer of an answer has begun a step.
    StepStarted(InProject<StepOf>),
    /// The producer of an answer has ended a step.
    StepFinished(InProject<StepOf>),
    /// Who is typing in a conversation; it counts for `TYPING_SECONDS_MAX` seconds.
    Typing(InProject<Typing>),
    /// Whose presence has changed.
    Presence(InProject<PresenceChanges>),
    /// What came of a client's frame.
    Ok(Done),
    /// Why a client's frame was not done. The session goes on.
    Refused(Refused),
}

/// The first frame of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Hello {
    /// Who is signed in.
    pub member_id: MemberId,
    /// How often the hub gives a sign of life.
    pub heartbeat_seconds: u64,
}

/// Why events are missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum GapReason {
    /// The log was begun anew: the position is of an earlier life, or of another project.
    Epoch,
    /// The log no longer reaches back so far.
    Expired,
    /// The position lies after the end of the log, so the log has lost events, for example by a restored backup.
    Ahead,
}

/// Events that cannot be told any more: load a snapshot and go on from its position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Gap {
    /// The project.
    pub project_id: ProjectId,
    /// Why.
    pub reason: GapReason,
    /// Where the session goes on.
    pub position: Position,
}

/// A place in the log that a reader has reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Reached {
    /// The project.
    pub project_id: ProjectId,
    /// The place.
    pub position: Position,
}

/// Something of the moment in a project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct InProject<T> {
    /// The project.
    pub project_id: ProjectId,
    /// What.
    #[serde(flatten)]
    pub what: T,
}

/// A step of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct StepOf {
    /// The answer.
    pub message_id: MessageId,
    /// Where it stands.
    pub conversation_id: ConversationId,
    /// The step.
    pub step: Step,
}

/// Who is typing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Typing {
    /// Where.
    pub conversation_id: ConversationId,
    /// Who, as far as `TYPING_NAMES_MAX` goes.
    pub members: Vec<MemberId>,
}

/// Whose presence has changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PresenceChanges {
    /// Who is there now, or is there in another way.
    pub present: Vec<Presence>,
    /// Who is gone.
    pub gone: Vec<MemberId>,
    /// How many are there.
    pub count: u64,
    /// Whether more has changed than is told here: then read `GET /projects/{id}/presence` anew.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_partial: bool,
}

/// What came of a client's frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Done {
    /// The reference that the client gave.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// What the same request over HTTP answers.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub data: Value,
}

/// Why a client's frame was not done, with the words of a problem document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Refused {
    /// The reference that the client gave.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// The stable code.
    pub code: String,
    /// What happened, in words that are the same each time.
    pub title: String,
    /// What was wrong with this very frame.
    pub detail: String,
    /// Whether the same frame may succeed later without a change.
    pub retryable: bool,
    /// The field it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// What may have been meant.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<String>,
}

/// What a live client asks for. Beside its fields a frame may have a `ref`, which comes back with the answer.
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
        /// What went wrong.
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
        /// What came out.
        #[serde(flatten)]
        end: FinishStep,
    },
    /// Says that the caller is there, until the session ends.
    Presence(PresenceWish),
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
    /// How many characters (Unicode code points) stand before it. Without it the piece goes to the end, and a repeated
    /// request adds it twice.
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
    /// A structured form of what it says.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Value))]
    pub content: Option<Value>,
    /// Members to call, by name or id, besides those named in the text.
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "null_as_default")]
    #[cfg_attr(feature = "schema", schema(nullable, max_items = 50))]
    pub mentions: Vec<String>,
}

/// The end of an answer that went wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Fail {
    /// What went wrong, in words for people.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 2000))]
    pub reason: String,
    /// The text to keep, in place of what was streamed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(max_length = 65536))]
    pub body: Option<String>,
}

/// The wish that an answer be stopped.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Cancel {
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(max_length = 2000))]
    pub reason: Option<String>,
}

/// Why the hub closed a session: the codes of the WebSocket's close frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u16)]
pub enum CloseCode {
    /// The hub stops, or starts again.
    Restart = 1012,
    /// A frame was too long.
    TooLong = 1009,
    /// The reader was too slow. Connect again and resume after the last position.
    Resume = 4000,
    /// Too many frames in a row could not be read.
    Unreadable = 4400,
    /// Nobody is signed in: the token was wrong, was replaced, or did not come in time.
    SignedOut = 4401,
    /// The reader may no longer read a project that it follows.
    AccessEnded = 4403,
    /// The heartbeats were not answered.
    Silent = 4408,
    /// A fault of the hub. Connect again and resume.
    Fault = 4500,
}

impl CloseCode {
    /// All codes.
    pub const ALL: &'static [Self] = &[
        Self::Restart,
        Self::TooLong,
        Self::Resume,
        Self::Unreadable,
        Self::SignedOut,
        Self::AccessEnded,
        Self::Silent,
        Self::Fault,
    ];

    /// The code with this number.
    pub fn from_number(number: u16) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.number() == number)
    }

    /// The number on the wire.
    pub fn number(self) -> u16 {
        self as u16
    }

    /// Whether the same session may be opened again, with the same token, and resume.
    pub fn may_resume(self) -> bool {
        matches!(self, Self::Restart | Self::Resume | Self::Silent | Self::Fault)
    }

    /// What a person is told.
    pub fn text(self) -> &'static str {
        match self {
            Self::Restart => "the hub is stopping; connect again and resume",
            Self::TooLong => "the frame was too long",
            Self::Resume => "too slow; connect again and resume after the last position",
            Self::Unreadable => "too many frames that cannot be read",
            Self::SignedOut => "nobody is signed in",
            Self::AccessEnded => "you may no longer read this project",
            Self::Silent => "no answer to the heartbeats",
            Self::Fault => "a fault of the hub; connect again and resume",
        }
    }
}

impl Refused {
    /// Tells a client why its frame was not done.
    pub fn new(reference: Option<String>, refusal: &Refusal) -> Self {
        Self {
            reference,
            code: refusal.code.as_str().to_owned(),
            title: refusal.code.title().to_owned(),
            detail: refusal.detail.clone(),
            retryable: refusal.code.is_retryable(),
            field: refusal.field.clone(),
            candidates: refusal.candidates.clone(),
        }
    }
}

impl ServerFrame {
    /// What the frame is called: for an event the name of what happened, otherwise its type.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Hello(_) => "hello",
            Self::Event(event) => event.change.name(),
            Self::Gap(_) => "gap",
            Self::Live(_) => "live",
            Self::Position(_) => "position",
            Self::Stream(_) => "stream",
            Self::Chunk(_) => "chunk",
            Self::StepStarted(_) => "step_started",
            Self::StepFinished(_) => "step_finished",
            Self::Typing(_) => "typing",
            Self::Presence(_) => "presence",
            Self::Ok(_) => "ok",
            Self::Refused(_) => "refused",
        }
    }
}

#[cfg(test)]
mod tests;
