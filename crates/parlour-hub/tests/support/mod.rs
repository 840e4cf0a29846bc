//! A hub over a SQLite store in a temporary folder, with builders for common data.
#![allow(dead_code)] // Each test file uses a part of it.

use std::{path::Path, sync::Arc};

use parlour_adapters::{Argon2Passwords, FileBlobs, FileKeys, SqliteOptions, SqliteStore};
use parlour_core::inbox::InboxFilter;
use parlour_core::{
    Code,
    access::Principal,
    conversation::Visibility,
    engine::EngineOffer,
    id::{AgentId, ChannelId, MessageId, PersonId, ProjectId},
    inbox::InboxEntry,
    name::Name,
    paging::PageRequest,
    post::PostMessage,
    rate::Rates,
    scope::Scopes,
};
use parlour_hub::{
    Failure, Hub, Ports,
    ports::{NoIssuers, Passwords, Reranker, Summariser},
    use_cases::{IssueToken, NewAgent, NewChannel, NewPerson, NewProject, Posted, TokenFormat},
};
use parlour_testkit::{CountingIds, ManualClock};
use tempfile::TempDir;
use tokio_util::sync::{CancellationToken, DropGuard};

pub(crate) struct TestHub {
    pub(crate) hub: Arc<Hub>,
    pub(crate) admin: Principal,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) folder: TempDir,
    store: SqliteStore,
}

pub(crate) fn name(text: &str) -> Name {
    Name::parse(text).expect("a name")
}

/// The code of an expected refusal.
pub(crate) fn refused<T: std::fmt::Debug>(result: Result<T, Failure>) -> Code {
    result.expect_err("a refusal").refusal().expect("a refusal, no fault").code
}

pub(crate) fn person_id(who: &Principal) -> PersonId {
    who.member.person().expect("a person").clone()
}

pub(crate) fn agent_id(who: &Principal) -> AgentId {
    who.member.agent().expect("an agent").clone()
}

/// A message in a channel.
pub(crate) fn say(channel: &ChannelId, body: &str) -> PostMessage {
    PostMessage { channel_id: Some(channel.clone()), body: body.into(), ..PostMessage::default() }
}

/// A request for a token without expiry, for a member or for the caller.
pub(crate) fn token_request(member: Option<&Principal>, format: TokenFormat, scopes: Option<Scopes>) -> IssueToken {
    let member_id = member.map(|member| member.member.clone());
    IssueToken { member_id, format, label: String::new(), scopes, acts_as: None, expires_in_seconds: None }
}

/// The real adapters over this folder, with a manual clock and random ids.
fn ports(folder: &Path, store: &SqliteStore, clock: &Arc<ManualClock>) -> Ports {
    Ports {
        store: Arc::new(store.clone()),
        blobs: Arc::new(FileBlobs::open(folder).expect("blobs")),
        clock: clock.clone(),
        ids: Arc::new(CountingIds::new()),
        keys: Arc::new(FileKeys::open(folder).expect("keys")),
        issuers: Arc::new(NoIssuers),
        passwords: Arc::new(Argon2Passwords::default()),
    }
}

impl TestHub {
    pub(crate) const ADMIN_TOKEN: &str = "an administrator's token";

    /// A hub without rate limits: the clock of tests does not advance, so a quota would never be refilled.
    pub(crate) async fn new() -> Self {
        Self::with_rates(Rates::off()).await
    }

    pub(crate) async fn with_rates(rates: Rates) -> Self {
        Self::start(|ports| ports, |hub| hub.with_rates(rates)).await
    }

    /// A hub with these configured engines.
    pub(crate) async fn with_engines(offers: Vec<EngineOffer>) -> Self {
        Self::start(|ports| ports, |hub| hub.with_rates(Rates::off()).with_engines(offers)).await
    }

    /// A hub with this reranker.
    pub(crate) async fn with_reranker(reranker: Arc<dyn Reranker>) -> Self {
        Self::start(|ports| ports, |hub| hub.with_rates(Rates::off()).with_reranker(reranker)).await
    }

    /// A hub with a provider `local` whose model writes summaries.
    pub(crate) async fn with_summariser(summariser: Arc<dyn Summariser>) -> Self {
        let offer = EngineOffer { provider: "local".into(), interface: "openai".into(), model: Some("small".into()) };
        let set_up = |hub: Hub| hub.with_rates(Rates::off()).with_engines(vec![offer]).with_summariser(summariser);
        Self::start(|ports| ports, set_up).await
    }

