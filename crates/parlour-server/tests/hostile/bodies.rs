//! Bodies that are no JSON, or more of it than is taken.

use axum::{
    body::Body,
    http::{HeaderValue, header},
};
use futures_util::stream;
use parlour_core::limits::{IMPORT_BODY_BYTES_MAX, REQUEST_BODY_BYTES_MAX, REQUEST_DEPTH_MAX};

use crate::{
    attack::Attack,
    json::{BODIES, MEDIA_TYPES},
    tables::valid_bodies,
};

#[tokio::test]
async fn what_is_no_json_is_refused_wherever_json_is_taken() {
    let attack = Attack::new().await;
    for [who, address, _] in valid_bodies() {
        // Where a body may be left out, null says the same.
        let may_be_absent =
            ["/read", "/pass", "/complete", "/cancel", "/finish", "/resume"].iter().any(|end| address.ends_with(end));
        for (what, bytes, expected) in BODIES.iter().filter(|row| !may_be_absent || row.1 != b"null") {
            attack.refused(&format!("{what} to {address}"), attack.request(who, address, *bytes), expected).await;
        }
    }
    attack.still_answers().await;
}

#[tokio::test]
async fn a_good_body_is_spoilt_by_its_first_and_last_byte() {
    let attack = Attack::new().await;
    for [who, address, body] in valid_bodies() {
        let body = attack.fill(body);
        let spoilt = [
            body[..body.len() - 1].to_owned(),
            body[1..].to_owned(),
            format!("{body}x"),
            format!("{body}{body}"),
            format!("{body}\0"),
            format!("\u{feff}{body}"),
            format!("[{body}"),
        ];
        for text in spoilt {
            let why = format!("{text} to {address}");
            attack.refused(&why, attack.request(who, address, text), "400 I01").await;
        }
        let known = body.split('"').nth(1).expect("a key");
        let twice = format!("{{\"{known}\":null,{}", &body[1..]);
        let why = format!("{twice} to {address}");
        attack.refused(&why, attack.request(who, address, twice), &format!("400 I04 {known}")).await;
    }
}

#[tokio::test]
async fn nesting_is_counted_to_its_bound_and_no_further() {
    let attack = Attack::new().await;
    let post = |field: &str, levels: usize| {
        let value = format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        let (open, close) = if field == "metadata" { ("{\"k\":", "}") } else { ("", "") };
        let json = format!("{{\"channel_id\":\"$channel\",\"body\":\"x\",\"{field}\":{open}{value}{close}}}");
        attack.request("mara", "POST /messages", attack.fill(&json))
    };
    // The request itself is the first level, and the object of metadata the second.
    for (field, above, start) in [("content", 1, "content"), ("metadata", 2, "metadata.k")] {
        let most = REQUEST_DEPTH_MAX - above;
        assert_eq!(attack.send(post(field, most)).await.status, 201, "{field} with {most} levels");
        for levels in [most + 1, most + 2, 127, 128, 1_000, 100_000] {
            let expected = format!("400 I05 {start}{}", "[0]".repeat(most));
            attack.refused(&format!("{field} with {levels} levels"), post(field, levels), &expected).await;
        }
    }
}

#[tokio::test]
async fn depth_is_refused_before_the_end_is_looked_for() {
    let attack = Attack::new().await;
    for [who, address, _] in valid_bodies() {
        for open in ["[", "{\"a\":"] {
            let deep = open.repeat(40_000);
            let step = if open == "[" { "[0]" } else { ".a" };
            let path = step.repeat(REQUEST_DEPTH_MAX);
            let expected = format!("400 I05 {}", path.trim_start_matches('.'));
            attack.refused(&format!("{open} to {address}"), attack.request(who, address, deep), &expected).await;
        }
    }
}

#[tokio::test]
async fn a_body_may_have_as_many_bytes_as_the_limit_says_and_not_one_more() {
    let attack = Attack::new().await;
    let json = attack.fill("{\"channel_id\":\"$channel\",\"body\":\"x\"}");
    let padded = |bytes: usize| format!("{json}{}", " ".repeat(bytes - json.len()));
    let full = attack.request("mara", "POST /messages", padded(REQUEST_BODY_BYTES_MAX));
    assert_eq!(attack.send(full).await.status, 201);
    for [who, address, _] in valid_bodies() {
        let most = if address == "POST /imports" { IMPORT_BODY_BYTES_MAX } else { REQUEST_BODY_BYTES_MAX };
        let whole = attack.request(who, address, padded(most + 1));
        attack.refused(&format!("one byte more to {address}"), whole, "413 I06").await;
        let in_pieces = attack.request(who, address, endless());
        attack.refused(&format!("a stream without an end to {address}"), in_pieces, "413 I06").await;
    }
}

/// Blanks for ever, without a length.
fn endless() -> Body {
    let piece = || Ok::<_, std::convert::Infallible>(" ".repeat(1_000));
    Body::from_stream(stream::repeat_with(piece))
}

#[tokio::test]
async fn a_body_that_breaks_off_is_refused() {
    let attack = Attack::new().await;
    for [who, address, body] in valid_bodies() {
        let pieces = [Ok(attack.fill(body)), Err("the line is dead")];
        let broken = attack.request(who, address, Body::from_stream(stream::iter(pieces)));
        attack.refused(&format!("a broken body to {address}"), broken, "400 I01").await;
    }
}

#[tokio::test]
async fn only_plain_json_is_read() {
    let attack = Attack::new().await;
    for [who, address, body] in valid_bodies() {
        for (media_type, encoding) in MEDIA_TYPES {
            let mut request = attack.request(who, address, attack.fill(body));
            for (name, value) in [(header::CONTENT_TYPE, media_type), (header::CONTENT_ENCODING, encoding)] {
                request.headers_mut().remove(&name);
                if !value.is_empty() {
                    request.headers_mut().insert(name, HeaderValue::from_str(value).expect("value"));
                }
            }
            attack.refused(&format!("{media_type} {encoding} to {address}"), request, "415 I07").await;
        }
    }
}
