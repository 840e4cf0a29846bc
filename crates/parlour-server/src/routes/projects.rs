//! Projects, their people and their snapshots.

use std::sync::Arc;

use axum::{
    Json,
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use parlour_core::{
    graph::Graph,
    id::{PersonId, ProjectId},
    inbox::Unread,
    member::Person,
    paging::Page,
    policy::Policy,
    project::{Project, ProjectPatch},
    snapshot::Snapshot,
};
use parlour_hub::{Hub, use_cases::NewProject};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use crate::{
    extract::{Body, Caller, Id, IdPair, NoParams, Params},
    http_error::HttpResult,
    routes::request_types::{NameText, Paging},
};

/// A new project.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"name": "Apollo", "description": "To the moon and back"}))]
pub(crate) struct CreateProject {
    /// The name, unique on this hub.
    name: NameText,
    /// Description.
    #[schema(max_length = 4000)]
    description: Option<String>,
    /// Policy, where it differs from the defaults.
    policy: Option<Policy>,
}

/// A change to a project; absent fields stay unchanged.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"description": "Home safely"}))]
pub(crate) struct UpdateProject {
    /// The new name.
    name: Option<NameText>,
    /// The new description; an empty text removes it.
    #[schema(max_length = 4000)]
    description: Option<String>,
    /// The complete new policy.
    policy: Option<Policy>,
}

/// Creates a project owned by the caller.
#[utoipa::path(post, path = "/projects", tag = "projects", request_body = CreateProject,
    responses((status = 201, description = "The project.", body = Project)))]
pub(super) async fn create_project(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Body(body): Body<CreateProject>,
) -> HttpResult<(StatusCode, Json<Project>)> {
    let request = NewProject { name: body.name.parse()?, description: body.description, policy: body.policy };
    Ok((StatusCode::CREATED, Json(hub.create_project(&caller, request).await?)))
}

/// Lists the projects that you see.
#[utoipa::path(get, path = "/projects", tag = "projects", params(Paging),
    responses((status = 200, description = "A page of projects, oldest first.", body = Page<Project>)))]
pub(super) async fn list_projects(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Params(paging): Params<Paging>,
) -> HttpResult<Json<Page<Project>>> {
    Ok(Json(hub.projects(&caller, &paging.page()?).await?))
}

/// Reads a project.
#[utoipa::path(get, path = "/projects/{id}", tag = "projects",
    params(("id" = ProjectId, Path, description = "The project.")),
    responses((status = 200, description = "The project.", body = Project)))]
pub(super) async fn get_project(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<ProjectId>,
    _: NoParams,
) -> HttpResult<Json<Project>> {
    Ok(Json(hub.project(&caller, &id).await?))
}

/// Changes a project: for its owner and administrators.
#[utoipa::path(patch, path = "/projects/{id}", tag = "projects", request_body = UpdateProject,
    params(("id" = ProjectId, Path, description = "The project.")),
    responses((status = 200, description = "The project as it is now.", body = Project)))]
pub(super) async fn update_project(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<ProjectId>,
    Body(body): Body<UpdateProject>,
) -> HttpResult<Json<Project>> {
    let name = body.name.map(|name| name.parse()).transpose()?;
    let patch = ProjectPatch { name, description: body.description, policy: body.policy };
    Ok(Json(hub.update_project(&caller, &id, patch).await?))
}

/// Counts your unread messages in a project, by conversation and in total.
#[utoipa::path(get, path = "/projects/{id}/unread", tag = "projects",
    params(("id" = ProjectId, Path, description = "The project.")),
    responses((status = 200, description = "The counts.", body = Unread)))]
pub(super) async fn get_unread(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<ProjectId>,
    _: NoParams,
) -> HttpResult<Json<Unread>> {
    Ok(Json(hub.unread(&caller, &id).await?))
}

/// Format of a graph.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum GraphFormat {
    /// Nodes and edges.
    #[default]
    Json,
    /// A Mermaid diagram.
    Mermaid,
    /// A Graphviz graph.
    Dot,
    /// Statements for a graph database.
    Cypher,
}

/// Parameters of a graph.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct GraphParams {
    /// The format.
    #[param(inline)]
    format: Option<GraphFormat>,
}

/// Reads the graph of a project, as far as the caller sees it.
#[utoipa::path(get, path = "/projects/{id}/graph", tag = "projects",
    params(("id" = ProjectId, Path, description = "The project."), GraphParams),
    responses((status = 200, description = "The graph; the three drawing formats are plain text.",
        content((Graph = "application/json"), (String = "text/plain")))))]
pub(super) async fn get_graph(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<ProjectId>,
    Params(params): Params<GraphParams>,
) -> HttpResult<Response> {
    let graph = hub.project_graph(&caller, &id).await?;
    Ok(match params.format.unwrap_or_default() {
        GraphFormat::Json => Json(graph).into_response(),
        GraphFormat::Mermaid => graph.to_mermaid().into_response(),
        GraphFormat::Dot => graph.to_dot().into_response(),
        GraphFormat::Cypher => graph.to_cypher().into_response(),
    })
}

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

/// Removes a person from a project. Revokes the tokens of the agents that the person owns in the project.
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

/// Reads a project as you see it, at one position of its log.
///
/// Subscribe after its `position` to get every later event exactly once. Read messages with the lists of their
/// conversations.
#[utoipa::path(get, path = "/projects/{id}/snapshot", tag = "projects",
    params(("id" = ProjectId, Path, description = "The project.")),
    responses((status = 200, description = "The project and everything in it that you see.", body = Snapshot)))]
pub(super) async fn get_snapshot(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<ProjectId>,
    _: NoParams,
) -> HttpResult<Json<Snapshot>> {
    Ok(Json(hub.snapshot(&caller, &id).await?))
}
