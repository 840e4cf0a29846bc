//! Projects.

use parlour_core::{
    Refusal,
    access::{self, Principal},
    event::Change,
    graph::Graph,
    id::{PersonId, ProjectId},
    member::Person,
    name::Name,
    paging::{Page, PageRequest},
    policy::Policy,
    position::Position,
    project::{Project, ProjectPatch},
    scope::Scope,
    write::Write,
};

use crate::{Failure, Hub, failure::unexpected_change};

/// A request to make a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewProject {
    /// The name, unique on this hub.
    pub name: Name,
    /// What it is about.
    pub description: Option<String>,
    /// Its own rules, if they differ from the defaults.
    pub policy: Option<Policy>,
}

impl Hub {
    /// Makes a project; the person who makes it owns it.
    pub async fn create_project(&self, caller: &Principal, request: NewProject) -> Result<Project, Failure> {
        self.access.require_scope(caller, Scope::ProjectsManage)?;
        let owner = caller.person()?.clone();
        let project = Project {
            id: ProjectId::from_bits(self.ids.next_bits()),
            name: request.name,
            description: request.description.filter(|text| !text.is_empty()),
            owner,
            policy: request.policy.unwrap_or_default(),
            created_at: self.clock.now(),
        };
        project.check()?;
        self.check_policy(&project.policy).await?;
        let appended = self.append_to_members(caller, &project.id.clone(), Write::CreateProject(project)).await?;
        match appended.change {
            Change::ProjectCreated(project) => Ok(*project),
            other => Err(unexpected_change(&other)),
        }
    }

    /// Reads a project.
    pub async fn project(&self, caller: &Principal, id: &ProjectId) -> Result<Project, Failure> {
        self.access.require_scope(caller, Scope::ChannelsRead)?;
        self.access.load_visible_project(caller, id).await
    }

    /// Lists the projects that the caller sees.
    pub async fn projects(&self, caller: &Principal, page: &PageRequest) -> Result<Page<Project>, Failure> {
        self.access.require_scope(caller, Scope::ChannelsRead)?;
        self.store.projects(caller, page).await
    }

    /// Changes a project.
    pub async fn update_project(
        &self,
        caller: &Principal,
        id: &ProjectId,
        patch: ProjectPatch,
    ) -> Result<Project, Failure> {
        self.access.require_scope(caller, Scope::ProjectsManage)?;
        let project = self.access.load_visible_project(caller, id).await?;
        access::check_manage_project(caller, &project)?;
        project.patched(&patch)?;
        if let Some(policy) = &patch.policy {
            self.check_policy(policy).await?;
        }
        match self.writer.append(caller, id, Write::UpdateProject(patch)).await?.change {
            Change::ProjectUpdated(project) => Ok(*project),
            other => Err(unexpected_change(&other)),
        }
    }

    /// Refuses rules that name what this hub does not have, or that cannot be read.
    async fn check_policy(&self, policy: &Policy) -> Result<(), Failure> {
        self.context.check_rules(&policy.context, &self.engines).await.map_err(|failure| match failure {
            Failure::Refused(refusal) => refusal.at("policy.context").into(),
            fault @ Failure::Fault(_) => fault,
        })
    }

    /// The end of a project's log, for a reader who wants everything from now on.
    pub async fn end_of_log(&self, caller: &Principal, id: &ProjectId) -> Result<Position, Failure> {
        self.access.require_scope(caller, Scope::MessagesRead)?;
        self.access.load_visible_project(caller, id).await?;
        Ok(self.store.end_of_log(id).await?.ok_or_else(|| Refusal::not_found("project", id))?)
    }

    /// The graph of a project as the caller may see it.
    pub async fn project_graph(&self, caller: &Principal, id: &ProjectId) -> Result<Graph, Failure> {
        self.access.require_scope(caller, Scope::MessagesRead)?;
        self.access.load_visible_project(caller, id).await?;
        self.store.graph(id, caller).await
    }
}

impl Hub {
    /// Lists the people of a project.
    pub async fn project_people(
        &self,
        caller: &Principal,
        project: &ProjectId,
        page: &PageRequest,
    ) -> Result<Page<Person>, Failure> {
        self.access.require_scope(caller, Scope::ChannelsRead)?;
        self.access.load_visible_project(caller, project).await?;
        self.store.project_people(project, page).await
    }

    /// Lets a person take part: by people who do already.
    pub async fn add_project_person(
        &self,
        caller: &Principal,
        project: &ProjectId,
        person: &PersonId,
    ) -> Result<Person, Failure> {
        self.access.require_scope(caller, Scope::ProjectsManage)?;
        caller.person()?;
        self.access.load_visible_project(caller, project).await?;
        let found = self.store.person(person).await?;
        let found = found.ok_or_else(|| Refusal::not_found("person", person).at("person_id"))?;
        self.append_to_members(caller, project, Write::AddPerson(person.clone())).await?;
        Ok(found)
    }

    /// Ends a person's part: by that person, the project's owner or an administrator. The owner stays.
    pub async fn remove_project_person(
        &self,
        caller: &Principal,
        project: &ProjectId,
        person: &PersonId,
    ) -> Result<(), Failure> {
        self.access.require_scope(caller, Scope::ProjectsManage)?;
        let seen = self.access.load_visible_project(caller, project).await?;
        if caller.member.person() != Some(person) {
            access::check_manage_project(caller, &seen)?;
        }
        if seen.owner == *person {
            return Err(Refusal::forbidden("the owner of a project cannot leave it").into());
        }
        if !self.store.is_member(project, &person.clone().into()).await? {
            return Err(Refusal::not_found("person", person).into());
        }
        self.append_to_members(caller, project, Write::RemovePerson(person.clone())).await?;
        Ok(())
    }
}
