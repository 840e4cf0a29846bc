//! How members stand to a conversation, and who has to be told of a post.

use parlour_core::{
    access::Membership,
    conversation::{Channel, Visibility},
    event::{ChannelMember, Subscription},
    id::{AgentId, ConversationId, MemberId},
    inbox::Listeners,
    member::{Agent, Person},
    project::Project,
    write::{Archival, Write},
};

use crate::world::{Caller, Place, World};

/// A project with a public and a private channel, and members who stand differently to them.
struct Stage {
    mara: Person,
    bela: Person,
    outsider: Person,
    tour: Project,
    coder: Agent,
    general: Channel,
    secret: Channel,
}

async fn stage(world: &World) -> Stage {
    let mara = world.person("Mara").await;
    let tour = world.project("Tour", &mara).await;
    let coder = world.agent("Coder", &tour).await;
    Stage {
        bela: world.member("Bela", &tour).await,
        outsider: world.person("Olaf").await,
        general: world.channel("general", &tour).await,
        secret: world.private_channel("secret", &tour, &[&mara, &coder]).await,
        mara,
        tour,
        coder,
    }
}

async fn membership(world: &World, place: &dyn Place, viewer: &dyn Caller) -> Membership {
    let read = world.store().conversation(&place.conversation_id(), &viewer.member()).await;
    read.expect("read").expect("a conversation").1
}

async fn listeners(world: &World, place: &dyn Place, author: &dyn Caller) -> Listeners {
    let post_context = world.store().post_context(&place.conversation_id(), &author.member()).await;
    post_context.expect("post_context").expect("a conversation").listeners
}

async fn readers(world: &World, id: &ConversationId, members: &[MemberId]) -> Vec<MemberId> {
    let mut readers = world.store().readers_among(id, members).await.expect("readers");
    readers.sort();
    readers
}

fn sorted<T: Ord>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut items: Vec<T> = items.into_iter().collect();
    items.sort();
    items
}

/// A channel of the project is within reach of all its members and of nobody else.
pub async fn a_project_channel_reaches_the_members_of_the_project(world: World) {
    let stage = stage(&world).await;
    for (viewer, is_project_member) in
        [(&stage.mara as &dyn Caller, true), (&stage.coder, true), (&stage.bela, true), (&stage.outsider, false)]
    {
        let membership = membership(&world, &stage.general, viewer).await;
        assert_eq!((membership.visibility, membership.is_archived), (Visibility::Project, false));
        assert_eq!(membership.is_project_member, is_project_member, "{:?}", viewer.member());
    }
}

/// A private channel is within reach of its own members only.
pub async fn a_private_channel_reaches_its_members(world: World) {
    let stage = stage(&world).await;
    for (viewer, is_project_member, is_conversation_member) in [
        (&stage.mara as &dyn Caller, true, true),
        (&stage.coder, true, true),
        (&stage.bela, true, false),
        (&stage.outsider, false, false),
    ] {
        let expected = Membership {
            visibility: Visibility::Private,
            is_project_member,
            is_conversation_member,
            is_archived: false,
        };
        assert_eq!(membership(&world, &stage.secret, viewer).await, expected, "{:?}", viewer.member());
    }
}

/// A dm is within reach of its participants only, and a participant who left the project is known as such.
pub async fn a_dm_reaches_its_participants(world: World) {
    let stage = stage(&world).await;
    let dm = world.dm(&stage.tour, &[&stage.mara, &stage.bela]).await;
    let at_dm = |is_project_member, is_conversation_member| Membership {
        visibility: Visibility::Private,
        is_project_member,
        is_conversation_member,
        is_archived: false,
    };
    assert_eq!(membership(&world, &dm, &stage.mara).await, at_dm(true, true));
    assert_eq!(membership(&world, &dm, &stage.coder).await, at_dm(true, false));
    world.change(&stage.tour.id, &stage.mara, Write::RemovePerson(stage.bela.id.clone())).await;
    assert!(!membership(&world, &dm, &stage.bela).await.is_project_member);
}

/// A thread stands as its channel does, for members, for others and when the channel is archived.
pub async fn a_thread_stands_as_its_channel(world: World) {
    let stage = stage(&world).await;
    for channel in [&stage.general, &stage.secret] {
        let root = world.post(&stage.mara, channel, "root").await;
        let thread = world.thread(channel, &root).await;
        for archival in [Archival::Active, Archival::Archived] {
            let archive = Write::ArchiveChannel(channel.id.clone(), archival);
            world.append(&stage.tour.id, &stage.mara, archive).await.expect("archived or so already");
            for viewer in [&stage.mara as &dyn Caller, &stage.coder, &stage.bela, &stage.outsider] {
                let of_channel = membership(&world, channel, viewer).await;
                assert_eq!(of_channel.is_archived, archival == Archival::Archived);
                assert_eq!(membership(&world, &thread, viewer).await, of_channel);
            }
        }
    }
}

