//! A hub with seed data, and requests in table form: `POST /channels/$channel/archive` by a named member.
#![allow(dead_code)] // Each test binary uses a part of it.

mod expected_refusal;
mod seed_data;

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
pub(crate) use expected_refusal::{ExpectedRefusal, problem_finding};
pub(crate) use seed_data::{OTHER_PROJECT, PRIVATE_DATA, PUBLIC_DATA, SeedStep};

const ID_PREFIXES: [&str; 11] = ["prj_", "per_", "agt_", "chn_", "thr_", "dm_", "msg_", "tsk_", "bat_", "art_", "run_"];

/// A hub, and the ids and tokens of its seed data by label.
pub(crate) struct PopulatedHub {
    pub(crate) app: TestApp,
    ids: BTreeMap<&'static str, String>,
    tokens: BTreeMap<&'static str, String>,
    findings: Mutex<Vec<String>>,
    /// The ends of the logs after the last judged request; reset when another request is sent.
    last_ends: Mutex<Option<LogEnds>>,
}

/// The ends of all logs and the number of people: every stored change moves one of them.
pub(crate) type LogEnds = (Vec<String>, usize);

impl Drop for PopulatedHub {
    /// Fails with all findings, so that one run of a table shows all of its wrong rows.
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

impl PopulatedHub {
    /// All seed data: a project with private data, and another project.
    pub(crate) async fn new() -> Self {
        Self::with(&[PUBLIC_DATA, OTHER_PROJECT, PRIVATE_DATA]).await
    }

    /// Only these parts of the seed data, one millisecond apart.
    pub(crate) async fn with(parts: &[&[SeedStep]]) -> Self {
        let tokens = BTreeMap::from([("admin", TestApp::ADMIN.to_owned())]);
        let mut hub = Self {
            app: TestApp::new().await,
            ids: BTreeMap::new(),
            tokens,
            findings: Mutex::default(),
            last_ends: Mutex::default(),
        };
        for part in parts {
            hub.app.clock.advance(1);
            for step in *part {
                hub.run_step(step).await;
            }
        }
        hub
    }

    async fn run_step(&mut self, (label, who, request, body): &SeedStep) {
        let reply = self.call(who, request, body).await;
        assert!(reply.status.is_success(), "{label}: {}", reply.text());
        let created = if reply.bytes.is_empty() { Value::Null } else { reply.json() };
        if let Some(id) = created["id"].as_str() {
            self.ids.insert(label, id.to_owned());
        }
        if let Some(token) = created["token"].as_str() {
            self.tokens.insert(label, token.to_owned());
        }
    }

    /// Replaces each `$label` by its id.
    pub(crate) fn fill(&self, text: &str) -> String {
        // In reverse order, so that a label is replaced before its own prefix.
        let fill = |text: String, (label, id): (&&str, &String)| text.replace(&format!("${label}"), id);
        self.ids.iter().rev().fold(text.to_owned(), fill)
    }

    /// The token of a member; `nobody` has none.
    pub(crate) fn token(&self, who: &str) -> Option<&str> {
        self.tokens.get(who).map(String::as_str)
    }

    pub(crate) fn id(&self, label: &str) -> &str {
        &self.ids[label]
    }

    pub(crate) fn id_or_none(&self, label: &str) -> Option<&str> {
        self.ids.get(label).map(String::as_str)
    }

    /// Builds a request from its table form, with token and content type.
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

    /// Sends a request; labels in the body are replaced too.
    pub(crate) async fn call(&self, who: &str, request: &str, body: &str) -> Reply {
        self.send(self.request(who, request, self.fill(body))).await
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> Reply {
        self.last_ends.lock().expect("no panic").take();
        self.execute(request).await
    }

    async fn execute(&self, request: Request<Body>) -> Reply {
        let response = self.app.router.clone().oneshot(request).await.expect("infallible");
        let (head, body) = response.into_parts();
        let bytes = body.collect().await.expect("body").to_bytes();
        Reply { status: head.status, headers: head.headers, bytes }
    }

    /// Sends a request that must be refused as expected and must change nothing.
    pub(crate) async fn expect_refusal(&self, why: &str, request: Request<Body>, expected: &str) {
        self.expect_no_change(why, request, |reply| ExpectedRefusal::read(expected).finding(reply)).await;
    }

    /// Sends a request that must change nothing, and records what `judge` finds wrong with the response.
    pub(crate) async fn expect_no_change(
        &self,
        why: &str,
        request: Request<Body>,
        judge: impl FnOnce(&Reply) -> Option<String>,
    ) {
        let last = self.last_ends.lock().expect("no panic").take();
        let before = match last {
            Some(ends) => ends,
            None => self.ends().await,
        };
        let reply = self.execute(request).await;
        let after = self.ends().await;
        self.record(why, judge(&reply));
        self.record(why, (after != before).then(|| "something was stored".to_owned()));
        self.last_ends.lock().expect("no panic").replace(after);
    }

    /// Records a finding, which fails the test at its end.
    pub(crate) fn record(&self, why: &str, finding: Option<String>) {
        self.findings.lock().expect("no panic").extend(finding.map(|finding| format!("{why}: {finding}")));
    }

    /// The status and the problem of a refusal, with ids replaced: equal for a hidden and for a missing target.
    pub(crate) async fn anonymous_refusal(&self, who: &str, request: &str, body: &str) -> (u16, String) {
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

    /// Checks that the hub still serves requests.
    pub(crate) async fn expect_available(&self) {
        self.call("nobody", "GET /ready", "").await.expect(200);
        self.call("mara", "POST /messages", r#"{"channel_id":"$channel","body":"Still here"}"#).await.expect(201);
    }

    pub(crate) async fn ends(&self) -> LogEnds {
        let hub = &self.app.hub;
        let admin = hub.sign_in(TestApp::ADMIN).await.expect("admin");
        let mut ends = Vec::new();
        for project in hub.projects(&admin, &PageRequest::first()).await.expect("projects").items {
            ends.push(hub.end_of_log(&admin, &project.id).await.expect("end").to_string());
        }
        (ends, hub.people(&admin, &PageRequest::first()).await.expect("people").items.len())
    }
}
