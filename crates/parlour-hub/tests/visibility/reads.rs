//! Every read of the hub, called by one reader. `every_use_case_is_a_read_or_a_write` keeps the tables complete.

use parlour_core::{
    access::Principal,
    id::{ArtifactId, ConversationId, MessageId, TaskId},
    inbox::InboxFilter,
    paging::{Page, PageRequest},
};
use parlour_hub::{
    Failure,
    use_cases::{HistoryMark, HistoryQuery},
};
use serde::Serialize;
use serde_json::{Value, json};
use tokio::io::AsyncReadExt;

use crate::{
    acts::WORDS,
    story_hub::{StoryHub, StoryObjects},
};

/// The reads; each is called with all ids of the hub with hidden steps.
pub(crate) const READS: &[&str] = &[
    "agent",
    "agents",
    "artifact",
    "artifacts",
    "batch",
    "batches",
    "channel",
    "channel_members",
    "channels",
    "context",
    "context_written",
    "deliveries",
    "digests",
    "dm",
    "dms",
    "download_artifact",
    "history",
    "inbox",
    "inbox_counts",
    "injection_difference",
    "injections",
    "invites",
    "loop_guard",
    "message",
    "message_events",
    "message_preview",
    "message_view",
    "my_inbox",
    "open_calls",
    "pending_blocks",
    "people",
    "person",
    "presence",
    "project",
    "project_graph",
    "project_people",
    "projects",
    "questions",
    "run",
    "run_timeline",
    "runs",
    "search",
    "snapshot",
    "subscribers",
    "task",
    "task_timeline",
    "tasks",
    "thread",
    "threads",
    "tokens",
    "unread",
    "wait_deliveries",
    "wait_question",
    "wait_run",
];

/// Reads that may differ, and why.
pub(crate) const APART: &[(&str, &str)] = &[
    ("end_of_log", "a position counts every event of the project, hidden ones too, and reveals nothing else"),
    ("audit", "for administrators alone, who see there that something was done, but not what was said"),
    ("audit_after", "as audit"),
    ("audit_head", "as audit"),
];

/// The targets of the reads.
pub(crate) struct StoryTargets {
    sides: [StoryObjects; 2],
    pub(crate) tasks: Vec<TaskId>,
}

impl StoryTargets {
    pub(crate) fn of(story_hub: &StoryHub) -> Self {
        Self {
            sides: [story_hub.open.clone(), story_hub.hidden.clone()],
            tasks: story_hub.tasks.iter().map(|(id, _)| id.clone()).collect(),
        }
    }

    pub(crate) fn all<T>(&self, of: impl Fn(&StoryObjects) -> Vec<T>) -> Vec<T> {
        self.sides.iter().flat_map(of).collect()
    }
}

/// One reader of one hub, with the recorded answers.
pub(crate) struct ReadRecorder<'a> {
    pub(crate) story_hub: &'a StoryHub,
    pub(crate) targets: &'a StoryTargets,
    pub(crate) who: &'a Principal,
    answers: Vec<(String, Value)>,
}

/// All answers of the hub to a reader.
pub(crate) async fn answers(story_hub: &StoryHub, targets: &StoryTargets, who: &Principal) -> Vec<(String, Value)> {
    let mut asking = ReadRecorder { story_hub, targets, who, answers: Vec::new() };
    for read in READS {
        let before = asking.answers.len();
        asking.ask(read).await;
        assert!(asking.answers.len() > before || asking.has_none(read), "{read} asks nothing");
    }
    asking.answers
}

