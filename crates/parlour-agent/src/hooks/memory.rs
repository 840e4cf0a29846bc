//! What a hook remembers of one session from call to call: no texts and no secrets, and never more than a little.

use parlour_core::{
    delivery::{DeliveryPath, DeliveryState, DeliveryStep},
    id::{AgentId, MessageId, ProjectId, RunId},
    limits,
};
use serde::{Deserialize, Serialize};

use super::tool::Occasion;

/// Messages that are remembered as told; older ones are forgotten.
const TOLD_MAX: usize = 500;
/// How often a turn is held for one question.
const HOLDS_MAX: u32 = 3;

/// The memory of one session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Memory {
    /// The agent that the session is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentId>,
    /// Its project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<ProjectId>,
    /// The run of the turn that goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    /// Own questions whose end was not told yet.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub asked: Vec<MessageId>,
    told: Vec<Told>,
    holds: Vec<(MessageId, u32)>,
}

/// A message that was told in this session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Told {
    message: MessageId,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<RunId>,
    /// Whether it was told while the tools of one step were still at work: another one of them proves nothing.
    among_tools: bool,
    /// How far the hub knows.
    reported: Reported,
    /// Whether the model has gone on since.
    is_seen: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Reported {
    Nothing,
    Injected,
    Seen,
}

/// Deliveries that the hub should hear of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The messages.
    pub messages: Vec<MessageId>,
    /// What happened to them.
    pub step: DeliveryStep,
}

impl Memory {
    /// Whether a message was told in this session.
    pub fn has_told(&self, message: &MessageId) -> bool {
        self.told.iter().any(|told| told.message == *message)
    }

    /// The messages that were told in this session, the newest first, at most so many.
    pub fn told(&self, count_max: usize) -> impl Iterator<Item = &MessageId> {
        self.told.iter().rev().take(count_max).map(|told| &told.message)
    }

    /// Remembers that messages were told, on this occasion, after it was done.
    pub fn tell(&mut self, messages: &[MessageId], at: Occasion) {
        let among_tools = at == Occasion::AfterTool;
        let run = &self.run;
        let told = messages.iter().map(|message| Told {
            message: message.clone(),
            run: run.clone(),
            among_tools,
            reported: Reported::Nothing,
            is_seen: false,
        });
        self.told.retain(|told| !messages.contains(&told.message));
        self.told.extend(told);
        let forgotten = self.told.len().saturating_sub(TOLD_MAX);
        self.told.drain(..forgotten);
    }

    /// Takes the proof that the model went on: it has used a tool, or ended its turn.
    ///
    /// A model often uses several tools in one step. What was told after the first of them is not proved to be read by
    /// the end of the second; the end of the turn proves it.
    pub fn prove(&mut self, at: Occasion) {
        for told in &mut self.told {
            told.is_seen |= match at {
                Occasion::AfterTool => !told.among_tools,
                Occasion::TurnEnd => true,
                Occasion::SessionStart | Occasion::Prompt | Occasion::SessionEnd => false,
            };
        }
    }

    /// What the hub does not know yet, the oldest first.
    pub fn reports(&self) -> Vec<Report> {
        let mut reports: Vec<Report> = Vec::new();
        for told in &self.told {
            for step in told.unreported_steps() {
                match reports.iter_mut().find(|report| report.step == step) {
                    Some(report) => report.messages.push(told.message.clone()),
                    None => reports.push(Report { messages: vec![told.message.clone()], step }),
                }
            }
        }
        // Nothing is seen before it was put there.
        reports.sort_by_key(|report| report.step.state);
        reports
    }

    /// Remembers that the hub has heard of a report.
    pub fn mark_reported(&mut self, report: &Report) {
        let reached = if report.step.state == DeliveryState::Seen { Reported::Seen } else { Reported::Injected };
        for told in self.told.iter_mut().filter(|told| report.messages.contains(&told.message)) {
            told.reported = told.reported.max(reached);
        }
    }

    /// Counts one more hold for a question, and says whether it is still allowed.
    pub fn may_hold(&mut self, question: &MessageId) -> bool {
        let known = self.holds.iter().position(|(message, _)| message == question);
        let at = known.unwrap_or_else(|| {
            self.holds.push((question.clone(), 0));
            self.holds.len() - 1
        });
        let count = &mut self.holds[at].1;
        *count += 1;
        let is_allowed = *count <= HOLDS_MAX;
        let forgotten = self.holds.len().saturating_sub(TOLD_MAX);
        self.holds.drain(..forgotten);
        is_allowed
    }

