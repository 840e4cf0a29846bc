//! Calls by mentions, in DMs and in threads.

use proptest::prelude::*;

use crate::{
    author::Author,
    id::{ChannelId, ConversationId, DmId, MessageId, PersonId, ProjectId, ThreadId},
    message::{Kind, State},
    name::Name,
    wake::*,
};

fn agent(number: u128) -> AgentId {
    AgentId::from_bits(number)
}

fn person() -> MemberId {
    PersonId::from_bits(1).into()
}

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_millis(seconds * 1_000)
}

/// A message of a member that mentions these agents.
fn said(conversation: impl Into<ConversationId>, from: &MemberId, mentions: &[u128]) -> Message {
    let author = Author::member(from, &Name::parse("Mara").expect("name"));
    let mentions = mentions.iter().map(|number| agent(*number).into()).collect();
    let (id, project) = (MessageId::from_bits(1), ProjectId::from_bits(1));
    Message { mentions, ..Message::plain(id, project, conversation.into(), author, "Hello".into(), at(1_000)) }
}

fn in_channel(from: &MemberId, mentions: &[u128]) -> Message {
    said(ChannelId::from_bits(1), from, mentions)
}

fn in_dm(from: &MemberId, mentions: &[u128]) -> Message {
    said(DmId::from_bits(1), from, mentions)
}

/// The called agents as text: their numbers, each with its reason.
fn called(facts: &WakeFacts<'_>) -> String {
    let number = |id: &AgentId| id.as_str().trim_start_matches("agt_").trim_start_matches('0').to_owned();
    let calls = wakes(facts);
    let texts: Vec<_> = calls.iter().map(|call| format!("{} {:?}", number(&call.agent_id), call.reason)).collect();
    texts.join(", ")
}

fn called_by(message: &Message, dm_members: &[MemberId]) -> String {
    let rules = CallRules::default();
    called(&WakeFacts { message, dm_members, thread_agents: &[], window: &[], rules: &rules, now: at(1_000) })
}

#[test]
fn mentioned_agents_are_called_once_each_in_order() {
    let message = in_channel(&person(), &[2, 1, 2]);
    assert_eq!(called_by(&message, &[]), "2 Mention, 1 Mention");
    let people = Message { mentions: vec![person()], ..message };
    assert_eq!(called_by(&people, &[]), "");
}

#[test]
fn an_agent_does_not_call_itself() {
    assert_eq!(called_by(&in_channel(&agent(1).into(), &[1, 2]), &[]), "2 Mention");
    assert_eq!(called_by(&in_dm(&agent(1).into(), &[1]), &[agent(1).into(), person()]), "");
}

#[test]
fn a_person_calls_every_agent_of_a_dm() {
    let members = [person(), agent(1).into(), agent(2).into(), PersonId::from_bits(2).into()];
    assert_eq!(called_by(&in_dm(&person(), &[]), &members), "1 Dm, 2 Dm");
}

#[test]
fn a_person_who_mentions_agents_in_a_dm_calls_those_alone() {
    let members = [person(), agent(1).into(), agent(2).into()];
    assert_eq!(called_by(&in_dm(&person(), &[2]), &members), "2 Mention");
    let friend = Message { mentions: vec![PersonId::from_bits(2).into()], ..in_dm(&person(), &[]) };
    assert_eq!(called_by(&friend, &members), "1 Dm, 2 Dm");
}

#[test]
fn an_agent_calls_its_partner_only_in_a_dm_of_two() {
    let (one, two, three) = (agent(1).into(), agent(2).into(), agent(3).into());
    assert_eq!(called_by(&in_dm(&one, &[]), &[agent(1).into(), two]), "2 Dm");
    assert_eq!(called_by(&in_dm(&one, &[2]), &[agent(1).into(), agent(2).into()]), "2 Mention");
    let trio = [agent(1).into(), agent(2).into(), three];
    assert_eq!(called_by(&in_dm(&one, &[]), &trio), "");
    assert_eq!(called_by(&in_dm(&one, &[3]), &trio), "3 Mention");
    assert_eq!(called_by(&in_dm(&one, &[]), &[agent(1).into(), person()]), "");
}

