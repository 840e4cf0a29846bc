//! Decoding of messages.

use parlour_core::{
    author::AuthorType,
    message::{Kind, Message, State},
    model_visibility::{may_call, may_reach_model},
};
use parlour_dialects::{Dialect, Frame, Item, tkr};
use serde_json::{Value, json};

use crate::{again, answer, read, support::any_text, with};
use proptest::prelude::*;

fn message(value: Value) -> Message {
    read(value).message
}

#[test]
fn the_user_is_a_person_and_an_agent_is_an_agent() {
    let user = message(with(json!({})));
    assert_eq!(
        (user.from.author_type, user.from.id.as_deref(), user.kind),
        (AuthorType::Person, Some("tkr:user"), Kind::User)
    );
    let agent = message(answer(json!({})));
    assert_eq!(
        (agent.from.author_type, agent.from.id.as_deref(), agent.kind),
        (AuthorType::Agent, Some("tkr:phil"), Kind::Assistant)
    );
    assert_eq!((user.from.member_id(), agent.from.member_id()), (None, None), "no member of ours");
}

#[test]
fn messages_without_a_sender_are_host_messages_and_never_reach_a_model() {
    for changes in [
        json!({"type": "system", "from_user": null}),
        json!({"type": "error", "from_user": null}),
        json!({"type": "task_update", "task_id": "t", "from_user": null}),
        json!({"type": "system", "from_user": false}),
        json!({"type": "error", "from_user": null, "from_agent": ""}),
    ] {
        let message = message(with(changes.clone()));
        assert_eq!((message.from.author_type, message.kind), (AuthorType::Host, Kind::Host), "{changes}");
        assert_eq!(message.from.foreign_system(), Some("tkr"), "it is an author of TKR");
        assert!(!may_reach_model(&message) && message.state == State::Complete);
    }
}

#[test]
fn a_notification_of_an_agent_is_hidden_from_models() {
    let notification = message(answer(json!({"type": "system"})));
    assert_eq!((notification.from.author_type, notification.kind), (AuthorType::Agent, Kind::Host));
    assert!(!may_reach_model(&notification));
}

#[test]
fn an_error_of_an_agent_is_a_failed_answer() {
    let error = message(answer(json!({"type": "error", "error_code": "llm.timeout"})));
    assert_eq!((error.from.author_type, error.kind, error.state), (AuthorType::Agent, Kind::Assistant, State::Failed));
    assert!(!may_reach_model(&error) && !may_call(&error));
}

#[test]
fn a_failed_answer_is_encoded_as_an_error_with_its_reason() {
    let mut failed = message(answer(json!({"content": ""})));
    (failed.state, failed.reason) = (State::Failed, Some("The model is gone.".into()));
    let form = tkr::encode(&Item::message(failed.clone())).expect("a message");
    assert_eq!((&form["type"], &form["from_agent"]), (&json!("error"), &json!("phil")));
    assert_eq!(form["content"], "The model is gone.");
    assert_eq!(message(form), failed);
}

#[test]
fn session_task_and_reply_are_mapped() {
    let message = message(answer(json!({"task_id": "t-1", "in_reply_to": "msg_0", "session_id": "work"})));
    assert_eq!((message.to.as_str(), message.project_id.as_str()), ("chn_f_work", "prj_f_tkr"));
    assert_eq!(message.context.task_id.expect("a task").as_str(), "tsk_f_t-1");
    assert_eq!(message.reply_to.expect("a reply").as_str(), "msg_0");
}

#[test]
fn a_recipient_with_a_native_id_is_mentioned() {
    let ours = message(with(json!({"to_agent": "agt_1"})));
    assert_eq!((ours.mentions.len(), ours.metadata.len()), (1, 0));
    let theirs = message(with(json!({"to_agent": "chloe"})));
    assert_eq!((theirs.mentions.len(), &theirs.metadata["tkr"]), (0, &json!({"to_agent": "chloe"})));
}

#[test]
fn the_first_mentioned_agent_is_the_recipient() {
    let mut message = message(with(json!({})));
    message.mentions = ["per_1", "agt_2", "agt_1"].iter().map(|id| id.parse().expect("an id")).collect();
    let form = tkr::encode(&Item::message(message)).expect("a message");
    assert_eq!(form["to_agent"], "agt_2");
}

