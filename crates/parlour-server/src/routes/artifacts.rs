//! Stored files: uploading, reading, listing.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use axum::{
    Json,
    body::Body,
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use futures_util::TryStreamExt as _;
use parlour_core::{
    Code, Refusal,
    artifact::Artifact,
    id::{ArtifactId, ConversationId, ProjectId, TaskId},
    limits,
    paging::Page,
};
use parlour_hub::{
    Hub,
    ports::BlobReader,
    use_cases::{ArtifactDownload, NewArtifact},
};
use serde::Deserialize;
use tokio_util::io::{ReaderStream, StreamReader};
use utoipa::{IntoParams, ToSchema};

use super::paging::Paging;
use crate::{
    extract::{Caller, Id, NoParams, Params},
    http_error::HttpResult,
    middleware::refuse_late,
};

mod disposition;

use disposition::Use;

/// Default media type of an upload.
const UNKNOWN_MEDIA_TYPE: &str = "application/octet-stream";

/// Parameters of an upload.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct UploadParams {
    /// The project.
    project_id: ProjectId,
    /// The file name, without a path.
    #[param(
        min_length = 1,
        max_length = 200,
        pattern = r"^[^/\\\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]*[!-\-0-\[\]-~][^/\\\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]*$",
        example = "report.pdf"
    )]
    filename: String,
    /// The conversation whose readers may see the file; default: every member of the project.
    conversation_id: Option<ConversationId>,
    /// The task that produced it.
    task_id: Option<TaskId>,
}

/// The bytes of a file.
#[derive(ToSchema)]
#[schema(value_type = String, format = Binary)]
pub(crate) struct Content(());

/// Uploads a file.
///
/// The body is the content, and `Content-Type` its media type. Equal contents are stored once.
#[utoipa::path(post, path = "/artifacts", tag = "artifacts", params(UploadParams),
    request_body(content = inline(Content), content_type = "application/octet-stream", description = "The content, as it is."),
    responses((status = 201, description = "The artifact.", body = Artifact)))]
pub(super) async fn create_artifact(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Params(params): Params<UploadParams>,
    request: Request,
) -> HttpResult<(StatusCode, Json<Artifact>)> {
    check_length(request.headers())?;
    let new = NewArtifact {
        project_id: params.project_id,
        filename: params.filename,
        media_type: media_type(request.headers())?,
        conversation_id: params.conversation_id,
        task_id: params.task_id,
    };
    let time_max = Duration::from_secs(limits::UPLOAD_SECONDS_MAX as u64);
    let upload = Upload::new(request.into_body());
    let keeping = hub.create_artifact(&caller, new, upload.reader);
    let kept = tokio::time::timeout(time_max, keeping).await.map_err(|_| refuse_late(time_max))?;
    match kept {
        Err(_) if upload.broke_off.load(Ordering::Relaxed) => Err(refuse_broken().into()),
        kept => Ok((StatusCode::CREATED, Json(kept?))),
    }
}

/// Lists the files of a project that you may see.
#[utoipa::path(get, path = "/projects/{id}/artifacts", tag = "artifacts",
    params(("id" = ProjectId, Path, description = "The project."), Paging),
    responses((status = 200, description = "A page of artifacts, oldest first.", body = Page<Artifact>)))]
pub(super) async fn list_artifacts(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<ProjectId>,
    Params(paging): Params<Paging>,
) -> HttpResult<Json<Page<Artifact>>> {
    Ok(Json(hub.artifacts(&caller, &id, &paging.page()?).await?))
}

/// Reads the metadata of a file.
#[utoipa::path(get, path = "/artifacts/{id}", tag = "artifacts",
    params(("id" = ArtifactId, Path, description = "The artifact.")),
    responses((status = 200, description = "The artifact.", body = Artifact)))]
pub(super) async fn get_artifact(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<ArtifactId>,
    _: NoParams,
) -> HttpResult<Json<Artifact>> {
    Ok(Json(hub.artifact(&caller, &id).await?))
}

/// Downloads a file.
///
/// With `If-None-Match` the content is sent only when it differs.
#[utoipa::path(get, path = "/artifacts/{id}/content", tag = "artifacts",
    params(("id" = ArtifactId, Path, description = "The artifact.")),
    responses(
        (status = 200, description = "The content.", body = inline(Content), content_type = "*/*"),
        (status = 304, description = "The content has not changed."),
    ))]
pub(super) async fn get_artifact_content(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<ArtifactId>,
    _: NoParams,
    headers: HeaderMap,
) -> HttpResult<Response> {
    let ArtifactDownload { artifact, content } = hub.download_artifact(&caller, &id).await?;
    let etag = format!("\"{}\"", artifact.sha256);
    let is_known = headers.get_all(header::IF_NONE_MATCH).iter().any(|known| known.as_bytes() == etag.as_bytes());
    let head = content_headers(&artifact, &etag);
    if is_known {
        return Ok((StatusCode::NOT_MODIFIED, head).into_response());
    }
    Ok((head, Body::from_stream(ReaderStream::new(content))).into_response())
}

/// Refuses an upload that announces too much before any of it is read.
fn check_length(headers: &HeaderMap) -> Result<(), Refusal> {
    let announced = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    let length = announced.and_then(|text| text.parse::<u64>().ok()).unwrap_or_default();
    if length <= limits::ARTIFACT_BYTES_MAX as u64 {
        return Ok(());
    }
    Err(Refusal::new(Code::TooLarge, format!("an artifact has at most {} bytes", limits::ARTIFACT_BYTES_MAX)))
}

fn media_type(headers: &HeaderMap) -> Result<String, Refusal> {
    let Some(value) = headers.get(header::CONTENT_TYPE) else { return Ok(UNKNOWN_MEDIA_TYPE.to_owned()) };
    let text = value.to_str().map_err(|_| Refusal::invalid("a media type is ASCII").at("media_type"))?;
    Ok(text.to_owned())
}

/// A content on its way in. A sender that goes away is no fault of the hub, so it is noted beside the stream.
struct Upload {
    reader: BlobReader,
    broke_off: Arc<AtomicBool>,
}

impl Upload {
    fn new(body: Body) -> Self {
        let broke_off = Arc::new(AtomicBool::new(false));
        let noted = Arc::clone(&broke_off);
        let stream = body.into_data_stream().map_err(move |error| {
            noted.store(true, Ordering::Relaxed);
            io::Error::other(error)
        });
        Self { reader: Box::pin(StreamReader::new(stream)), broke_off }
    }
}

fn refuse_broken() -> Refusal {
    Refusal::new(Code::TimedOut, "the upload broke off before its end; nothing of it was kept")
}

fn content_headers(artifact: &Artifact, etag: &str) -> HeaderMap {
    let ascii = |text: &str| HeaderValue::from_str(text).expect("visible ASCII: checked when it was uploaded");
    let allowed = Use::of(&artifact.media_type);
    HeaderMap::from_iter([
        (header::CONTENT_TYPE, ascii(&artifact.media_type)),
        (header::CONTENT_LENGTH, HeaderValue::from(artifact.size)),
        (header::CONTENT_DISPOSITION, ascii(&allowed.disposition(&artifact.filename))),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(allowed.policy())),
        (header::ETAG, ascii(etag)),
        (header::CACHE_CONTROL, HeaderValue::from_static("private")),
    ])
}
