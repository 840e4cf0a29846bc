//! Who takes part in a project.

use std::sync::Arc;

use axum::{Json, extract::State, http::StatusCode};
use parlour_core::{
    id::{PersonId, ProjectId},
    member::Person,
    paging::Page,
};
use parlour_hub::Hub;
use serde::Deserialize;
use utoipa::ToSchema;

use super::paging::Paging;
use crate::{
    extract::{Body, Caller, Id, IdPair, NoParams, Params},
    http_error::HttpResult,
};

/// A person to add.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AddProjectPerson {
    /// The person.
    person_id: PersonId,
}

/// Lists the people of a project.
#[utoipa::path(get, path = "/projects/{id}/people", tag = "projects",
    params(("id" = ProjectId, Path, description = "The project."), Paging),
    responses((status = 200, description = "A page of people.", body = Page<Person>)))]
pub(super) async fn list_project_people(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<ProjectId>,
    Params(paging): Params<Paging>,
) -> HttpResult<Json<Page<Person>>> {
    Ok(Json(hub.project_people(&caller, &id, &paging.page()?).await?))
}

/// Adds a person to a project; idempotent.
#[utoipa::path(post, path = "/projects/{id}/people", tag = "projects", request_body = AddProjectPerson,
    params(("id" = ProjectId, Path, description = "The project.")),
    responses((status = 201, description = "The person.", body = Person)))]
pub(super) async fn add_project_person(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<ProjectId>,
    Body(body): Body<AddProjectPerson>,
) -> HttpResult<(StatusCode, Json<Person>)> {
    let person = hub.add_project_person(&caller, &id, &body.person_id).await?;
    Ok((StatusCode::CREATED, Json(person)))
}

/// Removes a person from a project.
#[utoipa::path(delete, path = "/projects/{id}/people/{person_id}", tag = "projects",
    params(
        ("id" = ProjectId, Path, description = "The project."),
        ("person_id" = PersonId, Path, description = "The person."),
    ),
    responses((status = 204, description = "The person was removed.")))]
pub(super) async fn remove_project_person(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    IdPair(id, person): IdPair<ProjectId, PersonId>,
    _: NoParams,
) -> HttpResult<StatusCode> {
    hub.remove_project_person(&caller, &id, &person).await?;
    Ok(StatusCode::NO_CONTENT)
}
