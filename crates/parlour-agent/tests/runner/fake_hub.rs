//! A hub in memory: it keeps messages, calls and tasks as the real one does, and can be made to go away.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use parlour_agent::link::{HubEvent, LinkError, Upload};
use parlour_core::{
    Code, Refusal, Timestamp,
    author::Author,
    call::{Call, CallReason, CallState, PassedCall},
    event::{Change, Event},
    id::{AgentId, ChannelId, ConversationId, DmId, MessageId, PersonId, ProjectId, TaskId, ThreadId},
    member::Agent,
    message::{Message, State},
    name::Name,
    position::Position,
    post::PostMessage,
    presence::PresenceUpdate,
    stream::GrowingText,
    task::{Task, TaskPatch, TaskStatus},
};
use tokio::sync::{mpsc, watch};

use crate::fake_runs::RunWork;

/// Longer than anything that a test waits for; on the moved clock it costs nothing.
const WAIT_MAX: Duration = Duration::from_secs(24 * 3_600);

/// What becomes of the next calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RequestFate {
    /// It arrives and is answered.
    Well,
    /// It never arrives.
    RequestLost,
    /// It arrives, but nobody learns of it.
    AnswerLost,
}

/// The hub, shared by tests and links.
#[derive(Clone)]
pub(crate) struct FakeHub {
    state: Arc<Mutex<FakeHubState>>,
    changes: Arc<watch::Sender<u64>>,
}

/// What the hub keeps.
pub(crate) struct FakeHubState {
    pub(crate) agents: Vec<Agent>,
    pub(crate) messages: Vec<Message>,
    pub(crate) calls: Vec<Call>,
    pub(crate) tasks: Vec<Task>,
    pub(crate) uploads: Vec<Upload>,
    pub(crate) presences: Vec<PresenceUpdate>,
    /// What a caller was told of each pass.
    pub(crate) passes: Vec<(MessageId, Option<String>)>,
    /// The pieces of all answers, as they came.
    pub(crate) pieces: Vec<(MessageId, String)>,
    pub(crate) beats: usize,
    pub(crate) steps: Vec<String>,
    pub(crate) is_away: bool,
    /// What becomes of the next calls, in order.
    pub(crate) fates: Vec<RequestFate>,
    /// A refusal that every post is answered with.
    pub(crate) refuses_posts: Option<Code>,
    /// Whether questions of the agent are refused.
    pub(crate) refuses_questions: bool,
    /// Changes of tasks that are refused from now on, as they came.
    pub(crate) refused_updates: Option<usize>,
    /// Runs, questions and deliveries.
    pub(crate) work: RunWork,
    texts: HashMap<MessageId, GrowingText>,
    requests: HashMap<MessageId, PostMessage>,
    followers: Vec<mpsc::UnboundedSender<Result<HubEvent, LinkError>>>,
    is_telling: bool,
    clock: u64,
}

pub(crate) fn project() -> ProjectId {
    ProjectId::from_bits(1)
}

pub(crate) fn agent_id() -> AgentId {
    AgentId::from_bits(1)
}

/// The channel with this number.
pub(crate) fn channel(number: u128) -> ConversationId {
    ChannelId::from_bits(number).into()
}

pub(crate) fn thread(number: u128) -> ConversationId {
    ThreadId::from_bits(number).into()
}

pub(crate) fn dm(number: u128) -> ConversationId {
    DmId::from_bits(number).into()
}

fn agent(number: u128, name: &str) -> Agent {
    Agent {
        id: AgentId::from_bits(number),
        project_id: project(),
        name: Name::parse(name).expect("a name"),
        capabilities: Vec::new(),
        endpoint_url: None,
        instructions: None,
        engine: None,
        context: None,
        owner: PersonId::from_bits(1),
        created_at: Timestamp::from_millis(0),
    }
}

pub(crate) fn mara() -> Author {
    Author::member(&PersonId::from_bits(1).into(), &Name::parse("Mara").expect("a name"))
}

pub(crate) fn refused(code: Code) -> LinkError {
    LinkError::Refused { code: code.as_str().into(), detail: "because".into() }
}

impl FakeHub {
    /// A hub with the agents Coder, who is run, and Critic.
    pub(crate) fn new() -> Self {
        let hub = FakeHubState {
            agents: vec![agent(1, "Coder"), agent(2, "Critic")],
            messages: Vec::new(),
            calls: Vec::new(),
            tasks: Vec::new(),
            uploads: Vec::new(),
            presences: Vec::new(),
            passes: Vec::new(),
            pieces: Vec::new(),
            beats: 0,
            steps: Vec::new(),
            is_away: false,
            fates: Vec::new(),
            refuses_posts: None,
            refuses_questions: false,
            refused_updates: None,
            work: RunWork::default(),
            texts: HashMap::new(),
            requests: HashMap::new(),
            followers: Vec::new(),
            is_telling: true,
            clock: 0,
        };
        Self { state: Arc::new(Mutex::new(hub)), changes: Arc::new(watch::Sender::new(0)) }
    }

