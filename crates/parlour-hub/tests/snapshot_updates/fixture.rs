use parlour_core::{
    conversation::Channel,
    event::{Change, ChannelMember, Event, ReactionMark, Subscription},
    id::{AgentId, ChannelId, ConversationId, MemberId, PersonId, TaskId, ThreadId},
    member::{Agent, Person},
    message::Message,
    project::Project,
    run::Run,
    task::Task,
    write::{Archival, Novelty, Write},
};
use parlour_testkit::{TestMember, TestStore};

use crate::write_step::{WriteAction, WriteStep};

/// People of the hub: the first owns the project, the last is an administrator in it, and the last but one is not a
/// member at the start.
const PEOPLE: usize = 5;

/// A project for random writes, with the objects in it that later steps can use.
pub(crate) struct SnapshotFixture {
    pub(crate) test_store: TestStore,
    pub(crate) tour: Project,
    pub(crate) people: Vec<Person>,
    agents: Vec<Agent>,
    pub(crate) channels: Vec<ChannelId>,
    archived: Vec<ChannelId>,
    pub(crate) threads: Vec<ThreadId>,
    dms: Vec<ConversationId>,
    pub(crate) messages: Vec<Message>,
    reactions: Vec<ReactionMark>,
    pub(crate) tasks: Vec<TaskId>,
    pub(crate) runs: Vec<Run>,
    /// The number of steps so far, for unique texts and names.
    pub(crate) count: usize,
}

/// The item at this number modulo the length of the list.
pub(crate) fn pick<T>(list: &[T], number: u8) -> Option<&T> {
    list.get(usize::from(number).checked_rem(list.len())?)
}

impl SnapshotFixture {
    pub(crate) async fn new(test_store: TestStore) -> Self {
        let owner = test_store.person("Owner").await;
        let tour = test_store.project("Tour", &owner).await;
        let mut people = vec![owner];
        for number in 1..PEOPLE - 2 {
            people.push(test_store.member(&format!("Person {number}"), &tour).await);
        }
        people.push(test_store.person("Stranger").await);
        let admin = test_store.admin("Admin").await;
        test_store.join(&admin, &tour).await;
        people.push(admin);
        let agents = vec![test_store.agent("Coder", &tour).await, test_store.agent("Writer", &tour).await];
        let open = test_store.channel("open", &tour).await;
        let private =
            test_store.private_channel("private", &tour, &[&people[1], &people[PEOPLE - 1], &agents[0]]).await;
        let mut fixture = Self {
            test_store,
            tour,
            people,
            agents,
            channels: vec![open.id.clone(), private.id.clone()],
            archived: Vec::new(),
            threads: Vec::new(),
            dms: Vec::new(),
            messages: Vec::new(),
            reactions: Vec::new(),
            tasks: Vec::new(),
            runs: Vec::new(),
            count: 0,
        };
        fixture.fill(&open).await;
        fixture.fill(&private).await;
        fixture
    }

    /// Puts every kind of object into a channel, so that a reader that loses the channel loses all of them.
    async fn fill(&mut self, channel: &Channel) {
        let root = self.test_store.post(&self.people[0], channel, "root").await;
        let thread = self.test_store.thread(channel, &root).await;
        self.test_store.post(&self.people[0], &thread, "below").await;
        self.test_store.artifact("kept.txt", &self.tour, Some(channel)).await;
        self.test_store.artifact("kept.txt", &self.tour, Some(&thread)).await;
        self.test_store.subscribe(&self.agents[0], channel).await;
        let task = Task { thread_id: Some(thread.id.clone()), ..self.test_store.new_task("Kept", &self.tour) };
        self.test_store.change(&self.tour.id, &self.people[0], Write::CreateTask(task.clone())).await;
        let asked = self.test_store.ask(&self.people[0], channel, &[&self.agents[0]]).await;
        let run = self.test_store.start(&self.agents[0], Some(channel)).await;
        self.test_store.pause_run(&self.agents[0], &run, &asked).await;
        self.messages.extend([root, asked]);
        self.runs.push(run);
        self.threads.push(thread.id);
        self.tasks.push(task.id);
    }

