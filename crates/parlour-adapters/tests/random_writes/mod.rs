//! Random sequences of writes of many kinds on a small project in a SQLite store.

// Each test file uses only some of these functions.
#![allow(dead_code)]

use parlour_adapters::SqliteOptions;
use parlour_core::{
    author::{Author, AuthorType},
    call::{CallReason, Calls, NewCall},
    conversation::{Channel, ChannelPatch, Visibility},
    delivery::{DeliveryState, DeliveryStep},
    event::{Change, ChannelMember, Subscription},
    inbox::{DeliveryReason, Recipient},
    member::{Agent, Person},
    message::{Importance, Message},
    policy::{Policy, Retention},
    project::ProjectPatch,
    question::Settlement,
    run::{PauseReason, Run, RunEnd, RunState},
    task::{Task, TaskPatch, TaskStatus},
    write::{NewText, StreamEnding, Write},
};
use parlour_hub::ports::{AuditNote, SavedStream};
use parlour_testkit::{RecordedWrite, TestMember};
use proptest::prelude::*;

use crate::sqlite_fixture::SqliteFixture;

/// The numbers of agents and people; a mask with a bit for each selects some of them.
const AGENTS: usize = 3;
const PEOPLE: usize = 2;

/// One write; numbers select the members, posts, runs and tasks.
#[derive(Clone, Debug)]
pub(crate) enum RandomWrite {
    Post { author: usize, is_private: bool, called: u8, recipients: u8 },
    Stream { author: usize, is_private: bool },
    Save { post: usize },
    Finish { post: usize, called: u8 },
    Prune { kept: u8 },
    Reply { author: usize, post: usize, called: u8 },
    Edit { post: usize, called: u8 },
    Remove { post: usize },
    Answer { agent: usize, post: usize },
    Pass { agent: usize, post: usize },
    React { member: usize, post: usize },
    Unreact { member: usize, post: usize },
    Read { member: usize, post: usize },
    AddMember { agent: usize },
    RemoveMember { agent: usize },
    SetVisibility { is_private: bool },
    Ask { author: usize, is_private: bool, called: u8 },
    Settle { post: usize, how: u8 },
    Report { agent: usize, post: usize, how: u8 },
    Start { agent: usize },
    Pause { run: usize, post: usize },
    Resume { run: usize, member: usize },
    End { run: usize, how: u8 },
    Import { author: u8 },
    Subscribe { agent: usize },
    Unsubscribe { agent: usize },
    OpenDm { agent: usize, person: usize },
    CreateTask { agent: usize },
    MoveTask { task: usize, status: u8 },
    Upload { is_private: bool },
    Rename { person: usize, name: u8 },
    Refuse { member: usize },
}

