//! The log: one event for each change, told as it was made, and the newest state of every message.

use parlour_core::{
    conversation::{Channel, ChannelPatch, Visibility},
    event::{Change, ChannelMember, Subscription},
    id::ProjectId,
    member::{Agent, AgentPatch, Person},
    message::Message,
    project::{Project, ProjectPatch},
    task::{TaskPatch, TaskStatus},
    write::{Archival, Ending, NewText, Novelty, Write},
};

use crate::world::{Caller, World};
use parlour_hub::ports::Clock;

/// A project in which every sort of change can happen.
pub(super) struct Stage {
    pub(super) mara: Person,
    bela: Person,
    zoe: Person,
    pub(super) tour: Project,
    coder: Agent,
    general: Channel,
    secret: Channel,
    root: Message,
    message: Message,
    answer: Message,
}

pub(super) async fn stage(world: &World) -> Stage {
    let mara = world.person("Mara").await;
    let tour = world.project("Tour", &mara).await;
    let general = world.channel("general", &tour).await;
    let coder = world.agent("Coder", &tour).await;
    Stage {
        bela: world.person("Bela").await,
        zoe: world.member("Zoe", &tour).await,
        secret: world.private_channel("secret", &tour, &[&mara]).await,
        root: world.post(&mara, &general, "root").await,
        message: world.call(&mara, &general, &coder).await,
        answer: world.stream(&mara, &general, "").await,
        coder,
        mara,
        tour,
        general,
    }
}

/// One write of every sort but those that made the stage, in an order in which each of them changes something.
pub(super) fn all_writes(world: &World, stage: &Stage) -> Vec<Write> {
    let mut writes = writes_about_members(world, stage);
    writes.extend(writes_about_channels(world, stage));
    writes.extend(writes_about_messages(world, stage));
    writes.extend(writes_about_work(world, stage));
    writes
}

fn writes_about_members(world: &World, stage: &Stage) -> Vec<Write> {
    let project = ProjectPatch { description: Some("A look around.".into()), ..ProjectPatch::default() };
    let agent = AgentPatch { capabilities: Some(vec!["rust".into()]), ..AgentPatch::default() };
    vec![
        Write::UpdateProject(project),
        Write::AddPerson(stage.bela.id.clone()),
        Write::RemovePerson(stage.bela.id.clone()),
        world.adding_agent(world.new_agent("Tester", &stage.tour)),
        Write::UpdateAgent(stage.coder.id.clone(), agent),
    ]
}

fn writes_about_channels(world: &World, stage: &Stage) -> Vec<Write> {
    let channel_id = stage.secret.id.clone();
    let topic = ChannelPatch { topic: Some("Plans".into()), ..ChannelPatch::default() };
    let member = ChannelMember { channel_id: channel_id.clone(), member_id: stage.coder.member() };
    let subscription = Subscription { channel_id: channel_id.clone(), agent_id: stage.coder.id.clone() };
    let shown = |visibility| ChannelPatch { visibility: Some(visibility), ..ChannelPatch::default() };
    vec![
        Write::CreateChannel(world.new_channel("random", &stage.tour), Vec::new()),
        Write::UpdateChannel(channel_id.clone(), topic, Vec::new()),
        Write::AddChannelMember(member.clone()),
        Write::Subscribe(subscription.clone()),
        Write::Unsubscribe(subscription),
        Write::RemoveChannelMember(member),
        Write::ArchiveChannel(channel_id.clone(), Archival::Archived),
        Write::ArchiveChannel(channel_id.clone(), Archival::Active),
        Write::UpdateChannel(channel_id.clone(), shown(Visibility::Project), Vec::new()),
        Write::UpdateChannel(channel_id, shown(Visibility::Private), vec![stage.mara.member()]),
    ]
}

fn writes_about_messages(world: &World, stage: &Stage) -> Vec<Write> {
    let (id, reader) = (stage.message.id.clone(), stage.zoe.member());
    let text = NewText { body: "edited".into(), mentions: Vec::new(), deliveries: Vec::new() };
    vec![
        Write::CreateThread(world.new_thread(&stage.general, &stage.root)),
        Write::CreateDm(world.new_dm(&stage.tour, &[&stage.mara, &stage.coder])),
        world.draft(&stage.mara, &stage.secret, "hi").write(),
        world.draft(&stage.mara, &stage.secret, "").streaming().write(),
        Write::FinishMessage(stage.answer.id.clone(), world.ending("done")),
        Write::EditMessage(id.clone(), text),
        Write::React(id.clone(), "👍".into(), reader.clone()),
        Write::Unreact(id.clone(), "👍".into(), reader.clone()),
        Write::MarkRead(id.clone(), reader),
        world.passing(&stage.coder, &stage.message),
        Write::RemoveMessage(id),
    ]
}

fn writes_about_work(world: &World, stage: &Stage) -> Vec<Write> {
    let task = world.new_task("Ship it", &stage.tour);
    let patch = TaskPatch { status: Some(TaskStatus::Done), ..TaskPatch::default() };
    vec![Write::CreateTask(task.clone()), Write::UpdateTask(task.id, patch)]
}

async fn change_names(world: &World, project: &ProjectId) -> Vec<&'static str> {
    world.events(project).await.iter().map(|event| event.change.name()).collect()
}

