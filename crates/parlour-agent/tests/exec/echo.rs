//! The echo.

use std::time::Duration;

use parlour_agent::{
    engine::{Completion, Engine},
    engines::EchoEngine,
};
use parlour_core::{
    call::CallReason,
    id::AgentId,
    mention::{Mentions, Roster, find_mentions},
    name::Name,
};
use tokio::time::Instant;

use crate::{
    fixture::{RunningAnswer, answer},
    prompts::{asked, follow, mention, said, task},
};

async fn echo_of(prompt: parlour_agent::engine::Prompt) -> String {
    let (text, outcome) = answer(EchoEngine::default(), prompt).await;
    assert_eq!(outcome, Ok(Completion::default()));
    text
}

#[tokio::test]
async fn an_echo_repeats_the_message_and_its_author() {
    assert_eq!(echo_of(mention("@Coder  hello\nthere")).await, "Mara said:\n\n```text\n@Coder  hello\nthere\n```");
}

#[tokio::test]
async fn an_echo_repeats_all_calls_and_nothing_else() {
    let history = vec![said(1, "Mara", "one"), said(2, "Bob", "two"), said(3, "Eve", "three")];
    let text = echo_of(asked(history, CallReason::Mention, &[1, 3])).await;
    assert_eq!(text, "Mara said:\n\n```text\none\n```\n\nEve said:\n\n```text\nthree\n```");
}

#[tokio::test]
async fn an_echo_is_written_word_by_word() {
    let mut answering = RunningAnswer::begin(EchoEngine::default(), mention("hello you"));
    let mut pieces = Vec::new();
    while let Some(piece) = answering.next_piece().await {
        pieces.push(piece);
    }
    assert_eq!(pieces, ["Mara ", "said:\n", "\n", "```text\n", "hello ", "you\n", "```"]);
}

#[tokio::test(start_paused = true)]
async fn an_echo_pauses_between_words() {
    let begun = Instant::now();
    let engine = EchoEngine { word_pause: Duration::from_millis(200) };
    answer(engine, mention("hello you")).await.1.expect("complete");
    assert_eq!(begun.elapsed(), Duration::from_millis(7 * 200));
}

#[tokio::test]
async fn an_echo_can_be_stopped_between_two_words() {
    let mut answering = RunningAnswer::begin(EchoEngine { word_pause: Duration::from_secs(1_000) }, mention("hi"));
    answering.stop.cancel();
    assert_eq!(answering.next_piece().await, None);
    assert_eq!(answering.end().await.1.expect_err("stopped").reason, "the answer was stopped");
}

#[tokio::test]
async fn an_echo_repeats_a_task() {
    let text = echo_of(task("Ship it", Some("Soon."), vec![])).await;
    assert_eq!(text, "The task is:\n\n```text\nShip it\n\nSoon.\n```");
}

#[tokio::test]
async fn an_echo_is_silent_when_nothing_needs_to_be_answered() {
    assert_eq!(echo_of(follow("thanks")).await, "");
}

#[tokio::test]
async fn an_echo_calls_nobody() {
    let roster = Roster::new([(AgentId::from_bits(2).into(), Name::parse("Bob").expect("a name"))]);
    for body in
        ["@Bob hi", "```\n@Bob", "```\ncode\n```\n@Bob @everyone", "`````\n@Bob\n````", "a\n\n```text\n```\n@Bob"]
    {
        let text = echo_of(mention(body)).await;
        assert_eq!(find_mentions(&text, &roster), Mentions::default(), "{text}");
    }
}

#[test]
fn the_runtime_of_an_echo_is_echo() {
    assert_eq!(EchoEngine::default().runtime(), "echo");
}
