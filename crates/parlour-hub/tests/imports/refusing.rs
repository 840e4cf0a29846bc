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
    fixture::{ImportFixture, into_channel, of, old},
    support::refused,
};

#[tokio::test]
async fn only_administrators_take_over_messages() {
    let fixture = ImportFixture::new().await;
    let request = || into_channel(&fixture.channel, vec![old(1, "x")]);
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
async fn a_private_channel_of_others_is_not_there_for_administrators() {
    let fixture = ImportFixture::new().await;
    let hidden = fixture.test.private_channel(&fixture.mara, &fixture.project, "hidden").await;
    let absent = "chn_nowhere".parse().expect("an id");
    for channel in [hidden, absent] {
        let failure =
            fixture.hub().import_messages(&fixture.test.admin, into_channel(&channel, vec![old(1, "x")])).await;
        let failure = failure.expect_err("refused");
        assert_eq!(of(failure.refusal().expect("a refusal")), (Code::NotFound, None));
    }
}

#[tokio::test]
async fn exactly_one_conversation_is_named() {
    let fixture = ImportFixture::new().await;
    let request = ImportMessages { channel_id: None, thread_id: None, messages: vec![old(1, "x")] };
    let failure = fixture.hub().import_messages(&fixture.test.admin, request).await.expect_err("refused");
    assert_eq!(of(failure.refusal().expect("a refusal")), (Code::WrongShape, Some("channel_id")));
}

#[tokio::test]
async fn an_archived_channel_takes_nothing_new_and_knows_what_it_has() {
    let fixture = ImportFixture::new().await;
    fixture.take_over(vec![old(1, "x")]).await;
    fixture.hub().archive_channel(&fixture.mara, &fixture.channel, Archival::Archived).await.expect("archived");
    let refusal = fixture.refusal(vec![old(1, "x"), old(2, "y")]).await;
    assert_eq!(of(&refusal), (Code::Archived, None));
    assert_eq!(fixture.import(vec![old(1, "x")]).await.expect("known").known, 1);
}

#[tokio::test]
async fn an_author_can_never_be_a_member() {
    let fixture = ImportFixture::new().await;
    let mara = fixture.mara.author();
    for from in [mara, fixture.coder.author(), Author::host()] {
        let refusal = fixture.refusal(vec![old(1, "fine"), ImportedMessage { from, ..old(2, "x") }]).await;
        assert_eq!(of(&refusal), (Code::WrongShape, Some("messages[1].from.id")));
    }
    let named = Author { author_type: AuthorType::Person, id: Some("pynchy:1".into()), name: "a\u{7}b".into() };
    let refusal = fixture.refusal(vec![ImportedMessage { from: named, ..old(1, "x") }]).await;
    assert_eq!(of(&refusal), (Code::ControlCharacter, Some("messages[0].from.name")));
    assert_eq!(fixture.texts().await, Vec::<String>::new(), "a bad request stores nothing at all");
}

#[tokio::test]
async fn nothing_comes_from_the_future_and_nothing_is_still_written() {
    let fixture = ImportFixture::new().await;
    let now = parlour_hub::ports::Clock::now(fixture.test.clock.as_ref());
    let at = |millis| ImportedMessage { created_at: Timestamp::from_millis(now.as_millis() + millis), ..old(1, "x") };
    assert_eq!(of(&fixture.refusal(vec![at(1)]).await), (Code::OutOfBounds, Some("messages[0].created_at")));
    let streaming = ImportedMessage { state: State::Streaming, ..old(1, "x") };
    assert_eq!(of(&fixture.refusal(vec![streaming]).await), (Code::WrongShape, Some("messages[0].state")));
    assert_eq!(fixture.take_over(vec![at(0)]).await[0].created_at, now);
}

#[tokio::test]
async fn a_call_is_neither_empty_nor_too_long() {
    let fixture = ImportFixture::new().await;
    assert_eq!(of(&fixture.refusal(Vec::new()).await), (Code::OutOfBounds, Some("messages")));
    let many = (0..=limits::IMPORT_MESSAGES_MAX as u64).map(|number| old(number, "x")).collect();
    assert_eq!(of(&fixture.refusal(many).await), (Code::OutOfBounds, Some("messages")));
}
