//! A hub with a world in it, and requests in few words: `POST /channels/$channel/archive` by whoever is named.
#![allow(dead_code)] // Each test binary uses a part of it.

mod expected;
mod world;

use std::{collections::BTreeMap, sync::Mutex};

use axum::{
    body::Body,
    http::{Method, Request, header},
};
use http_body_util::BodyExt as _;
use parlour_core::paging::PageRequest;
use serde_json::Value;
use tower::ServiceExt as _;

use crate::support::{Reply, TestApp};

#[allow(unused_imports)] // Each test binary uses a part of it.
pub(crate) use expected::{Expected, problem_finding};
pub(crate) use world::{OTHER_PROJECT, PRIVATE_THINGS, PUBLIC_THINGS, Step};

/// How ids start.
const ID_PREFIXES: [&str; 11] = ["prj_", "per_", "agt_", "chn_", "thr_", "dm_", "msg_", "tsk_", "bat_", "art_", "run_"];

/// A hub, and the ids and tokens of everything in it, by the labels of the world.
pub(crate) struct Attack {
    pub(crate) app: TestApp,
    ids: BTreeMap<&'static str, String>,
    tokens: BTreeMap<&'static str, String>,
    findings: Mutex<Vec<String>>,
    /// Where the logs ended after the last request that was judged, until another one is sent.
    known_ends: Mutex<Option<Ends>>,
}

/// The ends of all logs, and how many people there are: whatever is stored moves one of these.
pub(crate) type Ends = (Vec<String>, usize);

impl Drop for Attack {
    /// Shows everything that was found, so that one run of a table tells all of its wrong rows.
    fn drop(&mut self) {
        let findings = self.findings.lock().expect("no panic");
        assert!(
            findings.is_empty() || std::thread::panicking(),
            "{} findings:\n{}",
            findings.len(),
            findings.join("\n")
        );
    }
}

impl Attack {
    /// The whole world: one project with private things in it, and another project.
    pub(crate) async fn new() -> Self {
        Self::with(&[PUBLIC_THINGS, OTHER_PROJECT, PRIVATE_THINGS]).await
    }

    /// A world of these parts only, one millisecond apart.
    pub(crate) async fn with(parts: &[&[Step]]) -> Self {
        let tokens = BTreeMap::from([("admin", TestApp::ADMIN.to_owned())]);
        let mut attack = Self {
            app: TestApp::new().await,
            ids: BTreeMap::new(),
            tokens,
            findings: Mutex::default(),
            known_ends: Mutex::default(),
        };
        for part in parts {
            attack.app.clock.advance(1);
            for step in *part {
                attack.take(step).await;
            }
        }
        attack
    }

    async fn take(&mut self, (label, who, request, body): &Step) {
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
    pub(crate) fn fill(&self, text: &str) -> String {
        // From the last label back, so that a longer one comes before its own beginning.
        let fill = |text: String, (label, id): (&&str, &String)| text.replace(&format!("${label}"), id);
        self.ids.iter().rev().fold(text.to_owned(), fill)
    }

    /// The token of whoever is named; nobody has none.
    pub(crate) fn token(&self, who: &str) -> Option<&str> {
        self.tokens.get(who).map(String::as_str)
    }

    /// The id of a thing.
    pub(crate) fn id(&self, label: &str) -> &str {
        &self.ids[label]
    }

    /// The id of a thing, if it was made in this world.
    pub(crate) fn id_or_none(&self, label: &str) -> Option<&str> {
        self.ids.get(label).map(String::as_str)
    }

    /// A request as it stands in a table, with what usually goes along.
    pub(crate) fn request(&self, who: &str, request: &str, body: impl Into<Body>) -> Request<Body> {
        let (method, path) = request.split_once(' ').expect("a method and a path");
        let mut builder = Request::builder().method(Method::from_bytes(method.as_bytes()).expect("a method"));
        if let Some(token) = self.token(who) {
            builder = builder.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        let media_type = if path.starts_with("/artifacts") { "text/plain" } else { "application/json" };
        builder = builder.header(header::CONTENT_TYPE, media_type).uri(self.fill(path));
        builder.body(body.into()).expect(request)
    }

    /// Sends a request whose body holds labels too.
    pub(crate) async fn call(&self, who: &str, request: &str, body: &str) -> Reply {
        self.send(self.request(who, request, self.fill(body))).await
    }

    /// Sends any request.
    pub(crate) async fn send(&self, request: Request<Body>) -> Reply {
        self.known_ends.lock().expect("no panic").take();
        self.answer(request).await
    }

    async fn answer(&self, request: Request<Body>) -> Reply {
        let response = self.app.router.clone().oneshot(request).await.expect("infallible");
        let (head, body) = response.into_parts();
        let bytes = body.collect().await.expect("body").to_bytes();
        Reply { status: head.status, headers: head.headers, bytes }
    }

    /// Sends a request that must be refused just so, and must change nothing.
    pub(crate) async fn refused(&self, why: &str, request: Request<Body>, expected: &str) {
        self.judged(why, request, |reply| Expected::read(expected).finding(reply)).await;
    }

    /// Sends a request that must change nothing, and notes what `judge` finds wrong with its answer.
    pub(crate) async fn judged(&self, why: &str, request: Request<Body>, judge: impl FnOnce(&Reply) -> Option<String>) {
        let known = self.known_ends.lock().expect("no panic").take();
        let before = match known {
            Some(ends) => ends,
            None => self.ends().await,
        };
        let reply = self.answer(request).await;
        let after = self.ends().await;
        self.note(why, judge(&reply));
        self.note(why, (after != before).then(|| "something was stored".to_owned()));
        self.known_ends.lock().expect("no panic").replace(after);
    }

    /// Keeps a finding for the end.
    pub(crate) fn note(&self, why: &str, finding: Option<String>) {
        self.findings.lock().expect("no panic").extend(finding.map(|finding| format!("{why}: {finding}")));
    }

    /// What a refusal tells apart from the ids in it: two things nobody can tell apart are told the same.
    pub(crate) async fn told(&self, who: &str, request: &str, body: &str) -> (u16, String) {
        let reply = self.call(who, request, body).await;
        let mut problem = reply.json();
        problem["request_id"] = Value::Null;
        let is_part_of_id = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
        let words = problem.to_string();
        let words = words.split_inclusive(|sign| !is_part_of_id(sign)).map(|word| {
            let is_id = ID_PREFIXES.iter().any(|prefix| word.starts_with(prefix));
            if is_id { "an id" } else { word }
        });
        (reply.status.as_u16(), words.collect())
    }

    /// Checks that the hub is as well as before.
    pub(crate) async fn still_answers(&self) {
        self.call("nobody", "GET /ready", "").await.expect(200);
        self.call("mara", "POST /messages", r#"{"channel_id":"$channel","body":"Still here"}"#).await.expect(201);
    }

    /// Where all logs end.
    pub(crate) async fn ends(&self) -> Ends {
        let hub = &self.app.hub;
        let admin = hub.sign_in(TestApp::ADMIN).await.expect("admin");
        let mut ends = Vec::new();
        for project in hub.projects(&admin, &PageRequest::first()).await.expect("projects").items {
            ends.push(hub.end_of_log(&admin, &project.id).await.expect("end").to_string());
        }
        (ends, hub.people(&admin, &PageRequest::first()).await.expect("people").items.len())
    }
}
