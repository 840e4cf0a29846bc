//! What reaches an engine: what the hub lets a model see, and nothing else.

use parlour_agent::{engines::question_note, runner::RunnerOptions};
use parlour_core::{
    Code,
    call::CallState,
    context::ContextFormat,
    delivery::{DeliveryPath, DeliveryState},
    id::ThreadId,
    message::State,
    question::{AnswerOption, Ask},
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
async fn what_an_engine_is_shown_is_asked_for_its_run_after_that_has_begun() {
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
    hub.block(&channel(1), "How?", Ask { options: vec![option], ..Ask::default() });
    settled(&hub).await;
    let words = question_note(&engine.prompts()[0]).expect("a question");
    assert!(words.contains(&format!("with {MARK}")) && !words.contains("sesame"), "{words}");
}

#[tokio::test(start_paused = true)]
async fn without_runs_it_is_asked_without_one() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(0));
    hub.with(|hub| hub.work.refuses_runs = Some(Code::Forbidden));
    let _process = RunnerFixture::start(&hub, &engine);
    hub.mention(&channel(1), "hi");
    settled(&hub).await;
    assert_eq!(hub.with(|hub| hub.work.contexts[0].run_id.clone()), None);
    assert_eq!(engine.asked(), [["hi"]]);
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_may_be_shown_nothing_says_why() {
    for (code, words) in [
        (Code::BudgetTooSmall, "Coder may be shown too little to answer: because. The budgets stand in the rules"),
        (Code::Forbidden, "the hub did not say what Coder may be shown: because (PARLOUR-"),
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
async fn a_hub_that_comes_back_is_asked_again() {
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
async fn what_was_removed_while_it_waited_is_left_out_of_the_answer() {
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
async fn an_answer_to_nothing_fails_in_words() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(0));
    let _process = RunnerFixture::start(&hub, &engine);
    let gone = hub.mention(&channel(1), "oops");
    hub.with(|hub| hub.change(&gone, |message| message.removed_at = Some(message.created_at)));
    settled(&hub).await;
    assert_eq!(hub.answers()[0].reason.as_deref(), Some("what was asked is no longer there"));
    assert!(engine.prompts().is_empty());
}

#[tokio::test(start_paused = true)]
async fn what_a_question_offers_is_still_told() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(0));
    let _process = RunnerFixture::start(&hub, &engine);
    let option = AnswerOption { id: "pg".into(), label: "Postgres".into(), description: None };
    hub.block(&channel(1), "Which?", Ask { options: vec![option], ..Ask::default() });
    settled(&hub).await;
    let words = question_note(&engine.prompts()[0]).expect("a question");
    assert!(words.contains("Postgres") && words.contains("write nothing but its id"), "{words}");
    assert_eq!(hub.with(|hub| hub.work.contexts[0].delivered_via()), DeliveryPath::Prompt);
}

#[tokio::test(start_paused = true)]
async fn what_is_only_named_is_not_said_to_be_shown() {
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
