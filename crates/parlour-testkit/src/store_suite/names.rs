//! Names that could be taken for one another: an agent never looks like a person who may be met in its project.

use parlour_core::{
    Code,
    event::Change,
    member::{Agent, AgentPatch, Person},
    paging::PageRequest,
    project::Project,
    write::Write,
};

use super::accounts::{code, noted, owner};
use crate::world::{Caller, World};
use parlour_hub::Failure;

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
    let refused = world.store().create_person(world.attribution(), root.clone(), token.clone()).await;
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

async fn rename_person(world: &World, person: &Person, name: &str) -> Result<Person, Failure> {
    world.store().rename_person(world.attribution(), &person.id, world.name(name)).await
}

/// A person with another name is shown by it everywhere, and each project that it takes part in is told once; what it
/// wrote keeps the name that it had.
pub async fn a_renamed_person_is_told_to_its_projects_alone(world: World) {
    let (_, tour, _) = stage(&world).await;
    let (zoe, bela) = (world.person("Zoe").await, world.member("Bela", &tour).await);
    let fair = world.project("Fair", &bela).await;
    let other = world.project("Other", &zoe).await;
    let channel = world.channel("general", &tour).await;
    let said = world.post(&bela, &channel, "Hello").await;
    let (events, elsewhere) = (world.events(&tour.id).await, world.events(&other.id).await);

    let renamed = rename_person(&world, &bela, "Béla the Second").await.expect("renamed");
    assert_eq!(renamed, Person { name: world.name("Béla the Second"), ..bela.clone() });
    assert_eq!(world.store().person(&bela.id).await.expect("read"), Some(renamed.clone()));
    for project in [&tour, &fair] {
        let last = world.events(&project.id).await.pop().expect("an event");
        assert_eq!(last.change, Change::PersonUpdated(Box::new(renamed.clone())));
        let people = world.store().project_people(&project.id, &PageRequest::first()).await.expect("people");
        assert!(people.items.contains(&renamed), "{people:?}");
    }
    assert_eq!(world.events(&tour.id).await.len(), events.len() + 1);
    assert_eq!(noted(&world).await, ("projects.person_updated".into(), Some(fair.id), Some(bela.id.to_string())));
    assert_eq!(world.events(&other.id).await, elsewhere);
    assert_eq!(world.history(&channel.id.clone().into()).await.pop().map(|message| message.from), Some(said.from));
}

/// A name that could be taken for another person's, or for that of an agent whom the person meets, is refused, and
/// nothing is changed.
pub async fn a_person_keeps_its_name_when_the_new_one_is_taken(world: World) {
    let (mara, tour, _) = stage(&world).await;
    world.person("Zoe").await;
    let root = world.admin("Root").await;
    let before = world.snapshot(&tour, &[&mara]).await;
    for (person, name) in [(&mara, "ZOE"), (&mara, "C0der"), (&root, "coder")] {
        assert_eq!(code(rename_person(&world, person, name).await), Some(Code::NameTaken), "{name}");
    }
    assert_eq!(world.snapshot(&tour, &[&mara]).await, before);
}

/// The same name again is no change; another spelling of the own name is one and is free.
pub async fn the_name_that_a_person_has_changes_nothing(world: World) {
    let (mara, tour, _) = stage(&world).await;
    let before = world.snapshot(&tour, &[&mara]).await;
    assert_eq!(rename_person(&world, &mara, "Mara").await.expect("as wanted"), mara);
    assert_eq!(world.snapshot(&tour, &[&mara]).await, before);
    assert_eq!(rename_person(&world, &mara, "MARA").await.expect("renamed").name, world.name("MARA"));
}

/// Somebody unknown has no name to change.
pub async fn somebody_unknown_is_not_renamed(world: World) {
    let nobody = world.new_person("Eve");
    assert_eq!(code(rename_person(&world, &nobody, "Somebody").await), Some(Code::NotFound));
}
