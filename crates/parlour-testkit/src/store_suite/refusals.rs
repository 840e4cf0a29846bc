//! What a store refuses, and that nothing of it stays.

use parlour_core::{
    Code,
    call::{Calls, PassedCall},
    conversation::{Channel, ChannelPatch},
    event::{ChannelMember, Subscription},
    id::{AgentId, ChannelId, MessageId, PersonId, ProjectId, TaskId},
    member::{Agent, AgentPatch, Person},
    message::{Message, State},
    project::{Project, ProjectPatch},
    task::TaskPatch,
    write::{Archival, Ending, NewText, Write},
};

use crate::world::{Caller, World};

/// A project with one of everything.
struct Stage {
    mara: Person,
    tour: Project,
    coder: Agent,
    general: Channel,
    message: Message,
}

async fn stage(world: &World, suffix: &str) -> Stage {
    let mara = world.person(&format!("Mara{suffix}")).await;
    let tour = world.project(&format!("Tour{suffix}"), &mara).await;
    let general = world.channel("general", &tour).await;
    Stage {
        coder: world.agent("Coder", &tour).await,
        message: world.post(&mara, &general, "message").await,
        mara,
        tour,
        general,
    }
}

impl Stage {
    /// Asks for a write that must be refused with this code and leave no trace in what any member sees.
    async fn check_refused(&self, world: &World, write: Write, code: Code) {
        let text = format!("{write:?}");
        let callers: [&dyn Caller; 2] = [&self.mara, &self.coder];
        let before = world.snapshot(&self.tour, &callers).await;
        assert_eq!(world.refusal(&self.tour.id, &self.mara, write).await, code, "{text}");
        assert_eq!(world.snapshot(&self.tour, &callers).await, before, "{text}");
    }
}

fn new_text() -> NewText {
    NewText { body: "edited".into(), mentions: Vec::new(), deliveries: Vec::new() }
}

fn ending() -> Ending {
    Ending {
        state: State::Complete,
        reason: None,
        text: new_text(),
        content: None,
        steps: Vec::new(),
        calls: Calls::default(),
        usage: None,
        answer_to: None,
    }
}

/// A call of an agent that there is nowhere.
fn passed_call(id: &MessageId) -> PassedCall {
    let (agent_id, conversation_id) = (AgentId::from_bits(1), ChannelId::from_bits(1).into());
    PassedCall { agent_id, message_id: id.clone(), conversation_id, reason: None }
}

/// Writes about a message that is named by its id.
fn writes_about_message(id: &MessageId, member: &dyn Caller) -> Vec<Write> {
    vec![
        Write::EditMessage(id.clone(), new_text()),
        Write::FinishMessage(id.clone(), ending()),
        Write::RemoveMessage(id.clone()),
        Write::PassCall(passed_call(id)),
        Write::React(id.clone(), "👍".into(), member.member()),
        Write::Unreact(id.clone(), "👍".into(), member.member()),
        Write::MarkRead(id.clone(), member.member()),
    ]
}

/// Writes about a channel that is named by its id.
fn writes_about_channel(id: &ChannelId, agent: &Agent) -> Vec<Write> {
    let patch = ChannelPatch { topic: Some("Plans".into()), ..ChannelPatch::default() };
    let member = ChannelMember { channel_id: id.clone(), member_id: agent.member() };
    let subscription = Subscription { channel_id: id.clone(), agent_id: agent.id.clone() };
    vec![
        Write::UpdateChannel(id.clone(), patch, Vec::new()),
        Write::ArchiveChannel(id.clone(), Archival::Archived),
        Write::AddChannelMember(member.clone()),
        Write::RemoveChannelMember(member),
        Write::Subscribe(subscription.clone()),
        Write::Unsubscribe(subscription),
    ]
}

/// A thing that does not exist cannot be changed.
pub async fn a_thing_that_does_not_exist_is_not_found(world: World) {
    let stage = stage(&world, "").await;
    let agent = AgentPatch { capabilities: Some(vec!["rust".into()]), ..AgentPatch::default() };
    let task = TaskPatch { title: Some("Other".into()), ..TaskPatch::default() };
    let mut writes = vec![
        Write::AddPerson(PersonId::from_bits(world.bits())),
        Write::UpdateAgent(AgentId::from_bits(world.bits()), agent),
        Write::UpdateTask(TaskId::from_bits(world.bits()), task),
    ];
    writes.extend(writes_about_message(&MessageId::from_bits(world.bits()), &stage.mara));
    writes.extend(writes_about_channel(&ChannelId::from_bits(world.bits()), &stage.coder));
    for write in writes {
        stage.check_refused(&world, write, Code::NotFound).await;
    }
}

/// A message needs a conversation and a thread needs its message.
pub async fn a_post_without_a_conversation_is_not_found(world: World) {
    let stage = stage(&world, "").await;
    let nowhere = world.new_channel("nowhere", &stage.tour);
    let post = world.draft(&stage.mara, &nowhere, "hello").write();
    stage.check_refused(&world, post, Code::NotFound).await;
    let gone = Message { id: MessageId::from_bits(world.bits()), ..stage.message.clone() };
    let thread = Write::CreateThread(world.new_thread(&stage.general, &gone));
    stage.check_refused(&world, thread, Code::NotFound).await;
}

/// A project that does not exist has no log to write to.
pub async fn a_write_to_no_project_is_not_found(world: World) {
    let stage = stage(&world, "").await;
    let nowhere = ProjectId::from_bits(world.bits());
    let name = ProjectPatch { description: Some("x".into()), ..ProjectPatch::default() };
    for write in [Write::UpdateProject(name), Write::AddPerson(stage.mara.id.clone())] {
        assert_eq!(world.refusal(&nowhere, &stage.mara, write).await, Code::NotFound);
    }
    assert_eq!(world.store().project(&nowhere).await.expect("project"), None);
}

