//! Properties: the hub accepts every request, and the original message can be restored from it.

use parlour_core::{
    Timestamp,
    author::{Author, AuthorType},
    id::{ArtifactId, ChannelId, ConversationId, ProjectId},
    import::ImportedMessage,
    limits,
    message::{Attachment, Importance, State},
    step::Step,
    text::check_bytes,
};
use proptest::prelude::*;
use serde_json::json;

use crate::commands::import::{
    caco_source::StepEvents,
    original::*,
    request::{IdScope, ImportContext},
    source::SourceMessage,
    system::System,
};

fn plain(body: &str) -> Message {
    let (project, channel) = (ProjectId::from_bits(7), ChannelId::from_bits(7).into());
    let author = Author { author_type: AuthorType::Person, id: Some("pynchy:mara".into()), name: "Mara".into() };
    Message::plain(MessageId::from_bits(9), project, channel, author, body.to_owned(), Timestamp::from_millis(5_000))
}

fn sent(message: &Message, events_of_step: Option<StepEvents>) -> Result<Vec<ImportedMessage>, parlour_core::Refusal> {
    let now = Timestamp::from_millis(1_000_000);
    let context = ImportContext { system: System::Pynchy, project: ProjectId::from_bits(1), now };
    let to: ConversationId = ChannelId::from_bits(1).into();
    let id_scope = IdScope { to: &to, key: "chn_7" };
    let source = SourceMessage {
        location: "row 1".into(),
        key: "chn_7".into(),
        conversation: None,
        message: message.clone(),
        has_time: true,
        step_events: events_of_step,
        unreadable: None,
        twin: None,
    };
    let requests = context.requests(&source, &id_scope.id(&message.id), id_scope)?;
    requests.iter().try_for_each(|request| request.check(now))?;
    Ok(requests)
}

/// The messages as the hub gives them back.
fn stored(requests: Vec<ImportedMessage>) -> Vec<Message> {
    let stored = |(seq, request): (u64, ImportedMessage)| Message {
        seq,
        ..request.into_message(ProjectId::from_bits(1), ChannelId::from_bits(1).into())
    };
    (4..).zip(requests).map(stored).collect()
}

fn check(message: &Message) {
    let stored = stored(sent(message, None).expect("taken"));
    let (first, further) = stored.split_first().expect("a message");
    assert_eq!(further_parts(first), further.len());
    assert!(further.iter().all(|part| continues(part).as_ref() == Some(&first.id)));
    assert_eq!(&restored(first.clone(), further), message);
}

fn step(id: &str, output: Option<serde_json::Value>) -> Step {
    let at = Timestamp::from_millis(5_000);
    Step { id: id.into(), name: "bash".into(), input: None, output, is_error: false, started_at: at, finished_at: None }
}

#[test]
fn every_field_is_restored() {
    let file = Attachment {
        filename: "a.txt".into(),
        media_type: "text/plain".into(),
        size: 3,
        artifact_id: Some(ArtifactId::from_bits(1)),
        url: None,
    };
    check(&plain("Hello"));
    check(&Message { seq: 3, blocking: true, importance: Importance::High, ..plain("Hello") });
    check(&Message { artifacts: vec![ArtifactId::from_bits(1)], attachments: vec![file], ..plain("Hello") });
    check(&Message { reply_to: Some(MessageId::from_bits(4)), edited_at: None, ..plain("Hello") });
    check(&Message { state: State::Failed, reason: Some("x".repeat(5_000)), ..plain("") });
    check(&Message { correlation_id: Some("blanks are refused".into()), ..plain("Hello") });
    check(&Message { content: Some(json!({"a": 1})), ..plain("") });
}

#[test]
fn values_that_the_hub_refuses_are_left_out_and_restored() {
    check(&plain(""));
    check(&plain(" \n\u{200b}"));
    check(&plain("\0\x1b[31m\u{FFFD}"));
    check(&plain(&"A line.\n".repeat(20_000)));
    check(&Message { steps: vec![step("same", None), step("same", None)], ..plain("Hello") });
    check(&Message { steps: vec![step("a", Some(json!("y".repeat(20_000))))], ..plain("Hello") });
    for (id, name) in [(None, ""), (Some("per_1"), "A\nB"), (Some(""), "x"), (Some("pynchy:"), "\u{202E}abc")] {
        let from = Author { author_type: AuthorType::Host, id: id.map(str::to_owned), name: name.to_owned() };
        check(&Message { from, ..plain("Hello") });
    }
}

