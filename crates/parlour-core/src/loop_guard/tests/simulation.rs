//! A simulated hub with agents that never stop by themselves. It keeps messages and calls in memory and applies the
//! rules of the core.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::{
    Timestamp,
    author::{Author, AuthorType},
    call::{Call, CallState, Calls, HeldCall, HoldRule},
    cause::{ClaimedCause, Trigger, cause_after, origin},
    id::{AgentId, ConversationId, MemberId, MessageId, ProjectId},
    limits,
    loop_guard::{
        GuardFacts, GuardMark, judge, notices,
        tests::{self, agent, bot, name, number_of, person},
    },
    message::Message,
    name::Name,
    policy::Policy,
    wake::{WakeFacts, wakes},
};

/// The members that an agent mentions.
#[derive(Clone, Copy, Debug)]
pub(super) enum Mentioning {
    /// The next agent, so that they form a ring.
    Next,
    /// All, itself included.
    Everyone,
    /// Itself.
    Itself,
    /// The author of the call.
    Caller,
}

/// The message that an agent names as `reply_to`.
#[derive(Clone, Copy, Debug)]
pub(super) enum Replying {
    /// The message that called it, as a correct agent does.
    Call,
    /// Nothing.
    Nothing,
    /// A person's first message, to hide the real trigger.
    First,
}

/// The text that an agent writes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wording {
    /// A different text each time.
    Fresh,
    /// The same text each time.
    Thanks,
}

#[derive(Clone, Debug)]
pub(super) struct SimulatedAgent {
    pub(super) mentioning: Mentioning,
    pub(super) replying: Replying,
    pub(super) wording: Wording,
    /// Messages that it writes for each call.
    pub(super) messages: usize,
    /// The offset from the channel of the call to the channel of the answer.
    pub(super) shift: usize,
    /// The cause that it claims.
    pub(super) claim: Option<ClaimedCause>,
}

impl SimulatedAgent {
    /// An agent that replies to its call and mentions the next one.
    pub(super) fn in_a_ring() -> Self {
        Self {
            mentioning: Mentioning::Next,
            replying: Replying::Call,
            wording: Wording::Fresh,
            messages: 1,
            shift: 0,
            claim: None,
        }
    }
}

/// Answers after which a simulation counts as endless.
const ENDLESS: usize = 3_000;

/// The order in which calls are answered.
#[derive(Clone, Copy, Debug)]
pub(super) enum AnswerOrder {
    OldestFirst,
    NewestFirst,
}

/// Agents 1, 2, 3 … in a few channels, with a person who posts now and then.
#[derive(Debug)]
pub(super) struct SimulatedHub {
    pub(super) agents: Vec<SimulatedAgent>,
    pub(super) policy: Policy,
    /// The messages of each channel, newest first.
    pub(super) channels: Vec<Vec<Message>>,
    /// All calls, oldest first.
    pub(super) calls: Vec<Call>,
    /// Indexes in `calls` of the calls that are not answered yet.
    pending: VecDeque<usize>,
    pub(super) now: Timestamp,
    pub(super) order: AnswerOrder,
    /// The time between two messages.
    pub(super) tempo_ms: u64,
    count: u128,
}

impl SimulatedHub {
    pub(super) fn new(agents: Vec<SimulatedAgent>, channels: usize) -> Self {
        Self {
            agents,
            policy: Policy::default(),
            channels: vec![Vec::new(); channels],
            calls: Vec::new(),
            pending: VecDeque::new(),
            order: AnswerOrder::OldestFirst,
            now: Timestamp::from_millis(0),
            tempo_ms: 1_000,
            count: 0,
        }
    }

    /// A ring of `size` agents in one channel.
    pub(super) fn ring(size: usize) -> Self {
        Self::new(vec![SimulatedAgent::in_a_ring(); size], 1)
    }

    /// Posts a person's message that mentions these agents and runs until no call is open. Returns the number of messages
    /// that agents wrote.
    pub(super) fn ask(&mut self, channel: usize, agents: &[usize]) -> usize {
        let before = self.answers();
        let mentions = agents.iter().map(|number| agent(*number).into()).collect();
        let message = Message { mentions, ..self.draft(person(), channel, "Please begin") };
        self.post(message, channel);
        self.run();
        self.answers() - before
    }

