//! Channels, threads and DMs: reading, listing, memberships and the context of a post.

use parlour_core::{
    access::Membership,
    conversation::{Channel, ChannelPatch, Conversation, Dm, Thread, Visibility},
    event::{ChannelMember, Subscription},
    id::{AgentId, ChannelId, ConversationId, DmId, MemberId, ThreadId},
    inbox::Listeners,
    member::{Agent, Person},
    project::Project,
    write::{Archival, Write},
};

use crate::test_store::{PostTarget, TestMember, TestStore, check_pages, read_all};

async fn read(test_store: &TestStore, id: &ConversationId) -> Option<Conversation> {
    let viewer = MemberId::from(AgentId::from_bits(test_store.bits()));
    test_store.store().conversation(id, &viewer).await.expect("read").map(|(conversation, _)| conversation)
}

async fn members(test_store: &TestStore, channel: &Channel) -> Vec<MemberId> {
    read_all(9, async |page| test_store.store().channel_members(&channel.id, &page).await).await
}

async fn subscribers(test_store: &TestStore, channel: &Channel) -> Vec<AgentId> {
    read_all(9, async |page| test_store.store().subscribers(&channel.id, &page).await).await
}

pub async fn a_conversation_is_read_as_it_was_created(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    let tour = test_store.project("Tour", &mara).await;
    let coder = test_store.agent("Coder", &tour).await;
    let channel = Channel { topic: Some("Plans".into()), ..test_store.new_channel("general", &tour) };
    test_store.change(&tour.id, &mara, Write::CreateChannel(channel.clone(), Vec::new())).await;
    let root = test_store.post(&mara, &channel, "root").await;
    let thread = Thread { created_by: Some(mara.member()), ..test_store.new_thread(&channel, &root) };
    test_store.change(&tour.id, &mara, Write::CreateThread(thread.clone())).await;
    let dm = test_store.dm(&tour, &[&mara, &coder]).await;
    assert_eq!(read(&test_store, &channel.conversation_id()).await, Some(Conversation::Channel(channel)));
    assert_eq!(read(&test_store, &thread.conversation_id()).await, Some(Conversation::Thread(thread)));
    assert_eq!(read(&test_store, &dm.conversation_id()).await, Some(Conversation::Dm(dm)));
}

/// An unknown conversation has neither a membership nor a post context.
pub async fn an_unknown_conversation_is_none(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    let unknown: [ConversationId; 3] = [
        ChannelId::from_bits(test_store.bits()).into(),
        ThreadId::from_bits(test_store.bits()).into(),
        DmId::from_bits(test_store.bits()).into(),
    ];
    for id in unknown {
        assert_eq!(read(&test_store, &id).await, None);
        assert_eq!(test_store.store().post_context(&id, &mara.member()).await.expect("post_context"), None);
        assert_eq!(test_store.store().readers_among(&id, &[mara.member()]).await.expect("readers"), []);
    }
}

/// A patch changes the named fields only, and archiving stores its time.
pub async fn a_channel_is_read_with_its_changes(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    let tour = test_store.project("Tour", &mara).await;
    let channel = test_store.channel("general", &tour).await;
    let id = channel.conversation_id();
    let patch =
        ChannelPatch { name: Some(test_store.name("plaza")), topic: Some("All".into()), ..ChannelPatch::default() };
    test_store.change(&tour.id, &mara, Write::UpdateChannel(channel.id.clone(), patch.clone(), Vec::new())).await;
    let patched = channel.patched(&patch).expect("patched");
    assert_eq!(read(&test_store, &id).await, Some(Conversation::Channel(patched.clone())));
    test_store.change(&tour.id, &mara, Write::ArchiveChannel(channel.id.clone(), Archival::Archived)).await;
    let archived = Channel { archived_at: Some(test_store.now()), ..patched.clone() };
    assert_eq!(read(&test_store, &id).await, Some(Conversation::Channel(archived)));
    test_store.change(&tour.id, &mara, Write::ArchiveChannel(channel.id.clone(), Archival::Active)).await;
    assert_eq!(read(&test_store, &id).await, Some(Conversation::Channel(patched)));
}

