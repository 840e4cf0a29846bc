//! Whatever a caller is shown agrees with the rule of the core about who may read what.

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
    world::{Caller, Place, World, read_all},
};
use parlour_hub::ports::PostRefs;

/// The members that can be let into a private conversation, by the bits of a plan.
const MEMBERS: usize = 4;

/// One conversation of a random world.
#[derive(Clone, Debug)]
enum Plan {
    /// A channel that every member of the project sees.
    Public,
    /// A channel for the members with these bits.
    Private(u8),
    /// A dm of the first member and those with these bits.
    Dm(u8),
    /// A thread below the first message of an earlier channel.
    Thread(u8),
}

fn plans() -> impl Strategy<Value = Vec<Plan>> {
    let plan = (0..4_u8, any::<u8>()).prop_map(|(sort, bits)| match sort {
        0 => Plan::Public,
        1 => Plan::Private(bits),
        2 => Plan::Dm(bits),
        _ => Plan::Thread(bits),
    });
    vec(plan, 1..6)
}

/// A project and everybody who could look at it.
struct Cast {
    tour: Project,
    author: Person,
    people: Vec<Person>,
    agents: Vec<Agent>,
}

async fn cast(world: &World) -> Cast {
    let author = world.person("Author").await;
    let tour = world.project("Tour", &author).await;
    let members = vec![world.member("Mara", &tour).await, world.member("Bela", &tour).await];
    let agents = vec![world.agent("Coder", &tour).await, world.agent("Tester", &tour).await];
    let others = vec![world.admin("Root").await, world.person("Olaf").await];
    Cast { tour, author, people: [members, others].concat(), agents }
}

impl Cast {
    /// Everybody but the author, who writes all messages and so has read them all.
    fn callers(&self) -> Vec<&dyn Caller> {
        let people = self.people.iter().map(|person| person as &dyn Caller);
        people.chain(self.agents.iter().map(|agent| agent as &dyn Caller)).collect()
    }

    /// The members of the project with these bits.
    fn members(&self, bits: u8) -> Vec<&dyn Caller> {
        let members: [&dyn Caller; MEMBERS] = [&self.people[0], &self.people[1], &self.agents[0], &self.agents[1]];
        members.into_iter().enumerate().filter(|(place, _)| bits >> place & 1 == 1).map(|(_, one)| one).collect()
    }
}

/// Makes the conversations of a plan, each with one message and one artifact.
async fn build(world: &World, cast: &Cast, plans: &[Plan]) -> Vec<ConversationId> {
    let mut ids = BTreeSet::new();
    let mut channels = vec![world.channel("lobby", &cast.tour).await];
    ids.insert(fill(world, cast, &channels[0]).await);
    for (number, plan) in plans.iter().enumerate() {
        let name = format!("room {number}");
        let id = match plan {
            Plan::Public => {
                channels.push(world.channel(&name, &cast.tour).await);
                fill(world, cast, &channels[channels.len() - 1]).await
            }
            Plan::Private(bits) => {
                channels.push(world.private_channel(&name, &cast.tour, &cast.members(*bits)).await);
                fill(world, cast, &channels[channels.len() - 1]).await
            }
            Plan::Dm(bits) => {
                let dm = open_dm(world, cast, *bits).await;
                fill(world, cast, &dm).await
            }
            Plan::Thread(bits) => {
                let channel = &channels[*bits as usize % channels.len()];
                let root = world.post(&cast.author, channel, "a message above").await;
                let thread = world.thread(channel, &root).await;
                fill(world, cast, &thread).await
            }
        };
        ids.insert(id);
    }
    ids.into_iter().collect()
}

/// Opens a dm of the author, one member and those with these bits; the same ones may have one already.
async fn open_dm(world: &World, cast: &Cast, bits: u8) -> parlour_core::conversation::Dm {
    let mut members = cast.members(bits);
    members.push(&cast.author);
    members.push(&cast.people[0]);
    let write = parlour_core::write::Write::CreateDm(world.new_dm(&cast.tour, &members));
    let appended = world.append(&cast.tour.id, &cast.author, write).await.expect("a dm");
    let parlour_core::event::Change::DmCreated(dm) = appended.change else { unreachable!("a dm answers a dm") };
    *dm
}

