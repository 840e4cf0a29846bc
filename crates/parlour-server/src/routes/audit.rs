//! The audit log: list, head and export.

use std::{io, sync::Arc};

use axum::{
    Json,
    body::Body,
    extract::State,
    http::header,
    response::{IntoResponse as _, Response},
};
use bytes::Bytes;
use futures_util::stream;
use parlour_core::{
    Code, Refusal, Timestamp,
    access::Principal,
    audit::{AuditEntry, AuditFilter, AuditHead, ResultFilter, SealedEntry},
    id::{MemberId, ProjectId},
    limits,
    paging::Page,
};
use parlour_hub::{Failure, Hub};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::{
    extract::{Caller, NoParams, Params},
    http_error::HttpResult,
    routes::request_types::page,
};

/// Stores keep entry numbers as signed 64-bit integers.
const NO_MAX: u64 = i64::MAX as u64;

/// The media type of an export: one JSON object in each line.
const LINES: &str = "application/x-ndjson";

/// Filter of the audit log.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct AuditParams {
    /// Only entries of this project.
    project_id: Option<ProjectId>,
    /// Only entries of this member.
    actor: Option<MemberId>,
    /// Only entries with this action.
    #[param(max_length = 200, example = "messaging.posted")]
    action: Option<String>,
    /// Only entries with this outcome: `done`, `refused`, or the code of a refusal.
    #[param(value_type = Option<String>, pattern = "^(done|refused|PARLOUR-[A-Z][0-9]{2})$", example = "refused")]
    result: Option<ResultFilter>,
    /// Only entries at this time or later.
    since: Option<Timestamp>,
    /// Only entries before this time.
    until: Option<Timestamp>,
    /// Maximum number of items.
    #[param(minimum = 1, maximum = 200, default = 50)]
    limit: Option<usize>,
    /// The `next` of the previous page.
    #[param(max_length = 200)]
    cursor: Option<String>,
}

/// Lists the audit log, newest first: for administrators.
///
/// Every change writes its entry in the same transaction; refused sign-ins and refused changes are recorded too. An entry
/// never contains a text that a member has written. A page may be short, or empty, and still have a `next`.
#[utoipa::path(get, path = "/audit", tag = "audit", params(AuditParams),
    responses((status = 200, description = "A page of entries.", body = Page<AuditEntry>)))]
pub(super) async fn list_audit(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Params(params): Params<AuditParams>,
) -> HttpResult<Json<Page<AuditEntry>>> {
    let AuditParams { project_id, actor, action, result, since, until, limit, cursor } = params;
    if action.as_ref().is_some_and(|action| action.chars().count() > limits::CURSOR_CHARS_MAX) {
        let detail = format!("action has more than {} characters", limits::CURSOR_CHARS_MAX);
        return Err(Refusal::new(Code::BadQuery, detail).at("action").into());
    }
    let filter = AuditFilter { project_id, actor, action, result, since, until };
    Ok(Json(hub.audit(&caller, &filter, &page(limit, cursor)?).await?))
}

/// The head of the audit log.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct HeadAnswer {
    /// The number of the last entry and the hash of the chain up to it.
    head: AuditHead,
}

/// Reads the head of the audit log: for administrators.
///
/// Store it elsewhere. As long as `parlour audit verify --head` finds it, no earlier entry was changed.
#[utoipa::path(get, path = "/audit/head", tag = "audit",
    responses((status = 200, description = "The head.", body = HeadAnswer)))]
pub(super) async fn get_audit_head(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    _: NoParams,
) -> HttpResult<Json<HeadAnswer>> {
    Ok(Json(HeadAnswer { head: hub.audit_head(&caller).await? }))
}

/// Start of an export.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExportParams {
    /// The number of the last entry that you have; default: export from the first entry.
    #[param(default = 0)]
    after: Option<u64>,
}

/// One line of an export.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AuditLine {
    #[serde(flatten)]
    entry: AuditEntry,
    /// The hash of the chain up to this entry; the last entry of each commit has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    seal: Option<String>,
}

/// Exports the audit log as JSON lines, oldest first, up to now: for administrators.
///
/// The hash of a line is the SHA-256 of the hash of the line before and of the line without its seal; the chain begins
/// with 32 zero bytes. `parlour audit verify` checks it.
#[utoipa::path(get, path = "/audit/export", tag = "audit", params(ExportParams),
    responses((status = 200, description = "One entry in each line.", body = AuditLine, content_type = "application/x-ndjson")))]
pub(super) async fn export_audit(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Params(params): Params<ExportParams>,
) -> HttpResult<Response> {
    let after = params.after.unwrap_or(0);
    if after > NO_MAX {
        return Err(Refusal::new(Code::BadQuery, format!("{after} is greater than the largest possible entry number"))
            .at("after")
            .into());
    }
    let end = hub.audit_head(&caller).await?.no;
    let export = Export { hub, caller, after, end };
    let lines = stream::try_unfold(export, Export::next);
    Ok(([(header::CONTENT_TYPE, LINES)], Body::from_stream(lines)).into_response())
}

/// A running export. It reads the store page by page.
struct Export {
    hub: Arc<Hub>,
    caller: Principal,
    after: u64,
    /// The last entry when the export began; without it the export of a busy log would never end.
    end: u64,
}

impl Export {
    async fn next(mut self) -> io::Result<Option<(Bytes, Self)>> {
        if self.after >= self.end {
            return Ok(None);
        }
        let entries = self.hub.audit_after(&self.caller, self.after).await.map_err(broken_off)?;
        let exported: Vec<&SealedEntry> = entries.iter().filter(|sealed| sealed.entry.no <= self.end).collect();
        self.after = exported.last().map_or(self.end, |last| last.entry.no);
        let lines: String = exported.iter().map(|sealed| sealed.line() + "\n").collect();
        Ok(Some((lines.into(), self)))
    }
}

/// Aborts the response, so that no client takes it for complete.
#[expect(clippy::needless_pass_by_value, reason = "it takes an error in map_err")]
fn broken_off(failure: Failure) -> io::Error {
    tracing::error!(cause = %failure, "an export of the audit log broke off");
    io::Error::other("the export broke off")
}
