//! Rate limits: reported quota and refusals.

use axum::http::Method;
use parlour_core::{
    limits,
    rate::{Bucket, Rate, Rates},
};
use serde_json::{Value, json};

use crate::support::{Call, Reply, TestApp, id_of};

async fn app(bucket: Bucket, count: u32, burst: u32) -> TestApp {
    TestApp::with_rates(Rates::off().with(bucket, Some(Rate { count, burst }))).await
}

/// The values of `RateLimit` and `RateLimit-Policy`.
fn rate_headers(reply: &Reply) -> (&str, &str) {
    (reply.header("ratelimit"), reply.header("ratelimit-policy"))
}

/// The statuses of a repeated request.
async fn statuses(times: usize, call: impl Fn() -> Call) -> Vec<u16> {
    let mut statuses = Vec::new();
    for _ in 0..times {
        statuses.push(call().await.status.as_u16());
    }
    statuses
}

#[tokio::test]
async fn every_response_contains_the_remaining_quota() {
    let app = TestApp::with_rates(Rates::default()).await;
    assert_eq!(rate_headers(&app.get("/me").await), ("\"member\";r=499;t=1", "\"member\";q=500;w=10"));
    let change = app.post("/projects", json!({"name": "Apollo"})).await;
    let expected = ("\"member\";r=498;t=1, \"change\";r=199;t=1", "\"member\";q=500;w=10, \"change\";q=200;w=10");
    assert_eq!(rate_headers(&change), expected);
    let not_found = app.get("/projects/prj_none").await;
    assert_eq!((not_found.status.as_u16(), rate_headers(&not_found).0), (404, "\"member\";r=497;t=1"));
}

#[tokio::test]
async fn unauthenticated_responses_contain_no_quota_until_the_limit() {
    let app = app(Bucket::Address, 1, 2).await;
    assert_eq!(rate_headers(&app.get("/health").by_nobody().await), ("", ""));
    assert_eq!(app.get("/me").by_nobody().await.status, 401);
    let refused = app.get("/health").by_nobody().await;
    assert_eq!(rate_headers(&refused), ("\"address\";r=0;t=1", "\"address\";q=2;w=2"));
    refused.expect_problem("PARLOUR-A08", None);
}

#[tokio::test]
async fn a_rate_limited_request_succeeds_after_retry_after() {
    let app = app(Bucket::Member, 1, 3).await;
    assert_eq!(statuses(4, || app.get("/me")).await, [200, 200, 200, 429]);
    app.clock.advance(200);
    let refused = app.get("/me").await;
    assert_eq!((refused.header("retry-after"), rate_headers(&refused).0), ("1", "\"member\";r=0;t=1"));
    let problem = refused.expect_problem("PARLOUR-A08", None);
    assert_eq!((&problem["retryable"], &problem["retry_after"]), (&json!(true), &json!(1)));
    app.clock.advance(800);
    assert_eq!(app.get("/me").await.status, 200);
}

#[tokio::test]
async fn a_rate_limited_change_changes_nothing() {
    let app = app(Bucket::Change, 1, 1).await;
    app.post("/projects", json!({"name": "Apollo"})).await.expect(201);
    app.post("/projects", json!({"name": "Gemini"})).await.expect_problem("PARLOUR-A08", None);
    let projects = app.get("/projects").await.expect(200);
    let names: Vec<_> = projects["items"].as_array().expect("items").iter().map(|one| one["name"].clone()).collect();
    assert!(names.contains(&json!("Apollo")) && !names.contains(&json!("Gemini")), "{names:?}");
}

#[tokio::test]
async fn reads_are_possible_when_the_change_rate_is_exhausted() {
    let app = app(Bucket::Change, 1, 1).await;
    let changes = statuses(3, || app.post("/projects", json!({"name": "x"})));
    assert_eq!(changes.await, [201, 429, 429]);
    assert_eq!(statuses(3, || app.get("/projects")).await, [200; 3]);
}

#[tokio::test]
async fn the_message_rate_of_a_project_applies_to_all_members() {
    let app = app(Bucket::Project, 1, 1).await;
    let project = app.project("Apollo").await;
    let channel = app.channel(&project, "launch").await;
    let mara = app.person_in(&project, "Mara").await;
    app.say(&channel, "one").await;
    let two = app.post("/messages", json!({"channel_id": channel, "body": "two"})).by(&mara.token).await;
    assert_eq!(two.header("retry-after"), "1");
    let problem = two.expect_problem("PARLOUR-A08", None);
    assert!(problem["detail"].as_str().is_some_and(|text| text.contains("rate project")), "{problem}");
}

#[tokio::test]
async fn members_are_not_counted_against_their_address() {
    let app = app(Bucket::Address, 1, 3).await;
    assert_eq!(statuses(50, || app.get("/me")).await, [200; 50]);
    assert_eq!(statuses(4, || app.get("/me").by_nobody()).await, [401, 401, 401, 429]);
}

