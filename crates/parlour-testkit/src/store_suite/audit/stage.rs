use parlour_core::{
    artifact::{Artifact, ContentHash},
    call::PassedCall,
    conversation::{Channel, ChannelPatch, Visibility},
    delivery::{DeliveryState, DeliveryStep},
    event::{ChannelMember, Subscription},
    id::{ArtifactId, BatchId, InviteId},
    invite::Invite,
    member::{Agent, AgentPatch, Person},
    message::Message,
    policy::{Policy, Retention},
    project::{Project, ProjectPatch},
    question::{Answer, Settlement},
    run::{PauseReason, Run, RunEnd, RunState},
    scope::JoinRole,
    task::{Batch, Task, TaskPatch},
    write::{Archival, NewText, Write},
};

use super::MARK;
use crate::world::{Caller, Draft, World, reporting};

/// A project in which every sort of change can be made.
pub(super) struct Stage {
    pub(super) mara: Person,
    pub(super) zoe: Person,
    pub(super) tour: Project,
    coder: Agent,
    general: Channel,
    secret: Channel,
    message: Message,
    question: Message,
    stream: Draft,
    task: Task,
}

impl Stage {
    pub(super) async fn new(world: &World) -> Self {
        let mara = world.person("Mara").await;
        let tour = world.project("Tour", &mara).await;
        let general = world.channel("general", &tour).await;
        let coder = world.agent("Coder", &tour).await;
        Self {
            zoe: world.person("Zoe").await,
            secret: world.private_channel("secret", &tour, &[&mara]).await,
            message: world.call(&mara, &general, &coder).await,
            question: world.ask(&coder, &general, &[&mara]).await,
            stream: world.draft(&mara, &general, MARK).streaming(),
            task: world.task("Ship it", &tour).await,
            coder,
            mara,
            tour,
            general,
        }
    }

    /// Writes that each change something, every sort of change among them except making a project. Wherever somebody
    /// can write a text, it holds the mark.
    pub(super) fn writes(&self, world: &World) -> Vec<Write> {
        [
            self.writes_to_members(world),
            self.writes_to_channels(world),
            self.writes_to_runs(world),
            self.writes_to_messages(world),
            self.work(world),
        ]
        .concat()
    }

    fn writes_to_members(&self, world: &World) -> Vec<Write> {
        let project = ProjectPatch { description: Some(MARK.into()), ..ProjectPatch::default() };
        let agent = AgentPatch { instructions: Some(MARK.into()), ..AgentPatch::default() };
        let writer = Agent { instructions: Some(MARK.into()), ..world.new_agent("Writer", &self.tour) };
        vec![
            Write::UpdateProject(project),
            Write::AddPerson(self.zoe.id.clone()),
            Write::RemovePerson(self.zoe.id.clone()),
            world.adding_agent(writer),
            Write::UpdateAgent(self.coder.id.clone(), agent),
        ]
    }

    fn writes_to_channels(&self, world: &World) -> Vec<Write> {
        let id = self.general.id.clone();
        let topic = ChannelPatch { topic: Some(MARK.into()), ..ChannelPatch::default() };
        let visibility = |visibility| ChannelPatch { visibility: Some(visibility), ..ChannelPatch::default() };
        let channel_id = self.secret.id.clone();
        let member = ChannelMember { channel_id: channel_id.clone(), member_id: self.coder.member() };
        let subscription = Subscription { channel_id, agent_id: self.coder.id.clone() };
        let lobby = Channel { topic: Some(MARK.into()), ..world.new_channel("lobby", &self.tour) };
        vec![
            Write::CreateChannel(lobby, Vec::new()),
            Write::UpdateChannel(id.clone(), topic, Vec::new()),
            Write::UpdateChannel(
                id.clone(),
                visibility(Visibility::Private),
                vec![self.mara.member(), self.coder.member()],
            ),
            Write::UpdateChannel(id.clone(), visibility(Visibility::Project), Vec::new()),
            Write::ArchiveChannel(id.clone(), Archival::Archived),
            Write::ArchiveChannel(id, Archival::Active),
            Write::AddChannelMember(member.clone()),
            Write::Subscribe(subscription.clone()),
            Write::Unsubscribe(subscription),
            Write::RemoveChannelMember(member),
            Write::CreateThread(world.new_thread(&self.general, &self.message)),
            Write::CreateDm(world.new_dm(&self.tour, &[&self.mara, &self.coder])),
        ]
    }

