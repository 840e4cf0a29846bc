use parlour_core::{
    Code,
    id::MessageId,
    live::{AddChunk, Cancel, Complete, Fail},
    post::PostMessage,
    presence::PresenceUpdate,
    step::{FinishStep, StartStep},
};
use proptest::prelude::*;
use serde_json::json;

use super::*;

fn id() -> MessageId {
    "msg_1".parse().expect("id")
}

#[test]
fn the_api_description_contains_every_frame_as_it_is_read() {
    let document = serde_json::to_value(crate::openapi()).expect("JSON");
    let reference = "#/components/schemas/ClientFrame";
    assert_eq!(document["paths"]["/live"]["get"]["x-client-frame"]["$ref"], reference);
    let described = document["components"]["schemas"]["ClientFrame"]["oneOf"].as_array().expect("frames");
    let described: Vec<_> = described.iter().map(|frame| (&frame["properties"]["type"]["enum"][0], frame)).collect();
    assert_eq!(described.iter().map(|(name, _)| *name).collect::<Vec<_>>(), TYPES);
    for (frame, (name, schema)) in frames().iter().zip(described) {
        let sent = serde_json::to_value(frame).expect("JSON");
        assert_eq!((&sent["type"], &schema["additionalProperties"]), (name, &json!(false)));
        assert!(schema["description"].is_string() && schema["properties"]["ref"].is_object(), "{schema}");
        for field in sent.as_object().expect("an object").keys() {
            assert!(schema["properties"][field].is_object(), "{name}: {field} in {schema}");
        }
        for field in schema["required"].as_array().expect("a list") {
            assert!(sent.get(field.as_str().expect("a name")).is_some(), "{name}: {field}");
        }
    }
}

/// One frame of each type, with everything in it.
fn frames() -> Vec<ClientFrame> {
    let step = StartStep { id: "s1".into(), name: "grep".into(), input: Some(json!({"q": 1})) };
    let (message_id, project_id) = (id(), "prj_1".parse().expect("id"));
    vec![
        ClientFrame::SignIn { token: "t".into() },
        ClientFrame::Subscribe { project_id, after: Some("a-7".parse().expect("position")), events_only: true },
        ClientFrame::Unsubscribe { project_id: "prj_1".parse().expect("id") },
        ClientFrame::Post { message: Box::new(PostMessage { body: "hi".into(), ..PostMessage::default() }) },
        ClientFrame::Chunk { message_id: id(), chunk: AddChunk { start: Some(3), text: "x".into() } },
        ClientFrame::Complete { message_id: id(), end: Complete { body: Some("b".into()), ..Complete::default() } },
        ClientFrame::Fail { message_id: id(), end: Fail { reason: "r".into(), ..Fail::default() } },
        ClientFrame::Cancel { message_id: id(), end: Cancel { reason: Some("r".into()) } },
        ClientFrame::Beat { message_id: id() },
        ClientFrame::StartStep { message_id: id(), step },
        ClientFrame::FinishStep { message_id, step_id: "s1".into(), end: FinishStep { output: None, is_error: true } },
        ClientFrame::Presence(PresenceUpdate { runtime: Some("r".into()), ..PresenceUpdate::default() }),
        ClientFrame::Leave {},
        ClientFrame::Typing { conversation_id: "chn_1".parse().expect("id") },
        ClientFrame::Ping {},
    ]
}

#[test]
fn every_frame_survives_a_round_trip() {
    let names: Vec<_> = frames().iter().map(|frame| json!(frame)["type"].as_str().expect("type").to_owned()).collect();
    assert_eq!(names, TYPES);
    for frame in frames() {
        let mut json = json!(frame);
        assert_eq!(read(&json.to_string()), ParsedFrame { reference: None, frame: Ok(frame.clone()) });
        json["ref"] = json!("r-1");
        assert_eq!(read(&json.to_string()), ParsedFrame { reference: Some("r-1".into()), frame: Ok(frame) });
    }
}

#[test]
fn unknown_fields_are_refused_in_every_frame() {
    for frame in frames() {
        let mut json = json!(frame);
        json["louder"] = json!(true);
        let refusal = read(&json.to_string()).frame.expect_err("a further field");
        assert_eq!((refusal.code, refusal.field.as_deref()), (Code::UnknownField, Some("louder")), "{json}");
    }
}