    /// Looks at what the hub keeps, or changes it.
    pub(crate) fn with<T>(&self, look: impl FnOnce(&mut FakeHubState) -> T) -> T {
        let outcome = look(&mut self.state.lock().expect("no test panics inside"));
        self.changes.send_modify(|changes| *changes += 1);
        outcome
    }

    /// Waits until the hub keeps what is expected.
    pub(crate) async fn until(&self, what: &str, is_so: impl Fn(&FakeHubState) -> bool) {
        let mut changes = self.changes.subscribe();
        let look = async {
            while !is_so(&self.state.lock().expect("no test panics inside")) {
                changes.changed().await.expect("the hub is there");
            }
        };
        if tokio::time::timeout(WAIT_MAX, look).await.is_err() {
            let messages = self.with(|hub| format!("{:#?}\n{:#?}", hub.messages, hub.calls));
            panic!("it never came to this: {what}\n{messages}");
        }
    }

    /// Waits until the hub keeps what is expected, or for so many seconds.
    pub(crate) async fn wait(&self, seconds: u64, is_so: impl Fn(&FakeHubState) -> bool) {
        let mut changes = self.changes.subscribe();
        let look = async {
            while !is_so(&self.state.lock().expect("no test panics inside")) {
                changes.changed().await.expect("the hub is there");
            }
        };
        let _ = tokio::time::timeout(Duration::from_secs(seconds), look).await;
    }

    /// A person calls the agent by its name.
    pub(crate) fn mention(&self, place: &ConversationId, body: &str) -> MessageId {
        self.say(place, body, Some(CallReason::Mention))
    }

    /// A person writes; the agent is called for this reason, or not at all.
    pub(crate) fn say(&self, place: &ConversationId, body: &str, reason: Option<CallReason>) -> MessageId {
        self.with(|hub| hub.say_as(place, body, reason, |_| {}))
    }

    /// A person writes with something noted beside it.
    pub(crate) fn say_noting(&self, place: &ConversationId, body: &str, note: impl FnOnce(&mut Message)) -> MessageId {
        self.with(|hub| hub.say_as(place, body, Some(CallReason::Mention), note))
    }

    /// A person stops an answer.
    pub(crate) fn cancel(&self, id: &MessageId) {
        self.with(|hub| {
            let _ = hub.end(id, State::Cancelled, Some("enough".into()));
        });
    }

    /// The connection of every follower is lost, and nothing reaches the hub.
    pub(crate) fn go_away(&self) {
        self.with(|hub| {
            (hub.is_away, hub.is_telling) = (true, false);
            hub.tell(&Ok(HubEvent::Lost("nobody answers".into())));
        });
    }

    /// The hub is back. What happened meanwhile is not told: followers have to look.
    pub(crate) fn come_back(&self) {
        self.with(|hub| {
            (hub.is_away, hub.is_telling) = (false, true);
            hub.tell(&Ok(HubEvent::Live));
        });
    }

    /// The agent's token ends.
    pub(crate) fn sign_out(&self) {
        self.with(|hub| hub.tell(&Err(LinkError::Over("the token was replaced".into()))));
    }

    /// Tells the event of a message again.
    pub(crate) fn repeat(&self, id: &MessageId) {
        self.with(|hub| {
            let message = hub.message(id).expect("a message");
            hub.happened(Change::MessagePosted(Box::new(message)));
        });
    }

    /// Gives a task to the agent.
    pub(crate) fn give(&self, title: &str, thread_id: Option<ThreadId>) -> TaskId {
        let assignee = Some(agent_id().into());
        self.with(|hub| {
            let blank = hub.blank_task(title);
            hub.create_task(Task { thread_id, assignee, ..blank }).id
        })
    }

    /// The states of all calls, in the order of the calls.
    pub(crate) fn call_states(&self) -> Vec<CallState> {
        self.with(|hub| hub.calls.iter().map(|call| call.state).collect())
    }

    /// The agent's messages that are no notices, in order.
    pub(crate) fn answers(&self) -> Vec<Message> {
        self.with(|hub| hub.own(false))
    }

    /// The agent's notices, in order.
    pub(crate) fn notices(&self) -> Vec<Message> {
        self.with(|hub| hub.own(true))
    }

    pub(crate) fn task(&self, id: &TaskId) -> Task {
        self.with(|hub| hub.tasks.iter().find(|task| task.id == *id).cloned().expect("a task"))
    }
}

