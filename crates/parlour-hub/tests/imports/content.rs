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
    fixture::{ImportFixture, foreign_author, foreign_message, into_thread},
    support::refused,
};

#[tokio::test]
async fn an_imported_message_keeps_its_author_time_and_content() {
    let fixture = ImportFixture::new().await;
    let step = json!({"id": "s1", "name": "search", "started_at": "1970-01-01T00:00:00Z", "output": 3});
    let step: Step = serde_json::from_value(step).expect("a step");
    let imported = ImportedMessage {
        from: foreign_author(AuthorType::Agent),
        kind: Kind::Assistant,
        content: Some(json!({"cost": 1})),
        state: State::Interrupted,
        reason: Some("the power went".into()),
        steps: vec![step],
        correlation_id: Some("old-1".into()),
        metadata: json!({"pynchy": {"x": 1}}).as_object().expect("an object").clone(),
        ..foreign_message(5, "Here it")
    };
    let message = fixture.import_new(vec![imported.clone()]).await.remove(0);
    assert_eq!((&message.from, message.created_at), (&imported.from, Timestamp::from_millis(5)));
    assert_eq!((message.kind, message.state, &message.reason), (imported.kind, imported.state, &imported.reason));
    assert_eq!((&message.content, &message.steps), (&imported.content, &imported.steps));
    assert_eq!((&message.metadata, &message.correlation_id), (&imported.metadata, &imported.correlation_id));
    assert_eq!((&message.body, &message.id, message.seq), (&imported.body, &imported.id, 1));
}

#[tokio::test]
async fn every_author_type_and_kind_is_kept() {
    let fixture = ImportFixture::new().await;
    let author_types = [
        AuthorType::Person,
        AuthorType::Agent,
        AuthorType::Applet,
        AuthorType::Scheduler,
        AuthorType::Tool,
        AuthorType::Host,
        AuthorType::System,
    ];
    let kinds = [Kind::User, Kind::Assistant, Kind::System, Kind::ToolResult, Kind::Host];
    let pairs: Vec<_> = author_types.iter().flat_map(|author_type| kinds.map(|kind| (*author_type, kind))).collect();
    let imported = pairs.iter().zip(1..).map(|(&(author_type, kind), number)| ImportedMessage {
        from: foreign_author(author_type),
        kind,
        ..foreign_message(number, "said")
    });
    fixture.import_new(imported.collect()).await;
    let found = fixture.history().await.into_iter().map(|message| (message.from.author_type, message.kind));
    assert_eq!(found.collect::<Vec<_>>(), pairs);
}

#[tokio::test]
async fn messages_can_be_imported_into_a_thread() {
    let fixture = ImportFixture::new().await;
    let (_, thread) = fixture.thread().await;
    let request = into_thread(&thread, vec![foreign_message(1, "below")]);
    assert_eq!(fixture.hub().import_messages(&fixture.test.admin, request).await.expect("imported").stored, 1);
    assert_eq!(fixture.history_of(&thread.into()).await[0].body, "below");
}

#[tokio::test]
async fn a_search_finds_imported_messages() {
    let fixture = ImportFixture::new().await;
    fixture.import_new(vec![foreign_message(1, "the purple elephant"), foreign_message(2, "something else")]).await;
    let found = fixture.hub().search(&fixture.mara, &fixture.project, "elephant", &PageRequest::first()).await;
    assert_eq!(found.expect("found").items.len(), 1);
}

#[tokio::test]
async fn an_imported_message_cannot_be_edited_and_only_owner_and_administrators_remove_it() {
    let fixture = ImportFixture::new().await;
    let message = fixture.import_new(vec![foreign_message(1, "as it was")]).await.remove(0);
    for who in [&fixture.test.admin, &fixture.mara, &fixture.coder] {
        let edit = EditMessage { body: "as I like it".into() };
        assert_eq!(refused(fixture.hub().edit_message(who, &message.id, edit).await), Code::Forbidden);
    }
    assert_eq!(refused(fixture.hub().remove_message(&fixture.coder, &message.id).await), Code::Forbidden);
    fixture.hub().remove_message(&fixture.test.admin, &message.id).await.expect("removed");
}
