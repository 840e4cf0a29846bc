//! What is kept of a growing text, for the case that the hub dies before it ends.

use parlour_core::{
    Timestamp,
    conversation::Channel,
    id::MessageId,
    member::{Agent, Person},
    message::Message,
    project::Project,
    step::Step,
};

use crate::world::{Caller, World};
use parlour_hub::ports::SavedStream;

struct Stage {
    mara: Person,
    tour: Project,
    coder: Agent,
    general: Channel,
}

async fn stage(world: &World) -> Stage {
    let mara = world.person("Mara").await;
    let tour = world.project("Tour", &mara).await;
    Stage { coder: world.agent("Coder", &tour).await, general: world.channel("general", &tour).await, mara, tour }
}

fn saved(message: &Message, text: &str, steps: &[Step]) -> SavedStream {
    SavedStream { message_id: message.id.clone(), text: text.to_owned(), steps: steps.to_vec() }
}

fn running_step() -> Step {
    Step {
        id: "s1".into(),
        name: "search".into(),
        input: Some(serde_json::json!({"q": 1})),
        output: None,
        is_error: false,
        started_at: Timestamp::from_millis(7),
        finished_at: None,
    }
}

async fn save(world: &World, streams: Vec<SavedStream>) {
    world.store().save_streams(streams).await.expect("saved");
}

async fn open(world: &World) -> Vec<(Message, SavedStream)> {
    world.store().open_streams().await.expect("open streams")
}

/// What was saved of a text is there until the message ends: the message itself is as it was posted.
pub async fn a_saved_text_is_kept_beside_its_message(world: World) {
    let stage = stage(&world).await;
    let message = world.stream(&stage.coder, &stage.general, "Hel").await;
    let kept = saved(&message, "Hello wörld", &[running_step()]);
    save(&world, vec![kept.clone()]).await;
    assert_eq!(open(&world).await, [(message.clone(), kept)]);
    assert_eq!(world.store().message(&message.id).await.expect("read"), Some(message));
}

/// A text replaces the one kept before, and so do its steps.
pub async fn a_later_text_replaces_the_earlier_one(world: World) {
    let stage = stage(&world).await;
    let message = world.stream(&stage.coder, &stage.general, "").await;
    save(&world, vec![saved(&message, "long text", &[running_step()])]).await;
    save(&world, vec![saved(&message, "short", &[])]).await;
    assert_eq!(open(&world).await, [(message.clone(), saved(&message, "short", &[]))]);
}

/// A stream of which nothing was saved is open with the body it began with.
pub async fn a_stream_without_a_saved_text_has_the_body_it_began_with(world: World) {
    let stage = stage(&world).await;
    let message = world.stream(&stage.coder, &stage.general, "begun").await;
    world.post(&stage.mara, &stage.general, "no stream").await;
    assert_eq!(open(&world).await, [(message.clone(), saved(&message, "begun", &[]))]);
}

/// All that stream are open, of all projects and conversations, in the order of their posts.
pub async fn the_streams_of_all_projects_are_open(world: World) {
    let stage = stage(&world).await;
    let fair = world.project("Fair", &stage.mara).await;
    let hall = world.channel("hall", &fair).await;
    let dm = world.dm(&stage.tour, &[&stage.mara, &stage.coder]).await;
    let first = world.stream(&stage.coder, &dm, "one").await;
    let second = world.stream(&stage.mara, &hall, "two").await;
    let third = world.stream(&stage.coder, &stage.general, "three").await;
    save(&world, vec![saved(&third, "three and more", &[]), saved(&first, "one and more", &[])]).await;
    let texts: Vec<_> = open(&world).await.into_iter().map(|(message, kept)| (message.id, kept.text)).collect();
    let expected = [(first, "one and more"), (second, "two"), (third, "three and more")];
    assert_eq!(texts, expected.map(|(message, text)| (message.id, text.to_owned())));
}

/// A message that has ended or was removed is no longer open, and keeps no text that comes late.
pub async fn a_message_that_is_not_streaming_keeps_no_text(world: World) {
    let stage = stage(&world).await;
    let ended = world.stream(&stage.coder, &stage.general, "").await;
    let removed = world.stream(&stage.coder, &stage.general, "").await;
    let plain = world.post(&stage.mara, &stage.general, "plain").await;
    save(&world, vec![saved(&ended, "early", &[]), saved(&removed, "early", &[])]).await;
    let ended = world.finish(&stage.coder, &ended, world.ending("done")).await;
    let removed = world.remove(&stage.coder, &removed).await;
    let unknown = Message { id: MessageId::from_bits(world.bits()), ..plain.clone() };
    let late = [&ended, &removed, &plain, &unknown].map(|message| saved(message, "late", &[]));
    save(&world, late.to_vec()).await;
    assert_eq!(open(&world).await, []);
    for message in [ended, removed, plain] {
        assert_eq!(world.store().message(&message.id).await.expect("read"), Some(message));
    }
}

/// Texts that are saved beside one that is left out are kept all the same.
pub async fn one_text_that_is_left_out_spares_the_others(world: World) {
    let stage = stage(&world).await;
    let plain = world.post(&stage.mara, &stage.general, "plain").await;
    let message = world.stream(&stage.coder, &stage.general, "").await;
    save(&world, vec![saved(&plain, "late", &[]), saved(&message, "growing", &[])]).await;
    assert_eq!(open(&world).await, [(message.clone(), saved(&message, "growing", &[]))]);
}

/// Saving a text is no change: no event, nothing in history or search, nothing for a watcher.
pub async fn saving_a_text_is_no_event(world: World) {
    let stage = stage(&world).await;
    let message = world.stream(&stage.coder, &stage.general, "").await;
    let callers: [&dyn Caller; 2] = [&stage.mara, &stage.coder];
    let before = world.snapshot(&stage.tour, &callers).await;
    let mut watched = world.store().watch();
    save(&world, vec![saved(&message, "growing", &[])]).await;
    assert_eq!(world.snapshot(&stage.tour, &callers).await, before);
    assert!(watched.try_recv().is_err());
}
