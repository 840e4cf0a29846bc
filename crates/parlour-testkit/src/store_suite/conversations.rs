//! Channels, threads and dms as they are read and listed.

use parlour_core::{
    conversation::{Channel, ChannelPatch, Conversation, Dm, Thread, Visibility},
    event::{ChannelMember, Subscription},
    id::{AgentId, ChannelId, ConversationId, DmId, MemberId, ThreadId},
    write::{Archival, Write},
};

use crate::world::{Caller, Place, World, check_pages, read_all};

async fn read(world: &World, id: &ConversationId) -> Option<Conversation> {
    let viewer = MemberId::from(AgentId::from_bits(world.bits()));
    world.store().conversation(id, &viewer).await.expect("read").map(|(conversation, _)| conversation)
}

async fn members(world: &World, channel: &Channel) -> Vec<MemberId> {
    read_all(9, async |page| world.store().channel_members(&channel.id, &page).await).await
}

async fn subscribers(world: &World, channel: &Channel) -> Vec<AgentId> {
    read_all(9, async |page| world.store().subscribers(&channel.id, &page).await).await
}

/// Every sort of conversation is read as it was made.
pub async fn a_conversation_is_read_as_it_was_made(world: World) {
    let mara = world.person("Mara").await;
    let tour = world.project("Tour", &mara).await;
    let coder = world.agent("Coder", &tour).await;
    let channel = Channel { topic: Some("Plans".into()), ..world.new_channel("general", &tour) };
    world.change(&tour.id, &mara, Write::CreateChannel(channel.clone(), Vec::new())).await;
    let root = world.post(&mara, &channel, "root").await;
    let thread = Thread { created_by: Some(mara.member()), ..world.new_thread(&channel, &root) };
    world.change(&tour.id, &mara, Write::CreateThread(thread.clone())).await;
    let dm = world.dm(&tour, &[&mara, &coder]).await;
    assert_eq!(read(&world, &channel.conversation_id()).await, Some(Conversation::Channel(channel)));
    assert_eq!(read(&world, &thread.conversation_id()).await, Some(Conversation::Thread(thread)));
    assert_eq!(read(&world, &dm.conversation_id()).await, Some(Conversation::Dm(dm)));
}

/// A conversation that does not exist is none, for reading and for writing.
pub async fn an_unknown_conversation_is_none(world: World) {
    let mara = world.person("Mara").await;
    let unknown: [ConversationId; 3] = [
        ChannelId::from_bits(world.bits()).into(),
        ThreadId::from_bits(world.bits()).into(),
        DmId::from_bits(world.bits()).into(),
    ];
    for id in unknown {
        assert_eq!(read(&world, &id).await, None);
        assert_eq!(world.store().post_context(&id, &mara.member()).await.expect("post_context"), None);
        assert_eq!(world.store().readers_among(&id, &[mara.member()]).await.expect("readers"), []);
    }
}

/// A change of a channel changes what it names, and archiving keeps the moment.
pub async fn a_channel_is_read_as_it_is_now(world: World) {
    let mara = world.person("Mara").await;
    let tour = world.project("Tour", &mara).await;
    let channel = world.channel("general", &tour).await;
    let id = channel.conversation_id();
    let patch = ChannelPatch { name: Some(world.name("plaza")), topic: Some("All".into()), ..ChannelPatch::default() };
    world.change(&tour.id, &mara, Write::UpdateChannel(channel.id.clone(), patch.clone(), Vec::new())).await;
    let patched = channel.patched(&patch).expect("patched");
    assert_eq!(read(&world, &id).await, Some(Conversation::Channel(patched.clone())));
    world.change(&tour.id, &mara, Write::ArchiveChannel(channel.id.clone(), Archival::Archived)).await;
    let archived = Channel { archived_at: Some(world.now()), ..patched.clone() };
    assert_eq!(read(&world, &id).await, Some(Conversation::Channel(archived)));
    world.change(&tour.id, &mara, Write::ArchiveChannel(channel.id.clone(), Archival::Active)).await;
    assert_eq!(read(&world, &id).await, Some(Conversation::Channel(patched)));
}

/// Channels of a project are listed oldest first, archived ones too.
pub async fn channels_are_listed_oldest_first(world: World) {
    let mara = world.person("Mara").await;
    let (tour, fair) = (world.project("Tour", &mara).await, world.project("Fair", &mara).await);
    let mut expected = Vec::new();
    for name in ["zebra", "general", "art"] {
        world.channel(name, &fair).await;
        let channel = world.channel(name, &tour).await;
        world.change(&tour.id, &mara, Write::ArchiveChannel(channel.id.clone(), Archival::Archived)).await;
        expected.push(channel.id.to_string());
    }
    let (key, caller) = (|channel: &Channel| channel.id.to_string(), mara.principal());
    check_pages(&expected, key, async |page| world.store().channels(&tour.id, &caller, &page).await).await;
}

