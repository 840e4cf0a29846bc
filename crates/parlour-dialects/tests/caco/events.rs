//! Decoding of events.

use parlour_core::{
    author::{Author, AuthorType},
    id::ChannelId,
    message::{Kind, Message},
    step::Step,
};
use parlour_dialects::{Frame, Item, caco};
use serde_json::{Value, json};

use crate::support::decode_context;

fn read(event: Value) -> Item {
    caco::decode(event, &decode_context()).expect("an event")
}

fn event(name: &str, data: Value) -> Value {
    json!({"type": name, "id": "e-1", "timestamp": "2026-02-06T09:00:00.000Z", "data": data})
}

#[test]
fn a_prompt_is_a_message_with_the_id_and_time_of_its_event() {
    let Item { frame, message } = read(event("user.message", json!({"content": "Hi", "correlationId": "c-1"})));
    assert_eq!((frame, message.kind, message.body.as_str()), (Frame::Message, Kind::User, "Hi"));
    assert_eq!((message.id.as_str(), message.correlation_id.as_deref()), ("msg_f_e-1", Some("c-1")));
    assert_eq!(message.created_at.to_string(), "2026-02-06T09:00:00.000Z");
}

#[test]
fn an_answer_has_an_agent_as_author_and_its_message_id() {
    let Item { frame, message } = read(event("assistant.message", json!({"messageId": "m-1", "content": "Done."})));
    assert_eq!((frame, message.kind, message.body.as_str()), (Frame::Message, Kind::Assistant, "Done."));
    assert_eq!((message.id.as_str(), message.from.id.as_deref()), ("msg_f_m-1", Some("caco:assistant")));
    assert_eq!(message.metadata["caco"], json!({"event": {"id": "e-1"}}));
}

#[test]
fn the_tool_requests_of_an_answer_are_its_steps() {
    let calls = json!([{"toolCallId": "t-1", "name": "bash", "arguments": {"command": "ls"}, "type": "function"}]);
    let said = event("assistant.message", json!({"messageId": "m-1", "content": "", "toolRequests": calls}));
    let message = read(said).message;
    let [step] = message.steps.as_slice() else { panic!("one step: {:?}", message.steps) };
    assert_eq!((step.id.as_str(), step.name.as_str()), ("t-1", "bash"));
    assert_eq!((&step.input, step.finished_at), (&Some(json!({"command": "ls"})), None));
}

#[test]
fn a_chunk_has_the_id_of_its_answer() {
    let Item { frame, message } =
        read(event("assistant.message_delta", json!({"messageId": "m-1", "deltaContent": "Do"})));
    assert_eq!((frame, message.id.as_str(), message.body.as_str()), (Frame::Piece, "msg_f_m-1", "Do"));
}

#[test]
fn the_start_of_a_turn_is_typing() {
    let Item { frame, message } = read(event("assistant.turn_start", json!({"turnId": "0"})));
    assert_eq!((frame, message.from.author_type, message.body.as_str()), (Frame::Typing, AuthorType::Agent, ""));
}

fn step(name: &str, data: Value) -> (Frame, Step) {
    let Item { frame, message } = read(event(name, data));
    assert_eq!(message.steps.len(), 1, "one step");
    (frame, message.steps[0].clone())
}

#[test]
fn a_tool_start_is_a_started_step() {
    for field in ["arguments", "input"] {
        let (frame, step) =
            step("tool.execution_start", json!({"toolCallId": "t-1", "toolName": "bash", field: {"command": "ls"}}));
        assert_eq!((frame, step.id.as_str(), step.name.as_str()), (Frame::Step, "t-1", "bash"));
        assert_eq!((step.input, step.output, step.finished_at), (Some(json!({"command": "ls"})), None, None));
    }
}

#[test]
fn a_finished_tool_call_is_a_finished_step() {
    let ended = |data: Value| {
        let (frame, step) = step("tool.execution_complete", data);
        assert!(frame == Frame::Step && step.finished_at.is_some());
        (step.is_error, step.output)
    };
    let (good, bad) = (json!({"content": "a.rs"}), json!({"message": "no"}));
    assert_eq!(ended(json!({"toolCallId": "t", "success": true, "result": good})), (false, Some(good.clone())));
    assert_eq!(ended(json!({"toolCallId": "t", "success": false, "error": bad})), (true, Some(bad.clone())));
    assert_eq!(ended(json!({"toolCallId": "t", "error": bad})), (true, Some(bad.clone())));
    assert_eq!(ended(json!({"toolCallId": "t", "success": false, "result": good, "error": bad})), (true, Some(good)));
    assert_eq!(ended(json!({"toolCallId": "t"})), (false, None));
}

