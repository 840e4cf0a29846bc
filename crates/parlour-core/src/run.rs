//! Runs: one turn of an agent, from its start to its end.
//!
//! A run continues until a checkpoint pauses it, is paused until each of these messages is handled or answered, and
//! ends once. A run without a heartbeat for the time of its lease has failed. A paused run has no lease and waits as
//! long as its questions are open.

use serde::{Deserialize, Serialize};

use crate::{
    Code, Refusal, Timestamp,
    author::Author,
    delivery::{DeliveryState, DeliveryStep, ResumedBy},
    engine::Usage,
    id::{AgentId, ChannelId, ConversationId, DmId, MemberId, MessageId, ProjectId, RunId, TaskId, ThreadId},
    limits,
    message::Message,
    text,
    timeline::TimelineEntryKind,
};

/// The state of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// The agent is working.
    Running,
    /// The run waits for the messages in `pauses`.
    Paused,
    /// The run has succeeded.
    Done,
    /// The run ended in an error, or its lease ran out.
    Failed,
    /// A member cancelled the run.
    Cancelled,
}

/// Why a run is paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum PauseReason {
    /// A blocking message to the agent. The run continues when the agent has handled it.
    Message,
    /// A question of the agent. The run continues when it is answered.
    Asked,
}

/// One message that a run waits for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Pause {
    /// The reason.
    pub reason: PauseReason,
    /// The blocking message.
    pub message_id: MessageId,
    /// The conversation of the message.
    pub conversation_id: ConversationId,
    /// The author of the message.
    pub from: Author,
    /// The start of the pause.
    pub since: Timestamp,
    /// Whether the agent answers the message in a separate run. This run waits, and its model or command never gets the
    /// message.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub answered_separately: bool,
}

/// One turn of an agent.
///
/// Readers of its conversation can see the run. A run without a conversation is visible to the whole project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Run {
    /// The run's id.
    pub id: RunId,
    /// Its project.
    pub project_id: ProjectId,
    /// The agent.
    pub agent_id: AgentId,
    /// The state.
    pub state: RunState,
    /// The work, in one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The conversation of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<ConversationId>,
    /// The message that caused the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_id: Option<MessageId>,
    /// The task of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<TaskId>,
    /// The messages that the run waits for. Events and snapshots omit those of other conversations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pauses: Vec<Pause>,
    /// Why the run failed or was cancelled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The token usage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Seconds without a heartbeat after which the run has failed.
    pub lease_seconds: u64,
    /// When the run started.
    pub started_at: Timestamp,
    /// When the run last paused, resumed or ended.
    pub updated_at: Timestamp,
    /// When the run ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<Timestamp>,
}

/// A request to start a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct StartRun {
    /// An id chosen by the client; a repeated request returns the first result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<RunId>,
    /// The agent; by default the caller.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<AgentId>,
    /// The work, in one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 200))]
    pub label: Option<String>,
    /// The channel of the run. At most one conversation can be given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel_id: Option<ChannelId>,
    /// The thread of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<ThreadId>,
    /// The DM of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dm_id: Option<DmId>,
    /// The message that caused the run. Its conversation is the run's if none is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_id: Option<MessageId>,
    /// The task of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<TaskId>,
    /// Seconds without a heartbeat after which the run has failed; two minutes by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(minimum = 5, maximum = 3600))]
    pub lease_seconds: Option<u64>,
}

/// The end of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunEnd {
    /// The final state.
    pub state: RunState,
    /// Why the run failed or was cancelled.
    pub reason: Option<String>,
    /// The token usage.
    pub usage: Option<Usage>,
}

/// A request of an agent to end its run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct FinishRun {
    /// Why the run failed; absent if it succeeded.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 2000))]
    pub failed: Option<String>,
    /// The token usage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

/// A filter for runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunFilter {
    /// Runs of this agent.
    pub agent_id: Option<AgentId>,
    /// Runs of this task.
    pub task_id: Option<TaskId>,
    /// Runs that have not ended.
    pub only_open: bool,
}

/// The stored facts that decide whether a pause still applies when it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PauseFacts {
    /// The question of the blocking message is open.
    pub is_question_open: bool,
    /// The question still waits for the agent of the run.
    pub awaits_agent: bool,
    /// The agent has handled the message already.
    pub is_handled: bool,
}

impl Pause {
    /// Whether the pause still applies. Time has passed since it was decided: a question that has ended, or a message
    /// that was handled, no longer pauses the run, because nobody would resume it.
    pub fn applies(&self, facts: PauseFacts) -> bool {
        let needs_handling = match self.reason {
            PauseReason::Asked => true,
            PauseReason::Message => facts.awaits_agent && !facts.is_handled,
        };
        facts.is_question_open && needs_handling
    }

