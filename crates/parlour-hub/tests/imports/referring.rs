use parlour_core::{Code, import::ImportedMessage, message::Attachment};
use serde_json::json;

use crate::fixture::{ImportFixture, into_thread, of, old};

fn reply(number: u64, to: &ImportedMessage) -> ImportedMessage {
    ImportedMessage { reply_to: Some(to.id.clone()), ..old(number, "a reply") }
}

#[tokio::test]
async fn a_reply_keeps_what_it_answers_when_that_came_before() {
    let fixture = ImportFixture::new().await;
    let (first, second) = (old(1, "first"), old(2, "second"));
    fixture.take_over(vec![first.clone()]).await;
    let messages = fixture.take_over(vec![second.clone(), reply(3, &second), reply(4, &first)]).await;
    let answered: Vec<_> = messages.into_iter().map(|message| message.reply_to).collect();
    assert_eq!(answered, [None, Some(second.id), Some(first.id)]);
}

#[tokio::test]
async fn a_reply_to_what_is_not_there_is_left_out_without_a_refusal() {
    let fixture = ImportFixture::new().await;
    let other = fixture.test.channel(&fixture.mara, &fixture.project, "other").await;
    let elsewhere = fixture.test.post(&fixture.mara, &other, "elsewhere").await.message;
    let later = old(9, "later");
    let messages = vec![
        reply(1, &old(99, "never")),
        reply(2, &later),
        ImportedMessage { reply_to: Some(elsewhere.id), ..old(3, "across") },
        ImportedMessage { reply_to: Some(old(4, "").id), ..old(4, "to itself") },
        later,
    ];
    let found = fixture.take_over(messages.clone()).await;
    assert!(found.iter().all(|message| message.reply_to.is_none()), "{found:?}");
    assert_eq!(fixture.import(messages).await.expect("known").known, 5, "what was left out is no difference");
}

#[tokio::test]
async fn in_a_thread_the_message_above_it_can_be_answered() {
    let fixture = ImportFixture::new().await;
    let (root, thread) = fixture.thread().await;
    let below = ImportedMessage { reply_to: Some(root.id.clone()), ..old(1, "below") };
    fixture.hub().import_messages(&fixture.test.admin, into_thread(&thread, vec![below])).await.expect("taken over");
    assert_eq!(fixture.history_of(&thread.into()).await[0].reply_to, Some(root.id));
}

#[tokio::test]
async fn artifacts_must_be_there() {
    let fixture = ImportFixture::new().await;
    let unknown: parlour_core::id::ArtifactId = "art_nowhere".parse().expect("an id");
    let carrying = ImportedMessage { artifacts: vec![unknown.clone()], ..old(2, "see") };
    let refusal = fixture.refusal(vec![old(1, "fine"), carrying]).await;
    assert_eq!(of(&refusal), (Code::NotFound, Some("messages[1].artifacts[0]")));
    let file = json!({"filename": "a.txt", "media_type": "text/plain", "size": 1, "artifact_id": unknown});
    let file: Attachment = serde_json::from_value(file).expect("an attachment");
    let refusal = fixture.refusal(vec![ImportedMessage { attachments: vec![file], ..old(1, "see") }]).await;
    assert_eq!(of(&refusal), (Code::NotFound, Some("messages[0].attachments[0].artifact_id")));
    assert_eq!(
        fixture.texts().await,
        Vec::<String>::new(),
        "what a call refers to is looked at before anything is stored"
    );
}

#[tokio::test]
async fn a_file_elsewhere_is_kept_by_its_address() {
    let fixture = ImportFixture::new().await;
    let file = json!({"filename": "a.txt", "media_type": "text/plain", "size": 1, "url": "https://a.example/a.txt"});
    let file: Attachment = serde_json::from_value(file).expect("an attachment");
    let message = ImportedMessage { attachments: vec![file.clone()], ..old(1, "see") };
    assert_eq!(fixture.take_over(vec![message]).await[0].attachments, [file]);
}
