//! Sign-in of people in browsers.

use axum::http::{Method, header};
use parlour_core::limits;
use parlour_server::{HttpGuard, PeerAddress};
use serde_json::{Value, json};

use crate::support::{Call, Member, Reply, TestApp, fields};

const PASSWORD: &str = "seven swans a-swimming";

fn sign_in(app: &TestApp, body: Value) -> Call {
    app.post("/sign-in", body).by_nobody()
}

async fn give_password(app: &TestApp, person: &Member, body: Value) -> Reply {
    app.put(&format!("/people/{}/password", person.id)).json(body).by(&person.token).await
}

#[tokio::test]
async fn a_person_signs_in_with_name_and_password() {
    let app = TestApp::new().await;
    let mara = app.person("Mara").await;
    give_password(&app, &mara, json!({"password": PASSWORD})).await.expect_empty(204);
    let reply = sign_in(&app, json!({"name": "mara", "password": PASSWORD})).await;
    let cookie = reply.cookie();
    let me = reply.expect(200);
    assert_eq!((&me["member_id"], &me["name"]), (&json!(mara.id), &json!("Mara")));
    assert_eq!(fields(&me), ["expires_at", "member_id", "name", "role", "scopes", "token_id"]);
    assert_eq!(app.get("/me").by_browser(&cookie).await.expect(200), me);
}

#[tokio::test]
async fn the_cookie_is_http_only_and_same_site() {
    let app = TestApp::new().await;
    let mara = app.person("Mara").await;
    let link = app.call(Method::POST, &format!("/people/{}/link", mara.id)).await.expect(201);
    let reply = sign_in(&app, json!({"code": link["code"]})).await;
    let (pair, rest) = reply.header("set-cookie").split_once("; ").expect("attributes");
    assert!(pair.starts_with("parlour_session=") && pair.len() > 60, "{pair}");
    assert_eq!(rest, format!("Path=/; Max-Age={}; HttpOnly; SameSite=Strict", limits::SESSION_SECONDS_MAX));
    assert_eq!(reply.header("cache-control"), "no-store");
}

#[tokio::test]
async fn over_tls_the_cookie_is_bound_to_the_host() {
    let app = TestApp::new().await.with_http_guard(HttpGuard { is_tls: true, ..HttpGuard::default() });
    let mara = app.person("Mara").await;
    let cookie = app.browser(&mara).await;
    assert!(cookie.starts_with("__Host-parlour_session="), "{cookie}");
    app.get("/me").by_browser(&cookie).await.expect(200);
    let plain = cookie.replace("__Host-", "");
    app.get("/me").by_browser(&plain).await.expect_problem("PARLOUR-A01", None);
}

#[tokio::test]
async fn only_a_trusted_proxy_can_declare_tls() {
    let proxies = "10.0.0.7".parse().expect("a list");
    let app = TestApp::new().await.with_http_guard(HttpGuard { proxies, ..HttpGuard::default() });
    let mara = app.person("Mara").await;
    for (peer, name) in [("10.0.0.7", "__Host-parlour_session"), ("10.0.0.8", "parlour_session")] {
        let link = app.call(Method::POST, &format!("/people/{}/link", mara.id)).await.expect(201);
        let peer = PeerAddress(peer.parse().expect("an address"));
        let call = sign_in(&app, json!({"code": link["code"]})).with_extension(peer);
        let reply = call.header(header::HeaderName::from_static("x-forwarded-proto"), "https").await;
        assert_eq!(reply.cookie().split('=').next(), Some(name), "{peer:?}");
    }
}

#[tokio::test]
async fn a_link_works_once() {
    let app = TestApp::new().await;
    let mara = app.person("Mara").await;
    let link = app.call(Method::POST, &format!("/people/{}/link", mara.id)).by(&mara.token).await.expect(201);
    assert_eq!(fields(&link), ["code", "path"]);
    let code = link["code"].as_str().expect("a code");
    assert_eq!(link["path"], format!("/sign-in#code={code}"), "what is behind the # reaches no log");
    assert_eq!(sign_in(&app, json!({"code": code})).await.expect(200)["name"], "Mara");
    sign_in(&app, json!({"code": code})).await.expect_problem("PARLOUR-A06", None);
    app.get("/me").by(code).await.expect_problem("PARLOUR-A01", None);
}

#[tokio::test]
async fn a_sign_in_link_expires() {
    let app = TestApp::new().await;
    let mara = app.person("Mara").await;
    let link = app.call(Method::POST, &format!("/people/{}/link", mara.id)).await.expect(201);
    app.clock.advance(limits::LINK_SECONDS_MAX as u32 * 1_000);
    sign_in(&app, json!({"code": link["code"]})).await.expect_problem("PARLOUR-A06", None);
}

#[tokio::test]
async fn links_and_passwords_of_others_require_an_administrator() {
    let app = TestApp::new().await;
    let (mara, timo) = (app.person("Mara").await, app.person("Timo").await);
    let path = format!("/people/{}/link", mara.id);
    app.call(Method::POST, &path).by(&timo.token).await.expect_problem("PARLOUR-A02", None);
    let call = app.put(&format!("/people/{}/password", mara.id)).json(json!({"password": PASSWORD}));
    call.by(&timo.token).await.expect_problem("PARLOUR-A02", None);
}

