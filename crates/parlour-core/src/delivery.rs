//! Deliveries: what has really become of a message for each of its recipients.
//!
//! A delivery says only what happened. The hub stores and sees answers by itself; that a message entered a prompt is
//! told by whoever put it there, after the fact.

use serde::{Deserialize, Serialize};

use crate::{
    Refusal, Timestamp,
    id::{AgentId, ConversationId, MemberId, MessageId, RunId},
    inbox::DeliveryReason,
    limits, text,
};

/// How far a message has come with one recipient.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum DeliveryState {
    /// The hub has it, and nobody has fetched it for the recipient.
    Stored,
    /// A process of the recipient knows of it, and will show it when there is a moment for that.
    Queued,
    /// It stood in what a model was given.
    Injected,
    /// The recipient has read it: a person, or a model that went on after it was given it.
    Seen,
    /// The recipient has answered it.
    Answered,
    /// Nobody took it up in time.
    Expired,
    /// It could not be shown, or whatever it was shown to broke off before it went on.
    Failed,
}

/// The way by which a message entered an agent's prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum DeliveryPath {
    /// It stood in the conversation that the agent was asked to answer.
    Prompt,
    /// It paused a run at a checkpoint.
    Checkpoint,
    /// It was listed at the end of a run.
    Nudge,
    /// It came with the result of a tool.
    Tool,
    /// It came through the hook of a coding agent.
    Hook,
}

/// A message and one of its recipients.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Delivery {
    /// The message.
    pub message_id: MessageId,
    /// Who it is for.
    pub recipient: MemberId,
    /// Why it is for them.
    pub reason: DeliveryReason,
    /// How far it has come.
    pub state: DeliveryState,
    /// How it entered the prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivered_via: Option<DeliveryPath>,
    /// The run whose prompt it entered; left out when the run belongs to another conversation than the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<RunId>,
    /// Why it expired or failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// When the hub stored it.
    pub stored_at: Timestamp,
    /// When a process of the recipient knew of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queued_at: Option<Timestamp>,
    /// When it entered the prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub injected_at: Option<Timestamp>,
    /// When it was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen_at: Option<Timestamp>,
    /// When the run that it had paused went on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handled_at: Option<Timestamp>,
    /// When it was answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered_at: Option<Timestamp>,
    /// When it expired or failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
    /// The answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer_id: Option<MessageId>,
    /// Milliseconds from storing to reading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_to_read_ms: Option<u64>,
}

/// What happened to some messages on their way to one agent. As a request it is what a delivery path reports after the fact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeliveryReport {
    /// The agent.
    pub agent_id: AgentId,
    /// The conversation in which all of the messages stand.
    pub conversation_id: ConversationId,
    /// The messages.
    pub message_ids: Vec<MessageId>,
    /// What happened to each of them.
    pub step: DeliveryStep,
}

/// One thing that happened to a delivery.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeliveryStep {
    /// How far it is now.
    pub state: DeliveryState,
    /// How it entered the prompt.
    pub delivered_via: Option<DeliveryPath>,
    /// The run whose prompt it entered.
    pub run_id: Option<RunId>,
    /// Why it expired or failed.
    pub why: Option<String>,
    /// The answer.
    pub answer_id: Option<MessageId>,
}

/// The deliveries in one conversation that have moved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct DeliveryMark {
    /// The conversation.
    pub conversation_id: ConversationId,
    /// The deliveries as they are now.
    pub deliveries: Vec<Delivery>,
}

impl DeliveryState {
    /// Whether nothing more is to be waited for when somebody waits for `wanted`.
    pub fn settles(self, wanted: Self) -> bool {
        match self {
            Self::Expired | Self::Failed => true,
            reached => reached >= wanted,
        }
    }
}

impl DeliveryStep {
    /// A step to this state, with nothing else to say.
    pub fn to(state: DeliveryState) -> Self {
        Self { state, delivered_via: None, run_id: None, why: None, answer_id: None }
    }