impl FakeHubState {
    fn own(&self, is_notice: bool) -> Vec<Message> {
        let is_own = |message: &&Message| message.from.name == "Coder" && message.is_notice == is_notice;
        self.messages.iter().filter(is_own).cloned().collect()
    }

    /// Whether every call has found its end.
    pub(crate) fn is_settled(&self) -> bool {
        self.calls.iter().all(|call| !matches!(call.state, CallState::Open | CallState::Taken))
    }

    pub(crate) fn next_moment(&mut self) -> Timestamp {
        self.clock += 1;
        Timestamp::from_millis(self.clock as i64)
    }

    /// A person writes; the agent is called for this reason, with something noted beside it.
    pub(crate) fn say_as(
        &mut self,
        place: &ConversationId,
        body: &str,
        reason: Option<CallReason>,
        note: impl FnOnce(&mut Message),
    ) -> MessageId {
        let at = self.next_moment();
        let id = MessageId::from_bits(u128::from(self.clock) << 8);
        let mut message = Message::plain(id.clone(), project(), place.clone(), mara(), body.into(), at);
        if let Some(reason) = reason {
            message.calls = vec![agent_id()];
            if reason == CallReason::Mention {
                message.mentions = vec![agent_id().into()];
            }
            self.calls.push(call(&message, reason));
        }
        note(&mut message);
        if reason.is_some() {
            self.work.unread.push(id.clone());
        }
        self.keep(message.clone());
        id
    }

    pub(crate) fn keep(&mut self, mut message: Message) -> Message {
        message.seq = self.messages.iter().filter(|other| other.to == message.to).count() as u64 + 1;
        self.messages.push(message.clone());
        self.happened(Change::MessagePosted(Box::new(message.clone())));
        message
    }

    pub(crate) fn message(&self, id: &MessageId) -> Result<Message, LinkError> {
        let found = self.messages.iter().find(|message| message.id == *id);
        found.cloned().ok_or_else(|| refused(Code::NotFound))
    }

    /// Posts as the agent; an answer to a call takes it, and those before it in the same place.
    pub(crate) fn post(&mut self, id: &MessageId, request: &PostMessage) -> Result<Message, LinkError> {
        if let Some(code) = self.refuses_posts {
            return Err(refused(code));
        }
        if self.refuses_questions && request.blocking {
            return Err(refused(Code::Forbidden));
        }
        if let Some(known) = self.requests.get(id) {
            return if known == request { self.message(id) } else { Err(refused(Code::ClientIdReused)) };
        }
        request.check().map_err(|refusal| of_refusal(&refusal))?;
        self.requests.insert(id.clone(), request.clone());
        let at = self.next_moment();
        let author = Author::member(&agent_id().into(), &self.agents[0].name);
        let place = request.conversation().map_err(|refusal| of_refusal(&refusal))?;
        let mut message = Message::plain(id.clone(), project(), place, author, request.body.clone(), at);
        message.state = if request.stream { State::Streaming } else { State::Complete };
        (message.reply_to, message.is_notice) = (request.reply_to.clone(), request.is_notice);
        (message.metadata, message.artifacts) = (request.metadata.clone(), request.artifacts.clone());
        message.context.task_id = request.context.as_ref().and_then(|context| context.task_id.clone());
        self.texts.insert(id.clone(), GrowingText::new(request.body.clone()));
        self.take_calls(&message);
        self.ask_by(&mut message, request)?;
        Ok(self.keep(message))
    }

    fn take_calls(&mut self, answer: &Message) {
        let called = |call: &Call| Some(&call.message_id) == answer.reply_to.as_ref();
        let Some(last) = self.calls.iter().find(|call| called(call)).map(|call| call.called_at) else { return };
        for call in &mut self.calls {
            let is_before = call.conversation_id == answer.to && call.called_at <= last;
            if call.state == CallState::Open && is_before {
                (call.state, call.answer_id) = (CallState::of_answer(answer.state), Some(answer.id.clone()));
            }
        }
    }

    pub(crate) fn add(&mut self, id: &MessageId, start: Option<u64>, piece: &str) -> Result<(), LinkError> {
        self.check_open(id)?;
        let text = self.texts.get_mut(id).ok_or_else(|| refused(Code::NotFound))?;
        text.add(start, piece).map_err(|refusal| of_refusal(&refusal))?;
        let body = text.as_str().to_owned();
        self.pieces.push((id.clone(), piece.to_owned()));
        self.change(id, |message| message.body = body);
        Ok(())
    }

    pub(crate) fn check_open(&self, id: &MessageId) -> Result<(), LinkError> {
        if self.message(id)?.state == State::Streaming { Ok(()) } else { Err(refused(Code::StreamEnded)) }
    }