#[test]
fn an_object_is_the_content_and_its_text_the_body() {
    let object = json!({"text": "It rains.", "sure": 0.5});
    let decoded = message(with(json!({"content": object})));
    assert_eq!((decoded.body.as_str(), decoded.content.as_ref()), ("It rains.", Some(&object)));
    assert_eq!(again(with(json!({"content": object})))["content"], object);
}

#[test]
fn a_changed_body_replaces_the_object() {
    let mut edited = message(with(json!({"content": {"text": "It rains."}})));
    edited.body = "It snows.".into();
    let form = tkr::encode(&Item::message(edited.clone())).expect("a message");
    assert_eq!(form["content"], "It snows.");
    assert_eq!(message(form), edited);
}

#[test]
fn the_generated_text_of_an_update_is_not_encoded() {
    let update = with(json!({
        "type": "task_update", "task_id": "t-1", "status": "completed", "from_user": null, "content": null,
    }));
    assert_eq!(message(update.clone()).body, "Task t-1: completed");
    assert_eq!(again(update.clone()), update);
    let with_text = with(json!({
        "type": "task_update", "task_id": "t-1", "status": "completed", "from_user": null, "content": "Task t-1: completed",
    }));
    assert_eq!(again(with_text.clone()), with_text, "also when it brings the very text");
}

#[test]
fn metadata_is_copied_except_reserved_names() {
    let plain = message(with(json!({"metadata": {"a": 1}})));
    assert_eq!(Value::Object(plain.metadata), json!({"a": 1}));
    let named = with(json!({"metadata": {"a": 1, "tkr": {"to_agent": "x"}}}));
    assert_eq!(
        Value::Object(message(named.clone()).metadata),
        json!({"a": 1, "tkr": {"metadata": {"tkr": {"to_agent": "x"}}}})
    );
    assert_eq!(again(named.clone()), named);
}

#[test]
fn heartbeats_are_signals_and_stay_unchanged() {
    for message_type in ["ping", "pong", "ack"] {
        for value in [json!({"type": message_type}), with(json!({"type": message_type, "from_user": null}))] {
            let item = read(value.clone());
            assert_eq!(item.frame, Frame::Signal);
            assert_eq!(tkr::encode(&item), Some(value.clone()));
            let legacy = tkr::standard_to_legacy(value);
            assert_eq!(Dialect::TkrLegacy.encode(&read(legacy.clone())), Some(legacy));
        }
    }
}

#[test]
fn signals_of_other_dialects_are_not_encoded() {
    let other = Item::signal("caco", json!({"type": "ping"}), parlour_core::Timestamp::from_millis(5));
    assert_eq!(tkr::encode(&other), None);
    for value in [
        json!(null),
        json!("ping"),
        json!({"type": "text"}),
        json!({"type": "ping", "sessionId": "s"}),
        json!({"type": "ping", "message_uuid": "a row"}),
    ] {
        let forged = Item::signal("tkr", value.clone(), parlour_core::Timestamp::from_millis(5));
        assert_eq!(tkr::encode(&forged), None, "{value}");
    }
}

#[test]
fn a_native_message_is_encoded_with_extras() {
    let native = json!({
        "id": "msg_1", "project_id": "prj_1", "type": "channel", "to": "chn_1", "seq": 4,
        "from": {"type": "person", "id": "per_1", "name": "Mara"}, "kind": "user", "body": "Hello",
        "importance": "high", "blocking": false, "context": {"project_id": "prj_1"}, "state": "complete",
        "mentions": [], "artifacts": [], "metadata": {"a": 1}, "created_at": "2023-05-01T12:34:56.789Z",
    });
    let item = Dialect::Native.decode(native, &crate::support::decode_context()).expect("a message");
    let expected = json!({
        "id": "msg_1", "type": "text", "timestamp": "2023-05-01T12:34:56.789Z", "session_id": "chn_1",
        "from_user": true, "content": "Hello",
        "metadata": {"a": 1, "parlour": {
            "project_id": "prj_1", "context": {"project_id": "prj_1"}, "seq": 4, "importance": "high",
            "from": {"type": "person", "id": "per_1", "name": "Mara"},
        }},
    });
    assert_eq!(tkr::encode(&item), Some(expected));
}

proptest! {
    #[test]
    fn no_text_changes_the_author(text in any_text()) {
        let read = message(with(json!({"content": text})));
        prop_assert_eq!(read.body, text);
        prop_assert_eq!(read.from, message(with(json!({}))).from);
    }
}