#[test]
fn an_applet_calls_the_agents_of_a_dm_like_a_person() {
    let applet = Author { author_type: AuthorType::Applet, id: Some("board".into()), name: "Board".into() };
    let message = Message { from: applet, ..in_dm(&person(), &[]) };
    assert_eq!(called_by(&message, &[person(), agent(1).into()]), "1 Dm");
}

#[test]
fn dm_participants_are_ignored_outside_of_dms() {
    assert_eq!(called_by(&in_channel(&person(), &[]), &[person(), agent(1).into()]), "");
}

#[test]
fn a_notice_calls_nobody() {
    let members = [person(), agent(1).into()];
    let silent = |message: Message| {
        assert_eq!(called_by(&message, &members), "", "{message:?}");
    };
    let message = || in_dm(&person(), &[1]);
    assert_eq!(called_by(&message(), &members), "1 Mention");
    silent(Message { is_notice: true, ..message() });
    silent(Message { kind: Kind::Host, from: Author::host(), ..message() });
    silent(Message { kind: Kind::System, ..message() });
    silent(Message { kind: Kind::ToolResult, ..message() });
    silent(Message { removed_at: Some(at(1)), ..message() });
    for state in [State::Streaming, State::Failed, State::Cancelled, State::Interrupted] {
        silent(Message { state, ..message() });
    }
}

/// Any message of a few members in any type of conversation.
fn messages() -> impl Strategy<Value = Message> {
    let member = prop_oneof![Just(person()), (1u128..5).prop_map(|number| agent(number).into())];
    let conversation = prop_oneof![
        Just(ConversationId::from(ChannelId::from_bits(1))),
        Just(ThreadId::from_bits(1).into()),
        Just(DmId::from_bits(1).into()),
    ];
    (
        conversation,
        member,
        prop::collection::vec(1u128..5, 0..4),
        prop::collection::vec(1u128..5, 0..4),
        0i64..2_000,
        any::<u32>(),
    )
        .prop_map(|(conversation, from, mentions, calls, seconds, id)| Message {
            id: MessageId::from_bits(id.into()),
            calls: calls.into_iter().map(agent).collect(),
            created_at: at(seconds),
            ..said(conversation, &from, &mentions)
        })
}

proptest! {
    #[test]
    fn each_agent_is_called_once_and_never_the_author(
        message in messages(),
        window in prop::collection::vec(messages(), 0..8),
        members in prop::collection::vec(1u128..5, 0..5),
        max in 0u64..4,
    ) {
        let dm_members: Vec<MemberId> = members.iter().map(|number| agent(*number).into()).collect();
        let thread_agents: Vec<AgentId> = members.iter().map(|number| agent(*number)).collect();
        let rules = CallRules { follow_messages_max: max, ..CallRules::default() };
        let facts = WakeFacts {
            message: &message,
            dm_members: &dm_members,
            thread_agents: &thread_agents,
            window: &window,
            rules: &rules,
            now: at(1_000),
        };
        let calls = wakes(&facts);
        for (conversation, call) in calls.iter().enumerate() {
            prop_assert!(calls[..conversation].iter().all(|other| other.agent_id != call.agent_id));
            prop_assert_ne!(message.from.member_id(), Some(call.agent_id.clone().into()));
            let is_mentioned = message.mentions.contains(&call.agent_id.clone().into());
            prop_assert_eq!(is_mentioned, call.reason == CallReason::Mention);
        }
        // An agent without a mention calls nobody, except its partner in a DM of two.
        if message.from.author_type == AuthorType::Agent && message.mentions.is_empty() {
            prop_assert!(calls.iter().all(|call| call.reason == CallReason::Dm) && calls.len() <= 2);
        }
    }
}