#[test]
fn session_messages_never_reach_a_model() {
    for name in ["session.error", "session.warning", "session.info"] {
        let Item { frame, message } = read(event(name, json!({"message": "No answer came."})));
        assert_eq!((frame, message.kind, message.body.as_str()), (Frame::Message, Kind::Host, "No answer came."));
        assert_eq!(
            message.from,
            Author { author_type: AuthorType::Host, id: Some("caco:host".into()), name: "Caco".into() }
        );
    }
}

#[test]
fn permanent_context_is_a_system_message() {
    let message = read(event("system.message", json!({"content": "Be brief.", "name": "rules"}))).message;
    assert_eq!((message.kind, message.body.as_str(), message.from.name.as_str()), (Kind::System, "Be brief.", "rules"));
}

#[test]
fn a_socket_frame_gives_the_session_of_its_event() {
    let inner = event("assistant.message", json!({"messageId": "m-1", "content": "Done."}));
    let wrapped = json!({"type": "event", "sessionId": "s-1", "event": inner});
    let message = read(wrapped).message;
    assert_eq!(message.to, "chn_f_s-1".parse::<ChannelId>().expect("an id").into());
    assert_eq!(message.from.id.as_deref(), Some("caco:s-1"), "the agent is known by its session");
}

#[test]
fn other_events_are_signals_and_stay_complete() {
    for name in [
        "session.idle",
        "session.compaction_start",
        "session.compaction_complete",
        "assistant.intent",
        "assistant.reasoning",
        "assistant.turn_end",
        "tool.execution_progress",
        "tool.execution_partial_result",
        "caco.embed",
        "caco.agent",
        "caco.applet",
        "caco.scheduler",
        "something.new",
        "",
    ] {
        for value in [event(name, json!({"content": "x"})), json!({"type": name}), json!({"type": name, "data": 5})] {
            let item = read(value.clone());
            assert_eq!((item.frame, item.as_signal("caco")), (Frame::Signal, Some(&value)));
            assert_eq!(caco::encode(&item), Some(value));
        }
    }
}

#[test]
fn a_signal_has_the_time_of_its_event() {
    assert_eq!(read(event("session.idle", json!({}))).message.created_at.to_string(), "2026-02-06T09:00:00.000Z");
    assert_eq!(read(json!({"type": "session.idle"})).message.created_at, decode_context().now);
}

#[test]
fn a_prompt_of_an_unknown_source_is_a_signal() {
    let value = event("user.message", json!({"content": "How to read PDF", "source": "skill-pdf"}));
    assert_eq!(read(value).frame, Frame::Signal);
}

#[test]
fn events_without_an_id_get_one_from_their_content() {
    let id = |content: &str, time: &str| {
        read(json!({"type": "user.message", "timestamp": time, "data": {"content": content}})).message.id
    };
    let (morning, evening) = ("2026-02-06T09:00:00.000Z", "2026-02-06T19:00:00.000Z");
    assert_eq!(id("x", morning), id("x", morning));
    assert_ne!(id("x", morning), id("y", morning));
    assert_ne!(id("x", morning), id("x", evening));
}

#[test]
fn messages_of_other_systems_are_encoded_as_events() {
    let event_of = |author_type, kind: Kind| {
        let from = Author { author_type, id: Some("agt_1".into()), name: "Coder".into() };
        let plain = read(event("user.message", json!({"content": "Hi"}))).message;
        let item = Item::message(Message { from, kind, metadata: serde_json::Map::new(), ..plain });
        let event = caco::encode_broadcast(&item).expect("a message");
        (event["type"].as_str().unwrap_or_default().to_owned(), event["data"].clone())
    };
    let is = |name: &str, data: Value| (name.to_owned(), data);
    assert_eq!(
        event_of(AuthorType::Agent, Kind::User),
        is("user.message", json!({"content": "Hi", "source": "agent", "fromSession": "agt_1"}))
    );
    assert_eq!(
        event_of(AuthorType::Agent, Kind::Assistant),
        is("assistant.message", json!({"content": "Hi", "messageId": "e-1"}))
    );
    assert_eq!(event_of(AuthorType::Host, Kind::Host), is("session.info", json!({"message": "Hi"})));
    assert_eq!(
        event_of(AuthorType::Tool, Kind::ToolResult),
        is("system.message", json!({"content": "Hi", "name": "Coder"}))
    );
    assert_eq!(event_of(AuthorType::Host, Kind::User).0, "system.message", "a host is not a person");
}
