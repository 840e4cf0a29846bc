//! Ends of streams: states, deliveries, and repeated ends.

use parlour_core::{
    Code,
    inbox::DeliveryReason,
    live::{Cancel, Complete, Fail},
    message::State,
    paging::PageRequest,
    post::PostMessage,
};

use super::fixture::StreamFixture;
use crate::support::{agent_id, refused};

#[tokio::test]
async fn a_streamed_answer_is_delivered_to_agents_when_it_is_complete() {
    let fixture = StreamFixture::new().await;
    let painter = fixture.test.agent(&fixture.project, "Painter").await;
    let listener = fixture.test.agent(&fixture.project, "Listener").await;
    let id = fixture.begin_with(fixture.request("@Painter, ")).await;
    fixture.hub().subscribe(&fixture.mara, &fixture.channel, &agent_id(&listener)).await.expect("subscribed");
    fixture.add(&id, "have a look").await.expect("added");
    for agent in [&painter, &listener] {
        assert_eq!(fixture.test.inbox(agent).await, []);
    }
    let finished = fixture.complete(&id).await.expect("completed").message;
    assert_eq!(finished.mentions, std::slice::from_ref(&painter.member));
    assert_eq!(fixture.test.inbox_entries(&painter).await[0].reason, DeliveryReason::Mention);
    assert_eq!(fixture.test.inbox_entries(&listener).await[0].reason, DeliveryReason::Subscription);
    assert_eq!(fixture.test.inbox(&fixture.coder).await, [], "not its author");
}

#[tokio::test]
async fn the_final_text_and_the_mentions_lists_determine_the_deliveries() {
    let fixture = StreamFixture::new().await;
    let agents = [
        fixture.test.agent(&fixture.project, "InTheBeginning").await,
        fixture.test.agent(&fixture.project, "BesideTheBeginning").await,
        fixture.test.agent(&fixture.project, "InTheEnd").await,
        fixture.test.agent(&fixture.project, "BesideTheEnd").await,
    ];
    let request =
        PostMessage { mentions: vec!["BesideTheBeginning".into()], ..fixture.request("@InTheBeginning thinks") };
    let id = fixture.begin_with(request).await;
    let request = Complete {
        body: Some("ask @InTheEnd and @Nobody".into()),
        mentions: vec!["BesideTheEnd".into()],
        ..Complete::default()
    };
    let finished = fixture.hub().complete_stream(&fixture.coder, &id, request).await.expect("completed");
    assert_eq!(finished.message.body, "ask @InTheEnd and @Nobody");
    assert_eq!(finished.mention_problems.len(), 1);
    let mut inbox_sizes = Vec::new();
    for agent in &agents {
        inbox_sizes.push(fixture.test.inbox(agent).await.len());
    }
    assert_eq!(inbox_sizes, [0, 1, 1, 1]);
}

#[tokio::test]
async fn a_failed_or_cancelled_answer_keeps_its_text_and_reason_and_is_not_delivered() {
    let fixture = StreamFixture::new().await;
    let painter = fixture.test.agent(&fixture.project, "Painter").await;
    let failed = fixture.begin_with(fixture.request("@Painter, look")).await;
    let request = Fail { reason: "the model is away".into(), body: Some("@Painter, never mind".into()), usage: None };
    let failed = fixture.hub().fail_stream(&fixture.coder, &failed, request).await.expect("failed").message;
    assert_eq!((failed.state, failed.body.as_str()), (State::Failed, "@Painter, never mind"));
    assert_eq!(failed.reason.as_deref(), Some("the model is away"));
    let stopped = fixture.begin_with(fixture.request("@Painter, look")).await;
    let request = Cancel { reason: Some("too long".into()) };
    let stopped = fixture.hub().cancel_stream(&fixture.mara, &stopped, request).await.expect("cancelled").message;
    assert_eq!((stopped.state, stopped.reason.as_deref()), (State::Cancelled, Some("too long")));
    assert_eq!(fixture.test.inbox(&painter).await, []);
}

#[tokio::test]
async fn a_stream_is_in_the_history_from_its_start_and_its_end_is_one_event() {
    let fixture = StreamFixture::new().await;
    let id = fixture.begin().await;
    fixture.test.post(&fixture.mara, &fixture.channel, "meanwhile").await;
    fixture.add(&id, "done").await.expect("added");
    let finished = fixture.complete(&id).await.expect("completed");
    assert_eq!((finished.message.seq, &finished.message.id), (1, &id), "it keeps its number");
    let events = fixture.hub().message_events(&fixture.mara, &id, &PageRequest::first()).await.expect("events").items;
    let names: Vec<_> = events.iter().map(|event| event.change.name()).collect();
    assert_eq!(names, ["messaging.posted", "messaging.finished"]);
    assert_eq!(events[1].position, finished.position);
}

#[tokio::test]
async fn a_repeated_end_returns_the_first_result_and_another_end_is_refused() {
    let fixture = StreamFixture::new().await;
    let id = fixture.begin_with(fixture.request("text")).await;
    let first = fixture.complete_with(&id, "final").await.expect("completed");
    fixture.test.post(&fixture.mara, &fixture.channel, "later").await;
    for again in [fixture.complete_with(&id, "final").await, fixture.complete(&id).await] {
        let again = again.expect("a repetition");
        assert_eq!((&again.message, &again.position), (&first.message, &first.position));
    }
    assert_eq!(refused(fixture.complete_with(&id, "other").await), Code::StreamEnded);
    assert_eq!(refused(fixture.fail(&id, "why").await), Code::StreamEnded);
    assert_eq!(refused(fixture.cancel(&fixture.mara, &id).await), Code::StreamEnded);
    assert_eq!(fixture.message(&id).await, first.message);
}

#[tokio::test]
async fn cancelling_a_cancelled_answer_returns_the_first_result() {
    let fixture = StreamFixture::new().await;
    let id = fixture.begin().await;
    let request = |reason: &str| Cancel { reason: Some(reason.into()) };
    let first = fixture.hub().cancel_stream(&fixture.mara, &id, request("enough")).await.expect("cancelled");
    let again = fixture.hub().cancel_stream(&fixture.test.admin, &id, request("boring")).await.expect("a repetition");
    assert_eq!((again.message.reason.as_deref(), again.position), (Some("enough"), first.position));
}

#[tokio::test]
async fn removing_a_streaming_message_ends_its_stream() {
    let fixture = StreamFixture::new().await;
    let id = fixture.begin_with(fixture.request("secret")).await;
    fixture.add(&id, " plan").await.expect("added");
    let removed = fixture.hub().remove_message(&fixture.mara, &id).await.expect("removed");
    assert_eq!((removed.state, removed.body.as_str()), (State::Cancelled, ""));
    assert_eq!(refused(fixture.add(&id, "more").await), Code::StreamEnded);
    assert_eq!(refused(fixture.complete(&id).await), Code::StreamEnded);
    assert_eq!(fixture.message(&id).await.body, "", "the text so far is gone too");
}

#[tokio::test]
async fn people_can_stream() {
    let fixture = StreamFixture::new().await;
    let posted = fixture.hub().post_message(&fixture.mara, fixture.request("Typing ")).await.expect("begun");
    assert_eq!(posted.message.state, State::Streaming);
    fixture.add_as(&fixture.mara, &posted.message.id, "@Coder").await.expect("added");
    fixture.hub().complete_stream(&fixture.mara, &posted.message.id, Complete::default()).await.expect("completed");
    assert_eq!(fixture.test.inbox(&fixture.coder).await, [posted.message.id]);
}
