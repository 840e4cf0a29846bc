//! Who is answered, when and together with whom.

use std::time::Duration;

use parlour_agent::{
    engine::Mode,
    runner::{RunnerEvent, RunnerOptions},
};
use parlour_core::{
    call::{CallReason, CallState, answer_id},
    id::MessageId,
    message::{Kind, State},
    presence::PresenceState,
};
use serde_json::json;
use tokio::time::sleep;

use crate::{
    engine::{ScriptedEngine, think, write},
    fake_hub::{FakeHub, agent_id, channel, dm, thread},
    process::RunnerFixture,
};

/// Waits until every call has found its end.
pub(crate) async fn settled(hub: &FakeHub) {
    hub.until("every call is settled", crate::fake_hub::FakeHubState::is_settled).await;
}

#[tokio::test(start_paused = true)]
async fn a_call_is_answered_by_a_reply_with_the_derived_id() {
    for place in [channel(1), thread(1), dm(1)] {
        let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(0));
        let process = RunnerFixture::start(&hub, &engine);
        let call = hub.mention(&place, "hi");
        settled(&hub).await;
        let answer = &hub.answers()[0];
        assert_eq!((&answer.to, answer.body.as_str(), answer.state), (&place, "hi", State::Complete));
        assert_eq!((&answer.id, &answer.reply_to), (&answer_id(&agent_id(), &call), &Some(call)));
        process.stop().await.expect("a clean end");
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_delivered_repeatedly_is_answered_once() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(100));
    let call = hub.mention(&channel(1), "hi");
    let _process = RunnerFixture::start(&hub, &engine);
    hub.repeat(&call);
    settled(&hub).await;
    hub.repeat(&call);
    hub.come_back();
    hub.mention(&channel(1), "again");
    settled(&hub).await;
    assert_eq!(engine.asked(), [["hi"], ["again"]]);
    assert_eq!(hub.answers().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn calls_in_quick_succession_are_answered_together() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(0));
    let _process = RunnerFixture::start(&hub, &engine);
    hub.mention(&channel(1), "one");
    sleep(Duration::from_millis(490)).await;
    let second = hub.mention(&channel(1), "two");
    sleep(Duration::from_millis(20)).await;
    hub.mention(&channel(1), "three");
    settled(&hub).await;
    assert_eq!(engine.asked(), [vec!["one", "two"], vec!["three"]]);
    assert_eq!(hub.answers()[0].reply_to, Some(second));
}

#[tokio::test(start_paused = true)]
async fn calls_during_an_answer_wait_for_the_next_one() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(5_000));
    let _process = RunnerFixture::start(&hub, &engine);
    hub.mention(&channel(1), "one");
    sleep(Duration::from_secs(2)).await;
    hub.mention(&channel(1), "two");
    sleep(Duration::from_secs(2)).await;
    hub.mention(&channel(1), "three");
    settled(&hub).await;
    assert_eq!(engine.asked(), [vec!["one"], vec!["two", "three"]]);
    assert_eq!(engine.load().most, 1);
}

#[tokio::test(start_paused = true)]
async fn conversations_are_answered_concurrently_up_to_a_limit() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(1_000));
    let options = RunnerOptions { answers_max: 3, ..RunnerOptions::default() };
    let _process = RunnerFixture::start_with(&hub, &engine, options);
    for number in 1..=7 {
        hub.mention(&channel(number), &number.to_string());
    }
    settled(&hub).await;
    assert_eq!(engine.load().most, 3);
    let order: Vec<_> = engine.asked().concat();
    assert_eq!(order, ["1", "2", "3", "4", "5", "6", "7"]);
}

#[tokio::test(start_paused = true)]
async fn calls_are_answered_in_order_from_live_events_and_lists() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(0));
    let process = RunnerFixture::start(&hub, &engine);
    hub.until("the agent is there", |hub| !hub.presences.is_empty()).await;
    hub.go_away();
    let calls = ["one", "two"].map(|body| hub.mention(&channel(1), body));
    // The later one is told first; the other is found when the open calls are read.
    hub.with(|hub| hub.is_away = false);
    hub.come_back();
    hub.repeat(&calls[1]);
    settled(&hub).await;
    assert_eq!(engine.asked(), [["one", "two"]]);
    assert!(process.reports().contains(&RunnerEvent::Lost("nobody answers".into())));
}

#[tokio::test(start_paused = true)]
async fn calls_beyond_the_queue_limit_are_passed_with_a_reason() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(1_000));
    let process = RunnerFixture::start(&hub, &engine);
    for number in 0..22 {
        hub.mention(&channel(1), &number.to_string());
    }
    hub.mention(&channel(2), "elsewhere");
    settled(&hub).await;
    let passes = hub.with(|hub| hub.passes.clone());
    let reason = "20 calls wait for Coder here already";
    let reasons: Vec<_> = passes.iter().map(|(_, reason)| reason.as_deref()).collect();
    assert_eq!(reasons, [Some(reason), Some(reason)]);
    let states = hub.call_states();
    assert_eq!((states[19], states[20], states[22]), (CallState::Answered, CallState::Passed, CallState::Answered));
    assert!(process.reports().contains(&RunnerEvent::Passed(reason.into())));
}

#[tokio::test(start_paused = true)]
async fn of_two_processes_one_answers() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(100));
    let processes = [RunnerFixture::start(&hub, &engine), RunnerFixture::start(&hub, &engine)];
    hub.mention(&channel(1), "hi");
    settled(&hub).await;
    assert_eq!((hub.answers().len(), engine.asked().len()), (1, 1));
    let taken = RunnerEvent::Passed("another process has taken the call".into());
    let told = processes.iter().filter(|process| process.reports().contains(&taken)).count();
    assert_eq!(told, 1);
}

