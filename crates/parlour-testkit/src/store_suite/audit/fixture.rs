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
use crate::test_store::{MessageDraft, TestMember, TestStore, reporting};

/// A project in which every kind of change can be made.
pub(super) struct AuditFixture {
    pub(super) mara: Person,
    pub(super) zoe: Person,
    pub(super) tour: Project,
    coder: Agent,
    general: Channel,
    secret: Channel,
    message: Message,
    question: Message,
    stream: MessageDraft,
    task: Task,
}

impl AuditFixture {
    pub(super) async fn new(test_store: &TestStore) -> Self {
        let mara = test_store.person("Mara").await;
        let tour = test_store.project("Tour", &mara).await;
        let general = test_store.channel("general", &tour).await;
        let coder = test_store.agent("Coder", &tour).await;
        Self {
            zoe: test_store.person("Zoe").await,
            secret: test_store.private_channel("secret", &tour, &[&mara]).await,
            message: test_store.call(&mara, &general, &coder).await,
            question: test_store.ask(&coder, &general, &[&mara]).await,
            stream: test_store.draft(&mara, &general, MARK).streaming(),
            task: test_store.task("Ship it", &tour).await,
            coder,
            mara,
            tour,
            general,
        }
    }

    /// Writes that each change something, with every kind of change except the creation of a project. Every text field
    /// contains the mark.
    pub(super) fn writes(&self, test_store: &TestStore) -> Vec<Write> {
        [
            self.writes_to_members(test_store),
            self.writes_to_channels(test_store),
            self.writes_to_runs(test_store),
            self.writes_to_messages(test_store),
            self.work(test_store),
        ]
        .concat()
    }

    fn writes_to_members(&self, test_store: &TestStore) -> Vec<Write> {
        let project = ProjectPatch { description: Some(MARK.into()), ..ProjectPatch::default() };
        let agent = AgentPatch { instructions: Some(MARK.into()), ..AgentPatch::default() };
        let writer = Agent { instructions: Some(MARK.into()), ..test_store.new_agent("Writer", &self.tour) };
        vec![
            Write::UpdateProject(project),
            Write::AddPerson(self.zoe.id.clone()),
            Write::RemovePerson(self.zoe.id.clone()),
            test_store.adding_agent(writer),
            Write::UpdateAgent(self.coder.id.clone(), agent),
        ]
    }

    fn writes_to_channels(&self, test_store: &TestStore) -> Vec<Write> {
        let id = self.general.id.clone();
        let topic = ChannelPatch { topic: Some(MARK.into()), ..ChannelPatch::default() };
        let visibility = |visibility| ChannelPatch { visibility: Some(visibility), ..ChannelPatch::default() };
        let channel_id = self.secret.id.clone();
        let member = ChannelMember { channel_id: channel_id.clone(), member_id: self.coder.member() };
        let subscription = Subscription { channel_id, agent_id: self.coder.id.clone() };
        let lobby = Channel { topic: Some(MARK.into()), ..test_store.new_channel("lobby", &self.tour) };
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
            Write::CreateThread(test_store.new_thread(&self.general, &self.message)),
            Write::CreateDm(test_store.new_dm(&self.tour, &[&self.mara, &self.coder])),
        ]
    }

    fn writes_to_messages(&self, test_store: &TestStore) -> Vec<Write> {
        let (id, emoji, coder) = (self.message.id.clone(), "👍".to_owned(), self.coder.member());
        let passed = PassedCall {
            agent_id: self.coder.id.clone(),
            message_id: id.clone(),
            conversation_id: self.message.to.clone(),
            reason: Some(MARK.into()),
        };
        let text = NewText { body: MARK.into(), mentions: Vec::new(), deliveries: Vec::new() };
        vec![
            test_store.draft(&self.mara, &self.general, MARK).write(),
            self.stream.write(),
            Write::FinishMessage(self.stream.message.id.clone(), test_store.ending(MARK)),
            Write::PassCall(passed),
            Write::EditMessage(id.clone(), text),
            Write::React(id.clone(), emoji.clone(), coder.clone()),
            Write::Unreact(id.clone(), emoji, coder),
            Write::MarkRead(self.stream.message.id.clone(), self.zoe.member()),
            Write::RemoveMessage(id),
        ]
    }

    fn writes_to_runs(&self, test_store: &TestStore) -> Vec<Write> {
        let run = Run { label: Some(MARK.into()), ..test_store.new_run(&self.coder, Some(&self.general)) };
        let id = run.id.clone();
        let pauses = vec![test_store.pause(PauseReason::Asked, &self.question)];
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

    fn work(&self, test_store: &TestStore) -> Vec<Write> {
        let task = TaskPatch { description: Some(MARK.into()), ..TaskPatch::default() };
        let batch = Batch {
            id: BatchId::from_bits(test_store.bits()),
            project_id: self.tour.id.clone(),
            name: test_store.name("Night"),
            created_by: self.mara.member(),
            created_at: test_store.now(),
        };
        let artifact = Artifact {
            id: ArtifactId::from_bits(test_store.bits()),
            project_id: self.tour.id.clone(),
            filename: format!("{MARK}.txt"),
            media_type: "text/plain".to_owned(),
            size: 3,
            sha256: ContentHash::from_bytes(test_store.secret()),
            conversation_id: None,
            task_id: None,
            created_by: self.mara.member(),
            created_at: test_store.now(),
        };
        vec![
            Write::CreateTask(test_store.new_task(MARK, &self.tour)),
            Write::UpdateTask(self.task.id.clone(), task),
            Write::CreateBatch(batch),
            Write::CreateArtifact(artifact),
        ]
    }
}

/// An invite that is not stored yet.
pub(super) fn invite(test_store: &TestStore, project: &Project, maker: &Person) -> Invite {
    Invite {
        id: InviteId::from_bits(test_store.bits()),
        project_id: project.id.clone(),
        role: JoinRole::Full,
        label: MARK.to_owned(),
        uses_max: 1,
        uses: 0,
        created_by: maker.member(),
        created_at: test_store.now(),
        expires_at: test_store.now().plus_millis(1000),
    }
}

/// A patch that limits the retention of events to one day.
pub(super) fn one_day_retention() -> ProjectPatch {
    let retention = Retention { event_days_max: Some(1), ..Retention::default() };
    ProjectPatch { policy: Some(Policy { retention, ..Policy::default() }), ..ProjectPatch::default() }
}
