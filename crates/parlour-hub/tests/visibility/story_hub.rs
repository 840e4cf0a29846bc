//! A hub over a real store that plays a story.

use std::sync::Arc;

use parlour_adapters::{Argon2Passwords, FileBlobs, FileKeys, SqliteOptions, SqliteStore};
use parlour_core::{
    access::Principal,
    conversation::Visibility,
    id::{ArtifactId, ChannelId, ConversationId, DmId, MemberId, MessageId, ProjectId, RunId, TaskId, ThreadId},
    name::Name,
    policy::{Policy, StreamRules},
    post::PostMessage,
};
use parlour_hub::{
    Hub, Ports,
    ports::NoIssuers,
    use_cases::{NewAgent, NewChannel, NewPerson, NewProject},
};
use parlour_testkit::ManualClock;
use tempfile::TempDir;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::{ids::StoryIds, story::StepVisibility};

const ADMIN_TOKEN: &str = "an administrator's token";

/// The members of a story. Ben, Clerk and the administrator are the readers without access to hidden conversations.
pub(crate) struct Cast {
    pub(crate) mara: Principal,
    pub(crate) cleo: Principal,
    pub(crate) coder: Principal,
    pub(crate) readers: Vec<(Principal, String)>,
}

/// A posted message with its author and conversation.
#[derive(Clone, Debug)]
pub(crate) struct PostedMessage {
    pub(crate) id: MessageId,
    pub(crate) by: Principal,
    pub(crate) to: ConversationId,
}

/// The objects of one side, open or hidden.
#[derive(Clone, Debug, Default)]
pub(crate) struct StoryObjects {
    pub(crate) channels: Vec<ChannelId>,
    pub(crate) threads: Vec<ThreadId>,
    pub(crate) dms: Vec<DmId>,
    pub(crate) said: Vec<PostedMessage>,
    pub(crate) streams: Vec<PostedMessage>,
    pub(crate) artifacts: Vec<ArtifactId>,
    pub(crate) questions: Vec<MessageId>,
    pub(crate) runs: Vec<RunId>,
}

/// A hub, its members, and the objects that the story created so far.
pub(crate) struct StoryHub {
    pub(crate) hub: Arc<Hub>,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) ids: Arc<StoryIds>,
    pub(crate) project: ProjectId,
    pub(crate) cast: Cast,
    pub(crate) open: StoryObjects,
    pub(crate) hidden: StoryObjects,
    /// The tasks, each with the side of its thread.
    pub(crate) tasks: Vec<(TaskId, StepVisibility)>,
    /// Whether readers may get temporary access to hidden channels.
    pub(crate) readers_may_join: bool,
    /// Whether a hidden channel was ever open to all members.
    pub(crate) was_disclosed: bool,
    /// Whether this hub plays hidden steps.
    pub(crate) has_hidden: bool,
    /// The outcomes of the steps that both hubs play.
    pub(crate) outcomes: Vec<String>,
    pub(crate) pulse: DeliveryBarrier,
    _folder: TempDir,
    _running: DropGuard,
}

/// A channel and an answer in it, which a test posts to know that every earlier event was delivered.
#[derive(Clone, Debug)]
pub(crate) struct DeliveryBarrier {
    pub(crate) channel: ChannelId,
    pub(crate) answer: MessageId,
    pub(crate) count: u64,
}

impl StoryObjects {
    /// All conversations of this side.
    pub(crate) fn conversations(&self) -> Vec<ConversationId> {
        let channels = self.channels.iter().cloned().map(ConversationId::from);
        let threads = self.threads.iter().cloned().map(ConversationId::from);
        channels.chain(threads).chain(self.dms.iter().cloned().map(ConversationId::from)).collect()
    }
}