    /// All people and the first two agents.
    pub(crate) fn callers(&self) -> Vec<&dyn TestMember> {
        let people = self.people.iter().map(|person| person as &dyn TestMember);
        people.chain(self.agents.iter().take(2).map(|agent| agent as &dyn TestMember)).collect()
    }

    pub(crate) fn conversations(&self) -> Vec<ConversationId> {
        let channels = self.channels.iter().cloned().map(ConversationId::from);
        channels.chain(self.threads.iter().cloned().map(ConversationId::from)).chain(self.dms.clone()).collect()
    }

    /// Sends the write of a step to the store. Returns its action if it changed something; refusals are allowed.
    pub(crate) async fn apply(&mut self, step: &WriteStep) -> Option<WriteAction> {
        self.count += 1;
        if step.action == WriteAction::RenamePerson {
            return self.rename(step).await;
        }
        let write = self.write(step)?;
        assert_eq!(WriteAction::of(&write), step.action, "each action has its own write");
        let project = match &write {
            Write::CreateProject(other) => other.id.clone(),
            _ => self.tour.id.clone(),
        };
        let author = self.author(step);
        let appended = self.test_store.append(&project, author, write).await;
        let appended = appended.inspect_err(|failure| assert!(failure.refusal().is_some(), "{failure:?}")).ok()?;
        (appended.novelty == Novelty::New).then_some(step.action)
    }

    /// Renames a person that is in no other project: one event for a member of the project, none for others.
    async fn rename(&self, step: &WriteStep) -> Option<WriteAction> {
        let person = pick(&self.people[1..], step.what).expect("there are people").member();
        let has_event = self.test_store.store().is_member(&self.tour.id, &person).await.expect("read");
        let id = person.person().expect("a person");
        let name = self.test_store.name(&format!("Renamed {}", self.count));
        let renamed = self.test_store.store().rename_person(self.test_store.attribution(), id, name).await;
        renamed.inspect_err(|failure| assert!(failure.refusal().is_some(), "{failure:?}")).ok()?;
        has_event.then_some(WriteAction::RenamePerson)
    }

    /// Keeps the object that an event created, so that later steps can use it.
    pub(crate) fn remember_created(&mut self, event: &Event) {
        match &event.change {
            Change::AgentCreated(agent) => self.agents.push((**agent).clone()),
            Change::ChannelCreated(new) => self.channels.push(new.channel.id.clone()),
            Change::ChannelArchived(channel) => self.archived.push(channel.id.clone()),
            Change::ThreadCreated(thread) => self.threads.push(thread.id.clone()),
            Change::DmCreated(dm) => self.dms.push(dm.id.clone().into()),
            Change::MessagePosted(message) => self.messages.push((**message).clone()),
            Change::Reacted(mark) => self.reactions.push((**mark).clone()),
            Change::TaskCreated(task) => self.tasks.push(task.id.clone()),
            Change::RunStarted(run) => self.runs.push((**run).clone()),
            _ => {}
        }
    }

    /// The member that makes a step.
    pub(crate) fn author(&self, step: &WriteStep) -> &dyn TestMember {
        let callers = self.callers();
        callers[usize::from(step.by) % callers.len()]
    }

    fn person(&self, number: u8) -> PersonId {
        pick(&self.people, number).expect("there are people").id.clone()
    }

    pub(crate) fn agent(&self, number: u8) -> AgentId {
        pick(&self.agents, number).expect("there are agents").id.clone()
    }

    pub(crate) fn member(&self, number: u8) -> MemberId {
        pick(&self.callers(), number).expect("there are members").member()
    }

    /// The members with these bits.
    pub(crate) fn members(&self, bits: u8) -> Vec<MemberId> {
        let callers = self.callers();
        let chosen = callers.into_iter().enumerate().filter(|(index, _)| bits >> index & 1 == 1);
        chosen.map(|(_, caller)| caller.member()).collect()
    }

