//! Projects and their members.

use std::slice;

use parlour_core::{
    access::Principal,
    context::AgentContext,
    engine::Engine,
    event::ChannelMember,
    id::{AgentId, MemberId, ProjectId},
    member::{Agent, AgentPatch, Person},
    name::Name,
    paging::PageRequest,
    policy::{Policy, Retention},
    project::{Project, ProjectPatch},
    write::Write,
};

use crate::world::{Caller, World, check_pages, read_all};

async fn seen_projects(world: &World, caller: &Principal) -> Vec<String> {
    let projects = read_all(2, async |page| world.store().projects(caller, &page).await).await;
    projects.iter().map(|project| project.name.to_string()).collect()
}

async fn roster_names(world: &World, project: &ProjectId) -> Vec<(MemberId, Name)> {
    let mut roster = world.store().roster(project).await.expect("roster");
    roster.sort();
    roster
}

/// A project is read with all it was made with, and with every change since.
pub async fn a_project_is_read_as_it_is_now(world: World) {
    let mara = world.person("Mara").await;
    let tour = world.project("Tour", &mara).await;
    assert_eq!(world.store().project(&tour.id).await.expect("read"), Some(tour.clone()));
    let retention = Retention { message_days_max: Some(30), ..Retention::default() };
    let patch = ProjectPatch {
        name: Some(world.name("Grand Tour")),
        description: Some("All of it.".into()),
        policy: Some(Policy { retention, ..Policy::default() }),
    };
    world.change(&tour.id, &mara, Write::UpdateProject(patch.clone())).await;
    let patched = tour.patched(&patch).expect("patched");
    assert_eq!(world.store().project(&tour.id).await.expect("read"), Some(patched));
    assert_eq!(world.store().project(&ProjectId::from_bits(world.bits())).await.expect("read"), None);
}

/// An agent is read with all it was made with, and with every change since.
pub async fn an_agent_is_read_as_it_is_now(world: World) {
    let mara = world.person("Mara").await;
    let tour = world.project("Tour", &mara).await;
    let agent = Agent {
        capabilities: vec!["rust".into(), "review".into()],
        endpoint_url: Some("https://agents.example/coder".into()),
        instructions: Some("Be brief.".into()),
        engine: Some(engine("cloud", Some("small"))),
        context: Some(AgentContext { pack_tokens_max: Some(900), ..AgentContext::default() }),
        ..world.new_agent("Coder", &tour)
    };
    world.change(&tour.id, &mara, world.adding_agent(agent.clone())).await;
    assert_eq!(world.store().agent(&agent.id).await.expect("read"), Some(agent.clone()));
    let patch = AgentPatch {
        instructions: Some(String::new()),
        engine: Some(engine("built-in", None)),
        context: Some(AgentContext { model: Some("gpt-4o".into()), ..AgentContext::default() }),
        ..AgentPatch::default()
    };
    world.change(&tour.id, &mara, Write::UpdateAgent(agent.id.clone(), patch.clone())).await;
    let patched = agent.patched(&patch).expect("patched");
    assert_eq!(patched.engine, Some(engine("built-in", None)));
    assert_eq!(patched.context, patch.context);
    assert_eq!(world.store().agent(&agent.id).await.expect("read"), Some(patched.clone()));
    let listed = world.store().agents(&tour.id, &PageRequest::first()).await.expect("list").items;
    assert_eq!(listed, slice::from_ref(&patched));
    let snapshot = world.store().snapshot(&tour.id, &mara.principal()).await.expect("read").expect("a snapshot");
    assert_eq!(snapshot.agents, [patched]);
    assert_eq!(world.store().agent(&AgentId::from_bits(world.bits())).await.expect("read"), None);
}

fn engine(provider: &str, model: Option<&str>) -> Engine {
    Engine { provider: provider.into(), model: model.map(ToOwned::to_owned) }
}

/// The agents of all projects that have an engine are listed by id, on pages of any size; who loses it is not there.
pub async fn agents_with_an_engine_are_listed_by_id(world: World) {
    let mara = world.person("Mara").await;
    let (tour, fair) = (world.project("Tour", &mara).await, world.project("Fair", &mara).await);
    let hosted = async |name: &str, project: &Project| {
        let agent = Agent { engine: Some(engine("built-in", None)), ..world.new_agent(name, project) };
        world.change(&project.id, &mara, world.adding_agent(agent.clone())).await;
        agent.id.to_string()
    };
    world.agent("Outsider", &tour).await;
    let (one, two, three) = (hosted("One", &tour).await, hosted("Two", &fair).await, hosted("Three", &tour).await);
    let key = |agent: &Agent| agent.id.to_string();
    let mut expected = vec![one, two, three.clone()];
    expected.sort();
    check_pages(&expected, key, async |page| world.store().hosted_agents(&page).await).await;
    let patch = AgentPatch { engine: Some(engine("", None)), ..AgentPatch::default() };
    world.change(&tour.id, &mara, Write::UpdateAgent(three.parse().expect("id"), patch)).await;
    expected.retain(|id| *id != three);
    check_pages(&expected, key, async |page| world.store().hosted_agents(&page).await).await;
}

