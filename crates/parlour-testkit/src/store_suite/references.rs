//! What a post refers to must be there for its author.

use parlour_core::{
    artifact::Artifact,
    conversation::Channel,
    id::{ArtifactId, BatchId, MessageId, TaskId},
    member::Person,
    project::Project,
};

use crate::world::{Caller, Place, World};
use parlour_hub::ports::PostRefs;

struct Stage {
    mara: Person,
    bela: Person,
    tour: Project,
    general: Channel,
    secret: Channel,
}

/// Mara is in the private channel, Bela is not.
async fn stage(world: &World) -> Stage {
    let mara = world.person("Mara").await;
    let tour = world.project("Tour", &mara).await;
    Stage {
        bela: world.member("Bela", &tour).await,
        general: world.channel("general", &tour).await,
        secret: world.private_channel("secret", &tour, &[&mara]).await,
        mara,
        tour,
    }
}

/// The ids that are missing for this author in this place.
async fn missing(world: &World, author: &dyn Caller, place: &dyn Place, refs: PostRefs) -> Vec<String> {
    let found = world.store().missing_refs(&place.conversation_id(), &author.principal(), &refs).await;
    found.expect("missing").into_iter().map(|one| one.id).collect()
}

fn answering(id: &MessageId) -> PostRefs {
    PostRefs { reply_to: Some(id.clone()), ..PostRefs::default() }
}

fn carrying(artifacts: &[&Artifact]) -> PostRefs {
    PostRefs { artifacts: artifacts.iter().map(|one| one.id.clone()).collect(), ..PostRefs::default() }
}

/// What is there is not missing, and nothing misses nothing.
pub async fn what_is_there_is_not_missing(world: World) {
    let stage = stage(&world).await;
    let message = world.post(&stage.mara, &stage.general, "hello").await;
    let refs = PostRefs {
        reply_to: Some(message.id),
        artifacts: vec![world.artifact("a.txt", &stage.tour, None).await.id],
        task_id: Some(world.task("Ship it", &stage.tour).await.id),
        batch_id: Some(world.batch("Release", &stage.tour).await.id),
    };
    assert_eq!(missing(&world, &stage.bela, &stage.general, refs).await, Vec::<String>::new());
    assert_eq!(missing(&world, &stage.bela, &stage.general, PostRefs::default()).await, Vec::<String>::new());
}

/// Whatever does not exist is missing, and each thing is named with the field of the post.
pub async fn what_does_not_exist_is_missing(world: World) {
    let stage = stage(&world).await;
    let file = world.artifact("a.txt", &stage.tour, None).await;
    let unknown = ArtifactId::from_bits(world.bits());
    let refs = PostRefs {
        reply_to: Some(MessageId::from_bits(world.bits())),
        artifacts: vec![file.id, unknown.clone()],
        task_id: Some(TaskId::from_bits(world.bits())),
        batch_id: Some(BatchId::from_bits(world.bits())),
    };
    let (id, caller) = (stage.general.conversation_id(), stage.mara.principal());
    let found = world.store().missing_refs(&id, &caller, &refs).await.expect("missing");
    assert_eq!(found.len(), 4, "{found:?}");
    let is_named = |field: &str, id: &str| found.iter().any(|one| one.field.contains(field) && one.id == id);
    assert!(is_named("reply_to", refs.reply_to.as_ref().map_or("", |id| id.as_str())));
    assert!(is_named("artifacts", unknown.as_str()));
    assert!(is_named("task_id", refs.task_id.as_ref().map_or("", |id| id.as_str())));
    assert!(is_named("batch_id", refs.batch_id.as_ref().map_or("", |id| id.as_str())));
}

/// A message of another conversation cannot be answered, not even by who can read both.
pub async fn a_message_of_another_conversation_is_missing(world: World) {
    let stage = stage(&world).await;
    let hidden = world.post(&stage.mara, &stage.secret, "hidden").await;
    let id = hidden.id.to_string();
    assert_eq!(missing(&world, &stage.mara, &stage.general, answering(&hidden.id)).await, [id]);
    assert_eq!(missing(&world, &stage.mara, &stage.secret, answering(&hidden.id)).await, Vec::<String>::new());
}

/// In a thread its own messages and the one above it can be answered, and no other of the channel.
pub async fn a_thread_answers_its_own_messages_and_the_one_above(world: World) {
    let stage = stage(&world).await;
    let root = world.post(&stage.mara, &stage.general, "root").await;
    let beside = world.post(&stage.mara, &stage.general, "beside").await;
    let thread = world.thread(&stage.general, &root).await;
    let inside = world.post(&stage.mara, &thread, "inside").await;
    for id in [&root.id, &inside.id] {
        assert_eq!(missing(&world, &stage.mara, &thread, answering(id)).await, Vec::<String>::new());
    }
    assert_eq!(missing(&world, &stage.mara, &thread, answering(&beside.id)).await, [beside.id.to_string()]);
    assert_eq!(missing(&world, &stage.mara, &stage.general, answering(&inside.id)).await, [inside.id.to_string()]);
}

/// An artifact of a private conversation is missing for those who cannot read that, wherever they post.
pub async fn an_artifact_of_a_private_conversation_is_missing_for_others(world: World) {
    let stage = stage(&world).await;
    let dm = world.dm(&stage.tour, &[&stage.mara, &world.agent("Coder", &stage.tour).await]).await;
    let root = world.post(&stage.mara, &stage.secret, "root").await;
    let thread = world.thread(&stage.secret, &root).await;
    for place in [&stage.secret as &dyn Place, &dm, &thread] {
        let file = world.artifact("a.txt", &stage.tour, Some(place)).await;
        let id = file.id.to_string();
        assert_eq!(missing(&world, &stage.bela, &stage.general, carrying(&[&file])).await, [id]);
        assert_eq!(missing(&world, &stage.mara, &stage.general, carrying(&[&file])).await, Vec::<String>::new());
    }
    let file = world.artifact("b.txt", &stage.tour, Some(&stage.general)).await;
    assert_eq!(missing(&world, &stage.bela, &stage.general, carrying(&[&file])).await, Vec::<String>::new());
}

/// Things of another project are missing, even for who is a member there too.
pub async fn things_of_another_project_are_missing(world: World) {
    let stage = stage(&world).await;
    let fair = world.project("Fair", &stage.mara).await;
    let hall = world.channel("hall", &fair).await;
    let refs = PostRefs {
        reply_to: Some(world.post(&stage.mara, &hall, "elsewhere").await.id),
        artifacts: vec![world.artifact("a.txt", &fair, None).await.id],
        task_id: Some(world.task("Other", &fair).await.id),
        batch_id: Some(world.batch("Other", &fair).await.id),
    };
    assert_eq!(missing(&world, &stage.mara, &stage.general, refs.clone()).await.len(), 4);
    assert_eq!(missing(&world, &stage.mara, &hall, refs).await, Vec::<String>::new());
}
