//! Who takes part in a project.

use parlour_core::{
    Refusal,
    access::{self, Principal},
    id::{PersonId, ProjectId},
    member::Person,
    paging::{Page, PageRequest},
    scope::Scope,
    write::Write,
};

use crate::{Failure, Hub};

impl Hub {
    /// Lists the people of a project.
    pub async fn project_people(
        &self,
        caller: &Principal,
        project: &ProjectId,
        page: &PageRequest,
    ) -> Result<Page<Person>, Failure> {
        self.require_scope(caller, Scope::ChannelsRead)?;
        self.load_visible_project(caller, project).await?;
        self.store.project_people(project, page).await
    }

    /// Lets a person take part: by people who do already.
    pub async fn add_project_person(
        &self,
        caller: &Principal,
        project: &ProjectId,
        person: &PersonId,
    ) -> Result<Person, Failure> {
        self.require_scope(caller, Scope::ProjectsManage)?;
        caller.person()?;
        self.load_visible_project(caller, project).await?;
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
        self.require_scope(caller, Scope::ProjectsManage)?;
        let seen = self.load_visible_project(caller, project).await?;
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
