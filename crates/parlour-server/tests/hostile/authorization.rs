//! Who somebody says to be.

use axum::http::{HeaderValue, header};

use crate::{
    attack::Attack,
    tables::{HEADERS, lines, valid_bodies},
};

#[tokio::test]
async fn what_is_not_one_known_token_signs_nobody_in() {
    let attack = Attack::new().await;
    let token = attack.token("mara").expect("a token");
    let long = [format!("Bearer {}", "x".repeat(4_097)), format!("Bearer {token}{}", " x".repeat(5_000))];
    for line in lines(HEADERS).chain(long.iter().map(String::as_str)) {
        let mut request = attack.request("nobody", "GET /me", "");
        for value in line.replace("$token", token).split(';') {
            let value = HeaderValue::from_bytes(value.as_bytes()).expect("value");
            request.headers_mut().append(header::AUTHORIZATION, value);
        }
        attack.refused(line, request, "401 A01").await;
    }
    let mut request = attack.request("nobody", "GET /me", "");
    request.headers_mut().insert(header::AUTHORIZATION, HeaderValue::from_bytes(b"Bearer \xff\xfe").expect("value"));
    attack.refused("bytes that are no text", request, "401 A01").await;
}

#[tokio::test]
async fn a_token_anywhere_else_signs_nobody_in() {
    let attack = Attack::new().await;
    let token = attack.token("mara").expect("a token");
    let query = format!("GET /me?access_token={token}");
    attack.refused("in the query", attack.request("nobody", &query, ""), "401 A01").await;
    for name in ["cookie", "x-api-key", "x-authorization", "proxy-authorization", "x-forwarded-user"] {
        let mut request = attack.request("nobody", "GET /me", "");
        let value = if name == "cookie" { format!("token={token}") } else { format!("Bearer {token}") };
        request.headers_mut().insert(name, HeaderValue::from_str(&value).expect("value"));
        attack.refused(name, request, "401 A01").await;
    }
}

#[tokio::test]
async fn nobody_learns_what_is_wrong_with_a_request_before_signing_in() {
    let attack = Attack::new().await;
    for [_, address, _] in valid_bodies() {
        attack.refused(address, attack.request("nobody", address, "no JSON"), "401 A01").await;
    }
}

#[tokio::test]
async fn no_other_header_says_who_is_calling() {
    let attack = Attack::new().await;
    let mut request = attack.request("ben", "GET /me", "");
    for (name, value) in [("x-forwarded-user", "Admin"), ("x-user-id", attack.id("mara")), ("forwarded", "for=admin")] {
        request.headers_mut().insert(name, HeaderValue::from_str(value).expect("value"));
    }
    assert_eq!(attack.send(request).await.expect(200)["member_id"], attack.id("ben"));
}

#[tokio::test]
async fn a_replaced_token_stops_working_at_once() {
    let attack = Attack::new().await;
    attack.call("coder", "GET /me", "").await.expect(200);
    attack.call("mara", "POST /agents/$coder/token", "").await.expect(201);
    attack.refused("the old token", attack.request("coder", "GET /me", ""), "401 A01").await;
}