    /// Refuses a step that no delivery path may report: that something was stored or answered is for the hub to say.
    pub fn check(&self) -> Result<(), Refusal> {
        use DeliveryState::{Answered, Expired, Failed, Injected, Queued, Seen, Stored};
        let (needs_path, needs_why) = match self.state {
            Stored | Answered | Expired => {
                return Err(Refusal::invalid("report queued, injected, seen or failed").at("state"));
            }
            Queued | Seen => (false, false),
            Injected => (true, false),
            Failed => (false, true),
        };
        if needs_path && self.delivered_via.is_none() {
            return Err(Refusal::invalid("`injected` needs `delivered_via`: how the message entered the prompt")
                .at("delivered_via"));
        }
        match &self.why {
            None if needs_why => Err(Refusal::invalid("say why it failed").at("why")),
            Some(why) => text::check_not_blank(why)
                .and_then(|()| text::check_text(why, limits::REASON_CHARS_MAX))
                .map_err(|refusal| refusal.at("why")),
            None => Ok(()),
        }
    }
}

impl Delivery {
    /// A message that is stored for a recipient.
    pub fn stored(message_id: MessageId, recipient: MemberId, reason: DeliveryReason, at: Timestamp) -> Self {
        Self {
            message_id,
            recipient,
            reason,
            state: DeliveryState::Stored,
            delivered_via: None,
            run_id: None,
            why: None,
            stored_at: at,
            queued_at: None,
            injected_at: None,
            seen_at: None,
            handled_at: None,
            answered_at: None,
            ended_at: None,
            answer_id: None,
            time_to_read_ms: None,
        }
    }

    /// The delivery after a step, or nothing when that changes nothing.
    ///
    /// It only goes forward: what is behind is not news. What failed may be tried again; what expired may still be
    /// read or answered, late; what was answered stays so. Being read again is no news, being answered is.
    pub fn moved(&self, step: &DeliveryStep, at: Timestamp) -> Option<Self> {
        if !self.state.may_become(step.state) {
            return None;
        }
        let mut next = self.clone();
        next.state = step.state;
        next.why.clone_from(&step.why);
        next.ended_at = None;
        next.delivered_via = step.delivered_via.or(next.delivered_via);
        next.run_id = step.run_id.clone().or(next.run_id);
        match step.state {
            DeliveryState::Stored => {}
            DeliveryState::Queued => next.queued_at = Some(at),
            DeliveryState::Injected => next.injected_at = Some(at),
            DeliveryState::Seen => next.see(at),
            DeliveryState::Answered => {
                next.see(at);
                next.answered_at = Some(at);
                next.answer_id = step.answer_id.clone().or(next.answer_id);
            }
            DeliveryState::Expired | DeliveryState::Failed => next.ended_at = Some(at),
        }
        Some(next)
    }

    /// The delivery after the run that its message had paused went on, or nothing when that changes nothing.
    ///
    /// It also becomes seen when the agent resumed the run itself, and when the message had been injected: a model that
    /// continues has read what it was given.
    pub fn handled(&self, by: ResumedBy, at: Timestamp) -> Option<Self> {
        let is_read = by == ResumedBy::Agent || self.state == DeliveryState::Injected;
        let seen = self.moved(&DeliveryStep::to(DeliveryState::Seen), at).filter(|_| is_read);
        let next = seen.unwrap_or_else(|| self.clone());
        let next = Self { handled_at: next.handled_at.or(Some(at)), ..next };
        (next != *self).then_some(next)
    }

    fn see(&mut self, at: Timestamp) {
        if self.seen_at.is_none() {
            self.seen_at = Some(at);
            self.time_to_read_ms = u64::try_from(at.as_millis() - self.stored_at.as_millis()).ok();
        }
    }
}

/// Who resumed a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResumedBy {
    /// The agent of the run.
    Agent,
    /// The hub, or a person.
    Other,
}

impl DeliveryState {
    /// Whether the recipient has read the message. A read message leaves the inbox.
    pub fn is_read(self) -> bool {
        matches!(self, Self::Seen | Self::Answered)
    }

    fn may_become(self, next: Self) -> bool {
        use DeliveryState::{Answered, Expired, Failed, Seen, Stored};
        match (self, next) {
            (_, Stored) | (Answered, _) => false,
            (Failed, next) => next != Failed,
            (Expired, next) => matches!(next, Seen | Answered),
            (Seen, next) => next == Answered,
            (_, Failed | Expired) => true,
            (now, next) => next > now,
        }
    }
}

#[cfg(test)]
mod tests;
