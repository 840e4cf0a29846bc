use parlour_core::{
    Code, Timestamp,
    author::AuthorType,
    import::ImportedMessage,
    message::{Kind, State},
    paging::PageRequest,
    step::Step,
};
use parlour_hub::use_cases::EditMessage;
use serde_json::json;

use crate::{
    fixture::{ImportFixture, into_thread, old, stranger},
    support::refused,
};

#[tokio::test]
async fn a_message_keeps_its_author_its_time_and_what_it_said() {
    let fixture = ImportFixture::new().await;
    let step = json!({"id": "s1", "name": "search", "started_at": "1970-01-01T00:00:00Z", "output": 3});
    let step: Step = serde_json::from_value(step).expect("a step");
    let taken = ImportedMessage {
        from: stranger(AuthorType::Agent),
        kind: Kind::Assistant,
        content: Some(json!({"cost": 1})),
        state: State::Interrupted,
        reason: Some("the power went".into()),
        steps: vec![step],
        correlation_id: Some("old-1".into()),
        metadata: json!({"pynchy": {"x": 1}}).as_object().expect("an object").clone(),
        ..old(5, "Here it")
    };
    let message = fixture.take_over(vec![taken.clone()]).await.remove(0);
    assert_eq!((&message.from, message.created_at), (&taken.from, Timestamp::from_millis(5)));
    assert_eq!((message.kind, message.state, &message.reason), (taken.kind, taken.state, &taken.reason));
    assert_eq!((&message.content, &message.steps), (&taken.content, &taken.steps));
    assert_eq!((&message.metadata, &message.correlation_id), (&taken.metadata, &taken.correlation_id));
    assert_eq!((&message.body, &message.id, message.seq), (&taken.body, &taken.id, 1));
}

#[tokio::test]
async fn every_sort_of_author_and_kind_stands_as_it_was() {
    let fixture = ImportFixture::new().await;
    let sorts = [
        AuthorType::Person,
        AuthorType::Agent,
        AuthorType::Applet,
        AuthorType::Scheduler,
        AuthorType::Tool,
        AuthorType::Host,
        AuthorType::System,
    ];
    let kinds = [Kind::User, Kind::Assistant, Kind::System, Kind::ToolResult, Kind::Host];
    let pairs: Vec<_> = sorts.iter().flat_map(|sort| kinds.map(|kind| (*sort, kind))).collect();
    let taken = pairs.iter().zip(1..).map(|(&(sort, kind), number)| ImportedMessage {
        from: stranger(sort),
        kind,
        ..old(number, "said")
    });
    fixture.take_over(taken.collect()).await;
    let found = fixture.history().await.into_iter().map(|message| (message.from.author_type, message.kind));
    assert_eq!(found.collect::<Vec<_>>(), pairs);
}

#[tokio::test]
async fn a_thread_takes_messages_too() {
    let fixture = ImportFixture::new().await;
    let (_, thread) = fixture.thread().await;
    let request = into_thread(&thread, vec![old(1, "below")]);
    assert_eq!(fixture.hub().import_messages(&fixture.test.admin, request).await.expect("taken over").stored, 1);
    assert_eq!(fixture.history_of(&thread.into()).await[0].body, "below");
}

#[tokio::test]
async fn a_search_finds_what_was_taken_over() {
    let fixture = ImportFixture::new().await;
    fixture.take_over(vec![old(1, "the purple elephant"), old(2, "something else")]).await;
    let found = fixture.hub().search(&fixture.mara, &fixture.project, "elephant", &PageRequest::first()).await;
    assert_eq!(found.expect("found").items.len(), 1);
}

#[tokio::test]
async fn only_the_owner_and_administrators_remove_it_and_nobody_changes_its_text() {
    let fixture = ImportFixture::new().await;
    let message = fixture.take_over(vec![old(1, "as it was")]).await.remove(0);
    for who in [&fixture.test.admin, &fixture.mara, &fixture.coder] {
        let edit = EditMessage { body: "as I like it".into() };
        assert_eq!(refused(fixture.hub().edit_message(who, &message.id, edit).await), Code::Forbidden);
    }
    assert_eq!(refused(fixture.hub().remove_message(&fixture.coder, &message.id).await), Code::Forbidden);
    fixture.hub().remove_message(&fixture.test.admin, &message.id).await.expect("removed");
}
