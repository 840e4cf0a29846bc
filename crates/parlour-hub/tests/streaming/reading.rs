//! Reads of an open stream.

use parlour_core::{message::State, paging::PageRequest, write::Novelty};
use parlour_hub::use_cases::HistoryQuery;

use super::fixture::StreamFixture;

#[tokio::test]
async fn every_read_of_an_open_stream_returns_its_current_text() {
    let fixture = StreamFixture::new().await;
    let id = fixture.begin_with(fixture.request("Apples")).await;
    fixture.add(&id, " and pears").await.expect("added");
    fixture.start_step(&id, "s1").await.expect("begun");
    let expected = ("Apples and pears", State::Streaming);
    let message = fixture.message(&id).await;
    assert_eq!((message.body.as_str(), message.state, message.steps.len()), (expected.0, expected.1, 1));
    let page = PageRequest::first();
    let channel = fixture.channel.clone().into();
    let history =
        fixture.hub().history(&fixture.mara, &channel, &HistoryQuery::default(), &page).await.expect("history");
    assert_eq!(history.items[0].body, expected.0);
    let hits = fixture.hub().search(&fixture.mara, &fixture.project, "apples", &page).await.expect("hits");
    let found: Vec<&str> = hits.items.iter().map(|hit| hit.message.body.as_str()).collect();
    assert_eq!(found, [expected.0]);
    let reacted = fixture.hub().react(&fixture.mara, &id, "👀").await.expect("reacted");
    assert_eq!((reacted.body.as_str(), reacted.reactions.len()), (expected.0, 1));
}

#[tokio::test]
async fn a_repeated_post_returns_the_current_text_and_opens_no_second_stream() {
    let fixture = StreamFixture::new().await;
    let request = parlour_core::post::PostMessage { id: Some("msg_mine".parse().expect("id")), ..fixture.request("") };
    let id = fixture.begin_with(request.clone()).await;
    fixture.add(&id, "abc").await.expect("added");
    let again = fixture.hub().post_message(&fixture.coder, request.clone()).await.expect("answered");
    assert_eq!((again.novelty, again.message.body.as_str()), (Novelty::Repeated, "abc"));
    assert_eq!(fixture.add(&id, "d").await.expect("still open").chars, 4);
    fixture.complete(&id).await.expect("completed");
    let again = fixture.hub().post_message(&fixture.coder, request).await.expect("answered");
    assert_eq!((again.message.state, again.message.body.as_str()), (State::Complete, "abcd"));
    assert!(fixture.add(&id, "e").await.is_err());
}

#[tokio::test]
async fn a_lease_contains_the_text_length_and_its_expiry() {
    let fixture = StreamFixture::new().await;
    let id = fixture.begin_with(fixture.request("é")).await;
    let lease = fixture.add(&id, "👋!").await.expect("added");
    assert_eq!((&lease.message_id, lease.chars), (&id, 3));
    let now = fixture.test.clock.advance(1_000);
    let lease = fixture.hub().beat_stream(&fixture.coder, &id).await.expect("beaten");
    assert_eq!((lease.chars, lease.lease_until), (3, now.plus_millis(30_000)));
}
