//! A client of the protocol, over the router.

#![allow(clippy::panic, reason = "this is part of tests")]

use axum::http::{HeaderName, Method, header};
use serde_json::{Value, json};

use crate::support::{Call, Member, Reply, TestApp};

pub(crate) const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");

/// A client with a session.
#[derive(Clone)]
pub(crate) struct Client {
    pub(crate) token: String,
    pub(crate) session: String,
}

/// What a tool answered.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) is_error: bool,
    pub(crate) value: Value,
    /// All texts, one after another.
    pub(crate) text: String,
}

/// A project with a channel, a person and an agent that has a session.
pub(crate) struct Stage {
    pub(crate) app: TestApp,
    pub(crate) project: String,
    pub(crate) channel: String,
    pub(crate) mara: Member,
    pub(crate) coder: Member,
    pub(crate) client: Client,
}

impl Stage {
    pub(crate) async fn new() -> Self {
        let app = TestApp::new().await;
        let project = app.project("Apollo").await;
        let channel = app.channel(&project, "general").await;
        let mara = app.person_in(&project, "Mara").await;
        let coder = app.agent(&project, "Coder").await;
        let client = Client::open(&app, &coder.token).await;
        Self { app, project, channel, mara, coder, client }
    }

    /// Calls a tool as the agent.
    pub(crate) async fn tool(&self, name: &str, arguments: Value) -> Told {
        self.client.tool(&self.app, name, arguments).await
    }

    /// The words of a tool that must not refuse.
    pub(crate) async fn done(&self, name: &str, arguments: Value) -> Told {
        let told = self.tool(name, arguments).await;
        assert!(!told.is_error, "{}", told.text);
        told
    }

    /// A blocking message of Mara to the agent; its id.
    pub(crate) async fn block(&self, body: &str) -> String {
        let request = json!({"channel_id": self.channel, "body": format!("@Coder {body}"), "blocking": true});
        let posted = self.app.post("/messages", request).by(&self.mara.token).await.expect(201);
        posted["id"].as_str().expect("an id").to_owned()
    }

    /// Another token of the agent, with these scopes only.
    pub(crate) async fn narrow(&self, scopes: &[&str]) -> String {
        let request = json!({"member_id": self.coder.id, "kind": "static", "scopes": scopes});
        let issued = self.app.post("/tokens", request).await.expect(201);
        issued["secret"].as_str().expect("a secret").to_owned()
    }

    /// How far a message has come with the agent, and by which delivery path.
    pub(crate) async fn delivery(&self, message: &str) -> (String, String) {
        let found = self.app.get(&format!("/messages/{message}/deliveries")).by(&self.mara.token).await.expect(200);
        let items = found["items"].as_array().expect("items");
        let own = items.iter().find(|one| one["recipient"] == self.coder.id.as_str()).expect("a delivery");
        let text = |field: &str| own[field].as_str().unwrap_or_default().to_owned();
        (text("state"), text("delivered_via"))
    }
}

impl Client {
    pub(crate) async fn open(app: &TestApp, token: &str) -> Self {
        let reply = initialize(app, token, "2025-11-25").await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        let client = Self { token: token.to_owned(), session: reply.header("mcp-session-id").to_owned() };
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(client.post(app, ready).await.status, 202);
        client
    }

    /// A request in the session.
    pub(crate) fn call(&self, app: &TestApp, method: Method) -> Call {
        let call = app.call(method, "/mcp").by(&self.token).header(SESSION_ID, &self.session);
        call.header(header::ACCEPT, "application/json, text/event-stream").header(VERSION, "2025-11-25")
    }

    pub(crate) async fn post(&self, app: &TestApp, body: Value) -> Reply {
        self.call(app, Method::POST).json(body).await
    }

    /// What the server answers to a request: its whole message.
    pub(crate) async fn ask(&self, app: &TestApp, method: &str, params: Value) -> Value {
        let reply = self.post(app, json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params})).await;
        last_message(&reply)
    }

    pub(crate) async fn tool(&self, app: &TestApp, name: &str, arguments: Value) -> Told {
        told(&self.ask(app, "tools/call", json!({"name": name, "arguments": arguments})).await)
    }
}

/// The first message of a session.
pub(crate) async fn initialize(app: &TestApp, token: &str, version: &str) -> Reply {
    let params =
        json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
    let accept = "application/json, text/event-stream";
    app.post("/mcp", body).by(token).header(header::ACCEPT, accept).await
}

/// A request of the newest revision: no session, everything in it.
pub(crate) async fn alone(app: &TestApp, token: &str, name: &str, arguments: Value) -> Told {
    told(&last_message(&alone_reply(app, token, name, arguments).await))
}

/// The same, as it is answered.
pub(crate) async fn alone_reply(app: &TestApp, token: &str, name: &str, arguments: Value) -> Reply {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({"name": name, "arguments": arguments, "_meta": meta});
    let body = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params});
    let call = app.post("/mcp", body).by(token).header(header::ACCEPT, "application/json, text/event-stream");
    let call = call.header(VERSION, "2026-07-28").header(HeaderName::from_static("mcp-method"), "tools/call");
    call.header(HeaderName::from_static("mcp-name"), name).await
}

/// The last message of an answer, which is JSON or a stream of events.
#[track_caller]
pub(crate) fn last_message(reply: &Reply) -> Value {
    if reply.header("content-type") == "application/json" {
        return reply.json();
    }
    let data = reply.text().lines().filter_map(|line| line.strip_prefix("data: ")).next_back();
    data.and_then(|data| serde_json::from_str(data).ok()).unwrap_or_else(|| panic!("no message: {reply:?}"))
}

#[track_caller]
fn told(message: &Value) -> Told {
    let result = message.get("result").unwrap_or_else(|| panic!("no result: {message}"));
    let blocks = result["content"].as_array().expect("content");
    let texts: Vec<_> = blocks.iter().map(|block| block["text"].as_str().expect("text")).collect();
    Told { is_error: result["isError"] == true, value: result["structuredContent"].clone(), text: texts.join("\n") }
}