    pub(crate) fn end(&mut self, id: &MessageId, state: State, reason: Option<String>) -> Result<Message, LinkError> {
        self.check_open(id)?;
        self.change(id, |message| (message.state, message.reason) = (state, reason));
        for call in self.calls.iter_mut().filter(|call| call.answer_id.as_ref() == Some(id)) {
            call.state = CallState::of_answer(state);
        }
        self.settle_by(id);
        let message = self.message(id)?;
        self.happened(Change::MessageFinished(Box::new(message.clone())));
        Ok(message)
    }

    pub(crate) fn change(&mut self, id: &MessageId, change: impl FnOnce(&mut Message)) {
        if let Some(message) = self.messages.iter_mut().find(|message| message.id == *id) {
            change(message);
        }
    }

    pub(crate) fn pass(&mut self, id: &MessageId, reason: Option<String>) {
        self.passes.push((id.clone(), reason.clone()));
        let Some(call) = self.calls.iter_mut().find(|call| call.message_id == *id) else { return };
        if call.state == CallState::Open {
            call.state = CallState::Passed;
            let (agent_id, conversation_id) = (call.agent_id.clone(), call.conversation_id.clone());
            let passed = PassedCall { agent_id, message_id: id.clone(), conversation_id, reason };
            self.happened(Change::CallPassed(Box::new(passed)));
        }
    }

    /// What happens to answers whose producer is gone.
    pub(crate) fn interrupt_all(&mut self) {
        let open: Vec<_> = self.messages.iter().filter(|message| message.state == State::Streaming).collect();
        for id in open.into_iter().map(|message| message.id.clone()).collect::<Vec<_>>() {
            let _ = self.end(&id, State::Interrupted, None);
        }
    }

    /// Tells that a message was removed.
    pub(crate) fn tell_removed(&mut self, id: &MessageId) {
        if let Ok(message) = self.message(id) {
            self.happened(Change::MessageRemoved(Box::new(message)));
        }
    }

    pub(crate) fn blank_task(&mut self, title: &str) -> Task {
        let at = self.next_moment();
        Task {
            id: TaskId::from_bits(u128::from(self.clock)),
            project_id: project(),
            title: title.into(),
            description: None,
            status: TaskStatus::Open,
            assignee: None,
            parent_id: None,
            batch_id: None,
            thread_id: None,
            created_by: PersonId::from_bits(1).into(),
            created_at: at,
            updated_at: at,
        }
    }

    pub(crate) fn create_task(&mut self, task: Task) -> Task {
        self.tasks.push(task.clone());
        self.happened(Change::TaskCreated(Box::new(task.clone())));
        task
    }

    pub(crate) fn update_task(&mut self, id: &TaskId, patch: &TaskPatch) -> Result<Task, LinkError> {
        if let Some(count) = &mut self.refused_updates {
            *count += 1;
            return Err(refused(Code::Forbidden));
        }
        let at = self.next_moment();
        let task = self.tasks.iter_mut().find(|task| task.id == *id).ok_or_else(|| refused(Code::NotFound))?;
        if patch.if_status.is_some_and(|status| status != task.status) {
            return Err(refused(Code::TaskMoved));
        }
        *task = task.patched(patch, at).map_err(|refusal| of_refusal(&refusal))?;
        let task = task.clone();
        self.happened(Change::TaskUpdated(Box::new(task.clone())));
        Ok(task)
    }

    pub(crate) fn follow(&mut self) -> mpsc::UnboundedReceiver<Result<HubEvent, LinkError>> {
        let (follower, news) = mpsc::unbounded_channel();
        let first = if self.is_away { HubEvent::Lost("nobody answers".into()) } else { HubEvent::Live };
        follower.send(Ok(first)).expect("the other end is here");
        self.followers.push(follower);
        news
    }

    pub(crate) fn happened(&mut self, change: Change) {
        let at = self.next_moment();
        let position = Position::new("E", self.clock).expect("a position");
        let event = Event { position, project_id: project(), at, actor: mara(), change };
        if self.is_telling {
            self.tell(&Ok(HubEvent::Event(Box::new(event))));
        }
    }

    fn tell(&mut self, item: &Result<HubEvent, LinkError>) {
        self.followers.retain(|follower| follower.send(item.clone()).is_ok());
    }
}

fn call(message: &Message, reason: CallReason) -> Call {
    Call {
        agent_id: agent_id(),
        message_id: message.id.clone(),
        project_id: project(),
        conversation_id: message.to.clone(),
        reason,
        from: mara(),
        depth: 0,
        correlation_id: None,
        called_at: message.created_at,
        state: CallState::Open,
        answer_id: None,
    }
}

pub(crate) fn of_refusal(refusal: &Refusal) -> LinkError {
    LinkError::Refused { code: refusal.code.as_str().into(), detail: refusal.detail.clone() }
}
