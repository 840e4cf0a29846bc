//! A running hub with a world in it, and requests over plain sockets.

use std::{
    collections::BTreeMap,
    io::{Read as _, Write as _},
    net::{Shutdown, TcpStream},
    path::Path,
    time::Duration,
};

use serde_json::Value;
use tempfile::TempDir;

use crate::{
    seed_data::{OTHER_PROJECT, PRIVATE_DATA, PUBLIC_DATA, SeedStep},
    support::{Hub, TOKEN},
};

/// A test that waits longer for an answer has failed.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(20);

/// An answer, as far as it came.
#[derive(Debug)]
pub(crate) struct RawReply {
    /// The status of each answer on the connection.
    pub(crate) statuses: Vec<u16>,
    pub(crate) text: String,
}

impl RawReply {
    fn read(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let heads = text.match_indices("HTTP/1.1 ").map(|(place, head)| &text[place + head.len()..]);
        let statuses = heads.filter_map(|rest| rest.get(..3)?.parse().ok()).collect();
        Self { statuses, text }
    }

    /// The status of the first answer; 0 when there was none.
    pub(crate) fn status(&self) -> u16 {
        self.statuses.first().copied().unwrap_or(0)
    }

    pub(crate) fn body(&self) -> &str {
        self.text.split_once("\r\n\r\n").map_or("", |(_, body)| body)
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(self.body()).unwrap_or(Value::Null)
    }

    /// The status and the code of a refusal, and the field that it names: `422 I03 from`.
    pub(crate) fn told(&self) -> String {
        let problem = self.json();
        let code = problem["code"].as_str().and_then(|code| code.strip_prefix("PARLOUR-")).unwrap_or("-");
        let field = problem["field"].as_str().map_or(String::new(), |field| match field {
            "" => r#" """#.to_owned(),
            field => format!(" {field}"),
        });
        format!("{} {code}{field}", self.status())
    }
}

/// A hub with a world in it.
pub(crate) struct HostileHub {
    hub: Hub,
    folder: TempDir,
    ids: BTreeMap<&'static str, String>,
    tokens: BTreeMap<&'static str, String>,
    findings: Vec<String>,
}

impl HostileHub {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("folder");
        let hub = Hub::start(folder.path());
        let tokens = BTreeMap::from([("admin", TOKEN.to_owned())]);
        let mut hostile_hub = Self { hub, folder, ids: BTreeMap::new(), tokens, findings: Vec::new() };
        for step in [PUBLIC_DATA, OTHER_PROJECT, PRIVATE_DATA].concat() {
            hostile_hub.take(step);
        }
        hostile_hub
    }

    fn take(&mut self, (label, who, request, body): SeedStep) {
        let answer = self.call(who, request, body);
        assert!((200..300).contains(&answer.status()), "{label}: {}", answer.text);
        let made = answer.json();
        self.ids.extend(made["id"].as_str().map(|id| (label, id.to_owned())));
        self.tokens.extend(made["token"].as_str().map(|token| (label, token.to_owned())));
        if label == "project" {
            // No answer of the world ends by itself while a table is sent.
            let patch = r#"{"policy":{"streams":{"lease_seconds":3600}}}"#;
            assert_eq!(self.call("mara", "PATCH /projects/$project", patch).status(), 200);
        }
    }

    /// The folder of the hub's data.
    pub(crate) fn data(&self) -> std::path::PathBuf {
        Path::new(self.folder.path()).join("data")
    }

    /// The text with each `$label` as the id of that thing, and `$token` as Mara's token.
    pub(crate) fn fill(&self, text: &str) -> String {
        let text = text.replace("$token", self.token("mara").unwrap_or_default());
        self.ids.iter().rev().fold(text, |text, (label, id)| text.replace(&format!("${label}"), id))
    }

    pub(crate) fn id(&self, label: &str) -> &str {
        &self.ids[label]
    }

    pub(crate) fn token(&self, who: &str) -> Option<&str> {
        self.tokens.get(who).map(String::as_str)
    }

    /// Opens a connection.
    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.hub.url.trim_start_matches("http://")).expect("connected");
        stream.set_read_timeout(Some(ANSWER_TIME_MAX)).expect("a socket");
        stream
    }

    /// Sends these bytes and reads until the hub closes.
    pub(crate) fn exchange(&self, bytes: &[u8]) -> RawReply {
        self.exchange_and(bytes, |_| ())
    }

    /// Sends these bytes and closes, and reads what the hub still says.
    pub(crate) fn exchange_half(&self, bytes: &[u8]) -> RawReply {
        self.exchange_and(bytes, |stream| drop(stream.shutdown(Shutdown::Write)))
    }

    fn exchange_and(&self, bytes: &[u8], then: impl FnOnce(&TcpStream)) -> RawReply {
        let mut stream = self.connect();
        // The hub may close before it has read everything; what it said by then is what counts.
        let _ = stream.write_all(bytes);
        then(&stream);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        RawReply::read(&answer)
    }

    /// A request with these lines of headers, as they stand.
    pub(crate) fn send(&self, request: &str, headers: &str, body: &str) -> RawReply {
        let media = if request.contains(" /artifacts") { "text/plain" } else { "application/json" };
        let host = if headers.to_ascii_lowercase().contains("host:") { "" } else { "Host: localhost\r\n" };
        let head = format!("{request} HTTP/1.1\r\n{host}Connection: close\r\n{headers}");
        let entity = format!("Content-Type: {media}\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        self.exchange(format!("{head}{entity}").as_bytes())
    }

    /// A request by whoever is named, with labels in it.
    pub(crate) fn call(&self, who: &str, request: &str, body: &str) -> RawReply {
        let sign_in = self.token(who).map_or(String::new(), |token| format!("Authorization: Bearer {token}\r\n"));
        self.send(&self.fill(request), &sign_in, &self.fill(body))
    }

    /// Keeps a finding for the end, so that one run of a table tells all of its wrong rows.
    pub(crate) fn note(&mut self, why: &str, expected: &str, found: &str) {
        if expected != found {
            self.findings.push(format!("{why}: {found} instead of {expected}"));
        }
    }

    /// Everything that is stored, in numbers: where all logs end, and who there is.
    pub(crate) fn stored(&self) -> String {
        let mut told = String::new();
        for label in ["project", "x_project"] {
            let who = if label == "project" { "mara" } else { "otto" };
            let snapshot = self.call(who, &format!("GET /projects/${label}/snapshot"), "").json();
            told += &format!("{} ", snapshot["position"]);
        }
        let (people, projects) = (self.call("admin", "GET /people", ""), self.call("admin", "GET /projects", ""));
        told + people.body() + projects.body()
    }

    /// Checks that the hub is as well as before, and shows everything that was found.
    pub(crate) fn check(self, stored_before: &str) {
        assert_eq!(self.stored(), stored_before, "something was stored");
        assert_eq!(self.findings, Vec::<String>::new(), "{} findings", self.findings.len());
        assert_eq!(self.call("nobody", "GET /ready", "").status(), 200);
        let post = self.call("mara", "POST /messages", r#"{"channel_id":"$channel","body":"Still here"}"#);
        assert_eq!(post.status(), 201, "{}", post.text);
        let verified = self.hub.run("audit verify");
        assert_eq!(verified.code, Some(0), "{}{}", verified.stdout, verified.stderr);
        let log = self.hub.log();
        assert!(!log.contains("panicked") && !log.contains("PARLOUR-S"), "{log}");
        for (who, token) in &self.tokens {
            assert!(!log.contains(token.as_str()), "the log holds the token of {who}");
        }
        assert!(self.hub.stop().success(), "the hub stops in peace");
    }
}
