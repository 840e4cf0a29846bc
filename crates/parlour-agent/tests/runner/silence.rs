//! Calls that need no answer.

use parlour_agent::runner::RunnerEvent;
use parlour_core::{
    call::{CallReason, CallState},
    message::State,
};

use crate::{
    calls::settled,
    engine::{EngineAct, ScriptedEngine, think, write},
    fake_hub::{FakeHub, thread},
    process::RunnerFixture,
};

/// A thread in which the agent is called without need, and what it does then.
async fn follow(acts: Vec<EngineAct>) -> (FakeHub, ScriptedEngine, RunnerFixture) {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::does(acts));
    let process = RunnerFixture::start(&hub, &engine);
    hub.say(&thread(1), "and so on", Some(CallReason::Follow));
    settled(&hub).await;
    (hub, engine, process)
}

#[tokio::test(start_paused = true)]
async fn an_empty_answer_to_an_optional_call_is_a_pass_without_a_message() {
    let (hub, _, process) = follow(vec![think(1_000), write(" \n")]).await;
    assert_eq!((hub.answers(), hub.call_states()), (vec![], vec![CallState::Passed]));
    assert_eq!(hub.with(|hub| hub.passes[0].1.clone()), None);
    hub.until("it waits again", |hub| hub.presences.len() == 3).await;
    assert_eq!(process.reports().last(), Some(&RunnerEvent::Passed("it had nothing to say".into())));
}

#[tokio::test(start_paused = true)]
async fn an_optional_answer_is_opened_with_its_first_text() {
    let (hub, ..) = follow(vec![write("\n "), think(5_000), write("Indeed"), write(".")]).await;
    assert_eq!((hub.answers()[0].body.as_str(), hub.answers()[0].state), ("\n Indeed.", State::Complete));
    assert_eq!(hub.with(|hub| hub.beats), 0);
}

#[tokio::test(start_paused = true)]
async fn steps_before_the_first_text_of_an_optional_answer_are_reported_with_it() {
    let steps = |hub: &FakeHub| hub.with(|hub| hub.steps.clone());
    let (hub, ..) = follow(vec![EngineAct::Step("grep"), think(1_000), write("Found.")]).await;
    assert_eq!(
        (hub.answers()[0].body.as_str(), steps(&hub)),
        ("Found.", vec!["start grep".into(), "finish grep".into()])
    );
    let (hub, ..) = follow(vec![EngineAct::Step("grep"), write(" ")]).await;
    assert_eq!((hub.answers(), steps(&hub)), (vec![], vec![]));
}

#[tokio::test(start_paused = true)]
async fn a_failure_before_the_first_text_is_the_reason_of_the_pass() {
    let (hub, ..) = follow(vec![EngineAct::Fail("no model answers")]).await;
    assert_eq!(hub.answers(), []);
    assert_eq!(hub.with(|hub| hub.passes[0].1.clone()).as_deref(), Some("no model answers"));
    let (hub, ..) = follow(vec![EngineAct::Panic]).await;
    let reason = hub.with(|hub| hub.passes[0].1.clone());
    assert_eq!(reason.as_deref(), Some("Coder broke down: its program has a fault"));
}

#[tokio::test(start_paused = true)]
async fn a_failure_after_the_first_text_fails_the_answer() {
    let (hub, ..) = follow(vec![write("Well"), EngineAct::Fail("no model answers")]).await;
    assert_eq!(hub.answers()[0].state, State::Failed);
}

#[tokio::test(start_paused = true)]
async fn one_required_call_makes_the_answer_required() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::does(vec![]));
    let _process = RunnerFixture::start(&hub, &engine);
    hub.say(&thread(1), "and so on", Some(CallReason::Follow));
    hub.mention(&thread(1), "what do you think?");
    settled(&hub).await;
    assert_eq!(hub.call_states(), [CallState::Failed, CallState::Failed]);
    assert_eq!(hub.answers()[0].reason.as_deref(), Some("Coder had nothing to say"));
}