/// A thread with its messages, the newest last.
struct ThreadFixture {
    messages: Vec<Message>,
    rules: CallRules,
}

impl ThreadFixture {
    fn new() -> Self {
        let rules = CallRules { follow_idle_seconds: 600, follow_messages_max: 3, ..CallRules::default() };
        Self { messages: Vec::new(), rules }
    }

    /// Adds a message that has called these agents at this second; those in `mentions` by a mention.
    fn with(mut self, seconds: i64, from: &MemberId, mentions: &[u128], calls: &[u128]) -> Self {
        let message = Message {
            id: MessageId::from_bits(10 + self.messages.len() as u128),
            calls: calls.iter().map(|number| agent(*number)).collect(),
            created_at: at(seconds),
            ..said(ThreadId::from_bits(1), from, mentions)
        };
        self.messages.push(message);
        self
    }

    /// The agents that the message calls when it is posted now.
    fn calls(&self, message: &Message, seconds: i64) -> String {
        let window: Vec<Message> = self.messages.iter().rev().cloned().collect();
        let thread_agents = [agent(1), agent(2), agent(3)];
        called(&WakeFacts {
            message,
            dm_members: &[],
            thread_agents: &thread_agents,
            window: &window,
            rules: &self.rules,
            now: at(seconds),
        })
    }

    /// The agents that are called when a person posts without a mention.
    fn calls_without_mention(&self, seconds: i64) -> String {
        self.calls(&said(ThreadId::from_bits(1), &person(), &[]), seconds)
    }
}

fn bot(number: u128) -> MemberId {
    agent(number).into()
}

#[test]
fn an_agent_that_was_mentioned_follows() {
    let thread = ThreadFixture::new().with(0, &person(), &[1], &[1]);
    assert_eq!(thread.calls_without_mention(1), "1 Follow");
}

#[test]
fn an_agent_that_nobody_mentioned_does_not_follow() {
    assert_eq!(ThreadFixture::new().calls_without_mention(0), "");
    let wrote = ThreadFixture::new().with(0, &bot(1), &[], &[]);
    assert_eq!(wrote.calls_without_mention(1), "");
    let held = ThreadFixture::new().with(0, &bot(2), &[1], &[]);
    assert_eq!(held.calls_without_mention(1), "", "a mention that was held has called nobody");
}

#[test]
fn only_messages_of_people_call_followers() {
    let thread = ThreadFixture::new().with(0, &person(), &[1, 2], &[1, 2]);
    assert_eq!(thread.calls(&said(ThreadId::from_bits(1), &bot(2), &[]), 1), "");
    assert_eq!(thread.calls(&said(ThreadId::from_bits(1), &bot(2), &[1]), 1), "1 Mention");
}

#[test]
fn a_mention_of_one_agent_calls_that_one_alone() {
    let thread = ThreadFixture::new().with(0, &person(), &[1, 2], &[1, 2]);
    let message = said(ThreadId::from_bits(1), &person(), &[3]);
    assert_eq!(thread.calls(&message, 1), "3 Mention");
    let to_a_person = Message { mentions: vec![PersonId::from_bits(2).into()], ..message };
    assert_eq!(thread.calls(&to_a_person, 1), "1 Follow, 2 Follow");
}

#[test]
fn channels_are_not_followed() {
    let thread = ThreadFixture::new().with(0, &person(), &[1], &[1]);
    assert_eq!(thread.calls(&in_channel(&person(), &[]), 1), "");
}

#[test]
fn following_ends_after_the_idle_time() {
    let thread = ThreadFixture::new().with(0, &person(), &[1], &[1]);
    assert_eq!(
        (thread.calls_without_mention(599), thread.calls_without_mention(600)),
        ("1 Follow".to_owned(), String::new())
    );
}

