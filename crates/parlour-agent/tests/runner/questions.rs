//! Questions that address the agent: each is answered once, alone, and so that it fits.

use parlour_core::{
    id::MessageId,
    message::{Importance, State},
    question::{NewQuestion, QuestionState, Settlement},
    run::RunState,
};
use serde_json::json;
use tokio::time::sleep;

use crate::{
    calls::settled,
    engine::{ScriptedEngine, think, write},
    fake_hub::{FakeHub, agent_id, channel, thread},
    pausing::last,
    process::RunnerFixture,
    runs::all_ended,
};

fn is_settled(hub: &FakeHub, id: &MessageId) -> bool {
    hub.question(id).state == QuestionState::Answered
}

#[tokio::test(start_paused = true)]
async fn a_question_is_answered_alone_and_at_once() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(0));
    let _process = RunnerFixture::start(&hub, &engine);
    hub.mention(&channel(1), "by the way");
    let question = hub.block(&channel(1), "Ship it?", NewQuestion::default());
    let both = |hub: &crate::fake_hub::FakeHubState| {
        hub.work.runs.iter().filter(|run| run.state == RunState::Done).count() == 2
    };
    hub.until("both are answered", both).await;
    assert_eq!(engine.asked(), [["Ship it?"], ["by the way"]]);
    assert!(is_settled(&hub, &question));
}

#[tokio::test(start_paused = true)]
async fn the_most_important_question_comes_first() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(10_000));
    let _process = RunnerFixture::start(&hub, &engine);
    for number in 1..=4 {
        hub.block(&channel(number), &number.to_string(), NewQuestion::default());
    }
    hub.until("four are being answered", |hub| hub.work.runs.len() == 4).await;
    for importance in [Importance::Normal, Importance::High, Importance::Critical, Importance::High] {
        hub.block_as(&channel(9), &format!("{importance:?}"), NewQuestion::default(), importance);
    }
    settled(&hub).await;
    assert_eq!(engine.asked()[4..].concat(), ["Critical", "High", "High", "Normal"]);
}

#[tokio::test(start_paused = true)]
async fn an_invalid_answer_is_requested_once_more_with_the_reason() {
    let (hub, engine) = (
        FakeHub::new(),
        ScriptedEngine::new(|prompt| vec![write(if prompt.rejected_answer.is_some() { "7" } else { "a few" })]),
    );
    let _process = RunnerFixture::start(&hub, &engine);
    let ask = NewQuestion { schema: Some(json!({"type": "integer"})), ..NewQuestion::default() };
    let question = hub.block(&channel(1), "How many?", ask);
    hub.until("it is settled", |hub| {
        hub.message(&question).is_ok_and(|one| one.question.is_some_and(|it| !it.is_open()))
    })
    .await;
    all_ended(&hub).await;
    let problems: Vec<_> = engine.prompts().into_iter().map(|prompt| prompt.rejected_answer).collect();
    assert_eq!(problems, [None, Some("it is no number".to_owned())]);
    let answers: Vec<_> = hub.answers().into_iter().map(|answer| (answer.body, answer.answer_to.is_some())).collect();
    assert_eq!(answers, [("a few".to_owned(), false), ("7".to_owned(), true)]);
    assert_eq!(hub.run_states(), [RunState::Done], "both belong to one run");
}

#[tokio::test(start_paused = true)]
async fn a_question_with_only_invalid_answers_is_left_and_ends_the_pause() {
    let engine = ScriptedEngine::new(|prompt| {
        if last(prompt) == "work" { vec![write("one "), think(9_000), write("two")] } else { vec![write("a few")] }
    });
    let hub = FakeHub::new();
    let _process = RunnerFixture::start(&hub, &engine);
    hub.mention(&channel(2), "work");
    hub.until("it writes", |hub| !hub.pieces.is_empty()).await;
    let ask = NewQuestion { schema: Some(json!({"type": "integer"})), ..NewQuestion::default() };
    let question = hub.block(&channel(1), "How many?", ask);
    settled(&hub).await;
    all_ended(&hub).await;
    assert_eq!(engine.times_asked(&question), 2);
    assert!(hub.question(&question).is_open());
    hub.come_back();
    hub.mention(&channel(3), "work");
    settled(&hub).await;
    assert_eq!(engine.times_asked(&question), 2, "it is not taken up again");
}

#[tokio::test(start_paused = true)]
async fn questions_asked_while_the_agent_was_offline_are_answered_once() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(0));
    let question = hub.block(&channel(1), "Ship it?", NewQuestion::default());
    let first = RunnerFixture::start(&hub, &engine);
    settled(&hub).await;
    first.kill(&hub);
    let _second = RunnerFixture::start(&hub, &engine);
    hub.come_back();
    hub.mention(&channel(2), "hi");
    settled(&hub).await;
    assert_eq!((engine.times_asked(&question), is_settled(&hub, &question)), (1, true));
}

#[tokio::test(start_paused = true)]
async fn a_question_without_a_call_is_answered() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(0));
    let _process = RunnerFixture::start(&hub, &engine);
    hub.until("the agent is there", |hub| !hub.presences.is_empty()).await;
    let question = hub.say_noting(&channel(1), "Anybody?", |message| {
        message.question = Some(NewQuestion::default().asked(vec![agent_id().into()], message.created_at));
        (message.calls, message.mentions) = (Vec::new(), Vec::new());
    });
    hub.with(|hub| hub.calls.clear());
    hub.until("it is settled", |hub| {
        hub.message(&question).is_ok_and(|one| one.question.is_some_and(|it| !it.is_open()))
    })
    .await;
    assert_eq!(hub.answers()[0].reply_to, Some(question));
}

#[tokio::test(start_paused = true)]
async fn a_settled_question_is_an_ordinary_message() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(0));
    let question = hub.block(&thread(1), "Ship it?", NewQuestion::default());
    hub.settle(&question, &Settlement::Expired);
    let _process = RunnerFixture::start(&hub, &engine);
    settled(&hub).await;
    assert_eq!((hub.answers()[0].body.as_str(), hub.answers()[0].state), ("Ship it?", State::Complete));
    assert_eq!(hub.question(&question).state, QuestionState::Expired);
}

#[tokio::test(start_paused = true)]
async fn questions_to_others_are_not_answered() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(0));
    let _process = RunnerFixture::start(&hub, &engine);
    hub.say(&channel(1), "to nobody", None);
    let question = hub.with(|hub| hub.messages[0].id.clone());
    hub.with(|hub| {
        let critic = hub.agents[1].id.clone();
        hub.change(&question, |one| {
            one.question = Some(NewQuestion::default().asked(vec![critic.into()], one.created_at))
        });
    });
    hub.repeat(&question);
    hub.come_back();
    sleep(std::time::Duration::from_secs(60)).await;
    assert!(engine.prompts().is_empty());
}