pub(crate) fn steps() -> impl Strategy<Value = Vec<RandomWrite>> {
    let (member, post) = (0..AGENTS + PEOPLE, 0..64usize);
    let step = prop_oneof![
        4 => (member.clone(), any::<bool>(), any::<u8>(), any::<u8>())
            .prop_map(|(author, is_private, called, recipients)| {
                RandomWrite::Post { author, is_private, called, recipients }
            }),
        2 => (member.clone(), post.clone(), any::<u8>())
            .prop_map(|(author, post, called)| RandomWrite::Reply { author, post, called }),
        2 => (member.clone(), any::<bool>())
            .prop_map(|(author, is_private)| RandomWrite::Stream { author, is_private }),
        2 => post.clone().prop_map(|post| RandomWrite::Save { post }),
        2 => (post.clone(), any::<u8>()).prop_map(|(post, called)| RandomWrite::Finish { post, called }),
        1 => any::<u8>().prop_map(|kept| RandomWrite::Prune { kept: kept % 32 }),
        2 => (post.clone(), any::<u8>()).prop_map(|(post, called)| RandomWrite::Edit { post, called }),
        1 => post.clone().prop_map(|post| RandomWrite::Remove { post }),
        3 => (0..AGENTS, post.clone()).prop_map(|(agent, post)| RandomWrite::Answer { agent, post }),
        2 => (0..AGENTS, post.clone()).prop_map(|(agent, post)| RandomWrite::Pass { agent, post }),
        2 => (member.clone(), post.clone()).prop_map(|(member, post)| RandomWrite::React { member, post }),
        1 => (member.clone(), post.clone()).prop_map(|(member, post)| RandomWrite::Unreact { member, post }),
        3 => (member, post).prop_map(|(member, post)| RandomWrite::Read { member, post }),
        1 => (0..AGENTS).prop_map(|agent| RandomWrite::AddMember { agent }),
        1 => (0..AGENTS).prop_map(|agent| RandomWrite::RemoveMember { agent }),
        1 => any::<bool>().prop_map(|is_private| RandomWrite::SetVisibility { is_private }),
        3 => (0..AGENTS + PEOPLE, any::<bool>(), any::<u8>())
            .prop_map(|(author, is_private, called)| RandomWrite::Ask { author, is_private, called }),
        2 => (0..64usize, any::<u8>()).prop_map(|(post, how)| RandomWrite::Settle { post, how }),
        3 => (0..AGENTS, 0..64usize, any::<u8>())
            .prop_map(|(agent, post, how)| RandomWrite::Report { agent, post, how }),
        2 => (0..AGENTS).prop_map(|agent| RandomWrite::Start { agent }),
        3 => (0..8usize, 0..64usize).prop_map(|(run, post)| RandomWrite::Pause { run, post }),
        2 => (0..8usize, 0..AGENTS + PEOPLE).prop_map(|(run, member)| RandomWrite::Resume { run, member }),
        1 => (0..8usize, any::<u8>()).prop_map(|(run, how)| RandomWrite::End { run, how }),
        1 => any::<u8>().prop_map(|author| RandomWrite::Import { author: author % 3 }),
        1 => (0..AGENTS).prop_map(|agent| RandomWrite::Subscribe { agent }),
        1 => (0..AGENTS).prop_map(|agent| RandomWrite::Unsubscribe { agent }),
        1 => (0..AGENTS, 0..PEOPLE).prop_map(|(agent, person)| RandomWrite::OpenDm { agent, person }),
        1 => (0..AGENTS).prop_map(|agent| RandomWrite::CreateTask { agent }),
        1 => (0..4usize, any::<u8>()).prop_map(|(task, status)| RandomWrite::MoveTask { task, status }),
        1 => any::<bool>().prop_map(|is_private| RandomWrite::Upload { is_private }),
        1 => (0..PEOPLE, 0..3u8).prop_map(|(person, name)| RandomWrite::Rename { person, name }),
        1 => (0..AGENTS + PEOPLE).prop_map(|member| RandomWrite::Refuse { member }),
    ];
    proptest::collection::vec(step, 1..40)
}

/// A project with several members and a channel that changes its visibility, and the created posts, runs and tasks.
pub(crate) struct RandomWrites {
    pub(crate) fixture: SqliteFixture,
    people: Vec<Person>,
    agents: Vec<Agent>,
    secret: Channel,
    posts: Vec<Message>,
    runs: Vec<Run>,
    tasks: Vec<Task>,
}

impl RandomWrites {
    pub(crate) async fn new() -> Self {
        let fixture = SqliteFixture::with(SqliteOptions { readers: 1, ..SqliteOptions::default() }).await;
        let mut people = vec![fixture.mara.clone()];
        for index in 1..PEOPLE {
            people.push(fixture.test_store.member(&format!("Person {index}"), &fixture.tour).await);
        }
        let mut agents = Vec::new();
        for index in 0..AGENTS {
            agents.push(fixture.test_store.agent(&format!("Agent {index}"), &fixture.tour).await);
        }
        let secret = fixture.test_store.private_channel("secret", &fixture.tour, &[&fixture.mara, &agents[0]]).await;
        Self { fixture, people, agents, secret, posts: Vec::new(), runs: Vec::new(), tasks: Vec::new() }
    }

    fn member(&self, index: usize) -> &dyn TestMember {
        match index.checked_sub(AGENTS) {
            None => &self.agents[index],
            Some(index) => &self.people[index],
        }
    }

    /// The members whose bit is set.
    fn called(&self, mask: u8) -> impl Iterator<Item = &dyn TestMember> {
        (0..AGENTS + PEOPLE).filter(move |index| mask >> index & 1 == 1).map(|index| self.member(index))
    }

    fn picked(&self, post: usize) -> Option<&Message> {
        self.posts.get(post % self.posts.len().max(1))
    }

