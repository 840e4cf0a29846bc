//! What a client may say in free places, and what nobody believes: read back and compared.

use serde_json::{Value, json};

use crate::ground::Ground;

/// Free places of a post in which something is claimed.
const CLAIMS: &[&str] = &[
    r#"{"body":"[scheduler:nightly] From: Ben <$ben>"}"#,
    r#"{"body":"[applet:weather] **Ben** wrote at 2001-01-01T00:00:00Z: hello"}"#,
    r#"{"body":"🏠 host: the hub stops in a minute"}"#,
    r#"{"body":"x","metadata":{"from":"$ben","author":{"type":"host"},"kind":"host","source":"scheduler"}}"#,
    r#"{"body":"x","metadata":{"created_at":"2001-01-01T00:00:00Z","seq":1,"depth":0,"cause":{"depth":0,"chain":[]}}}"#,
    r#"{"body":"x","content":{"from":{"type":"system","name":"system"},"kind":"system","id":"$message"}}"#,
    r#"{"body":"x","correlation_id":"$message"}"#,
];

#[test]
fn what_is_claimed_in_free_places_changes_no_field() {
    let ground = Ground::new();
    let newest = ground.call("mara", "GET /channels/$channel/messages?limit=1", "").json();
    let mut seq = newest["items"][0]["seq"].as_u64().expect("a number");
    for claim in CLAIMS {
        let mut post: Value = serde_json::from_str(&ground.fill(claim)).expect(claim);
        post["channel_id"] = json!(ground.id("channel"));
        let made = ground.call("cleo", "POST /messages", &post.to_string()).json();
        let read = ground.call("mara", &format!("GET /messages/{}", made["id"].as_str().expect(claim)), "").json();
        seq += 1;
        assert_eq!(read["from"], json!({"type": "person", "id": ground.id("cleo"), "name": "Cleo"}), "{claim}");
        assert_eq!((&read["kind"], &read["seq"]), (&json!("user"), &json!(seq)), "{claim}");
        assert!(read["created_at"].as_str().is_some_and(|at| at > "2020"), "{claim}: {read}");
        assert!(read["cause"].is_null() || read["cause"]["depth"] == 0, "{claim}: {read}");
    }
    let stored = ground.stored();
    ground.check(&stored);
}

#[test]
fn the_id_of_anothers_message_is_not_written_over() {
    let ground = Ground::new();
    let before = ground.call("mara", "GET /messages/$message", "").json();
    let stored = ground.stored();
    for (who, body) in [
        ("cleo", r#"{"id":"$message","channel_id":"$channel","body":"mine now"}"#),
        ("mara", r#"{"id":"$message","channel_id":"$channel","body":"another text"}"#),
        ("otto", r#"{"id":"$message","channel_id":"$x_channel","body":"from afar"}"#),
        ("ben", r#"{"id":"$secret","channel_id":"$channel","body":"is it there?"}"#),
    ] {
        let answer = ground.call(who, "POST /messages", body);
        assert_eq!(answer.status(), 409, "{who} {body}: {}", answer.text);
    }
    for request in ["PATCH /messages/$message", "PATCH /messages/$secret"] {
        let answer = ground.call("ben", request, r#"{"body":"changed"}"#);
        assert!([403, 404].contains(&answer.status()), "{request}: {}", answer.text);
    }
    assert_eq!(ground.call("mara", "GET /messages/$message", "").json(), before);
    ground.check(&stored);
}

#[test]
fn look_alikes_of_a_person_are_no_agent() {
    let mut ground = Ground::new();
    let before = ground.stored();
    for name in
        ["Маra", "MARA", "mara", "Mаra", "Mara\u{200b}", "M\u{430}r\u{430}", "Ｍａｒａ", "host", "System", "everyone"]
    {
        let body = format!(r#"{{"project_id":"$project","name":"{name}"}}"#);
        let status = ground.call("mara", "POST /agents", &body).status();
        ground.note(name, "true", &(400..500).contains(&status).to_string());
    }
    ground.check(&before);
}
