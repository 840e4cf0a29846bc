//! Hostile credentials.

use axum::http::{HeaderValue, header};

use crate::{
    populated_hub::PopulatedHub,
    tables::{HEADERS, lines, valid_bodies},
};

#[tokio::test]
async fn invalid_authorization_headers_are_refused() {
    let hub = PopulatedHub::new().await;
    let token = hub.token("mara").expect("a token");
    let long = [format!("Bearer {}", "x".repeat(4_097)), format!("Bearer {token}{}", " x".repeat(5_000))];
    for line in lines(HEADERS).chain(long.iter().map(String::as_str)) {
        let mut request = hub.request("nobody", "GET /me", "");
        for value in line.replace("$token", token).split(';') {
            let value = HeaderValue::from_bytes(value.as_bytes()).expect("value");
            request.headers_mut().append(header::AUTHORIZATION, value);
        }
        hub.expect_refusal(line, request, "401 A01").await;
    }
    let mut request = hub.request("nobody", "GET /me", "");
    request.headers_mut().insert(header::AUTHORIZATION, HeaderValue::from_bytes(b"Bearer \xff\xfe").expect("value"));
    hub.expect_refusal("bytes that are no text", request, "401 A01").await;
}

#[tokio::test]
async fn a_token_outside_of_the_authorization_header_is_ignored() {
    let hub = PopulatedHub::new().await;
    let token = hub.token("mara").expect("a token");
    let query = format!("GET /me?access_token={token}");
    hub.expect_refusal("in the query", hub.request("nobody", &query, ""), "401 A01").await;
    for name in ["cookie", "x-api-key", "x-authorization", "proxy-authorization", "x-forwarded-user"] {
        let mut request = hub.request("nobody", "GET /me", "");
        let value = if name == "cookie" { format!("token={token}") } else { format!("Bearer {token}") };
        request.headers_mut().insert(name, HeaderValue::from_str(&value).expect("value"));
        hub.expect_refusal(name, request, "401 A01").await;
    }
}

#[tokio::test]
async fn unauthenticated_requests_are_refused_before_they_are_parsed() {
    let hub = PopulatedHub::new().await;
    for [_, address, _] in valid_bodies() {
        hub.expect_refusal(address, hub.request("nobody", address, "no JSON"), "401 A01").await;
    }
}

#[tokio::test]
async fn identity_headers_are_ignored() {
    let hub = PopulatedHub::new().await;
    let mut request = hub.request("ben", "GET /me", "");
    for (name, value) in [("x-forwarded-user", "Admin"), ("x-user-id", hub.id("mara")), ("forwarded", "for=admin")] {
        request.headers_mut().insert(name, HeaderValue::from_str(value).expect("value"));
    }
    assert_eq!(hub.send(request).await.expect(200)["member_id"], hub.id("ben"));
}

#[tokio::test]
async fn a_replaced_token_stops_working_at_once() {
    let hub = PopulatedHub::new().await;
    hub.call("coder", "GET /me", "").await.expect(200);
    hub.call("mara", "POST /agents/$coder/token", "").await.expect(201);
    hub.expect_refusal("the old token", hub.request("coder", "GET /me", ""), "401 A01").await;
}