#[test]
fn metadata_with_reserved_names_are_restored() {
    for metadata in [
        json!({"imported": {"id": "msg_x"}, "imported_signs": [1, 2], "imported_parts": 9, "other": true}),
        json!({"imported": 5}),
        json!({"imported_events": [1]}),
        json!({"pynchy": {"trace": "z".repeat(20_000)}}),
    ] {
        let metadata = metadata.as_object().cloned().expect("an object");
        check(&Message { metadata: metadata.clone(), ..plain("Hello\x07") });
        check(&Message { metadata, content: Some(json!({"imported": {}})), ..plain("Hello") });
    }
}

/// So many lists, one in the other.
fn deep(levels: usize) -> Value {
    (0..levels).fold(Value::Null, |inner, _| Value::Array(vec![inner]))
}

#[test]
fn too_deep_values_are_stored_as_text_and_restored() {
    // Files are read to 100 levels, some of which the dialects add.
    for levels in [24, 25, 26, 27, 28, 29, 30, 40, 100] {
        let metadata = Map::from_iter([("tkr".to_owned(), json!({"deep": deep(levels - 1)}))]);
        check(&Message { metadata: metadata.clone(), ..plain("Hello") });
        check(&Message { metadata, content: Some(deep(levels)), ..plain("") });
        check(&Message { content: Some(deep(levels)), ..plain("Hello") });
        check(&Message { steps: vec![step("a", Some(deep(levels)))], ..plain("Hello") });
    }
}

#[test]
fn a_field_that_fits_nowhere_is_refused_by_name() {
    let metadata =
        json!({"trace": "z".repeat(limits::MESSAGE_CONTENT_BYTES_MAX)}).as_object().cloned().expect("an object");
    let refused = sent(&Message { metadata, ..plain("Hello") }, None).expect_err("too much");
    assert_eq!(refused.field.as_deref(), Some("metadata"));
    let content = Some(json!({"text": "z".repeat(limits::MESSAGE_CONTENT_BYTES_MAX)}));
    let refused = sent(&Message { content, ..plain("Hello") }, None).expect_err("too much");
    assert_eq!(refused.field.as_deref(), Some("content"));
    assert!(refused.detail.contains("at most 65536"), "{}", refused.detail);
    let late = Message { created_at: Timestamp::from_millis(2_000_000), ..plain("Hello") };
    assert_eq!(sent(&late, None).expect_err("later than now").field.as_deref(), Some("created_at"));
}

/// A step event of this size.
fn events_of_step(output: &Value, bytes: usize) -> StepEvents {
    let finished = Step { finished_at: Some(Timestamp::from_millis(6_000)), ..step("a", Some(output.clone())) };
    let mut events_of_step = StepEvents::begun(vec![step("a", None)]);
    events_of_step.add(&finished, json!({"type": "tool.execution_complete", "data": {"result": "z".repeat(bytes)}}));
    events_of_step
}

#[test]
fn steps_are_shown_and_the_message_and_its_events_are_restored() {
    let message = Message { steps: vec![step("a", None)], ..plain("I look.") };
    // In the metadata, in the content, and with their beginnings alone.
    for (bytes, is_whole) in [(10, true), (9_000, true), (60_000, true), (70_000, false)] {
        let events_of_step = events_of_step(&json!("README"), bytes);
        let stored = stored(sent(&message, Some(events_of_step.clone())).expect("taken"));
        assert_eq!(stored[0].steps, events_of_step.steps);
        assert_eq!(restored(stored[0].clone(), &[]), message, "{bytes}");
        let events = step_events(&stored[0]);
        assert_eq!((events.len(), events_of_step.unkept(&events) == 0), (1, is_whole), "{bytes}");
    }
}

