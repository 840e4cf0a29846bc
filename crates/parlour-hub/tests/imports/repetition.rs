use parlour_core::{
    Code,
    import::{ImportOutcome, ImportedMessage},
    post::PostMessage,
    rate::{Bucket, Rate, Rates},
};

use crate::{
    fixture::{ImportFixture, code_and_field, foreign_message, into_channel},
    support::{TestHub, refused, say},
};

#[tokio::test]
async fn a_repeated_import_stores_nothing() {
    let fixture = ImportFixture::new().await;
    let messages: Vec<_> = (1..=20).map(|number| foreign_message(number, "x")).collect();
    fixture.import_new(messages.clone()).await;
    let before = fixture.history().await;
    assert_eq!(fixture.import(messages).await.expect("known"), ImportOutcome { stored: 0, known: 20 });
    assert_eq!(fixture.history().await, before);
}

#[tokio::test]
async fn an_interrupted_import_continues_with_the_missing_messages() {
    let fixture = ImportFixture::new().await;
    fixture.import_new(vec![foreign_message(1, "one"), foreign_message(2, "two")]).await;
    let again = vec![foreign_message(1, "one"), foreign_message(2, "two"), foreign_message(3, "three")];
    assert_eq!(fixture.import(again).await.expect("imported over"), ImportOutcome { stored: 1, known: 2 });
    assert_eq!(fixture.texts().await, ["one", "two", "three"]);
}

#[tokio::test]
async fn a_message_listed_twice_is_stored_once() {
    let fixture = ImportFixture::new().await;
    let outcome = fixture
        .import(vec![foreign_message(1, "one"), foreign_message(2, "two"), foreign_message(1, "one")])
        .await
        .expect("imported over");
    assert_eq!((outcome, fixture.texts().await.len()), (ImportOutcome { stored: 2, known: 1 }, 2));
}

#[tokio::test]
async fn an_id_with_other_content_is_refused_by_its_index_and_earlier_messages_stay() {
    let fixture = ImportFixture::new().await;
    fixture.import_new(vec![foreign_message(3, "three")]).await;
    let refusal = fixture
        .refusal(vec![
            foreign_message(1, "one"),
            foreign_message(2, "two"),
            foreign_message(3, "drei"),
            foreign_message(4, "four"),
        ])
        .await;
    assert_eq!(code_and_field(&refusal), (Code::ClientIdReused, Some("messages[2].id")));
    assert!(refusal.detail.contains(foreign_message(3, "").id.as_str()), "{}", refusal.detail);
    assert_eq!(fixture.texts().await, ["three", "one", "two"]);
    for other in [
        ImportedMessage { created_at: foreign_message(9, "").created_at, ..foreign_message(3, "three") },
        ImportedMessage { importance: parlour_core::message::Importance::High, ..foreign_message(3, "three") },
    ] {
        assert_eq!(code_and_field(&fixture.refusal(vec![other]).await), (Code::ClientIdReused, Some("messages[0].id")));
    }
}

#[tokio::test]
async fn an_id_of_another_conversation_is_refused() {
    let fixture = ImportFixture::new().await;
    fixture.import_new(vec![foreign_message(1, "one")]).await;
    let other = fixture.test.channel(&fixture.mara, &fixture.project, "other").await;
    let elsewhere = fixture.test.project(&fixture.mara, "Elsewhere").await;
    let foreign_channel = fixture.test.channel(&fixture.mara, &elsewhere, "far").await;
    for channel in [other, foreign_channel] {
        let request = into_channel(&channel, vec![foreign_message(1, "one")]);
        let failure = fixture.hub().import_messages(&fixture.test.admin, request).await.expect_err("refused");
        assert_eq!(
            code_and_field(failure.refusal().expect("a refusal")),
            (Code::ClientIdReused, Some("messages[0].id"))
        );
    }
}

#[tokio::test]
async fn posts_and_imports_cannot_reuse_each_others_ids() {
    let fixture = ImportFixture::new().await;
    let posted = fixture.test.post(&fixture.mara, &fixture.channel, "hello").await.message;
    let same = ImportedMessage { id: posted.id, ..foreign_message(1, "hello") };
    assert_eq!(code_and_field(&fixture.refusal(vec![same]).await), (Code::ClientIdReused, Some("messages[0].id")));
    let imported = fixture.import_new(vec![foreign_message(2, "hello")]).await.remove(0);
    let request = PostMessage { id: Some(imported.id), ..say(&fixture.channel, "hello") };
    assert_eq!(refused(fixture.hub().post_message(&fixture.mara, request).await), Code::ClientIdReused);
}

#[tokio::test]
async fn a_removed_message_is_not_imported_again() {
    let fixture = ImportFixture::new().await;
    let message = fixture.import_new(vec![foreign_message(1, "one")]).await.remove(0);
    fixture.hub().remove_message(&fixture.mara, &message.id).await.expect("removed");
    assert_eq!(fixture.import(vec![foreign_message(1, "one")]).await.expect("known").known, 1);
    assert_eq!(fixture.texts().await, [""]);
}

#[tokio::test]
async fn a_restarted_hub_recognises_imported_messages() {
    let fixture = ImportFixture::new().await;
    fixture.import_new(vec![foreign_message(1, "one")]).await;
    let request = into_channel(&fixture.channel, vec![foreign_message(1, "one"), foreign_message(2, "two")]);
    let outcome = fixture.test.forgetful().import_messages(&fixture.test.admin, request).await.expect("imported over");
    assert_eq!(outcome, ImportOutcome { stored: 1, known: 1 });
}

#[tokio::test]
async fn imports_do_not_use_the_post_rate_of_the_project() {
    let rates = Rates::off().with(Bucket::Project, Some(Rate { count: 1, burst: 1 }));
    let fixture = ImportFixture::on(TestHub::with_rates(rates).await).await;
    fixture.import_new((1..=50).map(|number| foreign_message(number, "x")).collect()).await;
    fixture.import_new((51..=100).map(|number| foreign_message(number, "x")).collect()).await;
    fixture.test.post(&fixture.mara, &fixture.channel, "there is still room for posts").await;
}
