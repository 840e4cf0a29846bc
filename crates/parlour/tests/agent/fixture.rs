//! A hub, agents as processes of their own, and somebody who watches.

use std::path::Path;

use parlour_agent::{
    Client,
    live::{Live, LiveItem, Start},
};
use parlour_core::{
    event::Change,
    id::{AgentId, ChannelId, MessageId, ProjectId},
    message::{Message, State},
    post::PostMessage,
    presence::Presence,
};
use tempfile::TempDir;

use crate::support::{Hub, running::RunningProcess, transcript::words};

/// A hub with its sample project.
pub(crate) struct AgentFixture {
    pub(crate) folder: TempDir,
    pub(crate) hub: Hub,
    pub(crate) client: Client,
    pub(crate) project: ProjectId,
    pub(crate) general: ChannelId,
}

impl AgentFixture {
    pub(crate) fn make() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let hub = Hub::start(folder.path());
        Self::around(folder, hub)
    }

    fn around(folder: TempDir, hub: Hub) -> Self {
        let client = Client::new(&hub.url, Some(&hub.token)).expect("a client");
        let id =
            |line: &str, at: &str| hub.json(line).pointer(at).and_then(|id| id.as_str()).expect("an id").to_owned();
        let project = id("project show", "/id").parse().expect("an id");
        let general = id("channel list", "/items/0/id").parse().expect("an id");
        Self { folder, hub, client, project, general }
    }

    /// The same folder with the hub killed and started again, at the same address.
    pub(crate) fn restarted(self) -> Self {
        let Self { folder, hub, .. } = self;
        let url = hub.url.clone();
        hub.kill();
        let hub = Hub::start_again(folder.path(), &url);
        Self::around(folder, hub)
    }

    /// Starts an agent and waits until it is ready.
    pub(crate) fn agent(&self, line: &str) -> RunningProcess {
        let agent = self.start_agent(line);
        let ready = agent.line();
        assert!(ready.contains("stop with Ctrl+C"), "{ready}");
        agent
    }

    /// Starts an agent.
    pub(crate) fn start_agent(&self, line: &str) -> RunningProcess {
        RunningProcess::start(self.hub.command().arg("agent").args(words(line)))
    }

    /// Somebody who sees everything from now on.
    pub(crate) async fn watch(&self) -> LiveWatcher {
        let mut live = Live::follow(&self.client, &self.project, Start::Now);
        while !matches!(live.next().await.expect("live"), LiveItem::Live(_)) {}
        LiveWatcher(live)
    }

    /// Says something in `#general`, as the administrator.
    pub(crate) async fn say(&self, body: &str) -> Message {
        let request =
            PostMessage { channel_id: Some(self.general.clone()), body: body.into(), ..PostMessage::default() };
        self.client.post_message(&new_message(), &request).await.expect("posted").message
    }

    /// An agent that is there.
    pub(crate) async fn id_of(&self, name: &str) -> AgentId {
        let agents = self.client.agents(&self.project).await.expect("agents").items;
        agents.into_iter().find(|agent| agent.name.as_str() == name).expect("the agent").id
    }

    /// All messages of `#general` that agents wrote, oldest first.
    pub(crate) async fn answers(&self) -> Vec<Message> {
        let lines = self.hub.json("history general --limit 200");
        let mut items: Vec<Message> = serde_json::from_value(lines["items"].clone()).expect("messages");
        items.sort_by_key(|message| message.seq);
        items
            .into_iter()
            .filter(|message| matches!(message.from.author_type, parlour_core::author::AuthorType::Agent))
            // The welcome of the sample project.
            .filter(|message| message.from.name.as_str() != "Guide")
            .collect()
    }

    /// What the hub answers to a question.
    pub(crate) async fn get(&self, path: &str) -> serde_json::Value {
        let request = reqwest::Client::new().get(format!("{}{path}", self.hub.url)).bearer_auth(&self.hub.token);
        request.send().await.expect("answered").json().await.expect("JSON")
    }

    /// Who is there under this name.
    pub(crate) async fn presence_of(&self, name: &str) -> Option<Presence> {
        let there = self.get(&format!("/projects/{}/presence", self.project)).await;
        let there: Vec<Presence> = serde_json::from_value(there["items"].clone()).expect("presences");
        there.into_iter().find(|one| one.name.as_str() == name)
    }

    /// Changes the project.
    pub(crate) async fn change_project(&self, patch: &serde_json::Value) {
        let url = format!("{}/projects/{}", self.hub.url, self.project);
        let request = reqwest::Client::new().patch(url).bearer_auth(&self.hub.token).json(patch);
        let answer = request.send().await.expect("answered");
        assert!(answer.status().is_success(), "{answer:?}");
    }

    /// A file that tests and commands share.
    pub(crate) fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }
}

/// Sees what happens.
pub(crate) struct LiveWatcher(Live);

impl LiveWatcher {
    /// The next message that is whole, or has ended in another way, and was written by an agent or the hub.
    pub(crate) async fn ended(&mut self) -> Message {
        loop {
            if let LiveItem::Event(event) = self.0.next().await.expect("live") {
                match event.change {
                    Change::MessageFinished(message) => return *message,
                    Change::MessagePosted(message) if message.state != State::Streaming && !is_persons(&message) => {
                        return *message;
                    }
                    _ => {}
                }
            }
        }
    }

    /// The next answer that is begun.
    pub(crate) async fn begun(&mut self) -> Message {
        loop {
            if let LiveItem::Event(event) = self.0.next().await.expect("live")
                && let Change::MessagePosted(message) = event.change
                && message.state == State::Streaming
            {
                return *message;
            }
        }
    }

    /// Waits until some piece of an answer was told.
    pub(crate) async fn piece(&mut self) -> String {
        loop {
            match self.0.next().await.expect("live") {
                LiveItem::Chunk(chunk) => return chunk.text,
                LiveItem::Stream(running) if !running.text.is_empty() => return running.text,
                _ => {}
            }
        }
    }

    /// The next change that is wanted.
    pub(crate) async fn change<T>(&mut self, mut wanted: impl FnMut(Change) -> Option<T>) -> T {
        loop {
            if let LiveItem::Event(event) = self.0.next().await.expect("live")
                && let Some(found) = wanted(event.change)
            {
                return found;
            }
        }
    }
}

fn is_persons(message: &Message) -> bool {
    message.from.member_id().is_some_and(|member| member.agent().is_none())
}

/// Whether the process of this number is still there.
pub(crate) fn is_running(path: &Path) -> bool {
    // A process that has ended and was not asked for yet is gone too.
    state_of(path).is_some_and(|state| state != 'Z')
}

/// The state of the process of this number, in the letters of the system: `T` is one that stands still.
pub(crate) fn state_of(path: &Path) -> Option<char> {
    let pid = std::fs::read_to_string(path).expect("the command has noted its number");
    let state = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).ok()?;
    state.rsplit_once(')')?.1.trim_start().chars().next()
}

/// An id for a message.
pub(crate) fn new_message() -> MessageId {
    use parlour_hub::ports::Ids as _;
    MessageId::from_bits(parlour_adapters::RandomIds.next_bits())
}
