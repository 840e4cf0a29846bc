//! A small hub: it keeps messages and calls in memory and asks the core what follows from them.

use std::collections::VecDeque;

use super::players::{Mentioning, Player, Replying, Wording};
use crate::{
    Timestamp,
    author::{Author, AuthorType},
    call::{Call, CallState, Calls, Held},
    cause::{ClaimedCause, Trigger, cause_after, origin},
    id::{AgentId, ConversationId, MemberId, MessageId, ProjectId},
    limits,
    loop_guard::{
        GuardFacts, GuardMark, judge, notices,
        tests::stage::{agent, bot, name, number_of, person, place},
    },
    message::Message,
    name::Name,
    policy::Policy,
    wake::{WakeFacts, wakes},
};

/// Answers after which an arena counts as endless.
const ENDLESS: usize = 3_000;

/// In which order calls are answered.
#[derive(Clone, Copy, Debug)]
pub(super) enum Order {
    OldestFirst,
    NewestFirst,
}

/// Agents 1, 2, 3 … in a few channels, with a person who speaks now and then.
#[derive(Debug)]
pub(super) struct World {
    pub(super) players: Vec<Player>,
    pub(super) policy: Policy,
    /// The messages of each channel, newest first.
    pub(super) channels: Vec<Vec<Message>>,
    /// All calls, oldest first.
    pub(super) calls: Vec<Call>,
    /// Calls that their agents have not looked at yet, by their places.
    pending: VecDeque<usize>,
    pub(super) now: Timestamp,
    /// Who answers first when several are called.
    pub(super) order: Order,
    /// How much time passes with each message.
    pub(super) tempo_ms: u64,
    count: u128,
}

impl World {
    pub(super) fn new(players: Vec<Player>, channels: usize) -> Self {
        Self {
            players,
            policy: Policy::default(),
            channels: vec![Vec::new(); channels],
            calls: Vec::new(),
            pending: VecDeque::new(),
            order: Order::OldestFirst,
            now: Timestamp::from_millis(0),
            tempo_ms: 1_000,
            count: 0,
        }
    }

    /// A ring of so many agents in one channel.
    pub(super) fn ring(size: usize) -> Self {
        Self::new(vec![Player::in_a_ring(); size], 1)
    }

    /// A person mentions these agents; then all that follows happens. Answers how many messages agents have written.
    pub(super) fn ask(&mut self, channel: usize, agents: &[usize]) -> usize {
        let before = self.answers();
        let mentions = agents.iter().map(|number| agent(*number).into()).collect();
        let message = Message { mentions, ..self.draft(person(), channel, "Please begin") };
        self.post(message, channel);
        self.run();
        self.answers() - before
    }

    /// An agent writes without being called; then all that follows happens.
    pub(super) fn speak(&mut self, number: usize, channel: usize) {
        self.write(number, channel, None, None);
        self.run();
    }

    /// A person lifts the guard.
    pub(super) fn lift(&mut self, channel: usize) {
        let by = person().member_id().expect("a member");
        let content = Some(GuardMark::Reset { by }.content());
        let message = Message { content, ..self.draft(Author::host(), channel, "Lifted") };
        self.channels[channel].insert(0, message);
    }

    pub(super) fn answers(&self) -> usize {
        let is_agents = |message: &&Message| message.from.author_type == AuthorType::Agent;
        self.channels.iter().flatten().filter(is_agents).count()
    }

    /// Lets each called agent answer until nobody is called any more.
    fn run(&mut self) {
        while let Some(place) = self.next_call() {
            assert!(self.answers() < ENDLESS, "they go on for ever");
            let call = self.calls[place].clone();
            let number = number_of(&call.agent_id);
            let player = self.players[number - 1].clone();
            let here = self.channel_of(&call.conversation_id);
            for _ in 0..player.messages {
                self.write(number, (here + player.shift) % self.channels.len(), Some(&call), player.claim.as_ref());
            }
        }
    }

    fn next_call(&mut self) -> Option<usize> {
        match self.order {
            Order::OldestFirst => self.pending.pop_front(),
            Order::NewestFirst => self.pending.pop_back(),
        }
    }

    fn write(&mut self, number: usize, channel: usize, call: Option<&Call>, claim: Option<&ClaimedCause>) {
        let player = &self.players[number - 1];
        let mentions = self.mentioned(number, player.mentioning, call);
        let body = match player.wording {
            Wording::Fresh => format!("{:x}", (self.count + 1) * 0x9e37_79b9_7f4a_7c15_f39c_c060),
            Wording::Thanks => "Thanks!".to_owned(),
        };
        let reply_to = match player.replying {
            Replying::Call => call.map(|call| call.message_id.clone()),
            Replying::Nothing => None,
            Replying::First => self.channels[channel].last().map(|message| message.id.clone()),
        };
        let mut message = Message { mentions, reply_to, ..self.draft(bot(number), channel, &body) };
        let recent: Vec<Call> = self.recent(&agent(number));
        let replied = message.reply_to.as_ref().and_then(|id| self.message(id));
        let origin = origin(&recent, &message.to, replied);
        let source = match &origin {
            Trigger::Call(id) | Trigger::Consequence(id) => self.message(id),
            Trigger::Itself => None,
        };
        message.cause = Some(cause_after(source, &agent(number), &name(number), claim));
        if let Trigger::Call(id) = origin {
            self.take(&agent(number), &id);
        }
        self.post(message, channel);
    }

