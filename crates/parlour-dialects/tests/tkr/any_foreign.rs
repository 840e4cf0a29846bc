//! Generators of TKR messages and rows.

use proptest::{collection::vec, option, prelude::*, sample::select};
use serde_json::{Map, Value, json};

use crate::support::any_text;

fn any_json() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any_text().prop_map(Value::from)
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![vec(inner.clone(), 0..3).prop_map(Value::from), object(inner).prop_map(Value::Object)]
    })
    .boxed()
}

fn object(value: impl Strategy<Value = Value>) -> impl Strategy<Value = Map<String, Value>> {
    let name =
        prop_oneof![3 => "[a-z_]{1,6}", 1 => select(vec!["text", "content", "tkr", "id"]).prop_map(str::to_owned)];
    vec((name, value), 0..3).prop_map(|fields| fields.into_iter().collect())
}

/// Arbitrary ids, never empty.
fn id() -> impl Strategy<Value = String> {
    prop_oneof!["msg_[0-9]{13}", "[0-9a-f]{8}-[0-9a-f]{4}", "(agt|chn|tsk|msg|per)_[a-z]{1,3}", "f_[a-z]", ".{1,12}"]
}

fn time() -> impl Strategy<Value = String> {
    let moment = "20[0-9]{2}-0[1-9]-[12][0-8]T[01][0-9]:[0-5][0-9]:[0-5][0-9]";
    let rest = "(\\.[0-9]{1,6})?(Z|\\+00:00|-05:30)?";
    prop_oneof![2 => (moment, "\\.[0-9]{3}Z"), 1 => (moment, rest)].prop_map(|(moment, rest)| moment + &rest)
}

fn content() -> BoxedStrategy<Value> {
    prop_oneof![3 => any_text().prop_map(Value::from), 1 => object(any_json()).prop_map(Value::Object)].boxed()
}

/// The fields that any message may have, some of them null.
fn common() -> BoxedStrategy<Map<String, Value>> {
    let ids = (option::weighted(0.3, id()), option::weighted(0.3, id()), option::weighted(0.2, id()));
    let flags = (option::of(any::<bool>()), option::of(any::<bool>()));
    let metadata = option::weighted(0.4, object(any_json()).prop_map(Value::Object));
    let strange = vec(("x_[a-z]{1,3}", any_json()), 0..2);
    (ids, flags, metadata, strange)
        .prop_map(|((to, reply, task), (streaming, turn_complete), metadata, strange)| {
            let mut fields = map(json!({
                "to_agent": to, "in_reply_to": reply, "task_id": task, "streaming": streaming,
                "turn_complete": turn_complete, "metadata": metadata,
            }));
            fields.extend(strange);
            fields
        })
        .boxed()
}

/// The fields that belong to certain types, some of them null. Any message may carry them.
fn specific() -> BoxedStrategy<Map<String, Value>> {
    let texts = vec(option::weighted(0.2, any_text()), 4);
    let values = vec(option::weighted(0.2, any_json()), 3);
    let targets = option::weighted(0.2, vec(any_text(), 0..3));
    (texts, values, targets, option::weighted(0.2, any::<bool>()))
        .prop_map(|(texts, values, targets, recoverable)| {
            map(json!({
                "status": texts[0], "action": texts[1], "error_code": texts[2], "severity": texts[3],
                "context_data": values[0], "result": values[1], "error_details": values[2],
                "target_agents": targets, "recoverable": recoverable,
            }))
        })
        .boxed()
}

/// The type and the sender of a message, with the fields that the type requires.
fn type_and_sender() -> BoxedStrategy<Value> {
    prop_oneof![
        of_user(),
        of_agent("text"),
        select(vec!["agent_message", "context_update", "system", "error"]).prop_flat_map(of_agent),
        of_nobody(),
    ]
    .boxed()
}

fn of_user() -> BoxedStrategy<Value> {
    (content(), option::of(Just("")))
        .prop_map(
            |(content, agent)| json!({"type": "text", "from_user": true, "from_agent": agent, "content": content}),
        )
        .boxed()
}

