//! Three implementations decide who can read a conversation: `access::may_read` for one conversation,
//! `sqlite/access.rs` for lists, and `Audience` with `PrivateChannelMembers` for live events. These tests compare all
//! three for every combination of a small set of members and conversations.

use std::{collections::BTreeSet, sync::Arc};

use parlour_adapters::{SqliteOptions, SqliteStore};
use parlour_core::{
    access::{Membership, Principal, may_read, may_see_project},
    audience::{AccessRoot, Audience, PrivateChannelMembers},
    conversation::{Channel, Conversation, Visibility},
    id::{ConversationId, MemberId},
    paging::PageRequest,
    project::Project,
    search_query::SearchQuery,
    write::{Archival, Write},
};
use parlour_testkit::{PostTarget, TestMember, TestStore};

/// All members of the hub: two of the project and three others, one of them an administrator.
struct Readers {
    all: Vec<Principal>,
    /// The number of project members; they are the first ones of `all`.
    inside: usize,
}

/// A conversation with the facts that determine its readers.
struct ConversationFacts {
    conversation: Conversation,
    visibility: Visibility,
    members: BTreeSet<MemberId>,
    is_archived: bool,
}

struct RuleFixture {
    test_store: TestStore,
    tour: Project,
    readers: Readers,
    known: Vec<ConversationFacts>,
}

impl RuleFixture {
    async fn new(test_store: TestStore) -> Self {
        let owner = test_store.person("Owner").await;
        let tour = test_store.project("Tour", &owner).await;
        let (person, agent) = (test_store.member("Mara", &tour).await, test_store.agent("Coder", &tour).await);
        let other = test_store.project("Other", &owner).await;
        let (stranger, root) = (test_store.person("Olaf").await, test_store.admin("Root").await);
        let foreign = test_store.agent("Robot", &other).await;
        let all = [&person as &dyn TestMember, &agent, &stranger, &root, &foreign].map(TestMember::principal).to_vec();
        let mut small = Self { test_store, tour, readers: Readers { all, inside: 2 }, known: Vec::new() };
        let seated: [&dyn TestMember; 2] = [&person, &agent];
        small.add_channels(&owner, &seated).await;
        small.add_dms(&owner, &seated).await;
        small
    }

    /// Open and private channels with every choice of members, archived or not, each with a thread.
    async fn add_channels(&mut self, owner: &dyn TestMember, seated: &[&dyn TestMember]) {
        for choice in 0..8_usize {
            let is_archived = choice & 4 != 0;
            let inside = chosen(seated, choice);
            let channel = self.test_store.private_channel(&format!("private {choice}"), &self.tour, &inside).await;
            self.add_channel(owner, channel, Visibility::Private, &inside, is_archived).await;
        }
        for is_archived in [false, true] {
            let channel = self.test_store.channel(&format!("open {is_archived}"), &self.tour).await;
            self.add_channel(owner, channel, Visibility::Project, &[], is_archived).await;
        }
    }

    async fn add_channel(
        &mut self,
        owner: &dyn TestMember,
        channel: Channel,
        visibility: Visibility,
        inside: &[&dyn TestMember],
        is_archived: bool,
    ) {
        let root = self.test_store.post(owner, &channel, "needle").await;
        let thread = self.test_store.thread(&channel, &root).await;
        self.test_store.post(owner, &thread, "needle").await;
        if is_archived {
            let write = Write::ArchiveChannel(channel.id.clone(), Archival::Archived);
            self.test_store.change(&self.tour.id, owner, write).await;
        }
        let members: BTreeSet<_> = inside.iter().map(|one| one.member()).collect();
        for conversation in [Conversation::Channel(channel), Conversation::Thread(thread)] {
            self.known.push(ConversationFacts { conversation, visibility, members: members.clone(), is_archived });
        }
    }

    async fn add_dms(&mut self, owner: &dyn TestMember, seated: &[&dyn TestMember]) {
        for choice in 1..4_usize {
            let inside = chosen(seated, choice);
            let dm = self.test_store.dm(&self.tour, &[inside.as_slice(), &[owner]].concat()).await;
            self.test_store.post(owner, &dm, "needle").await;
            let members = inside.iter().map(|one| one.member()).collect();
            let conversation = Conversation::Dm(dm);
            self.known.push(ConversationFacts {
                conversation,
                visibility: Visibility::Private,
                members,
                is_archived: false,
            });
        }
    }

