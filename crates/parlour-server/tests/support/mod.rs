//! The router over a SQLite store, called in-process, with builders for common data.
#![allow(dead_code)] // Each test binary uses a part of it.

mod call;
mod project_fixture;
mod reply;

use std::sync::Arc;

use axum::{Router, http::Method};
use parlour_adapters::{Argon2Passwords, FileBlobs, FileKeys, SqliteOptions, SqliteStore};
use parlour_core::{
    engine::{BUILT_IN, EngineOffer},
    rate::Rates,
};
use parlour_hub::{Hub, Ports, ports::NoIssuers};
use parlour_server::{HttpGuard, ServerInfo};
use parlour_testkit::{CountingIds, ManualClock};
use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) use call::Call;
#[allow(unused_imports)] // Each test binary uses a part of it.
pub(crate) use project_fixture::ProjectFixture;
pub(crate) use reply::Reply;

/// A hub with an administrator and the sample project, behind its router.
pub(crate) struct TestApp {
    pub(crate) router: Router,
    pub(crate) hub: Arc<Hub>,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) folder: TempDir,
}

/// A person or an agent, with its token.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) id: String,
    pub(crate) token: String,
}

impl TestApp {
    pub(crate) const ADMIN: &str = "an-administrators-token";

    /// Creates a hub without rate limits: the clock of tests does not advance, so a quota would never be refilled.
    pub(crate) async fn new() -> Self {
        Self::with_rates(Rates::off()).await
    }

    pub(crate) async fn with_rates(rates: Rates) -> Self {
        let folder = tempfile::tempdir().expect("folder");
        let store = SqliteStore::open(folder.path(), SqliteOptions::default()).expect("store");
        let blobs = FileBlobs::open(folder.path()).expect("blobs");
        let clock = Arc::new(ManualClock::new());
        let hub = Hub::new(Ports {
            store: Arc::new(store),
            blobs: Arc::new(blobs),
            clock: clock.clone(),
            ids: Arc::new(CountingIds::new()),
            keys: Arc::new(FileKeys::open(folder.path()).expect("keys")),
            issuers: Arc::new(NoIssuers),
            passwords: Arc::new(Argon2Passwords::default()),
        });
        let hub = hub.with_rates(rates).with_engines(engines());
        hub.first_start(Some(Self::ADMIN)).await.expect("first start");
        let hub = Arc::new(hub);
        Self { router: surface(&hub, HttpGuard::default()), hub, clock, folder }
    }

    /// The same hub with this HTTP guard.
    pub(crate) fn with_http_guard(mut self, http_guard: HttpGuard) -> Self {
        self.router = surface(&self.hub, http_guard);
        self
    }

    /// A request of the administrator, unless `by` says otherwise.
    pub(crate) fn call(&self, method: Method, path: &str) -> Call {
        Call::new(self.router.clone(), method, path).by(Self::ADMIN)
    }

    pub(crate) fn get(&self, path: &str) -> Call {
        self.call(Method::GET, path)
    }

    pub(crate) fn post(&self, path: &str, body: Value) -> Call {
        self.call(Method::POST, path).json(body)
    }

    pub(crate) fn put(&self, path: &str) -> Call {
        self.call(Method::PUT, path)
    }

    pub(crate) fn patch(&self, path: &str, body: Value) -> Call {
        self.call(Method::PATCH, path).json(body)
    }

    pub(crate) fn delete(&self, path: &str) -> Call {
        self.call(Method::DELETE, path)
    }

    pub(crate) async fn person(&self, name: &str) -> Member {
        member(&self.post("/people", json!({"name": name})).await.expect(201))
    }

    /// A project that the administrator owns.
    pub(crate) async fn project(&self, name: &str) -> String {
        id_of(&self.post("/projects", json!({"name": name})).await.expect(201))
    }

    /// A person who is a member of the project.
    pub(crate) async fn person_in(&self, project: &str, name: &str) -> Member {
        let person = self.person(name).await;
        self.post(&format!("/projects/{project}/people"), json!({"person_id": person.id})).await.expect(201);
        person
    }

