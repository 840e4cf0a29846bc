//! People, projects, conversations, messages and tasks: each method creates one and returns it as the store has it.

use parlour_core::{
    artifact::{Artifact, ContentHash},
    author::Author,
    call::{CallReason, Calls, PassedCall},
    conversation::{Channel, Dm, Thread, Visibility, dm_participants},
    event::{Change, ChannelMember, Subscription},
    id::{AgentId, ArtifactId, BatchId, ChannelId, DmId, MemberId, PersonId, ProjectId, TaskId, ThreadId},
    member::{Agent, Person},
    message::{Message, State},
    name::Name,
    policy::Policy,
    project::Project,
    task::{Batch, Task, TaskStatus},
    write::{NewText, StreamEnding, Write},
};

use super::{MessageDraft, PostTarget, RecordedWrite, TestMember, TestStore};

/// Unwraps the variant of `Change` that a write returns.
macro_rules! expect_change {
    ($change:expr, $variant:ident) => {{
        let change = $change;
        let Change::$variant(made) = change else { unreachable!("{} is no {}", change.name(), stringify!($variant)) };
        *made
    }};
}

impl TestStore {
    /// A name, with the number of the case if there is one.
    pub fn name(&self, text: &str) -> Name {
        let text = if self.number == 0 { text.to_owned() } else { format!("{text} {}", self.number) };
        Name::parse(&text).expect("tests use good names")
    }

    /// Stores a person with a token.
    async fn add_person(&self, person: Person) -> Person {
        let token = self.token(&person.id.clone().into());
        let write = RecordedWrite::CreatePerson(self.attribution(), person.clone(), token);
        self.apply(write).await.expect("a person whose name is free");
        person
    }

    /// A person who is not stored yet.
    pub fn new_person(&self, name: &str) -> Person {
        let id = PersonId::from_bits(self.bits());
        Person { id, name: self.name(name), is_admin: false, created_at: self.now() }
    }

    /// Adds a person to the hub.
    pub async fn person(&self, name: &str) -> Person {
        self.add_person(self.new_person(name)).await
    }

    /// Adds an administrator to the hub.
    pub async fn admin(&self, name: &str) -> Person {
        let person = Person { is_admin: true, ..self.new_person(name) };
        self.add_person(person).await
    }

    /// A project that is not stored yet.
    pub fn new_project(&self, name: &str, owner: &Person) -> Project {
        Project {
            id: ProjectId::from_bits(self.bits()),
            name: self.name(name),
            description: None,
            owner: owner.id.clone(),
            policy: Policy::default(),
            created_at: self.now(),
        }
    }

    /// Creates a project.
    pub async fn project(&self, name: &str, owner: &Person) -> Project {
        let project = self.new_project(name, owner);
        let id = project.id.clone();
        expect_change!(self.change(&id, owner, Write::CreateProject(project)).await, ProjectCreated)
    }

    /// Adds a person to the hub and to the project.
    pub async fn member(&self, name: &str, project: &Project) -> Person {
        let person = self.person(name).await;
        self.join(&person, project).await;
        person
    }

    /// Adds a person to a project.
    pub async fn join(&self, person: &Person, project: &Project) {
        self.change(&project.id, person, Write::AddPerson(person.id.clone())).await;
    }

    /// An agent that is not stored yet.
    pub fn new_agent(&self, name: &str, project: &Project) -> Agent {
        Agent {
            id: AgentId::from_bits(self.bits()),
            project_id: project.id.clone(),
            name: self.name(name),
            capabilities: Vec::new(),
            endpoint_url: None,
            instructions: None,
            engine: None,
            context: None,
            owner: project.owner.clone(),
            created_at: self.now(),
        }
    }

    /// Adds an agent; the actor is the agent itself.
    pub async fn agent(&self, name: &str, project: &Project) -> Agent {
        let agent = self.new_agent(name, project);
        let write = self.adding_agent(agent.clone());
        expect_change!(self.change(&project.id, &agent, write).await, AgentCreated)
    }