#[tokio::test]
async fn guessing_tokens_is_rate_limited() {
    let app = app(Bucket::FailedAddress, 10, 3).await;
    app.get("/me").await.expect(200);
    for guess in 0..3 {
        app.get("/me").by(&format!("guess-{guess}")).await.expect_problem("PARLOUR-A01", None);
    }
    let refused = app.get("/me").by("guess-3").await;
    assert_eq!(refused.header("retry-after"), "6");
    refused.expect_problem("PARLOUR-A08", None);
    assert_eq!(app.get("/me").await.status, 200, "a caller that authenticated before is not locked out");
    let (path, guess) = (format!("/events?project_id={}", app.project("Apollo").await), "guess-4");
    app.get(&path).by(guess).await.expect_problem("PARLOUR-A08", None);
}

/// Attempts a sign-in.
fn sign_in(app: &TestApp, name: &str) -> Call {
    app.post("/sign-in", json!({"name": name, "password": "not the right one"})).by_nobody()
}

#[tokio::test]
async fn guessing_passwords_is_rate_limited() {
    let app = app(Bucket::FailedName, 10, 2).await;
    app.person("Mara").await;
    for name in ["Mara", "mara"] {
        sign_in(&app, name).await.expect_problem("PARLOUR-A06", None);
    }
    sign_in(&app, "MARA").await.expect_problem("PARLOUR-A08", None);
    sign_in(&app, "Ben").await.expect_problem("PARLOUR-A06", None);
    app.clock.advance(6_000);
    sign_in(&app, "Mara").await.expect_problem("PARLOUR-A06", None);
}

#[tokio::test]
async fn guessing_the_current_password_with_a_session_is_rate_limited() {
    let app = app(Bucket::FailedName, 10, 2).await;
    let mara = app.person("Mara").await;
    let set = |current: Option<&str>| {
        let body = json!({"current": current, "password": "a long enough one"});
        app.call(Method::PUT, &format!("/people/{}/password", mara.id)).json(body).by(&mara.token)
    };
    set(None).await.expect_empty(204);
    for guess in ["a guess at it", "another guess"] {
        set(Some(guess)).await.expect_problem("PARLOUR-A06", Some("current"));
    }
    set(Some("a long enough one")).await.expect_problem("PARLOUR-A08", None);
    app.clock.advance(6_000);
    set(Some("a long enough one")).await.expect_empty(204);
}

#[tokio::test]
async fn guessing_codes_of_links_and_invites_is_rate_limited() {
    let app = app(Bucket::FailedAddress, 10, 2).await;
    app.post("/sign-in", json!({"code": "parlour_wrong"})).by_nobody().await.expect_problem("PARLOUR-A06", None);
    let join = || app.post("/join", json!({"code": "parlour_wrong", "name": "Coder"})).by_nobody();
    join().await.expect_problem("PARLOUR-A09", None);
    join().await.expect_problem("PARLOUR-A08", None);
}

#[tokio::test]
async fn chunks_of_an_answer_cost_a_tenth() {
    let app = TestApp::with_rates(Rates::default()).await;
    let project = app.project("Apollo").await;
    let channel = app.channel(&project, "launch").await;
    let coder = app.agent(&project, "Coder").await;
    let open = json!({"channel_id": channel, "body": "", "stream": true});
    let answer = id_of(&app.post("/messages", open).by(&coder.token).await.expect(201));
    let (path, mut left) = (format!("/messages/{answer}/chunks"), Vec::new());
    for start in 0..11 {
        let reply = app.post(&path, json!({"start": start, "text": "x"})).by(&coder.token).await;
        left.push(reply.header("ratelimit").split(';').nth(1).unwrap_or("").to_owned());
        reply.expect(200);
    }
    assert_eq!((left[0].as_str(), left[9].as_str(), left[10].as_str()), ("r=498", "r=498", "r=497"));
}

fn names(limits: &Value) -> Vec<&str> {
    limits["rates"].as_array().expect("rates").iter().filter_map(|rate| rate["name"].as_str()).collect()
}

#[tokio::test]
async fn the_configured_rates_are_listed_with_the_limits() {
    let rates: Rates = "member=7/70, address=off".parse().expect("rates");
    let app = TestApp::with_rates(rates).await;
    let limits = app.get("/limits").await.expect(200);
    assert_eq!(names(&limits), ["member", "change", "project", "failed_address", "failed_name"]);
    let member = &limits["rates"][0];
    assert_eq!((&member["count"], &member["window_seconds"], &member["burst"]), (&json!(7), &json!(1), &json!(70)));
    assert!(member["meaning"].as_str().is_some_and(|text| text.len() > 10));
    assert!(limits["items"].as_array().is_some_and(|items| items.len() == limits::TABLE.len()));
}

#[tokio::test]
async fn disabled_rates_limit_nothing_and_are_not_listed() {
    let app = TestApp::new().await;
    assert_eq!(names(&app.get("/limits").await.expect(200)), [""; 0]);
    assert_eq!(rate_headers(&app.get("/me").await), ("", ""));
    assert_eq!(statuses(600, || app.get("/me")).await, [200; 600]);
}
