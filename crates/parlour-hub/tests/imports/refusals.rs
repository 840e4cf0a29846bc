use parlour_core::{
    Code, Timestamp,
    author::{Author, AuthorType},
    import::{ImportMessages, ImportedMessage},
    limits,
    message::State,
    scope::{Scope, Scopes},
    write::Archival,
};

use crate::{
    fixture::{ImportFixture, code_and_field, foreign_message, into_channel},
    support::refused,
};

#[tokio::test]
async fn only_administrators_import_messages() {
    let fixture = ImportFixture::new().await;
    let request = || into_channel(&fixture.channel, vec![foreign_message(1, "x")]);
    assert_eq!(
        refused(fixture.hub().import_messages(&fixture.mara, request()).await),
        Code::Forbidden,
        "not even the owner"
    );
    assert_eq!(refused(fixture.hub().import_messages(&fixture.coder, request()).await), Code::MissingScope);
    let narrow = Scopes::all().without(Scope::Admin);
    let token = fixture.test.narrow_token(&fixture.test.admin, narrow).await;
    let narrow = fixture.hub().sign_in(&token).await.expect("signed in");
    assert_eq!(refused(fixture.hub().import_messages(&narrow, request()).await), Code::MissingScope);
    assert_eq!(fixture.texts().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_private_channel_of_others_is_not_found_for_administrators() {
    let fixture = ImportFixture::new().await;
    let hidden = fixture.test.private_channel(&fixture.mara, &fixture.project, "hidden").await;
    let absent = "chn_nowhere".parse().expect("an id");
    for channel in [hidden, absent] {
        let failure = fixture
            .hub()
            .import_messages(&fixture.test.admin, into_channel(&channel, vec![foreign_message(1, "x")]))
            .await;
        let failure = failure.expect_err("refused");
        assert_eq!(code_and_field(failure.refusal().expect("a refusal")), (Code::NotFound, None));
    }
}

#[tokio::test]
async fn an_import_must_name_exactly_one_conversation() {
    let fixture = ImportFixture::new().await;
    let request = ImportMessages { channel_id: None, thread_id: None, messages: vec![foreign_message(1, "x")] };
    let failure = fixture.hub().import_messages(&fixture.test.admin, request).await.expect_err("refused");
    assert_eq!(code_and_field(failure.refusal().expect("a refusal")), (Code::WrongShape, Some("channel_id")));
}

#[tokio::test]
async fn an_archived_channel_refuses_new_messages_and_recognises_stored_ones() {
    let fixture = ImportFixture::new().await;
    fixture.import_new(vec![foreign_message(1, "x")]).await;
    fixture.hub().archive_channel(&fixture.mara, &fixture.channel, Archival::Archived).await.expect("archived");
    let refusal = fixture.refusal(vec![foreign_message(1, "x"), foreign_message(2, "y")]).await;
    assert_eq!(code_and_field(&refusal), (Code::Archived, None));
    assert_eq!(fixture.import(vec![foreign_message(1, "x")]).await.expect("known").known, 1);
}

#[tokio::test]
async fn members_and_the_hub_cannot_be_imported_authors() {
    let fixture = ImportFixture::new().await;
    let mara = fixture.mara.author();
    for from in [mara, fixture.coder.author(), Author::host()] {
        let refusal = fixture
            .refusal(vec![foreign_message(1, "fine"), ImportedMessage { from, ..foreign_message(2, "x") }])
            .await;
        assert_eq!(code_and_field(&refusal), (Code::WrongShape, Some("messages[1].from.id")));
    }
    let named = Author { author_type: AuthorType::Person, id: Some("pynchy:1".into()), name: "a\u{7}b".into() };
    let refusal = fixture.refusal(vec![ImportedMessage { from: named, ..foreign_message(1, "x") }]).await;
    assert_eq!(code_and_field(&refusal), (Code::ControlCharacter, Some("messages[0].from.name")));
    assert_eq!(fixture.texts().await, Vec::<String>::new(), "a bad request stores nothing at all");
}

#[tokio::test]
async fn future_and_streaming_messages_are_refused() {
    let fixture = ImportFixture::new().await;
    let now = parlour_hub::ports::Clock::now(fixture.test.clock.as_ref());
    let at = |millis| ImportedMessage {
        created_at: Timestamp::from_millis(now.as_millis() + millis),
        ..foreign_message(1, "x")
    };
    assert_eq!(
        code_and_field(&fixture.refusal(vec![at(1)]).await),
        (Code::OutOfBounds, Some("messages[0].created_at"))
    );
    let streaming = ImportedMessage { state: State::Streaming, ..foreign_message(1, "x") };
    assert_eq!(code_and_field(&fixture.refusal(vec![streaming]).await), (Code::WrongShape, Some("messages[0].state")));
    assert_eq!(fixture.import_new(vec![at(0)]).await[0].created_at, now);
}

#[tokio::test]
async fn empty_and_too_long_imports_are_refused() {
    let fixture = ImportFixture::new().await;
    assert_eq!(code_and_field(&fixture.refusal(Vec::new()).await), (Code::OutOfBounds, Some("messages")));
    let many = (0..=limits::IMPORT_MESSAGES_MAX as u64).map(|number| foreign_message(number, "x")).collect();
    assert_eq!(code_and_field(&fixture.refusal(many).await), (Code::OutOfBounds, Some("messages")));
}
