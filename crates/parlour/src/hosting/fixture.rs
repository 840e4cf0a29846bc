//! An in-process hub with real adapters in a temporary folder, for tests.

use std::sync::Arc;

use parlour_adapters::{Argon2Passwords, FileBlobs, FileKeys, RandomIds, SqliteOptions, SqliteStore, SystemClock};
use parlour_core::{
    access::Principal,
    engine::{BUILT_IN, Engine},
    id::{ChannelId, MessageId, ProjectId},
    member::Agent,
    message::Message,
    paging::PageRequest,
    post::PostMessage,
};
use parlour_hub::{
    Hub, Ports,
    ports::{Ids as _, NoIssuers},
    use_cases::NewAgent,
};
use tempfile::TempDir;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::Engines;

const TOKEN: &str = "a-token-for-tests-only";

/// A running hub with its sample project; stopped on drop.
pub(super) struct InProcessHub {
    pub(super) hub: Arc<Hub>,
    pub(super) admin: Principal,
    pub(super) project: ProjectId,
    pub(super) general: ChannelId,
    pub(super) stop: CancellationToken,
    _stop: DropGuard,
    _folder: TempDir,
}

impl InProcessHub {
    pub(super) async fn make() -> Self {
        Self::make_with(|hub| hub).await
    }

    pub(super) async fn make_with(set_up: impl FnOnce(Hub) -> Hub) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let ports = Ports {
            store: Arc::new(SqliteStore::open(folder.path(), SqliteOptions::default()).expect("store")),
            blobs: Arc::new(FileBlobs::open(folder.path()).expect("blobs")),
            clock: Arc::new(SystemClock::default()),
            ids: Arc::new(RandomIds),
            keys: Arc::new(FileKeys::open(folder.path()).expect("keys")),
            issuers: Arc::new(NoIssuers),
            passwords: Arc::new(Argon2Passwords::default()),
        };
        let offers = Engines::open(&[]).expect("no providers").offers();
        let hub = Arc::new(set_up(Hub::new(ports).with_engines(offers)));
        let project = hub.first_start(Some(TOKEN)).await.expect("started").sample.expect("the first start").id;
        let admin = hub.sign_in(TOKEN).await.expect("signed in");
        let general = hub.channels(&admin, &project, &PageRequest::first()).await.expect("list").items[0].id.clone();
        let stop = CancellationToken::new();
        tokio::spawn(Arc::clone(&hub).drive(stop.clone()));
        Self { hub, admin, project, general, _stop: stop.clone().drop_guard(), stop, _folder: folder }
    }

    /// The agent of the sample project.
    pub(super) async fn guide(&self) -> Agent {
        self.hub.hosted_agents().await.expect("list").remove(0)
    }

    /// Adds a hosted agent.
    pub(super) async fn host(&self, name: &str) -> Agent {
        let request = NewAgent {
            project_id: self.project.clone(),
            name: name.parse().expect("a name"),
            capabilities: Vec::new(),
            endpoint_url: None,
            instructions: None,
            engine: Some(Engine { provider: BUILT_IN.into(), model: None }),
            context: None,
            role: None,
        };
        self.hub.create_agent(&self.admin, request).await.expect("made").0
    }

    /// Posts in `#general` as the administrator.
    pub(super) async fn say(&self, body: &str) -> Message {
        let request =
            PostMessage { channel_id: Some(self.general.clone()), body: body.into(), ..PostMessage::default() };
        self.hub.post_message(&self.admin, request).await.expect("posted").message
    }

    pub(super) fn fresh_id() -> MessageId {
        MessageId::from_bits(RandomIds.next_bits())
    }
}
