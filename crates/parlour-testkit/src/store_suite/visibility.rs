//! Every list agrees with the access rule of the core, in random projects.

use std::collections::BTreeSet;

use parlour_core::{
    access::{self, Principal},
    conversation::ConversationType,
    graph::NodeKind,
    id::{ConversationId, MemberId, ProjectId},
    inbox::DeliveryReason,
    member::{Agent, Person},
    project::Project,
    search_query::SearchQuery,
};
use proptest::{collection::vec, prelude::any, strategy::Strategy};

use crate::{
    property::check_cases,
    test_store::{PostTarget, TestMember, TestStore, read_all},
};
use parlour_hub::ports::PostRefs;

/// Number of members that the bits of a plan can add to a private conversation.
const MEMBERS: usize = 4;

/// One conversation of a random project.
#[derive(Clone, Debug)]
enum ConversationPlan {
    /// A channel that every member of the project sees.
    Public,
    /// A channel for the members with these bits.
    Private(u8),
    /// A DM of the first member and those with these bits.
    Dm(u8),
    /// A thread below the first message of an earlier channel.
    Thread(u8),
}

fn plans() -> impl Strategy<Value = Vec<ConversationPlan>> {
    let plan = (0..4_u8, any::<u8>()).prop_map(|(sort, bits)| match sort {
        0 => ConversationPlan::Public,
        1 => ConversationPlan::Private(bits),
        2 => ConversationPlan::Dm(bits),
        _ => ConversationPlan::Thread(bits),
    });
    vec(plan, 1..6)
}

/// A project with members and outsiders.
struct VisibilityFixture {
    tour: Project,
    author: Person,
    people: Vec<Person>,
    agents: Vec<Agent>,
}

async fn fixture(test_store: &TestStore) -> VisibilityFixture {
    let author = test_store.person("Author").await;
    let tour = test_store.project("Tour", &author).await;
    let members = vec![test_store.member("Mara", &tour).await, test_store.member("Bela", &tour).await];
    let agents = vec![test_store.agent("Coder", &tour).await, test_store.agent("Tester", &tour).await];
    let others = vec![test_store.admin("Root").await, test_store.person("Olaf").await];
    VisibilityFixture { tour, author, people: [members, others].concat(), agents }
}

impl VisibilityFixture {
    /// All callers except the author, who has read all messages by writing them.
    fn callers(&self) -> Vec<&dyn TestMember> {
        let people = self.people.iter().map(|person| person as &dyn TestMember);
        people.chain(self.agents.iter().map(|agent| agent as &dyn TestMember)).collect()
    }

    /// The project members with these bits.
    fn members(&self, bits: u8) -> Vec<&dyn TestMember> {
        let members: [&dyn TestMember; MEMBERS] = [&self.people[0], &self.people[1], &self.agents[0], &self.agents[1]];
        members.into_iter().enumerate().filter(|(index, _)| bits >> index & 1 == 1).map(|(_, one)| one).collect()
    }
}

/// Creates the conversations of a plan, each with one message and one artifact.
async fn build(test_store: &TestStore, fixture: &VisibilityFixture, plans: &[ConversationPlan]) -> Vec<ConversationId> {
    let mut ids = BTreeSet::new();
    let mut channels = vec![test_store.channel("lobby", &fixture.tour).await];
    ids.insert(fill(test_store, fixture, &channels[0]).await);
    for (number, plan) in plans.iter().enumerate() {
        let name = format!("room {number}");
        let id = match plan {
            ConversationPlan::Public => {
                channels.push(test_store.channel(&name, &fixture.tour).await);
                fill(test_store, fixture, &channels[channels.len() - 1]).await
            }
            ConversationPlan::Private(bits) => {
                channels.push(test_store.private_channel(&name, &fixture.tour, &fixture.members(*bits)).await);
                fill(test_store, fixture, &channels[channels.len() - 1]).await
            }
            ConversationPlan::Dm(bits) => {
                let dm = open_dm(test_store, fixture, *bits).await;
                fill(test_store, fixture, &dm).await
            }
            ConversationPlan::Thread(bits) => {
                let channel = &channels[*bits as usize % channels.len()];
                let root = test_store.post(&fixture.author, channel, "a message above").await;
                let thread = test_store.thread(channel, &root).await;
                fill(test_store, fixture, &thread).await
            }
        };
        ids.insert(id);
    }
    ids.into_iter().collect()
}

/// Creates a DM of the author, one member and those with these bits, or returns the existing one.
async fn open_dm(test_store: &TestStore, fixture: &VisibilityFixture, bits: u8) -> parlour_core::conversation::Dm {
    let mut members = fixture.members(bits);
    members.push(&fixture.author);
    members.push(&fixture.people[0]);
    let write = parlour_core::write::Write::CreateDm(test_store.new_dm(&fixture.tour, &members));
    let appended = test_store.append(&fixture.tour.id, &fixture.author, write).await.expect("a dm");
    let parlour_core::event::Change::DmCreated(dm) = appended.change else { unreachable!("a dm answers a dm") };
    *dm
}

