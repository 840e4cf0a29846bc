//! Envelopes between agents: decoding, round trips and refusals.

mod support;

use parlour_core::{
    Refusal, Timestamp,
    author::AuthorType,
    message::{Kind, Message, State},
    model_visibility::may_reach_model,
};
use parlour_dialects::{
    Dialect, Item,
    a2a::{self, NotAllowed, error_envelope, signature_base, subject_for},
};
use proptest::{option, prelude::*};
use serde_json::{Map, Value, json};
use support::{any_message, any_text, convert_and_return, decode_context};

fn request() -> Value {
    json!({
        "spec": "a2a/1",
        "type": "request",
        "id": "7d7c0ff6-6f52-4b27-9a56-111122223333",
        "correlation_id": "c-1",
        "time": "2025-09-04T15:33:20.000Z",
        "from_id": "planner",
        "to_id": "coder",
        "intent": "delegate",
        "context": {"task_id": "t1", "batch_id": "b1", "project_id": "demo"},
        "payload": {"body": "Please review the change."},
    })
}

fn with(name: &str, value: Value) -> Value {
    let mut envelope = request();
    envelope[name] = value;
    envelope
}

fn without(name: &str) -> Value {
    let mut envelope = request();
    envelope.as_object_mut().expect("an object").remove(name);
    envelope
}

fn read(envelope: Value) -> Result<Message, Refusal> {
    a2a::decode(envelope, &decode_context()).map(|item| item.message)
}

#[test]
fn a_request_is_decoded() {
    let message = read(request()).expect("a message");
    assert_eq!(message.id.as_str(), "msg_f_7d7c0ff6-6f52-4b27-9a56-111122223333");
    assert_eq!((message.from.id.as_deref(), message.from.author_type), (Some("a2a:planner"), AuthorType::Agent));
    assert_eq!((message.kind, message.state), (Kind::Assistant, State::Complete));
    assert_eq!((message.body.as_str(), &message.content), ("Please review the change.", &None));
    assert_eq!((message.correlation_id.as_deref(), message.project_id.as_str()), (Some("c-1"), "prj_f_demo"));
    assert_eq!(message.context.task_id.expect("a task").as_str(), "tsk_f_t1");
    assert_eq!(message.context.batch_id.expect("a batch").as_str(), "bat_f_b1");
    assert_eq!(message.metadata["a2a"], json!({"type": "request", "to_id": "coder", "intent": "delegate"}));
}

#[test]
fn two_agents_share_one_conversation_in_both_directions() {
    let mut answer = with("from_id", "coder".into());
    answer["to_id"] = "planner".into();
    assert_eq!(read(answer).expect("a message").to, read(request()).expect("a message").to);
    let broadcast = read(without("to_id")).expect("a message").to;
    assert_eq!(broadcast.as_str(), "chn_f_a2a");
}

#[test]
fn an_answer_replies_to_its_causation_id() {
    let message = read(with("causation_id", "q-1".into())).expect("a message");
    assert_eq!(message.reply_to.expect("a message").as_str(), "msg_f_q-1");
}

#[test]
fn the_body_is_the_readable_text_of_the_payload() {
    for (payload, body, content) in [
        (json!("plain"), "plain", Some(json!("plain"))),
        (json!({"body": "b"}), "b", None),
        (json!({"body": "b", "content": [1]}), "b", Some(json!([1]))),
        (json!({"text": "t", "n": 1}), "t", Some(json!({"text": "t", "n": 1}))),
        (json!({"message": "m"}), "m", Some(json!({"message": "m"}))),
        (json!({"n": 1}), "```json\n{\n  \"n\": 1\n}\n```", Some(json!({"n": 1}))),
        (json!(["```"]), "````json\n[\n  \"```\"\n]\n````", Some(json!(["```"]))),
        (json!(5), "```json\n5\n```", Some(json!(5))),
        (Value::Null, "", None),
    ] {
        let envelope = with("payload", payload.clone());
        let message = read(envelope.clone()).expect("a message");
        assert_eq!((message.body.as_str(), message.content), (body, content), "{payload}");
        assert_eq!(convert_and_return(Dialect::A2a, Dialect::Native, &envelope), Some(envelope));
    }
}