    /// A channel that is not stored yet and open to the project.
    pub fn new_channel(&self, name: &str, project: &Project) -> Channel {
        Channel {
            id: ChannelId::from_bits(self.bits()),
            project_id: project.id.clone(),
            name: self.name(name),
            topic: None,
            visibility: Visibility::Project,
            created_by: Some(project.owner.clone().into()),
            created_at: self.now(),
            archived_at: None,
        }
    }

    /// Creates a channel that is open to the project.
    pub async fn channel(&self, name: &str, project: &Project) -> Channel {
        self.make_channel(self.new_channel(name, project), Vec::new()).await
    }

    /// Creates a private channel with these members.
    pub async fn private_channel(&self, name: &str, project: &Project, members: &[&dyn TestMember]) -> Channel {
        let channel = Channel { visibility: Visibility::Private, ..self.new_channel(name, project) };
        self.make_channel(channel, members.iter().map(|one| one.member()).collect()).await
    }

    async fn make_channel(&self, channel: Channel, members: Vec<MemberId>) -> Channel {
        let project_id = channel.project_id.clone();
        let write = Write::CreateChannel(channel, members);
        expect_change!(self.change_by(&project_id, Author::host(), write).await, ChannelCreated).channel
    }

    /// Adds a member to a private channel.
    pub async fn admit(&self, member: &dyn TestMember, channel: &Channel) {
        let one = ChannelMember { channel_id: channel.id.clone(), member_id: member.member() };
        self.change(&channel.project_id, member, Write::AddChannelMember(one)).await;
    }

    /// Subscribes an agent to a channel.
    pub async fn subscribe(&self, agent: &Agent, channel: &Channel) {
        let one = Subscription { channel_id: channel.id.clone(), agent_id: agent.id.clone() };
        self.change(&channel.project_id, agent, Write::Subscribe(one)).await;
    }

    /// A thread below this message that is not stored yet.
    pub fn new_thread(&self, channel: &Channel, root: &Message) -> Thread {
        Thread {
            id: ThreadId::from_bits(self.bits()),
            project_id: channel.project_id.clone(),
            channel_id: channel.id.clone(),
            root_message_id: root.id.clone(),
            created_by: None,
            created_at: self.now(),
        }
    }

    /// Creates a thread below this message.
    pub async fn thread(&self, channel: &Channel, root: &Message) -> Thread {
        let write = Write::CreateThread(self.new_thread(channel, root));
        expect_change!(self.change_by(&channel.project_id, Author::host(), write).await, ThreadCreated)
    }

    /// A DM of these members that is not stored yet.
    pub fn new_dm(&self, project: &Project, members: &[&dyn TestMember]) -> Dm {
        let members = members.iter().map(|one| one.member()).collect();
        Dm {
            id: DmId::from_bits(self.bits()),
            project_id: project.id.clone(),
            participants: dm_participants(members).expect("tests use good participants"),
            created_at: self.now(),
        }
    }

    /// Creates a DM of these members.
    pub async fn dm(&self, project: &Project, members: &[&dyn TestMember]) -> Dm {
        let write = Write::CreateDm(self.new_dm(project, members));
        expect_change!(self.change(&project.id, members[0], write).await, DmCreated)
    }

    /// Posts a plain message.
    pub async fn post(&self, author: &dyn TestMember, target: &dyn PostTarget, body: &str) -> Message {
        self.send(author, &self.draft(author, target, body)).await
    }

    /// Posts a draft.
    pub async fn send(&self, author: &dyn TestMember, draft: &MessageDraft) -> Message {
        expect_change!(self.change(&draft.message.project_id, author, draft.write()).await, MessagePosted)
    }

    /// Posts a message that calls this agent by a mention.
    pub async fn call(&self, author: &dyn TestMember, target: &dyn PostTarget, agent: &Agent) -> Message {
        let draft = self.draft(author, target, "please").mentioning(agent).calling(agent, CallReason::Mention);
        self.send(author, &draft).await
    }

    /// Posts an agent's answer that takes the call of that message.
    pub async fn answer(&self, agent: &Agent, target: &dyn PostTarget, message: &Message) -> Message {
        self.send(agent, &self.draft(agent, target, "answer").taking(message)).await
    }