/// Channels of a project are listed oldest first, including archived ones.
pub async fn channels_are_listed_oldest_first(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    let (tour, fair) = (test_store.project("Tour", &mara).await, test_store.project("Fair", &mara).await);
    let mut expected = Vec::new();
    for name in ["zebra", "general", "art"] {
        test_store.channel(name, &fair).await;
        let channel = test_store.channel(name, &tour).await;
        test_store.change(&tour.id, &mara, Write::ArchiveChannel(channel.id.clone(), Archival::Archived)).await;
        expected.push(channel.id.to_string());
    }
    let (key, caller) = (|channel: &Channel| channel.id.to_string(), mara.principal());
    check_pages(&expected, key, async |page| test_store.store().channels(&tour.id, &caller, &page).await).await;
}

/// Threads of a channel are listed oldest first, and the root message names its thread.
pub async fn threads_are_listed_oldest_first(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    let tour = test_store.project("Tour", &mara).await;
    let (general, random) = (test_store.channel("general", &tour).await, test_store.channel("random", &tour).await);
    test_store.thread(&random, &test_store.post(&mara, &random, "elsewhere").await).await;
    let mut roots = Vec::new();
    for body in ["one", "two", "three"] {
        roots.push(test_store.post(&mara, &general, body).await);
    }
    let mut expected = Vec::new();
    for root in roots.iter().rev() {
        let thread = test_store.thread(&general, root).await;
        let shown = test_store.store().message(&root.id).await.expect("read").expect("a message");
        assert_eq!(shown.thread_id, Some(thread.id.clone()));
        expected.push(thread.id.to_string());
    }
    let key = |thread: &Thread| thread.id.to_string();
    check_pages(&expected, key, async |page| test_store.store().threads(&general.id, &page).await).await;
}

/// The DMs of a member are listed oldest first, in one project or in all.
pub async fn dms_are_listed_for_their_participants(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    let (tour, fair) = (test_store.project("Tour", &mara).await, test_store.project("Fair", &mara).await);
    let (bela, zoe) = (test_store.member("Bela", &tour).await, test_store.member("Zoe", &tour).await);
    test_store.join(&bela, &fair).await;
    let first = test_store.dm(&tour, &[&mara, &zoe]).await.id.to_string();
    test_store.dm(&tour, &[&bela, &zoe]).await;
    let second = test_store.dm(&fair, &[&mara, &bela]).await.id.to_string();
    let third = test_store.dm(&tour, &[&mara, &bela]).await.id.to_string();
    let (key, member) = (|dm: &Dm| dm.id.to_string(), mara.member());
    let here = [first.clone(), third.clone()];
    check_pages(&here, key, async |page| test_store.store().dms(&member, Some(&tour.id), &page).await).await;
    check_pages(&[first, second, third], key, async |page| test_store.store().dms(&member, None, &page).await).await;
}

pub async fn channel_members_are_listed_by_id(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    let tour = test_store.project("Tour", &mara).await;
    let (coder, bela) = (test_store.agent("Coder", &tour).await, test_store.member("Bela", &tour).await);
    let secret = test_store.private_channel("secret", &tour, &[&mara]).await;
    test_store.admit(&bela, &secret).await;
    test_store.admit(&coder, &secret).await;
    let mut expected = [mara.member(), bela.member(), coder.member()].map(|member| member.to_string());
    expected.sort();
    check_pages(&expected, MemberId::to_string, async |page| {
        test_store.store().channel_members(&secret.id, &page).await
    })
    .await;
    let one = ChannelMember { channel_id: secret.id.clone(), member_id: bela.member() };
    test_store.change(&tour.id, &mara, Write::RemoveChannelMember(one)).await;
    assert!(!members(&test_store, &secret).await.contains(&bela.member()));
}

pub async fn subscribers_are_listed_by_id(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    let tour = test_store.project("Tour", &mara).await;
    let general = test_store.channel("general", &tour).await;
    let (one, two, three) = (
        test_store.agent("One", &tour).await,
        test_store.agent("Two", &tour).await,
        test_store.agent("Three", &tour).await,
    );
    for agent in [&three, &one, &two] {
        test_store.subscribe(agent, &general).await;
    }
    let expected = [&one, &two, &three].map(|agent| agent.id.to_string());
    check_pages(&expected, AgentId::to_string, async |page| test_store.store().subscribers(&general.id, &page).await)
        .await;
    let end = Subscription { channel_id: general.id.clone(), agent_id: two.id };
    test_store.change(&tour.id, &mara, Write::Unsubscribe(end)).await;
    assert_eq!(subscribers(&test_store, &general).await, [one.id, three.id]);
}

