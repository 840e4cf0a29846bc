//! Projects, and the hub as a whole.

use parlour_core::{
    id::{PersonId, ProjectId},
    member::Person,
    paging::Page,
    project::Project,
    snapshot::Snapshot,
};
use serde_json::json;

use super::Client;
use crate::{
    ClientError,
    answers::{Health, Me},
    requests::NewProject,
};

impl Client {
    /// How the hub is; it asks for no token.
    pub async fn health(&self) -> Result<Health, ClientError> {
        self.get("/health", &[]).await
    }

    /// Whom the token belongs to.
    pub async fn me(&self) -> Result<Me, ClientError> {
        self.get("/me", &[]).await
    }

    /// Makes a project.
    pub async fn create_project(&self, request: &NewProject) -> Result<Project, ClientError> {
        self.post("/projects", request).await
    }

    /// Reads a project.
    pub async fn project(&self, id: &ProjectId) -> Result<Project, ClientError> {
        self.get(&format!("/projects/{id}"), &[]).await
    }

    /// A project as the owner of the token sees it, with the position to follow it from.
    pub async fn snapshot(&self, id: &ProjectId) -> Result<Snapshot, ClientError> {
        self.get(&format!("/projects/{id}/snapshot"), &[]).await
    }

    /// Lists all projects that the owner of the token sees.
    pub async fn projects(&self) -> Result<Page<Project>, ClientError> {
        self.whole_list("/projects", &[]).await
    }

    /// Lists the people of a project.
    pub async fn project_people(&self, id: &ProjectId) -> Result<Page<Person>, ClientError> {
        self.whole_list(&format!("/projects/{id}/people"), &[]).await
    }

    /// Lets a person take part in a project.
    pub async fn add_project_person(&self, id: &ProjectId, person: &PersonId) -> Result<Person, ClientError> {
        self.post(&format!("/projects/{id}/people"), &json!({ "person_id": person })).await
    }

    /// Takes a person out of a project.
    pub async fn remove_project_person(&self, id: &ProjectId, person: &PersonId) -> Result<(), ClientError> {
        self.delete(&format!("/projects/{id}/people/{person}")).await
    }
}