#[test]
fn an_error_fails_with_its_reason_and_never_reaches_a_model() {
    for (payload, reason) in [
        (json!({"error": "forbidden", "reason": "sender_not_allowed"}), Some("forbidden: sender_not_allowed")),
        (json!({"error": "timeout"}), Some("timeout")),
        (json!({"reason": "gone"}), Some("gone")),
        (json!({"body": "It broke", "error": "timeout"}), Some("timeout")),
        (json!({"n": 1}), None),
    ] {
        let mut envelope = with("type", "error".into());
        envelope["payload"] = payload.clone();
        let message = read(envelope.clone()).expect("a message");
        assert_eq!((message.state, message.reason.as_deref()), (State::Failed, reason), "{payload}");
        assert!(!may_reach_model(&message) && !message.body.is_empty());
        assert_eq!(convert_and_return(Dialect::A2a, Dialect::Zen, &envelope), Some(envelope));
    }
}

#[test]
fn a_broadcast_has_other_field_names_and_no_id() {
    let broadcast = json!({
        "spec": "a2a/1", "type": "event", "from": "planner", "intent": "status_update",
        "ts": "2025-09-04T15:33:20.123456+00:00", "payload": {"text": "done"},
    });
    let message = read(broadcast.clone()).expect("a message");
    assert_eq!(message.from.id.as_deref(), Some("a2a:planner"));
    assert!(message.id.as_str().starts_with("msg_h_"), "{}", message.id);
    assert_eq!(message.id, read(broadcast.clone()).expect("a message").id, "the same each time");
    assert_eq!(convert_and_return(Dialect::A2a, Dialect::Native, &broadcast), Some(broadcast));
}

#[test]
fn wrong_fields_are_refused_by_their_names() {
    for (name, value, field) in [
        ("spec", Value::Null, "spec"),
        ("spec", json!("a2a/2"), "spec"),
        ("spec", json!(1), "spec"),
        ("type", Value::Null, "type"),
        ("type", json!("shout"), "type"),
        ("type", json!([]), "type"),
        ("id", json!(5), "id"),
        ("time", json!("soon"), "time"),
        ("time", json!(5), "time"),
        ("from_id", json!({}), "from_id"),
        ("to_id", json!([]), "to_id"),
        ("intent", json!(1), "intent"),
        ("correlation_id", json!(1), "correlation_id"),
        ("causation_id", json!(1), "causation_id"),
        ("context", json!("demo"), "context"),
        ("context", json!({"task_id": 1}), "context.task_id"),
        ("context", json!({"batch_id": []}), "context.batch_id"),
        ("context", json!({"project_id": {}}), "context.project_id"),
        ("context", json!({"parlour": 5}), "context.parlour"),
        ("context", json!({"parlour": {"seq": "x"}}), "context.parlour.seq"),
        ("absent", json!([]), "absent"),
    ] {
        let refused = read(with(name, value.clone())).expect_err("wrong");
        assert_eq!(refused.field.as_deref(), Some(field), "{name}: {value}");
    }
    let nameless = json!({"spec": "a2a/1", "type": "event"});
    assert_eq!(read(nameless).expect_err("no id").field.as_deref(), Some("id"));
    for value in [Value::Null, json!([]), json!(1), json!("x")] {
        assert!(read(value).expect_err("no envelope").detail.contains("object"));
    }
}

#[test]
fn the_refusal_of_a_type_or_version_lists_the_known_ones() {
    assert_eq!(read(with("spec", "a2a/9".into())).expect_err("version").candidates, ["a2a/1"]);
    assert_eq!(read(with("type", "shout".into())).expect_err("type").candidates.len(), 4);
}

