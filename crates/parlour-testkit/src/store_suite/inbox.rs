//! The inbox of agents: one row for each delivery, until it is read or removed.

use parlour_core::inbox::InboxFilter;
use parlour_core::{
    conversation::{Channel, ChannelPatch, Visibility},
    event::{Change, ChannelMember},
    id::MessageId,
    inbox::{ConversationUnread, DeliveryReason, InboxEntry, Recipient},
    member::{Agent, Person},
    project::Project,
    write::{NewText, Write},
};

use crate::world::{Caller, Place, World, check_pages, read_all};

struct Stage {
    mara: Person,
    tour: Project,
    coder: Agent,
    tester: Agent,
    general: Channel,
}

async fn stage(world: &World) -> Stage {
    let mara = world.person("Mara").await;
    let tour = world.project("Tour", &mara).await;
    Stage {
        coder: world.agent("Coder", &tour).await,
        tester: world.agent("Tester", &tour).await,
        general: world.channel("general", &tour).await,
        mara,
        tour,
    }
}

impl Stage {
    /// What the agent has not read in the channel: all of it, and that which mentions it.
    async fn unread(&self, world: &World, agent: &Agent) -> (u64, u64) {
        let rows = world.store().unread(&self.tour.id, &agent.principal()).await.expect("unread");
        let is_here = |row: &&ConversationUnread| row.conversation_id == self.general.conversation_id();
        rows.iter().find(is_here).map_or((0, 0), |row| (row.unread, row.mentions))
    }
}

/// The messages in an agent's inbox, oldest first; their number must be what is counted.
async fn inbox(world: &World, agent: &Agent) -> Vec<InboxEntry> {
    let entries = read_all(2, async |page| world.store().inbox(&agent.id, &InboxFilter::default(), &page).await).await;
    let count = world.store().inbox_counts(&agent.id).await.expect("counts").total;
    assert_eq!(entries.len() as u64, count, "what is listed is what is counted");
    entries
}

async fn bodies(world: &World, agent: &Agent) -> Vec<String> {
    inbox(world, agent).await.into_iter().map(|entry| entry.message.body).collect()
}

/// Each delivery becomes one row with its reason and the whole message; agents that are not told get none.
pub async fn each_delivery_is_one_row_with_its_reason(world: World) {
    let stage = stage(&world).await;
    for reason in [DeliveryReason::Subscription, DeliveryReason::Thread, DeliveryReason::Dm, DeliveryReason::Mention] {
        let draft = world.draft(&stage.mara, &stage.general, "hello").telling(&stage.coder, reason);
        let message = world.send(&stage.mara, &draft).await;
        assert_eq!(inbox(&world, &stage.coder).await, [InboxEntry { reason, message: message.clone() }]);
        world.read(&stage.coder, &message).await;
    }
    assert_eq!(inbox(&world, &stage.tester).await, []);
}

/// A message that tells nobody reaches no inbox.
pub async fn a_message_that_tells_nobody_reaches_no_inbox(world: World) {
    let stage = stage(&world).await;
    world.subscribe(&stage.coder, &stage.general).await;
    world.post(&stage.mara, &stage.general, "nobody was told").await;
    assert_eq!(inbox(&world, &stage.coder).await, []);
}

/// An inbox is listed in the order of arrival, whatever ids clients have chosen, on pages of any size.
pub async fn an_inbox_is_listed_in_the_order_of_arrival(world: World) {
    let stage = stage(&world).await;
    let mut expected = Vec::new();
    for id in ["msg_zzz", "msg_aaa", "msg_mmm", "msg_000"] {
        let id: MessageId = id.parse().expect("id");
        let draft = world.draft(&stage.mara, &stage.general, "hi").under_id(&id).mentioning(&stage.coder);
        world.send(&stage.mara, &draft).await;
        expected.push(id.to_string());
    }
    let key = |entry: &InboxEntry| entry.message.id.to_string();
    check_pages(&expected, key, async |page| {
        world.store().inbox(&stage.coder.id, &InboxFilter::default(), &page).await
    })
    .await;
}