    /// The text of the timeline entry: who answers, if it is not this run.
    pub fn timeline_detail(&self) -> Option<&'static str> {
        self.answered_separately.then_some("a separate run answers; this run does not get the message")
    }

    /// The kind of timeline entry that records the pause.
    pub fn timeline_kind(&self) -> TimelineEntryKind {
        match self.reason {
            PauseReason::Message => TimelineEntryKind::Paused,
            PauseReason::Asked => TimelineEntryKind::Asked,
        }
    }
}

impl RunEnd {
    /// The kind of timeline entry that records the end.
    pub fn timeline_kind(&self) -> TimelineEntryKind {
        match self.state {
            RunState::Failed => TimelineEntryKind::RunFailed,
            RunState::Cancelled => TimelineEntryKind::RunCancelled,
            RunState::Done | RunState::Running | RunState::Paused => TimelineEntryKind::RunDone,
        }
    }
}

impl RunState {
    /// Whether the run has not ended.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Running | Self::Paused)
    }

    /// The name of the state in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Paused => "paused",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

impl StartRun {
    /// Refuses a request with a value out of bounds.
    pub fn check(&self) -> Result<(), Refusal> {
        if let Some(label) = &self.label {
            text::check_not_blank(label)
                .and_then(|()| text::check_line(label, limits::TITLE_CHARS_MAX))
                .map_err(|refusal| refusal.at("label"))?;
        }
        let bounds = limits::RUN_LEASE_SECONDS_MIN as u64..=limits::RUN_LEASE_SECONDS_MAX as u64;
        if bounds.contains(&self.lease()) {
            return Ok(());
        }
        let (least, most) = (bounds.start(), bounds.end());
        Err(Refusal::out_of_bounds(format!("the lease must be {least} to {most} seconds")).at("lease_seconds"))
    }

    /// The conversation of the request; at most one can be given.
    pub fn conversation(&self) -> Result<Option<ConversationId>, Refusal> {
        let named = [
            self.channel_id.clone().map(ConversationId::from),
            self.thread_id.clone().map(ConversationId::from),
            self.dm_id.clone().map(ConversationId::from),
        ];
        let mut named = named.into_iter().flatten();
        match (named.next(), named.next()) {
            (_, Some(_)) => {
                Err(Refusal::invalid("give at most one of channel_id, thread_id and dm_id").at("channel_id"))
            }
            (only, None) => Ok(only),
        }
    }

    /// The lease in seconds.
    pub fn lease(&self) -> u64 {
        self.lease_seconds.unwrap_or(limits::RUN_LEASE_SECONDS_DEFAULT as u64)
    }
}

impl FinishRun {
    /// The end of the run, or a refusal.
    pub fn end(self) -> Result<RunEnd, Refusal> {
        if let Some(usage) = &self.usage {
            usage.check()?;
        }
        let Some(reason) = self.failed else {
            return Ok(RunEnd { state: RunState::Done, reason: None, usage: self.usage });
        };
        check_reason(&reason).map_err(|refusal| refusal.at("failed"))?;
        Ok(RunEnd { state: RunState::Failed, reason: Some(reason), usage: self.usage })
    }
}

impl Run {
    /// The run with further pauses, or `None` if it has all of them. Refuses a run that has ended (`RunEnded`) and more
    /// than
    /// `RUN_PAUSES_MAX` pauses (`Full`).
    pub fn paused(&self, pauses: &[Pause], at: Timestamp) -> Result<Option<Self>, Refusal> {
        self.check_open()?;
        let mut all = self.pauses.clone();
        for pause in pauses {
            if !all.iter().any(|known| known.message_id == pause.message_id) {
                all.push(pause.clone());
            }
        }
        if all.len() > limits::RUN_PAUSES_MAX {
            let most = limits::RUN_PAUSES_MAX;
            return Err(Refusal::new(Code::Full, format!("a run can be paused by at most {most} messages at once")));
        }
        let is_news = all.len() > self.pauses.len();
        Ok(is_news.then(|| Self { state: RunState::Paused, pauses: all, updated_at: at, ..self.clone() }))
    }