    /// Posts a message of an agent that was not called and runs until no call is open.
    pub(super) fn post_uncalled(&mut self, number: usize, channel: usize) {
        self.write(number, channel, None, None);
        self.run();
    }

    /// Resets the guard as a person.
    pub(super) fn reset_guard(&mut self, channel: usize) {
        let by = person().member_id().expect("a member");
        let content = Some(GuardMark::Reset { by }.content());
        let message = Message { content, ..self.draft(Author::host(), channel, "Lifted") };
        self.channels[channel].insert(0, message);
    }

    pub(super) fn answers(&self) -> usize {
        let is_agents = |message: &&Message| message.from.author_type == AuthorType::Agent;
        self.channels.iter().flatten().filter(is_agents).count()
    }

    /// Answers calls until none is pending.
    fn run(&mut self) {
        while let Some(index) = self.next_call() {
            assert!(self.answers() < ENDLESS, "the agents do not stop");
            let call = self.calls[index].clone();
            let number = number_of(&call.agent_id);
            let behaviour = self.agents[number - 1].clone();
            let here = self.channel_of(&call.conversation_id);
            for _ in 0..behaviour.messages {
                self.write(
                    number,
                    (here + behaviour.shift) % self.channels.len(),
                    Some(&call),
                    behaviour.claim.as_ref(),
                );
            }
        }
    }

    fn next_call(&mut self) -> Option<usize> {
        match self.order {
            AnswerOrder::OldestFirst => self.pending.pop_front(),
            AnswerOrder::NewestFirst => self.pending.pop_back(),
        }
    }

