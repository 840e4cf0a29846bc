//! Confusable names of agents and of the people who count as members of their project.

use parlour_core::{
    Code,
    event::Change,
    member::{Agent, AgentPatch, Person},
    paging::PageRequest,
    project::Project,
    write::Write,
};

use super::accounts::{code, last_audit_entry, token_owner};
use crate::test_store::{TestMember, TestStore};
use parlour_hub::Failure;

fn rename(test_store: &TestStore, agent: &Agent, name: &str) -> Write {
    let patch = AgentPatch { name: Some(test_store.name(name)), ..AgentPatch::default() };
    Write::UpdateAgent(agent.id.clone(), patch)
}

/// Checks that neither a new nor an existing agent of the project can get this name.
async fn check_taken(test_store: &TestStore, tour: &Project, coder: &Agent, name: &str) {
    for write in [test_store.adding_agent(test_store.new_agent(name, tour)), rename(test_store, coder, name)] {
        let before = test_store.snapshot(tour, &[coder]).await;
        assert_eq!(test_store.refusal(&tour.id, coder, write).await, Code::NameTaken, "{name}");
        assert_eq!(test_store.snapshot(tour, &[coder]).await, before, "{name}");
    }
}

async fn fixture(test_store: &TestStore) -> (Person, Project, Agent) {
    let mara = test_store.person("Mara").await;
    let tour = test_store.project("Tour", &mara).await;
    let coder = test_store.agent("Coder", &tour).await;
    (mara, tour, coder)
}

pub async fn an_agent_name_is_not_confusable_with_a_person_of_its_project(test_store: TestStore) {
    let (_, tour, coder) = fixture(&test_store).await;
    test_store.member("Bela Ilk", &tour).await;
    for name in ["Bela Ilk", "bela-ilk", "BELA_ILK", "Bela llk", "Be1a Ilk"] {
        check_taken(&test_store, &tour, &coder, name).await;
    }
}

/// This holds even for an owner who has left the project.
pub async fn an_agent_name_is_not_confusable_with_the_owner_of_its_project(test_store: TestStore) {
    let (mara, tour, coder) = fixture(&test_store).await;
    check_taken(&test_store, &tour, &coder, "mara").await;
    test_store.change(&tour.id, &mara, Write::RemovePerson(mara.id.clone())).await;
    check_taken(&test_store, &tour, &coder, "mara").await;
}

/// Administrators count as members of every project.
pub async fn an_agent_name_is_not_confusable_with_an_administrator(test_store: TestStore) {
    let (_, tour, coder) = fixture(&test_store).await;
    test_store.admin("Root").await;
    for name in ["Root", "ROOT", "R00t"] {
        check_taken(&test_store, &tour, &coder, name).await;
    }
}

/// An administrator whose name is confusable with that of any agent is refused; a person without the role is not.
pub async fn an_administrator_name_is_not_confusable_with_an_agent(test_store: TestStore) {
    fixture(&test_store).await;
    let root = Person { is_admin: true, ..test_store.new_person("C0der") };
    let token = test_store.token(&root.member());
    let refused = test_store.store().create_person(test_store.attribution(), root.clone(), token.clone()).await;
    assert_eq!(code(refused), Some(Code::NameTaken));
    assert_eq!(
        (test_store.store().person(&root.id).await.expect("read"), token_owner(&test_store, &token).await),
        (None, None)
    );
    test_store.person("C0der").await;
}

/// The person can join after the agent was renamed.
pub async fn a_person_cannot_join_a_project_with_a_confusable_agent(test_store: TestStore) {
    let (mara, tour, coder) = fixture(&test_store).await;
    let person = test_store.person("C0der").await;
    let before = test_store.snapshot(&tour, &[&mara, &coder]).await;
    let adding = Write::AddPerson(person.id.clone());
    assert_eq!(test_store.refusal(&tour.id, &mara, adding.clone()).await, Code::NameTaken);
    assert_eq!(test_store.snapshot(&tour, &[&mara, &coder]).await, before);
    assert!(!test_store.store().is_member(&tour.id, &person.member()).await.expect("read"));
    test_store.change(&tour.id, &mara, rename(&test_store, &coder, "Builder")).await;
    test_store.change(&tour.id, &mara, adding).await;
}

