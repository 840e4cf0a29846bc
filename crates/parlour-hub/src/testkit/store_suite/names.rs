//! Names that could be taken for one another: an agent never looks like a person who may be met in its project.

use parlour_core::{
    Code,
    member::{Agent, AgentPatch, Person},
    project::Project,
    write::Write,
};

use super::accounts::{code, owner};
use crate::testkit::world::{Caller, World};

fn rename(world: &World, agent: &Agent, name: &str) -> Write {
    let patch = AgentPatch { name: Some(world.name(name)), ..AgentPatch::default() };
    Write::UpdateAgent(agent.id.clone(), patch)
}

/// Checks that no agent of the project can get this name, neither a new one nor one that is there.
async fn check_taken(world: &World, tour: &Project, coder: &Agent, name: &str) {
    for write in [world.adding_agent(world.new_agent(name, tour)), rename(world, coder, name)] {
        let before = world.snapshot(tour, &[coder]).await;
        assert_eq!(world.refusal(&tour.id, coder, write).await, Code::NameTaken, "{name}");
        assert_eq!(world.snapshot(tour, &[coder]).await, before, "{name}");
    }
}

async fn stage(world: &World) -> (Person, Project, Agent) {
    let mara = world.person("Mara").await;
    let tour = world.project("Tour", &mara).await;
    let coder = world.agent("Coder", &tour).await;
    (mara, tour, coder)
}

/// An agent cannot look like a person of its project.
pub async fn an_agent_does_not_look_like_a_person_of_its_project(world: World) {
    let (_, tour, coder) = stage(&world).await;
    world.member("Bela Ilk", &tour).await;
    for name in ["Bela Ilk", "bela-ilk", "BELA_ILK", "Bela llk", "Be1a Ilk"] {
        check_taken(&world, &tour, &coder, name).await;
    }
}

/// An agent cannot look like the owner of its project, even one who takes part no more.
pub async fn an_agent_does_not_look_like_the_owner_of_its_project(world: World) {
    let (mara, tour, coder) = stage(&world).await;
    check_taken(&world, &tour, &coder, "mara").await;
    world.change(&tour.id, &mara, Write::RemovePerson(mara.id.clone())).await;
    check_taken(&world, &tour, &coder, "mara").await;
}

/// An agent cannot look like an administrator: they count as members of every project.
pub async fn an_agent_does_not_look_like_an_administrator(world: World) {
    let (_, tour, coder) = stage(&world).await;
    world.admin("Root").await;
    for name in ["Root", "ROOT", "R00t"] {
        check_taken(&world, &tour, &coder, name).await;
    }
}

/// Nobody becomes an administrator under a name that looks like an agent's, in whichever project; others may bear it.
pub async fn an_administrator_does_not_look_like_an_agent(world: World) {
    stage(&world).await;
    let root = Person { is_admin: true, ..world.new_person("C0der") };
    let token = world.token(&root.member());
    let refused = world.store().create_person(world.deed(), root.clone(), token.clone()).await;
    assert_eq!(code(refused), Some(Code::NameTaken));
    assert_eq!((world.store().person(&root.id).await.expect("read"), owner(&world, &token).await), (None, None));
    world.person("C0der").await;
}

/// A person is not let into a project where an agent looks alike; when the agent has another name, it is.
pub async fn a_person_does_not_come_where_an_agent_looks_alike(world: World) {
    let (mara, tour, coder) = stage(&world).await;
    let person = world.person("C0der").await;
    let before = world.snapshot(&tour, &[&mara, &coder]).await;
    let adding = Write::AddPerson(person.id.clone());
    assert_eq!(world.refusal(&tour.id, &mara, adding.clone()).await, Code::NameTaken);
    assert_eq!(world.snapshot(&tour, &[&mara, &coder]).await, before);
    assert!(!world.store().is_member(&tour.id, &person.member()).await.expect("read"));
    world.change(&tour.id, &mara, rename(&world, &coder, "Builder")).await;
    world.change(&tour.id, &mara, adding).await;
}

/// The names of people who cannot be met in a project are free to its agents, and so are those of people who left.
pub async fn names_of_people_elsewhere_are_free_to_agents(world: World) {
    let (mara, tour, coder) = stage(&world).await;
    let (zoe, bela) = (world.person("Zoe").await, world.member("Bela", &tour).await);
    world.project("Fair", &zoe).await;
    world.agent("Zoe", &tour).await;
    world.change(&tour.id, &mara, Write::RemovePerson(bela.id.clone())).await;
    world.change(&tour.id, &mara, rename(&world, &coder, "Bela")).await;
    assert_eq!(world.refusal(&tour.id, &mara, Write::AddPerson(bela.id)).await, Code::NameTaken);
}

/// A change that keeps the name, or only spells it anew, is no question of names.
pub async fn an_agent_keeps_its_own_look(world: World) {
    let (mara, tour, coder) = stage(&world).await;
    world.change(&tour.id, &mara, rename(&world, &coder, "CODER")).await;
    let patch = AgentPatch { capabilities: Some(vec!["rust".into()]), ..AgentPatch::default() };
    world.change(&tour.id, &mara, Write::UpdateAgent(coder.id.clone(), patch)).await;
}
