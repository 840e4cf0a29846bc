//! People of the hub.

use std::sync::Arc;

use axum::{Json, extract::State, http::StatusCode};
use parlour_core::{id::PersonId, member::Person, paging::Page};
use parlour_hub::{Hub, use_cases::NewPerson};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    extract::{Body, Caller, Id, NoParams, Params},
    http_error::HttpResult,
    routes::request_types::{NameText, Paging},
};

/// A new person.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"name": "Mara"}))]
pub(crate) struct CreatePerson {
    /// The name, unique on this hub.
    name: NameText,
    /// Whether the person is an administrator.
    is_admin: Option<bool>,
}

/// A new person with its token.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PersonWithToken {
    #[serde(flatten)]
    person: Person,
    /// The person's token. It is shown only here.
    token: String,
}

/// A new token, which replaces the previous one.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct NewToken {
    /// The token. It is shown only here.
    pub(super) token: String,
}

/// Adds a person to the hub: for administrators.
#[utoipa::path(post, path = "/people", tag = "people", request_body = CreatePerson,
    responses((status = 201, description = "The person and the token, which is shown only once.", body = PersonWithToken)))]
pub(super) async fn create_person(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Body(body): Body<CreatePerson>,
) -> HttpResult<(StatusCode, Json<PersonWithToken>)> {
    let request = NewPerson { name: body.name.parse()?, is_admin: body.is_admin.unwrap_or_default() };
    let (person, token) = hub.create_person(&caller, request).await?;
    Ok((StatusCode::CREATED, Json(PersonWithToken { person, token })))
}

/// Lists the people of the hub: for people.
#[utoipa::path(get, path = "/people", tag = "people", params(Paging),
    responses((status = 200, description = "A page of people, oldest first.", body = Page<Person>)))]
pub(super) async fn list_people(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Params(paging): Params<Paging>,
) -> HttpResult<Json<Page<Person>>> {
    Ok(Json(hub.people(&caller, &paging.page()?).await?))
}

/// Reads a person. Agents see the people of their project, people see everybody.
#[utoipa::path(get, path = "/people/{id}", tag = "people",
    params(("id" = PersonId, Path, description = "The person.")),
    responses((status = 200, description = "The person.", body = Person)))]
pub(super) async fn get_person(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<PersonId>,
    _: NoParams,
) -> HttpResult<Json<Person>> {
    Ok(Json(hub.person(&caller, &id).await?))
}

/// A change to a person.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"name": "Mara"}))]
pub(crate) struct UpdatePerson {
    /// The new name, unique on this hub.
    name: NameText,
}

/// Renames a person: for the person and administrators.
///
/// The person's projects get an event. Existing messages keep the old name.
#[utoipa::path(patch, path = "/people/{id}", tag = "people",
    params(("id" = PersonId, Path, description = "The person.")), request_body = UpdatePerson,
    responses((status = 200, description = "The person.", body = Person)))]
pub(super) async fn update_person(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<PersonId>,
    Body(body): Body<UpdatePerson>,
) -> HttpResult<Json<Person>> {
    Ok(Json(hub.rename_person(&caller, &id, body.name.parse()?).await?))
}

/// Replaces the token of a person: for the person and administrators.
#[utoipa::path(post, path = "/people/{id}/token", tag = "people",
    params(("id" = PersonId, Path, description = "The person.")),
    responses((status = 201, description = "The new token.", body = NewToken)))]
pub(super) async fn renew_person_token(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<PersonId>,
    _: NoParams,
) -> HttpResult<(StatusCode, Json<NewToken>)> {
    let token = hub.renew_person_token(&caller, &id).await?;
    Ok((StatusCode::CREATED, Json(NewToken { token })))
}
