//! Taking over messages of other systems.

use std::sync::Arc;

use axum::{Json, extract::State};
use parlour_core::{
    import::{ImportMessages, ImportOutcome},
    limits,
};
use parlour_hub::Hub;

use crate::{
    extract::{Caller, LargeBody},
    http_error::HttpResult,
};

/// Imports messages of another system into a channel or thread: for administrators.
///
/// Up to 100 messages, oldest first, in a body of up to `IMPORT_BODY_BYTES_MAX` bytes. They keep their authors,
/// times and order. The id of an author contains its system (`pynchy:u-7`), so that it is never a member; the audit log
/// records the caller.
///
/// Imported messages call no agent and are not counted by the loop guard.
/// A `reply_to` is kept when that message stands in the conversation, or before in the list; otherwise it is left out.
///
/// A message whose id stands in the conversation already with the same content is known, so the same call can be made again
/// after anything went wrong. An id of another message is refused (`PARLOUR-C01`) with its place in the list, such as
/// `messages[17].id`. What came before it in the call stays stored, and nothing after it is.
///
/// A call counts as one request that changes something. The rate of messages in the project does not count it.
#[utoipa::path(post, path = "/imports", tag = "messages", request_body = ImportMessages,
    responses((status = 200, description = "How many were stored, and how many were known.", body = ImportOutcome)))]
pub(super) async fn import_messages(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    LargeBody(request): LargeBody<ImportMessages, { limits::IMPORT_BODY_BYTES_MAX }>,
) -> HttpResult<Json<ImportOutcome>> {
    Ok(Json(hub.import_messages(&caller, request).await?))
}
