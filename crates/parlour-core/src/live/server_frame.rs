//! What a hub tells a live client.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    Refusal,
    event::Event,
    id::{ConversationId, MemberId, MessageId, ProjectId},
    position::Position,
    presence::Presence,
    step::Step,
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
    Live(ReachedPosition),
    /// Everything up to this position was told or is not for this reader; a place to resume from.
    Position(ReachedPosition),
    /// An answer that is being written, with its whole text so far.
    Stream(ProjectFrame<Running>),
    /// A further piece of an answer.
    Chunk(ProjectFrame<Chunk>),
    /// The producer of an answer has begun a step.
    StepStarted(ProjectFrame<StepFrame>),
    /// The producer of an answer has ended a step.
    StepFinished(ProjectFrame<StepFrame>),
    /// Who is typing in a conversation; it counts for `TYPING_SECONDS_MAX` seconds.
    Typing(ProjectFrame<Typing>),
    /// Whose presence has changed.
    Presence(ProjectFrame<PresenceChanges>),
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
pub struct ReachedPosition {
    /// The project.
    pub project_id: ProjectId,
    /// The place.
    pub position: Position,
}

/// Something of the moment in a project.
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
    /// In how many seconds to try again, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u64>,
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
            retry_after: refusal.retry_after_seconds(),
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
