//! The rules of agents with arbitrary records: they never panic, and their properties hold.

use super::text;
use crate::{
    Timestamp,
    author::{Author, AuthorType},
    call::{Call, CallReason, CallState, NewCall},
    cause::{ClaimedCause, Trigger, cause_after, origin},
    handoff::find_handoffs,
    id::{AgentId, ChannelId, ConversationId, DmId, MemberId, MessageId, PersonId, ProjectId, ThreadId},
    limits,
    loop_guard::{GuardFacts, GuardMark, active_stops, judge, notices},
    message::{Cause, Kind, Message, State},
    name::Name,
    policy::{CallRules, LoopLimits},
    task::check_title,
    wake::{WakeFacts, wakes},
};

/// The hand-offs of any answer are valid tasks.
pub(super) fn handoffs(bytes: &[u8]) {
    let found = find_handoffs(&text(bytes));
    assert!(found.len() <= limits::HANDOFFS_MAX);
    for handoff in found {
        assert!((1..=limits::NAME_CHARS_MAX).contains(&handoff.name.chars().count()), "{handoff:?}");
        assert!(!handoff.name.contains(['"', '\n', '@']), "{handoff:?}");
        assert_eq!(check_title(&handoff.title), Ok(()), "{handoff:?}");
    }
}

/// Each agent is called once, and none by its own message.
pub(super) fn calls_of_messages(bytes: &[u8]) {
    let mut draw = Draw::new(bytes);
    let message = draw.message();
    let window = draw.list(12, Draw::message);
    let agents = draw.list(6, Draw::agent);
    let members: Vec<MemberId> = draw.list(6, Draw::member);
    let rules =
        CallRules { follow_idle_seconds: draw.limit(), follow_messages_max: draw.limit(), ..CallRules::default() };
    let facts = WakeFacts {
        message: &message,
        dm_members: &members,
        thread_agents: &agents,
        window: &window,
        rules: &rules,
        now: draw.time(),
    };
    let calls = wakes(&facts);
    for (index, call) in calls.iter().enumerate() {
        assert!(calls[..index].iter().all(|other| other.agent_id != call.agent_id));
        assert_ne!(message.from.member_id(), Some(call.agent_id.clone().into()));
    }
}

/// A cause is deeper than its trigger, whatever a client claims.
pub(super) fn causes(bytes: &[u8]) {
    let mut draw = Draw::new(bytes);
    let recent = draw.list(12, Draw::call);
    let reply_to = draw.message();
    let conversation = draw.conversation();
    let found = origin(&recent, &conversation, draw.flag().then_some(&reply_to));
    if let Trigger::Call(id) = &found {
        assert!(recent.iter().any(|call| call.message_id == *id && call.state == CallState::Open));
    }
    let claim = ClaimedCause { depth: draw.depth(), chain: draw.list(70, Draw::word) };
    let (agent, name) = (draw.agent(), Name::parse("Coder").expect("a name"));
    let cause = cause_after(Some(&reply_to), &agent, &name, Some(&claim));
    let before = reply_to.cause.as_ref().map_or(0, |cause| cause.depth);
    assert!(cause.depth > before || before == u32::MAX);
    assert!(cause.depth >= claim.depth && cause.chain.len() <= limits::CHAIN_NAMES_MAX);
    assert_eq!((cause.chain.last().map(String::as_str), cause.agents.last()), (Some("coder"), Some(&agent)));
}

/// Each candidate is either called or held, a person's are all called, and each rule is reported once.
pub(super) fn guard(bytes: &[u8]) {
    let mut draw = Draw::new(bytes);
    let message = draw.message();
    let window = draw.list(limits::GUARD_WINDOW_MAX, Draw::message);
    let (calls, correlated) = (draw.list(30, Draw::call), draw.list(30, Draw::call));
    let candidates: Vec<NewCall> = draw.list(6, Draw::new_call);
    let names: Vec<(AgentId, Name)> = draw.list(6, |draw| (draw.agent(), Name::parse("Clerk").expect("a name")));
    let limits = draw.limits();
    let facts = GuardFacts {
        message: &message,
        window: &window,
        calls: &calls,
        correlated: &correlated,
        names: &names,
        limits: &limits,
        now: draw.time(),
    };
    let judged = judge(&facts, candidates.clone());
    if message.from.author_type != AuthorType::Agent {
        assert_eq!((judged.called, judged.held), (candidates, Vec::new()));
        return;
    }
    for candidate in &candidates {
        let called = judged.called.iter().filter(|call| call.agent_id == candidate.agent_id).count();
        let held = judged.held.iter().filter(|held| held.agent_id == candidate.agent_id).count();
        assert_eq!(called + held, 1, "{candidate:?}");
    }
    let sent = notices(&facts, &judged.held);
    assert!(sent.len() <= judged.held.len() && sent.iter().all(|(_, text)| text.len() < 4_000));
    active_stops(&window, facts.now);
}

/// Generates records from bytes, and from zeros after the last byte.
struct Draw<'a> {
    bytes: std::slice::Iter<'a, u8>,
    words: String,
}