/// Puts a message with an artifact into the place, and tells the agents who can read it.
async fn fill(world: &World, cast: &Cast, place: &dyn Place) -> ConversationId {
    let id = place.conversation_id();
    let file = world.artifact("file.txt", &cast.tour, Some(place)).await;
    let agents: Vec<MemberId> = cast.agents.iter().map(Caller::member).collect();
    let told = world.store().readers_among(&id, &agents).await.expect("readers");
    let mut draft = world.draft(&cast.author, place, "needle").carrying(&file);
    for agent in cast.agents.iter().filter(|agent| told.contains(&agent.member())) {
        draft = draft.telling(agent, DeliveryReason::Subscription);
    }
    world.send(&cast.author, &draft).await;
    id
}

/// The conversations that the caller may read by the rule of the core.
async fn readable(world: &World, caller: &Principal, ids: &[ConversationId]) -> BTreeSet<ConversationId> {
    let mut readable = BTreeSet::new();
    for id in ids {
        let read = world.store().conversation(id, &caller.member).await.expect("read");
        let (_, membership) = read.expect("a conversation");
        if access::may_read(caller, &membership) {
            readable.insert(id.clone());
        }
    }
    readable
}

/// Every list, count, search and graph shows exactly what the caller may read, in worlds of any shape.
pub async fn everything_shown_agrees_with_the_rule_of_access(world: World) {
    let numbers = std::sync::atomic::AtomicU64::new(1);
    check_cases(plans(), move |plans| {
        let world = world.numbered(numbers.fetch_add(1, std::sync::atomic::Ordering::SeqCst));
        async move {
            let cast = cast(&world).await;
            let ids = build(&world, &cast, &plans).await;
            for caller in cast.callers() {
                check_caller(&world, &cast.tour.id, &caller.principal(), &ids).await;
            }
        }
    })
    .await;
}

async fn check_caller(world: &World, project: &ProjectId, caller: &Principal, ids: &[ConversationId]) {
    let expected = readable(world, caller, ids).await;
    let who = caller.name.as_str();
    let of = |sort| expected.iter().filter(|id| id.conversation_type() == sort).cloned().collect::<BTreeSet<_>>();
    assert_eq!(shown_channels(world, project, caller).await, of(ConversationType::Channel), "channels of {who}");
    assert_eq!(shown_dms(world, project, caller).await, of(ConversationType::Dm), "dms of {who}");
    assert_eq!(found(world, project, caller).await, expected, "search of {who}");
    assert_eq!(with_unread(world, project, caller).await, expected, "unread of {who}");
    assert_eq!(with_artifacts(world, project, caller).await, expected, "artifacts of {who}");
    assert_eq!(drawn(world, project, caller).await, expected, "graph of {who}");
    check_references(world, project, caller, &expected).await;
    let is_member = world.store().is_member(project, &caller.member).await.expect("read");
    let projects = read_all(50, async |page| world.store().projects(caller, &page).await).await;
    let is_shown = projects.iter().any(|one| one.id == *project);
    assert_eq!(is_shown, access::may_see_project(caller, is_member), "projects of {who}");
}

async fn shown_channels(world: &World, project: &ProjectId, caller: &Principal) -> BTreeSet<ConversationId> {
    let channels = read_all(2, async |page| world.store().channels(project, caller, &page).await).await;
    channels.iter().map(Place::conversation_id).collect()
}

async fn shown_dms(world: &World, project: &ProjectId, caller: &Principal) -> BTreeSet<ConversationId> {
    let dms = read_all(2, async |page| world.store().dms(&caller.member, Some(project), &page).await).await;
    dms.iter().map(Place::conversation_id).collect()
}

async fn found(world: &World, project: &ProjectId, caller: &Principal) -> BTreeSet<ConversationId> {
    let query = SearchQuery::parse("needle").expect("a query");
    let hits = read_all(2, async |page| world.store().search(project, caller, &query, &page).await).await;
    hits.into_iter().map(|message| message.to).collect()
}

async fn with_unread(world: &World, project: &ProjectId, caller: &Principal) -> BTreeSet<ConversationId> {
    let rows = world.store().unread(project, caller).await.expect("unread");
    rows.into_iter().filter(|row| row.unread > 0).map(|row| row.conversation_id).collect()
}

