//! A hub that goes away and comes back, and processes that die.

use std::time::Duration;

use parlour_agent::{link::LinkError, runner::RunnerEvent};
use parlour_core::{
    call::{CallReason, CallState},
    message::State,
};
use tokio::time::sleep;

use crate::{
    calls::settled,
    engine::{EngineAct, ScriptedEngine, think, write},
    fake_hub::{FakeHub, channel},
    process::RunnerFixture,
};

#[tokio::test(start_paused = true)]
async fn an_answer_continues_after_an_outage() {
    let acts = vec![write("One, "), think(5_000), write("two, "), think(5_000), write("three.")];
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::does(acts));
    let process = RunnerFixture::start(&hub, &engine);
    hub.mention(&channel(1), "count");
    hub.until("it writes", |hub| !hub.pieces.is_empty()).await;
    hub.go_away();
    sleep(Duration::from_secs(20)).await;
    hub.come_back();
    settled(&hub).await;
    let answer = &hub.answers()[0];
    assert_eq!((answer.body.as_str(), answer.state), ("One, two, three.", State::Complete));
    assert!(process.reports().contains(&RunnerEvent::Lost("nobody answers".into())));
}

#[tokio::test(start_paused = true)]
async fn calls_made_during_an_outage_are_answered_once() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(0));
    let _process = RunnerFixture::start(&hub, &engine);
    hub.mention(&channel(1), "before");
    settled(&hub).await;
    hub.go_away();
    hub.mention(&channel(1), "meanwhile");
    sleep(Duration::from_secs(60)).await;
    hub.come_back();
    settled(&hub).await;
    assert_eq!(engine.asked(), [["before"], ["meanwhile"]]);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_cannot_be_opened_is_retried_later() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(0));
    let process = RunnerFixture::start(&hub, &engine);
    hub.until("the agent is there", |hub| !hub.presences.is_empty()).await;
    hub.mention(&channel(1), "hi");
    hub.go_away();
    sleep(Duration::from_secs(300)).await;
    assert!(
        process.reports().iter().any(|report| matches!(report, RunnerEvent::Lost(why) if why.contains("cannot be")))
    );
    hub.come_back();
    settled(&hub).await;
    assert_eq!((engine.asked().len(), hub.answers().len()), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_lost_pass_is_repeated() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::does(vec![think(1_000)]));
    let _process = RunnerFixture::start(&hub, &engine);
    hub.say(&channel(1), "and so on", Some(CallReason::Follow));
    hub.until("it works", |hub| hub.presences.len() == 2).await;
    sleep(Duration::from_millis(1)).await;
    // The connection stays, but nothing else gets through for longer than anybody is patient.
    hub.with(|hub| hub.is_away = true);
    sleep(Duration::from_secs(300)).await;
    hub.with(|hub| hub.is_away = false);
    settled(&hub).await;
    assert_eq!(hub.call_states(), [CallState::Passed]);
}

#[tokio::test(start_paused = true)]
async fn an_agent_waits_for_an_absent_hub() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(0));
    hub.go_away();
    hub.mention(&channel(1), "hi");
    let _process = RunnerFixture::start(&hub, &engine);
    sleep(Duration::from_secs(600)).await;
    hub.come_back();
    settled(&hub).await;
    assert_eq!(engine.asked(), [["hi"]]);
}

#[tokio::test(start_paused = true)]
async fn a_new_process_answers_exactly_the_open_calls() {
    let script = |prompt: &parlour_agent::engine::Prompt| match prompt.history.last() {
        Some(message) if message.body == "hard" => vec![write("Hm, "), EngineAct::WorkOn],
        _ => vec![write("easy")],
    };
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::new(script));
    let process = RunnerFixture::start(&hub, &engine);
    hub.mention(&channel(1), "easy");
    hub.mention(&channel(2), "hard");
    hub.until("both are begun", |hub| hub.pieces.len() == 2).await;
    hub.until("one is done", |hub| hub.calls[0].state == CallState::Answered).await;
    hub.mention(&channel(2), "waiting");
    process.kill(&hub);
    hub.mention(&channel(3), "while nobody is there");
    let _process = RunnerFixture::start(&hub, &engine);
    settled(&hub).await;
    let expected = [CallState::Answered, CallState::Failed, CallState::Answered, CallState::Answered];
    assert_eq!(hub.call_states(), expected);
    let asked: Vec<_> = engine.asked().concat();
    assert_eq!(asked.iter().filter(|body| *body == "hard").count(), 1);
    assert_eq!(asked.len(), 4);
}

#[tokio::test(start_paused = true)]
async fn a_call_of_an_agent_that_died_before_its_first_text_is_answered_again() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::does(vec![think(1_000)]));
    let process = RunnerFixture::start(&hub, &engine);
    hub.say(&channel(1), "and so on", Some(CallReason::Follow));
    hub.until("it works", |hub| hub.presences.len() == 2).await;
    sleep(Duration::from_millis(1)).await;
    process.kill(&hub);
    let _process = RunnerFixture::start(&hub, &engine);
    settled(&hub).await;
    assert_eq!((hub.call_states(), engine.asked().len()), (vec![CallState::Passed], 2));
}

#[tokio::test(start_paused = true)]
async fn a_runner_with_a_revoked_token_ends_and_stops_its_engines() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::does(vec![EngineAct::WorkOn]));
    let process = RunnerFixture::start(&hub, &engine);
    hub.mention(&channel(1), "hi");
    hub.until("it works", |hub| hub.messages.len() == 2).await;
    sleep(Duration::from_millis(1)).await;
    hub.sign_out();
    let outcome = process.ended().await;
    assert_eq!(outcome, Err(LinkError::Over("the token was replaced".into())));
    assert_eq!((engine.stops(), engine.load().now), (1, 0));
}
