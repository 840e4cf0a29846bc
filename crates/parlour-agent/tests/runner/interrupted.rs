//! Answers to questions that break off: whoever asked still waits, so they are made again, a few times and once at a time.

use std::time::Duration;

use parlour_core::{
    call::{CallReason, answer_id},
    id::MessageId,
    message::{Message, State},
    question::{NewQuestion, QuestionState, Settlement},
    run::RunState,
};
use tokio::time::sleep;

use crate::{
    calls::settled,
    engine::{EngineAct, ScriptedEngine, write},
    fake_hub::{FakeHub, FakeHubState, agent_id, channel},
    process::RunnerFixture,
    runs::all_ended,
};

/// How often an agent begins to answer one question.
pub(crate) const TRIES_MAX: usize = 3;

/// An engine that never comes to the end of an answer.
fn endless() -> ScriptedEngine {
    ScriptedEngine::does(vec![write("half"), EngineAct::WorkOn])
}

fn is_answered(hub: &FakeHubState, question: &MessageId) -> bool {
    hub.message(question).is_ok_and(|one| one.question.is_some_and(|it| it.state == QuestionState::Answered))
}

/// A question whose answer was cut off by the death of its process.
async fn cut_off() -> (FakeHub, MessageId) {
    let (hub, engine) = (FakeHub::new(), endless());
    let process = RunnerFixture::start(&hub, &engine);
    let question = hub.block(&channel(1), "Ship it?", NewQuestion::default());
    hub.until("it is being answered", |hub| !hub.pieces.is_empty()).await;
    process.kill(&hub);
    (hub, question)
}

fn states(hub: &FakeHub) -> Vec<State> {
    hub.answers().iter().map(|answer| answer.state).collect()
}