impl StoryHub {
    /// A project with its people and agents and without content.
    pub(crate) async fn new(has_hidden: bool, readers_may_join: bool) -> Self {
        let folder = tempfile::tempdir().expect("folder");
        let (clock, ids) = (Arc::new(ManualClock::new()), Arc::new(StoryIds::default()));
        let hub = Arc::new(Hub::new(ports(&folder, &clock, &ids)));
        hub.first_start(Some(ADMIN_TOKEN)).await.expect("first start");
        let stop = CancellationToken::new();
        tokio::spawn(Arc::clone(&hub).drive(stop.clone()));
        let admin = hub.sign_in(ADMIN_TOKEN).await.expect("admin");
        let mut people = Vec::new();
        for name in ["Mara", "Cleo", "Ben"] {
            people.push(person(&hub, &admin, name).await);
        }
        let project = project(&hub, &people[0].0).await;
        for (someone, _) in &people[1..] {
            let id = someone.member.person().expect("a person");
            hub.add_project_person(&people[0].0, &project, id).await.expect("joined");
        }
        let coder = agent(&hub, &people[0].0, &project, "Coder").await.0;
        let clerk = agent(&hub, &people[0].0, &project, "Clerk").await;
        let pulse = DeliveryBarrier::start(&hub, &people[0].0, &coder, &project).await;
        let ben = people.pop().expect("Ben");
        let readers = vec![ben, clerk, (admin, ADMIN_TOKEN.to_owned())];
        let cast = Cast { mara: people[0].0.clone(), cleo: people[1].0.clone(), coder, readers };
        Self {
            hub,
            clock,
            ids,
            project,
            cast,
            open: StoryObjects::default(),
            hidden: StoryObjects::default(),
            tasks: Vec::new(),
            readers_may_join,
            was_disclosed: false,
            has_hidden,
            outcomes: Vec::new(),
            pulse,
            _folder: folder,
            _running: stop.drop_guard(),
        }
    }

    /// The members of hidden conversations.
    pub(crate) fn insiders(&self) -> [Principal; 3] {
        [self.cast.mara.clone(), self.cast.cleo.clone(), self.cast.coder.clone()]
    }

    /// The members of the project.
    pub(crate) fn members(&self) -> Vec<Principal> {
        let readers = self.cast.readers.iter().take(2).map(|(reader, _)| reader.clone());
        self.insiders().into_iter().chain(readers).collect()
    }

    /// The ids of the readers who belong to the project.
    pub(crate) fn reader_ids(&self) -> Vec<MemberId> {
        self.cast.readers.iter().take(2).map(|(reader, _)| reader.member.clone()).collect()
    }
}

impl DeliveryBarrier {
    async fn start(hub: &Hub, mara: &Principal, coder: &Principal, project: &ProjectId) -> Self {
        let request = NewChannel {
            project_id: project.clone(),
            name: name("pulse"),
            topic: None,
            visibility: Visibility::Project,
        };
        let channel = hub.create_channel(mara, request).await.expect("channel").id;
        let request = PostMessage { channel_id: Some(channel.clone()), stream: true, ..PostMessage::default() };
        let answer = hub.post_message(coder, request).await.expect("answer").message.id;
        Self { channel, answer, count: 0 }
    }
}

fn ports(folder: &TempDir, clock: &Arc<ManualClock>, ids: &Arc<StoryIds>) -> Ports {
    let store = SqliteStore::open(folder.path(), SqliteOptions::default()).expect("store");
    Ports {
        store: Arc::new(store),
        blobs: Arc::new(FileBlobs::open(folder.path()).expect("blobs")),
        clock: clock.clone(),
        ids: ids.clone(),
        keys: Arc::new(FileKeys::open(folder.path()).expect("keys")),
        issuers: Arc::new(NoIssuers),
        passwords: Arc::new(Argon2Passwords::default()),
    }
}

pub(crate) fn name(text: &str) -> Name {
    Name::parse(text).expect("a name")
}

async fn person(hub: &Hub, admin: &Principal, called: &str) -> (Principal, String) {
    let request = NewPerson { name: name(called), is_admin: false };
    let token = hub.create_person(admin, request).await.expect("person").1;
    (hub.sign_in(&token).await.expect("signed in"), token)
}

async fn agent(hub: &Hub, owner: &Principal, project: &ProjectId, called: &str) -> (Principal, String) {
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
    let token = hub.create_agent(owner, request).await.expect("agent").1;
    (hub.sign_in(&token).await.expect("signed in"), token)
}

/// A project whose streams stay open for as long as a story takes.
async fn project(hub: &Hub, owner: &Principal) -> ProjectId {
    let policy =
        Policy { streams: StreamRules { lease_seconds: 3_600, ..StreamRules::default() }, ..Policy::default() };
    let request = NewProject { name: name("Apollo"), description: None, policy: Some(policy) };
    hub.create_project(owner, request).await.expect("project").id
}
