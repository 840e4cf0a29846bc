//! Who is called, as data in and text out.

use proptest::prelude::*;

use super::*;
use crate::{
    author::Author,
    id::{ChannelId, ConversationId, DmId, MessageId, PersonId, ProjectId, ThreadId},
    message::{Kind, State},
    name::Name,
};

mod following;

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
fn said(place: impl Into<ConversationId>, from: &MemberId, mentions: &[u128]) -> Message {
    let author = Author::member(from, &Name::parse("Mara").expect("name"));
    let mentions = mentions.iter().map(|number| agent(*number).into()).collect();
    let (id, project) = (MessageId::from_bits(1), ProjectId::from_bits(1));
    Message { mentions, ..Message::plain(id, project, place.into(), author, "Hello".into(), at(1_000)) }
}

fn in_channel(from: &MemberId, mentions: &[u128]) -> Message {
    said(ChannelId::from_bits(1), from, mentions)
}

fn in_dm(from: &MemberId, mentions: &[u128]) -> Message {
    said(DmId::from_bits(1), from, mentions)
}

/// Writes who is called: numbers of agents, each with its reason.
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
fn nobody_calls_itself() {
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
fn the_members_of_a_dm_mean_nothing_elsewhere() {
    assert_eq!(called_by(&in_channel(&person(), &[]), &[person(), agent(1).into()]), "");
}

#[test]
fn what_only_informs_calls_nobody() {
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

/// Any message of a few members in any sort of conversation.
fn messages() -> impl Strategy<Value = Message> {
    let member = prop_oneof![Just(person()), (1u128..5).prop_map(|number| agent(number).into())];
    let place = prop_oneof![
        Just(ConversationId::from(ChannelId::from_bits(1))),
        Just(ThreadId::from_bits(1).into()),
        Just(DmId::from_bits(1).into()),
    ];
    (
        place,
        member,
        prop::collection::vec(1u128..5, 0..4),
        prop::collection::vec(1u128..5, 0..4),
        0i64..2_000,
        any::<u32>(),
    )
        .prop_map(|(place, from, mentions, calls, seconds, id)| Message {
            id: MessageId::from_bits(id.into()),
            calls: calls.into_iter().map(agent).collect(),
            created_at: at(seconds),
            ..said(place, &from, &mentions)
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
        for (place, call) in calls.iter().enumerate() {
            prop_assert!(calls[..place].iter().all(|other| other.agent_id != call.agent_id));
            prop_assert_ne!(message.from.member_id(), Some(call.agent_id.clone().into()));
            let is_mentioned = message.mentions.contains(&call.agent_id.clone().into());
            prop_assert_eq!(is_mentioned, call.reason == CallReason::Mention);
        }
        // An agent without a mention calls nobody, but for its partner in a dm of two.
        if message.from.author_type == AuthorType::Agent && message.mentions.is_empty() {
            prop_assert!(calls.iter().all(|call| call.reason == CallReason::Dm) && calls.len() <= 2);
        }
    }
}
