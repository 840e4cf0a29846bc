use std::{future::poll_fn, pin::pin, sync::Arc, task::Poll};

use futures_util::future::join_all;
use parlour_core::{call::HoldRule, live::Complete, message::Message, policy::Policy, post::PostMessage};

use crate::{fixture::CallFixture, support::say};

const AGENTS: &[&str] = &["Ada", "Bob", "Cora", "Dora"];

/// More polls than a post takes.
const POLLS_MAX: usize = 14;

fn relax_other_rules(policy: &mut Policy) {
    policy.loop_limits.response_depth_max = 50;
    policy.loop_limits.chain_repeats_max = 50;
    policy.loop_limits.pair_messages_max = 10_000;
    policy.loop_limits.similar_answers_max = 100;
    policy.loop_limits.conversation_answers_max = 10_000;
    policy.calls.waiting_max = 1_000;
}

/// Posts messages concurrently, each in a task of its own.
async fn post_concurrently(
    fixture: &Arc<CallFixture>,
    count: usize,
    body: impl Fn(usize) -> (usize, String),
) -> Vec<Message> {
    let posts = (0..count).map(|number| {
        let ((by, body), fixture) = (body(number), Arc::clone(fixture));
        tokio::spawn(async move { fixture.post(&fixture.agents[by], say(&fixture.channel, &body)).await })
    });
    join_all(posts).await.into_iter().map(|posted| posted.expect("posted")).collect()
}

fn calls(said: &[Message]) -> usize {
    said.iter().map(|message| message.calls.len()).sum()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_calls_of_a_pair_keep_the_pair_limit() {
    let fixture = CallFixture::with_policy(AGENTS, |policy| {
        relax_other_rules(policy);
        policy.loop_limits.pair_messages_max = 5;
    })
    .await;
    let fixture = Arc::new(fixture);
    let names = ["Bob", "Ada"];
    let said =
        post_concurrently(&fixture, 60, |number| (number % 2, format!("@{} number {number}", names[number % 2]))).await;
    assert_eq!(calls(&said), 5);
    assert_eq!(fixture.reported_rules().await, [HoldRule::Pair], "reported once");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_messages_keep_the_budget_of_the_conversation() {
    let fixture = CallFixture::with_policy(AGENTS, |policy| {
        relax_other_rules(policy);
        policy.loop_limits.conversation_answers_max = 8;
    })
    .await;
    let fixture = Arc::new(fixture);
    let said =
        post_concurrently(&fixture, 60, |number| (number % 4, format!("@{} {number}", AGENTS[(number + 1) % 4]))).await;
    assert_eq!(calls(&said), 7);
    assert_eq!(fixture.reported_rules().await, [HoldRule::Budget], "reported once");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_stream_ends_keep_the_pair_limit() {
    let fixture = CallFixture::with_policy(AGENTS, |policy| {
        relax_other_rules(policy);
        policy.loop_limits.pair_messages_max = 3;
    })
    .await;
    let fixture = Arc::new(fixture);
    let mut begun = Vec::new();
    for _ in 0..20 {
        let request = PostMessage { stream: true, ..say(&fixture.channel, "") };
        begun.push(fixture.post(&fixture.agents[0], request).await.id);
    }
    let ends = begun.into_iter().map(|id| {
        let fixture = Arc::clone(&fixture);
        let request = Complete { body: Some(format!("@Bob, about {id}")), ..Complete::default() };
        tokio::spawn(async move { fixture.hub().complete_stream(&fixture.agents[0], &id, request).await })
    });
    let ended: Vec<Message> =
        join_all(ends).await.into_iter().map(|end| end.expect("joined").expect("ended").message).collect();
    assert_eq!(calls(&ended), 3);
    assert_eq!(fixture.reported_rules().await, [HoldRule::Pair]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_concurrent_answers_only_one_takes_the_older_call() {
    let fixture = Arc::new(CallFixture::new(&["Ada", "Bob", "Cora"]).await);
    // The older call of Cora is a person's, the younger one is deep.
    fixture.say(&fixture.mara, "@Cora, later").await;
    let question = fixture.say(&fixture.mara, "@Ada, begin").await;
    let first = fixture.answer(fixture.agent("Ada"), &question, "@Bob, and you?").await;
    fixture.answer(fixture.agent("Bob"), &first, "@Cora knows").await;
    let said = post_concurrently(&fixture, 20, |number| (2, format!("@Ada and @Bob: {number}"))).await;
    let shallow = said.iter().filter(|message| message.cause.as_ref().is_some_and(|cause| cause.depth == 1)).count();
    assert_eq!((shallow, calls(&said)), (1, 2));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_cancelled_post_does_not_bypass_the_pair_limit() {
    let mut posted = 0;
    for polls in 1..=POLLS_MAX {
        let fixture = CallFixture::with_policy(AGENTS, |policy| {
            relax_other_rules(policy);
            policy.loop_limits.pair_messages_max = 1;
        })
        .await;
        cancel_after(polls, fixture.say(fixture.agent("Ada"), "@Bob, one")).await;
        fixture.say(fixture.agent("Ada"), "@Bob, two").await;
        let said = fixture.history(&fixture.channel.clone().into()).await;
        posted += said.iter().filter(|message| message.body == "@Bob, one").count();
        assert_eq!(calls(&said), 1, "cancelled after {polls} polls");
    }
    assert!((1..POLLS_MAX).contains(&posted), "some posts are cancelled before and some after the commit: {posted}");
}

/// Polls a future `polls` times, and drops it while it waits.
async fn cancel_after(polls: usize, future: impl Future) {
    let (mut future, mut left) = (pin!(future), polls);
    poll_fn(|context| {
        left -= 1;
        match future.as_mut().poll(context) {
            Poll::Pending if left > 0 => Poll::Pending,
            _ => Poll::Ready(()),
        }
    })
    .await;
}
