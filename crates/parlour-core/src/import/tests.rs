use proptest::prelude::*;

use super::*;
use crate::{Code, author::AuthorType, id::DmId};

const NOW: i64 = 1_000;

fn now() -> Timestamp {
    Timestamp::from_millis(NOW)
}

fn author(id: &str, name: &str) -> Author {
    Author { author_type: AuthorType::Person, id: Some(id.into()), name: name.into() }
}

fn hello() -> ImportedMessage {
    let json = json!({
        "id": "msg_1",
        "from": {"type": "person", "id": "pynchy:u1", "name": "Mara"},
        "kind": "user",
        "body": "Hello",
        "created_at": "1970-01-01T00:00:00.500Z",
    });
    serde_json::from_value(json).expect("a message")
}

fn request(messages: Vec<ImportedMessage>) -> ImportMessages {
    ImportMessages { channel_id: Some(ChannelId::from_bits(1)), thread_id: None, messages }
}

fn refused(message: &ImportedMessage) -> Refusal {
    message.check(now()).expect_err("refused")
}

fn field_of(message: &ImportedMessage) -> String {
    refused(message).field.expect("a field")
}

fn step(id: &str) -> Step {
    let json = json!({"id": id, "name": "search", "started_at": "1970-01-01T00:00:00Z"});
    serde_json::from_value(json).expect("a step")
}

#[test]
fn an_import_names_either_a_channel_or_a_thread() {
    let channel = request(vec![hello()]);
    assert_eq!(channel.conversation(), Ok(ChannelId::from_bits(1).into()));
    let thread = ImportMessages { channel_id: None, thread_id: Some(ThreadId::from_bits(2)), ..channel.clone() };
    assert_eq!(thread.conversation(), Ok(ThreadId::from_bits(2).into()));
    for (channel_id, thread_id) in [(None, None), (channel.channel_id.clone(), thread.thread_id)] {
        let request = ImportMessages { channel_id, thread_id, ..channel.clone() };
        assert_eq!(request.conversation().expect_err("refused").field.as_deref(), Some("channel_id"));
    }
}

#[test]
fn an_import_has_one_to_the_maximum_of_messages() {
    assert_eq!(request(vec![hello(); limits::IMPORT_MESSAGES_MAX]).check(now()), Ok(()));
    for count in [0, limits::IMPORT_MESSAGES_MAX + 1] {
        let refusal = request(vec![hello(); count]).check(now()).expect_err("refused");
        assert_eq!((refusal.code, refusal.field.as_deref()), (Code::OutOfBounds, Some("messages")));
    }
}

#[test]
fn a_refusal_names_the_index_in_the_list() {
    let bad = ImportedMessage { body: "a\0".into(), ..hello() };
    let refusal = request(vec![hello(), hello(), bad]).check(now()).expect_err("refused");
    assert_eq!(refusal.field.as_deref(), Some("messages[2].body"));
}

#[test]
fn every_author_type_is_accepted_with_every_kind() {
    let sorts = ["person", "agent", "applet", "scheduler", "tool", "host", "system"];
    let kinds = [Kind::User, Kind::Assistant, Kind::System, Kind::ToolResult, Kind::Host];
    for sort in sorts {
        let author_type = serde_json::from_value(json!(sort)).expect("a sort");
        for kind in kinds {
            let from = Author { author_type, ..author("pynchy:u1", "Mara") };
            assert_eq!(ImportedMessage { from, kind, ..hello() }.check(now()), Ok(()), "{sort} {kind:?}");
        }
    }
}

#[test]
fn authors_of_this_hub_are_refused() {
    let member = refused(&ImportedMessage { from: author("per_1", "Mara"), ..hello() });
    assert_eq!((member.code, member.field.as_deref()), (Code::WrongShape, Some("from.id")));
    assert_eq!(field_of(&ImportedMessage { from: Author { id: None, ..hello().from }, ..hello() }), "from.id");
    let long = format!("pynchy:{}", "x".repeat(limits::FOREIGN_AUTHOR_ID_CHARS_MAX));
    for id in ["", "agt_1", "Pynchy:1", "pynchy:", ":1", "a_b:1", "pynchy:a\nb", "pynchy:\u{202e}", &long] {
        assert_eq!(field_of(&ImportedMessage { from: author(id, "Mara"), ..hello() }), "from.id", "{id}");
    }
}