    fn mentioned(&self, number: usize, mentioning: Mentioning, call: Option<&Call>) -> Vec<MemberId> {
        let all = self.players.len();
        match mentioning {
            Mentioning::Next => vec![agent(number % all + 1).into()],
            Mentioning::Everyone => (1..=all).map(|number| agent(number).into()).collect(),
            Mentioning::Itself => vec![agent(number).into()],
            Mentioning::Caller => call.and_then(|call| call.from.member_id()).into_iter().collect(),
        }
    }

    /// Takes the call by a message, and the agent's earlier open calls in the same conversation.
    fn take(&mut self, agent: &AgentId, message: &MessageId) {
        let Some(last) = self.calls.iter().position(|call| call.agent_id == *agent && call.message_id == *message)
        else {
            return;
        };
        let place = self.calls[last].conversation_id.clone();
        let earlier = self.calls[..=last].iter_mut();
        earlier
            .filter(|call| call.agent_id == *agent && call.conversation_id == place && call.state == CallState::Open)
            .for_each(|call| call.state = CallState::Answered);
    }

    fn draft(&mut self, from: Author, channel: usize, body: &str) -> Message {
        self.count += 1;
        self.now = self.now.plus_millis(self.tempo_ms);
        let (id, project) = (MessageId::from_bits(self.count), ProjectId::from_bits(1));
        Message::plain(id, project, place(channel as u128), from, body.to_owned(), self.now)
    }

    /// Decides whom a message calls, and keeps it, the calls and what the conversation is told.
    fn post(&mut self, mut message: Message, channel: usize) {
        let (calls, told) = self.decide(&message, channel);
        message.calls = calls.called.iter().map(|call| call.agent_id.clone()).collect();
        message.held.clone_from(&calls.held);
        for call in &calls.called {
            self.pending.push_back(self.calls.len());
            self.calls.push(Call {
                agent_id: call.agent_id.clone(),
                message_id: message.id.clone(),
                project_id: message.project_id.clone(),
                conversation_id: message.to.clone(),
                reason: call.reason,
                from: message.from.clone(),
                depth: message.cause.as_ref().map_or(0, |cause| cause.depth),
                correlation_id: None,
                called_at: message.created_at,
                state: CallState::Open,
                answer_id: None,
            });
        }
        self.channels[channel].insert(0, message);
        for content in told {
            let notice = Message { content: Some(content), ..self.draft(Author::host(), channel, "Stopped") };
            self.channels[channel].insert(0, notice);
        }
    }

    fn decide(&self, message: &Message, channel: usize) -> (Calls, Vec<serde_json::Value>) {
        let all = &self.channels[channel];
        let window = &all[..all.len().min(limits::GUARD_WINDOW_MAX)];
        let candidates = wakes(&WakeFacts {
            message,
            dm_members: &[],
            thread_agents: &[],
            window: &[],
            rules: &self.policy.calls,
            now: self.now,
        });
        let asked = candidates.iter().map(|call| call.agent_id.clone());
        let author = message.from.member_id().and_then(|member| member.agent().cloned());
        let calls: Vec<Call> = asked.chain(author).flat_map(|agent| self.recent(&agent)).collect();
        let names: Vec<(AgentId, Name)> =
            (1..=self.players.len()).map(|number| (agent(number), name(number))).collect();
        let limits = &self.policy.loop_limits;
        let facts =
            GuardFacts { message, window, calls: &calls, correlated: &[], names: &names, limits, now: self.now };
        let judged = judge(&facts, candidates);
        let held: &[Held] = &judged.held;
        let told = notices(&facts, held).into_iter().map(|(mark, _)| mark.content()).collect();
        (judged, told)
    }

    fn recent(&self, agent: &AgentId) -> Vec<Call> {
        let own = self.calls.iter().rev().filter(|call| call.agent_id == *agent);
        own.take(limits::GUARD_CALLS_MAX).cloned().collect()
    }

    fn message(&self, id: &MessageId) -> Option<&Message> {
        self.channels.iter().flatten().find(|message| message.id == *id)
    }

    fn channel_of(&self, id: &ConversationId) -> usize {
        (0..self.channels.len()).find(|channel| place(*channel as u128) == *id).expect("a channel of this world")
    }
}
