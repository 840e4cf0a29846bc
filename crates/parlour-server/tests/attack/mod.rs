//! A hub with a world in it, and requests in few words: `POST /channels/$channel/archive` by whoever is named.
#![allow(dead_code)] // Each test binary uses a part of it.

mod expected;
mod world;

use std::collections::BTreeMap;

use axum::{
    body::Body,
    http::{Method, Request, header},
};
use http_body_util::BodyExt as _;
use parlour_core::paging::PageRequest;
use serde_json::Value;
use tower::ServiceExt as _;

use crate::support::{Reply, TestApp};

pub use expected::{Expected, check_problem};
pub use world::{OTHER_PROJECT, PRIVATE_THINGS, PUBLIC_THINGS, Step};

/// A hub, and the ids and tokens of everything in it, by the labels of the world.
pub struct Attack {
    pub app: TestApp,
    ids: BTreeMap<&'static str, String>,
    tokens: BTreeMap<&'static str, String>,
}

impl Attack {
    /// The whole world: one project with private things in it, and another project.
    pub async fn new() -> Self {
        Self::with(&[PUBLIC_THINGS, OTHER_PROJECT, PRIVATE_THINGS]).await
    }

    /// A world of these parts only.
    pub async fn with(parts: &[&[Step]]) -> Self {
        let tokens = BTreeMap::from([("admin", TestApp::ADMIN.to_owned())]);
        let mut attack = Self { app: TestApp::new().await, ids: BTreeMap::new(), tokens };
        for step in parts.iter().copied().flatten() {
            attack.take(step).await;
        }
        attack
    }

    async fn take(&mut self, (label, who, request, body): &Step) {
        self.app.clock.advance(1);
        let reply = self.call(who, request, body).await;
        assert!(reply.status.is_success(), "{label}: {}", reply.text());
        let made = if reply.bytes.is_empty() { Value::Null } else { reply.json() };
        if let Some(id) = made["id"].as_str() {
            self.ids.insert(label, id.to_owned());
        }
        if let Some(token) = made["token"].as_str() {
            self.tokens.insert(label, token.to_owned());
        }
    }

    /// The text with each `$label` as the id of that thing.
    pub fn fill(&self, text: &str) -> String {
        // From the last label back, so that a longer one comes before its own beginning.
        let fill = |text: String, (label, id): (&&str, &String)| text.replace(&format!("${label}"), id);
        self.ids.iter().rev().fold(text.to_owned(), fill)
    }

    /// The token of whoever is named; nobody has none.
    pub fn token(&self, who: &str) -> Option<&str> {
        self.tokens.get(who).map(String::as_str)
    }

    /// The id of a thing.
    pub fn id(&self, label: &str) -> &str {
        &self.ids[label]
    }

    /// A request as it stands in a table, with what usually goes along.
    pub fn request(&self, who: &str, request: &str, body: impl Into<Body>) -> Request<Body> {
        let (method, path) = request.split_once(' ').expect("a method and a path");
        let mut builder = Request::builder().method(Method::from_bytes(method.as_bytes()).expect("a method"));
        if let Some(token) = self.token(who) {
            builder = builder.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        let media_type = if path.starts_with("/artifacts") { "text/plain" } else { "application/json" };
        builder = builder.header(header::CONTENT_TYPE, media_type).uri(self.fill(path));
        builder.body(body.into()).unwrap_or_else(|error| panic!("{request}: {error}"))
    }

    /// Sends a request whose body holds labels too.
    pub async fn call(&self, who: &str, request: &str, body: &str) -> Reply {
        self.send(self.request(who, request, self.fill(body))).await
    }

    /// Sends any request.
    pub async fn send(&self, request: Request<Body>) -> Reply {
        let response = self.app.router.clone().oneshot(request).await.expect("infallible");
        let (head, body) = response.into_parts();
        let bytes = body.collect().await.expect("body").to_bytes();
        Reply { status: head.status, headers: head.headers, bytes }
    }

    /// Sends a request that must be refused just so, and must change nothing.
    pub async fn refused(&self, why: &str, request: Request<Body>, expected: &str) {
        let before = self.ends().await;
        let reply = self.send(request).await;
        Expected::read(expected).check(why, &reply);
        assert_eq!(self.ends().await, before, "{why}: something was stored");
    }

    /// The ends of all logs, and how many people there are: whatever is stored moves one of these.
    pub async fn ends(&self) -> (Vec<String>, usize) {
        let hub = &self.app.hub;
        let admin = hub.sign_in(TestApp::ADMIN).await.expect("admin");
        let mut ends = Vec::new();
        for project in hub.projects(&admin, &PageRequest::first()).await.expect("projects").items {
            ends.push(hub.end_of_log(&admin, &project.id).await.expect("end").to_string());
        }
        (ends, hub.people(&admin, &PageRequest::first()).await.expect("people").items.len())
    }
}
