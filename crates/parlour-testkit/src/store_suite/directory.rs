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

use crate::test_store::{TestMember, TestStore, check_pages, read_all};

async fn seen_projects(test_store: &TestStore, caller: &Principal) -> Vec<String> {
    let projects = read_all(2, async |page| test_store.store().projects(caller, &page).await).await;
    projects.iter().map(|project| project.name.to_string()).collect()
}

async fn roster_names(test_store: &TestStore, project: &ProjectId) -> Vec<(MemberId, Name)> {
    let mut roster = test_store.store().roster(project).await.expect("roster");
    roster.sort();
    roster
}

/// A project is read with every field and every later change.
pub async fn a_project_is_read_with_its_changes(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    let tour = test_store.project("Tour", &mara).await;
    assert_eq!(test_store.store().project(&tour.id).await.expect("read"), Some(tour.clone()));
    let retention = Retention { message_days_max: Some(30), ..Retention::default() };
    let patch = ProjectPatch {
        name: Some(test_store.name("Grand Tour")),
        description: Some("All of it.".into()),
        policy: Some(Policy { retention, ..Policy::default() }),
    };
    test_store.change(&tour.id, &mara, Write::UpdateProject(patch.clone())).await;
    let patched = tour.patched(&patch).expect("patched");
    assert_eq!(test_store.store().project(&tour.id).await.expect("read"), Some(patched));
    assert_eq!(test_store.store().project(&ProjectId::from_bits(test_store.bits())).await.expect("read"), None);
}

/// An agent is read with every field and every later change.
pub async fn an_agent_is_read_with_its_changes(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    let tour = test_store.project("Tour", &mara).await;
    let agent = Agent {
        capabilities: vec!["rust".into(), "review".into()],
        endpoint_url: Some("https://agents.example/coder".into()),
        instructions: Some("Be brief.".into()),
        engine: Some(engine("cloud", Some("small"))),
        context: Some(AgentContext { pack_tokens_max: Some(900), ..AgentContext::default() }),
        ..test_store.new_agent("Coder", &tour)
    };
    test_store.change(&tour.id, &mara, test_store.adding_agent(agent.clone())).await;
    assert_eq!(test_store.store().agent(&agent.id).await.expect("read"), Some(agent.clone()));
    let patch = AgentPatch {
        instructions: Some(String::new()),
        engine: Some(engine("built-in", None)),
        context: Some(AgentContext { model: Some("gpt-4o".into()), ..AgentContext::default() }),
        ..AgentPatch::default()
    };
    test_store.change(&tour.id, &mara, Write::UpdateAgent(agent.id.clone(), patch.clone())).await;
    let patched = agent.patched(&patch).expect("patched");
    assert_eq!(patched.engine, Some(engine("built-in", None)));
    assert_eq!(patched.context, patch.context);
    assert_eq!(test_store.store().agent(&agent.id).await.expect("read"), Some(patched.clone()));
    let listed = test_store.store().agents(&tour.id, &PageRequest::first()).await.expect("list").items;
    assert_eq!(listed, slice::from_ref(&patched));
    let snapshot = test_store.store().snapshot(&tour.id, &mara.principal()).await.expect("read").expect("a snapshot");
    assert_eq!(snapshot.agents, [patched]);
    assert_eq!(test_store.store().agent(&AgentId::from_bits(test_store.bits())).await.expect("read"), None);
}

fn engine(provider: &str, model: Option<&str>) -> Engine {
    Engine { provider: provider.into(), model: model.map(ToOwned::to_owned) }
}

/// Agents of all projects that have an engine are listed by id, on pages of any size.
pub async fn agents_with_an_engine_are_listed_by_id(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    let (tour, fair) = (test_store.project("Tour", &mara).await, test_store.project("Fair", &mara).await);
    let hosted = async |name: &str, project: &Project| {
        let agent = Agent { engine: Some(engine("built-in", None)), ..test_store.new_agent(name, project) };
        test_store.change(&project.id, &mara, test_store.adding_agent(agent.clone())).await;
        agent.id.to_string()
    };
    test_store.agent("Outsider", &tour).await;
    let (one, two, three) = (hosted("One", &tour).await, hosted("Two", &fair).await, hosted("Three", &tour).await);
    let key = |agent: &Agent| agent.id.to_string();
    let mut expected = vec![one, two, three.clone()];
    expected.sort();
    check_pages(&expected, key, async |page| test_store.store().hosted_agents(&page).await).await;
    let patch = AgentPatch { engine: Some(engine("", None)), ..AgentPatch::default() };
    test_store.change(&tour.id, &mara, Write::UpdateAgent(three.parse().expect("id"), patch)).await;
    expected.retain(|id| *id != three);
    check_pages(&expected, key, async |page| test_store.store().hosted_agents(&page).await).await;
}