impl ReadRecorder<'_> {
    async fn ask(&mut self, read: &str) {
        match read {
            "agent" | "agents" | "people" | "person" | "project_people" | "presence" => self.ask_members(read).await,
            "channel" | "channels" | "channel_members" | "subscribers" | "threads" => self.ask_channels(read).await,
            "thread" | "dm" | "dms" | "history" | "loop_guard" => self.ask_conversations(read).await,
            "message" | "message_events" | "message_preview" | "message_view" | "search" | "unread" => {
                self.ask_messages(read).await
            }
            "inbox" | "inbox_counts" | "digests" | "open_calls" => self.ask_agents(read).await,
            "deliveries" | "wait_deliveries" | "wait_question" => self.ask_about_messages(read).await,
            "questions" | "my_inbox" | "pending_blocks" => self.ask_boards(read).await,
            "run" | "wait_run" | "runs" | "run_timeline" | "task_timeline" => self.ask_runs(read).await,
            "context" | "context_written" | "injections" | "injection_difference" => self.ask_contexts(read).await,
            "task" | "tasks" | "batch" | "batches" | "artifact" | "artifacts" | "download_artifact" => {
                self.ask_work(read).await;
            }
            _ => self.ask_whole(read).await,
        }
    }

    /// Whether a story may have no target for this read.
    fn has_none(&self, read: &str) -> bool {
        matches!(read, "artifact" | "download_artifact" | "task" | "task_timeline" | "thread")
    }

    pub(crate) fn note<T: Serialize>(&mut self, question: String, answer: Result<T, Failure>) {
        let answer = match answer {
            Ok(answer) => settled(serde_json::to_value(answer).expect("plain data")),
            Err(Failure::Refused(refusal)) => json!({ "refused": refusal.to_string() }),
            Err(fault) => unreachable!("{question}: {fault}"),
        };
        self.answers.push((question, answer));
    }

    /// Records a list, read with one item per page and as one page.
    pub(crate) async fn note_list<T: Serialize>(
        &mut self,
        question: String,
        list: impl AsyncFn(PageRequest) -> Result<Page<T>, Failure>,
    ) {
        self.note(question.clone(), list(PageRequest::first()).await);
        let mut after = None;
        for number in 0..100 {
            let page = list(PageRequest::new(after, Some(1)).expect("page")).await;
            after = page.as_ref().ok().and_then(|page| page.next.clone());
            self.note(format!("{question}, page {number}"), page);
            if after.is_none() {
                return;
            }
        }
        unreachable!("{question} has no last page");
    }

    async fn ask_members(&mut self, read: &str) {
        let (hub, who, project) = (&self.story_hub.hub, self.who, &self.story_hub.project);
        let everybody = self.story_hub.members();
        match read {
            "agents" => self.note_list("agents".into(), async |page| hub.agents(who, project, &page).await).await,
            "people" => self.note_list("people".into(), async |page| hub.people(who, &page).await).await,
            "project_people" => {
                self.note_list("project_people".into(), async |page| hub.project_people(who, project, &page).await)
                    .await;
            }
            "presence" => {
                for project_filter in [None, Some(project)] {
                    self.note_list(format!("presence {project_filter:?}"), async |page| {
                        hub.presence(who, project_filter, &page).await
                    })
                    .await;
                }
            }
            "agent" => {
                for id in everybody.iter().filter_map(|one| one.member.agent()) {
                    self.note(format!("agent {id}"), hub.agent(who, id).await);
                }
            }
            _ => {
                for id in everybody.iter().filter_map(|one| one.member.person()) {
                    self.note(format!("person {id}"), hub.person(who, id).await);
                }
            }
        }
    }

    async fn ask_channels(&mut self, read: &str) {
        let (hub, who, project) = (&self.story_hub.hub, self.who, &self.story_hub.project);
        if read == "channels" {
            return self.note_list("channels".into(), async |page| hub.channels(who, project, &page).await).await;
        }
        for id in self.targets.all(|objects| objects.channels.clone()) {
            let question = format!("{read} {id}");
            match read {
                "channel" => self.note(question, hub.channel(who, &id).await),
                "channel_members" => {
                    self.note_list(question, async |page| hub.channel_members(who, &id, &page).await).await;
                }
                "subscribers" => self.note_list(question, async |page| hub.subscribers(who, &id, &page).await).await,
                _ => self.note_list(question, async |page| hub.threads(who, &id, &page).await).await,
            }
        }
    }

    async fn ask_conversations(&mut self, read: &str) {
        let (hub, who, project) = (&self.story_hub.hub, self.who, &self.story_hub.project);
        match read {
            "thread" => {
                for id in self.targets.all(|objects| objects.threads.clone()) {
                    self.note(format!("thread {id}"), hub.thread(who, &id).await);
                }
            }
            "dm" => {
                for id in self.targets.all(|objects| objects.dms.clone()) {
                    self.note(format!("dm {id}"), hub.dm(who, &id).await);
                }
            }
            "dms" => {
                for project_filter in [None, Some(project)] {
                    self.note_list(format!("dms {project_filter:?}"), async |page| {
                        hub.dms(who, project_filter, &page).await
                    })
                    .await;
                }
            }
            "loop_guard" => {
                for id in self.targets.all(StoryObjects::conversations) {
                    let stops = hub.loop_guard(who, &id).await;
                    let stops = stops.map(|stops| stops.into_iter().map(|stop| (stop.mark, stop.message_id)).collect());
                    self.note::<Vec<_>>(format!("loop_guard {id}"), stops);
                }
            }
            _ => {
                for id in self.targets.all(StoryObjects::conversations) {
                    self.ask_history(&id).await;
                }
            }
        }
    }

    /// Reads a history from its end and from every message, including those of other conversations.
    async fn ask_history(&mut self, id: &ConversationId) {
        let (hub, who) = (&self.story_hub.hub, self.who);
        let query = HistoryQuery::default();
        self.note_list(format!("history {id}"), async |page| hub.history(who, id, &query, &page).await).await;
        let marks = self.targets.all(|objects| objects.said.iter().map(|said| said.id.clone()).take(3).collect());
        for mark in marks {
            let query = HistoryQuery { since: Some(HistoryMark::Message(mark.clone())), before: None };
            let page = hub.history(who, id, &query, &PageRequest::first()).await;
            self.note(format!("history {id} since {mark}"), page);
        }
    }

    async fn ask_messages(&mut self, read: &str) {
        let (hub, who, project) = (&self.story_hub.hub, self.who, &self.story_hub.project);
        match read {
            "message" | "message_events" | "message_preview" | "message_view" => {
                for id in self.targets.all(|objects| objects.said.iter().map(|said| said.id.clone()).collect()) {
                    self.ask_message(read, &id).await;
                }
            }
            "search" => {
                for text in WORDS.iter().chain(&["zyz*", "edited", "between", "launch payroll"]) {
                    let question = format!("search {text}");
                    self.note_list(question, async |page| {
                        let found = hub.search(who, project, text, &page).await?;
                        Ok(found.map(|hit| (hit.snippet, hit.message)))
                    })
                    .await;
                }
            }
            _ => self.note("unread".into(), hub.unread(who, project).await),
        }
    }

    async fn ask_agents(&mut self, read: &str) {
        let (hub, who) = (&self.story_hub.hub, self.who);
        for agent in self.story_hub.members().iter().filter_map(|one| one.member.agent()) {
            match read {
                "open_calls" => {
                    let list = async |page| hub.open_calls(who, agent, &page).await;
                    self.note_list(format!("open_calls {agent}"), list).await;
                    continue;
                }
                "digests" => {
                    let list = async |page| hub.digests(who, agent, &page).await;
                    self.note_list(format!("digests {agent}"), list).await;
                    continue;
                }
                "inbox_counts" => {
                    self.note(format!("inbox_counts {agent}"), hub.inbox_counts(who, agent).await);
                    continue;
                }
                _ => {}
            }
            let inbox = hub.inbox(who, agent, &InboxFilter::default(), &PageRequest::first()).await;
            self.note(format!("inbox {agent} and its count"), inbox);
            let list = async |page| Ok(hub.inbox(who, agent, &InboxFilter::default(), &page).await?.0);
            self.note_list(format!("inbox {agent}"), list).await;
        }
    }

    async fn ask_message(&mut self, read: &str, id: &MessageId) {
        let (hub, who) = (&self.story_hub.hub, self.who);
        if read == "message" {
            return self.note(format!("message {id}"), hub.message(who, id).await);
        }
        if read == "message_preview" {
            return self.note(format!("message_preview {id}"), hub.message_preview(who, id).await);
        }
        if read == "message_view" {
            return self.note(format!("message_view {id}"), hub.message_view(who, id).await);
        }
        let list = async |page| hub.message_events(who, id, &page).await;
        self.note_list(format!("message_events {id}"), list).await;
    }

    async fn ask_work(&mut self, read: &str) {
        let (hub, who, project) = (&self.story_hub.hub, self.who, &self.story_hub.project);
        match read {
            "tasks" => self.note_list("tasks".into(), async |page| hub.tasks(who, project, &page).await).await,
            "batches" => self.note_list("batches".into(), async |page| hub.batches(who, project, &page).await).await,
            "artifacts" => {
                self.note_list("artifacts".into(), async |page| hub.artifacts(who, project, &page).await).await;
            }
            "batch" => self.note("batch".into(), hub.batch(who, &"bat_none".parse().expect("id")).await),
            "task" => {
                for id in &self.targets.tasks {
                    self.note(format!("task {id}"), hub.task(who, id).await);
                }
            }
            "artifact" => {
                for id in self.targets.all(|objects| objects.artifacts.clone()) {
                    self.note(format!("artifact {id}"), hub.artifact(who, &id).await);
                }
            }
            _ => {
                for id in self.targets.all(|objects| objects.artifacts.clone()) {
                    let found = self.download(&id).await;
                    self.note(format!("download_artifact {id}"), found);
                }
            }
        }
    }

    async fn download(&self, id: &ArtifactId) -> Result<(Value, String), Failure> {
        let found = self.story_hub.hub.download_artifact(self.who, id).await?;
        let mut content = String::new();
        found.open(0).await?.read_to_string(&mut content).await.expect("content");
        Ok((json!(found.artifact), content))
    }

    async fn ask_whole(&mut self, read: &str) {
        let (hub, who, project) = (&self.story_hub.hub, self.who, &self.story_hub.project);
        match read {
            "project" => self.note("project".into(), hub.project(who, project).await),
            "projects" => self.note_list("projects".into(), async |page| hub.projects(who, &page).await).await,
            "project_graph" => self.note("project_graph".into(), hub.project_graph(who, project).await),
            "snapshot" => self.note("snapshot".into(), hub.snapshot(who, project).await),
            // Stories neither create nor end any of them.
            "tokens" | "invites" => self.note(read.into(), Ok(())),
            other => unreachable!("there is no request for {other}"),
        }
    }
}

/// An answer without values that count all events of the project: positions, entry numbers, and cursors that are such
/// numbers.
pub(crate) fn settled(mut answer: Value) -> Value {
    fn settle(json: &mut Value) {
        match json {
            Value::Object(fields) => {
                fields.remove("position");
                fields.remove("no");
                if let Some(next) = fields.get_mut("next").filter(|next| is_number(next)) {
                    *next = "a number".into();
                }
                fields.values_mut().for_each(settle);
            }
            Value::Array(items) => items.iter_mut().for_each(settle),
            _ => {}
        }
    }
    settle(&mut answer);
    answer
}

fn is_number(next: &Value) -> bool {
    next.as_str().is_some_and(|text| text.parse::<u64>().is_ok())
}
