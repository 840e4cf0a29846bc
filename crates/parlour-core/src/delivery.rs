//! Deliveries: the status of a message for each of its recipients.
//!
//! A delivery records only reported steps. The hub itself records storage and answers; the delivery path reports that a
//! message entered a prompt.

use serde::{Deserialize, Serialize};

use crate::{
    Refusal, Timestamp,
    id::{AgentId, ConversationId, MemberId, MessageId, RunId},
    inbox::DeliveryReason,
    limits, text,
};

/// The state of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum DeliveryState {
    /// The hub has it, and nobody has fetched it for the recipient.
    Stored,
    /// A process of the recipient has it and will show it at the next opportunity.
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
    /// The recipient.
    pub recipient: MemberId,
    /// Why it is for them.
    pub reason: DeliveryReason,
    /// The state.
    pub state: DeliveryState,
    /// The delivery path into the prompt.
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

/// A reported step of messages on their way to one agent, as event and as request of a delivery path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeliveryReport {
    /// The agent.
    pub agent_id: AgentId,
    /// The conversation of all these messages.
    pub conversation_id: ConversationId,
    /// The messages.
    pub message_ids: Vec<MessageId>,
    /// The step.
    pub step: DeliveryStep,
}

/// One thing that happened to a delivery.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeliveryStep {
    /// The new state.
    pub state: DeliveryState,
    /// The delivery path into the prompt.
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
    /// Whether a request that waits for the state `awaited` can return.
    pub fn settles(self, awaited: Self) -> bool {
        match self {
            Self::Expired | Self::Failed => true,
            reached => reached >= awaited,
        }
    }
}

impl DeliveryStep {
    /// A step to this state without further data.
    pub fn to(state: DeliveryState) -> Self {
        Self { state, delivered_via: None, run_id: None, why: None, answer_id: None }
    }

