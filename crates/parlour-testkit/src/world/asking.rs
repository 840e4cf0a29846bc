//! Questions, runs and deliveries of a world.

use parlour_core::{
    delivery::{Delivery, DeliveryReport, DeliveryState, DeliveryStep},
    event::Change,
    id::RunId,
    member::Agent,
    message::Message,
    project::Project,
    question::{Answer, AnswerOption, AnswerTo, Ask, Question, Settlement},
    run::{Pause, PauseReason, Run, RunEnd, RunState},
    write::{Appended, Write},
};

use super::{Caller, Draft, Place, World};
use parlour_hub::Failure;

impl World {
    /// Posts a blocking message that asks these members for a yes or a no.
    pub async fn ask(&self, asker: &dyn Caller, place: &dyn Place, asked: &[&dyn Caller]) -> Message {
        self.send(asker, &self.asking(asker, place, asked)).await
    }

    /// A blocking message that asks these members, who are mentioned, for a yes or a no; it is not posted yet.
    pub fn asking(&self, asker: &dyn Caller, place: &dyn Place, asked: &[&dyn Caller]) -> Draft {
        let draft = self.draft(asker, place, "yes or no?");
        let mut draft = asked.iter().fold(draft, |draft, member| draft.mentioning(*member));
        let options = ["yes", "no"].map(|id| AnswerOption { id: id.into(), label: id.into(), description: None });
        let ask = Ask { options: options.into(), default: Some("no".into()), ..Ask::default() };
        draft.message.question = Some(ask.asked(asked.iter().map(|one| one.member()).collect(), self.now()));
        draft.message.blocking = true;
        draft
    }

    /// The question of a message as it is now.
    pub async fn question(&self, message: &Message) -> Question {
        let message = self.store().message(&message.id).await.expect("read").expect("a message");
        message.question.expect("a question")
    }

    /// Settles a question, and tells it as it is then.
    pub async fn settle(&self, by: &dyn Caller, message: &Message, settlement: Settlement) -> Question {
        let write = Write::SettleQuestion(message.id.clone(), settlement);
        let change = self.change(&message.project_id, by, write).await;
        let Change::QuestionChanged(mark) = change else { unreachable!("{} is no question", change.name()) };
        assert_eq!((&mark.message_id, &mark.conversation_id), (&message.id, &message.to));
        mark.question
    }

    /// A run of an agent in this place that has not begun yet.
    pub fn new_run(&self, agent: &Agent, place: Option<&dyn Place>) -> Run {
        Run {
            id: RunId::from_bits(self.bits()),
            project_id: agent.project_id.clone(),
            agent_id: agent.id.clone(),
            state: RunState::Running,
            label: None,
            conversation_id: place.map(Place::conversation_id),
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

    /// Begins a run of an agent in this place.
    pub async fn start(&self, agent: &Agent, place: Option<&dyn Place>) -> Run {
        let run = self.new_run(agent, place);
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
        }
    }

    /// Pauses a run by a message that somebody sent.
    pub async fn pause_run(&self, agent: &Agent, run: &Run, message: &Message) {
        let pauses = vec![self.pause(PauseReason::Message, message)];
        self.change(&run.project_id, agent, Write::PauseRun(run.id.clone(), pauses)).await;
    }

    /// Lets a run go on from everything.
    pub async fn resume_run(&self, by: &dyn Caller, run: &Run) {
        self.change(&run.project_id, by, Write::ResumeRun(run.id.clone(), None, "by hand".into())).await;
    }

    /// Ends a run in this way.
    pub async fn end_run(&self, by: &dyn Caller, run: &Run, state: RunState) {
        let reason = (state != RunState::Done).then(|| "out of luck".to_owned());
        let end = RunEnd { state, reason, usage: None };
        self.change(&run.project_id, by, Write::EndRun(run.id.clone(), end)).await;
    }

    /// The run as the store has it.
    pub async fn run(&self, run: &Run) -> Run {
        self.store().run(&run.id).await.expect("read").expect("a run")
    }

    /// Asks the store to note what happened to a message on its way to an agent.
    pub async fn report(&self, agent: &Agent, message: &Message, step: DeliveryStep) -> Result<Appended, Failure> {
        self.append(&agent.project_id, agent, reporting(agent, &[message], step)).await
    }

    /// Notes that a message came so far with an agent.
    pub async fn reach(&self, agent: &Agent, message: &Message, state: DeliveryState) -> Appended {
        self.report(agent, message, DeliveryStep::to(state)).await.expect("a delivery")
    }

    /// What has become of a message for an agent.
    pub async fn delivery(&self, agent: &Agent, message: &Message) -> Option<Delivery> {
        let all = self.store().deliveries(&message.id, &[]).await.expect("read");
        all.into_iter().find(|delivery| delivery.recipient == agent.member())
    }

    /// How far that is.
    pub async fn delivered(&self, agent: &Agent, message: &Message) -> Option<DeliveryState> {
        self.delivery(agent, message).await.map(|delivery| delivery.state)
    }

    /// The texts of the events of a project, by their names.
    pub async fn event_names(&self, project: &Project) -> Vec<&'static str> {
        self.events(&project.id).await.iter().map(|event| event.change.name()).collect()
    }
}

/// A request of the store to note what happened to messages of one conversation.
pub(crate) fn reporting(agent: &Agent, messages: &[&Message], step: DeliveryStep) -> Write {
    Write::ReportDeliveries(DeliveryReport {
        agent_id: agent.id.clone(),
        conversation_id: messages[0].to.clone(),
        message_ids: messages.iter().map(|message| message.id.clone()).collect(),
        step,
    })
}

/// An answer that takes the option `yes`, outside of any message.
pub(crate) fn yes() -> Settlement {
    let answer = Answer { option: Some("yes".into()), value: None, text: None, message_id: None, is_default: false };
    Settlement::Answered(answer)
}

impl Draft {
    /// The draft as a reply that answers the question of that message with `yes`.
    #[must_use]
    pub fn saying_yes_to(self, message: &Message) -> Self {
        self.saying_yes_below(message).answering(message)
    }

    /// The same without a reference to the message, as in the thread below it.
    #[must_use]
    pub fn saying_yes_below(mut self, message: &Message) -> Self {
        self.message.answer_to =
            Some(AnswerTo { message_id: message.id.clone(), option: Some("yes".into()), value: None });
        self
    }
}