#[test]
fn blank_and_multi_line_author_names_are_refused() {
    let long = "x".repeat(limits::NAME_CHARS_MAX + 1);
    for name in ["", " ", "\u{200b}", "a\nb", "a\u{7}", "a\u{202e}b", &long] {
        assert_eq!(field_of(&ImportedMessage { from: author("pynchy:1", name), ..hello() }), "from.name", "{name:?}");
    }
    let odd = ImportedMessage { from: author("pynchy:1", "Dr. Müller (ops) / 2 🦀"), ..hello() };
    assert_eq!(odd.check(now()), Ok(()), "elsewhere names have other rules");
}

#[test]
fn a_message_from_the_future_is_refused() {
    let at = |millis| ImportedMessage { created_at: Timestamp::from_millis(millis), ..hello() };
    assert_eq!((at(0).check(now()), at(NOW).check(now())), (Ok(()), Ok(())));
    let refusal = refused(&at(NOW + 1));
    assert_eq!((refusal.code, refusal.field.as_deref()), (Code::OutOfBounds, Some("created_at")));
}

#[test]
fn an_imported_message_must_have_ended() {
    for state in [State::Complete, State::Failed, State::Cancelled, State::Interrupted] {
        assert_eq!(ImportedMessage { state, ..hello() }.check(now()), Ok(()), "{state:?}");
    }
    assert_eq!(field_of(&ImportedMessage { state: State::Streaming, ..hello() }), "state");
}

#[test]
fn a_blank_body_needs_other_content_or_a_failed_state() {
    let blank = ImportedMessage { body: " \n".into(), ..hello() };
    assert_eq!(field_of(&blank), "body");
    for saying in [
        ImportedMessage { content: Some(json!({"a": 1})), ..blank.clone() },
        ImportedMessage { artifacts: vec![ArtifactId::from_bits(1)], ..blank.clone() },
        ImportedMessage { steps: vec![step("s1")], ..blank.clone() },
        ImportedMessage { state: State::Failed, ..blank },
    ] {
        assert_eq!(saying.check(now()), Ok(()));
    }
}

#[test]
fn the_limits_are_those_of_posts_and_named_by_field() {
    let attachment = json!({"filename": "a", "media_type": "text/plain", "size": 1});
    let attachment: Attachment = serde_json::from_value(attachment).expect("an attachment");
    let cases = [
        ("body", ImportedMessage { body: "x".repeat(limits::MESSAGE_BODY_BYTES_MAX + 1), ..hello() }),
        ("content", ImportedMessage { content: Some(json!("x".repeat(limits::MESSAGE_CONTENT_BYTES_MAX))), ..hello() }),
        (
            "metadata",
            ImportedMessage {
                metadata: Map::from_iter([("a".into(), json!("x".repeat(limits::MESSAGE_METADATA_BYTES_MAX)))]),
                ..hello()
            },
        ),
        ("correlation_id", ImportedMessage { correlation_id: Some("a b".into()), ..hello() }),
        ("attachments[0].artifact_id", ImportedMessage { attachments: vec![attachment.clone()], ..hello() }),
        ("attachments", ImportedMessage { attachments: vec![attachment; 21], ..hello() }),
        ("artifacts", ImportedMessage { artifacts: vec![ArtifactId::from_bits(1); 21], ..hello() }),
        ("steps[1].id", ImportedMessage { steps: vec![step("a"), step("a")], ..hello() }),
        ("reason", ImportedMessage { reason: Some("x".repeat(limits::REASON_CHARS_MAX + 1)), ..hello() }),
    ];
    for (field, message) in cases {
        assert_eq!(field_of(&message), field);
    }
}

#[test]
fn unknown_fields_are_refused() {
    for field in ["mentions", "blocking", "question", "cause", "calls", "seq", "is_notice"] {
        let mut json = serde_json::to_value(hello()).expect("json");
        json[field] = json!(1);
        assert!(serde_json::from_value::<ImportedMessage>(json).is_err(), "{field}");
    }
}

#[test]
fn unknown_fields_of_authors_and_steps_are_refused() {
    let with = |field: &str, value: Value| {
        let mut json = serde_json::to_value(ImportedMessage { steps: vec![step("a")], ..hello() }).expect("json");
        *json.pointer_mut(field).expect("an object") = value;
        serde_json::from_value::<ImportedMessage>(json)
    };
    assert!(with("/from", json!({"type": "tool", "id": "x:1", "name": "X"})).is_ok());
    assert!(with("/from", json!({"type": "tool", "id": "x:1", "name": "X", "role": 1})).is_err());
    assert!(with("/from", json!({"type": "tool", "name": "X"})).is_err(), "an id must be there");
    let sent = json!({"id": "s", "name": "x", "started_at": "1970-01-01T00:00:00Z", "is_error": true});
    assert!(with("/steps/0", sent.clone()).expect("a step").steps[0].is_error);
    let mut other = sent;
    other["cost"] = json!(1);
    assert!(with("/steps/0", other).is_err());
}