#[tokio::test(start_paused = true)]
async fn calls_answered_by_another_process_leave_the_queue() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(10_000));
    let _process = RunnerFixture::start(&hub, &engine);
    hub.mention(&channel(1), "one");
    sleep(Duration::from_secs(1)).await;
    let waiting = ["two", "three"].map(|body| hub.mention(&channel(1), body));
    let request = parlour_core::post::PostMessage {
        channel_id: Some(parlour_core::id::ChannelId::from_bits(1)),
        body: "Both are done.".into(),
        reply_to: Some(waiting[1].clone()),
        ..Default::default()
    };
    hub.with(|hub| hub.post(&MessageId::from_bits(99), &request)).expect("posted");
    settled(&hub).await;
    hub.mention(&channel(1), "four");
    settled(&hub).await;
    assert_eq!(engine.asked(), [["one"], ["four"]]);
}

#[tokio::test(start_paused = true)]
async fn an_engine_gets_the_latest_messages_visible_to_models() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(0));
    let options = RunnerOptions { history_len: 3, ..RunnerOptions::default() };
    let _process = RunnerFixture::start_with(&hub, &engine, options);
    for body in ["a", "b", "c", "d"] {
        hub.say(&channel(1), body, None);
    }
    hub.say_noting(&channel(1), "a host says", |message| message.kind = Kind::Host);
    hub.say_noting(&channel(1), "half a word", |message| message.state = State::Failed);
    hub.with(|hub| hub.calls.clear());
    hub.mention(&channel(1), "now");
    settled(&hub).await;
    let seen: Vec<_> = engine.prompts()[0].history.iter().map(|message| message.body.clone()).collect();
    assert_eq!(seen, ["c", "d", "now"]);
}

#[tokio::test(start_paused = true)]
async fn an_engine_gets_called_messages_of_any_age() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(0));
    hub.mention(&channel(1), "the question");
    for number in 0..10 {
        hub.say(&channel(1), &number.to_string(), None);
    }
    let options = RunnerOptions { history_len: 2, ..RunnerOptions::default() };
    let _process = RunnerFixture::start_with(&hub, &engine, options);
    settled(&hub).await;
    let seen: Vec<_> = engine.prompts()[0].history.iter().map(|message| message.body.clone()).collect();
    assert_eq!(seen, ["the question", "9"]);
    assert_eq!(engine.asked(), [["the question"]]);
}

#[tokio::test(start_paused = true)]
async fn plan_mode_comes_from_the_message() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(0));
    let _process = RunnerFixture::start(&hub, &engine);
    for mode in ["plan", "auto", "other"] {
        let note = |message: &mut parlour_core::message::Message| {
            message.metadata = json!({ "execution_mode": mode }).as_object().cloned().expect("an object");
        };
        hub.say_noting(&channel(1), mode, note);
        settled(&hub).await;
    }
    let modes: Vec<_> = engine.prompts().iter().map(|prompt| prompt.mode).collect();
    assert_eq!(modes, [Mode::Plan, Mode::Auto, Mode::Auto]);
}

#[tokio::test(start_paused = true)]
async fn a_deleted_question_is_not_answered() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(0));
    let _process = RunnerFixture::start(&hub, &engine);
    let call = hub.mention(&channel(1), "oops");
    hub.with(|hub| {
        hub.change(&call, |message| message.removed_at = Some(message.created_at));
        hub.calls.clear();
        hub.tell_removed(&call);
    });
    hub.mention(&channel(1), "hi");
    settled(&hub).await;
    assert_eq!(engine.asked(), [["hi"]]);
}

#[tokio::test(start_paused = true)]
async fn the_presence_of_an_answering_agent_is_working() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::does(vec![think(1_000), write("ok")]));
    let options = RunnerOptions { machine_name: Some("laptop".into()), ..RunnerOptions::default() };
    let process = RunnerFixture::start_with(&hub, &engine, options);
    hub.say(&dm(1), "hi", Some(CallReason::Dm));
    settled(&hub).await;
    hub.until("it waits again", |hub| hub.presences.len() == 3).await;
    let presences = hub.with(|hub| hub.presences.clone());
    let states: Vec<_> = presences.iter().map(|presence| presence.state).collect();
    assert_eq!(states, [PresenceState::Idle, PresenceState::Working, PresenceState::Idle]);
    assert_eq!(presences[0].machine_name.as_deref(), Some("laptop"));
    assert_eq!(presences[0].runtime.as_deref(), Some("scripted"));
    let abilities = presences[0].abilities;
    assert!(abilities.can_stream && abilities.can_be_woken && abilities.can_be_paused);
    process.stop().await.expect("a clean end");
}

#[tokio::test(start_paused = true)]
async fn observers_get_the_events_of_the_runner() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(0));
    let process = RunnerFixture::start(&hub, &engine);
    let call = hub.mention(&channel(1), "hi");
    settled(&hub).await;
    hub.until("it waits again", |hub| hub.presences.len() == 3).await;
    let answer_id = answer_id(&agent_id(), &call);
    let expected = [
        RunnerEvent::Ready,
        RunnerEvent::Answering { answer_id: answer_id.clone(), asker: "Mara".into() },
        RunnerEvent::Running { run_id: hub.runs()[0].id.clone(), label: "Answer Mara".into() },
        RunnerEvent::Ended { answer_id, state: State::Complete, reason: None },
    ];
    assert_eq!(process.reports(), expected);
}
