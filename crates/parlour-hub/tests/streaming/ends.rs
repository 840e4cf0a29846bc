//! How an answer ends, who is told then, and that it ends once.

use parlour_core::{
    Code,
    inbox::DeliveryReason,
    live::{Cancel, Complete, Fail},
    message::State,
    paging::PageRequest,
    post::PostMessage,
};

use super::stage::Stage;
use crate::support::{agent_id, refused};

#[tokio::test]
async fn agents_are_told_when_the_answer_is_complete_and_not_before() {
    let stage = Stage::new().await;
    let painter = stage.test.agent(&stage.project, "Painter").await;
    let listener = stage.test.agent(&stage.project, "Listener").await;
    let id = stage.begin_with(stage.request("@Painter, ")).await;
    stage.hub().subscribe(&stage.mara, &stage.channel, &agent_id(&listener)).await.expect("subscribed");
    stage.add(&id, "have a look").await.expect("added");
    for agent in [&painter, &listener] {
        assert_eq!(stage.test.inbox(agent).await, []);
    }
    let finished = stage.complete(&id).await.expect("completed").message;
    assert_eq!(finished.mentions, std::slice::from_ref(&painter.member));
    assert_eq!(stage.test.inbox_entries(&painter).await[0].reason, DeliveryReason::Mention);
    assert_eq!(stage.test.inbox_entries(&listener).await[0].reason, DeliveryReason::Subscription);
    assert_eq!(stage.test.inbox(&stage.coder).await, [], "not its author");
}

#[tokio::test]
async fn the_final_text_decides_who_is_called_with_those_named_beside_it() {
    let stage = Stage::new().await;
    let agents = [
        stage.test.agent(&stage.project, "InTheBeginning").await,
        stage.test.agent(&stage.project, "BesideTheBeginning").await,
        stage.test.agent(&stage.project, "InTheEnd").await,
        stage.test.agent(&stage.project, "BesideTheEnd").await,
    ];
    let request =
        PostMessage { mentions: vec!["BesideTheBeginning".into()], ..stage.request("@InTheBeginning thinks") };
    let id = stage.begin_with(request).await;
    let request = Complete {
        body: Some("ask @InTheEnd and @Nobody".into()),
        mentions: vec!["BesideTheEnd".into()],
        ..Complete::default()
    };
    let finished = stage.hub().complete_stream(&stage.coder, &id, request).await.expect("completed");
    assert_eq!(finished.message.body, "ask @InTheEnd and @Nobody");
    assert_eq!(finished.mention_problems.len(), 1);
    let mut told = Vec::new();
    for agent in &agents {
        told.push(stage.test.inbox(agent).await.len());
    }
    assert_eq!(told, [0, 1, 1, 1]);
}

#[tokio::test]
async fn a_failed_or_stopped_answer_keeps_its_text_and_reason_and_wakes_nobody() {
    let stage = Stage::new().await;
    let painter = stage.test.agent(&stage.project, "Painter").await;
    let failed = stage.begin_with(stage.request("@Painter, look")).await;
    let request = Fail { reason: "the model is away".into(), body: Some("@Painter, never mind".into()), usage: None };
    let failed = stage.hub().fail_stream(&stage.coder, &failed, request).await.expect("failed").message;
    assert_eq!((failed.state, failed.body.as_str()), (State::Failed, "@Painter, never mind"));
    assert_eq!(failed.reason.as_deref(), Some("the model is away"));
    let stopped = stage.begin_with(stage.request("@Painter, look")).await;
    let request = Cancel { reason: Some("too long".into()) };
    let stopped = stage.hub().cancel_stream(&stage.mara, &stopped, request).await.expect("cancelled").message;
    assert_eq!((stopped.state, stopped.reason.as_deref()), (State::Cancelled, Some("too long")));
    assert_eq!(stage.test.inbox(&painter).await, []);
}

#[tokio::test]
async fn an_answer_is_in_the_history_from_the_beginning_and_ends_as_one_event() {
    let stage = Stage::new().await;
    let id = stage.begin().await;
    stage.test.post(&stage.mara, &stage.channel, "meanwhile").await;
    stage.add(&id, "done").await.expect("added");
    let finished = stage.complete(&id).await.expect("completed");
    assert_eq!((finished.message.seq, &finished.message.id), (1, &id), "it keeps its place");
    let events = stage.hub().message_events(&stage.mara, &id, &PageRequest::first()).await.expect("events").items;
    let names: Vec<_> = events.iter().map(|event| event.change.name()).collect();
    assert_eq!(names, ["messaging.posted", "messaging.finished"]);
    assert_eq!(events[1].position, finished.position);
}

#[tokio::test]
async fn the_same_end_again_answers_the_first_and_another_is_refused() {
    let stage = Stage::new().await;
    let id = stage.begin_with(stage.request("text")).await;
    let first = stage.complete_with(&id, "final").await.expect("completed");
    stage.test.post(&stage.mara, &stage.channel, "later").await;
    for again in [stage.complete_with(&id, "final").await, stage.complete(&id).await] {
        let again = again.expect("a repetition");
        assert_eq!((&again.message, &again.position), (&first.message, &first.position));
    }
    assert_eq!(refused(stage.complete_with(&id, "other").await), Code::StreamEnded);
    assert_eq!(refused(stage.fail(&id, "why").await), Code::StreamEnded);
    assert_eq!(refused(stage.cancel(&stage.mara, &id).await), Code::StreamEnded);
    assert_eq!(stage.message(&id).await, first.message);
}

#[tokio::test]
async fn whoever_stops_a_stopped_answer_gets_the_first_result() {
    let stage = Stage::new().await;
    let id = stage.begin().await;
    let request = |reason: &str| Cancel { reason: Some(reason.into()) };
    let first = stage.hub().cancel_stream(&stage.mara, &id, request("enough")).await.expect("cancelled");
    let again = stage.hub().cancel_stream(&stage.test.admin, &id, request("boring")).await.expect("a repetition");
    assert_eq!((again.message.reason.as_deref(), again.position), (Some("enough"), first.position));
}

#[tokio::test]
async fn a_removal_ends_an_answer() {
    let stage = Stage::new().await;
    let id = stage.begin_with(stage.request("secret")).await;
    stage.add(&id, " plan").await.expect("added");
    let removed = stage.hub().remove_message(&stage.mara, &id).await.expect("removed");
    assert_eq!((removed.state, removed.body.as_str()), (State::Cancelled, ""));
    assert_eq!(refused(stage.add(&id, "more").await), Code::StreamEnded);
    assert_eq!(refused(stage.complete(&id).await), Code::StreamEnded);
    assert_eq!(stage.message(&id).await.body, "", "the text so far is gone too");
}

#[tokio::test]
async fn people_stream_as_well() {
    let stage = Stage::new().await;
    let posted = stage.hub().post_message(&stage.mara, stage.request("Typing ")).await.expect("begun");
    assert_eq!(posted.message.state, State::Streaming);
    stage.add_as(&stage.mara, &posted.message.id, "@Coder").await.expect("added");
    stage.hub().complete_stream(&stage.mara, &posted.message.id, Complete::default()).await.expect("completed");
    assert_eq!(stage.test.inbox(&stage.coder).await, [posted.message.id]);
}