pub async fn leaving_a_private_channel_ends_the_subscription(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    let tour = test_store.project("Tour", &mara).await;
    let coder = test_store.agent("Coder", &tour).await;
    let secret = test_store.private_channel("secret", &tour, &[&mara, &coder]).await;
    test_store.subscribe(&coder, &secret).await;
    let one = ChannelMember { channel_id: secret.id.clone(), member_id: coder.member() };
    test_store.change(&tour.id, &mara, Write::RemoveChannelMember(one)).await;
    assert_eq!(subscribers(&test_store, &secret).await, []);
    assert_eq!(members(&test_store, &secret).await, [mara.member()]);
}

/// When the channel is open again, the whole project can read it.
pub async fn a_channel_that_becomes_private_keeps_the_named_members(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    let tour = test_store.project("Tour", &mara).await;
    let bela = test_store.member("Bela", &tour).await;
    let general = test_store.channel("general", &tour).await;
    let turn = async |visibility, kept: Vec<MemberId>| {
        let patch = ChannelPatch { visibility: Some(visibility), ..ChannelPatch::default() };
        test_store.change(&tour.id, &mara, Write::UpdateChannel(general.id.clone(), patch, kept)).await;
    };
    let readers = async || {
        let both = [mara.member(), bela.member()];
        test_store.store().readers_among(&general.conversation_id(), &both).await.expect("readers")
    };
    turn(Visibility::Private, vec![mara.member()]).await;
    assert_eq!(members(&test_store, &general).await, [mara.member()]);
    assert_eq!(readers().await, [mara.member()]);
    turn(Visibility::Project, Vec::new()).await;
    assert_eq!(readers().await.len(), 2);
}

/// A project with a public and a private channel, and people inside and outside of them.
struct MembershipsFixture {
    mara: Person,
    bela: Person,
    outsider: Person,
    tour: Project,
    coder: Agent,
    general: Channel,
    secret: Channel,
}

async fn fixture(test_store: &TestStore) -> MembershipsFixture {
    let mara = test_store.person("Mara").await;
    let tour = test_store.project("Tour", &mara).await;
    let coder = test_store.agent("Coder", &tour).await;
    MembershipsFixture {
        bela: test_store.member("Bela", &tour).await,
        outsider: test_store.person("Olaf").await,
        general: test_store.channel("general", &tour).await,
        secret: test_store.private_channel("secret", &tour, &[&mara, &coder]).await,
        mara,
        tour,
        coder,
    }
}

async fn membership(test_store: &TestStore, target: &dyn PostTarget, viewer: &dyn TestMember) -> Membership {
    let read = test_store.store().conversation(&target.conversation_id(), &viewer.member()).await;
    read.expect("read").expect("a conversation").1
}

async fn listeners(test_store: &TestStore, target: &dyn PostTarget, author: &dyn TestMember) -> Listeners {
    let post_context = test_store.store().post_context(&target.conversation_id(), &author.member()).await;
    post_context.expect("post_context").expect("a conversation").listeners
}

async fn readers(test_store: &TestStore, id: &ConversationId, members: &[MemberId]) -> Vec<MemberId> {
    let mut readers = test_store.store().readers_among(id, members).await.expect("readers");
    readers.sort();
    readers
}

fn sorted<T: Ord>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut items: Vec<T> = items.into_iter().collect();
    items.sort();
    items
}

pub async fn an_open_channel_is_visible_to_project_members(test_store: TestStore) {
    let fixture = fixture(&test_store).await;
    for (viewer, is_project_member) in [
        (&fixture.mara as &dyn TestMember, true),
        (&fixture.coder, true),
        (&fixture.bela, true),
        (&fixture.outsider, false),
    ] {
        let membership = membership(&test_store, &fixture.general, viewer).await;
        assert_eq!((membership.visibility, membership.is_archived), (Visibility::Project, false));
        assert_eq!(membership.is_project_member, is_project_member, "{:?}", viewer.member());
    }
}

