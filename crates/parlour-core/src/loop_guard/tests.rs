//! The loop guard, rule by rule and in simulated conversations. Agents have numbers: 1 is Ada, 2 is Bob, and so on.

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

mod call_rules;
mod conversation_rules;
mod endless_agents;
mod notices;
mod simulation;

const NAMES: [&str; 7] = ["Nobody 0", "Ada", "Bob", "Cem", "Dan", "Eve", "Project Manager"];

fn agent(number: usize) -> AgentId {
    AgentId::from_bits(number as u128)
}

fn name(number: usize) -> Name {
    Name::parse(NAMES[number]).expect("name")
}

fn bot(number: usize) -> Author {
    Author::member(&agent(number).into(), &name(number))
}

fn person() -> Author {
    Author::member(&PersonId::from_bits(1).into(), &Name::parse("Mara").expect("name"))
}

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_millis(seconds * 1_000)
}

fn channel(number: u128) -> ConversationId {
    ChannelId::from_bits(number).into()
}

/// The facts of one judgement: agent 1 writes a message at second 1,000 in the first channel.
#[derive(Clone)]
struct GuardFixture {
    pub message: Message,
    /// Newest first.
    pub window: Vec<Message>,
    pub calls: Vec<Call>,
    pub correlated: Vec<Call>,
    pub names: Vec<(AgentId, Name)>,
    pub limits: LoopLimits,
    pub now: Timestamp,
}

impl GuardFixture {
    fn new() -> Self {
        let message = message(999_999, bot(1), 1_000, "Something new");
        let names = (1..NAMES.len()).map(|number| (agent(number), name(number))).collect();
        let (window, calls, correlated) = (Vec::new(), Vec::new(), Vec::new());
        Self { message, window, calls, correlated, names, limits: LoopLimits::default(), now: at(1_000) }
    }

    /// Gives the message this cause: the agents that answered before, the author included.
    fn caused(mut self, depth: u32, agents: &[usize]) -> Self {
        let chain = agents.iter().map(|number| Name::fold(name(*number).as_str())).collect();
        let agents = agents.iter().map(|number| agent(*number)).collect();
        self.message.cause = Some(Cause { depth, chain, agents, message_id: None });
        self
    }

    /// Adds a message to the window, newer than the others.
    fn with(mut self, from: Author, seconds: i64, body: &str) -> Self {
        let message = message(self.window.len() as u128 + 1, from, seconds, body);
        self.window.insert(0, message);
        self
    }

    /// Adds a host message about the guard.
    fn marked(mut self, mark: &GuardMark, seconds: i64) -> Self {
        self = self.with(Author::host(), seconds, "About the guard");
        self.window[0].content = Some(mark.content());
        self
    }

    fn reset(self, seconds: i64) -> Self {
        self.marked(&GuardMark::Reset { by: PersonId::from_bits(1).into() }, seconds)
    }

    fn facts(&self) -> GuardFacts<'_> {
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

    fn judge(&self, candidates: &[usize]) -> Calls {
        let candidates = candidates.iter().map(|number| new_call(*number)).collect();
        judge(&self.facts(), candidates)
    }

    /// The judgement as text: the names of the called agents, then each held one with its rule and end.
    fn verdict(&self, candidates: &[usize]) -> String {
        let calls = self.judge(candidates);
        let called = calls.called.iter().map(|call| NAMES[number_of(&call.agent_id)].to_owned());
        let held = calls.held.iter().map(|held| {
            let until = held.until.map(|until| format!(" until {}", until.as_millis() / 1_000)).unwrap_or_default();
            format!("{} {:?}{until}", held.name, held.rule)
        });
        called.chain(held).collect::<Vec<_>>().join(", ")
    }
}

fn new_call(number: usize) -> NewCall {
    NewCall { agent_id: agent(number), reason: CallReason::Mention }
}

fn number_of(id: &AgentId) -> usize {
    (1..NAMES.len()).find(|number| agent(*number) == *id).expect("one of the agents")
}

/// A message in the first channel.
fn message(id: u128, from: Author, seconds: i64, body: &str) -> Message {
    let (id, project) = (MessageId::from_bits(id), ProjectId::from_bits(1));
    Message::plain(id, project, channel(1), from, body.to_owned(), at(seconds))
}

/// A host message as the hub writes it.
fn host_message(mark: &GuardMark) -> Message {
    let message = message(77, Author::host(), 1, "About the guard");
    assert_eq!(message.kind, Kind::Host);
    Message { content: Some(mark.content()), ..message }
}

/// An answered call of one agent by another.
fn called(from: Author, to: usize, seconds: i64) -> Call {
    Call {
        agent_id: agent(to),
        message_id: MessageId::from_bits(seconds as u128),
        project_id: ProjectId::from_bits(1),
        conversation_id: channel(1),
        reason: CallReason::Mention,
        from,
        depth: 1,
        correlation_id: None,
        called_at: at(seconds),
        state: CallState::Answered,
        answer_id: None,
    }
}