    /// Remembers questions of the agent itself, whose end is to be told.
    pub fn ask(&mut self, questions: impl IntoIterator<Item = MessageId>) {
        for question in questions {
            if !self.asked.contains(&question) && self.asked.len() < limits::QUESTIONS_PER_ASKER_MAX {
                self.asked.push(question);
            }
        }
    }
}

impl Told {
    fn unreported_steps(&self) -> Vec<DeliveryStep> {
        let step = |state| DeliveryStep {
            delivered_via: (state == DeliveryState::Injected).then_some(DeliveryPath::Hook),
            run_id: self.run.clone().filter(|_| state == DeliveryState::Injected),
            ..DeliveryStep::to(state)
        };
        let injected = (self.reported < Reported::Injected).then(|| step(DeliveryState::Injected));
        let seen = (self.is_seen && self.reported < Reported::Seen).then(|| step(DeliveryState::Seen));
        injected.into_iter().chain(seen).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(bits: u128) -> MessageId {
        MessageId::from_bits(bits)
    }

    fn states(memory: &Memory) -> Vec<DeliveryState> {
        memory.reports().into_iter().map(|report| report.step.state).collect()
    }

    #[test]
    fn what_was_told_with_a_prompt_is_seen_when_the_model_uses_a_tool() {
        let mut memory = Memory { run: Some(RunId::from_bits(7)), ..Memory::default() };
        memory.tell(&[message(1), message(2)], Occasion::Prompt);
        let reports = memory.reports();
        assert_eq!((reports.len(), reports[0].messages.len()), (1, 2));
        assert_eq!(
            (reports[0].step.delivered_via, reports[0].step.run_id.clone()),
            (Some(DeliveryPath::Hook), memory.run.clone())
        );
        memory.mark_reported(&reports[0]);
        assert_eq!(memory.reports(), []);
        memory.prove(Occasion::Prompt);
        assert_eq!(memory.reports(), [], "a further prompt proves nothing");
        memory.prove(Occasion::AfterTool);
        assert_eq!(states(&memory), [DeliveryState::Seen]);
    }

    #[test]
    fn what_was_told_among_tools_is_seen_only_when_the_turn_ends() {
        let mut memory = Memory::default();
        memory.tell(&[message(1)], Occasion::AfterTool);
        memory.prove(Occasion::AfterTool);
        assert_eq!(states(&memory), [DeliveryState::Injected]);
        memory.prove(Occasion::TurnEnd);
        assert_eq!(states(&memory), [DeliveryState::Injected, DeliveryState::Seen]);
    }

    #[test]
    fn a_report_that_was_not_heard_is_made_again() {
        let mut memory = Memory::default();
        memory.tell(&[message(1)], Occasion::Prompt);
        let first = memory.reports();
        assert_eq!(memory.reports(), first);
        memory.mark_reported(&first[0]);
        memory.prove(Occasion::TurnEnd);
        let seen = memory.reports();
        memory.mark_reported(&seen[0]);
        assert_eq!(memory.reports(), []);
    }

    #[test]
    fn a_turn_is_held_three_times_for_one_question() {
        let mut memory = Memory::default();
        let holds: Vec<_> = (0..5).map(|_| memory.may_hold(&message(1))).collect();
        assert_eq!(holds, [true, true, true, false, false]);
        assert!(memory.may_hold(&message(2)));
    }

    #[test]
    fn a_memory_does_not_grow_for_ever() {
        let mut memory = Memory::default();
        for bits in 0..2_000 {
            memory.tell(&[message(bits)], Occasion::AfterTool);
            memory.may_hold(&message(bits));
            memory.ask([message(bits)]);
        }
        assert!(memory.has_told(&message(1_999)) && !memory.has_told(&message(0)));
        assert_eq!(memory.told(2).cloned().collect::<Vec<_>>(), [message(1_999), message(1_998)]);
        assert!(serde_json::to_vec(&memory).expect("JSON").len() < 128 * 1024);
        assert_eq!(memory.asked.len(), limits::QUESTIONS_PER_ASKER_MAX);
    }
}