pub async fn a_private_channel_is_visible_to_its_members(test_store: TestStore) {
    let fixture = fixture(&test_store).await;
    for (viewer, is_project_member, is_conversation_member) in [
        (&fixture.mara as &dyn TestMember, true, true),
        (&fixture.coder, true, true),
        (&fixture.bela, true, false),
        (&fixture.outsider, false, false),
    ] {
        let expected = Membership {
            visibility: Visibility::Private,
            is_project_member,
            is_conversation_member,
            is_archived: false,
        };
        assert_eq!(membership(&test_store, &fixture.secret, viewer).await, expected, "{:?}", viewer.member());
    }
}

/// A participant who left the project is no project member any more.
pub async fn a_dm_is_visible_to_its_participants(test_store: TestStore) {
    let fixture = fixture(&test_store).await;
    let dm = test_store.dm(&fixture.tour, &[&fixture.mara, &fixture.bela]).await;
    let at_dm = |is_project_member, is_conversation_member| Membership {
        visibility: Visibility::Private,
        is_project_member,
        is_conversation_member,
        is_archived: false,
    };
    assert_eq!(membership(&test_store, &dm, &fixture.mara).await, at_dm(true, true));
    assert_eq!(membership(&test_store, &dm, &fixture.coder).await, at_dm(true, false));
    test_store.change(&fixture.tour.id, &fixture.mara, Write::RemovePerson(fixture.bela.id.clone())).await;
    assert!(!membership(&test_store, &dm, &fixture.bela).await.is_project_member);
}

/// This holds for members, for others and when the channel is archived.
pub async fn a_thread_has_the_membership_of_its_channel(test_store: TestStore) {
    let fixture = fixture(&test_store).await;
    for channel in [&fixture.general, &fixture.secret] {
        let root = test_store.post(&fixture.mara, channel, "root").await;
        let thread = test_store.thread(channel, &root).await;
        for archival in [Archival::Active, Archival::Archived] {
            let archive = Write::ArchiveChannel(channel.id.clone(), archival);
            test_store.append(&fixture.tour.id, &fixture.mara, archive).await.expect("archived or so already");
            for viewer in [&fixture.mara as &dyn TestMember, &fixture.coder, &fixture.bela, &fixture.outsider] {
                let of_channel = membership(&test_store, channel, viewer).await;
                assert_eq!(of_channel.is_archived, archival == Archival::Archived);
                assert_eq!(membership(&test_store, &thread, viewer).await, of_channel);
            }
        }
    }
}

pub async fn a_post_context_agrees_with_the_conversation(test_store: TestStore) {
    let fixture = fixture(&test_store).await;
    let root = test_store.post(&fixture.mara, &fixture.secret, "root").await;
    let thread = test_store.thread(&fixture.secret, &root).await;
    let dm = test_store.dm(&fixture.tour, &[&fixture.mara, &fixture.coder]).await;
    for target in [&fixture.general as &dyn PostTarget, &fixture.secret, &thread, &dm] {
        for author in [&fixture.mara as &dyn TestMember, &fixture.coder, &fixture.bela, &fixture.outsider] {
            let (id, member) = (target.conversation_id(), author.member());
            let post_context =
                test_store.store().post_context(&id, &member).await.expect("post_context").expect("a conversation");
            let read = test_store.store().conversation(&id, &member).await.expect("read").expect("a conversation");
            assert_eq!((post_context.conversation, post_context.membership), read);
        }
    }
}

pub async fn subscribers_receive_posts_of_their_channel(test_store: TestStore) {
    let fixture = fixture(&test_store).await;
    let tester = test_store.agent("Tester", &fixture.tour).await;
    let random = test_store.channel("random", &fixture.tour).await;
    for agent in [&fixture.coder, &tester] {
        test_store.subscribe(agent, &fixture.general).await;
    }
    let listening = listeners(&test_store, &fixture.general, &fixture.mara).await;
    assert_eq!(sorted(listening.subscribers), sorted([fixture.coder.id.clone(), tester.id.clone()]));
    assert_eq!((listening.thread_agents, listening.dm_agents), (Vec::<AgentId>::new(), Vec::<AgentId>::new()));
    assert_eq!(listeners(&test_store, &random, &fixture.mara).await, Listeners::default());
    let end = Subscription { channel_id: fixture.general.id.clone(), agent_id: tester.id };
    test_store.change(&fixture.tour.id, &fixture.mara, Write::Unsubscribe(end)).await;
    assert_eq!(listeners(&test_store, &fixture.general, &fixture.mara).await.subscribers, [fixture.coder.id]);
}