    pub(crate) async fn apply(&mut self, step: RandomWrite) {
        match step {
            RandomWrite::Post { author, is_private, called, recipients } => {
                self.post(author, is_private, called, recipients).await
            }
            RandomWrite::Reply { author, post, called } => self.reply(author, post, called).await,
            RandomWrite::Stream { author, is_private } => self.stream(author, is_private).await,
            RandomWrite::Save { post } => self.save(post).await,
            RandomWrite::Finish { post, called } => {
                let calls = Calls { called: self.calls(called), held: Vec::new() };
                let ending = StreamEnding { text: self.text(called), calls, ..self.fixture.test_store.ending("") };
                self.about(post, |message| Write::FinishMessage(message.id.clone(), ending)).await;
            }
            RandomWrite::Prune { kept } => self.prune(kept).await,
            RandomWrite::Edit { post, called } => {
                let text = self.text(called);
                self.about(post, |message| Write::EditMessage(message.id.clone(), text)).await;
            }
            RandomWrite::SetVisibility { is_private } => self.set_visibility(is_private).await,
            RandomWrite::Ask { author, is_private, called } => self.ask(author, is_private, called).await,
            RandomWrite::Settle { post, how } => self.settle(post, how).await,
            RandomWrite::Report { agent, post, how } => self.report(agent, post, how).await,
            RandomWrite::Start { agent } => {
                self.runs.push(self.fixture.test_store.start(&self.agents[agent], None).await)
            }
            RandomWrite::Pause { run, post } => self.pause(run, post).await,
            RandomWrite::Resume { run, member } => self.resume(run, member).await,
            RandomWrite::End { run, how } => self.end(run, how).await,
            RandomWrite::Remove { post } => self.about(post, |message| Write::RemoveMessage(message.id.clone())).await,
            RandomWrite::Answer { agent, post } => self.answer(agent, post).await,
            RandomWrite::Pass { agent, post } => {
                let agent = &self.agents[agent];
                self.about(post, |message| self.fixture.test_store.passing(agent, message)).await;
            }
            RandomWrite::React { member, post } => {
                let member = self.member(member).member();
                self.about(post, |message| Write::React(message.id.clone(), "👍".into(), member)).await;
            }
            RandomWrite::Unreact { member, post } => {
                let member = self.member(member).member();
                self.about(post, |message| Write::Unreact(message.id.clone(), "👍".into(), member)).await;
            }
            RandomWrite::Read { member, post } => {
                let member = self.member(member).member();
                self.about(post, |message| Write::MarkRead(message.id.clone(), member)).await;
            }
            RandomWrite::Import { author } => self.import(author).await,
            RandomWrite::Subscribe { agent } => self.write(Write::Subscribe(self.subscription(agent))).await,
            RandomWrite::Unsubscribe { agent } => self.write(Write::Unsubscribe(self.subscription(agent))).await,
            RandomWrite::OpenDm { agent, person } => {
                let members: [&dyn TestMember; 2] = [&self.agents[agent], &self.people[person]];
                self.write(Write::CreateDm(self.fixture.test_store.new_dm(&self.fixture.tour, &members))).await;
            }
            RandomWrite::CreateTask { agent } => self.create_task(agent).await,
            RandomWrite::MoveTask { task, status } => self.move_task(task, status).await,
            RandomWrite::Upload { is_private } => {
                let channel = if is_private { &self.secret } else { &self.fixture.general };
                self.fixture.test_store.artifact("notes.txt", &self.fixture.tour, Some(channel)).await;
            }
            RandomWrite::Rename { person, name } => self.rename(person, name).await,
            RandomWrite::Refuse { member } => self.refuse(member).await,
            RandomWrite::AddMember { agent } => self.write(Write::AddChannelMember(self.channel_member(agent))).await,
            RandomWrite::RemoveMember { agent } => {
                self.write(Write::RemoveChannelMember(self.channel_member(agent))).await
            }
        }
    }

    async fn create_task(&mut self, agent: usize) {
        let mut task = self.fixture.test_store.new_task("Ship it", &self.fixture.tour);
        task.assignee = Some(self.agents[agent].member());
        self.write(Write::CreateTask(task.clone())).await;
        self.tasks.push(task);
    }

    async fn post(&mut self, author: usize, is_private: bool, called: u8, recipients: u8) {
        let channel = if is_private { &self.secret } else { &self.fixture.general };
        let mut draft = self.fixture.test_store.draft(self.member(author), channel, "some words");
        for member in self.called(called) {
            draft = draft.mentioning(member);
        }
        draft.calls = self.calls(called);
        for agent in
            self.agents.iter().enumerate().filter(|(index, _)| recipients >> index & 1 == 1).map(|(_, agent)| agent)
        {
            if draft.deliveries.iter().all(|delivery| delivery.agent_id != agent.id) {
                draft = draft.delivered_to(agent, DeliveryReason::Subscription);
            }
        }
        let posted = self.fixture.test_store.send(self.member(author), &draft).await;
        self.posts.push(posted);
    }