/// Threads of a channel are listed oldest first, and the message above shows its thread.
pub async fn threads_are_listed_oldest_first(world: World) {
    let mara = world.person("Mara").await;
    let tour = world.project("Tour", &mara).await;
    let (general, random) = (world.channel("general", &tour).await, world.channel("random", &tour).await);
    world.thread(&random, &world.post(&mara, &random, "elsewhere").await).await;
    let mut roots = Vec::new();
    for body in ["one", "two", "three"] {
        roots.push(world.post(&mara, &general, body).await);
    }
    let mut expected = Vec::new();
    for root in roots.iter().rev() {
        let thread = world.thread(&general, root).await;
        let shown = world.store().message(&root.id).await.expect("read").expect("a message");
        assert_eq!(shown.thread_id, Some(thread.id.clone()));
        expected.push(thread.id.to_string());
    }
    let key = |thread: &Thread| thread.id.to_string();
    check_pages(&expected, key, async |page| world.store().threads(&general.id, &page).await).await;
}

/// The dms of a member are listed oldest first, in one project or in all; those of others are not there.
pub async fn dms_are_listed_for_their_participants(world: World) {
    let mara = world.person("Mara").await;
    let (tour, fair) = (world.project("Tour", &mara).await, world.project("Fair", &mara).await);
    let (bela, zoe) = (world.member("Bela", &tour).await, world.member("Zoe", &tour).await);
    world.join(&bela, &fair).await;
    let first = world.dm(&tour, &[&mara, &zoe]).await.id.to_string();
    world.dm(&tour, &[&bela, &zoe]).await;
    let second = world.dm(&fair, &[&mara, &bela]).await.id.to_string();
    let third = world.dm(&tour, &[&mara, &bela]).await.id.to_string();
    let (key, member) = (|dm: &Dm| dm.id.to_string(), mara.member());
    let here = [first.clone(), third.clone()];
    check_pages(&here, key, async |page| world.store().dms(&member, Some(&tour.id), &page).await).await;
    check_pages(&[first, second, third], key, async |page| world.store().dms(&member, None, &page).await).await;
}

/// Members of a private channel are listed by id, on pages of any size.
pub async fn channel_members_are_listed_by_id(world: World) {
    let mara = world.person("Mara").await;
    let tour = world.project("Tour", &mara).await;
    let (coder, bela) = (world.agent("Coder", &tour).await, world.member("Bela", &tour).await);
    let secret = world.private_channel("secret", &tour, &[&mara]).await;
    world.admit(&bela, &secret).await;
    world.admit(&coder, &secret).await;
    let mut expected = [mara.member(), bela.member(), coder.member()].map(|member| member.to_string());
    expected.sort();
    check_pages(&expected, MemberId::to_string, async |page| world.store().channel_members(&secret.id, &page).await)
        .await;
    let one = ChannelMember { channel_id: secret.id.clone(), member_id: bela.member() };
    world.change(&tour.id, &mara, Write::RemoveChannelMember(one)).await;
    assert!(!members(&world, &secret).await.contains(&bela.member()));
}

/// Subscribers of a channel are listed by id, on pages of any size.
pub async fn subscribers_are_listed_by_id(world: World) {
    let mara = world.person("Mara").await;
    let tour = world.project("Tour", &mara).await;
    let general = world.channel("general", &tour).await;
    let (one, two, three) =
        (world.agent("One", &tour).await, world.agent("Two", &tour).await, world.agent("Three", &tour).await);
    for agent in [&three, &one, &two] {
        world.subscribe(agent, &general).await;
    }
    let expected = [&one, &two, &three].map(|agent| agent.id.to_string());
    check_pages(&expected, AgentId::to_string, async |page| world.store().subscribers(&general.id, &page).await).await;
    let end = Subscription { channel_id: general.id.clone(), agent_id: two.id };
    world.change(&tour.id, &mara, Write::Unsubscribe(end)).await;
    assert_eq!(subscribers(&world, &general).await, [one.id, three.id]);
}

/// An agent that is taken out of a private channel no longer follows it.
pub async fn leaving_a_private_channel_ends_the_subscription(world: World) {
    let mara = world.person("Mara").await;
    let tour = world.project("Tour", &mara).await;
    let coder = world.agent("Coder", &tour).await;
    let secret = world.private_channel("secret", &tour, &[&mara, &coder]).await;
    world.subscribe(&coder, &secret).await;
    let one = ChannelMember { channel_id: secret.id.clone(), member_id: coder.member() };
    world.change(&tour.id, &mara, Write::RemoveChannelMember(one)).await;
    assert_eq!(subscribers(&world, &secret).await, []);
    assert_eq!(members(&world, &secret).await, [mara.member()]);
}

/// A channel that becomes private keeps the named members, and lets everybody in when it opens again.
pub async fn a_channel_that_becomes_private_keeps_the_named_members(world: World) {
    let mara = world.person("Mara").await;
    let tour = world.project("Tour", &mara).await;
    let bela = world.member("Bela", &tour).await;
    let general = world.channel("general", &tour).await;
    let turn = async |visibility, kept: Vec<MemberId>| {
        let patch = ChannelPatch { visibility: Some(visibility), ..ChannelPatch::default() };
        world.change(&tour.id, &mara, Write::UpdateChannel(general.id.clone(), patch, kept)).await;
    };
    let readers = async || {
        let both = [mara.member(), bela.member()];
        world.store().readers_among(&general.conversation_id(), &both).await.expect("readers")
    };
    turn(Visibility::Private, vec![mara.member()]).await;
    assert_eq!(members(&world, &general).await, [mara.member()]);
    assert_eq!(readers().await, [mara.member()]);
    turn(Visibility::Project, Vec::new()).await;
    assert_eq!(readers().await.len(), 2);
}
