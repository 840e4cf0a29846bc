//! Drives a hub through all that carries secrets and bodies, and remembers what must not be told.

use futures_util::{SinkExt as _, StreamExt as _};
use reqwest::{Client, Method, Response};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};
use tokio_tungstenite::{connect_async, tungstenite::Message};

/// The token of the administrator.
pub(crate) const ADMIN: &str = "marker-administrators-token";

/// A client that remembers.
pub(crate) struct Driver {
    client: Client,
    url: String,
    /// What must not be in the log.
    pub(crate) markers: Vec<String>,
    /// The ids of all answers, with their status.
    pub(crate) answers: Vec<(String, u16)>,
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

impl Driver {
    pub(crate) fn new(url: &str, banner: &str) -> Self {
        let client = Client::builder().no_proxy().build().expect("a client");
        let link = banner.split_once("#code=").and_then(|(_, rest)| rest.lines().next()).map(str::to_owned);
        let markers = [ADMIN.to_owned()].into_iter().chain(link).collect();
        Self { client, url: url.to_owned(), markers, answers: Vec::new() }
    }

    /// A new text that must not be told.
    fn marker(&mut self, what: &str) -> String {
        let marker = format!("marker-{what}-{}", self.markers.len());
        self.markers.push(marker.clone());
        marker
    }

    /// Remembers a secret that the hub has made.
    fn keep(&mut self, secret: &Value) -> String {
        self.markers.push(text(secret));
        text(secret)
    }

    /// Sends a request that must be done.
    async fn done(&mut self, method: &str, path: &str, body: Option<Value>) -> Value {
        let answer = self.send(method, path, body).await;
        assert!(self.was_done(), "{method} {path}: {answer}");
        answer
    }

    fn was_done(&self) -> bool {
        self.answers.last().is_some_and(|(_, status)| *status < 300)
    }

    pub(crate) async fn send(&mut self, method: &str, path: &str, body: Option<Value>) -> Value {
        self.send_with(method, path, &[], body).await
    }