    /// The run without this pause, or without all pauses; it continues when none is left. Refuses when the message does
    /// not pause the run (`NotPaused`) and when the run has ended (`RunEnded`).
    pub fn resumed(&self, message: Option<&MessageId>, at: Timestamp) -> Result<Self, Refusal> {
        self.check_open()?;
        let is_meant = |pause: &&Pause| message.is_none_or(|id| pause.message_id == *id);
        if !self.pauses.iter().any(|pause| is_meant(&pause)) {
            let detail = match message {
                Some(id) if !self.pauses.is_empty() => format!("the run is not paused by {id}"),
                _ => "the run is already running".to_owned(),
            };
            return Err(Refusal::new(Code::NotPaused, detail));
        }
        let pauses: Vec<Pause> = self.pauses.iter().filter(|pause| !is_meant(pause)).cloned().collect();
        let state = if pauses.is_empty() { RunState::Running } else { RunState::Paused };
        Ok(Self { state, pauses, updated_at: at, ..self.clone() })
    }

    /// The run after its end, or `None` if it already ended in this state. Refuses (`RunEnded`) if it ended in another.
    pub fn ended(&self, end: &RunEnd, at: Timestamp) -> Result<Option<Self>, Refusal> {
        if self.state == end.state {
            return Ok(None);
        }
        self.check_open()?;
        Ok(Some(Self {
            state: end.state,
            reason: end.reason.clone(),
            usage: end.usage.clone().or_else(|| self.usage.clone()),
            pauses: Vec::new(),
            updated_at: at,
            finished_at: Some(at),
            ..self.clone()
        }))
    }

    /// The run as the store keeps it when it starts: running, without pauses, in this project.
    #[must_use]
    pub fn started(self, project_id: ProjectId) -> Self {
        Self { state: RunState::Running, pauses: Vec::new(), project_id, ..self }
    }

    /// Refuses (`ClientIdReused`) a repeated start whose id belongs to a run of another agent or project.
    pub fn check_repeated_start(&self, again: &Self, project_id: &ProjectId) -> Result<(), Refusal> {
        if self.agent_id == again.agent_id && self.project_id == *project_id {
            return Ok(());
        }
        Err(Refusal::new(Code::ClientIdReused, format!("the id {} is already used by another run", self.id)).at("id"))
    }

    /// Whether the timeline may name a message of this conversation: everybody who sees the run may read it.
    pub fn may_name(&self, conversation_id: &ConversationId) -> bool {
        self.conversation_id.as_ref() == Some(conversation_id)
    }

    /// What a resumption means for the delivery of the message of this pause. `None` for the agent's own question, and
    /// for a removed message, which is no longer delivered.
    pub fn resumption_of(&self, pause: &Pause, message: &Message, by: &Author) -> Option<ResumedBy> {
        if pause.reason != PauseReason::Message || message.removed_at.is_some() {
            return None;
        }
        let is_own = by.member_id() == Some(MemberId::Agent(self.agent_id.clone()));
        Some(if is_own { ResumedBy::Agent } else { ResumedBy::Other })
    }

    /// The step of a delivery that was injected into this run and not yet read when the run ended: it fails with the
    /// run. A run that succeeded fails nothing.
    ///
    /// The reason is included only in the conversation of the run, because readers of others may not see the run.
    pub fn failed_injection(&self, end: &RunEnd, conversation_id: &ConversationId) -> Option<DeliveryStep> {
        if end.state == RunState::Done {
            return None;
        }
        let is_visible = self.conversation_id.as_ref().is_none_or(|own| own == conversation_id);
        let why = match end.reason.as_deref().filter(|_| is_visible) {
            Some(reason) => format!("the run ended while it was paused: {reason}"),
            None => "the run ended while it was paused".to_owned(),
        };
        let why = Some(why.chars().take(limits::REASON_CHARS_MAX).collect());
        Some(DeliveryStep { why, ..DeliveryStep::to(DeliveryState::Failed) })
    }

    /// Refuses (`RunEnded`) a run that has ended.
    pub fn check_open(&self) -> Result<(), Refusal> {
        if self.state.is_open() {
            return Ok(());
        }
        Err(Refusal::new(Code::RunEnded, format!("the run is already {}", self.state.as_str())))
    }

    /// The run as it is published: without pauses of other conversations.
    #[must_use]
    pub fn published(mut self) -> Self {
        let own = self.conversation_id.clone();
        self.pauses.retain(|pause| Some(&pause.conversation_id) == own.as_ref());
        self
    }
}

/// Checks the reason of an end.
pub fn check_reason(reason: &str) -> Result<(), Refusal> {
    text::check_not_blank(reason).and_then(|()| text::check_text(reason, limits::REASON_CHARS_MAX))
}

#[cfg(test)]
mod tests;