/// The owner, the people who were added and the agents of a project are its members; nobody else is.
pub async fn members_are_the_owner_the_added_and_the_agents(world: World) {
    let (mara, bela, root) = (world.person("Mara").await, world.person("Bela").await, world.admin("Root").await);
    let (tour, fair) = (world.project("Tour", &mara).await, world.project("Fair", &bela).await);
    let (coder, other) = (world.agent("Coder", &tour).await, world.agent("Other", &fair).await);
    let is_member =
        async |member: &dyn Caller| world.store().is_member(&tour.id, &member.member()).await.expect("read");
    assert!(is_member(&mara).await && is_member(&coder).await);
    assert!(!is_member(&bela).await && !is_member(&other).await && !is_member(&root).await);
    world.join(&bela, &tour).await;
    assert!(is_member(&bela).await);
    world.change(&tour.id, &mara, Write::RemovePerson(bela.id.clone())).await;
    assert!(!is_member(&bela).await);
}

/// Whoever leaves a project leaves its private channels too, and is not in them after coming back.
pub async fn leaving_a_project_leaves_its_private_channels(world: World) {
    let mara = world.person("Mara").await;
    let tour = world.project("Tour", &mara).await;
    let bela = world.member("Bela", &tour).await;
    let secret = world.private_channel("secret", &tour, &[&mara, &bela]).await;
    world.change(&tour.id, &mara, Write::RemovePerson(bela.id.clone())).await;
    world.join(&bela, &tour).await;
    let members = read_all(9, async |page| world.store().channel_members(&secret.id, &page).await).await;
    assert_eq!(members, [mara.member()]);
    let one = ChannelMember { channel_id: secret.id, member_id: bela.member() };
    world.change(&tour.id, &mara, Write::AddChannelMember(one)).await;
}

/// People see the projects that they take part in, agents their own, administrators all.
pub async fn callers_see_their_own_projects(world: World) {
    let (mara, bela, root) = (world.person("Mara").await, world.person("Bela").await, world.admin("Root").await);
    let (tour, fair) = (world.project("Tour", &mara).await, world.project("Fair", &bela).await);
    let (ship, coder) = (world.project("Ship", &mara).await, world.agent("Coder", &fair).await);
    world.join(&bela, &ship).await;
    assert_eq!(seen_projects(&world, &mara.principal()).await, ["Tour", "Ship"]);
    assert_eq!(seen_projects(&world, &bela.principal()).await, ["Fair", "Ship"]);
    assert_eq!(seen_projects(&world, &coder.principal()).await, ["Fair"]);
    assert_eq!(seen_projects(&world, &root.principal()).await, ["Tour", "Fair", "Ship"]);
    world.change(&ship.id, &mara, Write::RemovePerson(bela.id.clone())).await;
    assert_eq!(seen_projects(&world, &bela.principal()).await, ["Fair"]);
    assert_ne!(tour.id, fair.id);
}

/// Projects are listed oldest first on pages of any size.
pub async fn projects_are_listed_oldest_first(world: World) {
    let mara = world.person("Mara").await;
    let mut expected = Vec::new();
    for name in ["Zoo", "Tour", "Art", "Fair"] {
        expected.push(world.project(name, &mara).await.id.to_string());
    }
    for caller in [mara.principal(), world.admin("Root").await.principal()] {
        let key = |project: &Project| project.id.to_string();
        check_pages(&expected, key, async |page| world.store().projects(&caller, &page).await).await;
    }
}

/// People of a project are listed by id, whenever they joined; agents oldest first. Other projects' are not there.
pub async fn members_are_listed_on_pages_of_any_size(world: World) {
    let mara = world.person("Mara").await;
    let (zoe, ada) = (world.person("Zoe").await, world.person("Ada").await);
    let (tour, fair) = (world.project("Tour", &mara).await, world.project("Fair", &mara).await);
    world.join(&ada, &tour).await;
    world.join(&zoe, &tour).await;
    let people = [mara.id, zoe.id, ada.id].map(|id| id.to_string());
    let key = |person: &Person| person.id.to_string();
    check_pages(&people, key, async |page| world.store().project_people(&tour.id, &page).await).await;
    let mut agents = Vec::new();
    for name in ["Tester", "Coder", "Adder"] {
        world.agent(name, &fair).await;
        agents.push(world.agent(name, &tour).await.id.to_string());
    }
    let key = |agent: &Agent| agent.id.to_string();
    check_pages(&agents, key, async |page| world.store().agents(&tour.id, &page).await).await;
}

/// The roster names every member by its present name, and nobody who has left.
pub async fn the_roster_names_the_present_members(world: World) {
    let mara = world.person("Mara").await;
    let (tour, fair) = (world.project("Tour", &mara).await, world.project("Fair", &mara).await);
    let (bela, coder) = (world.member("Bela", &tour).await, world.agent("Coder", &tour).await);
    world.agent("Other", &fair).await;
    let entry = |member: &dyn Caller| (member.member(), member.principal().name);
    let mut expected = vec![entry(&mara), entry(&bela), entry(&coder)];
    expected.sort();
    assert_eq!(roster_names(&world, &tour.id).await, expected);
    world.change(&tour.id, &mara, Write::RemovePerson(bela.id.clone())).await;
    let patch = AgentPatch { name: Some(world.name("Builder")), ..AgentPatch::default() };
    world.change(&tour.id, &mara, Write::UpdateAgent(coder.id.clone(), patch)).await;
    let mut expected = vec![entry(&mara), (coder.member(), world.name("Builder"))];
    expected.sort();
    assert_eq!(roster_names(&world, &tour.id).await, expected);
}
