//! DMs: open, list and read.

use std::sync::Arc;

use axum::{Json, extract::State, http::StatusCode};
use parlour_core::{
    conversation::Dm,
    id::{DmId, MemberId, MessageId, ProjectId},
    message::Importance,
    paging::Page,
    post::PostMessage,
};
use parlour_hub::{Hub, use_cases::OpenDm};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::{
    extract::{Body, Caller, Id, NoParams, Params},
    http_error::HttpResult,
    routes::{
        messages::{PostedMessage, status_of},
        request_types::page,
    },
};

/// A DM to open, with an optional first message.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"participants": ["agt_01KA3V8Q2N7W4T9Y6B5C0D1E2F"], "body": "Have you seen the build?"}))]
pub(crate) struct CreateDm {
    /// The participants, without yourself.
    #[schema(min_items = 1, max_items = 20)]
    participants: Vec<MemberId>,
    /// The first message, in Markdown.
    #[schema(min_length = 1, max_length = 65536)]
    body: Option<String>,
    /// Whether the addressed agents pause for it.
    blocking: Option<bool>,
    /// Importance.
    importance: Option<Importance>,
    /// The project; required when all participants are people.
    project_id: Option<ProjectId>,
    /// Client id of the message: repeating it never posts twice.
    id: Option<MessageId>,
}

impl CreateDm {
    fn into_request(self) -> OpenDm {
        let (id, blocking, importance) = (self.id, self.blocking, self.importance);
        let first = self.body.map(|body| PostMessage {
            id,
            body,
            blocking: blocking.unwrap_or_default(),
            importance: importance.unwrap_or_default(),
            ..PostMessage::default()
        });
        OpenDm { project_id: self.project_id, participants: self.participants, first }
    }
}

/// A DM, with its first message if one was posted.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DmWithMessage {
    #[serde(flatten)]
    dm: Dm,
    /// The first message.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<PostedMessage>,
}

/// Filter of DMs.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct DmParams {
    /// Only the DMs of this project.
    project_id: Option<ProjectId>,
    /// Maximum number of items.
    #[param(minimum = 1, maximum = 200, default = 50)]
    limit: Option<usize>,
    /// The `next` of the previous page.
    #[param(max_length = 200)]
    cursor: Option<String>,
}

/// Opens the DM of these members, or returns the existing one.
///
/// Then it posts `body`, if there is one.
#[utoipa::path(post, path = "/dms", tag = "dms", request_body = CreateDm,
    responses(
        (status = 201, description = "The new DM and the posted message.", body = DmWithMessage),
        (status = 200, description = "The existing DM and the posted message.", body = DmWithMessage),
    ))]
pub(super) async fn open_dm(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Body(body): Body<CreateDm>,
) -> HttpResult<(StatusCode, Json<DmWithMessage>)> {
    let opened = hub.open_dm(&caller, body.into_request()).await?;
    let message = opened.posted.map(PostedMessage::from);
    Ok((status_of(opened.novelty), Json(DmWithMessage { dm: opened.dm, message })))
}

/// Lists your DMs.
#[utoipa::path(get, path = "/dms", tag = "dms", params(DmParams),
    responses((status = 200, description = "A page of DMs, oldest first.", body = Page<Dm>)))]
pub(super) async fn list_dms(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Params(params): Params<DmParams>,
) -> HttpResult<Json<Page<Dm>>> {
    let page = page(params.limit, params.cursor)?;
    Ok(Json(hub.dms(&caller, params.project_id.as_ref(), &page).await?))
}

/// Reads a DM: for its participants.
#[utoipa::path(get, path = "/dms/{id}", tag = "dms",
    params(("id" = DmId, Path, description = "The DM.")),
    responses((status = 200, description = "The DM.", body = Dm)))]
pub(super) async fn get_dm(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<DmId>,
    _: NoParams,
) -> HttpResult<Json<Dm>> {
    Ok(Json(hub.dm(&caller, &id).await?))
}