    /// The write that passes a call.
    pub fn passing(&self, agent: &Agent, message: &Message) -> Write {
        Write::PassCall(PassedCall {
            agent_id: agent.id.clone(),
            message_id: message.id.clone(),
            conversation_id: message.to.clone(),
            reason: None,
        })
    }

    /// Edits a message; the new text mentions nobody.
    pub async fn edit(&self, author: &dyn TestMember, message: &Message, body: &str) -> Message {
        let text = NewText { body: body.to_owned(), mentions: Vec::new(), deliveries: Vec::new() };
        let write = Write::EditMessage(message.id.clone(), text);
        expect_change!(self.change(&message.project_id, author, write).await, MessageEdited)
    }

    /// Posts a streaming message that starts with this text.
    pub async fn stream(&self, author: &dyn TestMember, target: &dyn PostTarget, body: &str) -> Message {
        self.send(author, &self.draft(author, target, body).streaming()).await
    }

    /// A complete ending with this text, without calls.
    pub fn ending(&self, body: &str) -> StreamEnding {
        let text = NewText { body: body.to_owned(), mentions: Vec::new(), deliveries: Vec::new() };
        StreamEnding {
            state: State::Complete,
            reason: None,
            text,
            content: None,
            steps: Vec::new(),
            calls: Calls::default(),
            usage: None,
            answer_to: None,
        }
    }

    /// Ends a stream.
    pub async fn finish(&self, author: &dyn TestMember, message: &Message, ending: StreamEnding) -> Message {
        let write = Write::FinishMessage(message.id.clone(), ending);
        expect_change!(self.change(&message.project_id, author, write).await, MessageFinished)
    }

    /// Removes a message.
    pub async fn remove(&self, author: &dyn TestMember, message: &Message) -> Message {
        let write = Write::RemoveMessage(message.id.clone());
        expect_change!(self.change(&message.project_id, author, write).await, MessageRemoved)
    }

    /// Marks a message as read, or leaves it so.
    pub async fn read(&self, reader: &dyn TestMember, message: &Message) {
        let write = Write::MarkRead(message.id.clone(), reader.member());
        self.append(&message.project_id, reader, write).await.expect("read");
    }

    /// A task that is not stored yet.
    pub fn new_task(&self, title: &str, project: &Project) -> Task {
        Task {
            id: TaskId::from_bits(self.bits()),
            project_id: project.id.clone(),
            title: title.to_owned(),
            description: None,
            status: TaskStatus::Open,
            assignee: None,
            parent_id: None,
            batch_id: None,
            thread_id: None,
            created_by: project.owner.clone().into(),
            created_at: self.now(),
            updated_at: self.now(),
        }
    }

    /// Creates a task.
    pub async fn task(&self, title: &str, project: &Project) -> Task {
        let write = Write::CreateTask(self.new_task(title, project));
        expect_change!(self.change_by(&project.id, Author::host(), write).await, TaskCreated)
    }

    /// Creates a batch.
    pub async fn batch(&self, name: &str, project: &Project) -> Batch {
        let batch = Batch {
            id: BatchId::from_bits(self.bits()),
            project_id: project.id.clone(),
            name: self.name(name),
            created_by: project.owner.clone().into(),
            created_at: self.now(),
        };
        expect_change!(self.change_by(&project.id, Author::host(), Write::CreateBatch(batch)).await, BatchCreated)
    }

    /// Records a file that the readers of this conversation see; without a conversation, every member of the project.
    pub async fn artifact(&self, filename: &str, project: &Project, target: Option<&dyn PostTarget>) -> Artifact {
        let artifact = Artifact {
            id: ArtifactId::from_bits(self.bits()),
            project_id: project.id.clone(),
            filename: filename.to_owned(),
            media_type: "text/plain".to_owned(),
            size: 3,
            sha256: ContentHash::from_bytes(self.secret()),
            conversation_id: target.map(PostTarget::conversation_id),
            task_id: None,
            created_by: project.owner.clone().into(),
            created_at: self.now(),
        };
        expect_change!(
            self.change_by(&project.id, Author::host(), Write::CreateArtifact(artifact)).await,
            ArtifactCreated
        )
    }
}
