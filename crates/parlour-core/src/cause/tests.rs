//! What an agent's message follows from.

use proptest::prelude::*;

use super::*;
use crate::{
    Timestamp,
    author::Author,
    call::CallReason,
    id::{ChannelId, PersonId, ProjectId},
};

mod claims;

fn agent(number: u128) -> AgentId {
    AgentId::from_bits(number)
}

fn message_id(number: u128) -> MessageId {
    MessageId::from_bits(number)
}

fn place(number: u128) -> ConversationId {
    ChannelId::from_bits(number).into()
}

fn name(text: &str) -> Name {
    Name::parse(text).expect("name")
}

fn person() -> Author {
    Author::member(&PersonId::from_bits(1).into(), &name("Mara"))
}

fn bot(number: u128) -> Author {
    Author::member(&agent(number).into(), &name(&format!("Bot {number}")))
}

/// An open call of agent 1 by a message in the first channel.
fn call(message: u128, from: Author, depth: u32) -> Call {
    Call {
        agent_id: agent(1),
        message_id: message_id(message),
        project_id: ProjectId::from_bits(1),
        conversation_id: place(1),
        reason: CallReason::Mention,
        from,
        depth,
        correlation_id: None,
        called_at: Timestamp::from_millis(0),
        state: CallState::Open,
        answer_id: None,
    }
}

fn closed(call: Call) -> Call {
    Call { state: CallState::Answered, ..call }
}

fn message(number: u128, from: Author, cause: Option<Cause>) -> Message {
    let at = Timestamp::from_millis(0);
    Message { cause, ..Message::plain(message_id(number), ProjectId::from_bits(1), place(1), from, "Hello".into(), at) }
}

fn cause(depth: u32, chain: &[&str]) -> Cause {
    Cause { depth, chain: chain.iter().map(ToString::to_string).collect(), agents: Vec::new(), message_id: None }
}

#[test]
fn a_reply_takes_the_call_of_the_message_it_answers() {
    let recent = [call(3, bot(2), 2), call(2, person(), 0)];
    assert_eq!(origin(&recent, &place(1), Some(&message(2, person(), None))), Trigger::Call(message_id(2)));
    let elsewhere = message(3, bot(2), None);
    assert_eq!(origin(&recent, &place(9), Some(&elsewhere)), Trigger::Call(message_id(3)), "wherever it is written");
}

#[test]
fn without_a_reply_the_oldest_open_call_of_the_conversation_is_taken() {
    let other = Call { conversation_id: place(2), ..call(1, person(), 0) };
    let recent = [call(4, person(), 0), call(3, bot(2), 1), closed(call(2, person(), 0)), other];
    assert_eq!(origin(&recent, &place(1), None), Trigger::Call(message_id(3)));
    assert_eq!(origin(&recent, &place(2), None), Trigger::Call(message_id(1)));
}

#[test]
fn only_open_calls_can_be_taken() {
    for state in [CallState::Taken, CallState::Answered, CallState::Failed, CallState::Passed, CallState::Expired] {
        let recent = [Call { state, ..call(2, bot(2), 1) }];
        assert_eq!(origin(&recent, &place(1), None), Trigger::Consequence(message_id(2)), "{state:?}");
    }
}

#[test]
fn without_a_call_a_message_follows_from_the_deepest_since_a_person_called() {
    let recent = [
        closed(call(6, bot(2), 1)),
        closed(call(5, bot(3), 2)),
        closed(call(4, bot(2), 2)),
        closed(call(3, person(), 0)),
        closed(call(2, bot(2), 7)),
    ];
    assert_eq!(origin(&recent, &place(1), None), Trigger::Consequence(message_id(5)));
    assert_eq!(origin(&recent[3..], &place(1), None), Trigger::Consequence(message_id(3)), "the person's own included");
}

#[test]
fn a_reply_elsewhere_cannot_make_a_message_shallower() {
    let recent = [closed(call(5, bot(2), 2))];
    let first = message(1, person(), None);
    assert_eq!(origin(&recent, &place(1), Some(&first)), Trigger::Consequence(message_id(5)));
    let even = message(1, bot(3), Some(cause(2, &["bot 3"])));
    assert_eq!(origin(&recent, &place(1), Some(&even)), Trigger::Consequence(message_id(5)), "nor choose its chain");
    let deeper = message(1, bot(3), Some(cause(3, &["bot 3"])));
    assert_eq!(origin(&recent, &place(1), Some(&deeper)), Trigger::Consequence(message_id(1)));
}

#[test]
fn a_reply_leaves_the_open_calls_of_other_messages_open() {
    let recent = [call(5, bot(2), 1)];
    assert_eq!(origin(&recent, &place(1), Some(&message(1, person(), None))), Trigger::Consequence(message_id(5)));
}

#[test]
fn an_agent_that_nobody_has_called_speaks_by_itself() {
    assert_eq!(origin(&[], &place(1), None), Trigger::Itself);
    let reply = message(1, person(), None);
    assert_eq!(origin(&[], &place(1), Some(&reply)), Trigger::Consequence(message_id(1)));
}

#[test]
fn an_answer_is_one_deeper_and_ends_the_chain() {
    let asked = message(1, person(), None);
    let first = cause_after(Some(&asked), &agent(1), &name("Coder"), None);
    assert_eq!((first.depth, first.chain.as_slice()), (1, ["coder".to_owned()].as_slice()));
    assert_eq!((first.agents.as_slice(), first.message_id.as_ref()), ([agent(1)].as_slice(), Some(&message_id(1))));
    let answer = message(2, bot(1), Some(first));
    let second = cause_after(Some(&answer), &agent(2), &name("Jürgen"), None);
    assert_eq!((second.depth, second.chain.join(",")), (2, "coder,jürgen".to_owned()));
    assert_eq!(second.agents, [agent(1), agent(2)]);
}

#[test]
fn who_speaks_by_itself_begins_a_chain() {
    let cause = cause_after(None, &agent(1), &name("Coder"), None);
    assert_eq!((cause.depth, cause.chain.join(","), cause.message_id), (1, "coder".to_owned(), None));
}

#[test]
fn a_message_of_an_agent_without_a_record_counts_as_its_first() {
    let answer = message(2, bot(1), None);
    let next = cause_after(Some(&answer), &agent(2), &name("Coder"), None);
    assert_eq!((next.depth, next.chain.join(",")), (2, "bot 1,coder".to_owned()));
    assert_eq!(next.agents, [agent(1), agent(2)]);
}

#[test]
fn recorded_names_are_folded_again() {
    let answer = message(2, bot(1), Some(cause(1, &["CODER", "STRAẞE"])));
    let next = cause_after(Some(&answer), &agent(2), &name("Bob"), None);
    assert_eq!(next.chain, ["coder", "strasse", "bob"]);
}

#[test]
fn a_chain_keeps_its_last_names() {
    let names: Vec<String> = (0..200).map(|number| format!("n{number}")).collect();
    let long = Cause { agents: (0..200).map(agent).collect(), ..cause(200, &[]) };
    let answer = message(2, bot(1), Some(Cause { chain: names, ..long }));
    let next = cause_after(Some(&answer), &agent(500), &name("Last"), None);
    assert_eq!((next.chain.len(), next.agents.len()), (limits::CHAIN_NAMES_MAX, limits::CHAIN_NAMES_MAX));
    assert_eq!((next.chain.last().map(String::as_str), next.chain[0].as_str()), (Some("last"), "n137"));
    assert_eq!(next.agents.last(), Some(&agent(500)));
}
