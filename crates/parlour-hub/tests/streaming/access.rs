//! Who may write, end and stop an answer.

use parlour_core::{
    Code,
    live::{Complete, Fail},
    message::State,
    step::{FinishStep, StartStep},
    write::Archival,
};

use super::stage::Stage;
use crate::support::{person_id, refused};

#[tokio::test]
async fn only_its_author_writes_an_answer_and_for_others_it_may_not_exist() {
    let stage = Stage::new().await;
    let stranger = stage.test.person("Stranger").await;
    let painter = stage.test.agent(&stage.project, "Painter").await;
    let id = stage.begin_with(stage.request("text")).await;
    let others = [(&stage.mara, Code::Forbidden), (&painter, Code::Forbidden), (&stranger, Code::NotFound)];
    for (who, code) in others {
        let hub = stage.hub();
        let step = StartStep { id: "s".into(), name: "n".into(), input: None };
        assert_eq!(refused(stage.add_as(who, &id, "mine").await), code);
        assert_eq!(refused(hub.beat_stream(who, &id).await), code);
        assert_eq!(refused(hub.start_step(who, &id, step).await), code);
        assert_eq!(refused(hub.finish_step(who, &id, "s", FinishStep::default()).await), code);
        assert_eq!(refused(hub.complete_stream(who, &id, Complete::default()).await), code);
        assert_eq!(refused(hub.fail_stream(who, &id, Fail { reason: "r".into(), ..Fail::default() }).await), code);
    }
    assert_eq!(refused(stage.cancel(&painter, &id).await), Code::Forbidden);
    assert_eq!(refused(stage.cancel(&stranger, &id).await), Code::NotFound);
    assert_eq!(stage.message(&id).await.state, State::Streaming);
}

#[tokio::test]
async fn an_author_who_may_no_longer_read_writes_no_more() {
    let stage = Stage::new().await;
    let secret = stage.test.private_channel(&stage.mara, &stage.project, "secret").await;
    stage.hub().add_channel_member(&stage.mara, &secret, &stage.coder.member).await.expect("added");
    let request = parlour_core::post::PostMessage { channel_id: Some(secret.clone()), ..stage.request("text") };
    let id = stage.begin_with(request).await;
    stage.add(&id, "!").await.expect("added");
    stage.hub().remove_channel_member(&stage.mara, &secret, &stage.coder.member).await.expect("removed");
    assert_eq!(refused(stage.add(&id, "?").await), Code::NotFound);
    assert_eq!(refused(stage.complete(&id).await), Code::NotFound);
}

#[tokio::test]
async fn people_stop_an_answer_and_its_producer_learns_of_it() {
    let stage = Stage::new().await;
    let tom = stage.test.person("Tom").await;
    stage.test.join(&stage.project, &tom).await;
    for who in [&stage.mara, &tom, &stage.test.admin, &stage.coder] {
        let id = stage.begin_with(stage.request("text")).await;
        stage.add(&id, " so far").await.expect("added");
        let finished = stage.cancel(who, &id).await.expect("cancelled").message;
        assert_eq!((finished.state, finished.body.as_str()), (State::Cancelled, "text so far"));
        assert_eq!(refused(stage.add(&id, "more").await), Code::StreamEnded);
        assert_eq!(refused(stage.complete(&id).await), Code::StreamEnded);
    }
}

#[tokio::test]
async fn in_an_archived_channel_only_the_owner_and_administrators_stop_answers() {
    let stage = Stage::new().await;
    let tom = stage.test.person("Tom").await;
    stage.test.join(&stage.project, &tom).await;
    let ids = [stage.begin().await, stage.begin().await];
    stage.hub().archive_channel(&stage.mara, &stage.channel, Archival::Archived).await.expect("archived");
    assert_eq!(refused(stage.cancel(&tom, &ids[0]).await), Code::Archived);
    stage.cancel(&stage.mara, &ids[0]).await.expect("cancelled");
    stage.cancel(&stage.test.admin, &ids[1]).await.expect("cancelled");
}

#[tokio::test]
async fn somebody_who_left_the_project_stops_nothing() {
    let stage = Stage::new().await;
    let tom = stage.test.person("Tom").await;
    stage.test.join(&stage.project, &tom).await;
    let id = stage.begin().await;
    let left = stage.hub().remove_project_person(&stage.mara, &stage.project, &person_id(&tom)).await;
    left.expect("removed");
    assert_eq!(refused(stage.cancel(&tom, &id).await), Code::NotFound);
}
