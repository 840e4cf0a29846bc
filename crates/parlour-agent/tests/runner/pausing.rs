//! A question that blocks really pauses what the agent does, and lets it go on.

use std::time::Duration;

use parlour_agent::{
    engine::Prompt,
    runner::{RunnerEvent, RunnerOptions},
};
use parlour_core::{
    id::ConversationId,
    message::State,
    question::{NewQuestion, QuestionState, Settlement},
    run::{PauseReason, RunState},
};
use tokio::time::{Instant, sleep};

use crate::{
    calls::settled,
    engine::{EngineAct, ScriptedEngine, think, write},
    fake_hub::{FakeHub, FakeHubState, channel, dm},
    process::RunnerFixture,
    runs::all_ended,
};

/// What was asked last.
pub(crate) fn last(prompt: &Prompt) -> &str {
    let call = prompt.calls.last().map(|call| &call.message_id);
    let message = prompt.history.iter().find(|message| Some(&message.id) == call);
    message.map_or("", |message| message.body.as_str())
}

/// An engine that works on `work` for long, and does this with every question.
fn engine(question: Vec<EngineAct>) -> ScriptedEngine {
    let work = vec![write("one "), think(5_000), write("two "), think(5_000), write("three")];
    ScriptedEngine::new(move |prompt| if last(prompt) == "work" { work.clone() } else { question.clone() })
}

fn is_paused(hub: &FakeHubState) -> bool {
    hub.work.runs.iter().any(|run| run.state == RunState::Paused)
}

/// A process whose engine has begun to work.
async fn at_work(engine: &ScriptedEngine, options: RunnerOptions) -> (FakeHub, RunnerFixture) {
    let hub = FakeHub::new();
    let process = RunnerFixture::start_with(&hub, engine, options);
    hub.mention(&channel(1), "work");
    hub.until("it writes", |hub| !hub.pieces.is_empty()).await;
    (hub, process)
}

#[tokio::test(start_paused = true)]
async fn a_paused_answer_accepts_no_text_until_the_question_is_answered() {
    let engine = engine(vec![think(60_000), write("yes")]);
    let (hub, process) = at_work(&engine, RunnerOptions::default()).await;
    let question = hub.block(&channel(2), "Ship it?", NewQuestion::default());
    hub.until("it is paused", is_paused).await;
    let begun = Instant::now();
    settled(&hub).await;
    all_ended(&hub).await;
    let pieces: Vec<_> = hub.with(|hub| hub.pieces.iter().map(|(_, piece)| piece.clone()).collect());
    assert_eq!(pieces, ["one ", "yes", "two ", "three"]);
    assert!(begun.elapsed() >= Duration::from_secs(65), "{:?}", begun.elapsed());
    assert_eq!(hub.question(&question).state, QuestionState::Answered);
    assert_eq!(hub.run_states(), [RunState::Done; 2]);
    let run_id = hub.runs()[0].id.clone();
    let told: Vec<_> = process.reports();
    assert!(told.contains(&RunnerEvent::Paused { run_id: run_id.clone(), by: "Mara".into(), why: "Ship it?".into() }));
    assert!(told.contains(&RunnerEvent::Resumed { run_id }));
}

#[tokio::test(start_paused = true)]
async fn a_question_is_answered_even_if_all_slots_are_in_use() {
    let engine = engine(vec![think(1_000), write("yes")]);
    let (hub, _process) = at_work(&engine, RunnerOptions { answers_max: 1, ..RunnerOptions::default() }).await;
    let question = hub.block(&channel(1), "Ship it?", NewQuestion::default());
    hub.until("it is answered", |hub| {
        hub.message(&question).is_ok_and(|one| one.question.is_some_and(|it| !it.is_open()))
    })
    .await;
    assert_eq!(hub.answers()[0].state, State::Streaming, "the work was only paused");
    settled(&hub).await;
    assert_eq!(hub.answers()[0].body, "one two three");
}

