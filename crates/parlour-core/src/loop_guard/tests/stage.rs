//! A conversation as the guard sees it. Agents go by number: 1 is Ada, 2 is Bob, and so on.

use crate::{
    Timestamp,
    author::Author,
    call::{Call, CallReason, CallState, Calls, NewCall},
    id::{AgentId, ChannelId, ConversationId, MessageId, PersonId, ProjectId},
    loop_guard::{GuardFacts, GuardMark, judge},
    message::{Cause, Kind, Message},
    name::Name,
    policy::LoopLimits,
};

const NAMES: [&str; 7] = ["Nobody 0", "Ada", "Bob", "Cem", "Dan", "Eve", "Project Manager"];

pub(super) fn agent(number: usize) -> AgentId {
    AgentId::from_bits(number as u128)
}

pub(super) fn name(number: usize) -> Name {
    Name::parse(NAMES[number]).expect("name")
}

pub(super) fn bot(number: usize) -> Author {
    Author::member(&agent(number).into(), &name(number))
}

pub(super) fn person() -> Author {
    Author::member(&PersonId::from_bits(1).into(), &Name::parse("Mara").expect("name"))
}

pub(super) fn at(seconds: i64) -> Timestamp {
    Timestamp::from_millis(seconds * 1_000)
}

pub(super) fn place(number: u128) -> ConversationId {
    ChannelId::from_bits(number).into()
}

/// What the guard is asked: agent 1 writes a message at second 1,000 in the first channel.
#[derive(Clone)]
pub(super) struct Stage {
    pub message: Message,
    /// Newest first.
    pub window: Vec<Message>,
    pub calls: Vec<Call>,
    pub correlated: Vec<Call>,
    pub names: Vec<(AgentId, Name)>,
    pub limits: LoopLimits,
    pub now: Timestamp,
}

impl Stage {
    pub(super) fn new() -> Self {
        let message = said(999_999, bot(1), 1_000, "Something new");
        let names = (1..NAMES.len()).map(|number| (agent(number), name(number))).collect();
        let (window, calls, correlated) = (Vec::new(), Vec::new(), Vec::new());
        Self { message, window, calls, correlated, names, limits: LoopLimits::default(), now: at(1_000) }
    }

    /// The message has this cause: the agents that answered on the way, the author included.
    pub(super) fn caused(mut self, depth: u32, agents: &[usize]) -> Self {
        let chain = agents.iter().map(|number| Name::fold(name(*number).as_str())).collect();
        let agents = agents.iter().map(|number| agent(*number)).collect();
        self.message.cause = Some(Cause { depth, chain, agents, message_id: None });
        self
    }

    /// One more message in the window, newer than the others.
    pub(super) fn with(mut self, from: Author, seconds: i64, body: &str) -> Self {
        let message = said(self.window.len() as u128 + 1, from, seconds, body);
        self.window.insert(0, message);
        self
    }

    /// A host message about the guard.
    pub(super) fn marked(mut self, mark: &GuardMark, seconds: i64) -> Self {
        self = self.with(Author::host(), seconds, "About the guard");
        self.window[0].content = Some(mark.content());
        self
    }

    pub(super) fn reset(self, seconds: i64) -> Self {
        self.marked(&GuardMark::Reset { by: PersonId::from_bits(1).into() }, seconds)
    }

    pub(super) fn facts(&self) -> GuardFacts<'_> {
        GuardFacts {
            message: &self.message,
            window: &self.window,
            calls: &self.calls,
            correlated: &self.correlated,
            names: &self.names,
            limits: &self.limits,
            now: self.now,
        }
    }

    pub(super) fn judge(&self, candidates: &[usize]) -> Calls {
        let candidates = candidates.iter().map(|number| new_call(*number)).collect();
        judge(&self.facts(), candidates)
    }

    /// Writes what becomes of the candidates: the names of the called, then each held one with its rule and end.
    pub(super) fn verdict(&self, candidates: &[usize]) -> String {
        let calls = self.judge(candidates);
        let called = calls.called.iter().map(|call| NAMES[number_of(&call.agent_id)].to_owned());
        let held = calls.held.iter().map(|held| {
            let until = held.until.map(|until| format!(" until {}", until.as_millis() / 1_000)).unwrap_or_default();
            format!("{} {:?}{until}", held.name, held.rule)
        });
        called.chain(held).collect::<Vec<_>>().join(", ")
    }
}

pub(super) fn new_call(number: usize) -> NewCall {
    NewCall { agent_id: agent(number), reason: CallReason::Mention }
}

pub(super) fn number_of(id: &AgentId) -> usize {
    (1..NAMES.len()).find(|number| agent(*number) == *id).expect("one of the agents")
}

/// A message in the first channel.
pub(super) fn said(id: u128, from: Author, seconds: i64, body: &str) -> Message {
    let (id, project) = (MessageId::from_bits(id), ProjectId::from_bits(1));
    Message::plain(id, project, place(1), from, body.to_owned(), at(seconds))
}

/// A host message as the hub writes it.
pub(super) fn host_said(mark: &GuardMark) -> Message {
    let message = said(77, Author::host(), 1, "About the guard");
    assert_eq!(message.kind, Kind::Host);
    Message { content: Some(mark.content()), ..message }
}

/// The call of one agent by another, answered meanwhile.
pub(super) fn called(from: Author, to: usize, seconds: i64) -> Call {
    Call {
        agent_id: agent(to),
        message_id: MessageId::from_bits(seconds as u128),
        project_id: ProjectId::from_bits(1),
        conversation_id: place(1),
        reason: CallReason::Mention,
        from,
        depth: 1,
        correlation_id: None,
        called_at: at(seconds),
        state: CallState::Answered,
        answer_id: None,
    }
}
