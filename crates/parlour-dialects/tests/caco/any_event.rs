//! Generators of Caco events, and of JSON that resembles them.

use proptest::{collection::vec, option, prelude::*, sample::select};
use serde_json::{Map, Value, json};

use crate::support::any_text;

/// Arbitrary JSON.
pub(crate) fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any_text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        let field = (any_name(), inner.clone());
        prop_oneof![
            vec(inner, 0..4).prop_map(Value::from),
            vec(field, 0..5).prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// Field names of events, and unknown names.
fn any_name() -> impl Strategy<Value = String> {
    let known = vec![
        "type",
        "data",
        "event",
        "id",
        "timestamp",
        "parentId",
        "sessionId",
        "content",
        "source",
        "appletSlug",
        "fromSession",
        "scheduleSlug",
        "correlationId",
        "messageId",
        "deltaContent",
        "toolRequests",
        "toolCallId",
        "toolName",
        "arguments",
        "input",
        "result",
        "error",
        "success",
        "message",
        "name",
    ];
    prop_oneof![3 => select(known).prop_map(str::to_owned), 1 => "[a-z]{1,6}"]
}

/// An object with the type of an event and arbitrary other fields.
pub(crate) fn almost_event() -> impl Strategy<Value = Value> {
    (event_type(), vec((any_name(), any_json()), 0..6), option::of(any_json())).prop_map(|(name, fields, data)| {
        let mut event: Map<String, Value> = fields.into_iter().collect();
        event.insert("type".to_owned(), name.into());
        if let Some(data) = data {
            event.insert("data".to_owned(), data);
        }
        Value::Object(event)
    })
}

fn event_type() -> impl Strategy<Value = String> {
    let known = vec![
        "user.message",
        "assistant.message",
        "assistant.message_delta",
        "assistant.turn_start",
        "tool.execution_start",
        "tool.execution_complete",
        "system.message",
        "session.info",
        "session.warning",
        "session.error",
        "session.idle",
        "caco.embed",
        "event",
    ];
    prop_oneof![8 => select(known).prop_map(str::to_owned), 1 => "[a-z.]{0,12}"]
}

/// An event as Caco writes it: known types with the fields that they have, and with others.
pub(crate) fn any_event() -> impl Strategy<Value = Value> {
    let event = prop_oneof![prompt(), answer(), piece(), turn(), step_start(), step_end(), news(), context(), other()];
    (event, head(), option::weighted(0.2, any_text())).prop_map(|((name, data), mut event, session)| {
        event.insert("type".to_owned(), name.into());
        event.insert("data".to_owned(), Value::Object(data.into_iter().collect()));
        let event = Value::Object(event);
        match session {
            None => event,
            Some(session) => json!({"type": "event", "sessionId": session, "event": event}),
        }
    })
}

type Data = Vec<(String, Value)>;

/// Valid times in another than the canonical format, and invalid ones.
const ODD_TIMES: &[&str] = &[
    "2026-02-06T09:12:00Z",
    "2026-02-06T10:12:00.5+01:00",
    "2026-02-06T09:12:00.1234567Z",
    "2026-02-06t09:12:00.000z",
    "2026-02-06 09:12:00.000Z",
    "2026-02-06T09:12:00,000Z",
    "2026-02-06T09:12:60.000Z",
    "1969-12-31T23:59:59.000Z",
    "1970-01-01T00:00:00.000Z",
    "9999-12-30T21:59:59.999Z",
];

fn head() -> impl Strategy<Value = Map<String, Value>> {
    let time = prop_oneof![
        3 => (0..2_000_000_000_000_i64).prop_map(|ms| parlour_core::Timestamp::from_millis(ms).to_string()),
        1 => select(ODD_TIMES)
            .prop_map(str::to_owned),
    ];
    let id = prop_oneof!["[0-9a-f]{8}-[0-9a-f]{4}", any_text(), "msg_[0-9A-Z]{3}"];
    let rest = vec(("(parentId|ephemeral|x[a-z]{0,3})", any_json()), 0..3);
    (option_or_null(id), option_or_null(time), rest).prop_map(|(id, time, rest)| {
        let mut head: Map<String, Value> = rest.into_iter().collect();
        head.extend(id.map(|id| ("id".to_owned(), id)));
        head.extend(time.map(|time| ("timestamp".to_owned(), time)));
        head
    })
}

fn option_or_null(text: impl Strategy<Value = String>) -> impl Strategy<Value = Option<Value>> {
    prop_oneof![4 => text.prop_map(|text| Some(Value::from(text))), 1 => Just(None), 1 => Just(Some(Value::Null))]
}

/// A field with a text, an absent field, or `null`.
fn text(name: &'static str) -> impl Strategy<Value = Data> {
    option_or_null(any_text()).prop_map(move |text| text.map(|text| (name.to_owned(), text)).into_iter().collect())
}

fn value(name: &'static str) -> impl Strategy<Value = Data> {
    option::of(any_json()).prop_map(move |any| any.map(|any| (name.to_owned(), any)).into_iter().collect())
}

fn rest() -> impl Strategy<Value = Data> {
    vec(("(attachments|mode|y[a-z]{0,3})", any_json()), 0..3)
}

fn with(fields: Data, name: &str, value: impl Into<Value>) -> Data {
    fields.into_iter().chain([(name.to_owned(), value.into())]).collect()
}

fn prompt() -> impl Strategy<Value = (&'static str, Data)> {
    let source = prop_oneof![
        2 => select(vec!["user", "applet", "agent", "scheduler"]).prop_map(|name| Some(Value::from(name))),
        2 => Just(None),
        1 => Just(Some(Value::Null)),
        1 => "[a-z]{1,5}".prop_map(|name| Some(Value::from(name))),
    ];
    let ids = (text("appletSlug"), text("fromSession"), text("scheduleSlug"), text("correlationId"), rest());
    (prompt_text(), source, option::weighted(0.6, ids)).prop_map(|(content, source, ids)| {
        let mut data = Data::new();
        if let Some((applet, agent, schedule, correlation, rest)) = ids {
            data = [applet, agent, schedule, correlation, rest].concat();
        }
        data.extend(source.map(|source| ("source".to_owned(), source)));
        ("user.message", with(data, "content", content))
    })
}

/// Texts with and without prefixes, also after the block of a restart.
pub(crate) fn prompt_text() -> impl Strategy<Value = String> {
    let block = "(\\[SESSION RESUMED\\]\n([a-z ]{0,8}\n){0,2}---\n\n)?";
    let prefix = "(\\[(applet|agent|scheduler|Applet):[^\\]]{0,6}\\][ \n\u{feff}\u{85}]{0,3})?";
    (block, prefix, any_text()).prop_map(|(block, prefix, text)| [block, prefix, text].concat())
}

fn answer() -> impl Strategy<Value = (&'static str, Data)> {
    let request =
        ("[a-z0-9_]{0,8}", any_text(), value("arguments"), value("type")).prop_map(|(id, name, input, more)| {
            let fields = with(with([input, more].concat(), "toolCallId", id), "name", name);
            Value::Object(fields.into_iter().collect())
        });
    let requests = prop_oneof![Just(None), vec(request, 0..3).prop_map(|list| Some(Value::from(list)))];
    (message_id(), any_text(), requests, rest()).prop_map(|(id, content, requests, mut data)| {
        data.extend(requests.map(|requests| ("toolRequests".to_owned(), requests)));
        ("assistant.message", with(with(data, "messageId", id), "content", content))
    })
}

fn message_id() -> impl Strategy<Value = String> {
    prop_oneof!["[0-9a-f]{8}-[0-9a-f]{4}", "msg_[0-9A-Z]{1,5}", "(msg_f_|msg_h_|msg_)?[a-z :]{1,9}"]
}

fn piece() -> impl Strategy<Value = (&'static str, Data)> {
    (message_id(), any_text(), rest()).prop_map(|(id, piece, data)| {
        ("assistant.message_delta", with(with(data, "messageId", id), "deltaContent", piece))
    })
}

fn turn() -> impl Strategy<Value = (&'static str, Data)> {
    (value("turnId"), option::of(message_id())).prop_map(|(mut data, id)| {
        data.extend(id.map(|id| ("messageId".to_owned(), id.into())));
        ("assistant.turn_start", data)
    })
}

fn step_start() -> impl Strategy<Value = (&'static str, Data)> {
    (any_text(), any_text(), value("arguments"), value("input"), rest()).prop_map(|(id, name, usual, other, rest)| {
        let data = [usual, other, rest].concat();
        ("tool.execution_start", with(with(data, "toolCallId", id), "toolName", name))
    })
}

fn step_end() -> impl Strategy<Value = (&'static str, Data)> {
    let success = option::of(prop_oneof![any::<bool>().prop_map(Value::from), Just(Value::Null)]);
    let fields = (text("toolName"), value("input"), value("result"), value("error"), rest());
    (any_text(), success, fields).prop_map(|(id, success, (name, input, result, error, rest))| {
        let mut data = [name, input, result, error, rest].concat();
        data.extend(success.map(|success| ("success".to_owned(), success)));
        ("tool.execution_complete", with(data, "toolCallId", id))
    })
}

fn news() -> impl Strategy<Value = (&'static str, Data)> {
    let name = select(vec!["session.info", "session.warning", "session.error"]);
    (name, any_text(), rest()).prop_map(|(name, message, data)| (name, with(data, "message", message)))
}

fn context() -> impl Strategy<Value = (&'static str, Data)> {
    let name = prop_oneof![text("name"), Just(vec![("name".to_owned(), Value::from("Caco"))])];
    (any_text(), name, rest())
        .prop_map(|(content, name, rest)| ("system.message", with([name, rest].concat(), "content", content)))
}

fn other() -> impl Strategy<Value = (&'static str, Data)> {
    let name = select(vec!["session.idle", "caco.embed", "assistant.intent", "session.compaction_start", "new.event"]);
    (name, rest())
}
