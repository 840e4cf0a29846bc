use proptest::prelude::*;
use serde_json::json;

use super::*;

fn hello() -> PostMessage {
    PostMessage { channel_id: Some(ChannelId::from_bits(1)), body: "Hello".into(), ..PostMessage::default() }
}

fn field_of(post: &PostMessage) -> Option<String> {
    post.check().expect_err("refused").field
}

#[test]
fn null_means_absent() {
    let fields =
        ["body", "mentions", "artifacts", "attachments", "blocking", "importance", "metadata", "content", "kind"];
    let nulls: serde_json::Map<_, _> =
        fields.iter().map(|field| ((*field).to_owned(), serde_json::Value::Null)).collect();
    let request: PostMessage = serde_json::from_value(nulls.into()).expect("a request");
    assert_eq!((&request, request.digest()), (&PostMessage::default(), PostMessage::default().digest()));
}

#[test]
fn exactly_one_conversation_must_be_named() {
    assert_eq!(hello().conversation(), Ok(ChannelId::from_bits(1).into()));
    let two = PostMessage { dm_id: Some(DmId::from_bits(1)), ..hello() };
    assert!(two.conversation().is_err());
    assert!(PostMessage::default().conversation().is_err());
}

#[test]
fn a_blank_body_needs_content_or_artifacts() {
    let blank = PostMessage { body: " \n".into(), ..hello() };
    assert_eq!(field_of(&blank).as_deref(), Some("body"));
    assert_eq!(PostMessage { content: Some(json!({"a": 1})), ..blank.clone() }.check(), Ok(()));
    assert_eq!(PostMessage { artifacts: vec![ArtifactId::from_bits(1)], ..blank }.check(), Ok(()));
}

#[test]
fn bounds_are_named_by_field() {
    let cases = [
        ("body", PostMessage { body: "x".repeat(limits::MESSAGE_BODY_BYTES_MAX + 1), ..hello() }),
        ("body", PostMessage { body: "a\0".into(), ..hello() }),
        ("mentions", PostMessage { mentions: vec!["x".into(); limits::MENTIONS_MAX + 1], ..hello() }),
        ("content", PostMessage { content: Some(json!("x".repeat(limits::MESSAGE_CONTENT_BYTES_MAX))), ..hello() }),
        ("correlation_id", PostMessage { correlation_id: Some("a b".into()), ..hello() }),
        ("correlation_id", PostMessage { correlation_id: Some(String::new()), ..hello() }),
    ];
    for (field, post) in cases {
        assert_eq!(field_of(&post).as_deref(), Some(field));
    }
}

#[test]
fn a_claimed_cause_is_checked_with_the_rest() {
    let claiming = |depth: u32, names: usize| {
        let cause = ClaimedCause { depth, chain: vec!["Coder".into(); names] };
        PostMessage { cause: Some(cause), ..hello() }
    };
    assert_eq!(claiming(3, limits::CHAIN_NAMES_MAX).check(), Ok(()));
    assert_eq!(field_of(&claiming(3, limits::CHAIN_NAMES_MAX + 1)).as_deref(), Some("cause.chain"));
    assert_eq!(field_of(&claiming(u32::MAX, 0)).as_deref(), Some("cause.depth"));
    let nameless = ClaimedCause { depth: 0, chain: vec!["\u{7}".into()] };
    assert_eq!(field_of(&PostMessage { cause: Some(nameless), ..hello() }).as_deref(), Some("cause.chain[0]"));
}

#[test]
fn absent_fields_are_not_serialised() {
    let json = serde_json::to_value(hello()).expect("json");
    for field in ["cause", "is_notice", "confirm_wide", "stream"] {
        assert!(json.get(field).is_none(), "{field}");
    }
    let request: PostMessage =
        serde_json::from_str(r#"{"is_notice":null,"confirm_wide":null,"cause":null}"#).expect("request");
    assert_eq!(request, PostMessage::default(), "a request of an older client has the same digest");
}

#[test]
fn an_attachment_needs_a_web_url_or_an_artifact() {
    let attachment = Attachment {
        filename: "a.png".into(),
        media_type: "image/png".into(),
        size: 1,
        artifact_id: None,
        url: Some("javascript:alert(1)".into()),
    };
    let post = PostMessage { attachments: vec![attachment.clone()], ..hello() };
    assert_eq!(field_of(&post).as_deref(), Some("attachments[0].url"));
    let nowhere = Attachment { url: None, ..attachment };
    let post = PostMessage { attachments: vec![nowhere], ..hello() };
    assert_eq!(field_of(&post).as_deref(), Some("attachments[0].artifact_id"));
}

#[test]
fn another_project_is_refused() {
    let post = PostMessage { project_id: Some(ProjectId::from_bits(2)), ..hello() };
    assert_eq!(post.check_project(&ProjectId::from_bits(2)), Ok(()));
    assert!(post.check_project(&ProjectId::from_bits(1)).is_err());
}

#[test]
fn unknown_fields_are_refused() {
    let error = serde_json::from_str::<PostMessage>(r#"{"bdoy": "x"}"#).expect_err("unknown").to_string();
    assert!(error.contains("bdoy"), "{error}");
}

#[test]
fn the_digest_ignores_the_order_of_keys_and_sees_every_field() {
    let one: PostMessage = serde_json::from_str(r#"{"body":"x","metadata":{"a":1,"b":2}}"#).expect("post");
    let same: PostMessage = serde_json::from_str(r#"{"metadata":{"b":2,"a":1},"body":"x"}"#).expect("post");
    assert_eq!(one.digest(), same.digest());
    let variants = [
        PostMessage { body: "y".into(), ..one.clone() },
        PostMessage { blocking: true, ..one.clone() },
        PostMessage { importance: Importance::High, ..one.clone() },
        PostMessage { mentions: vec!["Coder".into()], ..one.clone() },
        PostMessage { channel_id: Some(ChannelId::from_bits(1)), ..one.clone() },
        PostMessage { metadata: Map::new(), ..one.clone() },
        PostMessage { is_notice: true, ..one.clone() },
        PostMessage { confirm_wide: true, ..one.clone() },
        PostMessage { cause: Some(ClaimedCause::default()), ..one.clone() },
    ];
    for variant in variants {
        assert_ne!(variant.digest(), one.digest(), "{variant:?}");
    }
}

proptest! {
    #[test]
    fn different_bodies_have_different_digests(left in ".{0,40}", right in ".{0,40}") {
        let digest = |body: &str| PostMessage { body: body.into(), ..hello() }.digest();
        prop_assert_eq!(left == right, digest(&left) == digest(&right));
    }
}
