//! Who may write, end and stop an answer.

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
async fn only_its_author_writes_an_answer_and_for_others_it_may_not_exist() {
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
async fn an_author_who_may_no_longer_read_writes_no_more() {
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
async fn people_stop_an_answer_and_its_producer_learns_of_it() {
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
async fn in_an_archived_channel_only_the_owner_and_administrators_stop_answers() {
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
async fn somebody_who_left_the_project_stops_nothing() {
    let fixture = StreamFixture::new().await;
    let tom = fixture.test.person("Tom").await;
    fixture.test.join(&fixture.project, &tom).await;
    let id = fixture.begin().await;
    let left = fixture.hub().remove_project_person(&fixture.mara, &fixture.project, &person_id(&tom)).await;
    left.expect("removed");
    assert_eq!(refused(fixture.cancel(&tom, &id).await), Code::NotFound);
}
