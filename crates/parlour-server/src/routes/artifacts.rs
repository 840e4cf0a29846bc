//! Upload, list and download of artifacts.

mod byte_range;

use std::{
    io,
    ops::RangeInclusive,
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
use tokio::io::AsyncReadExt as _;
use tokio_util::io::{ReaderStream, StreamReader};
use utoipa::{IntoParams, ToSchema};

use self::byte_range::ByteRange;
use crate::{
    extract::{Caller, Id, NoParams, Params},
    http_error::{HttpError, HttpResult},
    middleware::refuse_late,
    routes::request_types::Paging,
};

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
    /// The conversation whose readers may see the file, wherever it is attached. Name an open channel for a file that the
    /// whole project may see.
    conversation_id: ConversationId,
    /// The task that produced it.
    task_id: Option<TaskId>,
}

/// The bytes of a file.
#[derive(ToSchema)]
#[schema(value_type = String, format = Binary)]
pub(crate) struct Content(());

/// Uploads a file.
///
/// The body is the content, and `Content-Type` its media type. Equal contents are stored once. Only the readers of its
/// conversation see a file; others get the same answer as for a file that does not exist.
#[utoipa::path(post, path = "/artifacts", tag = "artifacts", params(UploadParams),
    request_body(content = inline(Content), content_type = "application/octet-stream", description = "The content."),
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
/// With `If-None-Match` the content is sent only when it differs. With `Range` one range of bytes is sent, so that an
/// interrupted download can continue; with several ranges the whole content is sent.
#[utoipa::path(get, path = "/artifacts/{id}/content", tag = "artifacts",
    params(
        ("id" = ArtifactId, Path, description = "The artifact."),
        ("Range" = Option<String>, Header, description = "The bytes to send, such as `bytes=1000-` or `bytes=-500`."),
        ("If-Range" = Option<String>, Header,
            description = "The `ETag` of the content that the range belongs to; for another one the whole content is sent."),
    ),
    responses(
        (status = 200, description = "The content.", body = inline(Content), content_type = "*/*"),
        (status = 206, description = "The range of the content that `Content-Range` names.", body = inline(Content),
            content_type = "*/*"),
        (status = 304, description = "The content has not changed."),
    ))]
pub(super) async fn get_artifact_content(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<ArtifactId>,
    _: NoParams,
    headers: HeaderMap,
) -> HttpResult<Response> {
    let download = hub.download_artifact(&caller, &id).await?;
    let artifact = &download.artifact;
    let etag = format!("\"{}\"", artifact.sha256);
    let is_known = headers.get_all(header::IF_NONE_MATCH).iter().any(|known| known.as_bytes() == etag.as_bytes());
    let head = content_headers(artifact, &etag);
    if is_known {
        return Ok((StatusCode::NOT_MODIFIED, head).into_response());
    }
    match ByteRange::of(&headers, &etag, artifact.size) {
        ByteRange::Whole => Ok((head, Body::from_stream(ReaderStream::new(download.open(0).await?))).into_response()),
        ByteRange::Part(part) => part_response(&download, part, head).await,
        ByteRange::Unsatisfiable => Ok(refuse_range(artifact.size)),
    }
}

async fn part_response(
    download: &ArtifactDownload,
    part: RangeInclusive<u64>,
    mut head: HeaderMap,
) -> HttpResult<Response> {
    let (first, last, size) = (*part.start(), *part.end(), download.artifact.size);
    let length = last - first + 1;
    head.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
    head.insert(header::CONTENT_RANGE, content_range(&format!("bytes {first}-{last}/{size}")));
    let content = download.open(first).await?.take(length);
    Ok((StatusCode::PARTIAL_CONTENT, head, Body::from_stream(ReaderStream::new(content))).into_response())
}

fn refuse_range(size: u64) -> Response {
    let refusal = Refusal::new(Code::BadRange, format!("the content has {size} bytes")).at("Range");
    let mut response = HttpError::from(refusal).into_response();
    response.headers_mut().insert(header::CONTENT_RANGE, content_range(&format!("bytes */{size}")));
    response
}

fn content_range(text: &str) -> HeaderValue {
    HeaderValue::from_str(text).expect("digits and punctuation are visible ASCII")
}

