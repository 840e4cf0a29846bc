//! Questions, answers, delivery reports and runs of random writes.

use parlour_core::{
    delivery::{DeliveryPath, DeliveryReport, DeliveryState, DeliveryStep},
    id::{MessageId, RunId},
    message::{Message, State},
    question::{Answer, AnswerOption, AnswerTo, NewQuestion, Settlement},
    run::{Pause, PauseReason, Run, RunEnd, RunState},
};

use crate::{
    fixture::{SnapshotFixture, pick},
    write_step::WriteStep,
};

impl SnapshotFixture {
    /// Adds a question to the mentioned members to some messages.
    pub(crate) fn asking(&self, step: &WriteStep, message: Message) -> Message {
        if message.state != State::Complete || message.mentions.is_empty() || step.by % 3 == 2 {
            return message;
        }
        let options = ["yes", "no"].map(|id| AnswerOption { id: id.into(), label: id.into(), description: None });
        let ask = NewQuestion { options: options.into(), default: Some("no".into()), ..NewQuestion::default() };
        let question = ask.asked(message.mentions.clone(), self.test_store.now());
        Message { blocking: true, question: Some(question), ..message }
    }

    /// Makes some messages an answer to a question, which may have ended.
    pub(crate) fn answering(&self, step: &WriteStep, message: Message) -> Message {
        let answer_to = self.answer_to(step).filter(|_| message.state == State::Complete);
        Message { reply_to: answer_to.as_ref().map(|answer| answer.message_id.clone()), answer_to, ..message }
    }

    pub(crate) fn answer_to(&self, step: &WriteStep) -> Option<AnswerTo> {
        let message_id = self.question(step.what).filter(|_| step.by % 2 == 1)?;
        Some(AnswerTo { message_id, option: Some("yes".into()), value: None })
    }

    /// A message that was posted with a question.
    pub(crate) fn question(&self, number: u8) -> Option<MessageId> {
        let asked: Vec<_> = self.messages.iter().filter(|message| message.question.is_some()).collect();
        pick(&asked, number).map(|message| message.id.clone())
    }

    pub(crate) fn settlement(&self, step: &WriteStep) -> Option<Settlement> {
        let message = self.messages.iter().find(|message| Some(&message.id) == self.question(step.what).as_ref())?;
        let answer =
            Answer { option: Some("yes".into()), value: None, text: None, message_id: None, is_default: false };
        Some(match step.bits % 4 {
            0 => Settlement::Answered(answer),
            1 => Settlement::Expired,
            2 => Settlement::Withdrawn,
            _ => Settlement::Ignored(pick(&message.question.as_ref()?.addressees, step.by)?.clone()),
        })
    }

    /// A delivery report about one message, which may not be for the agent.
    pub(crate) fn report(&self, step: &WriteStep) -> Option<DeliveryReport> {
        let states = [DeliveryState::Queued, DeliveryState::Injected, DeliveryState::Seen, DeliveryState::Failed];
        let message = pick(&self.messages, step.what)?;
        Some(DeliveryReport {
            agent_id: self.agent(step.bits),
            conversation_id: message.to.clone(),
            message_ids: vec![message.id.clone()],
            step: DeliveryStep {
                delivered_via: Some(DeliveryPath::Prompt),
                run_id: self.run(step.by),
                why: Some("why".to_owned()).filter(|_| step.by % 4 == 3),
                ..DeliveryStep::to(states[usize::from(step.by) % states.len()])
            },
        })
    }

    /// A run of an agent in some conversation, or in none.
    pub(crate) fn new_run(&self, step: &WriteStep) -> Run {
        let (conversations, at) = (self.conversations(), self.test_store.now());
        Run {
            id: RunId::from_bits(self.test_store.bits()),
            project_id: self.tour.id.clone(),
            agent_id: self.agent(step.bits),
            state: RunState::Running,
            label: Some("work".to_owned()).filter(|_| step.by % 2 == 1),
            conversation_id: pick(&conversations, step.what).filter(|_| !step.bits.is_multiple_of(4)).cloned(),
            message_id: None,
            task_id: pick(&self.tasks, step.by).cloned(),
            pauses: Vec::new(),
            reason: None,
            usage: None,
            lease_seconds: 60,
            started_at: at,
            updated_at: at,
            finished_at: None,
        }
    }

    /// An earlier run, which may have ended since.
    pub(crate) fn run(&self, number: u8) -> Option<RunId> {
        pick(&self.runs, number).map(|run| run.id.clone())
    }

    /// Pauses by questions of any conversation.
    pub(crate) fn pauses(&self, step: &WriteStep) -> Vec<Pause> {
        let asked: Vec<_> = self.messages.iter().filter(|message| message.question.is_some()).collect();
        let paused_by = [step.by, step.bits].map(|number| pick(&asked, number).copied());
        let pause = |message: &Message| Pause {
            reason: if step.bits.is_multiple_of(2) { PauseReason::Message } else { PauseReason::Asked },
            message_id: message.id.clone(),
            conversation_id: message.to.clone(),
            from: message.from.clone(),
            since: self.test_store.now(),
            answered_separately: false,
        };
        paused_by.into_iter().flatten().map(pause).collect()
    }

    /// One message to resume from, or `None` for all.
    pub(crate) fn resumed_by(&self, step: &WriteStep) -> Option<MessageId> {
        self.question(step.by).filter(|_| step.bits.is_multiple_of(3))
    }

    pub(crate) fn run_end(&self, step: &WriteStep) -> RunEnd {
        let state = [RunState::Done, RunState::Failed, RunState::Cancelled][usize::from(step.bits) % 3];
        RunEnd { state, reason: (state != RunState::Done).then(|| "why".to_owned()), usage: None }
    }
}