    fn writes_to_messages(&self, world: &World) -> Vec<Write> {
        let (id, emoji, coder) = (self.message.id.clone(), "👍".to_owned(), self.coder.member());
        let passed = PassedCall {
            agent_id: self.coder.id.clone(),
            message_id: id.clone(),
            conversation_id: self.message.to.clone(),
            reason: Some(MARK.into()),
        };
        let text = NewText { body: MARK.into(), mentions: Vec::new(), deliveries: Vec::new() };
        vec![
            world.draft(&self.mara, &self.general, MARK).write(),
            self.stream.write(),
            Write::FinishMessage(self.stream.message.id.clone(), world.ending(MARK)),
            Write::EditMessage(id.clone(), text),
            Write::React(id.clone(), emoji.clone(), coder.clone()),
            Write::Unreact(id.clone(), emoji, coder),
            Write::MarkRead(self.stream.message.id.clone(), self.zoe.member()),
            Write::PassCall(passed),
            Write::RemoveMessage(id),
        ]
    }

    fn writes_to_runs(&self, world: &World) -> Vec<Write> {
        let run = Run { label: Some(MARK.into()), ..world.new_run(&self.coder, Some(&self.general)) };
        let id = run.id.clone();
        let pauses = vec![world.pause(PauseReason::Asked, &self.question)];
        let end = RunEnd { state: RunState::Failed, reason: Some(MARK.into()), usage: None };
        let answer = Answer { option: None, value: None, text: Some(MARK.into()), message_id: None, is_default: false };
        let step = DeliveryStep { why: Some(MARK.into()), ..DeliveryStep::to(DeliveryState::Failed) };
        vec![
            Write::StartRun(run),
            Write::PauseRun(id.clone(), pauses),
            Write::ResumeRun(id.clone(), None, MARK.into()),
            Write::EndRun(id, end),
            Write::SettleQuestion(self.question.id.clone(), Settlement::Answered(answer)),
            reporting(&self.coder, &[&self.message], step),
        ]
    }

    fn work(&self, world: &World) -> Vec<Write> {
        let task = TaskPatch { description: Some(MARK.into()), ..TaskPatch::default() };
        let batch = Batch {
            id: BatchId::from_bits(world.bits()),
            project_id: self.tour.id.clone(),
            name: world.name("Night"),
            created_by: self.mara.member(),
            created_at: world.now(),
        };
        let artifact = Artifact {
            id: ArtifactId::from_bits(world.bits()),
            project_id: self.tour.id.clone(),
            filename: format!("{MARK}.txt"),
            media_type: "text/plain".to_owned(),
            size: 3,
            sha256: ContentHash::from_bytes(world.secret()),
            conversation_id: None,
            task_id: None,
            created_by: self.mara.member(),
            created_at: world.now(),
        };
        vec![
            Write::CreateTask(world.new_task(MARK, &self.tour)),
            Write::UpdateTask(self.task.id.clone(), task),
            Write::CreateBatch(batch),
            Write::CreateArtifact(artifact),
        ]
    }
}

/// An invite that is not stored yet.
pub(super) fn invite(world: &World, project: &Project, maker: &Person) -> Invite {
    Invite {
        id: InviteId::from_bits(world.bits()),
        project_id: project.id.clone(),
        role: JoinRole::Full,
        label: MARK.to_owned(),
        uses_max: 1,
        uses: 0,
        created_by: maker.member(),
        created_at: world.now(),
        expires_at: world.now().plus_millis(1000),
    }
}

/// A change by which a project forgets its events after a day.
pub(super) fn short_memory() -> ProjectPatch {
    let retention = Retention { event_days_max: Some(1), ..Retention::default() };
    ProjectPatch { policy: Some(Policy { retention, ..Policy::default() }), ..ProjectPatch::default() }
}
