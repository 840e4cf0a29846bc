//! What frames mean, and how native messages are said in them.

use parlour_core::{
    Timestamp,
    author::{Author, AuthorType},
    id::{ArtifactId, ChannelId, MessageId, ProjectId},
    message::{Attachment, Kind, Message, State},
    model_visibility,
};
use parlour_dialects::{DecodeContext, Frame, Item, jaibber};
use serde_json::{Map, Value, json};

use crate::support::scene;

fn frame(frame_type: &str, more: Value) -> Value {
    let more: Map<String, Value> = serde_json::from_value(more).expect("object");
    let mut frame = json!({
        "from": "u1", "fromUsername": "Coder", "projectId": "p1", "text": "Hello", "messageId": "m1", "type": frame_type,
    });
    frame.as_object_mut().expect("object").extend(more);
    frame
}

fn decoded(frame_type: &str, more: Value) -> Item {
    jaibber::decode(frame(frame_type, more), &scene()).expect("a frame")
}

/// A native message of this sort of author.
fn native(author_type: AuthorType) -> Message {
    let from = Author { author_type, id: Some("agt_1".into()), name: "Coder".into() };
    let (project, channel) = (ProjectId::from_bits(1), ChannelId::from_bits(2).into());
    Message::plain(MessageId::from_bits(3), project, channel, from, "Hello".into(), Timestamp::from_millis(5))
}

fn said(message: Message) -> Value {
    jaibber::encode(&Item::message(message)).expect("every message can be said")
}

#[test]
fn a_persons_message_is_a_message() {
    let Item { frame, message } = decoded("message", json!({"fromUsername": "Mara", "executionMode": "auto"}));
    assert_eq!((frame, message.kind, message.state), (Frame::Message, Kind::User, State::Complete));
    assert_eq!((message.id.as_str(), message.project_id.as_str()), ("msg_f_m1", "prj_f_p1"));
    assert_eq!(message.to, "chn_f_p1".parse::<ChannelId>().expect("id").into());
    let from = Author { author_type: AuthorType::Person, id: Some("jaibber:u1".into()), name: "Mara".into() };
    assert_eq!((message.from, message.body.as_str(), message.created_at), (from, "Hello", scene().now));
    assert_eq!(message.metadata["jaibber"], json!({"isUntimed": true}));
}

#[test]
fn a_frame_has_no_time_and_a_native_message_keeps_its_own() {
    let later = DecodeContext::live(Timestamp::from_millis(9_000));
    let untimed = decoded("message", json!({"fromUsername": "Mara"}));
    let frame = jaibber::encode(&untimed).expect("said");
    assert_eq!(frame.get("parlour"), None);
    assert_eq!(jaibber::decode(frame, &later).expect("own frame").message.created_at, later.now);
    let frame = said(native(AuthorType::Person));
    assert_eq!(frame["parlour"]["created_at"], "1970-01-01T00:00:00.005Z");
    assert_eq!(jaibber::decode(frame, &later).expect("own frame").message, native(AuthorType::Person));
}

#[test]
fn typing_is_about_the_answer_and_keeps_its_own_id() {
    let Item { frame, message } = decoded("typing", json!({"responseId": "r1", "agentName": "Coder", "text": ""}));
    assert_eq!((frame, message.id.as_str(), message.body.as_str()), (Frame::Typing, "msg_f_r1", ""));
    assert_eq!(message.metadata["jaibber"], json!({"isUntimed": true, "messageId": "m1"}));
}

#[test]
fn chunks_and_the_response_are_about_one_message() {
    let (chunk, response) = (decoded("chunk", json!({"agentName": "Coder"})), decoded("response", json!({})));
    assert_eq!((chunk.frame, response.frame), (Frame::Piece, Frame::Message));
    assert_eq!((&chunk.message.id, &chunk.message.from), (&response.message.id, &response.message.from));
    let from = Author { author_type: AuthorType::Agent, id: Some("jaibber:u1/Coder".into()), name: "Coder".into() };
    assert_eq!((response.message.from, response.message.kind), (from, Kind::Assistant));
}

#[test]
fn depth_and_chain_are_the_cause_with_names_as_they_came() {
    let more = json!({"responseDepth": 2, "respondingChain": ["coder", "TESTER"]});
    for frame_type in ["response", "done"] {
        let cause = decoded(frame_type, more.clone()).message.cause.expect("a cause");
        assert_eq!((cause.depth, cause.chain), (2, vec!["coder".to_owned(), "TESTER".to_owned()]));
    }
    assert_eq!(decoded("response", json!({})).message.cause, None);
}

