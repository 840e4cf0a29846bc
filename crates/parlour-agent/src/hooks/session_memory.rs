//! The state of a session between two hook calls: ids only, no texts and no secrets, bounded.

use parlour_core::{
    delivery::{DeliveryPath, DeliveryState, DeliveryStep},
    id::{AgentId, MessageId, ProjectId, RunId},
    limits,
};
use serde::{Deserialize, Serialize};

use super::tool::HookPoint;

/// The most delivered messages that are remembered; older ones are forgotten.
const DELIVERED_MAX: usize = 500;
/// How often one question may hold a turn.
const HOLDS_MAX: u32 = 3;
/// Tools of a paused run that are denied while the hub cannot be reached.
const DENIED_OFFLINE_MAX: u32 = 3;

/// The state of one session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionMemory {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<ProjectId>,
    /// The run of the current turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    /// The agent's own questions whose outcome was not delivered yet.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub asked: Vec<MessageId>,
    told: Vec<DeliveredMessage>,
    holds: Vec<(MessageId, u32)>,
    /// Whether the hub has paused the run at the last checkpoint.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_paused: bool,
    /// Tools that were denied since the hub became unreachable.
    #[serde(skip_serializing_if = "is_zero")]
    denied_offline: u32,
}

/// A message that was delivered in this session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct DeliveredMessage {
    message: MessageId,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<RunId>,
    /// Whether it was delivered after a tool call: the end of another tool call of the same step does not prove that
    /// the model has seen it.
    among_tools: bool,
    /// The last state that was reported to the hub.
    reported: ReportedState,
    /// Whether the model has continued since.
    is_seen: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ReportedState {
    Nothing,
    Injected,
    Seen,
}

/// Delivery states to report to the hub.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingReport {
    pub messages: Vec<MessageId>,
    pub step: DeliveryStep,
}

impl SessionMemory {
    /// Whether a message was delivered in this session.
    pub fn has_delivered(&self, message: &MessageId) -> bool {
        self.told.iter().any(|told| told.message == *message)
    }

    /// The messages that were delivered in this session, newest first, at most `count_max`.
    pub fn delivered(&self, count_max: usize) -> impl Iterator<Item = &MessageId> {
        self.told.iter().rev().take(count_max).map(|told| &told.message)
    }

    /// Records delivered messages, after the reply was written.
    pub fn record_delivered(&mut self, messages: &[MessageId], at: HookPoint) {
        let among_tools = matches!(at, HookPoint::BeforeTool | HookPoint::AfterTool);
        let told: Vec<_> = messages
            .iter()
            .map(|message| DeliveredMessage {
                message: message.clone(),
                run: self.run.clone(),
                among_tools,
                reported: ReportedState::Nothing,
                // A message that is delivered again was seen before.
                is_seen: self.told.iter().any(|told| told.message == *message && told.is_seen),
            })
            .collect();
        self.told.retain(|told| !messages.contains(&told.message));
        self.told.extend(told);
        let forgotten = self.told.len().saturating_sub(DELIVERED_MAX);
        self.told.drain(..forgotten);
    }

    /// Marks messages as seen: the model has used a tool or ended its turn since their delivery.
    ///
    /// A model often calls several tools in one step. The end of the second call does not prove that the model has seen
    /// a message that was delivered after the first; the end of the turn does.
    pub fn mark_seen_by(&mut self, at: HookPoint) {
        for told in &mut self.told {
            told.is_seen |= match at {
                HookPoint::BeforeTool | HookPoint::AfterTool => !told.among_tools,
                HookPoint::TurnEnd => true,
                HookPoint::SessionStart | HookPoint::Prompt | HookPoint::SessionEnd => false,
            };
        }
    }

    /// The states that were not reported yet, oldest first.
    pub fn reports(&self) -> Vec<PendingReport> {
        let mut reports: Vec<PendingReport> = Vec::new();
        for told in &self.told {
            for step in told.unreported_steps() {
                match reports.iter_mut().find(|report| report.step == step) {
                    Some(report) => report.messages.push(told.message.clone()),
                    None => reports.push(PendingReport { messages: vec![told.message.clone()], step }),
                }
            }
        }
        // Report `injected` before `seen`.
        reports.sort_by_key(|report| report.step.state);
        reports
    }

    /// Records that the hub has accepted a report.
    pub fn mark_reported(&mut self, report: &PendingReport) {
        let reached =
            if report.step.state == DeliveryState::Seen { ReportedState::Seen } else { ReportedState::Injected };
        for told in self.told.iter_mut().filter(|told| report.messages.contains(&told.message)) {
            told.reported = told.reported.max(reached);
        }
    }

    /// Counts one more hold for a question; returns whether it is still allowed.
    pub fn may_hold(&mut self, question: &MessageId) -> bool {
        let known = self.holds.iter().position(|(message, _)| message == question);
        let at = known.unwrap_or_else(|| {
            self.holds.push((question.clone(), 0));
            self.holds.len() - 1
        });
        let count = &mut self.holds[at].1;
        *count += 1;
        let is_allowed = *count <= HOLDS_MAX;
        let forgotten = self.holds.len().saturating_sub(DELIVERED_MAX);
        self.holds.drain(..forgotten);
        is_allowed
    }

    /// Records whether the last checkpoint has paused the run.
    pub fn note_checkpoint(&mut self, is_paused: bool) {
        (self.is_paused, self.denied_offline) = (is_paused, 0);
    }