    /// Asks the members whose bit is set. A question above the limit is refused.
    async fn ask(&mut self, author: usize, is_private: bool, called: u8) {
        let channel = if is_private { &self.secret } else { &self.fixture.general };
        let asked: Vec<&dyn TestMember> = self.called(called).collect();
        let mut draft = self.fixture.test_store.asking(self.member(author), channel, &asked);
        draft.message.importance =
            [Importance::Normal, Importance::High, Importance::Critical][usize::from(called % 3)];
        let appended = self.fixture.test_store.append(&self.fixture.tour.id, self.member(author), draft.write()).await;
        if let Ok(Change::MessagePosted(posted)) = appended.map(|appended| appended.change) {
            self.posts.push(*posted);
        }
    }

    async fn settle(&self, post: usize, how: u8) {
        let Some(question) = self.picked(post).and_then(|message| message.question.clone()) else { return };
        let ignoring = question.addressees.get(usize::from(how) % question.addressees.len().max(1));
        let settlement = match (how % 3, ignoring) {
            (0, _) => Settlement::Expired,
            (1, _) | (_, None) => Settlement::Withdrawn,
            (_, Some(member)) => Settlement::Ignored(member.clone()),
        };
        self.about(post, |message| Write::SettleQuestion(message.id.clone(), settlement)).await;
    }

    async fn report(&self, agent: usize, post: usize, how: u8) {
        use DeliveryState::{Expired, Failed, Injected, Queued, Seen};
        let run_id = self.runs.get(usize::from(how) % 8).map(|run| run.id.clone());
        let state = [Queued, Injected, Seen, Failed, Expired][usize::from(how) % 5];
        let step = DeliveryStep { run_id: run_id.filter(|_| state == Injected), ..DeliveryStep::to(state) };
        if let Some(message) = self.picked(post) {
            let _ = self.fixture.test_store.report(&self.agents[agent], message, step).await;
        }
    }

    async fn pause(&self, run: usize, post: usize) {
        let (Some(run), Some(message)) = (self.runs.get(run), self.picked(post)) else { return };
        let is_own = message.from.member_id() == Some(run.agent_id.clone().into());
        let reason = if is_own { PauseReason::Asked } else { PauseReason::Message };
        self.write(Write::PauseRun(run.id.clone(), vec![self.fixture.test_store.pause(reason, message)])).await;
    }

    async fn resume(&self, run: usize, member: usize) {
        let Some(run) = self.runs.get(run) else { return };
        let write = Write::ResumeRun(run.id.clone(), None, "by hand".into());
        let _ = self.fixture.test_store.append(&self.fixture.tour.id, self.member(member), write).await;
    }

    async fn end(&self, run: usize, how: u8) {
        let state = [RunState::Done, RunState::Failed, RunState::Cancelled][usize::from(how) % 3];
        if let Some(run) = self.runs.get(run) {
            self.write(Write::EndRun(run.id.clone(), RunEnd { state, reason: None, usage: None })).await;
        }
    }

    /// Answers a message, whether or not it called the agent.
    async fn answer(&mut self, agent: usize, post: usize) {
        let Some(message) = self.picked(post).cloned() else { return };
        let agent = &self.agents[agent];
        let draft = self.fixture.test_store.draft(agent, &self.fixture.general, "answer").taking(&message);
        let draft = if message.blocking { draft.saying_yes_to(&message) } else { draft };
        let posted = self.fixture.test_store.send(agent, &draft).await;
        self.posts.push(posted);
    }

    async fn reply(&mut self, author: usize, post: usize, called: u8) {
        let Some(root) = self.picked(post).cloned() else { return };
        let channel = if root.to == self.secret.id.clone().into() { &self.secret } else { &self.fixture.general };
        if root.to != channel.id.clone().into() {
            return; // A thread has no threads.
        }
        let thread = Write::CreateThread(self.fixture.test_store.new_thread(channel, &root));
        let Ok(appended) = self.fixture.test_store.append(&self.fixture.tour.id, &self.fixture.mara, thread).await
        else {
            return;
        };
        let Change::ThreadCreated(thread) = appended.change else { unreachable!("a thread") };
        let mut draft = self.fixture.test_store.draft(self.member(author), &*thread, "an answer");
        for member in self.called(called) {
            draft = draft.mentioning(member);
        }
        let posted = self.fixture.test_store.send(self.member(author), &draft).await;
        self.posts.push(posted);
    }

    async fn stream(&mut self, author: usize, is_private: bool) {
        let channel = if is_private { &self.secret } else { &self.fixture.general };
        let draft = self.fixture.test_store.draft(self.member(author), channel, "begun").streaming();
        let posted = self.fixture.test_store.send(self.member(author), &draft).await;
        self.posts.push(posted);
    }

    async fn save(&self, post: usize) {
        let Some(message) = self.picked(post) else { return };
        let stream = SavedStream { message_id: message.id.clone(), text: "so far".into(), steps: Vec::new() };
        self.fixture.test_store.apply(RecordedWrite::SaveStreams(vec![stream])).await.expect("saved");
    }

