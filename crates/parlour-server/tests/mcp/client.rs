//! An MCP client that calls the router in-process.

#![allow(clippy::panic, reason = "this is part of tests")]

use std::ops::Deref;

use axum::http::{HeaderName, Method, header};
use serde_json::{Value, json};

use crate::support::{Call, ProjectFixture, Reply, TestApp};

pub(crate) const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
pub(crate) const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");

/// A client with a session.
#[derive(Clone)]
pub(crate) struct McpTestClient {
    pub(crate) token: String,
    pub(crate) session: String,
}

/// The result of a tool call.
#[derive(Debug)]
pub(crate) struct ToolResult {
    pub(crate) is_error: bool,
    pub(crate) value: Value,
    /// All text blocks, joined.
    pub(crate) text: String,
}

/// A project whose agent Coder has an MCP session.
pub(crate) struct McpFixture {
    base: ProjectFixture,
    pub(crate) client: McpTestClient,
}

impl Deref for McpFixture {
    type Target = ProjectFixture;

    fn deref(&self) -> &ProjectFixture {
        &self.base
    }
}

impl McpFixture {
    pub(crate) async fn new() -> Self {
        let base = ProjectFixture::new().await;
        let client = McpTestClient::open(&base.app, &base.coder.token).await;
        Self { base, client }
    }

    /// Calls a tool as the agent; the result may be an error.
    pub(crate) async fn call_tool(&self, name: &str, arguments: Value) -> ToolResult {
        self.client.call_tool(&self.app, name, arguments).await
    }

    /// Calls a tool as the agent; an error fails the test.
    pub(crate) async fn call(&self, name: &str, arguments: Value) -> ToolResult {
        let result = self.call_tool(name, arguments).await;
        assert!(!result.is_error, "{}", result.text);
        result
    }

    /// Posts a blocking message of Mara to the agent and returns its id.
    pub(crate) async fn post_blocking(&self, body: &str) -> String {
        let request = json!({"channel_id": self.channel, "body": format!("@Coder {body}"), "blocking": true});
        let posted = self.app.post("/messages", request).by(&self.mara.token).await.expect(201);
        posted["id"].as_str().expect("an id").to_owned()
    }

    /// Issues a token of the agent with only these scopes.
    pub(crate) async fn scoped_token(&self, scopes: &[&str]) -> String {
        let request = json!({"member_id": self.coder.id, "kind": "static", "scopes": scopes});
        let issued = self.app.post("/tokens", request).await.expect(201);
        issued["secret"].as_str().expect("a secret").to_owned()
    }

    /// The state and the delivery path of a message to the agent.
    pub(crate) async fn delivery(&self, message: &str) -> (String, String) {
        let found = self.app.get(&format!("/messages/{message}/deliveries")).by(&self.mara.token).await.expect(200);
        let items = found["items"].as_array().expect("items");
        let own = items.iter().find(|one| one["recipient"] == self.coder.id.as_str()).expect("a delivery");
        let text = |field: &str| own[field].as_str().unwrap_or_default().to_owned();
        (text("state"), text("delivered_via"))
    }
}

impl McpTestClient {
    pub(crate) async fn open(app: &TestApp, token: &str) -> Self {
        let reply = initialize(app, token, "2025-11-25").await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        let client = Self { token: token.to_owned(), session: reply.header("mcp-session-id").to_owned() };
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(client.post(app, ready).await.status, 202);
        client
    }

    /// An HTTP request in the session.
    pub(crate) fn http(&self, app: &TestApp, method: Method) -> Call {
        let call = app.call(method, "/mcp").by(&self.token).header(SESSION_ID, &self.session);
        call.header(header::ACCEPT, "application/json, text/event-stream").header(VERSION, "2025-11-25")
    }

    pub(crate) async fn post(&self, app: &TestApp, body: Value) -> Reply {
        self.http(app, Method::POST).json(body).await
    }

    /// Sends a JSON-RPC request and returns the response message.
    pub(crate) async fn request(&self, app: &TestApp, method: &str, params: Value) -> Value {
        let reply = self.post(app, json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params})).await;
        last_message(&reply)
    }

    pub(crate) async fn call_tool(&self, app: &TestApp, name: &str, arguments: Value) -> ToolResult {
        tool_result(&self.request(app, "tools/call", json!({"name": name, "arguments": arguments})).await)
    }
}

/// Sends `initialize`.
pub(crate) async fn initialize(app: &TestApp, token: &str, version: &str) -> Reply {
    let params =
        json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
    let accept = "application/json, text/event-stream";
    app.post("/mcp", body).by(token).header(header::ACCEPT, accept).await
}

/// Calls a tool without a session, as the newest revision of the protocol allows.
pub(crate) async fn call_without_session(app: &TestApp, token: &str, name: &str, arguments: Value) -> ToolResult {
    tool_result(&last_message(&sessionless_reply(app, token, name, arguments).await))
}

/// The same; returns the HTTP response.
pub(crate) async fn sessionless_reply(app: &TestApp, token: &str, name: &str, arguments: Value) -> Reply {
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

/// The last message of a response, which is JSON or an event stream.
#[track_caller]
pub(crate) fn last_message(reply: &Reply) -> Value {
    if reply.header("content-type") == "application/json" {
        return reply.json();
    }
    let data = reply.text().lines().filter_map(|line| line.strip_prefix("data: ")).next_back();
    data.and_then(|data| serde_json::from_str(data).ok()).unwrap_or_else(|| panic!("no message: {reply:?}"))
}

#[track_caller]
fn tool_result(message: &Value) -> ToolResult {
    let result = message.get("result").unwrap_or_else(|| panic!("no result: {message}"));
    let blocks = result["content"].as_array().expect("content");
    let texts: Vec<_> = blocks.iter().map(|block| block["text"].as_str().expect("text")).collect();
    ToolResult {
        is_error: result["isError"] == true,
        value: result["structuredContent"].clone(),
        text: texts.join("\n"),
    }
}
