//! The first start of a hub that can run the built-in agent itself.

use std::{path::Path, sync::Arc};

use parlour_adapters::{Argon2Passwords, FileBlobs, FileKeys, RandomIds, SqliteOptions, SqliteStore};
use parlour_core::{
    access::{Principal, Role},
    author::AuthorType,
    engine::{BUILT_IN, Engine, EngineOffer},
    id::ConversationId,
    member::Agent,
    message::Message,
    paging::PageRequest,
};
use parlour_hub::{
    Hub, Ports,
    ports::NoIssuers,
    use_cases::{FirstStart, HistoryQuery},
};
use parlour_testkit::ManualClock;
use tempfile::TempDir;

const ADMIN_TOKEN: &str = "an administrator's token";

/// A hub after its first start.
struct FirstStartFixture {
    folder: TempDir,
    hub: Hub,
    admin: Principal,
}

/// Starts a hub with these engines on a new or used folder.
async fn start(folder: &Path, offers: Vec<EngineOffer>) -> (Hub, FirstStart) {
    let hub = Hub::new(Ports {
        store: Arc::new(SqliteStore::open(folder, SqliteOptions::default()).expect("store")),
        blobs: Arc::new(FileBlobs::open(folder).expect("blobs")),
        clock: Arc::new(ManualClock::new()),
        ids: Arc::new(RandomIds),
        keys: Arc::new(FileKeys::open(folder).expect("keys")),
        issuers: Arc::new(NoIssuers),
        passwords: Arc::new(Argon2Passwords::default()),
    });
    let hub = hub.with_engines(offers);
    let start = hub.first_start(Some(ADMIN_TOKEN)).await.expect("started");
    (hub, start)
}

async fn fresh(offers: Vec<EngineOffer>) -> FirstStartFixture {
    let folder = tempfile::tempdir().expect("a folder");
    let (hub, start) = start(folder.path(), offers).await;
    let admin = Principal::new(start.admin.id, start.admin.name, Role::Admin);
    FirstStartFixture { folder, hub, admin }
}

fn built_in() -> EngineOffer {
    EngineOffer { provider: BUILT_IN.into(), interface: BUILT_IN.into(), model: None }
}

impl FirstStartFixture {
    async fn agents(&self) -> Vec<Agent> {
        let project = &self.hub.projects(&self.admin, &PageRequest::first()).await.expect("list").items[0];
        self.hub.agents(&self.admin, &project.id, &PageRequest::first()).await.expect("list").items
    }

    /// Everything in `#general`, oldest first.
    async fn history(&self) -> Vec<Message> {
        let project = &self.hub.projects(&self.admin, &PageRequest::first()).await.expect("list").items[0];
        let channels = self.hub.channels(&self.admin, &project.id, &PageRequest::first()).await.expect("list").items;
        let (id, query) = (channels[0].id.clone().into(), HistoryQuery::default());
        let page = self.hub.history(&self.admin, &id, &query, &PageRequest::first()).await.expect("history");
        page.items.into_iter().rev().collect()
    }
}

#[tokio::test]
async fn the_sample_project_has_an_agent_that_needs_no_key() {
    let fresh = fresh(vec![built_in()]).await;
    let agents = fresh.agents().await;
    assert_eq!(agents.len(), 1);
    assert_eq!(agents[0].name.as_str(), "Guide");
    assert_eq!(agents[0].engine, Some(Engine { provider: BUILT_IN.into(), model: None }));
    assert_eq!(fresh.admin.person().ok(), Some(&agents[0].owner));
    assert_eq!(fresh.hub.hosted_agents().await.expect("list"), agents);
}

#[tokio::test]
async fn the_sample_agent_has_no_subscription_and_no_open_call() {
    let fresh = fresh(vec![built_in()]).await;
    let guide = &fresh.agents().await[0];
    let history = fresh.history().await;
    let ConversationId::Channel(channel) = &history[0].to else { panic!("this is a channel") };
    let subscribers = fresh.hub.subscribers(&fresh.admin, channel, &PageRequest::first()).await.expect("list").items;
    assert_eq!(subscribers, []);
    let caller = fresh.hub.act_as(guide);
    assert_eq!(fresh.hub.open_calls(&caller, &guide.id, &PageRequest::first()).await.expect("list").items, []);
}

#[tokio::test]
async fn the_welcome_messages_explain_mentions_and_how_to_connect_an_agent() {
    let history = fresh(vec![built_in()]).await.history().await;
    assert!(history.iter().all(|message| message.from.author_type == AuthorType::Agent), "no notices of the hub");
    assert_eq!(history.len(), 2);
    let all: String = history.iter().map(|message| message.body.clone() + "\n\n").collect();
    for needed in ["Welcome to Parlour", "`@Guide help`", "parlour agent --name Coder --claude-code", "/docs"] {
        assert!(all.contains(needed), "{needed} is missing in:\n{all}");
    }
    assert!(history.iter().all(|message| message.mentions.is_empty() && message.calls.is_empty()));
}

#[tokio::test]
async fn without_engines_the_sample_project_has_no_agent_and_mentions_none() {
    let fresh = fresh(Vec::new()).await;
    assert_eq!(fresh.agents().await, []);
    let history = fresh.history().await;
    assert!(history.iter().all(|message| message.from.author_type == AuthorType::Host));
    assert!(history.iter().all(|message| !message.body.contains("Guide")), "{history:?}");
}

#[tokio::test]
async fn a_second_start_does_not_change_the_sample_project() {
    let before = fresh(Vec::new()).await;
    let history = before.history().await;
    let (_hub, again) = start(before.folder.path(), vec![built_in()]).await;
    assert_eq!(again.sample, None);
    assert_eq!((before.agents().await, before.history().await), (Vec::new(), history));
}
