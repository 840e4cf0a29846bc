//! What reaches an engine: what the hub lets a model see, and nothing else.

use parlour_agent::{engines::question_note, runner::RunnerOptions};
use parlour_core::{
    Code,
    call::CallState,
    context::ContextFormat,
    delivery::{DeliveryPath, DeliveryState},
    id::ThreadId,
    message::State,
    question::{AnswerOption, NewQuestion},
    run::RunState,
};

use crate::{
    calls::settled,
    engine::ScriptedEngine,
    fake_context::MARK,
    fake_hub::{FakeHub, channel, thread},
    process::RunnerFixture,
    runs::all_ended,
};

#[tokio::test(start_paused = true)]
async fn a_secret_never_reaches_an_engine() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(0));
    hub.say(&channel(1), "the password is sesame", None);
    let _process = RunnerFixture::start(&hub, &engine);
    hub.mention(&channel(1), "is it sesame?");
    settled(&hub).await;
    let prompt = engine.prompts().remove(0);
    assert!(!format!("{prompt:?}").contains("sesame"), "{prompt:?}");
    assert_eq!(engine.asked(), [[format!("is it {MARK}?")]]);
    assert!(prompt.pack.is_some_and(|pack| pack.starts_with("[Parlour ")));
}

#[tokio::test(start_paused = true)]
async fn the_context_is_requested_for_the_run_after_its_start() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(0));
    let _process = RunnerFixture::start(&hub, &engine);
    let calls = ["one", "two"].map(|body| hub.mention(&channel(1), body));
    settled(&hub).await;
    let ask = hub.with(|hub| hub.work.contexts.clone()).remove(0);
    assert_eq!(
        (ask.format, ask.delivered_via(), ask.run_id),
        (ContextFormat::Native, DeliveryPath::Prompt, Some(hub.runs()[0].id.clone()))
    );
    assert_eq!((ask.together_with, ask.message_id), (vec![calls[0].clone()], Some(calls[1].clone())));
    assert_eq!(ask.messages_max, Some(20));
    assert_eq!(engine.prompts()[0].run_id, Some(hub.runs()[0].id.clone()));
}

#[tokio::test(start_paused = true)]
async fn a_task_is_shown_with_its_thread() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(0));
    hub.say(&thread(1), "sesame opens it", None);
    let _process = RunnerFixture::start(&hub, &engine);
    let task = hub.give("Open it", Some(ThreadId::from_bits(1)));
    all_ended(&hub).await;
    hub.until("it was asked", |hub| !hub.work.contexts.is_empty()).await;
    let ask = hub.with(|hub| hub.work.contexts.clone()).remove(0);
    assert_eq!((ask.task_id, ask.conversation_id), (Some(task), Some(thread(1))));
    assert_eq!(ask.run_id, Some(hub.runs()[0].id.clone()));
    hub.until("it has answered", |hub| hub.work.runs.iter().all(|run| !run.state.is_open())).await;
    assert_eq!(engine.prompts()[0].history[0].body, format!("{MARK} opens it"));
}

#[tokio::test(start_paused = true)]
async fn a_secret_in_a_task_never_reaches_an_engine() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(0));
    let _process = RunnerFixture::start(&hub, &engine);
    hub.give("Log in with sesame", None);
    all_ended(&hub).await;
    hub.until("it was asked", |hub| !hub.work.contexts.is_empty()).await;
    hub.until("it has answered", |hub| hub.work.runs.iter().all(|run| !run.state.is_open())).await;
    let task = engine.prompts().remove(0).task.expect("a task");
    assert_eq!(task.title, format!("Log in with {MARK}"));
}

#[tokio::test(start_paused = true)]
async fn a_secret_among_the_options_of_a_question_never_reaches_an_engine() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(0));
    let _process = RunnerFixture::start(&hub, &engine);
    let option = AnswerOption { id: "a".into(), label: "with sesame".into(), description: None };
    hub.block(&channel(1), "How?", NewQuestion { options: vec![option], ..NewQuestion::default() });
    settled(&hub).await;
    let words = question_note(&engine.prompts()[0]).expect("a question");
    assert!(words.contains(&format!("with {MARK}")) && !words.contains("sesame"), "{words}");
}

#[tokio::test(start_paused = true)]
async fn the_context_is_requested_without_a_run_if_the_hub_has_none() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(0));
    hub.with(|hub| hub.work.refuses_runs = Some(Code::Forbidden));
    let _process = RunnerFixture::start(&hub, &engine);
    hub.mention(&channel(1), "hi");
    settled(&hub).await;
    assert_eq!(hub.with(|hub| hub.work.contexts[0].run_id.clone()), None);
    assert_eq!(engine.asked(), [["hi"]]);
}

