//! Causes of messages, and claims of clients.

use proptest::prelude::*;

use crate::{
    Timestamp,
    author::Author,
    call::CallReason,
    cause::*,
    id::{ChannelId, PersonId, ProjectId},
};

fn agent(number: u128) -> AgentId {
    AgentId::from_bits(number)
}

fn message_id(number: u128) -> MessageId {
    MessageId::from_bits(number)
}

fn channel(number: u128) -> ConversationId {
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
        conversation_id: channel(1),
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
    Message {
        cause,
        ..Message::plain(message_id(number), ProjectId::from_bits(1), channel(1), from, "Hello".into(), at)
    }
}

fn cause(depth: u32, chain: &[&str]) -> Cause {
    Cause { depth, chain: chain.iter().map(ToString::to_string).collect(), agents: Vec::new(), message_id: None }
}

#[test]
fn a_reply_takes_the_call_of_the_message_it_answers() {
    let recent = [call(3, bot(2), 2), call(2, person(), 0)];
    assert_eq!(origin(&recent, &channel(1), Some(&message(2, person(), None))), Trigger::Call(message_id(2)));
    let elsewhere = message(3, bot(2), None);
    assert_eq!(origin(&recent, &channel(9), Some(&elsewhere)), Trigger::Call(message_id(3)), "wherever it is written");
}

#[test]
fn without_a_reply_the_oldest_open_call_of_the_conversation_is_taken() {
    let other = Call { conversation_id: channel(2), ..call(1, person(), 0) };
    let recent = [call(4, person(), 0), call(3, bot(2), 1), closed(call(2, person(), 0)), other];
    assert_eq!(origin(&recent, &channel(1), None), Trigger::Call(message_id(3)));
    assert_eq!(origin(&recent, &channel(2), None), Trigger::Call(message_id(1)));
}