pub async fn thread_authors_and_the_root_author_receive_posts_of_a_thread(test_store: TestStore) {
    let fixture = fixture(&test_store).await;
    let (tester, silent) =
        (test_store.agent("Tester", &fixture.tour).await, test_store.agent("Silent", &fixture.tour).await);
    let root = test_store.post(&fixture.coder, &fixture.general, "root").await;
    let thread = test_store.thread(&fixture.general, &root).await;
    assert_eq!(listeners(&test_store, &thread, &fixture.mara).await.thread_agents, vec![fixture.coder.id.clone()]);
    test_store.post(&tester, &thread, "one").await;
    test_store.post(&tester, &thread, "two").await;
    test_store.post(&fixture.mara, &thread, "three").await;
    test_store.post(&silent, &fixture.general, "not in the thread").await;
    let listening = sorted(listeners(&test_store, &thread, &fixture.mara).await.thread_agents);
    assert_eq!(listening, sorted([fixture.coder.id.clone(), tester.id]));
}

/// An agent that has posted in a thread and can no longer read it gets no further posts.
pub async fn agents_without_access_receive_no_posts(test_store: TestStore) {
    let fixture = fixture(&test_store).await;
    let root = test_store.post(&fixture.coder, &fixture.secret, "root").await;
    let thread = test_store.thread(&fixture.secret, &root).await;
    test_store.post(&fixture.coder, &thread, "inside").await;
    test_store.subscribe(&fixture.coder, &fixture.secret).await;
    let member = ChannelMember { channel_id: fixture.secret.id.clone(), member_id: fixture.coder.member() };
    test_store.change(&fixture.tour.id, &fixture.mara, Write::RemoveChannelMember(member)).await;
    for target in [&fixture.secret as &dyn PostTarget, &thread] {
        assert_eq!(listeners(&test_store, target, &fixture.mara).await, Listeners::default());
    }
}

pub async fn agents_receive_posts_of_their_dm(test_store: TestStore) {
    let fixture = fixture(&test_store).await;
    let dm = test_store.dm(&fixture.tour, &[&fixture.mara, &fixture.bela, &fixture.coder]).await;
    let listening = listeners(&test_store, &dm, &fixture.mara).await;
    assert_eq!(listening, Listeners { dm_agents: vec![fixture.coder.id.clone()], ..Listeners::default() });
}

/// Members with access by the project, the channel or the DM are returned.
pub async fn readers_among_members_are_those_with_access(test_store: TestStore) {
    let fixture = fixture(&test_store).await;
    let dm = test_store.dm(&fixture.tour, &[&fixture.mara, &fixture.bela]).await;
    let root = test_store.post(&fixture.mara, &fixture.secret, "root").await;
    let thread = test_store.thread(&fixture.secret, &root).await;
    let (mara, bela, coder) = (fixture.mara.member(), fixture.bela.member(), fixture.coder.member());
    let all = [mara.clone(), bela.clone(), coder.clone(), fixture.outsider.member()];
    for (target, expected) in [
        (&fixture.general as &dyn PostTarget, sorted([mara.clone(), bela.clone(), coder.clone()])),
        (&fixture.secret, sorted([mara.clone(), coder.clone()])),
        (&thread, sorted([mara.clone(), coder])),
        (&dm, sorted([mara.clone(), bela.clone()])),
    ] {
        assert_eq!(
            readers(&test_store, &target.conversation_id(), &all).await,
            expected,
            "{}",
            target.conversation_id()
        );
    }
    assert_eq!(readers(&test_store, &dm.conversation_id(), &[bela]).await.len(), 1);
    assert_eq!(readers(&test_store, &dm.conversation_id(), &[]).await, []);
    test_store.change(&fixture.tour.id, &fixture.mara, Write::RemovePerson(fixture.bela.id)).await;
    assert_eq!(readers(&test_store, &dm.conversation_id(), &all).await, [mara]);
}
