//! What never comes into a pack, and what changes nothing in it.

use std::io::Cursor;

use parlour_core::{
    Code,
    context::{ContextFormat, ContextRequest},
    message::{Attachment, Kind},
    paging::PageRequest,
    post::PostMessage,
    question::{AnswerOption, Ask},
};
use parlour_hub::use_cases::{HistoryQuery, NewArtifact};
use serde_json::json;

use crate::stage::Stage;

const FORMATS: [ContextFormat; 4] =
    [ContextFormat::Pack, ContextFormat::Injection, ContextFormat::Native, ContextFormat::Last20];

#[tokio::test]
async fn what_the_hub_says_itself_is_in_no_pack_and_in_no_list() {
    let stage = Stage::new().await;
    stage.say(&stage.mara, "@Coder is the guard up?").await;
    let place = stage.general.clone().into();
    stage.test.hub.reset_loop_guard(&stage.mara, &place).await.expect("lifted");
    let page = PageRequest::first();
    let said = stage.test.hub.history(&stage.coder, &place, &HistoryQuery::default(), &page).await.expect("history");
    let host = said.items.iter().find(|message| message.kind == Kind::Host).expect("the hub said something");
    for format in FORMATS {
        let made = stage.context(&stage.coder, &ContextRequest { format, ..stage.here() }).await;
        assert!(!made.pack.text.contains(&host.body), "{format:?}: {}", made.pack.text);
        assert!(made.messages.iter().all(|message| message.id != host.id));
        assert!(made.pack.receipt.items.iter().all(|item| item.id != host.id.as_str()));
    }
}

#[tokio::test]
async fn a_secret_is_gone_from_every_form_and_counted() {
    let stage = Stage::new().await;
    let key = "AKIAIOSFODNN7EXAMPLX";
    let asked = stage.say(&stage.mara, &format!("@Coder the key is {key}, keep it safe")).await;
    for format in FORMATS {
        let ask = ContextRequest { format, message_id: Some(asked.clone()), ..stage.here() };
        let made = stage.context(&stage.coder, &ask).await;
        let shown = serde_json::to_string(&(&made.pack, &made.messages)).expect("plain data");
        assert!(!shown.contains(key) && shown.contains("keep it safe"), "{format:?}: {shown}");
        let count: u64 = made.pack.receipt.redactions.iter().map(|count| count.count).sum();
        assert_eq!(count, 1, "{format:?}");
    }
}