    fn write(&mut self, number: usize, channel: usize, call: Option<&Call>, claim: Option<&ClaimedCause>) {
        let behaviour = &self.agents[number - 1];
        let mentions = self.mentioned(number, behaviour.mentioning, call);
        let body = match behaviour.wording {
            Wording::Fresh => format!("{:x}", (self.count + 1) * 0x9e37_79b9_7f4a_7c15_f39c_c060),
            Wording::Thanks => "Thanks!".to_owned(),
        };
        let reply_to = match behaviour.replying {
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
        let all = self.agents.len();
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
        let conversation = self.calls[last].conversation_id.clone();
        let earlier = self.calls[..=last].iter_mut();
        earlier
            .filter(|call| {
                call.agent_id == *agent && call.conversation_id == conversation && call.state == CallState::Open
            })
            .for_each(|call| call.state = CallState::Answered);
    }

    fn draft(&mut self, from: Author, channel: usize, body: &str) -> Message {
        self.count += 1;
        self.now = self.now.plus_millis(self.tempo_ms);
        let (id, project) = (MessageId::from_bits(self.count), ProjectId::from_bits(1));
        Message::plain(id, project, tests::channel(channel as u128), from, body.to_owned(), self.now)
    }

    /// Judges the calls of a message and stores the message, its calls and the notices.
    fn post(&mut self, mut message: Message, channel: usize) {
        let (calls, notices) = self.decide(&message, channel);
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
        for content in notices {
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
        let names: Vec<(AgentId, Name)> = (1..=self.agents.len()).map(|number| (agent(number), name(number))).collect();
        let limits = &self.policy.loop_limits;
        let facts =
            GuardFacts { message, window, calls: &calls, correlated: &[], names: &names, limits, now: self.now };
        let judged = judge(&facts, candidates);
        let held: &[HeldCall] = &judged.held;
        let notices = notices(&facts, held).into_iter().map(|(mark, _)| mark.content()).collect();
        (judged, notices)
    }

    fn recent(&self, agent: &AgentId) -> Vec<Call> {
        let own = self.calls.iter().rev().filter(|call| call.agent_id == *agent);
        own.take(limits::GUARD_CALLS_MAX).cloned().collect()
    }

    fn message(&self, id: &MessageId) -> Option<&Message> {
        self.channels.iter().flatten().find(|message| message.id == *id)
    }

    fn channel_of(&self, id: &ConversationId) -> usize {
        (0..self.channels.len()).find(|channel| tests::channel(*channel as u128) == *id).expect("a channel of this hub")
    }
}

impl SimulatedHub {
    /// Checks all laws.
    pub(super) fn check(&self) {
        for messages in &self.channels {
            let oldest_first: Vec<&Message> = messages.iter().rev().collect();
            for stretch in oldest_first.split(|message| message.from.author_type == AuthorType::Person) {
                self.check_stretch(stretch);
            }
            oldest_first.into_iter().for_each(|message| self.check_message(message));
        }
        self.check_calls();
        self.check_pairs();
    }

    /// Checks the messages of agents between two messages of a person in one conversation.
    fn check_stretch(&self, stretch: &[&Message]) {
        let budget = self.policy.loop_limits.conversation_answers_max as usize;
        let is_calling = |message: &&&Message| !message.calls.is_empty();
        assert!(stretch.iter().filter(is_calling).count() < budget, "too many calls");
        let mut reported: HashMap<HoldRule, usize> = HashMap::new();
        for (index, message) in stretch.iter().enumerate() {
            if let Some(GuardMark::Tripped { rule, .. }) = GuardMark::of(message) {
                let before = reported.insert(rule, index);
                // A notice that has left the window may be repeated.
                let is_new = before.is_none_or(|before| index - before > limits::GUARD_WINDOW_MAX);
                assert!(is_new, "{rule:?} is reported twice");
            }
            assert!(
                !reported.contains_key(&HoldRule::Budget) || message.calls.is_empty(),
                "a call after the budget was exhausted"
            );
            let is_reported = |rule: HoldRule| rule == HoldRule::Waiting || reported.contains_key(&rule);
            let held_before = stretch.iter().take_while(|one| one.id != message.id).flat_map(|one| &one.held);
            let is_due = |message: &Message| message.from.author_type == AuthorType::Agent;
            assert!(
                !is_due(message) || held_before.into_iter().all(|held| is_reported(held.rule)),
                "a stop is not reported"
            );
        }
    }

    fn check_message(&self, message: &Message) {
        let Some(cause) = message.cause.as_ref().filter(|_| !message.calls.is_empty()) else { return };
        let loops = &self.policy.loop_limits;
        assert!(u64::from(cause.depth) < loops.response_depth_max, "called from too deep");
        for called in &message.calls {
            let times = cause.agents.iter().filter(|agent| *agent == called).count();
            assert!(times as u64 <= loops.chain_repeats_max, "called again within a chain");
        }
    }

    fn check_calls(&self) {
        let mut seen = HashSet::new();
        for call in &self.calls {
            assert!(seen.insert((&call.agent_id, &call.message_id)), "called twice by the same message");
            assert_ne!(call.from.id.as_deref(), Some(call.agent_id.as_str()), "an agent has called itself");
        }
    }

    /// Checks that two agents do not call each other for `pair_silence_seconds` after a full window.
    fn check_pairs(&self) {
        let loops = &self.policy.loop_limits;
        let (window, silence) = (loops.pair_window_seconds * 1_000, loops.pair_silence_seconds * 1_000);
        let most = loops.pair_messages_max as usize;
        for pair in self.pairs() {
            for calls in pair.windows(most + 1) {
                let (first, last, next) = (calls[0].called_at, calls[most - 1].called_at, calls[most].called_at);
                assert!(last > first.plus_millis(window) || next >= last.plus_millis(silence), "no silence");
            }
        }
    }

    fn pairs(&self) -> Vec<Vec<&Call>> {
        let key = |call: &Call| -> Option<(AgentId, AgentId)> {
            let from = call.from.member_id()?.agent()?.clone();
            Some((from.clone().min(call.agent_id.clone()), from.max(call.agent_id.clone())))
        };
        let mut keys: Vec<_> = self.calls.iter().filter_map(key).collect();
        keys.sort_unstable();
        keys.dedup();
        let of_pair = |wanted| self.calls.iter().filter(|call| key(call).as_ref() == Some(&wanted)).collect();
        keys.into_iter().map(of_pair).collect()
    }
}
