//! Full-text search.

use std::sync::Arc;

use axum::{Json, extract::State};
use parlour_core::{id::ProjectId, message::Message, paging::Page};
use parlour_hub::{Hub, use_cases::SearchHit};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::{
    extract::{Caller, Params},
    http_error::HttpResult,
    routes::request_types::page,
};

/// Parameters of a search.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchParams {
    /// The project.
    project_id: ProjectId,
    /// Words that must all occur; `word*` matches prefixes, quotation marks enclose phrases.
    #[param(
        min_length = 1,
        max_length = 200,
        example = "build broken",
        pattern = r"^[^\u0000-\u001f\u007f-\u009f]*[0-9A-Za-z\u00c0-\u024f\u0370-\u1fff\u3040-\ud7a3][^\u0000-\u001f\u007f-\u009f]*$"
    )]
    q: String,
    /// Maximum number of items.
    #[param(minimum = 1, maximum = 200, default = 50)]
    limit: Option<usize>,
    /// The `next` of the previous page.
    #[param(max_length = 200)]
    cursor: Option<String>,
}

/// A search hit.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Hit {
    /// A short piece of the text around the first match.
    snippet: String,
    /// The message.
    message: Message,
}

/// Searches messages that contain all words, newest first.
///
/// A page may be short, or empty, and still have a `next`.
#[utoipa::path(get, path = "/search", tag = "search", params(SearchParams),
    responses((status = 200, description = "A page of hits.", body = Page<Hit>)))]
pub(super) async fn search_messages(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Params(params): Params<SearchParams>,
) -> HttpResult<Json<Page<Hit>>> {
    let page = page(params.limit, params.cursor)?;
    let found = hub.search(&caller, &params.project_id, &params.q, &page).await?;
    Ok(Json(found.map(|SearchHit { snippet, message }| Hit { snippet, message })))
}
