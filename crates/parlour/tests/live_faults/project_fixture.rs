//! Where a run takes place: one project with an open and a private channel, and members who see different things.

use std::path::Path;

use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    api::RetryingApi,
    reader::ReaderTarget,
    run_state::{FaultRunState, run_state},
    support::{Hub, TOKEN},
    transcript::text,
};

/// A member of the project.
#[derive(Clone, Debug)]
pub(crate) struct ProjectMember {
    pub(crate) id: String,
    pub(crate) token: String,
}

/// A place for messages, as a post names it: a channel or a thread.
#[derive(Clone, Debug)]
pub(crate) struct PostDestination {
    pub(crate) field: &'static str,
    pub(crate) id: String,
    /// Whether every member sees it.
    pub(crate) is_open: bool,
}

/// What a run needs to know of the hub.
#[derive(Clone, Debug)]
pub(crate) struct FaultProject {
    pub(crate) project: String,
    /// The life of the project's log.
    pub(crate) epoch: String,
    /// The administrator, who is in both channels.
    pub(crate) owner: ProjectMember,
    /// In both channels all the time.
    pub(crate) insider: ProjectMember,
    /// Never in the private channel.
    pub(crate) stranger: ProjectMember,
    /// Let into the private channel and put out again and again.
    pub(crate) wanderer: ProjectMember,
    pub(crate) open: PostDestination,
    pub(crate) open_thread: PostDestination,
    pub(crate) private: PostDestination,
    pub(crate) private_thread: PostDestination,
}

impl FaultProject {
    /// Makes everything on a hub of its own, which then ends.
    pub(crate) async fn make(folder: &Path) -> Self {
        let hub = Hub::start(folder);
        let (control, run_state) = run_state();
        control.hub.send_replace(Some(hub.url["http://".len()..].parse().expect("an address")));
        let maker = ProjectBuilder { api: RetryingApi::new(&hub.url, TOKEN), run_state };
        let project_fixture = maker.make_all().await;
        hub.kill();
        project_fixture
    }

    /// What a reader with this token needs to know.
    pub(crate) fn target(&self, url: &str, member: &ProjectMember) -> ReaderTarget {
        ReaderTarget { url: url.to_owned(), project: self.project.clone(), token: member.token.clone() }
    }

    /// The ids that betray the private channel.
    pub(crate) fn secrets(&self) -> Vec<String> {
        vec![self.private.id.clone(), self.private_thread.id.clone()]
    }

    /// Whether an event is about the private channel.
    pub(crate) fn is_private(&self, event: &Value) -> bool {
        let shown = event.to_string();
        self.secrets().iter().any(|secret| shown.contains(secret))
    }
}

struct ProjectBuilder {
    api: RetryingApi,
    run_state: FaultRunState,
}

impl ProjectBuilder {
    async fn make_all(mut self) -> FaultProject {
        let me = self.ask(Method::GET, "/me", Value::Null).await;
        let owner = ProjectMember { id: text(&me, "/member_id").to_owned(), token: TOKEN.to_owned() };
        let project = self.post("/projects", json!({ "name": "Faults" })).await;
        // Short windows and leases: chunks come often, and abandoned answers end within a run.
        let streams = json!({ "policy": { "streams": { "window_ms": 20, "lease_seconds": 2 } } });
        self.ask(Method::PATCH, &format!("/projects/{project}"), streams).await;
        let insider = self.agent(&project, "Insider").await;
        let stranger = self.agent(&project, "Stranger").await;
        let wanderer = self.agent(&project, "Wanderer").await;
        let (open, open_thread, _) = self.rooms(&project, "open", "project").await;
        let (private, private_thread, epoch) = self.rooms(&project, "hidden", "private").await;
        for member in [&insider, &wanderer] {
            self.ask(Method::POST, &format!("/channels/{}/members", private.id), json!({ "member_id": member.id }))
                .await;
        }
        FaultProject { project, epoch, owner, insider, stranger, wanderer, open, open_thread, private, private_thread }
    }

    async fn ask(&mut self, how: Method, path: &str, body: Value) -> Value {
        self.api.do_it(&mut self.run_state, how, path, &body).await
    }

    /// Makes something; answers its id.
    async fn post(&mut self, path: &str, body: Value) -> String {
        text(&self.ask(Method::POST, path, body).await, "/id").to_owned()
    }

    async fn agent(&mut self, project: &str, name: &str) -> ProjectMember {
        let agent = self.ask(Method::POST, "/agents", json!({ "project_id": project, "name": name })).await;
        ProjectMember { id: text(&agent, "/id").to_owned(), token: text(&agent, "/token").to_owned() }
    }

    /// A channel and a thread in it, and the life of the log.
    async fn rooms(
        &mut self,
        project: &str,
        name: &str,
        visibility: &str,
    ) -> (PostDestination, PostDestination, String) {
        let channel = json!({ "project_id": project, "name": name, "visibility": visibility });
        let channel = self.post("/channels", channel).await;
        let root = self.ask(Method::POST, "/messages", json!({ "channel_id": channel, "body": "root" })).await;
        let thread = json!({ "channel_id": channel, "root_message_id": text(&root, "/id") });
        let thread = self.post("/threads", thread).await;
        let epoch = text(&root, "/position").split(['.', '-']).next().unwrap_or_default().to_owned();
        let room = |field, id| PostDestination { field, id, is_open: visibility == "project" };
        (room("channel_id", channel), room("thread_id", thread), epoch)
    }
}
