//! Projects.

use std::sync::Arc;

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

use crate::{
    Failure,
    access::Access,
    accounts::AccountService,
    context::ContextService,
    event_writer::EventWriter,
    failure::unexpected_change,
    infrastructure::Infrastructure,
    ports::{Clock, Ids, Store},
};

/// A request to create a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewProject {
    /// Unique on this hub.
    pub name: Name,
    pub description: Option<String>,
    /// Absent means the default policy.
    pub policy: Option<Policy>,
}

/// Creates, changes and lists projects and their people.
pub(crate) struct ProjectService {
    pub(super) access: Access,
    pub(super) store: Arc<dyn Store>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) ids: Arc<dyn Ids>,
    pub(super) writer: EventWriter,
    pub(super) accounts: Arc<AccountService>,
    pub(super) context: Arc<ContextService>,
}

impl ProjectService {
    pub(crate) fn new(parts: &Infrastructure, accounts: &Arc<AccountService>, context: &Arc<ContextService>) -> Self {
        Self {
            access: parts.access.clone(),
            store: parts.store(),
            clock: parts.clock(),
            ids: parts.ids(),
            writer: parts.writer.clone(),
            accounts: Arc::clone(accounts),
            context: Arc::clone(context),
        }
    }
}

impl ProjectService {
    /// Creates a project; the calling person owns it.
    pub(crate) async fn create_project(&self, caller: &Principal, request: NewProject) -> Result<Project, Failure> {
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
        self.accounts.add_project(caller, project).await
    }

    /// Reads a project.
    pub(crate) async fn project(&self, caller: &Principal, id: &ProjectId) -> Result<Project, Failure> {
        self.access.require_scope(caller, Scope::ChannelsRead)?;
        self.access.load_visible_project(caller, id).await
    }

    /// Lists the projects that the caller sees.
    pub(crate) async fn projects(&self, caller: &Principal, page: &PageRequest) -> Result<Page<Project>, Failure> {
        self.access.require_scope(caller, Scope::ChannelsRead)?;
        self.store.projects(caller, page).await
    }

    /// Changes a project.
    pub(crate) async fn update_project(
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

    /// Refuses invalid rules, and rules with a model or reranker that this hub does not have.
    async fn check_policy(&self, policy: &Policy) -> Result<(), Failure> {
        self.context.check_rules(&policy.context).await.map_err(|failure| match failure {
            Failure::Refused(refusal) => refusal.at("policy.context").into(),
            fault @ Failure::Fault(_) => fault,
        })
    }

    /// The end of a project's log, for a reader that starts with the next event.
    pub(crate) async fn end_of_log(&self, caller: &Principal, id: &ProjectId) -> Result<Position, Failure> {
        self.access.require_scope(caller, Scope::MessagesRead)?;
        self.access.load_visible_project(caller, id).await?;
        Ok(self.store.end_of_log(id).await?.ok_or_else(|| Refusal::not_found("project", id))?)
    }

    /// The graph of a project as the caller sees it.
    pub(crate) async fn project_graph(&self, caller: &Principal, id: &ProjectId) -> Result<Graph, Failure> {
        self.access.require_scope(caller, Scope::MessagesRead)?;
        self.access.load_visible_project(caller, id).await?;
        self.store.graph(id, caller).await
    }
}

impl ProjectService {
    /// Lists the people of a project.
    pub(crate) async fn project_people(
        &self,
        caller: &Principal,
        project: &ProjectId,
        page: &PageRequest,
    ) -> Result<Page<Person>, Failure> {
        self.access.require_scope(caller, Scope::ChannelsRead)?;
        self.access.load_visible_project(caller, project).await?;
        self.store.project_people(project, page).await
    }

    /// Adds a person to a project. For people of the project.
    pub(crate) async fn add_project_person(
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
        self.accounts.append_to_members(caller, project, Write::AddPerson(person.clone())).await?;
        Ok(found)
    }

    /// Removes a person from a project. For the person itself, the owner and administrators. The owner cannot be removed.
    ///
    /// The tokens of the agents that the person owns in the project are revoked: the person could know them.
    pub(crate) async fn remove_project_person(
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
        // Before the removal, so that no token outlives it if the request ends early; and after it, because the person
        // could issue tokens until then.
        self.accounts.revoke_agents_of(caller, project, person).await?;
        self.accounts.append_to_members(caller, project, Write::RemovePerson(person.clone())).await?;
        self.accounts.revoke_agents_of(caller, project, person).await
    }
}
