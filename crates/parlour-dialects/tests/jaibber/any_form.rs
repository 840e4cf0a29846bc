//! Generators of all forms of Jaibber.

use proptest::{collection::vec, option, prelude::*};
use serde_json::{Map, Value, json};

use crate::support::any_text;

/// An object with the fields that have a value.
fn object(fields: Vec<(&str, Option<Value>)>) -> Value {
    let present = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(present.collect())
}

fn id() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}",
        2 => "(msg|prj|chn|agt|per)_[a-zA-Z0-9_]{1,20}",
        1 => any_text().prop_filter("an id is not empty", |text| !text.is_empty()),
        1 => Just("x".repeat(300)),
    ]
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![4 => "(Coder|Tester|Testing Agent|mara)", 1 => any_text()]
}

/// A field that may be absent or null.
fn maybe<S: Strategy>(strategy: S) -> impl Strategy<Value = Option<Value>>
where
    S::Value: Into<Value> + Clone,
{
    let null = Just(Some(Value::Null));
    prop_oneof![5 => Just(None), 4 => strategy.prop_map(|value| Some(value.into())), 1 => null]
}

/// Unknown fields.
fn unknown() -> impl Strategy<Value = Map<String, Value>> {
    let value = prop_oneof![Just(Value::Null), any::<bool>().prop_map(Value::from), any_text().prop_map(Value::from)];
    prop_oneof![
        3 => Just(Map::new()),
        1 => vec(("x[a-z]{1,5}", value), 0..3).prop_map(|fields| fields.into_iter().collect()),
    ]
}

fn with(mut value: Value, more: Map<String, Value>) -> Value {
    value.as_object_mut().expect("an object").extend(more);
    value
}

fn attachment() -> impl Strategy<Value = Value> {
    let url = prop_oneof!["https://[a-z]{1,8}/[a-z]{1,8}", "blob:[a-z]{1,8}", any_text()];
    let media = prop_oneof!["[a-z]{1,5}/[a-z]{1,5}", any_text()];
    (maybe(id()), maybe("[a-z./]{1,9}"), maybe(media), maybe(any::<u64>()), maybe(url), unknown()).prop_map(
        |(id, filename, media, size, url, more)| {
            let known =
                vec![("id", id), ("filename", filename), ("mimeType", media), ("fileSize", size), ("blobUrl", url)];
            with(object(known), more)
        },
    )
}

fn file() -> impl Strategy<Value = Value> {
    (id(), "[a-z]{1,9}\\.txt", any::<u32>(), "https://[a-z]{1,8}/[a-z]{1,8}").prop_map(|(id, filename, size, url)| {
        json!({"id": id, "filename": filename, "mimeType": "text/plain", "fileSize": size, "blobUrl": url})
    })
}

fn files() -> impl Strategy<Value = Option<Value>> {
    maybe(vec(prop_oneof![file(), attachment()], 0..4).prop_map(Value::from))
}

/// Any frame about a message.
pub(super) fn any_frame() -> impl Strategy<Value = Value> {
    let frame_type = prop::sample::select(vec!["message", "typing", "chunk", "response", "done", "error"]);
    let text = prop_oneof![3 => any_text(), 1 => any_text().prop_map(|text| format!("Agent error: {text}")), 1 => Just("é".repeat(2_100))];
    let must = (id(), name(), id(), text, id(), frame_type);
    let marks = (maybe(any::<bool>()), maybe(any::<bool>()), maybe(prop::sample::select(vec!["auto", "plan"])));
    let ties = (maybe(id()), maybe(name()), maybe(id()), maybe(any::<u32>()));
    let lists = (maybe(vec(name(), 0..3)), maybe(vec(name(), 0..3)), files());
    (must, marks, ties, lists, unknown()).prop_map(|(must, marks, ties, lists, more)| {
        let known = vec![
            ("from", Some(must.0.into())),
            ("fromUsername", Some(must.1.into())),
            ("projectId", Some(must.2.into())),
            ("text", Some(must.3.into())),
            ("messageId", Some(must.4.into())),
            ("type", Some(must.5.into())),
            ("isAgentMessage", marks.0),
            ("isTaskNotification", marks.1),
            ("executionMode", marks.2),
            ("responseId", ties.0),
            ("agentName", ties.1),
            ("parentMessageId", ties.2),
            ("responseDepth", ties.3),
            ("respondingChain", lists.0),
            ("mentions", lists.1),
            ("attachments", lists.2),
        ];
        with(object(known), more)
    })
}