#[tokio::test]
async fn a_secret_beside_a_text_is_gone_too() {
    let stage = Stage::new().await;
    let key = ["AKIA", "IOSFODNN7EXAMPLX"].concat();
    let task = stage.give(&format!("Rotate {key}"), Some(&format!("It is {key}."))).await;
    let option = AnswerOption { id: "keep".into(), label: format!("keep {key}"), description: Some(key.clone()) };
    let file = Attachment {
        filename: format!("{key}.txt"),
        media_type: "text/plain".into(),
        size: 3,
        artifact_id: None,
        url: Some(format!("https://example.org/?key={key}")),
    };
    let asked = stage
        .ask_coder(PostMessage {
            question: Some(Ask { options: vec![option], ..Ask::default() }),
            attachments: vec![file],
            metadata: json!({ "note": key }).as_object().cloned().unwrap_or_default(),
            ..stage.request("what now?")
        })
        .await;
    let ask = ContextRequest {
        format: ContextFormat::Native,
        message_id: Some(asked.clone()),
        task_id: Some(task),
        ..stage.here()
    };
    let pack = stage.context(&stage.coder, &ask).await.pack;
    let view = stage.test.hub.message_view(&stage.coder, &asked).await.expect("a view");
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
async fn what_the_hub_says_itself_has_no_view() {
    let stage = Stage::new().await;
    let place = stage.general.clone().into();
    stage.test.hub.reset_loop_guard(&stage.mara, &place).await.expect("lifted");
    let page = PageRequest::first();
    let said = stage.test.hub.history(&stage.mara, &place, &HistoryQuery::default(), &page).await.expect("history");
    let host = said.items.iter().find(|message| message.kind == Kind::Host).expect("the hub said something");
    let refused = stage.test.hub.message_view(&stage.mara, &host.id).await.expect_err("no view");
    assert_eq!(refused.refusal().map(|refusal| refusal.code), Some(Code::NotFound));
}

#[tokio::test]
async fn files_are_named_in_lists_as_far_as_there_is_room() {
    let stage = Stage::new().await;
    let file = |number: usize| Attachment {
        filename: format!("{}-{number}.md", "report-of-the-quarter".repeat(6)),
        media_type: "text/markdown".into(),
        size: 9,
        artifact_id: None,
        url: Some("https://example.org/report".into()),
    };
    let attachments = (0..20).map(file).collect();
    let request = PostMessage { attachments, ..stage.request("@Coder please read these") };
    let asked = stage.test.hub.post_message(&stage.mara, request).await.expect("posted").message.id;
    let listed = async |budget| {
        let ask = ContextRequest {
            format: ContextFormat::Native,
            message_id: Some(asked.clone()),
            budget: Some(budget),
            ..stage.here()
        };
        let pack = stage.context(&stage.coder, &ask).await.pack;
        assert!(pack.receipt.used <= budget, "{} of {budget}", pack.receipt.used);
        pack.messages[0].attachments.len()
    };
    assert_eq!(listed(9_000).await, 20);
    let few = listed(600).await;
    assert!(few < 20, "{few}");
}

#[tokio::test]
async fn a_file_of_a_private_channel_is_no_candidate_for_those_outside() {
    let stage = Stage::new().await;
    let ben = stage.test.person("Ben").await;
    stage.test.join(&stage.project, &ben).await;
    let secret = stage.test.private_channel(&stage.mara, &stage.project, "secret").await;
    stage.test.hub.add_channel_member(&stage.mara, &secret, &stage.coder.member).await.expect("added");
    let file = NewArtifact {
        project_id: stage.project.clone(),
        filename: "zebra.md".into(),
        media_type: "text/markdown".into(),
        conversation_id: Some(secret.clone().into()),
        task_id: None,
    };
    let content = Box::pin(Cursor::new(b"The zebra launch is on Monday.".to_vec()));
    stage.test.hub.create_artifact(&stage.mara, file, content).await.expect("file");
    let there = ContextRequest { conversation_id: Some(secret.into()), ..ContextRequest::default() };
    assert!(stage.context(&stage.coder, &there).await.pack.text.contains("Monday"));
    let of_ben = stage.context(&ben, &ContextRequest { query: Some("zebra launch".into()), ..stage.here() }).await.pack;
    let all = serde_json::to_string(&of_ben).expect("plain data");
    assert!(!all.contains("Monday") && !all.contains("zebra.md"), "{all}");
}

#[tokio::test]
async fn calls_in_private_take_no_place_from_those_in_the_open() {
    let stage = Stage::new().await;
    let ben = stage.test.person("Ben").await;
    stage.test.join(&stage.project, &ben).await;
    let aside = stage.test.channel(&stage.mara, &stage.project, "aside").await;
    stage.test.post(&stage.mara, &aside, "@Coder the heron nests in the crane").await;
    let before = stage.context(&ben, &stage.here()).await.pack;
    assert!(before.text.contains("heron"), "{}", before.text);
    let secret = stage.test.private_channel(&stage.mara, &stage.project, "secret").await;
    stage.test.hub.add_channel_member(&stage.mara, &secret, &stage.coder.member).await.expect("added");
    for number in 0..60 {
        stage.test.post(&stage.mara, &secret, &format!("@Coder psst {number}")).await;
    }
    assert_eq!(stage.context(&ben, &stage.here()).await.pack, before);
}

#[tokio::test]
async fn many_copies_of_one_message_take_the_place_of_one() {
    let stage = Stage::new().await;
    stage.say(&stage.mara, "the tide turns at noon, remember the ropes").await;
    for _ in 0..500 {
        stage.say(&stage.mara, "buy my boat polish now, it is the best polish there is").await;
    }
    let asked = stage.say(&stage.mara, "@Coder when does the tide turn?").await;
    let ask = ContextRequest { message_id: Some(asked), ..stage.here() };
    let pack = stage.context(&stage.coder, &ask).await.pack;
    assert!(pack.text.matches("boat polish").count() <= 2, "{}", pack.text);
    assert!(pack.receipt.used <= pack.receipt.budget);
}