#[test]
fn a_native_message_becomes_an_event_a_response_or_an_error() {
    let plain = Message { metadata: Map::new(), ..read(request()).expect("a message") };
    let reply_to = Some("msg_2".parse().expect("an id"));
    let reason = Some("no time".to_owned());
    for (message, name, payload) in [
        (plain.clone(), "event", json!({"body": "Please review the change."})),
        (Message { reply_to, ..plain.clone() }, "response", json!({"body": "Please review the change."})),
        (
            Message { state: State::Failed, reason, ..plain.clone() },
            "error",
            json!({"body": "Please review the change.", "error": "no time"}),
        ),
        (
            Message { content: Some(json!({"n": 1})), ..plain },
            "event",
            json!({"body": "Please review the change.", "content": {"n": 1}}),
        ),
    ] {
        let envelope = a2a::encode(&Item::message(message)).expect("an envelope");
        assert_eq!((&envelope["type"], &envelope["payload"]), (&json!(name), &payload));
        assert_eq!((&envelope["spec"], &envelope["from_id"]), (&json!("a2a/1"), &json!("planner")));
    }
}

#[test]
fn native_fields_without_a_counterpart_are_in_the_context() {
    let mut message = Message { seq: 7, ..read(request()).expect("a message") };
    message.is_notice = true;
    let envelope = a2a::encode(&Item::message(message.clone())).expect("an envelope");
    assert_eq!(envelope["context"]["parlour"], json!({"seq": 7, "is_notice": true}));
    assert_eq!(read(envelope), Ok(message));
}

#[test]
fn the_subject_is_of_the_task_or_receiver_or_sender_or_all() {
    let subject = |value: Value| subject_for(&value).expect("a subject");
    let base = |more: Value| {
        let mut envelope = json!({"spec": "a2a/1", "type": "event"});
        more.as_object().expect("an object").iter().for_each(|(name, value)| envelope[name] = value.clone());
        envelope
    };
    assert_eq!(subject(request()), "a2a.task.t1.rpc");
    assert_eq!(subject(with("type", "response".into())), "a2a.task.t1.rpc");
    assert_eq!(subject(with("type", "event".into())), "a2a.task.t1.events");
    assert_eq!(subject(with("type", "error".into())), "a2a.task.t1.events");
    assert_eq!(subject(without("context")), "a2a.agent.coder.in");
    assert_eq!(subject(base(json!({"from_id": "planner"}))), "a2a.agent.planner.out");
    assert_eq!(subject(base(json!({"from_id": "planner", "to_id": "chn_1"}))), "a2a.agent.planner.out");
    assert_eq!(subject(base(json!({}))), "a2a.events");
}

#[test]
fn an_id_with_several_subject_tokens_is_refused() {
    for id in ["", "a.b", "*", ">", "a b", "a\tb", "a\0", "a\u{a0}b"] {
        let mut envelope = without("context");
        envelope["to_id"] = id.into();
        assert_eq!(subject_for(&envelope).expect_err("no token").field.as_deref(), Some("to_id"), "{id:?}");
        let task = with("context", json!({"task_id": id}));
        assert_eq!(subject_for(&task).expect_err("no token").field.as_deref(), Some("context.task_id"), "{id:?}");
    }
    assert!(subject_for(&Value::Null).is_err() && subject_for(&json!({"type": 5})).is_err());
}

#[test]
fn a_rejected_envelope_gets_an_error_envelope() {
    let at = Timestamp::from_millis(0);
    for (why, reason) in [(NotAllowed::Sender, "sender_not_allowed"), (NotAllowed::Type, "type_not_allowed")] {
        let answer = error_envelope(why, at);
        assert_eq!(answer["message_type"], "error");
        assert_eq!(answer["payload"], json!({"error": "forbidden", "reason": reason}));
        assert_eq!(read(answer).expect("an envelope").reason, Some(format!("forbidden: {reason}")));
    }
}