#[test]
fn only_own_messages_extend_the_follow_window() {
    let thread = ThreadFixture::new().with(0, &person(), &[1], &[1]).with(500, &bot(1), &[], &[]);
    assert_eq!(thread.calls_without_mention(1_099), "1 Follow");
    let others =
        ThreadFixture::new().with(0, &person(), &[1], &[1]).with(500, &bot(2), &[], &[]).with(550, &person(), &[], &[]);
    assert_eq!(others.calls_without_mention(600), "");
}

#[test]
fn following_ends_after_the_maximum_number_of_messages() {
    let mut thread = ThreadFixture::new().with(0, &person(), &[1], &[1]);
    for second in 1..=3 {
        assert_eq!(thread.calls_without_mention(second), "1 Follow");
        thread = thread.with(second, &person(), &[], &[1]);
    }
    assert_eq!(thread.calls_without_mention(4), "");
    let again = thread.with(5, &bot(2), &[1], &[1]);
    assert_eq!(again.calls_without_mention(6), "1 Follow", "a new mention begins anew");
}

#[test]
fn messages_that_called_others_are_not_counted() {
    let thread = ThreadFixture::new()
        .with(0, &person(), &[1], &[1])
        .with(1, &person(), &[], &[2])
        .with(2, &person(), &[], &[2])
        .with(3, &person(), &[], &[2]);
    assert_eq!(thread.calls_without_mention(4), "1 Follow");
}

#[test]
fn a_limit_of_zero_messages_disables_following() {
    let mut thread = ThreadFixture::new().with(0, &person(), &[1], &[1]);
    thread.rules.follow_messages_max = 0;
    assert_eq!(thread.calls_without_mention(1), "");
}

#[test]
fn a_message_that_is_already_in_the_window_does_not_count_itself() {
    let mut thread =
        ThreadFixture::new().with(0, &person(), &[1], &[1]).with(1, &person(), &[], &[1]).with(2, &person(), &[], &[1]);
    thread = thread.with(3, &person(), &[], &[1]);
    let itself = thread.messages.last().cloned().expect("the newest");
    assert_eq!(thread.calls(&itself, 3), "1 Follow");
}

#[test]
fn removing_the_mention_ends_following() {
    let mut thread = ThreadFixture::new().with(0, &person(), &[1], &[1]);
    thread.messages[0] = thread.messages[0].clone().removed(at(1));
    assert_eq!(thread.calls_without_mention(2), "");
}

#[test]
fn a_clock_that_was_set_back_does_not_end_following() {
    let thread = ThreadFixture::new().with(1_000, &person(), &[1], &[1]);
    assert_eq!(thread.calls_without_mention(0), "1 Follow");
}

/// The agents that an edit of the message to these mentions no longer addresses.
fn dropped(message: &Message, mentions: &[u128]) -> Vec<AgentId> {
    let mentions: Vec<MemberId> = mentions.iter().map(|number| agent(*number).into()).collect();
    no_longer_called(message, &mentions)
}

#[test]
fn an_edit_drops_called_agents_that_it_no_longer_mentions() {
    let message = Message { calls: vec![agent(1), agent(2), agent(4)], ..in_channel(&person(), &[1, 2, 3]) };
    assert_eq!(dropped(&message, &[2]), [agent(1)], "3 was never called, 4 was called without a mention");
    assert_eq!(dropped(&message, &[1, 2, 5]), []);
    assert_eq!(dropped(&message, &[]), [agent(1), agent(2)]);
}

#[test]
fn an_edited_dm_without_a_mention_still_addresses_every_agent() {
    let message = Message { calls: vec![agent(1), agent(2)], ..in_dm(&person(), &[1, 2]) };
    assert_eq!(dropped(&message, &[]), []);
    assert_eq!(dropped(&message, &[1]), [agent(2)]);
    let of_agent = Message { calls: vec![agent(1)], ..in_dm(&agent(2).into(), &[1]) };
    assert_eq!(dropped(&of_agent, &[2]), [], "a mention of the author addresses nobody else");
}