#[test]
fn only_open_calls_can_be_taken() {
    for state in [CallState::Taken, CallState::Answered, CallState::Failed, CallState::Passed, CallState::Expired] {
        let recent = [Call { state, ..call(2, bot(2), 1) }];
        assert_eq!(origin(&recent, &channel(1), None), Trigger::Consequence(message_id(2)), "{state:?}");
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
    assert_eq!(origin(&recent, &channel(1), None), Trigger::Consequence(message_id(5)));
    assert_eq!(
        origin(&recent[3..], &channel(1), None),
        Trigger::Consequence(message_id(3)),
        "the person's own included"
    );
}

#[test]
fn a_reply_to_another_message_cannot_lower_the_depth() {
    let recent = [closed(call(5, bot(2), 2))];
    let first = message(1, person(), None);
    assert_eq!(origin(&recent, &channel(1), Some(&first)), Trigger::Consequence(message_id(5)));
    let even = message(1, bot(3), Some(cause(2, &["bot 3"])));
    assert_eq!(origin(&recent, &channel(1), Some(&even)), Trigger::Consequence(message_id(5)), "nor choose its chain");
    let deeper = message(1, bot(3), Some(cause(3, &["bot 3"])));
    assert_eq!(origin(&recent, &channel(1), Some(&deeper)), Trigger::Consequence(message_id(1)));
}

#[test]
fn a_reply_leaves_the_open_calls_of_other_messages_open() {
    let recent = [call(5, bot(2), 1)];
    assert_eq!(origin(&recent, &channel(1), Some(&message(1, person(), None))), Trigger::Consequence(message_id(5)));
}

#[test]
fn a_message_without_a_call_has_no_trigger_or_the_replied_message() {
    assert_eq!(origin(&[], &channel(1), None), Trigger::Itself);
    let reply = message(1, person(), None);
    assert_eq!(origin(&[], &channel(1), Some(&reply)), Trigger::Consequence(message_id(1)));
}

#[test]
fn an_answer_adds_one_level_and_its_agent_to_the_chain() {
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
fn a_message_without_a_trigger_starts_a_chain() {
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

fn claim(depth: u32, chain: &[&str]) -> ClaimedCause {
    ClaimedCause { depth, chain: chain.iter().map(ToString::to_string).collect() }
}

/// The cause of an answer of Bob, the agent 2, to one of Ada at depth 1.
fn answered(claimed: &ClaimedCause) -> Cause {
    let asked = Message { from: bot(1), ..message(1, bot(1), Some(cause(1, &["ada"]))) };
    cause_after(Some(&asked), &agent(2), &name("Bob"), Some(claimed))
}

#[test]
fn a_claim_can_raise_the_depth_and_never_lower_it() {
    assert_eq!(answered(&claim(0, &[])).depth, 2);
    assert_eq!(answered(&claim(2, &[])).depth, 2);
    assert_eq!(answered(&claim(9, &[])).depth, 9);
}

#[test]
fn a_claim_can_add_names_and_never_remove_them() {
    assert_eq!(answered(&claim(0, &[])).chain, ["ada", "bob"]);
    assert_eq!(answered(&claim(0, &["EVE", "Ada"])).chain, ["eve", "ada", "bob"]);
    assert_eq!(answered(&claim(0, &["ada", "bob"])).chain, ["ada", "bob"], "the usual claim adds nothing");
    assert_eq!(answered(&claim(0, &["Ada", "ADA", "bob"])).chain, ["ada", "ada", "bob"], "a repeat is one");
}

#[test]
fn a_claim_adds_no_agents() {
    let asked = message(1, person(), None);
    let cause = cause_after(Some(&asked), &agent(2), &name("Bob"), Some(&claim(5, &["ada"])));
    assert_eq!(cause.agents, [agent(2)]);
}

#[test]
fn a_long_claim_does_not_push_out_what_is_recorded() {
    let names: Vec<String> = (0..limits::CHAIN_NAMES_MAX).map(|number| format!("n{number}")).collect();
    let cause = answered(&ClaimedCause { depth: 0, chain: names });
    assert_eq!(cause.chain.len(), limits::CHAIN_NAMES_MAX);
    assert_eq!(cause.chain[limits::CHAIN_NAMES_MAX - 2..], ["ada", "bob"]);
}

#[test]
fn no_depth_overflows() {
    let deepest = message(1, bot(1), Some(cause(u32::MAX, &[])));
    assert_eq!(cause_after(Some(&deepest), &agent(2), &name("Bob"), Some(&claim(u32::MAX, &[]))).depth, u32::MAX);
}

#[test]
fn a_claim_out_of_bounds_is_refused_by_its_field() {
    let field = |claim: &ClaimedCause| claim.check().expect_err("refused").field;
    let depth = u32::try_from(limits::CLAIMED_DEPTH_MAX).expect("fits");
    assert_eq!(claim(depth, &["Coder"; limits::CHAIN_NAMES_MAX]).check(), Ok(()));
    assert_eq!(field(&claim(depth + 1, &[])).as_deref(), Some("cause.depth"));
    assert_eq!(field(&claim(0, &["x"; limits::CHAIN_NAMES_MAX + 1])).as_deref(), Some("cause.chain"));
    assert_eq!(field(&claim(0, &["x", "a\0"])).as_deref(), Some("cause.chain[1]"));
    assert_eq!(field(&claim(0, &[&"x".repeat(limits::NAME_CHARS_MAX + 1)])).as_deref(), Some("cause.chain[0]"));
}

#[test]
fn a_claim_has_no_other_fields() {
    assert!(serde_json::from_str::<ClaimedCause>(r#"{"depth":1,"agents":["agt_1"]}"#).is_err());
    assert_eq!(serde_json::from_str::<ClaimedCause>("{}").ok(), Some(ClaimedCause::default()));
}

proptest! {
    #[test]
    fn a_claim_never_lowers_the_depth_and_never_removes_recorded_names(
        depth: u32,
        claimed_depth: u32,
        recorded in prop::collection::vec("[a-cA-C]{1,2}", 0..6),
        claimed in prop::collection::vec("[a-cA-C]{1,2}", 0..80),
    ) {
        let chain: Vec<&str> = recorded.iter().map(String::as_str).collect();
        let asked = message(1, bot(1), Some(cause(depth, &chain)));
        let honest = cause_after(Some(&asked), &agent(2), &name("Bob"), None);
        let forged = ClaimedCause { depth: claimed_depth, chain: claimed };
        let cause = cause_after(Some(&asked), &agent(2), &name("Bob"), Some(&forged));
        prop_assert!(cause.depth >= honest.depth);
        prop_assert!(cause.chain.ends_with(&honest.chain));
        prop_assert!(cause.chain.len() <= limits::CHAIN_NAMES_MAX);
        prop_assert_eq!((cause.agents, cause.message_id), (honest.agents, honest.message_id));
    }
}
