//! Health, limits and caller of the hub, the API description and the error pages.

use std::{str::FromStr, sync::Arc};

use axum::{
    Json,
    extract::State,
    http::{HeaderMap, Method, StatusCode, header},
    response::{IntoResponse, Response},
};
use parlour_core::{
    Code, Refusal, Timestamp,
    access::{Grant, Principal, Role},
    id::{MemberId, ProjectId, TokenId},
    limits::{Limit, TABLE},
    name::Name,
    rate::{Bucket, Rate},
    scope::Scopes,
    token::ActsAs,
};
use parlour_hub::Hub;
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    app::ServerInfo,
    extract::{Caller, Id, NoParams},
    http_error::{HttpError, HttpResult, page_of},
    openapi,
};

mod error_html;

/// Health of the hub.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Health {
    /// Always `ok`.
    #[schema(pattern = "^ok$")]
    status: &'static str,
    /// The version of the program.
    version: String,
}

/// A limit of the product.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LimitRow {
    /// The name, with its unit and `_MAX` at the end.
    name: &'static str,
    /// The limit.
    value: usize,
    /// What it limits.
    meaning: &'static str,
}

/// A configured rate.
#[derive(Debug, Serialize, ToSchema)]
#[schema(example = json!({"name": "member", "count": 50, "window_seconds": 1, "burst": 500, "meaning": "Requests of one member."}))]
pub(crate) struct RateRow {
    /// The name, as in the setting `rates` and in the header `RateLimit`.
    name: &'static str,
    /// Requests per window.
    count: u32,
    /// The window in seconds.
    window_seconds: u32,
    /// Requests that may be sent at once after a pause (burst).
    burst: u32,
    /// What it counts.
    meaning: &'static str,
}

/// All limits of the product, and the configured rates.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Limits {
    /// The limits.
    items: Vec<LimitRow>,
    /// The rates, without those that the operator has turned off.
    rates: Vec<RateRow>,
}

/// Who is calling.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Me {
    /// The member that the token belongs to.
    member_id: MemberId,
    /// The member's name.
    name: Name,
    /// Rights beyond its memberships.
    role: MyRole,
    /// The project, for an agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    project_id: Option<ProjectId>,
    /// The scopes of the token.
    scopes: Scopes,
    /// The program in whose name messages of this token are posted, instead of the member.
    #[serde(skip_serializing_if = "Option::is_none")]
    acts_as: Option<ActsAs>,
    /// The token of the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    token_id: Option<TokenId>,
    /// When the token expires; absent when it does not expire.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<Timestamp>,
}

impl From<Principal> for Me {
    fn from(caller: Principal) -> Self {
        let Principal { member: member_id, name, role, grant } = caller;
        let (role, project_id) = match role {
            Role::Admin => (MyRole::Admin, None),
            Role::Person => (MyRole::Person, None),
            Role::Agent(project) => (MyRole::Agent, Some(project)),
        };
        let Grant { scopes, acts_as, expires_at, origin } = grant;
        Self { member_id, name, role, project_id, scopes, acts_as, token_id: origin.token, expires_at }
    }
}

/// Rights of a caller beyond its memberships.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum MyRole {
    /// Creates people, and counts as a member of every project.
    Admin,
    /// An ordinary person.
    Person,
    /// An agent of one project.
    Agent,
}

/// Liveness check. Needs no token.
#[utoipa::path(get, path = "/health", tag = "hub", security(()),
    responses((status = 200, description = "The hub is running.", body = Health)))]
pub(super) async fn health(State(info): State<Arc<ServerInfo>>) -> Json<Health> {
    Json(Health { status: "ok", version: info.version.clone() })
}

/// Readiness check: the hub can read its store. Needs no token.
#[utoipa::path(get, path = "/ready", tag = "hub", security(()),
    responses((status = 200, description = "The hub is ready.", body = Health)))]
pub(super) async fn ready(State(hub): State<Arc<Hub>>, info: State<Arc<ServerInfo>>) -> HttpResult<Json<Health>> {
    hub.check_ready().await?;
    Ok(health(info).await)
}

/// Lists the limits of the product and the configured rates.
#[utoipa::path(get, path = "/limits", tag = "hub", responses((status = 200, description = "The limits.", body = Limits)))]
pub(super) async fn limits(State(hub): State<Arc<Hub>>, _: Caller, _: NoParams) -> Json<Limits> {
    let row = |limit: &Limit| LimitRow { name: limit.name, value: limit.value, meaning: limit.meaning };
    let rate = |(bucket, rate): (Bucket, Rate)| RateRow {
        name: bucket.name(),
        count: rate.count,
        window_seconds: bucket.window_seconds(),
        burst: rate.burst,
        meaning: bucket.meaning(),
    };
    Json(Limits { items: TABLE.iter().map(row).collect(), rates: hub.rates().on().map(rate).collect() })
}

/// Reads the caller: the member of the token and its scopes.
#[utoipa::path(get, path = "/me", tag = "hub", responses((status = 200, description = "The caller.", body = Me)))]
pub(super) async fn me(Caller(caller): Caller, _: NoParams) -> Json<Me> {
    Json(caller.into())
}

/// The explanation of one error code.
pub(crate) struct ErrorPage(String);

impl FromStr for ErrorPage {
    type Err = Refusal;

    fn from_str(code: &str) -> Result<Self, Refusal> {
        let shown: String = code.chars().take(40).collect();
        page_of(code).map(Self).ok_or_else(|| Refusal::not_found("code", format!("{shown:?}")))
    }
}

/// Describes this API as OpenAPI 3.1. Needs no token.
#[utoipa::path(get, path = "/openapi.json", tag = "hub", security(()),
    responses((status = 200, description = "This document.", body = Object, content_type = "application/json")))]
pub(super) async fn openapi_document() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/json")], openapi::served())
}

/// Reads the explanation of an error code. Needs no token.
#[utoipa::path(get, path = "/errors/{code}", tag = "hub", security(()),
    params(("code" = String, Path, description = "The code of a problem.", pattern = "^PARLOUR-[A-Z][0-9]{2}$",
        example = "PARLOUR-C02")),
    responses((status = 200, description = "What happened and what to do.", body = String, content_type = "text/markdown")))]
pub(super) async fn error_page(headers: HeaderMap, Id(page): Id<ErrorPage>) -> impl IntoResponse {
    let (content_type, text) = match accepts_html(&headers) {
        true => ("text/html; charset=utf-8", error_html::render(&page.0)),
        false => ("text/markdown; charset=utf-8", page.0),
    };
    ([(header::CONTENT_TYPE, content_type), (header::VARY, "accept")], text)
}

/// Refuses a path that does not exist: with a page for a browser, with a problem document for all other clients.
pub(crate) async fn unknown_path(method: Method, headers: HeaderMap) -> Response {
    let vary = [(header::VARY, "accept")];
    if method == Method::GET && accepts_html(&headers) {
        let html = [(header::CONTENT_TYPE, "text/html; charset=utf-8")];
        return (StatusCode::NOT_FOUND, vary, html, error_html::unknown_path()).into_response();
    }
    (vary, HttpError::from(Refusal::new(Code::NoRoute, "there is no such path on this hub"))).into_response()
}

/// Whether the client is a browser: it names HTML.
fn accepts_html(headers: &HeaderMap) -> bool {
    let values = headers.get_all(header::ACCEPT).into_iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|item| item.split(';').next().map(str::trim) == Some("text/html"))
}
