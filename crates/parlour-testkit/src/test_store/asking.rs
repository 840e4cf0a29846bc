//! Questions, runs and deliveries.

use parlour_core::{
    delivery::{Delivery, DeliveryReport, DeliveryState, DeliveryStep},
    event::Change,
    id::RunId,
    member::Agent,
    message::Message,
    project::Project,
    question::{Answer, AnswerOption, AnswerTo, NewQuestion, Question, Settlement},
    run::{Pause, PauseReason, Run, RunEnd, RunState},
    write::{Appended, Write},
};

use super::{MessageDraft, PostTarget, TestMember, TestStore};
use parlour_hub::Failure;

impl TestStore {
    /// Posts a blocking message that asks these members for a yes or a no.
    pub async fn ask(&self, asker: &dyn TestMember, target: &dyn PostTarget, asked: &[&dyn TestMember]) -> Message {
        self.send(asker, &self.asking(asker, target, asked)).await
    }

    /// A blocking message that asks these members, who are mentioned, for a yes or a no; it is not posted yet.
    pub fn asking(&self, asker: &dyn TestMember, target: &dyn PostTarget, asked: &[&dyn TestMember]) -> MessageDraft {
        let draft = self.draft(asker, target, "yes or no?");
        let mut draft = asked.iter().fold(draft, |draft, member| draft.mentioning(*member));
        let options = ["yes", "no"].map(|id| AnswerOption { id: id.into(), label: id.into(), description: None });
        let ask = NewQuestion { options: options.into(), default: Some("no".into()), ..NewQuestion::default() };
        draft.message.question = Some(ask.asked(asked.iter().map(|one| one.member()).collect(), self.now()));
        draft.message.blocking = true;
        draft
    }

    /// The current question of a message.
    pub async fn question(&self, message: &Message) -> Question {
        let message = self.store().message(&message.id).await.expect("read").expect("a message");
        message.question.expect("a question")
    }

    /// Settles a question, and returns it.
    pub async fn settle(&self, by: &dyn TestMember, message: &Message, settlement: Settlement) -> Question {
        let write = Write::SettleQuestion(message.id.clone(), settlement);
        let change = self.change(&message.project_id, by, write).await;
        let Change::QuestionChanged(mark) = change else { unreachable!("{} is no question", change.name()) };
        assert_eq!((&mark.message_id, &mark.conversation_id), (&message.id, &message.to));
        mark.question
    }

    /// A run of an agent in this conversation, not started yet.
    pub fn new_run(&self, agent: &Agent, target: Option<&dyn PostTarget>) -> Run {
        Run {
            id: RunId::from_bits(self.bits()),
            project_id: agent.project_id.clone(),
            agent_id: agent.id.clone(),
            state: RunState::Running,
            label: None,
            conversation_id: target.map(PostTarget::conversation_id),
            message_id: None,
            task_id: None,
            pauses: Vec::new(),
            reason: None,
            usage: None,
            lease_seconds: 60,
            started_at: self.now(),
            updated_at: self.now(),
            finished_at: None,
        }
    }

    /// Starts a run of an agent in this conversation.
    pub async fn start(&self, agent: &Agent, target: Option<&dyn PostTarget>) -> Run {
        let run = self.new_run(agent, target);
        self.change(&agent.project_id, agent, Write::StartRun(run.clone())).await;
        run
    }

    /// A pause by this message.
    pub fn pause(&self, reason: PauseReason, message: &Message) -> Pause {
        Pause {
            reason,
            message_id: message.id.clone(),
            conversation_id: message.to.clone(),
            from: message.from.clone(),
            since: self.now(),
            answered_separately: false,
        }
    }

    /// Pauses a run by a message of another member.
    pub async fn pause_run(&self, agent: &Agent, run: &Run, message: &Message) {
        let pauses = vec![self.pause(PauseReason::Message, message)];
        self.change(&run.project_id, agent, Write::PauseRun(run.id.clone(), pauses)).await;
    }

    /// Resumes a run from all of its pauses.
    pub async fn resume_run(&self, by: &dyn TestMember, run: &Run) {
        self.change(&run.project_id, by, Write::ResumeRun(run.id.clone(), None, "by hand".into())).await;
    }

    /// Ends a run in this state.
    pub async fn end_run(&self, by: &dyn TestMember, run: &Run, state: RunState) {
        let reason = (state != RunState::Done).then(|| "out of luck".to_owned());
        let end = RunEnd { state, reason, usage: None };
        self.change(&run.project_id, by, Write::EndRun(run.id.clone(), end)).await;
    }

    /// The stored run.
    pub async fn run(&self, run: &Run) -> Run {
        self.store().run(&run.id).await.expect("read").expect("a run")
    }

    /// Reports a step of the delivery of a message to an agent.
    pub async fn report(&self, agent: &Agent, message: &Message, step: DeliveryStep) -> Result<Appended, Failure> {
        self.append(&agent.project_id, agent, reporting(agent, &[message], step)).await
    }

    /// Reports this state of a delivery, which must succeed.
    pub async fn reach(&self, agent: &Agent, message: &Message, state: DeliveryState) -> Appended {
        self.report(agent, message, DeliveryStep::to(state)).await.expect("a delivery")
    }

    /// The delivery of a message to an agent.
    pub async fn delivery(&self, agent: &Agent, message: &Message) -> Option<Delivery> {
        let all = self.store().deliveries(&message.id, &[]).await.expect("read");
        all.into_iter().find(|delivery| delivery.recipient == agent.member())
    }

    /// The state of the delivery of a message to an agent.
    pub async fn delivered(&self, agent: &Agent, message: &Message) -> Option<DeliveryState> {
        self.delivery(agent, message).await.map(|delivery| delivery.state)
    }

    /// The names of the events of a project.
    pub async fn event_names(&self, project: &Project) -> Vec<&'static str> {
        self.events(&project.id).await.iter().map(|event| event.change.name()).collect()
    }
}

/// The write that reports a delivery step of messages of one conversation.
pub(crate) fn reporting(agent: &Agent, messages: &[&Message], step: DeliveryStep) -> Write {
    Write::ReportDeliveries(DeliveryReport {
        agent_id: agent.id.clone(),
        conversation_id: messages[0].to.clone(),
        message_ids: messages.iter().map(|message| message.id.clone()).collect(),
        step,
    })
}

/// The answer `yes`, without a message.
pub(crate) fn yes() -> Settlement {
    let answer = Answer { option: Some("yes".into()), value: None, text: None, message_id: None, is_default: false };
    Settlement::Answered(answer)
}

impl MessageDraft {
    /// The draft as a reply that answers the question of that message with `yes`.
    #[must_use]
    pub fn saying_yes_to(self, message: &Message) -> Self {
        self.saying_yes_below(message).answering(message)
    }

    /// The same without a reply reference, as in the thread below the message.
    #[must_use]
    pub fn saying_yes_below(mut self, message: &Message) -> Self {
        self.message.answer_to =
            Some(AnswerTo { message_id: message.id.clone(), option: Some("yes".into()), value: None });
        self
    }
}