pub async fn members_are_the_owner_the_added_people_and_the_agents(test_store: TestStore) {
    let (mara, bela, root) =
        (test_store.person("Mara").await, test_store.person("Bela").await, test_store.admin("Root").await);
    let (tour, fair) = (test_store.project("Tour", &mara).await, test_store.project("Fair", &bela).await);
    let (coder, other) = (test_store.agent("Coder", &tour).await, test_store.agent("Other", &fair).await);
    let is_member =
        async |member: &dyn TestMember| test_store.store().is_member(&tour.id, &member.member()).await.expect("read");
    assert!(is_member(&mara).await && is_member(&coder).await);
    assert!(!is_member(&bela).await && !is_member(&other).await && !is_member(&root).await);
    test_store.join(&bela, &tour).await;
    assert!(is_member(&bela).await);
    test_store.change(&tour.id, &mara, Write::RemovePerson(bela.id.clone())).await;
    assert!(!is_member(&bela).await);
}

/// A person who leaves a project leaves its private channels, and is not in them after coming back.
pub async fn leaving_a_project_leaves_its_private_channels(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    let tour = test_store.project("Tour", &mara).await;
    let bela = test_store.member("Bela", &tour).await;
    let secret = test_store.private_channel("secret", &tour, &[&mara, &bela]).await;
    test_store.change(&tour.id, &mara, Write::RemovePerson(bela.id.clone())).await;
    test_store.join(&bela, &tour).await;
    let members = read_all(9, async |page| test_store.store().channel_members(&secret.id, &page).await).await;
    assert_eq!(members, [mara.member()]);
    let one = ChannelMember { channel_id: secret.id, member_id: bela.member() };
    test_store.change(&tour.id, &mara, Write::AddChannelMember(one)).await;
}

/// People see the projects that they are members of, agents their own, administrators all.
pub async fn callers_see_their_own_projects(test_store: TestStore) {
    let (mara, bela, root) =
        (test_store.person("Mara").await, test_store.person("Bela").await, test_store.admin("Root").await);
    let (tour, fair) = (test_store.project("Tour", &mara).await, test_store.project("Fair", &bela).await);
    let (ship, coder) = (test_store.project("Ship", &mara).await, test_store.agent("Coder", &fair).await);
    test_store.join(&bela, &ship).await;
    assert_eq!(seen_projects(&test_store, &mara.principal()).await, ["Tour", "Ship"]);
    assert_eq!(seen_projects(&test_store, &bela.principal()).await, ["Fair", "Ship"]);
    assert_eq!(seen_projects(&test_store, &coder.principal()).await, ["Fair"]);
    assert_eq!(seen_projects(&test_store, &root.principal()).await, ["Tour", "Fair", "Ship"]);
    test_store.change(&ship.id, &mara, Write::RemovePerson(bela.id.clone())).await;
    assert_eq!(seen_projects(&test_store, &bela.principal()).await, ["Fair"]);
    assert_ne!(tour.id, fair.id);
}

pub async fn projects_are_listed_oldest_first(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    let mut expected = Vec::new();
    for name in ["Zoo", "Tour", "Art", "Fair"] {
        expected.push(test_store.project(name, &mara).await.id.to_string());
    }
    for caller in [mara.principal(), test_store.admin("Root").await.principal()] {
        let key = |project: &Project| project.id.to_string();
        check_pages(&expected, key, async |page| test_store.store().projects(&caller, &page).await).await;
    }
}

/// People of a project are listed by id, agents oldest first.
pub async fn members_are_listed_on_pages_of_any_size(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    let (zoe, ada) = (test_store.person("Zoe").await, test_store.person("Ada").await);
    let (tour, fair) = (test_store.project("Tour", &mara).await, test_store.project("Fair", &mara).await);
    test_store.join(&ada, &tour).await;
    test_store.join(&zoe, &tour).await;
    let people = [mara.id, zoe.id, ada.id].map(|id| id.to_string());
    let key = |person: &Person| person.id.to_string();
    check_pages(&people, key, async |page| test_store.store().project_people(&tour.id, &page).await).await;
    let mut agents = Vec::new();
    for name in ["Tester", "Coder", "Adder"] {
        test_store.agent(name, &fair).await;
        agents.push(test_store.agent(name, &tour).await.id.to_string());
    }
    let key = |agent: &Agent| agent.id.to_string();
    check_pages(&agents, key, async |page| test_store.store().agents(&tour.id, &page).await).await;
}

/// The roster contains every member with its current name, and nobody who has left.
pub async fn the_roster_contains_the_current_members(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    let (tour, fair) = (test_store.project("Tour", &mara).await, test_store.project("Fair", &mara).await);
    let (bela, coder) = (test_store.member("Bela", &tour).await, test_store.agent("Coder", &tour).await);
    test_store.agent("Other", &fair).await;
    let entry = |member: &dyn TestMember| (member.member(), member.principal().name);
    let mut expected = vec![entry(&mara), entry(&bela), entry(&coder)];
    expected.sort();
    assert_eq!(roster_names(&test_store, &tour.id).await, expected);
    test_store.change(&tour.id, &mara, Write::RemovePerson(bela.id.clone())).await;
    let patch = AgentPatch { name: Some(test_store.name("Builder")), ..AgentPatch::default() };
    test_store.change(&tour.id, &mara, Write::UpdateAgent(coder.id.clone(), patch)).await;
    let mut expected = vec![entry(&mara), (coder.member(), test_store.name("Builder"))];
    expected.sort();
    assert_eq!(roster_names(&test_store, &tour.id).await, expected);
}