#[tokio::test(start_paused = true)]
async fn pauses_do_not_count_towards_the_time_limit() {
    let engine = engine(vec![think(11_000), write("yes")]);
    let options = RunnerOptions { answer_time_max: Duration::from_secs(12), ..RunnerOptions::default() };
    let (hub, _process) = at_work(&engine, options).await;
    hub.block(&channel(2), "Ship it?", NewQuestion::default());
    settled(&hub).await;
    assert_eq!((hub.answers()[0].state, hub.answers()[0].body.as_str()), (State::Complete, "one two three"));
}

#[tokio::test(start_paused = true)]
async fn a_step_is_never_interrupted() {
    let work = vec![write("."), EngineAct::LongStep("deploy", Duration::from_secs(10)), write("deployed")];
    let engine =
        ScriptedEngine::new(
            move |prompt| {
                if last(prompt) == "work" { work.clone() } else { vec![think(60_000), write("yes")] }
            },
        );
    let (hub, _process) = at_work(&engine, RunnerOptions::default()).await;
    hub.until("it deploys", |hub| !hub.steps.is_empty()).await;
    hub.block(&channel(2), "Stop!", NewQuestion::default());
    sleep(Duration::from_secs(5)).await;
    assert_eq!(
        hub.with(|hub| (hub.work.checkpoints, hub.steps.len())),
        (0, 1),
        "the step goes on, and nothing is asked"
    );
    hub.until("it is paused", is_paused).await;
    assert_eq!(hub.answers()[0].body, ".");
    settled(&hub).await;
    assert_eq!(hub.answers()[0].body, ".deployed");
}

#[tokio::test(start_paused = true)]
async fn a_failed_answer_to_a_question_ends_the_pause() {
    for acts in [vec![EngineAct::Fail("no model answers")], vec![think(10), EngineAct::Panic], vec![]] {
        let engine = engine(acts);
        let (hub, _process) = at_work(&engine, RunnerOptions::default()).await;
        let question = hub.block(&channel(2), "Ship it?", NewQuestion::default());
        settled(&hub).await;
        all_ended(&hub).await;
        assert_eq!(hub.answers()[0].body, "one two three");
        assert_eq!(hub.answers()[1].state, State::Failed);
        assert!(hub.question(&question).is_open(), "somebody else may answer it");
    }
}

