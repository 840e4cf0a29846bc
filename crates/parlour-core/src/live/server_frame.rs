//! The frames of the hub.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    Refusal,
    event::Event,
    id::{ConversationId, MemberId, MessageId, ProjectId},
    position::Position,
    presence::Presence,
    step::Step,
    stream::{Chunk, StreamSnapshot},
};

/// A frame of the hub to a live client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ServerFrame {
    /// The session is open.
    Hello(Hello),
    /// Something has happened: one entry of a project's log.
    Event(Box<Event>),
    /// Events are missing and no longer in the log. The stream continues after `position`.
    Gap(Gap),
    /// All events up to this position were sent; the following ones are live.
    Live(ReachedPosition),
    /// All events up to this position were sent or are not for this reader; the reader can resume from it.
    Position(ReachedPosition),
    /// An open stream, with its whole text so far.
    Stream(ProjectFrame<StreamSnapshot>),
    /// A further piece of an answer.
    Chunk(ProjectFrame<Chunk>),
    /// The producer of an answer has begun a step.
    StepStarted(ProjectFrame<StepFrame>),
    /// The producer of an answer has ended a step.
    StepFinished(ProjectFrame<StepFrame>),
    /// The typing members of a conversation; expires after `TYPING_SECONDS_MAX` seconds.
    Typing(ProjectFrame<Typing>),
    /// Changes of presence.
    Presence(ProjectFrame<PresenceChanges>),
    /// The result of a client's frame.
    Ok(CommandDone),
    /// Why a client's frame was not done. The session goes on.
    Refused(CommandRefused),
}

/// The first frame of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Hello {
    /// The authenticated member.
    pub member_id: MemberId,
    /// Seconds between two heartbeats of the hub.
    pub heartbeat_seconds: u64,
}

/// Why events are missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum GapReason {
    /// The log was begun anew: the position is of an earlier life, of another project, or of another copy of this log.
    Epoch,
    /// The log no longer reaches back so far.
    Expired,
    /// The position lies after the end that the log had when the hub that issued the position stopped, so the log has
    /// lost events, for example by a restored backup.
    Ahead,
}

/// A range of events that are no longer in the log: load a snapshot and continue from its position.
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
pub struct ReachedPosition {
    /// The project.
    pub project_id: ProjectId,
    /// The place.
    pub position: Position,
}

/// An ephemeral frame of a project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ProjectFrame<T> {
    /// The project.
    pub project_id: ProjectId,
    /// What.
    #[serde(flatten)]
    pub what: T,
}

/// A step of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct StepFrame {
    /// The answer.
    pub message_id: MessageId,
    /// The conversation.
    pub conversation_id: ConversationId,
    /// The step.
    pub step: Step,
}

/// The typing members.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Typing {
    /// Where.
    pub conversation_id: ConversationId,
    /// Who, as far as `TYPING_NAMES_MAX` goes.
    pub members: Vec<MemberId>,
}

/// Changes of presence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PresenceChanges {
    /// Members that are present or have changed.
    pub present: Vec<Presence>,
    /// Members that are gone.
    pub gone: Vec<MemberId>,
    /// The number of present members.
    pub count: u64,
    /// Whether there were more changes than listed: then load `GET /projects/{id}/presence` again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_partial: bool,
}

/// The result of a client's frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct CommandDone {
    /// The `ref` of the client.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// The response body of the same request over HTTP.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub data: Value,
}

/// Why a client's frame was not done, with the words of a problem document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct CommandRefused {
    /// The `ref` of the client.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// The stable code.
    pub code: String,
    /// The title of the error code.
    pub title: String,
    /// The detail of this refusal.
    pub detail: String,
    /// Whether the same frame can succeed later without a change.
    pub retryable: bool,
    /// The field it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The candidates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<String>,
    /// Seconds to wait before a retry, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u64>,
}

impl CommandRefused {
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
            retry_after: refusal.retry_after_seconds(),
        }
    }
}

impl ServerFrame {
    /// The name of the frame: that of the event, otherwise its type.
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