    /// Whether a tool is denied although the hub cannot be reached: the run was paused, and not too many were denied.
    pub fn may_deny_offline(&mut self) -> bool {
        self.denied_offline = self.denied_offline.saturating_add(1);
        self.is_paused && self.denied_offline <= DENIED_OFFLINE_MAX
    }

    /// Records own questions whose outcome has to be delivered.
    pub fn record_questions(&mut self, questions: impl IntoIterator<Item = MessageId>) {
        for question in questions {
            if !self.asked.contains(&question) && self.asked.len() < limits::QUESTIONS_PER_ASKER_MAX {
                self.asked.push(question);
            }
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde calls")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

impl DeliveredMessage {
    fn unreported_steps(&self) -> Vec<DeliveryStep> {
        let step = |state| DeliveryStep {
            delivered_via: (state == DeliveryState::Injected).then_some(DeliveryPath::Hook),
            run_id: self.run.clone().filter(|_| state == DeliveryState::Injected),
            ..DeliveryStep::to(state)
        };
        let injected = (self.reported < ReportedState::Injected).then(|| step(DeliveryState::Injected));
        let seen = (self.is_seen && self.reported < ReportedState::Seen).then(|| step(DeliveryState::Seen));
        injected.into_iter().chain(seen).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(bits: u128) -> MessageId {
        MessageId::from_bits(bits)
    }

    fn states(memory: &SessionMemory) -> Vec<DeliveryState> {
        memory.reports().into_iter().map(|report| report.step.state).collect()
    }

    #[test]
    fn a_message_delivered_with_a_prompt_is_seen_when_the_model_uses_a_tool() {
        let mut memory = SessionMemory { run: Some(RunId::from_bits(7)), ..SessionMemory::default() };
        memory.record_delivered(&[message(1), message(2)], HookPoint::Prompt);
        let reports = memory.reports();
        assert_eq!((reports.len(), reports[0].messages.len()), (1, 2));
        assert_eq!(
            (reports[0].step.delivered_via, reports[0].step.run_id.clone()),
            (Some(DeliveryPath::Hook), memory.run.clone())
        );
        memory.mark_reported(&reports[0]);
        assert_eq!(memory.reports(), []);
        memory.mark_seen_by(HookPoint::Prompt);
        assert_eq!(memory.reports(), [], "a further prompt proves nothing");
        memory.mark_seen_by(HookPoint::AfterTool);
        assert_eq!(states(&memory), [DeliveryState::Seen]);
    }

    #[test]
    fn a_message_delivered_after_a_tool_call_is_seen_when_the_turn_ends() {
        let mut memory = SessionMemory::default();
        memory.record_delivered(&[message(1)], HookPoint::AfterTool);
        memory.mark_seen_by(HookPoint::AfterTool);
        assert_eq!(states(&memory), [DeliveryState::Injected]);
        memory.mark_seen_by(HookPoint::TurnEnd);
        assert_eq!(states(&memory), [DeliveryState::Injected, DeliveryState::Seen]);
    }

    #[test]
    fn a_message_that_is_delivered_again_stays_seen() {
        let mut memory = SessionMemory::default();
        memory.record_delivered(&[message(1)], HookPoint::Prompt);
        memory.mark_seen_by(HookPoint::BeforeTool);
        memory.record_delivered(&[message(1)], HookPoint::BeforeTool);
        assert_eq!(states(&memory), [DeliveryState::Injected, DeliveryState::Seen]);
    }

    #[test]
    fn a_report_is_repeated_until_it_is_accepted() {
        let mut memory = SessionMemory::default();
        memory.record_delivered(&[message(1)], HookPoint::Prompt);
        let first = memory.reports();
        assert_eq!(memory.reports(), first);
        memory.mark_reported(&first[0]);
        memory.mark_seen_by(HookPoint::TurnEnd);
        let seen = memory.reports();
        memory.mark_reported(&seen[0]);
        assert_eq!(memory.reports(), []);
    }

    #[test]
    fn a_turn_is_held_three_times_for_one_question() {
        let mut memory = SessionMemory::default();
        let holds: Vec<_> = (0..5).map(|_| memory.may_hold(&message(1))).collect();
        assert_eq!(holds, [true, true, true, false, false]);
        assert!(memory.may_hold(&message(2)));
    }

    #[test]
    fn a_paused_run_without_a_hub_denies_a_limited_number_of_tools() {
        let mut memory = SessionMemory::default();
        assert!(!memory.may_deny_offline(), "nothing has paused it");
        memory.note_checkpoint(true);
        let denied: Vec<_> = (0..5).map(|_| memory.may_deny_offline()).collect();
        assert_eq!(denied, [true, true, true, false, false]);
        memory.note_checkpoint(true);
        assert!(memory.may_deny_offline(), "the hub was reached again");
        memory.note_checkpoint(false);
        assert!(!memory.may_deny_offline());
    }

    #[test]
    fn the_memory_is_bounded() {
        let mut memory = SessionMemory::default();
        for bits in 0..2_000 {
            memory.record_delivered(&[message(bits)], HookPoint::AfterTool);
            memory.may_hold(&message(bits));
            memory.record_questions([message(bits)]);
        }
        assert!(memory.has_delivered(&message(1_999)) && !memory.has_delivered(&message(0)));
        assert_eq!(memory.delivered(2).cloned().collect::<Vec<_>>(), [message(1_999), message(1_998)]);
        assert!(serde_json::to_vec(&memory).expect("JSON").len() < 128 * 1024);
        assert_eq!(memory.asked.len(), limits::QUESTIONS_PER_ASKER_MAX);
    }
}