/// Refuses an upload whose `Content-Length` exceeds the limit, before reading it.
fn check_length(headers: &HeaderMap) -> Result<(), Refusal> {
    let announced = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    let length = announced.and_then(|text| text.parse::<u64>().ok()).unwrap_or_default();
    if length <= limits::ARTIFACT_BYTES_MAX as u64 {
        return Ok(());
    }
    Err(Refusal::new(Code::TooLarge, format!("an artifact may have at most {} bytes", limits::ARTIFACT_BYTES_MAX)))
}

fn media_type(headers: &HeaderMap) -> Result<String, Refusal> {
    let Some(value) = headers.get(header::CONTENT_TYPE) else { return Ok(UNKNOWN_MEDIA_TYPE.to_owned()) };
    let text = value.to_str().map_err(|_| Refusal::invalid("the media type must be ASCII").at("media_type"))?;
    Ok(text.to_owned())
}

/// The stream of an upload. It records when the sender disconnects, which is not a fault of the hub.
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
    Refusal::new(Code::TimedOut, "the upload ended before it was complete; nothing was stored")
}

fn content_headers(artifact: &Artifact, etag: &str) -> HeaderMap {
    let ascii = |text: &str| HeaderValue::from_str(text).expect("visible ASCII: checked when it was uploaded");
    let presentation = Presentation::of(&artifact.media_type);
    HeaderMap::from_iter([
        (header::CONTENT_TYPE, ascii(&artifact.media_type)),
        (header::CONTENT_LENGTH, HeaderValue::from(artifact.size)),
        (header::CONTENT_DISPOSITION, ascii(&presentation.disposition(&artifact.filename))),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(presentation.content_security_policy())),
        (header::ETAG, ascii(etag)),
        (header::ACCEPT_RANGES, HeaderValue::from_static("bytes")),
        (header::CACHE_CONTROL, HeaderValue::from_static("private")),
    ])
}

/// How a browser may present an artifact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Presentation {
    /// Inline: raster images only.
    Inline,
    /// As a download; when opened anyway, it runs in a sandbox without scripts, requests and forms.
    Download,
}

/// Raster image types. SVG is not one of them: it can contain scripts.
const RASTER_IMAGES: [&str; 5] = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"];

impl Presentation {
    /// The presentation of a media type. Browsers do not sniff another type (`nosniff`), so a web page that is declared as
    /// an image is shown as a broken image.
    fn of(media_type: &str) -> Self {
        let essence = media_type.split(';').next().unwrap_or_default().trim_end();
        let is_raster = RASTER_IMAGES.iter().any(|raster| essence.eq_ignore_ascii_case(raster));
        if is_raster { Self::Inline } else { Self::Download }
    }

    /// The value of `Content-Disposition`.
    fn disposition(self, filename: &str) -> String {
        let word = if self == Self::Inline { "inline" } else { "attachment" };
        let encoded: String = filename.bytes().map(encode).collect();
        format!("{word}; filename*=UTF-8''{encoded}")
    }

    fn content_security_policy(self) -> &'static str {
        match self {
            Self::Inline => "default-src 'none'",
            Self::Download => "sandbox; default-src 'none'",
        }
    }
}

fn encode(byte: u8) -> String {
    let is_plain = byte.is_ascii_alphanumeric() || b"!#$&+-.^_`|~".contains(&byte);
    if is_plain { char::from(byte).to_string() } else { format!("%{byte:02X}") }
}

#[cfg(test)]
mod disposition_tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_are_encoded_byte_by_byte() {
        let header = Presentation::Download.disposition("Übersicht 1.pdf");
        assert_eq!(header, "attachment; filename*=UTF-8''%C3%9Cbersicht%201.pdf");
    }

    #[test]
    fn only_raster_images_are_shown_inline() {
        for shown in ["image/png", "IMAGE/PNG", "image/jpeg; q=1", "image/webp ;x"] {
            assert_eq!(Presentation::of(shown), Presentation::Inline, "{shown}");
        }
        for saved in
            ["image/svg+xml", "text/html", "image/png+xml", "image/", "image/pngx", "", "x; image/png", "a,image/png"]
        {
            assert_eq!(Presentation::of(saved), Presentation::Download, "{saved}");
        }
    }

    proptest! {
        #[test]
        fn no_file_name_breaks_out_of_the_header(filename in ".*") {
            let header = Presentation::Download.disposition(&filename);
            let value = header.strip_prefix("attachment; filename*=UTF-8''").expect("start");
            prop_assert!(value.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"\\;,'()<>@".contains(&byte)));
        }
    }
}