/// Through the log of one project nothing of another can be changed.
pub async fn things_of_another_project_are_not_found(world: World) {
    let (here, there) = (stage(&world, "").await, stage(&world, " Two").await);
    let before = world.snapshot(&there.tour, &[&there.mara, &there.coder]).await;
    let agent = AgentPatch { capabilities: Some(vec!["rust".into()]), ..AgentPatch::default() };
    let mut writes = vec![Write::UpdateAgent(there.coder.id.clone(), agent)];
    writes.extend(writes_about_message(&there.message.id, &here.mara));
    writes.extend(writes_about_channel(&there.general.id, &here.coder));
    for write in writes {
        here.check_refused(&world, write, Code::NotFound).await;
    }
    assert_eq!(world.snapshot(&there.tour, &[&there.mara, &there.coder]).await, before);
}

/// A name that looks like one in use is refused for a new project, agent or channel.
pub async fn a_look_alike_name_is_refused(world: World) {
    let stage = stage(&world, "").await;
    let agent = world.new_agent("CODER", &stage.tour);
    stage.check_refused(&world, world.adding_agent(agent), Code::NameTaken).await;
    let channel = world.new_channel("General", &stage.tour);
    stage.check_refused(&world, Write::CreateChannel(channel, Vec::new()), Code::NameTaken).await;
    let project = world.new_project("t0ur", &stage.mara);
    let id = project.id.clone();
    assert_eq!(world.refusal(&id, &stage.mara, Write::CreateProject(project)).await, Code::NameTaken);
    assert_eq!(world.store().project(&id).await.expect("project"), None);
    assert_eq!(world.store().end_of_log(&id).await.expect("end"), None);
}

/// A name that looks like one in use is refused for a change too.
pub async fn a_rename_to_a_look_alike_is_refused(world: World) {
    let stage = stage(&world, "").await;
    let (tester, random) = (world.agent("Tester", &stage.tour).await, world.channel("random", &stage.tour).await);
    world.project("Fair", &stage.mara).await;
    let agent = AgentPatch { name: Some(world.name("coder")), ..AgentPatch::default() };
    let channel = ChannelPatch { name: Some(world.name("General")), ..ChannelPatch::default() };
    let project = ProjectPatch { name: Some(world.name("FAIR")), ..ProjectPatch::default() };
    for write in [
        Write::UpdateAgent(tester.id, agent),
        Write::UpdateChannel(random.id, channel, Vec::new()),
        Write::UpdateProject(project),
    ] {
        stage.check_refused(&world, write, Code::NameTaken).await;
    }
}

/// The own name in another spelling is free to its owner, and the names of other projects are free to all.
pub async fn a_name_is_taken_only_by_others_in_the_same_place(world: World) {
    let here = stage(&world, "").await;
    let patch = AgentPatch { name: Some(world.name("coder")), ..AgentPatch::default() };
    world.change(&here.tour.id, &here.mara, Write::UpdateAgent(here.coder.id.clone(), patch)).await;
    let patch = ChannelPatch { name: Some(world.name("General")), ..ChannelPatch::default() };
    let write = Write::UpdateChannel(here.general.id.clone(), patch, Vec::new());
    world.change(&here.tour.id, &here.mara, write).await;
    let there = stage(&world, " Two").await;
    assert_eq!((there.coder.name, there.general.name), (world.name("Coder"), world.name("general")));
}

/// A refused agent's token leads to nobody.
pub async fn the_token_of_a_refused_agent_is_not_kept(world: World) {
    let stage = stage(&world, "").await;
    let agent = world.new_agent("coder", &stage.tour);
    let token = world.token(&agent.member());
    let write = Write::CreateAgent(agent, token.clone(), None);
    stage.check_refused(&world, write, Code::NameTaken).await;
    assert_eq!(world.store().principal(&token.key).await.expect("principal"), None);
}

/// An archived channel takes no message, nor do its threads; brought back, it does.
pub async fn a_post_to_an_archived_channel_is_refused(world: World) {
    let stage = stage(&world, "").await;
    let thread = world.thread(&stage.general, &stage.message).await;
    let archival = |archival| Write::ArchiveChannel(stage.general.id.clone(), archival);
    world.change(&stage.tour.id, &stage.mara, archival(Archival::Archived)).await;
    let post = world.draft(&stage.mara, &stage.general, "hello").mentioning(&stage.coder);
    stage.check_refused(&world, post.write(), Code::Archived).await;
    let answer = world.draft(&stage.mara, &thread, "hello").mentioning(&stage.coder);
    stage.check_refused(&world, answer.write(), Code::Archived).await;
    world.change(&stage.tour.id, &stage.mara, archival(Archival::Active)).await;
    assert_eq!(world.send(&stage.mara, &post).await.seq, 2);
}

/// One bad write among many at the same time spares its neighbours.
pub async fn a_refused_write_spares_those_beside_it(world: World) {
    let stage = stage(&world, "").await;
    let mut tasks = tokio::task::JoinSet::new();
    for turn in 0..32 {
        let (world, mara, general) = (world.clone(), stage.mara.clone(), stage.general.clone());
        let used = stage.message.id.clone();
        tasks.spawn(async move {
            let draft = world.draft(&mara, &general, &format!("message {turn}"));
            let draft = if turn % 2 == 0 { draft } else { draft.under_id(&used) };
            world.append(&general.project_id, &mara, draft.write()).await.is_ok()
        });
    }
    let taken = tasks.join_all().await.into_iter().filter(|is_taken| *is_taken).count();
    let history = world.history(&stage.general.id.clone().into()).await;
    assert_eq!((taken, history.len()), (16, 17));
}
