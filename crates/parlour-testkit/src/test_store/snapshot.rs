use std::{collections::BTreeMap, fmt::Debug, slice};

use parlour_core::{
    access::Principal,
    conversation::Channel,
    event::Event,
    id::{ConversationId, MemberId, ProjectId},
    inbox::InboxFilter,
    message::Message,
    project::Project,
    run::RunFilter,
};

use super::{TestMember, TestStore, read_all};
use parlour_hub::ports::HistoryRange;

/// Page size of a snapshot.
const STEP: usize = 100;

/// Everything of a project that the port returns, as text. Two equal snapshots mean that
/// nothing has changed between them.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct StoreSnapshot(BTreeMap<String, String>);

impl StoreSnapshot {
    fn note(&mut self, name: impl Into<String>, value: impl Debug) {
        self.0.insert(name.into(), format!("{value:#?}"));
    }
}

impl TestStore {
    /// Reads everything of a project that the port shows to these callers.
    pub async fn snapshot(&self, project: &Project, callers: &[&dyn TestMember]) -> StoreSnapshot {
        let mut shot = StoreSnapshot::default();
        self.note_project(&mut shot, &project.id).await;
        for caller in callers {
            self.note_view(&mut shot, &project.id, &caller.principal()).await;
        }
        shot
    }

    /// Reads everything of a project that the port shows to this caller as its own view.
    pub async fn view(&self, project: &Project, caller: &dyn TestMember) -> StoreSnapshot {
        let mut shot = StoreSnapshot::default();
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
            let more = self.store.messages(id, HistoryRange::After(last), STEP).await.expect("messages");
            if more.is_empty() {
                return messages;
            }
            messages.extend(more);
        }
    }

    async fn note_project(&self, shot: &mut StoreSnapshot, id: &ProjectId) {
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

    async fn note_view(&self, shot: &mut StoreSnapshot, id: &ProjectId, caller: &Principal) {
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
            let all = InboxFilter::default();
            let inbox = read_all(STEP, async |page| store.inbox(agent, &all, &page).await).await;
            shot.note(format!("inbox of {who}"), inbox);
            let digests = read_all(STEP, async |page| store.digests(agent, &page).await).await;
            shot.note(format!("digests of {who}"), digests);
            shot.note(format!("blocks of {who}"), store.blocks_of(agent, STEP).await.expect("blocks"));
            shot.note(format!("count of {who}"), store.inbox_counts(agent).await.expect("count"));
            let calls = store.recent_calls(slice::from_ref(agent), STEP).await.expect("calls");
            shot.note(format!("calls of {who}"), calls);
        }
        self.note_work(shot, id, caller).await;
        let tokens = read_all(STEP, async |page| store.tokens(&caller.member, &page).await).await;
        shot.note(format!("tokens of {who}"), tokens);
        shot.note(format!("channels of {who}"), &channels);
        shot.note(format!("dms of {who}"), &dms);
        shot.note(format!("artifacts of {who}"), &artifacts);
        shot.note(format!("unread of {who}"), store.unread(id, caller).await.expect("unread"));
        shot.note(format!("graph of {who}"), store.graph(id, caller).await.expect("graph"));
    }

    async fn note_work(&self, shot: &mut StoreSnapshot, id: &ProjectId, caller: &Principal) {
        let (store, who) = (self.store(), caller.name.as_str());
        let all = RunFilter::default();
        let runs = read_all(STEP, async |page| store.runs(id, caller, &all, &page).await).await;
        for run in &runs {
            let entries = read_all(STEP, async |page| store.run_timeline(&run.id, caller, &page).await).await;
            shot.note(format!("timeline of {} for {who}", run.id), entries);
        }
        for task in read_all(STEP, async |page| store.tasks(id, &page).await).await {
            let entries = read_all(STEP, async |page| store.task_timeline(&task.id, caller, &page).await).await;
            shot.note(format!("timeline of {} for {who}", task.id), entries);
        }
        shot.note(format!("runs of {who}"), runs);
        let questions = read_all(STEP, async |page| store.open_questions(id, caller, &page).await).await;
        shot.note(format!("questions of {who}"), questions);
        let questions = read_all(STEP, async |page| store.questions_to(caller, Some(id), &page).await).await;
        shot.note(format!("questions to {who}"), questions);
        let notable = read_all(STEP, async |page| store.notable_unread(id, caller, &page).await).await;
        shot.note(format!("notable for {who}"), notable);
    }

    async fn note_channel(&self, shot: &mut StoreSnapshot, channel: &Channel) {
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

    async fn note_history(&self, shot: &mut StoreSnapshot, id: &ConversationId) {
        let history = self.history(id).await;
        for message in &history {
            let deliveries = self.store.deliveries(&message.id, &[]).await.expect("deliveries");
            shot.note(format!("deliveries of {}", message.id), deliveries);
        }
        shot.note(format!("history of {id}"), history);
    }
}