    pub(crate) async fn agent(&self, project: &str, name: &str) -> Member {
        member(&self.post("/agents", json!({"project_id": project, "name": name})).await.expect(201))
    }

    /// A channel of the whole project, created by the administrator.
    pub(crate) async fn channel(&self, project: &str, name: &str) -> String {
        id_of(&self.post("/channels", json!({"project_id": project, "name": name})).await.expect(201))
    }

    /// A private channel; its creator is the only member.
    pub(crate) async fn private_channel(&self, creator: &Member, project: &str, name: &str) -> String {
        let body = json!({"project_id": project, "name": name, "visibility": "private"});
        id_of(&self.post("/channels", body).by(&creator.token).await.expect(201))
    }

    /// Posts a message in a channel as the administrator.
    pub(crate) async fn say(&self, channel: &str, body: &str) -> Value {
        self.post("/messages", json!({"channel_id": channel, "body": body})).await.expect(201)
    }

    /// Uploads a text file to a channel as the administrator.
    pub(crate) async fn artifact(&self, project: &str, channel: &str, filename: &str, content: &'static str) -> Value {
        let path = format!("/artifacts?project_id={project}&filename={filename}&conversation_id={channel}");
        self.call(Method::POST, &path).content("text/plain", content).await.expect(201)
    }

    /// A token with only these scopes, issued with the given token.
    pub(crate) async fn narrow(&self, token: &str, scopes: &[&str]) -> String {
        let issued = self.post("/tokens", json!({"kind": "static", "scopes": scopes})).by(token).await.expect(201);
        issued["secret"].as_str().expect("a secret").to_owned()
    }

    /// The session cookie of a signed-in browser.
    pub(crate) async fn browser(&self, person: &Member) -> String {
        let link = self.call(Method::POST, &format!("/people/{}/link", person.id)).by(&person.token).await.expect(201);
        let signed_in = self.post("/sign-in", json!({"code": link["code"]})).by_nobody().await;
        assert_eq!(signed_in.status, 200, "{}", signed_in.text());
        signed_in.cookie()
    }

    /// All items of a list, read with one item per page; fails when the pages do not end.
    pub(crate) async fn pages(&self, path: &str, token: &str) -> Vec<Value> {
        let sign = if path.contains('?') { '&' } else { '?' };
        let (mut items, mut next, mut pages) = (Vec::new(), Some(String::new()), 0);
        while let Some(cursor) = next {
            let page = self.get(&format!("{path}{sign}limit=1{cursor}")).by(token).await.expect(200);
            items.extend(page["items"].as_array().expect("items").clone());
            next = page.get("next").map(|next| format!("&cursor={}", next.as_str().expect("text")));
            pages += 1;
            assert!(pages < 100, "{path} has no last page");
        }
        items
    }
}

/// The configured engines: built-in, a provider without a default model, and one with a default model.
fn engines() -> Vec<EngineOffer> {
    let offer = |provider: &str, interface: &str, model: Option<&str>| EngineOffer {
        provider: provider.to_owned(),
        interface: interface.to_owned(),
        model: model.map(str::to_owned),
    };
    vec![offer(BUILT_IN, BUILT_IN, None), offer("local", "openai", None), offer("cloud", "anthropic", Some("small-1"))]
}

fn surface(hub: &Arc<Hub>, http_guard: HttpGuard) -> Router {
    let info = ServerInfo { version: "1.2.3".to_owned(), instance: "test".to_owned() };
    parlour_server::app(Arc::clone(hub), info, http_guard)
}

fn member(json: &Value) -> Member {
    Member { id: id_of(json), token: json["token"].as_str().expect("a token").to_owned() }
}

pub(crate) fn id_of(json: &Value) -> String {
    json["id"].as_str().expect("an id").to_owned()
}

/// The values of one field of all items.
pub(crate) fn field_of<'a>(items: &'a [Value], field: &str) -> Vec<&'a str> {
    items.iter().map(|item| item[field].as_str().expect("text")).collect()
}

/// The names of an object's fields, sorted.
pub(crate) fn fields(json: &Value) -> Vec<&str> {
    let mut names: Vec<_> = json.as_object().expect("an object").keys().map(String::as_str).collect();
    names.sort_unstable();
    names
}
