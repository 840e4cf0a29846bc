//! Redaction and hidden messages: neither packs nor message lists contain them.

use std::io::Cursor;

use parlour_core::{
    Code,
    context::{ContextFormat, ContextRequest},
    message::{Attachment, Kind},
    paging::PageRequest,
    post::PostMessage,
    question::{AnswerOption, NewQuestion},
};
use parlour_hub::use_cases::{HistoryQuery, NewArtifact};
use serde_json::json;

use crate::fixture::ContextFixture;

const FORMATS: [ContextFormat; 4] =
    [ContextFormat::Pack, ContextFormat::Injection, ContextFormat::Native, ContextFormat::Last20];

#[tokio::test]
async fn host_messages_are_in_no_pack_and_no_list() {
    let fixture = ContextFixture::new().await;
    fixture.say(&fixture.mara, "@Coder is the guard up?").await;
    let conversation = fixture.general.clone().into();
    fixture.test.hub.reset_loop_guard(&fixture.mara, &conversation).await.expect("lifted");
    let page = PageRequest::first();
    let said = fixture
        .test
        .hub
        .history(&fixture.coder, &conversation, &HistoryQuery::default(), &page)
        .await
        .expect("history");
    let host = said.items.iter().find(|message| message.kind == Kind::Host).expect("the hub said something");
    for format in FORMATS {
        let made = fixture.context(&fixture.coder, &ContextRequest { format, ..fixture.here() }).await;
        assert!(!made.pack.text.contains(&host.body), "{format:?}: {}", made.pack.text);
        assert!(made.messages.iter().all(|message| message.id != host.id));
        assert!(made.pack.receipt.items.iter().all(|item| item.id != host.id.as_str()));
    }
}

#[tokio::test]
async fn secrets_are_redacted_and_counted_in_every_format() {
    let fixture = ContextFixture::new().await;
    let key = "AKIAIOSFODNN7EXAMPLX";
    let asked = fixture.say(&fixture.mara, &format!("@Coder the key is {key}, keep it safe")).await;
    for format in FORMATS {
        let ask = ContextRequest { format, message_id: Some(asked.clone()), ..fixture.here() };
        let made = fixture.context(&fixture.coder, &ask).await;
        let shown = serde_json::to_string(&(&made.pack, &made.messages)).expect("plain data");
        assert!(!shown.contains(key) && shown.contains("keep it safe"), "{format:?}: {shown}");
        let count: u64 = made.pack.receipt.redactions.iter().map(|count| count.count).sum();
        assert_eq!(count, 1, "{format:?}");
    }
}

#[tokio::test]
async fn secrets_in_tasks_options_and_attachments_are_redacted() {
    let fixture = ContextFixture::new().await;
    let key = ["AKIA", "IOSFODNN7EXAMPLX"].concat();
    let task = fixture.add_task(&format!("Rotate {key}"), Some(&format!("It is {key}."))).await;
    let option = AnswerOption { id: "keep".into(), label: format!("keep {key}"), description: Some(key.clone()) };
    let file = Attachment {
        filename: format!("{key}.txt"),
        media_type: "text/plain".into(),
        size: 3,
        artifact_id: None,
        url: Some(format!("https://example.org/?key={key}")),
    };
    let asked = fixture
        .ask_coder(PostMessage {
            question: Some(NewQuestion { options: vec![option], ..NewQuestion::default() }),
            attachments: vec![file],
            metadata: json!({ "note": key }).as_object().cloned().unwrap_or_default(),
            ..fixture.request("what now?")
        })
        .await;
    let ask = ContextRequest {
        format: ContextFormat::Native,
        message_id: Some(asked.clone()),
        task_id: Some(task),
        ..fixture.here()
    };
    let pack = fixture.context(&fixture.coder, &ask).await.pack;
    let view = fixture.test.hub.message_view(&fixture.coder, &asked).await.expect("a view");
    for shown in [json!(pack), json!(view)] {
        assert!(!shown.to_string().contains(&key), "{shown}");
    }
    let counted: Vec<_> = pack.receipt.redactions.iter().map(|count| (count.kind.as_str(), count.count)).collect();
    assert_eq!(counted, [("aws-key", 3)], "two of the task and one of the option");
    let task = pack.task.expect("the task");
    assert_eq!((task.title.as_str(), task.description.as_deref()), ("Rotate [aws-key 1]", Some("It is [aws-key 1].")));
    for message in [pack.messages.last().expect("the question"), &view] {
        assert_eq!(message.attachments[0].filename, "[aws-key 1].txt");
        assert_eq!(message.question.as_ref().expect("open").options[0].label, "keep [aws-key 1]");
    }
}