#[tokio::test(start_paused = true)]
async fn work_continues_when_a_person_answers_first() {
    let engine = engine(vec![think(60_000), write("yes")]);
    let (hub, _process) = at_work(&engine, RunnerOptions::default()).await;
    let question = hub.block(&channel(2), "Ship it?", NewQuestion::default());
    hub.until("it is paused", is_paused).await;
    let begun = Instant::now();
    hub.settle(&question, &Settlement::Withdrawn);
    hub.until("it goes on", |hub| hub.messages.iter().any(|message| message.body == "one two three")).await;
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_paused_run_ends_at_once() {
    let engine = engine(vec![think(60_000), write("yes")]);
    let (hub, _process) = at_work(&engine, RunnerOptions::default()).await;
    hub.block(&channel(2), "Ship it?", NewQuestion::default());
    hub.until("it is paused", is_paused).await;
    let (run, begun) = (hub.runs()[0].id.clone(), Instant::now());
    hub.with(|hub| hub.cancel_run(&run, None)).expect("stopped");
    let is_cancelled = |hub: &FakeHubState| hub.messages.iter().any(|message| message.state == State::Cancelled);
    hub.until("the answer is stopped", is_cancelled).await;
    assert!(begun.elapsed() <= Duration::from_secs(5), "{:?}", begun.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_paused_agent_can_be_stopped() {
    let engine = engine(vec![EngineAct::WorkOn]);
    let (hub, process) = at_work(&engine, RunnerOptions::default()).await;
    hub.block(&channel(2), "Ship it?", NewQuestion::default());
    hub.until("it is paused", is_paused).await;
    process.stop().await.expect("a clean end");
    assert!(hub.answers().iter().all(|answer| answer.state == State::Failed));
    assert_eq!(hub.run_states(), [RunState::Failed; 2]);
}

#[tokio::test(start_paused = true)]
async fn work_that_starts_while_a_question_waits_is_paused() {
    let engine = engine(vec![think(60_000), write("yes")]);
    let (hub, _process) = at_work(&engine, RunnerOptions::default()).await;
    hub.block(&channel(2), "Ship it?", NewQuestion::default());
    hub.mention(&dm(1), "work");
    let both = |hub: &FakeHubState| hub.work.runs.iter().filter(|run| run.state == RunState::Paused).count() == 2;
    hub.until("both are paused", both).await;
    settled(&hub).await;
    all_ended(&hub).await;
    assert_eq!(hub.run_states(), [RunState::Done; 3]);
}

#[tokio::test(start_paused = true)]
async fn a_missed_question_pauses_work_after_a_reconnect() {
    let engine = engine(vec![write("yes")]);
    let (hub, _process) = at_work(&engine, RunnerOptions::default()).await;
    hub.go_away();
    let question = hub.block(&channel(2), "Ship it?", NewQuestion::default());
    sleep(Duration::from_millis(100)).await;
    hub.come_back();
    settled(&hub).await;
    assert_eq!(hub.question(&question).state, QuestionState::Answered);
    assert!(hub.with(|hub| hub.work.checkpoints) > 0);
}

#[tokio::test(start_paused = true)]
async fn several_questions_do_not_block_each_other() {
    let engine = engine(vec![think(3_000), write("yes")]);
    let (hub, _process) = at_work(&engine, RunnerOptions::default()).await;
    let places: [ConversationId; 6] = [channel(1), channel(2), channel(2), dm(1), channel(3), channel(1)];
    let questions = places.map(|place| hub.block(&place, "Ship it?", NewQuestion::default()));
    settled(&hub).await;
    all_ended(&hub).await;
    for question in questions {
        assert_eq!(hub.question(&question).state, QuestionState::Answered);
    }
    assert_eq!(hub.run_states(), [RunState::Done; 7]);
    let pauses = hub.with(|hub| hub.work.moments.iter().filter(|moment| *moment == "paused").count());
    assert!(pauses >= 1, "{pauses}");
}

#[tokio::test(start_paused = true)]
async fn of_two_paused_processes_one_answers_and_both_continue() {
    let engine = engine(vec![think(30_000), write("yes")]);
    let hub = FakeHub::new();
    let _processes = [RunnerFixture::start(&hub, &engine), RunnerFixture::start(&hub, &engine)];
    for place in [channel(1), channel(2), channel(3), channel(4)] {
        hub.mention(&place, "work");
    }
    hub.until("they write", |hub| hub.pieces.len() >= 4).await;
    let question = hub.block(&channel(5), "Ship it?", NewQuestion::default());
    let all = |hub: &FakeHubState| hub.work.runs.iter().filter(|run| run.state == RunState::Paused).count() == 4;
    hub.until("all are paused", all).await;
    settled(&hub).await;
    all_ended(&hub).await;
    assert_eq!(hub.question(&question).state, QuestionState::Answered);
    let bodies: Vec<_> = hub.answers().into_iter().map(|answer| answer.body).collect();
    assert_eq!(bodies.iter().filter(|body| *body == "one two three").count(), 4);
    assert_eq!(bodies.iter().filter(|body| *body == "yes").count(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_run_is_not_paused_by_the_question_that_it_answers() {
    let (hub, engine) = (FakeHub::new(), engine(vec![write("y"), think(5_000), write("es")]));
    let _process = RunnerFixture::start(&hub, &engine);
    hub.block(&channel(1), "Ship it?", NewQuestion::default());
    settled(&hub).await;
    all_ended(&hub).await;
    assert!(!hub.with(|hub| hub.work.moments.contains(&"paused".to_owned())));
    let reasons: Vec<PauseReason> =
        hub.runs().into_iter().flat_map(|run| run.pauses).map(|pause| pause.reason).collect();
    assert!(reasons.is_empty());
}