#[tokio::test(start_paused = true)]
async fn a_refused_context_fails_the_answer_with_a_reason() {
    for (code, words) in [
        (Code::BudgetTooSmall, "the context budget of Coder is too small: because. Raise it in the settings"),
        (Code::Forbidden, "the hub returned no context for Coder: because (PARLOUR-"),
    ] {
        let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(0));
        hub.with(|hub| hub.work.refuses_context = Some(code));
        let _process = RunnerFixture::start(&hub, &engine);
        hub.mention(&channel(1), "hi");
        settled(&hub).await;
        all_ended(&hub).await;
        let (answer, run) = (hub.answers().remove(0), hub.runs().remove(0));
        assert_eq!((answer.state, run.state), (State::Failed, RunState::Failed));
        assert!(answer.reason.as_deref().is_some_and(|reason| reason.starts_with(words)), "{:?}", answer.reason);
        assert_eq!(run.reason, answer.reason);
        assert!(engine.prompts().is_empty(), "nobody is asked without");
    }
}

#[tokio::test(start_paused = true)]
async fn the_context_is_requested_again_after_an_outage() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(0));
    let _process = RunnerFixture::start(&hub, &engine);
    hub.with(|hub| hub.work.refuses_context = Some(Code::Overloaded));
    hub.mention(&channel(1), "hi");
    hub.until("its run has begun", |hub| !hub.work.runs.is_empty()).await;
    hub.wait(5, |_| false).await;
    hub.with(|hub| hub.work.refuses_context = None);
    settled(&hub).await;
    assert_eq!((engine.asked(), hub.call_states()), (vec![vec!["hi".to_owned()]], vec![CallState::Answered]));
}

#[tokio::test(start_paused = true)]
async fn calls_deleted_while_waiting_are_left_out() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(0));
    let _process = RunnerFixture::start(&hub, &engine);
    let gone = hub.mention(&channel(1), "oops");
    hub.mention(&channel(1), "hi");
    hub.with(|hub| hub.change(&gone, |message| message.removed_at = Some(message.created_at)));
    settled(&hub).await;
    assert_eq!(engine.asked(), [["hi"]]);
    assert_eq!(hub.reports_of(&gone), []);
}

#[tokio::test(start_paused = true)]
async fn a_deleted_call_fails_with_a_reason() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(0));
    let _process = RunnerFixture::start(&hub, &engine);
    let gone = hub.mention(&channel(1), "oops");
    hub.with(|hub| hub.change(&gone, |message| message.removed_at = Some(message.created_at)));
    settled(&hub).await;
    assert_eq!(hub.answers()[0].reason.as_deref(), Some("what was asked is no longer there"));
    assert!(engine.prompts().is_empty());
}

#[tokio::test(start_paused = true)]
async fn the_options_of_a_question_stay_in_the_prompt() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(0));
    let _process = RunnerFixture::start(&hub, &engine);
    let option = AnswerOption { id: "pg".into(), label: "Postgres".into(), description: None };
    hub.block(&channel(1), "Which?", NewQuestion { options: vec![option], ..NewQuestion::default() });
    settled(&hub).await;
    let words = question_note(&engine.prompts()[0]).expect("a question");
    assert!(words.contains("Postgres") && words.contains("writing only its id"), "{words}");
    assert_eq!(hub.with(|hub| hub.work.contexts[0].delivered_via()), DeliveryPath::Prompt);
}

#[tokio::test(start_paused = true)]
async fn messages_listed_only_as_a_handle_are_not_reported_as_shown() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(0));
    let elsewhere = hub.mention(&channel(2), "elsewhere");
    hub.with(|hub| hub.pass(&elsewhere, None));
    let options = RunnerOptions { history_len: 1, ..RunnerOptions::default() };
    let before = hub.mention(&channel(1), "before");
    hub.with(|hub| hub.pass(&before, None));
    let _process = RunnerFixture::start_with(&hub, &engine, options);
    let call = hub.mention(&channel(1), "hi");
    settled(&hub).await;
    assert_eq!(hub.reports_of(&call), [DeliveryState::Injected, DeliveryState::Seen]);
    assert_eq!((hub.reports_of(&elsewhere), hub.reports_of(&before)), (vec![], vec![]));
    assert_eq!(engine.prompts()[0].history.len(), 1);
}