/// What a post needs to know agrees with what a reader is told.
pub async fn a_scene_agrees_with_the_conversation(world: World) {
    let stage = stage(&world).await;
    let root = world.post(&stage.mara, &stage.secret, "root").await;
    let thread = world.thread(&stage.secret, &root).await;
    let dm = world.dm(&stage.tour, &[&stage.mara, &stage.coder]).await;
    for place in [&stage.general as &dyn Place, &stage.secret, &thread, &dm] {
        for author in [&stage.mara as &dyn Caller, &stage.coder, &stage.bela, &stage.outsider] {
            let (id, member) = (place.conversation_id(), author.member());
            let post_context =
                world.store().post_context(&id, &member).await.expect("post_context").expect("a conversation");
            let read = world.store().conversation(&id, &member).await.expect("read").expect("a conversation");
            assert_eq!((post_context.conversation, post_context.membership), read);
        }
    }
}

/// The agents subscribed to a channel listen to it, and not to another one.
pub async fn subscribers_listen_to_their_channel(world: World) {
    let stage = stage(&world).await;
    let tester = world.agent("Tester", &stage.tour).await;
    let random = world.channel("random", &stage.tour).await;
    for agent in [&stage.coder, &tester] {
        world.subscribe(agent, &stage.general).await;
    }
    let heard = listeners(&world, &stage.general, &stage.mara).await;
    assert_eq!(sorted(heard.subscribers), sorted([stage.coder.id.clone(), tester.id.clone()]));
    assert_eq!((heard.thread_agents, heard.dm_agents), (Vec::<AgentId>::new(), Vec::<AgentId>::new()));
    assert_eq!(listeners(&world, &random, &stage.mara).await, Listeners::default());
    let end = Subscription { channel_id: stage.general.id.clone(), agent_id: tester.id };
    world.change(&stage.tour.id, &stage.mara, Write::Unsubscribe(end)).await;
    assert_eq!(listeners(&world, &stage.general, &stage.mara).await.subscribers, [stage.coder.id]);
}

/// Agents that have written in a thread listen to it, and so does the author of the message above.
pub async fn thread_writers_and_the_root_author_listen_to_a_thread(world: World) {
    let stage = stage(&world).await;
    let (tester, silent) = (world.agent("Tester", &stage.tour).await, world.agent("Silent", &stage.tour).await);
    let root = world.post(&stage.coder, &stage.general, "root").await;
    let thread = world.thread(&stage.general, &root).await;
    assert_eq!(listeners(&world, &thread, &stage.mara).await.thread_agents, vec![stage.coder.id.clone()]);
    world.post(&tester, &thread, "one").await;
    world.post(&tester, &thread, "two").await;
    world.post(&stage.mara, &thread, "three").await;
    world.post(&silent, &stage.general, "not in the thread").await;
    let heard = sorted(listeners(&world, &thread, &stage.mara).await.thread_agents);
    assert_eq!(heard, sorted([stage.coder.id.clone(), tester.id]));
}

/// An agent that has written in a thread and may no longer read it is not told of it any more.
pub async fn agents_without_access_do_not_listen(world: World) {
    let stage = stage(&world).await;
    let root = world.post(&stage.coder, &stage.secret, "root").await;
    let thread = world.thread(&stage.secret, &root).await;
    world.post(&stage.coder, &thread, "inside").await;
    world.subscribe(&stage.coder, &stage.secret).await;
    let member = ChannelMember { channel_id: stage.secret.id.clone(), member_id: stage.coder.member() };
    world.change(&stage.tour.id, &stage.mara, Write::RemoveChannelMember(member)).await;
    for place in [&stage.secret as &dyn Place, &thread] {
        assert_eq!(listeners(&world, place, &stage.mara).await, Listeners::default());
    }
}

/// The agents of a dm listen to it.
pub async fn agents_listen_to_their_dm(world: World) {
    let stage = stage(&world).await;
    let dm = world.dm(&stage.tour, &[&stage.mara, &stage.bela, &stage.coder]).await;
    let heard = listeners(&world, &dm, &stage.mara).await;
    assert_eq!(heard, Listeners { dm_agents: vec![stage.coder.id.clone()], ..Listeners::default() });
}

/// Of some members, those are told who can read the conversation: by the project, the channel or the dm.
pub async fn readers_are_those_who_can_read(world: World) {
    let stage = stage(&world).await;
    let dm = world.dm(&stage.tour, &[&stage.mara, &stage.bela]).await;
    let root = world.post(&stage.mara, &stage.secret, "root").await;
    let thread = world.thread(&stage.secret, &root).await;
    let (mara, bela, coder) = (stage.mara.member(), stage.bela.member(), stage.coder.member());
    let all = [mara.clone(), bela.clone(), coder.clone(), stage.outsider.member()];
    for (place, expected) in [
        (&stage.general as &dyn Place, sorted([mara.clone(), bela.clone(), coder.clone()])),
        (&stage.secret, sorted([mara.clone(), coder.clone()])),
        (&thread, sorted([mara.clone(), coder])),
        (&dm, sorted([mara.clone(), bela.clone()])),
    ] {
        assert_eq!(readers(&world, &place.conversation_id(), &all).await, expected, "{}", place.conversation_id());
    }
    assert_eq!(readers(&world, &dm.conversation_id(), &[bela]).await.len(), 1);
    assert_eq!(readers(&world, &dm.conversation_id(), &[]).await, []);
    world.change(&stage.tour.id, &stage.mara, Write::RemovePerson(stage.bela.id)).await;
    assert_eq!(readers(&world, &dm.conversation_id(), &all).await, [mara]);
}
