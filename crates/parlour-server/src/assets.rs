//! The embedded web pages: chat, sign-in, API documentation and their assets.
//!
//! The build script embeds the files of `web/`. Nothing is read from disk at run time.

use std::{io::Write as _, sync::OnceLock};

use axum::{
    Router,
    body::Bytes,
    http::{
        HeaderMap, HeaderName, HeaderValue, StatusCode,
        header::{
            ACCEPT_ENCODING, ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY,
            CONTENT_TYPE, ETAG, IF_NONE_MATCH, REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS,
        },
    },
    response::{IntoResponse as _, Response},
    routing::{MethodRouter, get},
};
use flate2::{Compression, write::GzEncoder};

#[cfg(test)]
mod table;
#[cfg(test)]
mod tests;

struct EmbeddedFile {
    /// Relative to the build folder: `index.html`, `assets/docs.45214c056edb2fd4.js`.
    path: &'static str,
    mime: &'static str,
    /// The name contains a content hash, so browsers may cache the file forever.
    is_immutable: bool,
    /// The entity tag of the plain bytes.
    etag: &'static str,
    content: EmbeddedContent,
}

#[allow(dead_code, reason = "a build of the page compresses every file, and the placeholder pages are plain")]
enum EmbeddedContent {
    Plain(&'static [u8]),
    /// A text file. Only the brotli bytes are embedded. Browsers accept brotli over TLS only; over plain HTTP they get
    /// gzip, which the first such request makes. The other forms are made once and kept.
    Brotli {
        etag: &'static str,
        bytes: &'static [u8],
        gzip_etag: &'static str,
        gzip: OnceLock<Bytes>,
        plain: OnceLock<Bytes>,
    },
}

/// The content coding of a response.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Brotli,
    Gzip,
    Identity,
}

impl Encoding {
    const fn name(self) -> Option<&'static str> {
        match self {
            Self::Brotli => Some("br"),
            Self::Gzip => Some("gzip"),
            Self::Identity => None,
        }
    }
}

impl EmbeddedFile {
    /// The smallest form that the client accepts.
    fn encoding_for(&self, request: &HeaderMap) -> Encoding {
        match self.content {
            EmbeddedContent::Brotli { .. } if accepts(request, "br") => Encoding::Brotli,
            EmbeddedContent::Brotli { .. } if accepts(request, "gzip") => Encoding::Gzip,
            _ => Encoding::Identity,
        }
    }

    /// Each form has its own tag (RFC 9110, 8.8.3.3).
    const fn etag_of(&self, encoding: Encoding) -> &'static str {
        match (&self.content, encoding) {
            (EmbeddedContent::Brotli { etag, .. }, Encoding::Brotli) => etag,
            (EmbeddedContent::Brotli { gzip_etag, .. }, Encoding::Gzip) => gzip_etag,
            _ => self.etag,
        }
    }

    fn body_in(&self, encoding: Encoding) -> Bytes {
        match (&self.content, encoding) {
            (EmbeddedContent::Brotli { bytes, .. }, Encoding::Brotli) => Bytes::from_static(bytes),
            (EmbeddedContent::Brotli { gzip, .. }, Encoding::Gzip) => {
                gzip.get_or_init(|| compress(&self.plain())).clone()
            }
            _ => self.plain(),
        }
    }

    fn plain(&self) -> Bytes {
        match &self.content {
            EmbeddedContent::Plain(bytes) => Bytes::from_static(bytes),
            EmbeddedContent::Brotli { bytes, plain, .. } => plain.get_or_init(|| decompress(bytes)).clone(),
        }
    }
}

/// Compresses a text file of the pages. Writing to memory cannot fail.
fn compress(plain: &[u8]) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder
        .write_all(plain)
        .and_then(|()| encoder.finish())
        .unwrap_or_else(|error| unreachable!("memory does not accept bytes: {error}"))
        .into()
}

/// The input is the output of the build, and a test decompresses every file.
fn decompress(brotli: &[u8]) -> Bytes {
    let mut plain = Vec::new();
    brotli_decompressor::BrotliDecompress(&mut &*brotli, &mut plain)
        .unwrap_or_else(|error| unreachable!("an embedded file does not decompress: {error}"));
    plain.into()
}

include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// A page with its route, file and content security policy.
struct EmbeddedPage {
    route: &'static str,
    path: &'static str,
    policy: &'static str,
}

const PAGES: [EmbeddedPage; 4] = [
    EmbeddedPage { route: "/", path: "index.html", policy: CHAT_POLICY },
    EmbeddedPage { route: "/d/diagram.html", path: "d/diagram.html", policy: DIAGRAM_POLICY },
    EmbeddedPage { route: "/docs", path: "docs.html", policy: PAGE_POLICY },
    EmbeddedPage { route: "/sign-in", path: "sign-in.html", policy: SIGN_IN_POLICY },
];

/// Scripts, styles and requests of this hub only; no inline code, no framing.
const PAGE_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
     connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// The chat also shows local pictures and diagram frames; trusted types allow only the templates of its own build.
const CHAT_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; \
     connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
     require-trusted-types-for 'script'; trusted-types parlour-template";
/// The sandboxed frame that renders untrusted diagrams: no origin, no network, messages only. Diagrams contain inline
/// styles.
const DIAGRAM_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src data:; \
     font-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts";
/// The sign-in page: no data URLs, and its form may only be sent to this hub.
const SIGN_IN_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
     connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
