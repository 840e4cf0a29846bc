//! A write that finds everything as wanted writes nothing and answers what is there.

use std::collections::BTreeSet;

use parlour_core::{
    call::PassedCall,
    conversation::{Channel, ChannelPatch},
    event::{Change, ChannelMember, Subscription},
    member::{Agent, AgentPatch, Person},
    message::Message,
    project::{Project, ProjectPatch},
    task::{Task, TaskPatch},
    write::{Archival, NewText, Novelty, Write},
};

use crate::world::{Caller, World};

/// A project in which all that the repeated writes want is so already.
struct Stage {
    mara: Person,
    bela: Person,
    zoe: Person,
    tour: Project,
    coder: Agent,
    tester: Agent,
    secret: Channel,
    message: Message,
    task: Task,
}

async fn stage(world: &World) -> Stage {
    let mara = world.person("Mara").await;
    let tour = world.project("Tour", &mara).await;
    let bela = world.member("Bela", &tour).await;
    let tester = world.agent("Tester", &tour).await;
    let secret = world.private_channel("secret", &tour, &[&mara, &bela, &tester]).await;
    Stage {
        zoe: world.person("Zoe").await,
        coder: world.agent("Coder", &tour).await,
        message: world.call(&mara, &secret, &tester).await,
        task: world.task("Ship it", &tour).await,
        mara,
        bela,
        tour,
        tester,
        secret,
    }
}

/// Writes of which the first changes something and each repetition nothing.
fn switches(stage: &Stage) -> Vec<Write> {
    let (channel_id, id) = (stage.secret.id.clone(), stage.message.id.clone());
    let member = ChannelMember { channel_id: channel_id.clone(), member_id: stage.coder.member() };
    let subscription = Subscription { channel_id: channel_id.clone(), agent_id: stage.coder.id.clone() };
    let (emoji, bela) = ("👍".to_owned(), stage.bela.member());
    let text = NewText { body: "edited".into(), mentions: vec![bela.clone()], deliveries: Vec::new() };
    let passed = PassedCall {
        agent_id: stage.tester.id.clone(),
        message_id: id.clone(),
        conversation_id: stage.message.to.clone(),
        reason: Some("not mine".into()),
    };
    vec![
        Write::AddPerson(stage.zoe.id.clone()),
        Write::AddChannelMember(member.clone()),
        Write::Subscribe(subscription.clone()),
        Write::Unsubscribe(subscription),
        Write::RemoveChannelMember(member),
        Write::ArchiveChannel(channel_id.clone(), Archival::Archived),
        Write::ArchiveChannel(channel_id, Archival::Active),
        Write::React(id.clone(), emoji.clone(), bela.clone()),
        Write::Unreact(id.clone(), emoji, bela.clone()),
        Write::MarkRead(id.clone(), bela),
        Write::EditMessage(id.clone(), text),
        Write::PassCall(passed),
        Write::RemoveMessage(id),
        Write::RemovePerson(stage.zoe.id.clone()),
    ]
}

/// Writes that want what is so from the start.
fn contented(stage: &Stage) -> Vec<Write> {
    let project = ProjectPatch { name: Some(stage.tour.name.clone()), ..ProjectPatch::default() };
    let agent = AgentPatch { name: Some(stage.coder.name.clone()), ..AgentPatch::default() };
    let channel = ChannelPatch { name: Some(stage.secret.name.clone()), ..ChannelPatch::default() };
    let task = TaskPatch { title: Some(stage.task.title.clone()), ..TaskPatch::default() };
    vec![
        Write::UpdateProject(project),
        Write::UpdateAgent(stage.coder.id.clone(), agent),
        Write::UpdateChannel(stage.secret.id.clone(), channel, Vec::new()),
        Write::UpdateTask(stage.task.id.clone(), task),
        Write::RemovePerson(stage.zoe.id.clone()),
        Write::ArchiveChannel(stage.secret.id.clone(), Archival::Active),
        Write::Unreact(stage.message.id.clone(), "👍".into(), stage.mara.member()),
        Write::MarkRead(stage.message.id.clone(), stage.mara.member()),
    ]
}

/// Makes a write that must change nothing that can be seen.
async fn check_repeated(world: &World, stage: &Stage, write: Write) -> Change {
    let text = format!("{write:?}");
    let callers: [&dyn Caller; 4] = [&stage.mara, &stage.bela, &stage.coder, &stage.tester];
    let before = world.snapshot(&stage.tour, &callers).await;
    let appended = world.append(&stage.tour.id, &stage.mara, write).await.expect(&text);
    assert_eq!(appended.novelty, Novelty::Repeated, "{text}");
    let end = world.store().end_of_log(&stage.tour.id).await.expect("end").expect("a log");
    assert!(appended.position.offset() <= end.offset() && appended.position.epoch() == end.epoch(), "{text}");
    assert_eq!(world.snapshot(&stage.tour, &callers).await, before, "{text}");
    appended.change
}

/// The second of two equal writes is repeated, writes nothing and answers like the first.
pub async fn an_equal_write_changes_nothing_and_answers_like_the_first(world: World) {
    let stage = stage(&world).await;
    for write in switches(&stage) {
        let first = world.change(&stage.tour.id, &stage.mara, write.clone()).await;
        assert_eq!(check_repeated(&world, &stage, write).await, first);
    }
}

/// What is so already need not be written: an equal name, a person who is not there, a message that was read.
pub async fn a_write_that_wants_what_is_so_is_repeated(world: World) {
    let stage = stage(&world).await;
    for write in contented(&stage) {
        check_repeated(&world, &stage, write).await;
    }
}

/// A message has one thread: who opens a second one gets the first.
pub async fn a_message_that_has_a_thread_keeps_it(world: World) {
    let stage = stage(&world).await;
    let thread = world.thread(&stage.secret, &stage.message).await;
    let another = Write::CreateThread(world.new_thread(&stage.secret, &stage.message));
    assert_eq!(check_repeated(&world, &stage, another).await, Change::ThreadCreated(Box::new(thread)));
}

/// The same participants have one dm in a project: who opens a second one gets the first.
pub async fn participants_who_have_a_dm_keep_it(world: World) {
    let stage = stage(&world).await;
    let dm = world.dm(&stage.tour, &[&stage.mara, &stage.coder]).await;
    let another = Write::CreateDm(world.new_dm(&stage.tour, &[&stage.coder, &stage.mara]));
    assert_eq!(check_repeated(&world, &stage, another).await, Change::DmCreated(Box::new(dm)));
}

/// Others, fewer or more participants have a dm of their own, and so have the same ones in another project.
pub async fn other_participants_have_another_dm(world: World) {
    let stage = stage(&world).await;
    let fair = world.project("Fair", &stage.mara).await;
    world.join(&stage.bela, &fair).await;
    let ids = BTreeSet::from([
        world.dm(&stage.tour, &[&stage.mara, &stage.coder]).await.id,
        world.dm(&stage.tour, &[&stage.mara, &stage.bela]).await.id,
        world.dm(&stage.tour, &[&stage.mara, &stage.bela, &stage.coder]).await.id,
        world.dm(&fair, &[&stage.mara, &stage.bela]).await.id,
    ]);
    assert_eq!(ids.len(), 4);
}