/// Every sort of change writes one event, which says who did what and when, and is what the writer was answered.
pub async fn every_change_is_one_event_that_says_what_the_writer_was_told(world: World) {
    let stage = stage(&world).await;
    for write in all_writes(&world, &stage) {
        let text = format!("{write:?}");
        let before = world.store().end_of_log(&stage.tour.id).await.expect("end").expect("a log");
        let appended = world.append(&stage.tour.id, &stage.mara, write).await.expect(&text);
        assert_eq!(appended.novelty, Novelty::New, "{text}");
        let events = world.store().events_after(&stage.tour.id, before.offset(), 9).await.expect("events");
        assert_eq!(events.len(), 1, "{text}");
        let event = &events[0];
        assert_eq!((&event.change, &event.position), (&appended.change, &appended.position), "{text}");
        assert_eq!((&event.actor, event.at), (&stage.mara.author(), world.clock().now()), "{text}");
        assert_eq!(event.project_id, stage.tour.id, "{text}");
    }
}

/// The position that a writer is answered is the end of the log, in the epoch of all other positions.
pub async fn the_end_of_the_log_is_the_position_of_its_last_event(world: World) {
    let stage = stage(&world).await;
    for write in all_writes(&world, &stage) {
        let position = world.append(&stage.tour.id, &stage.mara, write).await.expect("new").position;
        assert_eq!(world.store().end_of_log(&stage.tour.id).await.expect("end"), Some(position));
    }
    let events = world.events(&stage.tour.id).await;
    assert!(events.iter().all(|event| event.position.epoch() == events[0].position.epoch()));
}

/// A log begins with its project, and no log means no end.
pub async fn a_log_begins_with_its_project(world: World) {
    let unknown = ProjectId::from_bits(world.bits());
    assert_eq!(world.store().end_of_log(&unknown).await.expect("end"), None);
    assert_eq!(world.events(&unknown).await, []);
    let tour = world.project("Tour", &world.person("Mara").await).await;
    let events = world.events(&tour.id).await;
    assert_eq!(events.len(), 1);
    assert_eq!(events[0].change, Change::ProjectCreated(Box::new(tour)));
}

/// Reading goes on after the given offset, in order, and never gives more than asked for.
pub async fn events_are_read_in_order_from_any_offset(world: World) {
    let stage = stage(&world).await;
    let all = world.events(&stage.tour.id).await;
    for offset in 0..=all.len() {
        for limit in 1..=all.len() + 1 {
            let read = world.store().events_after(&stage.tour.id, offset as u64, limit).await.expect("events");
            let end = (offset + limit).min(all.len());
            assert_eq!(read, all[offset..end], "{limit} after {offset}");
        }
    }
    for offset in [all.len() as u64 + 1, i64::MAX as u64, u64::MAX] {
        assert_eq!(world.store().events_after(&stage.tour.id, offset, 9).await.expect("events"), [], "{offset}");
    }
}

/// A project's log holds nothing of another project.
pub async fn a_log_holds_only_its_own_project(world: World) {
    let stage = stage(&world).await;
    let before = change_names(&world, &stage.tour.id).await;
    let fair = world.project("Fair", &stage.bela).await;
    let hall = world.channel("hall", &fair).await;
    world.post(&stage.bela, &hall, "elsewhere").await;
    assert_eq!(change_names(&world, &stage.tour.id).await, before);
    assert_eq!(change_names(&world, &fair.id).await, ["projects.created", "channels.created", "messaging.posted"]);
}

/// The event of a post shows the message as it is now: its newest text, its reactions and its thread.
pub async fn events_show_messages_as_they_are_now(world: World) {
    let mara = world.person("Mara").await;
    let tour = world.project("Tour", &mara).await;
    let general = world.channel("general", &tour).await;
    let message = world.stream(&mara, &general, "first").await;
    world.finish(&mara, &message, world.ending("first text")).await;
    world.edit(&mara, &message, "second text").await;
    world.change(&tour.id, &mara, Write::React(message.id.clone(), "👍".into(), mara.member())).await;
    world.thread(&general, &message).await;
    let now = world.store().message(&message.id).await.expect("read").expect("a message");
    let shown: Vec<_> = world.events(&tour.id).await.into_iter().filter_map(|event| message_of(event.change)).collect();
    assert_eq!(shown, [now.clone(), now.clone(), now.clone()]);
    assert_eq!((now.body.as_str(), now.reactions.len(), now.thread_id.is_some()), ("second text", 1, true));
}

fn message_of(change: Change) -> Option<Message> {
    match change {
        Change::MessagePosted(message)
        | Change::MessageFinished(message)
        | Change::MessageEdited(message)
        | Change::MessageRemoved(message) => Some(*message),
        _ => None,
    }
}

/// What a removed message said is gone from the log too: from its post, its end, its edits and its removal.
pub async fn a_removed_text_is_gone_from_the_log(world: World) {
    let mara = world.person("Mara").await;
    let tour = world.project("Tour", &mara).await;
    let general = world.channel("general", &tour).await;
    let mut draft = world.draft(&mara, &general, "password-one").streaming();
    draft.message.content = Some(serde_json::json!({"text": "password-two"}));
    draft.message.metadata.insert("note".into(), "password-three".into());
    let message = world.send(&mara, &draft).await;
    let ending = Ending { reason: Some("password-five".into()), ..world.ending("password-six") };
    world.finish(&mara, &message, ending).await;
    world.edit(&mara, &message, "password-four").await;
    let removed = world.remove(&mara, &message).await;
    let log = serde_json::to_string(&world.events(&tour.id).await).expect("json");
    assert!(!log.contains("password"), "{log}");
    assert_eq!(
        change_names(&world, &tour.id).await[2..],
        ["messaging.posted", "messaging.finished", "messaging.edited", "messaging.removed"]
    );
    assert_eq!(world.store().message(&message.id).await.expect("read"), Some(removed));
}