#[tokio::test(start_paused = true)]
async fn a_question_whose_answer_was_interrupted_is_answered_by_the_next_process() {
    let (hub, question) = cut_off().await;
    let _next = RunnerFixture::start(&hub, &ScriptedEngine::does(vec![write("yes")]));
    hub.until("it is answered", |hub| is_answered(hub, &question)).await;
    all_ended(&hub).await;
    let [first, second] = hub.answers().try_into().expect("two answers");
    assert_eq!((first.state, first.body.as_str()), (State::Interrupted, "half"));
    assert_eq!((second.state, second.body.as_str()), (State::Complete, "yes"));
    assert_eq!(first.id, answer_id(&agent_id(), &question));
    assert_ne!(second.id, first.id);
    assert_eq!(hub.run_states(), [RunState::Failed, RunState::Done], "each try is a run of its own");
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_still_open_is_awaited() {
    let (hub, engine) = (FakeHub::new(), endless());
    let process = RunnerFixture::start(&hub, &engine);
    let question = hub.block(&channel(1), "Ship it?", NewQuestion::default());
    hub.until("it is being answered", |hub| !hub.pieces.is_empty()).await;
    drop(process);
    let next = ScriptedEngine::does(vec![write("yes")]);
    let _next = RunnerFixture::start(&hub, &next);
    sleep(Duration::from_secs(25)).await;
    assert_eq!(next.times_asked(&question), 0, "it cannot be told from one that lives");
    hub.with(FakeHubState::interrupt_all);
    hub.until("it is answered", |hub| is_answered(hub, &question)).await;
    assert_eq!(next.times_asked(&question), 1);
}

#[tokio::test(start_paused = true)]
async fn a_living_process_retries_by_itself() {
    let hub = FakeHub::new();
    let engine = ScriptedEngine::new({
        let hub = hub.clone();
        move |_| if hub.answers().len() == 1 { vec![write("half"), EngineAct::WorkOn] } else { vec![write("yes")] }
    });
    let _process = RunnerFixture::start(&hub, &engine);
    let question = hub.block(&channel(1), "Ship it?", NewQuestion::default());
    hub.until("it is being answered", |hub| !hub.pieces.is_empty()).await;
    hub.with(FakeHubState::interrupt_all);
    hub.until("it is answered", |hub| is_answered(hub, &question)).await;
    assert_eq!((states(&hub), engine.stops()), (vec![State::Interrupted, State::Complete], 1));
}

#[tokio::test(start_paused = true)]
async fn a_repeated_answer_can_be_stopped() {
    let (hub, question) = cut_off().await;
    let engine = endless();
    let _next = RunnerFixture::start(&hub, &engine);
    hub.until("it is tried again", |hub| hub.pieces.len() == 2).await;
    hub.cancel(&hub.answers()[1].id);
    all_ended(&hub).await;
    hub.come_back();
    sleep(Duration::from_secs(60)).await;
    assert_eq!((states(&hub), engine.stops()), (vec![State::Interrupted, State::Cancelled], 1));
    assert!(hub.question(&question).is_open(), "whoever stopped it does not want it again");
}

#[tokio::test(start_paused = true)]
async fn a_question_is_attempted_a_limited_number_of_times() {
    let (hub, question) = cut_off().await;
    for tries in 2..=TRIES_MAX {
        let process = RunnerFixture::start(&hub, &endless());
        hub.until("it is tried again", |hub| hub.pieces.len() == tries).await;
        process.kill(&hub);
    }
    let engine = endless();
    let _last = RunnerFixture::start(&hub, &engine);
    hub.mention(&channel(2), "still there?");
    hub.until("it works on other things", |hub| hub.pieces.len() == TRIES_MAX + 1).await;
    sleep(Duration::from_secs(60)).await;
    assert_eq!(engine.times_asked(&question), 0);
    assert!(hub.question(&question).is_open(), "somebody else may answer it");
}

#[tokio::test(start_paused = true)]
async fn of_two_processes_one_repeats_the_answer() {
    let (hub, question) = cut_off().await;
    let engine = ScriptedEngine::echo(5_000);
    let _processes = [RunnerFixture::start(&hub, &engine), RunnerFixture::start(&hub, &engine)];
    hub.until("it is answered", |hub| is_answered(hub, &question)).await;
    all_ended(&hub).await;
    sleep(Duration::from_secs(60)).await;
    assert_eq!(states(&hub), [State::Interrupted, State::Complete]);
    assert_eq!(engine.times_asked(&question), 1);
}

#[tokio::test(start_paused = true)]
async fn a_living_process_takes_over_from_a_dead_one() {
    let hub = FakeHub::new();
    let first = RunnerFixture::start(&hub, &endless());
    let question = hub.block(&channel(1), "Ship it?", NewQuestion::default());
    hub.until("it is being answered", |hub| !hub.pieces.is_empty()).await;
    let _second = RunnerFixture::start(&hub, &ScriptedEngine::does(vec![write("yes")]));
    sleep(Duration::from_secs(10)).await;
    drop(first);
    hub.with(FakeHubState::interrupt_all);
    hub.until("it is answered", |hub| is_answered(hub, &question)).await;
    assert_eq!(states(&hub), [State::Interrupted, State::Complete]);
}

#[tokio::test(start_paused = true)]
async fn failed_questions_and_interrupted_ordinary_calls_are_not_answered_again() {
    let (hub, first) = (FakeHub::new(), ScriptedEngine::does(vec![write("half"), EngineAct::Fail("no model")]));
    let process = RunnerFixture::start(&hub, &first);
    let failed = hub.block(&channel(1), "Ship it?", NewQuestion::default());
    settled(&hub).await;
    process.kill(&hub);
    let process = RunnerFixture::start(&hub, &endless());
    let ordinary = hub.mention(&channel(2), "work");
    hub.until("it works", |hub| hub.pieces.len() == 2).await;
    process.kill(&hub);
    let engine = ScriptedEngine::echo(0);
    let _next = RunnerFixture::start(&hub, &engine);
    sleep(Duration::from_secs(60)).await;
    assert_eq!([&failed, &ordinary].map(|id| engine.times_asked(id)), [0, 0]);
    assert!(hub.question(&failed).is_open());
}

#[tokio::test(start_paused = true)]
async fn a_question_that_was_settled_meanwhile_is_not_answered_again() {
    let (hub, question) = cut_off().await;
    hub.settle(&question, &Settlement::Expired);
    let engine = ScriptedEngine::echo(0);
    let _next = RunnerFixture::start(&hub, &engine);
    sleep(Duration::from_secs(60)).await;
    assert_eq!(engine.times_asked(&question), 0);
}

#[tokio::test(start_paused = true)]
async fn an_optional_question_has_one_attempt_at_a_time() {
    let (hub, engine) = (FakeHub::new(), endless());
    let process = RunnerFixture::start(&hub, &engine);
    hub.with(|hub| {
        let note = |message: &mut Message| {
            message.question = Some(NewQuestion::default().asked(vec![agent_id().into()], message.created_at));
        };
        hub.say_as(&channel(1), "Anybody?", Some(CallReason::Follow), note)
    });
    let question = hub.with(|hub| hub.messages[0].id.clone());
    hub.until("it is being answered", |hub| !hub.pieces.is_empty()).await;
    process.kill(&hub);
    let engine = ScriptedEngine::echo(0);
    let _next = RunnerFixture::start(&hub, &engine);
    hub.until("it is answered", |hub| is_answered(hub, &question)).await;
    assert_eq!((engine.times_asked(&question), states(&hub)), (1, vec![State::Interrupted, State::Complete]));
}
