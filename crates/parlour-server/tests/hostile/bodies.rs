//! Bodies that are not JSON or exceed a limit.

use axum::{
    body::Body,
    http::{HeaderValue, header},
};
use futures_util::stream;
use parlour_core::limits::{IMPORT_BODY_BYTES_MAX, REQUEST_BODY_BYTES_MAX, REQUEST_DEPTH_MAX};

use crate::{
    json::{BODIES, MEDIA_TYPES},
    populated_hub::PopulatedHub,
    tables::valid_bodies,
};

#[tokio::test]
async fn bodies_that_are_not_json_are_refused_by_every_route() {
    let hub = PopulatedHub::new().await;
    for [who, address, _] in valid_bodies() {
        // Where a body is optional, null means the same.
        let may_be_absent =
            ["/read", "/pass", "/complete", "/cancel", "/finish", "/resume"].iter().any(|end| address.ends_with(end));
        for (what, bytes, expected) in BODIES.iter().filter(|row| !may_be_absent || row.1 != b"null") {
            hub.expect_refusal(&format!("{what} to {address}"), hub.request(who, address, *bytes), expected).await;
        }
    }
    hub.expect_available().await;
}

#[tokio::test]
async fn truncated_extended_and_duplicated_bodies_are_refused() {
    let hub = PopulatedHub::new().await;
    for [who, address, body] in valid_bodies() {
        let body = hub.fill(body);
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
            hub.expect_refusal(&why, hub.request(who, address, text), "400 I01").await;
        }
        let known = body.split('"').nth(1).expect("a key");
        let twice = format!("{{\"{known}\":null,{}", &body[1..]);
        let why = format!("{twice} to {address}");
        hub.expect_refusal(&why, hub.request(who, address, twice), &format!("400 I04 {known}")).await;
    }
}

#[tokio::test]
async fn the_nesting_limit_of_bodies_is_exact() {
    let hub = PopulatedHub::new().await;
    let post = |field: &str, levels: usize| {
        let value = format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        let (open, close) = if field == "metadata" { ("{\"k\":", "}") } else { ("", "") };
        let json = format!("{{\"channel_id\":\"$channel\",\"body\":\"x\",\"{field}\":{open}{value}{close}}}");
        hub.request("mara", "POST /messages", hub.fill(&json))
    };
    // The request itself is the first level, and the object of metadata the second.
    for (field, above, start) in [("content", 1, "content"), ("metadata", 2, "metadata.k")] {
        let most = REQUEST_DEPTH_MAX - above;
        assert_eq!(hub.send(post(field, most)).await.status, 201, "{field} with {most} levels");
        for levels in [most + 1, most + 2, 127, 128, 1_000, 100_000] {
            let expected = format!("400 I05 {start}{}", "[0]".repeat(most));
            hub.expect_refusal(&format!("{field} with {levels} levels"), post(field, levels), &expected).await;
        }
    }
}

#[tokio::test]
async fn deep_nesting_is_refused_before_the_end_of_the_body() {
    let hub = PopulatedHub::new().await;
    for [who, address, _] in valid_bodies() {
        for open in ["[", "{\"a\":"] {
            let deep = open.repeat(40_000);
            let step = if open == "[" { "[0]" } else { ".a" };
            let path = step.repeat(REQUEST_DEPTH_MAX);
            let expected = format!("400 I05 {}", path.trim_start_matches('.'));
            hub.expect_refusal(&format!("{open} to {address}"), hub.request(who, address, deep), &expected).await;
        }
    }
}

#[tokio::test]
async fn the_size_limit_of_bodies_is_exact() {
    let hub = PopulatedHub::new().await;
    let json = hub.fill("{\"channel_id\":\"$channel\",\"body\":\"x\"}");
    let padded = |bytes: usize| format!("{json}{}", " ".repeat(bytes - json.len()));
    let full = hub.request("mara", "POST /messages", padded(REQUEST_BODY_BYTES_MAX));
    assert_eq!(hub.send(full).await.status, 201);
    for [who, address, _] in valid_bodies() {
        let most = if address == "POST /imports" { IMPORT_BODY_BYTES_MAX } else { REQUEST_BODY_BYTES_MAX };
        let whole = hub.request(who, address, padded(most + 1));
        hub.expect_refusal(&format!("one byte more to {address}"), whole, "413 I06").await;
        let in_pieces = hub.request(who, address, endless());
        hub.expect_refusal(&format!("a stream without an end to {address}"), in_pieces, "413 I06").await;
    }
}

/// An endless body of blanks without a length.
fn endless() -> Body {
    let piece = || Ok::<_, std::convert::Infallible>(" ".repeat(1_000));
    Body::from_stream(stream::repeat_with(piece))
}

#[tokio::test]
async fn an_incomplete_body_is_refused() {
    let hub = PopulatedHub::new().await;
    for [who, address, body] in valid_bodies() {
        let pieces = [Ok(hub.fill(body)), Err("the line is dead")];
        let broken = hub.request(who, address, Body::from_stream(stream::iter(pieces)));
        hub.expect_refusal(&format!("a broken body to {address}"), broken, "400 I01").await;
    }
}

#[tokio::test]
async fn compressed_bodies_and_other_media_types_are_refused() {
    let hub = PopulatedHub::new().await;
    for [who, address, body] in valid_bodies() {
        for (media_type, encoding) in MEDIA_TYPES {
            let mut request = hub.request(who, address, hub.fill(body));
            for (name, value) in [(header::CONTENT_TYPE, media_type), (header::CONTENT_ENCODING, encoding)] {
                request.headers_mut().remove(&name);
                if !value.is_empty() {
                    request.headers_mut().insert(name, HeaderValue::from_str(value).expect("value"));
                }
            }
            hub.expect_refusal(&format!("{media_type} {encoding} to {address}"), request, "415 I07").await;
        }
    }
}
