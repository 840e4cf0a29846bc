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
use parlour_testkit::{Caller, World};

use crate::act::{Act, Step};

/// People of the hub: the first owns the project, the last is an administrator in it, and the last but one joins only
/// in a sequence.
const PEOPLE: usize = 5;

/// A project on which the steps are made, and what there is in it.
pub(crate) struct LawFixture {
    pub(crate) world: World,
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
    /// How many steps were made, for texts and names that differ.
    pub(crate) count: usize,
}

/// Picks one of a list by a number, modulo what there is.
pub(crate) fn pick<T>(list: &[T], number: u8) -> Option<&T> {
    list.get(usize::from(number).checked_rem(list.len())?)
}

impl LawFixture {
    pub(crate) async fn new(world: World) -> Self {
        let owner = world.person("Owner").await;
        let tour = world.project("Tour", &owner).await;
        let mut people = vec![owner];
        for number in 1..PEOPLE - 2 {
            people.push(world.member(&format!("Person {number}"), &tour).await);
        }
        people.push(world.person("Stranger").await);
        let admin = world.admin("Admin").await;
        world.join(&admin, &tour).await;
        people.push(admin);
        let agents = vec![world.agent("Coder", &tour).await, world.agent("Writer", &tour).await];
        let open = world.channel("open", &tour).await;
        let private = world.private_channel("private", &tour, &[&people[1], &people[PEOPLE - 1], &agents[0]]).await;
        let mut fixture = Self {
            world,
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
        fixture.furnish(&open).await;
        fixture.furnish(&private).await;
        fixture
    }

    /// Puts something of every sort into a channel, so that whoever loses it loses all of that.
    async fn furnish(&mut self, channel: &Channel) {
        let root = self.world.post(&self.people[0], channel, "root").await;
        let thread = self.world.thread(channel, &root).await;
        self.world.post(&self.people[0], &thread, "below").await;
        self.world.artifact("kept.txt", &self.tour, Some(channel)).await;
        self.world.artifact("kept.txt", &self.tour, Some(&thread)).await;
        self.world.subscribe(&self.agents[0], channel).await;
        let task = Task { thread_id: Some(thread.id.clone()), ..self.world.new_task("Kept", &self.tour) };
        self.world.change(&self.tour.id, &self.people[0], Write::CreateTask(task.clone())).await;
        let asked = self.world.ask(&self.people[0], channel, &[&self.agents[0]]).await;
        let run = self.world.start(&self.agents[0], Some(channel)).await;
        self.world.pause_run(&self.agents[0], &run, &asked).await;
        self.messages.extend([root, asked]);
        self.runs.push(run);
        self.threads.push(thread.id);
        self.tasks.push(task.id);
    }

    /// Everybody who may read something.
    pub(crate) fn callers(&self) -> Vec<&dyn Caller> {
        let people = self.people.iter().map(|person| person as &dyn Caller);
        people.chain(self.agents.iter().take(2).map(|agent| agent as &dyn Caller)).collect()
    }

    /// All conversations there are.
    pub(crate) fn conversations(&self) -> Vec<ConversationId> {
        let channels = self.channels.iter().cloned().map(ConversationId::from);
        channels.chain(self.threads.iter().cloned().map(ConversationId::from)).chain(self.dms.clone()).collect()
    }

    /// Asks the store for what a step does; answers what happened, if something did. Refusals are fine.
    pub(crate) async fn make(&mut self, step: &Step) -> Option<Act> {
        self.count += 1;
        if step.act == Act::RenamePerson {
            return self.rename(step).await;
        }
        let write = self.write(step)?;
        assert_eq!(Act::of(&write), step.act, "each act makes its own write");
        let project = match &write {
            Write::CreateProject(other) => other.id.clone(),
            _ => self.tour.id.clone(),
        };
        let author = self.author(step);
        let appended = self.world.append(&project, author, write).await;
        let appended = appended.inspect_err(|failure| assert!(failure.refusal().is_some(), "{failure:?}")).ok()?;
        (appended.novelty == Novelty::New).then_some(step.act)
    }

    /// Renames somebody who is in no other project, so that there is one event, or none for who is in no project.
    async fn rename(&self, step: &Step) -> Option<Act> {
        let person = pick(&self.people[1..], step.what).expect("there are people").member();
        let is_told = self.world.store().is_member(&self.tour.id, &person).await.expect("read");
        let id = person.person().expect("a person");
        let name = self.world.name(&format!("Renamed {}", self.count));
        let renamed = self.world.store().rename_person(self.world.attribution(), id, name).await;
        renamed.inspect_err(|failure| assert!(failure.refusal().is_some(), "{failure:?}")).ok()?;
        is_told.then_some(Act::RenamePerson)
    }

    /// Keeps what an event has made, so that later steps can work on it.
    pub(crate) fn note(&mut self, event: &Event) {
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

    /// Who makes a step.
    pub(crate) fn author(&self, step: &Step) -> &dyn Caller {
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
        let chosen = callers.into_iter().enumerate().filter(|(place, _)| bits >> place & 1 == 1);
        chosen.map(|(_, caller)| caller.member()).collect()
    }

    /// The write of a step; none when there is nothing yet to make it on.
    fn write(&self, step: &Step) -> Option<Write> {
        let channel = || pick(&self.channels, step.what).cloned();
        let seat = || Some(ChannelMember { channel_id: channel()?, member_id: self.member(step.bits) });
        let subscription = || Some(Subscription { channel_id: channel()?, agent_id: self.agent(step.bits) });
        let message = || pick(&self.messages, step.what).map(|message| message.id.clone());
        Some(match step.act {
            Act::CreateProject => Write::CreateProject(self.other_project()),
            Act::UpdateProject => Write::UpdateProject(self.project_patch(step)),
            Act::AddPerson => Write::AddPerson(self.person(step.what)),
            Act::RemovePerson => Write::RemovePerson(self.person(step.what)),
            Act::RenamePerson => return None,
            Act::CreateAgent => self.world.adding_agent(self.new_agent()),
            Act::UpdateAgent => Write::UpdateAgent(self.agent(step.what), self.agent_patch(step)),
            Act::CreateChannel => self.create_channel(step),
            Act::UpdateChannel => Write::UpdateChannel(channel()?, self.channel_patch(step), self.members(step.by)),
            Act::ArchiveChannel => Write::ArchiveChannel(channel()?, Archival::Archived),
            Act::UnarchiveChannel => Write::ArchiveChannel(pick(&self.archived, step.what)?.clone(), Archival::Active),
            Act::AddChannelMember => Write::AddChannelMember(seat()?),
            Act::RemoveChannelMember => Write::RemoveChannelMember(seat()?),
            Act::Subscribe => Write::Subscribe(subscription()?),
            Act::Unsubscribe => Write::Unsubscribe(subscription()?),
            Act::CreateThread => Write::CreateThread(self.new_thread(step)?),
            Act::CreateDm => Write::CreateDm(self.new_dm(step)),
            Act::PostMessage => self.post(step)?,
            Act::ImportMessage => self.import(step)?,
            Act::EditMessage => Write::EditMessage(message()?, self.text(step)),
            Act::FinishMessage => Write::FinishMessage(self.streaming(step)?, self.ending(step)),
            Act::PassCall => Write::PassCall(self.passed_call(step)?),
            Act::RemoveMessage => Write::RemoveMessage(message()?),
            Act::React => Write::React(message()?, emoji(step), self.member(step.by)),
            Act::Unreact => self.unreact(step)?,
            Act::MarkRead => Write::MarkRead(message()?, self.member(step.by)),
            Act::ReportDeliveries => Write::ReportDeliveries(self.report(step)?),
            Act::SettleQuestion => Write::SettleQuestion(self.question(step.what)?, self.settlement(step)?),
            Act::StartRun => Write::StartRun(self.new_run(step)),
            Act::PauseRun => Write::PauseRun(self.run(step.what)?, self.pauses(step)),
            Act::ResumeRun => Write::ResumeRun(self.run(step.what)?, self.resumed_by(step), "by hand".to_owned()),
            Act::EndRun => Write::EndRun(self.run(step.what)?, self.run_end(step)),
            Act::CreateTask => Write::CreateTask(self.new_task(step)),
            Act::UpdateTask => Write::UpdateTask(pick(&self.tasks, step.what)?.clone(), self.task_patch(step)),
            Act::CreateBatch => Write::CreateBatch(self.new_batch()),
            Act::CreateArtifact => Write::CreateArtifact(self.new_artifact(step)),
        })
    }

    /// Takes back a reaction that there was.
    fn unreact(&self, step: &Step) -> Option<Write> {
        let mark = pick(&self.reactions, step.what)?.clone();
        Some(Write::Unreact(mark.message_id, mark.emoji, mark.member_id))
    }
}

fn emoji(step: &Step) -> String {
    ["+1", "eyes"][usize::from(step.bits) % 2].to_owned()
}