async fn with_artifacts(world: &World, project: &ProjectId, caller: &Principal) -> BTreeSet<ConversationId> {
    let artifacts = read_all(2, async |page| world.store().artifacts(project, caller, &page).await).await;
    artifacts.into_iter().filter_map(|artifact| artifact.conversation_id).collect()
}

/// The conversations in the caller's graph; their messages and artifacts must be of these, too.
async fn drawn(world: &World, project: &ProjectId, caller: &Principal) -> BTreeSet<ConversationId> {
    let graph = world.store().graph(project, caller).await.expect("graph");
    let (mut conversations, mut mentioned) = (BTreeSet::new(), BTreeSet::new());
    for node in &graph.nodes {
        match node.kind {
            NodeKind::Channel | NodeKind::Thread | NodeKind::Dm => {
                conversations.insert(node.id.parse().expect("id"));
            }
            NodeKind::Message => {
                let message = world.store().message(&node.id.parse().expect("id")).await.expect("read");
                mentioned.extend(message.map(|message| message.to));
            }
            NodeKind::Artifact => {
                let artifact = world.store().artifact(&node.id.parse().expect("id")).await.expect("read");
                mentioned.extend(artifact.and_then(|artifact| artifact.conversation_id));
            }
            _ => {}
        }
    }
    assert_eq!(mentioned, conversations, "messages and artifacts in the graph of {}", caller.name);
    conversations
}

/// An artifact can be named in a post exactly by those who can read its conversation.
async fn check_references(world: &World, project: &ProjectId, caller: &Principal, readable: &BTreeSet<ConversationId>) {
    let Some(place) = readable.first() else { return };
    for event in world.events(project).await {
        if let parlour_core::event::Change::ArtifactCreated(artifact) = event.change {
            let refs = PostRefs { artifacts: vec![artifact.id], ..PostRefs::default() };
            let missing = world.store().missing_refs(place, caller, &refs).await.expect("missing");
            let is_readable = artifact.conversation_id.is_some_and(|id| readable.contains(&id));
            assert_eq!(missing.is_empty(), is_readable, "artifact for {}", caller.name);
        }
    }
}

/// Whatever happens in private, the view of those who are not in it stays exactly as it was.
pub async fn private_happenings_change_nothing_for_others(world: World) {
    let numbers = std::sync::atomic::AtomicU64::new(1);
    check_cases(plans(), move |plans| {
        let world = world.numbered(numbers.fetch_add(1, std::sync::atomic::Ordering::SeqCst));
        async move { check_nothing_leaks(&world, &plans).await }
    })
    .await;
}

/// Lets only the first person and the agents into private conversations, and looks as everybody else.
async fn check_nothing_leaks(world: &World, plans: &[Plan]) {
    let cast = cast(world).await;
    let general = world.channel("general", &cast.tour).await;
    fill(world, &cast, &general).await;
    let others = [&cast.people[1], &cast.people[2], &cast.people[3]];
    let mut before = Vec::new();
    for other in others {
        before.push((world.view(&cast.tour, other).await, found(world, &cast.tour.id, &other.principal()).await));
    }
    for (number, plan) in plans.iter().enumerate() {
        happen(world, &cast, plan, number).await;
    }
    for (other, before) in others.into_iter().zip(before) {
        let after = (world.view(&cast.tour, other).await, found(world, &cast.tour.id, &other.principal()).await);
        assert_eq!(after, before, "{}", other.name);
    }
}

/// Something private, with a call to somebody who may not read it.
async fn happen(world: &World, cast: &Cast, plan: &Plan, number: usize) {
    // The second person's bit is taken out: it is one of those who look.
    let members = |bits: u8| cast.members(bits & !0b10);
    match plan {
        Plan::Dm(bits) => {
            let dm = open_dm(world, cast, bits & !0b10).await;
            fill(world, cast, &dm).await;
        }
        Plan::Private(bits) | Plan::Thread(bits) => {
            let channel = world.private_channel(&format!("room {number}"), &cast.tour, &members(*bits)).await;
            fill(world, cast, &channel).await;
            let draft = world.draft(&cast.author, &channel, "needle @Bela").mentioning(&cast.people[1]);
            let root = world.send(&cast.author, &draft).await;
            let thread = world.thread(&channel, &root).await;
            fill(world, cast, &thread).await;
            world.remove(&cast.author, &root).await;
        }
        Plan::Public => {}
    }
}