#[test]
fn deeply_nested_events_are_restored() {
    let message = Message { steps: vec![step("a", None)], ..plain("I look.") };
    for levels in 20..40 {
        let event = json!({"data": {"result": deep(levels)}});
        let mut events_of_step = StepEvents::begun(message.steps.clone());
        events_of_step.add(&step("a", None), event.clone());
        let stored = stored(sent(&message, Some(events_of_step)).expect("taken"));
        assert_eq!((step_events(&stored[0]), &restored(stored[0].clone(), &[])), (vec![event], &message), "{levels}");
    }
}

#[test]
fn later_changes_are_kept() {
    let mut stored = stored(sent(&plain("Hello\x07"), None).expect("taken")).remove(0);
    (stored.body, stored.edited_at) = ("New words".into(), Some(Timestamp::from_millis(9_000)));
    let restored = restored(stored, &[]);
    assert_eq!((restored.body.as_str(), &restored.id), ("New words", &MessageId::from_bits(9)));
    assert!(restored.edited_at.is_some());
}

#[test]
fn nobody_can_forge_an_import() {
    let mut posted = plain("Hello");
    posted.from.id = Some("per_1".into());
    posted.metadata =
        json!({"imported": {"body": "Forged"}, "imported_parts": 3}).as_object().cloned().expect("an object");
    posted.content = Some(continuation(&MessageId::from_bits(4), 2));
    posted.metadata.insert("imported_events".into(), json!([{"type": "forged"}]));
    assert_eq!((continues(&posted), further_parts(&posted), step_events(&posted)), (None, 0, Vec::new()));
    assert_eq!(restored(posted.clone(), &[]), posted);
}

proptest! {
    #[test]
    fn any_text_author_and_metadata_are_restored(
        body in "(.|\\n){0,200}|[\\x00-\\x20]{0,40}",
        name in ".{0,90}",
        id in proptest::option::of(".{0,300}"),
        keys in proptest::collection::btree_map("imported|imported_signs|pynchy|[a-z]{1,5}", ".{0,20}", 0..4),
        reason in proptest::option::of(".{0,50}"),
    ) {
        let from = Author { author_type: AuthorType::Agent, id, name };
        let metadata = keys.into_iter().map(|(key, value)| (key, json!(value))).collect();
        check(&Message { from, metadata, reason, ..plain(&body) });
    }
}

#[test]
fn an_ordinary_text_is_one_unchanged_part() {
    for text in ["", "Hello\n\tworld", "already \u{FFFD}"] {
        assert_eq!(parts(text), [BodyPart { text: text.to_owned(), signs: Vec::new() }]);
    }
}

#[test]
fn control_characters_are_replaced_and_restored() {
    let text = "a\x1b[31mred\u{FFFD}\0";
    let parts = parts(text);
    assert_eq!(parts, [BodyPart { text: "a\u{FFFD}[31mred\u{FFFD}\u{FFFD}".into(), signs: vec![27, 0xFFFD, 0] }]);
    assert_eq!(joined(&parts), text);
}

#[test]
fn a_long_text_is_split_after_a_line() {
    let text = format!("{}\n", "x".repeat(99)).repeat(1_000);
    let parts = parts(&text);
    assert_eq!(parts.len(), 2);
    assert!(parts[0].text.ends_with("x\n"));
    assert_eq!(joined(&parts), text);
}

#[test]
fn a_text_of_control_characters_only_is_restored() {
    let text = "\0\x1b".repeat(1_000);
    let parts = parts(&text);
    assert_eq!((parts.len(), joined(&parts)), (5, text));
}

proptest! {
    #[test]
    fn every_text_is_restored_and_each_part_is_valid(
        pieces in proptest::collection::vec(("\\PC{0,20}|[\\x00-\\x1f\u{FFFD}\u{85}]{0,9}", 0_usize..3_000), 0..6),
    ) {
        let text: String = pieces.iter().map(|(piece, times)| piece.repeat(*times)).collect();
        let parts = parts(&text);
        prop_assert_eq!(joined(&parts), text);
        for part in parts {
            prop_assert_eq!(check_bytes(&part.text, limits::MESSAGE_BODY_BYTES_MAX), Ok(()));
            prop_assert!(part.signs.len() <= SIGNS_PER_PART_MAX);
        }
    }
}
