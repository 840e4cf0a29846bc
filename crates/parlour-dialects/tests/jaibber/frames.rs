//! Decoding of frames, and native messages encoded as frames.

use parlour_core::{
    Timestamp,
    author::{Author, AuthorType},
    id::{ArtifactId, ChannelId, MessageId, ProjectId},
    message::{Attachment, Kind, Message, State},
    model_visibility,
};
use parlour_dialects::{DecodeContext, Frame, Item, jaibber};
use serde_json::{Map, Value, json};

use crate::support::decode_context;

fn frame(frame_type: &str, more: Value) -> Value {
    let more: Map<String, Value> = serde_json::from_value(more).expect("object");
    let mut frame = json!({
        "from": "u1", "fromUsername": "Coder", "projectId": "p1", "text": "Hello", "messageId": "m1", "type": frame_type,
    });
    frame.as_object_mut().expect("object").extend(more);
    frame
}

fn decoded(frame_type: &str, more: Value) -> Item {
    jaibber::decode(frame(frame_type, more), &decode_context()).expect("a frame")
}

/// A native message of an author of this type.
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
    assert_eq!((message.from, message.body.as_str(), message.created_at), (from, "Hello", decode_context().now));
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
fn typing_has_the_id_of_the_answer_and_preserves_its_own() {
    let Item { frame, message } = decoded("typing", json!({"responseId": "r1", "agentName": "Coder", "text": ""}));
    assert_eq!((frame, message.id.as_str(), message.body.as_str()), (Frame::Typing, "msg_f_r1", ""));
    assert_eq!(message.metadata["jaibber"], json!({"isUntimed": true, "messageId": "m1"}));
}

#[test]
fn chunks_and_the_response_have_the_same_message_id() {
    let (chunk, response) = (decoded("chunk", json!({"agentName": "Coder"})), decoded("response", json!({})));
    assert_eq!((chunk.frame, response.frame), (Frame::Piece, Frame::Message));
    assert_eq!((&chunk.message.id, &chunk.message.from), (&response.message.id, &response.message.from));
    let from = Author { author_type: AuthorType::Agent, id: Some("jaibber:u1/Coder".into()), name: "Coder".into() };
    assert_eq!((response.message.from, response.message.kind), (from, Kind::Assistant));
}

#[test]
fn depth_and_chain_are_the_cause_with_unchanged_names() {
    let more = json!({"responseDepth": 2, "respondingChain": ["coder", "TESTER"]});
    for frame_type in ["response", "done"] {
        let cause = decoded(frame_type, more.clone()).message.cause.expect("a cause");
        assert_eq!((cause.depth, cause.chain), (2, vec!["coder".to_owned(), "TESTER".to_owned()]));
    }
    assert_eq!(decoded("response", json!({})).message.cause, None);
}

#[test]
fn an_error_is_a_failed_answer_hidden_from_models() {
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
fn an_error_too_long_for_a_reason_stays_in_the_body() {
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
fn a_prompt_of_an_agent_has_kind_user_and_an_agent_author() {
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
fn the_parent_message_is_the_reply_target() {
    let message = decoded("message", json!({"parentMessageId": "m0"})).message;
    assert_eq!(message.reply_to, "msg_f_m0".parse().ok());
}

#[test]
fn the_execution_mode_is_stored_where_runners_read_it() {
    let message = decoded("message", json!({"fromUsername": "Mara", "executionMode": "plan"})).message;
    assert_eq!(message.metadata["execution_mode"], "plan");
    assert_eq!(message.metadata["jaibber"], json!({"isUntimed": true}));
}

#[test]
fn files_with_a_web_address_are_attachments_and_all_files_are_preserved() {
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
fn task_events_and_deregistrations_are_signals() {
    for frame_type in ["task-created", "task-updated", "task-deleted", "deregister"] {
        let value = json!({"type": frame_type, "projectId": "p1", "more": null});
        let item = jaibber::decode(value.clone(), &decode_context()).expect("a signal");
        assert_eq!((item.frame, jaibber::encode(&item)), (Frame::Signal, Some(value)));
    }
}

#[test]
fn each_kind_of_message_has_its_frame_type() {
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
fn a_message_hidden_from_models_calls_no_agent() {
    for author_type in [AuthorType::Host, AuthorType::System, AuthorType::Tool] {
        let frame = said(Message { body: "@Coder hi".into(), ..native(author_type) });
        let frame = jaibber::AblyMessage::from_value(frame).expect("a frame");
        let me = jaibber::RespondingAgent::new("Coder", "c1");
        let decision = jaibber::decide(&frame, "c2", &me, |_| false);
        assert_eq!(decision, jaibber::Decision::Pass(jaibber::PassReason::TaskNote), "{author_type:?}");
    }
}

#[test]
fn an_author_without_id_and_name_gets_an_account() {
    let from = Author { author_type: AuthorType::Person, id: None, name: String::new() };
    let message = Message { from, ..native(AuthorType::Person) };
    let frame = said(message.clone());
    assert_eq!((&frame["from"], &frame["fromUsername"]), (&json!("nobody"), &json!("")));
    assert_eq!(jaibber::decode(frame, &decode_context()).expect("own frame").message, message);
}

#[test]
fn a_failed_answer_is_encoded_with_its_reason_and_survives() {
    let message = Message { state: State::Failed, reason: Some("out of tokens".into()), ..native(AuthorType::Agent) };
    let frame = said(message.clone());
    assert_eq!(frame["text"], "Agent error: out of tokens");
    assert_eq!(jaibber::decode(frame, &decode_context()).expect("own frame").message, message);
    let silent = said(Message { reason: None, body: String::new(), ..message });
    assert_eq!(silent["text"], "Agent error: it failed");
}

#[test]
fn a_typing_agent_has_two_ids() {
    let item = Item { frame: Frame::Typing, message: Message { body: String::new(), ..native(AuthorType::Agent) } };
    let frame = jaibber::encode(&item).expect("agents type");
    assert_eq!(frame["responseId"], item.message.id.as_str());
    assert_eq!(frame["messageId"], format!("{}-typing", item.message.id));
}

#[test]
fn typing_of_people_and_steps_are_not_encoded() {
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
    assert_eq!(jaibber::decode(frame, &decode_context()).expect("own frame").message, message);
}
