use parlour_core::{Code, import::ImportedMessage, message::Attachment};
use serde_json::json;

use crate::fixture::{ImportFixture, code_and_field, foreign_message, into_thread};

fn reply(number: u64, to: &ImportedMessage) -> ImportedMessage {
    ImportedMessage { reply_to: Some(to.id.clone()), ..foreign_message(number, "a reply") }
}

#[tokio::test]
async fn a_reply_to_an_earlier_message_keeps_its_reference() {
    let fixture = ImportFixture::new().await;
    let (first, second) = (foreign_message(1, "first"), foreign_message(2, "second"));
    fixture.import_new(vec![first.clone()]).await;
    let messages = fixture.import_new(vec![second.clone(), reply(3, &second), reply(4, &first)]).await;
    let answered: Vec<_> = messages.into_iter().map(|message| message.reply_to).collect();
    assert_eq!(answered, [None, Some(second.id), Some(first.id)]);
}

#[tokio::test]
async fn a_reference_to_a_missing_message_is_dropped_without_a_refusal() {
    let fixture = ImportFixture::new().await;
    let other = fixture.test.channel(&fixture.mara, &fixture.project, "other").await;
    let elsewhere = fixture.test.post(&fixture.mara, &other, "elsewhere").await.message;
    let later = foreign_message(9, "later");
    let messages = vec![
        reply(1, &foreign_message(99, "never")),
        reply(2, &later),
        ImportedMessage { reply_to: Some(elsewhere.id), ..foreign_message(3, "across") },
        ImportedMessage { reply_to: Some(foreign_message(4, "").id), ..foreign_message(4, "to itself") },
        later,
    ];
    let found = fixture.import_new(messages.clone()).await;
    assert!(found.iter().all(|message| message.reply_to.is_none()), "{found:?}");
    assert_eq!(fixture.import(messages).await.expect("known").known, 5, "dropped references do not make a difference");
}

#[tokio::test]
async fn a_reply_in_a_thread_may_reference_the_root_message() {
    let fixture = ImportFixture::new().await;
    let (root, thread) = fixture.thread().await;
    let below = ImportedMessage { reply_to: Some(root.id.clone()), ..foreign_message(1, "below") };
    fixture.hub().import_messages(&fixture.test.admin, into_thread(&thread, vec![below])).await.expect("imported");
    assert_eq!(fixture.history_of(&thread.into()).await[0].reply_to, Some(root.id));
}

#[tokio::test]
async fn unknown_artifacts_are_refused() {
    let fixture = ImportFixture::new().await;
    let unknown: parlour_core::id::ArtifactId = "art_nowhere".parse().expect("an id");
    let carrying = ImportedMessage { artifacts: vec![unknown.clone()], ..foreign_message(2, "see") };
    let refusal = fixture.refusal(vec![foreign_message(1, "fine"), carrying]).await;
    assert_eq!(code_and_field(&refusal), (Code::NotFound, Some("messages[1].artifacts[0]")));
    let file = json!({"filename": "a.txt", "media_type": "text/plain", "size": 1, "artifact_id": unknown});
    let file: Attachment = serde_json::from_value(file).expect("an attachment");
    let refusal = fixture.refusal(vec![ImportedMessage { attachments: vec![file], ..foreign_message(1, "see") }]).await;
    assert_eq!(code_and_field(&refusal), (Code::NotFound, Some("messages[0].attachments[0].artifact_id")));
    assert_eq!(fixture.texts().await, Vec::<String>::new(), "references are checked before anything is stored");
}

#[tokio::test]
async fn an_attachment_with_a_url_is_kept() {
    let fixture = ImportFixture::new().await;
    let file = json!({"filename": "a.txt", "media_type": "text/plain", "size": 1, "url": "https://a.example/a.txt"});
    let file: Attachment = serde_json::from_value(file).expect("an attachment");
    let message = ImportedMessage { attachments: vec![file.clone()], ..foreign_message(1, "see") };
    assert_eq!(fixture.import_new(vec![message]).await[0].attachments, [file]);
}