/// Posts a message with an artifact into the conversation, delivered to the agents that can read it.
async fn fill(test_store: &TestStore, fixture: &VisibilityFixture, target: &dyn PostTarget) -> ConversationId {
    let id = target.conversation_id();
    let file = test_store.artifact("file.txt", &fixture.tour, Some(target)).await;
    let agents: Vec<MemberId> = fixture.agents.iter().map(TestMember::member).collect();
    let readers = test_store.store().readers_among(&id, &agents).await.expect("readers");
    let mut draft = test_store.draft(&fixture.author, target, "needle").carrying(&file);
    for agent in fixture.agents.iter().filter(|agent| readers.contains(&agent.member())) {
        draft = draft.delivered_to(agent, DeliveryReason::Subscription);
    }
    test_store.send(&fixture.author, &draft).await;
    id
}

/// The conversations that the caller may read by the rule of the core.
async fn readable(test_store: &TestStore, caller: &Principal, ids: &[ConversationId]) -> BTreeSet<ConversationId> {
    let mut readable = BTreeSet::new();
    for id in ids {
        let read = test_store.store().conversation(id, &caller.member).await.expect("read");
        let (_, membership) = read.expect("a conversation");
        if access::may_read(caller, &membership) {
            readable.insert(id.clone());
        }
    }
    readable
}

/// Every list, count, search and graph contains exactly the things that the caller may read, in random projects.
pub async fn every_list_agrees_with_the_access_rule(test_store: TestStore) {
    let numbers = std::sync::atomic::AtomicU64::new(1);
    check_cases(plans(), move |plans| {
        let test_store = test_store.numbered(numbers.fetch_add(1, std::sync::atomic::Ordering::SeqCst));
        async move {
            let fixture = fixture(&test_store).await;
            let ids = build(&test_store, &fixture, &plans).await;
            for caller in fixture.callers() {
                check_caller(&test_store, &fixture.tour.id, &caller.principal(), &ids).await;
            }
        }
    })
    .await;
}

async fn check_caller(test_store: &TestStore, project: &ProjectId, caller: &Principal, ids: &[ConversationId]) {
    let expected = readable(test_store, caller, ids).await;
    let who = caller.name.as_str();
    let of = |sort| expected.iter().filter(|id| id.conversation_type() == sort).cloned().collect::<BTreeSet<_>>();
    assert_eq!(shown_channels(test_store, project, caller).await, of(ConversationType::Channel), "channels of {who}");
    assert_eq!(shown_dms(test_store, project, caller).await, of(ConversationType::Dm), "dms of {who}");
    assert_eq!(found(test_store, project, caller).await, expected, "search of {who}");
    assert_eq!(with_unread(test_store, project, caller).await, expected, "unread of {who}");
    assert_eq!(with_artifacts(test_store, project, caller).await, expected, "artifacts of {who}");
    assert_eq!(in_graph(test_store, project, caller).await, expected, "graph of {who}");
    check_references(test_store, project, caller, &expected).await;
    let is_member = test_store.store().is_member(project, &caller.member).await.expect("read");
    let projects = read_all(50, async |page| test_store.store().projects(caller, &page).await).await;
    let is_shown = projects.iter().any(|one| one.id == *project);
    assert_eq!(is_shown, access::may_see_project(caller, is_member), "projects of {who}");
}

async fn shown_channels(test_store: &TestStore, project: &ProjectId, caller: &Principal) -> BTreeSet<ConversationId> {
    let channels = read_all(2, async |page| test_store.store().channels(project, caller, &page).await).await;
    channels.iter().map(PostTarget::conversation_id).collect()
}

async fn shown_dms(test_store: &TestStore, project: &ProjectId, caller: &Principal) -> BTreeSet<ConversationId> {
    let dms = read_all(2, async |page| test_store.store().dms(&caller.member, Some(project), &page).await).await;
    dms.iter().map(PostTarget::conversation_id).collect()
}

async fn found(test_store: &TestStore, project: &ProjectId, caller: &Principal) -> BTreeSet<ConversationId> {
    let query = SearchQuery::parse("needle").expect("a query");
    let hits = read_all(2, async |page| test_store.store().search(project, caller, &query, &page).await).await;
    hits.into_iter().map(|message| message.to).collect()
}

async fn with_unread(test_store: &TestStore, project: &ProjectId, caller: &Principal) -> BTreeSet<ConversationId> {
    let rows = test_store.store().unread(project, caller).await.expect("unread");
    rows.into_iter().filter(|row| row.unread > 0).map(|row| row.conversation_id).collect()
}