    /// The write of a step; `None` if it needs an object that does not exist yet.
    fn write(&self, step: &WriteStep) -> Option<Write> {
        let channel = || pick(&self.channels, step.what).cloned();
        let channel_member = || Some(ChannelMember { channel_id: channel()?, member_id: self.member(step.bits) });
        let subscription = || Some(Subscription { channel_id: channel()?, agent_id: self.agent(step.bits) });
        let message = || pick(&self.messages, step.what).map(|message| message.id.clone());
        Some(match step.action {
            WriteAction::CreateProject => Write::CreateProject(self.other_project()),
            WriteAction::UpdateProject => Write::UpdateProject(self.project_patch(step)),
            WriteAction::AddPerson => Write::AddPerson(self.person(step.what)),
            WriteAction::RemovePerson => Write::RemovePerson(self.person(step.what)),
            WriteAction::RenamePerson => return None,
            WriteAction::CreateAgent => self.test_store.adding_agent(self.new_agent()),
            WriteAction::UpdateAgent => Write::UpdateAgent(self.agent(step.what), self.agent_patch(step)),
            WriteAction::CreateChannel => self.create_channel(step),
            WriteAction::UpdateChannel => {
                Write::UpdateChannel(channel()?, self.channel_patch(step), self.members(step.by))
            }
            WriteAction::ArchiveChannel => Write::ArchiveChannel(channel()?, Archival::Archived),
            WriteAction::UnarchiveChannel => {
                Write::ArchiveChannel(pick(&self.archived, step.what)?.clone(), Archival::Active)
            }
            WriteAction::AddChannelMember => Write::AddChannelMember(channel_member()?),
            WriteAction::RemoveChannelMember => Write::RemoveChannelMember(channel_member()?),
            WriteAction::Subscribe => Write::Subscribe(subscription()?),
            WriteAction::Unsubscribe => Write::Unsubscribe(subscription()?),
            WriteAction::CreateThread => Write::CreateThread(self.new_thread(step)?),
            WriteAction::CreateDm => Write::CreateDm(self.new_dm(step)),
            WriteAction::PostMessage => self.post(step)?,
            WriteAction::ImportMessage => self.import(step)?,
            WriteAction::EditMessage => Write::EditMessage(message()?, self.text(step)),
            WriteAction::FinishMessage => Write::FinishMessage(self.streaming(step)?, self.ending(step)),
            WriteAction::PassCall => Write::PassCall(self.passed_call(step)?),
            WriteAction::RemoveMessage => Write::RemoveMessage(message()?),
            WriteAction::React => Write::React(message()?, emoji(step), self.member(step.by)),
            WriteAction::Unreact => self.unreact(step)?,
            WriteAction::MarkRead => Write::MarkRead(message()?, self.member(step.by)),
            WriteAction::ReportDeliveries => Write::ReportDeliveries(self.report(step)?),
            WriteAction::SettleQuestion => Write::SettleQuestion(self.question(step.what)?, self.settlement(step)?),
            WriteAction::StartRun => Write::StartRun(self.new_run(step)),
            WriteAction::PauseRun => Write::PauseRun(self.run(step.what)?, self.pauses(step)),
            WriteAction::ResumeRun => {
                Write::ResumeRun(self.run(step.what)?, self.resumed_by(step), "by hand".to_owned())
            }
            WriteAction::EndRun => Write::EndRun(self.run(step.what)?, self.run_end(step)),
            WriteAction::CreateTask => Write::CreateTask(self.new_task(step)),
            WriteAction::UpdateTask => Write::UpdateTask(pick(&self.tasks, step.what)?.clone(), self.task_patch(step)),
            WriteAction::CreateBatch => Write::CreateBatch(self.new_batch()),
            WriteAction::CreateArtifact => Write::CreateArtifact(self.new_artifact(step)),
        })
    }

    /// Removes an earlier reaction.
    fn unreact(&self, step: &WriteStep) -> Option<Write> {
        let mark = pick(&self.reactions, step.what)?.clone();
        Some(Write::Unreact(mark.message_id, mark.emoji, mark.member_id))
    }
}

fn emoji(step: &WriteStep) -> String {
    ["+1", "eyes"][usize::from(step.bits) % 2].to_owned()
}
