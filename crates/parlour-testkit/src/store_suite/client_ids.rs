//! A message id is used once: a retry gets the first answer, anything else is refused.

use parlour_core::{
    Code,
    conversation::Channel,
    event::Change,
    member::Person,
    message::Message,
    project::Project,
    write::{Appended, Archival, Novelty, Write},
};

use crate::world::{Draft, World};

/// A channel with one message that came under a chosen id, and the answer to it.
struct Posted {
    mara: Person,
    tour: Project,
    general: Channel,
    draft: Draft,
    first: Appended,
}

async fn posted(world: &World) -> Posted {
    let mara = world.person("Mara").await;
    let tour = world.project("Tour", &mara).await;
    let general = world.channel("general", &tour).await;
    let id = "msg_chosen-by-the-client".parse().expect("id");
    let draft = world.draft(&mara, &general, "Hello").under_id(&id);
    let first = world.append(&tour.id, &mara, draft.write()).await.expect("posted");
    Posted { mara, tour, general, draft, first }
}

impl Posted {
    fn message(&self) -> &Message {
        let Change::MessagePosted(message) = &self.first.change else { unreachable!("a post answers a message") };
        message
    }

    /// Posts the same draft again; nothing may change by that, and the answer is the first one.
    async fn retry(&self, world: &World) -> Message {
        let before = world.snapshot(&self.tour, &[&self.mara]).await;
        let again = world.append(&self.tour.id, &self.mara, self.draft.write()).await.expect("a retry is harmless");
        assert_eq!(again.novelty, Novelty::Repeated);
        assert_eq!(again.position, self.first.position);
        assert_eq!(world.snapshot(&self.tour, &[&self.mara]).await, before);
        let Change::MessagePosted(message) = again.change else { unreachable!("a post answers a message") };
        *message
    }
}

/// The id that a client brings is the id of the message.
pub async fn a_client_may_choose_the_id(world: World) {
    let posted = posted(&world).await;
    assert_eq!(posted.message().id.as_str(), "msg_chosen-by-the-client");
    assert_eq!((posted.message().seq, posted.first.novelty), (1, Novelty::New));
}

/// The same post again is answered as the first time and writes nothing.
pub async fn a_retry_gets_the_first_answer(world: World) {
    let posted = posted(&world).await;
    world.post(&posted.mara, &posted.general, "in between").await;
    assert_eq!(&posted.retry(&world).await, posted.message());
}

/// A retry does not tell agents again, not even those who have read the message.
pub async fn a_retry_tells_nobody_again(world: World) {
    let mara = world.person("Mara").await;
    let tour = world.project("Tour", &mara).await;
    let general = world.channel("general", &tour).await;
    let coder = world.agent("Coder", &tour).await;
    let draft = world.draft(&mara, &general, "@Coder hi").mentioning(&coder);
    let message = world.send(&mara, &draft).await;
    world.repeat(&tour.id, &mara, draft.write()).await;
    assert_eq!(world.store().inbox_counts(&coder.id).await.expect("counts").total, 1);
    world.read(&coder, &message).await;
    world.repeat(&tour.id, &mara, draft.write()).await;
    assert_eq!(world.store().inbox_counts(&coder.id).await.expect("counts").total, 0);
}

/// After an edit the same post is still a retry: it takes the edit back in no way.
pub async fn a_retry_after_an_edit_leaves_the_edit(world: World) {
    let posted = posted(&world).await;
    let edited = world.edit(&posted.mara, posted.message(), "Hello there").await;
    assert_eq!(posted.retry(&world).await.seq, edited.seq);
    assert_eq!(world.store().message(&edited.id).await.expect("read"), Some(edited));
}

/// After a removal the same post is still a retry and brings nothing back.
pub async fn a_retry_after_a_removal_brings_nothing_back(world: World) {
    let posted = posted(&world).await;
    let removed = world.remove(&posted.mara, posted.message()).await;
    assert_eq!(posted.retry(&world).await.body, "");
    assert_eq!(world.store().message(&removed.id).await.expect("read"), Some(removed));
}

/// A post that was taken before its channel was archived stays taken.
pub async fn a_retry_after_archiving_gets_the_first_answer(world: World) {
    let posted = posted(&world).await;
    let archive = Write::ArchiveChannel(posted.general.id.clone(), Archival::Archived);
    world.change(&posted.tour.id, &posted.mara, archive).await;
    assert_eq!(&posted.retry(&world).await, posted.message());
}

/// Another text under a used id is refused and leaves no trace.
pub async fn another_text_under_a_used_id_is_refused(world: World) {
    let posted = posted(&world).await;
    let other = world.draft(&posted.mara, &posted.general, "Other").under_id(&posted.message().id);
    check_reuse_refused(&world, &posted, &posted.mara, &other).await;
}

/// Even the text that the message got by an edit is another one than the first.
pub async fn the_edited_text_under_the_old_id_is_refused(world: World) {
    let posted = posted(&world).await;
    world.edit(&posted.mara, posted.message(), "Hello there").await;
    let other = world.draft(&posted.mara, &posted.general, "Hello there").under_id(&posted.message().id);
    check_reuse_refused(&world, &posted, &posted.mara, &other).await;
}

/// The same text by another author is no retry: nobody can take over or probe another's id.
pub async fn the_same_text_by_another_author_is_refused(world: World) {
    let posted = posted(&world).await;
    let bela = world.member("Bela", &posted.tour).await;
    let other = world.draft(&bela, &posted.general, "Hello").under_id(&posted.message().id);
    check_reuse_refused(&world, &posted, &bela, &other).await;
}

/// Ids belong to the whole hub: one that is used in a project cannot be used in another.
pub async fn an_id_of_another_project_is_refused(world: World) {
    let posted = posted(&world).await;
    let bela = world.person("Bela").await;
    let fair = world.project("Fair", &bela).await;
    let hall = world.channel("hall", &fair).await;
    let other = world.draft(&bela, &hall, "Hello").under_id(&posted.message().id);
    assert_eq!(world.refusal(&fair.id, &bela, other.write()).await, Code::ClientIdReused);
    assert_eq!(world.history(&hall.id.into()).await, []);
}

async fn check_reuse_refused(world: &World, posted: &Posted, author: &Person, draft: &Draft) {
    let before = world.snapshot(&posted.tour, &[&posted.mara]).await;
    assert_eq!(world.refusal(&posted.tour.id, author, draft.write()).await, Code::ClientIdReused);
    assert_eq!(world.snapshot(&posted.tour, &[&posted.mara]).await, before);
}