    /// Refuses a step that a delivery path cannot report: only the hub records storage and answers.
    pub fn check(&self) -> Result<(), Refusal> {
        use DeliveryState::{Answered, Expired, Failed, Injected, Queued, Seen, Stored};
        let (needs_path, needs_why) = match self.state {
            Stored | Answered | Expired => {
                return Err(Refusal::invalid("a client can report queued, injected, seen or failed").at("state"));
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
            None if needs_why => Err(Refusal::invalid("`failed` needs `why`: the reason of the failure").at("why")),
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

    /// The delivery after a step, or `None` if the step changes nothing.
    ///
    /// A delivery only moves forward. A failed one can be tried again; an expired one can still be read
    /// or answered; an answered one stays answered. A repeated read changes nothing.
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

    /// The delivery after its paused run was resumed, or `None` if that changes nothing.
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

/// The member that resumed a run.
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
mod tests {
    use DeliveryState::{Answered, Expired, Failed, Injected, Queued, Seen, Stored};
    use proptest::prelude::*;

    use super::*;

    const ALL: [DeliveryState; 7] = [Stored, Queued, Injected, Seen, Answered, Expired, Failed];

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(seconds * 1_000)
    }

    fn stored() -> Delivery {
        let recipient = AgentId::from_bits(1).into();
        Delivery::stored(MessageId::from_bits(1), recipient, DeliveryReason::Mention, at(0))
    }

    fn moved(delivery: &Delivery, state: DeliveryState, seconds: i64) -> Option<Delivery> {
        delivery.moved(&DeliveryStep::to(state), at(seconds))
    }

    #[test]
    fn each_step_records_its_time() {
        let step = DeliveryStep {
            delivered_via: Some(DeliveryPath::Prompt),
            run_id: Some(RunId::from_bits(1)),
            ..DeliveryStep::to(Injected)
        };
        let queued = moved(&stored(), Queued, 1).expect("news");
        let injected = queued.moved(&step, at(2)).expect("news");
        let seen = moved(&injected, Seen, 3).expect("news");
        let answered = moved(&seen, Answered, 4).expect("news");
        let times = [answered.queued_at, answered.injected_at, answered.seen_at, answered.answered_at];
        assert_eq!(times, [1, 2, 3, 4].map(|seconds| Some(at(seconds))));
        assert_eq!(
            (answered.delivered_via, answered.run_id.is_some()),
            (Some(DeliveryPath::Prompt), true),
            "how it came in stays known"
        );
        assert_eq!(answered.time_to_read_ms, Some(3_000));
    }

    #[test]
    fn answering_an_unread_message_marks_it_as_seen() {
        let answered = moved(&stored(), Answered, 7).expect("news");
        assert_eq!(
            (answered.seen_at, answered.time_to_read_ms, answered.injected_at),
            (Some(at(7)), Some(7_000), None)
        );
    }

    #[test]
    fn a_failed_delivery_can_be_retried_without_its_old_reason() {
        let step = DeliveryStep { why: Some("the run ended".into()), ..DeliveryStep::to(Failed) };
        let failed = moved(&stored(), Injected, 1).expect("news").moved(&step, at(2)).expect("news");
        assert_eq!((failed.why.as_deref(), failed.ended_at), (Some("the run ended"), Some(at(2))));
        let again = moved(&failed, Injected, 3).expect("news");
        assert_eq!((again.why.clone(), again.ended_at, again.injected_at), (None, None, Some(at(3))));
    }

    #[test]
    fn an_expired_delivery_can_only_be_read_late() {
        let expired = moved(&stored(), Expired, 1).expect("news");
        for state in [Queued, Injected, Failed, Expired] {
            assert_eq!(moved(&expired, state, 2), None, "{state:?}");
        }
        assert!(moved(&expired, Seen, 2).is_some() && moved(&expired, Answered, 2).is_some());
    }

    #[test]
    fn a_read_delivery_neither_fails_nor_expires() {
        let seen = moved(&stored(), Seen, 1).expect("news");
        for state in [Stored, Queued, Injected, Seen, Expired, Failed] {
            assert_eq!(moved(&seen, state, 2), None, "{state:?}");
        }
    }

    #[test]
    fn a_wait_ends_at_the_awaited_state_or_at_failure_and_expiry() {
        assert!(Seen.settles(Seen) && Answered.settles(Seen) && Failed.settles(Seen) && Expired.settles(Answered));
        assert!(!Stored.settles(Queued) && !Injected.settles(Seen) && !Seen.settles(Answered));
    }

    #[test]
    fn a_report_names_its_delivery_path_and_only_reportable_states() {
        for state in [Stored, Answered, Expired] {
            assert_eq!(
                DeliveryStep::to(state).check().expect_err("reported by the hub only").field.as_deref(),
                Some("state")
            );
        }
        assert_eq!(
            DeliveryStep::to(Injected).check().expect_err("no delivered_via").field.as_deref(),
            Some("delivered_via")
        );
        assert_eq!(DeliveryStep::to(Failed).check().expect_err("no cause").field.as_deref(), Some("why"));
        let blank = DeliveryStep { why: Some(" ".into()), ..DeliveryStep::to(Failed) };
        assert_eq!(blank.check().expect_err("blank").field.as_deref(), Some("why"));
        assert_eq!(DeliveryStep::to(Seen).check(), Ok(()));
    }

    proptest! {
        #[test]
        fn a_delivery_is_never_unread_again_and_stays_answered(steps in proptest::collection::vec(0usize..7, 0..20)) {
            let mut now = stored();
            for (moment, step) in steps.iter().enumerate() {
                let Some(next) = moved(&now, ALL[*step], moment as i64 + 1) else { continue };
                prop_assert_ne!(&next, &now, "a state that does not change is not reported");
                prop_assert!(now.seen_at.is_none() || now.seen_at == next.seen_at, "the first reading counts");
                prop_assert!(now.state != Answered);
                prop_assert_eq!(next.seen_at.is_some(), next.time_to_read_ms.is_some());
                prop_assert_eq!(matches!(next.state, Expired | Failed), next.ended_at.is_some());
                now = next;
            }
        }
    }

    #[test]
    fn a_resumed_run_marks_its_message_as_handled_and_as_read_when_the_agent_has_read_it() {
        let by_agent = stored().handled(ResumedBy::Agent, at(50)).expect("news");
        assert_eq!((by_agent.state, by_agent.handled_at, by_agent.seen_at), (Seen, Some(at(50)), Some(at(50))));
        let by_other = stored().handled(ResumedBy::Other, at(50)).expect("news");
        assert_eq!((by_other.state, by_other.handled_at, by_other.seen_at), (Stored, Some(at(50)), None));
        let injected = Delivery { state: Injected, ..stored() };
        assert_eq!(injected.handled(ResumedBy::Other, at(50)).expect("news").state, Seen);
        assert_eq!(by_agent.handled(ResumedBy::Agent, at(60)), None, "the first time counts");
    }

    #[test]
    fn a_message_that_was_seen_or_answered_is_read() {
        assert_eq!(ALL.map(DeliveryState::is_read), [false, false, false, true, true, false, false]);
    }
}
