//! The story: an agent asks a person and waits, goes on with the answer, is stopped by a blocking message, answers it,
//! goes on again and ends.

use parlour_agent::PageAt;
use parlour_core::{
    Code,
    checkpoint::{CheckpointDecision, CheckpointDelivery},
    delivery::{DeliveryPath, DeliveryState, DeliveryStep},
    id::{MessageId, RunId},
    message::Message,
    post::PostMessage,
    question::{AnswerRequest, NewQuestion, QuestionState},
    run::{FinishRun, Run, RunState, StartRun},
    timeline::TimelineEntryKind,
};
use serde_json::json;

use crate::fixture::{Actor, QuestionHub};

/// Seconds in which a run goes on after its question has ended; it is waited for, not slept.
const RESUME_SECONDS: u64 = 20;

/// The names of all that is in one telling.
struct StoryNames {
    run: RunId,
    question: MessageId,
    stop: MessageId,
    reply: MessageId,
}

impl StoryNames {
    fn of(telling: &str) -> Self {
        let message = |what: &str| format!("msg_{what}-{telling}").parse().expect("an id");
        Self {
            run: format!("run_{telling}").parse().expect("an id"),
            question: message("question"),
            stop: message("stop"),
            reply: message("reply"),
        }
    }
}

/// Tells the story, and checks that it came out as it should.
pub(crate) async fn tell(fixture: &mut QuestionHub, telling: &str) {
    let names = StoryNames::of(telling);
    agent_asks_and_waits(fixture, &names).await;
    person_answers(fixture, &names).await;
    person_stops_the_agent(fixture, &names).await;
    agent_answers(fixture, &names).await;
    let request = FinishRun::default();
    fixture.ask(Actor::Agent, None, async |client| client.finish_run(&names.run, &request).await).await;
    check(fixture, &names).await;
}

async fn agent_asks_and_waits(fixture: &mut QuestionHub, names: &StoryNames) {
    let channel_id = Some(fixture.channel_id.clone());
    let request = StartRun { id: Some(names.run.clone()), channel_id: channel_id.clone(), ..StartRun::default() };
    fixture.ask(Actor::Agent, None, async |client| client.start_run(&request).await).await;
    let options = json!([{"id": "keep", "label": "Keep it"}, {"id": "drop", "label": "Drop it"}]);
    let ask = NewQuestion {
        options: serde_json::from_value(options).expect("options"),
        default: Some(json!("keep")),
        run_id: Some(names.run.clone()),
        ..NewQuestion::default()
    };
    let request = PostMessage {
        channel_id,
        body: "@Admin keep the old file?".into(),
        blocking: true,
        question: Some(ask),
        ..PostMessage::default()
    };
    fixture.ask(Actor::Agent, None, async |client| client.post_message(&names.question, &request).await).await;
    let paused = run(fixture, names, 0).await;
    assert_eq!((paused.state, paused.pauses.len()), (RunState::Paused, 1), "it waits for its answer: {paused:?}");
}

async fn person_answers(fixture: &mut QuestionHub, names: &StoryNames) {
    let give = AnswerRequest { option: Some("drop".into()), ..AnswerRequest::default() };
    let done = Some(Code::QuestionClosed);
    fixture.ask(Actor::Person, done, async |client| client.answer(&names.question, &give).await).await;
    assert_eq!(run(fixture, names, RESUME_SECONDS).await.state, RunState::Running, "the answer lets it go on");
}

async fn person_stops_the_agent(fixture: &mut QuestionHub, names: &StoryNames) {
    let request = PostMessage {
        channel_id: Some(fixture.channel_id.clone()),
        body: "@Coder stop: which branch?".into(),
        blocking: true,
        ..PostMessage::default()
    };
    fixture.ask(Actor::Person, None, async |client| client.post_message(&names.stop, &request).await).await;
    let told = fixture
        .ask(Actor::Agent, None, async |client| client.checkpoint(&names.run, CheckpointDelivery::Checkpoint).await)
        .await;
    let told = told.expect("a checkpoint is never done already");
    assert_eq!((told.verdict, told.messages.len()), (CheckpointDecision::Pause, 1), "{told:?}");
    let before = delivery(fixture, &names.stop).await;
    assert!(before < DeliveryState::Injected, "nothing is claimed before it happened: {before:?}");
    let step = DeliveryStep {
        delivered_via: Some(DeliveryPath::Checkpoint),
        run_id: Some(names.run.clone()),
        ..DeliveryStep::to(DeliveryState::Injected)
    };
    let ids = std::slice::from_ref(&names.stop);
    fixture.ask(Actor::Agent, None, async |client| client.report_deliveries(None, ids, &step).await).await;
}

async fn agent_answers(fixture: &mut QuestionHub, names: &StoryNames) {
    assert_eq!(run(fixture, names, 0).await.state, RunState::Paused, "a paused run stays paused");
    let request = PostMessage {
        channel_id: Some(fixture.channel_id.clone()),
        body: "main".into(),
        reply_to: Some(names.stop.clone()),
        ..PostMessage::default()
    };
    fixture.ask(Actor::Agent, None, async |client| client.post_message(&names.reply, &request).await).await;
    assert_eq!(run(fixture, names, RESUME_SECONDS).await.state, RunState::Running, "its answer lets it go on");
}

/// Everything is there, once.
async fn check(fixture: &mut QuestionHub, names: &StoryNames) {
    let asked = message(fixture, &names.question).await.question.expect("a question");
    let answer = asked.answer.expect("an answer");
    assert_eq!((asked.state, answer.option.as_deref()), (QuestionState::Answered, Some("drop")));
    let stopped = message(fixture, &names.stop).await.question.expect("a question");
    let answer = stopped.answer.expect("an answer");
    assert_eq!((stopped.state, answer.message_id.as_ref()), (QuestionState::Answered, Some(&names.reply)));
    assert_eq!(run(fixture, names, 0).await.state, RunState::Done);
    assert_eq!(delivery(fixture, &names.stop).await, DeliveryState::Answered);

    use TimelineEntryKind::{Asked, Paused, Resumed, RunDone, RunStarted};
    let page = PageAt::first(50);
    let timeline = fixture.ask(Actor::Person, None, async |client| client.run_timeline(&names.run, &page).await).await;
    let kinds: Vec<_> = timeline.expect("a page").items.iter().map(|moment| moment.kind).collect();
    assert_eq!(kinds, [RunStarted, Asked, Resumed, Paused, Resumed, RunDone], "each moment once, in its order");
}

async fn run(fixture: &mut QuestionHub, names: &StoryNames, seconds: u64) -> Run {
    fixture.ask(Actor::Agent, None, async |client| client.run(&names.run, seconds).await).await.expect("a run")
}

async fn message(fixture: &mut QuestionHub, id: &MessageId) -> Message {
    fixture.ask(Actor::Person, None, async |client| client.message(id).await).await.expect("a message")
}

/// How far the message has come with the agent.
async fn delivery(fixture: &mut QuestionHub, id: &MessageId) -> DeliveryState {
    let all = fixture.ask(Actor::Person, None, async |client| client.deliveries(id).await).await.expect("deliveries");
    all.iter().find(|one| one.recipient.agent().is_some()).expect("the agent is a recipient").state
}
