//! A hub with its sample project, and somebody who watches.

use std::process::Command;

use parlour_agent::{
    Client,
    answers::Posted,
    live::{Live, LiveItem, Start},
    requests::NewAgent,
};
use parlour_core::{
    engine::Engine,
    event::Change,
    id::{AgentId, ChannelId, ConversationId, MessageId, ProjectId},
    member::AgentPatch,
    message::{Message, State},
    position::Position,
    post::PostMessage,
    presence::Presence,
};
use parlour_hub::ports::Ids as _;
use tempfile::TempDir;

use crate::support::{Hub, TOKEN};

/// A hub with its sample project.
pub(crate) struct HostingFixture {
    pub(crate) folder: TempDir,
    pub(crate) hub: Hub,
    pub(crate) client: Client,
    pub(crate) project: ProjectId,
    pub(crate) general: ChannelId,
}

impl HostingFixture {
    pub(crate) async fn make() -> Self {
        Self::with(|command| command).await
    }

    /// A hub with settings of the test's own.
    pub(crate) async fn with(set_up: impl FnOnce(&mut Command) -> &mut Command) -> Self {
        Self::on(tempfile::tempdir().expect("a folder"), set_up).await
    }

    async fn on(folder: TempDir, set_up: impl FnOnce(&mut Command) -> &mut Command) -> Self {
        let hub = Hub::start_with(folder.path(), |command| set_up(command.env("PARLOUR_ADMIN_TOKEN", TOKEN)));
        let client = Client::new(&hub.url, Some(&hub.token)).expect("a client");
        let project = client.projects().await.expect("projects").items[0].id.clone();
        let general = client.channels(&project).await.expect("channels").items[0].id.clone();
        Self { folder, hub, client, project, general }
    }

    /// The same folder, after the hub was killed and started again.
    pub(crate) async fn killed(self) -> Self {
        self.hub.kill();
        Self::on(self.folder, |command| command).await
    }

    /// The same folder, after the hub was stopped and started again with other settings.
    pub(crate) async fn stopped(self, set_up: impl FnOnce(&mut Command) -> &mut Command) -> Self {
        assert_eq!(self.hub.stop().code(), Some(0));
        Self::on(self.folder, set_up).await
    }

    /// Somebody who sees everything from now on.
    pub(crate) async fn watch(&self) -> LiveWatcher {
        let mut live = Live::follow(&self.client, &self.project, Start::Now);
        while !matches!(live.next().await.expect("live"), LiveItem::Live(_)) {}
        LiveWatcher(live)
    }

    /// Somebody who sees everything that has happened since then.
    pub(crate) fn watch_after(&self, position: &Position) -> LiveWatcher {
        LiveWatcher(Live::follow(&self.client, &self.project, Start::After(position.clone())))
    }

    /// Says something in `#general`, as the administrator.
    pub(crate) async fn say(&self, body: &str) -> Posted {
        self.say_in(&self.general.clone().into(), body).await
    }

    /// Says something in a conversation.
    pub(crate) async fn say_in(&self, place: &ConversationId, body: &str) -> Posted {
        let mut request = PostMessage { body: body.into(), ..PostMessage::default() };
        match place.clone() {
            ConversationId::Channel(id) => request.channel_id = Some(id),
            ConversationId::Thread(id) => request.thread_id = Some(id),
            ConversationId::Dm(id) => request.dm_id = Some(id),
        }
        let id = MessageId::from_bits(parlour_adapters::RandomIds.next_bits());
        self.client.post_message(&id, &request).await.expect("posted")
    }

    pub(crate) async fn id_of(&self, name: &str) -> AgentId {
        let agents = self.client.agents(&self.project).await.expect("agents").items;
        agents.into_iter().find(|agent| agent.name.as_str() == name).expect("the agent").id
    }

    /// Adds an agent that the hub is to run.
    pub(crate) async fn host(&self, name: &str, provider: &str) -> AgentId {
        let request = NewAgent {
            project_id: self.project.clone(),
            name: name.parse().expect("a name"),
            capabilities: Vec::new(),
            endpoint_url: None,
            instructions: Some("Be brief.".into()),
            engine: Some(Engine { provider: provider.into(), model: None }),
            context: None,
            role: None,
        };
        self.client.create_agent(&request).await.expect("made").agent.id
    }

    /// Lets another engine answer for an agent; an empty name means none.
    pub(crate) async fn set_engine(&self, agent: &AgentId, provider: &str) {
        let engine = Some(Engine { provider: provider.into(), model: None });
        let patch = AgentPatch { engine, ..AgentPatch::default() };
        self.client.update_agent(agent, &patch).await.expect("changed");
    }

    /// The answers to a message, as they stand.
    pub(crate) async fn answers_to(&self, question: &MessageId) -> Vec<Message> {
        let page = self.client.history(&self.general.clone().into(), &parlour_agent::HistoryRange::default()).await;
        let items = page.expect("history").items.into_iter();
        items.filter(|message| message.reply_to.as_ref() == Some(question)).collect()
    }
}

/// Sees what happens.
pub(crate) struct LiveWatcher(Live);

impl LiveWatcher {
    pub(crate) async fn next(&mut self) -> LiveItem {
        self.0.next().await.expect("live")
    }

    /// The next event that is wanted.
    pub(crate) async fn change<T>(&mut self, mut wanted: impl FnMut(Change) -> Option<T>) -> T {
        loop {
            if let LiveItem::Event(event) = self.next().await
                && let Some(found) = wanted(event.change)
            {
                return found;
            }
        }
    }

    /// The next answer that has begun.
    pub(crate) async fn begun(&mut self) -> Message {
        self.change(|change| match change {
            Change::MessagePosted(message) if message.state == State::Streaming => Some(*message),
            _ => None,
        })
        .await
    }

    /// The next answer that has ended. One that failed at once was never open.
    pub(crate) async fn ended(&mut self) -> Message {
        self.change(|change| match change {
            Change::MessageFinished(message) => Some(*message),
            _ => None,
        })
        .await
    }

    /// Waits until some piece of an answer was told.
    pub(crate) async fn piece(&mut self) -> String {
        loop {
            match self.next().await {
                LiveItem::Chunk(chunk) => return chunk.text,
                LiveItem::Stream(running) if !running.text.is_empty() => return running.text,
                _ => {}
            }
        }
    }

    /// The presence of a member when it is, or is no longer, there. The watch must have begun before.
    pub(crate) async fn presence(&mut self, fixture: &HostingFixture, name: &str, is_there: bool) -> Option<Presence> {
        loop {
            let there = fixture.client.snapshot(&fixture.project).await.expect("a snapshot").presence;
            let found = there.into_iter().find(|one| one.name.as_str() == name);
            if found.is_some() == is_there {
                return found;
            }
            while !matches!(self.next().await, LiveItem::Presence(_)) {}
        }
    }
}
