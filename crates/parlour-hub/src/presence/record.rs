//! What the store knows of a member that is there.

use std::collections::BTreeSet;

use parlour_core::{
    access::{Principal, Role},
    event::Change,
    id::{MemberId, ProjectId},
    limits,
    member::{Agent, Person},
    name::Name,
    paging::PageRequest,
};

use crate::{Failure, ports::Store};

/// What the store knows of a member that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MemberRecord {
    pub(crate) name: Name,
    /// What an agent was told to be.
    pub(crate) instructions: Option<String>,
    /// The projects that it belongs to; seeing a project as an administrator is not belonging to it.
    pub(crate) projects: BTreeSet<ProjectId>,
}

impl MemberRecord {
    /// Reads what the store knows of a member now.
    pub(crate) async fn load(store: &dyn Store, who: &Principal) -> Result<Self, Failure> {
        match &who.member {
            MemberId::Person(_) => {
                let projects = person_projects(store, who).await?;
                Ok(Self { name: who.name.clone(), instructions: None, projects })
            }
            MemberId::Agent(id) => {
                let agent = store.agent(id).await?;
                Ok(Self {
                    name: agent.as_ref().map_or_else(|| who.name.clone(), |agent| agent.name.clone()),
                    projects: agent.iter().map(|agent| agent.project_id.clone()).collect(),
                    instructions: agent.and_then(|agent| agent.instructions),
                })
            }
        }
    }
}

/// The projects that a person belongs to, `PRESENCE_PROJECTS_MAX` of them at the most.
pub(crate) async fn person_projects(store: &dyn Store, who: &Principal) -> Result<BTreeSet<ProjectId>, Failure> {
    // As an administrator a person would see all projects; here only memberships count.
    let person = Principal { role: Role::Person, ..who.clone() };
    let (mut projects, mut after) = (BTreeSet::new(), None);
    while projects.len() < limits::PRESENCE_PROJECTS_MAX {
        let request = PageRequest::new(after, Some(limits::PAGE_ITEMS_MAX))?;
        let page = store.projects(&person, &request).await?;
        projects.extend(page.items.into_iter().map(|project| project.id));
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    Ok(projects)
}

/// The member whose record a change may have changed.
pub(super) fn affected_member(caller: &Principal, change: &Change) -> Option<Principal> {
    match change {
        Change::ProjectCreated(_) => Some(caller.clone()),
        Change::PersonAdded(person) | Change::PersonUpdated(person) | Change::PersonRemoved(person) => {
            Some(person_principal(person))
        }
        Change::AgentUpdated(agent) => Some(agent_principal(agent)),
        _ => None,
    }
}

fn person_principal(person: &Person) -> Principal {
    Principal::new(person.id.clone(), person.name.clone(), Role::Person)
}

fn agent_principal(agent: &Agent) -> Principal {
    let role = Role::Agent(agent.project_id.clone());
    Principal::new(agent.id.clone(), agent.name.clone(), role)
}