const ASSET_POLICY: &str = "default-src 'none'; frame-ancestors 'none'";
/// Assets of the diagram frame, which has an opaque origin; any origin may load them.
const DIAGRAM_ASSETS: &str = "d/assets/";

/// Routes of all pages and assets.
pub(crate) fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    FILES.iter().fold(Router::new(), |router, file| match PAGES.iter().find(|page| page.path == file.path) {
        Some(page) => router.route(page.route, serve(file, page.policy)),
        None => router.route(&format!("/{}", file.path), serve(file, ASSET_POLICY)),
    })
}

fn serve<S: Clone + Send + Sync + 'static>(file: &'static EmbeddedFile, policy: &'static str) -> MethodRouter<S> {
    get(move |headers: HeaderMap| async move { respond(file, policy, &headers) })
}

const IMMUTABLE: &str = "public, max-age=31536000, immutable";
const REVALIDATE: &str = "no-cache";

/// Answers a GET; axum removes the body for a HEAD.
fn respond(file: &'static EmbeddedFile, policy: &'static str, request: &HeaderMap) -> Response {
    let encoding = file.encoding_for(request);
    let etag = file.etag_of(encoding);
    let mut headers = shared_headers(file, policy);
    if file.path.starts_with(DIAGRAM_ASSETS) {
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    }
    headers.insert(ETAG, HeaderValue::from_static(etag));
    if holds(request, etag) {
        return (StatusCode::NOT_MODIFIED, headers).into_response();
    }
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(file.mime));
    if let Some(name) = encoding.name() {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static(name));
    }
    (headers, file.body_in(encoding)).into_response()
}

/// Headers of both the file and `304 Not Modified`.
fn shared_headers(file: &EmbeddedFile, policy: &'static str) -> HeaderMap {
    let caching = if file.is_immutable { IMMUTABLE } else { REVALIDATE };
    HeaderMap::from_iter([
        (CACHE_CONTROL, HeaderValue::from_static(caching)),
        (CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy)),
        (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
        (VARY, HeaderValue::from_static("accept-encoding")),
        (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    ])
}

/// Whether the client lists a coding with a weight above zero. `*` does not count: the client may not support it.
fn accepts(headers: &HeaderMap, coding: &str) -> bool {
    list_items(headers, &ACCEPT_ENCODING).any(|item| is_accepted(item, coding))
}

/// Whether the client has this entity tag cached; weak tags match too (RFC 9110, 8.8.3.2).
fn holds(headers: &HeaderMap, etag: &str) -> bool {
    list_items(headers, &IF_NONE_MATCH).any(|known| known == "*" || known.strip_prefix("W/").unwrap_or(known) == etag)
}

/// The items of a list header; unreadable values are skipped.
fn list_items<'a>(headers: &'a HeaderMap, name: &HeaderName) -> impl Iterator<Item = &'a str> {
    let values = headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).map(str::trim)
}

fn is_accepted(item: &str, coding: &str) -> bool {
    let mut parts = item.split(';').map(str::trim);
    parts.next().is_some_and(|name| name.eq_ignore_ascii_case(coding)) && parts.all(is_weight_above_zero)
}

fn is_weight_above_zero(parameter: &str) -> bool {
    let weight = parameter.split_once('=').map(|(_, weight)| weight.trim().parse::<f32>());
    matches!(weight, Some(Ok(weight)) if weight > 0.0)
}

#[cfg(test)]
mod negotiation_tests {
    use super::*;

    fn headers(name: &HeaderName, values: &[&'static str]) -> HeaderMap {
        values.iter().map(|value| (name.clone(), axum::http::HeaderValue::from_static(value))).collect()
    }

    #[track_caller]
    fn check_brotli(values: &[&'static str], expected: bool) {
        assert_eq!(accepts(&headers(&ACCEPT_ENCODING, values), "br"), expected, "{values:?}");
    }

    #[track_caller]
    fn check_holds(values: &[&'static str], expected: bool) {
        assert_eq!(holds(&headers(&IF_NONE_MATCH, values), "\"a1\""), expected, "{values:?}");
    }

    #[test]
    fn brotli_is_used_when_listed() {
        check_brotli(&["br"], true);
        check_brotli(&["gzip, deflate, br, zstd"], true);
        check_brotli(&["gzip", "BR"], true);
        check_brotli(&["gzip;q=1.0, br;q=0.1"], true);
        check_brotli(&["br ; q=1"], true);
    }

    #[test]
    fn brotli_is_not_used_when_not_listed() {
        check_brotli(&[], false);
        check_brotli(&[""], false);
        check_brotli(&["gzip, *"], false);
        check_brotli(&["brotli, xbr"], false);
    }

    #[test]
    fn brotli_is_not_used_with_zero_or_invalid_weight() {
        check_brotli(&["br;q=0"], false);
        check_brotli(&["br;q=0.000, gzip"], false);
        check_brotli(&["br;q=much"], false);
        check_brotli(&["br;"], false);
        check_brotli(&["br;q=NaN"], false);
    }

    #[test]
    fn a_cached_tag_is_found_in_a_list_and_as_weak_tag() {
        check_holds(&["\"a1\""], true);
        check_holds(&["\"b2\", W/\"a1\""], true);
        check_holds(&["\"b2\"", "\"a1\""], true);
        check_holds(&["*"], true);
    }

    #[test]
    fn another_tag_does_not_match() {
        check_holds(&[], false);
        check_holds(&["\"a1-br\""], false);
        check_holds(&["a1"], false);
        check_holds(&["w/\"a1\""], false);
    }
}