#[test]
fn an_error_is_a_failed_answer_that_no_model_sees() {
    for (text, body, reason) in [
        ("Agent error: out of tokens", "", Some("out of tokens")),
        ("No such file", "", Some("No such file")),
        ("Agent error: ", "", Some("")),
    ] {
        let message = decoded("error", json!({"text": text, "agentName": "Coder"})).message;
        assert_eq!(
            (message.state, message.kind, message.from.author_type),
            (State::Failed, Kind::Assistant, AuthorType::Agent)
        );
        assert_eq!((message.body.as_str(), message.reason.as_deref()), (body, reason), "{text}");
        assert!(!model_visibility::may_reach_model(&message));
    }
}

#[test]
fn an_error_that_is_too_long_for_a_reason_stays_the_text() {
    let text = format!("Agent error: {}", "x".repeat(2_001));
    let message = decoded("error", json!({"text": text})).message;
    assert_eq!((message.body, message.reason, message.state), (text, None, State::Failed));
}

#[test]
fn a_task_note_is_a_notice_and_calls_nobody() {
    for more in [json!({"isTaskNotification": true, "isAgentMessage": true}), json!({"isTaskNotification": true})] {
        let message = decoded("message", more).message;
        assert!(
            message.is_notice && !model_visibility::may_call(&message) && model_visibility::may_reach_model(&message)
        );
    }
    assert!(!decoded("message", json!({"isTaskNotification": false})).message.is_notice);
}

#[test]
fn an_agent_that_prompts_is_an_agent_whose_message_is_a_prompt() {
    for more in [json!({"isAgentMessage": true}), json!({"agentName": "Coder"})] {
        let message = decoded("message", more).message;
        assert_eq!((message.from.author_type, message.kind), (AuthorType::Agent, Kind::User));
    }
    let person = decoded("message", json!({"isAgentMessage": false})).message;
    assert_eq!(person.from.author_type, AuthorType::Person);
}

#[test]
fn two_agents_of_one_account_are_two_authors() {
    let one = decoded("response", json!({"agentName": "Coder"})).message.from;
    let other = decoded("response", json!({"agentName": "Tester", "fromUsername": "Tester"})).message.from;
    assert_ne!(one.id, other.id);
}

#[test]
fn a_quoted_message_is_the_one_that_is_answered() {
    let message = decoded("message", json!({"parentMessageId": "m0"})).message;
    assert_eq!(message.reply_to, "msg_f_m0".parse().ok());
}

#[test]
fn plan_mode_is_where_runners_look_for_it() {
    let message = decoded("message", json!({"fromUsername": "Mara", "executionMode": "plan"})).message;
    assert_eq!(message.metadata["execution_mode"], "plan");
    assert_eq!(message.metadata["jaibber"], json!({"isUntimed": true}));
}

#[test]
fn files_with_a_web_address_are_attachments_and_all_of_them_are_kept() {
    let file = |id: &str, media: &str, url: &str| json!({"id": id, "filename": "a.txt", "mimeType": media, "fileSize": 3, "blobUrl": url});
    let files = json!([
        file("1", "text/plain", "https://files.example/1"),
        file("2", "", "http://files.example/2"),
        file("3", "text/plain", "blob:3"),
    ]);
    let message = decoded("message", json!({"attachments": files})).message;
    let media: Vec<_> = message.attachments.iter().map(|file| file.media_type.as_str()).collect();
    assert_eq!(media, ["text/plain", "application/octet-stream"]);
    assert_eq!(said(message)["attachments"], files);
}

#[test]
fn tasks_and_farewells_are_signals() {
    for frame_type in ["task-created", "task-updated", "task-deleted", "deregister"] {
        let value = json!({"type": frame_type, "projectId": "p1", "more": null});
        let item = jaibber::decode(value.clone(), &scene()).expect("a signal");
        assert_eq!((item.frame, jaibber::encode(&item)), (Frame::Signal, Some(value)));
    }
}