fn of_agent(message_type: &'static str) -> BoxedStrategy<Value> {
    let content = option::weighted(0.8, content());
    (id(), content, option::of(Just(false)), id())
        .prop_map(move |(agent, content, from_user, context)| {
            let content = content.or((message_type == "error").then(|| "".into()));
            let mut fields =
                json!({"type": message_type, "from_agent": agent, "from_user": from_user, "content": content});
            if message_type == "context_update" {
                fields["context_id"] = context.into();
            }
            fields
        })
        .boxed()
}

fn of_nobody() -> BoxedStrategy<Value> {
    let message_type = select(vec!["system", "error", "task_update"]);
    let content = option::weighted(0.8, content());
    (message_type, id(), content, option::of(Just("")))
        .prop_map(|(message_type, task, content, agent)| {
            let content = content.or((message_type == "error").then(|| "".into()));
            let mut fields = json!({"type": message_type, "content": content, "from_agent": agent, "from_user": null});
            if message_type == "task_update" {
                fields["task_id"] = task.into();
            }
            fields
        })
        .boxed()
}

/// Any valid message in the standard form, as it is encoded again.
pub fn any_standard() -> BoxedStrategy<Value> {
    let frame = (id(), id(), time(), any::<bool>());
    (frame, type_and_sender(), common(), specific())
        .prop_map(|((id, session, time, has_nulls), type_and_sender, common, specific)| {
            let mut message = common;
            message.extend(specific);
            message.extend(map(type_and_sender));
            message.extend(map(json!({"id": id, "session_id": session, "timestamp": time})));
            message.retain(|_, value| has_nulls || !value.is_null());
            Value::Object(message)
        })
        .boxed()
}

/// Any heartbeat.
pub fn any_signal() -> BoxedStrategy<Value> {
    let message_type = select(vec!["ping", "pong", "ack"]);
    let base = (option::of(id()), option::of(id()), option::of(time()));
    (message_type, base, common())
        .prop_map(|(message_type, (id, session, time), common)| {
            let mut message = common;
            message.extend(map(json!({"type": message_type, "id": id, "session_id": session, "timestamp": time})));
            message.retain(|_, value| !value.is_null());
            Value::Object(message)
        })
        .boxed()
}

/// Any row of the store.
pub fn any_row() -> BoxedStrategy<Value> {
    let part = (select(vec!["text", "data"]), content())
        .prop_map(|(type_name, content)| json!({"type": type_name, "content": content}));
    let text = any_text().prop_map(|text| json!([{"type": "text", "content": text}]));
    let parts = prop_oneof![3 => text, 1 => vec(part, 0..3).prop_map(Value::from), 1 => Just(Value::Null)];
    let type_name = select(vec!["user", "agent", "system", "error", "task"]);
    let wire =
        (option::of(id()), option::of(time()), option::of(id()), option::of(any::<bool>()), option::of(any::<bool>()));
    let metadata = option::of(wire).prop_map(|wire| {
        wire.map(|(id, time, reply, streaming, turn_complete)| {
            json!({
                "message_id": id, "timestamp": time, "in_reply_to": reply, "streaming": streaming,
                "turn_complete": turn_complete, "socket_message": true,
            })
        })
    });
    let columns = (id(), id(), id(), time(), any::<bool>(), option::of(any_text()));
    (columns, type_name, parts, metadata)
        .prop_map(|((uuid, session, agent, time, has_nulls, role), type_name, parts, metadata)| {
            let mut row = map(json!({
                "message_uuid": uuid, "session_id": session, "type": type_name, "role": role, "parts": parts,
                "agent_id": (type_name == "agent" || has_nulls).then_some(agent), "message_metadata": metadata,
                "created_at": time,
            }));
            row.retain(|_, value| has_nulls || !value.is_null());
            Value::Object(row)
        })
        .boxed()
}

fn map(value: Value) -> Map<String, Value> {
    value.as_object().cloned().expect("an object")
}
