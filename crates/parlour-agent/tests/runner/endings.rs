//! How answers end that do not end well.

use std::time::Duration;

use parlour_agent::runner::{RunnerEvent, RunnerOptions};
use parlour_core::{Code, limits, message::State};
use tokio::time::Instant;

use crate::{
    calls::settled,
    engine::{EngineAct, ScriptedEngine, think, write},
    fake_hub::{FakeHub, channel},
    process::RunnerFixture,
};

/// The state, reason and text of the only answer that an engine gives which does this.
async fn answer_of(acts: Vec<EngineAct>) -> (State, Option<String>, String) {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::does(acts));
    let _process = RunnerFixture::start(&hub, &engine);
    hub.mention(&channel(1), "hi");
    settled(&hub).await;
    let answer = hub.answers().remove(0);
    (answer.state, answer.reason, answer.body)
}

fn failed(reason: &str, body: &str) -> (State, Option<String>, String) {
    (State::Failed, Some(reason.into()), body.into())
}

#[tokio::test(start_paused = true)]
async fn a_failure_has_the_reason_of_the_engine_and_keeps_the_text() {
    let outcome = answer_of(vec![write("Half of"), EngineAct::Fail("no model answers")]).await;
    assert_eq!(outcome, failed("no model answers", "Half of"));
}

#[tokio::test(start_paused = true)]
async fn a_reason_is_made_valid_for_the_hub() {
    let (_, reason, _) = answer_of(vec![EngineAct::Fail("\u{1b}[31mno\u{1b}[0m")]).await;
    assert_eq!(reason.as_deref(), Some("[31mno[0m"));
}

#[tokio::test(start_paused = true)]
async fn an_empty_answer_to_a_required_call_fails() {
    assert_eq!(answer_of(vec![]).await, failed("Coder had nothing to say", ""));
    assert_eq!(answer_of(vec![write(" \n")]).await, failed("Coder had nothing to say", " \n"));
}

#[tokio::test(start_paused = true)]
async fn a_panic_fails_only_its_answer() {
    let (hub, engine) = (
        FakeHub::new(),
        ScriptedEngine::new(|prompt| {
            let is_bad = prompt.history.last().is_some_and(|message| message.body == "bad");
            if is_bad { vec![write("well"), EngineAct::Panic] } else { vec![think(1_000), write("fine")] }
        }),
    );
    let _process = RunnerFixture::start(&hub, &engine);
    hub.mention(&channel(1), "good");
    hub.mention(&channel(2), "bad");
    settled(&hub).await;
    hub.mention(&channel(2), "good");
    settled(&hub).await;
    let states: Vec<_> = hub.answers().iter().map(|answer| (answer.state, answer.body.clone())).collect();
    let fine = (State::Complete, "fine".to_owned());
    assert_eq!(states, [fine.clone(), (State::Failed, "well".into()), fine]);
    let reason = hub.answers()[1].reason.clone();
    assert_eq!(reason.as_deref(), Some("Coder broke down: its program has a fault"));
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_takes_too_long_is_stopped() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::does(vec![write("Well, "), EngineAct::WorkOn]));
    let _process = RunnerFixture::start(&hub, &engine);
    hub.mention(&channel(1), "hi");
    settled(&hub).await;
    let answer = &hub.answers()[0];
    assert_eq!(answer.reason.as_deref(), Some("Coder was stopped: an answer may take 10 minutes"));
    assert_eq!((answer.body.as_str(), engine.stops(), engine.load().now), ("Well, ", 1, 0));
    assert!(hub.with(|hub| hub.beats) > 100);
}

#[tokio::test(start_paused = true)]
async fn an_engine_that_ignores_its_stop_signal_is_abandoned() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::does(vec![EngineAct::BeDeaf]));
    let options = RunnerOptions { answer_time_max: Duration::from_secs(60), ..RunnerOptions::default() };
    let _process = RunnerFixture::start_with(&hub, &engine, options);
    let begun = Instant::now();
    hub.mention(&channel(1), "hi");
    settled(&hub).await;
    assert_eq!((begun.elapsed().as_secs(), engine.load().now), (65, 0));
    assert_eq!(hub.answers()[0].reason.as_deref(), Some("Coder was stopped: an answer may take 1 minutes"));
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_answer_stops_the_engine() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::does(vec![write("On and "), EngineAct::WorkOn]));
    let process = RunnerFixture::start(&hub, &engine);
    hub.mention(&channel(1), "hi");
    hub.until("it writes", |hub| !hub.pieces.is_empty()).await;
    let answer = hub.answers()[0].id.clone();
    let begun = Instant::now();
    hub.cancel(&answer);
    hub.until("it waits again", |hub| hub.presences.len() == 3).await;
    assert_eq!((engine.stops(), begun.elapsed().as_millis()), (1, 0));
    let ended = RunnerEvent::Ended { answer_id: answer, state: State::Cancelled, reason: Some("enough".into()) };
    assert_eq!(process.reports().last(), Some(&ended));
}

#[tokio::test(start_paused = true)]
async fn a_stopped_answer_is_noticed_at_the_next_heartbeat() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::does(vec![write("On and "), EngineAct::WorkOn]));
    let process = RunnerFixture::start(&hub, &engine);
    hub.mention(&channel(1), "hi");
    hub.until("it writes", |hub| !hub.pieces.is_empty()).await;
    let id = hub.answers()[0].id.clone();
    hub.with(|hub| hub.change(&id, |answer| answer.state = State::Interrupted));
    hub.until("it waits again", |hub| hub.presences.len() == 3).await;
    let ended = RunnerEvent::Ended { answer_id: id, state: State::Interrupted, reason: None };
    assert_eq!((engine.stops(), process.reports().last()), (1, Some(&ended)));
}

#[tokio::test(start_paused = true)]
async fn the_usage_is_stored_with_the_answer() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::does(vec![write("ok"), EngineAct::Use(7)]));
    let _process = RunnerFixture::start(&hub, &engine);
    hub.mention(&channel(1), "hi");
    settled(&hub).await;
    assert_eq!(hub.answers()[0].usage.as_ref().map(|usage| usage.output_tokens), Some(7));
}

#[tokio::test(start_paused = true)]
async fn steps_are_reported_during_the_answer() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::does(vec![EngineAct::Step("grep"), write("found")]));
    let _process = RunnerFixture::start(&hub, &engine);
    hub.mention(&channel(1), "hi");
    settled(&hub).await;
    assert_eq!(hub.with(|hub| hub.steps.clone()), ["start grep", "finish grep"]);
}

#[tokio::test(start_paused = true)]
async fn a_call_in_a_read_only_conversation_is_passed_with_the_reason() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(0));
    hub.with(|hub| hub.refuses_posts = Some(Code::Forbidden));
    let _process = RunnerFixture::start(&hub, &engine);
    hub.mention(&channel(1), "hi");
    settled(&hub).await;
    let passes = hub.with(|hub| hub.passes.clone());
    assert_eq!(passes[0].1.as_deref(), Some("the hub did not take an answer: because (PARLOUR-A02)"));
    assert!(engine.prompts().is_empty());
}

#[tokio::test(start_paused = true)]
async fn control_characters_do_not_break_an_answer() {
    let (state, _, body) = answer_of(vec![write("a\u{1b}[1mb\u{0}\nc")]).await;
    assert_eq!((state, body.as_str()), (State::Complete, "a[1mb\nc"));
}

#[test]
fn reasons_fit_into_a_message() {
    const { assert!(limits::REASON_CHARS_MAX < limits::MESSAGE_BODY_BYTES_MAX) }
}