    /// A hub with this password hashing.
    pub(crate) async fn with_passwords(passwords: Arc<dyn Passwords>) -> Self {
        Self::start(|ports| Ports { passwords, ..ports }, |hub| hub.with_rates(Rates::off())).await
    }

    async fn start(change: impl FnOnce(Ports) -> Ports, set_up: impl FnOnce(Hub) -> Hub) -> Self {
        let folder = tempfile::tempdir().expect("folder");
        let store = SqliteStore::open(folder.path(), SqliteOptions::default()).expect("store");
        let clock = Arc::new(ManualClock::new());
        let hub = Arc::new(set_up(Hub::new(change(ports(folder.path(), &store, &clock)))));
        hub.first_start(Some(Self::ADMIN_TOKEN)).await.expect("first start");
        let admin = hub.sign_in(Self::ADMIN_TOKEN).await.expect("admin");
        Self { hub, admin, clock, folder, store }
    }

    /// A hub with running background tasks, until the guard is dropped.
    pub(crate) async fn live() -> (Self, DropGuard) {
        let test = Self::new().await;
        let stop = CancellationToken::new();
        tokio::spawn(Arc::clone(&test.hub).drive(stop.clone()));
        (test, stop.drop_guard())
    }

    /// The store.
    pub(crate) fn store(&self) -> &SqliteStore {
        &self.store
    }

    /// Another hub over the same store, with empty caches.
    pub(crate) fn forgetful(&self) -> Hub {
        Hub::new(ports(self.folder.path(), &self.store, &self.clock)).with_rates(Rates::off())
    }

    pub(crate) async fn person(&self, called: &str) -> Principal {
        self.person_with_token(called).await.0
    }

    pub(crate) async fn person_with_token(&self, called: &str) -> (Principal, String) {
        let request = NewPerson { name: name(called), is_admin: false };
        let (_, token) = self.hub.create_person(&self.admin, request).await.expect("person");
        (self.hub.sign_in(&token).await.expect("signed in"), token)
    }

    pub(crate) async fn project(&self, owner: &Principal, called: &str) -> ProjectId {
        let request = NewProject { name: name(called), description: None, policy: None };
        self.hub.create_project(owner, request).await.expect("project").id
    }

    pub(crate) async fn join(&self, project: &ProjectId, who: &Principal) {
        self.hub.add_project_person(&self.admin, project, &person_id(who)).await.expect("joined");
    }

    pub(crate) async fn agent(&self, project: &ProjectId, called: &str) -> Principal {
        let request = NewAgent {
            project_id: project.clone(),
            name: name(called),
            capabilities: Vec::new(),
            endpoint_url: None,
            instructions: None,
            engine: None,
            context: None,
            role: None,
        };
        let (_, token) = self.hub.create_agent(&self.admin, request).await.expect("agent");
        self.hub.sign_in(&token).await.expect("signed in")
    }

    pub(crate) async fn channel(&self, maker: &Principal, project: &ProjectId, called: &str) -> ChannelId {
        self.channel_for(maker, project, called, Visibility::Project).await
    }

    pub(crate) async fn private_channel(&self, maker: &Principal, project: &ProjectId, called: &str) -> ChannelId {
        self.channel_for(maker, project, called, Visibility::Private).await
    }

    async fn channel_for(
        &self,
        maker: &Principal,
        project: &ProjectId,
        called: &str,
        visibility: Visibility,
    ) -> ChannelId {
        let request = NewChannel { project_id: project.clone(), name: name(called), topic: None, visibility };
        self.hub.create_channel(maker, request).await.expect("channel").id
    }

    pub(crate) async fn post(&self, who: &Principal, channel: &ChannelId, body: &str) -> Posted {
        self.hub.post_message(who, say(channel, body)).await.expect("posted")
    }

    /// A further token of a person with these scopes only.
    pub(crate) async fn narrow_token(&self, who: &Principal, scopes: Scopes) -> String {
        let issued = self.hub.issue_token(who, token_request(None, TokenFormat::Static, Some(scopes))).await;
        issued.expect("issued").secret.expect("a secret")
    }

    /// The ids of an agent's unread messages, oldest first.
    pub(crate) async fn inbox(&self, agent: &Principal) -> Vec<MessageId> {
        self.inbox_entries(agent).await.into_iter().map(|entry| entry.message.id).collect()
    }

    pub(crate) async fn inbox_entries(&self, agent: &Principal) -> Vec<InboxEntry> {
        let (page, count) = self
            .hub
            .inbox(agent, &agent_id(agent), &InboxFilter::default(), &PageRequest::first())
            .await
            .expect("inbox");
        assert_eq!(page.items.len() as u64, count, "the count agrees with the list");
        page.items
    }
}