fn time() -> impl Strategy<Value = String> {
    prop_oneof![
        "20[0-9]{2}-0[1-9]-1[0-9]T[01][0-9]:[0-5][0-9]:[0-5][0-9]\\.[0-9]{3}Z",
        "20[0-9]{2}-0[1-9]-1[0-9]T[01][0-9]:[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,6})?(Z|\\+01:00)",
    ]
}

/// Any row of the server.
pub(super) fn any_row() -> impl Strategy<Value = Value> {
    let words = (
        prop::sample::select(vec!["user", "agent", "api"]),
        prop::sample::select(vec!["message", "response", "error", "system"]),
    );
    let metadata = option::weighted(0.8, prop_oneof![Just(Value::Null), Just(json!({"a": 1})), Just(json!({}))]);
    (id(), id(), maybe(id()), words, name(), any_text(), maybe(id()), metadata, maybe(time()), unknown()).prop_map(
        |(id, project, sender, words, name, text, parent, metadata, at, more)| {
            let known = vec![
                ("id", Some(id.into())),
                ("projectId", Some(project.into())),
                ("senderId", sender),
                ("senderType", Some(words.0.into())),
                ("senderName", Some(name.into())),
                ("type", Some(words.1.into())),
                ("text", Some(text.into())),
                ("parentMessageId", parent),
                ("metadata", metadata),
                ("createdAt", at),
            ];
            with(object(known), more)
        },
    )
}

/// Any entry of a machine's history.
pub(super) fn any_entry() -> impl Strategy<Value = Value> {
    let words = (
        prop::sample::select(vec!["me", "them"]),
        prop::sample::select(vec!["sending", "sent", "streaming", "done", "error"]),
    );
    let mode = maybe(prop::sample::select(vec!["auto", "plan"]));
    (id(), id(), words, maybe(name()), any_text(), time(), mode, files(), unknown()).prop_map(
        |(id, project, words, name, text, at, mode, files, more)| {
            let known = vec![
                ("id", Some(id.into())),
                ("conversationId", Some(project.into())),
                ("sender", Some(words.0.into())),
                ("senderName", name),
                ("text", Some(text.into())),
                ("timestamp", Some(at.into())),
                ("status", Some(words.1.into())),
                ("executionMode", mode),
                ("attachments", files),
            ];
            with(object(known), more)
        },
    )
}

/// Any presence data of a connection.
pub(super) fn any_presence() -> impl Strategy<Value = Value> {
    let agent = (id(), maybe(any_text()), maybe(name()), unknown()).prop_map(|(name, instructions, machine, more)| {
        let known =
            vec![("agentName", Some(name.into())), ("agentInstructions", instructions), ("machineName", machine)];
        with(object(known), more)
    });
    let agents = maybe(vec(agent, 0..3).prop_map(Value::from));
    let single = (maybe(any::<bool>()), maybe(name()), maybe(any_text()), maybe(name()));
    (id(), name(), single, maybe(vec(id(), 0..3)), agents, unknown()).prop_map(
        |(user, name, single, projects, agents, more)| {
            let known = vec![
                ("userId", Some(user.into())),
                ("username", Some(name.into())),
                ("isAgent", single.0),
                ("agentName", single.1),
                ("agentInstructions", single.2),
                ("machineName", single.3),
                ("projectIds", projects),
                ("agents", agents),
            ];
            with(object(known), more)
        },
    )
}