    /// The membership of a reader, and the result of `access::may_read`.
    fn may_read_by_core(&self, number: usize, known: &ConversationFacts) -> (Membership, bool) {
        let caller = &self.readers.all[number];
        let membership = Membership {
            visibility: known.visibility,
            is_project_member: number < self.readers.inside,
            is_conversation_member: known.members.contains(&caller.member),
            is_archived: known.is_archived,
        };
        (membership, may_read(caller, &membership))
    }

    /// The conversations whose messages the store finds for a reader.
    async fn found_by_store(&self, caller: &Principal) -> BTreeSet<ConversationId> {
        let (store, project) = (self.test_store.store(), &self.tour.id);
        let query = SearchQuery::parse("needle").expect("a query");
        let page = PageRequest::new(None, Some(100)).expect("a page");
        let found = store.search(project, caller, &query, &page).await.expect("search");
        found.items.into_iter().map(|message| message.to).collect()
    }

    /// Whether the reader gets live frames of the conversation.
    fn is_in_audience(
        &self,
        private_members: &PrivateChannelMembers,
        number: usize,
        known: &ConversationFacts,
    ) -> bool {
        let (caller, is_inside) = (&self.readers.all[number], number < self.readers.inside);
        let audience = Audience::Readers(AccessRoot::of(&known.conversation));
        may_see_project(caller, is_inside) && private_members.admit(&audience, &caller.member)
    }
}

/// The members with these bits.
fn chosen<'a>(members: &[&'a dyn TestMember], bits: usize) -> Vec<&'a dyn TestMember> {
    members.iter().enumerate().filter(|(index, _)| bits >> index & 1 == 1).map(|(_, one)| *one).collect()
}

async fn rule_fixture() -> (RuleFixture, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("folder");
    let store = SqliteStore::open(folder.path(), SqliteOptions::default()).expect("store");
    (RuleFixture::new(TestStore::new(Arc::new(store))).await, folder)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn core_store_and_audience_agree_on_who_can_read() {
    let (small, _folder) = rule_fixture().await;
    let private_members = small
        .test_store
        .store()
        .private_members(&small.tour.id)
        .await
        .expect("private_members")
        .expect("a project")
        .private_members;
    let (mut yes, mut no) = (0, 0);
    for (number, caller) in small.readers.all.iter().enumerate() {
        let shown = small.found_by_store(caller).await;
        for known in &small.known {
            let id = known.conversation.id();
            let (membership, may) = small.may_read_by_core(number, known);
            let why = format!("{} and {id}, {membership:?}", caller.name);
            assert_eq!(shown.contains(&id), may, "the store about {why}");
            assert_eq!(small.is_in_audience(&private_members, number, known), may, "the audience about {why}");
            if may { yes += 1 } else { no += 1 }
        }
    }
    assert!(yes > 20 && no > 20, "both answers are common: {yes} and {no}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_store_returns_the_membership_of_every_member_in_every_conversation() {
    let (small, _folder) = rule_fixture().await;
    for (number, caller) in small.readers.all.iter().enumerate() {
        for known in &small.known {
            let id = known.conversation.id();
            let found = small.test_store.store().conversation(&id, &caller.member).await.expect("read");
            let membership = found.expect("a conversation").1;
            assert_eq!(membership, small.may_read_by_core(number, known).0, "{} and {id}", caller.name);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_snapshot_contains_exactly_the_readable_conversations() {
    let (small, _folder) = rule_fixture().await;
    for (number, caller) in small.readers.all.iter().enumerate() {
        let expected: BTreeSet<_> = small
            .known
            .iter()
            .filter(|known| small.may_read_by_core(number, known).1)
            .map(|known| known.conversation.id())
            .collect();
        let Some(snapshot) = small.test_store.store().snapshot(&small.tour.id, caller).await.expect("snapshot") else {
            assert!(expected.is_empty(), "{}", caller.name);
            continue;
        };
        let channels = snapshot.channels.iter().map(PostTarget::conversation_id);
        let threads = snapshot.threads.iter().map(PostTarget::conversation_id);
        let dms = snapshot.dms.iter().map(PostTarget::conversation_id);
        let held: BTreeSet<_> = channels.chain(threads).chain(dms).collect();
        assert_eq!(held, expected, "{}", caller.name);
    }
}