/// The same holds for the names of people who have left the project.
pub async fn an_agent_can_have_the_name_of_a_person_outside_its_project(test_store: TestStore) {
    let (mara, tour, coder) = fixture(&test_store).await;
    let (zoe, bela) = (test_store.person("Zoe").await, test_store.member("Bela", &tour).await);
    test_store.project("Fair", &zoe).await;
    test_store.agent("Zoe", &tour).await;
    test_store.change(&tour.id, &mara, Write::RemovePerson(bela.id.clone())).await;
    test_store.change(&tour.id, &mara, rename(&test_store, &coder, "Bela")).await;
    assert_eq!(test_store.refusal(&tour.id, &mara, Write::AddPerson(bela.id)).await, Code::NameTaken);
}

pub async fn an_agent_can_change_the_spelling_of_its_own_name(test_store: TestStore) {
    let (mara, tour, coder) = fixture(&test_store).await;
    test_store.change(&tour.id, &mara, rename(&test_store, &coder, "CODER")).await;
    let patch = AgentPatch { capabilities: Some(vec!["rust".into()]), ..AgentPatch::default() };
    test_store.change(&tour.id, &mara, Write::UpdateAgent(coder.id.clone(), patch)).await;
}

async fn rename_person(test_store: &TestStore, person: &Person, name: &str) -> Result<Person, Failure> {
    test_store.store().rename_person(test_store.attribution(), &person.id, test_store.name(name)).await
}

/// The new name is shown everywhere, each project of the person gets one event, and older messages keep the old name.
pub async fn renaming_a_person_writes_an_event_in_each_of_its_projects(test_store: TestStore) {
    let (_, tour, _) = fixture(&test_store).await;
    let (zoe, bela) = (test_store.person("Zoe").await, test_store.member("Bela", &tour).await);
    let fair = test_store.project("Fair", &bela).await;
    let other = test_store.project("Other", &zoe).await;
    let channel = test_store.channel("general", &tour).await;
    let said = test_store.post(&bela, &channel, "Hello").await;
    let (events, elsewhere) = (test_store.events(&tour.id).await, test_store.events(&other.id).await);

    let renamed = rename_person(&test_store, &bela, "Béla the Second").await.expect("renamed");
    assert_eq!(renamed, Person { name: test_store.name("Béla the Second"), ..bela.clone() });
    assert_eq!(test_store.store().person(&bela.id).await.expect("read"), Some(renamed.clone()));
    for project in [&tour, &fair] {
        let last = test_store.events(&project.id).await.pop().expect("an event");
        assert_eq!(last.change, Change::PersonUpdated(Box::new(renamed.clone())));
        let people = test_store.store().project_people(&project.id, &PageRequest::first()).await.expect("people");
        assert!(people.items.contains(&renamed), "{people:?}");
    }
    assert_eq!(test_store.events(&tour.id).await.len(), events.len() + 1);
    assert_eq!(
        last_audit_entry(&test_store).await,
        ("projects.person_updated".into(), Some(fair.id), Some(bela.id.to_string()))
    );
    assert_eq!(test_store.events(&other.id).await, elsewhere);
    assert_eq!(test_store.history(&channel.id.clone().into()).await.pop().map(|message| message.from), Some(said.from));
}

/// A name that is confusable with another person's, or with that of an agent in a project of the person, is refused
/// without any effect.
pub async fn renaming_a_person_to_a_confusable_name_is_refused(test_store: TestStore) {
    let (mara, tour, _) = fixture(&test_store).await;
    test_store.person("Zoe").await;
    let root = test_store.admin("Root").await;
    let before = test_store.snapshot(&tour, &[&mara]).await;
    for (person, name) in [(&mara, "ZOE"), (&mara, "C0der"), (&root, "coder")] {
        assert_eq!(code(rename_person(&test_store, person, name).await), Some(Code::NameTaken), "{name}");
    }
    assert_eq!(test_store.snapshot(&tour, &[&mara]).await, before);
}

/// Another spelling of the own name is a change and is allowed.
pub async fn renaming_a_person_to_its_own_name_changes_nothing(test_store: TestStore) {
    let (mara, tour, _) = fixture(&test_store).await;
    let before = test_store.snapshot(&tour, &[&mara]).await;
    assert_eq!(rename_person(&test_store, &mara, "Mara").await.expect("unchanged"), mara);
    assert_eq!(test_store.snapshot(&tour, &[&mara]).await, before);
    assert_eq!(rename_person(&test_store, &mara, "MARA").await.expect("renamed").name, test_store.name("MARA"));
}

pub async fn renaming_an_unknown_person_is_refused(test_store: TestStore) {
    let nobody = test_store.new_person("Eve");
    assert_eq!(code(rename_person(&test_store, &nobody, "Somebody").await), Some(Code::NotFound));
}