/// What was read while an inbox is being listed does not stop the listing.
pub async fn an_inbox_can_be_read_on_after_its_last_item_was_read(world: World) {
    let stage = stage(&world).await;
    for body in ["one", "two", "three", "four", "five"] {
        world.send(&stage.mara, &world.draft(&stage.mara, &stage.general, body).mentioning(&stage.coder)).await;
    }
    let seen = read_all(2, async |page| {
        let page = world.store().inbox(&stage.coder.id, &InboxFilter::default(), &page).await?;
        for entry in &page.items {
            world.read(&stage.coder, &entry.message).await;
        }
        Ok(page)
    });
    assert_eq!(seen.await.len(), 5);
    assert_eq!(inbox(&world, &stage.coder).await, []);
}

/// A read message leaves the inbox of its reader, and only that one.
pub async fn a_read_message_leaves_the_inbox_of_its_reader(world: World) {
    let stage = stage(&world).await;
    let mut messages = Vec::new();
    for body in ["one", "two", "three"] {
        let draft = world.draft(&stage.mara, &stage.general, body);
        let draft = draft.mentioning(&stage.coder).mentioning(&stage.tester);
        messages.push(world.send(&stage.mara, &draft).await);
    }
    world.read(&stage.coder, &messages[0]).await;
    assert_eq!(bodies(&world, &stage.coder).await, ["two", "three"]);
    assert_eq!(bodies(&world, &stage.tester).await, ["one", "two", "three"]);
    assert_eq!(stage.unread(&world, &stage.coder).await, (2, 2));
}

/// Reading twice is reading once.
pub async fn reading_twice_is_reading_once(world: World) {
    let stage = stage(&world).await;
    let draft = world.draft(&stage.mara, &stage.general, "hi").mentioning(&stage.coder);
    let message = world.send(&stage.mara, &draft).await;
    let mark = Write::MarkRead(message.id.clone(), stage.coder.member());
    world.change(&stage.tour.id, &stage.coder, mark.clone()).await;
    let end = world.store().end_of_log(&stage.tour.id).await.expect("end");
    world.repeat(&stage.tour.id, &stage.coder, mark).await;
    assert_eq!(world.store().end_of_log(&stage.tour.id).await.expect("end"), end);
    assert_eq!(inbox(&world, &stage.coder).await, []);
}

/// A read mark says how many messages of the conversation are left in the agent's inbox, and the log keeps it.
pub async fn a_read_mark_says_what_is_left_in_the_inbox(world: World) {
    let stage = stage(&world).await;
    let elsewhere = world.channel("elsewhere", &stage.tour).await;
    let mut posts = Vec::new();
    for place in [&stage.general, &stage.general, &stage.general, &elsewhere] {
        let draft = world.draft(&stage.mara, place, "@Coder").mentioning(&stage.coder);
        posts.push(world.send(&stage.mara, &draft).await);
    }
    world.post(&stage.mara, &stage.general, "not for Coder").await;
    let mark = Write::MarkRead(posts[1].id.clone(), stage.coder.member());
    let marked = world.change(&stage.tour.id, &stage.coder, mark).await;
    let Change::Read(read) = &marked else { unreachable!("a mark answers a mark") };
    assert_eq!((read.seq, read.unread), (2, 2));
    world.read(&stage.coder, &posts[0]).await;
    assert!(world.events(&stage.tour.id).await.iter().any(|event| event.change == marked));
}

/// A removed message leaves every inbox and every count.
pub async fn a_removed_message_leaves_the_inbox(world: World) {
    let stage = stage(&world).await;
    let draft = world.draft(&stage.mara, &stage.general, "oops");
    let message = world.send(&stage.mara, &draft.mentioning(&stage.coder).mentioning(&stage.tester)).await;
    world.send(&stage.mara, &world.draft(&stage.mara, &stage.general, "stays").mentioning(&stage.coder)).await;
    world.remove(&stage.mara, &message).await;
    assert_eq!(bodies(&world, &stage.coder).await, ["stays"]);
    assert_eq!(inbox(&world, &stage.tester).await, []);
    assert_eq!(stage.unread(&world, &stage.coder).await, (1, 1));
    assert_eq!(stage.unread(&world, &stage.tester).await, (0, 0));
}

