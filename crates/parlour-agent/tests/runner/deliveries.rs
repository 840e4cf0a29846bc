//! What has become of messages: told after it has happened, and never before.

use parlour_agent::runner::RunnerOptions;
use parlour_core::{
    delivery::{DeliveryPath, DeliveryState},
    question::NewQuestion,
};

use crate::{
    calls::settled,
    engine::{EngineAct, ScriptedEngine, think, write},
    fake_hub::{FakeHub, channel},
    pausing::last,
    process::RunnerFixture,
};

use DeliveryState::{Injected, Queued, Seen};

#[tokio::test(start_paused = true)]
async fn a_call_is_injected_with_the_prompt_and_seen_with_the_first_output() {
    let acts = vec![think(1_000), EngineAct::TakePrompt, think(5_000), write("ok")];
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::does(acts));
    let _process = RunnerFixture::start(&hub, &engine);
    let call = hub.mention(&channel(1), "hi");
    hub.until("it works", |hub| !hub.work.runs.is_empty()).await;
    assert_eq!(hub.reports_of(&call), []);
    hub.until("it was given the prompt", |hub| !hub.work.reports.is_empty()).await;
    assert_eq!(hub.reports_of(&call), [Injected]);
    settled(&hub).await;
    assert_eq!(hub.reports_of(&call), [Injected, Seen]);
    let (run, reports) = (hub.runs()[0].id.clone(), hub.with(|hub| hub.work.reports.clone()));
    assert!(
        reports
            .iter()
            .all(|(_, _, delivered_via, by)| (*delivered_via, by) == (Some(DeliveryPath::Prompt), &Some(run.clone())))
    );
}

#[tokio::test(start_paused = true)]
async fn a_fast_answer_reports_injected_and_seen_before_it_completes() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(0));
    let _process = RunnerFixture::start(&hub, &engine);
    let call = hub.mention(&channel(1), "hi");
    settled(&hub).await;
    assert_eq!(hub.reports_of(&call), [Injected, Seen]);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_reported_if_the_engine_never_got_the_prompt() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::does(vec![EngineAct::Fail("the command cannot be started")]));
    let _process = RunnerFixture::start(&hub, &engine);
    let call = hub.mention(&channel(1), "hi");
    settled(&hub).await;
    assert_eq!(hub.reports_of(&call), []);
}

#[tokio::test(start_paused = true)]
async fn a_failed_engine_does_not_report_seen() {
    let (hub, engine) =
        (FakeHub::new(), ScriptedEngine::does(vec![EngineAct::TakePrompt, EngineAct::Fail("no model answers")]));
    let _process = RunnerFixture::start(&hub, &engine);
    let call = hub.mention(&channel(1), "hi");
    settled(&hub).await;
    assert_eq!(hub.reports_of(&call), [Injected]);
}

#[tokio::test(start_paused = true)]
async fn waiting_calls_are_reported_as_queued() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(5_000));
    let options = RunnerOptions { answers_max: 1, ..RunnerOptions::default() };
    let _process = RunnerFixture::start_with(&hub, &engine, options);
    let first = hub.mention(&channel(1), "one");
    hub.until("it works", |hub| !hub.work.runs.is_empty()).await;
    let others = [channel(1), channel(2)].map(|place| hub.mention(&place, "two"));
    settled(&hub).await;
    assert_eq!(hub.reports_of(&first), [Injected, Seen]);
    for other in others {
        assert_eq!(hub.reports_of(&other), [Queued, Injected, Seen]);
    }
}

#[tokio::test(start_paused = true)]
async fn unread_messages_in_the_shown_conversation_are_seen_with_the_call() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(0));
    let before = hub.mention(&channel(1), "was passed");
    hub.with(|hub| hub.pass(&before, None));
    let elsewhere = hub.mention(&channel(2), "elsewhere");
    hub.with(|hub| hub.pass(&elsewhere, None));
    let read = hub.mention(&channel(1), "was read");
    hub.with(|hub| {
        hub.pass(&read, None);
        hub.work.unread.retain(|id| *id != read);
    });
    let _process = RunnerFixture::start(&hub, &engine);
    let call = hub.mention(&channel(1), "hi");
    settled(&hub).await;
    for (id, told) in
        [(&before, vec![Injected, Seen]), (&call, vec![Injected, Seen]), (&read, vec![]), (&elsewhere, vec![])]
    {
        assert_eq!(hub.reports_of(id), told);
    }
}

#[tokio::test(start_paused = true)]
async fn an_interrupting_question_is_delivered_via_the_prompt_of_its_own_run() {
    let engine = ScriptedEngine::new(|prompt| {
        if last(prompt) == "work" { vec![write("one "), think(9_000), write("two")] } else { vec![write("yes")] }
    });
    let hub = FakeHub::new();
    let _process = RunnerFixture::start(&hub, &engine);
    hub.mention(&channel(1), "work");
    hub.until("it writes", |hub| !hub.pieces.is_empty()).await;
    let question = hub.block(&channel(2), "Ship it?", NewQuestion::default());
    settled(&hub).await;
    let reports = hub.with(|hub| hub.work.reports.clone());
    let paths: Vec<_> = reports
        .into_iter()
        .filter(|(id, ..)| *id == question)
        .map(|(_, state, delivered_via, run)| (state, delivered_via, run))
        .collect();
    let answering = hub.with(|hub| hub.work.runs.iter().find(|run| run.message_id == Some(question.clone())).cloned());
    let (run, via) = (answering.map(|run| run.id), Some(DeliveryPath::Prompt));
    assert!(run.is_some());
    assert_eq!(paths, [(Injected, via, run.clone()), (Seen, via, run)], "the paused run was given nothing");
}