impl<'a> Draw<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { bytes: bytes.iter(), words: text(bytes).chars().take(40).collect() }
    }

    fn byte(&mut self) -> u8 {
        self.bytes.next().copied().unwrap_or(0)
    }

    fn flag(&mut self) -> bool {
        self.byte() & 1 == 1
    }

    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[usize::from(self.byte()) % choices.len()]
    }

    fn list<T>(&mut self, most: usize, mut draw: impl FnMut(&mut Self) -> T) -> Vec<T> {
        // Without remaining bytes a list is empty: its items would all be equal.
        let count = usize::from(self.byte()) % (most + 1);
        (0..count).map_while(|_| self.bytes.len().gt(&0).then(|| draw(self))).collect()
    }

    fn word(&mut self) -> String {
        let start = usize::from(self.byte()) % (self.words.chars().count() + 1);
        self.words.chars().skip(start).collect()
    }

    fn limit(&mut self) -> u64 {
        self.one_of(&[0, 1, 2, 3, 10, 60, 10_000, u64::MAX])
    }

    fn limits(&mut self) -> LoopLimits {
        LoopLimits {
            response_depth_max: self.limit(),
            pair_messages_max: self.limit(),
            pair_window_seconds: self.limit(),
            pair_silence_seconds: self.limit(),
            chain_repeats_max: self.limit(),
            conversation_answers_max: self.limit(),
            similar_answers_max: self.limit(),
            correlation_depth_max: self.limit(),
            correlation_age_seconds: self.limit(),
            correlation_calls_max: self.limit(),
            correlation_window_seconds: self.limit(),
        }
    }

    fn depth(&mut self) -> u32 {
        self.one_of(&[0, 1, 2, 3, 1_000, u32::MAX])
    }

    fn time(&mut self) -> Timestamp {
        let millis = self.one_of(&[0, 1, 1_000, 60_000, 3_600_000, i64::MAX]);
        Timestamp::from_millis(millis.saturating_add(i64::from(self.byte())))
    }

    fn agent(&mut self) -> AgentId {
        AgentId::from_bits(u128::from(self.byte() % 5))
    }

    fn member(&mut self) -> MemberId {
        if self.flag() { self.agent().into() } else { PersonId::from_bits(1).into() }
    }

    fn message_id(&mut self) -> MessageId {
        MessageId::from_bits(u128::from(self.byte() % 20))
    }

    fn conversation(&mut self) -> ConversationId {
        match self.byte() % 3 {
            0 => ChannelId::from_bits(1).into(),
            1 => ThreadId::from_bits(1).into(),
            _ => DmId::from_bits(1).into(),
        }
    }

    fn author(&mut self) -> Author {
        use AuthorType::{Agent, Applet, Host, Person, Scheduler, System, Tool};
        let author_type = self.one_of(&[Agent, Agent, Agent, Person, Host, Applet, Scheduler, System, Tool]);
        let id = if self.flag() { Some(self.agent().to_string()) } else { Some(self.word()) };
        Author { author_type, id: id.filter(|_| author_type != Host), name: self.word() }
    }

    fn mark(&mut self) -> serde_json::Value {
        let by = self.member();
        if self.flag() { GuardMark::Reset { by }.content() } else { serde_json::json!({ "loop_guard": self.word() }) }
    }

    fn cause(&mut self) -> Cause {
        let (depth, chain, agents) = (self.depth(), self.list(4, Self::word), self.list(4, Self::agent));
        Cause { depth, chain, agents, message_id: self.flag().then(|| self.message_id()) }
    }

    fn message(&mut self) -> Message {
        let (id, conversation, from) = (self.message_id(), self.conversation(), self.author());
        let (body, at) = (self.word(), self.time());
        let plain = Message::plain(id, ProjectId::from_bits(1), conversation, from, body, at);
        Message {
            state: self.one_of(&[State::Complete, State::Complete, State::Streaming, State::Failed]),
            kind: self.one_of(&[plain.kind, plain.kind, Kind::Host, Kind::ToolResult]),
            content: self.flag().then(|| self.mark()),
            mentions: self.list(4, Self::member),
            calls: self.list(4, Self::agent),
            cause: self.flag().then(|| self.cause()),
            correlation_id: self.flag().then(|| "job".to_owned()),
            is_notice: self.byte() % 8 == 7,
            ..plain
        }
    }

    fn call(&mut self) -> Call {
        Call {
            agent_id: self.agent(),
            message_id: self.message_id(),
            project_id: ProjectId::from_bits(1),
            conversation_id: self.conversation(),
            reason: self.one_of(&[CallReason::Mention, CallReason::Dm, CallReason::Follow]),
            from: self.author(),
            depth: self.depth(),
            correlation_id: None,
            called_at: self.time(),
            state: self.one_of(&[CallState::Open, CallState::Answered, CallState::Expired]),
            answer_id: None,
        }
    }

    fn new_call(&mut self) -> NewCall {
        NewCall { agent_id: self.agent(), reason: CallReason::Mention }
    }
}