#[test]
fn null_means_absent() {
    let mut json = serde_json::to_value(hello()).expect("json");
    for field in
        ["content", "artifacts", "attachments", "importance", "reply_to", "state", "steps", "metadata", "reason"]
    {
        json[field] = Value::Null;
    }
    assert_eq!(serde_json::from_value::<ImportedMessage>(json).expect("a message"), hello());
}

#[test]
fn the_digest_covers_the_message_and_its_conversation() {
    let (here, there) = (ChannelId::from_bits(1).into(), ChannelId::from_bits(2).into());
    let digest = hello().digest(&here);
    assert_eq!(hello().digest(&here), digest);
    assert_ne!(hello().digest(&there), digest);
    for other in [
        ImportedMessage { body: "Hallo".into(), ..hello() },
        ImportedMessage { from: author("pynchy:u1", "Maria"), ..hello() },
        ImportedMessage { created_at: Timestamp::from_millis(501), ..hello() },
        ImportedMessage { reply_to: Some(MessageId::from_bits(9)), ..hello() },
    ] {
        assert_ne!(other.digest(&here), digest);
    }
}

#[test]
fn an_imported_message_keeps_its_fields_and_calls_nobody() {
    let whole = ImportedMessage {
        kind: Kind::Assistant,
        content: Some(json!([1])),
        state: State::Failed,
        reason: Some("gone".into()),
        steps: vec![step("s1")],
        body: "@all look".into(),
        ..hello()
    };
    let message = whole.clone().into_message(ProjectId::from_bits(1), DmId::from_bits(1).into());
    assert_eq!((&message.from, message.created_at), (&whole.from, whole.created_at));
    assert_eq!((message.kind, message.state, &message.reason), (whole.kind, whole.state, &whole.reason));
    assert_eq!((&message.content, &message.steps, &message.body), (&whole.content, &whole.steps, &whole.body));
    assert!(message.mentions.is_empty() && message.calls.is_empty() && message.held.is_empty());
    assert!(!message.blocking && message.question.is_none() && message.cause.is_none());
}

proptest! {
    #[test]
    fn an_accepted_foreign_author_is_no_member(id in ".{0,40}", sort in 0..7_usize) {
        let sorts = ["person", "agent", "applet", "scheduler", "tool", "host", "system"];
        let author_type = serde_json::from_value(json!(sorts[sort])).expect("a sort");
        let from = Author { author_type, ..author(&id, "Mara") };
        let message = ImportedMessage { from, ..hello() };
        if message.check(now()).is_ok() {
            prop_assert_eq!(message.from.member_id(), None);
            prop_assert!(message.from.foreign_system().is_some());
        }
    }

    #[test]
    fn the_wire_form_round_trips(body in ".{1,40}", millis in 0..1_000_i64) {
        let message = ImportedMessage { body, created_at: Timestamp::from_millis(millis), ..hello() };
        let request = request(vec![message]);
        let json = serde_json::to_string(&request).expect("json");
        prop_assert_eq!(serde_json::from_str::<ImportMessages>(&json).expect("own form"), request);
    }
}

/// A value of this many nested lists.
fn deep(levels: usize) -> Value {
    (0..levels).fold(Value::Null, |inner, _| Value::Array(vec![inner]))
}

#[test]
fn values_have_a_nesting_limit() {
    type WithValue = fn(Value) -> ImportedMessage;
    let around = |message: &ImportedMessage| {
        crate::import::levels_of(&serde_json::to_value(request(vec![message.clone()])).expect("JSON"))
    };
    let fields: [(&str, usize, WithValue); 3] = [
        ("content", ImportedMessage::FIELD_LEVELS_MAX, |value| ImportedMessage { content: Some(value), ..hello() }),
        ("metadata", ImportedMessage::FIELD_LEVELS_MAX - 1, |value| ImportedMessage {
            metadata: Map::from_iter([("deep".to_owned(), value)]),
            ..hello()
        }),
        ("steps[0].output", ImportedMessage::FIELD_LEVELS_MAX - 2, |value| ImportedMessage {
            steps: vec![Step { output: Some(value), ..step("a") }],
            ..hello()
        }),
    ];
    for (field, most, holding) in fields {
        let deepest = holding(deep(most));
        assert_eq!((deepest.check(now()), around(&deepest)), (Ok(()), limits::REQUEST_DEPTH_MAX), "{field}");
        let refusal = refused(&holding(deep(most + 1)));
        assert_eq!((refusal.code, refusal.field.as_deref()), (Code::TooDeep, Some(field)));
    }
}
