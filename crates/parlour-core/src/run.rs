//! Runs: one turn of an agent, from the moment that it begins to work to its end.
//!
//! A run goes on until a checkpoint tells it to pause, is paused until each message that paused it is handled or
//! answered, and ends once. One whose process gives no sign for the time of its lease has failed; a paused one has no
//! lease, and waits as long as its questions are open.

use serde::{Deserialize, Serialize};

use crate::{
    Code, Refusal, Timestamp,
    author::Author,
    id::{AgentId, ChannelId, ConversationId, DmId, MessageId, ProjectId, RunId, TaskId, ThreadId},
    limits, text,
    usage::Usage,
};

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// The agent works.
    Running,
    /// It waits: for what is in `pauses`.
    Paused,
    /// It has ended as it should.
    Done,
    /// It has ended in an error, or its process gave no sign any more.
    Failed,
    /// Somebody stopped it.
    Cancelled,
}

/// Why a run is paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum PauseReason {
    /// Somebody sent the agent a blocking message. It goes on when the agent has handled it.
    Message,
    /// The agent asked something. It goes on when that is answered.
    Asked,
}

/// One thing that a run is paused for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Pause {
    /// Why.
    pub reason: PauseReason,
    /// The blocking message.
    pub message_id: MessageId,
    /// Where it stands.
    pub conversation_id: ConversationId,
    /// Who wrote it.
    pub from: Author,
    /// Since when.
    pub since: Timestamp,
}

/// One turn of an agent.
///
/// Who may read the conversation of a run sees the run; one without a conversation is seen by the whole project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Run {
    /// The run's id.
    pub id: RunId,
    /// Its project.
    pub project_id: ProjectId,
    /// Whose turn it is.
    pub agent_id: AgentId,
    /// How far it is.
    pub state: RunState,
    /// What it does, in a line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The conversation that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<ConversationId>,
    /// The message that led to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_id: Option<MessageId>,
    /// The task that it works on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<TaskId>,
    /// What it is paused for. Events and snapshots leave out what stands in another conversation than the run's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pauses: Vec<Pause>,
    /// Why it failed or was cancelled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What it has cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Seconds without a sign of its process after which it has failed.
    pub lease_seconds: u64,
    /// When it began.
    pub started_at: Timestamp,
    /// When it last paused, went on or ended.
    pub updated_at: Timestamp,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<Timestamp>,
}

/// A request to begin a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct StartRun {
    /// The client's own id for the run: repeating it gives the first answer again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<RunId>,
    /// Whose turn it is; absent means the caller's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<AgentId>,
    /// What it does, in a line.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 200))]
    pub label: Option<String>,
    /// The channel that it belongs to. At most one conversation is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel_id: Option<ChannelId>,
    /// The thread that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<ThreadId>,
    /// The dm that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dm_id: Option<DmId>,
    /// The message that led to it. Its conversation is the run's when none is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_id: Option<MessageId>,
    /// The task that it works on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<TaskId>,
    /// Seconds without a sign after which it has failed; absent means two minutes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(minimum = 5, maximum = 3600))]
    pub lease_seconds: Option<u64>,
}

/// How a run ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunEnd {
    /// How; anything but running and paused.
    pub state: RunState,
    /// Why it failed or was cancelled.
    pub reason: Option<String>,
    /// What it has cost.
    pub usage: Option<Usage>,
}

/// A request to end a run by its own agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct FinishRun {
    /// Why it failed; absent means that it is done.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 2000))]
    pub failed: Option<String>,
    /// What it has cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

/// Which runs are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunFilter {
    /// Of this agent.
    pub agent_id: Option<AgentId>,
    /// For this task.
    pub task_id: Option<TaskId>,
    /// Those that have not ended.
    pub only_open: bool,
}

impl RunState {
    /// Whether the run has not ended.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Running | Self::Paused)
    }

    /// The word for it, as it stands in JSON.
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
        Err(Refusal::out_of_bounds(format!("a lease has {least} to {most} seconds")).at("lease_seconds"))
    }

    /// The conversation that it names; at most one may be named.
    pub fn conversation(&self) -> Result<Option<ConversationId>, Refusal> {
        let named = [
            self.channel_id.clone().map(ConversationId::from),
            self.thread_id.clone().map(ConversationId::from),
            self.dm_id.clone().map(ConversationId::from),
        ];
        let mut named = named.into_iter().flatten();
        match (named.next(), named.next()) {
            (_, Some(_)) => {
                Err(Refusal::invalid("name at most one of channel_id, thread_id and dm_id").at("channel_id"))
            }
            (only, None) => Ok(only),
        }
    }

    /// Its lease in seconds.
    pub fn lease(&self) -> u64 {
        self.lease_seconds.unwrap_or(limits::RUN_LEASE_SECONDS_DEFAULT as u64)
    }
}

impl FinishRun {
    /// How the run ends, or why the request cannot be taken.
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
    /// The run with further pauses, or nothing when it has them all; refused (`RunEnded`) when it has ended, and
    /// (`Full`) when it would have more than `RUN_PAUSES_MAX`.
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
            return Err(Refusal::new(Code::Full, format!("a run is paused by at most {most} messages at once")));
        }
        let is_news = all.len() > self.pauses.len();
        Ok(is_news.then(|| Self { state: RunState::Paused, pauses: all, updated_at: at, ..self.clone() }))
    }

    /// The run without this pause, or without any; it goes on when none is left. Refused (`NotPaused`) when it is not
    /// paused by that, and (`RunEnded`) when it has ended.
    pub fn resumed(&self, message: Option<&MessageId>, at: Timestamp) -> Result<Self, Refusal> {
        self.check_open()?;
        let is_meant = |pause: &&Pause| message.is_none_or(|id| pause.message_id == *id);
        if !self.pauses.iter().any(|pause| is_meant(&pause)) {
            let detail = match message {
                Some(id) if !self.pauses.is_empty() => format!("{id} does not pause the run"),
                _ => "the run goes on already".to_owned(),
            };
            return Err(Refusal::new(Code::NotPaused, detail));
        }
        let pauses: Vec<Pause> = self.pauses.iter().filter(|pause| !is_meant(pause)).cloned().collect();
        let state = if pauses.is_empty() { RunState::Running } else { RunState::Paused };
        Ok(Self { state, pauses, updated_at: at, ..self.clone() })
    }

    /// The run after its end, or nothing when it has ended so already; refused (`RunEnded`) when it has ended in
    /// another way.
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

    /// Refuses (`RunEnded`) when it has ended.
    pub fn check_open(&self) -> Result<(), Refusal> {
        if self.state.is_open() {
            return Ok(());
        }
        Err(Refusal::new(Code::RunEnded, format!("the run is {}", self.state.as_str())))
    }

    /// The run as everybody is told of it who sees it: without pauses from other conversations.
    #[must_use]
    pub fn told(mut self) -> Self {
        let own = self.conversation_id.clone();
        self.pauses.retain(|pause| Some(&pause.conversation_id) == own.as_ref());
        self
    }
}

/// Takes a text that says why something ended.
pub fn check_reason(reason: &str) -> Result<(), Refusal> {
    text::check_not_blank(reason).and_then(|()| text::check_text(reason, limits::REASON_CHARS_MAX))
}

#[cfg(test)]
mod tests;