#[test]
fn a_signature_covers_three_lines_and_the_body() {
    assert_eq!(signature_base("POST", "/a2a/message", "1757000000", b"{}"), b"POST\n/a2a/message\n1757000000\n{}");
}

fn any_payload() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any_text().prop_map(Value::from),
        any_text().prop_map(|body| json!({"body": body})),
        (any_text(), any::<i32>()).prop_map(|(body, n)| json!({"body": body, "content": n})),
        (any_text(), any_text()).prop_map(|(error, reason)| json!({"error": error, "reason": reason})),
        (any_text(), any_text()).prop_map(|(body, error)| json!({"body": body, "error": error})),
        (any_text(), any::<bool>()).prop_map(|(text, b)| json!({"text": text, "b": b, "l": [null, 1.5]})),
    ]
}

fn any_envelope() -> impl Strategy<Value = Value> {
    let types = vec!["request", "response", "event", "error", "rpc_request", "rpc_response"];
    let time = prop_oneof![
        (0..2_000_000_000_000_i64).prop_map(|at| Timestamp::from_millis(at).to_string()),
        Just("2025-09-04T15:33:20.123456+02:00".to_owned()),
    ];
    let id = || prop_oneof!["[a-z0-9-]{1,12}", "[a-z:. ]{0,9}", "msg_[a-z0-9]{1,5}"];
    let tie = || option::of("[a-z0-9: ]{0,6}");
    let intents = vec!["delegate", "request_tool", "status_update", "handoff", "other"];
    let ties = (tie(), tie(), tie(), option::of(any::<bool>()));
    let ends = (option::of(id()), option::of(prop_oneof![id().boxed(), "(chn|dm)_[a-z]{1,4}".boxed()]));
    let optional = (option::of(id()), option::of(id()), option::of(prop::sample::select(intents)));
    (prop::sample::select(types), id(), time, ends, optional, option::of(ties), option::of(any_payload())).prop_map(
        |(envelope_type, id, time, (from, to), (correlation, causation, intent), ties, payload)| {
            let context = ties.map(|(project, task, batch, more)| {
                let mut context = json!({"task_id": task, "batch_id": batch, "more": more});
                project.into_iter().for_each(|id| context["project_id"] = id.into());
                context
            });
            let optional = [
                ("from_id", from.map(Value::from)),
                ("to_id", to.map(Value::from)),
                ("correlation_id", correlation.map(Value::from)),
                ("causation_id", causation.map(Value::from)),
                ("intent", intent.map(Value::from)),
                ("context", context),
                ("payload", payload),
            ];
            let mut envelope = json!({"spec": "a2a/1", "type": envelope_type, "id": id, "time": time});
            for (name, value) in optional {
                value.into_iter().for_each(|value| envelope[name] = value);
            }
            envelope
        },
    )
}

proptest! {
    #[test]
    fn every_envelope_survives_a_round_trip(envelope in any_envelope()) {
        for other in [Dialect::Native, Dialect::Zen, Dialect::A2a] {
            let again = convert_and_return(Dialect::A2a, other, &envelope);
            prop_assert_eq!(again.as_ref(), Some(&envelope), "over {}", other);
        }
    }

    #[test]
    fn any_metadata_survive_a_round_trip(message in any_message(), envelope in any_envelope()) {
        let mut message = message;
        message.metadata.insert("a2a".to_owned(), envelope);
        let item = Item::message(message);
        let again = a2a::decode(a2a::encode(&item).expect("an envelope"), &decode_context());
        prop_assert_eq!(again, Ok(item));
    }

    #[test]
    fn a_subject_never_matches_a_second_receiver(to in any::<String>()) {
        let envelope = json!({"spec": "a2a/1", "type": "event", "to_id": to});
        if let Ok(subject) = subject_for(&envelope) {
            prop_assert!(!subject.contains(['*', '>', ' ']));
            prop_assert!(subject == "a2a.events" || subject.split('.').count() == 4);
        }
    }
}