#[test]
fn each_sort_of_message_is_said_by_its_type() {
    let agent = || native(AuthorType::Agent);
    let failed = |state| Message { state, reason: Some("why".into()), ..agent() };
    for (message, frame_type, marks) in [
        (native(AuthorType::Person), "message", json!([null, null, "auto"])),
        (agent(), "response", json!([true, null, null])),
        (Message { kind: Kind::User, ..agent() }, "message", json!([true, null, null])),
        (Message { is_notice: true, ..agent() }, "response", json!([true, true, null])),
        (failed(State::Failed), "error", json!([null, null, null])),
        (failed(State::Cancelled), "error", json!([null, null, null])),
        (failed(State::Interrupted), "error", json!([null, null, null])),
        (Message { state: State::Streaming, ..agent() }, "response", json!([true, true, null])),
        (native(AuthorType::Host), "message", json!([null, true, null])),
        (native(AuthorType::System), "message", json!([null, true, null])),
        (native(AuthorType::Tool), "message", json!([null, true, null])),
        (native(AuthorType::Applet), "message", json!([null, null, "auto"])),
    ] {
        let frame = said(message.clone());
        let found = json!([frame["isAgentMessage"], frame["isTaskNotification"], frame["executionMode"]]);
        assert_eq!((frame["type"].as_str(), found), (Some(frame_type), marks), "{message:?}");
    }
}

#[test]
fn what_no_model_may_see_wakes_no_agent_of_jaibber() {
    for author_type in [AuthorType::Host, AuthorType::System, AuthorType::Tool] {
        let frame = said(Message { body: "@Coder hi".into(), ..native(author_type) });
        let frame = jaibber::AblyMessage::from_value(frame).expect("a frame");
        let me = jaibber::Me::new("Coder", "c1");
        let decision = jaibber::decide(&frame, "c2", &me, |_| false);
        assert_eq!(decision, jaibber::Decision::Pass(jaibber::WhyNot::TaskNote), "{author_type:?}");
    }
}

#[test]
fn somebody_without_id_and_name_has_an_account_all_the_same() {
    let from = Author { author_type: AuthorType::Person, id: None, name: String::new() };
    let message = Message { from, ..native(AuthorType::Person) };
    let frame = said(message.clone());
    assert_eq!((&frame["from"], &frame["fromUsername"]), (&json!("nobody"), &json!("")));
    assert_eq!(jaibber::decode(frame, &scene()).expect("own frame").message, message);
}

#[test]
fn a_failed_answer_is_said_with_its_reason_and_comes_back_with_its_text() {
    let message = Message { state: State::Failed, reason: Some("out of tokens".into()), ..native(AuthorType::Agent) };
    let frame = said(message.clone());
    assert_eq!(frame["text"], "Agent error: out of tokens");
    assert_eq!(jaibber::decode(frame, &scene()).expect("own frame").message, message);
    let silent = said(Message { reason: None, body: String::new(), ..message });
    assert_eq!(silent["text"], "Agent error: it failed");
}

#[test]
fn a_native_agent_at_work_is_told_under_two_ids() {
    let item = Item { frame: Frame::Typing, message: Message { body: String::new(), ..native(AuthorType::Agent) } };
    let frame = jaibber::encode(&item).expect("agents type");
    assert_eq!(frame["responseId"], item.message.id.as_str());
    assert_eq!(frame["messageId"], format!("{}-typing", item.message.id));
}

#[test]
fn people_do_not_type_and_steps_are_not_told() {
    for (frame, author_type) in [
        (Frame::Typing, AuthorType::Person),
        (Frame::Piece, AuthorType::Applet),
        (Frame::Step, AuthorType::Agent),
        (Frame::Signal, AuthorType::Agent),
    ] {
        assert_eq!(jaibber::encode(&Item { frame, message: native(author_type) }), None, "{frame:?}");
    }
}

#[test]
fn native_files_are_named_by_their_artifact_or_address() {
    let file = |artifact_id, url: Option<&str>| Attachment {
        filename: "a.txt".into(),
        media_type: "text/plain".into(),
        size: 3,
        artifact_id,
        url: url.map(str::to_owned),
    };
    let artifact = ArtifactId::from_bits(9);
    let attachments = vec![file(Some(artifact.clone()), None), file(None, Some("https://files.example/a"))];
    let message = Message { attachments, ..native(AuthorType::Person) };
    let frame = said(message.clone());
    assert_eq!(frame["attachments"][0]["id"], artifact.as_str());
    assert_eq!(frame["attachments"][1]["id"], "https://files.example/a");
    assert_eq!(jaibber::decode(frame, &scene()).expect("own frame").message, message);
}