#[tokio::test]
async fn host_messages_have_no_view() {
    let fixture = ContextFixture::new().await;
    let conversation = fixture.general.clone().into();
    fixture.test.hub.reset_loop_guard(&fixture.mara, &conversation).await.expect("lifted");
    let page = PageRequest::first();
    let said =
        fixture.test.hub.history(&fixture.mara, &conversation, &HistoryQuery::default(), &page).await.expect("history");
    let host = said.items.iter().find(|message| message.kind == Kind::Host).expect("the hub said something");
    let refused = fixture.test.hub.message_view(&fixture.mara, &host.id).await.expect_err("no view");
    assert_eq!(refused.refusal().map(|refusal| refusal.code), Some(Code::NotFound));
}

#[tokio::test]
async fn attachments_in_message_lists_are_limited_by_the_budget() {
    let fixture = ContextFixture::new().await;
    let file = |number: usize| Attachment {
        filename: format!("{}-{number}.md", "report-of-the-quarter".repeat(6)),
        media_type: "text/markdown".into(),
        size: 9,
        artifact_id: None,
        url: Some("https://example.org/report".into()),
    };
    let attachments = (0..20).map(file).collect();
    let request = PostMessage { attachments, ..fixture.request("@Coder please read these") };
    let asked = fixture.test.hub.post_message(&fixture.mara, request).await.expect("posted").message.id;
    let listed = async |budget| {
        let ask = ContextRequest {
            format: ContextFormat::Native,
            message_id: Some(asked.clone()),
            budget: Some(budget),
            ..fixture.here()
        };
        let pack = fixture.context(&fixture.coder, &ask).await.pack;
        assert!(pack.receipt.used <= budget, "{} of {budget}", pack.receipt.used);
        pack.messages[0].attachments.len()
    };
    assert_eq!(listed(9_000).await, 20);
    let few = listed(600).await;
    assert!(few < 20, "{few}");
}

#[tokio::test]
async fn a_file_of_a_private_channel_is_no_candidate_for_non_members() {
    let fixture = ContextFixture::new().await;
    let ben = fixture.test.person("Ben").await;
    fixture.test.join(&fixture.project, &ben).await;
    let secret = fixture.test.private_channel(&fixture.mara, &fixture.project, "secret").await;
    fixture.test.hub.add_channel_member(&fixture.mara, &secret, &fixture.coder.member).await.expect("added");
    let file = NewArtifact {
        project_id: fixture.project.clone(),
        filename: "zebra.md".into(),
        media_type: "text/markdown".into(),
        conversation_id: secret.clone().into(),
        task_id: None,
    };
    let content = Box::pin(Cursor::new(b"The zebra launch is on Monday.".to_vec()));
    fixture.test.hub.create_artifact(&fixture.mara, file, content).await.expect("file");
    let there = ContextRequest { conversation_id: Some(secret.into()), ..ContextRequest::default() };
    assert!(fixture.context(&fixture.coder, &there).await.pack.text.contains("Monday"));
    let of_ben =
        fixture.context(&ben, &ContextRequest { query: Some("zebra launch".into()), ..fixture.here() }).await.pack;
    let all = serde_json::to_string(&of_ben).expect("plain data");
    assert!(!all.contains("Monday") && !all.contains("zebra.md"), "{all}");
}

#[tokio::test]
async fn private_calls_do_not_change_the_pack_of_other_readers() {
    let fixture = ContextFixture::new().await;
    let ben = fixture.test.person("Ben").await;
    fixture.test.join(&fixture.project, &ben).await;
    let aside = fixture.test.channel(&fixture.mara, &fixture.project, "aside").await;
    fixture.test.post(&fixture.mara, &aside, "@Coder the heron nests in the crane").await;
    let before = fixture.context(&ben, &fixture.here()).await.pack;
    assert!(before.text.contains("heron"), "{}", before.text);
    let secret = fixture.test.private_channel(&fixture.mara, &fixture.project, "secret").await;
    fixture.test.hub.add_channel_member(&fixture.mara, &secret, &fixture.coder.member).await.expect("added");
    for number in 0..60 {
        fixture.test.post(&fixture.mara, &secret, &format!("@Coder psst {number}")).await;
    }
    assert_eq!(fixture.context(&ben, &fixture.here()).await.pack, before);
}

#[tokio::test]
async fn copies_of_one_message_are_shown_at_most_twice() {
    let fixture = ContextFixture::new().await;
    fixture.say(&fixture.mara, "the tide turns at noon, remember the ropes").await;
    for _ in 0..500 {
        fixture.say(&fixture.mara, "buy my boat polish now, it is the best polish there is").await;
    }
    let asked = fixture.say(&fixture.mara, "@Coder when does the tide turn?").await;
    let ask = ContextRequest { message_id: Some(asked), ..fixture.here() };
    let pack = fixture.context(&fixture.coder, &ask).await.pack;
    assert!(pack.text.matches("boat polish").count() <= 2, "{}", pack.text);
    assert!(pack.receipt.used <= pack.receipt.budget);
}
