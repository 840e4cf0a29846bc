//! The follow window of agents in a thread.

use super::{Message, *};

/// A thread that is read back message by message, the newest last.
struct Thread {
    messages: Vec<Message>,
    rules: CallRules,
}

impl Thread {
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

    /// Who is called when the message is said now.
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

    /// Who is called when a person goes on without a mention.
    fn goes_on(&self, seconds: i64) -> String {
        self.calls(&said(ThreadId::from_bits(1), &person(), &[]), seconds)
    }
}

fn bot(number: u128) -> MemberId {
    agent(number).into()
}

#[test]
fn an_agent_that_was_mentioned_follows() {
    let thread = Thread::new().with(0, &person(), &[1], &[1]);
    assert_eq!(thread.goes_on(1), "1 Follow");
}

#[test]
fn an_agent_that_nobody_mentioned_does_not_follow() {
    assert_eq!(Thread::new().goes_on(0), "");
    let wrote = Thread::new().with(0, &bot(1), &[], &[]);
    assert_eq!(wrote.goes_on(1), "");
    let held = Thread::new().with(0, &bot(2), &[1], &[]);
    assert_eq!(held.goes_on(1), "", "a mention that was held has called nobody");
}

#[test]
fn only_people_are_followed() {
    let thread = Thread::new().with(0, &person(), &[1, 2], &[1, 2]);
    assert_eq!(thread.calls(&said(ThreadId::from_bits(1), &bot(2), &[]), 1), "");
    assert_eq!(thread.calls(&said(ThreadId::from_bits(1), &bot(2), &[1]), 1), "1 Mention");
}

#[test]
fn a_mention_of_one_agent_calls_that_one_alone() {
    let thread = Thread::new().with(0, &person(), &[1, 2], &[1, 2]);
    let message = said(ThreadId::from_bits(1), &person(), &[3]);
    assert_eq!(thread.calls(&message, 1), "3 Mention");
    let to_a_person = Message { mentions: vec![PersonId::from_bits(2).into()], ..message };
    assert_eq!(thread.calls(&to_a_person, 1), "1 Follow, 2 Follow");
}

#[test]
fn channels_are_not_followed() {
    let thread = Thread::new().with(0, &person(), &[1], &[1]);
    assert_eq!(thread.calls(&in_channel(&person(), &[]), 1), "");
}

#[test]
fn following_ends_after_the_idle_time() {
    let thread = Thread::new().with(0, &person(), &[1], &[1]);
    assert_eq!((thread.goes_on(599), thread.goes_on(600)), ("1 Follow".to_owned(), String::new()));
}

#[test]
fn what_the_agent_writes_keeps_it_awake_and_what_others_write_does_not() {
    let thread = Thread::new().with(0, &person(), &[1], &[1]).with(500, &bot(1), &[], &[]);
    assert_eq!(thread.goes_on(1_099), "1 Follow");
    let others =
        Thread::new().with(0, &person(), &[1], &[1]).with(500, &bot(2), &[], &[]).with(550, &person(), &[], &[]);
    assert_eq!(others.goes_on(600), "");
}

#[test]
fn following_ends_after_so_many_messages() {
    let mut thread = Thread::new().with(0, &person(), &[1], &[1]);
    for second in 1..=3 {
        assert_eq!(thread.goes_on(second), "1 Follow");
        thread = thread.with(second, &person(), &[], &[1]);
    }
    assert_eq!(thread.goes_on(4), "");
    let again = thread.with(5, &bot(2), &[1], &[1]);
    assert_eq!(again.goes_on(6), "1 Follow", "a new mention begins anew");
}

#[test]
fn messages_that_called_others_are_not_counted() {
    let thread = Thread::new()
        .with(0, &person(), &[1], &[1])
        .with(1, &person(), &[], &[2])
        .with(2, &person(), &[], &[2])
        .with(3, &person(), &[], &[2]);
    assert_eq!(thread.goes_on(4), "1 Follow");
}

#[test]
fn a_limit_of_no_messages_switches_following_off() {
    let mut thread = Thread::new().with(0, &person(), &[1], &[1]);
    thread.rules.follow_messages_max = 0;
    assert_eq!(thread.goes_on(1), "");
}

#[test]
fn a_message_that_stands_in_the_window_already_does_not_count_itself() {
    let mut thread =
        Thread::new().with(0, &person(), &[1], &[1]).with(1, &person(), &[], &[1]).with(2, &person(), &[], &[1]);
    thread = thread.with(3, &person(), &[], &[1]);
    let itself = thread.messages.last().cloned().expect("the newest");
    assert_eq!(thread.calls(&itself, 3), "1 Follow");
}

#[test]
fn a_removed_mention_ends_the_following() {
    let mut thread = Thread::new().with(0, &person(), &[1], &[1]);
    thread.messages[0] = thread.messages[0].clone().removed(at(1));
    assert_eq!(thread.goes_on(2), "");
}

#[test]
fn a_clock_that_was_set_back_is_no_end() {
    let thread = Thread::new().with(1_000, &person(), &[1], &[1]);
    assert_eq!(thread.goes_on(0), "1 Follow");
}