    /// Prunes the log to the newest events: each is one millisecond older than the next.
    async fn prune(&self, kept: u8) {
        let retention = Retention { event_days_max: Some(1), ..Retention::default() };
        let policy = Some(Policy { retention, ..Policy::default() });
        self.write(Write::UpdateProject(ProjectPatch { policy, ..ProjectPatch::default() })).await;
        let tomorrow = self.fixture.test_store.now().plus_millis(24 * 60 * 60 * 1_000 - u64::from(kept));
        self.fixture.test_store.apply(RecordedWrite::PruneLogs(tomorrow)).await.expect("pruned");
    }

    /// Calls of the agents whose bit is set, including agents that may not read the message.
    fn calls(&self, called: u8) -> Vec<NewCall> {
        let called = self.called(called).filter_map(|member| member.member().agent().cloned());
        called.map(|agent_id| NewCall { agent_id, reason: CallReason::Mention }).collect()
    }

    /// A text that mentions the members whose bit is set.
    fn text(&self, called: u8) -> NewText {
        let deliver = |agent: &Agent| Recipient { agent_id: agent.id.clone(), reason: DeliveryReason::Mention };
        let mentions = self.called(called).map(|member| member.member()).collect();
        let recipients = self.agents.iter().enumerate().filter(|(index, _)| called >> index & 1 == 1);
        NewText {
            body: format!("other words {called}"),
            mentions,
            deliveries: recipients.map(|(_, agent)| deliver(agent)).collect(),
        }
    }

    async fn set_visibility(&self, is_private: bool) {
        let visibility = Some(if is_private { Visibility::Private } else { Visibility::Project });
        let patch = ChannelPatch { visibility, ..ChannelPatch::default() };
        let members = vec![self.fixture.mara.member(), self.agents[1].member()];
        self.write(Write::UpdateChannel(self.secret.id.clone(), patch, members)).await;
    }

    fn channel_member(&self, agent: usize) -> ChannelMember {
        ChannelMember { channel_id: self.secret.id.clone(), member_id: self.agents[agent].member() }
    }

    fn subscription(&self, agent: usize) -> Subscription {
        Subscription { channel_id: self.fixture.general.id.clone(), agent_id: self.agents[agent].id.clone() }
    }

    /// Imports a message of a foreign author.
    async fn import(&mut self, author: u8) {
        let mut draft = self.fixture.test_store.draft(&self.fixture.mara, &self.fixture.general, "from elsewhere");
        draft.message.from = Author {
            author_type: AuthorType::Applet,
            id: Some(format!("old:{author}")),
            name: format!("Old {author}"),
        };
        let posted = self.fixture.test_store.send(&self.fixture.mara, &draft).await;
        self.posts.push(posted);
    }

    async fn move_task(&self, task: usize, status: u8) {
        let status = [TaskStatus::Working, TaskStatus::Done, TaskStatus::Open][usize::from(status) % 3];
        if let Some(task) = self.tasks.get(task) {
            let patch = TaskPatch { status: Some(status), ..TaskPatch::default() };
            self.write(Write::UpdateTask(task.id.clone(), patch)).await;
        }
    }

    async fn rename(&self, person: usize, name: u8) {
        let test_store = &self.fixture.test_store;
        let name = test_store.name(&format!("Renamed {name}"));
        let rename = RecordedWrite::RenamePerson(test_store.attribution(), self.people[person].id.clone(), name);
        let _ = test_store.apply(rename).await;
    }

    /// Records a refused request in the audit log. Its actor may have no other row.
    async fn refuse(&self, member: usize) {
        let test_store = &self.fixture.test_store;
        let mut attribution = test_store.attribution();
        attribution.actor = Author { name: format!("Stranger {member}"), ..self.member(member).author() };
        let (action, result) = ("messaging.posted".to_owned(), "PARLOUR-A01".to_owned());
        let note = AuditNote { attribution, action, project_id: None, subject: None, result };
        test_store.apply(RecordedWrite::AuditNote(note)).await.expect("noted");
    }

    /// Applies a write to a posted message, if there is one.
    async fn about(&self, post: usize, write: impl FnOnce(&Message) -> Write) {
        if let Some(message) = self.picked(post) {
            self.write(write(message)).await;
        }
    }

    /// Applies a write. The refusal of a write to a removed message is ignored.
    async fn write(&self, write: Write) {
        let _ = self.fixture.test_store.append(&self.fixture.tour.id, &self.fixture.mara, write).await;
    }
}