#[track_caller]
fn check(text: &str, code: Code, field: Option<&str>) -> Refusal {
    let refusal = read(text).frame.expect_err(text);
    assert_eq!((refusal.code, refusal.field.as_deref()), (code, field), "{text}: {refusal}");
    refusal
}

#[test]
fn a_refusal_names_the_field() {
    check("", Code::MalformedJson, None);
    check("hello", Code::MalformedJson, None);
    check("[]", Code::WrongShape, None);
    check("{}", Code::WrongShape, Some("type"));
    check(r#"{"type":1}"#, Code::WrongShape, Some("type"));
    check(r#"{"type":"ping","type":"ping"}"#, Code::DuplicateKey, Some("type"));
    check(&"[".repeat(100), Code::TooDeep, Some(&"[0]".repeat(limits::REQUEST_DEPTH_MAX)));
    check(r#"{"type":"subscribe"}"#, Code::WrongShape, Some("project_id"));
    check(r#"{"type":"subscribe","project_id":"chn_1"}"#, Code::WrongShape, Some("project_id"));
    check(r#"{"type":"subscribe","project_id":"prj_1","after":"x"}"#, Code::WrongShape, Some("after"));
    check(r#"{"type":"subscribe","project_id":"prj_1","events_only":"yes"}"#, Code::WrongShape, Some("events_only"));
    check(r#"{"type":"post","message":{"cause":{"depht":1}}}"#, Code::UnknownField, Some("message.cause.depht"));
    check(r#"{"type":"post","message":{"confirm_wide":1}}"#, Code::WrongShape, Some("message.confirm_wide"));
    check(r#"{"type":"complete","message_id":"msg_1","usage":{}}"#, Code::WrongShape, Some("usage.model"));
    check(r#"{"type":"post","message":{"boddy":"x"}}"#, Code::UnknownField, Some("message.boddy"));
    check(r#"{"type":"post","message":[]}"#, Code::WrongShape, Some("message"));
    check(r#"{"type":"chunk","message_id":"msg_1","text":7}"#, Code::WrongShape, Some("text"));
    check(r#"{"type":"chunk","message_id":"msg_1"}"#, Code::WrongShape, Some("text"));
    check(r#"{"type":"chunk","message_id":"msg_1","text":"x","start":-1}"#, Code::WrongShape, Some("start"));
}

#[test]
fn events_only_is_off_by_default() {
    for said in ["", r#","events_only":false"#, r#","events_only":null"#] {
        let frame = read(&format!(r#"{{"type":"subscribe","project_id":"prj_1"{said}}}"#)).frame.expect(said);
        assert!(matches!(frame, ClientFrame::Subscribe { events_only: false, .. }), "{frame:?}");
    }
}

#[test]
fn an_unknown_type_is_refused_with_the_known_ones() {
    let refusal = check(r#"{"type":"shout"}"#, Code::WrongShape, Some("type"));
    assert_eq!(refusal.candidates, TYPES);
}

#[test]
fn the_reference_of_an_invalid_frame_is_returned() {
    assert_eq!(read(r#"{"type":"shout","ref":"é"}"#).reference.as_deref(), Some("é"));
    assert_eq!(read(r#"{"ref":"7","type":"ping","x":1}"#).reference.as_deref(), Some("7"));
}

#[test]
fn a_reference_is_a_string_of_limited_length() {
    let long = "é".repeat(limits::LIVE_REF_CHARS_MAX + 1);
    check(&json!({"type": "ping", "ref": long}).to_string(), Code::OutOfBounds, Some("ref"));
    check(r#"{"type":"ping","ref":7}"#, Code::WrongShape, Some("ref"));
    assert_eq!(read(r#"{"type":"ping","ref":null}"#).frame, Ok(ClientFrame::Ping {}));
}

proptest! {
    #[test]
    fn no_text_causes_a_panic(text in r#".*|\{"type":"[a-z_]*",.*\}"#) {
        let _ = read(&text);
    }
}