/// An inbox shows a message with its newest text.
pub async fn an_inbox_shows_the_newest_text(world: World) {
    let stage = stage(&world).await;
    let draft = world.draft(&stage.mara, &stage.general, "first").mentioning(&stage.coder);
    let message = world.send(&stage.mara, &draft).await;
    world.edit(&stage.mara, &message, "second").await;
    assert_eq!(bodies(&world, &stage.coder).await, ["second"]);
}

/// An edit tells the agents that it mentions for the first time, and those that were told already only once.
pub async fn an_edit_tells_agents_that_it_mentions_for_the_first_time(world: World) {
    let stage = stage(&world).await;
    let draft = world.draft(&stage.mara, &stage.general, "hi").telling(&stage.tester, DeliveryReason::Subscription);
    let message = world.send(&stage.mara, &draft).await;
    let told = |agent: &Agent| Recipient { agent_id: agent.id.clone(), reason: DeliveryReason::Mention };
    let text = NewText {
        body: "hi @Coder and @Tester".into(),
        mentions: vec![stage.coder.member(), stage.tester.member()],
        deliveries: vec![told(&stage.coder), told(&stage.tester)],
    };
    world.change(&stage.tour.id, &stage.mara, Write::EditMessage(message.id.clone(), text)).await;
    for agent in [&stage.coder, &stage.tester] {
        let entries = inbox(&world, agent).await;
        assert_eq!(entries.len(), 1);
        assert_eq!((entries[0].reason, &entries[0].message.id), (DeliveryReason::Mention, &message.id));
        assert_eq!(stage.unread(&world, agent).await, (1, 1));
    }
}

/// An agent that writes keeps what it has not read.
pub async fn writing_does_not_empty_the_own_inbox(world: World) {
    let stage = stage(&world).await;
    world.send(&stage.mara, &world.draft(&stage.mara, &stage.general, "hi").mentioning(&stage.coder)).await;
    world.post(&stage.coder, &stage.general, "busy").await;
    assert_eq!(bodies(&world, &stage.coder).await, ["hi"]);
}

/// What an agent has not read in a conversation is what stands in its inbox, mentions counted apart.
pub async fn the_unread_of_an_agent_is_its_inbox(world: World) {
    let stage = stage(&world).await;
    let told =
        |body: &str| world.draft(&stage.mara, &stage.general, body).telling(&stage.coder, DeliveryReason::Subscription);
    world.send(&stage.mara, &told("one")).await;
    world.send(&stage.mara, &world.draft(&stage.mara, &stage.general, "two").mentioning(&stage.coder)).await;
    world.post(&stage.mara, &stage.general, "not told").await;
    assert_eq!(stage.unread(&world, &stage.coder).await, (2, 1));
    assert_eq!(stage.unread(&world, &stage.tester).await, (0, 0));
}

/// What an agent may no longer read leaves its inbox and its counts: the channel, and the threads below it.
pub async fn what_an_agent_may_no_longer_read_leaves_its_inbox(world: World) {
    let stage = stage(&world).await;
    let secret = world.private_channel("secret", &stage.tour, &[&stage.mara, &stage.coder]).await;
    for channel in [&secret, &stage.general] {
        let root = world.send(&stage.mara, &world.draft(&stage.mara, channel, "above").mentioning(&stage.coder)).await;
        let thread = world.thread(channel, &root).await;
        world.send(&stage.mara, &world.draft(&stage.mara, &thread, "below").mentioning(&stage.coder)).await;
    }
    assert_eq!(bodies(&world, &stage.coder).await, ["above", "below", "above", "below"]);
    let member = ChannelMember { channel_id: secret.id, member_id: stage.coder.member() };
    world.change(&stage.tour.id, &stage.mara, Write::RemoveChannelMember(member)).await;
    assert_eq!(bodies(&world, &stage.coder).await, ["above", "below"]);
    let close = ChannelPatch { visibility: Some(Visibility::Private), ..ChannelPatch::default() };
    let write = Write::UpdateChannel(stage.general.id.clone(), close, vec![stage.mara.member()]);
    world.change(&stage.tour.id, &stage.mara, write).await;
    assert_eq!(bodies(&world, &stage.coder).await, Vec::<String>::new());
    assert_eq!(stage.unread(&world, &stage.coder).await, (0, 0));
}
