//! Access to streams: writing, ending and cancelling.

use parlour_core::{
    Code,
    live::{Complete, Fail},
    message::State,
    step::{FinishStep, StartStep},
    write::Archival,
};

use super::fixture::StreamFixture;
use crate::support::{person_id, refused};

#[tokio::test]
async fn only_the_author_of_a_stream_can_change_it() {
    let fixture = StreamFixture::new().await;
    let stranger = fixture.test.person("Stranger").await;
    let painter = fixture.test.agent(&fixture.project, "Painter").await;
    let id = fixture.begin_with(fixture.request("text")).await;
    let others = [(&fixture.mara, Code::Forbidden), (&painter, Code::Forbidden), (&stranger, Code::NotFound)];
    for (who, code) in others {
        let hub = fixture.hub();
        let step = StartStep { id: "s".into(), name: "n".into(), input: None };
        assert_eq!(refused(fixture.add_as(who, &id, "mine").await), code);
        assert_eq!(refused(hub.beat_stream(who, &id).await), code);
        assert_eq!(refused(hub.start_step(who, &id, step).await), code);
        assert_eq!(refused(hub.finish_step(who, &id, "s", FinishStep::default()).await), code);
        assert_eq!(refused(hub.complete_stream(who, &id, Complete::default()).await), code);
        assert_eq!(refused(hub.fail_stream(who, &id, Fail { reason: "r".into(), ..Fail::default() }).await), code);
    }
    assert_eq!(refused(fixture.cancel(&painter, &id).await), Code::Forbidden);
    assert_eq!(refused(fixture.cancel(&stranger, &id).await), Code::NotFound);
    assert_eq!(fixture.message(&id).await.state, State::Streaming);
}

#[tokio::test]
async fn an_author_that_lost_access_cannot_change_its_stream() {
    let fixture = StreamFixture::new().await;
    let secret = fixture.test.private_channel(&fixture.mara, &fixture.project, "secret").await;
    fixture.hub().add_channel_member(&fixture.mara, &secret, &fixture.coder.member).await.expect("added");
    let request = parlour_core::post::PostMessage { channel_id: Some(secret.clone()), ..fixture.request("text") };
    let id = fixture.begin_with(request).await;
    fixture.add(&id, "!").await.expect("added");
    fixture.hub().remove_channel_member(&fixture.mara, &secret, &fixture.coder.member).await.expect("removed");
    assert_eq!(refused(fixture.add(&id, "?").await), Code::NotFound);
    assert_eq!(refused(fixture.complete(&id).await), Code::NotFound);
}

#[tokio::test]
async fn a_cancelled_stream_keeps_its_text_and_refuses_its_producer() {
    let fixture = StreamFixture::new().await;
    let tom = fixture.test.person("Tom").await;
    fixture.test.join(&fixture.project, &tom).await;
    for who in [&fixture.mara, &tom, &fixture.test.admin, &fixture.coder] {
        let id = fixture.begin_with(fixture.request("text")).await;
        fixture.add(&id, " so far").await.expect("added");
        let finished = fixture.cancel(who, &id).await.expect("cancelled").message;
        assert_eq!((finished.state, finished.body.as_str()), (State::Cancelled, "text so far"));
        assert_eq!(refused(fixture.add(&id, "more").await), Code::StreamEnded);
        assert_eq!(refused(fixture.complete(&id).await), Code::StreamEnded);
    }
}

#[tokio::test]
async fn in_an_archived_channel_only_the_owner_and_administrators_cancel_streams() {
    let fixture = StreamFixture::new().await;
    let tom = fixture.test.person("Tom").await;
    fixture.test.join(&fixture.project, &tom).await;
    let ids = [fixture.begin().await, fixture.begin().await];
    fixture.hub().archive_channel(&fixture.mara, &fixture.channel, Archival::Archived).await.expect("archived");
    assert_eq!(refused(fixture.cancel(&tom, &ids[0]).await), Code::Archived);
    fixture.cancel(&fixture.mara, &ids[0]).await.expect("cancelled");
    fixture.cancel(&fixture.test.admin, &ids[1]).await.expect("cancelled");
}

#[tokio::test]
async fn a_person_who_left_the_project_cannot_cancel_a_stream() {
    let fixture = StreamFixture::new().await;
    let tom = fixture.test.person("Tom").await;
    fixture.test.join(&fixture.project, &tom).await;
    let id = fixture.begin().await;
    let left = fixture.hub().remove_project_person(&fixture.mara, &fixture.project, &person_id(&tom)).await;
    left.expect("removed");
    assert_eq!(refused(fixture.cancel(&tom, &id).await), Code::NotFound);
}