    /// Sends a request of the administrator, unless a header says otherwise.
    pub(crate) async fn send_with(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<Value>,
    ) -> Value {
        let method = Method::from_bytes(method.as_bytes()).expect("a method");
        let mut request = self.client.request(method, format!("{}{path}", self.url));
        if !headers.iter().any(|(name, _)| ["authorization", "cookie"].contains(name)) {
            request = request.bearer_auth(ADMIN);
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if let Some(body) = body {
            request = request.header("content-type", "application/json").body(body.to_string());
        }
        let response = request.send().await.expect("an answer");
        self.note(&response);
        response.json().await.unwrap_or_default()
    }

    fn note(&mut self, response: &Response) {
        let id = response.headers().get("x-request-id").expect("an id").to_str().expect("text").to_owned();
        self.answers.push((id, response.status().as_u16()));
    }

    /// The first channel there is.
    pub(crate) async fn channel(&mut self) -> String {
        let projects = self.send("GET", "/projects", None).await;
        let path = format!("/projects/{}/channels", text(&projects["items"][0]["id"]));
        let channels = self.send("GET", &path, None).await;
        text(&channels["items"][0]["id"])
    }

    async fn project(&mut self) -> String {
        text(&self.send("GET", "/projects", None).await["items"][0]["id"])
    }

    /// Passwords, links, sessions, tokens and invites.
    pub(crate) async fn people(&mut self) {
        let person = self.done("POST", "/people", Some(json!({"name": "Mara"}))).await;
        let (id, token) = (text(&person["id"]), self.keep(&person["token"]));
        let (password, wrong) = (self.marker("password"), self.marker("wrong-password"));
        self.done("PUT", &format!("/people/{id}/password"), Some(json!({"password": password}))).await;
        assert!(self.sign_in(&json!({"name": "Mara", "password": password})).await);
        assert!(!self.sign_in(&json!({"name": "Mara", "password": wrong})).await);
        let unknown = self.marker("name-of-nobody");
        assert!(!self.sign_in(&json!({"name": unknown, "password": wrong})).await);
        let link = self.done("POST", &format!("/people/{id}/link"), None).await;
        let code = self.keep(&link["code"]);
        assert!(self.sign_in(&json!({"code": code})).await);
        assert!(!self.sign_in(&json!({"code": code})).await);
        self.send_with("GET", "/me", &[("authorization", &format!("Bearer {token}"))], None).await;
        self.tokens().await;
    }

    async fn tokens(&mut self) {
        for kind in ["static", "jwt"] {
            let label = self.marker("label");
            let issued = self.done("POST", "/tokens", Some(json!({"kind": kind, "label": label}))).await;
            let bearer = format!("Bearer {}", self.keep(&issued["secret"]));
            self.send_with("GET", "/me", &[("authorization", &bearer)], None).await;
            let tail = text(&issued["id"]);
            self.done("DELETE", &format!("/tokens/{tail}"), None).await;
            self.send_with("GET", "/me", &[("authorization", &bearer)], None).await;
        }
        let project = self.project().await;
        let request = json!({"role": "full"});
        let invite = self.done("POST", &format!("/projects/{project}/invites"), Some(request)).await;
        let (code, instructions) = (self.keep(&invite["code"]), self.marker("instructions"));
        let joined = self
            .send("POST", "/join", Some(json!({"code": code, "name": "Coder", "instructions": instructions})))
            .await;
        self.keep(&joined["token"]);
        self.send("POST", "/join", Some(json!({"code": code, "name": "Other"}))).await;
        self.done("POST", "/keys/rotate", None).await;
    }

    /// Signs a browser in, uses its session when there is one, and tells whether that worked.
    async fn sign_in(&mut self, body: &Value) -> bool {
        let request = self.client.post(format!("{}/sign-in", self.url)).json(body);
        let response = request.header("origin", &self.url).send().await.expect("an answer");
        self.note(&response);
        let cookie = response.headers().get("set-cookie").and_then(|value| value.to_str().ok()).map(str::to_owned);
        let Some(pair) = cookie.as_deref().and_then(|cookie| cookie.split(';').next()) else {
            return false;
        };
        let (_, secret) = pair.split_once('=').expect("a pair");
        self.markers.push(secret.to_owned());
        self.send_with("GET", "/me", &[("cookie", pair)], None).await;
        self.was_done()
    }

    /// Messages in all their states, and looking for them.
    pub(crate) async fn messages(&mut self) {
        let channel = self.channel().await;
        let (body, metadata) = (self.marker("body"), self.marker("metadata"));
        let request = json!({"channel_id": channel, "body": format!("{body} @nobody"), "metadata": {"key": metadata}});
        let id = text(&self.done("POST", "/messages", Some(request)).await["id"]);
        let edited = self.marker("edited");
        self.done("PATCH", &format!("/messages/{id}"), Some(json!({"body": edited}))).await;
        let mention = self.marker("mention");
        let wrong = json!({"channel_id": channel, "body": "x", "mentions": [mention]});
        self.send("POST", "/messages", Some(wrong)).await;
        let (project, query) = (self.project().await, self.marker("query"));
        self.done("GET", &format!("/search?project_id={project}&q={query}"), None).await;
        self.done("GET", &format!("/projects/{project}/snapshot"), None).await;
        self.done("DELETE", &format!("/messages/{id}"), None).await;
        let odd = self.marker("odd correlation");
        let request = json!({"channel_id": channel, "body": "x", "correlation_id": odd});
        self.send("POST", "/messages", Some(request)).await;
    }

    /// An answer that is written piece by piece.
    pub(crate) async fn streams(&mut self) {
        let channel = self.channel().await;
        let open = json!({"channel_id": channel, "body": "", "stream": true});
        let id = text(&self.done("POST", "/messages", Some(open)).await["id"]);
        let (chunk, input, reason) = (self.marker("chunk"), self.marker("input"), self.marker("reason"));
        self.done("POST", &format!("/messages/{id}/chunks"), Some(json!({"start": 0, "text": chunk}))).await;
        let step = json!({"id": "call-1", "name": "search", "input": {"query": input}});
        self.done("POST", &format!("/messages/{id}/steps"), Some(step)).await;
        self.done("POST", &format!("/messages/{id}/fail"), Some(json!({"reason": reason}))).await;
    }

    /// Files and their contents.
    pub(crate) async fn files(&mut self) {
        let (project, channel, content) = (self.project().await, self.channel().await, self.marker("content"));
        let name = self.marker("file-name");
        let path = format!("/artifacts?project_id={project}&conversation_id={channel}&filename={name}.txt");
        let request = self.client.post(format!("{}{path}", self.url)).bearer_auth(ADMIN).body(content);
        let response = request.header("content-type", "text/plain").send().await.expect("an answer");
        self.note(&response);
        let id = text(&response.json::<Value>().await.expect("JSON")["id"]);
        self.done("GET", &format!("/artifacts/{id}/content"), None).await;
    }

    /// A socket: signing in, requests, and what cannot be read.
    pub(crate) async fn live(&mut self) {
        let (channel, address) = (self.channel().await, self.url.replace("http://", "ws://"));
        let (mut socket, _) = connect_async(format!("{address}/live")).await.expect("a socket");
        let (body, unread, field) = (self.marker("frame"), self.marker("unreadable"), self.marker("field"));
        let frames = [
            json!({"type": "sign_in", "token": ADMIN}).to_string(),
            json!({"type": "post", "message": {"channel_id": channel, "body": body}}).to_string(),
            unread,
            json!({"type": "post", field: 1}).to_string(),
            json!({"type": "ping", "ref": "last"}).to_string(),
        ];
        for frame in frames {
            socket.send(Message::text(frame)).await.expect("sent");
        }
        while !socket.next().await.expect("open").expect("a frame").to_text().is_ok_and(|text| text.contains("last")) {}
        let wrong = self.marker("wrong-token");
        let (mut socket, _) = connect_async(format!("{address}/live")).await.expect("a socket");
        socket.send(Message::text(json!({"type": "sign_in", "token": wrong}).to_string())).await.expect("sent");
        while socket.next().await.is_some_and(|frame| frame.is_ok()) {}
    }

    /// What is refused before it is understood.
    pub(crate) async fn bad_requests(&mut self) {
        let (route, token, basic) = (self.marker("route"), self.marker("guess"), self.marker("basic"));
        self.send("GET", &format!("/{route}?{route}={route}"), None).await;
        self.send_with("GET", "/me", &[("authorization", &format!("Bearer {token}"))], None).await;
        self.send_with("GET", "/me", &[("authorization", &format!("Basic {basic}"))], None).await;
        let (cookie, id) = (self.marker("cookie"), self.marker("id of a request"));
        self.send_with("GET", "/me", &[("cookie", &format!("parlour_session={cookie}"))], None).await;
        self.send_with("GET", "/me", &[("x-request-id", &id), ("x-correlation-id", &id)], None).await;
        let (field, value) = (self.marker("unknown-field"), self.marker("value"));
        self.send("POST", "/projects", Some(json!({"name": value, field: value}))).await;
        self.send("GET", &format!("/messages/msg_{value}"), None).await;
        let broken = self.marker("broken");
        let request = self.client.post(format!("{}/projects", self.url)).bearer_auth(ADMIN);
        let response = request.header("content-type", "application/json").body(format!("{{\"{broken}")).send().await;
        self.note(&response.expect("an answer"));
        let header = self.marker("no-http");
        self.raw(format!("GET /me HTTP/1.1\r\n{header}\r\n\r\n").as_bytes()).await;
    }

    /// Requests that try to write lines of their own.
    pub(crate) async fn injections(&mut self) {
        let huge = "x".repeat(9_000);
        for path in ["/%0AFORGED%20line", "/%1b%5b31mred", "/messages/%0d%0aFORGED", "/search?q=%0aFORGED"] {
            self.send("GET", path, None).await;
        }
        for value in ["\tFORGED", "\u{202e}FORGED", huge.as_str(), "a=1 status=200"] {
            let headers = [("x-request-id", value), ("x-correlation-id", value), ("traceparent", value)];
            self.send_with("GET", "/me", &headers, None).await;
        }
        let method = format!("M{}", "ETHOD".repeat(200));
        self.send(&method, "/me", None).await;
        let channel = self.channel().await;
        let correlation = "a\nFORGED";
        let request = json!({"channel_id": channel, "body": "\u{1b}[31mFORGED\nFORGED", "correlation_id": correlation});
        self.send("POST", "/messages", Some(request)).await;
        for bytes in [
            &b"GET /me HTTP/1.1\r\nhost: x\r\nx-request-id: a\nFORGED line\r\n\r\n"[..],
            b"GET /\x1b[31mFORGED HTTP/1.1\r\nhost: x\r\n\r\n",
            b"FORGED\nFORGED\n\n",
        ] {
            self.raw(bytes).await;
        }
    }

    /// Sends bytes as they are and waits for the end of the connection or the beginning of an answer.
    async fn raw(&self, bytes: &[u8]) {
        let mut stream = TcpStream::connect(self.url.trim_start_matches("http://")).await.expect("connected");
        stream.write_all(bytes).await.expect("sent");
        let _ = stream.read(&mut [0; 64]).await.expect("answered or closed");
    }
}