async fn with_artifacts(test_store: &TestStore, project: &ProjectId, caller: &Principal) -> BTreeSet<ConversationId> {
    let artifacts = read_all(2, async |page| test_store.store().artifacts(project, caller, &page).await).await;
    artifacts.into_iter().filter_map(|artifact| artifact.conversation_id).collect()
}

/// The conversations in the caller's graph; checks that its messages and artifacts belong to them.
async fn in_graph(test_store: &TestStore, project: &ProjectId, caller: &Principal) -> BTreeSet<ConversationId> {
    let graph = test_store.store().graph(project, caller).await.expect("graph");
    let (mut conversations, mut mentioned) = (BTreeSet::new(), BTreeSet::new());
    for node in &graph.nodes {
        match node.kind {
            NodeKind::Channel | NodeKind::Thread | NodeKind::Dm => {
                conversations.insert(node.id.parse().expect("id"));
            }
            NodeKind::Message => {
                let message = test_store.store().message(&node.id.parse().expect("id")).await.expect("read");
                mentioned.extend(message.map(|message| message.to));
            }
            NodeKind::Artifact => {
                let artifact = test_store.store().artifact(&node.id.parse().expect("id")).await.expect("read");
                mentioned.extend(artifact.and_then(|artifact| artifact.conversation_id));
            }
            _ => {}
        }
    }
    assert_eq!(mentioned, conversations, "messages and artifacts in the graph of {}", caller.name);
    conversations
}

/// Checks that exactly the readers of its conversation can refer to an artifact in a post.
async fn check_references(
    test_store: &TestStore,
    project: &ProjectId,
    caller: &Principal,
    readable: &BTreeSet<ConversationId>,
) {
    let Some(conversation) = readable.first() else { return };
    for event in test_store.events(project).await {
        if let parlour_core::event::Change::ArtifactCreated(artifact) = event.change {
            let refs = PostRefs { artifacts: vec![artifact.id], ..PostRefs::default() };
            let missing = test_store.store().missing_refs(conversation, caller, &refs).await.expect("missing");
            let is_readable = artifact.conversation_id.is_some_and(|id| readable.contains(&id));
            assert_eq!(missing.is_empty(), is_readable, "artifact for {}", caller.name);
        }
    }
}

/// A change in a private conversation changes nothing that members outside of it can read.
pub async fn private_changes_are_invisible_to_others(test_store: TestStore) {
    let numbers = std::sync::atomic::AtomicU64::new(1);
    check_cases(plans(), move |plans| {
        let test_store = test_store.numbered(numbers.fetch_add(1, std::sync::atomic::Ordering::SeqCst));
        async move { check_nothing_leaks(&test_store, &plans).await }
    })
    .await;
}

/// Creates private conversations with the first person and the agents only, and compares the views of all others.
async fn check_nothing_leaks(test_store: &TestStore, plans: &[ConversationPlan]) {
    let fixture = fixture(test_store).await;
    let general = test_store.channel("general", &fixture.tour).await;
    fill(test_store, &fixture, &general).await;
    let others = [&fixture.people[1], &fixture.people[2], &fixture.people[3]];
    let mut before = Vec::new();
    for other in others {
        before.push((
            test_store.view(&fixture.tour, other).await,
            found(test_store, &fixture.tour.id, &other.principal()).await,
        ));
    }
    for (number, plan) in plans.iter().enumerate() {
        make_private_changes(test_store, &fixture, plan, number).await;
    }
    for (other, before) in others.into_iter().zip(before) {
        let after = (
            test_store.view(&fixture.tour, other).await,
            found(test_store, &fixture.tour.id, &other.principal()).await,
        );
        assert_eq!(after, before, "{}", other.name);
    }
}

/// Makes changes in a private conversation, with a call to a member who may not read it.
async fn make_private_changes(
    test_store: &TestStore,
    fixture: &VisibilityFixture,
    plan: &ConversationPlan,
    number: usize,
) {
    // The second person's bit is cleared: it is one of the observers.
    let members = |bits: u8| fixture.members(bits & !0b10);
    match plan {
        ConversationPlan::Dm(bits) => {
            let dm = open_dm(test_store, fixture, bits & !0b10).await;
            fill(test_store, fixture, &dm).await;
        }
        ConversationPlan::Private(bits) | ConversationPlan::Thread(bits) => {
            let channel = test_store.private_channel(&format!("room {number}"), &fixture.tour, &members(*bits)).await;
            fill(test_store, fixture, &channel).await;
            let draft = test_store.draft(&fixture.author, &channel, "needle @Bela").mentioning(&fixture.people[1]);
            let root = test_store.send(&fixture.author, &draft).await;
            let thread = test_store.thread(&channel, &root).await;
            fill(test_store, fixture, &thread).await;
            test_store.remove(&fixture.author, &root).await;
        }
        ConversationPlan::Public => {}
    }
}
