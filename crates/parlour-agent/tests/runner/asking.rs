//! Questions that an engine asks in the middle of an answer.

use std::time::Duration;

use parlour_agent::runner::{RunnerEvent, RunnerOptions};
use parlour_core::{
    call::{CallReason, CallState},
    id::{ConversationId, MessageId},
    message::State,
    question::{Answer, AnswerOption, AnswerTo, NewQuestion, Settlement},
    run::{PauseReason, RunState},
};
use tokio::time::sleep;

use crate::{
    calls::settled,
    engine::{EngineAct, ScriptedEngine, write},
    fake_context::MARK,
    fake_hub::{FakeHub, channel, dm},
    process::RunnerFixture,
    runs::all_ended,
};

fn ask() -> NewQuestion {
    let option = |id: &str| AnswerOption { id: id.into(), label: id.to_uppercase(), description: None };
    NewQuestion { options: vec![option("left"), option("right")], ..NewQuestion::default() }
}

/// A process that has asked, and the id of its question.
async fn asked(place: &ConversationId) -> (FakeHub, RunnerFixture, MessageId) {
    let (hub, engine) =
        (FakeHub::new(), ScriptedEngine::does(vec![write("You choose: "), EngineAct::Ask(ask()), write("!")]));
    let options = RunnerOptions { answer_time_max: Duration::from_secs(30), ..RunnerOptions::default() };
    let process = RunnerFixture::start_with(&hub, &engine, options);
    hub.mention(place, "hi");
    hub.until("it asks", |hub| hub.messages.iter().any(|message| message.question.is_some())).await;
    let question = hub.with(|hub| hub.messages.iter().find(|message| message.question.is_some()).cloned());
    (hub, process, question.expect("a question").id)
}

fn chosen(option: &str) -> Settlement {
    Settlement::Answered(Answer { option: Some(option.to_owned()), ..no_answer() })
}

fn no_answer() -> Answer {
    Answer { option: None, value: None, text: None, message_id: None, is_default: false }
}

#[tokio::test(start_paused = true)]
async fn an_engine_asks_waits_and_continues_with_the_answer() {
    let (hub, process, question) = asked(&channel(1)).await;
    let run = hub.runs()[0].clone();
    assert_eq!((run.state, run.pauses[0].reason), (RunState::Paused, PauseReason::Asked));
    // Longer than an answer may take: the time stands still.
    sleep(Duration::from_secs(600)).await;
    hub.settle(&question, &chosen("right"));
    settled(&hub).await;
    all_ended(&hub).await;
    let answer = hub.answers().remove(0);
    assert_eq!((answer.body.as_str(), answer.state), ("You choose: right!", State::Complete));
    assert_eq!(hub.run_states(), [RunState::Done]);
    let asked = RunnerEvent::Asked { message_id: question.clone(), body: "Which?".into() };
    assert!(process.reports().contains(&asked));
    let message = hub.with(|hub| hub.message(&question)).expect("kept");
    assert_eq!((message.blocking, message.reply_to), (true, Some(answer.id)));
}

#[tokio::test(start_paused = true)]
async fn the_answer_continues_after_its_question_expires() {
    let (hub, _process, question) = asked(&channel(1)).await;
    hub.settle(&question, &Settlement::Expired);
    settled(&hub).await;
    assert_eq!(hub.answers()[0].body, "You choose: Expired!");
}

#[tokio::test(start_paused = true)]
async fn an_answer_to_a_question_is_not_answered_as_a_call() {
    let (hub, _process, question) = asked(&dm(1)).await;
    let answer_to = AnswerTo { message_id: question.clone(), option: None, value: None };
    let written = hub.with(|hub| {
        let clone = answer_to.clone();
        hub.say_as(&dm(1), "straight on", Some(CallReason::Dm), |message| message.answer_to = Some(clone))
    });
    hub.settle(&question, &Settlement::Answered(answer_to.answer(written.clone())));
    settled(&hub).await;
    assert_eq!(hub.answers()[0].body, "You choose: straight on!");
    assert_eq!(hub.call_states(), [CallState::Answered, CallState::Passed]);
    assert!(hub.answers().iter().all(|answer| answer.reply_to != Some(written.clone())));
}

#[tokio::test(start_paused = true)]
async fn an_engine_gets_the_redacted_answer() {
    let in_words = |text: &str| Answer { text: Some(text.into()), ..no_answer() };
    let (hub, _process, question) = asked(&channel(1)).await;
    hub.settle(&question, &Settlement::Answered(in_words("by sesame")));
    settled(&hub).await;
    assert_eq!(hub.answers()[0].body, format!("You choose: by {MARK}!"));

    let (hub, _process, question) = asked(&channel(1)).await;
    let written = hub.with(|hub| hub.say_as(&channel(1), "by sesame", None, |_| {}));
    hub.settle(&question, &Settlement::Answered(Answer { message_id: Some(written), ..no_answer() }));
    settled(&hub).await;
    assert_eq!(hub.answers()[0].body, format!("You choose: by {MARK}!"));
}

#[tokio::test(start_paused = true)]
async fn a_refused_question_is_reported_to_the_engine() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::does(vec![EngineAct::Ask(ask())]));
    let _process = RunnerFixture::start(&hub, &engine);
    hub.with(|hub| hub.refuses_questions = true);
    hub.mention(&channel(1), "hi");
    settled(&hub).await;
    assert_eq!(hub.answers()[0].body, "because (PARLOUR-A02)");
}

#[tokio::test(start_paused = true)]
async fn an_answer_stopped_while_waiting_ends_at_once() {
    let (hub, _process, _) = asked(&channel(1)).await;
    let answer = hub.answers()[0].id.clone();
    hub.cancel(&answer);
    all_ended(&hub).await;
    assert_eq!(hub.run_states(), [RunState::Cancelled]);
}
