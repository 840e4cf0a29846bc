//! Generators of messages of the old store, in all encodings.

use proptest::{option, prelude::*};
use serde_json::{Map, Value, json};

fn agent() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z]{1,8}", "[a-z]{1,4}[:,. -][a-z0-9]{1,4}", "agt_[a-z0-9]{1,5}"]
}

fn millis() -> impl Strategy<Value = i64> {
    0..2_000_000_000_000_i64
}

fn time() -> impl Strategy<Value = (&'static str, Value)> {
    prop_oneof![
        millis().prop_map(|at| ("ts", at.into())),
        millis().prop_map(|at| ("ts", at.to_string().into())),
        millis().prop_map(|at| ("created_at", at.into())),
        Just(("created_at", json!("2025-09-04T15:33:20+02:00"))),
    ]
}

fn list() -> impl Strategy<Value = Value> {
    let names = prop::collection::vec(prop_oneof!["[a-z]{1,6}", "agt_[0-9]{1,3}", "art_[0-9]{1,3}"], 0..3);
    (names, 0..3).prop_map(|(names, spelling)| match spelling {
        0 => json!(names),
        1 => Value::from(json!(names).to_string()),
        _ => Value::from(names.join(",")),
    })
}

fn truth() -> impl Strategy<Value = Value> {
    prop::sample::select(vec![json!(true), json!(false), json!("True"), json!("0"), json!(1), Value::Null])
}

fn conversation() -> impl Strategy<Value = Value> {
    prop_oneof![
        ("[a-z]{1,5}", "[a-z]{1,5}").prop_map(|(project, name)| json!({
            "type": "channel", "channel_id": format!("ch:{project}:{name}"), "id": format!("c:ch:{project}:{name}:5"),
        })),
        "[a-z-]{1,9}".prop_map(|name| json!({"type": "channel", "channel_id": name, "id": "m-1"})),
        "chn_[a-z]{1,9}".prop_map(|id| json!({"type": "channel", "to": id, "id": "msg_1"})),
        ("[a-z:]{1,9}", option::of("[a-z:]{1,5}")).prop_map(|(root, channel)| json!({
            "type": "thread", "root": root, "channel_id": channel, "id": format!("th:{root}:5:a1b2c3"),
        })),
        "thr_[a-z]{1,9}".prop_map(|id| json!({"root": id, "id": "x"})),
        (agent(), agent()).prop_map(|(a, b)| json!({"type": "dm", "members": [a, b], "id": format!("dm:{a}:{b}:5")})),
        (agent(), agent()).prop_map(|(a, b)| json!({"a": a, "b": b, "id": format!("dm:{a}:{b}:5")})),
        "dm_[a-z]{1,9}".prop_map(|id| json!({"type": "dm", "to": id, "id": "x"})),
    ]
}

fn links() -> impl Strategy<Value = Value> {
    let text = || option::of("[a-z0-9: ]{0,6}");
    prop_oneof![
        Just(json!({})),
        text().prop_map(|project| json!({"project_id": project})),
        (text(), text(), text())
            .prop_map(|(p, t, b)| json!({"context": {"project_id": p, "task_id": t, "batch_id": b}})),
        (text(), text()).prop_map(|(t, c)| json!({"meta": {"task_id": t, "correlation_id": c, "more": 1}})),
        text().prop_map(|c| json!({"correlation_id": c})),
    ]
}

fn resolution() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!({})),
        (truth(), list(), option::of("[0-9a-f]{32}"))
            .prop_map(|(is_so, by, token)| json!({"resolved": is_so, "resolved_by": by, "resume_token": token})),
        millis().prop_map(|at| json!({"resolved": "true", "resolved_ts": at})),
    ]
}

/// A form with all required fields and some optional ones.
pub(crate) fn any_form() -> impl Strategy<Value = Value> {
    let addressed = (option::of(list()), option::of(list()), option::of(truth()));
    let importance = option::of(prop::sample::select(vec!["normal", "high", "critical", "urgent", ""]));
    let more = option::of(("[a-z]{7}", truth()));
    (conversation(), (agent(), ".{0,20}"), time(), addressed, importance, (links(), resolution()), more).prop_map(
        |(
            conversation,
            (from, body),
            (time, at),
            (mentions, artifacts, blocking),
            importance,
            (links, resolution),
            more,
        )| {
            let mut form: Map<String, Value> = [conversation, links, resolution]
                .into_iter()
                .flat_map(|part| part.as_object().cloned().unwrap_or_default())
                .collect();
            form.insert("from".to_owned(), from.into());
            form.insert("body".to_owned(), body.into());
            form.insert(time.to_owned(), at);
            form.extend(mentions.map(|list| ("mentions".to_owned(), list)));
            form.extend(artifacts.map(|list| ("artifacts".to_owned(), list)));
            form.extend(blocking.map(|is_so| ("blocking".to_owned(), is_so)));
            form.extend(importance.map(|word| ("importance".to_owned(), word.into())));
            form.extend(more.filter(|(name, _)| name != "parlour"));
            Value::Object(form)
        },
    )
}