#[tokio::test]
async fn every_failed_sign_in_gets_the_same_refusal() {
    let app = TestApp::new().await;
    let (mara, _) = (app.person("Mara").await, app.person("Timo").await);
    give_password(&app, &mara, json!({"password": PASSWORD})).await.expect_empty(204);
    let long = "x".repeat(10_000);
    let mut problems = Vec::new();
    for (name, password) in
        [("Mara", "wrong password"), ("Timo", PASSWORD), ("Nobody", PASSWORD), ("\0", "\0"), (&long, &long), ("", "")]
    {
        let reply = sign_in(&app, json!({"name": name, "password": password})).await;
        assert!(!reply.headers.contains_key("set-cookie"), "{name}");
        let mut problem = reply.expect_problem("PARLOUR-A06", None);
        problem.as_object_mut().expect("an object").remove("request_id");
        problems.push(problem);
    }
    assert!(problems.iter().all(|problem| *problem == problems[0]), "{problems:?}");
}

#[tokio::test]
async fn a_sign_in_requires_name_and_password_or_a_code() {
    let app = TestApp::new().await;
    for body in [
        json!({}),
        json!({"name": "Mara"}),
        json!({"password": PASSWORD}),
        json!({"name": "Mara", "password": PASSWORD, "code": "x"}),
        json!({"name": "Mara", "code": "x"}),
    ] {
        sign_in(&app, body).await.expect_problem("PARLOUR-I02", None);
    }
    sign_in(&app, json!({"code": ["x"]})).await.expect_problem("PARLOUR-I02", Some("code"));
    sign_in(&app, json!({"code": "x", "remember": true})).await.expect_problem("PARLOUR-I03", Some("remember"));
    let form = app.call(Method::POST, "/sign-in").by_nobody();
    let form = form.content("application/x-www-form-urlencoded", "name=Mara&password=x");
    form.await.expect_problem("PARLOUR-I07", None);
}

#[tokio::test]
async fn signing_out_ends_the_session_and_clears_the_cookie() {
    let app = TestApp::new().await;
    let mara = app.person("Mara").await;
    let cookie = app.browser(&mara).await;
    let reply = app.call(Method::POST, "/sign-out").by_browser(&cookie).await;
    assert!(reply.header("set-cookie").starts_with("parlour_session=; Path=/; Max-Age=0"), "{reply:?}");
    reply.expect_empty(204);
    app.get("/me").by_browser(&cookie).await.expect_problem("PARLOUR-A01", None);
    app.get("/me").by(&mara.token).await.expect(200);
}

#[tokio::test]
async fn a_rejected_cookie_is_cleared() {
    let app = TestApp::new().await;
    for cookie in ["parlour_session=unknown", "parlour_session=a; parlour_session=b", "parlour_session="] {
        let reply = app.get("/me").by_browser(cookie).await;
        assert!(reply.header("set-cookie").starts_with("parlour_session=; "), "{cookie}");
        reply.expect_problem("PARLOUR-A01", None);
    }
    let reply = app.get("/me").by("wrong").header(header::COOKIE, "parlour_session=a").await;
    assert!(!reply.headers.contains_key("set-cookie"), "only the token was looked at");
}

#[tokio::test]
async fn a_session_expires() {
    let app = TestApp::new().await;
    let mara = app.person("Mara").await;
    let cookie = app.browser(&mara).await;
    for _ in 0..30 {
        app.get("/me").by_browser(&cookie).await.expect(200);
        app.clock.advance(limits::SESSION_SECONDS_MAX as u32 * 1_000 / 30);
    }
    app.get("/me").by_browser(&cookie).await.expect_problem("PARLOUR-A01", None);
}

#[tokio::test]
async fn a_new_password_signs_the_other_browsers_out() {
    let app = TestApp::new().await;
    let mara = app.person("Mara").await;
    let (mine, lost) = (app.browser(&mara).await, app.browser(&mara).await);
    let call = app.put(&format!("/people/{}/password", mara.id)).json(json!({"password": PASSWORD}));
    call.by_browser(&mine).await.expect_empty(204);
    app.get("/me").by_browser(&mine).await.expect(200);
    app.get("/me").by_browser(&lost).await.expect_problem("PARLOUR-A01", None);
}

#[tokio::test]
async fn changing_a_password_requires_the_current_one() {
    let app = TestApp::new().await;
    let mara = app.person("Mara").await;
    give_password(&app, &mara, json!({"password": PASSWORD})).await.expect_empty(204);
    for body in [json!({"password": "another long one"}), json!({"current": "wrong", "password": "another long one"})] {
        let reply = give_password(&app, &mara, body).await;
        assert!(matches!(reply.status.as_u16(), 401 | 403), "{}", reply.text());
    }
    let body = json!({"current": PASSWORD, "password": "another long one"});
    give_password(&app, &mara, body).await.expect_empty(204);
    let call = app.put(&format!("/people/{}/password", mara.id)).json(json!({"password": PASSWORD}));
    call.await.expect_empty(204);
    sign_in(&app, json!({"name": "Mara", "password": PASSWORD})).await.expect(200);
}

#[tokio::test]
async fn an_invalid_password_is_refused_and_not_quoted() {
    let app = TestApp::new().await;
    let mara = app.person("Mara").await;
    for password in ["shortish", &"long".repeat(100)] {
        let problem = give_password(&app, &mara, json!({"password": password})).await;
        let problem = problem.expect_problem("PARLOUR-I10", Some("password"));
        assert!(!problem.to_string().contains(password), "{problem}");
    }
}
