//! Where a run takes place: one project with an open and a private channel, and members who see different things.

use std::path::Path;

use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    api::Api,
    course::{Course, course},
    spot::Spot,
    support::{Hub, TOKEN},
    transcript::text,
};

/// A member of the project.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) id: String,
    pub(crate) token: String,
}

/// A place for messages, as a post names it: a channel or a thread.
#[derive(Clone, Debug)]
pub(crate) struct Room {
    pub(crate) field: &'static str,
    pub(crate) id: String,
    /// Whether every member sees it.
    pub(crate) is_open: bool,
}

/// What a run needs to know of the hub.
#[derive(Clone, Debug)]
pub(crate) struct Ground {
    pub(crate) project: String,
    /// The life of the project's log.
    pub(crate) epoch: String,
    /// The administrator, who is in both channels.
    pub(crate) owner: Member,
    /// In both channels all the time.
    pub(crate) insider: Member,
    /// Never in the private channel.
    pub(crate) stranger: Member,
    /// Let into the private channel and put out again and again.
    pub(crate) wanderer: Member,
    pub(crate) open: Room,
    pub(crate) open_thread: Room,
    pub(crate) private: Room,
    pub(crate) private_thread: Room,
}

impl Ground {
    /// Makes everything on a hub of its own, which then ends.
    pub(crate) async fn make(folder: &Path) -> Self {
        let hub = Hub::start(folder);
        let (conductor, course) = course();
        conductor.hub.send_replace(Some(hub.url["http://".len()..].parse().expect("an address")));
        let maker = Maker { api: Api::new(&hub.url, TOKEN), course };
        let ground = maker.make_all().await;
        hub.kill();
        ground
    }

    /// What a reader with this token needs to know.
    pub(crate) fn spot(&self, url: &str, member: &Member) -> Spot {
        Spot { url: url.to_owned(), project: self.project.clone(), token: member.token.clone() }
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

struct Maker {
    api: Api,
    course: Course,
}

impl Maker {
    async fn make_all(mut self) -> Ground {
        let me = self.ask(Method::GET, "/me", Value::Null).await;
        let owner = Member { id: text(&me, "/member_id").to_owned(), token: TOKEN.to_owned() };
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
        Ground { project, epoch, owner, insider, stranger, wanderer, open, open_thread, private, private_thread }
    }

    async fn ask(&mut self, how: Method, path: &str, body: Value) -> Value {
        self.api.do_it(&mut self.course, how, path, &body).await
    }

    /// Makes something; answers its id.
    async fn post(&mut self, path: &str, body: Value) -> String {
        text(&self.ask(Method::POST, path, body).await, "/id").to_owned()
    }

    async fn agent(&mut self, project: &str, name: &str) -> Member {
        let agent = self.ask(Method::POST, "/agents", json!({ "project_id": project, "name": name })).await;
        Member { id: text(&agent, "/id").to_owned(), token: text(&agent, "/token").to_owned() }
    }

    /// A channel and a thread in it, and the life of the log.
    async fn rooms(&mut self, project: &str, name: &str, visibility: &str) -> (Room, Room, String) {
        let channel = json!({ "project_id": project, "name": name, "visibility": visibility });
        let channel = self.post("/channels", channel).await;
        let root = self.ask(Method::POST, "/messages", json!({ "channel_id": channel, "body": "root" })).await;
        let thread = json!({ "channel_id": channel, "root_message_id": text(&root, "/id") });
        let thread = self.post("/threads", thread).await;
        let epoch = text(&root, "/position").split('-').next().unwrap_or_default().to_owned();
        let room = |field, id| Room { field, id, is_open: visibility == "project" };
        (room("channel_id", channel), room("thread_id", thread), epoch)
    }
}
