use std::{collections::BTreeMap, fmt::Debug, slice};

use parlour_core::inbox::InboxFilter;
use parlour_core::{
    access::Principal,
    conversation::Channel,
    event::Event,
    id::{ConversationId, MemberId, ProjectId},
    message::Message,
    project::Project,
};

use super::{Caller, World, read_all};
use crate::ports::Slice;

/// How many things a snapshot reads at once.
const STEP: usize = 100;

/// Everything of a project that the port shows, as text. Two equal snapshots mean that nothing has changed between.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Snapshot(BTreeMap<String, String>);

impl Snapshot {
    fn note(&mut self, name: impl Into<String>, value: impl Debug) {
        self.0.insert(name.into(), format!("{value:#?}"));
    }
}

impl World {
    /// Reads everything of a project that the port shows to these callers.
    pub async fn snapshot(&self, project: &Project, callers: &[&dyn Caller]) -> Snapshot {
        let mut shot = Snapshot::default();
        self.note_project(&mut shot, &project.id).await;
        for caller in callers {
            self.note_view(&mut shot, &project.id, &caller.principal()).await;
        }
        shot
    }

    /// Reads everything of a project that the port shows to this caller as its own view.
    pub async fn view(&self, project: &Project, caller: &dyn Caller) -> Snapshot {
        let mut shot = Snapshot::default();
        self.note_view(&mut shot, &project.id, &caller.principal()).await;
        shot
    }

    /// All events of a project.
    pub async fn events(&self, project: &ProjectId) -> Vec<Event> {
        let mut events: Vec<Event> = Vec::new();
        loop {
            let offset = events.last().map_or(0, |event| event.position.offset());
            let more = self.store.events_after(project, offset, STEP).await.expect("events");
            if more.is_empty() {
                return events;
            }
            events.extend(more);
        }
    }

    /// All messages of a conversation, oldest first.
    pub async fn history(&self, id: &ConversationId) -> Vec<Message> {
        let mut messages: Vec<Message> = Vec::new();
        loop {
            let last = messages.last().map_or(0, |message| message.seq);
            let more = self.store.messages(id, Slice::After(last), STEP).await.expect("messages");
            if more.is_empty() {
                return messages;
            }
            messages.extend(more);
        }
    }

    async fn note_project(&self, shot: &mut Snapshot, id: &ProjectId) {
        let store = self.store();
        shot.note("events", self.events(id).await);
        shot.note("end of log", store.end_of_log(id).await.expect("end"));
        shot.note("project", store.project(id).await.expect("project"));
        shot.note("roster", store.roster(id).await.expect("roster"));
        shot.note("people of the hub", read_all(STEP, async |page| store.people(&page).await).await);
        shot.note("people", read_all(STEP, async |page| store.project_people(id, &page).await).await);
        shot.note("agents", read_all(STEP, async |page| store.agents(id, &page).await).await);
        shot.note("tasks", read_all(STEP, async |page| store.tasks(id, &page).await).await);
        shot.note("batches", read_all(STEP, async |page| store.batches(id, &page).await).await);
        shot.note("invites", read_all(STEP, async |page| store.invites(id, &page).await).await);
    }

    async fn note_view(&self, shot: &mut Snapshot, id: &ProjectId, caller: &Principal) {
        let (store, who) = (self.store(), caller.name.as_str());
        let channels = read_all(STEP, async |page| store.channels(id, caller, &page).await).await;
        let dms = read_all(STEP, async |page| store.dms(&caller.member, Some(id), &page).await).await;
        let artifacts = read_all(STEP, async |page| store.artifacts(id, caller, &page).await).await;
        for channel in &channels {
            self.note_channel(shot, channel).await;
        }
        for dm in &dms {
            self.note_history(shot, &dm.id.clone().into()).await;
        }
        if let MemberId::Agent(agent) = &caller.member {
            shot.note(
                format!("inbox of {who}"),
                read_all(STEP, async |page| store.inbox(agent, &InboxFilter::default(), &page).await).await,
            );
            shot.note(format!("count of {who}"), store.inbox_counts(agent).await.expect("count"));
            let calls = store.recent_calls(slice::from_ref(agent), STEP).await.expect("calls");
            shot.note(format!("calls of {who}"), calls);
        }
        let tokens = read_all(STEP, async |page| store.tokens(&caller.member, &page).await).await;
        shot.note(format!("tokens of {who}"), tokens);
        shot.note(format!("channels of {who}"), &channels);
        shot.note(format!("dms of {who}"), &dms);
        shot.note(format!("artifacts of {who}"), &artifacts);
        shot.note(format!("unread of {who}"), store.unread(id, caller).await.expect("unread"));
        shot.note(format!("graph of {who}"), store.graph(id, caller).await.expect("graph"));
    }

    async fn note_channel(&self, shot: &mut Snapshot, channel: &Channel) {
        let (store, id) = (self.store(), &channel.id);
        let members = read_all(STEP, async |page| store.channel_members(id, &page).await).await;
        let subscribers = read_all(STEP, async |page| store.subscribers(id, &page).await).await;
        let threads = read_all(STEP, async |page| store.threads(id, &page).await).await;
        self.note_history(shot, &id.clone().into()).await;
        for thread in &threads {
            self.note_history(shot, &thread.id.clone().into()).await;
        }
        shot.note(format!("rows of {id}"), (members, subscribers, threads));
    }

    async fn note_history(&self, shot: &mut Snapshot, id: &ConversationId) {
        shot.note(format!("history of {id}"), self.history(id).await);
    }
}
